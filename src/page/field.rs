//! What somebody types into a field of numbers: a value, or what is allowed, in which unit, and what was
//! found.
//!
//! Nothing typed is too odd for an answer: an empty field, a whole page of text and `1e30` are refused with
//! the same words as a value just outside the range.

use thiserror::Error;

use super::duration::{DurationError, from_field, scaled, to_link};
use super::words::{Style, number};
use crate::units::Ns;

/// Longest text that is repeated in a message, letters.
const QUOTED: usize = 16;

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// Nothing was typed.
    #[error("expected {allowed}, the field is empty")]
    Empty {
        /// Range and unit.
        allowed: String,
    },
    /// No number of that kind.
    #[error("expected {allowed}, found {found}")]
    NotOne {
        /// Range and unit.
        allowed: String,
        /// The text, or its beginning.
        found: String,
    },
    /// Less than the range.
    #[error("expected {allowed}, {found} is too small")]
    TooSmall {
        /// Range and unit.
        allowed: String,
        /// The text, or its beginning.
        found: String,
    },
    /// More than the range.
    #[error("expected {allowed}, {found} is too large")]
    TooLarge {
        /// Range and unit.
        allowed: String,
        /// The text, or its beginning.
        found: String,
    },
    /// More decimals than the smallest unit has.
    #[error("expected {allowed}, {found} is finer than that")]
    TooFine {
        /// Range and unit.
        allowed: String,
        /// The text, or its beginning.
        found: String,
    },
}

/// A time; without a unit in µs.
///
/// # Errors
/// See [`FieldError`].
pub fn time(text: &str, min: Ns, max: Ns) -> Result<Ns, FieldError> {
    let end = |ns: Ns| match ns {
        Ns::ZERO => "0".to_owned(),
        ns if ns.as_ns() % 3_600_000_000_000 == 0 => format!("{}\u{202f}h", ns.as_ns() / 3_600_000_000_000),
        ns => to_link(ns),
    };
    let allowed = format!("{} to {} in µs, or with ns, us, ms or s", end(min), end(max));
    ranged(text, (min.as_ns(), max.as_ns()), &allowed, |text| {
        from_field(text).map(Ns::as_ns)
    })
    .map(Ns::new)
}

/// A whole number of `unit`, such as `ticks a second`.
///
/// # Errors
/// See [`FieldError`].
pub fn whole(text: &str, min: i64, max: i64, unit: &str) -> Result<i64, FieldError> {
    let count = |n: i64| match u64::try_from(n) {
        Ok(n) => number::count(n, Style::Page),
        Err(_) => n.to_string(),
    };
    let blank = if unit.is_empty() { "" } else { " " };
    let allowed = format!(
        "a whole number from {} to {}{blank}{unit}",
        count(min),
        count(max)
    );
    ranged(text, (min, max), &allowed, |text| scaled(&joined(text), 1))
}

/// A power in mW with up to three decimals, as µW from `min` to `max`; `allowed` says the range.
///
/// # Errors
/// See [`FieldError`].
pub fn power(text: &str, (min, max): (i64, i64), allowed: &str) -> Result<i64, FieldError> {
    ranged(text, (min, max), allowed, |text| {
        scaled(joined(text).trim_end_matches("mW"), 1_000)
    })
}

/// Without blanks, which stand between groups of digits.
fn joined(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn ranged(
    text: &str,
    (min, max): (i64, i64),
    allowed: &str,
    read: impl Fn(&str) -> Result<i64, DurationError>,
) -> Result<i64, FieldError> {
    let text = text.trim();
    let (allowed, found) = (allowed.to_owned(), quoted(text));
    if text.is_empty() {
        return Err(FieldError::Empty { allowed });
    }
    match read(text) {
        Ok(value) if value < min => Err(FieldError::TooSmall { allowed, found }),
        Ok(value) if value > max => Err(FieldError::TooLarge { allowed, found }),
        Ok(value) => Ok(value),
        Err(DurationError::TooLong) if text.starts_with('-') => Err(FieldError::TooSmall { allowed, found }),
        Err(DurationError::TooLong) => Err(FieldError::TooLarge { allowed, found }),
        Err(DurationError::TooFine) => Err(FieldError::TooFine { allowed, found }),
        Err(_) => Err(FieldError::NotOne { allowed, found }),
    }
}

/// The text, or its beginning and how long it is.
fn quoted(text: &str) -> String {
    let letters = text.chars().count();
    if letters <= QUOTED {
        return text.to_owned();
    }
    let front: String = text.chars().take(QUOTED).collect();
    format!("{front}… ({letters} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<T: std::fmt::Debug>(result: Result<T, FieldError>) -> String {
        match result {
            Ok(value) => format!("{value:?}"),
            Err(error) => error.to_string().replace('\u{202f}', " "),
        }
    }

    #[track_caller]
    fn check_time(text: &str, expect: &str) {
        let found = time(text, Ns::ZERO, Ns::new(3_600_000_000_000)).map(Ns::as_ns);
        assert_eq!(said(found), expect, "{text:?}");
    }

    #[test]
    fn a_time_says_range_and_unit_whatever_was_typed() {
        let allowed = "expected 0 to 1 h in µs, or with ns, us, ms or s";
        check_time("640", "640000");
        check_time(" 0.64 ms ", "640000");
        check_time("", &format!("{allowed}, the field is empty"));
        check_time("  ", &format!("{allowed}, the field is empty"));
        check_time("1e30", &format!("{allowed}, found 1e30"));
        check_time("-1", &format!("{allowed}, -1 is too small"));
        check_time("2 parsecs", &format!("{allowed}, found 2 parsecs"));
        check_time("3601s", &format!("{allowed}, 3601s is too large"));
        check_time("0.00001", &format!("{allowed}, 0.00001 is finer than that"));
        let nines = "9".repeat(400);
        check_time(
            &nines,
            &format!("{allowed}, 9999999999999999… (400 characters) is too large"),
        );
    }

    #[test]
    fn a_whole_number_says_of_what() {
        let check = |text: &str, expect: &str| {
            assert_eq!(said(whole(text, 20, 2_000, "ticks a second")), expect, "{text:?}");
        };
        let allowed = "expected a whole number from 20 to 2000 ticks a second";
        check("1 000", "1000");
        check("7", &format!("{allowed}, 7 is too small"));
        check("1e30", &format!("{allowed}, found 1e30"));
        check("250.5", &format!("{allowed}, 250.5 is finer than that"));
        check("", &format!("{allowed}, the field is empty"));
    }

    #[test]
    fn a_power_has_three_decimals() {
        let check = |text: &str, expect: &str| {
            assert_eq!(
                said(power(text, (81, 4_000), "80 to 4000 mW")),
                expect,
                "{text:?}"
            );
        };
        check("1.5 mW", "1500");
        check("4.0005", "expected 80 to 4000 mW, 4.0005 is finer than that");
        check("5", "expected 80 to 4000 mW, 5 is too large");
        check("W", "expected 80 to 4000 mW, found W");
    }
}
