//! The numbers that a choice may set, as sliders: where a value stands, and how it is written.
//!
//! Invariants: both ends of a slider are the ends of the range; every value has a place; a place gives a value
//! within the range, and the place of that value is the same again or nearer to it than any other. Wide ranges
//! are on a log scale with zero at the very left.

use crate::cpuidle::catalog::{Choice, Family, Knob, KnobSpec, Usual};

/// Places of a slider: 0 to this.
pub const PLACES: u32 = 1_000;

/// From this ratio of the ends on, the scale is a log one.
const WIDE: u32 = 200;

/// One number as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Which.
    pub knob: Knob,
    /// What is to be known about it.
    pub spec: KnobSpec,
    /// What it is.
    pub value: u32,
    /// What it usually is, where it is something else.
    pub was: Option<u32>,
}

/// The numbers of a choice.
#[must_use]
pub fn of(choice: Choice) -> Vec<Shown> {
    let shown = |(knob, value, usual): (Knob, u32, Usual)| Shown {
        knob,
        spec: knob.spec(),
        value,
        was: match usual {
            Usual::Is => None,
            Usual::Was(was) => Some(was),
        },
    };
    choice.knobs().map(shown).collect()
}

/// What they are together: a heading, and a sentence under it.
#[must_use]
pub const fn about(family: Family) -> (&'static str, &'static str) {
    match family {
        Family::Teo | Family::Menu => (
            "Experimental constants",
            "All kernels have the same; with another value this is no kernel's governor.",
        ),
        Family::Haltpoll => (
            "Module parameters",
            "As under /sys/module/haltpoll/parameters; a kernel may have others than these.",
        ),
        Family::Ladder | Family::Mobile | Family::Baseline => ("Setting", "Of this baseline alone."),
    }
}

/// What the box of a variant says of the numbers set; none when all are as usual.
#[must_use]
pub fn badge(choice: Choice) -> Option<String> {
    let set: Vec<Shown> = of(choice)
        .into_iter()
        .filter(|shown| shown.was.is_some())
        .collect();
    let word = |shown: &Shown| format!("{} {}", shown.spec.key, shown.value);
    match set.as_slice() {
        // The one number of the fixed baseline belongs to its name.
        [] if choice.family() == Family::Baseline => of(choice).first().map(word),
        [] => None,
        [one] => Some(word(one)),
        [one, more @ ..] => Some(format!("{} +{}", word(one), more.len())),
    }
}

impl Shown {
    fn is_wide(&self) -> bool {
        self.spec.max / self.spec.min.max(1) >= WIDE
    }

    /// Where its value stands.
    #[must_use]
    pub fn place(&self) -> u32 {
        self.place_of(self.value)
    }

    fn place_of(&self, value: u32) -> u32 {
        let (min, max) = (self.spec.min, self.spec.max);
        let value = value.clamp(min, max);
        if max <= min {
            return 0;
        }
        let share = if self.is_wide() {
            let from = f64::from(min.max(1)).ln();
            match value {
                0 => return 0,
                value => (f64::from(value).ln() - from) / (f64::from(max).ln() - from),
            }
        } else {
            f64::from(value - min) / f64::from(max - min)
        };
        whole(share * f64::from(PLACES))
    }

    /// The value at a place; on a log scale with two digits, so that the eye can say what it is.
    #[must_use]
    pub fn at(&self, place: u32) -> u32 {
        let (min, max) = (self.spec.min, self.spec.max);
        let share = f64::from(place.min(PLACES)) / f64::from(PLACES);
        if place == 0 {
            return min;
        }
        if place >= PLACES {
            return max;
        }
        let value = if self.is_wide() {
            let from = f64::from(min.max(1)).ln();
            two_digits((from + share * (f64::from(max).ln() - from)).exp())
        } else {
            whole(f64::from(min) + share * f64::from(max - min))
        };
        value.clamp(min, max)
    }

    /// How far an arrow key moves: to the next value.
    #[must_use]
    pub fn step(&self) -> u32 {
        if self.is_wide() {
            10
        } else {
            (PLACES / (self.spec.max - self.spec.min).max(1)).max(1)
        }
    }

    /// The value of a text, or what was expected.
    ///
    /// # Errors
    ///
    /// When it is no whole number within the range.
    pub fn parse(&self, text: &str) -> Result<u32, String> {
        let digits: String = text
            .trim()
            .trim_end_matches(self.spec.unit)
            .chars()
            .filter(|c| !matches!(c, ' ' | '\u{202f}' | '_'))
            .collect();
        let expected = || {
            format!(
                "expected a whole number from {} to {}, found “{}”",
                self.spec.min,
                self.spec.max,
                text.trim()
            )
        };
        let value: u32 = digits.parse().map_err(|_| expected())?;
        if (self.spec.min..=self.spec.max).contains(&value) {
            Ok(value)
        } else {
            Err(expected())
        }
    }
}

/// To the nearest whole number, 0 for what is below.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place or a value of a slider, both far below 2^32; what is beyond saturates"
)]
fn whole(value: f64) -> u32 {
    value.round() as u32
}

fn two_digits(value: f64) -> u32 {
    if value < 100.0 {
        return whole(value);
    }
    let unit = 10_f64.powf(value.log10().floor() - 1.0);
    whole((value / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> impl Iterator<Item = Choice> {
        Choice::all()
    }

    #[test]
    fn ends_are_ends_and_places_ascend() {
        for shown in choices().flat_map(of) {
            let spec = shown.spec;
            assert_eq!(
                (shown.at(0), shown.at(PLACES)),
                (spec.min, spec.max),
                "{}",
                spec.key
            );
            assert_eq!((shown.place_of(spec.min), shown.place_of(spec.max)), (0, PLACES));
            let values: Vec<u32> = (0..=PLACES).map(|place| shown.at(place)).collect();
            assert!(values.is_sorted(), "{}: {values:?}", spec.key);
        }
    }

    #[test]
    fn every_value_of_a_narrow_range_can_be_reached_with_the_step_of_a_key() {
        for shown in choices()
            .flat_map(of)
            .filter(|shown| shown.spec.max - shown.spec.min <= PLACES)
        {
            if shown.is_wide() {
                continue;
            }
            for value in shown.spec.min..=shown.spec.max {
                assert_eq!(shown.at(shown.place_of(value)), value, "{}", shown.spec.key);
            }
        }
    }

    #[track_caller]
    fn check(name: &str, expect: Option<&str>) {
        let choice: Choice = name.parse().unwrap();
        assert_eq!(badge(choice).as_deref(), expect, "{name}");
    }

    #[test]
    fn the_box_says_what_is_set() {
        check("teo-6.12", None);
        check("teo-6.12~decay2", Some("decay 2"));
        check("teo-6.12~decay2~pulse512", Some("decay 2 +1"));
        check("fixed", Some("state 1"));
        check("fixed~state0", Some("state 0"));
        check("ideal", None);
    }

    #[test]
    fn a_text_is_taken_or_told_what_was_expected() {
        let choice: Choice = "haltpoll-6.12".parse().unwrap();
        let shown = of(choice)
            .into_iter()
            .find(|shown| shown.spec.key == "max")
            .unwrap();
        assert_eq!(shown.parse(" 100\u{202f}000 ns"), Ok(100_000));
        for wrong in ["", "x", "-1", "1.5", "99999999"] {
            let why = shown.parse(wrong).unwrap_err();
            assert!(why.contains("from 0 to 10000000") && why.contains(wrong), "{why}");
        }
    }
}
