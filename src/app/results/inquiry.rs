//! The two tabs that the worker counts for: "Why never?" and "Changes".

use yew::prelude::*;

use super::tables::{joined, lane_badge, state_label};
use crate::analysis::why::{Reason, StateTally, Tally};
use crate::app::control::{Button, Look};
use crate::app::icon::Glyph;
use crate::app::start::Empty;
use crate::app::states::StateNames;
use crate::app::worker::protocol::{ChangeRow, ChangesView, WhyView};
use crate::page::mail::changes::{Sides, differing};
use crate::page::view::LaneId;
use crate::page::words::number::{Style, count, share};
use crate::page::words::why::reason;

const PAGE: Style = Style::Page;

/// Per state, how often it was chosen and what kept it from being chosen otherwise; `place` says where.
pub fn why(view: &WhyView, states: &StateNames, place: &str) -> Html {
    html! {
        <>
            <p class="caption" style="margin-bottom: 6px" data-testid="why-caption">{ why_caption(view, place) }</p>
            <div class="why-grid" data-testid="why">{ for (0..states.names.len()).map(|n| why_state(view, states, n)) }</div>
        </>
    }
}

fn why_caption(view: &WhyView, place: &str) -> String {
    let mut text =
        format!("How often each state was chosen, and what kept it from being chosen otherwise: {place}");
    for (lane, within, tally) in &view.lanes {
        let of = if tally.decisions < *within {
            let first = if view.under_way { "" } else { "the first " };
            format!("{first}{} of ", count(tally.decisions, PAGE))
        } else {
            String::new()
        };
        text.push_str(&format!(
            ", {} {of}{} decisions",
            lane.letter(),
            count(*within, PAGE)
        ));
    }
    text.push_str(if view.under_way { ", counting" } else { "." });
    text
}

fn why_state(view: &WhyView, states: &StateNames, n: usize) -> Html {
    let lost = |tally: &Tally, reason: Reason| {
        let state = tally.states.get(n);
        let own = state.and_then(|state| state.lost.iter().find(|(own, _)| *own == reason));
        own.map_or(0, |(_, count)| *count)
    };
    let most = |reason: &Reason| view.lanes.iter().map(|(_, _, tally)| lost(tally, *reason)).max();
    let mut reasons: Vec<Reason> = Reason::ALL
        .into_iter()
        .filter(|reason| most(reason) > Some(0))
        .collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(most(reason)));
    let cell = |tally: &Tally, part: u64| {
        // CPUs of another group can lack the state.
        let all = tally.states.get(n).map_or(0, StateTally::decisions);
        html! { <td class="num">{ joined(&count(part, PAGE), &share(part, all, 1, PAGE)) }</td> }
    };
    html! {
        <table class="figures" data-testid={format!("why-{n}")}>
            <thead><tr>
                <th scope="col">{ state_label(n, states) }</th>
                { for view.lanes.iter().map(|(lane, ..)| html! { <th scope="col" class="num">{ lane_badge(*lane) }</th> }) }
            </tr></thead>
            <tbody>
                <tr>
                    <th scope="row" class="strong">{ "chosen" }</th>
                    { for view.lanes.iter().map(|(_, _, tally)| cell(tally, tally.states.get(n).map_or(0, |state| state.chosen))) }
                </tr>
                { for reasons.iter().map(|own| html! {
                    <tr>
                        <th scope="row">{ reason(*own) }</th>
                        { for view.lanes.iter().map(|(_, _, tally)| cell(tally, lost(tally, *own))) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

/// What changed between A and B, and how often each difference mattered.
pub fn changes(view: &ChangesView, oncopy: &Callback<()>) -> Html {
    let Some((a, b)) = &view.names else {
        return html! { <Empty text="Changes need two variants: choose B in its box above." /> };
    };
    let mut head = match view.counts {
        Some(counts) => format!(
            "From {a} to {b}: {}. Counted: {}.",
            differing(counts, PAGE),
            view.place
        ),
        None => format!("From {a} to {b}."),
    };
    if view.rows.is_empty() {
        head.push_str(" They are the same.");
    } else if view.left > 0 {
        head.push_str(&format!(" Counting, {} to go.", view.left));
    }
    html! {
        <>
            <div class="row" style="flex-wrap: wrap; justify-content: space-between; margin-bottom: 6px">
                <p class="verdict" style="margin: 0" data-testid="changes-head">{ head }</p>
                <Button look={Look::Plain} small=true glyph={Glyph::Copy} onpress={oncopy.clone()} testid="copy-changes">{ "Copy as text" }</Button>
            </div>
            if !view.shared.is_empty() {
                <div class="shared" data-testid="changes-shared">{ for view.shared.iter().map(|said| html! { <p>{ said }</p> }) }</div>
            }
            <ul class="changes" data-testid="changes">{ for view.rows.iter().map(change) }</ul>
        </>
    }
}

fn change(row: &ChangeRow) -> Html {
    let side = |lane: LaneId, text: &str| html! { <p class="side">{ lane_badge(lane) }<span>{ text.to_owned() }</span></p> };
    let sides = |sides: &Sides| html! { <>{ side(LaneId::A, &sides.a) }{ side(LaneId::B, &sides.b) }</> };
    let source = if row.source.is_empty() {
        Html::default()
    } else {
        html! { <span class="muted">{ format!("  {}", row.source) }</span> }
    };
    let mattered = html! { <p class="second">{ &row.mattered }</p> };
    match row.sides.as_slice() {
        [only] if only.what.is_empty() => html! {
            <li><p class="strong">{ &row.what }{ source }</p>{ sides(only) }{ mattered }</li>
        },
        several => html! {
            <li>
                <p class="sentence">{ &row.what }{ source }</p>
                { mattered }
                { for several.iter().map(|each| html! { <><p class="muted respect">{ &each.what }</p>{ sides(each) }</> }) }
            </li>
        },
    }
}
