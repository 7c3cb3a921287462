//! The one ruler of durations, and the marks of the time axis.

use super::{Anchor, Dash, Ink, Plot, label};
use crate::page::words::Style;
use crate::page::words::number;
use crate::units::{Ns, Time};

/// Durations on a log axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruler {
    /// Where `from` stands, px.
    pub left: f64,
    /// Where `to` stands, px.
    pub right: f64,
    /// Shortest duration, ns, above 0.
    pub from: f64,
    /// Longest duration, ns, above `from`.
    pub to: f64,
}

impl Ruler {
    /// From a little before 1 µs to the decade that leaves at least a factor of four beyond
    /// `longest`; at most 1 000 s.
    #[must_use]
    pub fn new(left: f64, right: f64, longest: Ns) -> Self {
        let from = 600.0_f64;
        let mut to = 1e7;
        while to < longest.as_ns() as f64 * 4.0 && to < 1e12 {
            to *= 10.0;
        }
        Self {
            left,
            right: right.max(left + 1.0),
            from,
            to,
        }
    }

    /// Where a duration stands, px; durations outside stand at the ends.
    #[must_use]
    pub fn x(&self, d: Ns) -> f64 {
        self.x_of(d.as_ns() as f64)
    }

    fn x_of(&self, ns: f64) -> f64 {
        let share = (ns.clamp(self.from, self.to) / self.from).ln() / (self.to / self.from).ln();
        self.left + share * (self.right - self.left)
    }

    /// The duration that stands at `x`, rounded to 1 ns.
    #[must_use]
    pub fn duration(&self, x: f64) -> Ns {
        let share = ((x - self.left) / (self.right - self.left)).clamp(0.0, 1.0);
        Ns::new((self.from * (self.to / self.from).powf(share)).round() as i64)
    }

    /// By how much a duration grows when it moves so many px.
    #[must_use]
    pub fn factor(&self, px: f64) -> f64 {
        (self.to / self.from).powf(px / (self.right - self.left))
    }

    /// Each decade from 1 µs on, ns.
    pub fn decades(&self) -> impl Iterator<Item = i64> + use<> {
        let to = self.to * 1.000_001;
        std::iter::successors(Some(1_000_i64), |ns| ns.checked_mul(10)).take_while(move |ns| *ns as f64 <= to)
    }

    /// Draws the axis at height `y`: a hairline from `top` and a label for each decade, the unit
    /// where it changes.
    pub(super) fn draw(&self, plot: &mut Plot, top: f64, y: f64) {
        for ns in self.decades() {
            let x = self.x(Ns::new(ns));
            plot.line((x, top), (x, y), Ink::LINE, Dash::Solid);
            let text = decade_label(ns);
            let half = label::width(&text, 10.0) / 2.0;
            // At the edges a label moves inwards instead of being cut.
            let middle = x.min(plot.width - half).max(half);
            plot.text((middle, y + 12.0), text, Anchor::Middle, Ink::INK_3);
        }
        plot.line((self.left, y), (self.right, y), Ink::LINE_STRONG, Dash::Solid);
    }
}

/// `1 µs`, `10`, `100`, `1 ms`, …
fn decade_label(ns: i64) -> String {
    match ns {
        1_000 | 1_000_000 | 1_000_000_000 | 1_000_000_000_000 => number::duration(Ns::new(ns), Style::Page),
        ns if ns < 1_000_000 => (ns / 1_000).to_string(),
        ns if ns < 1_000_000_000 => (ns / 1_000_000).to_string(),
        ns => (ns / 1_000_000_000).to_string(),
    }
}

/// A mark of the time axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Where.
    pub at: Time,
    /// It is the scheduler tick's.
    pub of_tick: bool,
}

/// Marks for a stretch that is `px` wide: tick periods when they are at least 24 px apart, else steps
/// of 1, 2 or 5 at least `least_px` apart. `phase` is the instant of any tick.
#[must_use]
pub fn ticks(from: Time, to: Time, px: f64, least_px: f64, period: Ns, phase: Time) -> Vec<Tick> {
    let span = to.saturating_since(from).as_ns().max(1);
    let ns_per_px = span as f64 / px.max(1.0);
    let of_tick = period > Ns::ZERO && period.as_ns() as f64 >= 24.0 * ns_per_px;
    let (step, offset) = if of_tick {
        (period.as_ns(), phase.as_ns().rem_euclid(period.as_ns()))
    } else {
        (step_of(ns_per_px * least_px), 0)
    };
    let first = (from.as_ns() - offset).div_euclid(step);
    (first..)
        .map(|n| n.saturating_mul(step).saturating_add(offset))
        .skip_while(|ns| *ns < from.as_ns())
        .take_while(|ns| *ns <= to.as_ns())
        .take(4_096)
        .map(|ns| Tick {
            at: Time::from_ns(ns),
            of_tick,
        })
        .collect()
}

/// The least of 1, 2, 5, 10, … ns that is not below `least`.
fn step_of(least: f64) -> i64 {
    let mut decade = 1_i64;
    loop {
        for digit in [1, 2, 5] {
            let step = decade.saturating_mul(digit);
            if step as f64 >= least || step == i64::MAX {
                return step;
            }
        }
        decade = decade.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_durations_are_inverse() {
        let ruler = Ruler::new(40.0, 840.0, Ns::from_ms(3));
        assert_eq!(ruler.to, 1e8);
        for us in [1, 7, 360, 3_102, 99_999] {
            let d = Ns::from_us(us);
            let back = ruler.duration(ruler.x(d));
            assert!((back.as_ns() - d.as_ns()).abs() <= 1, "{us} us became {back:?}");
        }
        assert_eq!(ruler.x(Ns::ZERO), 40.0);
        assert_eq!(ruler.x(Ns::MAX), 840.0);
    }

    #[test]
    fn decades_are_labelled_once_per_unit() {
        let ruler = Ruler::new(0.0, 100.0, Ns::from_ms(1));
        let labels: Vec<String> = ruler.decades().map(decade_label).collect();
        assert_eq!(labels, ["1\u{202f}µs", "10", "100", "1\u{202f}ms", "10"]);
    }

    #[track_caller]
    fn check(from: i64, to: i64, period_ms: i64, expect: &[i64], of_tick: bool) {
        let found = ticks(
            Time::from_ns(from),
            Time::from_ns(to),
            1_000.0,
            80.0,
            Ns::from_ms(period_ms),
            Time::from_ns(1_000_000),
        );
        let at: Vec<i64> = found.iter().map(|tick| tick.at.as_ns()).collect();
        assert_eq!(at, expect);
        assert!(found.iter().all(|tick| tick.of_tick == of_tick));
    }

    #[test]
    fn tick_periods_are_shown_when_they_are_far_enough_apart() {
        check(0, 10_000_000, 4, &[1_000_000, 5_000_000, 9_000_000], true);
        check(
            0,
            1_000_000_000,
            4,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|n| n * 100_000_000),
            false,
        );
    }

    #[test]
    fn steps_are_1_2_and_5() {
        assert_eq!([0.5, 1.5, 3.0, 6.0, 11.0].map(step_of), [1, 2, 5, 10, 20]);
        assert_eq!(step_of(f64::MAX), i64::MAX);
    }
}
