//! A step that the pointer is on or that has the focus lights up what it speaks of (ui.md §8): bins, dots, chips and
//! estimates in the drawings, rows of the table of states.
//!
//! Steps carry `data-about`, what can be lit carries `data-part`; a drawing carries `data-lanes`, so that a step of A
//! alone lights nothing in the drawing of B. Classes are set on the document itself: the drawings came as text.

use gloo::utils::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The listeners of a list of steps.
#[derive(Clone, PartialEq)]
pub struct Lights {
    /// The pointer is on something else of the list.
    pub onpointerover: Callback<PointerEvent>,
    /// The pointer left the list.
    pub onpointerleave: Callback<PointerEvent>,
    /// Something of the list has the focus.
    pub onfocusin: Callback<FocusEvent>,
    /// Nothing of the list has it any more.
    pub onfocusout: Callback<FocusEvent>,
    /// Arrows go from step to step.
    pub onkeydown: Callback<KeyboardEvent>,
}

/// Listeners that light up and put out.
pub fn lights() -> Lights {
    Lights {
        onpointerover: Callback::from(|event: PointerEvent| light(&event)),
        onpointerleave: Callback::from(|_: PointerEvent| put_out()),
        onfocusin: Callback::from(|event: FocusEvent| light(&event)),
        onfocusout: Callback::from(|_: FocusEvent| put_out()),
        onkeydown: Callback::from(|event: KeyboardEvent| walk(&event)),
    }
}

fn element(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn all(selector: &str) -> Vec<Element> {
    let Ok(list) = document().query_selector_all(selector) else {
        return Vec::new();
    };
    (0..list.length())
        .filter_map(|n| list.get(n)?.dyn_into().ok())
        .collect()
}

fn put_out() {
    for lit in all(".lit, .lights") {
        // A class that cannot be taken away stays until the next drawing.
        let _ = lit.class_list().remove_2("lit", "lights");
    }
}

fn light(event: &Event) {
    put_out();
    let step = element(event).and_then(|element| element.closest("[data-about]").ok().flatten());
    let Some(step) = step else { return };
    let side = step.get_attribute("data-side").unwrap_or_default();
    let about = step.get_attribute("data-about").unwrap_or_default();
    for part in about.split_whitespace() {
        // Names are ours: letters, digits and hyphens.
        for lit in all(&format!("[data-part=\"{part}\"]")) {
            let figure = lit.closest("[data-lanes]").ok().flatten();
            let lanes = figure
                .as_ref()
                .and_then(|figure| figure.get_attribute("data-lanes"));
            if lanes.is_some_and(|lanes| !side.is_empty() && !lanes.contains(&side)) {
                continue;
            }
            let _ = lit.class_list().add_1("lit");
            if let Some(figure) = figure {
                let _ = figure.class_list().add_1("lights");
            }
        }
    }
}

/// Up and down among the steps; the list is one stop of the Tab key.
fn walk(event: &KeyboardEvent) {
    let Some(step) = element(event).filter(|element| element.matches("li[data-about]").unwrap_or(false))
    else {
        return;
    };
    let mut next = Some(step);
    loop {
        next = next.and_then(|step| match event.key().as_str() {
            "ArrowDown" => step.next_element_sibling(),
            "ArrowUp" => step.previous_element_sibling(),
            _ => None,
        });
        let Some(found) = next.clone() else { return };
        if found.has_attribute("data-about") {
            event.prevent_default();
            event.stop_propagation();
            if let Ok(found) = found.dyn_into::<HtmlElement>() {
                // A step that cannot have the focus lights nothing.
                let _ = found.focus();
            }
            return;
        }
    }
}
