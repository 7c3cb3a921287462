//! The recorded lane: what the `cpu_idle` events say, as the columns that a simulation gives.
//!
//! Instants and states are the trace's own and never altered. Periods are numbered as in the workload made of
//! the same trace: a wakeup that only served the tick does not begin a new one.

use crate::cpuidle::accounting::{self, Miss};
use crate::sim::{Cause, Flags, Keep, Knowledge, Lane, Record, Row};
use crate::units::{CpuId, Ns};
use crate::workload::replay::wakes::Wakeups;
use crate::workload::replay::{Machine, Reading, Replay, Select, provenance};

/// The lanes of all CPUs.
#[must_use]
pub fn record(replay: &Replay, machine: &Machine, wakeups: &Wakeups, reading: Reading) -> Record {
    let (start, end) = replay.span;
    let mut lanes = Vec::with_capacity(replay.selects.len());
    for (cpu, rows) in replay.cpus() {
        let mut lane = Lane::default();
        let mut period = 0_u32;
        if let Some(opening) = replay.openings.get(cpu.index()).copied().flatten() {
            lane.push(Row {
                entry: start,
                wake: opening.exit,
                exit: opening.exit,
                sleep_length: Ns::MAX,
                period,
                selected: opening.state,
                entered: opening.state,
                cause: Cause::Unknown,
                flags: Flags::UNCOUNTED.and(Flags::RESCHEDULED),
            });
        }
        for (n, select) in rows.iter().enumerate() {
            let wakeup = wakeups
                .rows
                .get(cpu.index())
                .and_then(|rows| rows.get(n))
                .copied()
                .flatten();
            let exit = select.exit.or(select.cut).unwrap_or(end);
            let keep = reading.keep(cpu, n);
            let inputs = select.inputs(replay.constants.clock, reading.hidden, keep);
            let known = provenance::sleep_length(replay, select, reading.hidden, keep);
            lane.push(Row {
                entry: select.enter,
                wake: wakeup.map_or(exit, |wakeup| wakeup.at),
                exit,
                sleep_length: if inputs.unbounded {
                    Ns::MAX
                } else {
                    inputs.sleep.to_event
                },
                period,
                selected: select.state,
                entered: select.state,
                cause: wakeup.map_or(Cause::Unknown, |wakeup| wakeup.cause),
                flags: flags(replay, machine, cpu, select, known)
                    .and_if(keep != Keep::None, Flags::KEEP_REASON),
            });
            if !wakeup.is_some_and(|wakeup| wakeup.only_tick) {
                period = period.saturating_add(1);
            }
        }
        lanes.push(lane);
    }
    Record {
        start,
        end,
        lanes,
        frequency: Vec::new(),
    }
}

fn flags(replay: &Replay, machine: &Machine, cpu: CpuId, select: &Select, known: Knowledge) -> Flags {
    let residency = select.residency(replay.tuning.residency);
    let verdict = residency.and_then(|residency| {
        accounting::miss(machine.table(cpu), machine.disabled, select.state, residency)
    });
    Flags::NONE
        .and_if(select.was_stopped, Flags::WAS_STOPPED)
        .and_if(select.stopped_now, Flags::ASKED_STOP.and(Flags::STOPPED_NOW))
        .and_if(select.was_stopped || select.stopped_now, Flags::STOPPED)
        .and_if(select.got_tick, Flags::GOT_TICK)
        .and_if(verdict == Some(Miss::TooDeep), Flags::TOO_DEEP)
        .and_if(verdict == Some(Miss::TooShallow), Flags::TOO_SHALLOW)
        .and_if(select.task_ran, Flags::RESCHEDULED)
        .and_if(select.exit.is_none(), Flags::UNCOUNTED)
        .and_if(known == Knowledge::Exact, Flags::TIMER_EXACT)
        .and_if(known == Knowledge::Inferred, Flags::TIMER_INFERRED)
}
