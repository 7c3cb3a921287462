//! The menu governor (spec menu.md): it predicts the stay from the next timer, corrected by
//! experience, and from the last eight intervals, and takes the lesser.
//!
//! Three generations: [`BeforeTick`] (the tick is stopped first), [`Micros`] (whole
//! microseconds) and [`Nanos`] (nanoseconds). Within each any rule of one version can
//! stand in another. Their record is in `memory`, their common steps are in `factors`,
//! `intervals`, `both_ends` and `search`.

pub mod before_tick;
mod both_ends;
mod factors;
mod intervals;
mod memory;
pub mod micros;
pub mod nanos;
mod search;
mod step;

use serde::{Deserialize, Serialize};

use super::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

pub use before_tick::BeforeTick;
pub use both_ends::Leftover;
pub use intervals::Slots;
pub use memory::FailedEntry;
pub use micros::Micros;
pub use nanos::Nanos;
pub use search::Instead;
pub use step::{AtOnce, Left, Source, Step, StepKind, Verdict};

/// Generation, recipe and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// [`BeforeTick`].
    BeforeTick(before_tick::Rules),
    /// [`Micros`].
    Micros(micros::Rules),
    /// [`Nanos`].
    Nanos(nanos::Rules),
}

/// One CPU's menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Menu {
    /// See [`BeforeTick`].
    BeforeTick(BeforeTick),
    /// See [`Micros`].
    Micros(Micros),
    /// See [`Nanos`].
    Nanos(Nanos),
}

/// What is remembered, and in what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// [`BeforeTick`].
    BeforeTick,
    /// [`Micros`].
    Micros,
    /// [`Nanos`].
    Nanos,
}

/// One way in which two versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They remember different things; their rules cannot be compared one by one.
    Generation(Generation, Generation),
    /// A rule of [`BeforeTick`].
    BeforeTick(before_tick::Change),
    /// A rule of [`Micros`].
    Micros(micros::Change),
    /// A rule of [`Nanos`].
    Nanos(nanos::Change),
}

/// The name of what can differ between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// What is remembered, in what, and all that hangs on it.
    Generation,
    /// A rule of [`BeforeTick`].
    BeforeTick(before_tick::Rule),
    /// A rule of [`Micros`].
    Micros(micros::Rule),
    /// A rule of [`Nanos`].
    Nanos(nanos::Rule),
}

impl Change {
    /// What it is about.
    #[must_use]
    pub const fn rule(self) -> Rule {
        match self {
            Self::Generation(..) => Rule::Generation,
            Self::BeforeTick(change) => Rule::BeforeTick(change.rule()),
            Self::Micros(change) => Rule::Micros(change.rule()),
            Self::Nanos(change) => Rule::Nanos(change.rule()),
        }
    }
}

/// What a menu remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Correction factors by bucket, in 1/8192.
    pub factors: [u32; 12],
    /// How many of them are in use, 6 or 12.
    pub buckets: u8,
    /// The bucket of the last timer, 0 to 11.
    pub bucket: u8,
    /// The last intervals.
    pub intervals: Slots,
    /// The interval to be overwritten next, from 0.
    pub next: u8,
}

/// The constants of menu, which all kernels agree on; other values are no kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Intervals remembered, 4 to 16.
    pub intervals: u8,
    /// A deviation up to this is small whatever the average, µs, 0 to 1000.
    pub small_deviation_us: u32,
    /// An average of more than so many deviations is steady, 1 to 50.
    pub steady_ratio: u32,
    /// A correction factor moves by its `2^-decay_shift` towards each stay, 1 to 8.
    pub decay_shift: u32,
    /// The interactivity factor: what one task that waits for I/O adds to the divisor of the latency limit, 0 to 100.
    pub per_waiting_task: u32,
}

impl Tuning {
    /// As in every kernel.
    pub const KERNEL: Self = Self {
        intervals: 8,
        small_deviation_us: 20,
        steady_ratio: 6,
        decay_shift: 3,
        per_waiting_task: 10,
    };
}

impl Version {
    /// What it remembers, and in what.
    #[must_use]
    pub const fn generation(self) -> Generation {
        match self {
            Self::BeforeTick(_) => Generation::BeforeTick,
            Self::Micros(_) => Generation::Micros,
            Self::Nanos(_) => Generation::Nanos,
        }
    }

    /// Every way in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        match (a, b) {
            (Self::BeforeTick(a), Self::BeforeTick(b)) => before_tick::Rules::changes(a, b)
                .into_iter()
                .map(Change::BeforeTick)
                .collect(),
            (Self::Micros(a), Self::Micros(b)) => micros::Rules::changes(a, b)
                .into_iter()
                .map(Change::Micros)
                .collect(),
            (Self::Nanos(a), Self::Nanos(b)) => nanos::Rules::changes(a, b)
                .into_iter()
                .map(Change::Nanos)
                .collect(),
            (a, b) => vec![Change::Generation(a.generation(), b.generation())],
        }
    }

    /// With one rule as it was before the change; none where the generation changed, or the rule is not of this one.
    #[must_use]
    pub const fn undone(self, change: Change) -> Option<Self> {
        Some(match (self, change) {
            (Self::BeforeTick(rules), Change::BeforeTick(change)) => Self::BeforeTick(rules.undone(change)),
            (Self::Micros(rules), Change::Micros(change)) => Self::Micros(rules.undone(change)),
            (Self::Nanos(rules), Change::Nanos(change)) => Self::Nanos(rules.undone(change)),
            (_, Change::Generation(..) | Change::BeforeTick(_) | Change::Micros(_) | Change::Nanos(_)) => {
                return None;
            }
        })
    }

    /// A menu that remembers nothing yet.
    #[must_use]
    pub fn build(self, tuning: Tuning) -> Menu {
        match self {
            Self::BeforeTick(rules) => Menu::BeforeTick(BeforeTick::new(rules, tuning)),
            Self::Micros(rules) => Menu::Micros(Micros::new(rules, tuning)),
            Self::Nanos(rules) => Menu::Nanos(Nanos::new(rules, tuning)),
        }
    }
}

impl Menu {
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
            Self::BeforeTick(menu) => menu.select(table, tick, device, kernel, probe),
            Self::Micros(menu) => menu.select(table, tick, device, kernel, probe),
            Self::Nanos(menu) => menu.select(table, tick, device, kernel, probe),
        }
    }

    /// See [`super::Governor::reflect`].
    #[inline]
    pub fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        match self {
            Self::BeforeTick(menu) => menu.reflect(device, wakeup),
            Self::Micros(menu) => menu.reflect(device, wakeup),
            Self::Nanos(menu) => menu.reflect(device, wakeup),
        }
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
            Self::BeforeTick(menu) => menu.update(table, device, probe),
            Self::Micros(menu) => menu.update(table, tick, device, probe),
            Self::Nanos(menu) => menu.update(table, tick, device, probe),
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::BeforeTick(menu) => menu.snapshot(),
            Self::Micros(menu) => menu.snapshot(),
            Self::Nanos(menu) => menu.snapshot(),
        }
    }
}
