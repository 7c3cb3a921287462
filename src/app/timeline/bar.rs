//! The row above the timeline: which lanes are shown, and what the marks mean.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{IconButton, Menu};
use crate::app::icon::{Glyph, Icon};
use crate::app::keys::Command;
use crate::app::picture::picture;
use crate::app::results::miss_glyph;
use crate::app::states::{StateNames, Swatch};
use crate::page::action::Action;
use crate::page::extras::Extra;
use crate::page::plot::label::numbered;
use crate::page::plot::timeline::cause_mark;
use crate::page::view::{LaneId, View};
use crate::sim::Cause;

/// What wakes a CPU, as far as it has a mark of its own over the block.
const CAUSES: [(Cause, &str); 3] = [
    (Cause::Timer, "timer"),
    (Cause::Interrupt, "irq"),
    (Cause::Ipi, "IPI"),
];

/// What the row needs.
#[derive(Properties, PartialEq)]
pub struct LaneBarProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// Lanes that there are.
    pub lanes: Vec<LaneId>,
    /// The clock changes, so there is a lane for it.
    pub clock: bool,
    /// Names of the states.
    pub states: Rc<StateNames>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Takes commands.
    pub command: Callback<Command>,
}

/// The row.
#[component]
pub fn LaneBar(props: &LaneBarProps) -> Html {
    let send = |command: Command| props.command.reform(move |()| command);
    html! {
        <div class="lane-bar">
            <div class="segments" role="group" aria-label="Lanes" hidden={props.lanes.is_empty()}>{ lanes(&props.view, &props.lanes, &props.act, None) }</div>
            <Menu face={html! { <Icon glyph={Glyph::ChevronDown} /> }} name="More lanes" class={classes!("btn", "small", "square", "quiet")} anchor={classes!("more-lanes")} stays=true testid="lane-menu">
                { extras(&props.view, (&props.lanes, props.clock), &props.act, "extra") }
            </Menu>
            <div class="legend">
                { for props.states.names.iter().enumerate().map(|(n, name)| html! {
                    <span><Swatch {n} counts={props.states.counts.clone()} polling={n == 0 && name.contains("POLL")} />{ numbered(n, name) }</span>
                }) }
                <span><span class="swatch" style="background: var(--busy)" aria-hidden="true"></span>{ "busy" }</span>
                <span>{ miss_glyph(true) }{ "too deep" }</span>
                <span>{ miss_glyph(false) }{ "too shallow" }</span>
                { for CAUSES.iter().map(|(cause, name)| html! { <span><span aria-hidden="true">{ picture(&cause_mark(*cause)) }</span>{ *name }</span> }) }
            </div>
            <IconButton small=true glyph={Glyph::Zoom} name="Fit everything" key_hint="0" onpress={send(Command::FitAll)} testid="fit-all" />
            <IconButton small=true glyph={Glyph::Table} name="Show timeline as a table" key_hint="v" onpress={send(Command::Table)} testid="decisions-table" />
        </div>
    }
}

/// A button for each lane that there is: in a row, or as entries of a menu.
fn lanes(view: &View, lanes: &[LaneId], act: &Callback<Action>, entry: Option<&'static str>) -> Html {
    lanes
        .iter()
        .copied()
        .map(|lane| {
            let on = view.shows(lane);
            let label = if lane == LaneId::Recorded { "recorded" } else { lane.label() };
            let before = entry.unwrap_or_default();
            html! {
                <button type="button" class={classes!(entry.map(|_| "item"))} aria-pressed={if on { "true" } else { "false" }} data-testid={format!("{before}lane-{}", label.to_lowercase())}
                    onclick={act.reform(move |_: MouseEvent| Action::LaneToggled(lane))}>{ label }</button>
            }
        })
        .collect()
}

/// The entries for the lanes that are off at first.
fn extras(
    view: &View,
    (lanes, clock): (&[LaneId], bool),
    act: &Callback<Action>,
    before: &'static str,
) -> Html {
    let scenario = !lanes.is_empty() && !lanes.contains(&LaneId::Recorded);
    let there = |extra: &Extra| match extra {
        Extra::Ideal => scenario,
        Extra::Frequency => clock,
        Extra::SleepLength | Extra::LatencyLimit | Extra::Utilization | Extra::Together => true,
    };
    Extra::ALL
        .into_iter()
        .filter(there)
        .map(|extra| {
            html! {
                <button key={extra.name()} type="button" class="item extra" data-testid={format!("{before}-{}", extra.name())}
                    aria-pressed={if view.extras.shows(extra) { "true" } else { "false" }}
                    onclick={act.reform(move |_: MouseEvent| Action::ExtraToggled(extra))}>
                    <span>{ extra.label() }</span><span class="note">{ about(extra) }</span>
                </button>
            }
        })
        .collect()
}

/// The row's switches for a menu, where there is no room for the row.
pub fn lane_entries(view: &View, there: &[LaneId], clock: bool, act: &Callback<Action>) -> Html {
    html! {
        <>
            <div class="head">{ "Lanes" }</div>
            { lanes(view, there, act, Some("more-")) }
            { extras(view, (there, clock), act, "more-extra") }
        </>
    }
}

/// What a lane of the menu shows.
const fn about(extra: Extra) -> &'static str {
    match extra {
        Extra::Ideal => "states of a governor that knows the future",
        Extra::SleepLength => "1 µs to 10 s, dotted at one tick",
        Extra::LatencyLimit => "1 µs to 10 s",
        Extra::Utilization => "dotted at its threshold",
        Extra::Frequency => "0 to the highest clock, all cores",
        Extra::Together => {
            "all CPUs with these states asleep together: high when it pays off for the state they share"
        }
    }
}
