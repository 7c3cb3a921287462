//! Where two records decide differently.
//!
//! Decisions are aligned by CPU, idle period and lap (the how-manieth decision
//! of the period), never by ordinal: retained ticks give unequal numbers of
//! decisions. In a replay the period is the trace's own, so both variants
//! number it alike.
//!
//! ```text
//!   period     7         8                          9
//!   A      |--C1--|  |-------C6, tick stopped----|  |-C1-|
//!   B      |--C1--|  |--C1--|--C1--|--C6---------|  |-C1-|
//!   lap        0         0      1       2             0
//!                        ^ differs   (laps 1 and 2 have no partner)
//! ```

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::sim::{Flags, Lane, Record, Row};
use crate::units::{CpuId, StateIdx, Time};

/// Two decisions about the same idle period and lap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Decision of the first record's lane.
    pub a: u32,
    /// Decision of the second record's lane.
    pub b: u32,
}

/// In what two decisions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Differs {
    /// Another state was asked for, the tick is treated alike.
    State,
    /// Same state, but the tick is stopped in one and runs in the other.
    Tick,
    /// Both.
    Both,
}

/// Which way the second of two decisions differs in its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Depth {
    /// It asked for a deeper state.
    Deeper,
    /// It asked for a shallower state.
    Shallower,
}

impl Depth {
    fn of(a: &Row, b: &Row) -> Option<Self> {
        match b.selected.cmp(&a.selected) {
            Ordering::Greater => Some(Self::Deeper),
            Ordering::Less => Some(Self::Shallower),
            Ordering::Equal => None,
        }
    }
}

/// In what two decisions differ, if at all.
#[must_use]
pub fn differs(a: &Row, b: &Row) -> Option<Differs> {
    compare((a.selected, a.flags), (b.selected, b.flags))
}

fn compare(a: (StateIdx, Flags), b: (StateIdx, Flags)) -> Option<Differs> {
    let state = a.0 != b.0;
    let tick = a.1.has(Flags::STOPPED) != b.1.has(Flags::STOPPED);
    match (state, tick) {
        (false, false) => None,
        (true, false) => Some(Differs::State),
        (false, true) => Some(Differs::Tick),
        (true, true) => Some(Differs::Both),
    }
}

/// The differences of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneDiff {
    differences: Vec<Pair>,
    entries: Vec<Time>,
    /// When the second record took the same decisions: in a closed loop long after or before.
    beside: Vec<Time>,
    kinds: Vec<Differs>,
    depths: Vec<Option<Depth>>,
    /// When the first record took the decisions compared, ascending.
    compared: Vec<Time>,
    /// When decisions without a partner were taken, in no order: they are of both records.
    unmatched: Vec<Time>,
}

impl LaneDiff {
    /// Aligns two lanes of the same CPU. Uncounted decisions are not compared.
    #[must_use]
    pub fn of(a: &Lane, b: &Lane) -> Self {
        let mut diff = Self::default();
        let (mut left, mut right) = (Cursor::new(a), Cursor::new(b));
        while let (Some(one), Some(other)) = (left.place(), right.place()) {
            match one.cmp(&other) {
                Ordering::Less => {
                    diff.unmatched.extend(left.entry());
                    left.step();
                }
                Ordering::Greater => {
                    diff.unmatched.extend(right.entry());
                    right.step();
                }
                Ordering::Equal => {
                    diff.pair(a, b, left.n, right.n);
                    left.step();
                    right.step();
                }
            }
        }
        while left.place().is_some() {
            diff.unmatched.extend(left.entry());
            left.step();
        }
        while right.place().is_some() {
            diff.unmatched.extend(right.entry());
            right.step();
        }
        diff
    }

    fn pair(&mut self, a: &Lane, b: &Lane, n: usize, m: usize) {
        let (Some(one), Some(other)) = (a.row(n), b.row(m)) else {
            return;
        };
        if one.flags.has(Flags::UNCOUNTED) || other.flags.has(Flags::UNCOUNTED) {
            return;
        }
        self.compared.push(one.entry);
        let Some(differs) = differs(&one, &other) else {
            return;
        };
        if let (Ok(a), Ok(b)) = (u32::try_from(n), u32::try_from(m)) {
            self.differences.push(Pair { a, b });
            self.entries.push(one.entry);
            self.beside.push(other.entry);
            self.kinds.push(differs);
            self.depths.push(Depth::of(&one, &other));
        }
    }

    /// The differing pairs, in time order.
    #[must_use]
    pub fn differences(&self) -> &[Pair] {
        &self.differences
    }

    /// The instant at which the first record decided each of them.
    #[must_use]
    pub fn entries(&self) -> &[Time] {
        &self.entries
    }
}

/// The place of a decision: period, then lap.
struct Cursor<'a> {
    periods: &'a [u32],
    entries: &'a [Time],
    n: usize,
    lap: u32,
}

impl<'a> Cursor<'a> {
    fn new(lane: &'a Lane) -> Self {
        Self {
            periods: lane.periods(),
            entries: lane.entries(),
            n: 0,
            lap: 0,
        }
    }

    fn place(&self) -> Option<(u32, u32)> {
        Some((*self.periods.get(self.n)?, self.lap))
    }

    fn entry(&self) -> Option<Time> {
        self.entries.get(self.n).copied()
    }

    fn step(&mut self) {
        let same = self.periods.get(self.n) == self.periods.get(self.n + 1);
        self.lap = if same { self.lap + 1 } else { 0 };
        self.n += 1;
    }
}

/// How much two records have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of decisions that were compared.
    pub compared: u32,
    /// Pairs that differ.
    pub differences: u32,
    /// Of these, pairs that asked for another state.
    pub states: u32,
    /// Of these, pairs that treat the tick differently.
    pub ticks: u32,
    /// Decisions without a partner in the other record.
    pub unmatched: u32,
}

/// The differences of two records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    lanes: Vec<LaneDiff>,
}

/// One difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub cpu: CpuId,
    /// The two decisions.
    pub pair: Pair,
    /// When the first record decided.
    pub entry: Time,
}

impl Diff {
    /// Compares two records CPU by CPU.
    #[must_use]
    pub fn of(a: &Record, b: &Record) -> Self {
        Self {
            lanes: a
                .lanes
                .iter()
                .zip(&b.lanes)
                .map(|(a, b)| LaneDiff::of(a, b))
                .collect(),
        }
    }

    /// The differences of one CPU.
    #[must_use]
    pub fn lane(&self, cpu: CpuId) -> Option<&LaneDiff> {
        self.lanes.get(cpu.index())
    }

    /// How much the records have in common.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts_within(Time::from_ns(i64::MIN), Time::NEVER)
    }

    /// The same for the decisions taken within `from` to `to`, the end excluded, on the records' own clock. A
    /// pair belongs to the range in which the first record decided.
    #[must_use]
    pub fn counts_within(&self, from: Time, to: Time) -> Counts {
        let mut sum = Counts::default();
        for lane in &self.lanes {
            let first = lane.entries.partition_point(|entry| *entry < from);
            let kinds = lane.entries.iter().zip(&lane.kinds).skip(first);
            for (_, kind) in kinds.take_while(|(entry, _)| **entry < to) {
                sum.differences += 1;
                sum.states += u32::from(*kind != Differs::Tick);
                sum.ticks += u32::from(*kind != Differs::State);
            }
            let inside = |times: &[Time]| {
                let n = times.iter().filter(|t| (from..to).contains(t)).count();
                u32::try_from(n).unwrap_or(u32::MAX)
            };
            sum.compared = sum.compared.saturating_add(inside(&lane.compared));
            sum.unmatched = sum.unmatched.saturating_add(inside(&lane.unmatched));
        }
        sum
    }

    /// The first difference after `(t, cpu)` in the order of time, then CPU.
    #[must_use]
    pub fn next(&self, t: Time, cpu: CpuId) -> Option<Difference> {
        self.each(|other, lane| Some(lane.entries.partition_point(|entry| (*entry, other) <= (t, cpu))))
            .min_by_key(|found| (found.entry, found.cpu))
    }

    /// The last difference before `(t, cpu)` in the order of time, then CPU.
    #[must_use]
    pub fn previous(&self, t: Time, cpu: CpuId) -> Option<Difference> {
        self.each(|other, lane| {
            lane.entries
                .partition_point(|entry| (*entry, other) < (t, cpu))
                .checked_sub(1)
        })
        .max_by_key(|found| (found.entry, found.cpu))
    }

    /// The first difference after, or the last before, `(t, cpu)` in which the second record asked for a deeper or
    /// a shallower state.
    #[must_use]
    pub fn seek_depth(&self, depth: Depth, forward: bool, t: Time, cpu: CpuId) -> Option<Difference> {
        let fits = |found: &Option<Depth>| *found == Some(depth);
        if forward {
            let ahead = |other, lane: &LaneDiff| {
                let first = lane.entries.partition_point(|entry| (*entry, other) <= (t, cpu));
                Some(first + lane.depths.get(first..)?.iter().position(fits)?)
            };
            self.each(ahead).min_by_key(|found| (found.entry, found.cpu))
        } else {
            let behind = |other, lane: &LaneDiff| {
                let end = lane.entries.partition_point(|entry| (*entry, other) < (t, cpu));
                lane.depths.get(..end)?.iter().rposition(fits)
            };
            self.each(behind).max_by_key(|found| (found.entry, found.cpu))
        }
    }

    /// The first difference of all.
    #[must_use]
    pub fn first(&self) -> Option<Difference> {
        self.first_within(Time::from_ns(i64::MIN), Time::NEVER)
    }

    /// The first difference within `from` to `to`, the end excluded.
    #[must_use]
    pub fn first_within(&self, from: Time, to: Time) -> Option<Difference> {
        self.each(|_, lane| Some(lane.entries.partition_point(|entry| *entry < from)))
            .filter(|found| found.entry < to)
            .min_by_key(|found| (found.entry, found.cpu))
    }

    /// How many differences come before `(t, cpu)`; with it the page numbers the one at hand.
    #[must_use]
    pub fn ordinal(&self, t: Time, cpu: CpuId) -> usize {
        let lanes = (0u16..).map(CpuId::new).zip(&self.lanes);
        lanes
            .map(|(other, lane)| lane.entries.partition_point(|entry| (*entry, other) < (t, cpu)))
            .sum()
    }

    /// The partner of decision `n` of the first record (or of the second, with `of_b`) if the two differ.
    #[must_use]
    pub fn pair_of(&self, cpu: CpuId, n: u32, of_b: bool) -> Option<Pair> {
        let differences = &self.lane(cpu)?.differences;
        let key = |pair: &Pair| if of_b { pair.b } else { pair.a };
        let at = differences.binary_search_by_key(&n, key).ok()?;
        differences.get(at).copied()
    }

    /// Differences per bucket when `from` to `to` is cut into `buckets` equal ones, all CPUs together. One counts where
    /// the first record decided, and where the second did if that is another bucket.
    #[must_use]
    pub fn density(&self, from: Time, to: Time, buckets: usize) -> Vec<u32> {
        let mut counts = vec![0u32; buckets];
        let span = i128::from(to.saturating_since(from).as_ns()).max(1);
        let bucket = |at: Time| {
            let offset = i128::from(at.saturating_since(from).as_ns());
            (at >= from && at < to)
                .then(|| usize::try_from(offset * buckets as i128 / span).ok())
                .flatten()
        };
        let places = |lane| {
            let LaneDiff { entries, beside, .. }: &LaneDiff = lane;
            entries.iter().zip(beside)
        };
        for (one, other) in self.lanes.iter().flat_map(places) {
            let (one, other) = (bucket(*one), bucket(*other));
            let other = other.filter(|_| other != one);
            for n in [one, other].into_iter().flatten() {
                if let Some(count) = counts.get_mut(n) {
                    *count += 1;
                }
            }
        }
        counts
    }

    fn each<'a>(
        &'a self,
        place: impl Fn(CpuId, &LaneDiff) -> Option<usize> + 'a,
    ) -> impl Iterator<Item = Difference> + 'a {
        (0u16..)
            .map(CpuId::new)
            .zip(&self.lanes)
            .filter_map(move |(cpu, lane)| {
                let at = place(cpu, lane)?;
                Some(Difference {
                    cpu,
                    pair: *lane.differences.get(at)?,
                    entry: *lane.entries.get(at)?,
                })
            })
    }
}

/// The decision of `other` about the same period and lap as decision `n` of `lane`, if it made one.
#[must_use]
pub fn partner(lane: &Lane, n: usize, other: &Lane) -> Option<usize> {
    let period = *lane.periods().get(n)?;
    let lap = n - lane.periods().partition_point(|p| *p < period);
    let first = other.periods().partition_point(|p| *p < period);
    let at = first + lap;
    (other.periods().get(at) == Some(&period)).then_some(at)
}
