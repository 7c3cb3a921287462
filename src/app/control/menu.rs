//! A button that opens a floating panel. Escape and a press outside close it; focus returns.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};
use yew::prelude::*;

/// What the menu shows.
#[derive(Properties, PartialEq)]
pub struct MenuProps {
    /// What the button shows.
    pub face: Html,
    /// The button's name when its face does not say it all.
    #[prop_or_default]
    pub name: Option<AttrValue>,
    /// Classes of the button; `btn` unless told otherwise.
    #[prop_or(classes!("btn"))]
    pub class: Classes,
    /// Opens to the left instead of to the right.
    #[prop_or_default]
    pub right: bool,
    /// Stays open while things inside are used.
    #[prop_or_default]
    pub stays: bool,
    /// Closes the panel whenever it changes.
    #[prop_or_default]
    pub closed: u32,
    /// Tells whoever fills the panel that it opened or closed.
    #[prop_or_default]
    pub ontoggle: Callback<bool>,
    /// More classes of the anchor around both.
    #[prop_or_default]
    pub anchor: Classes,
    /// Name for end-to-end tests.
    #[prop_or_default]
    pub testid: Option<AttrValue>,
    /// The panel.
    pub children: Children,
}

/// Moves the focus among the focusable things of the panel.
fn step_focus(panel: &HtmlElement, by: i32) {
    let Ok(list) = panel.query_selector_all("button:not([disabled]), input, select") else {
        return;
    };
    let active = panel
        .owner_document()
        .and_then(|document| document.active_element());
    let count = i32::try_from(list.length()).unwrap_or(0);
    if count == 0 {
        return;
    }
    let at = (0..count).find(|n| {
        let node = u32::try_from(*n).ok().and_then(|n| list.get(n));
        node.as_ref() == active.as_ref().map(AsRef::<Node>::as_ref)
    });
    let to = at.map_or(0, |at| (at + by).rem_euclid(count));
    if let Some(element) = u32::try_from(to)
        .ok()
        .and_then(|to| list.get(to))
        .and_then(|node| node.dyn_into::<HtmlElement>().ok())
    {
        let _ = element.focus();
    }
}

/// The button with its panel.
#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let open = use_state_eq(|| false);
    let anchor = use_node_ref();
    let panel = use_node_ref();
    let button = use_node_ref();

    let set = {
        let (open, ontoggle) = (open.setter(), props.ontoggle.clone());
        Callback::from(move |to: bool| {
            open.set(to);
            ontoggle.emit(to);
        })
    };
    {
        let (anchor, panel, set) = (anchor.clone(), panel.clone(), set.clone());
        use_effect_with(*open, move |open| {
            let outside = open.then(|| {
                if let Some(panel) = panel.cast::<HtmlElement>() {
                    step_focus(&panel, 0);
                }
                let document = web_sys::window().and_then(|window| window.document());
                document.map(|document| {
                    EventListener::new(&document, "pointerdown", move |event| {
                        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
                        let inside = anchor
                            .cast::<Node>()
                            .is_some_and(|anchor| anchor.contains(target.as_ref()));
                        if !inside {
                            set.emit(false);
                        }
                    })
                })
            });
            move || drop(outside)
        });
    }
    {
        let (open, set, button) = (*open, set.clone(), button.clone());
        use_effect_with(props.closed, move |_| {
            if open {
                set.emit(false);
                if let Some(button) = button.cast::<HtmlElement>() {
                    let _ = button.focus();
                }
            }
        });
    }
    let onclick = {
        let (set, open) = (set.clone(), *open);
        Callback::from(move |_: MouseEvent| set.emit(!open))
    };
    let onkeydown = {
        let (set, panel, button, open) = (set.clone(), panel.clone(), button.clone(), *open);
        Callback::from(move |event: KeyboardEvent| {
            if !open {
                return;
            }
            match event.key().as_str() {
                "Escape" => {
                    set.emit(false);
                    if let Some(button) = button.cast::<HtmlElement>() {
                        let _ = button.focus();
                    }
                }
                "ArrowDown" | "ArrowUp" => {
                    let radio = event
                        .target()
                        .and_then(|target| target.dyn_into::<HtmlElement>().ok())
                        .is_some_and(|element| element.tag_name() == "SELECT");
                    if radio {
                        return;
                    }
                    if let Some(panel) = panel.cast::<HtmlElement>() {
                        step_focus(&panel, if event.key() == "ArrowDown" { 1 } else { -1 });
                    }
                    event.prevent_default();
                }
                _ => return,
            }
            event.stop_propagation();
        })
    };
    let onpanel = {
        let (set, stays) = (set, props.stays);
        Callback::from(move |event: MouseEvent| {
            let item = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
                .and_then(|element| element.closest("button.item").ok().flatten());
            if item.is_some() && !stays {
                set.emit(false);
            }
        })
    };
    html! {
        <div ref={anchor} class={classes!("menu-anchor", props.anchor.clone())} {onkeydown}>
            <button
                ref={button}
                type="button"
                class={props.class.clone()}
                aria-haspopup="true"
                aria-expanded={if *open { "true" } else { "false" }}
                aria-label={props.name.clone()}
                title={props.name.clone()}
                data-testid={props.testid.clone()}
                {onclick}
            >{ props.face.clone() }</button>
            if *open {
                <div ref={panel} class={classes!("menu", props.right.then_some("right"))} onclick={onpanel}>
                    { for props.children.iter() }
                </div>
            }
        </div>
    }
}
