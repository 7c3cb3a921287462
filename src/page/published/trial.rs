//! One run of a closed-loop workload, measured after a warm-up, without keeping its rows.

use std::sync::Arc;

use crate::analysis::tick_stops::{Stopped, TickStops};
use crate::cpuidle::poll::PollLimit;
use crate::cpuidle::{Choice, MAX_STATES, StateMask, StateTable};
use crate::energy::package;
use crate::probe::Off;
use crate::sim::machine::{MachineModel, Usage};
use crate::sim::{
    CpuSetup, Driver, Engine, Flags, FrequencyChange, NO_LATENCY_LIMIT, Progress, Record, Setup, StateCosts,
    Workload,
};
use crate::tick;
use crate::units::{CpuId, Energy, Microwatts, Ns, Time};

/// Events between two looks at the rows.
const STEP: u64 = 20_000;

/// What is tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The machine; none where code takes no time.
    pub model: Option<MachineModel>,
    /// By CPU: states, those switched off, capacity.
    pub cpus: Vec<(StateTable, StateMask, u64)>,
    /// Who chooses.
    pub governor: Choice,
    /// The tick.
    pub tick: tick::Config,
    /// How long polling lasts.
    pub poll_limit: PollLimit,
    /// Not measured, ns.
    pub warm_up: Ns,
    /// Measured after that, ns.
    pub measured: Ns,
}

/// What one CPU did in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InState {
    /// Entries.
    pub count: u64,
    /// Time in it, ns.
    pub time: Ns,
    /// Too deep by the kernel's rule.
    pub too_deep: u64,
    /// Too shallow by the kernel's rule.
    pub too_shallow: u64,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// By CPU and state.
    pub states: Vec<[InState; MAX_STATES]>,
    /// Idle times for which the tick had been stopped.
    pub stopped: TickStops,
    /// Attempts to stop the tick, and those that left it stopped, by CPU.
    pub tick_stops: Vec<(u64, u64)>,
    /// Share of the span in which each CPU ran tasks, per mille.
    pub busy_per_mille: Vec<i64>,
    /// Energy of everything.
    pub energy: Energy,
    /// Mean power.
    pub power: Microwatts,
    /// The clock at the end, kHz.
    pub khz: u32,
    /// Changes of the clock, the warm-up included.
    pub frequency: Vec<FrequencyChange>,
    /// The span measured.
    pub span: Ns,
    /// What each core did.
    pub usage: Usage,
}

impl Outcome {
    /// A sum over states and these CPUs.
    pub fn sum(&self, cpus: std::ops::Range<usize>, of: impl Fn(&InState) -> u64) -> u64 {
        let rows = self.states.get(cpus).unwrap_or(&[]);
        rows.iter().flatten().map(of).sum()
    }

    /// Time in one state on these CPUs, ns.
    #[must_use]
    pub fn time(&self, cpus: std::ops::Range<usize>, state: usize) -> Ns {
        let rows = self.states.get(cpus).unwrap_or(&[]);
        rows.iter()
            .filter_map(|row| row.get(state))
            .map(|state| state.time)
            .sum()
    }

    /// Time in all states on these CPUs, ns.
    #[must_use]
    pub fn idle(&self, cpus: std::ops::Range<usize>) -> Ns {
        (0..MAX_STATES).map(|state| self.time(cpus.clone(), state)).sum()
    }

    /// Attempts to stop the tick on all CPUs.
    #[must_use]
    pub fn tick_stops(&self) -> u64 {
        self.tick_stops.iter().map(|(_, stops)| stops).sum()
    }
}

impl Trial {
    /// Runs it. `count` is asked of the workload at the beginning and at the end of what is measured; the difference
    /// is answered beside the outcome.
    pub fn run<W: Workload>(&self, workload: W, count: impl Fn(&W) -> u64) -> (Outcome, u64) {
        let mut run = Running::begin(self, workload);
        let warm = Time::ZERO.saturating_add(self.warm_up);
        let mut rows = Rows::new(self.cpus.len());
        let mut frequency = run.engine.record().frequency;
        while run.step(warm, &mut rows, &mut frequency) {}
        let before = run.state(warm);
        let counted = count(run.engine.workload());
        let mut rows = Rows::new(self.cpus.len());
        let end = warm.saturating_add(self.measured);
        while run.step(end, &mut rows, &mut frequency) {}
        let after = run.state(end);
        let counted = count(run.engine.workload()) - counted;
        (self.outcome(rows, frequency, &before, &after), counted)
    }

    fn outcome(
        &self,
        rows: Rows,
        frequency: Vec<FrequencyChange>,
        before: &Snapshot,
        after: &Snapshot,
    ) -> Outcome {
        let span = after.at.saturating_since(before.at);
        let usage = after.usage.since(&before.usage);
        let energy = self.model.as_ref().map_or(Energy::ZERO, |model| {
            package::drawn(&model.power, &usage, model.frequency.max_khz, span)
        });
        let stops = after.tick_stops.iter().zip(&before.tick_stops);
        let busy = after.busy.iter().zip(&before.busy);
        Outcome {
            states: rows.states,
            stopped: rows.stopped,
            tick_stops: stops
                .map(|(now, then)| (now.0 - then.0, now.1 - then.1))
                .collect(),
            busy_per_mille: busy
                .map(|(now, then)| (*now - *then).as_ns() * 1_000 / span.as_ns().max(1))
                .collect(),
            power: package::mean(energy, span),
            energy,
            khz: frequency.last().map_or(0, |change| change.khz),
            frequency,
            span,
            usage,
        }
    }
}

struct Running<W> {
    engine: Engine<W>,
    record: Record,
}

/// What is only ever added to.
struct Snapshot {
    at: Time,
    usage: Usage,
    tick_stops: Vec<(u64, u64)>,
    busy: Vec<Ns>,
}

impl<W: Workload> Running<W> {
    fn begin(trial: &Trial, workload: W) -> Self {
        let cpus = trial.cpus.iter().map(|(table, disabled, capacity)| CpuSetup {
            table: table.clone(),
            disabled: *disabled,
            capacity: *capacity,
            costs: StateCosts::default(),
        });
        let setup = Setup {
            cpus: cpus.collect(),
            governor: trial.governor,
            tick: trial.tick,
            poll_limit: trial.poll_limit,
            latency_req: NO_LATENCY_LIMIT,
            exit_latency_percent: 100,
            driver: Driver::Present,
            machine: trial.model.clone(),
            start: Time::ZERO,
            end: Time::ZERO.saturating_add(trial.warm_up + trial.measured),
        };
        let engine = Engine::new(Arc::new(setup), workload);
        Self {
            record: engine.record(),
            engine,
        }
    }

    /// Goes on for a while; answers whether there is more before `until`.
    fn step(&mut self, until: Time, rows: &mut Rows, frequency: &mut Vec<FrequencyChange>) -> bool {
        let progress = self.engine.run_to(until, STEP, &mut self.record, &mut Off);
        let mut record = std::mem::replace(&mut self.record, self.engine.record());
        rows.take(&record);
        frequency.append(&mut record.frequency);
        frequency.dedup_by_key(|change| change.khz);
        progress != Progress::Done
    }

    fn state(&self, at: Time) -> Snapshot {
        let cpus =
            (0..self.engine.setup().cpus.len()).map(|n| CpuId::new(u16::try_from(n).unwrap_or(u16::MAX)));
        Snapshot {
            at,
            usage: self.engine.usage(at).unwrap_or_default(),
            tick_stops: cpus
                .clone()
                .map(|cpu| self.engine.tick_stops(cpu).unwrap_or_default())
                .collect(),
            busy: cpus
                .map(|cpu| self.engine.spent(cpu, at).unwrap_or_default().tasks)
                .collect(),
        }
    }
}

/// What is taken from rows before they are dropped.
struct Rows {
    states: Vec<[InState; MAX_STATES]>,
    stopped: TickStops,
    /// By CPU.
    idle: Vec<Stopped>,
}

impl Rows {
    fn new(cpus: usize) -> Self {
        Self {
            states: vec![[InState::default(); MAX_STATES]; cpus],
            stopped: TickStops::default(),
            idle: vec![Stopped::default(); cpus],
        }
    }

    fn take(&mut self, record: &Record) {
        for (n, lane) in record.lanes.iter().enumerate() {
            let (Some(states), Some(idle)) = (self.states.get_mut(n), self.idle.get_mut(n)) else {
                continue;
            };
            for row in lane.rows() {
                if let Some(length) = idle.take(&row) {
                    self.stopped.add(length);
                }
                if row.flags.has(Flags::UNCOUNTED) {
                    continue;
                }
                if let Some(state) = states.get_mut(row.entered.index()) {
                    state.count += 1;
                    state.time += row.residency();
                    state.too_deep += u64::from(row.flags.has(Flags::TOO_DEEP));
                    state.too_shallow += u64::from(row.flags.has(Flags::TOO_SHALLOW));
                }
            }
        }
    }
}
