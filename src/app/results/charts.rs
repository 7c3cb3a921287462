//! The small charts of the results, on the one ruler: log of the duration from 1 µs rightwards.

use yew::prelude::*;

use super::tables::idle_energy;
use crate::app::picture::picture;
use crate::app::worker::protocol::{LaneSummary, ResultsView};
use crate::page::plot::durations::Series;
use crate::page::plot::{self, Ink, stops};
use crate::page::view::LaneId;
use crate::units::{Energy, Ns};

fn colour(lane: &LaneSummary) -> &'static str {
    match lane.lane {
        Some(LaneId::A) => "var(--var-a)",
        Some(LaneId::B) => "var(--var-b)",
        Some(LaneId::Recorded) => "var(--recorded)",
        Some(LaneId::Ideal) | None => "var(--energy)",
    }
}

/// Idle durations of each lane as step lines, with residencies and the tick.
pub fn durations(results: &ResultsView, marks: &[(AttrValue, i64)], width: f64, height: f64) -> Html {
    let series: Vec<Series> = results
        .lanes
        .iter()
        .filter_map(|lane| {
            let ink = match lane.lane? {
                LaneId::A => Ink::A,
                LaneId::B => Ink::B,
                LaneId::Recorded => Ink::RECORDED,
                LaneId::Ideal => Ink::ENERGY,
            };
            Some(Series {
                ink,
                name: lane.name.clone(),
                counts: lane.durations.clone(),
                filled: lane.lane == Some(LaneId::A),
            })
        })
        .collect();
    let time = |ns: &i64| Ns::new(*ns);
    let residencies: Vec<(String, Ns)> = marks
        .iter()
        .filter(|(name, _)| name != "tick")
        .map(|(name, ns)| (name.to_string(), time(ns)))
        .collect();
    let tick = marks
        .iter()
        .find(|(name, _)| name == "tick")
        .map(|(_, ns)| time(ns));
    html! {
        <figure>
            <figcaption class="chart-title">{ "Idle durations" }</figcaption>
            { picture(&plot::durations::plot(width, height, &series, &residencies, tick)) }
        </figure>
    }
}

/// How long ticks stayed stopped, in the customary buckets; nothing where no tick was stopped.
pub fn tick_stops(results: &ResultsView) -> Html {
    let series: Vec<stops::Series> = results
        .lanes
        .iter()
        .filter(|lane| lane.stopped.iter().any(|count| *count > 0))
        .filter_map(|lane| {
            let ink = match lane.lane? {
                LaneId::A => Ink::A,
                LaneId::B => Ink::B,
                LaneId::Recorded => Ink::RECORDED,
                LaneId::Ideal => return None,
            };
            Some(stops::Series {
                ink,
                name: lane.lane?.label().to_owned(),
                counts: lane.stopped,
            })
        })
        .collect();
    if series.is_empty() {
        return Html::default();
    }
    html! {
        <figure data-testid="tick-stops">
            <figcaption class="chart-title">{ "How long ticks stayed stopped" }<span class="muted">{ "  % of each one's stops" }</span></figcaption>
            { picture(&stops::plot(300.0, 138.0, &series)) }
        </figure>
    }
}

/// An energy as the length of a bar, in fJ.
#[allow(clippy::cast_precision_loss, reason = "it is drawn, not counted")]
fn drawn(energy: Energy) -> f64 {
    energy.as_fj() as f64
}

/// Idle energy of each lane against A, or against the first lane there is, and what the ideal governor
/// spends on the wakeups of that same lane: each lane has its own.
pub fn energy(results: &ResultsView) -> Html {
    let mut bars: Vec<(String, &'static str, f64)> = Vec::new();
    for lane in &results.lanes {
        if let Some(parts) = lane.energy {
            bars.push((
                lane.lane
                    .map_or(lane.name.clone(), |lane| lane.label().to_owned()),
                colour(lane),
                drawn(idle_energy(&parts)),
            ));
        }
    }
    let Some((whose, base, ideal)) = results
        .lanes
        .iter()
        .find(|lane| lane.lane == Some(LaneId::A))
        .or(results.lanes.first())
        .and_then(|lane| Some((lane.lane.map(LaneId::label), lane.energy?)))
        .map(|(whose, parts)| (whose.unwrap_or("it"), drawn(idle_energy(&parts)), drawn(parts[5])))
        .filter(|(_, base, _)| *base > 0.0)
    else {
        let known = results.lanes.iter().any(|lane| lane.energy.is_some());
        return html! { <p class="caption">{ if known { "No idle time, so no idle energy." } else { "No energy figures: the powers of this machine's states are not known." } }</p> };
    };
    bars.push(("ideal".to_owned(), "var(--energy)", ideal));
    let most = bars.iter().map(|bar| bar.2).fold(0.0, f64::max);
    html! {
        <figure>
            <figcaption class="chart-title">{ "Idle energy, estimate" }</figcaption>
            <svg class="own" width="118" height={(bars.len() * 31 + 4).to_string()} role="img" aria-label="Idle energy, estimate; the same numbers are in the Energy tab">
                { for bars.iter().enumerate().map(|(n, (name, colour, value))| {
                    let y = 6 + n * 31;
                    html! {
                        <>
                            <text x="0" y={(y + 11).to_string()} style={format!("fill: {colour}; font-weight: 600; font-size: 11px")}>{ name }</text>
                            <rect x="34" y={y.to_string()} width={format!("{:.1}", (value / most * 82.0).max(0.5))} height="12" rx="1" fill={*colour} opacity=".88" />
                            <text x="34" y={(y + 23).to_string()}>{ format!("{:.1}\u{202f}% of {whose}", value / base * 100.0) }</text>
                        </>
                    }
                }) }
            </svg>
            <p class="caption" style="max-width: 118px">{ format!("Ideal for {whose}'s wakeups. Powers assumed: only ratios mean something.") }</p>
        </figure>
    }
}
