//! A checker of closed-loop runs that knows nothing of the engine's own books: time is conserved, nobody is in two
//! places, every wakeup has a source, no work is lost, energy adds up.

use std::sync::Arc;

use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{Choice, StateMask};
use idlescope::energy::package;
use idlescope::page::machines::Machine;
use idlescope::probe::{Off, Steps};
use idlescope::sim::machine::{CoreUse, FrequencyRule, MachineModel};
use idlescope::sim::{
    CpuEvent, CpuSetup, Driver, Effects, Engine, Environment, Flags, NO_LATENCY_LIMIT, Record, Setup,
    StateCosts, Step, Timers, Workload,
};
use idlescope::tick;
use idlescope::units::{CpuId, Ns, Time};
use idlescope::workload::closed::loads::{self, PairWork};
use idlescope::workload::closed::{self, Bursts, Dispatch, Exchange, ExchangeWorkload, Placement, Queue};
use idlescope::workload::sources::SourcesWorkload;
use idlescope::workload::sources::loads::{self as sources, Quiet};

/// Counts what a workload hands out.
#[derive(Clone, Debug)]
pub struct Audited<W> {
    pub inner: W,
    /// By CPU: work, cycles as ns at 1 GHz.
    pub work: Vec<Ns>,
    /// By CPU: when a task was woken.
    pub raised: Vec<Vec<Time>>,
    /// By CPU: how many pieces of work there were.
    pub pieces: Vec<u64>,
}

impl<W: Workload> Audited<W> {
    pub fn new(inner: W, cpus: usize) -> Self {
        let all = (0..u16::try_from(cpus).expect("few")).map(CpuId::new);
        Self {
            work: all.map(|cpu| inner.first_busy(cpu)).collect(),
            raised: vec![Vec::new(); cpus],
            pieces: vec![1; cpus],
            inner,
        }
    }

    fn note(&mut self, now: Time, out: &mut Effects) {
        let raised: Vec<_> = out.drain().collect();
        for interrupt in raised {
            if let Some(run) = interrupt.run {
                self.work[interrupt.cpu.index()] += run;
                self.raised[interrupt.cpu.index()].push(now);
                self.pieces[interrupt.cpu.index()] += 1;
            }
            out.interrupt(interrupt);
        }
    }
}

impl<W: Workload> Workload for Audited<W> {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        self.inner.first_busy(cpu)
    }
    fn peek(&self) -> Time {
        self.inner.peek()
    }
    fn advance(&mut self, now: Time, out: &mut Effects) {
        self.inner.advance(now, out);
        self.note(now, out);
    }
    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, out: &mut Effects) {
        self.inner.on_cpu(now, cpu, what, out);
        self.note(now, out);
    }
    fn next_work(&mut self, now: Time, cpu: CpuId, out: &mut Effects) -> Option<Ns> {
        let more = self.inner.next_work(now, cpu, out);
        self.work[cpu.index()] += more.unwrap_or(Ns::ZERO);
        self.pieces[cpu.index()] += u64::from(more.is_some());
        self.note(now, out);
        more
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

fn exchange(placement: Placement, bursts: Option<Bursts>) -> Exchange {
    let pair = |a, b| vec![CpuId::new(a), CpuId::new(b)];
    Exchange {
        rings: vec![pair(0, 4), pair(1, 2)],
        cpus: 8,
        cores: (0..8).map(|cpu| cpu % 4).collect(),
        send: Ns::new(8_200),
        send_jitter: 200,
        tail: Ns::new(7_100),
        tail_jitter: 200,
        placement,
        bursts,
        timers: Ns::from_ms(3),
    }
}

fn setup(model: MachineModel, governor: &str) -> Arc<Setup> {
    let table = &Machine::find("snb")
        .expect("a preset")
        .cluster(CpuId::new(0))
        .expect("has CPUs")
        .table;
    let cpu = CpuSetup {
        table: table.clone(),
        disabled: StateMask::NONE,
        capacity: 1_024,
        costs: StateCosts::default(),
    };
    Arc::new(Setup {
        cpus: vec![cpu; 8],
        governor: governor.parse::<Choice>().expect("in the catalogue"),
        tick: tick::Config::default(),
        poll_limit: PollLimit::FirstState,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent: 100,
        driver: Driver::Present,
        machine: Some(model),
        start: Time::ZERO,
        end: Time::ZERO.saturating_add(Ns::from_ms(60)),
    })
}

/// Each CPU's rows follow one another.
pub fn nobody_is_in_two_places(record: &Record) {
    for lane in &record.lanes {
        let mut free = Time::ZERO;
        for row in lane.rows() {
            assert!(
                row.entry >= free && row.wake >= row.entry && row.exit >= row.wake,
                "{row:?}"
            );
            free = row.exit;
        }
    }
}

#[track_caller]
fn check<W: Workload>(model: MachineModel, governor: &str, open: Ns, inner: W) -> W {
    let audited = Audited::new(inner, 8);
    let setup = setup(model, governor);
    let model = setup.machine.as_ref().expect("set above");
    let (half, end) = (Time::ZERO.saturating_add(Ns::from_ms(30)), setup.end);
    let mut engine = Engine::new(Arc::clone(&setup), audited);
    let mut record = engine.record();
    while engine.run_to(half, 1_000, &mut record, &mut Off) != idlescope::sim::Progress::Done {}
    let first = engine.usage(half).expect("has a clock");
    let mut listened = engine.clone();
    while engine.run_to(end, 1_000, &mut record, &mut Off) != idlescope::sim::Progress::Done {}
    nobody_is_in_two_places(&record);

    // A listener changes nothing.
    let mut second_half = listened.record();
    let mut steps: Steps<Step> = Steps::default();
    while listened.run_to(end, 1_000, &mut second_half, &mut steps) != idlescope::sim::Progress::Done {
        steps.0.clear();
    }
    let usage = engine.usage(end).expect("has a clock");
    assert_eq!(listened.usage(end).as_ref(), Some(&usage));

    // Every nanosecond of every core, and the power of both halves together.
    for core in 0..4 {
        let own = |used: &CoreUse| used.core == core;
        let time: Ns = usage.entries().filter(own).map(|used| used.time).sum();
        assert_eq!(time, end.saturating_since(Time::ZERO), "core {core}");
    }
    let drawn = |usage, span| package::drawn(&model.power, usage, model.frequency.max_khz, span);
    let (part, whole) = (Ns::from_ms(30), Ns::from_ms(60));
    assert_eq!(
        drawn(&first, part) + drawn(&usage.since(&first), part),
        drawn(&usage, whole)
    );

    // Work and wakeups, by CPU. What is under way at the end may be missing.
    let workload = engine.workload();
    for (n, (work, raised)) in (0..).zip(workload.work.iter().zip(&workload.raised)) {
        let wakes = &u64::try_from(raised.len()).expect("few");
        let cpu = CpuId::new(n);
        let spent = engine.spent(cpu, end).expect("has a clock");
        assert_eq!(
            spent.total(),
            end.saturating_since(Time::ZERO),
            "{cpu}: {spent:?}"
        );
        let ran = spent.tasks;
        if model.frequency.rule == FrequencyRule::Performance
            && model.smt == idlescope::sim::machine::Smt::NONE
        {
            let cycles = ran * i64::from(model.frequency.max_khz) / 1_000_000;
            let pieces = i64::try_from(*wakes).expect("few") * 2 + 2;
            let off = (*work - cycles).as_ns().abs();
            // Each piece is rounded up to a nanosecond; what is under way may be open.
            assert!(off <= 8 * pieces + open.as_ns(), "{cpu}: {off} of {work:?}");
        }
        let lane = record.lane(cpu).expect("a lane for each");
        let left = lane
            .rows()
            .filter(|row| row.flags.has(Flags::RESCHEDULED))
            .count();
        let left = u64::try_from(left).expect("few");
        assert!(
            left <= *wakes,
            "{cpu} left idle {left} times, was woken {wakes} times"
        );
        assert!(ran > Ns::ZERO, "{cpu} never ran");
    }
    workload.inner.clone()
}

#[track_caller]
fn check_exchange(model: MachineModel, governor: &str, parameters: Exchange) {
    let workload: ExchangeWorkload = check(model, governor, Ns::from_us(60), parameters.workload(7));
    assert!(workload.sends() > 0);
}

#[test]
fn books_balance_on_every_machine_for_every_placement() {
    let bursts = Some(Bursts {
        tokens: 20,
        every: Ns::from_ms(4),
    });
    for governor in [
        "teo-5.1",
        "teo-7.1",
        "menu-6.6",
        "mobile-2019",
        "ladder-4.19",
        "deepest",
    ] {
        for placement in [Placement::Pinned, Placement::IdleCore, Placement::Stacked] {
            for bursts in [None, bursts] {
                let parameters = exchange(placement, bursts);
                check_exchange(
                    closed::sandy_bridge(FrequencyRule::Performance),
                    governor,
                    parameters.clone(),
                );
                check_exchange(
                    closed::sandy_bridge(FrequencyRule::Schedutil),
                    governor,
                    parameters.clone(),
                );
                check_exchange(closed::haswell(FrequencyRule::C0Residency), governor, parameters);
            }
        }
    }
}

#[test]
fn books_balance_for_rings_queues_and_independent_sources() {
    let quiet = Quiet {
        timers: Ns::from_ms(2),
        interrupts: Ns::from_ms(1),
    };
    for governor in ["teo-5.1", "teo-7.1", "menu-6.6", "ladder-4.19", "deepest"] {
        for rule in [FrequencyRule::Performance, FrequencyRule::Schedutil] {
            let model = || closed::sandy_bridge(rule);
            // The largest piece of work: a background task of the desktop.
            let open = Ns::from_ms(2);
            let ring = Exchange {
                timers: Ns::from_ms(3),
                ..loads::token_ring(PairWork::SANDY_BRIDGE, 8)
            };
            assert!(check(model(), governor, open, ring.workload(7)).sends() > 0);
            for dispatch in [Dispatch::InTurn, Dispatch::Packed] {
                // So many requests that every CPU serves some.
                let queue = Queue {
                    cpus: 8,
                    every: Ns::from_us(4),
                    service: Ns::from_us(80),
                    dispatch,
                };
                let served = check(model(), governor, open, queue.workload(7)).served();
                assert!(served.0 > 1_000 && served.1 > Ns::ZERO);
            }
            let threads = sources::threads(24, 500, Ns::from_us(40), 8);
            check(model(), governor, open, SourcesWorkload::new(threads, 8, 7));
            let desktop = sources::idle_desktop(quiet, 8);
            check(model(), governor, open, SourcesWorkload::new(desktop, 8, 7));
        }
    }
}
