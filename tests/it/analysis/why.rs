//! "Why never?": every decision of every governor gives every other state one reason.

use idlescope::analysis::why::{Reason, Tally, reasons};
use idlescope::cpuidle::Choice;
use idlescope::page::doc::{Doc, LatencyLimit, Side, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::session::{Session, Why};
use idlescope::page::view::LaneId;
use idlescope::sim::Step;
use idlescope::units::{CpuId, Ns, Time};

fn doc(pattern: Pattern, choice: Choice) -> Doc {
    let mut generated = Generated::new(pattern);
    generated.set(Param::Duration, Ns::from_ms(300).as_ns());
    let mut doc = Doc {
        workload: Workload::Generated(generated),
        ..Doc::default()
    };
    doc.a.governor = Some(choice);
    doc.b.governor = None;
    doc
}

fn answered(doc: &Doc) -> Session {
    let mut session = Session::new();
    session.ask(doc);
    session.finish();
    session
}

/// Explains the first decisions of A; answers how many.
#[track_caller]
fn check(doc: &Doc) -> usize {
    let session = answered(doc);
    let (cpu, lane) = (CpuId::new(0), LaneId::A);
    let rig = session.plan().and_then(|(plan, _)| plan.rig.as_ref());
    let own = rig.and_then(|rig| rig.cpu(cpu)).expect("a machine");
    let mut seen = 0;
    for n in 0..120 {
        let Some(answer) = session.decision(lane, cpu, n) else {
            break;
        };
        let decision = answer.lane(lane).expect("A decided");
        let explained = decision.steps.as_ref().expect("a lane that is simulated");
        let explained = explained.as_ref().expect("it comes out again");
        let (chosen, _) = explained.choice().expect("a governor was asked");
        let steps = explained.steps.iter().filter_map(|step| match step {
            Step::Governor(step) => Some(*step),
            Step::Loop(_) | Step::Tick(_) => None,
        });
        let steps: Vec<_> = steps.collect();
        let found = reasons(&own.table, own.disabled, chosen.state, &steps);
        for idx in own.table.indices() {
            let reason = found[idx.index()];
            assert_eq!(
                reason.is_none(),
                idx == chosen.state,
                "{:?} {n}: state {idx} {reason:?}, chosen {}: {steps:#?}",
                doc.a.governor,
                chosen.state
            );
            assert_eq!(
                reason == Some(Reason::Disabled),
                own.disabled.contains(idx) && idx != chosen.state
            );
        }
        seen += 1;
    }
    seen
}

#[test]
fn every_state_that_was_not_chosen_has_a_reason() {
    let tuned = [
        "teo-7.0~intercepts20~decay1",
        "menu-6.5~intervals16",
        "fixed~state2",
    ];
    let tuned = tuned.into_iter().map(|name| name.parse().expect("a name"));
    for choice in Choice::all_patched().chain(tuned) {
        for pattern in [Pattern::Doorbell, Pattern::Metronome] {
            let plain = doc(pattern, choice);
            assert!(check(&plain) > 20, "{choice}");
            let mut strict = plain.clone();
            strict.settings.latency = LatencyLimit::Max(Ns::from_us(60));
            strict.edits.change("C1E", |edit| edit.on = Some(false));
            check(&strict);
        }
    }
}

fn tally(session: &Session, range: Option<(Time, Time)>, budget: u64) -> (u64, Tally) {
    let mut why = Why::new(session, range);
    while why.step(budget) {}
    let found = why.tallies().find(|(side, ..)| *side == Side::A);
    found
        .map(|(_, within, tally)| (within, tally.clone()))
        .expect("A ran")
}

#[test]
fn reasons_and_choices_add_up_to_the_decisions_of_the_range() {
    let session = answered(&doc(Pattern::Doorbell, "teo-6.5".parse().expect("a name")));
    let ms = |n: i64| Time::ZERO.saturating_add(Ns::from_ms(n));
    let all = tally(&session, None, u64::MAX);
    let parts =
        [(0, 100), (100, 101), (101, 1_000)].map(|(from, to)| tally(&session, Some((ms(from), ms(to))), 501));
    assert_eq!(parts.iter().map(|(within, _)| within).sum::<u64>(), all.0);
    for (within, tally) in parts.iter().chain([&all]) {
        assert_eq!(tally.decisions, *within);
        for state in &tally.states {
            assert_eq!(state.decisions(), *within);
        }
    }
    let record = session.record(LaneId::A).expect("A ran");
    let chose = |n: usize| {
        let rows = record.lanes.iter().flat_map(|lane| lane.rows());
        rows.filter(|row| row.selected.index() == n).count() as u64
    };
    for (n, state) in all.1.states.iter().enumerate() {
        assert_eq!(state.chosen, chose(n), "state {n}");
    }
}
