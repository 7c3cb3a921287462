//! A short message at the bottom: four seconds, never an error, never the only place of a message.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// What the toast shows.
#[derive(Properties, PartialEq)]
pub struct ToastProps {
    /// The text, numbered so that the same text twice is shown twice.
    pub said: Option<(u32, AttrValue)>,
}

const SHOWN_MS: u32 = 4_000;

/// The toast.
#[component]
pub fn Toast(props: &ToastProps) -> Html {
    let shown = use_state_eq(|| None::<(u32, AttrValue)>);
    {
        let shown = shown.setter();
        use_effect_with(props.said.clone(), move |said| {
            shown.set(said.clone());
            let hide = said
                .is_some()
                .then(|| Timeout::new(SHOWN_MS, move || shown.set(None)));
            move || drop(hide)
        });
    }
    html! {
        <div role="status" aria-live="polite">
            if let Some((_, text)) = &*shown { <div class="toast" data-testid="toast">{ text }</div> }
        </div>
    }
}
