//! `pattern`: a list of pauses, over and over, each ended by an interrupt or by a timer.

use std::sync::Arc;

use super::pauses::{Pattern, Pauses, Plan};
use super::{MINUTE, SECOND, ScenarioError, US, check_cpus, check_time};
use crate::units::{Ns, Time};

/// What ends a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ender {
    /// An interrupt that nobody announced; a timer is pending far behind it.
    Interrupt,
    /// The pause's own timer.
    Timer,
}

/// One pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Beat {
    /// What ends it.
    pub ender: Ender,
    /// How long it is, ns, 1 µs to 60 s.
    pub after: Ns,
}

/// The parameters; each with its key in links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beats {
    /// `pat`: the pauses, not empty.
    pub beats: Arc<[Beat]>,
    /// `run`: work per wakeup, ns, 0 to 1 s.
    pub run: Ns,
    /// `tmr`: how far the timer is that is pending while an interrupt ends the pause, ns, 1 µs to 60 s.
    pub far: Ns,
}

impl Beats {
    /// This pattern on CPUs 0 to `cpus - 1`.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn workload(self, cpus: u16, seed: u64) -> Result<Pauses, ScenarioError> {
        if self.beats.is_empty() {
            return Err(ScenarioError::NoBeat);
        }
        for beat in &*self.beats {
            check_time("pat", beat.after, US, MINUTE)?;
        }
        check_time("run", self.run, Ns::ZERO, SECOND)?;
        check_time("tmr", self.far, US, MINUTE)?;
        check_cpus(cpus)?;
        Ok(Pauses::new(Pattern::Beats(self), cpus, seed))
    }

    pub(super) fn plan(&self, now: Time, pauses_before: u64) -> Plan {
        let count = u64::try_from(self.beats.len()).unwrap_or(u64::MAX).max(1);
        let place = usize::try_from(pauses_before % count).unwrap_or_default();
        match self.beats.get(place) {
            Some(Beat { ender, after }) => match ender {
                Ender::Timer => Plan {
                    interrupt: Time::NEVER,
                    timer: now.saturating_add(*after),
                },
                Ender::Interrupt => Plan {
                    interrupt: now.saturating_add(*after),
                    timer: now.saturating_add(self.far),
                },
            },
            None => Plan::NONE,
        }
    }
}
