//! Alignment of two records by idle period and lap.

use idlescope::analysis::diff::{Counts, Depth, Diff, differs, partner};
use idlescope::sim::{Cause, Flags, Lane, Record, Row};
use idlescope::units::{CpuId, Ns, StateIdx, Time};
use proptest::prelude::*;

use super::lanes::lane;

/// Reads decisions such as `7:1s`: period 7, state 1, tick stopped (`k`: kept, `?`: uncounted).
fn record(text: &str) -> Record {
    let mut lane = Lane::default();
    for (n, word) in (0i64..).zip(text.split_whitespace()) {
        let (period, rest) = word.split_once(':').expect("period:state");
        let entry = Time::from_ns(n * 1_000);
        let state = StateIdx::new(rest[..1].parse().expect("a state"));
        lane.push(Row {
            entry,
            wake: entry + Ns::new(500),
            exit: entry + Ns::new(600),
            sleep_length: Ns::MAX,
            period: period.parse().expect("a period"),
            selected: state,
            entered: state,
            cause: Cause::Unknown,
            flags: match &rest[1..] {
                "s" => Flags::STOPPED,
                "?" => Flags::UNCOUNTED,
                _ => Flags::NONE,
            },
        });
    }
    Record {
        start: Time::ZERO,
        end: Time::from_ns(1_000_000),
        lanes: vec![lane],
        ..Record::default()
    }
}

#[track_caller]
fn check(a: &str, b: &str, want: Counts, pairs: &[(u32, u32)]) {
    let diff = Diff::of(&record(a), &record(b));
    assert_eq!(diff.counts(), want);
    let lane = diff.lane(CpuId::new(0)).expect("one CPU");
    let found: Vec<_> = lane.differences().iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(found, pairs);
}

#[test]
fn a_retained_tick_makes_one_difference_and_laps_without_partner() {
    let want = Counts {
        compared: 3,
        differences: 1,
        states: 1,
        ticks: 1,
        unmatched: 2,
    };
    check("7:1k 8:3s 9:1k", "7:1k 8:1k 8:1k 8:3k 9:1k", want, &[(1, 1)]);
}

#[test]
fn laps_are_compared_with_laps_of_the_same_place() {
    let want = Counts {
        compared: 4,
        differences: 1,
        states: 1,
        ticks: 0,
        unmatched: 0,
    };
    check("7:1k 7:1k 7:2k 8:0k", "7:1k 7:1k 7:3k 8:0k", want, &[(2, 2)]);
}

#[test]
fn a_merged_period_has_no_partner() {
    let want = Counts {
        compared: 2,
        differences: 0,
        states: 0,
        ticks: 0,
        unmatched: 1,
    };
    check("7:1k 9:0s", "7:1k 8:2k 9:0s", want, &[]);
}

#[test]
fn uncounted_decisions_are_not_compared() {
    let want = Counts {
        compared: 1,
        differences: 1,
        states: 0,
        ticks: 1,
        unmatched: 0,
    };
    check("7:1? 8:0s", "7:2k 8:0k", want, &[(1, 1)]);
}

#[test]
fn next_and_previous_walk_over_all_differences_of_all_cpus() {
    let mut a = record("0:1k 1:1k 2:1k 3:1k");
    let mut b = record("0:1k 1:2k 2:1k 3:2k");
    a.lanes.push(record("0:0k 1:0k 2:0k").lanes.remove(0));
    b.lanes.push(record("0:1k 1:1k 2:0k").lanes.remove(0));
    let diff = Diff::of(&a, &b);
    let mut found = Vec::new();
    let mut at = diff.first();
    while let Some(difference) = at {
        found.push((difference.entry.as_ns(), difference.cpu.number()));
        assert_eq!(diff.ordinal(difference.entry, difference.cpu), found.len() - 1);
        at = diff.next(difference.entry, difference.cpu);
    }
    assert_eq!(found, [(0, 1), (1_000, 0), (1_000, 1), (3_000, 0)]);
    let mut back = Vec::new();
    let mut at = diff.previous(Time::NEVER, CpuId::new(0));
    while let Some(difference) = at {
        back.push((difference.entry.as_ns(), difference.cpu.number()));
        at = diff.previous(difference.entry, difference.cpu);
    }
    back.reverse();
    assert_eq!(back, found);
    assert_eq!(diff.density(Time::ZERO, Time::from_ns(4_000), 4), [1, 2, 0, 1]);
}

#[test]
fn a_difference_counts_where_either_record_has_it() {
    let (a, b) = (record("0:1k 1:1k"), record("0:1k 0:1k 0:1k 1:2k"));
    let diff = Diff::of(&a, &b);
    assert_eq!(diff.density(Time::ZERO, Time::from_ns(4_000), 4), [0, 1, 0, 1]);
    assert_eq!(diff.density(Time::ZERO, Time::from_ns(4_000), 1), [1]);
}

#[test]
fn deeper_and_shallower_are_found_apart_on_all_cpus() {
    let mut a = record("0:1k 1:1k 2:1k 3:1k 4:1k");
    let mut b = record("0:1s 1:2k 2:0k 3:3k 4:0s");
    a.lanes.push(record("0:2k 1:2k 2:2k").lanes.remove(0));
    b.lanes.push(record("0:3k 1:1k 2:2k").lanes.remove(0));
    let diff = Diff::of(&a, &b);
    let walk = |depth, forward, start: Time| {
        let mut found = Vec::new();
        let mut at = (start, CpuId::new(0));
        while let Some(one) = diff.seek_depth(depth, forward, at.0, at.1) {
            found.push((one.entry.as_ns(), one.cpu.number()));
            at = (one.entry, one.cpu);
        }
        found
    };
    let before = Time::from_ns(-1);
    for (depth, expect) in [
        (Depth::Deeper, vec![(0, 1), (1_000, 0), (3_000, 0)]),
        (Depth::Shallower, vec![(1_000, 1), (2_000, 0), (4_000, 0)]),
    ] {
        assert_eq!(walk(depth, true, before), expect);
        let mut back = walk(depth, false, Time::NEVER);
        back.reverse();
        assert_eq!(back, expect);
    }
}

proptest! {
    #[test]
    fn a_record_does_not_differ_from_itself(lane in lane(200, Flags::STOPPED.and(Flags::UNCOUNTED))) {
        let record = Record { lanes: vec![lane], ..Record::default() };
        let counts = Diff::of(&record, &record).counts();
        prop_assert_eq!(counts.differences, 0);
        prop_assert_eq!(counts.unmatched, 0);
    }

    #[test]
    fn every_pair_is_of_one_period_and_differs(
        one in lane(200, Flags::STOPPED), other in lane(200, Flags::STOPPED),
    ) {
        let a = Record { lanes: vec![one.clone()], ..Record::default() };
        let b = Record { lanes: vec![other.clone()], ..Record::default() };
        let diff = Diff::of(&a, &b);
        let lane = diff.lane(CpuId::new(0)).expect("one CPU");
        for pair in lane.differences() {
            let (x, y) = (one.row(pair.a as usize).expect("in a"), other.row(pair.b as usize).expect("in b"));
            prop_assert_eq!(x.period, y.period);
            prop_assert!(differs(&x, &y).is_some());
            prop_assert_eq!(partner(&one, pair.a as usize, &other), Some(pair.b as usize));
        }
        let counts = diff.counts();
        prop_assert_eq!(
            2 * counts.compared + counts.unmatched,
            u32::try_from(one.len() + other.len()).expect("few")
        );
    }
}

#[test]
fn a_range_counts_what_the_first_record_decided_in_it() {
    // One decision each 1 µs; period 8 has a lap more in the second record.
    let diff = Diff::of(
        &record("7:1k 8:3s 9:1k 10:2k"),
        &record("7:2k 8:1k 8:1k 9:1k 10:2s"),
    );
    let within = |from: i64, to: i64| {
        let (from, to) = (Time::from_ns(from), Time::from_ns(to));
        let counts = diff.counts_within(from, to);
        let first = diff.first_within(from, to).map(|found| found.entry.as_ns());
        (counts.differences, counts.compared, counts.unmatched, first)
    };
    assert_eq!(within(0, 4_000), (3, 4, 1, Some(0)));
    assert_eq!(within(1, 4_000), (2, 3, 1, Some(1_000)));
    assert_eq!(within(0, 1_000), (1, 1, 0, Some(0)));
    assert_eq!(within(2_000, 3_000), (0, 1, 1, None));
    assert_eq!(within(3_000, 3_000), (0, 0, 0, None));
    assert_eq!(
        diff.counts_within(Time::ZERO, Time::from_ns(4_000)),
        diff.counts()
    );
}
