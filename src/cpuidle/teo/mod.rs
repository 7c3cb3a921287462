//! The timer-events-oriented governor (spec teo.md).
//!
//! Three generations, by what they remember: [`EarlyHits`] (no bins yet), [`Binned`]
//! (bins, and stays by the clock) and [`ShortIdles`] (short idle times in addition, and
//! no clock). Within the last two any rule of one version can stand in another. Their
//! common steps are in `bins` (booking a period), `search` (finding a state) and `timer`
//! (asking for the timer late).

pub mod binned;
mod bins;
pub mod early_hits;
mod ring;
mod search;
pub mod short_idles;
mod step;
mod timer;

use serde::{Deserialize, Serialize};

use super::{Decision, Device, Kernel, MAX_STATES, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

pub use binned::Binned;
pub use bins::{Decay, Tuning};
pub use early_hits::EarlyHits;
pub use short_idles::ShortIdles;
pub use step::{Bail, Booked, Majority, Step, StepKind, TimerBin};
pub use timer::Correction;

/// Generation and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// [`EarlyHits`].
    EarlyHits,
    /// [`Binned`].
    Binned(binned::Rules),
    /// [`ShortIdles`].
    ShortIdles(short_idles::Rules),
}

/// One CPU's teo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Teo {
    /// See [`EarlyHits`].
    EarlyHits(EarlyHits),
    /// See [`Binned`].
    Binned(Binned),
    /// See [`ShortIdles`].
    ShortIdles(ShortIdles),
}

/// What a teo remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Snapshot {
    /// Bins, in all generations but the first.
    Bins(BinsSnapshot),
    /// The first design.
    EarlyHits(early_hits::Snapshot),
}

/// Bins. Metrics in 1/1024 wakeups, one per state, zero past the table's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinsSnapshot {
    /// Stays that reached the bin of their timer.
    pub hits: [u32; MAX_STATES],
    /// Stays that ended in the bin, before their timer's.
    pub intercepts: [u32; MAX_STATES],
    /// Sum of all metrics after the last update, or what stands for it.
    pub total: u32,
    /// The last wakeups; none in generations that do not count them.
    pub recent: Option<RecentWakeups>,
    /// Metric of the bin beyond all states; none in generations without it.
    pub tick_hits: Option<u32>,
    /// Metrics beside the bins; none in generations without them.
    pub short: Option<ShortSnapshot>,
}

/// Metrics beside the bins, in 1/1024 wakeups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortSnapshot {
    /// Idle times too short for the timer to matter.
    pub short_idles: u32,
    /// Intercepts within a tick; in 6.14 to 6.18 those beyond it.
    pub tick_intercepts: u32,
    /// Wakeups by the tick; none in generations that do not count them.
    pub tick_wakeups: Option<u32>,
}

/// For generations that count no recent wakeups.
const NO_RECENT: &bins::PerState = &[0; MAX_STATES];

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

impl BinsSnapshot {
    fn of(bins: &bins::Bins) -> Self {
        Self {
            hits: bins.hits,
            intercepts: bins.intercepts,
            total: bins.total,
            recent: None,
            tick_hits: None,
            short: None,
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
    /// [`EarlyHits`].
    EarlyHits,
    /// [`Binned`].
    Binned,
    /// [`ShortIdles`].
    ShortIdles,
}

/// One way in which two versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They remember different things; their rules cannot be compared one by one.
    Generation(Generation, Generation),
    /// A rule of [`Binned`].
    Binned(binned::Change),
    /// A rule of [`ShortIdles`].
    ShortIdles(short_idles::Change),
}

/// The name of what can differ between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// What is remembered, and all that hangs on it.
    Generation,
    /// A rule of [`Binned`].
    Binned(binned::Rule),
    /// A rule of [`ShortIdles`].
    ShortIdles(short_idles::Rule),
}

impl Rule {
    /// Where [`Version::in_older_words`] says it; none for what the older memory knows nothing of.
    #[must_use]
    pub const fn in_older_words(self) -> Option<Self> {
        match self {
            Self::Binned(_) => Some(self),
            Self::ShortIdles(short_idles::Rule::Correction) => Some(Self::Binned(binned::Rule::Correction)),
            Self::Generation | Self::ShortIdles(_) => None,
        }
    }
}

impl Change {
    /// What it is about.
    #[must_use]
    pub const fn rule(self) -> Rule {
        match self {
            Self::Generation(..) => Rule::Generation,
            Self::Binned(change) => Rule::Binned(change.rule()),
            Self::ShortIdles(change) => Rule::ShortIdles(change.rule()),
        }
    }
}

impl Version {
    /// What it remembers.
    #[must_use]
    pub const fn generation(self) -> Generation {
        match self {
            Self::EarlyHits => Generation::EarlyHits,
            Self::Binned(_) => Generation::Binned,
            Self::ShortIdles(_) => Generation::ShortIdles,
        }
    }

    /// Every way in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        match (a, b) {
            (Self::Binned(a), Self::Binned(b)) => binned::Rules::changes(a, b)
                .into_iter()
                .map(Change::Binned)
                .collect(),
            (Self::ShortIdles(a), Self::ShortIdles(b)) => short_idles::Rules::changes(a, b)
                .into_iter()
                .map(Change::ShortIdles)
                .collect(),
            (Self::EarlyHits, Self::EarlyHits) => Vec::new(),
            (a, b) => vec![Change::Generation(a.generation(), b.generation())],
        }
    }

    /// With one rule as it was before the change; none where the generation changed, or the rule is not of this one.
    #[must_use]
    pub const fn undone(self, change: Change) -> Option<Self> {
        Some(match (self, change) {
            (Self::Binned(rules), Change::Binned(change)) => Self::Binned(rules.undone(change)),
            (Self::ShortIdles(rules), Change::ShortIdles(change)) => Self::ShortIdles(rules.undone(change)),
            (_, Change::Generation(..) | Change::Binned(_) | Change::ShortIdles(_)) => return None,
        })
    }

    /// As a version of [`Binned`] would have to be to do the same, as far as its rules have a meaning for this one; the
    /// version itself if it is no [`ShortIdles`].
    #[must_use]
    pub const fn in_older_words(self) -> Self {
        match self {
            Self::EarlyHits | Self::Binned(_) => self,
            Self::ShortIdles(rules) => Self::Binned(rules.in_older_words()),
        }
    }

    /// A teo that remembers nothing yet, for a CPU of this capacity (1 to 1024). `tuning` says nothing to the first
    /// design, which has no bins.
    #[must_use]
    pub fn build(self, capacity: u64, tuning: Tuning) -> Teo {
        let mut teo = match self {
            Self::EarlyHits => Teo::EarlyHits(EarlyHits::default()),
            Self::Binned(rules) => Teo::Binned(Binned::new(rules, capacity)),
            Self::ShortIdles(rules) => Teo::ShortIdles(ShortIdles::new(rules)),
        };
        if let Some(bins) = teo.bins_mut() {
            bins.tuning = tuning;
        }
        teo
    }
}

impl Teo {
    const fn bins_mut(&mut self) -> Option<&mut bins::Bins> {
        match self {
            Self::EarlyHits(_) => None,
            Self::Binned(teo) => Some(&mut teo.bins),
            Self::ShortIdles(teo) => Some(&mut teo.bins),
        }
    }

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
            Self::EarlyHits(teo) => teo.select(table, tick, device, kernel, probe),
            Self::Binned(teo) => teo.select(table, tick, device, kernel, probe),
            Self::ShortIdles(teo) => teo.select(table, tick, device, kernel, probe),
        }
    }

    /// See [`super::Governor::reflect`].
    #[inline]
    pub fn reflect<K: Kernel>(&mut self, tick: Ns, device: &mut Device, kernel: &K, wakeup: Wakeup) {
        device.last_state = Some(wakeup.entered);
        let span = match self {
            Self::EarlyHits(teo) => teo.span(),
            Self::Binned(teo) => teo.span(),
            Self::ShortIdles(teo) => return teo.reflect(tick, device, wakeup),
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
            Self::EarlyHits(teo) => teo.update(table, device, probe),
            Self::Binned(teo) => teo.update(table, tick, device, probe),
            Self::ShortIdles(teo) => teo.update(table, tick, device, probe),
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::Bins(match self {
            Self::EarlyHits(teo) => return Snapshot::EarlyHits(teo.snapshot()),
            Self::Binned(teo) => teo.snapshot(),
            Self::ShortIdles(teo) => teo.snapshot(),
        })
    }
}
