//! A name that gives up its middle, not its end, where it has no room: the ends are what tells names apart.

use yew::prelude::*;

/// The name.
#[derive(Properties, PartialEq)]
pub struct MiddleCutProps {
    /// The whole of it.
    pub text: AttrValue,
}

/// Letters at the end that always stay.
const KEPT: usize = 9;

/// The name in one line.
#[component]
pub fn MiddleCut(props: &MiddleCutProps) -> Html {
    let letters = props.text.chars().count();
    let head: String = props.text.chars().take(letters.saturating_sub(KEPT)).collect();
    let tail: String = props.text.chars().skip(letters.saturating_sub(KEPT)).collect();
    html! {
        <span class="middle-cut">
            <span class="sr">{ &props.text }</span>
            <span class="clip" aria-hidden="true">{ head }</span><span aria-hidden="true">{ tail }</span>
        </span>
    }
}
