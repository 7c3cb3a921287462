//! What CPUs share, a cluster or the package: when it could sleep, what that saves, and its two numbers to edit.

use std::rc::Rc;

use yew::prelude::*;

use super::tables::lane_badge;
use crate::app::control::NumberField;
use crate::app::worker::protocol::{ResultsView, SharedView};
use crate::page::action::Action;
use crate::page::doc::Doc;
use crate::page::duration::to_link;
use crate::page::field;
use crate::page::words::number::{Style, count, duration, energy, energy_share, time_share};
use crate::units::{Energy, Microwatts, Ns};

const PAGE: Style = Style::Page;

/// The longest break-even of a state that CPUs share.
const LONGEST: Ns = Ns::new(10_000_000_000);
/// Its highest power, µW.
const MOST_UW: i64 = 4_000_000_000;

/// A table of the states that CPUs share, with the fields under it; nothing where no CPUs share one.
pub fn table(results: &ResultsView, doc: &Rc<Doc>, act: &Callback<Action>) -> Html {
    if results.shared.is_empty() {
        return html! {};
    }
    let priced = doc.shared_power.is_some_and(|power| power.as_uw() > 0);
    html! {
        <div data-testid="shared-state">
            <p class="caption" style="margin: 14px 0 4px">{ "What CPUs share sleeps while all of them are in their deepest state. Nobody predicts how long: the last CPU takes it along. Beside the CPUs' own energy." }</p>
            <table class="figures">
                <thead><tr>
                    <th scope="col">{ "shared by" }</th>
                    <th scope="col">{ "run" }</th>
                    { for ["pays off from", "sleeps", "time asleep", "mean", "too short"].iter().map(|head| html! { <th scope="col" class="num">{ *head }</th> }) }
                    if priced {
                        { for ["energy", "of never", "of best"].iter().map(|head| html! { <th scope="col" class="num">{ *head }</th> }) }
                    }
                </tr></thead>
                <tbody>{ for results.shared.iter().map(|row| self::row(row, priced)) }</tbody>
            </table>
            <div class="row shared-numbers">
                <span class="key">{ "draws while awake" }</span>
                { power(doc, act) }
                <span class="caption">{ "mW" }</span>
                <span class="key">{ "pays off from" }</span>
                { residency(doc, act) }
            </div>
        </div>
    }
}

fn row(view: &SharedView, priced: bool) -> Html {
    let found = &view.found;
    let times = i64::try_from(found.entered).unwrap_or(i64::MAX);
    let mean = match times {
        0 => "–".to_owned(),
        times => duration(found.asleep / times, PAGE),
    };
    let cells = [
        duration(view.target_residency, PAGE),
        count(found.entered, PAGE),
        time_share(found.asleep, found.span, PAGE),
        mean,
        count(found.short, PAGE),
    ];
    let of = |whole: Energy| energy_share(found.spent, whole, PAGE);
    let prices = priced.then(|| [energy(found.spent, PAGE), of(found.never), of(found.best)]);
    html! {
        <tr>
            <th scope="row">{ &view.name }</th>
            <td>{ lane_badge(view.lane) }</td>
            { for cells.into_iter().chain(prices.into_iter().flatten()).map(|cell| html! { <td class="num">{ cell }</td> }) }
        </tr>
    }
}

/// What it draws while awake; empty leaves it out.
fn power(doc: &Doc, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let ontext = Callback::from(move |text: AttrValue| {
        let power = if matches!(text.trim(), "" | "not counted") {
            None
        } else {
            let uw = field::power(
                &text,
                (0, MOST_UW),
                "a power from 0 to 4000000 mW, or empty to leave it out",
            )
            .map_err(|error| error.to_string())?;
            u32::try_from(uw).ok().map(Microwatts::new)
        };
        act.emit(Action::SharedPowerEdited(power));
        Ok(())
    });
    let shown = doc
        .shared_power
        .map_or_else(|| "not counted".to_owned(), |power| to_mw(power.as_uw()));
    html! { <NumberField name="Power of what CPUs share while it is awake, mW" value={shown} {ontext} class="short" testid="shared-power" /> }
}

/// In mW, with as many decimals as it needs.
fn to_mw(uw: u32) -> String {
    let text = format!("{}.{:03}", uw / 1_000, uw % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// From how long on it pays off; empty is what the machine says.
fn residency(doc: &Doc, act: &Callback<Action>) -> Html {
    const OWN: &str = "own";
    let act = act.clone();
    let ontext = Callback::from(move |text: AttrValue| {
        let from = if text.trim().is_empty() || text.trim() == OWN {
            None
        } else {
            Some(field::time(&text, Ns::ZERO, LONGEST).map_err(|error| error.to_string())?)
        };
        act.emit(Action::SharedResidencyEdited(from));
        Ok(())
    });
    let shown = doc.shared_residency.map_or_else(
        || OWN.to_owned(),
        |from| to_link(from).replace("us", " µs").replace("ms", " ms"),
    );
    html! { <NumberField name="Break-even of what CPUs share: a time, or own for what the machine says" value={shown} {ontext} class="short" testid="shared-residency" /> }
}
