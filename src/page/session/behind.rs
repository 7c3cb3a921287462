//! Which patches make a decision of B differ from A's.
//!
//! Undoing patches one at a time does not tell: where either of two patches alone leads to B's decision, undoing one
//! of them changes nothing. So every mixture of the patches in which A and B differ is run up to that decision, and
//! the smallest ones that decide as B does are the answer.
//!
//! ```text
//!   teo-6.5-p12 stops no tick, teo-6.5 does      mixture   decides
//!                                                 none      as A
//!                                                 1         as B  <- enough
//!                                                 2         as B  <- enough
//!                                                 1 and 2   as B
//! ```
//!
//! Invariants: the session's answers do not change; a mixture that makes the same governor as A or B is not run;
//! one question does bounded work, and what was run is kept for the next one.

use std::cell::RefCell;
use std::sync::Arc;

use super::plan::VariantPlan;
use super::run;
use super::work::Work;
use super::{Results, Session};
use crate::analysis::diff::{differs, partner};
use crate::cpuidle::catalog::{Choice, Patch};
use crate::page::doc::Side;
use crate::sim::{Lane, Progress, Row, Run};
use crate::units::CpuId;

/// Patches that differ beyond which mixtures are too many to be run.
const MOST_PATCHES: usize = 4;
/// Events that one question may run; a long record is answered when it is asked for again.
const MOST_EVENTS: u64 = 1_000_000;
/// Events between two looks whether the decision has been taken.
const AT_ONCE: u64 = 4_096;

/// A patch that only one of the two variants has.
#[derive(Clone, Copy, Debug)]
pub struct Patched {
    /// The patch.
    pub patch: &'static Patch,
    /// Who has it.
    pub side: Side,
}

/// The mixtures that were run, as far as they were needed.
#[derive(Debug, Default)]
pub(super) struct Mixtures(RefCell<Vec<(Choice, Run<Work>)>>);

impl Session {
    /// The smallest sets of patches that make decision `n` (from 0) of B what it is where A decides otherwise; with
    /// any one of them, and everything else as in B, the decision is B's. None where A and B are of different
    /// entries, where no patch makes the difference, and where the record is too long to be run at once.
    #[must_use]
    pub fn patches_behind(&self, cpu: CpuId, n: u32) -> Option<Vec<Vec<Patched>>> {
        let results = self.results.as_ref()?;
        let (a, b) = (results.plan.variant(Side::A)?, results.plan.variant(Side::B)?);
        let patched = patched(a.governor, b.governor)?;
        let lane = results.side(Side::B)?.finished.record().lane(cpu)?;
        let n = usize::try_from(n).ok()?;
        let own = lane.row(n)?;
        let mut left = MOST_EVENTS;
        let sets = smallest(patched.len(), |set| {
            let choice = mixed(b.governor, &patched, set);
            if choice.make() == b.governor.make() {
                return Some(true);
            }
            let plan = VariantPlan {
                governor: choice,
                ..*b
            };
            let as_a = VariantPlan {
                governor: choice,
                ..*a
            };
            if choice.make() == a.governor.make() && plan == as_a {
                return Some(false);
            }
            let row = self.mixture(results, &plan, (lane, cpu, n), &mut left)?;
            Some(row.is_some_and(|row| differs(&own, &row).is_none()))
        })?;
        let named = |set: u8| {
            let picked = patched.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
            picked.map(|(_, patched)| *patched).collect::<Vec<_>>()
        };
        let named: Vec<Vec<Patched>> = sets.into_iter().map(named).collect();
        (!named.is_empty() && named.iter().all(|set| !set.is_empty())).then_some(named)
    }

    /// What a mixture decided where B took decision `n` of `lane`: none at all, or none yet (outer).
    fn mixture(
        &self,
        results: &Results,
        plan: &VariantPlan,
        (lane, cpu, n): (&Lane, CpuId, usize),
        left: &mut u64,
    ) -> Option<Option<Row>> {
        let mut runs = results.mixtures.0.borrow_mut();
        let at = match runs.iter().position(|(choice, _)| *choice == plan.governor) {
            Some(at) => at,
            None => {
                let rig = results.plan.rig.as_ref()?;
                let setup = run::setup(&results.plan, rig, plan, self.source.tick(), self.source.span()?);
                let work = self.source.work(rig.cpus.len(), rig.parameters)?;
                runs.push((plan.governor, Run::new(Arc::new(setup), work)));
                runs.len() - 1
            }
        };
        let (_, run) = runs.get_mut(at)?;
        let mut ended = false;
        loop {
            let there = run.record().lane(cpu);
            let row = there.and_then(|there| there.row(partner(lane, n, there)?));
            if row.is_some() || ended {
                return Some(row);
            }
            if *left == 0 {
                return None;
            }
            let events = AT_ONCE.min(*left);
            *left -= events;
            ended = run.advance(events) == Progress::Done;
        }
    }
}

/// The patches in which two choices of one entry differ and that change what a governor does; none for different
/// entries, and for more patches than mixtures can be run of.
fn patched(a: Choice, b: Choice) -> Option<Vec<Patched>> {
    let entry = b.entry();
    if a.entry().name != entry.name {
        return None;
    }
    let (of_a, of_b) = (a.patches(), b.patches());
    let differ = entry
        .patches
        .iter()
        .filter(|patch| of_a.contains(patch.number) != of_b.contains(patch.number));
    let matters = |patch: &&Patch| {
        let made = |applied| b.with_patch(patch.number, applied).make();
        made(true) != made(false)
    };
    let found: Vec<Patched> = differ
        .filter(matters)
        .map(|patch| Patched {
            patch,
            side: if of_b.contains(patch.number) {
                Side::B
            } else {
                Side::A
            },
        })
        .collect();
    (!found.is_empty() && found.len() <= MOST_PATCHES).then_some(found)
}

/// B with only the patches of `set` as B has them, the others as A has them.
fn mixed(b: Choice, patched: &[Patched], set: u8) -> Choice {
    patched.iter().enumerate().fold(b, |choice, (at, patched)| {
        let as_b = set & (1 << at) != 0;
        choice.with_patch(patched.patch.number, as_b == (patched.side == Side::B))
    })
}

/// The sets of `count` things for which `holds` and for no part of which it does; none when it cannot be told.
fn smallest(count: usize, mut holds: impl FnMut(u8) -> Option<bool>) -> Option<Vec<u8>> {
    let all = u8::try_from(1_u32.checked_shl(u32::try_from(count).ok()?)? - 1).ok()?;
    let mut sets: Vec<u8> = (0..=all).collect();
    sets.sort_by_key(|set| set.count_ones());
    let mut found: Vec<u8> = Vec::new();
    for set in sets {
        if found.iter().any(|small| set & small == *small) {
            continue;
        }
        if holds(set)? {
            found.push(set);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(count: usize, holds: &[u8], expect: &[u8]) {
        assert_eq!(
            smallest(count, |set| Some(holds.contains(&set))),
            Some(expect.to_vec())
        );
    }

    #[test]
    fn only_sets_without_a_smaller_one_are_found() {
        check(2, &[0b01, 0b10, 0b11], &[0b01, 0b10]);
        check(2, &[0b10, 0b11], &[0b10]);
        check(2, &[0b11], &[0b11]);
        check(3, &[0b001, 0b011, 0b110, 0b111, 0b101], &[0b001, 0b110]);
        check(2, &[0b00, 0b11], &[0b00]);
        check(1, &[], &[]);
        assert_eq!(smallest(2, |set| (set != 2).then_some(false)), None);
    }

    #[test]
    fn a_patch_that_changes_no_decision_is_not_mixed() {
        let choice = |name: &str| name.parse::<Choice>().unwrap();
        let numbers = |a: &str, b: &str| {
            let found = patched(choice(a), choice(b))?;
            Some(
                found
                    .iter()
                    .map(|found| (found.patch.number, found.side))
                    .collect::<Vec<_>>(),
            )
        };
        let (a, b) = (Side::A, Side::B);
        assert_eq!(numbers("teo-6.5", "teo-6.5-p123"), Some(vec![(1, b), (2, b)]));
        assert_eq!(numbers("teo-6.5-p1", "teo-6.5-p23"), Some(vec![(1, a), (2, b)]));
        assert_eq!(numbers("teo-6.5", "teo-6.5-p3"), None);
        assert_eq!(numbers("teo-6.5", "teo-6.6"), None);
    }

    #[test]
    fn a_mixture_has_the_rest_from_a() {
        let (a, b): (Choice, Choice) = ("teo-6.5-p1".parse().unwrap(), "teo-6.5-p23".parse().unwrap());
        let patched = patched(a, b).unwrap();
        let name = |set| mixed(b, &patched, set).to_string();
        assert_eq!(name(0b00), "teo-6.5-p13");
        assert_eq!(name(0b01), "teo-6.5-p3");
        assert_eq!(name(0b10), "teo-6.5-p123");
        assert_eq!(name(0b11), "teo-6.5-p23");
    }
}
