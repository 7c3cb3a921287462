//! Differences that are undone one at a time: the counts are those of whole runs.

use idlescope::analysis::undone::Undone;
use idlescope::page::changes::Item;
use idlescope::page::doc::{Doc, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::mail::{WIDTH, changes};
use idlescope::page::session::{Counted, Session, Undoing};
use idlescope::units::Ns;

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
    let mut undoing = Undoing::new(session).expect("A and B were run");
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
    assert!(matches!(items[0].0, Item::Rule(_)), "{:?}", items[0].0);
    assert_eq!(items[0].1, all);
    assert!(matches!(items[1], (Item::Entry { .. }, Counted::Never)));
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
fn two_families_or_one_variant_leave_nothing_to_count() {
    let items = counted(&answered("menu-6.6", "teo-6.5"), 1_000);
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].1, Counted::Never);
    assert!(Undoing::new(&answered("menu-6.6", "none")).is_none());
}

#[test]
fn the_mail_names_every_difference_in_72_columns_of_ascii() {
    for (a, b, says) in [
        ("menu-4.5", "menu-4.5-p12", "0c313cb20732"),
        ("teo-5.15", "teo-7.1", "a03b2011808a"),
        ("teo-7.1", "teo-5.15", "in A only"),
        ("menu-6.6", "teo-6.5", "not counted"),
        ("menu-6.6", "menu-6.6", "they are the same"),
    ] {
        let session = answered(a, b);
        let mut undoing = Undoing::new(&session).expect("A and B were run");
        while undoing.step(&session, u64::MAX) {}
        let text = changes::changes(&undoing, Some((1, 20)), "LINK");
        assert!(text.contains(says), "{text}");
        assert!(text.is_ascii() && text.ends_with("\nLINK\n"), "{text}");
        for line in text.lines() {
            assert!(line.len() <= WIDTH && !line.ends_with(' '), "{line:?}");
        }
    }
}
