//! The decision inspector: the answer first, then cards, what the governor remembered and what it read,
//! and the steps of A beside those of B.

mod lights;
mod memory;
mod steps;

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::control::{Button, Choice, IconButton, Segments};
use crate::app::find::choose;
use crate::app::icon::Glyph;
use crate::app::keys::{Command, Way};
use crate::app::sheet::SheetGrab;
use crate::app::splitter::{Edge, Splitter};
use crate::app::start::Empty;
use crate::app::worker::protocol::{CardView, DecisionView};
use crate::page::action::Action;
use crate::page::doc::Side;
use crate::page::touch::Turn;
use crate::page::view::{LaneId, View};

pub use steps::Steps;

use memory::Memory;

/// What the inspector needs.
#[derive(Properties, PartialEq)]
pub struct InspectorProps {
    /// Where one looks.
    pub view: Rc<View>,
    /// The selected decision, if there is one.
    pub decision: Option<Rc<DecisionView>>,
    /// The decision that is kept beside it.
    pub pinned: Option<Rc<DecisionView>>,
    /// A run is complete, so decisions can be selected.
    pub ready: bool,
    /// Why there is no difference to go to, if there is none.
    pub alike: Option<AttrValue>,
    /// A variant that is off, so that there is nothing to compare.
    pub absent: Option<Side>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Takes commands.
    pub command: Callback<Command>,
    /// Copies a link to this decision.
    pub onlink: Callback<()>,
    /// Tells something short.
    pub onsay: Callback<String>,
}

/// The class of a lane's badge.
pub const fn lane_class(lane: LaneId) -> &'static str {
    match lane {
        LaneId::Ideal | LaneId::Recorded => "r",
        LaneId::A => "a",
        LaneId::B => "b",
    }
}

/// The inspector.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let send = |command: Command| props.command.reform(move |()| command);
    let pinned = props.view.pin.is_some();
    html! {
        <section class="panel-right" id="decision" aria-label="Decision" tabindex="-1" data-tab="decision" data-testid="inspector">
            <Splitter edge={Edge::Right} />
            <SheetGrab onturn={props.command.reform(|turn: Turn| Command::Decision(match turn { Turn::Next => Way::Next, Turn::Previous => Way::Previous }))} />
            <div class="scroll">
                <div class="section-head inspector-head">
                    <h2>{ "Decision" }</h2>
                    <span class="caption clip" data-testid="decision-place">{ props.decision.as_ref().map(|decision| decision.place.clone()).unwrap_or_default() }</span>
                    <span class="space"></span>
                    <IconButton small=true glyph={Glyph::Previous} name="Previous difference" key_hint="N" refused={props.alike.clone()} onpress={send(Command::Difference(Way::Previous))} />
                    <IconButton small=true glyph={Glyph::Next} name="Next difference" key_hint="n" refused={props.alike.clone()} onpress={send(Command::Difference(Way::Next))} />
                    <IconButton small=true glyph={Glyph::Pin} name={if pinned { "Let the kept decision go" } else { "Keep this decision open" }} key_hint="p" pressed={pinned} testid="pin" onpress={send(Command::Pin)} />
                </div>
                { match &props.decision {
                    Some(decision) => body(decision, props),
                    None if props.ready && props.alike.is_some() => {
                        let text = format!("No decision selected. Press one on the timeline. {}", props.alike.clone().unwrap_or_default());
                        let press = props.absent.map(|side| send(Command::Choose(side)));
                        html! { <Empty {text} action={props.absent.map(|side| AttrValue::from(choose(side)))} onpress={press.unwrap_or_default()} /> }
                    }
                    None if props.ready => html! {
                        <Empty text="No decision selected. Press one on the timeline, or go to the first difference." action="Next difference"
                            onpress={send(Command::Difference(Way::Next))} />
                    },
                    None => html! { <Empty text="A decision is explained here once a run is complete." /> },
                } }
                if let Some(kept) = &props.pinned {
                    <section class="section" aria-label="Kept decision" data-testid="pinned">
                        <div class="section-head"><h3>{ "Kept" }</h3><span class="caption clip">{ &kept.place }</span></div>
                        <div class="answer"><p class="first">{ &kept.answer }</p><p class="then">{ &kept.then }</p></div>
                        <div class="cards">{ for kept.cards.iter().filter(|card| card.lane != LaneId::Recorded).map(card) }</div>
                        <Steps key={kept.place.clone()} decision={Rc::clone(kept)} kernel_names={props.view.kernel_names} />
                    </section>
                }
            </div>
        </section>
    }
}

fn body(decision: &Rc<DecisionView>, props: &InspectorProps) -> Html {
    let names = props.view.kernel_names;
    let explain = {
        let (decision, onsay) = (Rc::clone(decision), props.onsay.clone());
        Callback::from(move |()| {
            let (text, onsay) = (as_text(&decision, names), onsay.clone());
            spawn_local(async move {
                let done = browser::copy(&text).await;
                onsay.emit(
                    if done {
                        "Explanation copied"
                    } else {
                        "The browser refused the clipboard"
                    }
                    .to_owned(),
                );
            });
        })
    };
    let count = decision.steps.len();
    html! {
        <>
            <div class="answer">
                <p class="first" data-testid="answer">{ &decision.answer }</p>
                <p class="then" data-testid="outcome">{ &decision.then }</p>
            </div>
            if !decision.decisive.is_empty() { { steps::decisive(&decision.decisive, names) } }
            if let Some(patches) = &decision.patches { <p class="second behind" data-testid="patches-behind">{ patches }</p> }
            <div class="cards">
                { for decision.cards.iter().filter(|card| card.lane != LaneId::Recorded).map(card) }
                { for decision.cards.iter().filter(|card| card.lane == LaneId::Recorded).map(recorded) }
            </div>
            { for decision.memories.iter().enumerate().map(|(n, memory)| html! {
                <Memory key={n} memory={memory.clone()} alone={decision.memories.len() == 1} onsay={props.onsay.clone()} />
            }) }
            if !decision.inputs.is_empty() {
                <div class="section">
                    <div class="section-head"><h3>{ "What the governor read" }</h3></div>
                    <dl class="inputs">{ for decision.inputs.iter().map(|(name, value)| html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> }) }</dl>
                </div>
            }
            <div class="section">
                <div class="section-head">
                    <h3>{ "Steps" }</h3><span class="caption">{ if count > 0 { format!("{count}") } else { String::new() } }</span><span class="space"></span>
                    <Segments name="Words in steps" chosen={Some(usize::from(names))} choices={vec![Choice::new("plain"), Choice::new("kernel names").test("kernel-names")]}
                        onchoose={props.act.reform(|_: usize| Action::NamesSwitched)} />
                </div>
                <Steps key={decision.place.clone()} decision={Rc::clone(decision)} kernel_names={names} />
            </div>
            <div class="inspector-foot">
                <Button small=true glyph={Glyph::Copy} onpress={explain} testid="copy-explanation">{ "Copy explanation" }</Button>
                <Button small=true glyph={Glyph::Link} onpress={props.onlink.clone()} testid="link-decision">{ "Link to this decision" }</Button>
            </div>
        </>
    }
}

fn card(card: &CardView) -> Html {
    let class = lane_class(card.lane);
    html! {
        <div class={classes!("outcome", class)} data-testid={format!("card-{class}")}>
            <div class="row" style="gap: 6px">
                <span class={classes!("badge", class)}>{ if card.lane == LaneId::Recorded { "rec" } else { card.lane.letter() } }</span>
                <span class="state">{ &card.state }</span><span class="space"></span><span class="second nowrap">{ &card.tick }</span>
            </div>
            <div class="second" style="margin-top: 3px">{ &card.outcome }</div>
            if let Some(energy) = &card.energy { <div class="muted">{ energy }</div> }
        </div>
    }
}

/// What the recorded kernel did, in one line.
fn recorded(card: &CardView) -> Html {
    html! {
        <p class="second recorded" data-testid="card-r">
            <span class="badge r">{ "rec" }</span>{ " " }<span class="strong">{ &card.state }</span>{ format!(", {}, {}", card.tick, card.outcome) }
        </p>
    }
}

/// The explanation as plain text, for mail.
fn as_text(decision: &DecisionView, kernel_names: bool) -> String {
    let mut text = format!("{}\n{}\n{}\n", decision.place, decision.answer, decision.then);
    if let Some(patches) = &decision.patches {
        text.push_str(&format!("{patches}\n"));
    }
    for card in &decision.cards {
        text.push_str(&format!(
            "{}: {}, {}, {}\n",
            card.lane.label(),
            card.state,
            card.tick,
            card.outcome
        ));
    }
    for memory in &decision.memories {
        text.push_str(&format!("{}: {}\n", memory::whose(memory), memory.answer));
    }
    for (name, value) in &decision.inputs {
        text.push_str(&format!("  {name}: {value}\n"));
    }
    text.push_str(&steps::as_text(&decision.steps, kernel_names));
    text.chars()
        .map(|c| match c {
            '\u{202f}' | '\u{a0}' => ' ',
            '\u{2212}' => '-',
            'µ' => 'u',
            c => c,
        })
        .collect()
}
