//! How long a CPU is usually idle, as the scheduler keeps it per run queue (spec nohz-ratelimit.md §2).
//!
//! ```text
//!   runs out of tasks        first wakeup of a task
//!        |---- one sample ----|        average moves an eighth of the way to it,
//!      `starts`             `ends`     and is cut at twice the cost of balancing
//! ```
//!
//! Read by the rate limit of 2016 ([`super::RateLimit`]), which keeps the tick while the average is below the cost of a
//! migration.

use super::Keep;
use crate::units::{Ns, Time};

/// The cost of a migration unless the administrator says otherwise: 500 µs.
pub const MIGRATION_COST: Ns = Ns::new(500_000);

/// How an eighth of a negative distance is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// The rate limit of 2016, a patch that no release has: the tick is kept while idle times are short on average.
///
/// Of use under any [`super::Rules`]; the average only changes when a task is woken, so the verdict holds for a whole
/// idle period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RateLimit {
    /// As released: the average keeps nothing.
    #[default]
    Off,
    /// The tick is kept while the average is below this cost of a migration, ns, 0 to [`RateLimit::MOST`]; 0 keeps
    /// nothing.
    Below(Ns),
}

impl RateLimit {
    /// The highest cost of a migration that a kernel can be told: 2³² − 1 ns.
    pub const MOST: Ns = Ns::new(4_294_967_295);

    /// With this cost of a migration: 0 and less is [`RateLimit::Off`], more than [`RateLimit::MOST`] is that.
    #[must_use]
    pub fn below(cost: Ns) -> Self {
        if cost > Ns::ZERO {
            Self::Below(cost.min(Self::MOST))
        } else {
            Self::Off
        }
    }

    /// The cost of a migration that it assumes, ns.
    #[must_use]
    pub const fn migration_cost(self) -> Ns {
        match self {
            Self::Off => MIGRATION_COST,
            Self::Below(cost) => cost,
        }
    }

    /// What keeps the tick: what else does, then the average.
    #[must_use]
    pub fn keep(self, otherwise: Keep, idle: &AvgIdle) -> Keep {
        match (otherwise, self) {
            (Keep::None, Self::Below(cost)) if idle.needs_tick(cost) => Keep::ShortIdle {
                average: idle.average(),
                cost,
            },
            (otherwise, _) => otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples_us: &[i64]) -> AvgIdle {
        let mut idle = AvgIdle::new(Eighth::Floor, MIGRATION_COST);
        let mut now = Time::ZERO;
        for sample in samples_us {
            idle.starts(now);
            now += Ns::from_us(*sample);
            idle.ends(now, MIGRATION_COST);
        }
        idle
    }

    #[test]
    fn short_idles_keep_the_tick_and_one_long_idle_lets_it_go() {
        let limit = RateLimit::Below(MIGRATION_COST);
        let short = after(&[10; 40]);
        let kept = Keep::ShortIdle {
            average: short.average(),
            cost: MIGRATION_COST,
        };
        assert_eq!(limit.keep(Keep::None, &short), kept);
        let mut samples = vec![10; 40];
        samples.push(4_000);
        assert_eq!(limit.keep(Keep::None, &after(&samples)), Keep::None);
    }

    #[test]
    fn without_the_patch_or_with_cost_0_no_average_keeps_the_tick() {
        let short = after(&[0; 100]);
        for limit in [RateLimit::Off, RateLimit::Below(Ns::ZERO)] {
            assert_eq!(limit.keep(Keep::None, &short), Keep::None);
        }
    }

    #[test]
    fn a_cost_stays_within_what_a_kernel_can_be_told() {
        assert_eq!(RateLimit::below(Ns::ZERO), RateLimit::Off);
        assert_eq!(RateLimit::below(Ns::new(1)), RateLimit::Below(Ns::new(1)));
        assert_eq!(RateLimit::below(Ns::MAX), RateLimit::Below(RateLimit::MOST));
    }

    #[test]
    fn another_reason_is_named_first() {
        let limit = RateLimit::Below(MIGRATION_COST);
        assert_eq!(limit.keep(Keep::Rcu, &after(&[10; 40])), Keep::Rcu);
    }
}
