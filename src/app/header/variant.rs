//! The box of one variant: badge, governor, version, patch chips; its menu chooses them.

use std::rc::Rc;

use yew::prelude::*;

use super::kernels::Kernels;
use super::knobs::Knobs;
use crate::app::control::Menu;
use crate::cpuidle::catalog::{Choice, Family};
use crate::page::action::Action;
use crate::page::doc::{Doc, Side};
use crate::page::knobs::badge;
use crate::page::words::entry::{headline, of_choice};

/// What the box needs.
#[derive(Properties, PartialEq)]
pub struct VariantProps {
    /// Which side.
    pub side: Side,
    /// The question.
    pub doc: Rc<Doc>,
    /// Names of the machine's states, shallowest first.
    pub states: Vec<AttrValue>,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The class of a side's badge.
pub const fn side_class(side: Side) -> &'static str {
    match side {
        Side::A => "a",
        Side::B => "b",
    }
}

/// The box.
#[component]
pub fn VariantBox(props: &VariantProps) -> Html {
    let (side, doc) = (props.side, &props.doc);
    let choice = doc.variant(side).governor;
    let face = html! {
        <>
            <span class={classes!("badge", side_class(side))}>{ side.letter() }</span>
            if let Some(choice) = choice {
                <span class="strong">{ choice.entry().name.replacen('-', " ", 1) }</span>
                <span class="chips">
                    { for choice.entry().patches.iter().map(|patch| {
                        let on = choice.patches().contains(patch.number);
                        html! { <span class={classes!("chip", if on { side_class(side) } else { "off" })}>{ patch.number }<span class="of">{ format!("/{}", choice.entry().patches.len()) }</span></span> }
                    }) }
                    if let Some(set) = badge(choice) { <span class={classes!("chip", "set", side_class(side))}>{ set }</span> }
                    if choice.is_experimental() { <span class="chip odd">{ "no kernel’s" }</span> }
                </span>
            } else {
                <span class="second">{ "off" }</span>
            }
        </>
    };
    let choose = props
        .act
        .reform(move |choice: Option<Choice>| Action::GovernorChosen(side, choice));
    let shown = use_state_eq(|| None::<Choice>);
    let show = {
        let set = shown.setter();
        Callback::from(move |choice: Choice| set.set(Some(choice)))
    };
    let ontoggle = {
        let set = shown.setter();
        Callback::from(move |_: bool| set.set(None))
    };
    html! {
        <Menu {face} class="variant-box" anchor="variant-anchor" stays=true {ontoggle} testid={format!("variant-{}", side_class(side))}>
            { patches(choice, side, &choose) }
            <Kernels {side} choose={choose.clone()} />
            { for Family::ALL.into_iter().map(|family| versions(family, choice, props, &choose, &show)) }
            <hr />
            <button type="button" class="item" aria-pressed={pressed(doc.variant(side).governor.is_none())} onclick={choose.reform(|_: MouseEvent| None)}
                data-testid={format!("off-{}", side_class(side))}>
                { "off" }<span class="note">{ "one variant only" }</span>
            </button>
            { changes(shown.or(choice), side) }
        </Menu>
    }
}

/// Whether something is on, as ARIA writes it.
pub const fn pressed(on: bool) -> &'static str {
    if on { "true" } else { "false" }
}

fn patches(choice: Option<Choice>, side: Side, choose: &Callback<Option<Choice>>) -> Html {
    let Some(choice) = choice.filter(|choice| !choice.entry().patches.is_empty()) else {
        return Html::default();
    };
    html! {
        <>
            <div class="head">{ format!("Patches on {}", choice.entry().name) }</div>
            { for choice.entry().patches.iter().map(|patch| {
                let (number, on) = (patch.number, choice.patches().contains(patch.number));
                let onchange = choose.reform(move |_: Event| Some(choice.with_patch(number, !on)));
                html! {
                    <label class="item check">
                        <input type="checkbox" checked={on} {onchange} data-testid={format!("patch-{}-{number}", side_class(side))} />
                        <span class="version"><span>{ format!("{number}/{}: {}", choice.entry().patches.len(), patch.title) }</span><span class="caption">{ patch.what }</span></span>
                    </label>
                }
            }) }
            <hr />
        </>
    }
}

fn versions(
    family: Family,
    chosen: Option<Choice>,
    props: &VariantProps,
    choose: &Callback<Option<Choice>>,
    show: &Callback<Choice>,
) -> Html {
    let side = props.side;
    html! {
        <>
            <div class="head">{ family.name() }</div>
            { for Choice::all().filter(|choice| choice.family() == family).map(|choice| {
                let entry = choice.entry();
                let own = chosen.filter(|chosen| chosen.entry().name == entry.name);
                let on = own.is_some();
                html! {
                    <>
                    <button type="button" class="item wrap" aria-pressed={pressed(on)} data-testid={format!("governor-{}-{}", side_class(side), entry.name)}
                        onclick={choose.reform(move |_: MouseEvent| Some(choice))}
                        onfocus={show.reform(move |_: FocusEvent| choice)} onpointerenter={show.reform(move |_: PointerEvent| choice)}>
                        { entry.name.replacen('-', " ", 1) }<span class="note">{ entry.kernels }</span>
                        <span class="caption clip what">{ headline(entry) }</span>
                    </button>
                    if let Some(choice) = own { <Knobs {side} {choice} states={props.states.clone()} act={props.act.clone()} /> }
                    </>
                }
            }) }
        </>
    }
}

/// Everything that the version under the pointer or with the focus changed; always in view.
fn changes(choice: Option<Choice>, side: Side) -> Html {
    let Some(choice) = choice else {
        return Html::default();
    };
    html! {
        <div class="foot" aria-live="polite" data-testid={format!("changes-{}", side_class(side))}>
            <p class="strong">{ choice.entry().name.replacen('-', " ", 1) }if !choice.entry().kernels.is_empty() { { " against the version before" } }</p>
            <ul>{ for of_choice(choice).into_iter().map(|(source, what)| html! { <li><span class="muted">{ source }</span>{ " " }{ what }</li> }) }</ul>
        </div>
    }
}
