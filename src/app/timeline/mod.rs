//! The timeline: canvas, gestures, hover card. One tab stop; the canvas itself is hidden from
//! assistive technology, which gets the name of the selection and the table of decisions.

mod bar;
mod brush;
mod gesture;
mod inks;
mod overview;
mod size;
mod table;

use std::rc::Rc;

use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ImageData};
use yew::prelude::*;

pub use bar::{LaneBar, lane_entries};
pub use overview::OverviewStrip;
pub use size::use_size;
pub use table::DecisionTable;

use crate::app::browser;
use crate::app::engine::Engine;
use crate::app::keys::Command;
use crate::app::pilot;
use crate::app::worker::protocol::Request;
use crate::page::action::Action;
use crate::page::extras::Extra;
use crate::page::plot::timeline::{Contents, CpuStates, Layout, Palette, RULER, Scale, Scene, Sent};
use crate::page::view::{LaneId, View, Window};
use crate::units::{CpuId, Ns, Time};

use brush::Brush;
use inks::Inks;

/// Height of an embedded timeline below which it shows one CPU, px.
const SMALL_EMBED: f64 = 360.0;

/// Width of the labels left of the plot.
const GUTTER: f64 = 88.0;
/// Width of the labels in the narrow layout.
const GUTTER_PHONE: f64 = 56.0;
/// Free space right of the plot.
const MARGIN: f64 = 8.0;
/// Every CPU is expanded, if all of them fit, from this width of the timeline on.
const ROOMY: f64 = 1_400.0;
/// And from this width of the page on, where the results stand beside the timeline.
const ROOMY_PAGE: &str = "(min-width: 2560px)";

/// What the timeline needs.
#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// The states of the CPUs.
    pub tables: Rc<Vec<CpuStates>>,
    /// The connection to the worker.
    pub engine: Engine,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Takes commands.
    pub command: Callback<Command>,
    /// Tick period, ns.
    pub tick: Ns,
    /// How far a run is, 0 to 1, while it is under way.
    pub running: Option<f64>,
    /// Nothing runs before the trace of the link is there.
    pub waits: bool,
}

/// Everything that follows from size and state, for one frame.
#[derive(Clone, PartialEq)]
pub struct Frame {
    width: f64,
    height: f64,
    scroll: f64,
    layout: Rc<Layout>,
    scale: Scale,
    whole: Window,
    cpu: CpuId,
    lanes: Vec<LaneId>,
    extras: Vec<Extra>,
    /// The height in which nothing has to be squeezed or scrolled, px; none before there are lanes.
    wanted: Option<f64>,
}

impl Frame {
    fn new(props: &TimelineProps, (width, height): (f64, f64), scroll: f64) -> Self {
        let facts = props.engine.findings.facts.as_ref();
        let cpus: &[CpuId] = facts.map_or(&[], |facts| &facts.cpus);
        let phone = width < 520.0;
        let gutter = if phone { GUTTER_PHONE } else { GUTTER };
        let there = |lane: &LaneId| facts.is_some_and(|facts| facts.lanes.contains(lane));
        let decided = LaneId::ALL.into_iter().filter(there);
        let decided = decided.filter(|lane| props.view.shows(*lane));
        // The reference of a workload without a recording.
        let ideal = facts.is_some() && !there(&LaneId::Recorded) && props.view.extras.shows(Extra::Ideal);
        let lanes: Vec<LaneId> = ideal
            .then_some(LaneId::Ideal)
            .into_iter()
            .chain(decided)
            .collect();
        let cpu = pilot::focused_cpu(&props.view, cpus);
        // A small frame in somebody's text has room for the one CPU it is about.
        let own = [cpu];
        let cpus = if props.view.embed && height < SMALL_EMBED && !cpus.is_empty() {
            &own
        } else {
            cpus
        };
        let mut open = props.view.open_cpus.clone();
        open.push(cpu);
        let mut extras = props.view.extras.strips();
        // Kept for the next visit, but of no use where the clock stands still.
        extras.retain(|extra| *extra != Extra::Frequency || facts.is_some_and(|facts| facts.clock_changes));
        let contents = Contents {
            cpus,
            open: &open,
            lanes: &lanes,
            extras: &extras,
            phone,
        };
        let roomy = width >= ROOMY || browser::matches_media(ROOMY_PAGE);
        let layout = if roomy {
            Layout::filling(&contents, height - RULER)
        } else {
            Layout::squeezed(&contents, height - RULER)
        };
        let wanted = (!cpus.is_empty()).then(|| RULER + Layout::wanted(&contents, roomy));
        let most = (layout.height - (height - RULER)).max(0.0);
        Self {
            width,
            height,
            scroll: scroll.clamp(0.0, most),
            layout: Rc::new(layout),
            scale: Scale {
                window: pilot::window(&props.view, &props.engine),
                left: gutter,
                width: (width - gutter - MARGIN).max(1.0),
            },
            whole: pilot::whole(&props.engine),
            cpu,
            lanes,
            extras,
            wanted,
        }
    }
}

impl Frame {
    /// How far the CPUs can be scrolled, px.
    fn most_scroll(&self) -> f64 {
        (self.layout.height - (self.height - RULER)).max(0.0)
    }

    /// The stretch between two pixels, cut to the record.
    fn stretch(&self, one: f64, other: f64) -> Window {
        let at = |x| self.scale.time(x).clamp(self.whole.from(), self.whole.to());
        Window::new(at(one), at(other))
    }
}

/// The timeline.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let root = use_node_ref();
    let canvas = use_node_ref();
    let size = size::use_size(&root);
    let scroll = use_state_eq(|| 0.0_f64);
    let frame = Frame::new(props, size, *scroll);
    use_lanes(props, &frame);
    use_in_sight(&frame, props.view.lane, &scroll);
    use_room(&frame, &root);
    let gestures = gesture::use_gestures(props, &frame, &root, scroll.setter());

    let keyed = use_keyed_card(props, &frame);
    // The pointer's card goes before the one of the selected block.
    let beside = gestures.hovering.map(|(x, y)| (x, y, y)).or(keyed.beside);
    let of_pointer = gestures.hovering.is_some();
    let hover = props.engine.findings.hover.clone().filter(|card| {
        // The answer about the block selected before stays until the new one is here.
        of_pointer || card.span.map(|(from, _)| from) == keyed.entry
    });
    let sent = hover.as_ref().filter(|_| beside.is_some());
    use_paint(props, &frame, &canvas, sent.and_then(|card| card.sent));
    let name = accessible_name(props, &frame);
    let pressed = {
        let (hide, down) = (keyed.hide, gestures.down);
        Callback::from(move |event: PointerEvent| {
            hide.emit(());
            down.emit(event);
        })
    };
    html! {
        <section class={classes!("timeline", gestures.dragging.then_some("dragging"))} ref={root} aria-label="Timeline" data-testid="timeline-region">
            if let Some(share) = props.running {
                <div class="running" style={format!("transform: scaleX({:.3})", share.max(0.04))} data-testid="running"></div>
            }
            <canvas ref={canvas} aria-hidden="true" data-testid="timeline-canvas"></canvas>
            <div class="application" id="timeline" role="application" aria-roledescription="timeline" aria-label={name} tabindex="0" data-testid="timeline"
                onpointerdown={pressed} onpointermove={gestures.move_} onpointerup={gestures.up.clone()} onpointercancel={gestures.up}
                onpointerleave={gestures.leave} ondblclick={gestures.double} onfocus={keyed.onfocus} onblur={keyed.onblur} onkeydown={keyed.onkeydown}>
            </div>
            if props.engine.findings.facts.is_none() && props.running.is_none() {
                <div class="empty" style="position: absolute; inset: 24px 0 auto 0; pointer-events: none">
                    { if props.waits { "No lanes yet. They need the trace of this link." } else { "Lanes are drawn once a run is complete." } }
                </div>
            }
            if let (Some(card), Some(beside)) = (hover, beside) {
                { hover_card(&card.lines, beside, &frame) }
            }
        </section>
    }
}

/// A card beside what lies at `x` between `top` and `bottom`.
fn hover_card(lines: &[String], (x, top, bottom): (f64, f64, f64), frame: &Frame) -> Html {
    // In steps of 24 px and never over what it is about.
    let step = |at: f64| (at / 24.0).floor() * 24.0;
    let left = if x > frame.width - 340.0 {
        (step(x) - 330.0).max(4.0)
    } else {
        step(x) + 36.0
    };
    let style = if bottom > frame.height - 150.0 {
        format!("left: {left}px; bottom: {}px", frame.height - step(top) + 12.0)
    } else {
        format!("left: {left}px; top: {}px", step(bottom) + 36.0)
    };
    html! {
        <div class="hover-card" {style} aria-hidden="true" data-testid="hover-card">
            { for lines.iter().enumerate().map(|(n, line)| html! { <div class={if n == 0 { "strong" } else { "second" }}>{ line }</div> }) }
        </div>
    }
}

/// The card of the selected block, for those who came by keyboard.
struct KeyedCard {
    /// Where the block is: from the left, upper and lower edge.
    beside: Option<(f64, f64, f64)>,
    /// When it begins.
    entry: Option<Time>,
    /// A pointer came.
    hide: Callback<()>,
    onfocus: Callback<FocusEvent>,
    onblur: Callback<FocusEvent>,
    onkeydown: Callback<KeyboardEvent>,
}

/// Shows the hover card also where there is no pointer: while the timeline has the keyboard's focus, of the
/// selected decision.
#[hook]
fn use_keyed_card(props: &TimelineProps, frame: &Frame) -> KeyedCard {
    let keyed = use_state_eq(|| false);
    let decision = props.engine.findings.decision.clone();
    let selection = props.view.selection().filter(|_| *keyed);
    let chosen = selection.and_then(|selection| {
        let decision = decision
            .as_ref()
            .filter(|decision| decision.cpu == selection.cpu)?;
        let block = decision
            .chosen
            .iter()
            .find(|block| block.lane == selection.lane)?;
        Some((selection, block.entry, block.exit))
    });
    {
        let engine = props.engine.clone();
        use_effect_with((chosen, engine.findings.run), move |(chosen, _)| {
            if let Some((selection, at, _)) = *chosen {
                engine.ask.emit(Box::new(move |ticket| Request::At {
                    ticket,
                    lane: selection.lane,
                    cpu: selection.cpu,
                    at,
                    hover: true,
                }));
            }
        });
    }
    let beside = chosen.and_then(|(selection, entry, _)| {
        let row = frame.layout.rows.iter().find(|row| row.cpu == selection.cpu)?;
        let place = row.lanes.iter().find(|place| place.lane == selection.lane)?;
        let x = frame.scale.x(entry);
        let (top, bottom) = (
            place.top + RULER - frame.scroll,
            place.bottom() + RULER - frame.scroll,
        );
        let seen = frame.scale.left <= x && x <= frame.width && bottom > RULER && top < frame.height;
        seen.then_some((x, top, bottom))
    });
    let focus_by_key = |event: &FocusEvent| {
        let element = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        element.is_some_and(|element| element.matches(":focus-visible").unwrap_or(false))
    };
    let set = keyed.setter();
    let onfocus = Callback::from(move |event: FocusEvent| set.set(focus_by_key(&event)));
    let set = keyed.setter();
    let onblur = Callback::from(move |_| set.set(false));
    let set = keyed.setter();
    let onkeydown = Callback::from(move |event: KeyboardEvent| set.set(event.key() != "Escape"));
    let set = keyed.setter();
    let hide = Callback::from(move |()| set.set(false));
    KeyedCard {
        beside,
        entry: chosen.map(|(_, entry, _)| entry),
        hide,
        onfocus,
        onblur,
        onkeydown,
    }
}

fn accessible_name(props: &TimelineProps, frame: &Frame) -> String {
    match (&props.engine.findings.decision, props.view.decision) {
        (Some(decision), Some(_)) => format!("{}. {}", decision.place, decision.answer),
        _ => format!("{}, no decision selected", frame.cpu),
    }
}

/// What is to be drawn: lanes of all CPUs, strips of some.
#[derive(Clone, PartialEq)]
struct Wanted {
    lanes: Vec<LaneId>,
    extras: Vec<Extra>,
    open: Vec<CpuId>,
}

/// Asks for lanes that cover the window and one width on each side.
#[hook]
fn use_lanes(props: &TimelineProps, frame: &Frame) {
    let asked = use_mut_ref(|| None::<(u64, Window, Ns, f64, Wanted)>);
    let engine = props.engine.clone();
    let run = engine.findings.run;
    let window = frame.scale.window;
    let (width, whole) = (frame.scale.width, frame.whole);
    let expanded = frame.layout.rows.iter().filter(|row| !row.strips.is_empty());
    let shown = Wanted {
        lanes: frame.lanes.clone(),
        extras: frame.extras.clone(),
        open: expanded.map(|row| row.cpu).collect(),
    };
    use_effect_with(
        (run, window, width.round() as i64, shown),
        move |(run, window, _, wanted)| {
            let Some(facts) = engine.findings.facts.clone().filter(|_| *run > 0) else {
                return;
            };
            let covered = asked
                .borrow()
                .as_ref()
                .is_some_and(|(of, cover, at, wide, shown)| {
                    let zoom = window.len().as_ns() as f64 / at.as_ns().max(1) as f64;
                    of == run
                        && shown == wanted
                        && (*wide - width).abs() < 2.0
                        && (0.7..=1.5).contains(&zoom)
                        && cover.from() <= window.from()
                        && cover.to() >= window.to()
                });
            if covered {
                return;
            }
            let (pad, window) = (window.len(), *window);
            let cover = Window::new(window.from() - pad, window.to() + pad);
            let cover = Window::new(cover.from().max(whole.from()), cover.to().min(whole.to()));
            *asked.borrow_mut() = Some((*run, cover, window.len(), width, wanted.clone()));
            let widths = cover.len().as_ns() as f64 / window.len().as_ns().max(1) as f64;
            let columns = columns(width * ratio() * widths);
            let cpus = facts.cpus.clone();
            let Wanted { lanes, extras, open } = wanted.clone();
            let pieces = engine.findings.pieces.as_ref();
            let in_columns = pieces.map_or_else(Vec::new, |pieces| pieces.in_columns());
            engine.ask.emit(Box::new(move |ticket| Request::Lanes {
                ticket,
                from: cover.from(),
                to: cover.to(),
                sight: (window.from(), window.to()),
                columns,
                cpus,
                lanes,
                in_columns,
                extras,
                open,
            }));
        },
    );
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a pixel count"
)]
fn columns(pixels: f64) -> u32 {
    pixels.clamp(1.0, 65_536.0) as u32
}

/// Device pixels per CSS pixel.
fn ratio() -> f64 {
    gloo::utils::window().device_pixel_ratio().clamp(1.0, 3.0)
}

/// Paints whenever something that is drawn changed.
#[hook]
fn use_paint(props: &TimelineProps, frame: &Frame, canvas: &NodeRef, sent: Option<Sent>) {
    let theme = props.view.theme;
    let colours = use_memo((theme, system_theme()), |_| (inks::palette(), inks::inks()));
    let start = props
        .engine
        .findings
        .facts
        .as_ref()
        .map_or(Time::ZERO, |facts| facts.start);
    let deps = (
        frame.clone(),
        Rc::clone(&props.view),
        props.engine.findings.pieces.as_ref().map(Rc::as_ptr),
        props.engine.findings.decision.as_ref().map(Rc::as_ptr),
        Rc::clone(&props.tables),
        colours,
        props.tick,
        sent,
    );
    let (canvas, findings) = (canvas.clone(), Rc::clone(&props.engine.findings));
    use_effect_with(deps, move |(frame, view, _, _, tables, colours, tick, sent)| {
        let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else {
            return;
        };
        let scene = Scene {
            view,
            layout: &frame.layout,
            scale: frame.scale,
            scroll: frame.scroll,
            width: frame.width,
            height: frame.height,
            pieces: findings.pieces.as_deref(),
            tables,
            start,
            tick: *tick,
            cpu: frame.cpu,
            chosen: findings
                .decision
                .as_ref()
                .map_or(&[][..], |decision| &decision.chosen),
            sent: *sent,
        };
        // A canvas without a context or without memory stays as it was; the next frame tries again.
        let _ = paint(&canvas, &scene, &colours.0, &colours.1);
    });
}

/// The system's choice, so that a change repaints.
fn system_theme() -> (bool, bool) {
    (
        browser::matches_media("(prefers-color-scheme: dark)"),
        browser::matches_media("(prefers-contrast: more)"),
    )
}

fn paint(canvas: &HtmlCanvasElement, scene: &Scene<'_>, palette: &Palette, inks: &Inks) -> Option<()> {
    let ratio = ratio();
    let raster = scene.raster(ratio, palette);
    let (width, height) = (
        u32::try_from(raster.width).ok()?,
        u32::try_from(raster.height).ok()?,
    );
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&raster.pixels), width, height).ok()?;
    context.put_image_data(&image, 0.0, 0.0).ok()?;
    context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
    let mut brush = Brush::new(&context, inks);
    for shape in scene.marks() {
        brush.draw(&shape);
    }
    Some(())
}

/// Tells the panel around it how much room the lanes can use: the rest is the results' (ui.md §3).
#[hook]
fn use_room(frame: &Frame, root: &NodeRef) {
    let root = root.clone();
    let wanted = frame.wanted.map(|wanted| wanted.ceil() as i64);
    use_effect_with(wanted, move |wanted| {
        let panel = root.cast::<HtmlElement>().and_then(|root| root.parent_element());
        if let Some(panel) = panel.and_then(|panel| panel.dyn_into::<HtmlElement>().ok()) {
            // Without it the timeline takes all the room there is.
            let _ = match wanted {
                Some(wanted) => panel.style().set_property("--lanes", &format!("{wanted}px")),
                None => panel.style().remove_property("--lanes").map(|_| ()),
            };
        }
    });
}

/// Scrolls so that the focused CPU is seen, when it, the lane or the room changed.
#[hook]
fn use_in_sight(frame: &Frame, lane: LaneId, scroll: &UseStateHandle<f64>) {
    let (scroll, frame) = (scroll.clone(), frame.clone());
    let row = frame.layout.rows.iter().find(|row| row.cpu == frame.cpu).cloned();
    use_effect_with((row, lane, frame.height.round() as i64), move |(row, lane, _)| {
        if let Some(row) = row {
            let seen = frame.height - RULER;
            scroll.set(frame.layout.in_sight(row.cpu, *lane, frame.scroll, seen));
        }
    });
}
