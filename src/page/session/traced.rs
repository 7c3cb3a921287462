//! A trace that was read, and what it says before anything is simulated.

use crate::cpuidle::{Choice, IdleState, MAX_STATES, StateTable};
use crate::page::machines;
use crate::page::recording::agreement::{Agreement, agreement};
use crate::page::recording::follow::Path;
use crate::page::recording::recorded::record;
use crate::sim::{Flags, Knowledge, Lane, Record, Row};
use crate::trace::idle::{self, Recorded};
use crate::trace::{Kind, Trace};
use crate::units::{Ns, StateIdx};
use crate::workload::replay::provenance::Provenance;
use crate::workload::replay::wakes::Wakeups;
use crate::workload::replay::{Machine, Reading, Replay, ReplayWorkload, Tuning};

use super::plan::Needs;
use super::rig::Rig;

/// A trace with its sums and the governor's inputs rebuilt from it.
#[derive(Debug)]
pub struct Traced {
    /// Events and import report.
    pub trace: Trace,
    /// What its `cpu_idle` events say, in numbers.
    pub idle: Recorded,
    /// What the recorded governor was told.
    pub replay: Replay,
    /// The governor that decided, when it is known and one we have.
    pub governor: Option<Choice>,
    /// What the trace needs of a machine.
    pub needs: Needs,
}

impl Traced {
    /// Reads out a trace.
    #[must_use]
    pub fn new(trace: Trace) -> Self {
        let recorded_on = machines::Machine::of_trace(&trace.short_hash());
        let replay = Replay::of(&trace, Tuning::default());
        let needs = Needs {
            cpus: trace.cpus,
            machine: recorded_on.map(|(machine, _)| machine.id.as_str()),
            deepest: deepest(&trace),
            hz: (replay.constants.hz_known == Knowledge::Exact).then_some(replay.constants.hz),
            stopped: trace.report.stopped,
            closed: None,
        };
        Self {
            idle: idle::account(&trace),
            governor: recorded_on.and_then(|(_, governor)| governor),
            replay,
            needs,
            trace,
        }
    }

    /// How many of the recorded decisions `governor` reproduces on `rig`, following the recorded path.
    #[must_use]
    pub fn agreement(&self, rig: &Rig, governor: Choice) -> Option<Agreement> {
        let machine = machine(rig)?;
        Some(agreement(
            &Path::of(&self.replay, &machine, governor),
            self.replay.span.1,
        ))
    }
}

fn deepest(trace: &Trace) -> Vec<Option<StateIdx>> {
    let mut deepest = vec![None; trace.cpus];
    for event in &trace.events {
        if let Kind::IdleEnter { cpu, state } = event.kind
            && let Some(seen) = deepest.get_mut(cpu.index())
        {
            *seen = (*seen).max(Some(state));
        }
    }
    deepest
}

/// The machine that recorded, as the replay knows it: its own tables, without the question's edits.
pub(super) fn machine(rig: &Rig) -> Option<Machine> {
    let mut tables = rig.cpus.iter().map(|cpu| cpu.base.clone());
    let mut machine = Machine::new(tables.next()?, tables);
    machine.disabled = rig.cpus.first()?.base_off;
    Some(machine)
}

/// What depends on the machine that recorded, but on no edit and no variant.
#[derive(Debug)]
pub struct Rebuilt {
    /// The tables it was made for; none when the machine is not known.
    tables: Option<Vec<StateTable>>,
    /// The recorded lane.
    pub record: Record,
    /// The trace as a workload.
    pub workload: ReplayWorkload,
    /// How far the known governor agrees with the recording.
    pub agreement: Option<Agreement>,
    /// How well each input is known.
    pub provenance: Provenance,
}

impl Rebuilt {
    /// Rebuilds a trace on the machine that recorded it. Without one, the recorded lane alone means
    /// something: no latency is known, and misses are those that the kernel itself reported.
    #[must_use]
    pub fn new(traced: &Traced, rig: Option<&Rig>) -> Self {
        let replay = &traced.replay;
        let known = rig.and_then(machine);
        let stand_in = || stand_in(&traced.needs.deepest);
        let machine = known.clone().unwrap_or_else(stand_in);
        let agreement = traced
            .governor
            .filter(|_| known.is_some())
            .map(|governor| agreement(&Path::of(replay, &machine, governor), replay.span.1));
        let reading = agreement.as_ref().map_or(Reading::PLAIN, Agreement::reading);
        let wakeups = Wakeups::of(replay, &machine);
        let mut record = record(replay, &machine, &wakeups, reading);
        if known.is_none() {
            take_reported_misses(&mut record, replay);
        }
        Self {
            tables: rig.map(tables),
            workload: ReplayWorkload::new(replay, &wakeups, reading),
            provenance: Provenance::of(replay, &wakeups, reading),
            record,
            agreement,
        }
    }

    /// Whether this was made for the machine of `rig`.
    #[must_use]
    pub fn fits(&self, rig: Option<&Rig>) -> bool {
        self.tables == rig.map(tables)
    }
}

fn tables(rig: &Rig) -> Vec<StateTable> {
    rig.cpus.iter().map(|cpu| cpu.base.clone()).collect()
}

/// Tables of a machine that nobody knows: as many states as were seen, without a time.
fn stand_in(deepest: &[Option<StateIdx>]) -> Machine {
    let table = |deepest: &Option<StateIdx>| {
        let states = deepest.map_or(1, |idx| idx.index() + 1).min(MAX_STATES);
        let state = |n: usize| IdleState {
            name: format!("state {n}"),
            exit_latency: Ns::ZERO,
            target_residency: Ns::ZERO,
            polling: false,
            timer_stop: false,
        };
        StateTable::new((0..states).map(state).collect()).ok()
    };
    let mut tables = deepest.iter().filter_map(table);
    let first = tables.next().or_else(|| table(&None));
    #[allow(clippy::expect_used, reason = "a table of one state without times is valid")]
    Machine::new(first.expect("a table of one state"), tables)
}

/// Replaces the verdicts of the kernel's rule, which needs a table, by those that the kernel reported.
fn take_reported_misses(record: &mut Record, replay: &Replay) {
    use crate::trace::event::Miss;
    let verdicts = Flags::TOO_DEEP.and(Flags::TOO_SHALLOW).bits();
    for (lane, selects) in record.lanes.iter_mut().zip(&replay.selects) {
        let mut changed = Lane::default();
        // A period that was open at the start has a row, but no select.
        let opening = lane.len().saturating_sub(selects.len());
        for (n, row) in lane.rows().enumerate() {
            let select = n.checked_sub(opening).and_then(|n| selects.get(n));
            let miss = select.and_then(|select| select.miss);
            let flags = Flags::from_bits(row.flags.bits() & !verdicts)
                .and_if(miss == Some(Miss::Above), Flags::TOO_DEEP)
                .and_if(miss == Some(Miss::Below), Flags::TOO_SHALLOW);
            changed.push(Row { flags, ..row });
        }
        *lane = changed;
    }
}
