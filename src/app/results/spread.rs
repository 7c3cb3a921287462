//! The figures over several seeds: a press runs them in the worker, with progress, until they are done or given up.

use std::rc::Rc;

use yew::prelude::*;

use super::tables::lane_badge;
use crate::app::control::Button;
use crate::app::worker::protocol::SpreadView;
use crate::page::doc::Side;
use crate::page::spread::{Row, SEEDS};
use crate::page::view::LaneId;
use crate::page::words::number::Style;

/// What the section needs.
#[derive(Properties, PartialEq)]
pub struct SpreadProps {
    /// What is known so far; none until it was asked for.
    pub view: Option<Rc<SpreadView>>,
    /// Runs the seeds, or gives them up.
    pub onrun: Callback<bool>,
    /// There are no results of the question yet.
    pub stale: bool,
}

/// The section.
#[component]
pub fn Spread(props: &SpreadProps) -> Html {
    let under_way = props.view.as_ref().is_some_and(|view| view.under_way);
    let run = props.onrun.reform(|()| true);
    let cancel = props.onrun.reform(|()| false);
    let said = props.view.as_ref().map(|view| view.said());
    html! {
        <section class="spread" aria-label="Over several seeds" data-testid="spread">
            <div class="row">
                <h3 class="chart-title">{ "Over several seeds" }</h3>
                if under_way {
                    <progress max={props.view.as_ref().map(|view| view.of.to_string())} value={props.view.as_ref().map(|view| view.done.to_string())} aria-label="Seeds done" />
                    <Button small=true onpress={cancel} testid="cancel-seeds">{ "Cancel" }</Button>
                } else {
                    <Button small=true refused={props.stale.then(|| AttrValue::from("Once the runs of A and B are complete"))} onpress={run} testid="run-seeds">{ "Run over " }{ SEEDS }{ " seeds" }</Button>
                }
                <span class="caption" aria-live="polite" data-testid="seeds-said">{ said.unwrap_or_else(|| "the figures above are of one seed".to_owned()) }</span>
            </div>
            if let Some(view) = props.view.as_ref().filter(|view| !view.rows.is_empty()) { { table(view) } }
        </section>
    }
}

fn table(view: &SpreadView) -> Html {
    let shown: Vec<usize> = (0..2)
        .filter(|n| view.rows.iter().any(|row| row.sides[*n].is_some()))
        .collect();
    let both = shown.len() == 2;
    let none = || (Style::Page.none().to_owned(), String::new());
    let cells = |told: &Option<(String, String)>| {
        let (middle, ends) = told.clone().unwrap_or_else(none);
        html! { <><td class="num strong">{ middle }</td><td class="num ends">{ ends }</td></> }
    };
    let line = |row: &Row| {
        html! {
            <tr>
                <th scope="row">{ &row.label }</th>
                { for shown.iter().map(|n| cells(&row.sides[*n])) }
                if both { { cells(&row.change) } }
            </tr>
        }
    };
    html! {
        <div class="wide-table" tabindex="0" role="region" aria-label="Figures over several seeds">
        <table class="figures">
            <thead><tr>
                <th scope="col">{ "middle, least to most" }</th>
                { for shown.iter().map(|n| html! { <th scope="col" class="num" colspan="2">{ lane_badge(LaneId::of(Side::ALL[*n])) }</th> }) }
                if both { <th scope="col" class="num" colspan="2">{ "A to B, seed by seed" }</th> }
            </tr></thead>
            <tbody>{ for view.rows.iter().map(line) }</tbody>
        </table>
        </div>
    }
}
