//! Which patches are behind a decision: checked against whole runs of what the patches alone make.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use idlescope::analysis::diff::{differs, partner};
use idlescope::page::doc::Doc;
use idlescope::page::link::parse;
use idlescope::page::mail;
use idlescope::page::session::Session;
use idlescope::page::view::LaneId;
use idlescope::sim::Record;
use idlescope::units::CpuId;

fn doc(link: &str, a: &str, b: &str) -> Doc {
    let (link, issues) = parse(link);
    assert_eq!(issues, []);
    let mut doc = link.doc;
    doc.a.governor = a.parse().ok();
    doc.b.governor = b.parse().ok();
    doc
}

fn loaded() -> Session {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces/arm64-menu-ftrace.txt.gz");
    let mut session = Session::new();
    session.begin_trace();
    session
        .feed(&fs::read(path).expect("the sample is committed"))
        .expect("the sample is readable");
    session.finish_trace().expect("the sample is readable");
    session
}

fn answered(session: &mut Session, doc: &Doc) {
    session.ask(doc);
    session.finish();
}

/// What the sets of patches behind every difference are, each checked against whole runs of its patches and of
/// all smaller ones.
#[track_caller]
fn check(link: &str, a: &str, b: &str, numbers: &[u8]) -> BTreeMap<String, usize> {
    let mut session = loaded();
    let mut record = |name: &str| -> Record {
        answered(&mut session, &doc(link, a, name));
        session.record(LaneId::B).expect("B was run").clone()
    };
    let mut runs: BTreeMap<Vec<u8>, Record> = BTreeMap::new();
    for bits in 0..1_u8 << numbers.len() {
        let picked = numbers.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
        let set: Vec<u8> = picked.map(|(_, number)| *number).collect();
        let digits: String = set.iter().map(u8::to_string).collect();
        let name = if set.is_empty() {
            a.to_owned()
        } else {
            format!("{a}-p{digits}")
        };
        runs.insert(set, record(&name));
    }
    answered(&mut session, &doc(link, a, b));
    let own = session.record(LaneId::B).expect("B was run").clone();
    let first = session.record(LaneId::A).expect("A was run").clone();
    let mut found = BTreeMap::new();
    for (cpu, (lane, of_a)) in (0..).map(CpuId::new).zip(own.lanes.iter().zip(&first.lanes)) {
        for n in 0..lane.len() {
            let row = lane.row(n).expect("a row");
            let decides_so = |record: &Record| {
                let there = record.lane(cpu).expect("a lane");
                let at = partner(lane, n, there).and_then(|at| there.row(at));
                at.is_some_and(|other| differs(&row, &other).is_none())
            };
            let beside = partner(lane, n, of_a).and_then(|at| of_a.row(at));
            if beside.is_none_or(|beside| differs(&row, &beside).is_none()) {
                continue;
            }
            let sets = session.patches_behind(cpu, u32::try_from(n).expect("small"));
            let sets = sets.expect("patches are the only difference");
            for set in &sets {
                let set: Vec<u8> = set.iter().map(|patched| patched.patch.number).collect();
                for (other, record) in &runs {
                    let smaller = other.iter().all(|number| set.contains(number));
                    if smaller {
                        assert_eq!(
                            decides_so(record),
                            *other == set,
                            "{cpu} {n}: {set:?} and {other:?}"
                        );
                    }
                }
            }
            let key: Vec<String> = sets
                .iter()
                .map(|set| set.iter().map(|p| p.patch.number.to_string()).collect())
                .collect();
            *found.entry(key.join("|")).or_insert(0) += 1;
        }
    }
    found
}

#[test]
fn the_smallest_sets_of_patches_decide_as_b_does_and_no_part_of_them() {
    let sets = |link: &str, b: &str| {
        let found = check(link, "teo-6.5", b, &[1, 2]);
        assert!(found.values().sum::<usize>() > 20, "{link}: {found:?}");
        found.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(sets("w=arm64-menu&hz=1000", "teo-6.5-p123"), ["2"]);
    assert_eq!(sets("w=arm64-menu&hz=250", "teo-6.5-p123"), ["1", "1|2"]);
    assert_eq!(sets("w=doorbell&m=pixel6-little", "teo-6.5-p12"), ["1|2"]);
    assert_eq!(sets("w=doorbell&m=pixel6-little&hz=1000", "teo-6.5-p12"), ["2"]);
}

#[test]
fn the_mail_names_every_patch_that_makes_the_first_difference() {
    for (link, says) in [
        (
            "w=arm64-menu&hz=250",
            "patch 1 or patch 2 alone makes the difference (1: update the idle duration estimate; 2: keep",
        ),
        (
            "w=arm64-menu&hz=1000",
            "patch 2 makes the difference (keep the tick when bailing out)",
        ),
    ] {
        let mut session = loaded();
        let doc = doc(link, "teo-6.5", "teo-6.5-p123");
        answered(&mut session, &doc);
        let text = mail::of_session(&session, &doc, None, "LINK");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(says), "{text}");
    }
}
