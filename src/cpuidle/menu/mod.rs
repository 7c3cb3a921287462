//! The menu governor (spec menu.md): it predicts the stay from the next timer, corrected by
//! experience, and from the last eight intervals, and takes the lesser.
//!
//! One generation so far, [`IoGroups`]. Its steps are in `factors`, `intervals`
//! and `search`.

mod factors;
mod intervals;
pub mod io_groups;
mod search;
mod step;

use serde::{Deserialize, Serialize};

use super::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, Us};

pub use io_groups::IoGroups;
pub use step::{AtOnce, Left, Source, Step, StepKind, Verdict};

/// Generation, recipe and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// [`IoGroups`].
    IoGroups(io_groups::Recipe, io_groups::Rules),
}

/// One CPU's menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Menu {
    /// See [`IoGroups`].
    IoGroups(IoGroups),
}

/// What a menu remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Correction factors by bucket, in 1/8192.
    pub factors: [u32; 12],
    /// The bucket of the last timer, 0 to 11.
    pub bucket: u8,
    /// The last intervals, µs; `Us::MAX` for none.
    pub intervals: [Us; 8],
    /// The interval to be overwritten next, 0 to 7.
    pub next: u8,
}

impl Version {
    /// Every way in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<io_groups::Change> {
        let (Self::IoGroups(recipe_a, a), Self::IoGroups(recipe_b, b)) = (a, b);
        let recipe = (recipe_a != recipe_b).then_some(io_groups::Change::Recipe(recipe_a, recipe_b));
        recipe
            .into_iter()
            .chain(io_groups::Rules::changes(a, b))
            .collect()
    }

    /// A menu that remembers nothing yet.
    #[must_use]
    pub fn build(self) -> Menu {
        match self {
            Self::IoGroups(recipe, rules) => Menu::IoGroups(IoGroups::new(recipe, rules)),
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
            Self::IoGroups(menu) => menu.select(table, tick, device, kernel, probe),
        }
    }

    /// See [`super::Governor::reflect`].
    #[inline]
    pub fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        match self {
            Self::IoGroups(menu) => menu.reflect(device, wakeup),
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
            Self::IoGroups(menu) => menu.update(table, tick, device, probe),
        }
    }

    /// What it remembers now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self {
            Self::IoGroups(menu) => menu.snapshot(),
        }
    }
}
