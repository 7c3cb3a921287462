//! Published figures beside those of this version and of the run on the page.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::icon::{Glyph, Icon};
use crate::app::validation::{self, first_letter};
use crate::app::worker::protocol::ResultsView;
use crate::page::beside::{self, Part, Ran, StateSums, THIS_RUN, WHOSE, met};
use crate::page::doc::{Doc, Side, Workload};
use crate::page::validation::Row;
use crate::page::view::LaneId;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct BesideProps {
    /// The question.
    pub doc: Rc<Doc>,
    /// The newest results.
    pub results: Rc<ResultsView>,
    /// They are those of the question, and of its whole record.
    pub current: bool,
}

/// The section; nothing beside a trace.
#[component]
pub fn Beside(props: &BesideProps) -> Html {
    let given = (Rc::clone(&props.doc), Rc::clone(&props.results), props.current);
    let parts = use_memo(given, |(doc, results, current)| {
        let ran = Side::ALL.map(|side| {
            if *current {
                ran(results, side)
            } else {
                Ran::default()
            }
        });
        beside::parts(doc, ran)
    });
    let Workload::Generated(generated) = &props.doc.workload else {
        return Html::default();
    };
    if parts.is_empty() {
        return html! {
            <section class="beside" id="published" aria-label="Published" data-testid="published">
                <h3 class="chart-title">{ "Published" }</h3>
                <p class="reason">{ beside::none(generated.pattern()) }</p>
            </section>
        };
    }
    let here = parts
        .iter()
        .flat_map(|part| &part.rows)
        .any(|(_, here)| here.is_some());
    let (kept, all) = met(&parts);
    html! {
        <section class="beside" id="published" tabindex="-1" aria-label="Published, beside ours" data-testid="published">
            <h3 class="chart-title">{ "Published, beside ours" }<span class="muted">{ format!("  {kept} of {all} met") }</span></h3>
            <p class="reason">{ WHOSE }if here { { " " }{ THIS_RUN } }</p>
            { for parts.iter().map(|part| table(part, here)) }
        </section>
    }
}

fn ran(results: &ResultsView, side: Side) -> Ran<'_> {
    let lane = results
        .lanes
        .iter()
        .find(|sums| sums.lane == Some(LaneId::of(side)));
    let states: &StateSums = lane.map_or(&[], |lane| &lane.states);
    let [a, b] = &results.loops;
    let loops = match side {
        Side::A => a,
        Side::B => b,
    };
    Ran {
        loops: loops.as_ref(),
        states,
    }
}

fn table(part: &Part, here: bool) -> Html {
    html! {
        <table class="figures findings">
            <caption>{ first_letter(&part.name) }</caption>
            <thead><tr>
                <th scope="col">{ "no." }</th><th scope="col">{ "what" }</th><th scope="col" class="num">{ "published" }</th>
                <th scope="col" class="num">{ "ours" }</th><th scope="col" class="num">{ "ratio" }</th>
                if here { <th scope="col" class="num">{ "this run" }</th> }
                <th scope="col">{ "verdict" }</th><th scope="col">{ "see it" }</th>
            </tr></thead>
            <tbody>{ for part.rows.iter().map(|(row, own)| line(row, here.then_some(own.as_deref()))) }</tbody>
        </table>
    }
}

/// `own` is what the run gives, if any; none where no row has it.
fn line(row: &Row, own: Option<Option<&str>>) -> Html {
    let own =
        own.map(|own| html! { <td class="num strong" data-label="this run">{ own.unwrap_or("–") }</td> });
    validation::row(row, own.into_iter().collect())
}

/// How many of the published figures are met, to press for the table.
pub fn pointer(doc: &Doc) -> Html {
    let parts = beside::parts(doc, [Ran::default(); 2]);
    let (kept, all) = met(&parts);
    if all == 0 {
        return Html::default();
    }
    let onclick = Callback::from(|_: MouseEvent| {
        let document = web_sys::window().and_then(|window| window.document());
        if let Some(section) = document.and_then(|document| document.get_element_by_id("published")) {
            section.scroll_into_view();
            // Who goes on with the keyboard goes on from there.
            if let Ok(section) = section.dyn_into::<HtmlElement>() {
                let _ = section.focus();
            }
        }
    });
    let glyph = if kept == all { Glyph::Check } else { Glyph::Warn };
    html! {
        <button type="button" class="text-link published-pointer" {onclick} data-testid="to-published">
            <Icon {glyph} />{ format!("published: {kept} of {all} met") }
        </button>
    }
}
