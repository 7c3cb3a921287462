//! Generation: six correction factors; tasks that wait for I/O no longer count. As released in 6.13 and later, and
//! in 6.12 since 6.12.75 (spec menu.md §7 to §12, §14.2).

use super::both_ends::Leftover;
use super::intervals::GiveUp;
use super::io_groups::SHORT;
use super::memory::{FailedEntry, Memory, predict};
use super::search::{Exit, Instead, Search, Timer, at_once, bound, choose, stopped};
use super::step::Step;
use super::{Snapshot, Tuning};
use crate::cpuidle::select::Now;
use crate::cpuidle::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, Us};

/// Where the versions of this generation differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What an entry that failed leaves behind.
    pub failed_entry: FailedEntry,
    /// How the intervals are looked at.
    pub typical: Typical,
    /// What the latency limit means.
    pub latency: Latency,
    /// When a state that does not pay off is taken instead of polling.
    pub instead: Instead,
    /// What a stopped tick changes.
    pub stopped: Stopped,
}

/// One rule that differs between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of [`Rules::failed_entry`].
    FailedEntry(FailedEntry, FailedEntry),
    /// Of [`Rules::typical`].
    Typical(Typical, Typical),
    /// Of [`Rules::latency`].
    Latency(Latency, Latency),
    /// Of [`Rules::instead`].
    Instead(Instead, Instead),
    /// Of [`Rules::stopped`].
    Stopped(Stopped, Stopped),
}

impl Rules {
    /// Every rule in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        let Self {
            failed_entry,
            typical,
            latency,
            instead,
            stopped,
        } = a;
        let changes = [
            (failed_entry != b.failed_entry).then_some(Change::FailedEntry(failed_entry, b.failed_entry)),
            (typical != b.typical).then_some(Change::Typical(typical, b.typical)),
            (latency != b.latency).then_some(Change::Latency(latency, b.latency)),
            (instead != b.instead).then_some(Change::Instead(instead, b.instead)),
            (stopped != b.stopped).then_some(Change::Stopped(stopped, b.stopped)),
        ];
        changes.into_iter().flatten().collect()
    }

    /// With one rule as it was before the change.
    #[must_use]
    pub const fn undone(self, change: Change) -> Self {
        match change {
            Change::FailedEntry(failed_entry, _) => Self { failed_entry, ..self },
            Change::Typical(typical, _) => Self { typical, ..self },
            Change::Latency(latency, _) => Self { latency, ..self },
            Change::Instead(instead, _) => Self { instead, ..self },
            Change::Stopped(stopped, _) => Self { stopped, ..self },
        }
    }
}

/// How the intervals are looked at while they vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typical {
    /// The longest are left out.
    DropsLongest,
    /// Those farthest from the average are left out, at either end; what then still varies says something or not.
    DropsFarthest(Leftover),
}

/// What the latency limit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// With the tick running it is cut to the stay expected, and looked at after the target residency.
    WithinStay,
    /// It holds as given and is looked at first.
    AsGiven,
}

/// What a stopped tick changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// A stay below one tick is not believed: the timer's distance is taken, if it was asked for.
    TimerIfAsked,
    /// The timer is always asked for.
    AlwaysAsks,
    /// And a stay is believed if the timer is at most two ticks away.
    AlwaysAsksUnlessNear,
}

impl Typical {
    fn of<P: Probe<Step>>(self, memory: &Memory, probe: &mut P) -> Option<Us> {
        match self {
            Self::DropsLongest => memory.intervals.typical(GiveUp::AllZero, probe),
            Self::DropsFarthest(leftover) => memory.intervals.typical_of_both_ends(leftover, probe),
        }
    }
}

impl Stopped {
    fn asks(self, now: &Now<'_>) -> bool {
        match self {
            Self::TimerIfAsked => false,
            Self::AlwaysAsks | Self::AlwaysAsksUnlessNear => now.tick_stopped,
        }
    }

    fn believes_near_timer(self, now: &Now<'_>, timer: Timer) -> bool {
        match self {
            Self::TimerIfAsked | Self::AlwaysAsks => false,
            Self::AlwaysAsksUnlessNear => timer.next <= now.tick * 2,
        }
    }
}

/// What is learnt, and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    rules: Rules,
    memory: Memory,
}

impl Plain {
    pub(super) fn new(rules: Rules, tuning: Tuning) -> Self {
        Self {
            rules,
            memory: Memory::new(6, tuning),
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.memory.snapshot()
    }

    pub(super) fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        self.memory.reflect(device, wakeup);
    }

    /// Learns from the last period.
    pub(super) fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &Device,
        probe: &mut P,
    ) {
        self.memory
            .update(table, tick, device, self.rules.failed_entry, probe);
    }

    /// Chooses a state.
    pub(super) fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        self.update(table, tick, device, probe);
        let rules = self.rules;
        let now = Now::ask(table, tick, kernel);
        let typical = rules.typical.of(&self.memory, probe);
        let is_short = typical.map(Ns::from).filter(|typical| *typical <= SHORT);
        let (timer, corrected) = match is_short {
            Some(typical) if !rules.stopped.asks(&now) => {
                probe.step(|| Step::TimerSkipped {
                    typical,
                    limit: SHORT,
                });
                (self.memory.assume_no_timer(tick, 0, probe), None)
            }
            _ => {
                let timer = self.memory.look_up_timer(kernel, 0, probe);
                (timer, Some(self.memory.factors.corrected(timer.next, probe)))
            }
        };
        let duration = predict(corrected, typical, probe);
        if let Some(decision) = at_once(&now, timer.next, probe) {
            return decision;
        }
        let (duration, limit) = rules.bound(&now, duration, timer, probe);
        let search = Search {
            exit: match rules.latency {
                Latency::WithinStay => Exit::AfterResidency,
                Latency::AsGiven => Exit::First,
            },
            instead: rules.instead,
            ..Search::IO_GROUPS
        };
        choose(&now, duration, limit, timer, search, probe)
    }
}

impl Rules {
    /// The duration expected and the latency limit, with the tick as it is.
    fn bound<P: Probe<Step>>(self, now: &Now<'_>, duration: Ns, timer: Timer, probe: &mut P) -> (Ns, Ns) {
        match (self.latency, now.tick_stopped) {
            (_, true) if self.stopped.believes_near_timer(now, timer) => (duration, now.latency_req),
            (_, true) => (stopped(now, duration, timer.next, probe), now.latency_req),
            (Latency::WithinStay, false) => bound(now, duration, timer.next, (0, 0), probe),
            (Latency::AsGiven, false) => (duration, now.latency_req),
        }
    }
}
