//! The card with commands that record a trace this page can explain.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::control::{Choice, IconButton, Segments};
use crate::app::icon::Glyph;
use crate::page::recipes::{ON_X86, OWN_NUMBERS, RECIPES};

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
            <div class="row" style="padding: 6px 6px 0 12px">
                <h2 class="strong">{ "Record one, 15 s" }</h2>
                <span class="space"></span>
                <Segments name="Tool" chosen={Some(*chosen)} {onchoose}
                    choices={RECIPES.iter().map(|recipe| Choice::new(recipe.tool)).collect::<Vec<_>>()} />
                <IconButton small=true glyph={Glyph::Copy} name="Copy command" onpress={copy} testid="copy-command" />
            </div>
            <pre class="block" tabindex="0" data-testid="record-commands">{ recipe.commands }</pre>
            <p class="caption" style="padding: 0 12px 8px">{ ON_X86 }</p>
            <p class="caption" style="padding: 0 12px">{ OWN_NUMBERS.0 }</p>
            <pre class="block" tabindex="0" data-testid="own-numbers-line">{ OWN_NUMBERS.1 }</pre>
        </section>
    }
}
