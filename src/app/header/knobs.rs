//! The numbers of a variant that are no kernel's, or its module's parameters, as sliders and fields.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::variant::{pressed, side_class};
use crate::app::control::NumberField;
use crate::app::icon::{Glyph, Icon};
use crate::cpuidle::catalog::{Choice, Knob};
use crate::page::action::Action;
use crate::page::doc::Side;
use crate::page::knobs::{self, PLACES, Shown};
use crate::page::words::number::{Style, count};

/// What the sliders need.
#[derive(Properties, PartialEq)]
pub struct KnobsProps {
    /// Whose.
    pub side: Side,
    /// Of what.
    pub choice: Choice,
    /// Names of the machine's states, shallowest first.
    pub states: Vec<AttrValue>,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The numbers; folded until one is set or somebody asks.
#[component]
pub fn Knobs(props: &KnobsProps) -> Html {
    let asked = use_state_eq(|| false);
    let (side, choice) = (props.side, props.choice);
    let shown = knobs::of(choice);
    let class = side_class(side);
    match shown.as_slice() {
        [] => return Html::default(),
        [own] if own.knob == Knob::State => return states(props, own),
        _ => {}
    }
    let set = shown.iter().any(|own| own.was.is_some());
    let open = *asked || set;
    let (title, what) = knobs::about(choice.family());
    let toggle = {
        let asked = asked.clone();
        Callback::from(move |_: MouseEvent| asked.set(!*asked))
    };
    let reset = props
        .act
        .reform(move |_: MouseEvent| Action::GovernorChosen(side, Some(choice.untuned())));
    html! {
        <>
            <button type="button" class="item fold" aria-expanded={pressed(open)} disabled={set} onclick={toggle} data-testid={format!("knobs-{class}")}>
                { title }<span class="note">{ if set { "set" } else { "" } }</span><Icon glyph={if open { Glyph::ChevronDown } else { Glyph::ChevronRight }} />
            </button>
            if open {
                <div class="knobs">
                    <div class="row">
                        <p class="caption">{ what }</p>
                        if set {
                            <button type="button" class="btn small nowrap" onclick={reset} data-testid={format!("knobs-reset-{class}")}>{ format!("As in {}", choice.entry().name.replacen('-', " ", 1)) }</button>
                        }
                    </div>
                    { for shown.iter().map(|own| html! { <Slider key={own.spec.key} {side} {choice} shown={own.clone()} act={props.act.clone()} /> }) }
                </div>
            }
        </>
    }
}

/// The state of the fixed baseline: a button for each that the machine has.
fn states(props: &KnobsProps, own: &Shown) -> Html {
    let (side, choice, class) = (props.side, props.choice, side_class(props.side));
    let names = if props.states.is_empty() {
        (0..=own.spec.max)
            .map(|n| AttrValue::from(n.to_string()))
            .collect()
    } else {
        props.states.clone()
    };
    let (value, knob) = (own.value, own.knob);
    html! {
        <>
            <div class="knob-states" role="group" aria-label="The state that is always taken">
                { for (0..).zip(names).map(|(n, name): (u32, AttrValue)| {
                    let to = choice.with_knob(knob, n);
                    let onclick = props.act.reform(move |_: MouseEvent| Action::GovernorChosen(side, to.or(Some(choice))));
                    html! {
                        <button type="button" class={classes!("btn", "small", (n == value).then_some("chosen"))} aria-pressed={pressed(n == value)}
                            {onclick} data-testid={format!("fixed-{class}-{n}")}>{ name }</button>
                    }
                }) }
            </div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct SliderProps {
    side: Side,
    choice: Choice,
    shown: Shown,
    act: Callback<Action>,
}

/// One number.
#[component]
fn Slider(props: &SliderProps) -> Html {
    let (side, choice, shown) = (props.side, props.choice, props.shown.clone());
    let class = side_class(side);
    let spec = shown.spec;
    let turn = {
        let (shown, act) = (shown.clone(), props.act.clone());
        Callback::from(move |place: u32| {
            if let Some(choice) = choice.with_knob(shown.knob, shown.at(place)) {
                act.emit(Action::GovernorDragged(side, choice));
            }
        })
    };
    let oninput = turn.reform(|event: InputEvent| {
        let input = event.target_unchecked_into::<HtmlInputElement>();
        input.value().parse().unwrap_or(0)
    });
    let onchange = props.act.reform(|_: Event| Action::DragReleased);
    let ontext = {
        let (shown, act) = (shown.clone(), props.act.clone());
        Callback::from(move |text: AttrValue| {
            let value = shown.parse(&text)?;
            if let Some(choice) = choice.with_knob(shown.knob, value) {
                act.emit(Action::GovernorChosen(side, Some(choice)));
            }
            Ok(())
        })
    };
    let number = |value: u32| count(u64::from(value), Style::Page);
    let unit = if spec.unit == "us" { "µs" } else { spec.unit };
    let said = format!("{} {unit}", number(shown.value));
    html! {
        <div class="knob">
            <span class="name">{ spec.name }</span>
            <input type="range" min="0" max={PLACES.to_string()} step={shown.step().to_string()} value={shown.place().to_string()} aria-label={spec.name}
                aria-valuetext={said.trim().to_owned()} {oninput} {onchange} data-testid={format!("knob-{class}-{}", spec.key)} />
            <NumberField name={spec.name} value={number(shown.value)} was={shown.was.map(|was| AttrValue::from(number(was)))} {ontext}
                testid={format!("knob-field-{class}-{}", spec.key)} />
            <span class="muted">{ unit }</span>
            <p class="caption">{ spec.what }if let Some(was) = shown.was { <span class="strong">{ format!(" Usually {}.", number(was)) }</span> }</p>
        </div>
    }
}
