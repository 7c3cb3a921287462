//! Counting: event names, reasons for skipping, stamps that are no times.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::TraceError;
use super::intern::Quick;
use super::names::{self, Known};
use super::report::{EventTally, Purpose, Reason, Sample, Skip};

/// Line numbers kept per reason.
const FIRST_LINES: usize = 5;
/// So many counter stamps without one time settle that the file has no times.
const COUNTERS_ENOUGH: u64 = 1000;

/// One event name.
struct Tally {
    name: Box<[u8]>,
    known: Option<Known>,
    lines: u64,
    used: u64,
    first_line: u64,
}

/// Every event name of a text.
pub(super) struct Tallies {
    list: Vec<Tally>,
    ids: HashMap<Box<[u8]>, usize, BuildHasherDefault<Quick>>,
    /// Index of the name last seen with this length and these letters.
    recent: [usize; 64],
    /// More names than this share the last tally.
    limit: usize,
}

impl Tallies {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            list: Vec::new(),
            ids: HashMap::default(),
            recent: [usize::MAX; 64],
            limit,
        }
    }

    /// The index of a name, and what it is known as.
    #[inline]
    pub(super) fn find(&mut self, name: &[u8], line: u64) -> (usize, Option<Known>) {
        let letter = |back: usize| {
            name.len()
                .checked_sub(back)
                .and_then(|at| name.get(at))
                .copied()
                .unwrap_or(0)
        };
        let slot = (name.len() ^ usize::from(letter(1)) ^ (usize::from(letter(4)) << 2)) % 64;
        let recent = self.recent.get(slot).copied().unwrap_or(usize::MAX);
        if let Some(tally) = self.list.get(recent).filter(|tally| *tally.name == *name) {
            return (recent, tally.known);
        }
        let at = self.find_slowly(name, line);
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = at;
        }
        (at, self.list.get(at).and_then(|tally| tally.known))
    }

    #[cold]
    fn find_slowly(&mut self, name: &[u8], line: u64) -> usize {
        if let Some(at) = self.ids.get(name) {
            return *at;
        }
        let name = if self.list.len() >= self.limit {
            b"(other names)"
        } else {
            name
        };
        if let Some(at) = self.ids.get(name) {
            return *at;
        }
        let at = self.list.len();
        let known = names::known(name);
        self.list.push(Tally {
            name: name.into(),
            known,
            lines: 0,
            used: 0,
            first_line: line,
        });
        self.ids.insert(name.into(), at);
        at
    }

    #[inline]
    pub(super) fn count(&mut self, at: usize, used: bool) {
        if let Some(tally) = self.list.get_mut(at) {
            tally.lines += 1;
            tally.used += u64::from(used);
        }
    }

    /// The line counted last became part of the trace after all.
    pub(super) fn used(&mut self, at: usize) {
        if let Some(tally) = self.list.get_mut(at) {
            tally.used += 1;
        }
    }

    /// The most frequent first, then by name.
    pub(super) fn into_report(mut self) -> Vec<EventTally> {
        self.list.retain(|tally| tally.lines > 0);
        self.list
            .sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
        self.list.into_iter().map(Tally::into_report).collect()
    }
}

impl Tally {
    fn into_report(self) -> EventTally {
        let purpose = match self.known {
            // Anybody may print; only what a governor printed is of use.
            Some(Known::Printk) if self.used == 0 => Purpose::NotNeeded,
            Some(known) => Purpose::Used(known.used_for()),
            None if names::is_not_needed(&self.name) => Purpose::NotNeeded,
            None => Purpose::Unknown,
        };
        let name = String::from_utf8_lossy(&self.name).into_owned();
        EventTally {
            name,
            lines: self.lines,
            used: self.used,
            first_line: self.first_line,
            purpose,
        }
    }
}

/// Lines skipped, by reason.
#[derive(Default)]
pub(super) struct Skips(Vec<Skip>);

impl Skips {
    pub(super) fn add(&mut self, reason: Reason, line: u64, sample: Option<Sample>) {
        match self.0.iter_mut().find(|skip| skip.reason == reason) {
            Some(skip) => {
                skip.lines += 1;
                if skip.first_lines.len() < FIRST_LINES {
                    skip.first_lines.push(line);
                }
            }
            None => self.0.push(Skip {
                reason,
                lines: 1,
                first_lines: vec![line],
                sample,
            }),
        }
    }

    /// How many lines were skipped for a reason.
    pub(super) fn lines(&self, reason: Reason) -> u64 {
        self.0
            .iter()
            .find(|skip| skip.reason == reason)
            .map_or(0, |skip| skip.lines)
    }

    /// Lines skipped for `from` were skipped for `to`.
    pub(super) fn turn(&mut self, from: Reason, to: Reason) {
        let Some(at) = self.0.iter().position(|skip| skip.reason == from) else {
            return;
        };
        let turned = self.0.remove(at);
        match self.0.iter_mut().find(|skip| skip.reason == to) {
            Some(skip) => {
                skip.lines += turned.lines;
                skip.first_lines.extend(turned.first_lines);
                skip.first_lines.sort_unstable();
                skip.first_lines.truncate(FIRST_LINES);
            }
            None => self.0.push(Skip { reason: to, ..turned }),
        }
    }

    /// The most frequent first, then by line.
    pub(super) fn into_report(mut self) -> Vec<Skip> {
        self.0.sort_by(|a, b| {
            b.lines
                .cmp(&a.lines)
                .then_with(|| a.first_lines.cmp(&b.first_lines))
        });
        self.0
    }
}

/// Stamps that are bare integers.
#[derive(Default)]
pub(super) struct Counters {
    lines: u64,
    /// Line, column from 1, and stamp of the first.
    first: Option<(u64, usize, u64)>,
    previous: u64,
    unit_steps: u64,
}

impl Counters {
    pub(super) fn count(&mut self, line: u64, at: usize, value: u64) {
        self.lines += 1;
        self.unit_steps += u64::from(self.first.is_some() && value == self.previous.wrapping_add(1));
        self.first.get_or_insert((line, at + 1, value));
        self.previous = value;
    }

    /// Enough to refuse a file that has shown no time so far.
    pub(super) fn is_settled(&self) -> bool {
        self.lines >= COUNTERS_ENOUGH
    }

    /// Which clock it was can only be guessed: the file does not say.
    pub(super) fn error(&self) -> Option<TraceError> {
        let (line, column, found) = self.first?;
        let clock = if self.unit_steps * 2 >= self.lines.saturating_sub(1) && self.lines > 1 {
            "`counter` (a sequence number)"
        } else if self.previous >= 1_000_000_000 {
            "`x86-tsc` (cycles)"
        } else {
            "`uptime` (jiffies), `counter` or `x86-tsc`"
        };
        Some(TraceError::NotTime {
            line,
            column,
            found,
            clock,
        })
    }
}
