//! The first visit: drop, choose or paste a trace, or pick a sample or a generated workload.

mod drop_zone;
mod paste;
mod record;
mod samples;

use yew::prelude::*;

pub use drop_zone::{DropHint, DropZone, FilePicker, all, use_file_picker};
pub use paste::PasteDialog;
use record::RecordCard;
pub use samples::{SampleFacts, sample_facts};

use crate::app::control::Button;
use crate::app::icon::{Glyph, Icon};
use crate::page::doc::SampleId;
use crate::page::generated::Pattern;
use crate::page::machines::Machine;
use crate::page::scenarios::Group;
use crate::page::words::number::cpus;

/// Something the user wants opened.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// Files from this machine.
    Files(Vec<web_sys::File>),
    /// A folder that was dropped, by its name: it cannot be opened.
    Folder(String),
    /// A pasted text.
    Text(String),
    /// A trace that comes with the page.
    Sample(SampleId),
    /// A generated workload with its defaults.
    Generated(Pattern),
}

/// What the screen needs.
#[derive(Properties, PartialEq)]
pub struct StartProps {
    /// Opens something.
    pub onopen: Callback<Opening>,
    /// Tells what was copied, or that it was not.
    pub onsay: Callback<String>,
    /// Opens the validation page.
    #[prop_or_default]
    pub onvalidation: Callback<()>,
    /// Messages about links and files, above everything else.
    #[prop_or_default]
    pub notes: Html,
}

/// The screen.
#[component]
pub fn Start(props: &StartProps) -> Html {
    let pasting = use_state_eq(|| false);
    let open_paste = {
        let pasting = pasting.setter();
        Callback::from(move |()| pasting.set(true))
    };
    let close_paste = {
        let pasting = pasting.setter();
        Callback::from(move |()| pasting.set(false))
    };
    html! {
        <main class="start" id="main">
            <div class="start-grid">
                <div>
                    <h1>{ "Replay Linux idle decisions under another governor" }</h1>
                    <p class="lead">
                        { "Load a trace or pick a workload. idlescope runs two cpuidle governors over the same wakeups, shows where they differ, and explains each choice with the numbers it used." }
                    </p>
                    { props.notes.clone() }
                    <DropZone onopen={props.onopen.clone()} onpaste={open_paste} />
                    <p class="promise"><Icon glyph={Glyph::Lock} />{ "Files stay in this browser. The page contacts no server." }</p>
                    <RecordCard onsay={props.onsay.clone()} />
                </div>
                <div>
                    <div class="start-head"><h2>{ "Sample traces" }</h2><span class="caption">{ "recorded on an emulated machine: decisions are genuine, durations are not hardware's" }</span></div>
                    <div class="start-list">
                        { for SampleId::ALL.into_iter().map(|sample| sample_item(sample, &props.onopen)) }
                    </div>
                    { for Group::ALL.into_iter().map(|group| html! {
                        <>
                            <div class="start-head next"><h2>{ group.label() }</h2><span class="caption">{ group.about() }</span></div>
                            <div class="start-list">{ for group.patterns().map(|pattern| generated_item(pattern, &props.onopen)) }</div>
                        </>
                    }) }
                    <p class="caption" style="margin-top: 8px">
                        { "Generated workloads are seeded: the same link gives the same numbers everywhere. " }
                        <button type="button" class="text-link" data-testid="validation-link" onclick={props.onvalidation.reform(|_: MouseEvent| ())}>{ "How the model compares with published measurements" }</button>
                    </p>
                </div>
            </div>
            if *pasting {
                <PasteDialog onopen={props.onopen.clone()} onclose={close_paste} />
            }
        </main>
    }
}

fn sample_item(sample: SampleId, onopen: &Callback<Opening>) -> Html {
    let facts = sample_facts(sample);
    html! {
        <button type="button" class="start-item" data-testid={format!("sample-{}", sample.id())}
            onclick={onopen.reform(move |_: MouseEvent| Opening::Sample(sample))}>
            <span><span class="name">{ facts.name }</span><span class="what">{ facts.good_for }</span></span>
            <span class="side">{ facts.format }<br />{ facts.extent }</span>
        </button>
    }
}

fn generated_item(pattern: Pattern, onopen: &Callback<Opening>) -> Html {
    let name = pattern.label();
    html! {
        <button type="button" class="start-item" data-testid={format!("generated-{}", pattern.id())}
            onclick={onopen.reform(move |_: MouseEvent| Opening::Generated(pattern))}>
            <span><span class="name">{ name }</span><span class="what">{ pattern.about() }</span></span>
            <span class="side">{ extent(pattern) }</span>
        </button>
    }
}

/// CPUs, and the machine that it runs on.
fn extent(pattern: Pattern) -> Html {
    let machine = Machine::find(pattern.machine()).map(|machine| machine.short_label());
    html! { <>{ cpus(pattern.cpus()) }<br />{ machine.unwrap_or_default() }</> }
}

/// The buttons that open something, for menus elsewhere.
#[component]
pub fn OpenButtons(props: &StartProps) -> Html {
    let pasting = use_state_eq(|| false);
    let set = pasting.setter();
    let close = Callback::from(move |()| set.set(false));
    let set = pasting.setter();
    html! {
        <>
            <DropZone compact=true onopen={props.onopen.clone()} onpaste={Callback::from(move |()| set.set(true))} />
            if *pasting { <PasteDialog onopen={props.onopen.clone()} onclose={close} /> }
        </>
    }
}

/// An empty panel: one sentence and one action.
#[derive(Properties, PartialEq)]
pub struct EmptyProps {
    /// The sentence.
    pub text: AttrValue,
    /// The label of the action, if there is one.
    #[prop_or_default]
    pub action: Option<AttrValue>,
    /// The action.
    #[prop_or_default]
    pub onpress: Callback<()>,
}

/// The empty panel.
#[component]
pub fn Empty(props: &EmptyProps) -> Html {
    html! {
        <div class="empty">
            <p>{ &props.text }</p>
            if let Some(action) = &props.action {
                <Button onpress={props.onpress.clone()}>{ action.clone() }</Button>
            }
        </div>
    }
}
