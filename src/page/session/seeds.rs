//! The same question with several seeds: how far figures depend on chance.
//!
//! Each seed runs in a session of its own, in pieces; the answers of the session at hand stay what they are.
//! Invariant: what a seed gives does not depend on how the work is cut, nor on the seeds before it.

use std::collections::VecDeque;

use super::{Progress, Session};
use crate::page::doc::{Doc, Side, Workload};
use crate::page::figures::{FIGURES, Given};
use crate::page::generated::{Generated, Param};
use crate::page::view::LaneId;

/// The most seeds that are run for one question.
pub const MOST_SEEDS: u32 = 1_000;

/// What one seed gave: of A and of B each of [`FIGURES`]; none for a side that is off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeded {
    /// The seed.
    pub seed: u64,
    /// Its figures.
    pub sides: [Option<Vec<Option<u128>>>; 2],
}

/// Several seeds under way.
pub struct Seeds {
    doc: Doc,
    left: VecDeque<i64>,
    of: usize,
    running: Option<(i64, Box<Session>)>,
    done: Vec<Seeded>,
}

impl Seeds {
    /// So many seeds from the question's own on, at most [`MOST_SEEDS`]; none for a workload without chance. Nothing is
    /// run yet.
    #[must_use]
    pub fn new(doc: &Doc, count: u32) -> Option<Self> {
        let first = seed_of(doc)?;
        let all = (0..i64::from(count.min(MOST_SEEDS))).map(|n| first + n);
        let left: VecDeque<i64> = all.filter(|seed| with_seed(doc, *seed).is_some()).collect();
        Some(Self {
            doc: doc.clone(),
            of: left.len(),
            left,
            running: None,
            done: Vec::new(),
        })
    }

    /// What is known so far, by seed.
    #[must_use]
    pub fn done(&self) -> &[Seeded] {
        &self.done
    }

    /// How many seeds are to be run in all.
    #[must_use]
    pub const fn of(&self) -> usize {
        self.of
    }

    /// Some work: about `budget` events of the engine; answers whether anything is left.
    pub fn step(&mut self, budget: u64) -> bool {
        let (seed, mut session) = match self.running.take() {
            Some(running) => running,
            None => {
                let Some(seed) = self.left.pop_front() else {
                    return false;
                };
                let mut session = Box::new(Session::new());
                if let Some(doc) = with_seed(&self.doc, seed) {
                    session.ask(&doc);
                }
                (seed, session)
            }
        };
        if matches!(session.step(budget), Progress::Running { .. }) {
            self.running = Some((seed, session));
            return true;
        }
        self.done.push(Seeded {
            seed: seed.unsigned_abs(),
            sides: Side::ALL.map(|side| session.figures(side)),
        });
        !self.left.is_empty()
    }
}

impl Session {
    /// Each of [`FIGURES`] of one variant of the last finished question; none for one that is off.
    #[must_use]
    pub fn figures(&self, side: Side) -> Option<Vec<Option<u128>>> {
        let summary = self.summary(LaneId::of(side), None, None)?;
        let loops = self.loops(side);
        let given = Given {
            loops: loops.as_ref(),
            summary: &summary,
        };
        Some(FIGURES.iter().map(|figure| (figure.of)(given)).collect())
    }
}

fn generated(doc: &Doc) -> Option<&Generated> {
    match &doc.workload {
        Workload::Generated(generated) => Some(generated),
        Workload::None | Workload::Trace(_) | Workload::Sample(_) => None,
    }
}

/// The seed of a question; none for a workload without one.
#[must_use]
pub fn seed_of(doc: &Doc) -> Option<i64> {
    generated(doc)?.get(Param::Seed)
}

/// The same question with another seed; none where that is none.
fn with_seed(doc: &Doc, seed: i64) -> Option<Doc> {
    let mut generated = generated(doc)?.clone();
    generated.set(Param::Seed, seed).then(|| Doc {
        workload: Workload::Generated(generated),
        ..doc.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::link;

    fn doc(fragment: &str) -> Doc {
        link::parse(fragment).0.doc
    }

    fn run(fragment: &str, count: u32, budget: u64) -> Vec<Seeded> {
        let mut seeds = Seeds::new(&doc(fragment), count).expect("has a seed");
        while seeds.step(budget) {}
        assert_eq!(seeds.done().len(), seeds.of());
        seeds.done().to_vec()
    }

    #[test]
    fn the_first_seed_is_the_questions_own_and_pieces_change_nothing() {
        let question = "w=tbench&n=1&dur=20ms&seed=7&a=menu-4.6&b=menu-4.5-p1&hz=1000";
        let found = run(question, 3, u64::MAX);
        let seeds: Vec<u64> = found.iter().map(|seeded| seeded.seed).collect();
        assert_eq!(seeds, [7, 8, 9]);
        assert_eq!(run(question, 3, 500), found);
        let mut session = Session::new();
        session.ask(&doc(question));
        session.finish();
        assert_eq!(Side::ALL.map(|side| session.figures(side)), found[0].sides);
        assert!(found[0].sides != found[1].sides, "chance has a say");
    }

    #[test]
    fn seeds_end_where_seeds_end_and_traces_have_none() {
        let last = run("w=mixed&dur=10ms&seed=4294967294&a=teo-6.12", 8, u64::MAX);
        assert_eq!(last.len(), 2);
        assert!(last[0].sides[0].is_some() && last[0].sides[1].is_none());
        assert!(Seeds::new(&doc("w=arm64-menu"), 8).is_none());
    }
}
