//! The steps of A beside those of B: what they agree on is one full-width row, where they part the
//! row splits.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::worker::protocol::{DecisionView, StepRow, StepText};

/// Rows shown before "… more".
const SHOWN: usize = 200;

/// Equal steps at the beginning collapse when there are more than this many.
const COLLAPSED_ABOVE: usize = 6;

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
    let open = use_state_eq(|| false);
    let all = use_state_eq(|| false);
    if let Some(why) = &props.decision.no_steps {
        return html! { <p class="second" style="padding: 0 12px 8px">{ why }</p> };
    }
    let equal = steps
        .iter()
        .take_while(|step| matches!(step, StepRow::Same(_)))
        .count();
    let folded = if equal > COLLAPSED_ABOVE && equal < steps.len() && !*open {
        equal
    } else {
        0
    };
    let limit = if *all { usize::MAX } else { SHOWN };
    let unfold = {
        let open = open.setter();
        Callback::from(move |_: MouseEvent| open.set(true))
    };
    let show_all = {
        let all = all.setter();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    html! {
        <>
            if folded > 0 {
                <div style="padding: 2px 12px 6px 24px">
                    <button type="button" class="btn small quiet" onclick={unfold}>{ format!("1 – {folded} are the same in A and B: show") }</button>
                </div>
            }
            <ol class="steps" start={(folded + 1).to_string()} data-testid="steps">
                { for steps.iter().enumerate().skip(folded).take(limit).map(|(n, step)| row(n, step, props.kernel_names)) }
            </ol>
            if steps.len().saturating_sub(folded) > limit {
                <button type="button" class="btn small quiet" onclick={show_all}>{ format!("… {} more steps", steps.len() - folded - limit) }</button>
            }
        </>
    }
}

fn row(n: usize, step: &StepRow, kernel_names: bool) -> Html {
    match step {
        StepRow::Same(text) => html! {
            <li key={n}><span class="n" aria-hidden="true">{ n + 1 }</span><div class="text">{ words(text, kernel_names) }</div></li>
        },
        StepRow::Split(a, b) => html! {
            <li key={n} class="differs" data-testid="split-step">
                <span class="n" aria-hidden="true">{ n + 1 }</span>
                <div class="text"><div class="split" role="group" aria-label="A and B differ here">
                    { half("a", "A: ", a.as_ref(), kernel_names) }{ half("b", "B: ", b.as_ref(), kernel_names) }
                </div></div>
            </li>
        },
    }
}

fn half(class: &'static str, letter: &'static str, text: Option<&StepText>, kernel_names: bool) -> Html {
    html! {
        <div class={classes!(class, text.is_none().then_some("none"))}>
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
