//! A short message at the bottom: four seconds, never an error, never the only place of a message.

use gloo::utils::window;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::prelude::*;

/// What the toast shows.
#[derive(Properties, PartialEq)]
pub struct ToastProps {
    /// The text, numbered so that the same text twice is shown twice.
    pub said: Option<(u32, AttrValue)>,
}

const SHOWN_MS: i32 = 4_000;

/// The toast.
#[component]
pub fn Toast(props: &ToastProps) -> Html {
    let shown = use_state_eq(|| None::<(u32, AttrValue)>);
    {
        let shown = shown.setter();
        use_effect_with(props.said.clone(), move |said| {
            shown.set(said.clone());
            let hide = Closure::<dyn Fn()>::new(move || shown.set(None));
            let timer = said.as_ref().and_then(|_| {
                window()
                    .set_timeout_with_callback_and_timeout_and_arguments_0(
                        hide.as_ref().unchecked_ref(),
                        SHOWN_MS,
                    )
                    .ok()
            });
            move || {
                if let Some(timer) = timer {
                    window().clear_timeout_with_handle(timer);
                }
                drop(hide);
            }
        });
    }
    html! {
        <div role="status" aria-live="polite">
            if let Some((_, text)) = &*shown { <div class="toast" data-testid="toast">{ text }</div> }
        </div>
    }
}
