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

use super::step::Widen;
use super::{Baseline, Decision, Device, Kernel, StateTable, Step, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

/// One CPU's governor with all it remembers. Built by [`super::Choice::build`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Governor {
    /// One of the baselines.
    Baseline(Baseline),
}

/// What a governor remembers, for showing and comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshot {
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
        let _ = (tick, &device);
        let probe = &mut Widen(probe);
        match self {
            Self::Baseline(baseline) => baseline.select(table, kernel, probe),
        }
    }

    /// Notes how the idle period ended; not called after a failed entry.
    ///
    /// `device` holds the residency of that period already.
    #[inline]
    pub fn reflect<K: Kernel>(&mut self, tick: Ns, device: &mut Device, kernel: &K, wakeup: Wakeup) {
        let _ = (tick, device, kernel, wakeup);
        match self {
            Self::Baseline(_) => {}
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
        let _ = (table, tick, device, probe);
        match self {
            Self::Baseline(_) => {}
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::Baseline(_) => Snapshot::Nothing,
        }
    }
}
