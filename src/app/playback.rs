//! The row under the timeline: step, play, speed, position, jumps.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{Button, IconButton, Look};
use crate::app::icon::Glyph;
use crate::app::keys::{Command, Way};
use crate::app::pilot::UNKNOWN;
use crate::page::view::View;

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
    /// A run is complete, so there is something to step through.
    pub ready: bool,
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
            <Button small=true refused={alike} onpress={send(Command::Difference(Way::Next))} testid="next-difference">{ "difference" }<kbd class="mid">{ "n" }</kbd></Button>
            <Button small=true refused={refused.clone()} onpress={send(Command::Miss(Way::Next))} testid="next-miss">{ "miss" }<kbd class="mid">{ "m" }</kbd></Button>
            <Button small=true {refused} onpress={send(Command::TickStop(Way::Next))} testid="next-tick-stop">{ "tick stop" }<kbd class="mid">{ "t" }</kbd></Button>
        </div>
    }
}

/// With a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
