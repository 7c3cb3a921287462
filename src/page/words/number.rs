//! Numbers as people read them, and in ASCII for mail and CSV (ui.md §10).
//!
//! On the page: U+202F before the unit and between groups of three, U+2212 as minus. In ASCII: `us`,
//! no grouping. All rounding is to nearest, halves away from zero, in integers.

use std::cmp::Ordering;

use crate::units::{CpuId, Energy, Microwatts, Ns, Time};

/// For the page or for mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// With the typography of the page.
    #[default]
    Page,
    /// ASCII only.
    Ascii,
}

impl Style {
    /// What stands between a number and its unit.
    #[must_use]
    pub const fn gap(self) -> &'static str {
        match self {
            Self::Page => "\u{202f}",
            Self::Ascii => " ",
        }
    }

    /// The minus sign.
    #[must_use]
    pub const fn minus(self) -> &'static str {
        match self {
            Self::Page => "\u{2212}",
            Self::Ascii => "-",
        }
    }

    /// What is written where there is no value.
    #[must_use]
    pub const fn none(self) -> &'static str {
        match self {
            Self::Page => "\u{2013}",
            Self::Ascii => "-",
        }
    }

    pub(in crate::page) const fn micro(self) -> &'static str {
        match self {
            Self::Page => "µ",
            Self::Ascii => "u",
        }
    }

    /// A text in which only this style's letters are left.
    #[must_use]
    pub fn plain(self, text: String) -> String {
        if self == Self::Page || text.is_ascii() {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '≥' => out.push_str(">="),
                '≤' => out.push_str("<="),
                '·' | '×' => out.push('*'),
                '−' | '–' => out.push('-'),
                '→' => out.push_str("->"),
                'µ' => out.push('u'),
                '²' => out.push_str("^2"),
                '\u{202f}' | '\u{a0}' => out.push(' '),
                '“' | '”' => out.push('"'),
                '’' => out.push('\''),
                c if c.is_ascii() => out.push(c),
                _ => out.push('?'),
            }
        }
        out
    }
}

/// A whole number, grouped by three on the page: `28 782`; four digits stay together.
#[must_use]
pub fn count(n: u64, style: Style) -> String {
    let digits = n.to_string();
    if style == Style::Ascii || digits.len() < 5 {
        return digits;
    }
    grouped(&digits)
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 2);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// `value / scale` to the nearest whole, halves up.
const fn rounded(value: u128, scale: u128) -> u128 {
    (value + scale / 2) / scale
}

/// `value / scale` with `decimals` decimals, rounded.
pub(in crate::page) fn fixed(value: u128, scale: u128, decimals: u32) -> String {
    let ten = 10_u128.pow(decimals);
    let rounded = rounded(value * ten, scale);
    if decimals == 0 {
        return rounded.to_string();
    }
    let width = decimals as usize;
    format!("{}.{:0width$}", rounded / ten, rounded % ten)
}

/// `value` in the largest of `units` (size, name; ascending) that it reaches, with `digits`
/// significant digits and no trailing zeros.
fn in_units<'a>(value: u128, units: &[(u128, &'a str)], digits: u32) -> (String, &'a str) {
    let reached = |n: usize| units.get(n).is_some_and(|(size, _)| value >= *size);
    let mut at = (0..units.len()).rev().find(|n| reached(*n)).unwrap_or(0);
    loop {
        let Some(&(size, unit)) = units.get(at) else {
            return (value.to_string(), "");
        };
        let whole = value / size;
        let before = if whole == 0 { 1 } else { whole.ilog10() + 1 };
        let exact = size.ilog10();
        let decimals = digits.saturating_sub(before).min(exact);
        let text = fixed(value, size, decimals);
        let carried = text.split('.').next().map_or(0, str::len);
        if carried > 3
            && let Some((next, _)) = units.get(at + 1)
            && (value * 10_u128.pow(decimals) + size / 2) / size * size >= next * 10_u128.pow(decimals)
        {
            at += 1;
            continue;
        }
        let text = match text.split_once('.') {
            Some((whole, rest)) => match rest.trim_end_matches('0') {
                "" => whole.to_owned(),
                rest => format!("{whole}.{rest}"),
            },
            None => text,
        };
        return (text, unit);
    }
}

fn signed(negative: bool, text: &str, style: Style) -> String {
    let sign = if negative { style.minus() } else { "" };
    format!("{sign}{text}")
}

/// `1 CPU`, `4 CPUs`.
#[must_use]
pub fn cpus(n: usize) -> String {
    match n {
        1 => "1 CPU".to_owned(),
        n => format!("{n} CPUs"),
    }
}

/// `CPU 3`, `CPUs 0–1, 4`: ascending numbers with runs drawn together.
#[must_use]
pub fn cpu_list(cpus: &[CpuId]) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for cpu in cpus.iter().map(|cpu| cpu.number()) {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => runs.push((cpu, cpu)),
        }
    }
    let run = |(first, last): &(u16, u16)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}–{last}"),
    };
    let text = runs.iter().map(run).collect::<Vec<_>>().join(", ");
    let noun = if cpus.len() == 1 { "CPU" } else { "CPUs" };
    format!("{noun} {text}")
}

/// A duration with four significant digits: `227.6 µs`, `1.731 ms`; [`Ns::MAX`] is `none`.
#[must_use]
pub fn duration(d: Ns, style: Style) -> String {
    // What is left of "never" once the clock is taken off it.
    if d.as_ns() > i64::MAX / 2 {
        return "none".to_owned();
    }
    let micro = format!("{}s", style.micro());
    let units = [
        (1, "ns"),
        (1_000, micro.as_str()),
        (1_000_000, "ms"),
        (1_000_000_000, "s"),
    ];
    let ns = d.as_ns();
    let (text, unit) = in_units(u128::from(ns.unsigned_abs()), &units, 4);
    let text = match (style, text.split_once('.')) {
        (Style::Page, None) if text.len() > 4 => grouped(&text),
        _ => text,
    };
    format!("{}{}{unit}", signed(ns < 0, &text, style), style.gap())
}

/// A duration to the nanosecond: `5 745 123 ns`.
#[must_use]
pub fn exact(d: Ns, style: Style) -> String {
    if d == Ns::MAX {
        return "none".to_owned();
    }
    let text = count(d.as_ns().unsigned_abs(), style);
    format!("{}{}ns", signed(d.as_ns() < 0, &text, style), style.gap())
}

/// A duration in µs, as sysfs and the editors show it, without its unit: `360`, `0.64`.
#[must_use]
pub fn micros(d: Ns) -> String {
    let ns = d.as_ns();
    let text = fixed(u128::from(ns.unsigned_abs()), 1_000, 3);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    signed(ns < 0, text, Style::Ascii)
}

/// An instant in seconds, to the microsecond, or to the nanosecond if it is not a whole number of
/// microseconds: `12.155 772 s`.
#[must_use]
pub fn stamp(t: Time, style: Style) -> String {
    let ns = t.as_ns().unsigned_abs();
    let decimals = if ns.is_multiple_of(1_000) { 6 } else { 9 };
    stamp_to(t, decimals, style)
}

/// An instant in seconds with so many decimals (0 to 9), cut off, not rounded.
#[must_use]
pub fn stamp_to(t: Time, decimals: usize, style: Style) -> String {
    let ns = t.as_ns().unsigned_abs();
    let whole = count(ns / 1_000_000_000, style);
    let fraction = format!("{:09}", ns % 1_000_000_000);
    let fraction = fraction.get(..decimals.min(9)).unwrap_or_default();
    let mut text = whole;
    for (n, digit) in fraction.chars().enumerate() {
        if n == 0 {
            text.push('.');
        } else if n % 3 == 0 && style == Style::Page {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    format!("{}{}s", signed(t.as_ns() < 0, &text, style), style.gap())
}

/// `part` of `whole` in per cent with so many decimals, without the sign; [`Style::none`] of nothing.
#[must_use]
pub fn per_cent(part: u64, whole: u64, decimals: u32, style: Style) -> String {
    if whole == 0 {
        return style.none().to_owned();
    }
    fixed(u128::from(part) * 100, u128::from(whole), decimals)
}

/// As [`per_cent`], with the sign: `64.0 %`.
#[must_use]
pub fn share(part: u64, whole: u64, decimals: u32, style: Style) -> String {
    match whole {
        0 => style.none().to_owned(),
        _ => format!("{}{}%", per_cent(part, whole, decimals, style), style.gap()),
    }
}

/// A duration's share of another, one decimal: of idle time.
#[must_use]
pub fn time_share(part: Ns, whole: Ns, style: Style) -> String {
    let positive = |d: Ns| u64::try_from(d.as_ns()).unwrap_or(0);
    share(positive(part), positive(whole), 1, style)
}

/// The change from one share to another in percentage points, signed; `0.0` has no sign.
///
/// It is the difference of the two figures as [`per_cent`] prints them with as many decimals, not of the exact
/// shares: 0.335 and 0.164 stand there as 0.34 and 0.16, and whoever subtracts reads a change of 0.18, not 0.17.
#[must_use]
pub fn share_change(from: (u64, u64), to: (u64, u64), decimals: u32, style: Style) -> String {
    if from.1 == 0 || to.1 == 0 {
        return style.none().to_owned();
    }
    let ten = 10_u128.pow(decimals);
    let printed = |(part, whole): (u64, u64)| rounded(u128::from(part) * 100 * ten, u128::from(whole));
    let (from, to) = (printed(from), printed(to));
    let text = fixed(from.abs_diff(to), ten, decimals);
    match from.cmp(&to) {
        Ordering::Equal => text,
        Ordering::Greater => format!("{}{text}", style.minus()),
        Ordering::Less => format!("+{text}"),
    }
}

/// An energy with three significant digits: `8.62 mJ`.
#[must_use]
pub fn energy(e: Energy, style: Style) -> String {
    let micro = format!("{}J", style.micro());
    let units = [
        (1_000_000, "nJ"),
        (1_000_000_000, micro.as_str()),
        (1_000_000_000_000, "mJ"),
        (1_000_000_000_000_000, "J"),
        (1_000_000_000_000_000_000, "kJ"),
    ];
    let (text, unit) = in_units(e.as_fj().unsigned_abs(), &units, 3);
    format!("{}{}{unit}", signed(e.as_fj() < 0, &text, style), style.gap())
}

/// One energy in per cent of another, one decimal, without the sign; [`Style::none`] of nothing.
#[must_use]
pub fn energy_ratio(e: Energy, of: Energy, style: Style) -> String {
    if of.as_fj() <= 0 || e.as_fj() < 0 {
        return style.none().to_owned();
    }
    let shrink = (of.as_fj().unsigned_abs().max(e.as_fj().unsigned_abs()) >> 100).max(1);
    fixed(
        e.as_fj().unsigned_abs() / shrink * 100,
        (of.as_fj().unsigned_abs() / shrink).max(1),
        1,
    )
}

/// As [`energy_ratio`], with the sign: `96.3 %`.
#[must_use]
pub fn energy_share(e: Energy, of: Energy, style: Style) -> String {
    let ratio = energy_ratio(e, of, style);
    if ratio == style.none() {
        return ratio;
    }
    format!("{ratio}{}%", style.gap())
}

/// A power: `80 mW`, `1.5 W`, `250 µW`.
#[must_use]
pub fn power(p: Microwatts, style: Style) -> String {
    let micro = format!("{}W", style.micro());
    let units = [(1, micro.as_str()), (1_000, "mW"), (1_000_000, "W")];
    let (text, unit) = in_units(u128::from(p.as_uw()), &units, 4);
    format!("{text}{}{unit}", style.gap())
}

/// A power in mW, as the editor shows it, without its unit: `600`, `0.25`.
#[must_use]
pub fn milliwatts(p: Microwatts) -> String {
    micros(Ns::new(i64::from(p.as_uw())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_duration(ns: i64, page: &str, ascii: &str) {
        let page = page.replace('_', "\u{202f}");
        assert_eq!(duration(Ns::new(ns), Style::Page), page);
        assert_eq!(duration(Ns::new(ns), Style::Ascii), ascii);
    }

    #[test]
    fn runs_of_cpus_are_drawn_together() {
        let check = |cpus: &[u16], expect: &str| {
            let cpus: Vec<CpuId> = cpus.iter().copied().map(CpuId::new).collect();
            assert_eq!(cpu_list(&cpus), expect);
        };
        check(&[3], "CPU 3");
        check(&[0, 1], "CPUs 0–1");
        check(&[0, 1, 2, 5, 7, 8], "CPUs 0–2, 5, 7–8");
    }

    #[test]
    fn durations_have_four_digits_and_the_unit_they_reach() {
        check_duration(0, "0_ns", "0 ns");
        check_duration(999, "999_ns", "999 ns");
        check_duration(1_000, "1_µs", "1 us");
        check_duration(227_640, "227.6_µs", "227.6 us");
        check_duration(1_731_000, "1.731_ms", "1.731 ms");
        check_duration(999_960, "1_ms", "1 ms");
        check_duration(999_940, "999.9_µs", "999.9 us");
        check_duration(60_000_000_000, "60_s", "60 s");
        check_duration(12_345_000_000_000, "12_345_s", "12345 s");
        check_duration(-5_500, "\u{2212}5.5_µs", "-5.5 us");
        check_duration(i64::MAX, "none", "none");
    }

    #[test]
    fn instants_keep_every_digit() {
        let t = Time::from_ns(12_155_772_000);
        assert_eq!(stamp(t, Style::Page), "12.155\u{202f}772\u{202f}s");
        assert_eq!(stamp(t, Style::Ascii), "12.155772 s");
        assert_eq!(stamp(Time::from_ns(1), Style::Ascii), "0.000000001 s");
        assert_eq!(stamp_to(t, 0, Style::Ascii), "12 s");
    }

    #[test]
    fn shares_of_nothing_are_a_dash() {
        assert_eq!(share(0, 0, 1, Style::Page), "\u{2013}");
        let fj = |n: i128| Energy::from_fj(n);
        assert_eq!(energy_share(fj(3), fj(0), Style::Ascii), "-");
        assert_eq!(energy_share(fj(963), fj(1_000), Style::Ascii), "96.3 %");
        assert_eq!(share(1, 3, 1, Style::Ascii), "33.3 %");
        assert_eq!(share(2, 3, 2, Style::Ascii), "66.67 %");
    }

    #[test]
    fn a_change_that_rounds_to_zero_has_no_sign() {
        let change = |from, to| share_change(from, to, 1, Style::Ascii);
        assert_eq!(change((49, 100), (43_600, 100_000)), "-5.4");
        assert_eq!(change((1, 2), (2, 4)), "0.0");
        assert_eq!(change((50_000, 100_000), (49_999, 100_000)), "0.0");
        assert_eq!(change((1, 4), (1, 3)), "+8.3");
        assert_eq!(change((0, 0), (1, 3)), "-");
    }

    #[test]
    fn a_change_is_what_the_printed_shares_differ_by() {
        let check = |from: u64, to: u64, printed: (&str, &str), change: &str| {
            let shown = |part| per_cent(part, 100_000, 2, Style::Ascii);
            assert_eq!((shown(from).as_str(), shown(to).as_str()), printed);
            let whole = |part| (part, 100_000);
            assert_eq!(share_change(whole(from), whole(to), 2, Style::Ascii), change);
        };
        check(335, 164, ("0.34", "0.16"), "-0.18");
        check(164, 335, ("0.16", "0.34"), "+0.18");
        check(334, 335, ("0.33", "0.34"), "+0.01");
        check(335, 344, ("0.34", "0.34"), "0.00");
        check(0, 100_000, ("0.00", "100.00"), "+100.00");
    }

    #[test]
    fn energies_and_powers_have_three_and_four_digits() {
        let nj = |nj: i128| energy(Energy::from_fj(nj * 1_000_000), Style::Ascii);
        assert_eq!(nj(8_617_000), "8.62 mJ");
        assert_eq!(nj(297_600), "298 uJ");
        assert_eq!(nj(12), "12 nJ");
        assert_eq!(power(Microwatts::new(1_500_000), Style::Ascii), "1.5 W");
        assert_eq!(power(Microwatts::new(80_000), Style::Page), "80\u{202f}mW");
        assert_eq!(
            energy_ratio(Energy::from_fj(963), Energy::from_fj(1_000), Style::Page),
            "96.3"
        );
    }

    #[test]
    fn counts_are_grouped_from_five_digits_on() {
        assert_eq!(count(4318, Style::Page), "4318");
        assert_eq!(count(28_782, Style::Page), "28\u{202f}782");
        assert_eq!(count(28_782, Style::Ascii), "28782");
    }

    #[test]
    fn editors_show_what_sysfs_shows() {
        assert_eq!(micros(Ns::from_us(360)), "360");
        assert_eq!(micros(Ns::new(1_500)), "1.5");
        assert_eq!(micros(Ns::ZERO), "0");
        assert_eq!(milliwatts(Microwatts::new(600_250)), "600.25");
    }
}
