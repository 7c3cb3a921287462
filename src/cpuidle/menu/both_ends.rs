//! The typical interval when outliers are left out at either end (spec menu.md §8, §10).

use serde::{Deserialize, Serialize};

use super::intervals::{Intervals, Limits};
use super::step::{Step, Verdict};
use crate::probe::Probe;
use crate::units::Us;

/// What intervals that still vary when few are left say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leftover {
    /// Nothing.
    SaysNothing,
    /// The stay will be no longer than the longest of them.
    Longest,
}

/// The intervals between two bounds, both left out.
struct Middle {
    above: Option<Us>,
    below: Us,
    count: u32,
    average: u64,
    variance: u64,
    shortest: Us,
    longest: Us,
}

impl Middle {
    fn of(ring: &[Us], above: Option<Us>, below: Us) -> Self {
        let counts = |us: &&Us| above.is_none_or(|above| **us > above) && **us < below;
        let (mut count, mut sum, mut squares) = (0_u32, 0_u64, 0_u64);
        let (mut shortest, mut longest) = (Us::MAX, Us::new(0));
        for interval in ring.iter().filter(counts) {
            let us = u64::from(interval.as_us());
            count += 1;
            sum += us;
            squares = squares.wrapping_add(us * us);
            shortest = shortest.min(*interval);
            longest = longest.max(*interval);
        }
        let mean = |sum: u64| match count {
            8 => sum >> 3,
            count => sum.checked_div(u64::from(count)).unwrap_or_default(),
        };
        let average = mean(sum);
        Self {
            above,
            below,
            count,
            average,
            variance: mean(squares).wrapping_sub(average * average),
            shortest,
            longest,
        }
    }

    fn judge(&self, leftover: Leftover, limits: Limits) -> Verdict {
        if self.longest == Us::new(0) {
            return Verdict::NoInformation;
        }
        let steady = self.count >= limits.min_left && limits.is_steady(self.average, self.variance);
        if steady || self.variance <= limits.small_variance() {
            return Verdict::Steady;
        }
        if self.count <= limits.min_left {
            return match leftover {
                // With less than half of all left the longest says nothing either.
                Leftover::Longest if self.count >= limits.min_left * 2 / 3 => Verdict::LongestOfFew,
                Leftover::Longest | Leftover::SaysNothing => Verdict::TooFew,
            };
        }
        let to_shortest = self.average - u64::from(self.shortest.as_us());
        let to_longest = u64::from(self.longest.as_us()) - self.average;
        if to_shortest > to_longest {
            Verdict::DropShortest
        } else {
            Verdict::DropLongest
        }
    }
}

impl Intervals {
    /// The typical interval, if there is one.
    pub fn typical_of_both_ends<P: Probe<Step>>(&self, leftover: Leftover, probe: &mut P) -> Option<Us> {
        let ring = self.slots.as_slice();
        let mut middle = Middle::of(ring, None, Us::MAX);
        loop {
            let verdict = middle.judge(leftover, self.limits);
            let average = Us::from_us_low_bits(middle.average);
            probe.step(|| Step::IntervalsBetween {
                intervals: self.slots,
                above: middle.above,
                below: middle.below,
                count: middle.count,
                shortest: middle.shortest,
                longest: middle.longest,
                average,
                variance: middle.variance,
                verdict,
            });
            middle = match verdict {
                Verdict::Steady => return Some(average),
                Verdict::LongestOfFew => return Some(middle.longest),
                Verdict::BeyondTimer | Verdict::NoInformation | Verdict::TooFew => return None,
                Verdict::DropShortest => Middle::of(ring, Some(middle.shortest), middle.below),
                Verdict::DropLongest => Middle::of(ring, middle.above, middle.longest),
            };
        }
    }
}
