//! The last eight measured intervals and whether they show a pattern (spec menu.md §2.3, §6).
//!
//! While the intervals vary too much for their average to mean anything, the
//! longest are dropped and the rest is looked at again, until six are left.

use serde::{Deserialize, Serialize};

use super::Tuning;
use super::step::{Step, Verdict};
use crate::probe::Probe;
use crate::units::Us;

/// Intervals remembered by every kernel's menu.
pub(super) const INTERVALS: usize = 8;

/// The most that an experiment may remember.
pub(super) const MAX_INTERVALS: usize = 16;

/// Longer intervals never count.
const THRESHOLD: Us = Us::new(i32::MAX.unsigned_abs());

/// Measured intervals, µs, by slot: 8 of them, or 4 to 16 in an experiment. `Us::MAX` stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    us: [Us; MAX_INTERVALS],
    used: u8,
}

impl Slots {
    /// So many slots, all zero; no more than 16.
    fn empty(used: u8) -> Self {
        Self {
            us: [Us::new(0); MAX_INTERVALS],
            used,
        }
    }

    /// The intervals, by slot.
    #[must_use]
    pub fn as_slice(&self) -> &[Us] {
        self.us.get(..usize::from(self.used)).unwrap_or(&self.us)
    }
}

impl From<[Us; INTERVALS]> for Slots {
    fn from(intervals: [Us; INTERVALS]) -> Self {
        let mut slots = Self::empty(8);
        for (slot, us) in slots.us.iter_mut().zip(intervals) {
            *slot = us;
        }
        slots
    }
}

/// The last intervals and how they are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Intervals {
    pub slots: Slots,
    /// The slot to be overwritten next.
    pub next: u8,
    pub limits: Limits,
}

/// When intervals show a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// With this many left, or fewer, none is dropped any more: three quarters.
    pub min_left: u32,
    /// A deviation up to this is small whatever the average, µs.
    pub small_deviation: u64,
    /// An average of more than so many deviations is steady.
    pub steady_ratio: u64,
}

impl Limits {
    pub const fn small_variance(self) -> u64 {
        self.small_deviation * self.small_deviation
    }

    /// Whether an average is more than so many deviations; a variance too large to tell is none such.
    pub fn is_steady(self, average: u64, variance: u64) -> bool {
        let ratio = self.steady_ratio * self.steady_ratio;
        let limit = ratio.checked_mul(variance);
        limit.is_some_and(|limit| average * average > limit)
    }
}

/// When the intervals are not worth more than a look.
#[derive(Clone, Copy)]
pub(super) enum GiveUp {
    /// Never; and intervals of any length count.
    Never,
    /// The shortest is not below this.
    NotBelow(Us),
    /// All are zero.
    AllZero,
}

/// How the spread is judged.
#[derive(Clone, Copy)]
pub(super) enum Steady {
    /// By the variance.
    Variance,
    /// By the deviation, its whole root.
    Deviation,
}

impl Intervals {
    pub fn new(tuning: Tuning) -> Self {
        Self {
            slots: Slots::empty(tuning.intervals),
            next: 0,
            limits: Limits {
                min_left: u32::from(tuning.intervals) * 3 / 4,
                small_deviation: tuning.small_deviation_us.into(),
                steady_ratio: tuning.steady_ratio.into(),
            },
        }
    }

    /// Stores an interval over the oldest one.
    pub fn push(&mut self, interval: Us) {
        if let Some(slot) = self.slots.us.get_mut(usize::from(self.next)) {
            *slot = interval;
        }
        self.next += 1;
        if self.next >= self.slots.used {
            self.next = 0;
        }
    }

    /// The typical interval, if there is one.
    pub fn typical<P: Probe<Step>>(&self, give_up: GiveUp, probe: &mut P) -> Option<Us> {
        self.typical_by(give_up, Steady::Variance, probe)
    }

    /// The typical interval, with the spread judged as `steady` says.
    pub fn typical_by<P: Probe<Step>>(&self, give_up: GiveUp, steady: Steady, probe: &mut P) -> Option<Us> {
        // Eight are scanned without a loop.
        let ring = self.slots.as_slice();
        match ring.first_chunk::<INTERVALS>() {
            Some(eight) if ring.len() == INTERVALS => self.typical_in(eight, give_up, steady, probe),
            _ => self.typical_in(ring, give_up, steady, probe),
        }
    }

    #[inline(always)]
    fn typical_in<P: Probe<Step>>(
        &self,
        ring: &[Us],
        give_up: GiveUp,
        steady: Steady,
        probe: &mut P,
    ) -> Option<Us> {
        let threshold = match give_up {
            GiveUp::Never => Us::MAX,
            GiveUp::NotBelow(_) | GiveUp::AllZero => THRESHOLD,
        };
        let mut left = Left::of(ring, threshold);
        loop {
            let (verdict, Spread { average, variance }) = left.judge(give_up, steady, self.limits);
            probe.step(|| Step::Intervals {
                intervals: self.slots,
                threshold: left.threshold,
                count: left.count,
                shortest: left.shortest,
                longest: left.longest,
                average,
                variance,
                verdict,
            });
            match verdict {
                Verdict::Steady => return Some(average),
                Verdict::DropLongest => left.drop_longest(ring),
                Verdict::BeyondTimer
                | Verdict::NoInformation
                | Verdict::TooFew
                | Verdict::DropShortest
                | Verdict::LongestOfFew => return None,
            }
        }
    }
}

/// The intervals up to a threshold, as sums: dropping some of them needs no new scan of the rest.
///
/// Which intervals count is as good as random, so the scans select instead of branching.
struct Left {
    threshold: Us,
    count: u32,
    sum: u64,
    /// The sum of their squares, modulo 2^64.
    squares: u64,
    shortest: Us,
    longest: Us,
}

/// Average and variance; zeroes when they were not computed.
#[derive(Default)]
struct Spread {
    average: Us,
    variance: u64,
}

impl Left {
    #[inline(always)]
    fn of(ring: &[Us], threshold: Us) -> Self {
        let mut left = Self {
            threshold,
            count: 0,
            sum: 0,
            squares: 0,
            shortest: Us::MAX,
            longest: Us::new(0),
        };
        for interval in ring.iter().copied() {
            let counts = interval <= threshold;
            let or_zero = if counts { interval } else { Us::new(0) };
            let or_max = if counts { interval } else { Us::MAX };
            let us = u64::from(or_zero.as_us());
            left.count += u32::from(counts);
            left.sum += us;
            left.squares = left.squares.wrapping_add(us.wrapping_mul(us));
            left.shortest = left.shortest.min(or_max);
            left.longest = left.longest.max(or_zero);
        }
        left
    }

    /// Drops all that are as long as the longest.
    #[inline(always)]
    fn drop_longest(&mut self, ring: &[Us]) {
        let dropped = self.longest;
        let mut count = 0;
        self.longest = Us::new(0);
        for interval in ring.iter().copied() {
            count += u32::from(interval == dropped);
            let or_zero = if interval < dropped { interval } else { Us::new(0) };
            self.longest = self.longest.max(or_zero);
        }
        let us = u64::from(dropped.as_us());
        self.threshold = Us::new(dropped.as_us().saturating_sub(1));
        self.count -= count;
        self.sum -= u64::from(count) * us;
        self.squares = self
            .squares
            .wrapping_sub(u64::from(count).wrapping_mul(us.wrapping_mul(us)));
    }

    #[inline(always)]
    fn judge(&self, give_up: GiveUp, how: Steady, limits: Limits) -> (Verdict, Spread) {
        match give_up {
            GiveUp::NotBelow(limit) if self.shortest >= limit => {
                return (Verdict::BeyondTimer, Spread::default());
            }
            GiveUp::AllZero if self.longest == Us::new(0) => {
                return (Verdict::NoInformation, Spread::default());
            }
            GiveUp::Never | GiveUp::NotBelow(_) | GiveUp::AllZero => {}
        }
        let spread = self.spread();
        let average = u64::from(spread.average.as_us());
        let steady = match how {
            Steady::Variance => {
                let steady = self.count >= limits.min_left && limits.is_steady(average, spread.variance);
                steady || spread.variance <= limits.small_variance()
            }
            Steady::Deviation => {
                let deviation = spread.variance.isqrt();
                let steady = self.count >= limits.min_left && average > limits.steady_ratio * deviation;
                steady || deviation <= limits.small_deviation
            }
        };
        let verdict = if steady {
            Verdict::Steady
        } else if self.count <= limits.min_left {
            Verdict::TooFew
        } else {
            Verdict::DropLongest
        };
        (verdict, spread)
    }

    /// A branch per count that can be steady: a division by a known number costs a third.
    fn spread(&self) -> Spread {
        match self.count {
            8 => self.spread_over(8),
            7 => self.spread_over(7),
            6 => self.spread_over(6),
            count => self.spread_over(u64::from(count.max(1))),
        }
    }

    /// The squared deviations from the average are multiplied out, so they take no second scan.
    /// Intervals below 2^31 keep their sum below 2^64, so what wraps on the way comes back.
    #[inline(always)]
    fn spread_over(&self, count: u64) -> Spread {
        let average = self.sum / count;
        let deviations = self
            .squares
            .wrapping_sub((2 * average).wrapping_mul(self.sum))
            .wrapping_add(count.wrapping_mul(average * average));
        Spread {
            average: Us::from_us_low_bits(average),
            variance: deviations / count,
        }
    }
}
