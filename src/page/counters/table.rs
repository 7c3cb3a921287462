//! Counters as rows, on the page and in the 72 columns of mail.

use std::collections::BTreeMap;

use super::{Counters, Key, Measurement, Span, Tally};
use crate::page::mail::lines::{WIDTH, ascii, cut, fill};
use crate::page::words::number::{Style, count, cpus, duration, per_cent, share_change};
use crate::units::Ns;

/// A number as printed, and its share beside it where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The number.
    pub text: String,
    /// Its share, per cent without the sign.
    pub share: Option<String>,
}

impl Cell {
    fn new(text: String) -> Self {
        Self { text, share: None }
    }
}

/// A table: the first column is names, all others are numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// What it is about.
    pub title: String,
    /// Heads of the columns.
    pub heads: Vec<&'static str>,
    /// Name and cells; the last row of a block may be a total.
    pub rows: Vec<(String, Vec<Cell>, bool)>,
    /// What is to be known beside it, in sentences.
    pub notes: Vec<String>,
}

fn of(part: Option<u64>, whole: Option<u64>, decimals: u32, style: Style) -> String {
    match (part, whole) {
        (Some(part), Some(whole)) => per_cent(part, whole, decimals, style),
        _ => style.none().to_owned(),
    }
}

/// Seconds with three decimals, fewer where there are many.
fn seconds(us: u64) -> String {
    let decimals = match us {
        0..100_000_000_000 => 3,
        100_000_000_000..10_000_000_000_000 => 1,
        _ => 0,
    };
    per_cent(us, 100_000_000, decimals, Style::Ascii)
}

/// Tenths of a microsecond below a second, whole ones above.
fn mean(tally: &Tally, style: Style) -> String {
    match (tally.time_us, tally.usage) {
        (Some(us), Some(usage)) if usage > 0 => {
            let decimals = u32::from(us / usage < 1_000_000);
            per_cent(us, usage.saturating_mul(100), decimals, style)
        }
        _ => style.none().to_owned(),
    }
}

fn cells(tally: &Tally, total: &Tally, rejected: bool, style: Style) -> Vec<Cell> {
    let number = |n: Option<u64>| n.map_or_else(|| style.none().to_owned(), |n| count(n, style));
    let counted = |n: Option<u64>| Cell {
        text: number(n),
        share: n.map(|n| of(Some(n), tally.usage, 1, style)),
    };
    let mut cells = vec![
        Cell::new(number(tally.usage)),
        Cell::new(tally.time_us.map_or_else(|| style.none().to_owned(), seconds)),
        Cell::new(of(tally.weight(), total.weight(), 1, style)),
        Cell::new(mean(tally, style)),
        counted(tally.above),
        counted(tally.below),
    ];
    if rejected {
        cells.push(Cell::new(number(tally.rejected)));
    }
    cells
}

/// One measurement, all CPUs together or one after another.
#[must_use]
pub fn grid(letter: &str, measurement: &Measurement, by_cpu: bool, style: Style) -> Grid {
    let states = measurement.states();
    let total = Measurement::total(&states);
    let rejected = total.rejected.is_some_and(|rejected| rejected > 0);
    let mut heads = vec![
        "state",
        "usage",
        "time s",
        "share %",
        "mean us",
        "too deep",
        "too shallow",
    ];
    if style == Style::Page {
        heads.splice(4..5, ["mean µs"]);
    }
    if rejected {
        heads.push("rejected");
    }
    let mut rows = Vec::new();
    let mut block = |prefix: &str, states: &BTreeMap<Key, Tally>| {
        let total = Measurement::total(states);
        for ((_, name), tally) in states {
            rows.push((
                format!("{prefix}{name}"),
                cells(tally, &total, rejected, style),
                false,
            ));
        }
        rows.push((
            format!("{prefix}TOTAL"),
            cells(&total, &total, rejected, style),
            true,
        ));
    };
    if by_cpu {
        for (cpu, states) in &measurement.cpus {
            let prefix = cpu.map_or_else(String::new, |cpu| format!("{cpu} "));
            block(&prefix, states);
        }
    } else {
        block("", &states);
    }
    Grid {
        title: title(letter, measurement, style),
        heads,
        rows,
        notes: notes(measurement),
    }
}

fn title(letter: &str, measurement: &Measurement, style: Style) -> String {
    let interval = measurement
        .interval_us
        .map(|us| duration(Ns::from_us(i64::try_from(us).unwrap_or(i64::MAX / 1_000)), style));
    let span = match (measurement.span, interval) {
        (Span::SinceBoot, _) => "since boot".to_owned(),
        (Span::Between, _) => "two dumps".to_owned(),
        (Span::Intervals(1), None) => "one interval".to_owned(),
        (Span::Intervals(n), None) => format!("{n} intervals"),
        (Span::Intervals(1), Some(interval)) => format!("one interval, {interval}"),
        (Span::Intervals(n), Some(interval)) => format!("{n} intervals, {interval} in all"),
    };
    let named = match measurement.cpus_named() {
        0 => String::new(),
        n => format!(", {}", cpus(n)),
    };
    format!("{letter}: {}, {span}{named}", measurement.source)
}

fn notes(measurement: &Measurement) -> Vec<String> {
    let mut notes = measurement.notes.clone();
    if let Some(off) = measurement.disabled.as_ref().filter(|off| !off.is_empty()) {
        notes.push(format!("switched off on some CPU: {}", off.join(", ")));
    }
    let unknown = measurement.unknown();
    if !unknown.is_empty() {
        notes.push(format!("unknown: {}", unknown.join(", ")));
    }
    notes
}

/// From A to B, by state; none without both.
#[must_use]
pub fn changes(counters: &Counters, style: Style) -> Option<Grid> {
    let [Some(a), Some(b)] = &counters.sides else {
        return None;
    };
    let (of_a, of_b) = (a.states(), b.states());
    let (total_a, total_b) = (Measurement::total(&of_a), Measurement::total(&of_b));
    let mut rows = Vec::new();
    let mut only = Vec::new();
    for (key, tally) in &of_a {
        match of_b.get(key) {
            Some(other) => rows.push((
                key.1.clone(),
                changed((tally, &total_a), (other, &total_b), style),
                false,
            )),
            None => only.push(format!("{} in A only", key.1)),
        }
    }
    let new = of_b.keys().filter(|key| !of_a.contains_key(*key));
    only.extend(new.map(|key| format!("{} in B only", key.1)));
    rows.push((
        "TOTAL".to_owned(),
        changed((&total_a, &total_a), (&total_b, &total_b), style),
        true,
    ));
    let mut notes = vec!["share, too deep and too shallow in percentage points".to_owned()];
    if !only.is_empty() {
        notes.push(format!("not compared: {}", only.join(", ")));
    }
    Some(Grid {
        title: "From A to B".to_owned(),
        heads: vec![
            "state",
            "usage %",
            "time %",
            "share pp",
            "mean %",
            "too deep pp",
            "too shallow pp",
        ],
        rows,
        notes,
    })
}

fn changed((a, whole_a): (&Tally, &Tally), (b, whole_b): (&Tally, &Tally), style: Style) -> Vec<Cell> {
    let points = |from: Option<(u64, u64)>, to: Option<(u64, u64)>| {
        Cell::new(match (from, to) {
            (Some(from), Some(to)) => share_change(from, to, 1, style),
            _ => style.none().to_owned(),
        })
    };
    let share = |tally: &Tally, total: &Tally| Some((tally.weight()?, total.weight()?));
    let deep = |tally: &Tally| Some((tally.above?, tally.usage?));
    let shallow = |tally: &Tally| Some((tally.below?, tally.usage?));
    let ratio = |from: Option<(u64, u64)>, to: Option<(u64, u64)>| {
        Cell::new(match (from, to) {
            (Some(from), Some(to)) => relative(from, to, style),
            _ => style.none().to_owned(),
        })
    };
    let whole = |n: Option<u64>| Some((n?, 1));
    let mean = |tally: &Tally| Some((tally.time_us?, tally.usage.filter(|usage| *usage > 0)?));
    vec![
        ratio(whole(a.usage), whole(b.usage)),
        ratio(whole(a.time_us), whole(b.time_us)),
        points(share(a, whole_a), share(b, whole_b)),
        ratio(mean(a), mean(b)),
        points(deep(a), deep(b)),
        points(shallow(a), shallow(b)),
    ]
}

/// By how many per cent a fraction differs from another one, signed, one decimal.
fn relative((a, a_of): (u64, u64), (b, b_of): (u64, u64), style: Style) -> String {
    let (from, to) = (u128::from(a) * u128::from(b_of), u128::from(b) * u128::from(a_of));
    if from == 0 {
        return style.none().to_owned();
    }
    let per_mille = (to.abs_diff(from).saturating_mul(1_000).saturating_add(from / 2)) / from;
    let sign = match (per_mille, to < from) {
        (0, _) => "",
        (_, true) => style.minus(),
        (_, false) => "+",
    };
    format!("{sign}{}.{}", per_mille / 10, per_mille % 10)
}

/// The same for mail: every measurement, what changed, what is unknown; ASCII, at most 72 columns.
#[must_use]
pub fn text(counters: &Counters, by_cpu: bool) -> String {
    let mut out: Vec<String> = Vec::new();
    for (letter, side) in ["A", "B"].iter().zip(&counters.sides) {
        if let Some(measurement) = side {
            block(&mut out, &grid(letter, measurement, by_cpu, Style::Ascii));
        }
    }
    if let Some(changes) = changes(counters, Style::Ascii) {
        block(&mut out, &changes);
    }
    for note in &counters.notes {
        out.extend(fill(note, 2));
    }
    if !out.is_empty() {
        out.extend(fill(
            "Kernel counters: too deep is above, too shallow is below, both in counts and per cent of usage; share \
             is of the time in idle states.",
            0,
        ));
    }
    out.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn block(out: &mut Vec<String>, grid: &Grid) {
    out.extend(fill(&grid.title, 3));
    let printed = |cell: &Cell| match &cell.share {
        Some(share) => format!("{} {share:>5}", ascii(&cell.text)),
        None => ascii(&cell.text),
    };
    let rows: Vec<(&str, Vec<String>)> = grid
        .rows
        .iter()
        .map(|(name, cells, _)| (name.as_str(), cells.iter().map(printed).collect()))
        .collect();
    let widths: Vec<usize> = (0..grid.heads.len().saturating_sub(1))
        .map(|n| {
            let cells = rows.iter().filter_map(|(_, cells)| cells.get(n)).map(String::len);
            let head = grid.heads.get(n + 1).map_or(0, |head| head.len());
            cells.chain([head]).max().unwrap_or(0)
        })
        .collect();
    let taken: usize = widths.iter().map(|width| width + 1).sum();
    let names = rows
        .iter()
        .map(|(name, _)| ascii(name).len())
        .max()
        .unwrap_or(0)
        .max(5);
    let name_width = names.min(WIDTH.saturating_sub(taken)).max(5);
    let mut line = |name: &str, cells: &[String]| {
        let mut line = format!("{:name_width$}", cut(name, name_width));
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(&format!(" {cell:>width$}"));
        }
        if line.len() > WIDTH {
            // Numbers of more digits than any counter has had: two lines are better than a wrapped one.
            let (head, tail) = line.split_at(WIDTH);
            out.push(head.to_owned());
            out.push(format!("  {tail}"));
        } else {
            out.push(line);
        }
    };
    let heads: Vec<String> = grid.heads.iter().skip(1).map(|head| (*head).to_owned()).collect();
    line("state", &heads);
    for (name, cells) in &rows {
        line(name, cells);
    }
    for note in &grid.notes {
        out.extend(fill(note, 2));
    }
    out.push(String::new());
}
