//! Which of the last nine wakeups were intercepts, and in which bins (spec teo.md §3.1).

use super::bins::{PerState, add};
use crate::units::StateIdx;

/// Wakeups remembered.
pub(super) const RECENT: usize = 9;

/// The last wakeups and how many of them were intercepts, per bin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ring {
    /// Intercepts among them, per bin; wraps below zero where the kernel's does (spec §6).
    pub recent: PerState,
    /// The bin of each intercept, none for a hit.
    pub slots: [Option<StateIdx>; RECENT],
    /// The slot to be overwritten next.
    pub next: usize,
}

impl Ring {
    /// Moves on by one slot and uncounts what it holds. Returns the slot, its content untouched.
    pub fn advance(&mut self) -> usize {
        let slot = self.next;
        self.next = (slot + 1) % RECENT;
        if let Some(idx) = self.slots.get(slot).copied().flatten() {
            add(&mut self.recent, idx, u32::MAX);
        }
        slot
    }

    /// Remembers a hit in `slot`.
    pub fn hit(&mut self, slot: usize) {
        self.set(slot, None);
    }

    /// Remembers an intercept in `slot`.
    pub fn intercept(&mut self, slot: usize, idx: StateIdx) {
        add(&mut self.recent, idx, 1);
        self.set(slot, Some(idx));
    }

    fn set(&mut self, slot: usize, bin: Option<StateIdx>) {
        if let Some(content) = self.slots.get_mut(slot) {
            *content = bin;
        }
    }
}
