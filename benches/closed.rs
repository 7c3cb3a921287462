//! Closed loops: simulated time per second, for tokens between two CPUs and between six pairs of twelve.
//!
//! `cargo bench --bench closed`; the throughput is simulated nanoseconds per second.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::expect_used, reason = "a bench that cannot go on has failed")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{IdleState, StateMask, StateTable};
use idlescope::probe::Off;
use idlescope::sim::{CpuSetup, Driver, Engine, NO_LATENCY_LIMIT, Progress, Setup, StateCosts};
use idlescope::tick;
use idlescope::units::{CpuId, Ns, Time};
use idlescope::workload::closed::{self, Exchange, ExchangeWorkload, Placement};

const SIMULATED: Ns = Ns::from_ms(50);

fn engine(governor: &str, cpus: u16) -> Engine<ExchangeWorkload> {
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
        state("C6", 133, 600, false),
    ]);
    let cpu = CpuSetup {
        table: table.expect("four states are a table"),
        disabled: StateMask::NONE,
        capacity: 1_024,
        costs: StateCosts::default(),
    };
    let exchange = Exchange {
        rings: (0..cpus / 2)
            .map(|n| vec![CpuId::new(2 * n), CpuId::new(2 * n + 1)])
            .collect(),
        cpus,
        cores: (0..cpus).collect(),
        send: Ns::new(2_200),
        send_jitter: 50,
        tail: Ns::new(1_900),
        tail_jitter: 50,
        placement: Placement::Pinned,
        bursts: None,
        timers: Ns::ZERO,
    };
    let setup = Setup {
        cpus: vec![cpu; usize::from(cpus)],
        governor: governor.parse().expect("a name of the catalogue"),
        tick: tick::Config::default(),
        poll_limit: PollLimit::FirstWorthwhileState,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent: 100,
        machine: Some(closed::busy_server(cpus)),
        driver: Driver::Present,
        start: Time::ZERO,
        end: Time::ZERO.saturating_add(SIMULATED),
    };
    Engine::new(Arc::new(setup), exchange.workload(1))
}

fn closed_loops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pipe-test, simulated ns per second");
    group.sample_size(20);
    group.throughput(Throughput::Elements(SIMULATED.as_u64()));
    for cpus in [2, 12] {
        for governor in ["teo-6.12", "mobile-2019"] {
            group.bench_function(format!("{governor} on {cpus} CPUs"), |bencher| {
                bencher.iter_batched(
                    || engine(governor, cpus),
                    |mut engine| {
                        let mut record = engine.record();
                        while engine.run(u64::MAX, &mut record, &mut Off) != Progress::Done {}
                        black_box(record)
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

criterion_group!(benches, closed_loops);
criterion_main!(benches);
