//! The recorded governor, simulated on the trace as a workload, comes close to the recorded lane.

use std::collections::BTreeMap;
use std::sync::Arc;

use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{Choice, StateMask};
use idlescope::page::recording::{self, recorded::record};
use idlescope::probe::{Off, Probe};
use idlescope::sim::{
    CpuSetup, Driver, Engine, Flags, Lane, NO_LATENCY_LIMIT, Progress, Record, Setup, StateCosts,
};
use idlescope::units::{CpuId, StateIdx};
use idlescope::workload::replay::wakes::Wakeups;
use idlescope::workload::replay::{Machine, Reading, Replay, ReplayWorkload, Share};

/// Listens to nothing; the bound of the engine is met by any such probe.
fn nobody()
-> impl Probe<idlescope::cpuidle::Step> + Probe<idlescope::tick::Step> + Probe<idlescope::sim::steps::LoopStep>
{
    Off
}

pub fn setup(replay: &Replay, machine: &Machine, governor: Choice, exit_latency_percent: u8) -> Setup {
    let cpus = (0..replay.selects.len()).map(|n| CpuSetup {
        table: machine
            .table(CpuId::new(u16::try_from(n).expect("few CPUs")))
            .clone(),
        disabled: StateMask::NONE,
        capacity: 1024,
        costs: StateCosts::default(),
    });
    Setup {
        cpus: cpus.collect(),
        governor,
        tick: recording::tick(replay),
        poll_limit: PollLimit::FirstWorthwhileState,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent,
        machine: None,
        driver: Driver::Present,
        start: replay.span.0,
        end: replay.span.1,
    }
}

pub fn simulate(setup: Setup, workload: ReplayWorkload) -> Record {
    let mut engine = Engine::new(Arc::new(setup), workload.clone());
    let mut record = engine.record();
    while engine.run(1 << 20, &mut record, &mut nobody()) != Progress::Done {}
    engine.close(&mut record);
    workload.mark_uncounted(&mut record);
    record
}

/// The state of the first counted decision of each period.
fn first_states(lane: &Lane) -> BTreeMap<u32, StateIdx> {
    let mut first = BTreeMap::new();
    for row in lane.rows().filter(|row| !row.flags.has(Flags::UNCOUNTED)) {
        first.entry(row.period).or_insert(row.entered);
    }
    first
}

/// In how many periods that both have is the first state the same; and how many recorded periods the simulation
/// has not, because their CPU was still busy.
pub fn compare(recorded: &Record, simulated: &Record) -> (Share, usize) {
    let mut same = Share::default();
    let mut merged = 0;
    for (recorded, simulated) in recorded.lanes.iter().zip(&simulated.lanes) {
        let simulated = first_states(simulated);
        for (period, state) in first_states(recorded) {
            match simulated.get(&period) {
                Some(other) => same.count(*other == state),
                None => merged += 1,
            }
        }
    }
    (same, merged)
}

/// Both lanes of one trace: recorded and simulated under `governor`.
pub fn lanes(
    replay: &Replay,
    machine: &Machine,
    reading: Reading,
    governor: Choice,
    latency: u8,
) -> (Record, Record) {
    let wakeups = Wakeups::of(replay, machine);
    let recorded = record(replay, machine, &wakeups, reading);
    let workload = ReplayWorkload::new(replay, &wakeups, reading);
    (
        recorded,
        simulate(setup(replay, machine, governor, latency), workload),
    )
}
