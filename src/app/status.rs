//! The status bar: how far the replay agrees with the recording, its limits, how long runs took.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::icon::{Glyph, Icon};
use crate::app::worker::protocol::Facts;
use crate::page::action::Action;
use crate::page::live::{Live, Run};
use crate::page::view::Panel;

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub struct StatusProps {
    /// What has arrived.
    pub live: Rc<Live>,
    /// What the newest finished run covers.
    pub facts: Option<Rc<Facts>>,
    /// A file was read, so there is an import report.
    pub imported: bool,
    /// Takes actions.
    pub act: Callback<Action>,
    /// Stops the run.
    pub onstop: Callback<()>,
}

/// The bar.
#[component]
pub fn Status(props: &StatusProps) -> Html {
    let run = match props.live.run {
        Run::None => Html::default(),
        Run::Running { .. } => html! {
            <><span data-testid="run-state">{ "running" }</span>
            <button type="button" class="btn small quiet" style="height: 20px" onclick={props.onstop.reform(|_: MouseEvent| ())}>{ "Cancel" }</button></>
        },
        Run::Done { took_ms } => {
            html! { <span data-testid="run-state">{ format!("runs took {took_ms}\u{202f}ms") }</span> }
        }
        Run::Cancelled => html! { <span data-testid="run-state">{ "run cancelled" }</span> },
        Run::Failed => html! { <span data-testid="run-state">{ "run failed" }</span> },
    };
    html! {
        <footer class="status" role="contentinfo">
            if let Some(facts) = &props.facts {
                if let Some((sentence, good)) = &facts.agreement {
                    <span class={if *good { "good" } else { "bad" }} data-testid="agreement"><Icon glyph={if *good { Glyph::Check } else { Glyph::Warn }} />{ sentence }</span>
                }
                if let Some((sentence, good)) = &facts.own_numbers {
                    <span class={if *good { "good" } else { "bad" }} title={sentence.clone()} data-testid="own-numbers"><Icon glyph={if *good { Glyph::Check } else { Glyph::Warn }} />{ &facts.own_brief }</span>
                }
                { for facts.limits.iter().map(|limit| html! { <span class="clip">{ limit }</span> }) }
            }
            <span class="space"></span>
            if props.imported { <button type="button" class="btn small quiet" style="height: 20px" data-testid="import-report"
                onclick={props.act.reform(|_: MouseEvent| Action::PanelOpened(Panel::Import))}>{ "Import report" }</button> }
            if !props.live.readings.is_empty() { <button type="button" class="btn small quiet" style="height: 20px" data-testid="open-counters"
                onclick={props.act.reform(|_: MouseEvent| Action::PanelOpened(Panel::Counters))}>{ "Counters" }</button> }
            { run }
            <button type="button" class="btn small quiet" style="height: 20px" data-testid="keys"
                onclick={props.act.reform(|_: MouseEvent| Action::PanelOpened(Panel::Keys))}><kbd>{ "?" }</kbd>{ "keys" }</button>
        </footer>
    }
}
