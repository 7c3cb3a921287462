//! Differences that are undone one at a time: the counts are those of whole runs.

use idlescope::analysis::undone::{Overlap, Undone};
use idlescope::page::changes::Item;
use idlescope::page::doc::{Doc, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::mail::{WIDTH, changes};
use idlescope::page::session::{Counted, Session, Undoing};
use idlescope::page::words::Style;
use idlescope::units::{Ns, Time};

fn answered(a: &str, b: &str) -> Session {
    let mut generated = Generated::new(Pattern::Doorbell);
    generated.set(Param::Duration, Ns::from_ms(400).as_ns());
    let mut doc = Doc {
        workload: Workload::Generated(generated),
        ..Doc::default()
    };
    doc.a.governor = a.parse().ok();
    doc.b.governor = b.parse().ok();
    let mut session = Session::new();
    session.ask(&doc);
    session.finish();
    session
}

fn counted(session: &Session, budget: u64) -> Vec<(Item, Counted)> {
    let mut undoing = Undoing::new(session, None).expect("A and B were run");
    while undoing.step(session, budget) {}
    assert_eq!(undoing.left(), 0);
    undoing.items().to_vec()
}

#[test]
fn the_only_difference_accounts_for_every_one_between_a_and_b() {
    let session = answered("teo-5.15", "teo-6.5");
    let differences = session.differences().expect("both were run").differences;
    assert!(differences > 0);
    let items = counted(&session, u64::MAX);
    let all = Counted::Done(Undone {
        changed: differences,
        as_first: differences,
    });
    assert!(
        matches!(items.as_slice(), [(Item::Entry { .. }, found)] if *found == all),
        "{items:?}"
    );
}

#[test]
fn each_of_several_changes_of_a_release_is_counted() {
    for (a, b) in [
        ("teo-6.5", "teo-6.6"),
        ("teo-6.6", "teo-6.12"),
        ("menu-6.13", "menu-6.17"),
    ] {
        let items = counted(&answered(a, b), u64::MAX);
        assert!(items.len() > 1, "{items:?}");
        let changed: Vec<u32> = items
            .iter()
            .map(|(item, counted)| match counted {
                Counted::Done(undone) => undone.changed,
                Counted::Never | Counted::Waiting => panic!("{item:?} is not counted"),
            })
            .collect();
        println!("{a} to {b}: {changed:?}");
    }
}

#[test]
fn what_is_undone_as_a_whole_accounts_for_every_difference() {
    for (a, b) in [
        ("menu-6.6", "teo-6.5"),
        ("teo-6.12", "teo-6.14"),
        ("teo-6.12", "ideal"),
    ] {
        let session = answered(a, b);
        let differences = session.differences().expect("both were run").differences;
        assert!(differences > 0, "{a} and {b}");
        let items = counted(&session, 1_000);
        let all = Counted::Done(Undone {
            changed: differences,
            as_first: differences,
        });
        assert_eq!(
            items.first().map(|(_, counted)| *counted),
            Some(all),
            "{a} and {b}"
        );
        assert!(
            items
                .iter()
                .skip(1)
                .all(|(_, counted)| *counted == Counted::Never)
        );
    }
}

#[test]
fn a_patch_counts_as_a_run_without_it_differs() {
    #[track_caller]
    fn check(a: &str, b: &str, cases: &[(u8, &str)]) -> u32 {
        let items = counted(&answered(a, b), u64::MAX);
        let mut sum = 0;
        for (number, without) in cases {
            let own =
                |(item, _): &&(Item, Counted)| matches!(item, Item::Patch { number: n, .. } if n == number);
            let (_, found) = items.iter().find(own).expect("it is listed");
            let alone = answered(b, without).differences();
            let changed = alone.expect("both were run").differences;
            let Counted::Done(found) = found else {
                panic!("{number} was not counted")
            };
            assert_eq!(found.changed, changed, "patch {number}");
            assert!(found.as_first <= changed);
            sum += changed;
        }
        sum
    }
    let poll = check(
        "menu-4.5",
        "menu-4.5-p12",
        &[(1, "menu-4.5-p2"), (2, "menu-4.5-p1")],
    );
    assert!(poll > 0);
    check("teo-6.5", "teo-6.5-p12", &[(1, "teo-6.5-p2"), (2, "teo-6.5-p1")]);
    let stored = check("teo-6.5", "teo-6.5-p3", &[(3, "teo-6.5")]);
    assert_eq!(stored, 0, "patch 3 changes no decision");
}

#[test]
fn the_counts_do_not_depend_on_how_the_work_is_cut() {
    let session = answered("menu-4.5", "menu-4.5-p12");
    assert_eq!(counted(&session, 777), counted(&session, u64::MAX));
}

#[test]
fn one_variant_leaves_nothing_to_count() {
    assert!(Undoing::new(&answered("menu-6.6", "none"), None).is_none());
}

#[test]
fn the_mail_names_every_difference_in_72_columns_of_ascii() {
    for (a, b, says) in [
        ("menu-4.5", "menu-4.5-p12", "0c313cb20732"),
        ("teo-6.5", "teo-6.5-p123", "counted: all decisions"),
        ("teo-5.15", "teo-7.1", "a03b2011808a"),
        ("teo-7.1", "teo-5.15", "in A only"),
        ("menu-6.6", "teo-6.5", "undone:"),
        ("teo-6.14", "teo-7.1", "teo-7.1 changed it again"),
        ("teo-6.12", "teo-6.14", "not counted alone: it came"),
        ("menu-6.6", "menu-6.6", "they are the same"),
    ] {
        let session = answered(a, b);
        let mut undoing = Undoing::new(&session, None).expect("A and B were run");
        while undoing.step(&session, u64::MAX) {}
        let text = changes::changes(&undoing, Some((1, 20)), None, "LINK");
        assert!(text.contains(says), "{text}");
        assert!(text.is_ascii() && text.ends_with("\nLINK\n"), "{text}");
        for line in text.lines() {
            assert!(line.len() <= WIDTH && !line.ends_with(' '), "{line:?}");
        }
    }
}

#[test]
fn a_range_counts_the_decisions_that_were_taken_in_it() {
    let session = answered("menu-4.5", "menu-4.5-p12");
    let at = |ms: i64| Time::ZERO.saturating_add(Ns::from_ms(ms));
    let in_range = |range: Option<(Time, Time)>| {
        let mut undoing = Undoing::new(&session, range).expect("A and B were run");
        while undoing.step(&session, u64::MAX) {}
        let done = undoing.items().iter().filter_map(|(_, counted)| match counted {
            Counted::Done(undone) => Some((undone.changed, undone.as_first)),
            Counted::Never | Counted::Waiting => None,
        });
        (done.collect::<Vec<_>>(), undoing.overlap())
    };
    let parts = [(0, 90), (90, 91), (91, 1_000)].map(|(from, to)| in_range(Some((at(from), at(to)))));
    let (whole, overlap) = in_range(None);
    assert!(whole.iter().any(|(changed, _)| *changed > 0), "{whole:?}");
    for (n, all) in whole.iter().enumerate() {
        let sum = parts
            .iter()
            .map(|(done, _)| done[n])
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        assert_eq!(sum, *all, "difference {n}");
    }
    let shared = |overlap: Option<Overlap>| {
        let own = overlap.expect("two patches were counted");
        assert_eq!(own.one + own.several + own.none, own.differences);
        [own.differences, own.one, own.several, own.none]
    };
    let sums = parts.iter().fold([0; 4], |sum, (_, part)| {
        let part = shared(*part);
        [0, 1, 2, 3].map(|n| sum[n] + part[n])
    });
    assert_eq!(sums, shared(overlap));
}

#[test]
fn differences_that_overlap_are_told_in_words() {
    #[track_caller]
    fn check(numbers: [u32; 4], says: &[&str]) {
        let [differences, one, several, none] = numbers;
        let overlap = Overlap {
            differences,
            one,
            several,
            none,
        };
        let said = changes::shared(overlap, Style::Ascii);
        assert_eq!(said.len(), says.len(), "{said:?}");
        for (said, part) in said.iter().zip(says) {
            assert!(said.contains(part), "{said}");
        }
    }
    check([9, 9, 0, 0], &[]);
    check(
        [9, 0, 9, 0],
        &["9 of the 9 decisions that differ need more than one"],
    );
    check([9, 4, 0, 5], &["5 of the 9 decisions that differ stay different"]);
    check([9, 1, 3, 5], &["They overlap: 3 of the 9", "5 of the 9"]);
}
