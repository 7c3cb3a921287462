//! The frequency governor schedutil for a policy of one CPU (spec pelt-schedutil.md §4).
//!
//! ```text
//!   utilisation --> boost for I/O --> + a quarter --> frequency wanted --> next in the table --> hold?
//! ```
//!
//! The hold rule is why idle governors matter to the frequency: it does not fall while the count of tick-stop
//! attempts stands still. A governor that retains the tick lets the frequency stay up; one that always has it
//! stopped lets every dip in utilisation through.

use crate::units::{Ns, Time};

/// The least boost for I/O, of 1024.
const BOOST_START: u32 = 128;
/// The most.
const BOOST_MAX: u32 = 1_024;

/// Which frequency the utilisation is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The highest: utilisation is corrected for the frequency.
    Highest,
    /// A quarter above the present one: utilisation is not corrected.
    Current,
    /// One that the platform names, kHz.
    Platform(u32),
}

/// Where the quarter that it asks for beyond the utilisation is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// To the utilisation, which is then cut to the capacity: since 6.8.
    OnUtilization,
    /// To the frequency: before 6.8.
    OnFrequency,
}

impl Headroom {
    const fn on_frequency(self, khz: u32) -> u32 {
        match self {
            Self::OnUtilization => khz,
            Self::OnFrequency => khz + (khz >> 2),
        }
    }
}

/// What does not change while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The frequencies, kHz, ascending, at least one.
    frequencies_khz: Vec<u32>,
    /// Shortest time between two changes.
    rate_limit: Ns,
    /// The CPU's capacity, 1 to 1024.
    capacity: u32,
    reference: Reference,
    headroom: Headroom,
    tick: Ns,
}

impl Policy {
    /// A policy; none without a frequency, or with a capacity outside 1 to 1024.
    #[must_use]
    pub fn new(
        mut frequencies_khz: Vec<u32>,
        rate_limit: Ns,
        capacity: u32,
        reference: Reference,
        tick: Ns,
    ) -> Option<Self> {
        frequencies_khz.sort_unstable();
        let valid = !frequencies_khz.is_empty() && (1..=1_024).contains(&capacity);
        valid.then_some(Self {
            frequencies_khz,
            rate_limit,
            capacity,
            reference,
            headroom: Headroom::OnUtilization,
            tick,
        })
    }

    /// With the headroom of other kernels.
    #[must_use]
    pub fn with_headroom(self, headroom: Headroom) -> Self {
        Self { headroom, ..self }
    }

    fn lowest(&self) -> u32 {
        self.frequencies_khz.first().copied().unwrap_or_default()
    }

    fn highest(&self) -> u32 {
        self.frequencies_khz.last().copied().unwrap_or_default()
    }

    /// The lowest frequency that is not below `wanted`, kHz; the highest if all are.
    fn at_least(&self, wanted_khz: u32) -> u32 {
        self.frequencies_khz
            .iter()
            .copied()
            .find(|khz| *khz >= wanted_khz)
            .unwrap_or_else(|| self.highest())
    }
}

/// What the scheduler reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Utilisation with all its parts, 0 to the capacity; more counts as the capacity.
    pub utilization: u32,
    /// A task wakes from waiting for I/O.
    pub iowait: bool,
    /// Attempts to stop the tick so far (spec idle-loop-and-tick.md §5.3).
    pub idle_calls: u64,
}

/// One policy's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedutil {
    last_change: Time,
    current_khz: u32,
    next_khz: u32,
    raw_khz: u32,
    idle_calls: u64,
    boost: u32,
    pending: bool,
    last_update: Time,
    performance: u32,
}

impl Schedutil {
    /// Nothing chosen yet; the CPU runs at the policy's lowest frequency.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        Self {
            last_change: Time::ZERO,
            current_khz: policy.lowest(),
            next_khz: 0,
            raw_khz: 0,
            idle_calls: 0,
            boost: 0,
            pending: false,
            last_update: Time::ZERO,
            performance: 0,
        }
    }

    /// The CPU runs at this frequency and asked for it, kHz.
    #[must_use]
    pub fn running_at(policy: &Policy, khz: u32) -> Self {
        Self {
            current_khz: khz,
            next_khz: khz,
            ..Self::new(policy)
        }
    }

    /// The run queue's utilisation has changed. The frequency to switch to, kHz, if there is one.
    pub fn update(&mut self, policy: &Policy, now: Time, report: Report) -> Option<u32> {
        self.note_iowait(policy, now, report.iowait);
        if now - self.last_change < policy.rate_limit {
            return None;
        }
        let capacity = policy.capacity;
        let boosted = self.apply_boost(capacity);
        let utilization = report.utilization.min(capacity).max(boosted);
        self.performance = match policy.headroom {
            Headroom::OnUtilization => (utilization + (utilization >> 2)).min(capacity),
            Headroom::OnFrequency => utilization,
        };
        let cached = self.raw_khz;
        let wanted = self.frequency(policy);
        let held = report.idle_calls == self.idle_calls && wanted < self.next_khz;
        self.idle_calls = report.idle_calls;
        if held {
            self.raw_khz = cached;
            return None;
        }
        if wanted == self.next_khz {
            return None;
        }
        self.next_khz = wanted;
        self.current_khz = wanted;
        self.last_change = now;
        Some(wanted)
    }

    fn note_iowait(&mut self, policy: &Policy, now: Time, iowait: bool) {
        if self.boost != 0 && now - self.last_update > policy.tick {
            self.boost = if iowait { BOOST_START } else { 0 };
            self.pending = iowait;
        } else if iowait && !self.pending {
            self.pending = true;
            self.boost = if self.boost == 0 {
                BOOST_START
            } else {
                (2 * self.boost).min(BOOST_MAX)
            };
        }
        self.last_update = now;
    }

    /// The utilisation that waiting for I/O asks for, 0 for none.
    fn apply_boost(&mut self, capacity: u32) -> u32 {
        if self.boost == 0 {
            return 0;
        }
        if !self.pending {
            self.boost >>= 1;
            if self.boost < BOOST_START {
                self.boost = 0;
                return 0;
            }
        }
        self.pending = false;
        (self.boost * capacity) >> 10
    }

    fn frequency(&mut self, policy: &Policy) -> u32 {
        let reference = match policy.reference {
            Reference::Platform(khz) => policy.headroom.on_frequency(khz),
            Reference::Highest => policy.headroom.on_frequency(policy.highest()),
            Reference::Current => self.current_khz + (self.current_khz >> 2),
        };
        let raw = u64::from(reference) * u64::from(self.performance) / u64::from(policy.capacity);
        let raw = u32::try_from(raw).unwrap_or(u32::MAX);
        if raw == self.raw_khz {
            return self.next_khz;
        }
        self.raw_khz = raw;
        policy.at_least(raw)
    }

    /// The frequency chosen last, kHz; 0 before the first.
    #[must_use]
    pub const fn chosen_khz(&self) -> u32 {
        self.next_khz
    }

    /// The frequency wanted at the last evaluation that was not held, kHz.
    #[must_use]
    pub const fn wanted_khz(&self) -> u32 {
        self.raw_khz
    }

    /// The utilisation with boost and headroom at the last evaluation, 0 to the capacity.
    #[must_use]
    pub const fn performance(&self) -> u32 {
        self.performance
    }

    /// The boost for I/O, 0 to 1024, and whether a new one waits to be applied.
    #[must_use]
    pub const fn boost(&self) -> (u32, bool) {
        (self.boost, self.pending)
    }

    /// The count of tick-stop attempts at the last evaluation.
    #[must_use]
    pub const fn idle_calls(&self) -> u64 {
        self.idle_calls
    }

    /// When the frequency last changed.
    #[must_use]
    pub const fn last_change(&self) -> Time {
        self.last_change
    }
}
