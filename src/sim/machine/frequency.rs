//! Who sets the clock (spec closed-loop-model.md §2).

use serde::{Deserialize, Serialize};

use super::model::Frequency;
use crate::sim::schedutil::{Headroom, Policy, Reference};
use crate::units::Ns;

/// How often the two rules look that measure shares of time.
pub const SAMPLING_PERIOD: Ns = Ns::from_ms(10);

/// schedutil changes the frequency at most once in this time: what the driver says it takes (spec
/// pelt-schedutil.md §4).
const SCHEDUTIL_RATE_LIMIT: Ns = Ns::from_us(500);

/// Above this busy share ondemand takes the highest frequency, per mille.
const ONDEMAND_UP: u64 = 950;
/// A residency-based driver aims at this share, per mille.
const C0_AIM: u64 = 970;

/// Who sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrequencyRule {
    /// Nobody: it stays as it starts.
    Fixed,
    /// Always the highest.
    #[default]
    Performance,
    /// Always the lowest.
    Powersave,
    /// By utilisation, as before 6.8; not corrected for the frequency, as on x86 up to 5.6.
    Schedutil,
    /// As above with utilisation that is corrected for the frequency.
    SchedutilInvariant,
    /// By the share of time in tasks, every 10 ms.
    Ondemand,
    /// By the share of time out of idle states, polling included, every 10 ms.
    C0Residency,
}

impl FrequencyRule {
    /// All, in display order, with their names in links.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("performance", Self::Performance),
        ("powersave", Self::Powersave),
        ("fixed", Self::Fixed),
        ("schedutil", Self::Schedutil),
        ("schedutil-inv", Self::SchedutilInvariant),
        ("ondemand", Self::Ondemand),
        ("c0", Self::C0Residency),
    ];

    /// Whether it looks every [`SAMPLING_PERIOD`].
    #[must_use]
    pub const fn samples(self) -> bool {
        matches!(self, Self::Ondemand | Self::C0Residency)
    }

    /// The frequency to start with, kHz.
    #[must_use]
    pub const fn start(self, frequency: &Frequency) -> u32 {
        match self {
            Self::Performance => frequency.max_khz,
            Self::Powersave => frequency.min_khz,
            Self::Fixed | Self::Schedutil | Self::SchedutilInvariant | Self::Ondemand | Self::C0Residency => {
                frequency.start_khz
            }
        }
    }

    /// The policy of one CPU; none unless it is a schedutil.
    pub(in crate::sim) fn policy(self, frequency: &Frequency, tick: Ns) -> Option<Policy> {
        let reference = match self {
            Self::Schedutil => Reference::Current,
            Self::SchedutilInvariant => Reference::Highest,
            _ => return None,
        };
        let steps = frequency.steps().collect();
        let policy = Policy::new(steps, SCHEDUTIL_RATE_LIMIT, 1_024, reference, tick)?;
        Some(policy.with_headroom(Headroom::OnFrequency))
    }

    /// What one CPU asks for after a period in which it ran tasks for `ran` and was out of idle states for `awake`.
    pub(in crate::sim) fn sampled(self, frequency: &Frequency, ran: Ns, awake: Ns) -> Option<u32> {
        let per_mille = |time: Ns| {
            let share = time.as_ns().max(0).unsigned_abs() * 1_000;
            share / SAMPLING_PERIOD.as_u64()
        };
        let scaled = |range: u32, share: u64, of: u64| {
            u32::try_from(u64::from(range) * share / of).unwrap_or(u32::MAX)
        };
        let range = frequency.max_khz - frequency.min_khz;
        match self {
            Self::Ondemand => {
                let share = per_mille(ran);
                Some(if share > ONDEMAND_UP {
                    frequency.max_khz
                } else {
                    frequency.at_least(frequency.min_khz + scaled(range, share, 1_000))
                })
            }
            Self::C0Residency => {
                Some(frequency.at_least(scaled(frequency.max_khz, per_mille(awake), C0_AIM)))
            }
            _ => None,
        }
    }
}
