//! ladder's rungs: counts, thresholds, where it stood and where it moved.

use super::{Drawing, Scene, changed, finished, table};
use crate::cpuidle;
use crate::cpuidle::ladder::{self, DEMOTIONS, PROMOTIONS, Snapshot};
use crate::page::plot::rungs::{Pips, Rung, Rungs};
use crate::sim::{Explained, Step};
use crate::units::{Ns, StateIdx};

pub(super) fn drawing(
    explained: &Explained,
    scene: &Scene<'_>,
    before: &Snapshot,
    now: &Snapshot,
) -> Drawing {
    let first = ladder::first_rung(scene.states);
    let last = scene.states.last();
    let from = before.rung.unwrap_or(first).min(last);
    let to = now.rung.unwrap_or(from).min(last);
    let of = |counts: &[u32], idx: StateIdx| counts.get(idx.index()).copied().unwrap_or_default();
    let mut reached = (of(&before.promotions, from), of(&before.demotions, from));
    let mut rest = None;
    let mut answer = None;
    for step in steps(explained) {
        match *step {
            ladder::Step::Measured {
                residency,
                exit_latency,
                ..
            } => rest = Some(residency.saturating_sub(exit_latency)),
            ladder::Step::Promotion {
                exceeds,
                disabled,
                within_limit,
                count,
                needed,
                ..
            } => {
                reached.0 = count;
                if exceeds && !disabled && within_limit {
                    answer = Some(format!("{count} of {needed} long stays in a row"));
                }
            }
            ladder::Step::Demotion {
                below, count, needed, ..
            } => {
                reached.1 = count;
                if below {
                    answer = Some(format!("{count} of {needed} short stays"));
                }
            }
            ladder::Step::Forced { disabled, .. } => {
                let why = if disabled {
                    "is disabled"
                } else {
                    "wakes too slowly"
                };
                answer = Some(format!("{} {why}", scene.name(from)));
            }
            ladder::Step::Limit { latency_req } if latency_req == Ns::ZERO => {
                answer = Some("no exit latency is tolerated".to_owned());
            }
            ladder::Step::Limit { .. } | ladder::Step::Kept { .. } => {}
        }
    }
    let moved = if from == to {
        format!("Stays on {}", scene.name(to))
    } else if to > from {
        format!("Goes deeper, from {} to {}", scene.name(from), scene.name(to))
    } else {
        format!("Goes back, from {} to {}", scene.name(from), scene.name(to))
    };
    let answer = match answer {
        Some(why) => format!("{moved}: {why}"),
        None => format!("{moved}: the last stay speaks for no other rung"),
    };
    let rung = |idx: StateIdx| {
        let pips = |before: u32, reached: u32, after: u32, needed: u32| Pips {
            before,
            reached: if idx == from { reached } else { before },
            after,
            needed,
        };
        let leads = |way: bool, count: u32| if way && idx >= first { count } else { 0 };
        Rung {
            name: scene.name(idx),
            threshold: (idx >= first).then(|| scene.states.exit_latency(idx)),
            deeper: pips(
                of(&before.promotions, idx),
                reached.0,
                of(&now.promotions, idx),
                leads(idx < last, PROMOTIONS),
            ),
            shallower: pips(
                of(&before.demotions, idx),
                reached.1,
                of(&now.demotions, idx),
                leads(idx > first, DEMOTIONS),
            ),
        }
    };
    let rungs: Vec<Rung> = scene.states.indices().map(rung).collect();
    let time = |d: Ns| scene.speaker().time(d);
    let says = rest.map(|rest| {
        if rest < Ns::ZERO {
            format!("{}, counts as endless", time(rest))
        } else {
            format!("last stay without the exit, {}", time(rest))
        }
    });
    let numbers = table(
        ["rung", "threshold", "deeper", "shallower", "stands"],
        scene.states.indices().zip(&rungs).map(|(idx, rung)| {
            let stands = match (idx == from, idx == to) {
                (true, true) => "before and after",
                (true, false) => "before",
                (false, true) => "after",
                (false, false) => "",
            };
            [
                rung.name.clone(),
                rung.threshold.map_or_else(|| "none".to_owned(), time),
                told(rung.deeper),
                told(rung.shallower),
                stands.to_owned(),
            ]
        }),
    );
    let picture = Rungs {
        width: scene.width,
        rungs,
        from: from.index(),
        to: to.index(),
        // Compared unsigned: what is below zero is longer than any threshold.
        rest: rest.map(|rest| if rest < Ns::ZERO { Ns::MAX } else { rest }),
        says: says.clone().unwrap_or_default(),
    };
    let mut drawing = finished(answer, picture.plot(), numbers);
    if let Some(says) = says {
        drawing.plot.name.push_str(&format!("; {says}"));
    }
    drawing
}

fn steps(explained: &Explained) -> impl Iterator<Item = &ladder::Step> {
    explained.steps.iter().filter_map(|step| match step {
        Step::Governor(cpuidle::Step::Ladder(step)) => Some(step),
        _ => None,
    })
}

/// `3 of 4, was 2`; where a move cleared it, what was reached.
fn told(pips: Pips) -> String {
    if pips.needed == 0 && pips.reached == 0 && pips.before == 0 {
        return "none".to_owned();
    }
    let now = format!("{} of {}", pips.after, pips.needed);
    if pips.after < pips.reached {
        format!("{now}, cleared at {}", pips.reached)
    } else {
        changed(format!("{} of {}", pips.before, pips.needed), now)
    }
}
