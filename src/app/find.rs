//! What the timeline can be searched for, with the keys that do the same.

use yew::prelude::*;

use crate::analysis::diff::Depth;
use crate::app::control::Menu;
use crate::app::icon::{Glyph, Icon};
use crate::app::keys::{Command, Way};
use crate::page::doc::Side;

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct FindProps {
    /// Why there is no difference to go to, if there is none.
    pub alike: Option<AttrValue>,
    /// A variant that is off, so that there is nothing to compare.
    pub absent: Option<Side>,
    /// Why there is nothing to step through yet, if so.
    pub refused: Option<AttrValue>,
    /// Takes commands.
    pub command: Callback<Command>,
}

/// One thing to look for: what, the command for the next one, its keys forward and back, and its name for tests.
type Search = (&'static str, Command, &'static str, &'static str);

/// What needs both variants.
const COMPARED: [Search; 3] = [
    ("Difference", Command::Difference(Way::Next), "n N", "difference"),
    (
        "B deeper than A",
        Command::Depth(Depth::Deeper, Way::Next),
        "j J",
        "deeper",
    ),
    (
        "B shallower than A",
        Command::Depth(Depth::Shallower, Way::Next),
        "k K",
        "shallower",
    ),
];

/// What one lane tells.
const ALONE: [Search; 2] = [
    ("Miss", Command::Miss(Way::Next), "m M", "miss"),
    ("Tick stop", Command::TickStop(Way::Next), "t T", "tick-stop"),
];

/// The menu.
#[component]
pub fn Find(props: &FindProps) -> Html {
    html! {
        <Menu face={html! { <Icon glyph={Glyph::Search} /> }} name="Find in the timeline" class={classes!("btn", "small", "square")} anchor={classes!("find-anchor", "phone-hide")}
            right=true testid="find">
            { for COMPARED.iter().map(|search| row(search, props, props.alike.as_ref())) }
            if let Some(side) = props.absent {
                <button type="button" class="item" data-testid="find-choose" onclick={props.command.reform(move |_: MouseEvent| Command::Choose(side))}>{ choose(side) }</button>
            }
            <hr />
            { for ALONE.iter().map(|search| row(search, props, props.refused.as_ref())) }
        </Menu>
    }
}

/// What a button says that opens the choice of a variant.
pub fn choose(side: Side) -> String {
    format!("Choose a governor for {}", side.letter())
}

/// Next of one thing; its keys go both ways.
fn row((what, command, keys, test): &Search, props: &FindProps, why: Option<&AttrValue>) -> Html {
    let command = *command;
    html! {
        <button type="button" class="item" disabled={why.is_some()} title={why.cloned()} data-testid={format!("find-{test}")}
            onclick={props.command.reform(move |_: MouseEvent| command)}>{ *what }<span class="note">{ for keys.split(' ').map(|key| html! { <><kbd>{ key }</kbd>{ " " }</> }) }</span></button>
    }
}
