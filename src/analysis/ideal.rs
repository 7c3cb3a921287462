//! What a governor that knows the future would have chosen: one stay per idle period, in the cheapest
//! allowed state, with the tick stopped.

use crate::cpuidle::StateMask;
use crate::energy::{Cheapest, Model};
use crate::sim::{Flags, Lane};
use crate::units::{StateIdx, Time};

/// One idle period as a single stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The workload's number of the period.
    pub period: u32,
    /// Its first decision.
    pub first: usize,
    /// Its number of decisions.
    pub laps: usize,
    /// First select.
    pub entry: Time,
    /// Last wakeup event.
    pub wake: Time,
    /// The cheapest allowed state for that length.
    pub best: StateIdx,
}

/// The idle periods of `lane` in order, without those that are not counted.
pub fn stays<'a>(lane: &'a Lane, model: &Model, allowed: StateMask) -> impl Iterator<Item = Stay> + use<'a> {
    let cheapest = Cheapest::of(model, allowed);
    let mut n = 0;
    std::iter::from_fn(move || {
        while lane.row(n)?.flags.has(Flags::UNCOUNTED) {
            n += 1;
        }
        let (first, start) = (n, lane.row(n)?);
        let mut wake = start.wake;
        while let Some(row) = lane.row(n).filter(|row| row.period == start.period) {
            if !row.flags.has(Flags::UNCOUNTED) {
                wake = row.wake;
            }
            n += 1;
        }
        let best = cheapest
            .at(wake.saturating_since(start.entry))
            .unwrap_or_default();
        Some(Stay {
            period: start.period,
            first,
            laps: n - first,
            entry: start.entry,
            wake,
            best,
        })
    })
}
