//! Sums of a lane, and the ideal stays.

use idlescope::analysis::ideal::stays;
use idlescope::analysis::seek::{self, Mark};
use idlescope::analysis::summary::{Costs, of_lane, of_record};
use idlescope::cpuidle::StateMask;
use idlescope::energy::{Assumptions, Model, allowed};
use idlescope::sim::{Cause, Flags, Record};
use idlescope::units::{CpuId, Energy, Ns, Time};
use proptest::prelude::*;

use super::lanes::{lane, snb};

const FACTS: Flags = Flags::STOPPED
    .and(Flags::STOPPED_NOW)
    .and(Flags::GOT_TICK)
    .and(Flags::TOO_DEEP)
    .and(Flags::TOO_SHALLOW)
    .and(Flags::REJECTED)
    .and(Flags::UNCOUNTED);

proptest! {
    #[test]
    fn counts_are_those_of_a_walk_over_the_decisions(lane in lane(120, FACTS)) {
        let found = of_lane(&lane, None, Time::ZERO, Time::NEVER);
        let counted: Vec<_> = lane.rows().filter(|row| !row.flags.has(Flags::UNCOUNTED)).collect();
        let entered: Vec<_> = counted.iter().filter(|row| !row.flags.has(Flags::REJECTED)).collect();
        prop_assert_eq!(found.periods(), entered.len() as u64);
        prop_assert_eq!(found.rejected() as usize, counted.len() - entered.len());
        prop_assert_eq!(found.uncounted as usize, lane.len() - counted.len());
        prop_assert_eq!(found.idle(), entered.iter().map(|row| row.exit - row.entry).sum::<Ns>());
        prop_assert_eq!(found.causes.iter().sum::<u64>(), found.periods());
        prop_assert_eq!(found.durations.counts().iter().map(|n| u64::from(*n)).sum::<u64>(), found.periods());
        let stopped = entered.iter().filter(|row| row.flags.has(Flags::STOPPED)).count() as u64;
        prop_assert_eq!(found.ticks_retained + stopped, found.periods());
        let waited = |cause| !matches!(cause, Cause::Tick | Cause::PollLimit);
        let longest = entered.iter().filter(|row| waited(row.cause)).map(|row| row.exit - row.wake).max();
        prop_assert_eq!(found.wake_latency.map(|latency| latency.max), longest);
        prop_assert_eq!(found.energy, None);
    }

    #[test]
    fn cpus_sum_to_the_whole(one in lane(60, FACTS), other in lane(60, FACTS)) {
        let model = Model::new(&snb(), &Assumptions::default());
        let costs = Costs { model: &model, allowed: allowed(&snb(), StateMask::NONE, None) };
        let record = Record { start: Time::ZERO, end: Time::NEVER, lanes: vec![one, other], ..Record::default() };
        let whole = of_record(&record, |_| Some(costs), Time::ZERO, Time::NEVER);
        let cpu = |n| {
            let lane = record.lane(CpuId::new(n)).expect("two CPUs");
            of_lane(lane, Some(costs), Time::ZERO, Time::NEVER)
        };
        let (a, b) = (cpu(0), cpu(1));
        prop_assert_eq!(whole.periods(), a.periods() + b.periods());
        prop_assert_eq!(whole.idle(), a.idle() + b.idle());
        prop_assert_eq!(whole.busy, a.busy + b.busy);
        prop_assert_eq!(whole.tick_stops, a.tick_stops + b.tick_stops);
        let mut energy = a.energy.expect("a model is known");
        energy.add(&b.energy.expect("a model is known"));
        prop_assert_eq!(whole.energy, Some(energy));
        let half = of_record(&record, |cpu| (cpu.number() == 0).then_some(costs), Time::ZERO, Time::NEVER);
        prop_assert!(half.energy.is_none() || record.lanes[1].is_empty());
    }

    #[test]
    fn ideal_stays_cover_every_counted_decision_once(lane in lane(120, Flags::UNCOUNTED)) {
        let model = Model::new(&snb(), &Assumptions::default());
        let all = allowed(&snb(), StateMask::NONE, None);
        let mut spent = Energy::ZERO;
        let mut end = 0;
        for stay in stays(&lane, &model, all) {
            prop_assert!(stay.first >= end);
            end = stay.first + stay.laps;
            spent += model.energy(stay.best, stay.wake - stay.entry);
        }
        let counted = lane.rows().enumerate().filter(|(_, row)| !row.flags.has(Flags::UNCOUNTED));
        let covered: usize = stays(&lane, &model, all).map(|stay| stay.laps).sum();
        prop_assert!(covered >= counted.count());
        prop_assert_eq!(
            of_lane(&lane, Some(Costs { model: &model, allowed: all }), Time::ZERO, Time::NEVER)
                .energy.map(|account| account.ideal),
            Some(spent)
        );
    }

    #[test]
    fn marks_are_found_in_both_directions(lane in lane(80, FACTS), only in any::<bool>()) {
        let cpu = CpuId::new(0);
        let record = Record { start: Time::ZERO, end: Time::NEVER, lanes: vec![lane], ..Record::default() };
        for mark in [Mark::Decision, Mark::Miss, Mark::TickStop] {
            let mut ahead = Vec::new();
            let mut at = Time::from_ns(-1);
            while let Some(found) = seek::next(&record, mark, at, cpu, only.then_some(cpu)) {
                ahead.push(found);
                at = found.entry;
            }
            let mut back = Vec::new();
            let mut at = Time::NEVER;
            while let Some(found) = seek::previous(&record, mark, at, cpu, only.then_some(cpu)) {
                back.push(found);
                at = found.entry;
            }
            back.reverse();
            prop_assert_eq!(ahead, back);
        }
    }
}
