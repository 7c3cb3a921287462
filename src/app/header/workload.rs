//! The workload picker: samples, generated workloads with their parameters, and files.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::control::{Menu, NumberField};
use crate::app::icon::{Glyph, Icon};
use crate::app::start::{OpenButtons, Opening, sample_facts};
use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::{Doc, SampleId, Workload};
use crate::page::duration::to_link;
use crate::page::field;
use crate::page::generated::{Beats, Generated, Kind, Pattern, Preset, Spec};
use crate::page::live::File;
use crate::page::scenarios::{self, Group};
use crate::units::Ns;

/// The workload's name as the head shows it.
pub fn name(page: &Page) -> String {
    match (&page.doc.workload, &page.live.file) {
        (Workload::None, _) => "no workload".to_owned(),
        (Workload::Sample(sample), _) => sample_facts(*sample).name.to_owned(),
        (Workload::Generated(generated), _) => generated.pattern().id().to_owned(),
        (Workload::Trace(id), File::Ready { name, id: read, .. }) if id == read => name.clone(),
        (Workload::Trace(id), _) => format!("trace {id}"),
    }
}

/// What the picker needs.
#[derive(Properties, PartialEq)]
pub struct WorkloadProps {
    /// The workload's name.
    pub name: AttrValue,
    /// CPUs and length, once known.
    pub extent: Option<AttrValue>,
    /// The question.
    pub doc: Rc<Doc>,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Opens something.
    pub onopen: Callback<Opening>,
    /// Tells something short.
    pub onsay: Callback<String>,
    /// Name above extent, for narrow screens.
    #[prop_or_default]
    pub stacked: bool,
    /// Classes of the anchor: where it is seen.
    pub anchor: Classes,
    /// Name for end-to-end tests.
    pub testid: AttrValue,
}

/// The picker.
#[component]
pub fn WorkloadPicker(props: &WorkloadProps) -> Html {
    let face = if props.stacked {
        html! {
            <>
                <span class="two-lines">
                    <span class="strong clip">{ &props.name }</span>
                    if let Some(extent) = &props.extent { <span class="caption clip">{ extent }</span> }
                </span>
                <Icon glyph={Glyph::ChevronDown} />
            </>
        }
    } else {
        html! {
        <>
            <Icon glyph={Glyph::File} /><span class="clip" style="max-width: 150px">{ &props.name }</span>
            if let Some(extent) = &props.extent { <span class="note low">{ extent }</span> }
        </>
        }
    };
    let chosen = |on: bool| if on { "true" } else { "false" };
    // Each choice or file closes the menu; editing a parameter does not.
    let choices = use_state_eq(|| 0_u32);
    let onopen = {
        let (onopen, choices) = (props.onopen.clone(), choices.clone());
        Callback::from(move |opening: Opening| {
            choices.set(choices.wrapping_add(1));
            onopen.emit(opening);
        })
    };
    html! {
        <Menu {face} anchor={props.anchor.clone()} stays=true closed={*choices} testid={props.testid.clone()}>
            <OpenButtons onopen={onopen.clone()} onsay={props.onsay.clone()} />
            <div class="head">{ "Sample traces" }</div>
            { for SampleId::ALL.into_iter().map(|sample| html! {
                <button type="button" class="item" aria-pressed={chosen(props.doc.workload == Workload::Sample(sample))}
                    data-testid={format!("pick-sample-{}", sample.id())} onclick={onopen.reform(move |_: MouseEvent| Opening::Sample(sample))}>
                    { sample_facts(sample).name }<span class="note">{ sample_facts(sample).extent }</span>
                </button>
            }) }
            { for Group::ALL.into_iter().map(|group| html! {
                <>
                    <div class="head">{ group.label() }</div>
                    { for group.patterns().map(|pattern| {
                        let on = matches!(&props.doc.workload, Workload::Generated(generated) if generated.pattern() == pattern);
                        html! {
                            <button type="button" class="item scenario" aria-pressed={chosen(on)}
                                data-testid={format!("pick-generated-{}", pattern.id())} onclick={onopen.reform(move |_: MouseEvent| Opening::Generated(pattern))}>
                                <span>{ pattern.label() }<span class="caption">{ pattern.about() }</span></span>
                            </button>
                        }
                    }) }
                </>
            }) }
            if let Workload::Generated(generated) = &props.doc.workload {
                <div class="head">{ format!("Parameters of {}", generated.pattern().label()) }</div>
                { presets(generated, &props.act) }
                { beats(generated, &props.act) }
                { for generated.pattern().specs().iter().map(|spec| parameter(generated, spec, &props.act)) }
                { about(&props.doc, generated.pattern()) }
            }
        </Menu>
    }
}

/// What the workload models and what it does not, and whose parameters are in use.
fn about(doc: &Doc, pattern: Pattern) -> Html {
    let text = scenarios::text(pattern);
    html! {
        <div class="scenario-text" data-testid="scenario-text">
            <p><span class="strong">{ "Models. " }</span>{ text.models }</p>
            <p><span class="strong">{ "Does not model. " }</span>{ text.leaves_out }</p>
            if let Some(parameters) = scenarios::parameters(doc) {
                <p><span class="strong">{ "Machine. " }</span>{ parameters.about() }{ "." }</p>
            }
        </div>
    }
}

/// Values that are set with one press.
fn presets(generated: &Generated, act: &Callback<Action>) -> Html {
    let all = generated.pattern().presets();
    let one = |preset: &'static Preset| {
        let with = generated.with(preset);
        let chosen = if with == *generated { "true" } else { "false" };
        let onclick =
            act.reform(move |_: MouseEvent| Action::WorkloadChosen(Workload::Generated(with.clone())));
        html! { <button type="button" class="btn small" aria-pressed={chosen} {onclick}>{ preset.label }</button> }
    };
    if all.is_empty() {
        return Html::default();
    }
    html! { <div class="line presets" data-testid="presets">{ for all.iter().map(one) }</div> }
}

/// The list of pauses.
fn beats(generated: &Generated, act: &Callback<Action>) -> Html {
    let Some(beats) = generated.beats() else {
        return Html::default();
    };
    let ontext = {
        let act = act.clone();
        Callback::from(move |text: AttrValue| {
            let beats = Beats::parse(&text).map_err(|error| error.to_string())?;
            act.emit(Action::BeatsEdited(beats));
            Ok(())
        })
    };
    let was = generated
        .changed_beats()
        .map(|_| AttrValue::from(Beats::default().to_string()));
    html! {
        <div class="line beats"><span class="key">{ "pauses" }</span>
            <NumberField name="pauses: i and a time for an interrupt, t for a timer, x6 to repeat" value={beats.to_string()} {ontext} testid="param-pat" {was} />
        </div>
    }
}

fn parameter(generated: &Generated, spec: &'static Spec, act: &Callback<Action>) -> Html {
    let value = generated.get(spec.param).unwrap_or(spec.default);
    let param = spec.param;
    if spec.kind == Kind::Switch {
        let onchange = act.reform(move |_: Event| Action::ParamEdited(param, 1 - value));
        return html! {
            <label class="item check"><input type="checkbox" checked={value == 1} {onchange} />{ spec.label }</label>
        };
    }
    let write = move |value: i64| match spec.kind {
        Kind::Time { .. } => to_link(Ns::new(value)).replace("us", " µs").replace("ms", " ms"),
        _ => value.to_string(),
    };
    let ontext = {
        let act = act.clone();
        Callback::from(move |text: AttrValue| {
            let value = match spec.kind {
                Kind::Time { .. } if spec.or_zero && text.trim() == "0" => Ok(0),
                Kind::Time { min, max } => field::time(&text, min, max).map(Ns::as_ns),
                Kind::Count { min, max } => field::whole(&text, min, max, ""),
                Kind::Switch => return Ok(()),
            };
            let value = value.map_err(|error| error.to_string())?;
            act.emit(Action::ParamEdited(param, value));
            Ok(())
        })
    };
    html! {
        <div class="line" style="padding: 0 8px"><span class="key" style="width: 150px">{ spec.label }</span>
            <NumberField name={spec.label} value={write(value)} {ontext} class="short" testid={format!("param-{}", param.key())}
                was={(value != spec.default).then(|| AttrValue::from(write(spec.default)))} />
        </div>
    }
}
