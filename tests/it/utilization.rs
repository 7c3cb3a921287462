//! Utilisation that the engine estimates from busy time, where governors meet it: in steps and decisions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{self, IdleState, StateMask, StateTable, teo};
use idlescope::sim::{
    CpuEvent, CpuSetup, Driver, Effects, Environment, Flags, NO_LATENCY_LIMIT, Row, Run, Setup, StateCosts,
    Step, Timers, Workload,
};
use idlescope::tick;
use idlescope::units::{CpuId, Ns, StateIdx, Time};
use idlescope::workload::scenario::{Bell, Doorbell, Pauses};

const CPU: CpuId = CpuId::new(0);
const WFI: StateIdx = StateIdx::ZERO;

/// The little core of a phone: two states.
fn setup(governor: &str, capacity: u64) -> Arc<Setup> {
    let state = |name: &str, exit_us, target_us| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling: false,
        timer_stop: false,
    };
    Arc::new(Setup {
        cpus: vec![CpuSetup {
            table: StateTable::new(vec![state("WFI", 1, 1), state("c2", 230, 2_000)]).unwrap(),
            disabled: StateMask::NONE,
            capacity,
            costs: StateCosts::default(),
        }],
        governor: governor.parse().unwrap(),
        tick: tick::Config::default(),
        poll_limit: PollLimit::FirstWorthwhileState,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent: 100,
        machine: None,
        driver: Driver::Present,
        start: Time::ZERO,
        end: Time::ZERO + Ns::from_ms(300),
    })
}

/// Nothing but unannounced interrupts, whose distance varies; each brings so much work.
fn bell(run: Ns) -> Pauses {
    let doorbell = Doorbell {
        gap: Ns::from_ms(3),
        bell: Bell::Random,
        run,
        timer_grid: Ns::ZERO,
        ..Doorbell::default()
    };
    doorbell.workload(1, 1).unwrap()
}

/// What teo was told, and what came of it.
struct Told {
    utilization: u64,
    threshold: u64,
    utilized: bool,
    row: Row,
}

fn told<W: Workload>(setup: Arc<Setup>, workload: W) -> Vec<Told> {
    let mut run = Run::new(setup, workload);
    run.finish();
    let rows = run.record().lane(CPU).unwrap().len();
    let told = |row| {
        let explained = run.explain(CPU, row).unwrap();
        let read = explained.steps.iter().find_map(|step| match step {
            Step::Governor(cpuidle::Step::Teo(teo::Step::Utilization {
                utilization,
                threshold,
                utilized,
            })) => Some((*utilization, *threshold, *utilized)),
            _ => None,
        });
        let (utilization, threshold, utilized) = read?;
        assert_eq!(explained.inputs().unwrap().utilization, utilization);
        Some(Told {
            utilization,
            threshold,
            utilized,
            row: explained.row,
        })
    };
    (0..rows).filter_map(told).collect()
}

/// Whether teo stops the tick of a CPU that it puts into its shallowest state because it is utilised.
fn stops_when_utilized(governor: &str, capacity: u64) -> bool {
    let decisions = told(setup(governor, capacity), bell(Ns::from_us(800)));
    let utilized: Vec<_> = decisions.iter().filter(|told| told.utilized).collect();
    assert!(
        utilized.len() > 50,
        "{governor}: {} of {}",
        utilized.len(),
        decisions.len()
    );
    for told in &utilized {
        assert_eq!(told.row.selected, WFI, "{governor}: {:?}", told.row);
        assert_eq!(told.threshold, capacity / 64);
        assert!(told.utilization > told.threshold && told.utilization <= capacity);
    }
    let stopped = utilized
        .iter()
        .filter(|told| told.row.flags.has(Flags::STOPPED))
        .count();
    assert!(
        stopped == 0 || stopped == utilized.len(),
        "{governor}: {stopped} of {}",
        utilized.len()
    );
    stopped > 0
}

#[track_caller]
fn check(governor: &str, capacity: u64, stops: bool) {
    assert_eq!(stops_when_utilized(governor, capacity), stops, "{governor}");
}

#[test]
fn a_busy_cpu_is_utilized_and_the_three_patches_keep_its_tick() {
    check("teo-6.5", 1_024, true);
    check("teo-6.5-p1", 1_024, false);
    check("teo-6.5-p12", 1_024, false);
    check("teo-6.5-p123", 1_024, false);
    check("teo-6.6", 1_024, false);
}

#[test]
fn a_small_core_is_held_against_a_smaller_threshold() {
    check("teo-6.5", 160, true);
    check("teo-6.5-p123", 160, false);
}

#[test]
fn long_sleeps_in_the_shallow_state_end_only_with_the_patches() {
    let sleeps = |governor| {
        told(setup(governor, 1_024), bell(Ns::from_us(800)))
            .iter()
            .filter(|told| told.utilized && told.row.residency() > Ns::from_ms(5))
            .count()
    };
    assert!(sleeps("teo-6.5") > 5, "{}", sleeps("teo-6.5"));
    assert_eq!(sleeps("teo-6.5-p123"), 0);
}

#[test]
fn a_cpu_with_hardly_any_work_is_not_utilized() {
    for governor in ["teo-6.5", "teo-6.5-p123", "teo-6.6"] {
        let decisions = told(setup(governor, 1_024), bell(Ns::from_us(10)));
        assert!(decisions.len() > 50, "{governor}: {}", decisions.len());
        assert!(decisions.iter().all(|told| !told.utilized), "{governor}");
    }
}

/// As another workload, but telling the utilisation.
#[derive(Clone)]
struct Telling {
    inner: Pauses,
    utilization: u64,
}

impl Workload for Telling {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        self.inner.first_busy(cpu)
    }
    fn peek(&self) -> Time {
        self.inner.peek()
    }
    fn advance(&mut self, now: Time, out: &mut Effects) {
        self.inner.advance(now, out);
    }
    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, out: &mut Effects) {
        self.inner.on_cpu(now, cpu, what, out);
    }
    fn timers(&self, now: Time, cpu: CpuId) -> Timers {
        self.inner.timers(now, cpu)
    }
    fn environment(&mut self, now: Time, cpu: CpuId) -> Environment {
        Environment {
            utilization: Some(self.utilization),
            ..self.inner.environment(now, cpu)
        }
    }
    fn wakeup(&self, now: Time, cpu: CpuId) -> Option<Time> {
        self.inner.wakeup(now, cpu)
    }
}

#[test]
fn what_the_workload_tells_comes_before_the_estimate() {
    for utilization in [0, 300] {
        let workload = Telling {
            inner: bell(Ns::from_us(800)),
            utilization,
        };
        let decisions = told(setup("teo-6.5", 1_024), workload);
        assert!(!decisions.is_empty());
        assert!(decisions.iter().all(|told| told.utilization == utilization));
    }
}

/// The first reading after work may still rise: the average waits for the segment of that work to end.
#[test]
fn utilization_fades_from_one_retained_tick_to_the_next() {
    let decisions = told(setup("teo-6.5-p123", 1_024), bell(Ns::from_us(800)));
    let ended_by_tick =
        |told: &Told| told.row.flags.has(Flags::GOT_TICK) && !told.row.flags.has(Flags::RESCHEDULED);
    let mut faded = 0;
    for three in decisions.windows(3) {
        if ended_by_tick(&three[0]) && ended_by_tick(&three[1]) {
            assert!(three[2].utilization < three[1].utilization);
            faded += 1;
        }
    }
    assert!(faded > 5, "{faded}");
}
