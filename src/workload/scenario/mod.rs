//! Generated workloads: seeded, deterministic, one file each (design/lessons.md §4).
//!
//! Conventions that all share: the first pause begins at the start of the span; a pause counts from the instant the
//! CPU runs out of work, or from the end of a handler that woke no task; interrupts are unknown to the governor,
//! timers are known; every CPU does the same, with random numbers of its own.

mod beats;
mod burst;
mod doorbell;
mod knock;
mod metronome;
mod mixed;
mod pauses;

pub use beats::{Beat, Beats, Ender};
pub use burst::Burst;
pub use doorbell::{Bell, Doorbell};
pub use knock::Knock;
pub use metronome::Metronome;
pub use mixed::Mixed;
pub use pauses::Pauses;

use thiserror::Error;

use crate::units::Ns;

/// Most CPUs that a generated workload drives.
pub const MAX_CPUS: u16 = 64;

/// Why parameters were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// A duration out of its range.
    #[error("{parameter} must be from {min_ns} ns to {max_ns} ns, found {found_ns} ns")]
    Time {
        /// Its key in links.
        parameter: &'static str,
        /// Smallest allowed, ns.
        min_ns: i64,
        /// Largest allowed, ns.
        max_ns: i64,
        /// The value, ns.
        found_ns: i64,
    },
    /// A probability above 100 per cent.
    #[error("{parameter} must be from 0 to 100 per cent, found {found}")]
    Percent {
        /// Its key in links.
        parameter: &'static str,
        /// The value.
        found: u8,
    },
    /// A list of pauses without any.
    #[error("pat must have at least one pause")]
    NoBeat,
    /// No CPU, or too many.
    #[error("cpus must be from 1 to {MAX_CPUS}, found {found}")]
    Cpus {
        /// The number.
        found: u16,
    },
}

const US: Ns = Ns::from_us(1);
const SECOND: Ns = Ns::from_ms(1_000);
const MINUTE: Ns = Ns::from_ms(60_000);

fn check_time(parameter: &'static str, value: Ns, min: Ns, max: Ns) -> Result<(), ScenarioError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(ScenarioError::Time {
            parameter,
            min_ns: min.as_ns(),
            max_ns: max.as_ns(),
            found_ns: value.as_ns(),
        })
    }
}

fn check_cpus(found: u16) -> Result<(), ScenarioError> {
    if (1..=MAX_CPUS).contains(&found) {
        Ok(())
    } else {
        Err(ScenarioError::Cpus { found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pauses: Result<Pauses, ScenarioError>, text: &str) {
        assert_eq!(pauses.map(|_| ()).unwrap_err().to_string(), text);
    }

    #[test]
    fn values_out_of_range_are_named_with_their_range() {
        check(
            Metronome {
                gap: Ns::ZERO,
                ..Metronome::default()
            }
            .workload(1, 1),
            "gap must be from 1000 ns to 60000000000 ns, found 0 ns",
        );
        check(
            Doorbell {
                timer_grid: Ns::new(-1),
                ..Doorbell::default()
            }
            .workload(1, 1),
            "tmr must be from 0 ns to 60000000000 ns, found -1 ns",
        );
        check(
            Mixed {
                interrupts_percent: 101,
                ..Mixed::default()
            }
            .workload(1, 1),
            "p must be from 0 to 100 per cent, found 101",
        );
        check(
            Knock {
                quiet: Ns::ZERO,
                ..Knock::default()
            }
            .workload(1, 1),
            "quiet must be from 1000 ns to 60000000000 ns, found 0 ns",
        );
        check(
            Burst {
                silence: Ns::new(10),
                ..Burst::default()
            }
            .workload(1, 1),
            "q must be from 1000 ns to 60000000000 ns, found 10 ns",
        );
        check(
            Beats {
                beats: [].into(),
                run: Ns::ZERO,
                far: SECOND,
            }
            .workload(1, 1),
            "pat must have at least one pause",
        );
        check(
            Metronome::default().workload(0, 1),
            "cpus must be from 1 to 64, found 0",
        );
    }
}
