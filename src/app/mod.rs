//! LAYER 8: Yew components, canvas, worker.
//!
//! Start at [`root`] (state, effects, screens), then [`explorer`] (the layout), [`engine`] (the
//! page's connection to the worker) and [`worker`]. Components take slices of the page as
//! properties and return [`Action`](crate::page::action::Action)s or [`Command`](keys::Command)s.
//!
//! Invariants: everything that takes more than 8 ms runs in the worker; what the worker is asked
//! follows from the page's state; a report about another run or an older question is dropped.
//!
//! # Names for end-to-end tests
//!
//! Stable `data-testid`s; `{n}` is a state's index, `{side}` is `a` or `b`, `{lane}` also `r`.
//!
//! * start: `drop-zone`, `choose-file`, `file-input`, `paste-text`, `paste-dialog`, `paste-field`,
//!   `paste-load`, `copy-command`, `sample-{id}`, `generated-{id}`
//! * head: `workload`, `pick-sample-{id}`, `pick-generated-{id}`, `param-{key}`, `machine`,
//!   `machine-search`, `machine-own`, `machine-{id}`, `variant-{side}`, `governor-{side}-{name}`,
//!   `off-{side}`, `patch-{side}-{number}`, `swap`, `undo`, `redo`, `mail-table`, `export`, `theme`,
//!   `theme-{name}`, `copy-link`
//! * notes: `reading`, `cancel-reading`, `not-read`, `wanted`, `other-trace`, `use-anyway`,
//!   `link-issues`, `plan-issues`, `message`, `toast`, `reading-note`, `note-counters`, `note-states`, `dismiss-reading`
//! * counters: `counters`, `counters-A`, `counters-B`, `counters-changes`, `counters-all`, `counters-each`,
//!   `copy-counters`, `reading-{n}`, `forget-{n}`, `close-counters`
//! * states: `energy-chart`, `handle-residency-{n}`, `handle-residency-row-{n}`, `handle-exit-{n}`,
//!   `handle-power-{n}`, `states-table`, `state-on-{n}`, `state-exit-{n}`, `state-residency-{n}`,
//!   `state-power-{n}`, `reset-edits`, `hz-{hz}`, `hz`, `nohz-0`, `nohz-1`, `rate-limit`, `latency-limit`,
//!   `exit-percent`, `tick-cost`
//! * timeline: `overview`, `lane-recorded`, `lane-a`, `lane-b`, `fit-all`, `decisions-table`,
//!   `timeline-region`, `timeline`, `timeline-canvas`, `running`, `hover-card`, `decisions-dialog`,
//!   `only-differences`, `decisions`, `announcement`
//! * playback: `first`, `previous`, `play`, `next`, `last`, `speed`, `now`, `next-difference`,
//!   `next-miss`, `next-tick-stop`, `find`, `find-{what}`, `find-choose`
//! * results: `results`, `tab-{name}`, `verdict`, `summary-table`, `mail`, `mail-link`, `copy-both`,
//!   `copy-table`, `copy-short-link`
//! * decision: `inspector`, `decision-place`, `answer`, `outcome`, `card-{lane}`, `steps`,
//!   `split-step`, `kernel-names`, `copy-explanation`, `link-decision`, `pin`, `pinned`
//! * status: `agreement`, `own-numbers`, `run-state`, `import-report`, `open-counters`, `keys`; `keys-dialog`
//! * import report: `report`, `report-events`, `report-skipped`, `report-own-numbers`,
//!   `open-timeline`
//! * phone: `phone-timeline`, `phone-states`, `phone-decision`, `phone-summary`; `phone-workload`,
//!   `phone-menu`, `phone-machine`, `phone-swap`, `phone-undo`, `phone-redo`, `phone-mail`,
//!   `phone-import`, `phone-keys`

pub mod address;
pub mod browser;
pub mod control;
mod counters;
pub mod engine;
pub mod explorer;
pub mod export;
pub mod find;
pub mod findings;
pub mod header;
pub mod icon;
pub mod inspector;
pub mod keys;
pub mod notes;
pub mod phone;
pub mod picture;
pub mod pilot;
pub mod playback;
pub mod report;
pub mod results;
pub mod root;
mod sheet;
pub mod splitter;
pub mod start;
pub mod states;
pub mod status;
pub mod store;
pub mod timeline;
pub mod validation;
mod worker;

use wasm_bindgen::JsCast;

/// Starts the page; in a worker, the worker. Both are one module, loaded and compiled once.
pub fn start() {
    console_error_panic_hook::set_once();
    match js_sys::global().dyn_into() {
        Ok(scope) => worker::host::start(&scope),
        Err(_) => {
            yew::Renderer::<root::Root>::new().render();
        }
    }
}
