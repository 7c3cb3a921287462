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
const MIN_LEFT: u32 = 6;

/// A deviation of 20 µs is small whatever the average.
const SMALL_VARIANCE: u64 = 400;

/// An average of more than six deviations is steady.
const STEADY_RATIO_SQUARED: u64 = 36;

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
    /// The shortest is not below this.
    NotBelow(Us),
    /// All are zero.
    AllZero,
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
        let mut threshold = THRESHOLD;
        loop {
            let mut look = Look::at(&self.ring, threshold);
            let verdict = look.judge(&self.ring, threshold, give_up);
            probe.step(|| Step::Intervals {
                intervals: self.ring,
                threshold,
                count: look.count,
                shortest: look.shortest,
                longest: look.longest,
                average: look.average,
                variance: look.variance,
                verdict,
            });
            match verdict {
                Verdict::Steady => return Some(look.average),
                Verdict::DropLongest => threshold = Us::new(look.longest.as_us().saturating_sub(1)),
                Verdict::BeyondTimer | Verdict::NoInformation | Verdict::TooFew => return None,
            }
        }
    }
}

/// What the intervals up to a threshold look like.
struct Look {
    count: u32,
    sum: u64,
    shortest: Us,
    longest: Us,
    average: Us,
    variance: u64,
}

impl Look {
    fn at(ring: &[Us; INTERVALS], threshold: Us) -> Self {
        let mut look = Self {
            count: 0,
            sum: 0,
            shortest: Us::MAX,
            longest: Us::new(0),
            average: Us::new(0),
            variance: 0,
        };
        for interval in ring.iter().copied().filter(|interval| *interval <= threshold) {
            look.count += 1;
            look.sum += u64::from(interval.as_us());
            look.shortest = look.shortest.min(interval);
            look.longest = look.longest.max(interval);
        }
        look
    }

    fn judge(&mut self, ring: &[Us; INTERVALS], threshold: Us, give_up: GiveUp) -> Verdict {
        match give_up {
            GiveUp::NotBelow(limit) if self.shortest >= limit => return Verdict::BeyondTimer,
            GiveUp::AllZero if self.longest == Us::new(0) => return Verdict::NoInformation,
            GiveUp::NotBelow(_) | GiveUp::AllZero => {}
        }
        let average = self.mean(self.sum);
        self.average = Us::from_us_low_bits(average);
        let squares = ring
            .iter()
            .filter(|interval| **interval <= threshold)
            .map(|interval| u64::from(interval.as_us()).abs_diff(average).pow(2))
            .sum();
        self.variance = self.mean(squares);
        let steady = self.count >= MIN_LEFT
            && self.variance <= u64::MAX / STEADY_RATIO_SQUARED
            && average * average > STEADY_RATIO_SQUARED * self.variance;
        if steady || self.variance <= SMALL_VARIANCE {
            Verdict::Steady
        } else if self.count <= MIN_LEFT {
            Verdict::TooFew
        } else {
            Verdict::DropLongest
        }
    }

    fn mean(&self, sum: u64) -> u64 {
        if self.count == 8 {
            sum >> 3
        } else {
            sum.checked_div(u64::from(self.count)).unwrap_or_default()
        }
    }
}
