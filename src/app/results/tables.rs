//! The tables of the results: right-aligned figures, one unit per column, A, B and the change.

use yew::prelude::*;

use crate::analysis::durations::Histogram;
use crate::app::inspector::lane_class;
use crate::app::states::{StateNames, Swatch};
use crate::app::worker::protocol::{LaneSummary, ResultsView};
use crate::page::view::LaneId;
use crate::page::words;
use crate::page::words::number::{
    Style, count, duration, energy, energy_share, share, share_change, time_share,
};
use crate::sim::Cause;
use crate::units::{Energy, Ns};

const PAGE: Style = Style::Page;

fn of(results: &ResultsView, lane: LaneId) -> Option<&LaneSummary> {
    results.lanes.iter().find(|summary| summary.lane == Some(lane))
}

/// The badge of a lane.
pub fn lane_badge(lane: LaneId) -> Html {
    html! { <span class={classes!("badge", lane_class(lane))}>{ lane.label() }</span> }
}

fn badge(summary: &LaneSummary) -> Html {
    match summary.lane {
        Some(lane) => lane_badge(lane),
        None => html! { <span class="in-e">{ &summary.name }</span> },
    }
}

fn periods(summary: &LaneSummary) -> u64 {
    summary.states.iter().map(|state| state.0).sum()
}

fn idle(summary: &LaneSummary) -> Ns {
    summary.states.iter().map(|state| state.1).sum()
}

fn misses(summary: &LaneSummary) -> (u64, u64) {
    summary.states.iter().fold((0, 0), |(deep, shallow), state| {
        (deep + state.2, shallow + state.3)
    })
}

/// The numbers of state `n`, zero when the lane never entered it.
fn state(summary: &LaneSummary, n: usize) -> (u64, Ns, u64, u64, Energy) {
    summary
        .states
        .get(n)
        .copied()
        .unwrap_or((0, Ns::ZERO, 0, 0, Energy::ZERO))
}

fn state_head(n: usize, states: &StateNames) -> Html {
    html! { <th scope="row">{ state_label(n, states) }</th> }
}

/// Swatch and name of a state.
pub fn state_label(n: usize, states: &StateNames) -> Html {
    html! {
        <span class="row" style="gap: 6px"><Swatch {n} counts={states.counts.clone()} polling={n == 0 && states.names.first().is_some_and(|name| name.contains("POLL"))} />{ &states.names[n] }</span>
    }
}

/// Unsigned nanoseconds for shares.
fn whole(ns: Ns) -> u64 {
    u64::try_from(ns.as_ns()).unwrap_or(0)
}

/// Time per state of each lane with the change from A to B, then misses.
pub fn summary(results: &ResultsView, states: &StateNames) -> Html {
    let (a, b) = (of(results, LaneId::A), of(results, LaneId::B));
    let change = |a: (u64, u64), b: (u64, u64), decimals: u32| share_change(a, b, decimals, PAGE);
    html! {
        <table class="figures" data-testid="summary-table">
            <thead><tr>
                <th scope="col">{ "state" }</th>
                { for results.lanes.iter().map(|lane| html! { <th scope="col" class="num">{ badge(lane) }{ " time" }</th> }) }
                if a.is_some() && b.is_some() { <th scope="col" class="num">{ "A to B" }</th> }
            </tr></thead>
            <tbody>
                { for (0..states.names.len()).map(|n| html! {
                    <tr key={n}>
                        { state_head(n, states) }
                        { for results.lanes.iter().map(|lane| html! { <td class="num">{ time_share(state(lane, n).1, idle(lane), PAGE) }</td> }) }
                        if let (Some(a), Some(b)) = (a, b) {
                            <td class="num strong">{ change((whole(state(a, n).1), whole(idle(a))), (whole(state(b, n).1), whole(idle(b))), 1) }</td>
                        }
                    </tr>
                }) }
                { for [("too deep", true), ("too shallow", false)].into_iter().map(|(label, deep)| {
                    let number = |lane: &LaneSummary| if deep { misses(lane).0 } else { misses(lane).1 };
                    html! {
                        <tr>
                            <th scope="row"><span class="row" style="gap: 6px">{ miss_glyph(deep) }{ label }<span class="muted">{ "of exits" }</span></span></th>
                            { for results.lanes.iter().map(|lane| html! { <td class="num">{ share(number(lane), periods(lane), 2, PAGE) }</td> }) }
                            if let (Some(a), Some(b)) = (a, b) {
                                <td class="num strong">{ change((number(a), periods(a)), (number(b), periods(b)), 2) }</td>
                            }
                        </tr>
                    }
                }) }
                <tr>
                    <th scope="row">{ "tick stopped " }<span class="muted">{ "of entries" }</span></th>
                    { for results.lanes.iter().map(|lane| html! { <td class="num">{ stopped_share(lane) }</td> }) }
                    if let (Some(a), Some(b)) = (a, b) {
                        <td class="num strong">{ change((periods(a).saturating_sub(a.ticks_retained), periods(a)), (periods(b).saturating_sub(b.ticks_retained), periods(b)), 1) }</td>
                    }
                </tr>
            </tbody>
        </table>
    }
}

fn stopped_share(lane: &LaneSummary) -> String {
    share(
        periods(lane).saturating_sub(lane.ticks_retained),
        periods(lane),
        1,
        PAGE,
    )
}

/// The filled triangle of "too deep", the hollow one of "too shallow".
pub fn miss_glyph(deep: bool) -> Html {
    html! {
        <svg width="10" height="10" aria-hidden="true" focusable="false">
            if deep { <path d="M5 1l4 7H1z" fill="var(--too-deep)" /> }
            else { <path d="M5 9L1 2h8z" fill="var(--surface)" stroke="var(--too-shallow)" stroke-width="1.4" /> }
        </svg>
    }
}

/// Two figures in one cell, so that the groups of three lanes fit beside each other.
pub fn joined(one: &str, other: &str) -> String {
    format!("{one}\u{2009}·\u{2009}{other}")
}

/// A table with one row per state and a group of columns per lane; the names of the states stay in sight.
fn per_state(
    results: &ResultsView,
    states: &StateNames,
    columns: &[&'static str],
    cells: impl Fn(&LaneSummary, usize) -> Vec<String>,
    total: impl Fn(&LaneSummary) -> Vec<String>,
) -> Html {
    html! {
        <table class="figures grouped">
            <thead>
                <tr>
                    <th scope="col" rowspan="2">{ "state" }</th>
                    { for results.lanes.iter().map(|lane| html! { <th scope="colgroup" class="num" colspan={columns.len().to_string()}>{ badge(lane) }</th> }) }
                </tr>
                <tr>{ for results.lanes.iter().flat_map(|_| columns.iter()).map(|column| html! { <th scope="col" class="num">{ *column }</th> }) }</tr>
            </thead>
            <tbody>
                { for (0..states.names.len()).map(|n| html! {
                    <tr key={n}>
                        { state_head(n, states) }
                        { for results.lanes.iter().flat_map(|lane| cells(lane, n)).map(|cell| html! { <td class="num">{ cell }</td> }) }
                    </tr>
                }) }
                <tr>
                    <th scope="row" class="strong">{ "total" }</th>
                    { for results.lanes.iter().flat_map(&total).map(|cell| html! { <td class="num strong">{ cell }</td> }) }
                </tr>
            </tbody>
        </table>
    }
}

/// Time, share and mean length per state.
pub fn residency(results: &ResultsView, states: &StateNames) -> Html {
    let mean = |time: Ns, uses: u64| match i64::try_from(uses) {
        Ok(uses) if uses > 0 => duration(Ns::new(time.as_ns() / uses), PAGE),
        _ => "–".to_owned(),
    };
    per_state(
        results,
        states,
        &["time · of idle", "uses · mean"],
        |lane, n| {
            let (uses, time, ..) = state(lane, n);
            vec![
                joined(&duration(time, PAGE), &time_share(time, idle(lane), PAGE)),
                joined(&count(uses, PAGE), &mean(time, uses)),
            ]
        },
        |lane| {
            let (uses, time) = (periods(lane), idle(lane));
            vec![
                joined(&duration(time, PAGE), &time_share(time, time, PAGE)),
                joined(&count(uses, PAGE), &mean(time, uses)),
            ]
        },
    )
}

/// Too deep and too shallow per state.
fn misses_cells(numbers: (u64, u64, u64)) -> Vec<String> {
    let (uses, deep, shallow) = numbers;
    vec![
        joined(&count(deep, PAGE), &share(deep, uses, 2, PAGE)),
        joined(&count(shallow, PAGE), &share(shallow, uses, 2, PAGE)),
    ]
}

/// The misses tab.
pub fn misses_table(results: &ResultsView, states: &StateNames) -> Html {
    html! {
        <>
            <p class="caption" style="margin-bottom: 4px">{ "By the kernel's cpu_idle_miss rule: above is too deep, below is too shallow. Per cent of the exits from that state." }</p>
            { per_state(
                results,
                states,
                &["too deep", "too shallow"],
                |lane, n| {
                    let (uses, _, deep, shallow, _) = state(lane, n);
                    misses_cells((uses, deep, shallow))
                },
                |lane| misses_cells((periods(lane), misses(lane).0, misses(lane).1)),
            ) }
        </>
    }
}

/// One row per lane.
fn per_lane(results: &ResultsView, columns: &[String], cells: impl Fn(&LaneSummary) -> Vec<String>) -> Html {
    html! {
        <table class="figures">
            <thead><tr>
                <th scope="col">{ "run" }</th>
                { for columns.iter().map(|column| html! { <th scope="col" class="num">{ column }</th> }) }
            </tr></thead>
            <tbody>
                { for results.lanes.iter().map(|lane| html! {
                    <tr class={classes!(lane.lane.is_none().then_some("thin"))}>
                        <th scope="row"><span class="row" style="gap: 6px">{ badge(lane) }<span>{ if lane.lane.is_some() { lane.name.clone() } else { String::new() } }</span></span></th>
                        { for cells(lane).into_iter().map(|cell| html! { <td class="num">{ cell }</td> }) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

/// Wake latency and what woke.
pub fn latency(results: &ResultsView) -> Html {
    let columns: Vec<String> = ["wakeups", "median", "99 %", "largest"].map(str::to_owned).into();
    let causes: Vec<String> = Cause::ALL
        .iter()
        .map(|cause| words::cause(*cause).to_owned())
        .collect();
    html! {
        <>
            <p class="caption" style="margin-bottom: 4px">{ "Wake latency: from the wakeup event until the CPU runs again, over wakeups that somebody waited for." }</p>
            { per_lane(results, &columns, |lane| match lane.latency {
                Some((n, median, most, largest)) => vec![count(n, PAGE), duration(median, PAGE), duration(most, PAGE), duration(largest, PAGE)],
                None => vec!["–".to_owned(); 4],
            }) }
            <p class="caption" style="margin: 14px 0 4px">{ "Wakeups by cause" }</p>
            { per_lane(results, &causes, |lane| lane.causes.iter().map(|n| count(*n, PAGE)).collect()) }
        </>
    }
}

/// Energy by part.
pub fn energy_table(results: &ResultsView) -> Html {
    let columns: Vec<String> = [
        "in states",
        "transitions",
        "ticks",
        "exit latency",
        "idle total",
        "of A",
        "of ideal",
    ]
    .map(str::to_owned)
    .into();
    let base = of(results, LaneId::A)
        .and_then(|lane| lane.energy)
        .map(|parts| idle_energy(&parts));
    html! {
        <>
            <p class="caption" style="margin-bottom: 4px">{ "Estimate. Powers are assumed unless you gave them; only ratios are meaningful." }</p>
            { per_lane(results, &columns, |lane| match lane.energy {
                Some(parts) => {
                    let total = idle_energy(&parts);
                    let mut cells: Vec<String> = parts[..4].iter().map(|part| energy(*part, PAGE)).collect();
                    cells.push(energy(total, PAGE));
                    cells.push(base.map_or("–".to_owned(), |base| energy_share(total, base, PAGE)));
                    cells.push(energy_share(total, parts[5], PAGE));
                    cells
                }
                None => vec!["–".to_owned(); 7],
            }) }
        </>
    }
}

/// Energy that a governor answers for: everything but busy time.
pub fn idle_energy(parts: &[Energy; 6]) -> Energy {
    parts[..4].iter().copied().sum()
}

/// Idle durations by bin.
pub fn durations(results: &ResultsView) -> Html {
    let edges = Histogram::edges();
    let used = |bin: usize| {
        results
            .lanes
            .iter()
            .any(|lane| lane.durations.get(bin).is_some_and(|n| *n > 0))
    };
    let from = |bin: usize| {
        bin.checked_sub(1)
            .and_then(|at| edges.get(at))
            .map_or("0".to_owned(), |ns| duration(Ns::new(*ns), PAGE))
    };
    html! {
        <table class="figures" style="margin-top: 10px">
            <thead><tr><th scope="col">{ "from" }</th>
                { for results.lanes.iter().map(|lane| html! { <th scope="col" class="num">{ badge(lane) }{ " stays" }</th> }) }
            </tr></thead>
            <tbody>
                { for (0..=edges.len()).filter(|bin| used(*bin)).map(|bin| html! {
                    <tr key={bin}><th scope="row">{ from(bin) }</th>
                        { for results.lanes.iter().map(|lane| html! { <td class="num">{ count(u64::from(lane.durations.get(bin).copied().unwrap_or(0)), PAGE) }</td> }) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
