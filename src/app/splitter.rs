//! A line that changes the size of a panel: drag it, or use the arrows (ui.md §3).

use gloo::utils::{document_element, window};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Which size a line changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The right edge of the left panel.
    Left,
    /// The left edge of the right panel.
    Right,
    /// The top edge of the results.
    Results,
}

impl Edge {
    const fn property(self) -> &'static str {
        match self {
            Self::Left => "--size-left",
            Self::Right => "--size-right",
            Self::Results => "--size-results",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Left => "Width of the idle states",
            Self::Right => "Width of the decision",
            Self::Results => "Height of the results",
        }
    }

    const fn range(self) -> (i32, i32, i32) {
        match self {
            Self::Left => (240, 288, 560),
            Self::Right => (320, 392, 760),
            Self::Results => (30, 244, 640),
        }
    }

    /// Which way the pointer grows the panel.
    const fn direction(self) -> i32 {
        match self {
            Self::Left => 1,
            Self::Right | Self::Results => -1,
        }
    }

    fn stored(self) -> Option<i32> {
        let storage = window().local_storage().ok().flatten()?;
        storage.get_item(self.property()).ok().flatten()?.parse().ok()
    }
}

/// What the style sheet reads of a size; without one it decides by itself.
fn properties(edge: Edge, size: i32) -> Vec<(&'static str, String)> {
    match edge {
        Edge::Left | Edge::Right => vec![(edge.property(), format!("{size}px"))],
        // Where a height was chosen, the timeline has the rest, and never less than a CPU needs.
        Edge::Results => vec![
            ("--row-results", format!("minmax(30px, {size}px)")),
            ("--row-timeline", "minmax(180px, 1fr)".to_owned()),
        ],
    }
}

fn show(edge: Edge, size: Option<i32>) {
    let root = document_element().unchecked_into::<HtmlElement>();
    let storage = window().local_storage().ok().flatten();
    for (property, value) in properties(edge, size.unwrap_or_default()) {
        let _ = match size {
            Some(_) => root.style().set_property(property, &value),
            None => root.style().remove_property(property).map(|_| ()),
        };
    }
    // Storage may be forbidden; then the size lasts for this visit.
    let _ = match size {
        Some(size) => storage.map(|storage| storage.set_item(edge.property(), &size.to_string())),
        None => storage.map(|storage| storage.remove_item(edge.property())),
    };
}

/// What the line needs.
#[derive(Properties, PartialEq)]
pub struct SplitterProps {
    /// Which size it changes.
    pub edge: Edge,
}

/// The line.
#[component]
pub fn Splitter(props: &SplitterProps) -> Html {
    let edge = props.edge;
    let (min, normal, max) = edge.range();
    let size = use_state_eq(|| edge.stored().map_or(normal, |size| size.clamp(min, max)));
    let grab = use_mut_ref(|| None::<(i32, i32)>);
    let line = use_node_ref();
    use_effect_with((), move |()| {
        if let Some(size) = edge.stored() {
            show(edge, Some(size.clamp(min, max)));
        }
    });
    let set = {
        let size = size.setter();
        Callback::from(move |to: i32| {
            let to = to.clamp(min, max);
            size.set(to);
            show(edge, Some(to));
        })
    };
    let place = move |event: &PointerEvent| match edge {
        Edge::Results => event.client_y(),
        Edge::Left | Edge::Right => event.client_x(),
    };
    // What nobody chose follows from the window and from what has content.
    let measured = {
        let line = line.clone();
        move || {
            let panel = line.cast::<Element>().and_then(|line| line.parent_element());
            panel.map_or(normal, |panel| match edge {
                Edge::Results => panel.client_height(),
                Edge::Left | Edge::Right => panel.client_width(),
            })
        }
    };
    let onfocus = {
        let (size, measured) = (size.setter(), measured.clone());
        Callback::from(move |_: FocusEvent| size.set(measured()))
    };
    let onpointerdown = {
        let (grab, measured) = (grab.clone(), measured.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(element) = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok())
            {
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            *grab.borrow_mut() = Some((place(&event), measured()));
        })
    };
    let onpointermove = {
        let (grab, set) = (grab.clone(), set.clone());
        Callback::from(move |event: PointerEvent| {
            let from = *grab.borrow();
            if let Some((at, size)) = from {
                set.emit(size + edge.direction() * (place(&event) - at));
            }
        })
    };
    let release = Callback::from(move |_: PointerEvent| *grab.borrow_mut() = None);
    let reset = {
        let size = size.setter();
        move || {
            size.set(normal);
            show(edge, None);
        }
    };
    let ondblclick = {
        let reset = reset.clone();
        Callback::from(move |_: MouseEvent| reset())
    };
    let onkeydown = {
        Callback::from(move |event: KeyboardEvent| {
            let now = measured();
            let step = if event.shift_key() { 40 } else { 8 };
            let to = match event.key().as_str() {
                "ArrowLeft" | "ArrowUp" => now - step * edge.direction(),
                "ArrowRight" | "ArrowDown" => now + step * edge.direction(),
                "Enter" if now > min => min,
                "Enter" => {
                    event.prevent_default();
                    reset();
                    return;
                }
                "Home" => min,
                "End" => max,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            set.emit(to);
        })
    };
    let flat = edge == Edge::Results;
    let style = match edge {
        Edge::Left => "right: -5px",
        Edge::Right => "left: -5px",
        Edge::Results => "top: -5px",
    };
    html! {
        <div ref={line} class={classes!("splitter", if flat { "flat" } else { "tall" })} {style} role="separator" tabindex="0" aria-label={edge.name()}
            aria-orientation={if flat { "horizontal" } else { "vertical" }}
            aria-valuenow={size.to_string()} aria-valuemin={min.to_string()} aria-valuemax={max.to_string()}
            {onfocus} {onpointerdown} {onpointermove} onpointerup={release.clone()} onpointercancel={release} {ondblclick} {onkeydown}></div>
    }
}
