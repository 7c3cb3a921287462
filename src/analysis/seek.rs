//! The next or previous decision of a kind, over all CPUs.

use crate::sim::{Flags, Record};
use crate::units::{CpuId, Time};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Any decision.
    Decision,
    /// Too deep or too shallow.
    Miss,
    /// A running tick was stopped.
    TickStop,
}

impl Mark {
    fn fits(self, flags: Flags) -> bool {
        match self {
            Self::Decision => true,
            Self::Miss => flags.has(Flags::TOO_DEEP) || flags.has(Flags::TOO_SHALLOW),
            Self::TickStop => flags.has(Flags::STOPPED_NOW),
        }
    }
}

/// A decision of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub cpu: CpuId,
    /// Which, from 0.
    pub n: u32,
    /// When it was taken.
    pub entry: Time,
}

/// The first decision of the kind after `(t, cpu)` in the order of time, then CPU; with `only`, on
/// that CPU alone.
#[must_use]
pub fn next(record: &Record, mark: Mark, t: Time, cpu: CpuId, only: Option<CpuId>) -> Option<Found> {
    lanes(record, only)
        .filter_map(|(other, lane)| {
            let first = lane
                .entries()
                .partition_point(|entry| (*entry, other) <= (t, cpu));
            let ahead = lane
                .flags()
                .get(first..)?
                .iter()
                .position(|flags| mark.fits(*flags))?;
            found(other, lane, first + ahead)
        })
        .min_by_key(|found| (found.entry, found.cpu))
}

/// The last decision of the kind before `(t, cpu)` in the order of time, then CPU; with `only`, on
/// that CPU alone.
#[must_use]
pub fn previous(record: &Record, mark: Mark, t: Time, cpu: CpuId, only: Option<CpuId>) -> Option<Found> {
    lanes(record, only)
        .filter_map(|(other, lane)| {
            let end = lane.entries().partition_point(|entry| (*entry, other) < (t, cpu));
            let n = lane
                .flags()
                .get(..end)?
                .iter()
                .rposition(|flags| mark.fits(*flags))?;
            found(other, lane, n)
        })
        .max_by_key(|found| (found.entry, found.cpu))
}

fn lanes(record: &Record, only: Option<CpuId>) -> impl Iterator<Item = (CpuId, &crate::sim::Lane)> {
    let all = (0u16..).map(CpuId::new).zip(&record.lanes);
    all.filter(move |(cpu, _)| only.is_none_or(|only| only == *cpu))
}

fn found(cpu: CpuId, lane: &crate::sim::Lane, n: usize) -> Option<Found> {
    Some(Found {
        cpu,
        n: u32::try_from(n).ok()?,
        entry: *lane.entries().get(n)?,
    })
}
