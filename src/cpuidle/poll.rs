//! How long the polling state polls (spec idle-loop-and-tick.md §3, teo.md §1.5).
//!
//! The limit is computed when the polling state is first entered and kept in
//! the device; states that are disabled later do not change it.

use super::{StateMask, StateTable};
use crate::units::{Ns, StateIdx};

/// A target residency below this is no reason to stop polling.
const MIN: Ns = Ns::from_us(10);

/// The fixed limit, and the greatest of the later ones, is the tick period by this.
const TICK_SHARE: i64 = 16;

/// How the limit is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PollLimit {
    /// Up to 4.16: there is none, polling ends when a task is woken.
    Unlimited,
    /// 4.17 to 4.20: a sixteenth of the tick period.
    Fixed,
    /// 5.0 to 5.10: the target residency of the first enabled state after state 0, else one tick
    /// period.
    FirstState,
    /// From 5.11 on: that of the first with at least 10 µs, at most a sixteenth of the tick
    /// period.
    FirstWorthwhileState,
}

impl PollLimit {
    /// The limit, ns, given what the device holds (`stored`) from an earlier entry.
    #[must_use]
    pub fn limit(self, table: &StateTable, disabled: StateMask, tick: Ns, stored: Option<Ns>) -> Ns {
        let share = Ns::new(tick.as_ns() / TICK_SHARE);
        let first = |min: Ns| {
            table
                .indices()
                .filter(|idx| *idx > StateIdx::ZERO && !disabled.contains(*idx))
                .map(|idx| table.target_residency(idx))
                .find(|target_residency| *target_residency >= min)
        };
        match (self, stored) {
            (Self::Unlimited, _) => Ns::MAX,
            (Self::Fixed, _) => share,
            (Self::FirstState | Self::FirstWorthwhileState, Some(stored)) => stored,
            (Self::FirstState, None) => first(Ns::ZERO).unwrap_or(tick),
            (Self::FirstWorthwhileState, None) => first(MIN).map_or(share, |limit| limit.min(share)),
        }
    }
}
