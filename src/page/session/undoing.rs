//! How often each difference between A and B mattered: B is run once more without it.
//!
//! Invariants: the session is not changed; what cannot be undone alone is not counted; the runs are whole,
//! however the work is cut, and decisions of a range are counted in them.

use std::ops::Range;
use std::sync::Arc;

use super::plan::Plan;
use super::run;
use super::work::Work;
use super::{Finished, Session};
use crate::analysis::undone::{Overlap, Returned, Undone};
use crate::cpuidle::catalog::Change;
use crate::page::changes::{Altered, Item, between};
use crate::page::doc::Side;
use crate::sim::{self, Engine, Record, Run};
use crate::units::Time;

/// How often one difference mattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It cannot be undone alone.
    Never,
    /// Its run is not done.
    Waiting,
    /// This is what became of B's decisions.
    Done(Undone),
}

/// The differences of the answered question, being counted.
pub struct Undoing {
    plan: Plan,
    items: Vec<(Item, Counted)>,
    /// What each one brings back; empty until it is counted.
    returned: Vec<Returned>,
    /// Decisions that count, on the record's own clock.
    range: Range<Time>,
    overlap: Option<Overlap>,
    running: Option<(usize, Box<Run<Work>>)>,
}

impl Undoing {
    /// Nothing is counted yet; decisions outside a range, counted from the start of the record, never are.
    /// None unless A and B were both run.
    #[must_use]
    pub fn new(session: &Session, range: Option<(Time, Time)>) -> Option<Self> {
        let results = session.results.as_ref()?;
        let (a, b) = (results.plan.variant(Side::A)?, results.plan.variant(Side::B)?);
        results.side(Side::A).and(results.side(Side::B))?;
        let counted = |item: Item| match item.undone(a, b) {
            Some(_) => Counted::Waiting,
            None => Counted::Never,
        };
        let items: Vec<(Item, Counted)> = between(a, b)
            .into_iter()
            .map(|item| (item, counted(item)))
            .collect();
        let range = match range {
            Some((from, to)) => session.absolute(from)?..session.absolute(to)?,
            None => Time::from_ns(i64::MIN)..Time::NEVER,
        };
        Some(Self {
            returned: vec![Returned::default(); items.len()],
            items,
            range,
            overlap: None,
            plan: results.plan.clone(),
            running: None,
        })
    }

    /// The differences with their counts so far.
    #[must_use]
    pub fn items(&self) -> &[(Item, Counted)] {
        &self.items
    }

    /// The variants that are compared.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How many are left to be counted.
    #[must_use]
    pub fn left(&self) -> usize {
        let waits = |(_, counted): &&(Item, Counted)| *counted == Counted::Waiting;
        self.items.iter().filter(waits).count()
    }

    /// How the differences that stand beside each other share the decisions; none until all are counted, and
    /// when fewer than two could be. Rules that patches are made of do not stand beside them.
    #[must_use]
    pub const fn overlap(&self) -> Option<Overlap> {
        self.overlap
    }

    /// At most `budget` events of the engine on `session`, whose answered question is still the same; answers
    /// whether anything is left.
    pub fn step(&mut self, session: &Session, budget: u64) -> bool {
        if let Some((n, mut run)) = self.running.take() {
            if matches!(run.advance(budget), sim::Progress::Paused { .. }) {
                self.running = Some((n, run));
                return true;
            }
            run.finish();
            let finished = Finished::new(*run, session.cuts());
            self.note(n, session, finished.record());
            return self.left() > 0;
        }
        let waits = |(_, counted): &(Item, Counted)| *counted == Counted::Waiting;
        let Some(n) = self.items.iter().position(waits) else {
            return false;
        };
        if self.begin(n, session).is_none() {
            self.set(n, Counted::Never);
        }
        self.left() > 0
    }

    /// Starts the run without difference `n`, or takes its record from a variant that is like it.
    fn begin(&mut self, n: usize, session: &Session) -> Option<()> {
        let (a, b) = (*self.plan.variant(Side::A)?, *self.plan.variant(Side::B)?);
        let (item, _) = self.items.get(n)?;
        let altered = item.undone(&a, &b)?;
        for (side, plan) in [(Side::A, a), (Side::B, b)] {
            if alike(altered, Altered::of(plan)) {
                let results = session.results.as_ref()?;
                let record = results.side(side)?.finished.record();
                self.note(n, session, record);
                return Some(());
            }
        }
        let rig = self.plan.rig.as_ref()?;
        let span = session.source.span()?;
        let setup = run::setup(&self.plan, rig, &altered.plan, session.source.tick(), span);
        let work = session.source.work(rig.cpus.len(), rig.parameters)?;
        let governors: Vec<_> = setup
            .cpus
            .iter()
            .map(|cpu| altered.make.build(cpu.capacity))
            .collect();
        let engine = Engine::with_choosers(Arc::new(setup), work, governors);
        self.running = Some((n, Box::new(Run::of(engine))));
        Some(())
    }

    fn note(&mut self, n: usize, session: &Session, without: &Record) {
        let record = |side| {
            let results = session.results.as_ref()?;
            Some(results.side(side)?.finished.record())
        };
        let counted = match (record(Side::A), record(Side::B)) {
            (Some(a), Some(b)) => {
                let (undone, returned) = Undone::of(a, b, without, self.range.clone());
                if let Some(own) = self.returned.get_mut(n) {
                    *own = returned;
                }
                Counted::Done(undone)
            }
            _ => Counted::Never,
        };
        self.set(n, counted);
        if self.left() == 0 {
            self.overlap = self.shared(session);
        }
    }

    fn shared(&self, session: &Session) -> Option<Overlap> {
        let results = session.results.as_ref()?;
        let (a, b) = (self.plan.variant(Side::A)?, self.plan.variant(Side::B)?);
        // Rules that patches are made of would count the same twice.
        let patched = a.governor.entry().name == b.governor.entry().name
            && self
                .items
                .iter()
                .any(|(item, _)| matches!(item, Item::Patch { .. }));
        // What is undone as a whole brings back all of A: nothing can be said of the others beside it.
        let whole = |(item, _): &(Item, Counted)| matches!(item, Item::Rule(change) if change.is_whole());
        let told = |(item, _): &(Item, Counted)| matches!(item, Item::Entry { .. });
        if self.items.iter().any(whole) && self.items.iter().any(told) {
            return None;
        }
        let beside = |item: &Item| match item {
            Item::Patch { .. } => patched,
            Item::Rule(Change::Knob(..)) => true,
            Item::Rule(_) => !patched,
            Item::Entry { .. } => true,
            Item::Hz | Item::Nohz | Item::RateLimit | Item::Latency => true,
        };
        let counted = self.items.iter().zip(&self.returned);
        let counted = counted
            .filter(|((item, counted), _)| beside(item) && matches!(counted, Counted::Done(_)))
            .map(|(_, returned)| returned);
        if counted.clone().count() < 2 {
            return None;
        }
        let cpus = results.side(Side::B)?.finished.record().lanes.len();
        Some(Overlap::of(results.diff.as_ref()?, cpus, counted, &self.range))
    }

    fn set(&mut self, n: usize, counted: Counted) {
        if let Some((_, own)) = self.items.get_mut(n) {
            *own = counted;
        }
    }
}

/// Whether two variants decide alike: their names do not matter.
fn alike(one: Altered, other: Altered) -> bool {
    let governor = other.plan.governor;
    one.make == other.make && super::VariantPlan { governor, ..one.plan } == other.plan
}
