//! The energy chart with its handles: drawn and computed in `page::plot`, moved here by pointer and
//! keys (ui.md §6, §7).
//!
//! Values snap; Shift is ten times finer; Alt goes past a neighbour on purpose; Escape restores.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, SvgElement};
use yew::prelude::*;

use super::Shown;
use crate::app::picture::shapes;
use crate::app::timeline::use_size;
use crate::app::worker::protocol::ResultsView;
use crate::page::action::Action;
use crate::page::doc::Doc;
use crate::page::plot::energy::{Chart, Measure, State, rows_height};
use crate::page::plot::handles::{Drag, Handle, Held, Nudge, Part, nudged, stops, value, value_text};
use crate::page::plot::press::Press;
use crate::page::sweep::Swept;
use crate::page::view::LaneId;
use crate::units::Ns;

/// Height of the chart without its rows, where nobody says otherwise.
const HEIGHT: f64 = 232.0;

/// What the chart needs.
#[derive(Properties, PartialEq)]
pub struct ChartProps {
    /// The states with their edits, shallowest first.
    pub states: Vec<Shown>,
    /// The question, for the tick.
    pub doc: Rc<Doc>,
    /// The newest results: idle durations.
    pub results: Option<Rc<ResultsView>>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Height with its rows, px.
    #[prop_or_default]
    pub height: Option<f64>,
    /// What its height means.
    #[prop_or_default]
    pub measure: Measure,
    /// Whose idle durations stand behind the lines; the first lane there is without one.
    #[prop_or_default]
    pub lane: Option<LaneId>,
    /// Told which number is held or has the focus.
    #[prop_or_default]
    pub onpick: Callback<Swept>,
}

pub(super) fn drawn(state: &Shown) -> State {
    State {
        name: state.base.name.clone(),
        target_residency: state.target_residency(),
        exit_latency: state.exit_latency(),
        power: state.power(),
        on: state.on(),
    }
}

/// Idle durations: of a lane, else of the recording, else of the first variant there is.
pub(super) fn durations(results: Option<&ResultsView>, lane: Option<LaneId>) -> Vec<u32> {
    let of = |lane: LaneId| results?.lanes.iter().find(|summary| summary.lane == Some(lane));
    lane.and_then(of)
        .or_else(|| of(LaneId::Recorded))
        .or_else(|| of(LaneId::A))
        .or_else(|| of(LaneId::B))
        .map(|lane| lane.durations.clone())
        .unwrap_or_default()
}

/// The chart.
#[component]
pub fn EnergyChart(props: &ChartProps) -> Html {
    let root = use_node_ref();
    let (width, _) = use_size(&root);
    let before = use_state_eq(Vec::<State>::new);
    let grab = use_mut_ref(|| None::<Grab>);
    let least = HEIGHT + rows_height(props.states.len(), width);
    let chart = Chart {
        width: width.max(200.0),
        height: props.height.map_or(least, |height| height.max(least)),
        states: props.states.iter().map(drawn).collect(),
        before: (*before).clone(),
        durations: durations(props.results.as_deref(), props.lane),
        rows: true,
        measure: props.measure,
    };
    let plot = chart.plot();
    let tick = Ns::new(1_000_000_000 / i64::from(props.doc.settings.hz.max(1)));
    let names: Rc<Vec<String>> = Rc::new(props.states.iter().map(|state| state.base.name.clone()).collect());
    let point = {
        let root = root.clone();
        move |event: &PointerEvent| {
            let corner = root
                .cast::<Element>()
                .map(|element| element.get_bounding_client_rect());
            corner.map_or((0.0, 0.0), |corner| {
                (
                    f64::from(event.client_x()) - corner.left(),
                    f64::from(event.client_y()) - corner.top(),
                )
            })
        }
    };
    let onpointermove = {
        let (grab, act, names, point) = (grab.clone(), props.act.clone(), Rc::clone(&names), point.clone());
        let root = root.clone();
        Callback::from(move |event: PointerEvent| {
            let mut grab = grab.borrow_mut();
            if let Some(Grab::Press(press)) = &*grab
                && let Some(drag) = press.drag(point(&event))
            {
                focus_slider(&root, drag.handle);
                *grab = Some(Grab::Drag(drag));
            }
            let Some(Grab::Drag(drag)) = &*grab else { return };
            let held = Held {
                shift: event.shift_key(),
                alt: event.alt_key(),
            };
            let to = drag.value(point(&event), held, 1.0);
            if let Some(name) = names.get(drag.handle.state) {
                act.emit(Action::StateDragged(name.clone(), drag.handle.part.field(), to));
            }
        })
    };
    let ended = {
        let (grab, before, act) = (grab.clone(), before.setter(), props.act.clone());
        move |action: Action| {
            let dragged = grab.borrow_mut().take().is_some();
            if dragged {
                before.set(Vec::new());
                act.emit(action);
            }
            dragged
        }
    };
    let onpointerup = {
        let ended = ended.clone();
        Callback::from(move |_: PointerEvent| _ = ended(Action::DragReleased))
    };
    let onpointercancel = {
        let ended = ended.clone();
        Callback::from(move |_: PointerEvent| _ = ended(Action::DragCancelled))
    };
    let held = root.clone();
    let handle = |handle: Handle| {
        let onpress = {
            let (grab, before, chart, point) = (grab.clone(), before.setter(), chart.clone(), point.clone());
            let root = held.clone();
            Callback::from(move |event: PointerEvent| {
                event.prevent_default();
                if let Some(chart) = root.cast::<Element>() {
                    // A pointer that is gone cannot be captured; then its drag ends by itself.
                    let _ = chart.set_pointer_capture(event.pointer_id());
                }
                let press = Press::new(handle, point(&event), chart.clone(), tick);
                focus_slider(&root, press.nearest().unwrap_or(handle));
                before.set(chart.states.clone());
                *grab.borrow_mut() = Some(Grab::Press(press));
            })
        };
        let onkeydown = {
            let (act, chart, ended, names) =
                (props.act.clone(), chart.clone(), ended.clone(), Rc::clone(&names));
            Callback::from(move |event: KeyboardEvent| {
                let arrow = if event.shift_key() {
                    Nudge::Fine
                } else {
                    Nudge::Arrow
                };
                let (low, high) = stops(&chart, handle);
                let to = match event.key().as_str() {
                    "ArrowRight" | "ArrowUp" => nudged(&chart, handle, arrow, true),
                    "ArrowLeft" | "ArrowDown" => nudged(&chart, handle, arrow, false),
                    "PageUp" => nudged(&chart, handle, Nudge::Page, true),
                    "PageDown" => nudged(&chart, handle, Nudge::Page, false),
                    "Home" => low,
                    "End" => high,
                    "Escape" => {
                        if ended(Action::DragCancelled) {
                            event.stop_propagation();
                        }
                        return;
                    }
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                if let Some(name) = names.get(handle.state) {
                    act.emit(Action::StateEdited(name.clone(), handle.part.field(), to));
                }
            })
        };
        let onfocus = {
            let (onpick, names) = (props.onpick.clone(), Rc::clone(&names));
            Callback::from(move |_: FocusEvent| {
                if let Some(state) = names.get(handle.state).cloned() {
                    let field = handle.part.field();
                    onpick.emit(Swept { state, field });
                }
            })
        };
        let text = value_text(&chart, handle);
        slider(&chart, handle, text, (onpress, onkeydown, onfocus))
    };
    html! {
        <div class="energy-chart" ref={root} data-testid="energy-chart" {onpointermove} {onpointerup} {onpointercancel}>
            if width > 0.0 {
                <svg width={plot.width.to_string()} height={plot.height.to_string()} viewBox={format!("0 0 {} {}", plot.width, plot.height)} role="group" aria-label={plot.name.clone()}>
                    { shapes(&plot) }
                    { for chart.handles().into_iter().map(handle) }
                </svg>
            }
        </div>
    }
}

/// What the pointer holds.
enum Grab {
    /// Pressed, and not known yet which of several handles is meant.
    Press(Press),
    /// One of them moves.
    Drag(Drag),
}

fn testid(handle: Handle) -> String {
    let kind = match handle.part {
        Part::Residency => "residency",
        Part::ResidencyRow => "residency-row",
        Part::Latency => "exit",
        Part::Power => "power",
    };
    format!("handle-{kind}-{}", handle.state)
}

/// Keys go on where the pointer left off.
fn focus_slider(root: &NodeRef, handle: Handle) {
    let selector = format!("[data-testid={}]", testid(handle));
    let found = root
        .cast::<Element>()
        .and_then(|root| root.query_selector(&selector).ok().flatten());
    if let Some(slider) = found.and_then(|element| element.dyn_into::<SvgElement>().ok()) {
        // A slider that cannot have the focus is dragged without it.
        let _ = slider.focus();
    }
}

/// The part of a handle that takes pointer and keys, over what the chart drew.
fn slider(
    chart: &Chart,
    handle: Handle,
    text: String,
    (onpointerdown, onkeydown, onfocus): (
        Callback<PointerEvent>,
        Callback<KeyboardEvent>,
        Callback<FocusEvent>,
    ),
) -> Html {
    let (low, high) = stops(chart, handle);
    let (x, y) = (handle.x, handle.y);
    let vertical = handle.part == Part::Power;
    html! {
        <g role="slider" tabindex="0" class={classes!(vertical.then_some("vertical"))} aria-label={text.clone()} aria-valuetext={text.clone()}
            aria-orientation={if vertical { "vertical" } else { "horizontal" }}
            aria-valuenow={value(chart, handle).unwrap_or(0).to_string()} aria-valuemin={low.to_string()} aria-valuemax={high.to_string()}
            data-testid={testid(handle)} {onpointerdown} {onkeydown} {onfocus}>
            <title>{ text }</title>
            <rect class="reach" x={(x - 22.0).to_string()} y={(y - 22.0).to_string()} width="44" height="44" fill="transparent" />
            <rect x={(x - 9.0).to_string()} y={(y - 9.0).to_string()} width="18" height="18" rx="9" fill="transparent" />
            <circle class="ring" cx={x.to_string()} cy={y.to_string()} r="8.5" fill="none" stroke="transparent" stroke-width="2" />
        </g>
    }
}
