//! What misses are made of, in sentences.

use super::number::{Style, count, share};
use crate::analysis::summary::Summary;

/// Misses of so few sleeps say nothing about a lane.
const FEW: u64 = 10;

/// How ticks turn one sleep into many misses; none where they make less than a tenth of the shallow ones.
#[must_use]
pub fn split_by_ticks(name: &str, summary: &Summary, style: Style) -> Option<String> {
    let (sleeps, misses, all) = (summary.split_sleeps, summary.split_misses, summary.too_shallow());
    if misses < FEW || misses * 10 < all {
        return None;
    }
    Some(format!(
        "{name}: {} of {} too-shallow periods ({}) are pieces of {} sleeps: the tick kept running, and each of its wakeups ended a period in a state too shallow for the whole sleep and began the next.",
        count(misses, style),
        count(all, style),
        share(misses, all, 0, style),
        count(sleeps, style),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::summary::StateUse;

    fn said(sleeps: u64, misses: u64, all: u64) -> Option<String> {
        let summary = Summary {
            split_sleeps: sleeps,
            split_misses: misses,
            states: vec![StateUse {
                too_shallow: all,
                ..StateUse::default()
            }],
            ..Summary::default()
        };
        split_by_ticks("A", &summary, Style::Ascii)
    }

    #[test]
    fn sleeps_cut_by_ticks_are_told_where_they_make_the_misses() {
        let told = said(250, 1_234, 1_500).expect("most of them");
        assert!(
            told.starts_with("A: 1234 of 1500 too-shallow periods (82 %) are pieces of 250 sleeps"),
            "{told}"
        );
        assert_eq!(said(2, 9, 9), None, "too few to tell");
        assert_eq!(said(5, 12, 1_000), None, "not what they are made of");
    }
}
