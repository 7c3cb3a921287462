//! The zone that takes a dropped file, with the two buttons for those who cannot drop.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::Opening;
use crate::app::control::{Button, Look};
use crate::app::icon::{Glyph, Icon};

/// What the zone needs.
#[derive(Properties, PartialEq)]
pub struct DropZoneProps {
    /// Opens a file.
    pub onopen: Callback<Opening>,
    /// Opens the dialog for pasted text.
    pub onpaste: Callback<()>,
    /// Buttons only.
    #[prop_or_default]
    pub compact: bool,
}

/// Every file of a list.
pub fn all(list: Option<web_sys::FileList>) -> Vec<web_sys::File> {
    let list = list.iter();
    list.flat_map(|list| (0..list.length()).filter_map(|n| list.get(n)))
        .collect()
}

/// A file dialog behind a button of one's own.
pub struct FilePicker {
    /// For the file input that is out of sight.
    pub input: NodeRef,
    /// Opens the dialog.
    pub choose: Callback<()>,
    /// For the input's `onchange`.
    pub onchange: Callback<Event>,
}

/// Hands the file that was chosen to `onopen`.
#[hook]
pub fn use_file_picker(onopen: &Callback<Opening>) -> FilePicker {
    let input = use_node_ref();
    let choose = {
        let input = input.clone();
        Callback::from(move |()| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.click();
            }
        })
    };
    let onchange = {
        let onopen = onopen.clone();
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let files = all(input.files());
            if !files.is_empty() {
                onopen.emit(Opening::Files(files));
            }
            // So that the same file can be chosen again.
            input.set_value("");
        })
    };
    FilePicker {
        input,
        choose,
        onchange,
    }
}

/// The zone.
#[component]
pub fn DropZone(props: &DropZoneProps) -> Html {
    let FilePicker {
        input,
        choose,
        onchange,
    } = use_file_picker(&props.onopen);
    let buttons = html! {
        <div class="row" style={if props.compact { "padding: 4px 8px" } else { "justify-content: center; margin-top: 12px" }}>
            <Button look={if props.compact { Look::Plain } else { Look::Primary }} onpress={choose} testid="choose-file">{ "Choose file" }</Button>
            <Button onpress={props.onpaste.clone()} testid="paste-text">{ "Paste text" }</Button>
            <input ref={input} type="file" multiple=true class="sr" tabindex="-1" aria-label="Trace file" data-testid="file-input" {onchange} />
        </div>
    };
    if props.compact {
        return buttons;
    }
    html! {
        <div class="drop" data-testid="drop-zone">
            <div class="arrow">
                <svg width="34" height="34" viewBox="0 0 34 34" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
                    <path d="M17 4v18M10 15l7 7 7-7M4 29h26" />
                </svg>
            </div>
            <p class="big">{ "Drop a trace here" }</p>
            <p class="second">{ "or paste one, " }<kbd>{ "Ctrl" }</kbd>{ " " }<kbd>{ "V" }</kbd></p>
            { buttons }
            <p class="caption" style="margin-top: 12px; line-height: 16px">
                { "trace.dat, perf.data, Perfetto, or text of ftrace, trace-cmd report, perf script, perf trace, systrace, atrace, babeltrace or bpftrace; plain, gzip, zstd, xz or zip." }<br />
                { "State tables and counters too: sysfs, cpupower, turbostat, pepc, devicetree, an idlestat energy model; two dumps give what happened between." }
            </p>
        </div>
    }
}

/// Shown over the page while a file is dragged above it.
#[component]
pub fn DropHint() -> Html {
    html! { <div class="drop-over" aria-hidden="true"><Icon glyph={Glyph::Drop} />{ " Drop to load the trace" }</div> }
}
