//! `knock`: a timer that is armed anew whenever its work is done, and a few early interrupts at the start; then nothing
//! but the timer.

use super::pauses::{Pattern, Pauses, Plan};
use super::{MINUTE, SECOND, ScenarioError, US, check_cpus, check_time};
use crate::units::{Ns, Time};

/// The parameters; each with its key in links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knock {
    /// `n`: interrupts at the start.
    pub count: u64,
    /// `gap`: how long after the pause began each of them comes, ns, 1 µs to 60 s.
    pub gap: Ns,
    /// `quiet`: how long after its work the timer is due again, ns, 1 µs to 60 s.
    pub quiet: Ns,
    /// `run`: work per wakeup, ns, 0 to 1 s.
    pub run: Ns,
}

impl Default for Knock {
    fn default() -> Self {
        Self {
            count: 1,
            gap: Ns::from_us(200),
            quiet: Ns::from_ms(62),
            run: Ns::from_us(100),
        }
    }
}

impl Knock {
    /// This pattern on CPUs 0 to `cpus - 1`.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn workload(self, cpus: u16, seed: u64) -> Result<Pauses, ScenarioError> {
        check_time("gap", self.gap, US, MINUTE)?;
        check_time("quiet", self.quiet, US, MINUTE)?;
        check_time("run", self.run, Ns::ZERO, SECOND)?;
        check_cpus(cpus)?;
        Ok(Pauses::new(Pattern::Knock(self), cpus, seed))
    }

    pub(super) fn plan(&self, now: Time, pauses_before: u64) -> Plan {
        Plan {
            interrupt: if pauses_before < self.count {
                now.saturating_add(self.gap)
            } else {
                Time::NEVER
            },
            timer: Time::NEVER,
        }
    }
}
