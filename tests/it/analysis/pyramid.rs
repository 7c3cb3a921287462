//! Pyramid laws.

use idlescope::analysis::pyramid::{Bucket, Pyramid};
use idlescope::sim::{Cause, Flags, Lane, Row};
use idlescope::units::{Ns, StateIdx, Time};
use proptest::prelude::*;

use super::lanes::lane;

const FACTS: Flags = Flags::TOO_DEEP
    .and(Flags::TOO_SHALLOW)
    .and(Flags::STOPPED)
    .and(Flags::UNCOUNTED);

fn end_of(lane: &Lane) -> Time {
    lane.exits().last().copied().unwrap_or(Time::ZERO) + Ns::new(1)
}

/// The same sums by looking at every decision once.
fn by_hand(lane: &Lane) -> Bucket {
    let mut sum = Bucket::default();
    let rows: Vec<_> = lane.rows().collect();
    for (n, row) in rows.iter().enumerate() {
        let stay = (row.exit - row.entry).as_ns().unsigned_abs();
        sum.states[row.entered.index()] += stay;
        sum.stopped += if row.flags.has(Flags::STOPPED) { stay } else { 0 };
        if let Some(next) = rows.get(n + 1).filter(|_| !row.flags.has(Flags::UNCOUNTED)) {
            sum.busy += (next.entry - row.exit).as_ns().unsigned_abs();
        }
        sum.decisions += 1;
        sum.too_deep += u32::from(row.flags.has(Flags::TOO_DEEP));
        sum.too_shallow += u32::from(row.flags.has(Flags::TOO_SHALLOW));
        sum.flags = sum.flags.and(row.flags);
    }
    sum
}

fn sum(buckets: &[Bucket]) -> Bucket {
    let mut sum = Bucket::default();
    buckets.iter().for_each(|bucket| sum.add(bucket));
    sum
}

proptest! {
    #[test]
    fn every_level_has_the_same_sums(lane in lane(1_200, FACTS)) {
        let pyramid = Pyramid::new(&lane, Time::ZERO, end_of(&lane));
        let want = by_hand(&lane);
        prop_assert!(pyramid.levels() >= 1);
        for level in 0..pyramid.levels() {
            prop_assert_eq!(pyramid.total(level), Some(want), "level {}", level);
        }
    }

    #[test]
    fn columns_of_the_whole_have_the_same_sums_at_every_zoom(lane in lane(300, FACTS), columns in 1usize..5_000) {
        let end = end_of(&lane);
        let pyramid = Pyramid::new(&lane, Time::ZERO, end);
        let found = pyramid.columns(&lane, Time::ZERO, end, columns);
        prop_assert_eq!(sum(&found.buckets), by_hand(&lane));
        let width = 1i64 << found.shift;
        prop_assert!(width <= (end - Time::ZERO).as_ns() / columns as i64 || width == 1);
    }

    #[test]
    fn a_part_is_what_the_whole_has_there(
        lane in lane(300, FACTS), from in 0i64..40_000_000, len in 1i64..40_000_000, columns in 1usize..500,
    ) {
        let end = end_of(&lane);
        let pyramid = Pyramid::new(&lane, Time::ZERO, end);
        let from = Time::from_ns(from);
        let part = pyramid.columns(&lane, from, from + Ns::new(len), columns);
        let width = 1i64 << part.shift;
        let fine = usize::try_from((end - Time::ZERO).as_ns() / width).unwrap_or(1).max(1);
        prop_assume!(fine < 1 << 20);
        let whole = pyramid.columns(&lane, Time::ZERO, end, fine);
        if whole.shift == part.shift {
            let skip = usize::try_from(part.first - whole.first).expect("the whole begins first");
            for (n, bucket) in part.buckets.iter().enumerate() {
                let other = whole.buckets.get(skip + n).copied().unwrap_or_default();
                prop_assert_eq!(*bucket, other, "column {}", n);
            }
        }
        prop_assert!(part.begin(0) <= from);
    }
}

/// A clock that leaps asks for no more memory than the decisions are worth, and what is seen stays true.
#[test]
fn a_record_of_thirty_years_is_seen_without_stored_levels() {
    let mut lane = Lane::default();
    let row = |entry: Time, exit: Time| Row {
        entry,
        wake: exit,
        exit,
        sleep_length: Ns::MAX,
        period: 0,
        selected: StateIdx::ZERO,
        entered: StateIdx::ZERO,
        cause: Cause::Timer,
        flags: Flags::NONE,
    };
    let years = |n: i64| Time::from_ns(n * 31_536_000_000_000_000);
    lane.push(row(Time::ZERO, years(1)));
    lane.push(row(years(29), years(30)));
    let end = end_of(&lane);
    let pyramid = Pyramid::new(&lane, Time::ZERO, end);
    assert_eq!(pyramid.levels(), 0);
    for columns in [1, 100, 3_000] {
        let found = pyramid.columns(&lane, Time::ZERO, end, columns);
        assert!(found.buckets.len() <= 2 * columns + 1);
        assert_eq!(sum(&found.buckets), by_hand(&lane), "{columns} columns");
    }
}
