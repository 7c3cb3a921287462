//! What a governor remembered before and after the decision: a sentence, a picture, and on demand the
//! same numbers as a table.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::control::{Button, Look};
use crate::app::export::{self, Kind};
use crate::app::icon::Glyph;
use crate::app::worker::protocol::MemoryView;
use crate::page::memory::csv;
use crate::page::view::LaneId;

/// What the drawing needs.
#[derive(Properties, PartialEq)]
pub struct MemoryProps {
    /// What is drawn.
    pub memory: MemoryView,
    /// There is no other one beside it.
    pub alone: bool,
    /// Tells something short.
    pub onsay: Callback<String>,
}

/// One memory.
#[component]
pub fn Memory(props: &MemoryProps) -> Html {
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |()| open.set(!*open))
    };
    let memory = &props.memory;
    let copy = {
        let ((head, rows), onsay) = (memory.table.clone(), props.onsay.clone());
        Callback::from(move |()| {
            let (text, onsay) = (csv(&head, &rows), onsay.clone());
            spawn_local(async move {
                let said = if browser::copy(&text).await {
                    "Table copied as CSV"
                } else {
                    "The browser refused the clipboard"
                };
                onsay.emit(said.to_owned());
            });
        })
    };
    let file = format!(
        "idlescope-memory{}",
        if props.alone { "" } else { letters(memory) }
    );
    let save = |kind: Kind| {
        let (svg, file, onsay) = (memory.svg.clone(), file.clone(), props.onsay.clone());
        Callback::from(move |()| export::drawing(kind, &file, &svg, &onsay))
    };
    let lanes: String = memory.lanes.iter().copied().map(LaneId::letter).collect();
    html! {
        <figure class="plot memory" data-testid="memory" data-lanes={lanes}>
            <figcaption class="second">
                if !props.alone { <span class="strong">{ whose(memory) }</span>{ ": " } }
                <span data-testid="memory-answer">{ &memory.answer }</span>
            </figcaption>
            if *open {
                { table(memory) }
            } else {
                // The text was made by our own worker from numbers and names of states, escaped.
                { Html::from_html_unchecked(AttrValue::from(memory.svg.clone())) }
            }
            <Button small=true look={Look::Quiet} glyph={if *open { Glyph::Close } else { Glyph::Table }} onpress={toggle} testid="memory-table">
                if *open { { "Show as picture" } } else { { "Show as table" } }
            </Button>
            if *open {
                <Button small=true look={Look::Quiet} glyph={Glyph::Copy} onpress={copy} testid="memory-csv">{ "Copy as CSV" }</Button>
            } else {
                <Button small=true look={Look::Quiet} glyph={Glyph::Export} hint="Save the drawing as SVG" onpress={save(Kind::Svg)} testid="memory-svg">{ "SVG" }</Button>
                <Button small=true look={Look::Quiet} glyph={Glyph::Export} hint="Save the drawing as PNG" onpress={save(Kind::Png)} testid="memory-png">{ "PNG" }</Button>
            }
        </figure>
    }
}

/// Which of two drawings it is, for a file's name.
fn letters(memory: &MemoryView) -> &'static str {
    match memory.lanes.as_slice() {
        [LaneId::A] => "-a",
        [LaneId::B] => "-b",
        _ => "",
    }
}

/// Whose memory it is, as a heading.
pub fn whose(memory: &MemoryView) -> String {
    let names: Vec<&str> = memory.lanes.iter().copied().map(LaneId::label).collect();
    format!("What {} remembered", names.join(" and "))
}

/// From this many letters on a cell is a sentence, which is read from the left.
const SENTENCE: usize = 18;

fn table(memory: &MemoryView) -> Html {
    let (head, rows) = &memory.table;
    let sentences = |n: usize| {
        let long = |row: &Vec<String>| row.get(n).is_some_and(|cell| cell.chars().count() > SENTENCE);
        rows.iter().filter(|row| long(row)).count() > 1
    };
    let class = |n: usize| (n > 0 && !sentences(n)).then_some("num");
    let cell = |(n, text): (usize, &String)| {
        if n == 0 {
            html! { <th scope="row">{ text }</th> }
        } else {
            html! { <td class={class(n)}>{ text }</td> }
        }
    };
    html! {
        <div class="memory-table" tabindex="0" role="region" aria-label={whose(memory)}>
            <table class="figures">
                <thead><tr>{ for head.iter().enumerate().map(|(n, name)| html! { <th scope="col" class={class(n)}>{ name }</th> }) }</tr></thead>
                <tbody>{ for rows.iter().enumerate().map(|(n, row)| html! { <tr key={n}>{ for row.iter().enumerate().map(cell) }</tr> }) }</tbody>
            </table>
        </div>
    }
}
