//! The row under the timeline: step, play, speed, position, jumps.

use std::rc::Rc;

use yew::prelude::*;

use crate::analysis::diff::Depth;
use crate::app::control::{Button, IconButton, Look, Menu};
use crate::app::find::Find;
use crate::app::icon::{Glyph, Icon};
use crate::app::keys::{Command, Way};
use crate::app::pilot::UNKNOWN;
use crate::app::timeline::lane_entries;
use crate::page::action::Action;
use crate::page::doc::Side;
use crate::page::view::{LaneId, View};

/// What the row needs.
#[derive(Properties, PartialEq)]
pub struct PlaybackProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// The cursor's position as text.
    pub now: AttrValue,
    /// The playback speed as text.
    pub speed: AttrValue,
    /// Why there is no difference to go to, if there is none.
    pub alike: Option<AttrValue>,
    /// A variant that is off, so that there is nothing to compare.
    pub absent: Option<Side>,
    /// A run is complete, so there is something to step through.
    pub ready: bool,
    /// Lanes that there are.
    pub lanes: Vec<LaneId>,
    /// The clock changes, so there is a lane for it.
    pub clock: bool,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Takes commands.
    pub command: Callback<Command>,
}

/// The row.
#[component]
pub fn Playback(props: &PlaybackProps) -> Html {
    let send = |command: Command| props.command.reform(move |()| command);
    let playing = props.view.playing;
    let alike = props.alike.clone();
    let refused = (!props.ready).then(|| AttrValue::from(sentence(UNKNOWN)));
    html! {
        <div class="playback" role="group" aria-label="Playback">
            <IconButton class="phone-hide" glyph={Glyph::First} name="First decision" key_hint="Home" refused={refused.clone()} onpress={send(Command::Edge(Way::Previous))} testid="first" />
            <IconButton glyph={Glyph::Previous} name="Previous decision" key_hint="←" refused={refused.clone()} onpress={send(Command::Decision(Way::Previous))} testid="previous" />
            <IconButton glyph={if playing { Glyph::Pause } else { Glyph::Play }} name={if playing { "Pause" } else { "Play" }} key_hint="Space" look={Look::Plain}
                refused={refused.clone()} onpress={send(Command::Play)} testid="play" />
            <IconButton glyph={Glyph::Next} name="Next decision" key_hint="→" refused={refused.clone()} onpress={send(Command::Decision(Way::Next))} testid="next" />
            <IconButton class="phone-hide" glyph={Glyph::Last} name="Last decision" key_hint="End" refused={refused.clone()} onpress={send(Command::Edge(Way::Next))} testid="last" />
            <span class="row tight phone-hide" style="margin-left: 8px">
                <Button small=true look={Look::Quiet} hint="Slower ([)" onpress={send(Command::Speed(Way::Previous))}><span aria-hidden="true">{ "−" }</span><span class="sr">{ "Slower" }</span></Button>
                <span class="caption" data-testid="speed">{ &props.speed }</span>
                <Button small=true look={Look::Quiet} hint="Faster (])" onpress={send(Command::Speed(Way::Next))}><span aria-hidden="true">{ "+" }</span><span class="sr">{ "Faster" }</span></Button>
                <Button small=true look={Look::Quiet} pressed={Some(props.view.stop_at_difference)} hint="Playback stops at the next difference" refused={alike.clone()}
                    onpress={send(Command::StopAtDifference)} testid="stop-at-difference">{ "stop at difference" }</Button>
            </span>
            <span class="now phone-hide" data-testid="now">{ &props.now }</span>
            <span class="space"></span>
            <span class="caption phone-hide">{ "next" }</span>
            <Button small=true refused={alike} onpress={send(Command::Difference(Way::Next))} testid="next-difference"><span class="only-phone">{ "next" }</span>{ "difference" }<kbd class="mid">{ "n" }</kbd></Button>
            <Button small=true class="phone-hide" refused={refused.clone()} onpress={send(Command::Miss(Way::Next))} testid="next-miss">{ "miss" }<kbd class="mid">{ "m" }</kbd></Button>
            <Button small=true class="phone-hide" refused={refused.clone()} onpress={send(Command::TickStop(Way::Next))} testid="next-tick-stop">{ "tick stop" }<kbd class="mid">{ "t" }</kbd></Button>
            <Find alike={props.alike.clone()} absent={props.absent} refused={refused.clone()} command={props.command.clone()} />
            { more(props, refused.as_ref()) }
        </div>
    }
}

/// What a narrow row has no room for.
fn more(props: &PlaybackProps, refused: Option<&AttrValue>) -> Html {
    let item = |label: &'static str, command: Command, why: Option<&AttrValue>, testid: &'static str| {
        let onclick = props.command.reform(move |_: MouseEvent| command);
        html! {
            <button type="button" class="item" disabled={why.is_some()} title={why.cloned()} data-testid={testid} {onclick}>{ label }</button>
        }
    };
    let alike = props.alike.as_ref();
    let stops = props.view.stop_at_difference;
    html! {
        <Menu face={html! { <Icon glyph={Glyph::ChevronDown} /> }} name="More of playback, lanes" class={classes!("btn", "square")} anchor={classes!("playback-more")}
            right=true stays=true testid="playback-more">
            { item("Previous difference", Command::Difference(Way::Previous), alike, "more-previous-difference") }
            { item("Next, B deeper than A", Command::Depth(Depth::Deeper, Way::Next), alike, "more-deeper") }
            { item("Next, B shallower than A", Command::Depth(Depth::Shallower, Way::Next), alike, "more-shallower") }
            { item("Next miss", Command::Miss(Way::Next), refused, "more-miss") }
            { item("Next tick stop", Command::TickStop(Way::Next), refused, "more-tick-stop") }
            <hr />
            { item("First decision", Command::Edge(Way::Previous), refused, "more-first") }
            { item("Last decision", Command::Edge(Way::Next), refused, "more-last") }
            <hr />
            <div class="row" style="padding: 0 10px">
                <span data-testid="more-speed">{ &props.speed }</span><span class="space"></span>
                <Button look={Look::Plain} onpress={props.command.reform(|()| Command::Speed(Way::Previous))} testid="more-slower">{ "Slower" }</Button>
                <Button look={Look::Plain} onpress={props.command.reform(|()| Command::Speed(Way::Next))} testid="more-faster">{ "Faster" }</Button>
            </div>
            <button type="button" class="item" aria-pressed={if stops { "true" } else { "false" }} disabled={alike.is_some()} title={alike.cloned()} data-testid="more-stop"
                onclick={props.command.reform(|_: MouseEvent| Command::StopAtDifference)}>{ "Stop at the next difference" }
                if stops { <span class="note">{ "on" }</span> }
            </button>
            if !props.lanes.is_empty() { <hr />{ lane_entries(&props.view, &props.lanes, props.clock, &props.act) } }
        </Menu>
    }
}

/// With a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
