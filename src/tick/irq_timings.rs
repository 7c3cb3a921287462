//! When the next device interrupt will come: one CPU's records of past ones (spec irq-timings.md).
//!
//! ```text
//!   interrupt entry          next look                        per line
//!   record(line, now) --> [ ring of 32 ] --> intervals --> bucket numbers --> repeating pattern?
//!                                                      \-> mean per bucket --> last + mean of the next bucket
//! ```
//!
//! Invariants: the ring keeps the newest 32; a look empties it, and a look at an empty ring predicts nothing;
//! bucket means are never cleared, a pattern starts afresh after a gap.

use std::collections::BTreeMap;

use crate::units::Time;

/// Interrupts that the ring holds between two looks.
const RING: usize = 32;
/// Intervals per line that a pattern is searched in.
const INTERVALS: usize = 32;
/// Buckets of interval lengths: below 8 µs, then one per doubling.
const BUCKETS: usize = 16;
/// An interval this long restarts the pattern.
const GAP_NS: u64 = 1_000_000_000;
/// Patterns are this long at most.
const LONGEST_PATTERN: usize = 5;
/// And longer than this minus one.
const SHORTEST_PATTERN: usize = 3;

/// What one line has done on this CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    last_ns: u64,
    mean_ns: [u64; BUCKETS],
    buckets: [u8; INTERVALS],
    count: usize,
}

/// One CPU's interrupt timings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrqTimings {
    ring: [(u64, u16); RING],
    recorded: usize,
    lines: BTreeMap<u16, Line>,
    watched: Watched,
}

/// Which lines get statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Any that interrupts.
    All,
    /// Those added with [`IrqTimings::watch`].
    Added,
}

impl IrqTimings {
    /// No interrupt seen yet.
    #[must_use]
    pub fn new(watched: Watched) -> Self {
        Self {
            ring: [(0, 0); RING],
            recorded: 0,
            lines: BTreeMap::new(),
            watched,
        }
    }

    /// Gives `line` statistics.
    pub fn watch(&mut self, line: u16) {
        self.lines.entry(line).or_default();
    }

    /// An interrupt of `line` begins. The record keeps 48 bits of the time.
    pub fn record(&mut self, line: u16, now: Time) {
        let time = now.as_ns().cast_unsigned() & ((1 << 48) - 1);
        if let Some(slot) = self.ring.get_mut(self.recorded % RING) {
            *slot = (time, line);
        }
        self.recorded += 1;
    }

    /// Interrupts recorded since the last look.
    #[must_use]
    pub const fn recorded(&self) -> usize {
        self.recorded
    }

    /// The lines with statistics, ascending.
    pub fn lines(&self) -> impl Iterator<Item = (u16, &Line)> {
        self.lines.iter().map(|(number, line)| (*number, line))
    }

    /// When the next interrupt is expected: `now` for one that is overdue, none without a prediction.
    pub fn next_event(&mut self, now: Time) -> Option<Time> {
        if self.recorded == 0 {
            return None;
        }
        self.drain();
        let mut earliest = None::<Time>;
        for line in self.lines.values_mut() {
            let Some(next) = line.next(now) else { continue };
            if next <= now {
                return Some(now);
            }
            earliest = Some(earliest.map_or(next, |first| first.min(next)));
        }
        earliest
    }

    fn drain(&mut self) {
        let (start, len) = if self.recorded < RING {
            (0, self.recorded)
        } else {
            (self.recorded % RING, RING)
        };
        self.recorded = 0;
        for n in start..start + len {
            let Some((time, number)) = self.ring.get(n % RING).copied() else {
                continue;
            };
            let line = match self.watched {
                Watched::All => Some(self.lines.entry(number).or_default()),
                Watched::Added => self.lines.get_mut(&number),
            };
            if let Some(line) = line {
                line.store(time);
            }
        }
    }
}

/// The bucket of an interval, ns: 0 below 8192, then one more for each doubling.
fn bucket(interval_ns: u64) -> usize {
    let quarter = (interval_ns >> 10) / 4;
    quarter
        .checked_ilog2()
        .map_or(0, |log| usize::try_from(log).unwrap_or(BUCKETS))
}

impl Line {
    fn store(&mut self, time_ns: u64) {
        let interval = time_ns.wrapping_sub(self.last_ns);
        self.last_ns = time_ns;
        if interval >= GAP_NS {
            self.count = 0;
            return;
        }
        let number = bucket(interval);
        let (Some(mean), Some(slot)) = (
            self.mean_ns.get_mut(number),
            self.buckets.get_mut(self.count % INTERVALS),
        ) else {
            self.count = 0;
            return;
        };
        *slot = u8::try_from(number).unwrap_or(u8::MAX);
        *mean = if *mean == 0 {
            interval
        } else {
            let distance = interval.wrapping_sub(*mean).wrapping_mul(64).cast_signed();
            mean.wrapping_add_signed(distance >> 7)
        };
        self.count += 1;
    }

    fn next(&mut self, now: Time) -> Option<Time> {
        let now_ns = now.as_ns().cast_unsigned();
        if now_ns.wrapping_sub(self.last_ns) >= GAP_NS {
            self.count = 0;
            self.last_ns = 0;
            return None;
        }
        let longest = if self.count > 3 * LONGEST_PATTERN {
            LONGEST_PATTERN
        } else {
            self.count / 3
        };
        if longest <= SHORTEST_PATTERN {
            return None;
        }
        let oldest_first = self.intervals();
        let recent = oldest_first.len().checked_sub(3 * longest)?;
        let expected =
            following(oldest_first.get(recent..)?, longest).or_else(|| oldest_first.iter().min().copied())?;
        let mean = self.mean_ns.get(usize::from(expected)).copied()?;
        Some(Time::from_ns(self.last_ns.wrapping_add(mean).cast_signed()))
    }

    /// The buckets of the last intervals, oldest first.
    fn intervals(&self) -> Vec<u8> {
        let len = self.count.min(INTERVALS);
        (self.count - len..self.count)
            .filter_map(|n| self.buckets.get(n % INTERVALS).copied())
            .collect()
    }

    /// When it last interrupted, ns; 0 when that is too long ago.
    #[must_use]
    pub const fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Intervals of the pattern so far.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The mean interval per bucket, ns; 0 for a bucket that never was met.
    #[must_use]
    pub const fn mean_ns(&self) -> &[u64; BUCKETS] {
        &self.mean_ns
    }

    /// The bucket of each of the last 32 intervals, in the order of storing.
    #[must_use]
    pub const fn buckets(&self) -> &[u8; INTERVALS] {
        &self.buckets
    }
}

/// The bucket that follows if the window repeats its first elements, with a period of `longest` or less
/// (spec §4): blocks of one period are compared with the first, the last block as far as it goes.
fn following(window: &[u8], longest: usize) -> Option<u8> {
    (SHORTEST_PATTERN..=longest).rev().find_map(|period| {
        let first = window.get(..period)?;
        let repeats = window.chunks(period).all(|block| first.starts_with(block));
        repeats.then(|| window.get(window.len() % period).copied())?
    })
}
