//! The strip above the timeline: the whole record, how busy it was and where A and B differ, with a
//! frame around what the timeline shows.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::size;
use crate::app::findings::Overview;
use crate::app::worker::protocol::Facts;
use crate::page::action::Action;
use crate::page::plot::timeline::stamps;
use crate::page::view::{View, Window};
use crate::units::{Ns, Time};

const LEFT: f64 = 88.0;
const RIGHT: f64 = 8.0;
const BUSY: (f64, f64) = (4.0, 18.0);
const DIFFERS: (f64, f64) = (25.0, 12.0);

/// What the strip needs.
#[derive(Properties, PartialEq)]
pub struct OverviewProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// What the run covers.
    pub facts: Option<Rc<Facts>>,
    /// The whole record in few columns.
    pub overview: Option<Rc<Overview>>,
    /// Takes actions.
    pub act: Callback<Action>,
}

fn bars(
    values: impl ExactSizeIterator<Item = f64>,
    width: f64,
    (top, height): (f64, f64),
    hangs: bool,
) -> String {
    let step = width / values.len().max(1) as f64;
    let mut path = String::new();
    for (n, value) in values.enumerate().filter(|(_, value)| *value > 0.0) {
        let tall = (value * height).max(1.0);
        let y = if hangs { top } else { top + height - tall };
        path.push_str(&format!(
            "M{:.1} {y:.1}h{step:.2}v{tall:.1}h-{step:.2}z",
            LEFT + n as f64 * step
        ));
    }
    path
}

/// The strip.
#[component]
pub fn OverviewStrip(props: &OverviewProps) -> Html {
    let root = use_node_ref();
    let (width, _) = size::use_size(&root);
    let plot = (width - LEFT - RIGHT).max(1.0);
    let length = props
        .facts
        .as_ref()
        .map_or(Ns::new(1), |facts| facts.end.saturating_since(facts.start));
    let whole = Window::new(Time::ZERO, Time::ZERO.saturating_add(length));
    let shown = props.view.window.map_or(whole, |window| window.within(whole));
    let x = |t: Time| LEFT + t.as_ns() as f64 / length.as_ns().max(1) as f64 * plot;
    let grab = use_mut_ref(|| false);
    let jump = {
        let act = props.act.clone();
        move |event: &PointerEvent| {
            let share = (f64::from(event.offset_x()) - LEFT) / plot;
            #[allow(clippy::cast_possible_truncation, reason = "a share of the record's length")]
            let at = Time::from_ns((share.clamp(0.0, 1.0) * length.as_ns() as f64) as i64);
            let half = Ns::new(shown.len().as_ns() / 2);
            act.emit(Action::WindowMoved(Some(
                Window::new(at - half, at + half).within(whole),
            )));
        }
    };
    let onpointerdown = {
        let (grab, jump, root) = (grab.clone(), jump.clone(), root.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(strip) = root.cast::<Element>() {
                let _ = strip.set_pointer_capture(event.pointer_id());
            }
            *grab.borrow_mut() = true;
            jump(&event);
        })
    };
    let onpointermove = {
        let grab = grab.clone();
        Callback::from(move |event: PointerEvent| {
            if *grab.borrow() {
                jump(&event);
            }
        })
    };
    let release = Callback::from(move |_: PointerEvent| *grab.borrow_mut() = false);
    let stamps = props.facts.as_ref().map_or_else(Vec::new, |facts| {
        stamps(facts.start, facts.end, (LEFT, LEFT + plot))
    });
    // The frame moves with every step of a drag, the record below it stays.
    let record = use_memo((props.overview.clone(), plot), |(overview, plot)| {
        overview.as_deref().map(|overview| record(overview, *plot))
    });
    html! {
        <div class="overview" ref={root} {onpointerdown} {onpointermove} onpointerup={release.clone()} onpointercancel={release} data-testid="overview">
            <svg class="own" width={width.to_string()} height="57" aria-hidden="true" style="pointer-events: none">
                <text x="12" y="19">{ "busy" }</text>
                <text x="12" y="35">{ "differs" }</text>
                <path d={format!("M{LEFT} {}h{plot}", BUSY.0 + BUSY.1 + 0.5)} stroke="var(--line)" />
                if props.facts.is_some() {
                    { (*record).clone() }
                    { for stamps.into_iter().map(|(x, text)| html! { <text x={format!("{x:.1}")} y="52" text-anchor="middle">{ text }</text> }) }
                    <rect x={format!("{:.1}", x(shown.from()))} y="2" width={format!("{:.1}", (x(shown.to()) - x(shown.from())).max(4.0))} height="37" rx="2"
                        fill="var(--accent)" fill-opacity=".10" stroke="var(--accent)" stroke-width="1.4" />
                    <path d={format!("M{:.1} 0v40", x(props.view.cursor))} stroke="var(--accent)" />
                }
            </svg>
        </div>
    }
}

/// How busy the record was and where A and B differ.
fn record(overview: &Overview, plot: f64) -> Html {
    let busy = overview.busy.iter().map(|share| f64::from(*share));
    let most = overview.differs.iter().copied().max().unwrap_or(0).max(1);
    let differs = overview.differs.iter().map(|n| f64::from(*n) / f64::from(most));
    html! {
        <>
            <path d={bars(busy, plot, BUSY, false)} fill="var(--busy)" opacity=".75" />
            <path d={bars(differs, plot, DIFFERS, true)} fill="var(--accent)" opacity=".75" />
        </>
    }
}
