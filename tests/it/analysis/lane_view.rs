//! What crosses from the worker to the timeline.

use idlescope::analysis::pyramid::Pyramid;
use idlescope::page::session::{LaneView, Shape, WHOLE};
use idlescope::sim::{Flags, Record, Row};
use idlescope::units::{Ns, Time};
use proptest::prelude::*;

use super::lanes::lane;

const FACTS: Flags = Flags::TOO_DEEP.and(Flags::STOPPED).and(Flags::GOT_TICK);

proptest! {
    #[test]
    fn decisions_come_back_as_they_were(lane in lane(60, FACTS), start in 0i64..20_000_000_000) {
        let start = Ns::new(start);
        let moved = |t: Time| t + start;
        let mut late = idlescope::sim::Lane::default();
        for row in lane.rows() {
            late.push(Row { entry: moved(row.entry), wake: moved(row.wake), exit: moved(row.exit), ..row });
        }
        let record = Record { start: Time::ZERO + start, end: Time::NEVER, ..Record::default() };
        let pyramid = Pyramid::new(&late, record.start, moved(Time::from_ns(2_000_000_000)));
        let view = LaneView::new(&record, &late, &pyramid, (Time::ZERO, Time::from_ns(i64::MAX / 2)), 100, 60);
        prop_assert_eq!(view.shape, Shape::Rows);
        let found: Vec<_> = view.rows().map(|(_, row)| row).collect();
        let want: Vec<_> = lane.rows().collect();
        prop_assert_eq!(found, want);
        prop_assert_eq!(view.columns().count(), 0);
    }

    #[test]
    fn shares_of_a_column_do_not_exceed_the_whole(lane in lane(400, FACTS), columns in 1usize..300) {
        prop_assume!(lane.len() > 2);
        let end = lane.exits().last().copied().unwrap_or(Time::ZERO) + Ns::new(1);
        let record = Record { start: Time::ZERO, end, ..Record::default() };
        let pyramid = Pyramid::new(&lane, Time::ZERO, end);
        let view = LaneView::new(&record, &lane, &pyramid, (Time::ZERO, end), columns, 1);
        prop_assert_eq!(view.rows().count(), 0);
        let mut decisions = 0;
        for column in view.columns() {
            let sum = column.states.iter().sum::<u32>() + column.busy;
            prop_assert!(sum <= WHOLE, "{:?}", column);
            prop_assert!(column.stopped <= WHOLE);
            decisions += column.decisions as usize;
        }
        prop_assert_eq!(decisions, lane.len());
    }
}
