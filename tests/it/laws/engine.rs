//! Laws of the engine: cutting a run changes nothing, time is conserved, no wakeup is lost, listening has no effect.
//!
//! `Checked` is an independent reader of a record: it knows neither engine nor tick, only what a record must
//! look like given what the workload did.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{Choice, IdleState, StateMask, StateTable};
use idlescope::probe::{Off, Steps};
use idlescope::sim::{
    CpuEvent, CpuSetup, Driver, Effects, Engine, Environment, Flags, Lane, NO_LATENCY_LIMIT, Progress,
    Record, Run, Setup, StateCosts, Step, Timers, Workload,
};
use idlescope::tick::avg_idle::MIGRATION_COST;
use idlescope::tick::{self, Hz, Nohz, RateLimit};
use idlescope::units::{CpuId, Ns, Time};
use idlescope::workload::scenario::{Bell, Doorbell, Metronome, Mixed, Pauses};
use proptest::prelude::*;

/// What a workload did: instant, CPU, run time of the task if one was woken.
type Done = Vec<(Time, CpuId, Option<Ns>)>;

/// A workload that notes what it does.
#[derive(Clone)]
struct Noted {
    inner: Pauses,
    done: Done,
}

impl Noted {
    fn note(&mut self, now: Time, mut effects: Effects, out: &mut Effects) {
        for interrupt in effects.drain() {
            self.done.push((now, interrupt.cpu, interrupt.run));
            out.interrupt(interrupt);
        }
    }
}

impl Workload for Noted {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        self.inner.first_busy(cpu)
    }

    fn peek(&self) -> Time {
        self.inner.peek()
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        let mut effects = Effects::default();
        self.inner.advance(now, &mut effects);
        self.note(now, effects, out);
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, out: &mut Effects) {
        let mut effects = Effects::default();
        self.inner.on_cpu(now, cpu, what, &mut effects);
        self.note(now, effects, out);
    }

    fn timers(&self, now: Time, cpu: CpuId) -> Timers {
        self.inner.timers(now, cpu)
    }

    fn environment(&mut self, now: Time, cpu: CpuId) -> Environment {
        self.inner.environment(now, cpu)
    }

    fn wakeup(&self, now: Time, cpu: CpuId) -> Option<Time> {
        self.inner.wakeup(now, cpu)
    }
}

fn table() -> StateTable {
    let state = |name: &str, exit_us, target_us, polling| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling,
        timer_stop: false,
    };
    StateTable::new(vec![
        state("POLL", 0, 0, true),
        state("C1", 2, 2, false),
        state("C1E", 10, 20, false),
        state("C3", 80, 211, false),
        state("C6", 104, 345, false),
    ])
    .unwrap()
}

fn rate_limit() -> impl Strategy<Value = RateLimit> {
    prop_oneof![
        3 => Just(RateLimit::Off),
        1 => Just(RateLimit::Below(MIGRATION_COST)),
        1 => (0..=u32::MAX).prop_map(|cost| RateLimit::Below(Ns::new(i64::from(cost)))),
    ]
}

/// Any machine of one to three CPUs under any governor and tick.
pub(super) fn setup() -> impl Strategy<Value = Setup> {
    let rules: Vec<tick::Rules> = tick::catalog::ENTRIES.iter().map(|entry| entry.rules).collect();
    (
        prop::sample::select(Choice::all().collect::<Vec<_>>()),
        prop::sample::select(rules),
        prop::sample::select(vec![100, 250, 300, 1000]),
        prop::bool::weighted(0.8),
        0..=31u16,
        0..=100u8,
        1..=3usize,
        rate_limit(),
    )
        .prop_map(
            |(governor, rules, hz, nohz, disabled, percent, cpus, rate_limit)| Setup {
                cpus: vec![
                    CpuSetup {
                        table: table(),
                        disabled: StateMask::from_bits(disabled),
                        capacity: 1024,
                        costs: StateCosts::default(),
                    };
                    cpus
                ],
                governor,
                tick: tick::Config {
                    hz: Hz::new(hz).unwrap(),
                    nohz: if nohz { Nohz::Active } else { Nohz::Off },
                    rules,
                    rate_limit,
                    ..tick::Config::default()
                },
                poll_limit: PollLimit::FirstWorthwhileState,
                latency_req: NO_LATENCY_LIMIT,
                exit_latency_percent: percent,
                machine: None,
                driver: Driver::Present,
                start: Time::ZERO,
                end: Time::from_ns(60_000_000),
            },
        )
}

/// Any generated workload.
pub(super) fn workload() -> impl Strategy<Value = Pauses> {
    let us = |range: std::ops::Range<i64>| range.prop_map(Ns::from_us);
    prop_oneof![
        (us(5..3_000), us(1..400), us(0..300), 0..9u64).prop_map(|(gap, run, jitter, seed)| {
            Metronome { gap, run, jitter }.workload(3, seed).unwrap()
        }),
        (
            us(5..3_000),
            us(1..400),
            us(50..9_000),
            any::<bool>(),
            any::<bool>(),
            0..9u64
        )
            .prop_map(|(gap, run, timer_grid, wakes_task, fixed, seed)| {
                let bell = if fixed { Bell::Regular } else { Bell::Random };
                let doorbell = Doorbell {
                    gap,
                    bell,
                    run,
                    timer_grid,
                    wakes_task,
                    first: Ns::ZERO,
                };
                doorbell.workload(3, seed).unwrap()
            }),
        (0..=100u8, us(5..900), us(20..9_000), us(1..400), 0..9u64).prop_map(
            |(interrupts_percent, gap, timer, run, seed)| {
                let mixed = Mixed {
                    interrupts_percent,
                    gap,
                    timer,
                    run,
                };
                mixed.workload(3, seed).unwrap()
            }
        ),
    ]
}

/// The run to its end.
pub(super) fn whole<W: Workload>(setup: &Arc<Setup>, workload: W) -> Record {
    let mut engine = Engine::new(Arc::clone(setup), workload);
    let mut record = engine.record();
    while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
    engine.close(&mut record);
    record
}

/// What a lane must look like, given what the workload did to its CPU.
struct Checked<'a> {
    lane: &'a Lane,
    table: &'a StateTable,
    done: &'a [(Time, Option<Ns>)],
    record: &'a Record,
}

impl Checked<'_> {
    fn all(&self) -> Result<(), TestCaseError> {
        self.time_runs_forward_and_nothing_overlaps()?;
        self.an_iteration_that_wakes_nobody_is_followed_at_once()?;
        self.all_work_is_done_and_nothing_else()?;
        self.wakeups_are_counted()
    }

    fn time_runs_forward_and_nothing_overlaps(&self) -> Result<(), TestCaseError> {
        let mut free_from = self.record.start;
        for row in self.lane.rows() {
            prop_assert!(
                free_from <= row.entry,
                "{row:?} begins before the one before has ended"
            );
            prop_assert!(
                row.entry <= row.wake && row.wake <= row.exit && row.exit <= self.record.end,
                "{row:?}"
            );
            prop_assert!(self.table.get(row.selected).is_some() && self.table.get(row.entered).is_some());
            let latency = self.table.exit_latency(row.entered);
            prop_assert!(
                row.exit - row.wake <= latency,
                "{row:?} leaves later than its latency allows"
            );
            free_from = row.exit;
        }
        Ok(())
    }

    fn an_iteration_that_wakes_nobody_is_followed_at_once(&self) -> Result<(), TestCaseError> {
        let rows: Vec<_> = self.lane.rows().collect();
        for pair in rows.windows(2) {
            if !pair[0].flags.has(Flags::RESCHEDULED) {
                prop_assert_eq!(pair[0].exit, pair[1].entry);
            }
        }
        Ok(())
    }

    /// Between the start and the last entry the CPU was idle, leaving a state, or busy with exactly the work it
    /// was given.
    fn all_work_is_done_and_nothing_else(&self) -> Result<(), TestCaseError> {
        let rows: Vec<_> = self.lane.rows().collect();
        let Some(last) = rows.last() else { return Ok(()) };
        let stays: Ns = rows[..rows.len() - 1]
            .iter()
            .map(|row| row.exit - row.entry)
            .sum();
        let given: Ns = self
            .done
            .iter()
            .filter(|(at, _)| *at < last.entry)
            .filter_map(|(_, run)| *run)
            .sum();
        prop_assert_eq!(stays + given, last.entry - self.record.start);
        Ok(())
    }

    fn wakeups_are_counted(&self) -> Result<(), TestCaseError> {
        for row in self.lane.rows() {
            let before = self.done.partition_point(|(at, _)| *at < row.entry);
            let until = self.done.partition_point(|(at, _)| *at <= row.entry);
            let period = usize::try_from(row.period).unwrap();
            prop_assert!(
                (before..=until).contains(&period),
                "{row:?}: {before} to {until} wakeups before"
            );
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_way_of_cutting_a_run_gives_the_same_record(
        setup in setup(), workload in workload(), budgets in prop::collection::vec(1..900u64, 1..5),
    ) {
        let setup = Arc::new(setup);
        let expected = whole(&setup, workload.clone());
        let mut engine = Engine::new(Arc::clone(&setup), workload);
        let mut record = engine.record();
        for budget in budgets.iter().cycle() {
            if engine.run(*budget, &mut record, &mut Off) == Progress::Done {
                break;
            }
        }
        engine.close(&mut record);
        prop_assert_eq!(record, expected);
    }

    #[test]
    fn time_is_conserved_and_no_wakeup_is_lost(setup in setup(), workload in workload()) {
        let setup = Arc::new(setup);
        let mut engine = Engine::new(Arc::clone(&setup), Noted { inner: workload, done: Vec::new() });
        let mut record = engine.record();
        while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
        engine.close(&mut record);
        for (index, lane) in record.lanes.iter().enumerate() {
            let done: Vec<_> = engine
                .workload()
                .done
                .iter()
                .filter(|(_, cpu, _)| cpu.index() == index)
                .map(|(at, _, run)| (*at, *run))
                .collect();
            Checked { lane, table: &setup.cpus[index].table, done: &done, record: &record }.all()?;
        }
    }

    #[test]
    fn listening_changes_nothing(setup in setup(), workload in workload()) {
        let setup = Arc::new(setup);
        let expected = whole(&setup, workload.clone());
        let mut engine = Engine::new(Arc::clone(&setup), workload);
        let mut record = engine.record();
        while engine.run(1_000, &mut record, &mut Steps::<Step>::default()) != Progress::Done {}
        engine.close(&mut record);
        prop_assert_eq!(record, expected);
    }

    #[test]
    fn every_decision_can_be_explained(
        setup in setup(), workload in workload(), picks in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        let cpus = setup.cpus.len();
        let mut run = Run::new(Arc::new(setup), workload);
        run.finish();
        for (cpu, pick) in (0..cpus).map(|n| CpuId::new(u16::try_from(n).unwrap())).cycle().zip(picks) {
            let Some(lane) = run.record().lane(cpu).filter(|lane| !lane.is_empty()) else { continue };
            let row = pick.index(lane.len());
            let explained = run.explain(cpu, row).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(Some(explained.row), lane.row(row));
            prop_assert!(explained.inputs().is_some() && explained.settled().is_some());
        }
    }
}

/// Long enough for several clones: about 5,000 decisions on each of two CPUs.
fn long_run() -> Run<Pauses> {
    let doorbell = Doorbell {
        gap: Ns::from_us(20),
        bell: Bell::Random,
        run: Ns::from_us(5),
        ..Doorbell::default()
    };
    let cpu = CpuSetup {
        table: table(),
        disabled: StateMask::NONE,
        capacity: 1024,
        costs: StateCosts::default(),
    };
    let setup = Setup {
        cpus: vec![cpu; 2],
        governor: "teo-6.12".parse().unwrap(),
        tick: tick::Config::default(),
        poll_limit: PollLimit::FirstWorthwhileState,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent: 50,
        machine: None,
        driver: Driver::Present,
        start: Time::ZERO,
        end: Time::from_ns(300_000_000),
    };
    let mut run = Run::new(Arc::new(setup), doorbell.workload(2, 1).unwrap());
    run.finish();
    run
}

#[test]
fn going_on_from_any_clone_gives_the_rest_of_the_run() {
    let run = long_run();
    assert!(run.checkpoints().len() > 3, "{} clones", run.checkpoints().len());
    for clone in run.checkpoints() {
        let mut engine = clone.clone();
        let mut rest = engine.record();
        while engine.run(u64::MAX, &mut rest, &mut Off) != Progress::Done {}
        engine.close(&mut rest);
        for (rest, lane) in rest.lanes.iter().zip(&run.record().lanes) {
            let tail: Vec<_> = lane.rows().skip(lane.len() - rest.len()).collect();
            assert_eq!(rest.rows().collect::<Vec<_>>(), tail);
        }
    }
}

#[test]
fn decisions_on_both_sides_of_a_clone_are_explained() {
    let run = long_run();
    let cpu = CpuId::new(1);
    for clone in run.checkpoints() {
        let at = usize::try_from(clone.decisions(cpu).unwrap()).unwrap();
        for row in at.saturating_sub(2)..at + 2 {
            let explained = run.explain(cpu, row).unwrap();
            assert_eq!(
                explained.choice().map(|(decision, _)| decision.state),
                Some(explained.row.selected)
            );
        }
    }
}

#[test]
fn a_decision_that_is_not_there_has_no_explanation() {
    let run = long_run();
    assert_eq!(
        run.explain(CpuId::new(7), 3).unwrap_err().to_string(),
        "cpu7 has 0 decisions so far, number 3 is not among them"
    );
}
