//! The numeric table of the idle states: on or off, exit latency, target residency, power.

use yew::prelude::*;

use super::chart::drawn;
use super::{Shown, Swatch};
use crate::app::control::NumberField;
use crate::app::icon::{Glyph, Icon};
use crate::page::action::Action;
use crate::page::doc::StateField;
use crate::page::duration::{from_field, scaled, to_link};
use crate::page::plot::energy::State;
use crate::page::plot::order::disorder;
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
}

/// The table.
#[component]
pub fn StateTable(props: &TableProps) -> Html {
    let count = props.states.len();
    let drawn: Vec<State> = props.states.iter().map(drawn).collect();
    html! {
        <>
            <table class="figures states-table" data-testid="states-table">
                <thead>
                    <tr>
                        <th scope="col"><span class="sr">{ "on" }</span></th>
                        <th scope="col">{ "state" }</th>
                        <th scope="col" class="num">{ "exit µs" }</th>
                        <th scope="col" class="num" aria-label="target residency, µs">{ "resid. µs" }</th>
                        <th scope="col" class="num">{ "mW, est." }</th>
                    </tr>
                </thead>
                <tbody>{ for props.states.iter().enumerate().map(|(n, state)| html! { <>{ row(n, count, state, props) }{ warnings(n, &drawn) }</> }) }</tbody>
            </table>
        </>
    }
}

/// What is out of order in a state, a line of its own under the state's.
fn warnings(n: usize, states: &[State]) -> Html {
    let wrong = disorder(states, n);
    if wrong.is_empty() {
        return Html::default();
    }
    let text: Vec<String> = wrong.into_iter().map(|disorder| disorder.long).collect();
    html! {
        <tr class="warning" key={format!("warning-{n}")}>
            <td></td><td colspan="4" data-testid={format!("state-warning-{n}")}><span><Icon glyph={Glyph::Warn} />{ text.join("; ") }</span></td>
        </tr>
    }
}

fn row(n: usize, count: usize, state: &Shown, props: &TableProps) -> Html {
    let act = &props.act;
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
    let polling = n == 0 && state.base.name.contains("POLL");
    html! {
        <tr key={name.clone()} class={classes!((!on).then_some("disabled"))}>
            <td><input type="checkbox" checked={on} onchange={toggle} aria-label={format!("{name} enabled")} data-testid={format!("state-on-{n}")} /></td>
            <th scope="row"><span class="row" style="gap: 6px"><Swatch {n} {count} {polling} /><span class={classes!("name", "strong", (name.len() > 6).then_some("long"))}>{ soft(&name) }</span></span></th>
            { cell(StateField::ExitLatency, time_field(n, &name, "exit latency", StateField::ExitLatency, state.exit_latency(), state.base.exit_latency, act)) }
            { cell(StateField::TargetResidency, time_field(n, &name, "target residency", StateField::TargetResidency, state.target_residency(), state.base.target_residency, act)) }
            { cell(StateField::Power, power_field(n, &name, state, powers_around(&props.states, n), act)) }
        </tr>
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
    state: &str,
    what: &str,
    field: StateField,
    value: Ns,
    base: Ns,
    act: &Callback<Action>,
) -> Html {
    let ontext = {
        let (act, state) = (act.clone(), state.to_owned());
        Callback::from(move |text: AttrValue| {
            let ns = from_field(&text).map_err(|error| format!("{error}, found {text}"))?;
            let allowed = 0..=3_600_000_000_000;
            if !allowed.contains(&ns.as_ns()) {
                return Err(format!("expected 0 to 3 600 s, found {}", to_link(ns)));
            }
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
        <NumberField name={format!("{state} {what}, microseconds")} value={in_us(value)} {ontext}
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

/// The powers of the next shallower and the next deeper state, µW: between them the energy model means something.
fn powers_around(states: &[Shown], n: usize) -> (Option<u32>, Option<u32>) {
    let power = |n: usize| states.get(n).map(|state| state.power().as_uw());
    (n.checked_sub(1).and_then(power), power(n + 1))
}

fn power_field(
    n: usize,
    state: &str,
    shown: &Shown,
    (shallower, deeper): (Option<u32>, Option<u32>),
    act: &Callback<Action>,
) -> Html {
    let ontext = {
        let (act, state) = (act.clone(), state.to_owned());
        Callback::from(move |text: AttrValue| {
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            let uw = scaled(plain.trim_end_matches("mW"), 1_000)
                .ok()
                .filter(|uw| (0..=1_000_000_000).contains(uw))
                .ok_or_else(|| format!("expected 0 to 1 000 000 mW, found {text}"))?;
            let mw = |uw: u32| in_mw(Microwatts::new(uw));
            if let Some(limit) = shallower.filter(|limit| uw >= i64::from(*limit)) {
                return Err(format!(
                    "expected less than the next shallower state's {} mW, found {text}",
                    mw(limit)
                ));
            }
            if let Some(limit) = deeper.filter(|limit| uw <= i64::from(*limit)) {
                return Err(format!(
                    "expected more than the next deeper state's {} mW, found {text}",
                    mw(limit)
                ));
            }
            act.emit(Action::StateEdited(state.clone(), StateField::Power, uw));
            Ok(())
        })
    };
    let (value, base) = (shown.power(), shown.base.power);
    html! {
        <NumberField name={format!("{state} power, milliwatts")} value={in_mw(value)} {ontext}
            was={(value != base).then(|| AttrValue::from(format!("{} mW", in_mw(base))))} testid={format!("state-power-{n}")} />
    }
}
