//! The card with commands that record a trace this page can explain.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::control::{Choice, IconButton, Segments};
use crate::app::icon::Glyph;
use crate::page::recipes::{ON_X86, OWN_NUMBERS, RECIPES};
use crate::page::words::gaps;

/// What the card needs.
#[derive(Properties, PartialEq)]
pub struct RecordProps {
    /// Tells what was copied, or that it was not.
    pub onsay: Callback<String>,
}

/// The card.
#[component]
pub fn RecordCard(props: &RecordProps) -> Html {
    let chosen = use_state_eq(|| 0_usize);
    let recipe = RECIPES[*chosen];
    let copy = {
        let onsay = props.onsay.clone();
        Callback::from(move |()| {
            let onsay = onsay.clone();
            spawn_local(async move {
                let said = if browser::copy(recipe.commands).await {
                    "Command copied"
                } else {
                    "The browser refused the clipboard; select the command instead"
                };
                onsay.emit(said.to_owned());
            });
        })
    };
    let onchoose = {
        let chosen = chosen.setter();
        Callback::from(move |n| chosen.set(n))
    };
    html! {
        <section class="command" aria-label="Record a trace">
            <div class="row" style="padding: 6px 6px 0 12px; flex-wrap: wrap; row-gap: 6px">
                <h2 class="strong">{ "Record one, 15 s" }</h2>
                <span class="space"></span>
                <Segments name="Tool" chosen={Some(*chosen)} {onchoose}
                    choices={RECIPES.iter().map(|recipe| Choice::new(recipe.tool)).collect::<Vec<_>>()} />
                <IconButton small=true glyph={Glyph::Copy} name="Copy command" onpress={copy} testid="copy-command" />
            </div>
            <pre class="block" tabindex="0" data-testid="record-commands">{ recipe.commands }</pre>
            if !recipe.lacks.is_empty() {
                <p class="caption" style="padding: 0 12px 8px" data-testid="record-lacks">{ format!("Without {}: see what that costs below.", recipe.lacks) }</p>
            } else {
                <p class="caption" style="padding: 0 12px 8px">{ ON_X86 }</p>
            }
            <details class="costs" data-testid="record-costs">
                <summary class="caption">{ "What a missing event costs" }</summary>
                <dl class="caption">
                    <dt><code>{ "cpu_idle" }</code></dt><dd>{ "nothing can be shown without it" }</dd>
                    { for gaps::costs().into_iter().map(|(event, cost)| html! { <><dt><code>{ event }</code></dt><dd>{ cost }</dd></> }) }
                </dl>
            </details>
            <p class="caption" style="padding: 0 12px">{ OWN_NUMBERS.0 }</p>
            <pre class="block" tabindex="0" data-testid="own-numbers-line">{ OWN_NUMBERS.1 }</pre>
        </section>
    }
}
