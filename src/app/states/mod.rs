//! The left panel: idle states with their chart and table, tick and latency limit, patches.

mod chart;
mod table;
mod tick;

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::IconButton;
use crate::app::icon::Glyph;
use crate::app::splitter::{Edge, Splitter};
use crate::app::start::Empty;
use crate::app::worker::protocol::ResultsView;
use crate::page::action::Action;
use crate::page::doc::{Doc, StateEdit};
use crate::page::live::{BaseState, Live};
use crate::page::plot::depth_step;
use crate::units::{Microwatts, Ns};

use chart::EnergyChart;
use table::StateTable;
use tick::TickSettings;

/// One idle state with its edits applied, and what it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The machine's own values.
    pub base: BaseState,
    /// What the user changed.
    pub edit: StateEdit,
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
pub fn shown_states(doc: &Doc, live: &Live) -> Vec<Shown> {
    live.states
        .iter()
        .map(|base| Shown {
            base: base.clone(),
            edit: doc.edits.get(&base.name).cloned().unwrap_or_default(),
        })
        .collect()
}

/// What a swatch shows.
#[derive(Properties, PartialEq)]
pub struct SwatchProps {
    /// Which state.
    pub n: usize,
    /// Of how many.
    pub count: usize,
    /// A polling state is hatched.
    #[prop_or_default]
    pub polling: bool,
}

/// The colour and texture of a state; its name always stands beside it.
#[component]
pub fn Swatch(props: &SwatchProps) -> Html {
    let step = depth_step(props.n, props.count);
    html! {
        <span class={classes!("swatch", props.polling.then_some("polling"))} style={format!("background-color: var(--depth-{step})")} aria-hidden="true"></span>
    }
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
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The panel.
#[component]
pub fn States(props: &StatesProps) -> Html {
    let states = shown_states(&props.doc, &props.live);
    let edits = props.doc.edits.iter().count();
    let caption = match edits {
        0 => "no edits".to_owned(),
        1 => "1 state edited".to_owned(),
        n => format!("{n} states edited"),
    };
    html! {
        <section class="panel-left" id="states" aria-label="Idle states" data-tab="states" tabindex="-1">
            <Splitter edge={Edge::Left} />
            <div class="scroll">
            <div class="section">
                <div class="section-head">
                    <h2>{ "Idle states" }</h2>
                    <span class="caption clip">{ caption }</span>
                    <span class="space"></span>
                    if edits > 0 {
                        <IconButton small=true glyph={Glyph::Undo} name="Reset all edits" testid="reset-edits" onpress={props.act.reform(|()| Action::EditsReset)} />
                    }
                </div>
                if states.is_empty() {
                    <Empty text="The states are shown once a workload or a machine is chosen." />
                } else {
                    <EnergyChart states={states.clone()} doc={Rc::clone(&props.doc)} results={props.results.clone()} act={props.act.clone()} />
                    <StateTable {states} act={props.act.clone()} />
                }
            </div>
            <TickSettings doc={Rc::clone(&props.doc)} act={props.act.clone()} />
            </div>
        </section>
    }
}
