//! The sheet that holds the decision on narrow windows: dragged by its bar or its header, 20 to 85 per cent of the
//! height (ui.md §3, §13). A finger that swipes across the sheet turns to the next decision or the one before.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document_element;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, PointerEvent};
use yew::prelude::*;

use crate::page::touch::{Turn, turn};

/// Least, usual and greatest height, per cent.
const RANGE: (f64, f64, f64) = (20.0, 44.0, 85.0);

fn show(percent: f64) {
    let root = document_element().unchecked_into::<HtmlElement>();
    // A style that cannot be set leaves the sheet as it was.
    let _ = root.style().set_property("--sheet", &format!("{percent:.1}%"));
}

/// Pointer, and two numbers from when it went down: place and height, or place across and along.
type Grab = (i32, f64, f64);

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub struct SheetGrabProps {
    /// A finger swiped across the sheet.
    pub onturn: Callback<Turn>,
}

/// The bar. It also makes the header after it draggable, and hears fingers that swipe across the sheet.
#[component]
pub fn SheetGrab(props: &SheetGrabProps) -> Html {
    let bar = use_node_ref();
    let height = use_state_eq(|| RANGE.1);
    let latest = use_mut_ref(|| RANGE.1);
    *latest.borrow_mut() = *height;
    let set = {
        let height = height.setter();
        Callback::from(move |to: f64| {
            let to = to.clamp(RANGE.0, RANGE.2);
            height.set(to);
            show(to);
        })
    };
    {
        let (bar, set) = (bar.clone(), set.clone());
        let turn = use_mut_ref(|| props.onturn.clone());
        turn.borrow_mut().clone_from(&props.onturn);
        use_effect_with((), move |()| {
            let sheet = bar.cast::<Element>().and_then(|bar| bar.parent_element());
            let listeners = sheet.map(|sheet| {
                let turned = move |to| {
                    let turn = turn.borrow().clone();
                    turn.emit(to);
                };
                (drags(&sheet, latest, set), swipes(&sheet, turned))
            });
            move || drop(listeners)
        });
    }
    let onkeydown = {
        let now = *height;
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowUp" => now + 5.0,
                "ArrowDown" => now - 5.0,
                "Home" => RANGE.0,
                "End" => RANGE.2,
                "Enter" if now > RANGE.0 => RANGE.0,
                "Enter" => RANGE.1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            set.emit(to);
        })
    };
    html! {
        <div ref={bar} class="sheet-grab" role="separator" tabindex="0" aria-orientation="horizontal" aria-label="Height of the decision, per cent"
            aria-valuenow={format!("{:.0}", *height)} aria-valuemin={RANGE.0.to_string()} aria-valuemax={RANGE.2.to_string()}
            data-testid="sheet-grab" {onkeydown}><span></span></div>
    }
}

/// Hears a finger that swipes. One that scrolls is cancelled by the browser, a second one makes it no swipe.
fn swipes(sheet: &Element, turned: impl Fn(Turn) + 'static) -> [EventListener; 3] {
    let finger = std::rc::Rc::new(std::cell::Cell::new(None::<Grab>));
    let at = |event: &PointerEvent| (f64::from(event.client_x()), f64::from(event.client_y()));
    let down = {
        let finger = finger.clone();
        EventListener::new(sheet, "pointerdown", move |event| {
            let touch = event
                .dyn_ref::<PointerEvent>()
                .filter(|event| event.pointer_type() == "touch");
            finger.set(touch.filter(|event| event.is_primary()).map(|event| {
                let (x, y) = at(event);
                (event.pointer_id(), x, y)
            }));
        })
    };
    let gone = {
        let finger = finger.clone();
        EventListener::new(sheet, "pointercancel", move |_| finger.set(None))
    };
    let up = EventListener::new(sheet, "pointerup", move |event| {
        let Some(event) = event.dyn_ref::<PointerEvent>() else {
            return;
        };
        let Some((_, x, y)) = finger.take().filter(|(id, ..)| *id == event.pointer_id()) else {
            return;
        };
        let now = at(event);
        if let Some(turn) = turn(now.0 - x, now.1 - y) {
            turned(turn);
        }
    });
    [down, gone, up]
}

/// Follows a pointer that went down on the bar or the header of the sheet. A press on a button stays a press.
fn drags(
    sheet: &Element,
    height: std::rc::Rc<std::cell::RefCell<f64>>,
    set: Callback<f64>,
) -> [EventListener; 3] {
    let grab = std::rc::Rc::new(std::cell::Cell::new(None::<Grab>));
    let options = EventListenerOptions::enable_prevent_default();
    let down = {
        let (grab, owner) = (grab.clone(), sheet.clone());
        EventListener::new(sheet, "pointerdown", move |event| {
            let Some(event) = event.dyn_ref::<PointerEvent>() else {
                return;
            };
            // On wide windows there is no sheet and no bar.
            let bar = owner.query_selector(".sheet-grab").ok().flatten();
            let is_sheet = bar.is_some_and(|bar| bar.client_height() > 0);
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok());
            let on = |selector: &str| {
                let found = target.as_ref().map(|target| target.closest(selector));
                found.is_some_and(|found| found.ok().flatten().is_some())
            };
            if is_sheet && on(".sheet-grab, .inspector-head") && !on("button") {
                // At once: the bar is the sheet's edge, so the first move upward already leaves it. A pointer that is
                // gone cannot be captured; then its drag ends by itself.
                let _ = owner.set_pointer_capture(event.pointer_id());
                grab.set(Some((
                    event.pointer_id(),
                    f64::from(event.client_y()),
                    *height.borrow(),
                )));
            }
        })
    };
    let moved = {
        let (grab, owner) = (grab.clone(), sheet.clone());
        EventListener::new_with_options(sheet, "pointermove", options, move |event| {
            let Some(event) = event.dyn_ref::<PointerEvent>() else {
                return;
            };
            let Some((_, from, before)) = grab.get().filter(|(id, ..)| *id == event.pointer_id()) else {
                return;
            };
            let by = from - f64::from(event.client_y());
            let room = owner
                .parent_element()
                .map_or(0.0, |parent| f64::from(parent.client_height()));
            if room > 0.0 {
                event.prevent_default();
                set.emit(before + by / room * 100.0);
            }
        })
    };
    let up = EventListener::new(sheet, "pointerup", move |_| grab.set(None));
    [down, moved, up]
}
