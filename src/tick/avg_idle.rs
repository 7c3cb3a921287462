//! How long a CPU is usually idle, as the scheduler keeps it per run queue (spec nohz-ratelimit.md §2).
//!
//! ```text
//!   runs out of tasks        first wakeup of a task
//!        |---- one sample ----|        average moves an eighth of the way to it,
//!      `starts`             `ends`     and is cut at twice the cost of balancing
//! ```
//!
//! Read by the rate limit of 2016, which keeps the tick while the average is below the cost of a migration.

use crate::units::{Ns, Time};

/// The cost of a migration unless the administrator says otherwise: 500 µs.
pub const MIGRATION_COST: Ns = Ns::new(500_000);

/// How an eighth of a negative distance is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eighth {
    /// Down: 4.x.
    Floor,
    /// Towards zero: 5.10 and later.
    TowardsZero,
}

impl Eighth {
    const fn of(self, distance_ns: i64) -> i64 {
        match self {
            Self::Floor => distance_ns >> 3,
            Self::TowardsZero => distance_ns / 8,
        }
    }
}

/// One run queue's average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AvgIdle {
    average: Ns,
    since: Option<Time>,
    eighth: Eighth,
}

impl AvgIdle {
    /// The average of a run queue that was never idle: as high as it gets.
    ///
    /// `migration_cost` is between 0 and 2³² − 1 ns.
    #[must_use]
    pub fn new(eighth: Eighth, migration_cost: Ns) -> Self {
        Self {
            average: migration_cost * 2,
            since: None,
            eighth,
        }
    }

    /// The run queue has run out of tasks.
    pub fn starts(&mut self, now: Time) {
        self.since = Some(now);
    }

    /// The idle time does not count: a task was pulled from elsewhere.
    pub fn forget(&mut self) {
        self.since = None;
    }

    /// A task was woken. Only the first since [`AvgIdle::starts`] counts.
    ///
    /// `max_cost` is the highest cost of balancing seen, ns; without a model of balancing the migration cost.
    pub fn ends(&mut self, now: Time, max_cost: Ns) {
        let Some(since) = self.since.take() else {
            return;
        };
        let sample = now - since;
        let step = self.eighth.of((sample - self.average).as_ns());
        self.average = (self.average + Ns::new(step)).min(max_cost * 2);
    }

    /// The average, ns.
    #[must_use]
    pub const fn average(&self) -> Ns {
        self.average
    }

    /// When the idle time that goes on has started; none when the CPU has tasks.
    #[must_use]
    pub const fn since(&self) -> Option<Time> {
        self.since
    }

    /// Whether the scheduler needs the tick: idle times are too short to pay for stopping it (spec §1).
    #[must_use]
    pub fn needs_tick(&self, migration_cost: Ns) -> bool {
        self.average < migration_cost
    }
}
