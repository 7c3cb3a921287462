//! Tables and counters that were opened: what was read, and the table that people make of two dumps by hand.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::control::{Button, Choice, IconButton, Look, Segments};
use crate::app::icon::Glyph;
use crate::app::start::Empty;
use crate::page::action::Action;
use crate::page::counters::{Counters, Grid, changes, grid, text};
use crate::page::sheets::{Reading, report};
use crate::page::words::number::Style;

const PAGE: Style = Style::Page;

/// What the panel needs.
#[derive(Properties, PartialEq)]
pub struct CountersProps {
    /// What was read, oldest first.
    pub readings: Rc<Vec<Reading>>,
    /// Messages and what is being read.
    pub notes: Html,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Tells something short.
    pub onsay: Callback<String>,
    /// Back to where one was.
    pub onclose: Callback<()>,
}

/// The panel.
#[component]
pub fn CountersPanel(props: &CountersProps) -> Html {
    let by_cpu = use_state_eq(|| false);
    let counters = use_memo(Rc::clone(&props.readings), |readings| Counters::of(readings));
    let onview = {
        let set = by_cpu.setter();
        Callback::from(move |n: usize| set.set(n == 1))
    };
    let copy = {
        let (counters, onsay, by_cpu) = (Rc::clone(&counters), props.onsay.clone(), *by_cpu);
        Callback::from(move |()| {
            let (text, onsay) = (text(&counters, by_cpu), onsay.clone());
            spawn_local(async move {
                onsay.emit(if browser::copy(&text).await {
                    "Counters copied, 72 columns".to_owned()
                } else {
                    "The browser refused the clipboard".to_owned()
                });
            });
        })
    };
    let [a, b] = &counters.sides;
    let measured = [("A", a), ("B", b)];
    html! {
        <main class="report counters" id="main" data-testid="counters">
            <div class="row top">
                <div>
                    <h2>{ "Counters and tables" }</h2>
                    <p class="second" style="margin-top: 3px">{ "Open the dump from before a test, then the one from after it: that is A. Two more are B. A log of turbostat stands for itself." }</p>
                </div>
                <span class="space"></span>
                <Button look={Look::Primary} onpress={props.onclose.clone()} testid="close-counters">{ "Close" }</Button>
            </div>
            { props.notes.clone() }
            if props.readings.is_empty() {
                <Empty text="Nothing was read yet: drop, choose or paste sysfs lines, cpupower, turbostat, a devicetree." />
            }
            if a.is_some() {
                <div class="row tools">
                    <Segments name="CPUs" chosen={Some(usize::from(*by_cpu))} onchoose={onview}
                        choices={vec![Choice::new("All CPUs together").test("counters-all"), Choice::new("Each CPU").test("counters-each")]} />
                    <span class="space"></span>
                    <Button glyph={Glyph::Copy} onpress={copy} testid="copy-counters">{ "Copy for mail" }</Button>
                </div>
            }
            { for measured.into_iter().filter_map(|(letter, side)| Some(shown(&grid(letter, side.as_ref()?, *by_cpu, PAGE), letter))) }
            if let Some(changes) = changes(&counters, PAGE) { { shown(&changes, "changes") } }
            if !counters.notes.is_empty() {
                <ul class="plain" data-testid="counters-notes">{ for counters.notes.iter().map(|note| html! { <li>{ note }</li> }) }</ul>
            }
            if a.is_some() {
                <p class="caption" style="margin-top: 8px">{ "Kernel counters: too deep is above, too shallow is below, in counts and per cent of usage; share is of the time in idle states." }</p>
            }
            if !props.readings.is_empty() {
                <h2 style="margin-top: 22px">{ "What was read" }</h2>
            }
            { for props.readings.iter().enumerate().rev().map(|(n, reading)| read(n, reading, &props.act)) }
        </main>
    }
}

fn shown(grid: &Grid, testid: &str) -> Html {
    html! {
        <section class="grid" aria-label={grid.title.clone()}>
            <h3>{ &grid.title }</h3>
            <div class="wide" tabindex="0" role="region" aria-label={grid.title.clone()}>
                <table class="figures" data-testid={format!("counters-{testid}")}>
                    <thead><tr>{ for grid.heads.iter().enumerate().map(|(n, head)| html! { <th scope="col" class={classes!((n > 0).then_some("num"))}>{ *head }</th> }) }</tr></thead>
                    <tbody>{ for grid.rows.iter().map(|(name, cells, total)| html! {
                        <tr class={classes!(total.then_some("total"))}>
                            <th scope="row">{ name }</th>
                            { for cells.iter().map(|cell| html! {
                                <td class="num">{ &cell.text }if let Some(share) = &cell.share { <span class="of-usage">{ format!("{share}\u{202f}%") }</span> }</td>
                            }) }
                        </tr>
                    }) }</tbody>
                </table>
            </div>
            if !grid.notes.is_empty() { <p class="caption">{ grid.notes.join(" · ") }</p> }
        </section>
    }
}

fn read(n: usize, reading: &Reading, act: &Callback<Action>) -> Html {
    let report = report(reading, PAGE);
    let list = |title: &'static str, lines: &[String]| match lines {
        [] => Html::default(),
        lines => {
            html! { <><dt>{ title }</dt><dd>{ for lines.iter().map(|line| html! { <div>{ line }</div> }) }</dd></> }
        }
    };
    html! {
        <section class="reading" aria-label={reading.name.clone()} data-testid={format!("reading-{n}")}>
            <div class="row"><h3 class="clip">{ &reading.name }</h3><span class="space"></span>
                <IconButton small=true glyph={Glyph::Close} name={format!("Forget {}", reading.name)} testid={format!("forget-{n}")} onpress={act.reform(move |()| Action::ReadingForgotten(n))} />
            </div>
            <p class="second">{ &report.headline }</p>
            <dl>
                { list("Read", &report.read) }
                { list("Ignored", &report.ignored) }
                { list("Unknown", &report.unknown) }
            </dl>
        </section>
    }
}
