//! The menu governor (spec menu.md): it predicts the stay from the next timer, corrected by
//! experience, and from the last eight intervals, and takes the lesser.
//!
//! Four generations: [`BeforeTick`] (the tick is stopped first), [`Micros`] (whole
//! microseconds), [`IoGroups`] (nanoseconds) and [`Plain`] (no groups of factors for
//! tasks that wait for I/O). Their record is in `memory`, their common steps are in
//! `factors`, `intervals`, `both_ends` and `search`.

pub mod before_tick;
mod both_ends;
mod factors;
mod intervals;
pub mod io_groups;
mod memory;
pub mod micros;
pub mod plain;
mod search;
mod step;

use serde::{Deserialize, Serialize};

use super::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

pub use before_tick::BeforeTick;
pub use both_ends::Leftover;
pub use intervals::Slots;
pub use io_groups::IoGroups;
pub use memory::FailedEntry;
pub use micros::Micros;
pub use plain::Plain;
pub use search::Instead;
pub use step::{AtOnce, Left, Source, Step, StepKind, Verdict};

/// Generation, recipe and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// [`BeforeTick`].
    BeforeTick(before_tick::Rules),
    /// [`Micros`].
    Micros(micros::Recipe),
    /// [`IoGroups`].
    IoGroups(io_groups::Recipe, io_groups::Rules),
    /// [`Plain`].
    Plain(plain::Rules),
}

/// One CPU's menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Menu {
    /// See [`BeforeTick`].
    BeforeTick(BeforeTick),
    /// See [`Micros`].
    Micros(Micros),
    /// See [`IoGroups`].
    IoGroups(IoGroups),
    /// See [`Plain`].
    Plain(Plain),
}

/// What is remembered, and in what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// [`BeforeTick`].
    BeforeTick,
    /// [`Micros`].
    Micros,
    /// [`IoGroups`].
    IoGroups,
    /// [`Plain`].
    Plain,
}

/// One way in which two versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They remember different things; their rules cannot be compared one by one.
    Generation(Generation, Generation),
    /// A rule of [`BeforeTick`].
    BeforeTick(before_tick::Change),
    /// The order of the steps of [`Micros`].
    Micros(micros::Recipe, micros::Recipe),
    /// A rule of [`IoGroups`].
    IoGroups(io_groups::Change),
    /// A rule of [`Plain`].
    Plain(plain::Change),
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
            Self::IoGroups(..) => Generation::IoGroups,
            Self::Plain(_) => Generation::Plain,
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
            (Self::Micros(a), Self::Micros(b)) => {
                (a != b).then_some(Change::Micros(a, b)).into_iter().collect()
            }
            (Self::IoGroups(recipe_a, a), Self::IoGroups(recipe_b, b)) => {
                let recipe = (recipe_a != recipe_b).then_some(io_groups::Change::Recipe(recipe_a, recipe_b));
                let rules = io_groups::Rules::changes(a, b);
                recipe.into_iter().chain(rules).map(Change::IoGroups).collect()
            }
            (Self::Plain(a), Self::Plain(b)) => plain::Rules::changes(a, b)
                .into_iter()
                .map(Change::Plain)
                .collect(),
            (a, b) => vec![Change::Generation(a.generation(), b.generation())],
        }
    }

    /// With one rule as it was before the change; none where the generation changed, or the rule is not of this one.
    #[must_use]
    pub const fn undone(self, change: Change) -> Option<Self> {
        Some(match (self, change) {
            (Self::BeforeTick(rules), Change::BeforeTick(change)) => Self::BeforeTick(rules.undone(change)),
            (Self::Micros(_), Change::Micros(recipe, _)) => Self::Micros(recipe),
            (Self::IoGroups(_, rules), Change::IoGroups(io_groups::Change::Recipe(recipe, _))) => {
                Self::IoGroups(recipe, rules)
            }
            (
                Self::IoGroups(recipe, _),
                Change::IoGroups(io_groups::Change::FailedEntry(failed_entry, _)),
            ) => Self::IoGroups(recipe, io_groups::Rules { failed_entry }),
            (Self::Plain(rules), Change::Plain(change)) => Self::Plain(rules.undone(change)),
            (
                _,
                Change::Generation(..)
                | Change::BeforeTick(_)
                | Change::Micros(..)
                | Change::IoGroups(_)
                | Change::Plain(_),
            ) => return None,
        })
    }

    /// A menu that remembers nothing yet.
    #[must_use]
    pub fn build(self, tuning: Tuning) -> Menu {
        match self {
            Self::BeforeTick(rules) => Menu::BeforeTick(BeforeTick::new(rules, tuning)),
            Self::Micros(recipe) => Menu::Micros(Micros::new(recipe, tuning)),
            Self::IoGroups(recipe, rules) => Menu::IoGroups(IoGroups::new(recipe, rules, tuning)),
            Self::Plain(rules) => Menu::Plain(Plain::new(rules, tuning)),
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
            Self::IoGroups(menu) => menu.select(table, tick, device, kernel, probe),
            Self::Plain(menu) => menu.select(table, tick, device, kernel, probe),
        }
    }

    /// See [`super::Governor::reflect`].
    #[inline]
    pub fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        match self {
            Self::BeforeTick(menu) => menu.reflect(device, wakeup),
            Self::Micros(menu) => menu.reflect(device, wakeup),
            Self::IoGroups(menu) => menu.reflect(device, wakeup),
            Self::Plain(menu) => menu.reflect(device, wakeup),
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
            Self::IoGroups(menu) => menu.update(table, tick, device, probe),
            Self::Plain(menu) => menu.update(table, tick, device, probe),
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::BeforeTick(menu) => menu.snapshot(),
            Self::Micros(menu) => menu.snapshot(),
            Self::IoGroups(menu) => menu.snapshot(),
            Self::Plain(menu) => menu.snapshot(),
        }
    }
}
