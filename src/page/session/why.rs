//! Why states were not chosen: the decisions of a range are taken again with a listener, in pieces.
//!
//! Invariants: the session is not changed; a decision belongs to the range in which its row begins; at most
//! [`MOST`] decisions of a lane are taken again, the first of the range.

use std::ops::Range;

use super::work::Work;
use super::{Finished, Session};
use crate::analysis::why::Tally;
use crate::page::doc::Side;
use crate::probe::{Off, Steps};
use crate::sim::steps::LoopStep;
use crate::sim::{Engine, Progress, Step};
use crate::units::{CpuId, Time};

/// Decisions of a lane that are looked at, at most.
pub const MOST: u64 = 20_000;

/// The reasons of A and B within a range, being counted.
pub struct Why {
    lanes: Vec<Lane>,
}

/// One variant.
struct Lane {
    side: Side,
    tally: Tally,
    /// Decisions in the range.
    within: u64,
    /// Which rows of each CPU.
    rows: Vec<Range<u64>>,
    /// None once done.
    engine: Option<Engine<Work>>,
}

impl Why {
    /// For a range counted from the start of the record, or all of it; nothing is counted yet.
    #[must_use]
    pub fn new(session: &Session, range: Option<(Time, Time)>) -> Self {
        let range = range.and_then(|(from, to)| Some((session.absolute(from)?, session.absolute(to)?)));
        let lane = |side: Side| {
            let results = session.results.as_ref()?;
            Some(Lane::new(side, &results.side(side)?.finished, range))
        };
        Self {
            lanes: Side::ALL.into_iter().filter_map(lane).collect(),
        }
    }

    /// Each variant that was run: decisions in the range, and the reasons found so far.
    pub fn tallies(&self) -> impl Iterator<Item = (Side, u64, &Tally)> {
        self.lanes
            .iter()
            .map(|lane| (lane.side, lane.within, &lane.tally))
    }

    /// Whether anything is left.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.lanes.iter().any(|lane| lane.engine.is_some())
    }

    /// At most `budget` events of the engine; answers whether anything is left.
    pub fn step(&mut self, budget: u64) -> bool {
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.engine.is_some()) {
            lane.step(budget);
        }
        self.is_under_way()
    }
}

impl Lane {
    fn new(side: Side, finished: &Finished, range: Option<(Time, Time)>) -> Self {
        let rows: Vec<Range<u64>> = finished
            .record()
            .lanes
            .iter()
            .map(|lane| {
                let place = |t: Time| lane.entries().partition_point(|entry| *entry < t);
                let (from, to) = range.map_or((0, lane.len()), |(from, to)| (place(from), place(to)));
                from as u64..to as u64
            })
            .collect();
        let within = rows.iter().map(|rows| rows.end.saturating_sub(rows.start)).sum();
        let early = |engine: &&Engine<Work>| {
            let mut cpus = (0u16..).map(CpuId::new).zip(&rows);
            cpus.all(|(cpu, rows)| rows.is_empty() || engine.decisions(cpu).is_some_and(|n| n <= rows.start))
        };
        let engine = finished.run.checkpoints().iter().rfind(early).cloned();
        Self {
            side,
            tally: Tally::default(),
            within,
            rows,
            engine: engine.filter(|_| within > 0),
        }
    }

    fn step(&mut self, budget: u64) {
        let Some(mut engine) = self.engine.take() else {
            return;
        };
        // What is recorded once more is not looked at.
        let mut record = engine.record();
        for _ in 0..budget {
            if self.tally.decisions >= MOST.min(self.within) {
                return;
            }
            let wanted = engine.about_to_decide().filter(|cpu| {
                let rows = self.rows.get(cpu.index());
                engine
                    .decisions(*cpu)
                    .zip(rows)
                    .is_some_and(|(n, rows)| rows.contains(&n))
            });
            let progress = match wanted {
                Some(cpu) => {
                    let mut steps = Steps::default();
                    let progress = engine.run(1, &mut record, &mut steps);
                    self.add(&engine, cpu, &steps.0);
                    progress
                }
                None => engine.run(1, &mut record, &mut Off),
            };
            if progress == Progress::Done {
                return;
            }
        }
        self.engine = Some(engine);
    }

    fn add(&mut self, engine: &Engine<Work>, cpu: CpuId, steps: &[Step]) {
        let Some(own) = engine.setup().cpus.get(cpu.index()) else {
            return;
        };
        let mut governor = Vec::new();
        let mut chosen = None;
        for step in steps {
            match step {
                Step::Governor(step) => governor.push(*step),
                Step::Loop(LoopStep::Chose { decision, .. }) => chosen = Some(decision.state),
                Step::Loop(_) | Step::Tick(_) => {}
            }
        }
        if let Some(chosen) = chosen {
            self.tally.add(&own.table, own.disabled, chosen, &governor);
        }
    }
}
