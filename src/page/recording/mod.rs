//! The recorded kernel: its lane, and how well a governor that follows its path reproduces it (spec
//! replay-inputs.md §1, §6).
//!
//! It joins what a trace tells ([`replay`](crate::workload::replay)) with governors and accounting, which a
//! workload knows nothing of.

pub mod agreement;
pub mod cross;
pub mod dumps;
pub mod follow;
pub mod hidden;
pub mod recorded;

use crate::tick;
use crate::units::Ns;
use crate::workload::replay::Replay;

/// The tick of the recorded machine, on the trace's clock.
#[must_use]
pub fn tick(replay: &Replay) -> tick::Config {
    let clock = replay.constants.clock;
    tick::Config {
        hz: tick::Hz::new(replay.constants.hz).unwrap_or_default(),
        phase: Ns::new(clock.offset.as_ns().rem_euclid(clock.tick.as_ns())),
        ..tick::Config::default()
    }
}
