//! Generation: correction factors and eight intervals, times in ns. As released in 5.13 and later (spec menu.md §2,
//! §6 to §12, §14).

use super::both_ends::Leftover;
use super::intervals::GiveUp;
use super::memory::{FailedEntry, Memory, predict};
use super::search::{Exit, Instead, Search, Timer, at_once, bound, choose, stopped};
use super::step::Step;
use super::{Snapshot, Tuning};
use crate::cpuidle::rules::rules;
use crate::cpuidle::select::Now;
use crate::cpuidle::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, Us};

/// A typical interval up to this makes the timer's distance irrelevant (spec §6).
pub(super) const SHORT: Ns = Ns::from_us(15);

rules! {
    /// Where the versions of this generation differ. Each rule is one answer at one place, so that any of them can be
    /// as in another version and the rest stays.
    struct Rules {
        /// The order of the steps.
        recipe: Recipe,
        /// Whether tasks that wait for I/O count.
        waiting: Waiting,
        /// What an entry that failed leaves behind.
        failed_entry: FailedEntry,
        /// How the intervals are looked at.
        typical: Typical,
        /// What the latency limit means.
        latency: Latency,
        /// When a state that does not pay off is taken instead of polling.
        instead: Instead,
        /// What a stopped tick changes.
        stopped: Stopped,
    }
}

/// The order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// The timer is looked up first, always; intervals count while one is shorter than it, corrected.
    TimerFirst,
    /// The intervals come first, and make the timer superfluous when they are short; nothing but zeroes says nothing.
    IntervalsFirst,
}

/// Whether tasks that wait for I/O count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// They have factors of their own, and each shortens the latency limit.
    Counts,
    /// They are not asked for.
    Ignored,
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
    /// With the tick running it is cut to the stay expected, divided by what waits, and looked at after the target
    /// residency.
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
    fn of<P: Probe<Step>>(self, memory: &Memory, give_up: GiveUp, probe: &mut P) -> Option<Us> {
        match self {
            Self::DropsLongest => memory.intervals.typical(give_up, probe),
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

impl Waiting {
    /// Factors in use.
    const fn buckets(self) -> u8 {
        match self {
            Self::Counts => 12,
            Self::Ignored => 6,
        }
    }

    fn ask<K: Kernel>(self, kernel: &K) -> u32 {
        match self {
            Self::Counts => kernel.nr_iowait(),
            Self::Ignored => 0,
        }
    }
}

/// What is learnt, and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nanos {
    rules: Rules,
    memory: Memory,
}

impl Nanos {
    pub(super) fn new(rules: Rules, tuning: Tuning) -> Self {
        Self {
            rules,
            memory: Memory::new(rules.waiting.buckets(), tuning),
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.memory.snapshot()
    }

    pub(super) fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        self.memory.reflect(device, wakeup);
    }

    /// Learns from the last period (spec §2.2).
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
        let now = Now::ask(table, tick, kernel);
        match self.rules.recipe {
            Recipe::TimerFirst => self.timer_first(&now, kernel, probe),
            Recipe::IntervalsFirst => self.intervals_first(&now, kernel, probe),
        }
    }

    /// Spec §2.4.
    fn timer_first<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let nr_iowait = self.rules.waiting.ask(kernel);
        let timer = self.memory.look_up_timer(kernel, nr_iowait, probe);
        if let Some(decision) = at_once(now, timer.next, probe) {
            return decision;
        }
        let corrected = self.memory.factors.corrected(timer.next, probe);
        let typical = self
            .rules
            .typical
            .of(&self.memory, GiveUp::NotBelow(corrected), probe);
        let duration = predict(Some(corrected), typical, probe);
        self.choose(now, duration, timer, nr_iowait, probe)
    }

    /// Spec §6 to §12.
    fn intervals_first<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let rules = self.rules;
        let nr_iowait = rules.waiting.ask(kernel);
        let typical = rules.typical.of(&self.memory, GiveUp::AllZero, probe);
        let is_short = typical.map(Ns::from).filter(|typical| *typical <= SHORT);
        let (timer, corrected) = match is_short {
            Some(typical) if !rules.stopped.asks(now) => {
                probe.step(|| Step::TimerSkipped {
                    typical,
                    limit: SHORT,
                });
                (self.memory.assume_no_timer(now.tick, nr_iowait, probe), None)
            }
            _ => {
                let timer = self.memory.look_up_timer(kernel, nr_iowait, probe);
                (timer, Some(self.memory.factors.corrected(timer.next, probe)))
            }
        };
        let duration = predict(corrected, typical, probe);
        if let Some(decision) = at_once(now, timer.next, probe) {
            return decision;
        }
        self.choose(now, duration, timer, nr_iowait, probe)
    }

    /// The search, for the duration predicted.
    fn choose<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        duration: Ns,
        timer: Timer,
        nr_iowait: u32,
        probe: &mut P,
    ) -> Decision {
        let (duration, limit) = self.bound(now, duration, timer, nr_iowait, probe);
        let search = Search {
            exit: match self.rules.latency {
                Latency::WithinStay => Exit::AfterResidency,
                Latency::AsGiven => Exit::First,
            },
            instead: self.rules.instead,
            ..Search::NANOS
        };
        choose(now, duration, limit, timer, search, probe)
    }

    /// The duration expected and the latency limit, with the tick as it is.
    fn bound<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        duration: Ns,
        timer: Timer,
        nr_iowait: u32,
        probe: &mut P,
    ) -> (Ns, Ns) {
        let Rules {
            latency,
            stopped: rule,
            ..
        } = self.rules;
        match (latency, now.tick_stopped) {
            (_, true) if rule.believes_near_timer(now, timer) => (duration, now.latency_req),
            (_, true) => (stopped(now, duration, timer.next, probe), now.latency_req),
            (Latency::WithinStay, false) => {
                let waiting = (nr_iowait, self.memory.per_waiting_task);
                bound(now, duration, timer.next, waiting, probe)
            }
            (Latency::AsGiven, false) => (duration, now.latency_req),
        }
    }
}
