//! The state that CPUs share, a cluster's or the package's, as one more sleeper beside them (spec energy.md §3,
//! last caveat but two).
//!
//! It is entered whenever all of them have given their vote: nobody predicts how long that will last, the last CPU
//! takes the cluster along. What it draws while it is awake is beside the powers of the CPUs' own states, so
//! nothing is counted twice; while it sleeps it draws nothing.
//!
//! ```text
//!   all vote   ..######......############....    power × break-even for each entry,
//!   awake      ##......######............####    power while awake
//! ```

use serde::{Deserialize, Serialize};

use crate::units::{Energy, Microwatts, Ns, Time};

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedState {
    /// From how long on it pays off.
    pub target_residency: Ns,
    /// Drawn while it is not entered. Estimate.
    pub power: Microwatts,
}

/// What became of it. Energies are estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedUse {
    /// Times that all CPUs gave their vote.
    pub entered: u64,
    /// Of these, those that ended before it paid off.
    pub short: u64,
    /// Time in it.
    pub asleep: Ns,
    /// Time in all.
    pub span: Ns,
    /// Entered at every vote, as it is.
    pub spent: Energy,
    /// Had it never been entered.
    pub never: Energy,
    /// Had it been entered where it pays off alone.
    pub best: Energy,
}

impl SharedUse {
    /// Of the stretches of a span in which all voted; each lies within the span and none touches another.
    #[must_use]
    pub fn of(votes: &[(Time, Time)], state: SharedState, span: Ns) -> Self {
        let never = state.power * span;
        let mut found = Self {
            span,
            never,
            spent: never,
            best: never,
            ..Self::default()
        };
        for (from, to) in votes {
            let length = to.saturating_since(*from);
            let saved = state.power * (length - state.target_residency);
            found.entered += 1;
            found.asleep += length;
            found.spent = found.spent - saved;
            if length >= state.target_residency {
                found.best = found.best - saved;
            } else {
                found.short += 1;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: i64) -> Time {
        Time::from_ns(us * 1_000)
    }

    /// 100 mW for 10 ms: 1 mJ if it never sleeps.
    #[track_caller]
    fn check(votes: &[(i64, i64)], (spent_nj, best_nj): (i64, i64), short: u64) {
        let state = SharedState {
            target_residency: Ns::from_ms(1),
            power: Microwatts::new(100_000),
        };
        let votes: Vec<_> = votes.iter().map(|(from, to)| (at(*from), at(*to))).collect();
        let found = SharedUse::of(&votes, state, Ns::from_ms(10));
        let nj = |energy: Energy| energy.as_fj() / 1_000_000;
        assert_eq!(nj(found.never), 1_000_000);
        assert_eq!(
            (nj(found.spent), nj(found.best)),
            (spent_nj.into(), best_nj.into())
        );
        assert_eq!((found.entered, found.short), (votes.len() as u64, short));
    }

    #[test]
    fn a_sleep_of_just_the_break_even_saves_nothing() {
        check(&[], (1_000_000, 1_000_000), 0);
        check(&[(0, 1_000)], (1_000_000, 1_000_000), 0);
    }

    #[test]
    fn a_short_sleep_costs_and_a_long_one_saves() {
        check(&[(0, 400)], (1_060_000, 1_000_000), 1);
        check(&[(0, 4_000)], (700_000, 700_000), 0);
        check(&[(0, 400), (5_000, 9_000)], (760_000, 700_000), 1);
    }
}
