//! The last eight measured intervals and whether they show a pattern (spec menu.md §2.3, §6).
//!
//! While the intervals vary too much for their average to mean anything, the
//! longest are dropped and the rest is looked at again, until six are left.

use super::step::{Step, Verdict};
use crate::probe::Probe;
use crate::units::Us;

/// Intervals remembered.
pub(super) const INTERVALS: usize = 8;

/// With this many left, or fewer, none is dropped any more: three quarters.
pub(super) const MIN_LEFT: u32 = 6;

/// A deviation of 20 µs is small whatever the average.
pub(super) const SMALL_VARIANCE: u64 = SMALL_DEVIATION * SMALL_DEVIATION;
const SMALL_DEVIATION: u64 = 20;

/// An average of more than six deviations is steady.
pub(super) const STEADY_RATIO_SQUARED: u64 = STEADY_RATIO * STEADY_RATIO;
const STEADY_RATIO: u64 = 6;

/// Longer intervals never count.
const THRESHOLD: Us = Us::new(i32::MAX.unsigned_abs());

/// Measured intervals, µs; `Us::MAX` stands for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Intervals {
    pub ring: [Us; INTERVALS],
    /// The slot to be overwritten next.
    pub next: u8,
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
    /// Stores an interval over the oldest one.
    pub fn push(&mut self, interval: Us) {
        if let Some(slot) = self.ring.get_mut(usize::from(self.next)) {
            *slot = interval;
        }
        self.next = (self.next + 1) % 8;
    }

    /// The typical interval, if there is one.
    pub fn typical<P: Probe<Step>>(&self, give_up: GiveUp, probe: &mut P) -> Option<Us> {
        self.typical_by(give_up, Steady::Variance, probe)
    }

    /// The typical interval, with the spread judged as `steady` says.
    pub fn typical_by<P: Probe<Step>>(&self, give_up: GiveUp, steady: Steady, probe: &mut P) -> Option<Us> {
        let threshold = match give_up {
            GiveUp::Never => Us::MAX,
            GiveUp::NotBelow(_) | GiveUp::AllZero => THRESHOLD,
        };
        let mut left = Left::of(&self.ring, threshold);
        loop {
            let (verdict, Spread { average, variance }) = left.judge(give_up, steady);
            probe.step(|| Step::Intervals {
                intervals: self.ring,
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
                Verdict::DropLongest => left.drop_longest(&self.ring),
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
    fn of(ring: &[Us; INTERVALS], threshold: Us) -> Self {
        let mut left = Self {
            threshold,
            count: 0,
            sum: 0,
            squares: 0,
            shortest: Us::MAX,
            longest: Us::new(0),
        };
        for interval in *ring {
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
    fn drop_longest(&mut self, ring: &[Us; INTERVALS]) {
        let dropped = self.longest;
        let mut count = 0;
        self.longest = Us::new(0);
        for interval in *ring {
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

    fn judge(&self, give_up: GiveUp, how: Steady) -> (Verdict, Spread) {
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
                let ratio = STEADY_RATIO_SQUARED;
                let steady = self.count >= MIN_LEFT
                    && spread.variance <= u64::MAX / ratio
                    && average * average > ratio * spread.variance;
                steady || spread.variance <= SMALL_VARIANCE
            }
            Steady::Deviation => {
                let deviation = spread.variance.isqrt();
                let steady = self.count >= MIN_LEFT && average > STEADY_RATIO * deviation;
                steady || deviation <= SMALL_DEVIATION
            }
        };
        let verdict = if steady {
            Verdict::Steady
        } else if self.count <= MIN_LEFT {
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
