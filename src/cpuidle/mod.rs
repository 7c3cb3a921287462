//! LAYER 1: idle states and the governors that choose among them.
//!
//! Knows nothing of workloads, traces or browsers. A governor sees the world
//! only through [`Kernel`], so that *whether* it asked for the next timer is
//! observable.

pub mod accounting;
pub mod baseline;
pub mod catalog;
mod decision;
mod device;
mod governor;
pub mod haltpoll;
mod kernel;
pub mod ladder;
pub mod last_value;
pub mod menu;
pub mod mobile;
pub mod poll;
mod rules;
mod select;
mod state;
mod step;
pub mod teo;

pub use baseline::Baseline;
pub use catalog::Choice;
pub use decision::{Decision, TickChoice, Wakeup};
pub use device::Device;
pub use governor::{Governor, Snapshot};
pub use kernel::{Kernel, SleepLength};
pub use last_value::LastValue;
pub use state::{IdleState, MAX_STATES, StateMask, StateTable, StateTableError};
pub use step::{Step, StepKind};
