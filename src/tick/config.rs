//! The settings of the tick that a user may change.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Rules;
use super::avg_idle::RateLimit;
use crate::units::{CpuId, Ns, Time};

/// Ticks per second, 20 to 2000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Hz(u16);

/// Why a number is no tick rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the tick rate must be from 20 to 2000 per second, found {found}")]
pub struct HzError {
    /// The number.
    pub found: u32,
}

impl Hz {
    /// The usual ones.
    pub const COMMON: [Self; 4] = [Self(100), Self(250), Self(300), Self(1000)];
    /// What most distributions build with.
    pub const DEFAULT: Self = Self(250);

    /// Takes a rate.
    ///
    /// # Errors
    /// When it is not from 20 to 2000.
    pub fn new(hz: u32) -> Result<Self, HzError> {
        u16::try_from(hz)
            .ok()
            .filter(|hz| (20..=2000).contains(hz))
            .map(Self)
            .ok_or(HzError { found: hz })
    }

    /// Ticks per second.
    #[must_use]
    pub fn get(self) -> u32 {
        u32::from(self.0)
    }

    /// The tick period, `TICK_NSEC`: one second divided by the rate, rounded to the nearest ns.
    ///
    /// ```
    /// use idlescope::tick::Hz;
    /// assert_eq!(Hz::new(300).map(|hz| hz.period().as_ns()), Ok(3_333_333));
    /// ```
    #[must_use]
    pub fn period(self) -> Ns {
        let hz = i64::from(self.0);
        Ns::new((1_000_000_000 + hz / 2) / hz)
    }
}

impl Default for Hz {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl TryFrom<u32> for Hz {
    type Error = HzError;
    fn try_from(hz: u32) -> Result<Self, HzError> {
        Self::new(hz)
    }
}

impl From<Hz> for u32 {
    fn from(hz: Hz) -> Self {
        hz.get()
    }
}

/// May the tick be stopped at all?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Nohz {
    /// Yes, while the CPU is idle.
    #[default]
    Active,
    /// Never (`nohz=off`, or no timer that could replace it).
    Off,
}

/// When the ticks of several CPUs fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Skew {
    /// All at the same instants.
    #[default]
    Aligned,
    /// Spread over half a period (`skew_tick=1`).
    Spread,
}

/// How the tick of every CPU behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The rate.
    pub hz: Hz,
    /// Whether it may be stopped.
    pub nohz: Nohz,
    /// Phase of the CPUs against each other.
    pub skew: Skew,
    /// Where the ticks lie on the workload's clock, ns: 0 to the period. A trace's clock has its own zero.
    pub phase: Ns,
    /// The longest sleep of the CPU that keeps, or kept last, the timekeeping duty, ns; [`Ns::MAX`] for no limit.
    pub max_deferment: Ns,
    /// The patch of 2016.
    pub rate_limit: RateLimit,
    /// The kernel's era.
    pub rules: Rules,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hz: Hz::DEFAULT,
            nohz: Nohz::Active,
            skew: Skew::Aligned,
            phase: Ns::ZERO,
            max_deferment: Ns::MAX,
            rate_limit: RateLimit::Off,
            rules: super::catalog::default_rules(),
        }
    }
}

impl Config {
    /// The first tick of `cpu` after `start`, on a machine with `cpus` CPUs.
    ///
    /// Ticks lie on multiples of the period after the phase, moved by the CPU's share of half a period when they are spread.
    #[must_use]
    pub fn first_tick(&self, start: Time, cpu: CpuId, cpus: usize) -> Time {
        let period = self.hz.period();
        let phase = match self.skew {
            Skew::Aligned => Ns::ZERO,
            Skew::Spread => {
                let cpus = i64::try_from(cpus.max(1)).unwrap_or(i64::MAX);
                period / 2 / cpus * i64::from(cpu.number())
            }
        };
        first_after(Time::ZERO + self.phase + phase, period, start)
    }
}

/// The first of `from`, `from + period`, … that is strictly later than `now`; `from` itself if that is later.
pub(super) fn first_after(from: Time, period: Ns, now: Time) -> Time {
    if from > now {
        from
    } else {
        from + period * ((now - from).div_floor(period) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_is_rounded_to_the_nearest_nanosecond() {
        for (hz, ns) in [
            (100, 10_000_000),
            (250, 4_000_000),
            (300, 3_333_333),
            (1000, 1_000_000),
            (600, 1_666_667),
        ] {
            assert_eq!(Hz::new(hz).unwrap().period(), Ns::new(ns), "HZ {hz}");
        }
    }

    #[test]
    fn rates_outside_the_range_are_refused() {
        for hz in [0, 19, 2001, 70_000] {
            assert_eq!(Hz::new(hz), Err(HzError { found: hz }));
        }
    }

    #[test]
    fn a_wake_on_a_tick_boundary_arms_the_following_tick() {
        let period = Ns::from_ms(4);
        let at = |now| first_after(Time::from_ns(4_000_000), period, Time::from_ns(now)).as_ns();
        assert_eq!(at(3_999_999), 4_000_000);
        assert_eq!(at(4_000_000), 8_000_000);
        assert_eq!(at(11_999_999), 12_000_000);
    }
}
