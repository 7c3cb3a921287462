//! The table that people make by hand of two dumps: per state how often, how long, what share, how long on
//! average, how often too deep and too shallow; and of two such pairs what changed.
//!
//! A cumulative dump (sysfs, cpupower) needs the one from before; alone it counts since boot. A log of intervals
//! (turbostat, cpupower monitor) stands for itself, its intervals added up. Dumps are paired in the order in which
//! they came, two that are the wrong way round are turned. The first measurement is A, the second B.
//!
//! Invariants: what was not printed stays `None`, never zero; a counter that goes backwards is said to, and its
//! pair gives no table; nothing is scaled or rounded before it is printed.

mod json;
mod table;

use std::collections::BTreeMap;

use super::sheets::Reading;
use crate::trace::tables::{Attr, Form, Sheet, State};

pub use json::{counters as json, sheet as sheet_json};
pub use table::{Cell, Grid, changes, grid, text};

/// What was counted for one state, on one CPU or on several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often it was requested.
    pub usage: Option<u64>,
    /// Time in it, µs.
    pub time_us: Option<u64>,
    /// Sum of shares of CPU time, 1/100 of a per cent, where no time is known.
    pub share: Option<u64>,
    /// Too deep.
    pub above: Option<u64>,
    /// Too shallow.
    pub below: Option<u64>,
    /// Requests that were refused.
    pub rejected: Option<u64>,
}

impl Tally {
    /// What is compared for shares: time where it is known, else shares.
    #[must_use]
    pub fn weight(&self) -> Option<u64> {
        self.time_us.or(self.share)
    }

    fn add(&mut self, other: &Self) {
        let sum = |one: &mut Option<u64>, other: Option<u64>| {
            *one = match (*one, other) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            };
        };
        sum(&mut self.usage, other.usage);
        sum(&mut self.time_us, other.time_us);
        sum(&mut self.share, other.share);
        sum(&mut self.above, other.above);
        sum(&mut self.below, other.below);
        sum(&mut self.rejected, other.rejected);
    }

    /// What was counted between two moments; `Err` where a counter went backwards.
    fn between(before: &Self, after: &Self) -> Result<Self, ()> {
        let less = |before: Option<u64>, after: Option<u64>| match (before, after) {
            (Some(before), Some(after)) => after.checked_sub(before).map(Some).ok_or(()),
            _ => Ok(None),
        };
        Ok(Self {
            usage: less(before.usage, after.usage)?,
            time_us: less(before.time_us, after.time_us)?,
            share: None,
            above: less(before.above, after.above)?,
            below: less(before.below, after.below)?,
            rejected: less(before.rejected, after.rejected)?,
        })
    }

    fn of(state: &State) -> Self {
        Self {
            usage: state.get(Attr::Usage),
            time_us: state.get(Attr::Time),
            share: state.get(Attr::Share),
            above: state.get(Attr::Above),
            below: state.get(Attr::Below),
            rejected: state.get(Attr::Rejected),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A state on one CPU: the kernel's index, its name.
pub type Key = (u8, String);

/// What was counted on each CPU; `None` where the text names no CPU.
pub type ByCpu = BTreeMap<Option<u16>, BTreeMap<Key, Tally>>;

/// Over which time something was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Since boot: there is no dump from before.
    SinceBoot,
    /// Between two dumps.
    Between,
    /// In intervals, so many.
    Intervals(usize),
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The files it comes from.
    pub source: String,
    /// Over which time.
    pub span: Span,
    /// How long that was, µs; none when no text says it.
    pub interval_us: Option<u64>,
    /// What was counted.
    pub cpus: ByCpu,
    /// States that were switched off, by name; none when no text says it.
    pub disabled: Option<Vec<String>>,
    /// What is odd about it, in sentences.
    pub notes: Vec<String>,
}

impl Measurement {
    /// All CPUs together, by state.
    #[must_use]
    pub fn states(&self) -> BTreeMap<Key, Tally> {
        let mut states: BTreeMap<Key, Tally> = BTreeMap::new();
        for (key, tally) in self.cpus.values().flatten() {
            states.entry(key.clone()).or_default().add(tally);
        }
        states
    }

    /// Everything together.
    #[must_use]
    pub fn total(states: &BTreeMap<Key, Tally>) -> Tally {
        let mut total = Tally::default();
        states.values().for_each(|tally| total.add(tally));
        total
    }

    /// How many CPUs are known by number.
    #[must_use]
    pub fn cpus_named(&self) -> usize {
        self.cpus.keys().flatten().count()
    }

    /// What nobody said, in words: each is named, none is guessed.
    #[must_use]
    pub fn unknown(&self) -> Vec<&'static str> {
        let total = Self::total(&self.states());
        let lacks = [
            (self.interval_us.is_none(), "interval"),
            (self.cpus.keys().all(Option::is_none), "CPU count"),
            (total.usage.is_none(), "usage"),
            (total.time_us.is_none(), "time"),
            (total.above.is_none(), "too deep"),
            (total.below.is_none(), "too shallow"),
            (total.rejected.is_none(), "rejected"),
            (self.disabled.is_none(), "disabled"),
        ];
        lacks
            .iter()
            .filter(|(lacks, _)| *lacks)
            .map(|(_, what)| *what)
            .collect()
    }
}

/// A and B, as far as there are dumps for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The first measurement, and the second.
    pub sides: [Option<Measurement>; 2],
    /// What was left out and why, in sentences.
    pub notes: Vec<String>,
}

impl Counters {
    /// Out of everything that was read, oldest first.
    #[must_use]
    pub fn of(readings: &[Reading]) -> Self {
        let mut notes = Vec::new();
        let mut found: Vec<Measurement> = Vec::new();
        let mut waiting: Option<(&str, &Sheet)> = None;
        for reading in readings {
            let counts = |sheet: &&Sheet| {
                sheet
                    .cpus
                    .values()
                    .flatten()
                    .any(|(_, state)| !Tally::of(state).is_empty())
            };
            let sheets: Vec<&Sheet> = reading.tables.sheets.iter().filter(counts).collect();
            let (intervals, dumps): (Vec<&Sheet>, Vec<&Sheet>) = sheets
                .into_iter()
                .partition(|sheet| matches!(sheet.form, Form::Turbostat | Form::Monitor));
            if !intervals.is_empty() {
                found.push(logged(&reading.name, &intervals));
            }
            for dump in dumps {
                match waiting.take() {
                    None => waiting = Some((&reading.name, dump)),
                    Some(before) => match between(before, (&reading.name, dump)) {
                        Ok(measurement) => found.push(measurement),
                        Err(why) => notes.push(why),
                    },
                }
            }
        }
        match waiting {
            Some((name, dump)) if found.is_empty() => found.push(since_boot(name, dump)),
            Some((name, _)) => notes.push(format!(
                "{name} waits for a second dump: open the one from after it"
            )),
            None => {}
        }
        if found.len() > 2 {
            notes.push(format!(
                "{} later measurements are not shown: forget one of the first two to see them",
                found.len() - 2
            ));
        }
        let mut found = found.into_iter();
        Self {
            sides: [found.next(), found.next()],
            notes,
        }
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sides.iter().all(Option::is_none) && self.notes.is_empty()
    }
}

fn key(idx: u8, state: &State) -> Key {
    let name = state.name.clone().unwrap_or_else(|| format!("state{idx}"));
    (idx, name)
}

fn by_cpu(sheet: &Sheet) -> ByCpu {
    let states = |states: &BTreeMap<u8, State>| {
        states
            .iter()
            .map(|(idx, state)| (key(*idx, state), Tally::of(state)))
            .collect()
    };
    sheet.cpus.iter().map(|(cpu, own)| (*cpu, states(own))).collect()
}

/// States that are off on some CPU; none when the sheet does not say.
fn disabled(sheet: &Sheet) -> Option<Vec<String>> {
    let states = || sheet.cpus.values().flatten();
    states().find(|(_, state)| state.get(Attr::Disable).is_some())?;
    let mut names: Vec<String> = states()
        .filter(|(_, state)| state.get(Attr::Disable).is_some_and(|disable| disable != 0))
        .map(|(idx, state)| key(*idx, state).1)
        .collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}

fn since_boot(name: &str, sheet: &Sheet) -> Measurement {
    Measurement {
        source: name.to_owned(),
        span: Span::SinceBoot,
        interval_us: None,
        cpus: by_cpu(sheet),
        disabled: disabled(sheet),
        notes: vec!["one dump: its counters run since boot; open the one from after the test too".to_owned()],
    }
}

fn logged(name: &str, sheets: &[&Sheet]) -> Measurement {
    let known: Option<Vec<u64>> = sheets.iter().map(|sheet| sheet.interval_us).collect();
    let interval_us = known.map(|known| known.into_iter().fold(0, u64::saturating_add));
    let mut cpus = ByCpu::new();
    for sheet in sheets {
        for (cpu, states) in by_cpu(sheet) {
            for (key, mut tally) in states {
                // A share of a known interval is a time.
                if let (Some(share), Some(interval), None, true) = (
                    tally.share,
                    sheet.interval_us,
                    tally.time_us,
                    interval_us.is_some(),
                ) {
                    tally.time_us = u64::try_from(u128::from(share) * u128::from(interval) / 10_000).ok();
                }
                cpus.entry(cpu).or_default().entry(key).or_default().add(&tally);
            }
        }
    }
    Measurement {
        source: name.to_owned(),
        span: Span::Intervals(sheets.len()),
        interval_us,
        cpus,
        disabled: None,
        notes: Vec::new(),
    }
}

/// What was counted between two dumps.
///
/// # Errors
/// Why they are no pair.
fn between((first, one): (&str, &Sheet), (second, other): (&str, &Sheet)) -> Result<Measurement, String> {
    let (source, mut notes) = (
        if first == second {
            first.to_owned()
        } else {
            format!("{first} to {second}")
        },
        Vec::new(),
    );
    let measured = match deltas(one, other, &mut notes) {
        Ok(cpus) => (source, cpus),
        Err(backwards) => {
            let mut turned = Vec::new();
            let cpus = deltas(other, one, &mut turned).map_err(|_| {
                format!(
                    "{source}: {backwards} goes backwards, so these are no dumps from before and after one test \
                     (or the machine was booted in between)"
                )
            })?;
            notes = turned;
            notes.push(format!("{second} is the older dump: the two were turned"));
            (format!("{second} to {first}"), cpus)
        }
    };
    let (source, cpus) = measured;
    if cpus.is_empty() {
        return Err(format!("{source}: no state of any CPU is in both dumps"));
    }
    Ok(Measurement {
        source,
        span: Span::Between,
        interval_us: None,
        cpus,
        disabled: disabled(other),
        notes,
    })
}

/// By CPU and state; `Err` names the first counter that goes backwards.
fn deltas(before: &Sheet, after: &Sheet, notes: &mut Vec<String>) -> Result<ByCpu, String> {
    let (mut alone, mut renamed) = (0_usize, Vec::new());
    let mut found = ByCpu::new();
    for (cpu, states) in &after.cpus {
        let Some(earlier) = before.cpus.get(cpu) else {
            alone += 1;
            continue;
        };
        for (idx, state) in states {
            let Some(old) = earlier.get(idx) else { continue };
            let key = key(*idx, state);
            if let (Some(was), Some(is)) = (&old.name, &state.name)
                && was != is
            {
                renamed.push(format!("state {idx} was {was} and is {is}"));
                continue;
            }
            let tally = Tally::between(&Tally::of(old), &Tally::of(state)).map_err(|()| match cpu {
                Some(cpu) => format!("{} of CPU {cpu}", key.1),
                None => key.1.clone(),
            })?;
            if !tally.is_empty() {
                found.entry(*cpu).or_default().insert(key, tally);
            }
        }
    }
    alone += before
        .cpus
        .keys()
        .filter(|cpu| !after.cpus.contains_key(cpu))
        .count();
    if alone > 0 {
        notes.push(format!(
            "{alone} CPUs are in one of the dumps only and do not count"
        ));
    }
    if let Some(first) = renamed.first() {
        notes.push(format!(
            "{} states have another name after than before and do not count: {first}",
            renamed.len()
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
