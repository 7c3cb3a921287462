//! A run that keeps clones of its engine, so that any decision can be explained later.
//!
//! Steps are not kept while running: at a million decisions they would be hundreds of megabytes that nobody
//! reads. To explain decision *n*, the clone before it is run on to it with nobody listening, then that one
//! decision with a listener. If it does not give the recorded row, there is no explanation.
//!
//! ```text
//!   |---- 4096 decisions ----|---- 4096 ----|--
//!   clone                    clone          clone
//!                              \---- Off ---> n: Steps ---> row n again, and equal
//! ```

use std::sync::Arc;

use thiserror::Error;

use super::chooser::Chooser;
use super::engine::{Engine, Progress};
use super::setup::Setup;
use super::steps::{Inputs, LoopStep, Step};
use super::workload::Workload;
use super::{Record, Row};
use crate::cpuidle::{Decision, Device, Governor};
use crate::probe::{Off, Steps};
use crate::tick;
use crate::units::{CpuId, Time};

/// Decisions, of all CPUs together, from one clone to the next.
const SPACING: u64 = 4_096;

/// One variant on one workload: engine, record and clones.
#[derive(Clone, Debug)]
pub struct Run<W, G = Governor> {
    engine: Engine<W, G>,
    record: Record,
    checkpoints: Vec<Engine<W, G>>,
    done: bool,
    cut: bool,
}

/// What a CPU's governor and the core remember at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory<G = Governor> {
    /// The governor.
    pub governor: G,
    /// What the core keeps for it.
    pub device: Device,
}

/// One decision, taken again with a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained<G = Governor> {
    /// The row, equal to the recorded one.
    pub row: Row,
    /// Every step of idle loop, governor and tick from the beginning of the iteration until the state is
    /// entered.
    pub steps: Vec<Step>,
    /// Before the governor is asked.
    pub before: Memory<G>,
    /// After it has chosen.
    pub chosen: Memory<G>,
    /// After it has learnt how the period ended; as `chosen` when the period is open at the end of the run.
    pub ended: Memory<G>,
}

impl<G> Explained<G> {
    /// What surrounded the decision.
    #[must_use]
    pub fn inputs(&self) -> Option<Inputs> {
        self.loop_steps().find_map(|step| match step {
            LoopStep::Began { inputs, .. } => Some(*inputs),
            _ => None,
        })
    }

    /// What the governor chose, and the sleep length it was told if it asked; none when none is asked.
    #[must_use]
    pub fn choice(&self) -> Option<(Decision, Option<tick::Lengths>)> {
        self.loop_steps().find_map(|step| match step {
            LoopStep::Chose { decision, lengths } => Some((*decision, *lengths)),
            _ => None,
        })
    }

    /// Why the tick was stopped or retained.
    #[must_use]
    pub fn settled(&self) -> Option<tick::Settled> {
        self.steps.iter().find_map(|step| match step {
            Step::Tick(tick::Step::Settled { result, .. }) => Some(*result),
            _ => None,
        })
    }

    fn loop_steps(&self) -> impl Iterator<Item = &LoopStep> {
        self.steps.iter().filter_map(|step| match step {
            Step::Loop(step) => Some(step),
            Step::Governor(_) | Step::Tick(_) => None,
        })
    }
}

/// Why a decision has no explanation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The run has no such decision (yet).
    #[error("{cpu} has {decisions} decisions so far, number {row} is not among them")]
    NoSuchDecision {
        /// The CPU asked for.
        cpu: CpuId,
        /// Its row asked for, counted from 0.
        row: usize,
        /// How many there are.
        decisions: usize,
    },
    /// Taken again, it came out differently: a defect of this program.
    #[error("decision {row} of {cpu} came out differently when it was taken again")]
    Differs {
        /// The CPU.
        cpu: CpuId,
        /// Its row, counted from 0.
        row: usize,
        /// As recorded.
        recorded: Box<Row>,
        /// As it came out.
        found: Box<Option<Row>>,
    },
}

impl<W: Workload> Run<W> {
    /// At the start of the span, with the governor of the setup.
    #[must_use]
    pub fn new(setup: Arc<Setup>, workload: W) -> Self {
        Self::of(Engine::new(setup, workload))
    }
}

impl<W: Workload, G: Chooser> Run<W, G> {
    /// A run of an engine that has not begun.
    #[must_use]
    pub fn of(engine: Engine<W, G>) -> Self {
        Self {
            record: engine.record(),
            checkpoints: vec![engine.clone()],
            engine,
            done: false,
            cut: false,
        }
    }

    /// Does at most `budget` events; at the end of the span, periods that are open are recorded as not
    /// counted.
    pub fn advance(&mut self, budget: u64) -> Progress {
        let mut left = budget;
        while !self.done && left > 0 {
            let since =
                self.engine.all_decisions() - self.checkpoints.last().map_or(0, Engine::all_decisions);
            if since >= SPACING {
                self.checkpoints.push(self.engine.clone());
                continue;
            }
            // An event is at most one decision, so a clone is never late.
            let events = left.min(SPACING - since);
            left -= events;
            if self.engine.run(events, &mut self.record, &mut Off) == Progress::Done {
                self.done = true;
                self.engine.close(&mut self.record);
            }
        }
        if self.done {
            Progress::Done
        } else {
            Progress::Paused {
                now: self.engine.now(),
            }
        }
    }

    /// Ends the run here: nothing after this instant is simulated.
    pub fn cut(&mut self) {
        if !self.done {
            self.done = true;
            self.cut = true;
            self.record.end = self.engine.now();
            self.engine.close_at(self.record.end, &mut self.record);
        }
    }

    /// Whether it was ended before the end of its span.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Runs to the end of the span.
    pub fn finish(&mut self) {
        while self.advance(u64::MAX) != Progress::Done {}
    }

    /// What happened so far.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Takes the record and lets go of the rest.
    #[must_use]
    pub fn into_record(self) -> Record {
        self.record
    }

    /// The engine as it is now.
    #[must_use]
    pub fn engine(&self) -> &Engine<W, G> {
        &self.engine
    }

    /// The clones, in order; the first is the start.
    #[must_use]
    pub fn checkpoints(&self) -> &[Engine<W, G>] {
        &self.checkpoints
    }

    /// Takes decision `row` of `cpu`, counted from 0, again and tells its steps.
    ///
    /// # Errors
    /// See [`ExplainError`].
    pub fn explain(&self, cpu: CpuId, row: usize) -> Result<Explained<G>, ExplainError> {
        let lane = self.record.lane(cpu);
        let recorded = lane
            .and_then(|lane| lane.row(row))
            .ok_or(ExplainError::NoSuchDecision {
                cpu,
                row,
                decisions: lane.map_or(0, super::Lane::len),
            })?;
        self.again(cpu, row, &recorded)
            .map_err(|found| ExplainError::Differs {
                cpu,
                row,
                recorded: Box::new(recorded),
                found: Box::new(found),
            })
    }

    /// Takes every decision of `cpu` from one instant to another again and tells each one's instant and steps up to
    /// the entry into its state. Nothing is told of a CPU that there is not.
    pub fn retell(&self, cpu: CpuId, (from, to): (Time, Time), mut tell: impl FnMut(Time, &[Step])) {
        let before = self.checkpoints.partition_point(|engine| engine.now() <= from);
        let Some(mut engine) = self.checkpoints.get(before.saturating_sub(1)).cloned() else {
            return;
        };
        let mut skipped = engine.record();
        loop {
            let mut steps = Steps::default();
            let own = engine.about_to_decide() == Some(cpu);
            let done = if own {
                engine.run(1, &mut skipped, &mut steps)
            } else {
                engine.run(1, &mut skipped, &mut Off)
            };
            let now = engine.now();
            if done == Progress::Done || now > to {
                return;
            }
            if own && now >= from {
                tell(now, &steps.0);
            }
        }
    }

    /// The decision again; what came out when that is not the recorded row.
    fn again(&self, cpu: CpuId, row: usize, recorded: &Row) -> Result<Explained<G>, Option<Row>> {
        let wanted = u64::try_from(row).map_err(|_| None)?;
        let later = self
            .checkpoints
            .partition_point(|engine| engine.decisions(cpu).is_some_and(|begun| begun <= wanted));
        let mut engine = later
            .checked_sub(1)
            .and_then(|n| self.checkpoints.get(n))
            .ok_or(None)?
            .clone();

        let mut skipped = engine.record();
        while engine.about_to_decide() != Some(cpu) || engine.decisions(cpu) != Some(wanted) {
            if engine.run(1, &mut skipped, &mut Off) == Progress::Done {
                return Err(None);
            }
        }

        let before = engine.memory(cpu).ok_or(None)?;
        let mut steps = Steps::default();
        let mut period = engine.record();
        engine.run(1, &mut period, &mut steps);
        let chosen = engine.memory(cpu).ok_or(None)?;
        while period.lane(cpu).is_some_and(super::Lane::is_empty) {
            if engine.run(1, &mut period, &mut Off) == Progress::Done {
                engine.close(&mut period);
                break;
            }
        }
        let found = period.lane(cpu).and_then(|lane| lane.row(0));
        if found != Some(*recorded) {
            return Err(found);
        }
        Ok(Explained {
            row: *recorded,
            steps: steps.0,
            before,
            chosen,
            ended: engine.memory(cpu).ok_or(None)?,
        })
    }
}
