//! Generation: twelve correction factors in two groups, the upper for CPUs with tasks that wait
//! for I/O; times in ns. As released in 5.13 to 6.12 (spec menu.md §2, §6, §14.1).

use super::Snapshot;
use super::factors::{Factors, MAX_INTERESTING};
use super::intervals::{GiveUp, Intervals};
use super::search::{Timer, ask, at_once, bound, choose};
use super::step::{Source, Step};
use crate::cpuidle::select::Now;
use crate::cpuidle::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, Us};

/// A typical interval up to this makes the timer's distance irrelevant (spec §6).
const SHORT: Ns = Ns::from_us(15);

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

/// What an entry that failed leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedEntry {
    /// Nothing: an old interval stays in the ring.
    Unnoticed,
    /// "No interval" in place of the oldest interval.
    StoresNone,
}

/// What is learnt, and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoGroups {
    recipe: Recipe,
    rules: Rules,
    factors: Factors,
    intervals: Intervals,
    next_timer: Ns,
    reflected: Option<Wakeup>,
}

impl IoGroups {
    pub(super) fn new(recipe: Recipe, rules: Rules) -> Self {
        Self {
            recipe,
            rules,
            factors: Factors::default(),
            intervals: Intervals::default(),
            next_timer: Ns::ZERO,
            reflected: None,
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            factors: self.factors.factors,
            bucket: self.factors.bucket,
            intervals: self.intervals.ring,
            next: self.intervals.next,
        }
    }

    pub(super) fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        device.last_state = Some(wakeup.entered);
        self.reflected = Some(wakeup);
    }

    /// Learns from the last period (spec §2.2).
    pub(super) fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &Device,
        probe: &mut P,
    ) {
        let Some(wakeup) = self.reflected.take() else {
            self.rules
                .failed_entry
                .note(&mut self.intervals, device.last_residency, probe);
            return;
        };
        let (measured, source) = measured(table, tick, device, wakeup, self.next_timer);
        let measured = measured.min(self.next_timer.as_u64());
        let factor_before = self.factors.factor();
        self.factors.learn(measured, self.next_timer);
        let interval = Us::from_ns_low_bits(measured);
        self.intervals.push(interval);
        probe.step(|| Step::Learned {
            measured: Ns::new(measured.cast_signed()),
            source,
            next_timer: self.next_timer,
            bucket: self.factors.bucket,
            factor_before,
            factor: self.factors.factor(),
            interval,
        });
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
        let timer = self.look_up_timer(kernel, nr_iowait, probe);
        if let Some(decision) = at_once(&now, timer.next, probe) {
            return decision;
        }
        let corrected = self.factors.corrected(timer.next, probe);
        let typical = self.intervals.typical(GiveUp::NotBelow(corrected), probe);
        let duration = predict(Some(corrected), typical, probe);
        let (duration, limit) = bound(&now, duration, timer.next, nr_iowait, probe);
        choose(&now, duration, limit, timer, probe)
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
        let typical = self.intervals.typical(GiveUp::AllZero, probe);
        let (timer, corrected) = match typical.map(Ns::from) {
            Some(typical) if typical <= SHORT => {
                probe.step(|| Step::TimerSkipped {
                    typical,
                    limit: SHORT,
                });
                (self.assume_no_timer(tick, nr_iowait, probe), None)
            }
            _ => {
                let timer = self.look_up_timer(kernel, nr_iowait, probe);
                (timer, Some(self.factors.corrected(timer.next, probe)))
            }
        };
        let duration = predict(corrected, typical, probe);
        if let Some(decision) = at_once(&now, timer.next, probe) {
            return decision;
        }
        let (duration, limit) = bound(&now, duration, timer.next, nr_iowait, probe);
        choose(&now, duration, limit, timer, probe)
    }

    fn look_up_timer<K: Kernel, P: Probe<Step>>(
        &mut self,
        kernel: &mut K,
        nr_iowait: u32,
        probe: &mut P,
    ) -> Timer {
        let timer = ask(kernel, probe);
        self.next_timer = timer.next;
        self.factors.choose(timer.next, nr_iowait, probe);
        timer
    }

    /// The timer counts as infinitely far, the tick as half a period away.
    fn assume_no_timer<P: Probe<Step>>(&mut self, tick: Ns, nr_iowait: u32, probe: &mut P) -> Timer {
        self.next_timer = Ns::MAX;
        self.factors.choose(Ns::MAX, nr_iowait, probe);
        Timer {
            next: Ns::MAX,
            next_or_tick: Ns::new(tick.as_ns() / 2),
        }
    }
}

/// The duration of the last period before it is cut to its timer, ns.
fn measured(table: &StateTable, tick: Ns, device: &Device, wakeup: Wakeup, next_timer: Ns) -> (u64, Source) {
    if wakeup.got_tick && next_timer > tick {
        // What ended the period is no sign of what would have ended it without a tick: assume a
        // long stay, though not so long that it counts as one that lasted to its timer.
        return (MAX_INTERESTING.as_u64() / 10 * 9, Source::Tick);
    }
    if table.is_polling(wakeup.entered) && device.poll_timed_out {
        return (next_timer.as_u64(), Source::PollTimeout);
    }
    let residency = device.last_residency.as_u64();
    let exit_latency = table.exit_latency(wakeup.entered).as_u64();
    let measured = if residency > 2 * exit_latency {
        residency - exit_latency
    } else {
        residency / 2
    };
    (measured, Source::Residency)
}

/// The lesser of what the timer and the intervals predict; µs, as ns.
fn predict<P: Probe<Step>>(timer: Option<Us>, typical: Option<Us>, probe: &mut P) -> Ns {
    let predicted = timer.unwrap_or(Us::MAX).min(typical.unwrap_or(Us::MAX));
    let duration = Ns::from(predicted);
    probe.step(|| Step::Predicted {
        timer,
        typical,
        duration,
    });
    duration
}

impl FailedEntry {
    /// Called when no reflect came since the last select: the entry failed if no time was spent.
    fn note<P: Probe<Step>>(self, intervals: &mut Intervals, residency: Ns, probe: &mut P) {
        match self {
            Self::Unnoticed => {}
            Self::StoresNone if residency == Ns::ZERO => {
                let slot = intervals.next;
                intervals.push(Us::MAX);
                probe.step(|| Step::FailedEntry { slot });
            }
            Self::StoresNone => {}
        }
    }
}
