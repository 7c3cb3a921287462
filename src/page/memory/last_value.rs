//! The baseline that expects the last pause again: that pause, what has passed of this one, and the timer.

use super::{Drawing, Scene, candidates, changed, finished, table, walked};
use crate::cpuidle;
use crate::cpuidle::baseline::Step;
use crate::cpuidle::last_value::Snapshot;
use crate::page::plot::sources::{Source, Sources};
use crate::sim::{self, Explained};
use crate::units::Ns;

pub(super) fn drawing(explained: &Explained, scene: &Scene<'_>, before: &Snapshot) -> Drawing {
    let after = match explained.ended.governor.snapshot() {
        cpuidle::Snapshot::LastValue(after) => after,
        _ => *before,
    };
    let (timer, expected) = explained
        .steps
        .iter()
        .find_map(|step| match step {
            sim::Step::Governor(cpuidle::Step::Baseline(Step::LastStay {
                sleep_length,
                expected,
                ..
            })) => Some((*sleep_length, *expected)),
            _ => None,
        })
        .unwrap_or((Ns::MAX, Ns::MAX));
    let bounded = |at: Ns| (at >= Ns::ZERO && at < Ns::MAX).then_some(at);
    let time = |at: Option<Ns>| at.map_or_else(|| "none".to_owned(), |at| scene.speaker().time(at));
    let by_timer = timer <= expected;
    let learned = (before.last != after.last).then_some(after.last);
    let sources = vec![
        Source {
            name: "next timer",
            at: bounded(timer),
            earliest: by_timer,
            after: None,
        },
        Source {
            name: "last pause",
            at: before.last,
            earliest: !by_timer,
            after: learned,
        },
    ];
    let candidates = candidates(explained);
    let by = if by_timer { "next timer" } else { "last pause" };
    let answer = format!(
        "{} is expected, by the {by}: {}",
        time(bounded(expected)),
        walked(&candidates, scene)
    );
    let numbers = table(
        ["source", "value"],
        [
            ["next timer".to_owned(), time(bounded(timer))],
            [
                "last pause".to_owned(),
                changed(time(before.last), time(after.last)),
            ],
            [
                "passed of this pause".to_owned(),
                changed(time(Some(before.passed)), time(Some(after.passed))),
            ],
            ["expected".to_owned(), time(bounded(expected))],
        ],
    );
    let picture = Sources {
        width: scene.width,
        sources,
        states: scene.chips(),
        candidates,
        pointers: scene.pointers.clone(),
    };
    finished(answer, picture.plot(), numbers)
}
