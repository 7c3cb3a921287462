//! `metronome`: every pause is ended by a timer that is armed when the work ends.

use super::pauses::{Pattern, Pauses, Plan};
use super::{MINUTE, SECOND, ScenarioError, US, check_cpus, check_time};
use crate::units::{Ns, Time};
use crate::workload::rng::Rng;

/// The parameters; each with its key in links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metronome {
    /// `gap`: the pause, ns, 1 µs to 60 s.
    pub gap: Ns,
    /// `run`: work per wakeup, ns, 0 to 1 s.
    pub run: Ns,
    /// `jit`: half-width of a uniform jitter of the pause, ns, 0 to 60 s. A pause is at least 1 ns.
    pub jitter: Ns,
}

impl Default for Metronome {
    fn default() -> Self {
        Self {
            gap: Ns::from_ms(5),
            run: Ns::from_us(50),
            jitter: Ns::ZERO,
        }
    }
}

impl Metronome {
    /// This pattern on CPUs 0 to `cpus - 1`.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn workload(self, cpus: u16, seed: u64) -> Result<Pauses, ScenarioError> {
        check_time("gap", self.gap, US, MINUTE)?;
        check_time("run", self.run, Ns::ZERO, SECOND)?;
        check_time("jit", self.jitter, Ns::ZERO, MINUTE)?;
        check_cpus(cpus)?;
        Ok(Pauses::new(Pattern::Metronome(self), cpus, seed))
    }

    pub(super) fn plan(&self, now: Time, rng: &mut Rng) -> Plan {
        let moved = if self.jitter == Ns::ZERO {
            Ns::ZERO
        } else {
            rng.uniform(Ns::ZERO.saturating_sub(self.jitter), self.jitter)
        };
        Plan {
            interrupt: Time::NEVER,
            timer: now.saturating_add((self.gap + moved).max(Ns::new(1))),
        }
    }
}
