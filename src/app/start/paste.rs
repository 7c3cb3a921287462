//! The dialog for a pasted trace.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::Opening;
use crate::app::control::{Button, Dialog, Look};

/// What the dialog needs.
#[derive(Properties, PartialEq)]
pub struct PasteProps {
    /// Opens the text.
    pub onopen: Callback<Opening>,
    /// Closes the dialog.
    pub onclose: Callback<()>,
}

/// The dialog.
#[component]
pub fn PasteDialog(props: &PasteProps) -> Html {
    let field = use_node_ref();
    let refused = use_state_eq(|| false);
    let load = {
        let (field, refused) = (field.clone(), refused.setter());
        let (onopen, onclose) = (props.onopen.clone(), props.onclose.clone());
        Callback::from(move |()| {
            let text = field
                .cast::<HtmlTextAreaElement>()
                .map(|field| field.value())
                .unwrap_or_default();
            if text.trim().is_empty() {
                refused.set(true);
                return;
            }
            onopen.emit(Opening::Text(text));
            onclose.emit(());
        })
    };
    html! {
        <Dialog title="Paste a trace" onclose={props.onclose.clone()} testid="paste-dialog">
            <textarea ref={field} class="field" rows="14" aria-label="Text of the trace" spellcheck="false" data-testid="paste-field"
                placeholder="<idle>-0  [002] d..1.  812.000340: cpu_idle: state=1 cpu_id=2" />
            if *refused {
                <p class="field-error" role="alert">{ "Expected lines of a trace, found nothing" }</p>
            }
            <div class="row" style="margin-top: 10px; justify-content: flex-end">
                <Button onpress={props.onclose.clone()}>{ "Cancel" }</Button>
                <Button look={Look::Primary} onpress={load} testid="paste-load">{ "Load text" }</Button>
            </div>
        </Dialog>
    }
}
