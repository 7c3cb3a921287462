//! The sweep in the editor: asks the worker for it and shows what has been found.

use std::rc::Rc;

use yew::prelude::*;

use super::Shown;
use super::chart::drawn;
use crate::app::control::{Choice, Segments};
use crate::app::engine::Engine;
use crate::app::picture::picture;
use crate::app::timeline::use_size;
use crate::app::worker::protocol::{Request, SweepView};
use crate::page::doc::StateField;
use crate::page::plot::sweep::Chart;
use crate::page::sweep::{Measure, Swept};

/// The machine's own value of what is swept, and the range of the sweep.
pub fn range(states: &[Shown], swept: &Swept) -> Option<((i64, i64), i64)> {
    let base = &states.iter().find(|state| state.base.name == swept.state)?.base;
    let own = match swept.field {
        StateField::TargetResidency => base.target_residency.as_ns(),
        StateField::ExitLatency => base.exit_latency.as_ns(),
        StateField::Power => i64::from(base.power.as_uw()),
    };
    let drawn: Vec<_> = states.iter().map(drawn).collect();
    Some((swept.range(&drawn, own), own))
}

/// Asks for the sweep of `swept`, and anew whenever a run is complete; answers what there is of it.
#[hook]
pub fn use_sweep(states: &[Shown], swept: Option<&Swept>, engine: &Engine) -> Option<Rc<SweepView>> {
    let asked = swept.and_then(|swept| Some((swept.clone(), range(states, swept)?)));
    {
        let engine = engine.clone();
        use_effect_with((asked.clone(), engine.findings.run), move |(asked, run)| {
            let Some((swept, (range, own))) = asked.clone().filter(|_| *run > 0) else {
                return;
            };
            engine.ask.emit(Box::new(move |ticket| Request::Sweep {
                ticket,
                swept,
                range,
                own,
            }));
        });
    }
    {
        let ask = engine.ask.clone();
        use_effect_with((), move |()| move || ask.emit(Box::new(|_| Request::CancelSweep)));
    }
    let found = engine.findings.sweep.clone()?;
    let (swept, _) = asked?;
    (found.swept == swept).then_some(found)
}

/// What the plots need.
#[derive(Properties, PartialEq)]
pub struct SweepProps {
    /// What is varied.
    pub swept: Swept,
    /// What has been found.
    pub view: Option<Rc<SweepView>>,
    /// A newer run is under way.
    pub stale: bool,
}

fn plot(view: &SweepView, measure: Measure, width: f64, height: f64, labelled: bool) -> Html {
    let chart = Chart {
        width,
        height,
        swept: &view.swept,
        range: view.range,
        points: &view.points,
        own: view.own,
        now: view.now,
        measure,
        labelled,
    };
    picture(&chart.plot())
}

/// The large plot with the choice of its measure.
#[component]
pub fn Sweep(props: &SweepProps) -> Html {
    let root = use_node_ref();
    let (width, _) = use_size(&root);
    let large = use_state_eq(|| 0_usize);
    let set = large.setter();
    let measure = Measure::LARGE.get(*large).copied().unwrap_or_default();
    let caption = match &props.view {
        None => "waiting for a run".to_owned(),
        Some(view) if view.left > 0 => {
            let done = view.points.len();
            format!("{done} of {} values", done + view.left)
        }
        Some(view) => format!(
            "{} to {}",
            props.swept.text(view.range.0),
            props.swept.text(view.range.1)
        ),
    };
    html! {
        <div class="section">
            <div class="section-head">
                <h2 class="clip">{ format!("Sweep of {}", props.swept.name()) }</h2>
                <span class="caption" data-testid="sweep-progress">{ caption }</span>
                <span class="space"></span>
                <Segments name="Measure of the sweep" chosen={Some(*large)} onchoose={Callback::from(move |n| set.set(n))}
                    choices={vec![Choice::new("energy").test("sweep-energy"), Choice::new("misses").test("sweep-misses")]} />
            </div>
            <div ref={root} class={classes!("sweep", props.stale.then_some("stale"))} data-testid="sweep">
                if let Some(view) = props.view.as_ref().filter(|_| width > 0.0) {
                    { plot(view, measure, width, 220.0, true) }
                }
            </div>
        </div>
    }
}

/// The five small plots, and what their marks mean.
#[component]
pub fn SmallSweeps(props: &SweepProps) -> Html {
    let root = use_node_ref();
    let (width, _) = use_size(&root);
    let one = if width < 560.0 {
        width
    } else {
        (width - 80.0) / 6.0
    };
    html! {
        <div ref={root} class={classes!("editor-row", props.stale.then_some("stale"))}>
            if let Some(view) = props.view.as_ref().filter(|_| width > 0.0) {
                <div class="sweep-words">
                    <h3>{ format!("{} at {}", props.swept.name(), props.swept.text(view.now.value)) }</h3>
                    <p>{ format!("Each curve is the whole sweep from {} to {}. The line is where you are", props.swept.text(view.range.0), props.swept.text(view.range.1)) }
                        if view.own == view.now.value { { "." } } else { { format!(", the ring is the machine's own {}.", props.swept.text(view.own)) } }</p>
                </div>
                { for Measure::SMALL.into_iter().map(|measure| small(view, measure, one)) }
            }
        </div>
    }
}

fn small(view: &SweepView, measure: Measure, width: f64) -> Html {
    let (what, base) = measure.words(&view.swept);
    let own = view.points.iter().find(|point| point.value == view.own);
    let side = |n: usize| {
        let now = measure.of(view.now.sides.get(n)?.as_ref()?, None)?;
        let was = own.and_then(|own| measure.of(own.sides.get(n)?.as_ref()?, None));
        let (class, letter) = [("a", "A"), ("b", "B")].get(n).copied()?;
        Some(html! {
            <p class="row tight">
                <span class={classes!("badge", class)}>{ letter }</span><span class="strong">{ measure.text(now) }</span>
                if let Some(was) = was.filter(|_| view.own != view.now.value) { <span class="caption">{ format!("was {}", measure.text(was)) }</span> }
            </p>
        })
    };
    html! {
        <figure>
            <figcaption><span class="strong">{ what }</span>{ " " }<span class="caption">{ base }</span></figcaption>
            { for (0..2).filter_map(side) }
            { plot(view, measure, width.max(120.0), 84.0, false) }
        </figure>
    }
}
