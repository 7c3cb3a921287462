//! When all CPUs of a group sleep deep enough for the state that they share: a cluster's, or the package's.
//!
//! ```text
//!   cpu0  ####......########....######
//!   cpu1  ..######..######......######
//!   all   ..##......######......######     each stretch is judged by the shared state's own break-even
//! ```

use crate::cpuidle::{MAX_STATES, StateMask};
use crate::sim::{Flags, Lane, Row};
use crate::units::{StateIdx, Time};

/// One CPU of a group, and the states in which it gives its vote for the shared one.
#[derive(Clone, Copy, Debug)]
pub struct Voter<'a> {
    /// What it did.
    pub lane: &'a Lane,
    /// Those states.
    pub votes: StateMask,
}

impl<'a> Voter<'a> {
    /// One that votes in `shallowest` and deeper states.
    #[must_use]
    pub fn from_state(lane: &'a Lane, shallowest: StateIdx) -> Self {
        let deep = (0..MAX_STATES).filter(|n| *n >= shallowest.index());
        let votes = deep
            .filter_map(|n| u8::try_from(n).ok())
            .fold(StateMask::NONE, |mask, n| mask.with(StateIdx::new(n)));
        Self { lane, votes }
    }

    /// Its sleeps within `from` to `to`, from entry to wakeup event.
    fn sleeps(self, from: Time, to: Time) -> impl Iterator<Item = (Time, Time)> + use<'a> {
        let first = self.lane.exits().partition_point(|exit| *exit <= from);
        let Self { lane, votes } = self;
        let counts = move |row: &Row| !row.flags.has(Flags::REJECTED) && votes.contains(row.entered);
        (first..lane.len())
            .map_while(move |n| lane.row(n))
            .take_while(move |row| row.entry < to)
            .filter(counts)
            .map(move |row| (row.entry.max(from), row.wake.min(to)))
    }
}

/// The stretches within `from` to `to` in which all of them vote, ascending; empty without any CPU.
#[must_use]
pub fn together(voters: &[Voter<'_>], from: Time, to: Time) -> Vec<(Time, Time)> {
    let mut sleeps: Vec<_> = voters.iter().map(|voter| voter.sleeps(from, to)).collect();
    let heads: Option<Vec<(Time, Time)>> = sleeps.iter_mut().map(Iterator::next).collect();
    let mut stretches = Vec::new();
    let Some(mut heads) = heads else { return stretches };
    loop {
        let latest = heads.iter().map(|(entry, _)| *entry).max();
        let first = (0_usize..).zip(&heads).min_by_key(|(_, (_, wake))| *wake);
        let (Some(latest), Some((n, (_, earliest)))) = (latest, first) else {
            return stretches;
        };
        if latest < *earliest {
            stretches.push((latest, *earliest));
        }
        // Whoever wakes first has nothing in common with the others any more.
        let next = sleeps.get_mut(n).and_then(Iterator::next);
        let (Some(head), Some(next)) = (heads.get_mut(n), next) else {
            return stretches;
        };
        *head = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Cause;
    use crate::units::Ns;

    fn lane(sleeps: &[(i64, i64, u8)]) -> Lane {
        let mut lane = Lane::default();
        for (entry, wake, state) in sleeps {
            lane.push(Row {
                entry: Time::from_ns(*entry),
                wake: Time::from_ns(*wake),
                exit: Time::from_ns(*wake + 1),
                sleep_length: Ns::MAX,
                period: 0,
                selected: StateIdx::new(*state),
                entered: StateIdx::new(*state),
                cause: Cause::Timer,
                flags: Flags::NONE,
            });
        }
        lane
    }

    #[track_caller]
    fn check(lanes: &[&[(i64, i64, u8)]], window: (i64, i64), expect: &[(i64, i64)]) {
        let lanes: Vec<Lane> = lanes.iter().map(|sleeps| lane(sleeps)).collect();
        let voters: Vec<Voter<'_>> = lanes
            .iter()
            .map(|lane| Voter::from_state(lane, StateIdx::new(1)))
            .collect();
        let found = together(&voters, Time::from_ns(window.0), Time::from_ns(window.1));
        let found: Vec<(i64, i64)> = found
            .iter()
            .map(|(from, to)| (from.as_ns(), to.as_ns()))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn only_what_all_sleep_through_counts() {
        check(
            &[
                &[(0, 40, 1), (100, 180, 1), (220, 280, 1)],
                &[(20, 80, 1), (100, 160, 2), (220, 280, 1)],
            ],
            (0, 1_000),
            &[(20, 40), (100, 160), (220, 280)],
        );
    }

    #[test]
    fn a_shallow_state_is_no_vote() {
        check(&[&[(0, 40, 1)], &[(0, 40, 0)]], (0, 100), &[]);
        check(
            &[&[(0, 10, 1), (10, 20, 0), (20, 30, 1)]],
            (0, 100),
            &[(0, 10), (20, 30)],
        );
    }

    #[test]
    fn the_window_cuts_stretches_and_no_cpu_has_none() {
        check(&[&[(0, 40, 1)], &[(10, 60, 1)]], (15, 30), &[(15, 30)]);
        check(&[], (0, 100), &[]);
    }
}
