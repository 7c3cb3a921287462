//! What the recording itself teaches about timers (spec replay-inputs.md §2.6.1, §2.6.2).
//!
//! Each stop of the tick carries the kernel's own evaluation X of the next event. An X later than a wheel timer that we
//! count says that the kernel does not count it (it is deferrable); an X earlier than all that we know reveals a wheel
//! timer that was pending from before the trace.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::select::Select;
use crate::trace::event::TimerId;
use crate::units::Time;

/// Timers that do not wake an idle CPU, found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Learned {
    uncounted: HashSet<TimerId>,
}

impl Learned {
    pub(super) fn uncounted(&mut self, timer: TimerId) {
        self.uncounted.insert(timer);
    }

    pub(super) fn is_uncounted(&self, timer: TimerId) -> bool {
        self.uncounted.contains(&timer)
    }
}

/// The stops of one CPU, in order, and the timers that they reveal.
#[derive(Clone, Debug, Default)]
pub(super) struct Stops {
    /// Stops since the last loss with no later stop of a later X, X descending: (row, X).
    open: Vec<(usize, Time)>,
    /// The first row after the last loss.
    since_loss: usize,
    revealed: Vec<Revealed>,
}

/// A wheel timer that was pending from row `from` to row `to`.
#[derive(Clone, Copy, Debug)]
struct Revealed {
    from: usize,
    to: usize,
    due: Time,
}

impl Stops {
    /// Events were lost before row `row`.
    pub(super) fn lost(&mut self, row: usize) {
        self.open.clear();
        self.since_loss = row;
    }

    /// Row `row` stops the tick with evaluation `programmed`, where `wheel` is the earliest timer known.
    pub(super) fn stopped(&mut self, row: usize, programmed: Time, wheel: Time, lost: bool) {
        if lost {
            self.lost(row);
        }
        while self
            .open
            .last()
            .is_some_and(|(_, earlier)| *earlier <= programmed)
        {
            self.open.pop();
        }
        if programmed < wheel {
            let from = self.open.last().map_or(self.since_loss, |(stop, _)| stop + 1);
            self.revealed.push(Revealed {
                from,
                to: row,
                due: programmed,
            });
        }
        self.open.push((row, programmed));
    }

    /// Enters the revealed timers into the rows during which they were pending.
    pub(super) fn fill_back(mut self, rows: &mut [Select]) {
        let mut active: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
        for (n, row) in rows.iter_mut().enumerate().rev() {
            while let Some(revealed) = self.revealed.pop_if(|revealed| revealed.to >= n) {
                active.push(Reverse((revealed.due, revealed.from)));
            }
            while active.peek().is_some_and(|Reverse((_, from))| *from > n) {
                active.pop();
            }
            if let Some(Reverse((due, _))) = active.peek()
                && *due > row.enter
                && *due < row.wheel
            {
                row.wheel = (*due).max(row.last_update);
            }
        }
    }
}
