//! The cheapest state by length of stay: looked up for every row of a record, so worked out once.
//!
//! ```text
//!   energy |  state 0 /   _- state 1
//!          |         /_--        ___--- state 2
//!          |      _-/     ___----
//!          |___---_/___---
//!          '------|-----------|---------> length of the stay
//!              from of 1   from of 2
//! ```

use super::Model;
use crate::cpuidle::StateMask;
use crate::units::{Ns, StateIdx};

/// From which length on which state is the cheapest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cheapest {
    /// Ascending; the first is from zero. Empty when no state is allowed.
    steps: Vec<(i64, StateIdx)>,
}

impl Cheapest {
    /// Of the `allowed` states.
    #[must_use]
    pub fn of(model: &Model, allowed: StateMask) -> Self {
        let mut steps = Vec::new();
        let mut next = Some(0);
        while let Some(from) = next {
            let Some(best) = model.best(Ns::new(from), allowed) else {
                break;
            };
            steps.push((from, best));
            next = (0u8..)
                .map(StateIdx::new)
                .take(model.len())
                .filter(|idx| allowed.contains(*idx))
                .filter_map(|other| undercuts(model, best, other))
                .filter(|at| *at > from)
                .min();
        }
        Self { steps }
    }

    /// What [`Model::best`] says for a stay of length `d`, which is not negative.
    #[must_use]
    #[inline]
    pub fn at(&self, d: Ns) -> Option<StateIdx> {
        let step = self.steps.iter().rev().find(|(from, _)| *from <= d.as_ns());
        step.or(self.steps.first()).map(|(_, idx)| *idx)
    }
}

/// The length from which `other` is preferred to `best`: it takes less, or as much and is deeper. None if a longer stay
/// is no better for it.
fn undercuts(model: &Model, best: StateIdx, other: StateIdx) -> Option<i64> {
    let less = i128::from(model.power(best).as_uw()) - i128::from(model.power(other).as_uw());
    if less <= 0 {
        return None;
    }
    let more = model.transition(other).as_fj() - model.transition(best).as_fj();
    // The first length at which `less * length` reaches `more`, or exceeds it where equals go to the deeper `best`.
    let at = if other > best {
        more.div_euclid(less) + i128::from(more.rem_euclid(less) != 0)
    } else {
        more.div_euclid(less) + 1
    };
    i64::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use super::super::{Assumptions, Power};
    use super::*;
    use crate::cpuidle::{IdleState, StateTable};
    use crate::units::Microwatts;

    /// Every length at which something could change, and those beside it.
    #[track_caller]
    fn check(targets_ns: &[i64], powers_uw: &[u32], allowed: StateMask) {
        let state = |target| IdleState {
            name: String::from("s"),
            exit_latency: Ns::new(1),
            target_residency: Ns::new(target),
            polling: false,
            timer_stop: false,
        };
        let table = StateTable::new(targets_ns.iter().copied().map(state).collect()).unwrap();
        let powers = powers_uw.iter().map(|uw| Power::Given(Microwatts::new(*uw)));
        let assumptions = Assumptions {
            powers: powers.collect(),
            ..Assumptions::default()
        };
        let model = Model::new(&table, &assumptions);
        let cheapest = Cheapest::of(&model, allowed);
        let edges = cheapest
            .steps
            .iter()
            .flat_map(|(from, _)| [from - 1, *from, from + 1]);
        let spread = (0..62).flat_map(|bit| [1 << bit, (1 << bit) + 12_345]);
        let targets = targets_ns
            .iter()
            .flat_map(|target| [target - 1, *target, target + 1]);
        for d in edges
            .chain(spread)
            .chain(targets)
            .filter(|d| *d >= 0)
            .map(Ns::new)
        {
            assert_eq!(
                cheapest.at(d),
                model.best(d, allowed),
                "{d:?} of {targets_ns:?}, {powers_uw:?}"
            );
        }
    }

    fn all_of(len: usize) -> StateMask {
        (0u8..)
            .take(len)
            .map(StateIdx::new)
            .fold(StateMask::NONE, StateMask::with)
    }

    #[test]
    fn each_length_has_the_state_that_comparing_all_of_them_gives() {
        let targets = [0, 2_000, 20_000, 211_000, 345_000];
        let powers = [5_000_000, 1_500_000, 1_200_000, 600_000, 200_000];
        check(&targets, &powers, all_of(5));
        check(&targets, &powers, StateMask::NONE.with(StateIdx::new(3)));
        check(
            &targets,
            &powers,
            StateMask::NONE.with(StateIdx::ZERO).with(StateIdx::new(2)),
        );
        check(&targets, &powers, StateMask::NONE);
        check(&[0, 2_000, 2_000], &[3_000, 2_000, 2_000], all_of(3));
    }

    #[test]
    fn tables_that_are_out_of_order_have_their_cheapest_too() {
        // Every table of three states whose numbers are among few.
        let targets = [0, 7, 1_000, 2_999];
        let powers = [0, 1, 20, 49];
        for n in 0..4_usize.pow(6) {
            let digit = |at: u32| n / 4_usize.pow(at) % 4;
            let targets: Vec<i64> = (0..3).map(|at| targets[digit(at)]).collect();
            let powers: Vec<u32> = (3..6).map(|at| powers[digit(at)]).collect();
            check(&targets, &powers, all_of(3));
        }
    }
}
