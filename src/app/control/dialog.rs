//! A dialog over the page: Escape closes it, focus goes in and comes back.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::button::IconButton;
use crate::app::icon::Glyph;

/// What the dialog shows.
#[derive(Properties, PartialEq)]
pub struct DialogProps {
    /// Its title.
    pub title: AttrValue,
    /// Closes it.
    pub onclose: Callback<()>,
    /// For tables.
    #[prop_or_default]
    pub wide: bool,
    /// Name for end-to-end tests.
    #[prop_or_default]
    pub testid: Option<AttrValue>,
    /// Its body.
    pub children: Children,
}

/// The dialog.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let root = use_node_ref();
    {
        let root = root.clone();
        use_effect_with((), move |()| {
            let before = web_sys::window()
                .and_then(|window| window.document())
                .and_then(|document| document.active_element())
                .and_then(|element| element.dyn_into::<HtmlElement>().ok());
            if let Some(first) = root
                .cast::<HtmlElement>()
                .and_then(|root| {
                    root.query_selector("textarea, input, .body button, button")
                        .ok()
                        .flatten()
                })
                .and_then(|element| element.dyn_into::<HtmlElement>().ok())
            {
                let _ = first.focus();
            }
            move || {
                if let Some(before) = before {
                    let _ = before.focus();
                }
            }
        });
    }
    let onkeydown = {
        let (onclose, root) = (props.onclose.clone(), root.clone());
        Callback::from(move |event: KeyboardEvent| {
            event.stop_propagation();
            match event.key().as_str() {
                "Escape" => onclose.emit(()),
                "Tab" => keep_inside(&root, &event),
                _ => {}
            }
        })
    };
    html! {
        <>
            <div class="scrim" onclick={props.onclose.reform(|_: MouseEvent| ())}></div>
            <div ref={root} class={classes!("dialog", props.wide.then_some("wide"))} role="dialog" aria-modal="true" aria-label={props.title.clone()} data-testid={props.testid.clone()} {onkeydown}>
                <header>
                    <h2>{ &props.title }</h2>
                    <IconButton glyph={Glyph::Close} name="Close" onpress={props.onclose.clone()} />
                </header>
                <div class="body">{ for props.children.iter() }</div>
            </div>
        </>
    }
}

/// Wraps the Tab key at both ends of the dialog.
fn keep_inside(root: &NodeRef, event: &KeyboardEvent) {
    let Some(root) = root.cast::<HtmlElement>() else {
        return;
    };
    let Ok(list) = root.query_selector_all("button:not([disabled]), input, select, textarea, a[href]") else {
        return;
    };
    let element = |n: u32| list.get(n).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    let (Some(first), Some(last)) = (element(0), element(list.length().saturating_sub(1))) else {
        return;
    };
    let active = root
        .owner_document()
        .and_then(|document| document.active_element());
    let at = |edge: &HtmlElement| active.as_ref() == Some(edge.as_ref());
    let to = match (event.shift_key(), at(&first), at(&last)) {
        (true, true, _) => last,
        (false, _, true) => first,
        _ => return,
    };
    event.prevent_default();
    let _ = to.focus();
}
