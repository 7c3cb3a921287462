//! The steps of A beside those of B: what they agree on is one full-width row, where they part the
//! row splits.

use std::rc::Rc;

use yew::prelude::*;

use super::lights::{Lights, lights};
use crate::app::icon::{Glyph, Icon};
use crate::app::worker::protocol::{DecisionView, StepRow, StepText};
use crate::page::words::align::{Piece, folded};

/// Rows shown before "… more".
const SHOWN: usize = 200;

/// Runs of equal steps of this length or more are folded.
const FOLDED_FROM: usize = 3;

/// What the steps need.
#[derive(Properties, PartialEq)]
pub struct StepsProps {
    /// The decision.
    pub decision: Rc<DecisionView>,
    /// The kernel's names instead of plain words.
    pub kernel_names: bool,
}

/// The steps.
#[component]
pub fn Steps(props: &StepsProps) -> Html {
    let steps = &props.decision.steps;
    let open = use_state_eq(Vec::<usize>::new);
    let all = use_state_eq(|| false);
    if let Some(why) = &props.decision.no_steps {
        return html! { <p class="second" style="padding: 0 12px 8px">{ why }</p> };
    }
    let same: Vec<bool> = steps
        .iter()
        .map(|step| matches!(step, StepRow::Same(_)))
        .collect();
    let limit = if *all { usize::MAX } else { SHOWN };
    let show_all = {
        let all = all.setter();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    let names = props.kernel_names;
    let piece = |piece: Piece| match piece {
        Piece::Row(n) => steps.get(n).map(|step| row(n, step, names)).unwrap_or_default(),
        Piece::Fold(from, count) if open.contains(&from) => {
            let rows = steps.iter().enumerate().skip(from).take(count);
            rows.map(|(n, step)| row(n, step, names)).collect()
        }
        Piece::Fold(from, count) => {
            let open = open.clone();
            let unfold = Callback::from(move |_: MouseEvent| {
                let mut now = (*open).clone();
                now.push(from);
                open.set(now);
            });
            html! {
                <li key={format!("fold{from}")} class="fold"><span></span>
                    <button type="button" class="btn small quiet" onclick={unfold} data-testid="folded-steps">
                        { format!("{} – {} are the same", from + 1, from + count) }<Icon glyph={Glyph::ChevronDown} />
                    </button>
                </li>
            }
        }
    };
    let Lights {
        onpointerover,
        onpointerleave,
        onfocusin,
        onfocusout,
        onkeydown,
    } = lights();
    html! {
        <>
            <ol class="steps" data-testid="steps" {onpointerover} {onpointerleave} {onfocusin} {onfocusout} {onkeydown}>{ for folded(&same, FOLDED_FROM).into_iter().take(limit).map(piece) }</ol>
            if steps.len() > limit {
                <button type="button" class="btn small quiet" onclick={show_all}>{ format!("… {} more steps", steps.len() - limit) }</button>
            }
        </>
    }
}

/// The step that made the difference, as it stands under the answer, and what moved either on from there.
pub fn decisive(rows: &[StepRow], kernel_names: bool) -> Html {
    let split = |(n, row): (usize, &StepRow)| match row {
        StepRow::Split(a, b) => html! {
            <>
                if n > 0 { <p class="caption">{ "then" }</p> }
                <div class="split">{ half("a", "A: ", a.as_ref(), kernel_names) }{ half("b", "B: ", b.as_ref(), kernel_names) }</div>
            </>
        },
        StepRow::Same(_) => Html::default(),
    };
    let Lights {
        onpointerover,
        onpointerleave,
        ..
    } = lights();
    html! {
        <div class="decisive" role="group" aria-label="The step that made the difference" data-testid="decisive" {onpointerover} {onpointerleave}>
            { for rows.iter().enumerate().map(split) }
        </div>
    }
}

fn row(n: usize, step: &StepRow, kernel_names: bool) -> Html {
    match step {
        StepRow::Same(text) => html! {
            <li key={n} tabindex={tabindex(n)} data-about={text.about.clone()}><span class="n" aria-hidden="true">{ n + 1 }</span><div class="text">{ words(text, kernel_names) }</div></li>
        },
        StepRow::Split(a, b) => html! {
            <li key={n} class="differs" tabindex={tabindex(n)} data-about={both(a.as_ref(), b.as_ref())} data-testid="split-step">
                <span class="n" aria-hidden="true">{ n + 1 }</span>
                <div class="text"><div class="split" role="group" aria-label="A and B differ here">
                    { half("a", "A: ", a.as_ref(), kernel_names) }{ half("b", "B: ", b.as_ref(), kernel_names) }
                </div></div>
            </li>
        },
    }
}

/// The first step is where the Tab key comes in; from there arrows lead on.
const fn tabindex(n: usize) -> &'static str {
    if n == 0 { "0" } else { "-1" }
}

/// What either half of a split row speaks of.
fn both(a: Option<&StepText>, b: Option<&StepText>) -> String {
    let about = |text: Option<&StepText>| text.map(|text| text.about.clone()).unwrap_or_default();
    format!("{} {}", about(a), about(b))
}

fn half(class: &'static str, letter: &'static str, text: Option<&StepText>, kernel_names: bool) -> Html {
    html! {
        <div class={classes!(class, text.is_none().then_some("none"))} data-side={letter.get(..1)} data-about={text.map(|text| text.about.clone())}>
            <span class="sr">{ letter }</span>
            { match text { Some(text) => words(text, kernel_names), None => html! { "–" } } }
        </div>
    }
}

fn words(text: &StepText, kernel_names: bool) -> Html {
    html! {
        <>
            { if kernel_names { &text.kernel } else { &text.plain } }
            if !text.sum.is_empty() { <span class="sum">{ &text.sum }</span> }
        </>
    }
}

/// The steps as lines of plain text.
pub fn as_text(steps: &[StepRow], kernel_names: bool) -> String {
    let line = |text: &StepText| {
        let words = if kernel_names { &text.kernel } else { &text.plain };
        match text.sum.as_str() {
            "" => words.clone(),
            sum => format!("{words} ({sum})"),
        }
    };
    let mut out = String::new();
    for (n, step) in steps.iter().enumerate() {
        let n = n + 1;
        match step {
            StepRow::Same(text) => out.push_str(&format!("{n}. {}\n", line(text))),
            StepRow::Split(a, b) => {
                let side = |text: &Option<StepText>| text.as_ref().map_or("not taken".to_owned(), line);
                out.push_str(&format!("{n}. A: {}\n   B: {}\n", side(a), side(b)));
            }
        }
    }
    out
}
