//! The import report: every line of the file is accounted for.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{Button, Look};
use crate::app::start::Empty;
use crate::app::worker::protocol::{Facts, ImportView};
use crate::page::words::number::{Style, count, share, stamp};
use crate::units::Time;

const PAGE: Style = Style::Page;

/// What the report needs.
#[derive(Properties, PartialEq)]
pub struct ReportProps {
    /// What became of the lines.
    pub import: Option<Rc<ImportView>>,
    /// What the newest run covers: its agreement with the recording.
    pub facts: Option<Rc<Facts>>,
    /// Back to the timeline.
    pub onclose: Callback<()>,
}

/// The report.
#[component]
pub fn ImportReport(props: &ReportProps) -> Html {
    let Some(import) = &props.import else {
        return html! {
            <main class="report" id="main">
                <Empty text="No file was read: a generated workload has no import report." action="Open timeline" onpress={props.onclose.clone()} />
            </main>
        };
    };
    let [used, kept, bad] = import.lines;
    let all = (used + kept + bad).max(1);
    let width = |n: u64| {
        format!(
            "width: {}%",
            (n as f64 / all as f64 * 100.0).max(if n > 0 { 0.3 } else { 0.0 })
        )
    };
    html! {
            <main class="report" id="main" data-testid="report">
                <div class="row top">
                    <div>
                        <h2>{ format!("Loaded, {} of lines used", share(used, all, 1, PAGE)) }</h2>
                        <p class="second" style="margin-top: 3px">{ &import.headline }</p>
                        if !import.archive.is_empty() { <p class="second" style="margin-top: 3px" data-testid="report-archive">{ &import.archive }</p> }
                    </div>
                    <span class="space"></span>
                    <Button look={Look::Primary} onpress={props.onclose.clone()} testid="open-timeline">{ "Open timeline" }</Button>
                </div>
                <div class="stack" aria-hidden="true">
                    <div class="used" style={width(used)}></div><div class="kept" style={width(kept)}></div><div class="bad" style={width(bad)}></div>
                </div>
                <p class="second" style="margin-top: 6px">{ format!("{} used · {} read, not needed · {} not readable", count(used, PAGE), count(kept, PAGE), count(bad, PAGE)) }</p>
                <div class="columns">
                    <div>
                        <h3>{ "Events" }</h3>
                        <table class="figures" data-testid="report-events">
                            <thead><tr><th scope="col">{ "event" }</th><th scope="col" class="num">{ "lines" }</th><th scope="col">{ "used for" }</th></tr></thead>
                            <tbody>{ for import.events.iter().map(|(name, lines, purpose)| html! {
                                <tr key={name.clone()}><th scope="row"><code>{ name }</code></th><td class="num">{ count(*lines, PAGE) }</td><td class="second">{ purpose }</td></tr>
                            }) }</tbody>
                        </table>
                    </div>
                    <div>
                        <h3>{ "Not used" }</h3>
                        <table class="figures" data-testid="report-skipped">
                            <thead><tr><th scope="col">{ "reason" }</th><th scope="col" class="num">{ "lines" }</th><th scope="col" class="num">{ "first at" }</th></tr></thead>
                            <tbody>
                                if import.skipped.is_empty() { <tr><td colspan="3" class="second">{ "every line was used or is an event that is not needed" }</td></tr> }
                                { for import.skipped.iter().map(|(reason, lines, first, found, grave)| html! {
                                    <tr>
                                        <th scope="row" style={grave.then_some("color: var(--warn)")}>{ reason }
                                            if !found.is_empty() { <div class="caption">{ found }</div> }
                                        </th>
                                        <td class="num">{ count(*lines, PAGE) }</td>
                                        <td class="num">{ first.first().map_or(String::new(), |line| format!("line {}", count(*line, PAGE))) }</td>
                                    </tr>
                                }) }
                            </tbody>
                        </table>
                        <h3>{ "What this trace cannot tell" }</h3>
                        <ul class="plain">
    { for props.facts.iter().flat_map(|facts| facts.gaps.iter()).map(|gap| html! { <li>{ gap }</li> }) }
                        </ul>
                        <h3>{ "What the governor read, rebuilt" }</h3>
                        <ul class="plain">
                            { for props.facts.iter().flat_map(|facts| facts.inputs.iter()).map(|input| html! { <li>{ input }</li> }) }
                        </ul>
                        if let Some((sentence, _)) = props.facts.as_ref().and_then(|facts| facts.agreement.clone()) {
                            <h3>{ "Check against the recorded kernel" }</h3><p class="second">{ sentence }</p>
                        }
                        if let Some(facts) = props.facts.as_ref().filter(|facts| !facts.cross.is_empty()) {
                            <h3>{ "What the kernel recorded, against the recorded lane" }</h3>
                            <ul class="plain" data-testid="report-cross">
                                { for facts.cross.iter().map(|(sentence, good)| html! {
                                    <li style={(!good).then_some("color: var(--warn)")}>{ sentence }</li>
                                }) }
                            </ul>
                        }
                        if let Some(facts) = props.facts.as_ref().filter(|facts| facts.own_numbers.is_some()) {
                            { own_numbers(facts) }
                        }
                    </div>
                </div>
                if !import.lost.is_empty() { { lost(import) } }
            </main>
        }
}

fn own_numbers(facts: &Facts) -> Html {
    html! {
        <div data-testid="report-own-numbers">
            <h3>{ "What the recorded governor printed about itself" }</h3>
            <ul class="plain">
                { for facts.own_numbers.iter().map(|(sentence, good)| html! {
                    <li style={(!good).then_some("color: var(--warn)")}>{ sentence }</li>
                }) }
                { for facts.own_notes.iter().map(|note| html! { <li>{ note }</li> }) }
            </ul>
        </div>
    }
}

fn lost(import: &ImportView) -> Html {
    let (first, last) = import.span;
    let span = last.saturating_since(first).as_ns().max(1) as f64;
    let at = |time: Time| time.saturating_since(first).as_ns() as f64 / span * 100.0;
    html! {
        <>
            <h3>{ "Where events were lost" }</h3>
            { for import.cpus.iter().map(|cpu| html! {
                <div class="row" style="height: 18px">
                    <span class="caption" style="width: 44px">{ cpu.to_string() }</span>
                    <div style="flex: 1; height: 12px; background: var(--sunken); position: relative">
                        { for import.lost.iter().filter(|(lost, ..)| lost == cpu).map(|(_, time, events)| html! {
                            <span title={format!("{} lost at {}", events.map_or("events".to_owned(), |n| format!("{n} events")), stamp(*time, PAGE))}
                                style={format!("position: absolute; left: {:.2}%; width: 4px; height: 12px; background: var(--too-shallow)", at(*time))}></span>
                        }) }
                    </div>
                </div>
            }) }
            <p class="caption" style="padding-left: 52px">{ format!("{} – {}", stamp(first, PAGE), stamp(last, PAGE)) }</p>
        </>
    }
}
