//! What every menu remembers, and how it learns from a stay once that is measured (spec menu.md §2.1, §2.2).

use super::factors::{Factors, MAX_INTERESTING};
use super::intervals::Intervals;
use super::search::{Timer, ask};
use super::step::{Source, Step};
use super::{Snapshot, Tuning};
use crate::cpuidle::{Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, Us};

/// Factors, intervals and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub factors: Factors,
    pub intervals: Intervals,
    pub next_timer: Ns,
    pub reflected: Option<Wakeup>,
    /// Factors in use, 6 or 12.
    pub buckets: u8,
    /// What one task that waits for I/O adds to the divisor of the latency limit.
    pub per_waiting_task: u32,
}

/// What an entry that failed leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedEntry {
    /// Nothing: an old interval stays in the ring.
    Unnoticed,
    /// "No interval" in place of the oldest interval.
    StoresNone,
}

impl Memory {
    pub fn new(buckets: u8, tuning: Tuning) -> Self {
        Self {
            factors: Factors::new(tuning.decay_shift),
            intervals: Intervals::new(tuning),
            per_waiting_task: tuning.per_waiting_task,
            next_timer: Ns::ZERO,
            reflected: None,
            buckets,
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            factors: self.factors.factors,
            buckets: self.buckets,
            bucket: self.factors.bucket,
            intervals: self.intervals.slots,
            next: self.intervals.next,
        }
    }

    pub fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        device.last_state = Some(wakeup.entered);
        self.reflected = Some(wakeup);
    }

    /// Learns from the last period; if no reflect came, the entry may have failed.
    pub fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &Device,
        failed_entry: FailedEntry,
        probe: &mut P,
    ) {
        let Some(wakeup) = self.reflected.take() else {
            failed_entry.note(&mut self.intervals, device.last_residency, probe);
            return;
        };
        let (measured, source) = measured(table, tick, device, wakeup, self.next_timer);
        self.learn(measured, source, probe);
    }

    /// Learns from a stay of `measured` ns, which is cut to its timer.
    pub fn learn<P: Probe<Step>>(&mut self, measured: u64, source: Source, probe: &mut P) {
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

    /// Looks up the timer and takes its factor into use.
    pub fn look_up_timer<K: Kernel, P: Probe<Step>>(
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
    pub fn assume_no_timer<P: Probe<Step>>(&mut self, tick: Ns, nr_iowait: u32, probe: &mut P) -> Timer {
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
pub(super) fn predict<P: Probe<Step>>(timer: Option<Us>, typical: Option<Us>, probe: &mut P) -> Ns {
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
