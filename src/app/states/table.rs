//! The numeric table of the idle states: on or off, exit latency, target residency, power.

use yew::prelude::*;

use super::chart::drawn;
use super::{Shown, Swatch};
use crate::app::control::{IconButton, NumberField};
use crate::app::icon::{Glyph, Icon};
use crate::cpuidle::MAX_STATES;
use crate::page::action::Action;
use crate::page::doc::StateField;
use crate::page::field;
use crate::page::plot::Topic;
use crate::page::plot::energy::State;
use crate::page::plot::order::{disorder, powers};
use crate::page::sweep::Swept;
use crate::units::{Microwatts, Ns};

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// The states, shallowest first.
    pub states: Vec<Shown>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Told which number has the focus.
    #[prop_or_default]
    pub onpick: Callback<Swept>,
    /// The number that is swept.
    #[prop_or_default]
    pub picked: Option<Swept>,
    /// States can be added and removed.
    #[prop_or_default]
    pub growing: bool,
}

/// The longest time that a table may hold: one hour.
const LONGEST: Ns = Ns::new(3_600_000_000_000);

/// The table.
#[component]
pub fn StateTable(props: &TableProps) -> Html {
    let refused = use_state_eq(Refused::new);
    let span = if props.growing { "5" } else { "4" };
    let drawn: Vec<State> = props.states.iter().map(drawn).collect();
    html! {
        <>
            <table class={classes!("figures", "states-table", props.growing.then_some("growing"))} data-testid="states-table">
                <thead>
                    <tr>
                        <th scope="col"><span class="sr">{ "on" }</span></th>
                        <th scope="col">{ "state" }</th>
                        <th scope="col" class="num">{ "exit µs" }</th>
                        <th scope="col" class="num" aria-label="target residency, µs">{ "resid. µs" }</th>
                        <th scope="col" class="num">{ "mW, est." }</th>
                        if props.growing { <th scope="col" class="grow"><span class="sr">{ "add or remove" }</span></th> }
                    </tr>
                </thead>
                <tbody>{ for props.states.iter().enumerate().map(|(n, state)| html! { <>{ row(n, state, &drawn, props, &refused) }{ errors(n, &refused, span) }{ warnings(n, &drawn, span) }</> }) }</tbody>
            </table>
        </>
    }
}

/// What was typed and refused, by row and column.
type Refused = Vec<((usize, usize), AttrValue)>;

/// Why what was typed was refused, a line of its own under the state's.
fn errors(n: usize, refused: &Refused, span: &'static str) -> Html {
    let row = refused.iter().filter(|((row, _), _)| *row == n);
    html! {
        { for row.map(|((_, column), error)| html! {
            <tr class="warning" key={format!("error-{n}-{column}")}><td></td><td colspan={span}><span class="field-error" role="alert">{ error }</span></td></tr>
        }) }
    }
}

/// What is out of order in a state, a line of its own under the state's.
fn warnings(n: usize, states: &[State], span: &'static str) -> Html {
    let wrong = disorder(states, n);
    if wrong.is_empty() {
        return Html::default();
    }
    let text: Vec<String> = wrong.into_iter().map(|disorder| disorder.long).collect();
    html! {
        <tr class="warning" key={format!("warning-{n}")}>
            <td></td><td colspan={span} data-testid={format!("state-warning-{n}")}><span><Icon glyph={Glyph::Warn} />{ text.join("; ") }</span></td>
        </tr>
    }
}

fn row(
    n: usize,
    state: &Shown,
    drawn: &[State],
    props: &TableProps,
    refused: &UseStateHandle<Refused>,
) -> Html {
    let (act, count) = (&props.act, drawn.len());
    let onerror = |column: usize| {
        let refused = refused.clone();
        Callback::from(move |error: Option<AttrValue>| {
            let mut now = (*refused).clone();
            now.retain(|(place, _)| *place != (n, column));
            now.extend(error.map(|error| ((n, column), error)));
            refused.set(now);
        })
    };
    let name = state.base.name.clone();
    let cell = |field: StateField, inside: Html| {
        let swept = Swept {
            state: name.clone(),
            field,
        };
        let picked = props.picked.as_ref() == Some(&swept);
        let onfocusin = props.onpick.reform(move |_: FocusEvent| swept.clone());
        html! { <td class={classes!("num", picked.then_some("picked"))} {onfocusin}>{ inside }</td> }
    };
    let on = state.on();
    let toggle = {
        let name = name.clone();
        act.reform(move |_: Event| Action::StateToggled(name.clone(), !on))
    };
    let polling = state.base.polling;
    html! {
        <tr key={name.clone()} class={classes!((!on).then_some("disabled"))} data-part={Topic::State(n).name()}>
            <td><label class="touch"><input type="checkbox" checked={on} onchange={toggle} aria-label={format!("{name} enabled")} data-testid={format!("state-on-{n}")} /></label></td>
            <th scope="row"><span class="row" style="gap: 6px"><Swatch {n} counts={vec![count]} {polling} /><span class={classes!("name", "strong", (name.len() > 6).then_some("long"))}>{ soft(&name) }</span></span></th>
            { cell(StateField::ExitLatency, time_field(n, state, StateField::ExitLatency, onerror(0), act)) }
            { cell(StateField::TargetResidency, time_field(n, state, StateField::TargetResidency, onerror(1), act)) }
            { cell(StateField::Power, power_field(n, &name, state, drawn, onerror(2), act)) }
            if props.growing { { grow(n, count, &name, act) } }
        </tr>
    }
}

/// Adds a state after this one, or removes this one.
fn grow(n: usize, count: usize, name: &str, act: &Callback<Action>) -> Html {
    let full =
        (count >= MAX_STATES).then(|| AttrValue::from(format!("a CPU has at most {MAX_STATES} states")));
    let last = (count == 1).then(|| AttrValue::from("a CPU has at least one state"));
    let (after, gone) = (name.to_owned(), name.to_owned());
    html! {
        <td class="grow"><span class="row" style="gap: 0">
            <IconButton small=true glyph={Glyph::Plus} name={format!("Add a state after {name}")} refused={full} testid={format!("state-add-{n}")}
                onpress={act.reform(move |()| Action::StateAdded(after.clone()))} />
            <IconButton small=true glyph={Glyph::Minus} name={format!("Remove {name}")} refused={last} testid={format!("state-remove-{n}")}
                onpress={act.reform(move |()| Action::StateRemoved(gone.clone()))} />
        </span></td>
    }
}

/// A name that may be broken after what joins its parts.
fn soft(name: &str) -> Html {
    let parts = name.split_inclusive(['-', '_', '.']);
    html! { { for parts.map(|part| html! { <>{ part }<wbr /></> }) } }
}

fn in_us(ns: Ns) -> String {
    let (whole, rest) = (ns.as_ns() / 1_000, ns.as_ns() % 1_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:03}").trim_end_matches('0').to_owned()
}

fn time_field(
    n: usize,
    shown: &Shown,
    field: StateField,
    onerror: Callback<Option<AttrValue>>,
    act: &Callback<Action>,
) -> Html {
    let state = &shown.base.name;
    let (what, value, base) = match field {
        StateField::ExitLatency => ("exit latency", shown.exit_latency(), shown.base.exit_latency),
        _ => (
            "target residency",
            shown.target_residency(),
            shown.base.target_residency,
        ),
    };
    let ontext = {
        let (act, state) = (act.clone(), state.clone());
        Callback::from(move |text: AttrValue| {
            let ns = field::time(&text, Ns::ZERO, LONGEST).map_err(|error| error.to_string())?;
            act.emit(Action::StateEdited(state.clone(), field, ns.as_ns()));
            Ok(())
        })
    };
    let short = match field {
        StateField::ExitLatency => "exit",
        StateField::TargetResidency => "residency",
        StateField::Power => "power",
    };
    html! {
        <NumberField name={format!("{state} {what}, microseconds")} value={in_us(value)} {ontext} {onerror}
            was={(value != base).then(|| AttrValue::from(format!("{} µs", in_us(base))))} testid={format!("state-{short}-{n}")} />
    }
}

fn in_mw(power: Microwatts) -> String {
    let uw = power.as_uw();
    let (whole, rest) = (uw / 1_000, uw % 1_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:03}").trim_end_matches('0').to_owned()
}

fn power_field(
    n: usize,
    state: &str,
    shown: &Shown,
    states: &[State],
    onerror: Callback<Option<AttrValue>>,
    act: &Callback<Action>,
) -> Html {
    let (range, words) = powers(states, n);
    let ontext = {
        let (act, state) = (act.clone(), state.to_owned());
        Callback::from(move |text: AttrValue| {
            let uw = field::power(&text, range, &words).map_err(|error| error.to_string())?;
            act.emit(Action::StateEdited(state.clone(), StateField::Power, uw));
            Ok(())
        })
    };
    let (value, base) = (shown.power(), shown.base.power);
    html! {
        <NumberField name={format!("{state} power, milliwatts")} value={in_mw(value)} {ontext} {onerror}
            was={(value != base).then(|| AttrValue::from(format!("{} mW", in_mw(base))))} testid={format!("state-power-{n}")} />
    }
}
