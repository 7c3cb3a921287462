//! `doorbell`: every pause is ended by an interrupt that nobody announced; timers that wake a task lie on a grid.
//!
//! A grid timer that comes first ends the pause in the interrupt's place; the next pause gets an interrupt of its own.

use super::pauses::{Pattern, Pauses, Plan};
use super::{MINUTE, SECOND, ScenarioError, US, check_cpus, check_time};
use crate::units::{Ns, Time};
use crate::workload::rng::Rng;

/// How the pauses are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bell {
    /// `fix=1`: each is exactly `gap`.
    #[default]
    Regular,
    /// `fix=0`: exponentially distributed with the mean `gap`.
    Random,
}

/// The parameters; each with its key in links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doorbell {
    /// `gap`: the pause or its mean, ns, 1 µs to 60 s.
    pub gap: Ns,
    /// `fix`.
    pub bell: Bell,
    /// `run`: work per wakeup, ns, 0 to 1 s.
    pub run: Ns,
    /// `tmr`: period of the timer grid, ns, 1 µs to 60 s; 0 for no timer.
    pub timer_grid: Ns,
    /// `rs`: whether the interrupt wakes a task (1) or only its handler runs and the idle visit goes on (0).
    pub wakes_task: bool,
    /// `first`: length of the very first pause, ns, up to 60 s; 0 for one like the others.
    pub first: Ns,
}

impl Default for Doorbell {
    fn default() -> Self {
        Self {
            gap: Ns::from_us(150),
            bell: Bell::Regular,
            run: Ns::from_us(50),
            timer_grid: Ns::from_ms(100),
            wakes_task: true,
            first: Ns::ZERO,
        }
    }
}

impl Doorbell {
    /// This pattern on CPUs 0 to `cpus - 1`.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn workload(self, cpus: u16, seed: u64) -> Result<Pauses, ScenarioError> {
        check_time("gap", self.gap, US, MINUTE)?;
        check_time("run", self.run, Ns::ZERO, SECOND)?;
        let shortest_grid = if self.timer_grid > Ns::ZERO { US } else { Ns::ZERO };
        check_time("tmr", self.timer_grid, shortest_grid, MINUTE)?;
        check_time("first", self.first, Ns::ZERO, MINUTE)?;
        check_cpus(cpus)?;
        Ok(Pauses::new(Pattern::Doorbell(self), cpus, seed))
    }

    pub(super) fn plan(&self, now: Time, pauses_before: u64, rng: &mut Rng) -> Plan {
        let pause = match self.bell {
            _ if pauses_before == 0 && self.first > Ns::ZERO => self.first,
            Bell::Regular => self.gap,
            Bell::Random => rng.exponential(self.gap),
        };
        Plan {
            interrupt: now.saturating_add(pause),
            timer: Time::NEVER,
        }
    }

    pub(super) fn interrupt_run(&self) -> Option<Ns> {
        self.wakes_task.then_some(self.run)
    }
}
