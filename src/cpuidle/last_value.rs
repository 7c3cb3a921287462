//! A baseline that expects every pause to last as long as the one before it: what a governor is worth that neither
//! counts nor averages.
//!
//! ```text
//!   pause 1: 300 us      pause 2: expected 300 us        pause 3: expected 2 ms
//!   |=====|              |==tick==tick==… 2 ms|          |=====…
//!                           ^ what has passed is longer than 300 us: expected once more
//! ```
//!
//! The next timer bounds what is expected. A wakeup by the tick ends no pause: what has passed is added up, and once
//! it exceeds the last pause it is what is expected to come.

use serde::{Deserialize, Serialize};

use super::baseline::{Step, deepest_within};
use super::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::Ns;

/// What it remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// How long the last pause was, ns; none before the first.
    pub last: Option<Ns>,
    /// What has passed of the pause that the tick interrupted, ns.
    pub passed: Ns,
}

/// One CPU's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastValue {
    memory: Snapshot,
}

impl LastValue {
    /// What it remembers.
    #[must_use]
    pub const fn snapshot(&self) -> Snapshot {
        self.memory
    }

    /// See [`super::Governor::select`].
    pub fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let sleep_length = kernel.sleep_length().to_event;
        let Snapshot { last, passed } = self.memory;
        let left = match last {
            Some(last) if last > passed => Ns::new(last.as_ns().saturating_sub(passed.as_ns())),
            Some(_) | None if passed > Ns::ZERO => passed,
            // Nothing is known yet but the timer.
            Some(_) | None => sleep_length,
        };
        let expected = left.min(sleep_length);
        probe.step(|| Step::LastStay {
            last,
            passed,
            sleep_length,
            expected,
        });
        let state = deepest_within(table, kernel, Some(expected), probe);
        let stops = expected >= tick;
        probe.step(|| Step::TickByStay {
            expected,
            tick,
            stops,
        });
        Decision {
            state,
            tick: if stops {
                TickChoice::Stop
            } else {
                TickChoice::Retain
            },
        }
    }

    /// See [`super::Governor::reflect`]. The residency less the exit latency counts, half of it where that is more.
    pub fn reflect(&mut self, table: &StateTable, device: &Device, wakeup: Wakeup) {
        let residency = device.last_residency.as_ns();
        let exit_latency = table.exit_latency(wakeup.entered).as_ns();
        let stay = if residency / 2 > exit_latency {
            residency - exit_latency
        } else {
            residency / 2
        };
        let passed = Ns::new(self.memory.passed.as_ns().saturating_add(stay));
        self.memory = if wakeup.got_tick {
            Snapshot {
                passed,
                ..self.memory
            }
        } else {
            Snapshot {
                last: Some(passed),
                passed: Ns::ZERO,
            }
        };
    }
}
