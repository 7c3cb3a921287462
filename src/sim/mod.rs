//! LAYER 3: the engine for N CPUs and the columns it records.
//!
//! Start at [`workload`](Workload) for what drives it, then `cpu.rs` for what one CPU does, then [`Engine`].
//! Follows spec idle-loop-and-tick.md; knows no governor family.

mod busy_time;
mod checkpoint;
mod chooser;
mod cpu;
mod deadlines;
mod engine;
mod interrupts;
mod iteration;
mod kernel_view;
pub mod machine;
mod record;
pub mod schedutil;
mod setup;
pub mod steps;
mod workload;

// What a workload is told of the machine is in the types of the layers below.
pub use crate::cpuidle::{SleepLength, StateMask, StateTable};
pub use crate::tick::Keep;
pub use checkpoint::{ExplainError, Explained, Memory, Run};
pub use chooser::Chooser;
pub use engine::{Engine, Progress};
pub use record::{Cause, Flags, FrequencyChange, Lane, Record, Row};
pub use setup::{CpuSetup, Driver, NO_LATENCY_LIMIT, Setup, StateCosts};
pub use steps::Step;
pub use workload::{CpuEvent, Effects, Entry, Environment, Interrupt, Knowledge, Timers, Workload};
