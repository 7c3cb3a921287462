//! One value for the worker and the headless example: what it answers agrees with the samples' expected values and
//! does not depend on how the work was cut.

use std::fs;

use idlescope::page::doc::{Doc, SampleId, Side, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::mail::of_session;
use idlescope::page::session::{PlanIssue, Progress, Session};
use idlescope::page::view::LaneId;
use idlescope::sim::Flags;
use idlescope::units::{Microwatts, Ns, Time};
use serde_json::Value;

use crate::samples::{committed, expected};

fn load(session: &mut Session, file: &str, chunk: usize) {
    let bytes = fs::read(committed().join(file)).expect("the sample is committed");
    session.begin_trace();
    for bytes in bytes.chunks(chunk) {
        session.feed(bytes).expect("the sample is readable");
    }
    session.finish_trace().expect("the sample is readable");
}

fn doc(a: &str, b: &str) -> Doc {
    let mut doc = Doc {
        workload: Workload::Sample(SampleId::Arm64Ftrace),
        ..Doc::default()
    };
    doc.a.governor = a.parse().ok();
    doc.b.governor = b.parse().ok();
    doc
}

fn answered(file: &str, doc: &Doc) -> Session {
    let mut session = Session::new();
    load(&mut session, file, usize::MAX);
    session.ask(doc);
    session.finish();
    session
}

const FTRACE: &str = "arm64-menu-ftrace.txt.gz";
const LOSS: &str = "arm64-menu-ftrace-loss-while-idle.txt.gz";

/// Text samples that hold times.
fn samples() -> Vec<(String, Value)> {
    let samples: Vec<_> = expected(&committed())
        .into_iter()
        .filter(|(file, want)| committed().join(file).exists() && want.get("cpus").is_some())
        .collect();
    assert!(samples.len() >= 7, "{} samples", samples.len());
    samples
}

#[test]
fn every_sample_has_its_expected_values_per_cpu() {
    for (file, want) in samples() {
        let session = answered(&file, &Doc::default());
        let json = session.to_json();
        let cpus = want["cpus"].as_object().expect("CPUs by number");
        let found = json["recorded"]["cpus"].as_object().expect("CPUs by number");
        assert_eq!(found.len(), cpus.len(), "{file}");
        for (cpu, want) in cpus {
            for (key, want) in want.as_object().expect("values by name") {
                assert_eq!(found[cpu].get(key), Some(want), "{file}, cpu{cpu}, {key}");
            }
        }
        for (cpu, stops) in want["tick_stop_by_recording_cpu"].as_object().expect("by CPU") {
            assert_eq!(found[cpu]["tick_stops"], stops["success"], "{file}, cpu{cpu}");
        }
        for (cpu, misses) in want["cpu_idle_miss_by_cpu_id"].as_object().expect("by CPU") {
            assert_eq!(found[cpu]["above"], misses["above"], "{file}, cpu{cpu}");
            assert_eq!(found[cpu]["below"], misses["below"], "{file}, cpu{cpu}");
        }
        for key in [
            "total_events",
            "cpu_idle_events",
            "event_counts",
            "lost_markers",
            "first_ts_ns",
            "last_ts_ns",
        ] {
            assert_eq!(json["import"].get(key), want.get(key), "{file}, {key}");
        }
        if let Some(want) = want.get("loss_reset") {
            for (cpu, want) in want["cpus"].as_object().or(want.as_object()).expect("by CPU") {
                for (key, want) in want.as_object().expect("values by name") {
                    assert_eq!(
                        json["import"]["loss_reset"][cpu].get(key),
                        Some(want),
                        "{file}, cpu{cpu}, {key}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_recorded_lane_counts_what_the_events_say() {
    for (file, want) in samples() {
        let session = answered(&file, &Doc::default());
        let want = want
            .get("loss_reset")
            .map_or(&want["cpus"], |reset| reset.get("cpus").unwrap_or(reset));
        let record = session.record(LaneId::Recorded).expect("a trace has a recording");
        for (cpu, lane) in record.lanes.iter().enumerate() {
            let Some(want) = want.get(cpu.to_string()) else {
                assert!(lane.is_empty(), "{file}, cpu{cpu}");
                continue;
            };
            let counted = lane.rows().filter(|row| !row.flags.has(Flags::UNCOUNTED));
            let (periods, idle) =
                counted.fold((0, 0), |(n, sum), row| (n + 1, sum + row.residency().as_ns()));
            assert_eq!(Some(periods), want["periods"].as_u64(), "{file}, cpu{cpu}");
            assert_eq!(
                Some(idle),
                want["residency_ns_total"].as_i64(),
                "{file}, cpu{cpu}"
            );
        }
    }
}

#[test]
fn an_unknown_machine_still_shows_import_and_recording() {
    let session = answered("x86-haltpoll-ftrace.txt.gz", &doc("teo-6.12", "menu-6.6"));
    assert!(
        session.to_json()["a"].is_object(),
        "the machine of this recording is known"
    );

    let text = "<idle>-0 [000] d..1. 1.000100: cpu_idle: state=2 cpu_id=0\n\
                <idle>-0 [000] d..1. 1.000900: cpu_idle: state=4294967295 cpu_id=0\n\
                <idle>-0 [000] d..1. 1.001000: cpu_idle: state=0 cpu_id=0\n\
                <idle>-0 [000] d..1. 1.001050: cpu_idle: state=4294967295 cpu_id=0\n";
    let mut session = Session::new();
    session.begin_trace();
    session.feed(text.as_bytes()).expect("lines");
    session.finish_trace().expect("a trace");
    assert_eq!(
        session.ask(&doc("teo-6.12", "menu-6.6")),
        [PlanIssue::MachineNeeded]
    );
    session.finish();
    let json = session.to_json();
    assert!(json["a"].is_null() && json["b"].is_null());
    assert_eq!(json["recorded"]["cpus"]["0"]["periods"], 2);
    assert_eq!(json["recorded"]["above"], 0);
    assert!(json["recorded"]["energy"].is_null());
    assert_eq!(json["import"]["cpu_idle_events"], 4);
}

#[test]
fn neither_chunks_nor_steps_change_the_answers() {
    let doc = doc("teo-6.5", "teo-6.5-p123");
    for file in [FTRACE, LOSS] {
        let whole = answered(file, &doc).to_json();
        let mut session = Session::new();
        load(&mut session, file, 997);
        session.ask(&doc);
        let mut steps = 0;
        let mut before = Ns::ZERO;
        loop {
            match session.step(500) {
                Progress::Running { done, total } => {
                    assert!(before <= done && done <= total);
                    before = done;
                }
                Progress::Finished => break,
                Progress::Idle => panic!("a question is pending"),
            }
            steps += 1;
        }
        assert!(steps > 4, "{steps} steps");
        assert_eq!(session.to_json(), whole, "{file}");
    }
}

#[test]
fn a_newer_question_replaces_a_pending_one_and_a_cancelled_one_changes_nothing() {
    let first = doc("teo-6.5", "menu-6.6");
    let mut session = answered(FTRACE, &first);
    let answer = session.to_json();
    session.ask(&doc("shallowest", "deepest"));
    session.step(100);
    assert_eq!(session.to_json(), answer);
    session.cancel();
    assert_eq!(session.step(100), Progress::Idle);
    assert_eq!(session.to_json(), answer);
    session.ask(&doc("shallowest", "deepest"));
    session.step(100);
    session.ask(&first);
    session.finish();
    assert_eq!(session.to_json(), answer);
}

#[test]
fn a_side_is_run_again_only_when_its_setup_changed() {
    let mut doc = doc("teo-6.5", "menu-6.6");
    let mut session = answered(FTRACE, &doc);
    let a = session.to_json()["a"].clone();
    let power = |doc: &mut Doc| {
        doc.edits
            .change("WFI", |edit| edit.power = Some(Microwatts::new(700_000)))
    };
    power(&mut doc);
    session.ask(&doc);
    assert_eq!(session.step(0), Progress::Finished, "powers decide nothing");
    assert_ne!(session.to_json()["a"]["energy"], a["energy"]);
    assert_eq!(session.to_json()["a"]["states"], a["states"]);
    std::mem::swap(&mut doc.a, &mut doc.b);
    session.ask(&doc);
    assert_eq!(
        session.step(0),
        Progress::Finished,
        "swapped sides are the same runs"
    );
    doc.edits.change("cpu-sleep-0", |edit| {
        edit.target_residency = Some(Ns::from_us(400))
    });
    session.ask(&doc);
    assert!(matches!(session.step(0), Progress::Running { .. }));
    session.finish();
    let fresh = answered(FTRACE, &doc);
    assert_eq!(session.to_json(), fresh.to_json());
}

#[test]
fn every_difference_is_explained_and_explaining_agrees_with_the_record() {
    let session = answered(FTRACE, &doc("teo-6.5", "menu-6.6"));
    let counts = session.differences().expect("both ran");
    assert!(counts.differences > 0);
    let mut at = session.first_difference(None);
    let mut seen = 0;
    while let Some(difference) = at {
        let answer = session
            .decision(LaneId::A, difference.cpu, difference.pair.a)
            .expect("it was found");
        assert!(answer.differs.is_some());
        assert_eq!(answer.place, Some((seen, counts.differences as usize)));
        for lane in [LaneId::A, LaneId::B] {
            let decision = answer.lane(lane).expect("both decided");
            let steps = decision.steps.as_ref().expect("a variant tells its steps");
            let steps = steps.as_ref().expect("the explanation agrees with the record");
            assert!(!steps.steps.is_empty());
            assert_eq!(steps.row.entry, decision.row.entry);
        }
        assert_eq!(
            answer.lane(LaneId::B).map(|decision| decision.n),
            Some(difference.pair.b)
        );
        seen += 1;
        if seen == 25 {
            break;
        }
        at = session.seek_difference(true, difference.cpu, difference.entry);
    }
    assert!(seen > 0);
}

#[test]
fn a_generated_workload_is_loaded_by_asking() {
    let mut generated = Generated::new(Pattern::Doorbell);
    assert!(generated.set(Param::Duration, 1_000_000_000));
    let doc = Doc {
        workload: Workload::Generated(generated),
        ..doc("teo-6.12", "menu-6.6")
    };
    let mut session = Session::new();
    assert_eq!(session.ask(&doc), []);
    session.finish();
    let json = session.to_json();
    assert!(json["import"].is_null() && json["recorded"].is_null());
    for side in Side::ALL {
        let periods = session
            .summary(LaneId::of(side), None, None)
            .expect("it ran")
            .periods();
        assert!(periods > 1_000, "{periods}");
    }
    let (busy, differs) = session.overview(64);
    assert_eq!((busy.len(), differs.len()), (64, 64));
    assert!(busy.iter().all(|share| (0.0..=1.01).contains(share)) && busy.iter().any(|share| *share > 0.1));
    let count = session.differences().expect("both ran").differences;
    assert_eq!(session.overview(1).1, [count]);
    // One that lies on both sides of a border counts on both.
    assert!((count..=count + 64).contains(&differs.iter().sum()));
    let view = session.view(
        LaneId::A,
        session.cpus()[0],
        (Time::ZERO, Time::from_ns(2_000_000)),
        100,
        100,
    );
    assert!(view.expect("the lane exists").rows().count() > 2);
}

#[test]
fn a_range_summarises_what_was_decided_in_it() {
    let session = answered(FTRACE, &doc("teo-6.5", "menu-6.6"));
    let whole = session.summary(LaneId::Recorded, None, None).expect("recorded");
    let middle = Time::from_ns(700_000_000);
    let late = Time::from_ns(i64::MAX / 2);
    let before = session
        .summary(LaneId::Recorded, None, Some((Time::from_ns(-1), middle)))
        .expect("recorded");
    let after = session
        .summary(LaneId::Recorded, None, Some((middle, late)))
        .expect("recorded");
    assert!(before.periods() > 100 && after.periods() > 100);
    assert_eq!(before.periods() + after.periods(), whole.periods());
    assert_eq!(before.idle() + after.idle(), whole.idle());
}

/// What a stopped tick was programmed for is pending until a tick finds it due, and then no more.
#[test]
fn a_stopped_tick_does_not_fire_again_and_again_for_a_timer_that_has_expired() {
    for hz in [250, 1_000] {
        let mut asked = doc("teo-6.5", "teo-6.5-p123");
        asked.settings.hz = hz;
        let session = answered(FTRACE, &asked);
        let record = session.record(LaneId::A).expect("A ran");
        for lane in &record.lanes {
            let rows: Vec<_> = lane.rows().collect();
            let at_once = |row: &idlescope::sim::Row| {
                row.flags.has(Flags::WAS_STOPPED)
                    && row.flags.has(Flags::GOT_TICK)
                    && row.wake - row.entry < Ns::from_us(2)
            };
            let longest = rows.split(|row| !at_once(row)).map(<[_]>::len).max();
            assert!(longest < Some(3), "HZ {hz}: {longest:?} ticks at once in a row");
        }
    }
}

#[test]
fn the_table_for_mail_says_whose_constants_no_kernel_has() {
    for (a, b, says) in [
        (
            "teo-6.12",
            "teo-6.12~decay2",
            Some("B sets constants, behind ~, that"),
        ),
        (
            "menu-6.6~deviation5",
            "teo-6.12~decay2",
            Some("A and B set constants"),
        ),
        ("haltpoll-6.12~max100000", "fixed~state0", None),
    ] {
        let doc = doc(a, b);
        let text = of_session(&answered(FTRACE, &doc), &doc, None, "LINK");
        assert!(text.contains(&format!("{a} vs {b}")), "{text}");
        match says {
            Some(says) => assert!(text.contains(says), "{text}"),
            None => assert!(!text.contains("no kernel has"), "{text}"),
        }
    }
}

#[test]
fn the_haltpoll_guest_is_reproduced_by_the_haltpoll_that_recorded_it() {
    let session = answered("x86-haltpoll-ftrace.txt.gz", &doc("teo-6.12", "menu-6.6"));
    let traced = session.traced().expect("a trace");
    let governor = traced.governor.map(|governor| governor.to_string());
    assert_eq!(governor.as_deref(), Some("haltpoll-6.12~max0"));
    let found = session.rebuilt().and_then(|rebuilt| rebuilt.agreement.as_ref());
    let states = found.expect("a known governor").inferred.states;
    assert!(states.of > 1_000 && states.part == states.of, "{states:?}");
}

#[test]
fn figures_that_were_asked_for_before_are_those_of_their_lane_range_and_question() {
    let question = |us: i64| {
        let mut doc = doc("teo-6.5", "menu-6.6");
        doc.edits.change("cpu-sleep-0", |edit| {
            edit.target_residency = Some(Ns::from_us(us))
        });
        doc
    };
    let whole = (Time::ZERO, Time::NEVER);
    let early = Some((Time::ZERO, Time::from_ns(700_000_000)));
    let fresh = |us, lane, range| answered(FTRACE, &question(us)).summary(lane, None, range);
    let mut session = Session::new();
    load(&mut session, FTRACE, usize::MAX);
    for us in [1_600, 4_800, 1_600] {
        session.ask(&question(us));
        session.finish();
        for lane in [LaneId::Recorded, LaneId::A, LaneId::B] {
            for range in [None, early, Some(whole), early, None] {
                let found = session.summary(lane, None, range);
                assert!(found.is_some());
                assert_eq!(found, fresh(us, lane, range), "{us} µs, {lane:?}, {range:?}");
            }
        }
    }
}
