//! A switch of two to four choices: arrows move, selection follows focus.

use web_sys::HtmlElement;
use yew::prelude::*;

/// One choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its label.
    pub label: AttrValue,
    /// Name for end-to-end tests.
    pub testid: Option<AttrValue>,
}

impl Choice {
    /// A choice with a label.
    pub fn new(label: impl Into<AttrValue>) -> Self {
        Self {
            label: label.into(),
            testid: None,
        }
    }

    /// The same with a name for tests.
    #[must_use]
    pub fn test(mut self, testid: impl Into<AttrValue>) -> Self {
        self.testid = Some(testid.into());
        self
    }
}

/// What the switch shows and does.
#[derive(Properties, PartialEq)]
pub struct SegmentsProps {
    /// Its name.
    pub name: AttrValue,
    /// The choices in order.
    pub choices: Vec<Choice>,
    /// Which one holds; `None` when the value is none of them.
    pub chosen: Option<usize>,
    /// What choosing does.
    pub onchoose: Callback<usize>,
}

/// The switch.
#[component]
pub fn Segments(props: &SegmentsProps) -> Html {
    let root = use_node_ref();
    let count = props.choices.len();
    let chosen = props.chosen;
    let onkeydown = {
        let (root, onchoose) = (root.clone(), props.onchoose.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = chosen.unwrap_or(0);
            let to = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (at + 1) % count,
                "ArrowLeft" | "ArrowUp" => (at + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            onchoose.emit(to);
            let child = root
                .cast::<HtmlElement>()
                .and_then(|root| root.children().item(u32::try_from(to).unwrap_or(0)));
            if let Some(child) =
                child.and_then(|child| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(child).ok())
            {
                // A removed element cannot be focused; then there is nothing to do.
                let _ = child.focus();
            }
        })
    };
    html! {
        <div ref={root} class="segments" role="radiogroup" aria-label={props.name.clone()} {onkeydown}>
            { for props.choices.iter().enumerate().map(|(n, choice)| {
                let on = chosen == Some(n);
                let stop = on || (chosen.is_none() && n == 0);
                html! {
                    <button
                        type="button"
                        role="radio"
                        aria-checked={if on { "true" } else { "false" }}
                        tabindex={if stop { "0" } else { "-1" }}
                        data-testid={choice.testid.clone()}
                        onclick={props.onchoose.reform(move |_: MouseEvent| n)}
                    >{ &choice.label }</button>
                }
            }) }
        </div>
    }
}
