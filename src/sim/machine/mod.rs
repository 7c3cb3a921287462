//! What a replay does not need of a machine: what kernel code costs, how fast the clock runs, what two threads of a
//! core do to each other (spec closed-loop-model.md §1, §2).
//!
//! ```text
//!   Busy --work done--> Selecting ==entry cost==> Asleep ==exit cost==> reflect ==switch cost==> Busy
//!                          ^                                               |
//!                          '------- half the entry cost -------------------'  nothing to run
//! ```
//!
//! Without a machine kernel code takes no time and work is counted in nanoseconds; that is how a trace is replayed.
//! With one, code and work are counted in [`Cycles`], so they take longer at a lower frequency, while what the
//! hardware needs does not. Invariants: integers only; a change of speed keeps the cycles that are left; every
//! nanosecond of every core is booked once ([`Usage`]).

mod clock;
mod frequency;
mod model;
mod piece;
mod spent;
mod usage;

pub(super) use clock::{Activity, Clocks};
pub use frequency::{FrequencyRule, SAMPLING_PERIOD};
pub use model::{
    CodeCosts, CorePower, Cycles, Frequency, MachineModel, ModelCpu, ModelPower, Smt, StateExit,
};
pub(super) use piece::Piece;
pub use spent::Spent;
pub use usage::{Asleep, CoreKind, CoreUse, Usage};
