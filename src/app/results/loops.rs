//! What a closed loop gave: time, power, energy, clock and busy shares, A beside B.

use yew::prelude::*;

use super::tables::lane_badge;
use crate::app::picture::picture;
use crate::app::worker::protocol::ResultsView;
use crate::page::doc::Side;
use crate::page::loops::{Cut, PARTS, headroom, reasons, rows, shares};
use crate::page::plot::{self, Ink};
use crate::page::session::closed::Loops;
use crate::page::view::LaneId;
use crate::page::words::number::Style;

/// The card; nothing for workloads that are no closed loop. `ranged` when the other figures are those of a range.
pub fn card(results: &ResultsView, ranged: bool) -> Html {
    let sides = results.loops.each_ref().map(Option::as_ref);
    let Some(some) = sides.iter().flatten().next() else {
        return Html::default();
    };
    let shown: Vec<usize> = (0..2).filter(|n| sides[*n].is_some()).collect();
    let both = shown.len() == 2;
    let (shares, line) = (shares(sides), headroom(sides));
    let text = |side: &Option<String>| side.clone().unwrap_or_else(|| Style::Page.none().to_owned());
    html! {
        <div class="loops" data-testid="loops">
            <table class="figures">
                <thead><tr>
                    <th scope="col">{ if ranged { "closed loop, whole record" } else { "closed loop" } }</th>
                    { for shown.iter().map(|n| html! { <th scope="col" class="num">{ lane_badge(LaneId::of(Side::ALL[*n])) }</th> }) }
                    if both { <th scope="col" class="num">{ "A to B" }</th> }
                </tr></thead>
                <tbody>
                    { for rows(sides, Style::Page).into_iter().map(|row| html! {
                        <tr>
                            <th scope="row">{ row.label }</th>
                            { for shown.iter().map(|n| html! { <td class="num">{ text(&row.sides[*n]) }</td> }) }
                            if both { <td class="num strong">{ text(&row.change) }</td> }
                        </tr>
                    }) }
                </tbody>
            </table>
            if !shares.is_empty() { <figure>
                <figcaption class="chart-title">{ "Busy share, tasks only" }</figcaption>
                { picture(&plot::shares::plot(216.0, &shares, line.map(|(share, _)| share))) }
                if let Some((_, about)) = line { <p class="caption">{ about }</p> }
            </figure> }
            { clock(results) }
            { cut(sides) }
            { for reasons(sides, Style::Page).into_iter().map(|said| html! { <p class="reason">{ said }</p> }) }
            <p class="caption about">{ some.parameters.about() }{ "." }</p>
        </div>
    }
}

/// The clock over time, where it changes at all.
fn clock(results: &ResultsView) -> Html {
    let clocks = results.clocks.each_ref().map(Option::as_ref);
    if clocks.iter().all(Option::is_none) {
        return Html::default();
    }
    html! {
        <figure data-testid="clock">
            <figcaption class="chart-title">{ "Clock over time, GHz" }</figcaption>
            { picture(&plot::clock::plot(216.0, 84.0, clocks)) }
        </figure>
    }
}

/// Where the time of a loop goes.
fn cut(sides: [Option<&Loops>; 2]) -> Html {
    let cuts = sides.map(|side| side.and_then(Cut::of));
    let Some(some) = cuts.iter().flatten().next() else {
        return Html::default();
    };
    let (title, of_what) = if some.of.is_some() {
        ("Where the time of one loop goes", "on each CPU that ran tasks")
    } else {
        ("Where the time goes", "of the CPUs that ran tasks")
    };
    let row = |part: usize| {
        let shown = cuts.iter().flatten().any(|cut| cut.per_mille[part] > 0);
        let cell = |cut: &Cut| html! { <td class="num">{ cut.text(part, Style::Page) }</td> };
        shown.then(|| {
            let Ink(ink) = plot::cut::INKS[part];
            html! {
                <tr>
                    <th scope="row"><span class="swatch" style={format!("background: var(--{ink})")} />{ PARTS[part] }</th>
                    { for cuts.iter().flatten().map(cell) }
                </tr>
            }
        })
    };
    html! {
        <figure class="cut" data-testid="loop-cut">
            <figcaption class="chart-title">{ title }<span class="muted">{ format!("  {of_what}") }</span></figcaption>
            { picture(&plot::cut::plot(320.0, cuts)) }
            <table class="figures">
                <thead><tr>
                    <th scope="col">{ "part" }</th>
                    { for (0..2).filter(|n| cuts[*n].is_some()).map(|n| html! { <th scope="col" class="num">{ lane_badge(LaneId::of(Side::ALL[n])) }</th> }) }
                </tr></thead>
                <tbody>{ for (0..PARTS.len()).filter_map(row) }</tbody>
            </table>
        </figure>
    }
}
