//! Tick and latency limit: HZ, nohz, rate limit, latency limit, share of the exit latency paid, cost of stopping the tick.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::control::{Choice, NumberField, Segments};
use crate::energy::DEFAULT_TICK_STOP;
use crate::page::action::{Action, Setting};
use crate::page::doc::{Doc, LatencyLimit, Side};
use crate::page::duration::to_link;
use crate::page::field;
use crate::page::scenarios;
use crate::page::session::closed::Parameters;
use crate::sim::machine::FrequencyRule;
use crate::tick::RateLimit;
use crate::units::Ns;

/// What the settings need.
#[derive(Properties, PartialEq)]
pub struct TickProps {
    /// The question.
    pub doc: Rc<Doc>,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The longest latency limit.
const LONGEST: Ns = Ns::new(2_000_000_000_000);

const HZ: [u32; 4] = [100, 250, 300, 1_000];

/// The settings.
#[component]
pub fn TickSettings(props: &TickProps) -> Html {
    let (doc, act) = (&props.doc, &props.act);
    let settings = &doc.settings;
    let hz = act.reform(|n: usize| Action::SettingEdited(None, Setting::Hz(HZ[n.min(HZ.len() - 1)])));
    let nohz = act.reform(|n: usize| Action::SettingEdited(None, Setting::Nohz(n == 1)));
    let typed_hz = {
        let act = act.clone();
        Callback::from(move |text: AttrValue| {
            let unit = "ticks a second; kernels have 100, 250, 300 or 1000";
            let hz = field::whole(&text, 20, 2_000, unit).map_err(|error| error.to_string())?;
            let hz = u32::try_from(hz).unwrap_or_default();
            act.emit(Action::SettingEdited(None, Setting::Hz(hz)));
            Ok(())
        })
    };
    let differing: Vec<Side> = Side::ALL
        .into_iter()
        .filter(|side| doc.variant(*side).over != Default::default())
        .collect();
    html! {
        <div class="section" id="tick" tabindex="-1">
            <div class="section-head"><h2>{ "Tick and latency limit" }</h2><span class="caption">{ "both variants" }</span></div>
            <div class="line"><span class="key">{ "HZ" }</span>
                <Segments name="HZ" chosen={HZ.iter().position(|hz| *hz == settings.hz)} onchoose={hz}
                    choices={HZ.iter().map(|hz| Choice::new(hz.to_string()).test(format!("hz-{hz}"))).collect::<Vec<_>>()} />
                if !HZ.contains(&settings.hz) {
                    <NumberField name="HZ" value={settings.hz.to_string()} ontext={typed_hz} testid="hz" />
                }
            </div>
            <div class="line"><span class="key">{ "tick in idle" }</span>
                <Segments name="Tick in idle" chosen={Some(usize::from(settings.nohz))} onchoose={nohz}
                    choices={vec![Choice::new("always kept").test("nohz-0"), Choice::new("may stop").test("nohz-1")]} />
            </div>
            { time("rate limit", "patch of 2016: keep the tick while the average idle time is below; 0 is off", settings.rate_limit, act,
                "rate-limit", RateLimit::MOST, |limit| Action::SettingEdited(None, Setting::RateLimit(limit))) }
            { latency(settings.latency, act) }
            { exit_percent(doc.exit_percent, scenarios::exit_cost(doc), act) }
            { tick_cost(doc, act) }
            if let Some(parameters) = scenarios::parameters(doc) {
                { frequency(doc.frequency, scenarios::has_clock(parameters), act) }
                if scenarios::has_clock(parameters) { { start_clock(doc, parameters, act) } }
                <p class="caption limits-note" data-testid="two-latencies">{ scenarios::TWO_LATENCIES }</p>
            }
            { for differing.into_iter().map(|side| html! {
                <div class="line">
                    <span class="caption">{ format!("{} has settings of its own: {}", side.letter(), overrides(doc, side)) }</span>
                    <button type="button" class="btn small" onclick={act.reform(move |_: MouseEvent| Action::OverridesReset(side))}>{ "Reset" }</button>
                </div>
            }) }
        </div>
    }
}

fn overrides(doc: &Doc, side: Side) -> String {
    let over = &doc.variant(side).over;
    let parts = [
        over.hz.map(|hz| format!("HZ {hz}")),
        over.nohz
            .map(|nohz| (if nohz { "tick may stop" } else { "tick kept" }).to_owned()),
        over.rate_limit
            .map(|limit| format!("rate limit {}", to_link(limit))),
        over.latency.map(|limit| match limit {
            LatencyLimit::None => "no latency limit".to_owned(),
            LatencyLimit::Max(ns) => format!("latency limit {}", to_link(ns)),
        }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Who sets the clock; shown for closed loops alone.
fn frequency(chosen: FrequencyRule, has_clock: bool, act: &Callback<Action>) -> Html {
    if !has_clock {
        return html! {
            <div class="line"><span class="key">{ "frequency" }</span><span class="caption">{ "one clock only: this machine's parameters have no other" }</span></div>
        };
    }
    let onchange = act.reform(|event: Event| {
        let select = event.target_unchecked_into::<HtmlSelectElement>();
        let named = FrequencyRule::NAMED
            .iter()
            .find(|(name, _)| *name == select.value());
        Action::FrequencyChosen(named.map_or_else(FrequencyRule::default, |(_, rule)| *rule))
    });
    html! {
        <div class="line"><span class="key">{ "frequency" }</span>
            <select class="field" style="min-width: 0; flex: 1 1 0" aria-label="Frequency, who sets the clock" data-testid="frequency" {onchange}>
                { for FrequencyRule::NAMED.iter().map(|(name, rule)| html! {
                    <option key={*name} value={*name} selected={*rule == chosen}>{ scenarios::rule_label(*rule) }</option>
                }) }
            </select>
        </div>
    }
}

/// The clock at which a closed loop starts; empty for the machine's own.
fn start_clock(doc: &Doc, parameters: Parameters, act: &Callback<Action>) -> Html {
    let own = parameters.clock();
    let act = act.clone();
    let ontext = Callback::from(move |text: AttrValue| {
        let mhz = match text.trim() {
            "" => None,
            text => {
                let (least, most) = (i64::from(own.min_khz / 1_000), i64::from(own.max_khz / 1_000));
                let mhz = field::whole(text, least, most, "MHz").map_err(|error| error.to_string())?;
                u32::try_from(mhz).ok().filter(|mhz| mhz * 1_000 != own.start_khz)
            }
        };
        act.emit(Action::StartClockEdited(mhz));
        Ok(())
    });
    let shown = doc.start_mhz.unwrap_or(own.start_khz / 1_000);
    html! {
        <div class="line"><span class="key">{ "starts at" }</span>
            <NumberField name="Clock at the start, MHz" value={shown.to_string()} {ontext} class="short" testid="start-clock" />
            <span class="caption">{ "MHz" }</span>
        </div>
    }
}

fn latency(limit: LatencyLimit, act: &Callback<Action>) -> Html {
    let value = match limit {
        LatencyLimit::None => "none".to_owned(),
        LatencyLimit::Max(ns) => spaced(ns),
    };
    let ontext = {
        let act = act.clone();
        Callback::from(move |text: AttrValue| {
            let limit = if text.trim().is_empty() || text.trim() == "none" {
                LatencyLimit::None
            } else {
                let ns = field::time(&text, Ns::ZERO, LONGEST);
                let ns =
                    ns.map_err(|error| error.to_string().replacen("expected ", "expected none, or ", 1))?;
                LatencyLimit::Max(ns)
            };
            act.emit(Action::SettingEdited(None, Setting::Latency(limit)));
            Ok(())
        })
    };
    let none = act.reform(|_: MouseEvent| Action::SettingEdited(None, Setting::Latency(LatencyLimit::None)));
    html! {
        <div class="line"><span class="key">{ "latency limit" }</span>
            <NumberField name="Latency limit, microseconds or none" {value} {ontext} class="short" testid="latency-limit" />
            if limit != LatencyLimit::None { <button type="button" class="btn small quiet" onclick={none}>{ "none" }</button> }
        </div>
    }
}

/// Table values are worst cases; real exits often cost a part of them, emulated ones nearly nothing.
fn exit_percent(percent: u8, of: &'static str, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let ontext = Callback::from(move |text: AttrValue| {
        let plain = text.trim().trim_end_matches('%');
        let percent = field::whole(plain, 0, 100, "per cent").map_err(|error| error.to_string())?;
        let percent = u8::try_from(percent).unwrap_or(100);
        act.emit(Action::ExitPercentEdited(percent));
        Ok(())
    });
    html! {
        <div class="line"><span class="key">{ "exit cost paid" }</span>
            <NumberField name={format!("Share of the exit latency that a wakeup pays, per cent of {of}")} value={percent.to_string()} {ontext}
                class="short" testid="exit-percent" />
            <span class="caption">{ if of == "listed" { "% of listed" } else { "% of own" } }</span>
        </div>
    }
}

/// A closed loop's machine has costs of its own for stopping and restarting the tick; elsewhere a cost is assumed.
fn tick_cost(doc: &Doc, act: &Callback<Action>) -> Html {
    const OWN: &str = "own";
    let closed = scenarios::is_closed_loop(doc);
    let about = if closed {
        "cost of stopping and restarting the tick: a time, or own for the machine's own"
    } else {
        "cost of stopping and restarting the tick, assumed for energy"
    };
    let act = act.clone();
    let ontext = Callback::from(move |text: AttrValue| {
        let cost = if closed && (text.trim().is_empty() || text.trim() == OWN) {
            None
        } else {
            let found = field::time(&text, Ns::ZERO, Ns::from_ms(1)).map_err(|error| error.to_string())?;
            Some(found).filter(|found| closed || *found != DEFAULT_TICK_STOP)
        };
        act.emit(Action::TickCostEdited(cost));
        Ok(())
    });
    let value = match doc.tick_cost {
        None if closed => OWN.to_owned(),
        cost => spaced(cost.unwrap_or(DEFAULT_TICK_STOP)),
    };
    html! {
        <div class="line" title={about}><span class="key">{ "stop + restart" }</span>
            <NumberField name={format!("stop + restart: {about}")} {value} {ontext} class="short" testid="tick-cost" />
            if closed && doc.tick_cost.is_some() { <span class="caption">{ "not own" }</span> }
        </div>
    }
}

/// A time as the fields show it.
fn spaced(time: Ns) -> String {
    to_link(time).replace("us", " µs").replace("ms", " ms")
}

fn time(
    label: &'static str,
    about: &'static str,
    value: Ns,
    act: &Callback<Action>,
    testid: &'static str,
    most: Ns,
    to_action: impl Fn(Ns) -> Action + 'static,
) -> Html {
    let act = act.clone();
    let ontext = Callback::from(move |text: AttrValue| {
        let ns = field::time(&text, Ns::ZERO, most).map_err(|error| error.to_string())?;
        act.emit(to_action(ns));
        Ok(())
    });
    let shown = spaced(value);
    html! {
        <div class="line" title={about}><span class="key">{ label }</span>
            <NumberField name={format!("{label}: {about}")} value={shown} {ontext} class="short" {testid} />
        </div>
    }
}
