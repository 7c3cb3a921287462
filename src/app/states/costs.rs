//! The costs of a closed loop's machine: each with its own value, where it is from, and a field to set another.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::NumberField;
use crate::page::action::Action;
use crate::page::costs::{self, Shown, Unit};
use crate::page::doc::Doc;
use crate::page::scenarios;

/// What the section needs.
#[derive(Properties, PartialEq)]
pub struct CostsProps {
    /// The question.
    pub doc: Rc<Doc>,
    /// Takes actions.
    pub act: Callback<Action>,
}

/// The section; nothing unless the workload is a closed loop.
#[component]
pub fn MachineCosts(props: &CostsProps) -> Html {
    let all = use_memo(Rc::clone(&props.doc), |doc| costs::shown(doc));
    let Some(parameters) = scenarios::parameters(&props.doc).filter(|_| !all.is_empty()) else {
        return Html::default();
    };
    let changed = all.iter().filter(|shown| shown.set.is_some()).count();
    let caption = match changed {
        0 => "the machine's own".to_owned(),
        n => format!("{n} changed"),
    };
    let khz = parameters.clock().max_khz;
    html! {
        <details class="section costs" id="costs" data-testid="costs" open={changed > 0}>
            <summary class="section-head"><h2>{ "Costs" }</h2><span class="caption">{ caption }</span></summary>
            <p class="caption limits-note">{ parameters.about() }{ ". " }{ costs::about_cycles(khz) }</p>
            { for all.iter().map(|shown| line(shown, khz, &props.act)) }
            if changed > 0 {
                <button type="button" class="btn small" data-testid="reset-costs" onclick={props.act.reform(|_: MouseEvent| Action::CostsReset)}>{ "All as the machine's own" }</button>
            }
        </details>
    }
}

fn line(shown: &Shown, khz: u32, act: &Callback<Action>) -> Html {
    let spec = shown.cost.what.spec();
    let ontext = {
        let (act, shown) = (act.clone(), shown.clone());
        Callback::from(move |text: AttrValue| {
            act.emit(Action::CostEdited(shown.cost, shown.typed(&text)?));
            Ok(())
        })
    };
    let value = shown.set.unwrap_or(shown.own.0);
    let unit = match spec.unit {
        Unit::Cycles if value == 0 => String::new(),
        Unit::Cycles => costs::spent(value, khz),
        Unit::Time => String::new(),
        Unit::PerMille => "of 1000".to_owned(),
    };
    let about = format!(
        "{}. Own value {}: {}.",
        spec.about,
        shown.was().unwrap_or_else(|| shown.text()),
        shown.source
    );
    html! {
        <div class="line" title={about.clone()}>
            <span class="key">{ &shown.label }</span>
            <NumberField name={format!("{}: {about}", shown.label)} value={shown.text()} {ontext} class="short" testid={format!("cost-{}", shown.cost.key())}
                was={shown.was().map(AttrValue::from)} />
            <span class="caption clip">{ unit }</span>
        </div>
    }
}
