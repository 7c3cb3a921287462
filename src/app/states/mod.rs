//! The idle states: the left panel with their chart and table, tick and latency limit; and the
//! full-screen editor.

mod chart;
mod copies;
mod costs;
mod editor;
mod fold;
mod sweep;
mod table;
mod tick;

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{Choice, IconButton, Segments};
use crate::app::icon::Glyph;
use crate::app::splitter::{Edge, Splitter};
use crate::app::start::Empty;
use crate::app::worker::protocol::ResultsView;
use crate::page::action::Action;
use crate::page::doc::{Doc, StateEdit};
use crate::page::live::{BaseState, Live};
use crate::page::plot::depth_steps;
use crate::page::plot::energy::State;
use crate::page::table::{Origin, edited};
use crate::page::view::Panel;
use crate::page::words::number::cpu_list;
use crate::units::{CpuId, Microwatts, Ns};

use chart::EnergyChart;
use costs::MachineCosts;
pub use editor::StateEditor;
use fold::rail;
pub use fold::{Fold, use_fold};
use table::StateTable;
use tick::TickSettings;

/// One idle state with its edits applied, and what it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The machine's own values.
    pub base: BaseState,
    /// What the user changed.
    pub edit: StateEdit,
    /// The user added it.
    pub added: bool,
}

impl Shown {
    /// Target residency, ns.
    pub fn target_residency(&self) -> Ns {
        self.edit.target_residency.unwrap_or(self.base.target_residency)
    }

    /// Exit latency, ns.
    pub fn exit_latency(&self) -> Ns {
        self.edit.exit_latency.unwrap_or(self.base.exit_latency)
    }

    /// Power, µW.
    pub fn power(&self) -> Microwatts {
        self.edit.power.unwrap_or(self.base.power)
    }

    /// Enabled or not.
    pub fn on(&self) -> bool {
        self.edit.on.unwrap_or(self.base.on)
    }
}

/// All states of the machine with the edits of the question.
pub fn shown_states(doc: &Doc, live: &Live, group: usize) -> Vec<Shown> {
    let Some(group) = live.groups.get(group) else {
        return Vec::new();
    };
    let own: Vec<State> = group.states.iter().map(State::from).collect();
    let edited = edited(&own, &doc.edits);
    edited
        .states
        .into_iter()
        .zip(edited.origins)
        .map(|(state, origin)| {
            let base = match origin {
                Origin::Own(n) => group.states.get(n).cloned(),
                Origin::Added => None,
            };
            Shown {
                edit: doc.edits.get(&state.name).cloned().unwrap_or_default(),
                added: base.is_none(),
                base: base.unwrap_or(BaseState {
                    name: state.name,
                    target_residency: state.target_residency,
                    exit_latency: state.exit_latency,
                    power: state.power,
                    on: true,
                    polling: false,
                    timer_stop: false,
                }),
            }
        })
        .collect()
}

/// The states that the CPUs of the workload have, for what is about all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateNames {
    /// Names, shallowest first, of the CPUs that have the most.
    pub names: Vec<AttrValue>,
    /// How many each group of CPUs has, each number once.
    pub counts: Vec<usize>,
}

/// What a swatch shows.
#[derive(Properties, PartialEq)]
pub struct SwatchProps {
    /// Which state.
    pub n: usize,
    /// Of how many; several where CPUs have different tables.
    pub counts: Vec<usize>,
    /// A polling state is hatched.
    #[prop_or_default]
    pub polling: bool,
}

/// The colour and texture of a state; its name always stands beside it. Where the state has another place in the
/// tables of other CPUs, the swatch has a stripe for each of its colours.
#[component]
pub fn Swatch(props: &SwatchProps) -> Html {
    let steps = depth_steps(props.n, &props.counts);
    let style = if let [step] = steps.as_slice() {
        format!("background-color: var(--depth-{step})")
    } else {
        let wide = 100.0 / steps.len().max(1) as f64;
        let stripe = |(n, step): (usize, &usize)| {
            let (from, to) = (wide * n as f64, wide * (n + 1) as f64);
            format!("var(--depth-{step}) {from:.0}% {to:.0}%")
        };
        let stripes: Vec<String> = steps.iter().enumerate().map(stripe).collect();
        format!("background-image: linear-gradient(90deg, {})", stripes.join(", "))
    };
    html! {
        <span class={classes!("swatch", props.polling.then_some("polling"))} {style} aria-hidden="true"></span>
    }
}

/// Which group of CPUs is shown, and the switch between them: none when all CPUs have the same states.
#[hook]
fn use_group(doc: &Doc, live: &Live, cpu: CpuId) -> (usize, Html) {
    let chosen = use_state_eq(|| None::<usize>);
    let count = live.groups.len();
    let group = chosen
        .filter(|group| *group < count)
        .unwrap_or(live.group_of(cpu));
    if count < 2 {
        return (group, Html::default());
    }
    let set = chosen.setter();
    let choices = live.groups.iter().enumerate().map(|(n, group)| {
        let cpus = cpu_list(&group.cpus);
        // Three with the number of states do not fit beside one another.
        let label = if count > 2 {
            cpus
        } else {
            format!("{cpus}, {} states", shown_states(doc, live, n).len())
        };
        Choice::new(label).test(format!("group-{n}"))
    });
    let switch = html! {
        <div class="groups"><Segments name="CPUs whose states are shown" chosen={Some(group)} onchoose={Callback::from(move |n| set.set(Some(n)))} choices={choices.collect::<Vec<_>>()} /></div>
    };
    (group, switch)
}

/// What the panel needs.
#[derive(Properties, PartialEq)]
pub struct StatesProps {
    /// The question.
    pub doc: Rc<Doc>,
    /// What has arrived.
    pub live: Rc<Live>,
    /// The newest results: the idle durations behind the chart.
    pub results: Option<Rc<ResultsView>>,
    /// The focused CPU: its states are shown until another group is chosen.
    pub cpu: CpuId,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Whether it is folded to a rail.
    pub fold: Fold,
    /// Folds or opens it.
    pub onfold: Callback<Fold>,
}

/// The panel.
#[component]
pub fn States(props: &StatesProps) -> Html {
    let (group, switch) = use_group(&props.doc, &props.live, props.cpu);
    let states = shown_states(&props.doc, &props.live, group);
    let edits = props.doc.edits.iter().count();
    let caption = match edits {
        0 => "no edits".to_owned(),
        1 => "1 state edited".to_owned(),
        n => format!("{n} states edited"),
    };
    let onkeydown = {
        let (fold, onfold) = (props.fold, props.onfold.clone());
        Callback::from(move |event: KeyboardEvent| {
            if fold == Fold::Over && event.key() == "Escape" {
                event.stop_propagation();
                onfold.emit(fold.closed());
            }
        })
    };
    html! {
        <section class="panel-left" id="states" aria-label="Idle states" data-tab="states" tabindex="-1" {onkeydown}>
            <Splitter edge={Edge::Left} />
            { rail(props) }
            <div class="scroll">
            <div class="section">
                <div class="section-head">
                    <h2>{ "Idle states" }</h2>
                    <span class="caption clip">{ caption }</span>
                    <span class="space"></span>
                    if edits > 0 {
                        <IconButton small=true glyph={Glyph::Undo} name="Reset all edits" testid="reset-edits" onpress={props.act.reform(|()| Action::EditsReset)} />
                    }
                    <IconButton small=true glyph={Glyph::Expand} name="Open the idle-state editor" key_hint="e" testid="open-editor" onpress={props.act.reform(|()| Action::PanelOpened(Panel::States))} />
                    <IconButton small=true glyph={Glyph::ChevronLeft} name="Fold the idle states to a rail" class="fold-control" testid="fold-left" onpress={props.onfold.reform({ let fold = props.fold; move |()| fold.closed() })} />
                </div>
                if states.is_empty() {
                    <Empty text="The states are shown once a workload or a machine is chosen." />
                } else {
                    { switch }
                    <EnergyChart states={states.clone()} doc={Rc::clone(&props.doc)} results={props.results.clone()} act={props.act.clone()} />
                    <StateTable {states} act={props.act.clone()} />
                }
            </div>
            <TickSettings doc={Rc::clone(&props.doc)} act={props.act.clone()} />
            <MachineCosts doc={Rc::clone(&props.doc)} act={props.act.clone()} />
            </div>
        </section>
    }
}
