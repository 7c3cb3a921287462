//! Durations as text: exact, with a unit, in links and in fields.

use thiserror::Error;

use crate::units::Ns;

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DurationError {
    /// No digits where the number should be.
    #[error("expected a number such as 640us")]
    Number,
    /// No unit, or none of ns, us, ms, s.
    #[error("expected a unit: ns, us, ms or s")]
    Unit,
    /// More decimals than nanoseconds have.
    #[error("finer than 1 ns")]
    TooFine,
    /// Outside ±292 years.
    #[error("too long")]
    TooLong,
}

const UNITS: [(&str, i64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// The shortest exact text in links: `290us`, `1.5ms`, `1.234567s`, `0`.
#[must_use]
pub fn to_link(ns: Ns) -> String {
    if ns == Ns::ZERO {
        return "0".to_owned();
    }
    UNITS
        .iter()
        .map(|(unit, size)| format!("{}{unit}", decimal(ns.as_ns(), *size)))
        .rev()
        .min_by_key(|text| (text.starts_with("0."), text.len()))
        .unwrap_or_default()
}

/// `ns / size` as an exact decimal number without trailing zeros; `size` is a power of ten.
fn decimal(ns: i64, size: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let (ns, size) = (ns.unsigned_abs(), size.unsigned_abs());
    let rest = ns % size;
    if rest == 0 {
        return format!("{sign}{}", ns / size);
    }
    let width = size.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    format!("{sign}{}.{}", ns / size, digits.trim_end_matches('0'))
}

/// Reads a duration with its unit; a bare `0` needs none.
///
/// # Errors
/// See [`DurationError`].
pub fn from_link(text: &str) -> Result<Ns, DurationError> {
    parse(text, None)
}

/// Reads what somebody typed: `640`, `640us`, `0.64 ms`, `640 000 ns`, `640 µs`. A number without
/// a unit is in µs, as in sysfs.
///
/// # Errors
/// See [`DurationError`].
pub fn from_field(text: &str) -> Result<Ns, DurationError> {
    let plain: String = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| match c {
            'µ' | 'μ' => 'u',
            ',' => '.',
            c => c,
        })
        .collect();
    parse(&plain, Some(1_000))
}

/// Reads a number with `scale` as its unit: `scaled("0.25", 1_000)` is 250. At most as many
/// decimals as `scale` has zeros.
///
/// # Errors
/// [`DurationError::Number`], [`DurationError::TooFine`] and [`DurationError::TooLong`].
pub fn scaled(number: &str, scale: i64) -> Result<i64, DurationError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = whole.strip_prefix('-').unwrap_or(whole);
    if unsigned.is_empty() || !digits(unsigned) || !digits(fraction) || number.ends_with('.') {
        return Err(DurationError::Number);
    }
    let fraction = fraction.trim_end_matches('0');
    let mut part = 0;
    let mut size = scale;
    for digit in fraction.bytes() {
        if size < 10 {
            return Err(DurationError::TooFine);
        }
        size /= 10;
        part += i64::from(digit - b'0') * size;
    }
    let whole: i64 = unsigned.parse().map_err(|_| DurationError::TooLong)?;
    let value = whole
        .checked_mul(scale)
        .and_then(|v| v.checked_add(part))
        .ok_or(DurationError::TooLong)?;
    Ok(if whole_is_negative(number) { -value } else { value })
}

fn whole_is_negative(number: &str) -> bool {
    number.starts_with('-')
}

fn parse(text: &str, bare_unit: Option<i64>) -> Result<Ns, DurationError> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() {
        return Err(DurationError::Number);
    }
    let size = match (UNITS.iter().find(|(name, _)| *name == unit), bare_unit) {
        (Some((_, size)), _) => *size,
        (None, Some(size)) if unit.is_empty() => size,
        (None, None) if unit.is_empty() && scaled(number, 1) == Ok(0) => 1,
        _ => return Err(DurationError::Unit),
    };
    scaled(number, size).map(Ns::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ns: i64, text: &str) {
        assert_eq!(to_link(Ns::new(ns)), text);
        assert_eq!(from_link(text), Ok(Ns::new(ns)));
    }

    #[test]
    fn the_shortest_exact_text_is_written() {
        check(0, "0");
        check(1, "1ns");
        check(200_000, "200us");
        check(290_000, "290us");
        check(1_500_000, "1.5ms");
        check(20_000_000, "20ms");
        check(1_234_567_000, "1.234567s");
        check(1_234_567_891, "1.234567891s");
        check(2_000_000_000, "2s");
        check(-1_500, "-1.5us");
        check(i64::MAX, "9223372036.854775807s");
    }

    #[track_caller]
    fn check_field(text: &str, expect: Result<i64, DurationError>) {
        assert_eq!(from_field(text).map(Ns::as_ns), expect, "{text:?}");
    }

    #[test]
    fn a_field_takes_what_people_type() {
        check_field("640", Ok(640_000));
        check_field("640us", Ok(640_000));
        check_field("0.64 ms", Ok(640_000));
        check_field("0,64 ms", Ok(640_000));
        check_field("640 000 ns", Ok(640_000));
        check_field("640\u{202f}µs", Ok(640_000));
        check_field("", Err(DurationError::Number));
        check_field("ms", Err(DurationError::Number));
        check_field("1..2", Err(DurationError::Number));
        check_field("12 parsecs", Err(DurationError::Unit));
        check_field("0.0001", Err(DurationError::TooFine));
        check_field("99999999999999999999", Err(DurationError::TooLong));
    }

    #[test]
    fn a_link_needs_the_unit() {
        assert_eq!(from_link("640"), Err(DurationError::Unit));
        assert_eq!(from_link("0"), Ok(Ns::ZERO));
    }
}
