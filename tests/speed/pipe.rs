//! pipe-test on so many CPUs, two to a pair, as the benches run it: natively and in the browser.

use std::sync::Arc;

use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{IdleState, StateMask, StateTable};
use idlescope::sim::{CpuSetup, Driver, Engine, NO_LATENCY_LIMIT, Setup, StateCosts};
use idlescope::tick;
use idlescope::units::{CpuId, Ns, Time};
use idlescope::workload::closed::{self, Exchange, ExchangeWorkload, Placement};

/// How much of it is simulated.
pub const SIMULATED: Ns = Ns::from_ms(50);

/// The engine before its first event.
pub fn engine(governor: &str, cpus: u16) -> Engine<ExchangeWorkload> {
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
