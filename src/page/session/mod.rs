//! Everything that the worker and the headless example share: the loaded workload, the runs of A and B,
//! and every answer the page asks for.
//!
//! ```text
//!   begin_trace, feed …, finish_trace     or a generated workload named by the question
//!                     \                 /
//!       ask(doc) ──> Plan ──> step, step, … ──> answers: summary, view, seek, decision, json
//! ```
//!
//! Invariants: [`Session::step`] does bounded work, so that a newer question or a cancel is heard
//! between two calls; answers come from the last finished question until the next one is finished;
//! a side whose setup did not change is not run again. Instants in questions and answers are counted
//! from the start of the record.

mod answer;
mod behind;
mod clock;
pub mod closed;
mod differing;
mod ideal;
mod json;
mod lane_view;
mod own;
mod plan;
mod rig;
mod run;
mod seeds;
mod sender;
pub mod shared;
mod strips;
mod sweep;
mod traced;
mod undoing;
mod why;
mod work;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

pub use answer::{DecisionAnswer, LaneDecision};
pub use behind::Patched;
pub use clock::Clock;
pub use json::cause_key;
pub use lane_view::{Column, LaneView, Shape, WHOLE};
pub use own::OwnNumbers;
pub use plan::{Needs, Plan, PlanIssue, VariantPlan, machine};
pub use rig::{EditError, Rig, RigCpu};
pub use seeds::{MOST_SEEDS, Seeded, Seeds, seed_of};
pub use strips::{Stretch, Strip};
pub use sweep::Sweep;
pub use traced::{Rebuilt, Traced};
pub use undoing::{Counted, Undoing};
pub use why::Why;
pub use work::Work;
pub(in crate::page) use work::tokens;

use crate::analysis::diff::Diff;
use crate::analysis::summary::Summary;
use crate::page::doc::{Doc, Side, Workload};
use crate::page::recording::cross::CrossChecks;
use crate::page::view::LaneId;
use crate::sim::{self, Record, Run, Setup};
use crate::trace::tables::Tables;
use crate::trace::{self, Limits, Opened, Reader, TraceError};
use crate::units::{CpuId, Ns, Time};
use behind::Mixtures;
use ideal::Ideal;
use run::{Drawn, Models};
use work::Source;

/// Decisions of one variant that are kept; a browser has memory for two variants of so many.
pub const MOST_DECISIONS: usize = 3_000_000;

/// Events between two looks at that limit.
const STEP: u64 = 100_000;

/// How far the pending question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is pending.
    Idle,
    /// More steps are needed.
    Running {
        /// Simulated time done, over all variants that run, ns.
        done: Ns,
        /// Simulated time in all, ns.
        total: Ns,
    },
    /// The question has just been finished: its answers are there.
    Finished,
}

/// One variant that was run.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) run: Run<Work>,
    /// The record with periods that lost events cut marked; none when the workload has no such.
    marked: Option<Record>,
    pub(super) drawn: Drawn,
}

impl Finished {
    /// `cuts` is the workload when lost events cut some of its periods.
    fn new(run: Run<Work>, cuts: Option<&Rebuilt>) -> Self {
        let marked = cuts.map(|rebuilt| {
            let mut record = run.record().clone();
            rebuilt.workload.mark_uncounted(&mut record);
            record
        });
        let drawn = Drawn::new(run.record());
        Self { run, marked, drawn }
    }

    pub(super) fn record(&self) -> &Record {
        self.marked.as_ref().unwrap_or(self.run.record())
    }
}

/// One variant of the answered question.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) finished: Rc<Finished>,
    pub(super) models: Models,
}

/// What the trace says, as a lane beside the variants.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) rebuilt: Rc<Rebuilt>,
    pub(super) drawn: Drawn,
    pub(super) models: Models,
}

/// The answers to one question.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) plan: Plan,
    pub(super) issues: Vec<PlanIssue>,
    pub(super) recording: Option<Recording>,
    pub(super) sides: [Option<Answered>; 2],
    pub(super) diff: Option<Diff>,
    own: Option<OwnNumbers>,
    mixtures: Mixtures,
    ideal: OnceCell<Ideal>,
    summaries: RefCell<Vec<Summarised>>,
}

/// The figures of a lane over a range, kept: results and table for mail ask for the same.
#[derive(Debug)]
pub(super) struct Summarised {
    pub(super) lane: LaneId,
    pub(super) range: Option<(Time, Time)>,
    pub(super) summary: Summary,
}

/// A variant of the pending question.
enum Making {
    Kept(Rc<Finished>),
    Running(Box<Run<Work>>),
}

struct Pending {
    plan: Plan,
    issues: Vec<PlanIssue>,
    sides: [Option<Making>; 2],
}

/// The loaded workload, its runs and their answers.
#[derive(Default)]
pub struct Session {
    reader: Option<Reader>,
    source: Source,
    results: Option<Results>,
    pending: Option<Pending>,
}

impl Session {
    /// With nothing loaded.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts reading a trace; what is loaded stays until it is read.
    pub fn begin_trace(&mut self) {
        self.reader = Some(Reader::new(Limits::default()));
    }

    /// Takes the next bytes of the file that is being read.
    ///
    /// # Errors
    /// When nothing of the file can be used; reading is over then, and what was loaded stays.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<trace::Progress, TraceError> {
        let Some(reader) = &mut self.reader else {
            return Ok(trace::Progress::default());
        };
        match reader.feed(bytes) {
            Ok(()) => Ok(reader.progress()),
            Err(error) => {
                self.reader = None;
                Err(error)
            }
        }
    }

    /// Ends reading: the trace takes the place of what was loaded. Without a file being read, nothing
    /// happens.
    ///
    /// # Errors
    /// When nothing of the file can be used; what was loaded stays.
    pub fn finish_trace(&mut self) -> Result<(), TraceError> {
        if let Some(reader) = self.reader.take() {
            self.load(Source::of_trace(reader.finish()?));
        }
        Ok(())
    }

    /// Ends reading, whatever the file holds: a trace takes the place of what was loaded; tables of idle states
    /// and counters are handed over and change nothing here.
    ///
    /// # Errors
    /// When nothing of the file can be used; what was loaded stays.
    pub fn finish_file(&mut self) -> Result<Option<Tables>, TraceError> {
        match self.reader.take().map(Reader::finish_any).transpose()? {
            Some(Opened::Trace(trace)) => {
                self.load(Source::of_trace(*trace));
                Ok(None)
            }
            Some(Opened::Tables(tables)) => Ok(Some(tables)),
            None => Ok(None),
        }
    }

    /// Stops reading; what was loaded stays.
    pub fn cancel_reading(&mut self) {
        self.reader = None;
    }

    fn load(&mut self, source: Source) {
        self.source = source;
        self.results = None;
        self.pending = None;
    }

    /// The loaded trace with its import report.
    #[must_use]
    pub fn traced(&self) -> Option<&Traced> {
        self.source.traced()
    }

    /// What the loaded workload needs of a machine.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.source.needs()
    }

    /// Takes a new question, which replaces one that is pending; what could not be done as asked is
    /// answered at once.
    ///
    /// A generated workload is loaded by asking; a trace must have been read before.
    pub fn ask(&mut self, doc: &Doc) -> &[PlanIssue] {
        if let Workload::Generated(generated) = &doc.workload
            && !self.source.is_generated(generated, &doc.costs)
        {
            self.load(Source::Generated(generated.clone(), doc.costs.clone()));
        }
        let (plan, mut issues) = Plan::new(doc, &self.source.needs());
        if let (Workload::Trace(wanted), Some(traced)) = (&doc.workload, self.traced()) {
            let found = traced.trace.short_hash();
            if wanted.to_string() != found {
                issues.push(PlanIssue::OtherTrace {
                    wanted: wanted.to_string(),
                    found,
                });
            }
        }
        self.source.rebuild(plan.rig.as_ref());
        let sides = Side::ALL.map(|side| self.make(&plan, side));
        let pending = self.pending.insert(Pending { plan, issues, sides });
        &pending.issues
    }

    fn make(&self, plan: &Plan, side: Side) -> Option<Making> {
        let (rig, variant) = (plan.rig.as_ref()?, plan.variant(side)?);
        let setup = run::setup(plan, rig, variant, self.source.tick(), self.source.span()?);
        if let Some(kept) = self.kept(&setup) {
            return Some(Making::Kept(kept));
        }
        let work = self.source.work(rig.cpus.len(), rig.parameters)?;
        Some(Making::Running(Box::new(Run::new(Arc::new(setup), work))))
    }

    /// A finished run of the loaded workload with exactly this setup, of either side.
    fn kept(&self, setup: &Setup) -> Option<Rc<Finished>> {
        let results = self.results.as_ref()?;
        let before = results
            .recording
            .as_ref()
            .map(|recording| Rc::as_ptr(&recording.rebuilt));
        if before != self.source.rebuilt().map(Rc::as_ptr) {
            return None;
        }
        let sides = results.sides.iter().flatten();
        let mut same = sides.filter(|side| **side.finished.run.engine().setup() == *setup);
        same.next().map(|side| Rc::clone(&side.finished))
    }

    /// Gives up the pending question; the answers of the last finished one stay.
    pub fn cancel(&mut self) {
        self.pending = None;
    }

    /// Works on the pending question: at most `budget` events of the engine.
    pub fn step(&mut self, budget: u64) -> Progress {
        let Some(pending) = &mut self.pending else {
            return Progress::Idle;
        };
        let (mut done, mut total) = (Ns::ZERO, Ns::ZERO);
        let mut left = budget;
        let mut finished = true;
        for side in pending.sides.iter_mut().flatten() {
            let Making::Running(run) = side else { continue };
            let record = run.record();
            let (start, end) = (record.start, record.end);
            total = total.saturating_add(end.saturating_since(start));
            let spent = std::mem::take(&mut left);
            if run.record().decisions() >= MOST_DECISIONS {
                run.cut();
            }
            match run.advance(spent) {
                sim::Progress::Paused { now } => {
                    finished = false;
                    done = done.saturating_add(now.saturating_since(start));
                }
                sim::Progress::Done => {
                    done = done.saturating_add(end.saturating_since(start));
                    left = spent;
                }
            }
        }
        if !finished {
            return Progress::Running { done, total };
        }
        self.finish();
        Progress::Finished
    }

    /// Works on the pending question until it is finished.
    pub fn finish(&mut self) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let Pending {
            plan,
            mut issues,
            sides,
        } = pending;
        let rebuilt = self.source.rebuilt();
        let recording = rebuilt.map(|rebuilt| Recording {
            drawn: Drawn::new(&rebuilt.record),
            models: plan
                .rig
                .as_ref()
                .map(|rig| Models::new(rig, None))
                .unwrap_or_default(),
            rebuilt: Rc::clone(rebuilt),
        });
        let own = self.own_numbers_of(&plan);
        let cuts = self.cuts();
        let [a, b] = sides.map(|side| {
            side.map(|making| match making {
                Making::Kept(kept) => kept,
                Making::Running(mut run) => {
                    while run.advance(STEP) != sim::Progress::Done {
                        if run.record().decisions() >= MOST_DECISIONS {
                            run.cut();
                        }
                    }
                    Rc::new(Finished::new(*run, cuts))
                }
            })
        });
        for (side, finished) in Side::ALL.into_iter().zip([&a, &b]) {
            let cut = finished.as_ref().filter(|finished| finished.run.is_cut());
            if let Some(record) = cut.map(|finished| finished.run.record()) {
                issues.push(PlanIssue::TooManyDecisions {
                    side,
                    simulated: record.end.saturating_since(record.start),
                    limit: MOST_DECISIONS,
                });
            }
        }
        let answered = |finished: Option<Rc<Finished>>, side| {
            let models = Models::new(plan.rig.as_ref()?, plan.variant(side));
            Some(Answered {
                finished: finished?,
                models,
            })
        };
        let sides = [answered(a, Side::A), answered(b, Side::B)];
        let diff = match &sides {
            [Some(a), Some(b)] => Some(Diff::of(a.finished.record(), b.finished.record())),
            _ => None,
        };
        self.results = Some(Results {
            plan,
            issues,
            recording,
            sides,
            diff,
            own,
            mixtures: Mixtures::default(),
            ideal: OnceCell::new(),
            summaries: RefCell::default(),
        });
    }

    /// The workload when lost events cut some of its periods.
    fn cuts(&self) -> Option<&Rebuilt> {
        let lossy = |traced: &Traced| traced.trace.report.lost_markers > 0;
        self.traced().filter(|traced| lossy(traced))?;
        self.source.rebuilt().map(Rc::as_ref)
    }

    /// The first and last instant of the loaded workload, on its own clock.
    #[must_use]
    pub fn span(&self) -> Option<(Time, Time)> {
        self.source.span()
    }

    /// What became of the last finished question: its plan, and what could not be done as asked.
    #[must_use]
    pub fn plan(&self) -> Option<(&Plan, &[PlanIssue])> {
        self.results
            .as_ref()
            .map(|results| (&results.plan, results.issues.as_slice()))
    }

    /// The record of one lane of the last finished question.
    #[must_use]
    pub fn record(&self, lane: LaneId) -> Option<&Record> {
        self.lane_parts(lane).map(|(record, _, _)| record)
    }

    fn lane_parts(&self, lane: LaneId) -> Option<(&Record, &Drawn, &Models)> {
        let results = self.results.as_ref()?;
        if lane == LaneId::Ideal {
            let base = results.side(Side::A).or_else(|| results.side(Side::B))?;
            let make = || Ideal::of(base.finished.record(), &base.models);
            let ideal = results.ideal.get_or_init(make);
            return Some((&ideal.record, &ideal.drawn, &base.models));
        }
        match lane.side() {
            // States go by index, and with others added or removed an index means another state.
            None => results
                .recording
                .as_ref()
                .filter(|_| results.plan.rig.as_ref().is_none_or(Rig::is_own))
                .map(|recording| (&recording.rebuilt.record, &recording.drawn, &recording.models)),
            Some(side) => results
                .side(side)
                .map(|side| (side.finished.record(), &side.finished.drawn, &side.models)),
        }
    }

    /// What was rebuilt from the trace for the last finished question; none for generated workloads.
    #[must_use]
    pub fn rebuilt(&self) -> Option<&Rebuilt> {
        let recording = self.results.as_ref()?.recording.as_ref()?;
        Some(&recording.rebuilt)
    }

    /// What the kernel recorded about misses and ticks against the recorded lane; none for generated workloads.
    #[must_use]
    pub fn cross_checks(&self) -> Option<CrossChecks> {
        let (traced, rebuilt) = (self.traced()?, self.rebuilt()?);
        let known = self.plan().is_some_and(|(plan, _)| plan.rig.is_some());
        Some(CrossChecks::of(
            &traced.trace.events,
            &traced.replay,
            &rebuilt.record,
            known,
        ))
    }

    /// CPUs that have a decision in some lane, ascending.
    #[must_use]
    pub fn cpus(&self) -> Vec<CpuId> {
        let records: Vec<&Record> = LaneId::ALL
            .into_iter()
            .filter_map(|lane| self.record(lane))
            .collect();
        let most = records.iter().map(|record| record.lanes.len()).max().unwrap_or(0);
        (0..u16::try_from(most).unwrap_or(u16::MAX))
            .map(CpuId::new)
            .filter(|cpu| {
                records
                    .iter()
                    .any(|record| record.lane(*cpu).is_some_and(|lane| !lane.is_empty()))
            })
            .collect()
    }
}

impl Results {
    pub(super) fn side(&self, side: Side) -> Option<&Answered> {
        let [a, b] = &self.sides;
        match side {
            Side::A => a.as_ref(),
            Side::B => b.as_ref(),
        }
    }
}
