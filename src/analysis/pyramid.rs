//! What a lane looks like at any zoom: sums of time and of facts over buckets of time.
//!
//! ```text
//!   level 2   |               bucket               |   width 16 w
//!   level 1   |        |        |        |        |    width  4 w
//!   level 0   |  |  |  |  |  |  |  |  |  |  |  |  |    width    w = 2^k ns, k even
//! ```
//!
//! Built once per lane. A view takes the widest level that is not coarser than
//! asked and merges from there; below level 0 it reads the decisions
//! themselves, of which a view then holds few.
//!
//! Invariants: every level has the same sums; a bucket keeps the union of the
//! facts of the decisions taken in it, so that a single miss is seen at every
//! zoom; bucket borders are multiples of the width from the start of the
//! record, so panning does not make columns flicker.

use crate::cpuidle::MAX_STATES;
use crate::sim::{Flags, Lane};
use crate::units::{Ns, Time};

/// Widest bucket of a stored level, as a power of two: 1.07 s, so that sums of nanoseconds fit 32 bits.
const WIDEST: u32 = 30;

/// Most buckets of level 0: of a record so long that even [`WIDEST`] ones are more, no level is stored, and what is in
/// view is read from its decisions. 39 hours.
const MOST_BUCKETS: usize = 1 << 17;

/// Least number of buckets of level 0 if the record is long enough for them.
const LEAST_BUCKETS: usize = 256;

/// What happened within one stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Time in each idle state, ns.
    pub states: [u64; MAX_STATES],
    /// Time running, ns.
    pub busy: u64,
    /// Idle time with the tick stopped, ns.
    pub stopped: u64,
    /// Decisions taken.
    pub decisions: u32,
    /// Of these, too deep.
    pub too_deep: u32,
    /// Of these, too shallow.
    pub too_shallow: u32,
    /// Union of their facts.
    pub flags: Flags,
}

impl Bucket {
    /// Adds the sums and facts of another stretch.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.states.iter_mut().zip(&other.states) {
            *mine += theirs;
        }
        self.busy += other.busy;
        self.stopped += other.stopped;
        self.decisions += other.decisions;
        self.too_deep += other.too_deep;
        self.too_shallow += other.too_shallow;
        self.flags = self.flags.and(other.flags);
    }
}

/// Numbers per bucket before those of the states: busy, stopped, decisions, too deep, too shallow, facts.
const HEAD: usize = 6;

/// One level, flat: per bucket [`HEAD`] numbers, then one per state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Level {
    shift: u32,
    data: Vec<u32>,
}

impl Level {
    fn buckets(&self, states: usize) -> usize {
        self.data.len() / (HEAD + states)
    }

    fn bucket(&self, states: usize, at: usize) -> Option<Bucket> {
        let stride = HEAD + states;
        let numbers = self.data.get(at * stride..(at + 1) * stride)?;
        let &[
            busy,
            stopped,
            decisions,
            too_deep,
            too_shallow,
            flags,
            ref times @ ..,
        ] = numbers
        else {
            return None;
        };
        let mut bucket = Bucket {
            busy: u64::from(busy),
            stopped: u64::from(stopped),
            decisions,
            too_deep,
            too_shallow,
            flags: Flags::from_bits(u16::try_from(flags).unwrap_or_default()),
            ..Bucket::default()
        };
        for (sum, ns) in bucket.states.iter_mut().zip(times) {
            *sum = u64::from(*ns);
        }
        Some(bucket)
    }

    fn push(&mut self, states: usize, bucket: &Bucket) {
        let narrow = |ns: u64| u32::try_from(ns).unwrap_or(u32::MAX);
        self.data.extend([
            narrow(bucket.busy),
            narrow(bucket.stopped),
            bucket.decisions,
            bucket.too_deep,
            bucket.too_shallow,
            u32::from(bucket.flags.bits()),
        ]);
        self.data
            .extend(bucket.states.iter().take(states).map(|ns| narrow(*ns)));
    }
}

/// The pyramid of one lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pyramid {
    start: Time,
    states: usize,
    levels: Vec<Level>,
}

impl Pyramid {
    /// Builds the pyramid of `lane` over `start` to `end`, the span of its record.
    #[must_use]
    pub fn new(lane: &Lane, start: Time, end: Time) -> Self {
        let states = lane
            .entered()
            .iter()
            .map(|idx| idx.index() + 1)
            .max()
            .unwrap_or(0)
            .min(MAX_STATES);
        let span = to_u64(end.saturating_since(start)).max(1);
        let wanted = (lane.len() / 2).max(LEAST_BUCKETS) as u64;
        let mut shift = 0;
        while shift < WIDEST && span >> shift > wanted {
            shift += 2;
        }
        let count = usize::try_from((span - 1) >> shift)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let mut pyramid = Self {
            start,
            states,
            levels: Vec::new(),
        };
        if count > MOST_BUCKETS.max(lane.len()) {
            return pyramid;
        }
        let mut base = Level {
            shift,
            data: Vec::with_capacity(count.saturating_mul(HEAD + states)),
        };
        for bucket in sums(lane, start, shift, 0, count) {
            base.push(states, &bucket);
        }
        pyramid.levels.push(base);
        while let Some(below) = pyramid.levels.last() {
            let buckets = below.buckets(states);
            if buckets <= 4 || below.shift + 2 > WIDEST {
                break;
            }
            let mut level = Level {
                shift: below.shift + 2,
                data: Vec::new(),
            };
            for first in (0..buckets).step_by(4) {
                let mut sum = Bucket::default();
                for bucket in (first..first + 4).filter_map(|at| below.bucket(states, at)) {
                    sum.add(&bucket);
                }
                level.push(states, &sum);
            }
            pyramid.levels.push(level);
        }
        pyramid
    }

    /// Number of idle states seen in the lane, counted from state 0.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states
    }

    /// Number of stored levels.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Sums over one level; the same for every level.
    #[must_use]
    pub fn total(&self, level: usize) -> Option<Bucket> {
        let level = self.levels.get(level)?;
        let mut sum = Bucket::default();
        for bucket in (0..level.buckets(self.states)).filter_map(|at| level.bucket(self.states, at)) {
            sum.add(&bucket);
        }
        Some(sum)
    }

    /// Columns over `from` to `to`, each `2^shift` ns wide and at most a `columns`-th of that stretch:
    /// the widest power of two that fits. `lane` is the lane this pyramid was built from.
    #[must_use]
    pub fn columns(&self, lane: &Lane, from: Time, to: Time, columns: usize) -> Columns {
        let from = from.max(self.start);
        let span = to_u64(to.saturating_since(from)).max(1);
        let shift = (span / columns.max(1) as u64).max(1).ilog2();
        let first = to_u64(from.saturating_since(self.start)) >> shift;
        let last = to_u64(to.saturating_since(self.start)).saturating_sub(1) >> shift;
        let count = usize::try_from(last.saturating_sub(first)).unwrap_or(0) + 1;
        let stored = self.levels.iter().rev().find(|level| level.shift <= shift);
        let buckets = match stored {
            Some(level) => self.merged(level, shift, first, count),
            None => sums(lane, self.start, shift, first, count),
        };
        Columns {
            start: self.start,
            shift,
            first,
            buckets,
        }
    }

    fn merged(&self, level: &Level, shift: u32, first: u64, count: usize) -> Vec<Bucket> {
        let factor = 1u64 << (shift - level.shift);
        let mut buckets = vec![Bucket::default(); count];
        for (n, sum) in (first..).zip(&mut buckets) {
            for at in n * factor..(n + 1) * factor {
                let Some(bucket) = usize::try_from(at)
                    .ok()
                    .and_then(|at| level.bucket(self.states, at))
                else {
                    break;
                };
                sum.add(&bucket);
            }
        }
        buckets
    }
}

/// Buckets of equal width, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Start of the record.
    pub start: Time,
    /// Width of each, as a power of two, ns.
    pub shift: u32,
    /// How many widths the first begins after `start`.
    pub first: u64,
    /// The columns, in time order.
    pub buckets: Vec<Bucket>,
}

impl Columns {
    /// When column `n` begins.
    #[must_use]
    pub fn begin(&self, n: usize) -> Time {
        let widths = self.first.saturating_add(n as u64);
        let ns = i64::try_from(u128::from(widths) << self.shift).unwrap_or(i64::MAX);
        self.start.saturating_add(Ns::new(ns))
    }
}

fn to_u64(ns: Ns) -> u64 {
    u64::try_from(ns.as_ns()).unwrap_or(0)
}

/// Reads the decisions of `lane` into `count` buckets of `2^shift` ns, the first of which begins `first`
/// widths after `start`.
fn sums(lane: &Lane, start: Time, shift: u32, first: u64, count: usize) -> Vec<Bucket> {
    let mut buckets = vec![Bucket::default(); count];
    let begin = first << shift;
    let end = begin.saturating_add((count as u64) << shift);
    let since = |t: Time| to_u64(t.saturating_since(start));
    // A long stay may begin far before the first bucket: start at the last decision before it.
    let mut n = lane
        .entries()
        .partition_point(|entry| since(*entry) <= begin)
        .saturating_sub(1);
    while let Some(row) = lane.row(n) {
        let (entry, exit) = (since(row.entry), since(row.exit));
        if entry >= end {
            break;
        }
        let stopped = row.flags.has(Flags::STOPPED);
        spread(&mut buckets, begin, shift, entry, exit, |bucket, ns| {
            if let Some(sum) = bucket.states.get_mut(row.entered.index()) {
                *sum += ns;
            }
            if stopped {
                bucket.stopped += ns;
            }
        });
        if let Some(next) = lane
            .entries()
            .get(n + 1)
            .filter(|_| !row.flags.has(Flags::UNCOUNTED))
        {
            spread(&mut buckets, begin, shift, exit, since(*next), |bucket, ns| {
                bucket.busy += ns
            });
        }
        if let Some(bucket) = entry
            .checked_sub(begin)
            .and_then(|offset| usize::try_from(offset >> shift).ok())
            .and_then(|at| buckets.get_mut(at))
        {
            bucket.decisions += 1;
            bucket.too_deep += u32::from(row.flags.has(Flags::TOO_DEEP));
            bucket.too_shallow += u32::from(row.flags.has(Flags::TOO_SHALLOW));
            bucket.flags = bucket.flags.and(row.flags);
        }
        n += 1;
    }
    buckets
}

/// Hands the part of `from` to `to` (ns since the start of the record) that lies in each bucket to `add`.
fn spread(
    buckets: &mut [Bucket],
    begin: u64,
    shift: u32,
    from: u64,
    to: u64,
    mut add: impl FnMut(&mut Bucket, u64),
) {
    let mut at = from.max(begin);
    while at < to {
        let index = (at - begin) >> shift;
        let Some(bucket) = usize::try_from(index)
            .ok()
            .and_then(|index| buckets.get_mut(index))
        else {
            return;
        };
        let border = begin + ((index + 1) << shift);
        add(bucket, to.min(border) - at);
        at = border;
    }
}
