//! idlescope: Linux CPU idle governors and the idle tick, replayed, compared and explained.
//!
//! Eight layers, each importing only what stands above it in this list:
//!
//! 1. [`cpuidle`]: idle states and the governors that choose among them.
//! 2. [`tick`]: when the scheduler tick is stopped or retained.
//! 3. [`sim`]: the engine for N CPUs and the columns it records.
//! 4. [`workload`]: what makes CPUs busy and wakes them, from traces or generated.
//! 5. [`energy`] and [`analysis`]: pure functions over the recorded columns.
//! 6. [`trace`]: readers, from bytes to typed events (imports nothing above).
//! 7. [`page`]: the page without a browser.
//! 8. `app` (feature `app`): Yew components, canvas, worker.
//!
//! Invariants, checked by `tests/it/tidy.rs`: nothing outside `app` and `bin` names a web crate,
//! reads a clock or draws random numbers outside `workload::rng`; `cpuidle` does not know that a
//! simulator exists; `sim` does not know governor families; only the catalogues and `page::link`
//! compare versions.

pub mod probe;
pub mod units;

pub mod cpuidle;
pub mod tick;

pub mod sim;
pub mod trace;

pub mod workload;

pub mod analysis;
pub mod energy;

pub mod page;

#[cfg(feature = "app")]
pub mod app;
