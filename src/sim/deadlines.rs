//! When each CPU does something by itself next, and the total order of what falls on one instant.
//!
//! There is no event queue. Each CPU has two slots, its tick and the end of what it is doing (work, exit
//! latency, polling limit); arming is assignment, cancelling is [`Time::NEVER`], so no stale event exists. What
//! is kept here is the earlier of the two.
//!
//! The order of simultaneous events, `(time, who, class)`:
//!
//! 1. the workload: its interrupts reach all CPUs before any CPU acts;
//! 2. CPUs by number, each doing all that falls on this instant before the next one does;
//! 3. on one CPU: the tick before the end of what it is doing, so that a tick at the end of the work finds
//!    the CPU busy, and interrupts that arrived during exit latency are handled at its end.
//!
//! Two CPUs with events at the same instant thus run in CPU order, as in the vectors (golden/README-others.md).

use crate::units::Time;

/// The next instant of every CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deadlines {
    next: Vec<Time>,
}

impl Deadlines {
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            next: vec![Time::NEVER; cpus],
        }
    }

    #[inline]
    pub(super) fn set(&mut self, cpu: usize, at: Time) {
        if let Some(next) = self.next.get_mut(cpu) {
            *next = at;
        }
    }

    /// The first CPU among those with the earliest instant.
    #[inline]
    pub(super) fn earliest(&self) -> (Time, usize) {
        let mut earliest = (Time::NEVER, 0);
        for (cpu, at) in self.next.iter().enumerate() {
            if *at < earliest.0 {
                earliest = (*at, cpu);
            }
        }
        earliest
    }
}
