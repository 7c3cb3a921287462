//! What a closed loop gave, in words and numbers: the rows that the summary and the mail table show.
//!
//! Power and energy are estimates. A figure that is not known is not there; a row that neither variant has is not
//! there either.

use super::figures::{self, ENERGIES, POWERS, RATES, TIMES, Unit, fitting, whole, written};
use super::session::closed::Loops;
use super::words::number::{self, Style};
use crate::sim::machine::FrequencyRule;
use crate::units::{CpuId, Ns};

/// Busy share above which schedutil asks for more than the present clock, per mille: it adds a quarter to the
/// utilisation (spec pelt-schedutil.md §4).
pub const HEADROOM_LINE: i64 = 800;

/// Said where differences between A and B are counted: a difference moves everything after it.
pub const AFTER_THE_FIRST: &str = "in a closed loop everything shifts after the first";

/// One figure of A and B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is, with what it counts.
    pub label: &'static str,
    /// Of A and of B.
    pub sides: [Option<String>; 2],
    /// B's as a multiple of A's; none where one is missing or A's is nothing.
    pub change: Option<String>,
}

/// A figure as a whole number of small units, and how it is written.
type Figure = (u128, String);

/// Times to answer in ns: a tenth of a µs is enough.
const ANSWERS: [Unit; 3] = [(1_000, 1, "µs"), (1_000_000, 2, "ms"), (1_000_000_000, 2, "s")];

/// The rows, top to bottom; none of a side that did not run.
#[must_use]
pub fn rows(sides: [Option<&Loops>; 2], style: Style) -> Vec<Row> {
    let row = |label, figure: &dyn Fn(&Loops) -> Option<Figure>| {
        let [a, b] = sides.map(|side| side.and_then(figure));
        let change = a
            .as_ref()
            .zip(b.as_ref())
            .and_then(|(a, b)| ratio(a.0, b.0, style));
        let row = Row {
            label,
            sides: [a.map(|a| a.1), b.map(|b| b.1)],
            change,
        };
        row.sides.iter().any(Option::is_some).then_some(row)
    };
    // One unit for both sides of a row.
    let measured = |label, of: fn(&Loops) -> Option<u128>, units: &[Unit]| {
        let values: Vec<u128> = sides.into_iter().flatten().filter_map(of).collect();
        let unit = fitting(&values, units);
        row(label, &|loops| {
            let value = of(loops)?;
            Some((value, written(value, unit, style)))
        })
    };
    let counted = |label, of: fn(&Loops) -> Option<u128>| {
        row(label, &|loops| {
            let rate = of(loops)? / 1_000;
            let text = number::count(u64::try_from(rate).unwrap_or(u64::MAX), style);
            Some((rate, text))
        })
    };
    let clock = |loops: &Loops| {
        let value = u128::from(loops.khz);
        let text = format!("{}{}GHz", number::fixed(value, 1_000_000, 1), style.gap());
        let most = number::fixed(u128::from(loops.max_khz), 1_000_000, 1);
        let text = if loops.khz == loops.max_khz {
            text
        } else {
            format!("{text} of {most}")
        };
        Some((value, text))
    };
    let rows = [
        measured("time per loop", figures::loop_ns, &TIMES),
        measured("loops a second, one ring", figures::loop_rate, &RATES),
        counted("requests a second", figures::requests),
        measured("mean time to answer", figures::answer_ns, &ANSWERS),
        measured("read a second", figures::bytes, &[(1_000_000, 2, "MB/s")]),
        measured(
            "frames a second, done in time",
            figures::frames,
            &[(1_000, 1, "Hz")],
        ),
        measured("power, estimate", figures::power_uw, &POWERS),
        measured("energy per loop, estimate", figures::loop_fj, &ENERGIES),
        row("clock at the end", &clock),
        counted("tick stops a second, total", figures::tick_stops),
    ];
    rows.into_iter().flatten().collect()
}

/// B's power in per cent of A's; none where either is not modelled.
#[must_use]
pub fn power_ratio(a: &Loops, b: &Loops, style: Style) -> Option<String> {
    let (a, b) = (u64::from(a.power?.as_uw()), u64::from(b.power?.as_uw()));
    (a > 0).then(|| number::share(b, a, 1, style))
}

/// `×4.05`; from 100 on without decimals.
fn ratio(a: u128, b: u128, style: Style) -> Option<String> {
    let times = match style {
        Style::Page => "×",
        Style::Ascii => "x",
    };
    let decimals = if a > 0 && b / a >= 100 { 0 } else { 2 };
    (a > 0).then(|| format!("{times}{}", number::fixed(b, a, decimals)))
}

/// The busy share at which a clock turns round and what is said about it; none where nobody looks at the share.
#[must_use]
pub fn headroom(sides: [Option<&Loops>; 2]) -> Option<(i64, &'static str)> {
    let looks = |loops: &&Loops| {
        matches!(
            loops.rule,
            Some(FrequencyRule::Schedutil | FrequencyRule::SchedutilInvariant)
        )
    };
    sides.into_iter().flatten().any(|loops| looks(&loops)).then_some((
        HEADROOM_LINE,
        "0.8: above it schedutil raises the clock, below it the clock sinks, unless the tick stays on.",
    ))
}

/// The parts of [`Loops::spent`], in the order of an idle period, in words.
pub const PARTS: [&str; 7] = [
    "tasks",
    "kernel, going idle",
    "tick: stop, restart, handler",
    "polling",
    "in a state",
    "leaving the state",
    "kernel, to the task",
];

/// Where the time of one variant's CPUs went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Of [`PARTS`], per mille of the time of the CPUs that ran tasks; 1000 together.
    pub per_mille: [i64; 7],
    /// A loop takes so long; none where nothing loops.
    pub of: Option<Ns>,
}

impl Cut {
    /// Of what a variant gave; none where no time was spent.
    #[must_use]
    pub fn of(loops: &Loops) -> Option<Self> {
        let total = i128::from(loops.spent.total().as_ns());
        if total <= 0 {
            return None;
        }
        let exact = loops.spent.parts().map(|part| i128::from(part.as_ns()) * 1_000);
        let mut per_mille = exact.map(|part| i64::try_from(part / total).unwrap_or_default());
        // What rounding down left over goes to those that lost most by it, so that the parts add up.
        let mut by_loss: Vec<usize> = (0..exact.len()).collect();
        by_loss.sort_by_key(|n| std::cmp::Reverse(exact[*n] % total));
        let missing = usize::try_from(1_000 - per_mille.iter().sum::<i64>()).unwrap_or_default();
        for n in by_loss.into_iter().take(missing) {
            per_mille[n] += 1;
        }
        Some(Self {
            per_mille,
            of: loops.loop_time(),
        })
    }

    /// A part in words: its time in a loop, or its share.
    #[must_use]
    pub fn text(&self, part: usize, style: Style) -> String {
        let share = self.per_mille.get(part).copied().unwrap_or_default();
        match self.of {
            Some(time) => {
                let ns = i128::from(time.as_ns()) * i128::from(share) / 1_000;
                format!(
                    "{}{}{}s",
                    number::fixed(whole(ns), 1_000, 2),
                    style.gap(),
                    style.micro()
                )
            }
            None => format!("{}{}%", number::fixed(whole(share.into()), 10, 1), style.gap()),
        }
    }
}

/// What the figures come from, in sentences: the clock against the busy share, and what stopping the tick costs.
#[must_use]
pub fn reasons(sides: [Option<&Loops>; 2], style: Style) -> Vec<String> {
    let named = ["A", "B"].into_iter().zip(sides);
    let named: Vec<(&str, &Loops)> = named.filter_map(|(name, side)| Some((name, side?))).collect();
    let clocks = named
        .iter()
        .filter_map(|(name, loops)| of_clock(name, loops, style));
    clocks.chain(of_tick(&named, style)).collect()
}

fn of_clock(name: &str, loops: &Loops, style: Style) -> Option<String> {
    headroom([Some(loops), None])?;
    let busiest = loops.busy_per_mille.iter().copied().max()?;
    let share = format!("{}{}%", number::fixed(whole(busiest.into()), 10, 1), style.gap());
    let clock = |khz: u32| number::fixed(u128::from(khz), 1_000_000, 1);
    let (now, most) = (clock(loops.khz), clock(loops.max_khz));
    let low = if loops.khz == loops.min_khz {
        format!("its lowest, {now} GHz of {most}")
    } else {
        format!("{now} of {most} GHz")
    };
    Some(match (busiest > HEADROOM_LINE, loops.khz < loops.max_khz) {
        (true, false) => format!(
            "{name}: the busiest CPU runs tasks {share} of the time, above 80 %: with a quarter added schedutil asks for more than there is, so the clock is at its highest, {now} GHz."
        ),
        (false, true) => format!(
            "{name}: the busiest CPU runs tasks {share} of the time, below 80 %: with a quarter added that is less than the present clock, so it sank and stays at {low}; a slower clock makes the work longer, but not the waits, and the share does not rise above the line."
        ),
        (true, true) => format!(
            "{name}: the busiest CPU runs tasks {share} of the time, above 80 %, at {now} of {most} GHz: the clock is on its way up, or a tick that keeps running holds it."
        ),
        (false, false) => format!(
            "{name}: the busiest CPU runs tasks {share} of the time, below 80 %, yet the clock is at its highest, {now} GHz: it began there, and schedutil does not lower it while the tick keeps running between looks."
        ),
    })
}

/// Who stops the tick more often, and what that takes.
fn of_tick(named: &[(&str, &Loops)], style: Style) -> Option<String> {
    let most = named.iter().max_by_key(|(_, loops)| loops.tick_stops)?;
    let (name, loops) = most;
    let rate = u128::from(loops.tick_stops) * 1_000_000_000 / whole(loops.span.as_ns().into()).max(1);
    let cut = Cut::of(loops)?;
    // Below a per mille of the time it explains nothing.
    if cut.per_mille[2] < 1 || rate < 100 {
        return None;
    }
    let per = if cut.of.is_some() {
        " of each loop"
    } else {
        " of their time"
    };
    Some(format!(
        "{name} stops the tick {} times a second, all CPUs together: stopping, restarting and serving it takes {}{per}.",
        number::count(u64::try_from(rate).unwrap_or(u64::MAX), style),
        cut.text(2, style)
    ))
}

/// One CPU's busy share in both variants, per mille.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The CPU.
    pub cpu: CpuId,
    /// Of A and of B.
    pub sides: [Option<i64>; 2],
}

/// The shares of all CPUs that ran tasks at all, by number.
#[must_use]
pub fn shares(sides: [Option<&Loops>; 2]) -> Vec<Share> {
    let of = |side: Option<&Loops>, n: usize| side.and_then(|loops| loops.busy_per_mille.get(n).copied());
    let count = sides
        .iter()
        .flatten()
        .map(|loops| loops.busy_per_mille.len())
        .max()
        .unwrap_or_default();
    (0..count)
        .filter_map(|n| {
            let sides = sides.map(|side| of(side, n));
            let ran = sides.iter().flatten().any(|share| *share > 0);
            let cpu = CpuId::new(u16::try_from(n).ok()?);
            ran.then_some(Share { cpu, sides })
        })
        .collect()
}

/// The lines of the mail table: ASCII, at most 72 columns; `ranged` when only a range is summarised above.
#[must_use]
pub fn mail_lines(sides: [Option<&Loops>; 2], ranged: bool) -> Vec<String> {
    let rows = rows(sides, Style::Ascii);
    if rows.is_empty() {
        return Vec::new();
    }
    let head = if ranged { "loop, whole record" } else { "loop" };
    let line = |label: &str, a: &str, b: &str, change: &str| {
        let text = format!("{label:<26} {a:>17} {b:>17} {change:>9}");
        text.trim_end().to_owned()
    };
    let text = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
    let mut lines = vec![line(head, "A", "B", "A to B")];
    for row in &rows {
        let [a, b] = &row.sides;
        let change = row.change.as_deref().unwrap_or("");
        lines.push(line(row.label, &text(a), &text(b), change));
    }
    let shares = shares(sides);
    for (n, letter) in ["A", "B"].into_iter().enumerate() {
        let of: Vec<(CpuId, i64)> = shares
            .iter()
            .filter_map(|share| Some((share.cpu, share.sides.get(n).copied().flatten()?)))
            .collect();
        let (Some(least), Some(most)) = (
            of.iter().map(|(_, share)| *share).min(),
            of.iter().map(|(_, share)| *share).max(),
        ) else {
            continue;
        };
        let per_cent = |share: i64| number::fixed(whole(share.into()), 10, 1);
        let range = if least == most {
            per_cent(least)
        } else {
            format!("{} to {}", per_cent(least), per_cent(most))
        };
        let noun = if of.len() == 1 { "CPU" } else { "CPUs" };
        lines.push(format!(
            "{letter}: {} {noun} ran tasks, {range} % of the time each",
            of.len()
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session::closed::Parameters;
    use crate::sim::machine::Spent;
    use crate::units::{Energy, Microwatts};

    fn loops(sends: u64, uw: u32, khz: u32, stops: u64) -> Loops {
        Loops {
            parameters: Parameters::SandyBridge,
            span: Ns::from_ms(200),
            sends: Some(sends),
            rings: 2,
            sends_per_loop: 2,
            requests: None,
            response: None,
            frames: None,
            bytes: None,
            power: Some(Microwatts::new(uw)),
            energy: Some(Energy::from_fj(i128::from(uw) * 200_000_000)),
            khz,
            max_khz: 3_700_000,
            min_khz: 1_600_000,
            rule: Some(FrequencyRule::Schedutil),
            busy_per_mille: vec![850, 0, 852],
            spent: Spent {
                tasks: Ns::from_ms(340),
                tick: Ns::from_ms(20),
                asleep: Ns::from_ms(40),
                ..Spent::default()
            },
            tick_stops: stops,
        }
    }

    #[test]
    fn rows_have_one_unit_each_and_the_change_as_a_multiple() {
        let (teo, mobile) = (
            loops(164_271, 40_950_000, 3_700_000, 3),
            loops(40_630, 12_670_000, 1_600_000, 10_160),
        );
        let rows = rows([Some(&teo), Some(&mobile)], Style::Page);
        let texts: Vec<String> = rows
            .iter()
            .map(|row| {
                let side = |n: usize| row.sides[n].clone().unwrap_or_default().replace('\u{202f}', "_");
                format!(
                    "{}: {} | {} | {}",
                    row.label,
                    side(0),
                    side(1),
                    row.change.clone().unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(
            texts,
            [
                "time per loop: 4.87_µs | 19.69_µs | ×4.04",
                "loops a second, one ring: 205.3_kHz | 50.8_kHz | ×0.25",
                "power, estimate: 40.95_W | 12.67_W | ×0.31",
                "energy per loop, estimate: 199.4_µJ | 249.5_µJ | ×1.25",
                "clock at the end: 3.7_GHz | 1.6_GHz of 3.7 | ×0.43",
                "tick stops a second, total: 15 | 50_800 | ×3387",
            ]
        );
    }

    #[test]
    fn the_line_of_schedutil_is_there_only_where_schedutil_sets_the_clock() {
        let by = |rule| Loops {
            rule,
            ..loops(2, 1, 1, 0)
        };
        let line = |rule| headroom([Some(&by(rule)), None]).map(|(line, _)| line);
        assert_eq!(line(Some(FrequencyRule::Schedutil)), Some(800));
        assert_eq!(line(Some(FrequencyRule::SchedutilInvariant)), Some(800));
        for rule in [None, Some(FrequencyRule::Performance), Some(FrequencyRule::Fixed)] {
            assert_eq!(line(rule), None, "{rule:?}");
        }
    }

    #[test]
    fn what_is_not_known_or_did_not_run_is_not_there() {
        let server = Loops {
            sends: None,
            rings: 0,
            requests: Some(1_000),
            response: Some(Ns::from_us(180)),
            power: None,
            energy: None,
            ..loops(0, 0, 1_000_000, 0)
        };
        let found = rows([Some(&server), None], Style::Page);
        let labels: Vec<&str> = found.iter().map(|row| row.label).collect();
        assert_eq!(
            labels,
            [
                "requests a second",
                "mean time to answer",
                "clock at the end",
                "tick stops a second, total"
            ]
        );
        assert!(
            found
                .iter()
                .all(|row| row.sides[1].is_none() && row.change.is_none())
        );
        assert_eq!(rows([None, None], Style::Page), []);
        assert_eq!(mail_lines([None, None], false), Vec::<String>::new());
    }

    #[test]
    fn the_power_of_a_phone_is_in_mw() {
        let (a, b) = (loops(2, 116_400, 1, 0), loops(2, 112_000, 1, 0));
        let found = rows([Some(&a), Some(&b)], Style::Ascii);
        let power = found.iter().find(|row| row.label == "power, estimate");
        let sides = power.expect("is modelled").sides.clone();
        assert_eq!(sides, [Some("116.4 mW".to_owned()), Some("112.0 mW".to_owned())]);
        assert_eq!(power_ratio(&a, &b, Style::Ascii).as_deref(), Some("96.2 %"));
    }

    #[test]
    fn slow_loops_are_in_ms_and_hz_and_both_sides_in_one_unit() {
        // 40 loops a second, as bursts have them: 24 390.24 µs and 0.0 kHz say little.
        let (a, b) = (loops(33, 900_000, 1, 0), loops(17, 2_400_000, 1, 0));
        let found = rows([Some(&a), Some(&b)], Style::Ascii);
        let sides = |label: &str| {
            let row = found.iter().find(|row| row.label == label).expect("is there");
            row.sides.clone().map(Option::unwrap_or_default)
        };
        assert_eq!(sides("time per loop"), ["25.00 ms", "50.00 ms"]);
        assert_eq!(sides("loops a second, one ring"), ["40.0 Hz", "20.0 Hz"]);
        assert_eq!(sides("power, estimate"), ["0.90 W", "2.40 W"]);
        assert_eq!(sides("energy per loop, estimate"), ["22.5 mJ", "120.0 mJ"]);
    }

    #[test]
    fn shares_are_those_of_cpus_that_ran_tasks() {
        let (a, b) = (loops(2, 1, 1, 0), loops(2, 1, 1, 0));
        let cpus: Vec<(u16, [Option<i64>; 2])> = shares([Some(&a), Some(&b)])
            .into_iter()
            .map(|share| (share.cpu.number(), share.sides))
            .collect();
        assert_eq!(cpus, [(0, [Some(850), Some(850)]), (2, [Some(852), Some(852)])]);
    }

    #[test]
    fn lines_for_mail_fit_and_are_ascii() {
        let (teo, mobile) = (
            loops(164_271, 40_950_000, 3_700_000, 3),
            loops(40_630, 12_670_000, 1_600_000, 10_160),
        );
        let lines = mail_lines([Some(&teo), Some(&mobile)], false);
        assert_eq!(
            lines,
            [
                "loop                                       A                 B    A to B",
                "time per loop                        4.87 us          19.69 us     x4.04",
                "loops a second, one ring           205.3 kHz          50.8 kHz     x0.25",
                "power, estimate                      40.95 W           12.67 W     x0.31",
                "energy per loop, estimate           199.4 uJ          249.5 uJ     x1.25",
                "clock at the end                     3.7 GHz    1.6 GHz of 3.7     x0.43",
                "tick stops a second, total                15             50800     x3387",
                "A: 2 CPUs ran tasks, 85.0 to 85.2 % of the time each",
                "B: 2 CPUs ran tasks, 85.0 to 85.2 % of the time each",
            ]
        );
        assert!(lines.iter().all(|line| line.len() <= 72 && line.is_ascii()));
    }

    #[test]
    fn a_loop_is_cut_into_what_takes_its_time() {
        let cut = Cut::of(&loops(164_271, 1, 3_700_000, 3)).expect("time was spent");
        assert_eq!(cut.per_mille, [850, 0, 50, 0, 100, 0, 0]);
        assert_eq!(cut.text(0, Style::Ascii), "4.14 us");
        let server = Loops {
            sends: None,
            ..loops(0, 1, 1, 0)
        };
        let cut = Cut::of(&server).expect("time was spent");
        assert_eq!(cut.text(2, Style::Ascii), "5.0 %");
    }

    #[test]
    fn the_parts_of_a_loop_add_up_to_all_of_it() {
        let mut third = loops(10, 1, 3_700_000, 3);
        third.spent = Spent {
            tasks: Ns::new(1_000),
            polling: Ns::new(1_001),
            asleep: Ns::new(1_000),
            exiting: Ns::new(1),
            ..Spent::default()
        };
        let cut = Cut::of(&third).expect("time was spent");
        assert_eq!(cut.per_mille, [333, 0, 0, 334, 333, 0, 0]);
    }

    #[test]
    fn the_clock_is_explained_by_the_busy_share_and_the_tick_by_its_stops() {
        let (high, mut low) = (loops(10, 1, 3_700_000, 0), loops(10, 1, 1_600_000, 10_160));
        low.busy_per_mille = vec![486, 485];
        let said = reasons([Some(&high), Some(&low)], Style::Ascii);
        assert!(said[0].contains("85.2 % of the time, above 80 %"), "{said:?}");
        assert!(
            said[1].contains("stays at its lowest, 1.6 GHz of 3.7;"),
            "{said:?}"
        );
        assert!(said[2].starts_with("B stops the tick 50800 times"), "{said:?}");
        low.rule = Some(FrequencyRule::Performance);
        assert_eq!(
            reasons([None, Some(&low)], Style::Ascii).len(),
            1,
            "nobody lowers that clock"
        );
    }
}
