//! How fast the engine replays one million idle periods, probe off. Budget: over a million decisions per second.
//!
//! The columns are made here: pauses and work as a busy server has them, half of the pauses ended by a timer that
//! the governor could know.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{IdleState, StateMask, StateTable};
use idlescope::probe::Off;
use idlescope::sim::{
    Cause, CpuEvent, CpuSetup, Driver, Effects, Engine, Environment, Interrupt, Knowledge, NO_LATENCY_LIMIT,
    Progress, Setup, StateCosts, Timers, Workload,
};
use idlescope::tick;
use idlescope::units::{CpuId, Ns, Time};
use idlescope::workload::rng::Rng;

const PERIODS: usize = 1_000_000;

/// Immutable columns and a cursor, as a trace has them.
#[derive(Clone)]
struct Columns {
    wake: Arc<[Time]>,
    run: Arc<[Ns]>,
    cause: Arc<[Cause]>,
    at: usize,
}

impl Columns {
    fn new() -> Self {
        let mut rng = Rng::stream(1, 0);
        let mut wake = Vec::with_capacity(PERIODS);
        let mut run = Vec::with_capacity(PERIODS);
        let mut cause = Vec::with_capacity(PERIODS);
        let mut now = Time::ZERO;
        for _ in 0..PERIODS {
            now += rng.exponential(Ns::from_us(300));
            let work = rng.exponential(Ns::from_us(40));
            wake.push(now);
            run.push(work);
            cause.push(if rng.chance(50) {
                Cause::Timer
            } else {
                Cause::Interrupt
            });
            now += work;
        }
        Self {
            wake: wake.into(),
            run: run.into(),
            cause: cause.into(),
            at: 0,
        }
    }

    fn end(&self) -> Time {
        self.wake.last().map_or(Time::ZERO, |last| *last + Ns::from_ms(1))
    }
}

impl Workload for Columns {
    fn first_busy(&self, _: CpuId) -> Ns {
        Ns::ZERO
    }

    fn peek(&self) -> Time {
        self.wake.get(self.at).copied().unwrap_or(Time::NEVER)
    }

    fn advance(&mut self, _: Time, out: &mut Effects) {
        if let (Some(cause), Some(run)) = (self.cause.get(self.at), self.run.get(self.at)) {
            out.interrupt(Interrupt {
                cpu: CpuId::new(0),
                cause: *cause,
                line: 0,
                run: Some(*run),
            });
        }
        self.at += 1;
    }

    fn on_cpu(&mut self, _: Time, _: CpuId, _: CpuEvent, _: &mut Effects) {}

    fn timers(&self, _: Time, _: CpuId) -> Timers {
        let known = self.cause.get(self.at) == Some(&Cause::Timer);
        Timers {
            hrtimer: if known { self.peek() } else { Time::NEVER },
            wheel: Time::NEVER,
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, _: CpuId) -> Environment {
        Environment::default()
    }

    fn wakeup(&self, _: Time, _: CpuId) -> Option<Time> {
        Some(self.peek())
    }
}

fn setup(governor: &str, end: Time) -> Arc<Setup> {
    let state = |name: &str, exit_us, target_us, polling| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling,
        timer_stop: false,
    };
    let table = StateTable::new(vec![
        state("POLL", 0, 0, true),
        state("C1", 2, 2, false),
        state("C1E", 10, 20, false),
        state("C3", 80, 211, false),
        state("C6", 104, 345, false),
    ]);
    Arc::new(Setup {
        cpus: vec![CpuSetup {
            table: table.expect("five states are a table"),
            disabled: StateMask::NONE,
            capacity: 1024,
            costs: StateCosts::default(),
        }],
        governor: governor.parse().expect("a name of the catalogue"),
        tick: tick::Config::default(),
        poll_limit: PollLimit::FirstWorthwhileState,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent: 100,
        machine: None,
        driver: Driver::Present,
        start: Time::ZERO,
        end,
    })
}

fn replay(criterion: &mut Criterion) {
    let columns = Columns::new();
    let mut group = criterion.benchmark_group("replay of a million idle periods");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for governor in ["teo-6.12", "menu-6.6", "deepest"] {
        let setup = setup(governor, columns.end());
        let run = |mut engine: Engine<Columns>| {
            let mut record = engine.record();
            while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
            record
        };
        let decisions = run(Engine::new(Arc::clone(&setup), columns.clone())).decisions();
        group.throughput(Throughput::Elements(decisions.try_into().unwrap_or(u64::MAX)));
        group.bench_function(governor, |bencher| {
            bencher.iter_batched(
                || Engine::new(Arc::clone(&setup), columns.clone()),
                |engine| black_box(run(engine)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, replay);
criterion_main!(benches);
