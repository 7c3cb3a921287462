//! The closed set of governors, one `match` per call.
//!
//! ```text
//!   select                     entry … stay … wakeup            reflect        select
//!     |-- update, then choose -->|=========================|------>|  …  ------>|-- update, …
//! ```
//!
//! Invariants: a governor is plain data, so a clone of it is a checkpoint and
//! equal governors decide equally; it sees the world through [`Kernel`] only;
//! a probe changes nothing (law in `tests/it/laws`).
//!
//! `reflect` only notes what happened. What is learnt from it enters the
//! metrics at the beginning of the next `select` (spec teo.md §1.3, menu.md §1),
//! and never if that select does not come.

use serde::{Deserialize, Serialize};

use super::haltpoll::{self, Haltpoll};
use super::ladder::{self, Ladder};
use super::last_value::{self, LastValue};
use super::menu::{self, Menu};
use super::mobile::{self, Mobile};
use super::step::Widen;
use super::teo::{self, Teo};
use super::{Baseline, Decision, Device, Kernel, StateTable, Step, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

/// One CPU's governor with all it remembers. Built by [`super::Choice::build`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Governor {
    /// A teo.
    Teo(Teo),
    /// A menu.
    Menu(Menu),
    /// A ladder.
    Ladder(Ladder),
    /// A haltpoll.
    Haltpoll(Haltpoll),
    /// A mobile.
    Mobile(Mobile),
    /// One of the baselines that remember nothing.
    Baseline(Baseline),
    /// The baseline that expects the last stay again.
    LastValue(LastValue),
}

/// What a governor remembers, for showing and comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Snapshot {
    /// A teo's metrics.
    Teo(teo::Snapshot),
    /// A menu's factors and intervals.
    Menu(menu::Snapshot),
    /// A ladder's rung and counts.
    Ladder(ladder::Snapshot),
    /// A haltpoll's last state; its window is the device's.
    Haltpoll(haltpoll::Snapshot),
    /// A mobile's mean.
    Mobile(mobile::Snapshot),
    /// The last stay.
    LastValue(last_value::Snapshot),
    /// Nothing: a baseline.
    Nothing,
}

impl Governor {
    /// Chooses a state and what to do with the tick.
    ///
    /// `tick` is the tick period, ns, more than 0.
    #[inline]
    pub fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let probe = &mut Widen(probe);
        match self {
            Self::Teo(teo) => teo.select(table, tick, device, kernel, probe),
            Self::Menu(menu) => menu.select(table, tick, device, kernel, probe),
            Self::Ladder(ladder) => ladder.select(table, device, kernel, probe),
            Self::Haltpoll(haltpoll) => haltpoll.select(table, device, kernel, probe),
            Self::Mobile(mobile) => mobile.select(table, tick, kernel, probe),
            Self::Baseline(baseline) => baseline.select(table, kernel, probe),
            Self::LastValue(last) => last.select(table, tick, kernel, probe),
        }
    }

    /// Notes how the idle period ended; not called after a failed entry.
    ///
    /// `device` holds the residency of that period already.
    #[inline]
    pub fn reflect<K: Kernel>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &K,
        wakeup: Wakeup,
    ) {
        match self {
            Self::Teo(teo) => teo.reflect(tick, device, kernel, wakeup),
            Self::Menu(menu) => menu.reflect(device, wakeup),
            Self::Ladder(ladder) => ladder.reflect(wakeup),
            Self::Haltpoll(haltpoll) => haltpoll.reflect(device, wakeup),
            Self::Mobile(mobile) => mobile.reflect(table, tick, device, kernel, wakeup),
            Self::Baseline(_) => {}
            Self::LastValue(last) => last.reflect(table, device, wakeup),
        }
    }

    /// The bookkeeping that the next [`Governor::select`] begins with.
    ///
    /// For looking ahead on a clone (golden files, inspector): doing it and
    /// then selecting is not the same as selecting.
    pub fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        probe: &mut P,
    ) {
        let probe = &mut Widen(probe);
        match self {
            Self::Teo(teo) => teo.update(table, tick, device, probe),
            Self::Menu(menu) => menu.update(table, tick, device, probe),
            // These learn at once, in reflect.
            Self::Ladder(_)
            | Self::Haltpoll(_)
            | Self::Mobile(_)
            | Self::Baseline(_)
            | Self::LastValue(_) => {}
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::Teo(teo) => Snapshot::Teo(teo.snapshot()),
            Self::Menu(menu) => Snapshot::Menu(menu.snapshot()),
            Self::Ladder(ladder) => Snapshot::Ladder(ladder.snapshot()),
            Self::Haltpoll(haltpoll) => Snapshot::Haltpoll(haltpoll.snapshot()),
            Self::Mobile(mobile) => Snapshot::Mobile(mobile.snapshot()),
            Self::Baseline(_) => Snapshot::Nothing,
            Self::LastValue(last) => Snapshot::LastValue(last.snapshot()),
        }
    }
}
