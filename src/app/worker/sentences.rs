//! What the session says of a trace, in sentences: agreement with the recording, how well the
//! governor's inputs are known, what cannot be told at all.

use crate::page::doc::Side;
use crate::page::session::{Session, Traced};
use crate::page::words::gaps;
use crate::page::words::number::share;
use crate::sim::Knowledge;
use crate::workload::replay::Share;
use crate::workload::replay::provenance::Shares;

use super::answers::PAGE;

/// Below this many per cent of choices the replay of the recorded governor is no good news.
const GOOD_PER_CENT: usize = 95;

fn per_cent(part: Share, decimals: u32) -> String {
    share(part.part as u64, part.of as u64, decimals, PAGE)
}

/// How far the replay of the governor that recorded agrees with the recording, and whether that is
/// good news; none for generated workloads.
pub fn agreement(session: &Session) -> Option<(String, bool)> {
    let traced = session.traced()?;
    let Some(governor) = traced.governor else {
        return Some((
            "agreement not measured: the recorded governor is not known".to_owned(),
            false,
        ));
    };
    let found = session.rebuilt()?.agreement.as_ref()?;
    let choices = found.inferred.states;
    if choices.of == 0 {
        let sentence = format!("replay of {governor}: no recorded choice to compare with");
        return Some((sentence, false));
    }
    let misses = if found.misses.of > 0 {
        format!(", misses {}", per_cent(found.misses, 1))
    } else {
        String::new()
    };
    let sentence = format!(
        "replay of {governor} matches the recording: choices {} ({} strictly), tick {}{misses}",
        per_cent(choices, 1),
        per_cent(found.strict.states, 1),
        per_cent(found.inferred.ticks, 1),
    );
    Some((sentence, choices.part * 100 >= choices.of * GOOD_PER_CENT))
}

fn known(what: &str, shares: &Shares) -> String {
    if shares.share(Knowledge::Exact).of == 0 {
        return format!("{what}: no decision needs it");
    }
    let part = |known| per_cent(shares.share(known), 1);
    format!(
        "{what}: exact {}, inferred {}, unknown {}",
        part(Knowledge::Exact),
        part(Knowledge::Inferred),
        part(Knowledge::Unknown)
    )
}

/// Sentences about the limits of a run, the most important first.
pub fn limits(session: &Session) -> Vec<String> {
    if Side::ALL.into_iter().any(|side| session.loops(side).is_some()) {
        return vec!["closed loop: a slow wakeup delays what follows".to_owned()];
    }
    let (Some(traced), Some(rebuilt)) = (session.traced(), session.rebuilt()) else {
        return Vec::new();
    };
    let lost: u64 = traced
        .trace
        .report
        .lost
        .iter()
        .map(|marker| marker.events.unwrap_or(1))
        .sum();
    vec![
        known("next timer", &rebuilt.provenance.sleep_length),
        format!("{lost} events lost"),
        "open loop: arrivals stay as recorded".to_owned(),
    ]
}

/// How well each input of the governor is known, for the import report.
pub fn inputs(session: &Session) -> Vec<String> {
    let Some(rebuilt) = session.rebuilt() else {
        return Vec::new();
    };
    let found = &rebuilt.provenance;
    [
        ("sleep length", &found.sleep_length),
        ("ended by the tick", &found.got_tick),
        ("wakeup cause", &found.wake_cause),
        ("instant of the wakeup", &found.wake_instant),
        ("tick stopped", &found.tick_stopped),
    ]
    .into_iter()
    .map(|(what, shares)| known(what, shares))
    .collect()
}

/// What a trace cannot tell.
pub fn gaps(session: &Session, traced: &Traced) -> Vec<String> {
    let mut told: Vec<String> = session
        .rebuilt()
        .map(|rebuilt| {
            rebuilt
                .provenance
                .gaps
                .iter()
                .map(|gap| gaps::words(*gap))
                .collect()
        })
        .unwrap_or_default();
    if traced.needs.machine.is_none() {
        told.push("which idle-state table its CPUs had: choose a machine".to_owned());
    }
    told
}
