//! The metrics per bin and how a period is booked (spec teo.md §3.1, §6, §7).
//!
//! ```text
//!   0        TR[1]       TR[2]                  TR[n-1]
//!   |-- bin 0 --|-- bin 1 --|-- …            --|-- bin n-1 …
//! ```
//!
//! A timer's distance and a measured duration each fall into a bin. The same
//! bin: a hit there. A shorter duration: an intercept in the duration's bin.
//! All counters are `u32` and wrap around.

use crate::cpuidle::{Device, MAX_STATES, StateTable};
use crate::units::{Ns, StateIdx, Time};

/// The constants of every teo with bins, which all kernels agree on; other values are no kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Intercepts below the candidate speak against it from this share of it and deeper bins on, per cent, 1 to 99.
    pub intercepts_percent: u32,
    /// A metric loses its `2^-decay_shift` per period, 1 to 8.
    pub decay_shift: u32,
    /// What one wakeup adds to a metric, 16 to 65536.
    pub pulse: u32,
}

impl Tuning {
    /// As in every kernel.
    pub const KERNEL: Self = Self {
        intercepts_percent: 50,
        decay_shift: 3,
        pulse: 1024,
    };

    /// A metric one period later.
    pub(super) const fn faded(self, decay: Decay, metric: u32) -> u32 {
        let lost = metric >> self.decay_shift;
        match (decay, lost) {
            (Decay::ToZero, 0) => 0,
            _ => metric - lost,
        }
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self::KERNEL
    }
}

/// What becomes of a metric in one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// It loses an eighth; below 8 it stays for ever.
    Geometric,
    /// It loses an eighth; below 8 it becomes zero.
    ToZero,
}

/// Whether a stay was so short that the timer cannot have mattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortness {
    /// It was.
    Short,
    /// It was not.
    Long,
}

impl Shortness {
    /// The duration to book in two's complement, ns, and how short it was (spec §8): any stay below its exit latency
    /// is short.
    pub fn of(residency: Ns, exit_latency: Ns) -> (u64, Self) {
        if residency >= exit_latency {
            let measured = Ns::new(residency.as_ns() - exit_latency.as_ns() / 2);
            let short = measured < super::timer::SHORT_RESIDENCY;
            (measured.as_u64(), if short { Self::Short } else { Self::Long })
        } else {
            (Ns::new(residency.as_ns() / 2).as_u64(), Self::Short)
        }
    }

    /// What it adds to the metric.
    pub const fn pulse(self, tuning: Tuning) -> u32 {
        match self {
            Self::Short => tuning.pulse,
            Self::Long => 0,
        }
    }
}

/// One number per state.
pub(super) type PerState = [u32; MAX_STATES];

/// Hits and intercepts per bin, and their sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bins {
    pub hits: PerState,
    pub intercepts: PerState,
    pub total: u32,
    pub tuning: Tuning,
}

impl Bins {
    /// Lets every metric fade and sums up what is left.
    pub fn decay(&mut self, decay: Decay) {
        let tuning = self.tuning;
        self.total = 0;
        for (hits, intercepts) in self.hits.iter_mut().zip(&mut self.intercepts) {
            *hits = tuning.faded(decay, *hits);
            *intercepts = tuning.faded(decay, *intercepts);
            self.total = self.total.wrapping_add(*hits).wrapping_add(*intercepts);
        }
    }

    /// Books a stay that reached its timer's bin.
    pub fn hit(&mut self, idx: StateIdx) {
        add(&mut self.hits, idx, self.tuning.pulse);
        self.total = self.total.wrapping_add(self.tuning.pulse);
    }

    /// Books a stay that ended before its timer's bin.
    pub fn intercept(&mut self, idx: StateIdx) {
        add(&mut self.intercepts, idx, self.tuning.pulse);
        self.total = self.total.wrapping_add(self.tuning.pulse);
    }
}

/// The number of one state; 0 past the end.
pub(super) fn at(numbers: &PerState, idx: StateIdx) -> u32 {
    numbers.get(idx.index()).copied().unwrap_or_default()
}

/// Adds to the number of one state, wrapping around.
pub(super) fn add(numbers: &mut PerState, idx: StateIdx, amount: u32) {
    if let Some(number) = numbers.get_mut(idx.index()) {
        *number = number.wrapping_add(amount);
    }
}

/// When the last period began and how long it might have lasted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// From select to reflect, ns; during the period the clock at select.
    pub time_span: Ns,
    /// The timer's distance at select.
    pub sleep_length: Ns,
}

impl Span {
    /// At select.
    pub fn begin(&mut self, now: Time) {
        self.time_span = now.saturating_since(Time::ZERO);
    }

    /// At reflect (spec §2.3): a stay that ended for a reason of its own making counts as having
    /// reached its timer.
    pub fn end(&mut self, now: Time, got_tick: bool, tick: Ns, device: &mut Device) {
        if device.poll_timed_out || (got_tick && self.sleep_length > tick) {
            device.poll_timed_out = false;
            self.time_span = self.sleep_length;
        } else {
            let now = now.saturating_since(Time::ZERO);
            self.time_span = Ns::new(now.as_ns().wrapping_sub(self.time_span.as_ns()));
        }
    }

    /// The duration to book; none when the stay reached its timer.
    pub fn measured(&self, table: &StateTable, entered: StateIdx, residency: Ns) -> Option<u64> {
        if self.time_span >= self.sleep_length {
            return None;
        }
        let measured = residency.as_u64();
        let exit_latency = table.exit_latency(entered).as_u64();
        Some(if measured >= exit_latency {
            measured - exit_latency / 2
        } else {
            measured / 2
        })
    }
}

/// The bins of the timer and of the duration; the second never above the first.
pub(super) fn find_bins(table: &StateTable, sleep_length: Ns, measured: Option<u64>) -> (StateIdx, StateIdx) {
    let mut timer = StateIdx::ZERO;
    let mut duration = StateIdx::ZERO;
    for idx in table.indices() {
        let target_residency = table.target_residency(idx);
        if target_residency <= sleep_length {
            timer = idx;
            if measured.is_none_or(|measured| target_residency.as_u64() <= measured) {
                duration = idx;
            }
        }
    }
    (timer, duration)
}

/// The duration to book as told to a probe.
pub(super) fn told(measured: Option<u64>) -> Option<Ns> {
    measured.map(|ns| Ns::new(i64::try_from(ns).unwrap_or(i64::MAX)))
}
