//! The dialog for a pasted trace or table.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, HtmlTextAreaElement};
use yew::prelude::*;

use super::Opening;
use crate::app::control::{Button, Dialog, Look};

/// From this many letters on a pasted text is taken as a file at once: laying so much of it out in a field takes
/// the browser seconds.
const LONG: usize = 20_000;

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
    let onpaste = {
        let (onopen, onclose) = (props.onopen.clone(), props.onclose.clone());
        Callback::from(move |event: Event| {
            let pasted = event
                .dyn_ref::<ClipboardEvent>()
                .and_then(ClipboardEvent::clipboard_data)
                .and_then(|data| data.get_data("text/plain").ok());
            if let Some(text) = pasted.filter(|text| text.len() >= LONG) {
                event.prevent_default();
                onopen.emit(Opening::Text(text));
                onclose.emit(());
            }
        })
    };
    html! {
        <Dialog title="Paste a trace or a state table" onclose={props.onclose.clone()} testid="paste-dialog">
            <textarea ref={field} class="field" rows="14" aria-label="Text of the trace or table" spellcheck="false" data-testid="paste-field" {onpaste}
                placeholder="<idle>-0  [002] d..1.  812.000340: cpu_idle: state=1 cpu_id=2" />
            if *refused {
                <p class="field-error" role="alert">{ "Expected lines of a trace or a state table, found nothing" }</p>
            }
            <div class="row" style="margin-top: 10px; justify-content: flex-end">
                <Button onpress={props.onclose.clone()}>{ "Cancel" }</Button>
                <Button look={Look::Primary} onpress={load} testid="paste-load">{ "Load text" }</Button>
            </div>
        </Dialog>
    }
}
