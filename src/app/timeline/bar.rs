//! The row above the timeline: which lanes are shown, and what the marks mean.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{IconButton, Menu};
use crate::app::icon::{Glyph, Icon};
use crate::app::keys::Command;
use crate::app::picture::picture;
use crate::app::results::miss_glyph;
use crate::app::states::Swatch;
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
    pub states: Rc<Vec<AttrValue>>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Takes commands.
    pub command: Callback<Command>,
}

/// The row.
#[component]
pub fn LaneBar(props: &LaneBarProps) -> Html {
    let count = props.states.len();
    let scenario = !props.lanes.is_empty() && !props.lanes.contains(&LaneId::Recorded);
    let send = |command: Command| props.command.reform(move |()| command);
    html! {
        <div class="lane-bar">
            <div class="segments" role="group" aria-label="Lanes" hidden={props.lanes.is_empty()}>
                { for props.lanes.iter().copied().map(|lane| {
                    let on = props.view.shows(lane);
                    let label = if lane == LaneId::Recorded { "recorded" } else { lane.label() };
                    html! {
                        <button type="button" aria-pressed={if on { "true" } else { "false" }} data-testid={format!("lane-{}", label.to_lowercase())}
                            onclick={props.act.reform(move |_: MouseEvent| Action::LaneToggled(lane))}>{ label }</button>
                    }
                }) }
            </div>
            <Menu face={html! { <Icon glyph={Glyph::ChevronDown} /> }} name="More lanes" class={classes!("btn", "small", "square", "quiet")} anchor={classes!("more-lanes")} stays=true testid="lane-menu">
                { for Extra::ALL.into_iter().filter(|extra| (*extra != Extra::Ideal || scenario) && (*extra != Extra::Frequency || props.clock)).map(|extra| html! {
                    <button key={extra.name()} type="button" class="item" data-testid={format!("extra-{}", extra.name())}
                        aria-pressed={if props.view.extras.shows(extra) { "true" } else { "false" }}
                        onclick={props.act.reform(move |_: MouseEvent| Action::ExtraToggled(extra))}>
                        { extra.label() }<span class="note">{ about(extra) }</span>
                    </button>
                }) }
            </Menu>
            <div class="legend">
                { for props.states.iter().enumerate().map(|(n, name)| html! {
                    <span><Swatch {n} {count} polling={n == 0 && name.contains("POLL")} />{ numbered(n, name) }</span>
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

/// What a lane of the menu shows.
const fn about(extra: Extra) -> &'static str {
    match extra {
        Extra::Ideal => "states of a governor that knows the future",
        Extra::SleepLength => "1 µs to 10 s, dotted at one tick",
        Extra::LatencyLimit => "1 µs to 10 s",
        Extra::Utilization => "dotted at its threshold",
        Extra::Frequency => "0 to the highest clock, all cores",
    }
}
