//! The timer-events-oriented governor (spec teo.md).
//!
//! Three generations so far, by what they remember: [`Recent`] (bins and the
//! last nine wakeups), [`RecentTickBin`] (a bin beyond all states in addition)
//! and [`TickBinOnly`] (that bin, but no last nine). Their common steps are in
//! `bins` (booking a period), `search` (finding a state) and `timer` (asking
//! for the timer late).

mod beyond;
mod bins;
pub mod recent;
mod recent_tick_bin;
mod ring;
mod search;
mod step;
mod tick_bin;
mod timer;

use serde::{Deserialize, Serialize};

use super::{Decision, Device, Kernel, MAX_STATES, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

pub use recent::Recent;
pub use recent_tick_bin::RecentTickBin;
pub use step::{Bail, Booked, Step, StepKind, TimerBin};
pub use tick_bin::TickBinOnly;

/// Generation and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// [`Recent`].
    Recent(recent::Rules),
    /// [`RecentTickBin`].
    RecentTickBin,
    /// [`TickBinOnly`].
    TickBinOnly,
}

/// One CPU's teo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Teo {
    /// See [`Recent`].
    Recent(Recent),
    /// See [`RecentTickBin`].
    RecentTickBin(RecentTickBin),
    /// See [`TickBinOnly`].
    TickBinOnly(TickBinOnly),
}

/// What a teo remembers. Metrics in 1/1024 wakeups, one per state, zero past the table's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Stays that reached the bin of their timer.
    pub hits: [u32; MAX_STATES],
    /// Stays that ended in the bin, before their timer's.
    pub intercepts: [u32; MAX_STATES],
    /// Sum of all metrics after the last update.
    pub total: u32,
    /// The last wakeups; none in generations that do not count them.
    pub recent: Option<RecentWakeups>,
    /// Metric of the bin beyond all states; none in generations without it.
    pub tick_hits: Option<u32>,
}

/// Which of the last nine wakeups were intercepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentWakeups {
    /// How many, per bin; 6.6 lets it wrap below zero.
    pub counts: [u32; MAX_STATES],
    /// The bin of each intercept, none for a hit.
    pub slots: [Option<StateIdx>; 9],
    /// The slot to be overwritten next, 0 to 8.
    pub next: usize,
}

impl From<ring::Ring> for RecentWakeups {
    fn from(ring: ring::Ring) -> Self {
        Self {
            counts: ring.recent,
            slots: ring.slots,
            next: ring.next,
        }
    }
}

impl Snapshot {
    fn of(bins: &bins::Bins) -> Self {
        Self {
            hits: bins.hits,
            intercepts: bins.intercepts,
            total: bins.total,
            recent: None,
            tick_hits: None,
        }
    }
}

/// The utilisation that a busy CPU exceeds: a sixty-fourth of the capacity (spec §4).
const fn threshold(capacity: u64) -> u64 {
    capacity >> 6
}

/// What is remembered: the first thing to know about a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// [`Recent`].
    Recent,
    /// [`RecentTickBin`].
    RecentTickBin,
    /// [`TickBinOnly`].
    TickBinOnly,
}

/// One way in which two versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They remember different things; their rules cannot be compared one by one.
    Generation(Generation, Generation),
    /// A rule of [`Recent`].
    Recent(recent::Change),
}

impl Version {
    /// What it remembers.
    #[must_use]
    pub const fn generation(self) -> Generation {
        match self {
            Self::Recent(_) => Generation::Recent,
            Self::RecentTickBin => Generation::RecentTickBin,
            Self::TickBinOnly => Generation::TickBinOnly,
        }
    }

    /// Every way in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        match (a, b) {
            (Self::Recent(a), Self::Recent(b)) => recent::Rules::changes(a, b)
                .into_iter()
                .map(Change::Recent)
                .collect(),
            (a, b) if a.generation() == b.generation() => Vec::new(),
            (a, b) => vec![Change::Generation(a.generation(), b.generation())],
        }
    }

    /// A teo that remembers nothing yet, for a CPU of this capacity (1 to 1024).
    #[must_use]
    pub fn build(self, capacity: u64) -> Teo {
        match self {
            Self::Recent(rules) => Teo::Recent(Recent::new(rules, capacity)),
            Self::RecentTickBin => Teo::RecentTickBin(RecentTickBin::new(capacity)),
            Self::TickBinOnly => Teo::TickBinOnly(TickBinOnly::default()),
        }
    }
}

impl Teo {
    /// See [`super::Governor::select`].
    #[inline]
    pub fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        match self {
            Self::Recent(teo) => teo.select(table, tick, device, kernel, probe),
            Self::RecentTickBin(teo) => teo.select(table, tick, device, kernel, probe),
            Self::TickBinOnly(teo) => teo.select(table, tick, device, kernel, probe),
        }
    }

    /// See [`super::Governor::reflect`].
    #[inline]
    pub fn reflect<K: Kernel>(&mut self, tick: Ns, device: &mut Device, kernel: &K, wakeup: Wakeup) {
        device.last_state = Some(wakeup.entered);
        let span = match self {
            Self::Recent(teo) => teo.span(),
            Self::RecentTickBin(teo) => teo.span(),
            Self::TickBinOnly(teo) => teo.span(),
        };
        span.end(kernel.now(), wakeup.got_tick, tick, device);
    }

    /// See [`super::Governor::update`].
    pub fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        probe: &mut P,
    ) {
        match self {
            Self::Recent(teo) => teo.update(table, device, probe),
            Self::RecentTickBin(teo) => teo.update(table, tick, device, probe),
            Self::TickBinOnly(teo) => teo.update(table, tick, device, probe),
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::Recent(teo) => teo.snapshot(),
            Self::RecentTickBin(teo) => teo.snapshot(),
            Self::TickBinOnly(teo) => teo.snapshot(),
        }
    }
}
