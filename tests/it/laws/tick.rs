//! Laws of the tick: who decides, and what the rate limit of 2016 keeps.
//!
//! `Average` is an independent reader of a record: it rebuilds the average idle time from the rows alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use idlescope::cpuidle::{Decision, Device, Kernel, StateTable, Step, TickChoice, Wakeup};
use idlescope::probe::{Off, Probe};
use idlescope::sim::{Chooser, Engine, Flags, Lane, Progress, Record, Setup, Workload};
use idlescope::tick::avg_idle::{Eighth, MIGRATION_COST};
use idlescope::tick::{self, Nohz, Order, RateLimit};
use idlescope::units::{Ns, StateIdx};
use proptest::prelude::*;

use super::engine::{setup, whole, workload};

/// Takes state 2 and advises the same about the tick every time.
#[derive(Clone)]
struct Stubborn(TickChoice);

impl Chooser for Stubborn {
    fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        _: &StateTable,
        _: Ns,
        _: &mut Device,
        _: &mut K,
        _: &mut P,
    ) -> Decision {
        Decision {
            state: StateIdx::new(2),
            tick: self.0,
        }
    }

    fn reflect<K: Kernel>(&mut self, _: &StateTable, _: Ns, _: &mut Device, _: &K, _: Wakeup) {}
}

fn advised<W: Workload>(setup: &Arc<Setup>, workload: W, advice: TickChoice) -> Record {
    let choosers = setup.cpus.iter().map(|_| Stubborn(advice));
    let mut engine = Engine::with_choosers(Arc::clone(setup), workload, choosers);
    let mut record = engine.record();
    while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
    engine.close(&mut record);
    record
}

fn with(setup: Setup, change: impl FnOnce(&mut tick::Config)) -> Arc<Setup> {
    let mut setup = setup;
    change(&mut setup.tick);
    Arc::new(setup)
}

/// The average idle time of one CPU before each row, in ns, and whether the row begins an idle time.
fn averages(lane: &Lane, eighth: Eighth, cost_ns: i64) -> Vec<(i64, bool)> {
    let mut average = 2 * cost_ns;
    let mut since = None;
    let mut found = Vec::new();
    for row in lane.rows() {
        found.push((average, since.is_none()));
        let started = since.unwrap_or(row.entry);
        since = Some(started);
        if row.flags.has(Flags::RESCHEDULED) {
            let distance = (row.exit - started).as_ns() - average;
            let step = match eighth {
                Eighth::Floor => distance.div_euclid(8),
                Eighth::TowardsZero => distance / 8,
            };
            average = (average + step).min(2 * cost_ns);
            since = None;
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn advice_about_a_tick_that_is_decided_before_changes_nothing(setup in setup(), workload in workload()) {
        let setup = with(setup, |tick| tick.rules.order = Order::BeforeGovernor);
        prop_assert_eq!(
            advised(&setup, workload.clone(), TickChoice::Stop),
            advised(&setup, workload, TickChoice::Retain)
        );
    }

    /// The workloads arm no wheel timers, so nothing but a reason keeps the tick.
    #[test]
    fn decided_before_the_tick_stops_once_as_each_idle_time_begins(setup in setup(), workload in workload()) {
        let setup = with(setup, |tick| {
            tick.rules.order = Order::BeforeGovernor;
            tick.nohz = Nohz::Active;
            tick.rate_limit = RateLimit::Off;
        });
        for lane in whole(&setup, workload).lanes {
            let firsts = averages(&lane, Eighth::Floor, 1);
            for (row, (_, first)) in lane.rows().zip(firsts) {
                prop_assert!(row.flags.has(Flags::STOPPED), "{row:?}");
                prop_assert_eq!(row.flags.has(Flags::STOPPED_NOW), first, "{:?}", row);
                prop_assert_eq!(row.flags.has(Flags::WAS_STOPPED), !first, "{:?}", row);
            }
        }
    }

    #[test]
    fn the_rate_limit_keeps_the_tick_while_the_average_is_below_and_only_then(
        setup in setup(), workload in workload(), cost_us in 1..2_000i64,
    ) {
        let cost = Ns::from_us(cost_us);
        let setup = with(setup, |tick| {
            tick.nohz = Nohz::Active;
            tick.rate_limit = RateLimit::Below(cost);
        });
        for lane in whole(&setup, workload).lanes {
            let averages = averages(&lane, setup.tick.rules.eighth, cost.as_ns());
            for (row, (average, _)) in lane.rows().zip(averages) {
                let below = average < cost.as_ns();
                prop_assert!(!below || !row.flags.has(Flags::STOPPED), "{row:?}: average {average} ns");
                prop_assert!(below || !row.flags.has(Flags::KEEP_REASON), "{row:?}: average {average} ns");
                let decided = setup.tick.rules.order == Order::BeforeGovernor || row.flags.has(Flags::ASKED_STOP);
                prop_assert_eq!(row.flags.has(Flags::KEEP_REASON), below && decided, "{:?}", row);
            }
        }
    }

    #[test]
    fn a_rate_limit_of_zero_is_none(setup in setup(), workload in workload()) {
        let off = with(setup.clone(), |tick| tick.rate_limit = RateLimit::Off);
        let zero = with(setup, |tick| tick.rate_limit = RateLimit::Below(Ns::ZERO));
        prop_assert_eq!(whole(&off, workload.clone()), whole(&zero, workload));
    }

    /// The average is read by the limit alone.
    #[test]
    fn without_the_rate_limit_the_rounding_of_the_average_changes_nothing(setup in setup(), workload in workload()) {
        let rounded = |eighth| {
            with(setup.clone(), |tick| {
                tick.rate_limit = RateLimit::Off;
                tick.rules.eighth = eighth;
            })
        };
        prop_assert_eq!(
            whole(&rounded(Eighth::Floor), workload.clone()),
            whole(&rounded(Eighth::TowardsZero), workload)
        );
    }
}

#[test]
fn an_average_at_the_cost_of_a_migration_does_not_keep_the_tick() {
    use idlescope::tick::avg_idle::AvgIdle;
    use idlescope::units::Time;
    let mut idle = AvgIdle::new(Eighth::Floor, MIGRATION_COST);
    // From 1 ms, samples of 0 lose an eighth each: 5 of them are 512,908 ns, 6 are 448,794.
    let mut keeps = Vec::new();
    for n in 0..7 {
        keeps.push((
            n,
            RateLimit::Below(MIGRATION_COST).keep(tick::Keep::None, &idle) != tick::Keep::None,
        ));
        idle.starts(Time::ZERO);
        idle.ends(Time::ZERO, MIGRATION_COST);
    }
    assert_eq!(keeps.iter().position(|(_, keeps)| *keeps), Some(6));
}
