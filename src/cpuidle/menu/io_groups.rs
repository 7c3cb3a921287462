//! Generation: twelve correction factors in two groups, the upper for CPUs with tasks that wait
//! for I/O; times in ns. As released in 5.13 to 6.12 (spec menu.md §2, §6, §14.1).

use super::intervals::GiveUp;
use super::memory::{FailedEntry, Memory, predict};
use super::search::{Search, at_once, bound, choose};
use super::step::Step;
use super::{Snapshot, Tuning};
use crate::cpuidle::select::Now;
use crate::cpuidle::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

/// A typical interval up to this makes the timer's distance irrelevant (spec §6).
pub(super) const SHORT: Ns = Ns::from_us(15);

/// The order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// The timer is looked up first, always.
    TimerFirst,
    /// The intervals come first, and make the timer superfluous when they are short.
    IntervalsFirst,
}

/// Where the versions of this generation differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What an entry that failed leaves behind.
    pub failed_entry: FailedEntry,
}

/// One way in which two versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The order of the steps.
    Recipe(Recipe, Recipe),
    /// Of [`Rules::failed_entry`].
    FailedEntry(FailedEntry, FailedEntry),
}

impl Rules {
    /// Every rule in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        let Self { failed_entry } = a;
        (failed_entry != b.failed_entry)
            .then_some(Change::FailedEntry(failed_entry, b.failed_entry))
            .into_iter()
            .collect()
    }
}

/// What is learnt, and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoGroups {
    recipe: Recipe,
    rules: Rules,
    memory: Memory,
}

impl IoGroups {
    pub(super) fn new(recipe: Recipe, rules: Rules, tuning: Tuning) -> Self {
        Self {
            recipe,
            rules,
            memory: Memory::new(12, tuning),
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
        match self.recipe {
            Recipe::TimerFirst => self.timer_first(table, tick, kernel, probe),
            Recipe::IntervalsFirst => self.intervals_first(table, tick, kernel, probe),
        }
    }

    /// Spec §2.4.
    fn timer_first<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let now = Now::ask(table, tick, kernel);
        let nr_iowait = kernel.nr_iowait();
        let timer = self.memory.look_up_timer(kernel, nr_iowait, probe);
        if let Some(decision) = at_once(&now, timer.next, probe) {
            return decision;
        }
        let corrected = self.memory.factors.corrected(timer.next, probe);
        let typical = self.memory.intervals.typical(GiveUp::NotBelow(corrected), probe);
        let duration = predict(Some(corrected), typical, probe);
        let (duration, limit) = bound(
            &now,
            duration,
            timer.next,
            (nr_iowait, self.memory.per_waiting_task),
            probe,
        );
        choose(&now, duration, limit, timer, Search::IO_GROUPS, probe)
    }

    /// Spec §6.
    fn intervals_first<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let now = Now::ask(table, tick, kernel);
        let nr_iowait = kernel.nr_iowait();
        let typical = self.memory.intervals.typical(GiveUp::AllZero, probe);
        let (timer, corrected) = match typical.map(Ns::from) {
            Some(typical) if typical <= SHORT => {
                probe.step(|| Step::TimerSkipped {
                    typical,
                    limit: SHORT,
                });
                (self.memory.assume_no_timer(tick, nr_iowait, probe), None)
            }
            _ => {
                let timer = self.memory.look_up_timer(kernel, nr_iowait, probe);
                (timer, Some(self.memory.factors.corrected(timer.next, probe)))
            }
        };
        let duration = predict(corrected, typical, probe);
        if let Some(decision) = at_once(&now, timer.next, probe) {
            return decision;
        }
        let (duration, limit) = bound(
            &now,
            duration,
            timer.next,
            (nr_iowait, self.memory.per_waiting_task),
            probe,
        );
        choose(&now, duration, limit, timer, Search::IO_GROUPS, probe)
    }
}
