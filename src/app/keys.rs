//! Which key does what, and the list of them (ui.md §9).
//!
//! Single keys act when focus is on the page or in the timeline, never in fields, menus or
//! dialogs. Browser keys are never taken.

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use crate::analysis::diff::Depth;
use crate::app::control::Dialog;
use crate::page::doc::Side;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Play or pause.
    Play,
    /// To an event on any CPU.
    Event(Way),
    /// To a decision on this CPU.
    Decision(Way),
    /// To another CPU.
    Cpu(Way),
    /// To the first or the last decision of this CPU.
    Edge(Way),
    /// Fit the selected decision.
    FitDecision,
    /// Fit everything.
    FitAll,
    /// To a difference.
    Difference(Way),
    /// To a decision in which B is deeper or shallower than A.
    Depth(Depth, Way),
    /// To a miss.
    Miss(Way),
    /// To a tick stop.
    TickStop(Way),
    /// Zoom in (next) or out at the cursor.
    Zoom(Way),
    /// Pan a quarter view.
    Pan(Way),
    /// Show or hide a variant.
    ToggleA,
    /// Show or hide a variant.
    ToggleB,
    /// Swap A and B.
    Swap,
    /// Mark the start, then the end of a range.
    MarkRange,
    /// Keep the decision.
    Pin,
    /// Open or close the idle-state editor.
    States,
    /// Focus the inspector.
    Inspector,
    /// Copy table and link.
    CopyTable,
    /// Copy the link.
    CopyLink,
    /// Playback stops at differences, or does not.
    StopAtDifference,
    /// Playback slower (previous) or faster.
    Speed(Way),
    /// Opens the choice of a variant's governor.
    Choose(Side),
    /// The list of keys.
    Keys,
    /// Cancel, else clear the selection.
    Escape,
    /// Take back.
    Undo,
    /// Bring back.
    Redo,
    /// The timeline as a table.
    Table,
    /// First key of a two-key jump.
    Go,
    /// Second key of it: to a region or screen.
    GoTo(Place),
}

/// Where the two-key jumps lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The timeline.
    Timeline,
    /// The idle states.
    States,
    /// The results.
    Results,
    /// The table for mail.
    Mail,
    /// Published measurements beside ours.
    Validation,
    /// The start screen.
    Start,
}

/// How long the first key of a two-key jump waits for the second, ms.
pub const GO_MS: f64 = 1_500.0;

/// The second key of a two-key jump.
pub fn go(event: &KeyboardEvent) -> Option<Command> {
    Some(Command::GoTo(match event.key().as_str() {
        "t" => Place::Timeline,
        "s" => Place::States,
        "r" => Place::Results,
        "m" => Place::Mail,
        "v" => Place::Validation,
        "h" => Place::Start,
        _ => return None,
    }))
}

/// Forward or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Forward.
    Next,
    /// Back.
    Previous,
}

/// Where the focus is, as far as keys care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// On the page itself or something that takes no text.
    Page,
    /// In the timeline.
    Timeline,
    /// On a handle or a splitter, which takes the keys of a slider.
    Handle,
    /// In a field, a menu or a dialog: single keys mean something else there.
    Elsewhere,
}

/// Where a key event happened.
pub fn focus_of(event: &KeyboardEvent) -> Focus {
    let Some(element) = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
    else {
        return Focus::Page;
    };
    let inside = |selector: &str| element.closest(selector).ok().flatten().is_some();
    if inside("[role=application]") {
        Focus::Timeline
    } else if inside("[role=slider], [role=separator]") {
        Focus::Handle
    } else if inside("input:not([type=checkbox]), textarea, select, .menu, [role=dialog]") {
        Focus::Elsewhere
    } else {
        Focus::Page
    }
}

/// The command of a key event, if it has one where the focus is.
pub fn command(event: &KeyboardEvent, focus: Focus) -> Option<Command> {
    use Command as C;
    use Way::{Next, Previous};
    let key = event.key();
    if focus == Focus::Elsewhere {
        return None;
    }
    if event.ctrl_key() || event.meta_key() {
        return match (key.as_str(), event.shift_key()) {
            ("z", false) => Some(C::Undo),
            ("Z" | "z", true) | ("y", _) => Some(C::Redo),
            _ => None,
        };
    }
    if event.alt_key() {
        return None;
    }
    if focus == Focus::Handle {
        return (key == "Escape").then_some(C::Escape);
    }
    if focus == Focus::Timeline {
        match key.as_str() {
            " " => return Some(C::Play),
            "ArrowRight" => return Some(C::Decision(Next)),
            "ArrowLeft" => return Some(C::Decision(Previous)),
            "ArrowDown" => return Some(C::Cpu(Next)),
            "ArrowUp" => return Some(C::Cpu(Previous)),
            "Home" => return Some(C::Edge(Previous)),
            "End" => return Some(C::Edge(Next)),
            _ => {}
        }
    }
    // The four that match by position, so that they stay a block on every layout.
    if !event.shift_key() {
        match event.code().as_str() {
            "KeyW" => return Some(C::Zoom(Next)),
            "KeyS" => return Some(C::Zoom(Previous)),
            "KeyA" => return Some(C::Pan(Previous)),
            "KeyD" => return Some(C::Pan(Next)),
            _ => {}
        }
    }
    Some(match key.as_str() {
        "." => C::Event(Next),
        "," => C::Event(Previous),
        "n" => C::Difference(Next),
        "N" => C::Difference(Previous),
        // Below and above on the keyboard as in the lanes.
        "j" => C::Depth(Depth::Deeper, Next),
        "J" => C::Depth(Depth::Deeper, Previous),
        "k" => C::Depth(Depth::Shallower, Next),
        "K" => C::Depth(Depth::Shallower, Previous),
        "m" => C::Miss(Next),
        "M" => C::Miss(Previous),
        "t" => C::TickStop(Next),
        "T" => C::TickStop(Previous),
        "f" => C::FitDecision,
        "0" => C::FitAll,
        "1" => C::ToggleA,
        "2" => C::ToggleB,
        "x" => C::Swap,
        "r" => C::MarkRange,
        "p" => C::Pin,
        "e" => C::States,
        "i" => C::Inspector,
        "c" => C::CopyTable,
        "l" => C::CopyLink,
        "[" => C::Speed(Previous),
        "]" => C::Speed(Next),
        "?" => C::Keys,
        "Escape" => C::Escape,
        "v" => C::Table,
        "g" => C::Go,
        _ => return None,
    })
}

/// Keys with what they do, for the list.
const LIST: [(&str, &str); 28] = [
    ("Space", "play, pause (in the timeline)"),
    (". ,", "next, previous event on any CPU"),
    ("→ ←", "next, previous decision on this CPU (in the timeline)"),
    ("↓ ↑", "next, previous CPU (in the timeline)"),
    ("Home End", "first, last decision (in the timeline)"),
    ("n N", "next, previous difference"),
    ("j J", "next, previous decision in which B is deeper than A"),
    ("k K", "next, previous decision in which B is shallower than A"),
    ("m M", "next, previous miss"),
    ("t T", "next, previous tick stop"),
    ("W S", "zoom in, out at the cursor"),
    ("A D", "pan a quarter view"),
    ("f", "fit the selected decision"),
    ("0", "fit everything"),
    ("1 2", "show or hide A, B"),
    ("x", "swap A and B"),
    ("r", "mark the range's start, then its end"),
    ("p", "pin the decision"),
    ("e", "idle-state editor"),
    ("i", "decision inspector"),
    ("c", "copy table and link"),
    ("l", "copy link"),
    ("v", "timeline as a table"),
    ("[ ]", "slower, faster"),
    (
        "g then t s r m v h",
        "go to timeline, states, results, mail table, validation, start",
    ),
    ("?", "this list"),
    ("Esc", "cancel a drag, a run, a dialog; else clear the selection"),
    ("Ctrl Z, Ctrl Shift Z", "undo, redo"),
];

/// What the list needs.
#[derive(Properties, PartialEq)]
pub struct KeysProps {
    /// Closes it.
    pub onclose: Callback<()>,
}

/// The searchable list of keys.
#[component]
pub fn KeyList(props: &KeysProps) -> Html {
    let filter = use_state_eq(String::new);
    let oninput = {
        let filter = filter.setter();
        Callback::from(move |event: InputEvent| {
            filter.set(
                event
                    .target_unchecked_into::<web_sys::HtmlInputElement>()
                    .value()
                    .to_lowercase(),
            );
        })
    };
    html! {
        <Dialog title="Keys" onclose={props.onclose.clone()} testid="keys-dialog">
            <p class="second">{ "Single keys act when no field, menu or dialog has the focus." }</p>
            <input class="field" style="width: 100%; margin: 8px 0" aria-label="Search keys" placeholder="Search" {oninput} />
            <div class="keys">
                { for LIST.iter().filter(|(key, does)| does.contains(filter.as_str()) || key.to_lowercase().contains(filter.as_str())).map(|(key, does)| html! {
                    <div><span>{ does }</span><span class="nowrap"><kbd>{ key }</kbd></span></div>
                }) }
            </div>
        </Dialog>
    }
}
