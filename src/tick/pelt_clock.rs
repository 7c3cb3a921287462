//! The clock that PELT counts by on CPUs that are not always equally fast (spec pelt-schedutil.md §2).
//!
//! While a task runs the clock goes as fast as the CPU does, so that work counts the same everywhere. When the
//! CPU goes idle the clock catches up.
//!
//! ```text
//!   task clock   |======== runs ========|- idle -|== runs ==|
//!   this clock   |==== slower ====|     |  |== slower ==|
//!                                  '----' skipped: counts as idle
//! ```
//!
//! A CPU without any idle time has nothing to catch up with: what it would skip is lost instead.

use super::pelt::Speed;
use crate::units::{Ns, Time};

/// From this utilisation sum on, a CPU that goes idle counts as one that always ran.
const SATURATED: u64 = 47_791_490;

/// The clock of one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    task: Time,
    pelt: Time,
    lost: Ns,
}

impl Clock {
    /// In step with the task clock.
    #[must_use]
    pub const fn starting(now: Time) -> Self {
        Self {
            task: now,
            pelt: now,
            lost: Ns::ZERO,
        }
    }

    /// A task ran until `now` at this speed. Rounded down twice.
    pub fn ran(&mut self, now: Time, speed: Speed) {
        let elapsed = now.saturating_since(self.task);
        self.task = now;
        self.pelt = self
            .pelt
            .saturating_add(slowed(slowed(elapsed, speed.capacity), speed.frequency));
    }

    /// The CPU was idle until `now`.
    pub const fn idled(&mut self, now: Time) {
        self.task = now;
        self.pelt = now;
    }

    /// The CPU goes idle; `sum` is that of its utilisation.
    pub fn goes_idle(&mut self, sum: u64) {
        if sum >= SATURATED {
            self.lost = self.lost.saturating_add(self.task.saturating_since(self.pelt));
        }
        self.pelt = self.task;
    }

    /// The time of the task clock.
    #[must_use]
    pub const fn task(&self) -> Time {
        self.task
    }

    /// How far this clock has come, with what it lost.
    #[must_use]
    pub const fn pelt(&self) -> Time {
        self.pelt
    }

    /// Time that was never caught up with.
    #[must_use]
    pub const fn lost(&self) -> Ns {
        self.lost
    }

    /// The instant that PELT counts by.
    #[must_use]
    pub fn now(&self) -> Time {
        self.pelt - self.lost
    }
}

/// `elapsed` at a speed of so much of 1024, rounded down.
fn slowed(elapsed: Ns, speed: u64) -> Ns {
    let speed = i64::try_from(speed).unwrap_or(i64::MAX);
    Ns::new(elapsed.as_ns().saturating_mul(speed) >> 10)
}
