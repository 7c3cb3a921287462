//! `burst`: interrupts close together, then silence, and again.

use super::pauses::{Pattern, Pauses, Plan};
use super::{MINUTE, SECOND, ScenarioError, US, check_cpus, check_time};
use crate::units::{Ns, Time};

/// The parameters; each with its key in links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Burst {
    /// `n`: interrupts of one burst.
    pub count: u64,
    /// `gap`: the pause between them, ns, 1 µs to 60 s.
    pub gap: Ns,
    /// `q`: the pause after them, ns, 1 µs to 60 s.
    pub silence: Ns,
    /// `run`: work per wakeup, ns, 0 to 1 s.
    pub run: Ns,
    /// `tmr`: period of the timer grid, ns, 1 µs to 60 s; 0 for no timer.
    pub timer_grid: Ns,
}

impl Default for Burst {
    fn default() -> Self {
        Self {
            count: 12,
            gap: Ns::from_us(20),
            silence: Ns::from_ms(500),
            run: Ns::from_us(20),
            timer_grid: Ns::ZERO,
        }
    }
}

impl Burst {
    /// This pattern on CPUs 0 to `cpus - 1`.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn workload(self, cpus: u16, seed: u64) -> Result<Pauses, ScenarioError> {
        check_time("gap", self.gap, US, MINUTE)?;
        check_time("q", self.silence, US, MINUTE)?;
        check_time("run", self.run, Ns::ZERO, SECOND)?;
        let shortest_grid = if self.timer_grid > Ns::ZERO { US } else { Ns::ZERO };
        check_time("tmr", self.timer_grid, shortest_grid, MINUTE)?;
        check_cpus(cpus)?;
        Ok(Pauses::new(Pattern::Burst(self), cpus, seed))
    }

    pub(super) fn plan(&self, now: Time, pauses_before: u64) -> Plan {
        let place = pauses_before % self.count.saturating_add(1);
        let pause = if place < self.count {
            self.gap
        } else {
            self.silence
        };
        Plan {
            interrupt: now.saturating_add(pause),
            timer: Time::NEVER,
        }
    }
}
