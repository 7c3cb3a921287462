//! What one difference between two variants did: the second variant ran once more without it.
//!
//! Decisions are aligned as in [`super::diff`].

use super::diff::{LaneDiff, differs, partner};
use crate::sim::Record;

/// What became of the decisions of the second variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// Decisions that differ, in state or tick, once the difference is undone.
    pub changed: u32,
    /// Of these, decisions that then are those of the first variant.
    pub as_first: u32,
}

impl Undone {
    /// Compares the second record with the one without the difference, and that with the first.
    #[must_use]
    pub fn of(first: &Record, second: &Record, without: &Record) -> Self {
        let mut sum = Self::default();
        let lanes = first.lanes.iter().zip(&second.lanes).zip(&without.lanes);
        for ((first, second), without) in lanes {
            for pair in LaneDiff::of(second, without).differences() {
                sum.changed += 1;
                let (Ok(n), Ok(m)) = (usize::try_from(pair.a), usize::try_from(pair.b)) else {
                    continue;
                };
                let own = partner(second, n, first).and_then(|at| first.row(at));
                if let (Some(own), Some(now)) = (own, without.row(m)) {
                    sum.as_first += u32::from(differs(&own, &now).is_none());
                }
            }
        }
        sum
    }
}
