//! Where the eras of the idle tick differ, as values (spec idle-loop-and-tick.md §2.1, §5.9).
//!
//! Version numbers are in [`super::catalog`] only. [`Order`] chooses the recipe: `before_governor` for era A, where
//! the tick code decides before any governor runs, `nohz` for the later ones.

use super::Advice;
use super::avg_idle::Eighth;

/// One set of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Who decides about the tick, and when.
    pub order: Order,
    /// Who decides about the tick when no governor is asked.
    pub ungoverned: Ungoverned,
    /// What an interrupt during idle does to the time from which sleep length counts.
    pub interrupt_entry: InterruptEntry,
    /// Whether a driver with one state has its governor asked.
    pub single_state: SingleState,
    /// How the average that the rate limit of 2016 reads is rounded.
    pub eighth: Eighth,
}

/// Which comes first, the tick or the choice of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The tick code decides alone, on entering idle and after every interrupt that leaves the CPU idle; governors
    /// find the tick as it then is (spec §7).
    BeforeGovernor,
    /// The governor chooses first and its advice about the tick counts (spec §2.1).
    AfterGovernor,
}

/// The tick decision of an iteration without a governor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ungoverned {
    /// A stop is always tried.
    AlwaysTry,
    /// A stop is tried only after an iteration that the tick has ended.
    TryAfterTick,
}

impl Ungoverned {
    /// What takes the place of the governor's advice; `got_tick` tells of the iteration before.
    #[must_use]
    pub const fn advice(self, got_tick: bool) -> Advice {
        match (self, got_tick) {
            (Self::AlwaysTry, _) | (Self::TryAfterTick, true) => Advice::Stop,
            (Self::TryAfterTick, false) => Advice::Retain,
        }
    }
}

/// Whether the idle entry time moves when an interrupt begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterruptEntry {
    /// It becomes the start of the interrupt. Never visible in a decision, since an interrupt that leaves the
    /// CPU idle sets it again at its end.
    RestartsEntryTime,
    /// It stays.
    KeepsEntryTime,
}

/// What happens with a driver that has a single state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SingleState {
    /// As with any other.
    Governed,
    /// State 0 is entered, neither select nor reflect is called.
    Ungoverned,
}

/// What differs between two sets of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// [`Rules::order`].
    Order {
        /// Before.
        from: Order,
        /// After.
        to: Order,
    },
    /// [`Rules::ungoverned`].
    Ungoverned {
        /// Before.
        from: Ungoverned,
        /// After.
        to: Ungoverned,
    },
    /// [`Rules::interrupt_entry`].
    InterruptEntry {
        /// Before.
        from: InterruptEntry,
        /// After.
        to: InterruptEntry,
    },
    /// [`Rules::single_state`].
    SingleState {
        /// Before.
        from: SingleState,
        /// After.
        to: SingleState,
    },
    /// [`Rules::eighth`].
    Eighth {
        /// Before.
        from: Eighth,
        /// After.
        to: Eighth,
    },
}

impl Rules {
    /// Everything that `to` does differently from `self`.
    #[must_use]
    pub fn changes(self, to: Self) -> Vec<Change> {
        let Self {
            order,
            ungoverned,
            interrupt_entry,
            single_state,
            eighth,
        } = self;
        let mut changes = Vec::new();
        if order != to.order {
            changes.push(Change::Order {
                from: order,
                to: to.order,
            });
        }
        if ungoverned != to.ungoverned {
            changes.push(Change::Ungoverned {
                from: ungoverned,
                to: to.ungoverned,
            });
        }
        if interrupt_entry != to.interrupt_entry {
            changes.push(Change::InterruptEntry {
                from: interrupt_entry,
                to: to.interrupt_entry,
            });
        }
        if single_state != to.single_state {
            changes.push(Change::SingleState {
                from: single_state,
                to: to.single_state,
            });
        }
        if eighth != to.eighth {
            changes.push(Change::Eighth {
                from: eighth,
                to: to.eighth,
            });
        }
        changes
    }
}
