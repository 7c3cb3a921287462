//! `mixed`: each pause is ended by an interrupt with a given probability, else by its own timer.

use super::pauses::{Pattern, Pauses, Plan};
use super::{MINUTE, SECOND, ScenarioError, US, check_cpus, check_time};
use crate::units::{Ns, Time};
use crate::workload::rng::Rng;

/// The parameters; each with its key in links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// `p`: how many pauses have an interrupt, per cent, 0 to 100.
    pub interrupts_percent: u8,
    /// `gap`: mean distance of that interrupt, ns, 1 µs to 60 s, exponentially distributed.
    pub gap: Ns,
    /// `tmr`: the pause's timer is uniform from half of this to this, ns, 2 µs to 60 s.
    pub timer: Ns,
    /// `run`: work per wakeup, ns, 0 to 1 s.
    pub run: Ns,
}

impl Default for Mixed {
    fn default() -> Self {
        Self {
            interrupts_percent: 50,
            gap: Ns::from_us(150),
            timer: Ns::from_ms(4),
            run: Ns::from_us(50),
        }
    }
}

impl Mixed {
    /// This pattern on CPUs 0 to `cpus - 1`.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn workload(self, cpus: u16, seed: u64) -> Result<Pauses, ScenarioError> {
        if self.interrupts_percent > 100 {
            return Err(ScenarioError::Percent {
                parameter: "p",
                found: self.interrupts_percent,
            });
        }
        check_time("gap", self.gap, US, MINUTE)?;
        check_time("tmr", self.timer, US + US, MINUTE)?;
        check_time("run", self.run, Ns::ZERO, SECOND)?;
        check_cpus(cpus)?;
        Ok(Pauses::new(Pattern::Mixed(self), cpus, seed))
    }

    /// The timer is always armed, so the governor knows it; an interrupt that would come later does not come.
    pub(super) fn plan(&self, now: Time, rng: &mut Rng) -> Plan {
        let timer = now.saturating_add(rng.uniform(self.timer / 2, self.timer));
        let interrupt = if rng.chance(self.interrupts_percent) {
            now.saturating_add(rng.exponential(self.gap))
        } else {
            Time::NEVER
        };
        Plan { interrupt, timer }
    }
}
