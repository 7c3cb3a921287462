//! A button that opens a floating panel. Escape and a press outside close it; focus returns. Arrows, Home,
//! End and typing how an entry begins move among its entries.

use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, Node};
use yew::prelude::*;

use crate::page::typeahead::{PAUSE_MS, find};

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

/// What can have the focus in the panel, top to bottom.
fn entries(panel: &HtmlElement) -> Vec<HtmlElement> {
    let Ok(list) = panel.query_selector_all("button:not([disabled]), input, select") else {
        return Vec::new();
    };
    (0..list.length())
        .filter_map(|n| list.get(n)?.dyn_into::<HtmlElement>().ok())
        .collect()
}

/// Which of them has the focus.
fn focused(entries: &[HtmlElement]) -> Option<usize> {
    let document = entries.first()?.owner_document()?;
    let active = document.active_element()?;
    entries
        .iter()
        .position(|entry| AsRef::<Element>::as_ref(entry) == &active)
}

/// What an entry says, a line for each part of it: for a checkbox that of its label.
fn text(entry: &HtmlElement) -> String {
    let whole = entry.closest(".item").ok().flatten();
    let whole = whole.unwrap_or_else(|| AsRef::<Element>::as_ref(entry).clone());
    let parts = whole.child_nodes();
    let part = |n: u32| parts.get(n)?.text_content();
    (0..parts.length())
        .filter_map(part)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether keys that make letters belong to the element itself.
fn takes_text(entry: &HtmlElement) -> bool {
    let kind = entry.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::type_);
    kind.is_some_and(|kind| kind != "checkbox" && kind != "radio")
}

/// A key in the open panel; answers whether it was used.
fn on_key(panel: &HtmlElement, typing: &mut Typing, event: &KeyboardEvent) -> bool {
    let entries = entries(panel);
    let (Some(last), at) = (entries.len().checked_sub(1), focused(&entries)) else {
        return false;
    };
    let own = event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok());
    if own.as_ref().is_some_and(|element| element.tag_name() == "SELECT") {
        return false;
    }
    let text_field = own.as_ref().is_some_and(takes_text);
    let key = event.key();
    let to = match key.as_str() {
        "ArrowDown" => Some(at.map_or(0, |at| if at == last { 0 } else { at + 1 })),
        "ArrowUp" => Some(at.map_or(last, |at| at.checked_sub(1).unwrap_or(last))),
        "Home" if !text_field => Some(0),
        "End" if !text_field => Some(last),
        _ if text_field || event.ctrl_key() || event.alt_key() || event.meta_key() => None,
        letter if letter.chars().count() == 1 => {
            let now = event.time_stamp();
            if now - typing.at > f64::from(PAUSE_MS) {
                typing.word.clear();
            }
            // A blank within a word is a letter of it; by itself it presses what has the focus.
            if letter == " " && typing.word.is_empty() {
                return false;
            }
            typing.word.push_str(letter);
            typing.at = now;
            let texts: Vec<String> = entries.iter().map(text).collect();
            match find(&texts, at, &typing.word) {
                None => return true,
                found => found,
            }
        }
        _ => None,
    };
    let Some(entry) = to.and_then(|to| entries.get(to)) else {
        return false;
    };
    let _ = entry.focus();
    true
}

/// The focus when the panel opens: what is chosen, unless a field to type in comes first.
fn first_focus(panel: &HtmlElement) {
    let entries = entries(panel);
    let chosen = entries
        .iter()
        .find(|entry| entry.get_attribute("aria-pressed").as_deref() == Some("true"));
    let first = entries
        .first()
        .filter(|first| takes_text(first) || chosen.is_none());
    if let Some(entry) = first.or(chosen) {
        let _ = entry.focus();
    }
}

/// Moves a panel that reaches over an edge of the window back into it.
fn keep_inside(panel: &HtmlElement) {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    let Some(width) = width else { return };
    let place = panel.get_bounding_client_rect();
    let over = place.right() - (width - EDGE);
    let (side, shift) = if over > 0.0 {
        ("margin-left", over.min(place.left() - EDGE))
    } else {
        ("margin-right", EDGE - place.left())
    };
    if shift > 0.0 {
        // A style that cannot be set leaves the panel where it is, to be scrolled to.
        let _ = panel.style().set_property(side, &format!("-{shift}px"));
    }
}

/// Distance that a panel keeps from the window's edges, px.
const EDGE: f64 = 8.0;

/// A word that is being typed, and when its last letter came, ms of the browser's event clock.
#[derive(Default)]
struct Typing {
    word: String,
    at: f64,
}

/// The button with its panel.
#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let open = use_state_eq(|| false);
    let anchor = use_node_ref();
    let panel = use_node_ref();
    let button = use_node_ref();
    let typing = use_mut_ref(Typing::default);

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
                    keep_inside(&panel);
                    first_focus(&panel);
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
        let typing = Rc::clone(&typing);
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
                _ => {
                    let Some(panel) = panel.cast::<HtmlElement>() else {
                        return;
                    };
                    if !on_key(&panel, &mut typing.borrow_mut(), &event) {
                        return;
                    }
                    event.prevent_default();
                }
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
