//! What pointer and wheel do: drag pans, Shift drag marks a range, a drag on the ruler zooms,
//! a press selects, a double press fits, Ctrl and wheel or two fingers zoom, Shift and wheel pan, a
//! plain wheel or two fingers up and down scroll the CPUs, a long press shows the hover card.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, WheelEvent};
use yew::prelude::*;

use super::{Frame, TimelineProps};
use crate::app::browser::Later;
use crate::app::engine::Engine;
use crate::app::findings::News;
use crate::app::worker::protocol::Request;
use crate::page::action::Action;
use crate::page::plot::timeline::{RULER, Scale};
use crate::page::view::{LaneId, Window};

/// A pointer that moved less than this has pressed, not dragged.
const SLOP: f64 = 4.0;

/// A finger that rests this long asks for the hover card, ms.
const LONG_MS: i32 = 350;

/// What components get.
pub struct Gestures {
    /// A pointer came down.
    pub down: Callback<PointerEvent>,
    /// It moved.
    pub move_: Callback<PointerEvent>,
    /// It went up.
    pub up: Callback<PointerEvent>,
    /// It left.
    pub leave: Callback<PointerEvent>,
    /// A double press.
    pub double: Callback<MouseEvent>,
    /// Where the pointer hovers.
    pub hovering: Option<(f64, f64)>,
    /// A drag is going on.
    pub dragging: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Pan,
    Range,
    Ruler,
}

#[derive(Clone, Copy)]
struct Drag {
    kind: Kind,
    from: (f64, f64),
    window: Window,
    moved: bool,
}

#[derive(Default)]
struct State {
    drag: Option<Drag>,
    /// Pointers that are down: id and place.
    down: Vec<(i32, f64, f64)>,
    pinch: Option<Pinch>,
    /// Runs while a finger rests.
    rest: Option<Later>,
    /// The finger has rested: lifting it is no press.
    rested: bool,
}

/// Two fingers as they came down.
#[derive(Clone, Copy)]
struct Pinch {
    /// Their distance, at least 8 px.
    apart: f64,
    /// The point between them.
    middle: (f64, f64),
    /// What was shown.
    scale: Scale,
    scroll: f64,
}

impl Pinch {
    /// None unless exactly two fingers are down.
    fn of(down: &[(i32, f64, f64)], frame: &Frame) -> Option<Self> {
        let [one, other] = down else { return None };
        Some(Self {
            apart: (one.1 - other.1).abs().max(8.0),
            middle: ((one.1 + other.1) / 2.0, (one.2 + other.2) / 2.0),
            scale: frame.scale,
            scroll: frame.scroll,
        })
    }

    /// What is shown after the fingers moved to `now`: what was between them still is.
    fn moved(&self, now: &Self, whole: Window) -> (Window, f64) {
        let pivot = self.scale.time(self.middle.0);
        let zoomed = self.scale.window.zoomed(pivot, self.apart / now.apart, whole);
        let scale = Scale {
            window: zoomed,
            ..self.scale
        };
        let by = scale.distance(self.middle.0 - now.middle.0);
        (
            zoomed.panned(by, whole),
            self.scroll + self.middle.1 - now.middle.1,
        )
    }
}

fn is_touch(event: &PointerEvent) -> bool {
    event.pointer_type() == "touch"
}

fn place(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

/// The gestures of one timeline.
#[hook]
pub fn use_gestures(
    props: &TimelineProps,
    frame: &Frame,
    root: &NodeRef,
    scroll: UseStateSetter<f64>,
) -> Gestures {
    let state = use_mut_ref(State::default);
    let hovering = use_state_eq(|| None::<(f64, f64)>);
    let dragging = use_state_eq(|| false);
    let latest = use_mut_ref(|| frame.clone());
    latest.borrow_mut().clone_from(frame);
    use_wheel(root, &latest, &props.act, scroll.clone());

    let down = {
        let (state, latest, root) = (state.clone(), latest.clone(), root.clone());
        let (set_hover, engine) = (hovering.setter(), props.engine.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            let lanes = root
                .cast::<Element>()
                .and_then(|root| root.query_selector(".application").ok().flatten());
            if let Some(lanes) = lanes {
                // A pointer that is gone cannot be captured; then its drag ends by itself.
                let _ = lanes.set_pointer_capture(event.pointer_id());
            }
            let at = place(&event);
            let window = latest.borrow().scale.window;
            let resting = Rc::clone(&state);
            let mut state = state.borrow_mut();
            state.down.push((event.pointer_id(), at.0, at.1));
            state.rest = None;
            state.rested = false;
            state.pinch = Pinch::of(&state.down, &latest.borrow());
            if state.pinch.is_some() {
                state.drag = None;
                return;
            }
            if is_touch(&event) {
                set_hover.set(None);
                let (set_hover, engine, latest) = (set_hover.clone(), engine.clone(), latest.clone());
                state.rest = Later::new(LONG_MS, move || {
                    let mut state = resting.borrow_mut();
                    let rests = state.drag.take_if(|drag| !drag.moved).is_some();
                    state.rested = rests;
                    if rests {
                        set_hover.set(Some(at));
                        hover(&engine, &latest.borrow(), at);
                    }
                });
            }
            let kind = if event.shift_key() {
                Kind::Range
            } else if at.1 < RULER {
                Kind::Ruler
            } else {
                Kind::Pan
            };
            state.drag = Some(Drag {
                kind,
                from: at,
                window,
                moved: false,
            });
        })
    };
    {
        // What the card was about has gone from under a pointer that rests.
        let set = hovering.setter();
        use_effect_with(frame.scale.window, move |_| set.set(None));
    }
    let move_ = {
        let (state, latest, act) = (state.clone(), latest.clone(), props.act.clone());
        let (set_hover, set_drag, engine) = (hovering.setter(), dragging.setter(), props.engine.clone());
        Callback::from(move |event: PointerEvent| {
            let at = place(&event);
            let frame = latest.borrow().clone();
            let mut state = state.borrow_mut();
            if let Some(pointer) = state.down.iter_mut().find(|(id, ..)| *id == event.pointer_id()) {
                (pointer.1, pointer.2) = at;
            }
            if let (Some(pinch), Some(now)) = (state.pinch, Pinch::of(&state.down, &frame)) {
                let (window, to) = pinch.moved(&now, frame.whole);
                act.emit(Action::WindowMoved(Some(window)));
                scroll.set(to.clamp(0.0, frame.most_scroll()));
                return;
            }
            let Some(drag) = &mut state.drag else {
                // A finger shows the card by resting.
                if is_touch(&event) {
                    return;
                }
                set_hover.set(Some(at));
                hover(&engine, &frame, at);
                return;
            };
            if !drag.moved && (at.0 - drag.from.0).abs() < SLOP && (at.1 - drag.from.1).abs() < SLOP {
                return;
            }
            drag.moved = true;
            set_hover.set(None);
            set_drag.set(true);
            match drag.kind {
                Kind::Pan => {
                    let scale = Scale {
                        window: drag.window,
                        ..frame.scale
                    };
                    let by = scale.distance(drag.from.0 - at.0);
                    act.emit(Action::WindowMoved(Some(drag.window.panned(by, frame.whole))));
                }
                Kind::Range => {
                    let range = frame.stretch(drag.from.0, at.0);
                    act.emit(Action::RangeChosen(Some(range)));
                }
                // Shown when released.
                Kind::Ruler => {}
            }
        })
    };
    let up = {
        let (latest, act) = (latest.clone(), props.act.clone());
        let (set_drag, engine) = (dragging.setter(), props.engine.clone());
        Callback::from(move |event: PointerEvent| {
            let at = place(&event);
            let frame = latest.borrow().clone();
            let mut state = state.borrow_mut();
            state.down.retain(|(id, ..)| *id != event.pointer_id());
            state.rest = None;
            if state.down.len() < 2 {
                state.pinch = None;
            }
            set_drag.set(false);
            let Some(drag) = state.drag.take() else { return };
            if event.type_() == "pointercancel" {
                return;
            }
            if drag.moved {
                if drag.kind == Kind::Ruler {
                    let to = frame.stretch(drag.from.0, at.0);
                    act.emit(Action::WindowMoved(Some(to)));
                }
                return;
            }
            press(&engine, &act, &frame, at);
        })
    };
    let leave = {
        let (set, news) = (hovering.setter(), props.engine.news.clone());
        Callback::from(move |event: PointerEvent| {
            // A finger that is lifted leaves; its card stays until the next touch.
            if is_touch(&event) {
                return;
            }
            set.set(None);
            news.emit(News::HoverEnded);
        })
    };
    let double = {
        let act = props.act.clone();
        let latest = latest.clone();
        Callback::from(move |event: MouseEvent| {
            if place(&event).1 < RULER {
                act.emit(Action::WindowMoved(None));
                return;
            }
            // The first press has selected what lies here.
            if place(&event).0 >= latest.borrow().scale.left {
                act.emit(Action::FitAsked);
            }
        })
    };
    Gestures {
        down,
        move_,
        up,
        leave,
        double,
        hovering: *hovering,
        dragging: *dragging,
    }
}

/// A press: on the labels it focuses or pins the CPU, on the ruler it moves the cursor, on a lane it
/// selects the decision.
fn press(engine: &Engine, act: &Callback<Action>, frame: &Frame, (x, y): (f64, f64)) {
    let at = frame.scale.time(x).clamp(frame.whole.from(), frame.whole.to());
    if y < RULER {
        act.emit(Action::CursorMoved(at));
        return;
    }
    let Some((cpu, lane)) = frame.layout.at(y - RULER + frame.scroll) else {
        return;
    };
    if x < frame.scale.left {
        if cpu == frame.cpu {
            act.emit(Action::CpuPinned(cpu));
        } else {
            act.emit(Action::CpuFocused(cpu));
        }
        return;
    }
    // The ideal has no decisions: its block is a variant's idle time.
    let lane = match frame.lanes.as_slice() {
        [LaneId::Ideal, variant, ..] if lane == LaneId::Ideal => *variant,
        _ => lane,
    };
    engine.ask.emit(Box::new(move |ticket| Request::At {
        ticket,
        lane,
        cpu,
        at,
        hover: false,
    }));
}

fn hover(engine: &Engine, frame: &Frame, (x, y): (f64, f64)) {
    let under = (y >= RULER && x >= frame.scale.left)
        .then(|| frame.layout.at(y - RULER + frame.scroll))
        .flatten();
    let Some((cpu, lane)) = under.filter(|_| engine.findings.facts.is_some()) else {
        engine.news.emit(News::HoverEnded);
        return;
    };
    let at = frame.scale.time(x);
    engine.ask.emit(Box::new(move |ticket| Request::At {
        ticket,
        lane,
        cpu,
        at,
        hover: true,
    }));
}

/// The wheel needs a listener that may prevent the page's own zoom, which Yew's are not.
#[hook]
fn use_wheel(
    root: &NodeRef,
    latest: &Rc<RefCell<Frame>>,
    act: &Callback<Action>,
    scroll: UseStateSetter<f64>,
) {
    let (root, latest, act) = (root.clone(), Rc::clone(latest), act.clone());
    use_effect_with((), move |()| {
        let listener = root.cast::<Element>().map(|element| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&element, "wheel", options, move |event| {
                let Some(event) = event.dyn_ref::<WheelEvent>() else {
                    return;
                };
                event.prevent_default();
                let frame = latest.borrow().clone();
                let unit = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE {
                    16.0
                } else {
                    1.0
                };
                let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
                if event.ctrl_key() || event.meta_key() {
                    let factor = (dy / 240.0).clamp(-1.0, 1.0).exp2();
                    let pivot = frame.scale.time(f64::from(event.offset_x()));
                    let window = frame.scale.window.zoomed(pivot, factor, frame.whole);
                    act.emit(Action::WindowMoved(Some(window)));
                } else if event.shift_key() || dx.abs() > dy.abs() {
                    let by = frame.scale.distance(if dx.abs() > dy.abs() { dx } else { dy });
                    act.emit(Action::WindowMoved(Some(
                        frame.scale.window.panned(by, frame.whole),
                    )));
                } else {
                    scroll.set((frame.scroll + dy).clamp(0.0, frame.most_scroll()));
                }
            })
        });
        move || drop(listener)
    });
}
