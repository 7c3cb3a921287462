//! From a kernel to the rules of its idle tick. Version numbers live here and nowhere else in this layer.
//!
//! Invariants (tests below): adjacent entries differ, names are unique, every rule value is used.

use super::avg_idle::Eighth;
use super::rules::{InterruptEntry, Order, Rules, SingleState, Ungoverned};

/// One behaviour that some kernels had.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The first release that behaved so, as vectors and links name it.
    pub name: &'static str,
    /// The kernels that behave so, in words.
    pub kernels: &'static str,
    /// The behaviour.
    pub rules: Rules,
    /// What it changed against the entry before it.
    pub differences: &'static [&'static str],
}

const SINCE_4_17: Rules = Rules {
    order: Order::AfterGovernor,
    ungoverned: Ungoverned::AlwaysTry,
    interrupt_entry: InterruptEntry::RestartsEntryTime,
    single_state: SingleState::Governed,
    eighth: Eighth::Floor,
};

/// Every entry, oldest first.
pub static ENTRIES: &[Entry] = &[
    Entry {
        name: "4.4",
        kernels: "4.4 up to 4.16; earlier ones were not compared",
        rules: before_governor(),
        differences: &[],
    },
    Entry {
        name: "4.17",
        kernels: "4.17 up to 4.20",
        rules: SINCE_4_17,
        differences: &[
            "The governor chooses first and advises about the tick; before, the tick was stopped wherever possible, before any choice.",
        ],
    },
    Entry {
        name: "5.10",
        kernels: "5.10 up to 6.12 mainline, and the stable series without the change of early 2026, such as 5.10.223; 5.0 to 5.9 were not compared",
        rules: Rules {
            eighth: Eighth::TowardsZero,
            ..SINCE_4_17
        },
        differences: &["The average idle time is rounded towards zero when it falls, not down."],
    },
    Entry {
        name: "6.12.117",
        kernels: "the stable series 6.1.192 and 6.12.117",
        rules: Rules {
            order: Order::AfterGovernor,
            eighth: Eighth::TowardsZero,
            ungoverned: Ungoverned::TryAfterTick,
            interrupt_entry: InterruptEntry::RestartsEntryTime,
            single_state: SingleState::Ungoverned,
        },
        differences: &[
            "Without a governor, the tick is stopped only after an idle iteration that it has ended.",
            "A driver with one state enters it without asking the governor.",
        ],
    },
    Entry {
        name: "7.2",
        kernels: "7.2.13",
        rules: Rules {
            order: Order::AfterGovernor,
            eighth: Eighth::TowardsZero,
            ungoverned: Ungoverned::TryAfterTick,
            interrupt_entry: InterruptEntry::KeepsEntryTime,
            single_state: SingleState::Ungoverned,
        },
        differences: &["An interrupt that begins while the CPU is idle leaves the idle entry time alone."],
    },
];

/// The entry of this name, if there is one.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Those of the kernels that first let governors advise about the tick, 4.17.
#[must_use]
pub const fn default_rules() -> Rules {
    SINCE_4_17
}

/// Those of the last kernels where the tick was decided on before any governor ran.
#[must_use]
pub const fn before_governor() -> Rules {
    Rules {
        order: Order::BeforeGovernor,
        ..SINCE_4_17
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_entries_differ_and_say_how() {
        for pair in ENTRIES.windows(2) {
            let [before, after] = pair else { continue };
            let changes = before.rules.changes(after.rules);
            assert_eq!(changes.len(), after.differences.len(), "{}", after.name);
            assert!(!changes.is_empty(), "{} equals {}", after.name, before.name);
        }
    }

    #[test]
    fn names_are_unique() {
        for entry in ENTRIES {
            assert_eq!(ENTRIES.iter().filter(|e| e.name == entry.name).count(), 1);
        }
    }

    #[test]
    fn every_rule_value_is_used() {
        let used = |holds: fn(&Rules) -> bool| ENTRIES.iter().any(|entry| holds(&entry.rules));
        assert!(used(|rules| rules.order == Order::BeforeGovernor));
        assert!(used(|rules| rules.order == Order::AfterGovernor));
        assert!(used(|rules| rules.eighth == Eighth::Floor));
        assert!(used(|rules| rules.eighth == Eighth::TowardsZero));
        assert!(used(|rules| rules.ungoverned == Ungoverned::AlwaysTry));
        assert!(used(|rules| rules.ungoverned == Ungoverned::TryAfterTick));
        assert!(used(
            |rules| rules.interrupt_entry == InterruptEntry::RestartsEntryTime
        ));
        assert!(used(
            |rules| rules.interrupt_entry == InterruptEntry::KeepsEntryTime
        ));
        assert!(used(|rules| rules.single_state == SingleState::Governed));
        assert!(used(|rules| rules.single_state == SingleState::Ungoverned));
    }
}
