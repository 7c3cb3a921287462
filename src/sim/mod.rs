//! LAYER 3: the engine for N CPUs and the columns it records.
//!
//! Start at [`workload`](Workload) for what drives it, then `cpu.rs` for what one CPU does, then [`Engine`].
//! Follows spec idle-loop-and-tick.md; knows no governor family.

mod chooser;
mod cpu;
mod deadlines;
mod engine;
mod entering;
mod interrupts;
mod iteration;
mod kernel_view;
mod record;
mod setup;
pub mod steps;
mod workload;

pub use crate::tick::Keep;
pub use chooser::Chooser;
pub use engine::{Engine, Progress};
pub use record::{Cause, Flags, Lane, Record, Row};
pub use setup::{CpuSetup, Driver, NO_LATENCY_LIMIT, PollLimit, Setup};
pub use steps::Step;
pub use workload::{CpuEvent, Effects, Entry, Environment, Interrupt, Knowledge, Timers, Workload};
