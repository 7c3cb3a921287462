//! Messages that stay until they are read: what, expected, found, where (ui.md §14).

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{Button, IconButton};
use crate::app::icon::{Glyph, Icon};
use crate::page::action::Action;
use crate::page::doc::{Doc, Workload};
use crate::page::link;
use crate::page::live::{File, Grade, Live};
use crate::page::sheets::report;
use crate::page::view::Panel;
use crate::page::words::number::Style;

/// What the messages need.
#[derive(Properties, PartialEq)]
pub struct NotesProps {
    /// What has arrived.
    pub live: Rc<Live>,
    /// The question, for what became of a link.
    pub doc: Rc<Doc>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Stops the reading.
    pub oncancel: Callback<()>,
    /// Asks for a file.
    pub onchoose: Callback<()>,
}

/// All messages, newest first.
#[component]
pub fn Notes(props: &NotesProps) -> Html {
    let (live, act) = (&props.live, &props.act);
    html! {
        <>
            { trace_note(live, props) }
            { file_note(&live.file, props) }
            { reading_note(props) }
            { issues_note(props) }
            { misfits_note(props) }
            { for live.messages.iter().enumerate().rev().map(|(n, message)| html! {
                <div class="card" role={if message.grade == Grade::Error { "alert" } else { "status" }} data-testid="message">
                    <div class="title">
                        <Icon glyph={Glyph::Warn} class={match message.grade { Grade::Error => "error", Grade::Warning => "warn", Grade::Note => "muted" }} />
                        { &message.what }<span class="space"></span>
                        <IconButton small=true glyph={Glyph::Close} name="Dismiss" onpress={act.reform(move |()| Action::MessageDismissed(n))} />
                    </div>
                    if !message.detail.is_empty() { <div class="body">{ &message.detail }</div> }
                </div>
            }) }
        </>
    }
}

/// What became of the tables or counters that were opened last.
fn reading_note(props: &NotesProps) -> Html {
    let Some(reading) = props.live.readings.last().filter(|_| props.live.reading_told) else {
        return Html::default();
    };
    let report = report(reading, Style::Page);
    let goes_on = match props.doc.workload {
        Workload::None if props.doc.machine.is_some() => {
            "Pick a workload or open a trace: it runs on this machine."
        }
        _ => "",
    };
    let open = {
        let act = props.act.clone();
        Callback::from(move |()| {
            act.emit(Action::PanelOpened(Panel::Counters));
            // There it stands in full.
            act.emit(Action::ReadingDismissed);
        })
    };
    let states = props.act.reform(|()| Action::PanelOpened(Panel::States));
    html! {
        <div class="card" role="status" data-testid="reading-note">
            <div class="title"><Icon glyph={Glyph::File} />{ format!("Read {}", reading.name) }<span class="space"></span>
                <IconButton small=true glyph={Glyph::Close} name="Dismiss" onpress={props.act.reform(|()| Action::ReadingDismissed)} testid="dismiss-reading" />
            </div>
            <div class="body">
                <div>{ report.headline }</div>
                { for reading.done.iter().map(|line| html! { <div>{ sentence(line) }</div> }) }
                { for report.ignored.iter().map(|line| html! { <div>{ sentence(line) }</div> }) }
                if !goes_on.is_empty() { <div>{ goes_on }</div> }
            </div>
            <div class="actions">
                <Button small=true onpress={open} testid="note-counters">{ "Report and counters" }</Button>
                if props.doc.workload != Workload::None {
                    <Button small=true onpress={states} testid="note-states">{ "Open the states" }</Button>
                }
            </div>
        </div>
    }
}

/// A line with a capital and a full stop.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}

/// Parts of the link that were not understood; a workload with names close to it offers these.
fn issues_note(props: &NotesProps) -> Html {
    let issues = &props.live.issues;
    let near = issues.iter().filter(|issue| issue.is_of_workload());
    let near: Vec<(&String, Workload)> = near
        .flat_map(|issue| &issue.nearest)
        .filter_map(|name| Some((name, link::workload_named(name)?)))
        .collect();
    let body = html! {
        <>
            <div>{ link::rest_of_link(&props.doc) }</div>
            if props.doc.workload == Workload::None && !near.is_empty() {
                <div class="actions">
                    { for near.into_iter().map(|(name, workload)| html! {
                        <Button small=true onpress={props.act.reform(move |()| Action::WorkloadChosen(workload.clone()))}><span>{ format!("Open {name}") }</span></Button>
                    }) }
                </div>
            }
        </>
    };
    let title = ("was not understood", "were not understood");
    let dismiss = props.act.reform(|()| Action::IssuesDismissed);
    link_note("link-issues", title, issues, body, dismiss)
}

/// Places that the link's workload does not have.
fn misfits_note(props: &NotesProps) -> Html {
    let title = ("is not in this workload", "are not in this workload");
    let dismiss = props.act.reform(|()| Action::MisfitsDismissed);
    let body = html! { <div>{ "The rest was applied." }</div> };
    link_note("link-misfits", title, &props.live.misfits, body, dismiss)
}

/// How many parts of a link are told one by one.
const TOLD: usize = 12;

/// What of a link could not be done, one line each; `(one, several)` say why. Of very many only the first are told.
fn link_note<T: std::fmt::Display>(
    testid: &'static str,
    (one, several): (&str, &str),
    parts: &[T],
    rest: Html,
    ondismiss: Callback<()>,
) -> Html {
    if parts.is_empty() {
        return Html::default();
    }
    let title = match parts.len() {
        1 => format!("One part of this link {one}"),
        n => format!("{n} parts of this link {several}"),
    };
    html! {
        <div class="card" role="alert" data-testid={testid}>
            <div class="title"><Icon glyph={Glyph::Warn} class="warn" />{ title }<span class="space"></span>
                <IconButton small=true glyph={Glyph::Close} name="Dismiss" onpress={ondismiss} />
            </div>
            <div class="body">
                { for parts.iter().take(TOLD).map(|part| html! { <div>{ part.to_string() }</div> }) }
                if let Some(more) = parts.len().checked_sub(TOLD).filter(|more| *more > 0) {
                    <div>{ format!("and {more} more") }</div>
                }
                { rest }
            </div>
        </div>
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{}", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}

/// What the link says about its trace.
fn trace_note(live: &Live, props: &NotesProps) -> Html {
    if let Some((id, wanted)) = live.other_trace() {
        return html! {
            <div class="card" role="alert" data-testid="other-trace">
                <div class="title"><Icon glyph={Glyph::File} />{ "The link was made with another trace" }</div>
                <div class="body">{ format!("It expects sha256 {wanted}, this file is {id}. Nothing was run; positions may not match.") }</div>
                <div class="actions">
                    <Button small=true onpress={props.onchoose.clone()}>{ "Choose the right file" }</Button>
                    <Button small=true onpress={props.act.reform(|()| Action::FileAccepted)} testid="use-anyway">{ "Use this file anyway" }</Button>
                </div>
            </div>
        };
    }
    match live.wanted {
        None => Html::default(),
        Some(id) => html! {
            <div class="card" role="status" data-testid="wanted">
                <div class="title"><Icon glyph={Glyph::File} />{ format!("This link speaks of trace {id}") }</div>
                <div class="body">{ "Drop the file here or choose it: the page confirms that it is the same one." }</div>
                <div class="actions"><Button small=true onpress={props.onchoose.clone()}>{ "Choose file" }</Button></div>
            </div>
        },
    }
}

fn file_note(file: &File, props: &NotesProps) -> Html {
    match file {
        File::None => Html::default(),
        File::Reading {
            name,
            bytes,
            total,
            rate,
        } => {
            let percent = (bytes.saturating_mul(100))
                .checked_div(*total)
                .unwrap_or(0)
                .min(100);
            let left = total
                .saturating_sub(*bytes)
                .checked_div(*rate)
                .map_or(String::new(), |s| format!(", {s}\u{202f}s left"));
            html! {
                <div class="card" role="status" data-testid="reading">
                    <div class="title">{ format!("Reading {name}") }<span class="space"></span>
                        <span class="second" style="font-weight: 400">{ format!("{percent}\u{202f}%, {} MB/s{left}", megabytes(*rate)) }</span>
                    </div>
                    <div class="bar" style="margin-top: 8px" role="progressbar" aria-label={format!("Reading {name}")} aria-valuenow={percent.to_string()} aria-valuemin="0" aria-valuemax="100">
                        <div style={format!("width: {percent}%")}></div>
                    </div>
                    <div class="row" style="margin-top: 7px">
                        <span class="second">{ format!("{} of {} MB", megabytes(*bytes), megabytes(*total)) }</span><span class="space"></span>
                        <Button small=true onpress={props.oncancel.clone()} testid="cancel-reading">{ "Cancel " }<kbd>{ "Esc" }</kbd></Button>
                    </div>
                </div>
            }
        }
        File::Ready { .. } => Html::default(),
        // What is wrong is among the messages.
        File::Failed { .. } => Html::default(),
        File::Cancelled { name } => html! {
                    <div class="card" role="status" data-testid="not-read">
                        <div class="title"><Icon glyph={Glyph::File} />
        { format!("Reading {name} was cancelled") }
                        </div>
                        <div class="body">{ "What was on the page is still there." }</div>
                        <div class="actions"><Button small=true onpress={props.onchoose.clone()}>{ "Choose another file" }</Button></div>
                    </div>
                },
    }
}
