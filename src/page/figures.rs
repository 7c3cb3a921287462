//! The figures of a variant as whole numbers of small units, each with a name, and how they are written.
//!
//! One list, [`FIGURES`], is what several seeds are compared by, on the page and in JSON; rows of the summary are made
//! from the same functions. Power and energy are estimates.

use super::session::closed::Loops;
use super::words::number::{self, Style};
use crate::analysis::summary::Summary;
use crate::analysis::tick_stops::BUCKETS;

/// A unit: its size, how many decimals figures in it have, and its name.
pub type Unit = (u128, u32, &'static str);

/// What a variant gave.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Of a closed loop; none for other workloads.
    pub loops: Option<&'a Loops>,
    /// Of the whole record.
    pub summary: &'a Summary,
}

/// One figure.
pub struct Figure {
    /// Its name in JSON, with the unit of the number.
    pub key: &'static str,
    /// What it is called on the page.
    pub label: &'static str,
    /// In which units it is written, ascending.
    pub units: &'static [Unit],
    /// The number; none where the variant has none.
    pub of: fn(Given) -> Option<u128>,
}

/// Times in ns.
pub const TIMES: [Unit; 3] = [(1_000, 2, "µs"), (1_000_000, 2, "ms"), (1_000_000_000, 2, "s")];
/// Rates in 1000 s.
pub const RATES: [Unit; 2] = [(1_000, 1, "Hz"), (1_000_000, 1, "kHz")];
/// Powers in µW.
pub const POWERS: [Unit; 2] = [(1_000, 1, "mW"), (1_000_000, 2, "W")];
/// Energies in fJ.
pub const ENERGIES: [Unit; 3] = [
    (1_000_000_000, 1, "µJ"),
    (1_000_000_000_000, 1, "mJ"),
    (1_000_000_000_000_000, 1, "J"),
];
const CLOCKS: [Unit; 1] = [(1_000_000, 2, "GHz")];
const BYTES: [Unit; 2] = [(1_000, 1, "kB/s"), (1_000_000, 2, "MB/s")];
const PER_CENT: [Unit; 1] = [(10_000, 2, "%")];

const fn figure(
    (key, label): (&'static str, &'static str),
    units: &'static [Unit],
    of: fn(Given) -> Option<u128>,
) -> Figure {
    Figure {
        key,
        label,
        units,
        of,
    }
}

/// All figures, from top to bottom.
pub static FIGURES: [Figure; 14] = [
    figure(("loop_ns", "time per loop"), &TIMES, |given| {
        loop_ns(given.loops?)
    }),
    figure(("loops_in_1000_s", "loops a second, one ring"), &RATES, |given| {
        loop_rate(given.loops?)
    }),
    figure(("requests_in_1000_s", "requests a second"), &RATES, |given| {
        requests(given.loops?)
    }),
    figure(("response_ns", "mean time to answer"), &TIMES, |given| {
        answer_ns(given.loops?)
    }),
    figure(("read_bytes_per_s", "read a second"), &BYTES, |given| {
        bytes(given.loops?)
    }),
    figure(("frames_in_1000_s", "frames a second"), &RATES, |given| {
        frames(given.loops?)
    }),
    figure(("power_uw", "power, estimate"), &POWERS, |given| {
        power_uw(given.loops?)
    }),
    figure(("loop_fj", "energy per loop, estimate"), &ENERGIES, |given| {
        loop_fj(given.loops?)
    }),
    figure(("end_khz", "clock at the end"), &CLOCKS, |given| {
        let loops = given.loops?;
        (loops.min_khz < loops.max_khz).then(|| u128::from(loops.khz))
    }),
    figure(
        ("tick_stops_in_1000_s", "tick stops a second, total"),
        &RATES,
        |given| tick_stops(given.loops?),
    ),
    figure(
        ("short_stops_ppm", "tick stopped for less than 25 µs"),
        &PER_CENT,
        |given| {
            let counts = given.summary.stopped.counts();
            let short: u64 = counts.get(BUCKETS - 3..)?.iter().sum();
            ppm(short, counts.iter().sum())
        },
    ),
    figure(("too_deep_ppm", "too deep, of exits"), &PER_CENT, |given| {
        ppm(given.summary.too_deep(), given.summary.periods())
    }),
    figure(("too_shallow_ppm", "too shallow, of exits"), &PER_CENT, |given| {
        ppm(given.summary.too_shallow(), given.summary.periods())
    }),
    figure(("idle_fj", "idle energy, estimate"), &ENERGIES, |given| {
        // A closed loop with power has an estimate that knows the clock.
        let known = given.loops.is_some_and(|loops| loops.power.is_some());
        let account = given.summary.energy.as_ref().filter(|_| !known)?;
        Some(whole(account.parts.idle().as_fj()))
    }),
];

/// A loop's time, ns.
#[must_use]
pub fn loop_ns(loops: &Loops) -> Option<u128> {
    Some(whole(loops.loop_time()?.as_ns().into()))
}

/// Loops of one ring in 1000 s.
#[must_use]
pub fn loop_rate(loops: &Loops) -> Option<u128> {
    let rate = in_1000_s(loops.loops()?, loops) / u128::from(loops.rings.max(1));
    (loops.rings > 0).then_some(rate)
}

/// Requests answered in 1000 s.
#[must_use]
pub fn requests(loops: &Loops) -> Option<u128> {
    Some(in_1000_s(loops.requests?, loops))
}

/// Mean time to answer, ns.
#[must_use]
pub fn answer_ns(loops: &Loops) -> Option<u128> {
    Some(whole(loops.response?.as_ns().into()))
}

/// Bytes read a second.
#[must_use]
pub fn bytes(loops: &Loops) -> Option<u128> {
    Some(in_1000_s(loops.bytes?, loops) / 1_000)
}

/// Frames done in 1000 s.
#[must_use]
pub fn frames(loops: &Loops) -> Option<u128> {
    Some(in_1000_s(loops.frames?, loops))
}

/// Mean power, µW.
#[must_use]
pub fn power_uw(loops: &Loops) -> Option<u128> {
    Some(u128::from(loops.power?.as_uw()))
}

/// Energy of a loop, fJ.
#[must_use]
pub fn loop_fj(loops: &Loops) -> Option<u128> {
    Some(whole(loops.loop_energy()?.as_fj()))
}

/// Tick stops of all CPUs in 1000 s.
#[must_use]
pub fn tick_stops(loops: &Loops) -> Option<u128> {
    Some(in_1000_s(loops.tick_stops, loops))
}

fn in_1000_s(count: u64, loops: &Loops) -> u128 {
    u128::from(count) * 1_000_000_000_000 / whole(loops.span.as_ns().into()).max(1)
}

fn ppm(part: u64, of: u64) -> Option<u128> {
    (of > 0).then(|| u128::from(part) * 1_000_000 / u128::from(of))
}

/// Without a sign; nothing for what is below zero.
#[must_use]
pub fn whole(value: i128) -> u128 {
    value.max(0).unsigned_abs()
}

/// Of units in ascending order the largest that the largest of some figures reaches, or a smaller one where the least
/// would be less than a tenth of it: so that none is a row of digits, and none is nothing.
#[must_use]
pub fn fitting(values: &[u128], units: &[Unit]) -> Unit {
    let most = values.iter().max().copied().unwrap_or_default();
    let least = values.iter().filter(|value| **value > 0).min();
    let least = least.copied().unwrap_or_default();
    let fits = |unit: &&Unit| most >= unit.0 && least.saturating_mul(10) >= unit.0;
    let found = units.iter().rev().find(fits).or(units.first());
    found.copied().unwrap_or((1, 0, ""))
}

/// A figure in a unit, without the unit's name.
#[must_use]
pub fn digits(value: u128, (scale, decimals, _): Unit) -> String {
    number::fixed(value, scale, decimals)
}

/// The name of a unit.
#[must_use]
pub fn unit_name((.., name): Unit, style: Style) -> String {
    name.replace('µ', style.micro())
}

/// A figure in a unit.
#[must_use]
pub fn written(value: u128, unit: Unit, style: Style) -> String {
    format!("{}{}{}", digits(value, unit), style.gap(), unit_name(unit, style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_names_of_their_own_and_units_that_ascend() {
        let names: std::collections::BTreeSet<_> =
            FIGURES.iter().flat_map(|one| [one.key, one.label]).collect();
        assert_eq!(names.len(), 2 * FIGURES.len());
        for figure in &FIGURES {
            assert!(figure.units.is_sorted_by_key(|unit| unit.0) && !figure.units.is_empty());
        }
    }

    #[test]
    fn a_unit_is_one_in_which_no_figure_is_nothing() {
        let unit = |values: &[u128]| fitting(values, &TIMES[..2]).2;
        assert_eq!(unit(&[4_870, 19_690]), "µs");
        assert_eq!(unit(&[4_870, 24_390_240]), "µs");
        assert_eq!(unit(&[480_000, 24_390_240]), "ms");
        assert_eq!(unit(&[0, 24_390_240]), "ms");
        assert_eq!(unit(&[]), "µs");
        assert_eq!(written(4_870, TIMES[0], Style::Ascii), "4.87 us");
    }
}
