//! What one difference between two variants did: the second variant ran once more without it.
//!
//! Decisions are aligned as in [`super::diff`].

use std::collections::BTreeMap;
use std::ops::Range;

use super::diff::{Diff, LaneDiff, differs, partner};
use crate::sim::Record;
use crate::units::{CpuId, Time};

/// What became of the decisions of the second variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// Decisions that differ, in state or tick, once the difference is undone.
    pub changed: u32,
    /// Of these, decisions that then are those of the first variant.
    pub as_first: u32,
}

/// Decisions of the second variant that are the first's once a difference is undone: CPU and row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returned(Vec<(CpuId, u32)>);

/// How single differences share the decisions in which two variants differ.
///
/// ```text
///   differs:      x  x  x  x  x
///   undone 1:     a  a  .  .  a      a: the decision becomes the first's
///   undone 2:     .  .  .  a  a
///                 one   |  one|
///                      none   several: both are needed
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Decisions that differ.
    pub differences: u32,
    /// Of these, decisions that undoing exactly one difference brings back.
    pub one: u32,
    /// Decisions that undoing any of several brings back: they need them all.
    pub several: u32,
    /// Decisions that stay different whichever single one is undone.
    pub none: u32,
}

impl Undone {
    /// Compares the second record with the one without the difference, and that with the first. Counted are
    /// decisions that the second variant took within `range`, on the records' own clock; returned are all.
    #[must_use]
    pub fn of(first: &Record, second: &Record, without: &Record, range: Range<Time>) -> (Self, Returned) {
        let (mut sum, mut returned) = (Self::default(), Returned::default());
        let lanes = first.lanes.iter().zip(&second.lanes).zip(&without.lanes);
        for (cpu, ((first, second), without)) in (0u16..).map(CpuId::new).zip(lanes) {
            let diff = LaneDiff::of(second, without);
            for (pair, entry) in diff.differences().iter().zip(diff.entries()) {
                let within = range.contains(entry);
                sum.changed += u32::from(within);
                let (Ok(n), Ok(m)) = (usize::try_from(pair.a), usize::try_from(pair.b)) else {
                    continue;
                };
                let own = partner(second, n, first).and_then(|at| first.row(at));
                let (Some(own), Some(now)) = (own, without.row(m)) else {
                    continue;
                };
                if differs(&own, &now).is_none() {
                    sum.as_first += u32::from(within);
                    returned.0.push((cpu, pair.a));
                }
            }
        }
        (sum, returned)
    }
}

impl Overlap {
    /// Counts, for each decision in which the first two records differ within `range`, how many of the
    /// differences bring it back when undone alone.
    #[must_use]
    pub fn of<'a>(
        diff: &Diff,
        cpus: usize,
        undone: impl Iterator<Item = &'a Returned>,
        range: &Range<Time>,
    ) -> Self {
        let mut times: BTreeMap<(CpuId, u32), u32> = BTreeMap::new();
        for (cpu, row) in undone.flat_map(|returned| &returned.0) {
            *times.entry((*cpu, *row)).or_default() += 1;
        }
        let mut sum = Self::default();
        for cpu in (0u16..).map(CpuId::new).take(cpus) {
            let Some(lane) = diff.lane(cpu) else { continue };
            let pairs = lane.differences().iter().zip(lane.entries());
            for (pair, _) in pairs.filter(|(_, entry)| range.contains(entry)) {
                sum.differences += 1;
                match times.get(&(cpu, pair.b)).copied().unwrap_or(0) {
                    0 => sum.none += 1,
                    1 => sum.one += 1,
                    _ => sum.several += 1,
                }
            }
        }
        sum
    }
}
