//! A's steps beside B's: what is the same once, what differs side by side (ui.md §8).
//!
//! Steps are aligned by what they do and which state they are about, in order; numbers do not
//! count for that. A row is the same when the numbers are the same too.

use crate::cpuidle::catalog::{Choice, Patch};
use crate::cpuidle::{self, menu, teo};
use crate::sim::Step;
use crate::sim::steps::LoopStep;
use crate::tick;
use crate::units::StateIdx;

/// Runs of equal steps longer than this are shown as one line.
pub const COLLAPSE: usize = 6;

/// Steps of one decision beyond which only their number is told.
pub const LIMIT: usize = 200;

/// One row of the comparison; numbers are places in the lists that were aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The same step with the same numbers in both.
    Same {
        /// In A's list.
        a: usize,
        /// In B's list.
        b: usize,
    },
    /// More than [`COLLAPSE`] rows that are the same.
    Collapsed {
        /// The first, in A's list.
        a: usize,
        /// The first, in B's list.
        b: usize,
        /// How many.
        count: usize,
    },
    /// Steps that differ, or that only one of them took.
    Split {
        /// In A's list.
        a: Option<usize>,
        /// In B's list.
        b: Option<usize>,
    },
}

/// What a step does, and about which state: steps are aligned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A governor's step.
    Governor(cpuidle::StepKind, Option<StateIdx>),
    /// The tick's.
    Tick(tick::StepKind),
    /// The idle loop's.
    Loop(std::mem::Discriminant<LoopStep>),
}

/// The key of a step.
#[must_use]
pub fn key(step: &Step) -> Key {
    match step {
        Step::Governor(step) => Key::Governor(step.kind(), subject(step)),
        Step::Tick(step) => Key::Tick(step.kind()),
        Step::Loop(step) => Key::Loop(std::mem::discriminant(step)),
    }
}

/// The state that a step of a search looks at.
fn subject(step: &cpuidle::Step) -> Option<StateIdx> {
    match step {
        cpuidle::Step::Teo(teo::Step::Considered { state, .. } | teo::Step::Walked { state, .. })
        | cpuidle::Step::Menu(menu::Step::Considered { state, .. })
        | cpuidle::Step::Mobile(cpuidle::mobile::Step::Considered { state, .. })
        | cpuidle::Step::Baseline(
            cpuidle::baseline::Step::Considered { state, .. } | cpuidle::baseline::Step::Priced { state, .. },
        ) => Some(*state),
        _ => None,
    }
}

/// Aligns two lists: the longest common sequence of keys, the rest unmatched.
#[must_use]
pub fn align(a: &[Step], b: &[Step]) -> Vec<Row> {
    collapse(pairs(a, b))
}

/// The same without collapsing.
pub(super) fn pairs(a: &[Step], b: &[Step]) -> Vec<Row> {
    rows(a.get(..LIMIT).unwrap_or(a), b.get(..LIMIT).unwrap_or(b))
}

/// A piece of a list of rows of which long runs that are the same are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// One row.
    Row(usize),
    /// So many rows that are the same, from this one on.
    Fold(usize, usize),
}

/// Folds runs of at least `least` rows that are the same, given which rows are; where all of them are, there
/// is nothing to compare and nothing is folded.
#[must_use]
pub fn folded(same: &[bool], least: usize) -> Vec<Piece> {
    if same.iter().all(|same| *same) {
        return (0..same.len()).map(Piece::Row).collect();
    }
    let (mut pieces, mut at) = (Vec::new(), 0);
    for run in same.chunk_by(|one, other| one == other) {
        if run.first() == Some(&true) && run.len() >= least {
            pieces.push(Piece::Fold(at, run.len()));
        } else {
            pieces.extend((at..at + run.len()).map(Piece::Row));
        }
        at += run.len();
    }
    pieces
}

fn rows(a: &[Step], b: &[Step]) -> Vec<Row> {
    let (ka, kb): (Vec<Key>, Vec<Key>) = (a.iter().map(key).collect(), b.iter().map(key).collect());
    let width = kb.len() + 1;
    // common[i * width + j]: the longest common sequence of a[i..] and b[j..]
    let mut common = vec![0_usize; (ka.len() + 1) * width];
    for i in (0..ka.len()).rev() {
        for j in (0..kb.len()).rev() {
            common[i * width + j] = if ka[i] == kb[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let mut rows = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < ka.len() || j < kb.len() {
        let both = i < ka.len() && j < kb.len();
        if both && ka[i] == kb[j] {
            rows.push(if a[i] == b[j] {
                Row::Same { a: i, b: j }
            } else {
                Row::Split {
                    a: Some(i),
                    b: Some(j),
                }
            });
            i += 1;
            j += 1;
        } else if j >= kb.len() || (both && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            rows.push(Row::Split { a: Some(i), b: None });
            i += 1;
        } else {
            rows.push(Row::Split { a: None, b: Some(j) });
            j += 1;
        }
    }
    rows
}

fn collapse(rows: Vec<Row>) -> Vec<Row> {
    let mut out = Vec::new();
    for run in rows.chunk_by(|one, other| matches!((one, other), (Row::Same { .. }, Row::Same { .. }))) {
        match run.first() {
            Some(Row::Same { a, b }) if run.len() > COLLAPSE => out.push(Row::Collapsed {
                a: *a,
                b: *b,
                count: run.len(),
            }),
            _ => out.extend_from_slice(run),
        }
    }
    out
}

/// The patch behind a split: one that only one of the two choices has and that changes this step.
#[must_use]
pub fn patch_behind(step: &Step, a: Choice, b: Choice) -> Option<&'static Patch> {
    if a.entry().name != b.entry().name {
        return None;
    }
    let Step::Governor(step) = step else {
        return None;
    };
    let number = match step.kind() {
        cpuidle::StepKind::Teo(teo::StepKind::BusyTwoStates | teo::StepKind::Demoted) => 1,
        cpuidle::StepKind::Teo(teo::StepKind::BailedOut | teo::StepKind::OnlyState) => 2,
        _ => return None,
    };
    let differs = a.patches().contains(number) != b.patches().contains(number);
    let patches = a.entry().patches;
    patches.iter().find(|patch| differs && patch.number == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::TickChoice;
    use crate::units::Ns;

    fn considered(state: u8) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::Considered {
            state: StateIdx::new(state),
            target_residency: Ns::from_us(i64::from(state)),
            sleep_length: Some(Ns::from_ms(1)),
            fits: true,
            exit_latency: Ns::ZERO,
            latency_req: Ns::MAX,
            allowed: true,
        }))
    }

    fn demoted(duration: i64) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::Demoted {
            from: StateIdx::new(2),
            found: StateIdx::new(1),
            to: StateIdx::new(1),
            duration: Some(Ns::from_us(duration)),
        }))
    }

    fn tick(duration: i64, choice: TickChoice) -> Step {
        Step::Governor(cpuidle::Step::Teo(teo::Step::TickDecision {
            state: StateIdx::new(1),
            duration: Ns::from_us(duration),
            tick: Ns::from_ms(1),
            polling: false,
            stopped: false,
            choice,
        }))
    }

    #[test]
    fn the_same_once_and_the_rest_side_by_side() {
        let a = [considered(0), demoted(1731), tick(1731, TickChoice::Stop)];
        let b = [
            considered(0),
            considered(1),
            demoted(180),
            tick(180, TickChoice::Retain),
        ];
        let split = |a, b| Row::Split { a, b };
        assert_eq!(
            align(&a, &b),
            [
                Row::Same { a: 0, b: 0 },
                split(None, Some(1)),
                split(Some(1), Some(2)),
                split(Some(2), Some(3)),
            ]
        );
    }

    #[test]
    fn seven_equal_steps_are_one_line_and_six_are_not() {
        let steps = |n: u8| (0..n).map(considered).collect::<Vec<_>>();
        assert_eq!(
            align(&steps(7), &steps(7)),
            [Row::Collapsed { a: 0, b: 0, count: 7 }]
        );
        assert_eq!(align(&steps(6), &steps(6)).len(), 6);
    }

    #[test]
    fn runs_that_are_the_same_are_folded_wherever_they_stand() {
        let of = |text: &str| folded(&text.chars().map(|c| c == 's').collect::<Vec<_>>(), 3);
        use Piece::{Fold, Row};
        assert_eq!(of("sssdss"), [Fold(0, 3), Row(3), Row(4), Row(5)]);
        assert_eq!(of("dssss"), [Row(0), Fold(1, 4)]);
        assert_eq!(of("ssss"), [Row(0), Row(1), Row(2), Row(3)]);
        assert_eq!(of(""), []);
    }

    #[test]
    fn every_step_has_its_row() {
        let a: Vec<Step> = [3, 1, 4, 1, 5].map(considered).to_vec();
        let b: Vec<Step> = [1, 5, 9, 2, 6, 5].map(considered).to_vec();
        let rows = rows(&a, &b);
        let count = |of: fn(&Row) -> bool| rows.iter().filter(|row| of(row)).count();
        let same = count(|row| matches!(row, Row::Same { .. }));
        let both = count(|row| {
            matches!(
                row,
                Row::Split {
                    a: Some(_),
                    b: Some(_)
                }
            )
        });
        let only_a = count(|row| matches!(row, Row::Split { a: Some(_), b: None }));
        let only_b = count(|row| matches!(row, Row::Split { a: None, b: Some(_) }));
        assert_eq!((same + both + only_a, same + both + only_b), (a.len(), b.len()));
        assert_eq!(same, 2);
    }

    #[test]
    fn the_patch_that_moves_the_estimate_is_named() {
        let choice = |name: &str| name.parse::<Choice>().expect("in the catalogue");
        let (plain, patched) = (choice("teo-6.5"), choice("teo-6.5-p123"));
        let number = |step: &Step, a, b| patch_behind(step, a, b).map(|patch| patch.number);
        assert_eq!(number(&demoted(180), plain, patched), Some(1));
        assert_eq!(number(&demoted(180), choice("teo-6.5-p12"), patched), None);
        assert_eq!(number(&considered(0), plain, patched), None);
        assert_eq!(number(&demoted(180), plain, choice("teo-6.6")), None);
    }
}
