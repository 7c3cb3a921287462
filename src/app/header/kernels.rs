//! "Which entry is my kernel?": kernels that people run, and the entries that behave like them.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::variant::{pressed, side_class};
use crate::app::icon::{Glyph, Icon};
use crate::cpuidle::catalog::Choice;
use crate::page::doc::Side;
use crate::page::kernels::{Entry, Kernel, WHERE, search};

/// What the finder needs.
#[derive(Properties, PartialEq)]
pub struct KernelsProps {
    /// For which side.
    pub side: Side,
    /// Takes the entry.
    pub choose: Callback<Option<Choice>>,
}

/// The finder, folded until somebody asks.
#[component]
pub fn Kernels(props: &KernelsProps) -> Html {
    let open = use_state_eq(|| false);
    let words = use_state_eq(String::new);
    let class = side_class(props.side);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let oninput = {
        let words = words.setter();
        Callback::from(move |event: InputEvent| {
            words.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    html! {
        <>
            <button type="button" class="item fold" aria-expanded={pressed(*open)} onclick={toggle} data-testid={format!("kernels-{class}")}>
                { "Which entry is my kernel?" }<span class="note"></span><Icon glyph={if *open { Glyph::ChevronDown } else { Glyph::ChevronRight }} />
            </button>
            if *open {
                <div class="kernels">
                    <input class="field filter" type="text" placeholder="Debian 12, Ubuntu 6.8, Android …" aria-label="Kernel or distribution" autocomplete="off" spellcheck="false"
                        value={(*words).clone()} {oninput} data-testid={format!("kernel-search-{class}")} />
                    <ul data-testid={format!("kernel-list-{class}")}>{ for search(&words).map(|kernel| row(kernel, props)) }</ul>
                    if search(&words).next().is_none() { <p class="second">{ "No kernel of that name here. Each version above says which kernels decide so." }</p> }
                    <p class="caption">{ WHERE }{ "." }</p>
                </div>
            }
            <hr />
        </>
    }
}

fn row(kernel: &Kernel, props: &KernelsProps) -> Html {
    let class = side_class(props.side);
    let entry = |governor: &'static str, entry: Entry| match (entry, entry.choice()) {
        (Entry::Is(name), Some(choice)) => html! {
            <button type="button" class="btn small" data-testid={format!("kernel-{class}-{name}")}
                onclick={props.choose.reform(move |_: MouseEvent| Some(choice))}>{ name.replacen('-', " ", 1) }</button>
        },
        _ => html! { <span class="muted">{ format!("{governor}: none exact") }</span> },
    };
    html! {
        <li key={kernel.name}>
            <span class="name">{ kernel.name }</span>
            <span class="entries">{ entry("menu", kernel.menu) }{ entry("teo", kernel.teo) }</span>
            <span class="caption">{ kernel.sure.label() }if !kernel.note.is_empty() { { format!(": {}", kernel.note) } }</span>
        </li>
    }
}
