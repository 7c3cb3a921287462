//! The validation page: published measurements beside what the model gives, each with the link that shows it.

use yew::prelude::*;

use crate::app::control::{Button, Look};
use crate::app::icon::{Glyph, Icon};
use crate::page::published::{self, Experiment};
use crate::page::validation::{CONDITIONS, NOT_MODELLED, Row, met, rows};

/// What the page needs.
#[derive(Properties, PartialEq)]
pub struct ValidationProps {
    /// Back to where one was.
    pub onclose: Callback<()>,
}

/// The page.
#[component]
pub fn Validation(props: &ValidationProps) -> Html {
    let experiments = use_memo((), |()| published::results());
    let (kept, all) = met(&experiments);
    html! {
        <main class="report validation" id="main" data-testid="validation">
            <div class="row top">
                <div>
                    <h1>{ "Validation" }</h1>
                    <p class="second" style="margin-top: 3px">{ format!("{kept} of {all} criteria met: published measurements beside what this version gives.") }</p>
                </div>
                <span class="space"></span>
                <Button look={Look::Primary} onpress={props.onclose.clone()} testid="close-validation">{ "Close" }</Button>
            </div>
            { for experiments.iter().map(experiment) }
            <div class="columns">
                <div>
                    <h2>{ "Not modelled" }</h2>
                    <dl data-testid="not-modelled">{ for NOT_MODELLED.iter().chain(&published::NOT_MODELLED).map(|(what, why)| html! { <><dt>{ *what }</dt><dd>{ *why }</dd></> }) }</dl>
                </div>
                <div>
                    <h2>{ "Conditions" }</h2>
                    <ul class="plain">{ for CONDITIONS.iter().map(|text| html! { <li>{ *text }</li> }) }</ul>
                </div>
            </div>
        </main>
    }
}

fn experiment(experiment: &Experiment) -> Html {
    html! {
        <section aria-label={experiment.name.clone()}>
            <h2>{ first_letter(&experiment.name) }</h2>
            <table class="figures findings">
                <thead><tr>
                    <th scope="col">{ "no." }</th><th scope="col">{ "what" }</th><th scope="col" class="num">{ "published" }</th>
                    <th scope="col" class="num">{ "ours" }</th><th scope="col" class="num">{ "ratio" }</th><th scope="col" class="num">{ "meets it" }</th><th scope="col">{ "verdict" }</th><th scope="col">{ "see it" }</th>
                </tr></thead>
                <tbody>{ for rows(experiment).into_iter().map(line) }</tbody>
            </table>
        </section>
    }
}

fn line(row: Row) -> Html {
    let range = html! { <td class="num" data-label="meets it">{ &row.range }</td> };
    self::row(&row, range)
}

/// A row of a table of findings; `fourth` is the cell after published, ours and their ratio.
pub fn row(row: &Row, fourth: Html) -> Html {
    html! {
        <tr>
            <td>{ row.id }</td>
            <th scope="row">{ &row.what }</th>
            <td class="num" data-label="published">{ &row.published }</td>
            <td class="num strong" data-label="ours">{ &row.ours }</td>
            <td class="num" data-label="ratio">{ &row.ratio }</td>
            { fourth }
            { verdict(row) }
            { runs(row) }
        </tr>
    }
}

/// The cell that says whether a row is met, and why not.
fn verdict(row: &Row) -> Html {
    let (class, glyph) = if row.met {
        ("good", Glyph::Check)
    } else {
        ("bad", Glyph::Warn)
    };
    let text = if row.met {
        "met".to_owned()
    } else {
        format!("not met: {}", row.reason)
    };
    html! { <td {class}><span class="verdict-of"><Icon {glyph} /><span>{ text }</span></span></td> }
}

/// The cell with the links that open the question of a row.
fn runs(row: &Row) -> Html {
    let name = format!("Run {}: {}", row.id, row.what);
    let link = |(link, text): (&String, &String)| {
        html! { <><a href={format!("#{link}")} aria-label={format!("{name}, {text}")}>{ text }</a>{ " " }</> }
    };
    html! { <td class="runs">{ for row.links.iter().zip(&row.labels()).map(link) }</td> }
}

/// A name as a heading.
pub fn first_letter(name: &str) -> String {
    let mut letters = name.chars();
    // pipe-test keeps its small letter: it is a program's name.
    match letters.next() {
        Some(first) if !name.starts_with("pipe-test") => first.to_uppercase().chain(letters).collect(),
        _ => name.to_owned(),
    }
}
