//! The results: nine tabs under the timeline.

mod beside;
mod charts;
mod inquiry;
mod loops;
mod mail;
mod shared;
mod spread;
mod tables;

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::splitter::{Edge, Splitter};
use crate::app::start::Empty;
use crate::app::states::StateNames;
use crate::app::worker::protocol::{ChangesView, ResultsView, SpreadView, WhyView};
use crate::page::action::Action;
use crate::page::doc::Doc;
use crate::page::session::seed_of;
use crate::page::view::{Tab, View};

pub use mail::MailTab;
pub use tables::miss_glyph;

/// What the results need.
#[derive(Properties, PartialEq)]
pub struct ResultsProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// The question.
    pub doc: Rc<Doc>,
    /// Names of the states, shallowest first.
    pub states: Rc<StateNames>,
    /// Target residencies of the states and the tick period, ns, for charts.
    pub marks: Rc<Vec<(AttrValue, i64)>>,
    /// The newest results.
    pub results: Option<Rc<ResultsView>>,
    /// Why states were not chosen.
    pub why: Option<Rc<WhyView>>,
    /// What changed between A and B.
    pub changes: Option<Rc<ChangesView>>,
    /// What several seeds give, if that was asked.
    pub spread: Option<Rc<SpreadView>>,
    /// Runs several seeds, or gives them up.
    pub onspread: Callback<bool>,
    /// Copies that list.
    pub oncopy_changes: Callback<()>,
    /// They belong to an older run than the newest.
    pub stale: bool,
    /// The link of the question, for the mail table.
    pub link: AttrValue,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Copies the table and the link.
    pub oncopy: Callback<()>,
    /// Nothing runs before the trace of the link is there.
    pub waits: bool,
    /// Copies the table alone.
    pub oncopy_table: Callback<()>,
    /// Copies the link alone.
    pub oncopy_link: Callback<()>,
}

/// The results.
#[component]
pub fn Results(props: &ResultsProps) -> Html {
    let tab = props.view.tab;
    html! {
        <section class="results" id="results" aria-label="Results" tabindex="-1" data-testid="results">
            <Splitter edge={Edge::Results} />
            <Tabs tab={tab} act={props.act.clone()} />
            <div class={classes!("tab-body", (props.stale && props.results.is_some()).then_some("stale"))} role="tabpanel" id="tab-panel" aria-labelledby={tab_id(tab)} aria-busy={props.stale.then_some("true")} tabindex="0">
                { match &props.results {
                    None if props.waits => html! { <Empty text="No results yet. They need the trace of this link." /> },
                    None => html! { <Empty text="Results are shown once a run is complete." /> },
                    Some(results) => body(tab, results, props),
                } }
            </div>
        </section>
    }
}

fn body(tab: Tab, results: &Rc<ResultsView>, props: &ResultsProps) -> Html {
    let range = props.view.range.map_or("whole record", |_| "marked range");
    let marked = props.view.range.map(|range| (range.from(), range.to()));
    let states = &props.states;
    // A closed loop has its own estimate of power, which knows the clock.
    let modelled = results.loops.iter().flatten().any(|loops| loops.power.is_some());
    match tab {
        Tab::Summary => html! {
            <>
                <p class="verdict" data-testid="verdict">{ &results.verdict }<span class="muted">{ format!("  {range}") }</span>{ beside::pointer(&props.doc) }</p>
                <div class="summary-grid">
                    <div>{ loops::card(results, marked.is_some()) }{ tables::summary(results, states) }
                        { for results.misses.iter().map(|said| html! { <p class="reason">{ said }</p> }) }</div>
                    { charts::durations(results, &props.marks, 190.0, 158.0) }
                    { charts::tick_stops(results) }
                    if !modelled { { charts::energy(results) } }
                </div>
                if seed_of(&props.doc).is_some() {
                    <spread::Spread view={props.spread.clone()} onrun={props.onspread.clone()} stale={props.stale} />
                }
                <beside::Beside doc={Rc::clone(&props.doc)} results={Rc::clone(results)} current={!props.stale && marked.is_none()} />
            </>
        },
        Tab::Residency => tables::residency(results, states),
        Tab::Durations => {
            html! { <div style="max-width: 720px">{ charts::durations(results, &props.marks, 700.0, 220.0) }{ tables::durations(results) }</div> }
        }
        Tab::Misses => tables::misses_table(results, states),
        Tab::Latency => tables::latency(results),
        Tab::Energy => {
            html! { <div class="summary-grid"><div>{ tables::energy_table(results) }{ shared::table(results, &props.doc, &props.act) }</div>{ charts::energy(results) }</div> }
        }
        Tab::Why => props.why.as_ref().map_or_else(counting, |why| {
            let seen = props.view.window.map(|window| (window.from(), window.to()));
            let old = why.range != marked.or(seen);
            let place = match (props.view.range, why.range) {
                (Some(_), _) => "marked range",
                (None, Some(_)) => "visible range",
                (None, None) => "whole record",
            };
            older(old, inquiry::why(why, states, place))
        }),
        Tab::Changes => {
            let changes = props.changes.as_ref();
            changes.map_or_else(counting, |changes| {
                older(
                    changes.range != marked,
                    inquiry::changes(changes, &props.oncopy_changes),
                )
            })
        }
        Tab::Mail => html! {
            <MailTab mail={results.mail.clone()} link={props.link.clone()} oncopy={props.oncopy.clone()}
                oncopy_table={props.oncopy_table.clone()} oncopy_link={props.oncopy_link.clone()} />
        },
    }
}

/// An answer, paler while it is about another range than the one asked for.
fn older(old: bool, answer: Html) -> Html {
    html! { <div class={classes!(old.then_some("stale"))} aria-busy={old.then_some("true")}>{ answer }</div> }
}

fn counting() -> Html {
    html! { <Empty text="Counting." /> }
}

fn tab_id(tab: Tab) -> String {
    let name = Tab::NAMED
        .iter()
        .find(|(_, _, named)| *named == tab)
        .map_or("summary", |(name, _, _)| name);
    format!("tab-{name}")
}

#[derive(Properties, PartialEq)]
struct TabsProps {
    tab: Tab,
    act: Callback<Action>,
}

/// The tab row: arrows move, selection follows focus.
#[component]
fn Tabs(props: &TabsProps) -> Html {
    let row = use_node_ref();
    let onkeydown = {
        let (act, row, tab) = (props.act.clone(), row.clone(), props.tab);
        Callback::from(move |event: KeyboardEvent| {
            let count = Tab::NAMED.len();
            let at = Tab::NAMED
                .iter()
                .position(|(_, _, named)| *named == tab)
                .unwrap_or(0);
            let to = match event.key().as_str() {
                "ArrowRight" => (at + 1) % count,
                "ArrowLeft" => (at + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            act.emit(Action::TabChosen(Tab::NAMED[to].2));
            let button = row
                .cast::<HtmlElement>()
                .and_then(|row| row.children().item(u32::try_from(to).unwrap_or(0)))
                .and_then(|element| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(element).ok());
            if let Some(button) = button {
                let _ = button.focus();
            }
        })
    };
    html! {
        <div ref={row} class="tabs" role="tablist" aria-label="Results" {onkeydown}>
            { for Tab::NAMED.iter().map(|(name, label, tab)| {
                let (tab, on) = (*tab, *tab == props.tab);
                html! {
                    <button type="button" role="tab" id={format!("tab-{name}")} aria-controls="tab-panel" aria-selected={if on { "true" } else { "false" }}
                        tabindex={if on { "0" } else { "-1" }} data-testid={format!("tab-{name}")}
                        onclick={props.act.reform(move |_: MouseEvent| Action::TabChosen(tab))}>{ *label }</button>
                }
            }) }
        </div>
    }
}
