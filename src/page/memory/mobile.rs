//! mobile's three predictions, the earliest marked, and the mean that the period taught it.

use super::{Drawing, Scene, candidates, changed, finished, table, walked};
use crate::cpuidle;
use crate::cpuidle::mobile::{self, Snapshot};
use crate::page::plot::sources::{Source, Sources};
use crate::sim::{Explained, Step};
use crate::units::Ns;

pub(super) fn drawing(explained: &Explained, scene: &Scene<'_>, before: &Snapshot) -> Drawing {
    let after = match explained.ended.governor.snapshot() {
        cpuidle::Snapshot::Mobile(after) => after,
        _ => *before,
    };
    let (timer, interrupt, stay) = explained
        .steps
        .iter()
        .find_map(|step| match step {
            Step::Governor(cpuidle::Step::Mobile(mobile::Step::Sources {
                timer,
                interrupt,
                stay,
                ..
            })) => Some((Some(*timer), *interrupt, Some(*stay))),
            _ => None,
        })
        .unwrap_or_default();
    let bounded = |at: Option<Ns>| at.filter(|at| *at >= Ns::ZERO && *at < Ns::MAX);
    let at = [bounded(timer), bounded(interrupt), mean(before)];
    // The decision knows whole microseconds.
    let stay = bounded(stay);
    let whole = |at: Ns| at.div_floor(Ns::from_us(1));
    let is_stay = |at: &Option<Ns>| at.map(whole) == stay.map(whole) && stay.is_some();
    let earliest = at.iter().position(is_stay);
    let names = ["next timer", "interrupt", "mean to a task"];
    let learned = (mean(before) != mean(&after)).then(|| mean(&after));
    let sources: Vec<Source> = names
        .into_iter()
        .zip(at)
        .enumerate()
        .map(|(n, (name, at))| Source {
            name,
            at,
            earliest: earliest == Some(n),
            after: learned.filter(|_| n == 2),
        })
        .collect();
    let candidates = candidates(explained);
    let time = |at: Option<Ns>| at.map_or_else(|| "none".to_owned(), |at| scene.speaker().time(at));
    let by = earliest.and_then(|n| names.get(n)).copied();
    let answer = match (by, stay) {
        (Some(by), Some(stay)) => format!(
            "{} is expected, by the {}: {}",
            time(Some(stay)),
            by,
            walked(&candidates, scene)
        ),
        _ => format!("Nothing bounds the stay: {}", walked(&candidates, scene)),
    };
    let mut rows: Vec<[String; 3]> = sources
        .iter()
        .map(|source| {
            let role = if source.earliest { "the earliest" } else { "" };
            [
                source.name.to_owned(),
                time(source.at),
                source.after.map_or(role.to_owned(), |after| {
                    format!("{role} then {}", time(after)).trim().to_owned()
                }),
            ]
        })
        .collect();
    rows.push([
        "idle time since the last task".to_owned(),
        changed(us(before.total_us), us(after.total_us)),
        String::new(),
    ]);
    let numbers = table(["source", "prediction", "what became of it"], rows);
    let picture = Sources {
        width: scene.width,
        sources,
        states: scene.chips(),
        candidates,
        pointers: scene.pointers.clone(),
    };
    finished(answer, picture.plot(), numbers)
}

/// The mean time to a task; none while it is not known.
fn mean(memory: &Snapshot) -> Option<Ns> {
    (memory.mean_us != 0).then(|| Ns::from_us(i64::from(memory.mean_us.cast_unsigned())))
}

fn us(us: i64) -> String {
    format!("{us}\u{202f}µs")
}
