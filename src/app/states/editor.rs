//! The full-screen idle-state editor: energy against duration, the table, and what the whole range of
//! one number does to both variants (ui.md §6, §7).

use std::rc::Rc;

use yew::prelude::*;

use super::chart::{EnergyChart, drawn, durations};
use super::copies::CopyTable;
use super::sweep::{SmallSweeps, Sweep, range, use_sweep};
use super::table::StateTable;
use super::{Shown, shown_states, use_group};
use crate::app::control::{Button, Choice, IconButton, Segments};
use crate::app::engine::Engine;
use crate::app::icon::{Glyph, Icon};
use crate::app::keys::Command;
use crate::app::root::focus;
use crate::app::start::Empty;
use crate::app::timeline::use_size;
use crate::cpuidle::MAX_STATES;
use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::{Doc, Presence, StateField};
use crate::page::live::Live;
use crate::page::plot::energy::{Chart, Measure};
use crate::page::sweep::Swept;
use crate::page::view::{LaneId, Panel};
use crate::page::words::number::cpu_list;
use crate::units::Ns;

/// What the editor needs.
#[derive(Properties, PartialEq)]
pub struct EditorProps {
    /// The page.
    pub page: Page,
    /// The connection to the worker.
    pub engine: Engine,
    /// A newer run is under way.
    pub stale: bool,
    /// Tells something short.
    pub onsay: Callback<String>,
    /// Messages.
    pub notes: Html,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Takes commands.
    pub command: Callback<Command>,
}

/// What is swept before anything was taken hold of: an edited number, else the residency of the first
/// state that has a choice before it.
fn first(doc: &Doc, states: &[Shown]) -> Option<Swept> {
    let edited = doc.edits.iter().find_map(|(state, edit)| {
        let field = if edit.target_residency.is_some() {
            StateField::TargetResidency
        } else if edit.exit_latency.is_some() {
            StateField::ExitLatency
        } else {
            edit.power.map(|_| StateField::Power)?
        };
        Some((state, field))
    });
    let (state, field) = edited.or_else(|| {
        let state = states.get(1).or(states.first())?;
        Some((state.base.name.as_str(), StateField::TargetResidency))
    })?;
    Some(Swept {
        state: state.to_owned(),
        field,
    })
}

/// States of the machine that the question does without.
fn removed(doc: &Doc, live: &Live, group: usize) -> Vec<String> {
    let gone = |name: &str| {
        let edit = doc.edits.get(name);
        edit.is_some_and(|edit| edit.presence == Presence::Removed)
    };
    let states = live.groups.get(group).into_iter().flat_map(|group| &group.states);
    let names = states.map(|state| state.name.clone());
    names.filter(|name| gone(name)).collect()
}

/// The editor.
#[component]
pub fn StateEditor(props: &EditorProps) -> Html {
    let (page, act, engine) = (&props.page, &props.act, &props.engine);
    let (group, switch) = use_group(&page.doc, &page.live, page.view.cpu);
    let states = shown_states(&page.doc, &page.live, group);
    let picked = use_state_eq(|| None::<Swept>);
    let lane = use_state_eq(|| None::<LaneId>);
    let measure = use_state_eq(Measure::default);
    let swept = picked
        .as_ref()
        .filter(|swept| states.iter().any(|state| state.base.name == swept.state))
        .cloned()
        .or_else(|| first(&page.doc, &states));
    let view = use_sweep(&states, swept.as_ref(), engine);
    let stage = use_node_ref();
    let (_, height) = use_size(&stage);
    use_effect_with((), move |()| {
        focus("states");
        // The timeline is there again when the editor is gone.
        || wasm_bindgen_futures::spawn_local(async { focus("timeline") })
    });
    let results = engine.findings.results.clone();
    let lanes: Vec<LaneId> = results
        .iter()
        .flat_map(|results| results.lanes.iter().filter_map(|lane| lane.lane))
        .collect();
    let whose = lane.or(lanes.first().copied());
    let onlane = {
        let (set, lanes) = (lane.setter(), lanes.clone());
        Callback::from(move |n: usize| set.set(lanes.get(n).copied()))
    };
    let onpick = {
        let set = picked.setter();
        Callback::from(move |swept: Swept| set.set(Some(swept)))
    };
    let read_out = swept.as_ref().and_then(|swept| {
        let (_, own) = range(&states, swept)?;
        let now = swept.value(&page.doc).unwrap_or(own);
        let chart = Chart {
            width: 0.0,
            height: 0.0,
            states: states.iter().map(drawn).collect(),
            before: Vec::new(),
            durations: durations(results.as_deref(), whose),
            rows: false,
            measure: Measure::Energy,
        };
        if states
            .iter()
            .any(|state| state.added && state.base.name == swept.state)
        {
            return Some(format!("{}; the machine has no such state.", swept.told(now)));
        }
        let all = chart.durations.iter().map(|count| u64::from(*count)).sum();
        Some(swept.read_out(own, now, chart.between(Ns::new(own), Ns::new(now)), all))
    });
    let machine = engine
        .findings
        .facts
        .as_ref()
        .map(|facts| format!(", {}", facts.machine));
    let edited = !page.doc.edits.is_empty();
    let onmeasure = {
        let set = measure.setter();
        Callback::from(move |n: usize| {
            set.set(if n == 0 {
                Measure::Energy
            } else {
                Measure::MeanPower
            })
        })
    };
    let cpus = page.live.groups.get(group).map(|group| cpu_list(&group.cpus));
    let about = format!(
        "{}, {}{}",
        engine
            .findings
            .facts
            .as_ref()
            .map_or("idle states", |facts| &facts.machine),
        cpus.unwrap_or_default(),
        if edited { ", edited" } else { "" }
    );
    let gone: Vec<String> = removed(&page.doc, &page.live, group);
    html! {
        <main class="editor" id="states" tabindex="-1" aria-label="Idle-state editor" data-testid="state-editor">
            <div class="editor-bar">
                <h1>{ "Idle states" }{ machine }</h1>
                <span class="second clip">{ "Drag a handle; both variants run again while it moves." }</span>
                <span class="space"></span>
                { switch }
                <Segments name="What the height of the chart means" chosen={Some(usize::from(*measure == Measure::MeanPower))} onchoose={onmeasure}
                    choices={vec![Choice::new("energy").test("measure-energy"), Choice::new("mean power").test("measure-power")]} />
                if lanes.len() > 1 {
                    <span class="caption">{ "idles of" }</span>
                    <Segments name="Whose idle durations are shown" chosen={lanes.iter().position(|lane| Some(*lane) == whose)} onchoose={onlane}
                        choices={lanes.iter().map(|lane| Choice::new(if *lane == LaneId::Recorded { "recorded" } else { lane.letter() })).collect::<Vec<_>>()} />
                }
                <Button glyph={Glyph::Undo} refused={(!page.history.can_undo()).then(|| AttrValue::from("Nothing to take back"))} onpress={props.command.reform(|()| Command::Undo)} testid="editor-undo">
                    { "Undo " }<kbd>{ "Ctrl Z" }</kbd>
                </Button>
                <Button refused={(!edited).then(|| AttrValue::from("Nothing is edited"))} onpress={act.reform(|()| Action::EditsReset)} testid="editor-reset">{ "Reset all" }</Button>
                <IconButton glyph={Glyph::Close} name="Close the editor" key_hint="Esc" testid="close-editor" onpress={act.reform(|()| Action::PanelOpened(Panel::None))} />
            </div>
            <div class="notes">{ props.notes.clone() }</div>
            // Here from the start, so that its size is known when the states are.
            <div class="editor-chart" ref={stage}>
                if states.is_empty() {
                    <Empty text="The states are shown once a machine is known." />
                } else {
                    <p class="read-out" role="status" data-testid="read-out">{ read_out }</p>
                    <EnergyChart states={states.clone()} doc={Rc::clone(&page.doc)} {results} act={act.clone()} height={(height - 30.0).max(0.0)} lane={whose} measure={*measure} onpick={onpick.clone()} />
                }
            </div>
            if !states.is_empty() {
                <div class="editor-side">
                    <div class="section">
                        <div class="section-head"><h2>{ "Table" }</h2><span class="caption">{ format!("{} of {MAX_STATES} states", states.len()) }</span><span class="space"></span>
                            <CopyTable states={states.clone()} {about} onsay={props.onsay.clone()} />
                        </div>
                        <StateTable states={states.clone()} act={act.clone()} {onpick} picked={swept.clone()} growing=true />
                        if !gone.is_empty() {
                            <p class="gone" data-testid="removed-states"><span class="second">{ "Removed" }</span>
                                { for gone.into_iter().map(|name| {
                                    let back = name.clone();
                                    html! { <button type="button" class="btn small" onclick={act.reform(move |_: MouseEvent| Action::StateReset(back.clone()))} aria-label={format!("Bring {name} back")}><Icon glyph={Glyph::Undo} />{ name }</button> }
                                }) }
                            </p>
                        }
                        <p class="caption about">{ "Enter applies; an edit reaches every CPU that has the state." }</p>
                    </div>
                    if let Some(swept) = swept.clone() { <Sweep {swept} view={view.clone()} stale={props.stale} /> }
                </div>
                if let Some(swept) = swept { <SmallSweeps {swept} {view} stale={props.stale} /> }
            }
        </main>
    }
}
