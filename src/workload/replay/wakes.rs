//! What ended each stay, and when that happened (spec replay-inputs.md §5).
//!
//! ```text
//!   enter              source                exit   first interrupt
//!     |==================|=== exit latency ===|-------|
//!                        '- expiry of a timer, raise by another CPU, or exit − min(table, floor)
//! ```
//!
//! The emulated and the real worst case lie far apart, so a *floor* is learned: the tenth percentile of exit minus
//! source, per kind of CPU and state, where sources are known. Invariant: an instant lies between enter and exit.

use std::collections::BTreeMap;

use super::Replay;
use super::machine::Machine;
use super::select::{Interrupt, Select};
use super::source::Has;
use crate::sim::{Cause, Knowledge};
use crate::units::{CpuId, Ns, StateIdx, Time};

/// One wakeup of the recorded machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wakeup {
    /// When its source acted, between enter and exit.
    pub at: Time,
    /// How `at` is known: read from events, computed from a learned floor, or from the table alone.
    pub at_known: Knowledge,
    /// What ended the stay.
    pub cause: Cause,
    /// How `cause` is known.
    pub cause_known: Knowledge,
    /// What leaving the state took the recorded machine: the lesser of table and floor, not beyond the exit.
    pub exit_latency: Ns,
    /// It only served the tick: a simulation that has its own tick leaves it out.
    pub only_tick: bool,
}

/// The shortest exit that a state was seen to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// The first CPU with this table.
    pub cpu: CpuId,
    /// The state.
    pub state: StateIdx,
    /// The tenth percentile of exit minus source, ns.
    pub floor: Ns,
    /// Wakeups with a known source.
    pub samples: usize,
}

/// All wakeups of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wakeups {
    /// For each select of each CPU; none while its period is open or cut.
    pub rows: Vec<Vec<Option<Wakeup>>>,
    /// What was learned.
    pub floors: Vec<Floor>,
}

impl Wakeups {
    /// Finds causes and instants.
    #[must_use]
    pub fn of(replay: &Replay, machine: &Machine) -> Self {
        let has = replay.constants.has;
        let floors = floors(replay, machine, has);
        let rows = replay
            .cpus()
            .map(|(cpu, rows)| {
                let first = kind_of(machine, cpu);
                rows.iter()
                    .map(|row| {
                        let exit = row.exit?;
                        let floor = floors.iter().find(|f| (f.cpu, f.state) == (first, row.state));
                        let table = machine.table(cpu).exit_latency(row.state);
                        Some(wakeup(replay, row, exit, table, floor.map(|f| f.floor)))
                    })
                    .collect()
            })
            .collect();
        Self { rows, floors }
    }
}

/// The first CPU whose table equals that of `cpu`.
fn kind_of(machine: &Machine, cpu: CpuId) -> CpuId {
    let same = |other: &CpuId| machine.table(*other) == machine.table(cpu);
    (0..cpu.number()).map(CpuId::new).find(same).unwrap_or(cpu)
}

fn floors(replay: &Replay, machine: &Machine, has: Has) -> Vec<Floor> {
    let mut taken: BTreeMap<(CpuId, StateIdx), Vec<Ns>> = BTreeMap::new();
    for (cpu, rows) in replay.cpus() {
        let first = kind_of(machine, cpu);
        for row in rows {
            let known = row.exit.zip(source(row, cause(row, has).0));
            if let Some((exit, source)) = known.filter(|(exit, source)| (row.enter..=*exit).contains(source))
            {
                let latencies = taken.entry((first, row.state)).or_default();
                latencies.push(exit.saturating_since(source));
            }
        }
    }
    taken
        .into_iter()
        .filter_map(|((cpu, state), mut latencies)| {
            latencies.sort_unstable();
            let samples = latencies.len();
            let floor = *latencies.get(samples / 10)?;
            Some(Floor {
                cpu,
                state,
                floor,
                samples,
            })
        })
        .collect()
}

/// When the source acted, where an event tells.
fn source(row: &Select, cause: Cause) -> Option<Time> {
    match cause {
        Cause::Timer => row.wake.hrtimer.or(row.wake.tick_due),
        Cause::Tick => row.wake.tick_due,
        Cause::Ipi => row.wake.raised,
        Cause::Interrupt | Cause::PollLimit | Cause::Unknown => None,
    }
}

fn cause(row: &Select, has: Has) -> (Cause, Knowledge) {
    let wake = &row.wake;
    let stopped = row.was_stopped || row.stopped_now;
    let by_timer = if wake.hrtimer.is_some() || wake.wheel {
        Cause::Timer
    } else if row.got_tick && !stopped {
        Cause::Tick
    } else {
        Cause::Timer
    };
    match wake.first {
        Some(Interrupt::Ipi) => (Cause::Ipi, Knowledge::Exact),
        Some(Interrupt::Device { .. }) => (Cause::Interrupt, Knowledge::Exact),
        Some(Interrupt::Timer) if has.hrtimer_expire => (by_timer, Knowledge::Exact),
        Some(Interrupt::Timer) => (by_timer, Knowledge::Inferred),
        None if wake.tick || wake.wheel || wake.hrtimer.is_some() => (by_timer, Knowledge::Inferred),
        None if row.got_tick && !row.task_ran => (Cause::Tick, Knowledge::Inferred),
        None => (Cause::Unknown, Knowledge::Unknown),
    }
}

/// Whether the tick did nothing here but chop an idle stretch.
///
/// Grid position alone is right in three of five cases only: without switches nothing is called so.
fn only_tick(row: &Select, cause: Cause, has: Has) -> bool {
    let wake = &row.wake;
    let told =
        has.switches && (has.hrtimer_expire || has.interrupt_entry || has.hrtimer_start || !row.was_stopped);
    told && cause == Cause::Tick
        && !row.task_ran
        && !wake.foreign
        && !wake.woke_task
        && !wake.wheel
        && wake.hrtimer.is_none()
}

fn wakeup(replay: &Replay, row: &Select, exit: Time, table: Ns, floor: Option<Ns>) -> Wakeup {
    let has = replay.constants.has;
    let (cause, cause_known) = cause(row, has);
    let back = |latency: Ns| exit.saturating_add(Ns::ZERO.saturating_sub(latency));
    let (at, at_known) = match (source(row, cause), floor) {
        (Some(source), _) => (source, Knowledge::Exact),
        (None, _) if cause == Cause::Tick => (
            replay.constants.clock.grid_at_or_before(exit),
            Knowledge::Inferred,
        ),
        (None, Some(floor)) => (back(floor.min(table)), Knowledge::Inferred),
        (None, None) => (back(table), Knowledge::Unknown),
    };
    let at = at.max(row.enter).min(exit);
    let latency = floor.map_or(table, |floor| floor.min(table));
    Wakeup {
        at,
        at_known,
        cause,
        cause_known,
        exit_latency: latency.max(Ns::ZERO).min(exit.saturating_since(at)),
        only_tick: only_tick(row, cause, has),
    }
}
