//! A sweep over the loaded workload: for each value one run of A and one of B, worked off in pieces.
//!
//! Invariants: a sweep changes no answer of the session; a value with which a variant has just run is
//! not run again; the points are those of whole runs, however the work is cut.

use std::collections::VecDeque;
use std::sync::Arc;

use super::plan::Plan;
use super::run::{self, Models, summarise};
use super::work::Work;
use super::{Finished, Session};
use crate::page::doc::{Doc, Side};
use crate::page::sweep::{Outcome, Point, Swept};
use crate::sim::{self, Record, Run};
use crate::units::{CpuId, Ns};

/// A sweep under way.
pub struct Sweep {
    swept: Swept,
    /// The question without a value of its own for what is swept.
    doc: Doc,
    left: VecDeque<i64>,
    points: Vec<Point>,
    trial: Option<Trial>,
}

/// One value that is being tried.
struct Trial {
    value: i64,
    plan: Plan,
    running: Option<(Side, Box<Run<Work>>)>,
    next: usize,
    sides: [Option<Outcome>; 2],
}

impl Sweep {
    /// For these values, in this order; nothing is run yet.
    #[must_use]
    pub fn new(doc: &Doc, swept: Swept, values: Vec<i64>) -> Self {
        Self {
            doc: swept.without(doc),
            swept,
            left: values.into(),
            points: Vec::new(),
            trial: None,
        }
    }

    /// Whether this is the sweep of `swept` for a question, whatever value that has now.
    #[must_use]
    pub fn is_of(&self, doc: &Doc, swept: &Swept) -> bool {
        self.swept == *swept && self.doc == swept.without(doc)
    }

    /// What has been found so far, in the order of the values.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How many values are not done.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left.len() + usize::from(self.trial.is_some())
    }

    /// At most `budget` events of the engine on `session`, whose workload is the question's; answers
    /// whether anything is left.
    pub fn step(&mut self, session: &Session, budget: u64) -> bool {
        let mut trial = match self.trial.take() {
            Some(trial) => trial,
            None => {
                let Some(value) = self.left.pop_front() else {
                    return false;
                };
                let (plan, _) = Plan::new(&self.swept.with(&self.doc, value), &session.needs());
                Trial {
                    value,
                    plan,
                    running: None,
                    next: 0,
                    sides: [None, None],
                }
            }
        };
        if trial.advance(session, &self.swept, budget) {
            self.points.push(Point {
                value: trial.value,
                sides: trial.sides,
            });
        } else {
            self.trial = Some(trial);
        }
        self.left() > 0
    }
}

impl Trial {
    /// Answers whether this value is done.
    fn advance(&mut self, session: &Session, swept: &Swept, budget: u64) -> bool {
        if let Some((side, mut run)) = self.running.take() {
            if matches!(run.advance(budget), sim::Progress::Paused { .. }) {
                self.running = Some((side, run));
                return false;
            }
            run.finish();
            let finished = Finished::new(*run, session.cuts());
            self.note(side, outcome(finished.record(), &self.plan, side, swept));
            return self.next >= Side::ALL.len();
        }
        while let Some(side) = Side::ALL.get(self.next).copied() {
            self.next += 1;
            let (Some(rig), Some(variant)) = (self.plan.rig.as_ref(), self.plan.variant(side)) else {
                continue;
            };
            let Some(span) = session.source.span() else {
                continue;
            };
            let setup = run::setup(&self.plan, rig, variant, session.source.tick(), span);
            if let Some(kept) = session.kept(&setup) {
                self.note(side, outcome(kept.record(), &self.plan, side, swept));
            } else if let Some(work) = session.source.work(rig.cpus.len(), rig.parameters) {
                self.running = Some((side, Box::new(Run::new(Arc::new(setup), work))));
                return false;
            }
        }
        true
    }

    fn note(&mut self, side: Side, outcome: Option<Outcome>) {
        let [a, b] = &mut self.sides;
        *match side {
            Side::A => a,
            Side::B => b,
        } = outcome;
    }
}

impl Session {
    /// What A and B did in the last finished question, as a sweep of `swept` counts it.
    #[must_use]
    pub fn outcomes(&self, swept: &Swept) -> [Option<Outcome>; 2] {
        Side::ALL.map(|side| {
            let results = self.results.as_ref()?;
            let record = results.side(side)?.finished.record();
            outcome(record, &results.plan, side, swept)
        })
    }
}

fn outcome(record: &Record, plan: &Plan, side: Side, swept: &Swept) -> Option<Outcome> {
    let rig = plan.rig.as_ref()?;
    let models = Models::new(rig, plan.variant(side));
    let all = summarise(record, &models, None, None);
    let in_state = |(cpu, own): (CpuId, &super::RigCpu)| {
        let states = own.table.states();
        let n = states.iter().position(|state| state.name == swept.state)?;
        let summary = summarise(record, &models, Some(cpu), None);
        summary.states.get(n).map(|state| state.time)
    };
    let cpus = (0u16..).map(CpuId::new).zip(&rig.cpus);
    Some(Outcome {
        periods: all.periods(),
        too_deep: all.too_deep(),
        too_shallow: all.too_shallow(),
        ticks_kept: all.ticks_retained,
        in_state: cpus.filter_map(in_state).fold(Ns::ZERO, Ns::saturating_add),
        idle: all.idle(),
        latency: all.wake_latency.as_ref().map(|latency| latency.p99),
        #[allow(clippy::cast_precision_loss, reason = "drawn and compared, not counted")]
        energy: all
            .energy
            .as_ref()
            .map(|account| account.parts.idle().as_fj() as f64),
    })
}
