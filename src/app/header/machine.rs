//! The machine picker: presets with search; the workload's own machine is the first choice.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::control::{Menu, MiddleCut};
use crate::app::icon::{Glyph, Icon};
use crate::page::action::Action;
use crate::page::doc::{Doc, MachineChoice};
use crate::page::machines::Machine;

/// What the picker needs.
#[derive(Properties, PartialEq)]
pub struct MachineProps {
    /// The question.
    pub doc: Rc<Doc>,
    /// The machine that the newest run took.
    pub own: Option<AttrValue>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Classes of the anchor: where it is seen.
    pub anchor: Classes,
    /// Name for end-to-end tests.
    pub testid: AttrValue,
}

/// How many hits are listed at once; the search field narrows the rest.
const LISTED: usize = 40;

/// The picker.
#[component]
pub fn MachinePicker(props: &MachineProps) -> Html {
    let search = use_state_eq(String::new);
    let given = props.doc.machine.as_ref().and_then(MachineChoice::given);
    let chosen = props.doc.machine.as_ref().and_then(MachineChoice::preset);
    let label = match chosen.map(|id| (id, Machine::find(id))) {
        None if given.is_some() => given.map_or_else(String::new, |given| given.name().to_owned()),
        None => match props.own.as_deref() {
            Some("") => "choose a machine".to_owned(),
            Some(own) => own.to_owned(),
            None => "workload's machine".to_owned(),
        },
        Some((_, Some(machine))) => machine.short_label(),
        Some((id, None)) => id.to_owned(),
    };
    let oninput = {
        let search = search.setter();
        Callback::from(move |event: InputEvent| {
            search.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let ontoggle = {
        let search = search.setter();
        Callback::from(move |_: bool| search.set(String::new()))
    };
    let pick = |id: Option<String>| {
        props
            .act
            .reform(move |_: MouseEvent| Action::MachineChosen(id.clone()))
    };
    let pressed = |on: bool| if on { "true" } else { "false" };
    let hits: Vec<&'static Machine> = Machine::search(&search).collect();
    html! {
        <Menu anchor={props.anchor.clone()} testid={props.testid.clone()} {ontoggle}
            face={html! { <><MiddleCut text={label} /><Icon glyph={Glyph::ChevronDown} /></> }}>
            <input key="search" class="field filter" placeholder="Search machines" aria-label="Search machines" value={(*search).clone()} {oninput} data-testid="machine-search" />
            <button key="own" type="button" class="item" aria-pressed={pressed(props.doc.machine.is_none())} onclick={pick(None)} data-testid="machine-own">
                { "workload's machine" }<span class="note">{ "as recorded" }</span>
            </button>
            if let Some(given) = given {
                <button key="given" type="button" class="item" aria-pressed="true" data-testid="machine-given">
                    { given.name() }<span class="note">{ "yours" }</span>
                </button>
            }
            <div key="hits" style="display: contents">
            { for hits.iter().take(LISTED).map(|machine| html! {
                <button type="button" class="item" key={machine.id.clone()} aria-pressed={pressed(chosen == Some(machine.id.as_str()))}
                    title={machine.source.clone()} onclick={pick(Some(machine.id.clone()))} data-testid={format!("machine-{}", machine.id)}>
                    { machine.label() }<span class="note">{ &machine.driver }</span>
                </button>
            }) }
            if hits.len() > LISTED { <div class="head">{ format!("{} more: search to narrow", hits.len() - LISTED) }</div> }
            if hits.is_empty() { <div class="head">{ "No machine matches" }</div> }
            </div>
        </Menu>
    }
}
