//! What the CPUs share: jiffies, and who keeps them (spec idle-loop-and-tick.md §5.8, §9).
//!
//! When every CPU sleeps with its tick stopped, nobody advances jiffies, and
//! `last_update` falls behind by many ticks; the tick decision is measured
//! from it all the same.

use crate::units::{CpuId, Ns, Time};

/// The jiffies value of a kernel that boots, in the vectors and here: wraps five minutes after start in 32 bits.
const BOOT_JIFFIES: u64 = 4_294_667_296;

/// Jiffies and the duty to advance them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timekeeping {
    jiffies: u64,
    last_update: Time,
    duty: Option<CpuId>,
    period: Ns,
}

impl Timekeeping {
    /// Up to date at `start`, with CPU 0 on duty. Jiffies change at `phase` (0 to `period`) and every `period` after it.
    #[must_use]
    pub fn at(start: Time, period: Ns, phase: Ns) -> Self {
        let mut keeping = Self {
            // One period early, so that an instant before the phase has a jiffy too.
            jiffies: BOOT_JIFFIES.wrapping_sub(1),
            last_update: Time::ZERO + phase - period,
            duty: Some(CpuId::new(0)),
            period,
        };
        keeping.update(start);
        keeping
    }

    /// Ticks since boot, as the kernel counts them.
    #[must_use]
    pub const fn jiffies(&self) -> u64 {
        self.jiffies
    }

    /// The instant of the last jiffies update: the phase and a multiple of the period.
    #[must_use]
    pub const fn last_update(&self) -> Time {
        self.last_update
    }

    /// The CPU that advances jiffies in its tick; none while its tick is stopped and no other took over.
    #[must_use]
    pub const fn duty(&self) -> Option<CpuId> {
        self.duty
    }

    /// The tick period, ns.
    #[must_use]
    pub const fn period(&self) -> Ns {
        self.period
    }

    /// The instant at which jiffies will be, or were due to become, `jiffies`.
    #[must_use]
    pub fn instant_of(&self, jiffies: u64) -> Time {
        let ahead = jiffies.wrapping_sub(self.jiffies).cast_signed();
        self.last_update + self.period * ahead
    }

    /// Brings jiffies up to `now`.
    pub fn update(&mut self, now: Time) {
        let behind = now.saturating_since(self.last_update);
        if behind < self.period {
            return;
        }
        let ticks = behind.div_floor(self.period);
        self.jiffies = self.jiffies.wrapping_add(ticks.cast_unsigned());
        self.last_update += self.period * ticks;
    }

    /// Lets `cpu` take the duty if nobody has it; tells whether it has it then.
    pub(super) fn take_duty(&mut self, cpu: CpuId) -> bool {
        *self.duty.get_or_insert(cpu) == cpu
    }

    /// Lets `cpu` drop the duty; tells whether it had it.
    pub(super) fn drop_duty(&mut self, cpu: CpuId) -> bool {
        let had = self.duty == Some(cpu);
        if had {
            self.duty = None;
        }
        had
    }
}
