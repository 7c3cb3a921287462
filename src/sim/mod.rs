//! LAYER 3: the engine for N CPUs and the columns it records.

mod record;
mod workload;

pub use record::{Cause, Flags, Lane, Record, Row};
pub use workload::{CpuEvent, Effects, Entry, Environment, Interrupt, Keep, Knowledge, Timers, Workload};
