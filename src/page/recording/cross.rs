//! Cross-checks: what the kernel itself recorded about misses and stopped ticks against what the recorded lane says.
//!
//! Two independent tellings of one thing: `cpu_idle_miss` is the kernel's verdict on a stay, and the lane's comes from
//! the stay's length and the table by the same rule; `tick_stop` is printed when the tick is stopped and only then
//! (spec trace-text-formats.md, D11), and the lane has it at the select that stopped it. Where they differ, one of
//! them is wrong: a table of another machine, an event that was lost, or a defect here.

use crate::sim::{Flags, Lane, Record};
use crate::trace::event::{Event, Kind, Miss};
use crate::units::{CpuId, StateIdx, Time};
use crate::workload::replay::{Replay, Select};

/// A verdict on a stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Neither too deep nor too shallow.
    Match,
    /// `above`.
    TooDeep,
    /// `below`.
    TooShallow,
}

/// How the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Apart {
    /// About a miss.
    Miss {
        /// What the kernel recorded.
        kernel: Verdict,
        /// What the lane says.
        ours: Verdict,
    },
    /// `tick_stop` was recorded, and the lane's select did not stop the tick.
    OnlyRecorded,
    /// The lane's select stopped the tick, and no `tick_stop` was recorded.
    OnlyOurs,
}

/// Where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The CPU.
    pub cpu: CpuId,
    /// When it entered the state, on the trace's own clock.
    pub at: Time,
    /// The state that it entered.
    pub state: StateIdx,
}

/// One kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which.
    pub apart: Apart,
    /// How many stays.
    pub count: u64,
    /// The earliest.
    pub first: Example,
}

/// The outcome of one check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Stays of which both say something.
    pub compared: u64,
    /// Of these, stays of which they say the same.
    pub alike: u64,
    /// How the others differ, the most frequent first.
    pub differences: Vec<Difference>,
}

/// Both checks; none where the trace lacks the events, or nothing is known to compare them with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossChecks {
    /// `cpu_idle_miss` over all stays that ended.
    pub misses: Option<Check>,
    /// `tick_stop` over all selects that stopped the tick by either telling.
    pub tick_stops: Option<Check>,
}

impl CrossChecks {
    /// Compares. `table_known` says that the verdicts of the lane come from a table, not from the trace itself.
    #[must_use]
    pub fn of(events: &[Event], replay: &Replay, record: &Record, table_known: bool) -> Self {
        let has = replay.constants.has;
        Self {
            misses: (has.misses && table_known).then(|| misses(replay, record)),
            tick_stops: has.tick_stop.then(|| tick_stops(events, replay)),
        }
    }
}

impl Check {
    fn count(&mut self, apart: Option<Apart>, example: Example) {
        self.compared += 1;
        let Some(apart) = apart else {
            self.alike += 1;
            return;
        };
        match self.differences.iter_mut().find(|known| known.apart == apart) {
            Some(known) => {
                known.count += 1;
                if example.at < known.first.at {
                    known.first = example;
                }
            }
            None => self.differences.push(Difference {
                apart,
                count: 1,
                first: example,
            }),
        }
    }

    fn sorted(mut self) -> Self {
        self.differences
            .sort_by(|a, b| b.count.cmp(&a.count).then(a.apart.cmp(&b.apart)));
        self
    }
}

fn misses(replay: &Replay, record: &Record) -> Check {
    let mut check = Check::default();
    for (cpu, selects) in replay.cpus() {
        let Some(lane) = record.lane(cpu) else { continue };
        for (select, flags) in selects.iter().zip(flags(lane, selects.len())) {
            if select.exit.is_none() {
                continue;
            }
            let kernel = match select.miss {
                None => Verdict::Match,
                Some(Miss::Above) => Verdict::TooDeep,
                Some(Miss::Below) => Verdict::TooShallow,
            };
            let ours = if flags.has(Flags::TOO_DEEP) {
                Verdict::TooDeep
            } else if flags.has(Flags::TOO_SHALLOW) {
                Verdict::TooShallow
            } else {
                Verdict::Match
            };
            let apart = (kernel != ours).then_some(Apart::Miss { kernel, ours });
            check.count(apart, example(cpu, select));
        }
    }
    check.sorted()
}

/// The flags of a lane's last rows; a period that was open at the start has a row, but no select.
fn flags(lane: &Lane, selects: usize) -> impl Iterator<Item = Flags> {
    lane.rows()
        .skip(lane.len().saturating_sub(selects))
        .map(|row| row.flags)
}

fn tick_stops(events: &[Event], replay: &Replay) -> Check {
    let mut stops: Vec<Vec<Time>> = vec![Vec::new(); replay.selects.len()];
    for event in events {
        if let (Kind::TickStop { success: true }, Some(stops)) =
            (event.kind, stops.get_mut(event.cpu.index()))
        {
            stops.push(event.time);
        }
    }
    let mut check = Check::default();
    for (cpu, selects) in replay.cpus() {
        let mut rest = stops.get(cpu.index()).map_or(&[][..], Vec::as_slice);
        for select in selects {
            // The tick is stopped on the way into the state: between the stay before and this entry.
            let here = rest.partition_point(|at| *at <= select.enter);
            rest = rest.get(here..).unwrap_or_default();
            let apart = match (here > 0, select.stopped_now) {
                (false, false) => continue,
                (true, true) => None,
                (true, false) => Some(Apart::OnlyRecorded),
                (false, true) => Some(Apart::OnlyOurs),
            };
            check.count(apart, example(cpu, select));
        }
    }
    check.sorted()
}

const fn example(cpu: CpuId, select: &Select) -> Example {
    Example {
        cpu,
        at: select.enter,
        state: select.state,
    }
}
