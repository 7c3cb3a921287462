//! One lane as the timeline draws it: decisions when they are few, columns when they are many.
//!
//! Flat 32-bit numbers, so that a view crosses from the worker by transfer;
//! [`LaneView::rows`] and [`LaneView::columns`] read them back. Instants are counted from the start
//! of the record.

use serde::{Deserialize, Serialize};

use crate::analysis::pyramid::{Bucket, Columns, Pyramid};
use crate::cpuidle::MAX_STATES;
use crate::sim::{Cause, Flags, Lane, Record, Row};
use crate::units::{Ns, StateIdx, Time};

/// Numbers per decision.
const ROW: usize = 10;

/// Numbers per column before the shares of the states.
const HEAD: usize = 6;

/// The whole of a column, in the unit of its shares.
pub const WHOLE: u32 = 1 << 16;

/// What the numbers of a view are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Each decision of the stretch, and the one before it.
    Rows,
    /// Columns of equal width.
    Columns {
        /// Width as a power of two, ns.
        shift: u32,
        /// How many widths after the start of the record the first begins.
        first: u64,
        /// States in each column.
        states: usize,
    },
}

/// One lane over a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneView {
    /// How to read `data`.
    pub shape: Shape,
    /// The numbers.
    pub data: Vec<u32>,
}

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// When it begins.
    pub begin: Time,
    /// Share of time in each state, of [`WHOLE`].
    pub states: [u32; MAX_STATES],
    /// Share of time running, of [`WHOLE`].
    pub busy: u32,
    /// Share of time idle with the tick stopped, of [`WHOLE`].
    pub stopped: u32,
    /// Decisions taken in it.
    pub decisions: u32,
    /// Of these, too deep.
    pub too_deep: u32,
    /// Of these, too shallow.
    pub too_shallow: u32,
    /// Union of their facts.
    pub flags: Flags,
}

impl LaneView {
    /// The view of `lane` over `from` to `to` (counted from the start of `record`): decisions if there
    /// are at most `most_rows`, else columns of at most a `columns`-th of the stretch.
    #[must_use]
    pub fn new(
        record: &Record,
        lane: &Lane,
        pyramid: &Pyramid,
        (from, to): (Time, Time),
        columns: usize,
        most_rows: usize,
    ) -> Self {
        let since = record.start.saturating_since(Time::ZERO);
        let (from, to) = (from.saturating_add(since), to.saturating_add(since));
        let first = lane
            .entries()
            .partition_point(|entry| *entry <= from)
            .saturating_sub(1);
        let end = lane.entries().partition_point(|entry| *entry < to);
        if end.saturating_sub(first) <= most_rows {
            let mut data = Vec::with_capacity(end.saturating_sub(first) * ROW);
            for n in first..end {
                if let Some(row) = lane.row(n) {
                    push_row(&mut data, n, &row, record.start);
                }
            }
            return Self {
                shape: Shape::Rows,
                data,
            };
        }
        let found = pyramid.columns(lane, from, to.min(record.end), columns);
        Self::of_columns(&found, pyramid.states())
    }

    fn of_columns(columns: &Columns, states: usize) -> Self {
        let share = |ns: u64| {
            let share = (u128::from(ns) << 16) >> columns.shift;
            u32::try_from(share).unwrap_or(WHOLE)
        };
        let mut data = Vec::with_capacity(columns.buckets.len() * (HEAD + states));
        for bucket in &columns.buckets {
            let &Bucket {
                busy,
                stopped,
                decisions,
                too_deep,
                too_shallow,
                flags,
                states: ref times,
            } = bucket;
            data.extend([
                share(busy),
                share(stopped),
                decisions,
                too_deep,
                too_shallow,
                u32::from(flags.bits()),
            ]);
            data.extend(times.iter().take(states).map(|ns| share(*ns)));
        }
        let shape = Shape::Columns {
            shift: columns.shift,
            first: columns.first,
            states,
        };
        Self { shape, data }
    }

    /// The decisions with their numbers within the lane; none when the view has columns.
    pub fn rows(&self) -> impl Iterator<Item = (u32, Row)> + '_ {
        let data = if self.shape == Shape::Rows {
            self.data.as_slice()
        } else {
            &[]
        };
        data.chunks_exact(ROW).filter_map(read_row)
    }

    /// The columns in time order; none when the view has decisions.
    pub fn columns(&self) -> impl Iterator<Item = Column> + '_ {
        let (shift, first, states, data) = match self.shape {
            Shape::Columns { shift, first, states } => (shift, first, states, self.data.as_slice()),
            Shape::Rows => (0, 0, 0, &[][..]),
        };
        (first..)
            .zip(data.chunks_exact(HEAD + states))
            .filter_map(move |(at, numbers)| {
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
                let begin = i64::try_from(u128::from(at) << shift).ok()?;
                let mut column = Column {
                    begin: Time::from_ns(begin),
                    states: [0; MAX_STATES],
                    busy,
                    stopped,
                    decisions,
                    too_deep,
                    too_shallow,
                    flags: Flags::from_bits(u16::try_from(flags).ok()?),
                };
                for (share, found) in column.states.iter_mut().zip(times) {
                    *share = *found;
                }
                Some(column)
            })
    }
}

fn push_row(data: &mut Vec<u32>, n: usize, row: &Row, start: Time) {
    let halves = |t: Time| {
        let ns = t.saturating_since(start).as_u64();
        [(ns & u64::from(u32::MAX)) as u32, (ns >> 32) as u32]
    };
    data.push(u32::try_from(n).unwrap_or(u32::MAX));
    data.extend(halves(row.entry));
    data.extend(halves(row.wake));
    data.extend(halves(row.exit));
    let cause = Cause::ALL
        .iter()
        .position(|cause| *cause == row.cause)
        .unwrap_or(0) as u32;
    data.push(u32::from(row.selected.number()) | u32::from(row.entered.number()) << 8 | cause << 16);
    data.push(u32::from(row.flags.bits()));
    data.push(row.period);
}

/// Reads a decision back; its sleep length does not travel.
fn read_row(numbers: &[u32]) -> Option<(u32, Row)> {
    let &[
        n,
        entry_lo,
        entry_hi,
        wake_lo,
        wake_hi,
        exit_lo,
        exit_hi,
        what,
        flags,
        period,
    ] = numbers
    else {
        return None;
    };
    let time = |lo: u32, hi: u32| {
        let ns = u64::from(lo) | u64::from(hi) << 32;
        Time::from_ns(ns.cast_signed())
    };
    let byte = |shift: u32| StateIdx::new((what >> shift & 0xff) as u8);
    let row = Row {
        entry: time(entry_lo, entry_hi),
        wake: time(wake_lo, wake_hi),
        exit: time(exit_lo, exit_hi),
        sleep_length: Ns::MAX,
        period,
        selected: byte(0),
        entered: byte(8),
        cause: *Cause::ALL.get((what >> 16) as usize)?,
        flags: Flags::from_bits(u16::try_from(flags).ok()?),
    };
    Some((n, row))
}
