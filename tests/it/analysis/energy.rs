//! Energy laws.

use std::collections::BTreeMap;

use idlescope::cpuidle::StateMask;
use idlescope::energy::{Assumptions, Model, Parts, account, allowed, busy_spans};
use idlescope::sim::Flags;
use idlescope::units::{Energy, Ns, StateIdx, Time};
use proptest::prelude::*;

use super::lanes::{lane, snb};

const COUNTED: Flags = Flags::GOT_TICK.and(Flags::STOPPED_NOW);

proptest! {
    #[test]
    fn parts_sum_to_an_independent_total(lane in lane(60, COUNTED.and(Flags::UNCOUNTED).and(Flags::REJECTED))) {
        let table = snb();
        let model = Model::new(&table, &Assumptions::default());
        let all = allowed(&table, StateMask::NONE, None);
        let found = account(&lane, &model, all, Time::ZERO, Time::NEVER);

        let mut want = Energy::ZERO;
        for row in lane.rows().filter(|row| !row.flags.has(Flags::UNCOUNTED)) {
            if row.flags.has(Flags::GOT_TICK) {
                want += model.tick();
            }
            if row.flags.has(Flags::STOPPED_NOW) {
                want += model.tick_stop();
            }
            if !row.flags.has(Flags::REJECTED) {
                want += model.energy(row.entered, row.wake - row.entry) + model.active() * (row.exit - row.wake);
            }
        }
        for (from, to) in busy_spans(&lane) {
            want += model.active() * (to - from);
        }
        prop_assert_eq!(found.parts.total(), want);

        let mut states = Parts::default();
        found.states.iter().for_each(|state| states.add(state));
        prop_assert_eq!(states.idle(), found.parts.idle());
    }

    #[test]
    fn ranges_sum_to_the_whole(lane in lane(60, COUNTED), cut in 0i64..50_000_000) {
        let table = snb();
        let model = Model::new(&table, &Assumptions::default());
        let all = allowed(&table, StateMask::NONE, None);
        let cut = Time::from_ns(cut);
        let whole = account(&lane, &model, all, Time::ZERO, Time::NEVER);
        let mut halves = account(&lane, &model, all, Time::ZERO, cut);
        halves.add(&account(&lane, &model, all, cut, Time::NEVER));
        prop_assert_eq!(halves.parts, whole.parts);
        prop_assert_eq!(halves.states, whole.states);
        prop_assert_eq!(halves.regret, whole.regret);
    }

    #[test]
    fn no_allowed_state_is_cheaper_than_the_best(
        ns in 0i64..2_000_000, disabled in 0u16..32, limit in prop_oneof![Just(None), (0i64..120).prop_map(Some)],
    ) {
        let table = snb();
        let model = Model::new(&table, &Assumptions::default());
        let mask = allowed(&table, StateMask::from_bits(disabled), limit.map(Ns::from_us));
        let best = model.best(Ns::new(ns), mask).expect("state 0 is allowed when nothing else is");
        prop_assert!(mask.contains(best));
        for idx in table.indices().filter(|idx| mask.contains(*idx)) {
            prop_assert!(model.energy(best, Ns::new(ns)) <= model.energy(idx, Ns::new(ns)));
        }
    }

    #[test]
    fn regret_is_what_stay_and_transition_cost_beyond_the_best_state(lane in lane(30, Flags::NONE)) {
        let table = snb();
        let model = Model::new(&table, &Assumptions::default());
        let all = allowed(&table, StateMask::NONE, None);
        let found = account(&lane, &model, all, Time::ZERO, Time::NEVER);
        let best: Energy = lane
            .rows()
            .filter_map(|row| {
                let d = row.wake - row.entry;
                Some(model.energy(model.best(d, all)?, d))
            })
            .sum();
        prop_assert_eq!(found.parts.in_states(), best + found.regret);
    }

    #[test]
    fn the_ideal_spends_no_more_on_a_period_than_one_undivided_stay(lane in lane(30, Flags::NONE)) {
        let table = snb();
        let model = Model::new(&table, &Assumptions::default());
        let all = allowed(&table, StateMask::NONE, None);
        let mut ends: BTreeMap<u32, (Time, Time)> = BTreeMap::new();
        for row in lane.rows() {
            ends.entry(row.period).or_insert((row.entry, row.wake)).1 = row.wake;
        }
        let stays: Energy = ends
            .values()
            .map(|(entry, wake)| model.energy(StateIdx::new(4), *wake - *entry))
            .sum();
        let found = account(&lane, &model, all, Time::ZERO, Time::NEVER);
        prop_assert!(found.ideal <= stays);
    }
}
