//! What happened, as columns: one row per decision.
//!
//! The same columns hold what a simulated variant did and what a trace says the
//! recorded kernel did, so every analysis works on both.
//!
//! ```text
//!   entry        (state entered)        wake        exit
//!     |--------------- idle --------------|-- exit ---|== busy or next select ==
//!     |------------ residency ------------------------|
//! ```

use crate::units::{CpuId, Ns, StateIdx, Time};

/// What ended an idle period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// The retained tick, and nothing else.
    Tick,
    /// A timer that somebody armed.
    Timer,
    /// A device interrupt.
    Interrupt,
    /// An interrupt from another CPU.
    Ipi,
    /// The time limit of the polling state.
    PollLimit,
    /// Not known.
    #[default]
    Unknown,
}

impl Cause {
    /// Every cause, in display order.
    pub const ALL: [Self; 6] = [
        Self::Tick,
        Self::Timer,
        Self::Interrupt,
        Self::Ipi,
        Self::PollLimit,
        Self::Unknown,
    ];
}

/// Facts about one decision, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u16);

impl Flags {
    /// The tick was stopped already when the governor was asked, and not just now: see `STOPPED_NOW`.
    pub const WAS_STOPPED: Self = Self(1 << 0);
    /// The governor advised to stop the tick.
    pub const ASKED_STOP: Self = Self(1 << 1);
    /// This decision stopped a running tick; or the tick code did, where it decides before the governor is asked, since
    /// the decision before.
    pub const STOPPED_NOW: Self = Self(1 << 2);
    /// The tick is stopped during this period (`WAS_STOPPED` or `STOPPED_NOW`).
    pub const STOPPED: Self = Self(1 << 3);
    /// The tick's handler ran between entry and reflect.
    pub const GOT_TICK: Self = Self(1 << 4);
    /// Too deep by the kernel's rule (`above`).
    pub const TOO_DEEP: Self = Self(1 << 5);
    /// Too shallow by the kernel's rule (`below`).
    pub const TOO_SHALLOW: Self = Self(1 << 6);
    /// The entry failed; no reflect.
    pub const REJECTED: Self = Self(1 << 7);
    /// The governor looked up the next timer.
    pub const QUERIED: Self = Self(1 << 8);
    /// A task runs after this period: the idle episode ends here.
    pub const RESCHEDULED: Self = Self(1 << 9);
    /// Open at either end of the record, cut by lost events, or woken before its state was entered: shown, never
    /// counted.
    pub const UNCOUNTED: Self = Self(1 << 10);
    /// A keep reason (RCU and the like) held the tick although the governor asked to stop it.
    pub const KEEP_REASON: Self = Self(1 << 11);
    /// `sleep_length` was rebuilt exactly from events.
    pub const TIMER_EXACT: Self = Self(1 << 12);
    /// `sleep_length` was inferred.
    pub const TIMER_INFERRED: Self = Self(1 << 13);
    /// No governor was asked: no driver, or a single state where the kernel does not ask then.
    pub const UNGOVERNED: Self = Self(1 << 14);

    /// No fact.
    pub const NONE: Self = Self(0);

    /// These bits.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether all of `other` hold.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `other` added when `holds`.
    #[must_use]
    pub const fn and_if(self, holds: bool, other: Self) -> Self {
        if holds { self.and(other) } else { self }
    }
}

/// One decision and what followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The instant of the select; where kernel code takes time, that of entering the state.
    pub entry: Time,
    /// The instant of the wakeup event; not before `entry`, not after `exit`.
    pub wake: Time,
    /// The instant at which the CPU runs again.
    pub exit: Time,
    /// What the governor would read as sleep length, ns; `Ns::MAX` when no timer is known.
    pub sleep_length: Ns,
    /// Which of the workload's idle periods of this CPU this decision belongs to. Both variants
    /// of a replay number them alike; a retained tick gives several rows of one period.
    pub period: u32,
    /// The state asked for.
    pub selected: StateIdx,
    /// The state entered.
    pub entered: StateIdx,
    /// What ended the stay.
    pub cause: Cause,
    /// The rest.
    pub flags: Flags,
}

impl Row {
    /// Measured idle duration: entry to exit, ns.
    #[must_use]
    pub fn residency(&self) -> Ns {
        self.exit.saturating_since(self.entry)
    }
}

/// One CPU of one run: columns of equal length, in time order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    entry: Vec<Time>,
    wake: Vec<Time>,
    exit: Vec<Time>,
    sleep_length: Vec<Ns>,
    period: Vec<u32>,
    selected: Vec<StateIdx>,
    entered: Vec<StateIdx>,
    cause: Vec<Cause>,
    flags: Vec<Flags>,
}

impl Lane {
    /// Number of decisions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entry.len()
    }

    /// Whether the CPU was never asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entry.is_empty()
    }

    /// Adds a decision at the end.
    pub fn push(&mut self, row: Row) {
        self.entry.push(row.entry);
        self.wake.push(row.wake);
        self.exit.push(row.exit);
        self.sleep_length.push(row.sleep_length);
        self.period.push(row.period);
        self.selected.push(row.selected);
        self.entered.push(row.entered);
        self.cause.push(row.cause);
        self.flags.push(row.flags);
    }

    /// Decision `n`, if there is one.
    #[must_use]
    pub fn row(&self, n: usize) -> Option<Row> {
        Some(Row {
            entry: *self.entry.get(n)?,
            wake: *self.wake.get(n)?,
            exit: *self.exit.get(n)?,
            sleep_length: *self.sleep_length.get(n)?,
            period: *self.period.get(n)?,
            selected: *self.selected.get(n)?,
            entered: *self.entered.get(n)?,
            cause: *self.cause.get(n)?,
            flags: *self.flags.get(n)?,
        })
    }

    /// All decisions in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row> + '_ {
        (0..self.len()).map(|n| Row {
            entry: self.entry[n],
            wake: self.wake[n],
            exit: self.exit[n],
            sleep_length: self.sleep_length[n],
            period: self.period[n],
            selected: self.selected[n],
            entered: self.entered[n],
            cause: self.cause[n],
            flags: self.flags[n],
        })
    }

    /// The column of entry instants, ascending.
    #[must_use]
    pub fn entries(&self) -> &[Time] {
        &self.entry
    }

    /// The column of exit instants, ascending.
    #[must_use]
    pub fn exits(&self) -> &[Time] {
        &self.exit
    }

    /// The column of states entered.
    #[must_use]
    pub fn entered(&self) -> &[StateIdx] {
        &self.entered
    }

    /// The column of facts.
    #[must_use]
    pub fn flags(&self) -> &[Flags] {
        &self.flags
    }

    /// The column of period numbers, ascending.
    #[must_use]
    pub fn periods(&self) -> &[u32] {
        &self.period
    }

    /// The last decision whose entry is not after `t`, if any.
    #[must_use]
    pub fn at(&self, t: Time) -> Option<usize> {
        self.entry.partition_point(|entry| *entry <= t).checked_sub(1)
    }
}

/// What one run, or one trace, says happened on all CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// First instant covered.
    pub start: Time,
    /// Last instant covered.
    pub end: Time,
    /// One lane per CPU number, empty for CPUs that are never seen idle.
    pub lanes: Vec<Lane>,
    /// Every change of the clock that all cores share, and what it was at the start; empty where it is not modelled.
    pub frequency: Vec<FrequencyChange>,
}

/// The clock from one instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrequencyChange {
    /// When.
    pub at: Time,
    /// How fast from then on, kHz.
    pub khz: u32,
}

impl Record {
    /// The lane of one CPU.
    #[must_use]
    pub fn lane(&self, cpu: CpuId) -> Option<&Lane> {
        self.lanes.get(cpu.index())
    }

    /// Decisions of all CPUs.
    #[must_use]
    pub fn decisions(&self) -> usize {
        self.lanes.iter().map(Lane::len).sum()
    }
}
