//! teo's bins, the candidate's walk and what the intercepts were measured against.

use super::{Drawing, Scene, candidates, changed, finished, table, walked};
use crate::cpuidle::{self, teo};
use crate::page::plot::bins::{Bar, Bins, LookAt};
use crate::sim::{Explained, Step};
use crate::units::{Ns, Us};

pub(super) fn drawing(
    explained: &Explained,
    scene: &Scene<'_>,
    before: &teo::Snapshot,
    now: &teo::Snapshot,
) -> Drawing {
    let counts = |snapshot: &teo::Snapshot, n: usize| {
        let (hits, intercepts) = match snapshot {
            teo::Snapshot::Bins(bins) => (&bins.hits, &bins.intercepts),
            teo::Snapshot::EarlyHits(early) => (&early.hits, &early.early_hits),
        };
        let of = |counts: &[u32]| counts.get(n).copied().unwrap_or_default();
        (of(hits), of(intercepts))
    };
    let bar = |n: usize| {
        let (hits, intercepts) = counts(now, n);
        Bar {
            hits,
            intercepts,
            before: counts(before, n),
        }
    };
    let bars: Vec<Bar> = (0..scene.states.len()).map(bar).collect();
    let early = match now {
        teo::Snapshot::EarlyHits(early) => Some(early),
        teo::Snapshot::Bins(_) => None,
    };
    let looks = early.map(|early| LookAt {
        says: "the last eight durations".to_owned(),
        kept: early.intervals.iter().copied().map(time).collect(),
        ..LookAt::default()
    });
    let candidates = candidates(explained);
    let said = walked(&candidates, scene);
    let answer = match outweighed(explained, scene) {
        Some(sum) => format!("Candidate {said}. {sum}"),
        None => format!("Candidate {said}"),
    };
    let second = if early.is_some() {
        "early hits"
    } else {
        "intercepts"
    };
    let rows = scene.states.indices().zip(&bars).map(|(idx, bar)| {
        [
            scene.name(idx),
            scene.speaker().time(scene.states.target_residency(idx)),
            changed(bar.before.0, bar.hits),
            changed(bar.before.1, bar.intercepts),
        ]
    });
    let mut numbers = table(["bin", "from", "hits", second], rows);
    let recent = match now {
        teo::Snapshot::Bins(bins) => bins.recent,
        teo::Snapshot::EarlyHits(_) => None,
    };
    if let Some(recent) = recent {
        numbers.head.push("of the last 9".to_owned());
        for (row, count) in numbers.rows.iter_mut().zip(recent.counts) {
            // One version lets the count wrap below zero.
            row.push(count.cast_signed().to_string());
        }
    }
    let bins = Bins {
        width: scene.width,
        states: scene.chips(),
        bars,
        looks: looks.into_iter().collect(),
        candidates,
        unread: unread(explained),
        tick: scene.tick,
        pointers: scene.pointers.clone(),
    };
    finished(answer, bins.plot(), numbers)
}

fn time(us: Us) -> Ns {
    Ns::from_us(i64::from(us.as_us()))
}

fn steps(explained: &Explained) -> impl Iterator<Item = &teo::Step> {
    explained.steps.iter().filter_map(|step| match step {
        Step::Governor(cpuidle::Step::Teo(step)) => Some(step),
        _ => None,
    })
}

/// What the intercepts below the candidate were measured against.
fn outweighed(explained: &Explained, scene: &Scene<'_>) -> Option<String> {
    steps(explained).find_map(|step| match *step {
        teo::Step::Intercepts {
            candidate,
            intercepts,
            twice,
            rest,
            outweigh,
            ..
        } => Some(format!(
            "Intercepts below {}: 2 · {intercepts} = {twice} {} {rest}",
            scene.name(candidate),
            if outweigh { ">" } else { "≤" }
        )),
        _ => None,
    })
}

/// Why the decision did not come to the bins.
fn unread(explained: &Explained) -> Option<String> {
    steps(explained).find_map(|step| match step {
        teo::Step::BusyTwoStates { .. } => Some("two states and utilised".to_owned()),
        teo::Step::NearTimer { first: true, .. } => Some("the timer comes first".to_owned()),
        _ => None,
    })
}
