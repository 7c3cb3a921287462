//! `golden/idle-loop`: the whole idle loop and tick on one to four CPUs, every field of every line.
//!
//! The engine is the product's; what is scripted is its workload (busy segments, interrupts, timers, the
//! environment of each iteration) and who chooses (spec idle-loop-and-tick.md §10).

use std::sync::Arc;

use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{
    self, Decision, Device, IdleState, Kernel, StateMask, StateTable, TickChoice, Wakeup,
};
use idlescope::probe::{Probe, Steps};
use idlescope::sim::steps::{Handler, Inputs, LoopStep, TickView};
use idlescope::sim::{
    Cause, Chooser, CpuEvent, CpuSetup, Driver, Effects, Engine, Entry, Environment, Flags, Interrupt, Keep,
    Knowledge, NO_LATENCY_LIMIT, Progress, Setup, StateCosts, Step, Timers, Workload,
};
use idlescope::tick::avg_idle::MIGRATION_COST;
use idlescope::tick::{self, Hz, Nohz, RateLimit, Skew, timer_wheel};
use idlescope::units::{CpuId, Ns, StateIdx, Time};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Claim, Difference, File};

/// What one kernel's folder needs beside its files.
#[derive(Clone, Copy)]
struct Era {
    rules: &'static str,
    poll_limit: PollLimit,
    rate_limit: RateLimit,
    units: Units,
}

/// How residency is told, and whether misses are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Units {
    /// Whole microseconds, no misses, nothing at all for the default wait.
    Microseconds,
    /// As [`Units::Microseconds`]; nobody advises about the tick, its last expiry stays written, and the average idle
    /// time is written too.
    BeforeGovernor,
    /// Nanoseconds and misses.
    Nanoseconds,
}

/// The folders of `golden/idle-loop` that are claimed.
const ERAS: [(&str, Era); 5] = [
    (
        "v4.4.194",
        Era {
            rules: "4.4",
            poll_limit: PollLimit::Unlimited,
            rate_limit: RateLimit::Off,
            units: Units::BeforeGovernor,
        },
    ),
    (
        "v4.4.194-ratelimit",
        Era {
            rules: "4.4",
            poll_limit: PollLimit::Unlimited,
            rate_limit: RateLimit::Below(MIGRATION_COST),
            units: Units::BeforeGovernor,
        },
    ),
    (
        "v4.19",
        Era {
            rules: "4.17",
            poll_limit: PollLimit::Fixed,
            rate_limit: RateLimit::Off,
            units: Units::Microseconds,
        },
    ),
    (
        "v6.12.117",
        Era {
            rules: "6.12.117",
            poll_limit: PollLimit::FirstWorthwhileState,
            rate_limit: RateLimit::Off,
            units: Units::Nanoseconds,
        },
    ),
    (
        "v7.2.13",
        Era {
            rules: "7.2",
            poll_limit: PollLimit::FirstWorthwhileState,
            rate_limit: RateLimit::Off,
            units: Units::Nanoseconds,
        },
    ),
];

/// `h` or `w`, delay in ns or jiffies, whether it wakes a task, that task's run time in ns.
type SegmentTimer = (char, i64, bool, i64);

#[derive(Deserialize)]
struct Header {
    scenario: Scenario,
}

#[derive(Deserialize)]
struct Scenario {
    hz: u32,
    states: Vec<State>,
    max_deferment_ns: Option<i64>,
    wake_latency: String,
    start: i64,
    end: i64,
    skew_tick: bool,
    cpuidle_driver: bool,
    first_busy_ns: Vec<i64>,
    device_irqs: Vec<Vec<(i64, bool, i64)>>,
    segment_timers: Vec<Vec<Vec<SegmentTimer>>>,
    script: Vec<Vec<ScriptEntry>>,
}

#[derive(Deserialize)]
struct State {
    name: String,
    exit_latency_ns: i64,
    target_residency_ns: i64,
    polling: bool,
    disabled: bool,
    timer_stop: bool,
}

#[derive(Clone, Copy, Deserialize)]
struct ScriptEntry {
    query: bool,
    stop_tick: bool,
    state: u8,
    rcu: bool,
    irq_work: bool,
    fail: bool,
    broadcast_fail: bool,
}

/// Chooses as the script says, whatever it is told.
#[derive(Clone)]
struct Script {
    entries: Arc<[ScriptEntry]>,
    asked: usize,
    reads: Reads,
}

/// When the sleep length is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// As the entry says.
    AsScripted,
    /// Every time: where the tick is decided on before, it is a stored value.
    Always,
}

impl Chooser for Script {
    fn select<K: Kernel, P: Probe<cpuidle::Step>>(
        &mut self,
        _: &StateTable,
        _: Ns,
        _: &mut Device,
        kernel: &mut K,
        _: &mut P,
    ) -> Decision {
        let entry = self.entries[self.asked % self.entries.len()];
        self.asked += 1;
        if entry.query || self.reads == Reads::Always {
            kernel.sleep_length();
        }
        Decision {
            state: StateIdx::new(entry.state),
            tick: if entry.stop_tick {
                TickChoice::Stop
            } else {
                TickChoice::Retain
            },
        }
    }

    fn reflect<K: Kernel>(&mut self, _: &StateTable, _: Ns, _: &mut Device, _: &K, _: Wakeup) {}
}

#[derive(Clone)]
struct ArmedTimer {
    at: Time,
    run: Option<Ns>,
}

#[derive(Clone)]
struct ScriptedCpu {
    first_busy: Ns,
    irqs: Arc<[ArmedTimer]>,
    next_irq: usize,
    segments: Arc<[Vec<SegmentTimer>]>,
    segment: usize,
    hrtimers: Vec<ArmedTimer>,
    wheel: Vec<ArmedTimer>,
    script: Arc<[ScriptEntry]>,
    iteration: usize,
}

#[derive(Clone)]
struct Scripted {
    hz: Hz,
    cpus: Vec<ScriptedCpu>,
}

fn run_of(reschedules: bool, run_ns: i64) -> Option<Ns> {
    reschedules.then(|| Ns::new(run_ns))
}

impl ScriptedCpu {
    fn next(&self) -> Time {
        let irq = self.irqs.get(self.next_irq).map_or(Time::NEVER, |irq| irq.at);
        irq.min(self.hrtimer())
    }

    fn hrtimer(&self) -> Time {
        self.hrtimers
            .iter()
            .map(|timer| timer.at)
            .min()
            .unwrap_or(Time::NEVER)
    }

    fn arm(&mut self, hz: Hz, now: Time, jiffy: Time) {
        let Some(timers) = self.segments.get(self.segment) else {
            return;
        };
        for (kind, delay, reschedules, run_ns) in timers {
            let run = run_of(*reschedules, *run_ns);
            if *kind == 'h' {
                self.hrtimers.push(ArmedTimer {
                    at: now + Ns::new(*delay),
                    run,
                });
            } else {
                let clock = jiffies_at(hz, jiffy);
                let bucket = timer_wheel::bucket(hz, clock, clock + delay.unsigned_abs());
                self.wheel.push(ArmedTimer {
                    at: jiffy + hz.period() * (bucket.expires - clock).cast_signed(),
                    run,
                });
            }
        }
        self.segment += 1;
    }
}

/// The header says how jiffies and time go together.
fn jiffies_at(hz: Hz, jiffy: Time) -> u64 {
    4_294_667_296 + (jiffy - Time::ZERO).div_floor(hz.period()).cast_unsigned()
}

impl Workload for Scripted {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        self.cpus[cpu.index()].first_busy
    }

    fn peek(&self) -> Time {
        self.cpus
            .iter()
            .map(ScriptedCpu::next)
            .min()
            .unwrap_or(Time::NEVER)
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        for (id, cpu) in (0..).map(CpuId::new).zip(&mut self.cpus) {
            while let Some(irq) = cpu.irqs.get(cpu.next_irq).filter(|irq| irq.at <= now) {
                cpu.next_irq += 1;
                out.interrupt(Interrupt {
                    cpu: id,
                    cause: Cause::Interrupt,
                    line: 0,
                    run: irq.run,
                });
            }
            cpu.hrtimers.retain(|timer| {
                let due = timer.at <= now;
                if due {
                    out.interrupt(Interrupt {
                        cpu: id,
                        cause: Cause::Timer,
                        line: 0,
                        run: timer.run,
                    });
                }
                !due
            });
        }
    }

    fn on_cpu(&mut self, now: Time, id: CpuId, what: CpuEvent, out: &mut Effects) {
        let cpu = &mut self.cpus[id.index()];
        match what {
            CpuEvent::Tick { jiffy } => cpu.wheel.retain(|timer| {
                let due = timer.at <= jiffy;
                if due {
                    out.interrupt(Interrupt {
                        cpu: id,
                        cause: Cause::Timer,
                        line: 0,
                        run: timer.run,
                    });
                }
                !due
            }),
            CpuEvent::Idle { ran: true, jiffy } => cpu.arm(self.hz, now, jiffy),
            CpuEvent::Idle { ran: false, .. } => {}
        }
    }

    fn timers(&self, _: Time, cpu: CpuId) -> Timers {
        let cpu = &self.cpus[cpu.index()];
        Timers {
            hrtimer: cpu.hrtimer(),
            wheel: cpu
                .wheel
                .iter()
                .map(|timer| timer.at)
                .min()
                .unwrap_or(Time::NEVER),
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, cpu: CpuId) -> Environment {
        let cpu = &mut self.cpus[cpu.index()];
        let entry = cpu.script[cpu.iteration % cpu.script.len()];
        cpu.iteration += 1;
        Environment {
            keep: match (entry.rcu, entry.irq_work) {
                (true, _) => Keep::Rcu,
                (false, true) => Keep::IrqWork,
                (false, false) => Keep::None,
            },
            entry: match (entry.fail, entry.broadcast_fail) {
                (true, _) => Entry::Fails,
                (false, true) => Entry::NoBroadcast,
                (false, false) => Entry::Works,
            },
            ..Environment::default()
        }
    }

    fn wakeup(&self, _: Time, cpu: CpuId) -> Option<Time> {
        Some(self.cpus[cpu.index()].next())
    }
}

/// A time as the files write it: none when it never comes.
fn time(at: Time) -> Value {
    if at.is_never() {
        Value::Null
    } else {
        json!(at.as_ns())
    }
}

/// As [`time`], 0 when it is not known.
fn known_time(at: Option<Time>) -> Value {
    at.map_or(json!(0), time)
}

fn duty(view: &TickView) -> Value {
    view.duty.map_or(json!(-1), |cpu| json!(cpu.number()))
}

/// The rows that one run writes, built from what the engine tells.
struct Rows {
    era: Era,
    iterations: Vec<usize>,
    script_lengths: Vec<usize>,
    open: Vec<Value>,
    causes: Vec<Vec<String>>,
}

impl Rows {
    /// Takes in one step of `cpu`; gives a row when one is complete.
    fn take(&mut self, cpu: usize, now: Time, step: &LoopStep) -> Option<Value> {
        match step {
            LoopStep::Began { tick, .. } => {
                let iteration = self.iterations[cpu];
                self.iterations[cpu] += 1;
                self.causes[cpu].clear();
                self.open[cpu] = json!({
                    "now": now.as_ns(), "cpu": cpu, "iter": iteration, "out": null,
                    "in": {
                        "script": iteration % self.script_lengths[cpu], "jiffies": tick.jiffies,
                        "next_event": time(tick.device_event), "idle_entrytime": tick.entry_time.as_ns(),
                        "tick_stopped": tick.stopped, "do_timer_cpu": duty(tick),
                    },
                });
            }
            LoopStep::Chose { decision, lengths } => {
                let never = Time::NEVER.as_ns() - self.open[cpu]["in"]["idle_entrytime"].as_i64().unwrap();
                let length = |ns: Ns| {
                    if ns.as_ns() == never {
                        Value::Null
                    } else {
                        json!(ns.as_ns())
                    }
                };
                let (stop_tick, delta_next) = match self.era.units {
                    Units::BeforeGovernor => (Value::Null, None),
                    Units::Microseconds | Units::Nanoseconds => (
                        json!(decision.tick == TickChoice::Stop),
                        lengths.map(|l| length(l.to_event_or_tick)),
                    ),
                };
                self.open[cpu]["out"] = json!({
                    "state": decision.state.number(), "stop_tick": stop_tick,
                    "sleep_length_queried": lengths.is_some(),
                    "sleep_length": lengths.map(|l| length(l.to_event)),
                    "delta_next": delta_next,
                });
            }
            LoopStep::Entering { tick, .. } => {
                self.open[cpu]["tick"] = json!({
                    "stopped": tick.stopped, "idle_calls": tick.idle_calls, "idle_sleeps": tick.idle_sleeps,
                    "next_tick": self.next_tick(tick), "timer_expires": known_time(tick.evaluation),
                    "next_event": time(tick.device_event), "do_timer_cpu": duty(tick),
                    "do_timer_last": tick.dropped_duty_last,
                });
                if self.era.units == Units::BeforeGovernor {
                    self.open[cpu]["tick"]["timer_expires"] = Value::Null;
                    self.open[cpu]["tick"]["avg_idle"] = json!(tick.avg_idle.as_ns());
                }
            }
            LoopStep::Handled {
                handler, rescheduled, ..
            } => {
                let name = match handler {
                    Handler::Tick => "tick",
                    Handler::Wheel => "wheel",
                    Handler::Interrupt(Cause::Timer) => "hrtimer",
                    Handler::Interrupt(_) => "irq",
                };
                let mark = if *rescheduled { "!" } else { "" };
                self.causes[cpu].push(format!("{name}{mark}"));
            }
            LoopStep::Ended {
                exit,
                flags,
                entered,
                residency,
                tick,
                ..
            } => {
                let mut row = std::mem::take(&mut self.open[cpu]);
                row["wake"] = self.wake(cpu, *exit, *flags, *entered, *residency);
                row["after"] = json!({
                    "jiffies": tick.jiffies, "tick_stopped": tick.stopped, "next_event": time(tick.device_event),
                    "next_tick": self.next_tick(tick), "do_timer_cpu": duty(tick),
                    "idle_entrytime": tick.entry_time.as_ns(),
                });
                return Some(row);
            }
            LoopStep::LeftIdle { run, tick } => {
                return Some(json!({
                    "now": now.as_ns(), "cpu": cpu, "idle_exit": true, "tick_stopped": tick.stopped,
                    "next_event": time(tick.device_event), "tick_expires": tick.expires.as_ns(),
                    "jiffies": tick.jiffies, "do_timer_cpu": duty(tick), "run": run.as_ns(),
                }));
            }
        }
        None
    }

    fn next_tick(&self, tick: &TickView) -> Value {
        match self.era.units {
            Units::BeforeGovernor => known_time(tick.evaluation),
            Units::Microseconds | Units::Nanoseconds => known_time(tick.next_tick),
        }
    }

    fn wake(&self, cpu: usize, exit: Time, flags: Flags, entered: Option<StateIdx>, residency: Ns) -> Value {
        let code = match entered {
            None => -2,
            Some(_) if flags.has(Flags::REJECTED) || flags.has(Flags::UNGOVERNED) => -16,
            Some(idx) => i64::from(idx.number()),
        };
        let miss = match self.era.units {
            Units::Microseconds | Units::BeforeGovernor => None,
            Units::Nanoseconds if flags.has(Flags::TOO_DEEP) => Some("above"),
            Units::Nanoseconds if flags.has(Flags::TOO_SHALLOW) => Some("below"),
            Units::Nanoseconds => None,
        };
        let mut wake = json!({
            "t": exit.as_ns(), "entered": code, "cause": self.causes[cpu],
            "got_tick": flags.has(Flags::GOT_TICK), "need_resched": flags.has(Flags::RESCHEDULED), "miss": miss,
        });
        match self.era.units {
            Units::Microseconds | Units::BeforeGovernor if entered.is_none() => {
                wake["residency_us"] = json!(0)
            }
            Units::Microseconds | Units::BeforeGovernor => {
                wake["residency_us"] = json!(residency.as_ns() / 1_000)
            }
            Units::Nanoseconds => wake["residency_ns"] = json!(residency.as_ns()),
        }
        wake
    }
}

fn setup(scenario: &Scenario, era: Era) -> Setup {
    let states = scenario.states.iter().map(|state| IdleState {
        name: state.name.clone(),
        exit_latency: Ns::new(state.exit_latency_ns),
        target_residency: Ns::new(state.target_residency_ns),
        polling: state.polling,
        timer_stop: state.timer_stop,
    });
    let table = StateTable::new(states.collect()).unwrap();
    let disabled = table
        .indices()
        .zip(&scenario.states)
        .filter(|(_, state)| state.disabled)
        .fold(StateMask::NONE, |mask, (idx, _)| mask.with(idx));
    let cpu = CpuSetup {
        table,
        disabled,
        capacity: 1024,
        costs: StateCosts::default(),
    };
    Setup {
        cpus: vec![cpu; scenario.first_busy_ns.len()],
        governor: "shallowest".parse().unwrap(),
        tick: tick::Config {
            hz: Hz::new(scenario.hz).unwrap(),
            nohz: Nohz::Active,
            skew: if scenario.skew_tick {
                Skew::Spread
            } else {
                Skew::Aligned
            },
            phase: Ns::ZERO,
            max_deferment: scenario.max_deferment_ns.map_or(Ns::MAX, Ns::new),
            rate_limit: era.rate_limit,
            rules: tick::catalog::find(era.rules).unwrap().rules,
        },
        poll_limit: era.poll_limit,
        latency_req: NO_LATENCY_LIMIT,
        exit_latency_percent: match scenario.wake_latency.as_str() {
            "none" => 0,
            "exit" => 100,
            other => panic!("unknown wake_latency {other}"),
        },
        machine: None,
        driver: if scenario.cpuidle_driver {
            Driver::Present
        } else {
            Driver::Absent
        },
        start: Time::from_ns(scenario.start),
        end: Time::from_ns(scenario.end),
    }
}

fn workload(scenario: &Scenario) -> Scripted {
    let cpus = scenario
        .first_busy_ns
        .iter()
        .zip(&scenario.device_irqs)
        .zip(&scenario.segment_timers)
        .zip(&scenario.script)
        .map(|(((first_busy, irqs), segments), script)| ScriptedCpu {
            first_busy: Ns::new(*first_busy),
            irqs: irqs
                .iter()
                .map(|(at, reschedules, run_ns)| ArmedTimer {
                    at: Time::from_ns(*at),
                    run: run_of(*reschedules, *run_ns),
                })
                .collect(),
            next_irq: 0,
            segments: segments.clone().into(),
            segment: 0,
            hrtimers: Vec::new(),
            wheel: Vec::new(),
            script: script.clone().into(),
            iteration: 0,
        });
    Scripted {
        hz: Hz::new(scenario.hz).unwrap(),
        cpus: cpus.collect(),
    }
}

/// Every row that the engine gives for the scenario, each with the steps that led to it.
fn rows(era: Era, scenario: &Scenario) -> Vec<(Value, Vec<Step>)> {
    let choosers: Vec<Script> = scenario
        .script
        .iter()
        .map(|script| Script {
            entries: script.clone().into(),
            asked: 0,
            reads: match era.units {
                Units::BeforeGovernor => Reads::Always,
                Units::Microseconds | Units::Nanoseconds => Reads::AsScripted,
            },
        })
        .collect();
    let mut engine = Engine::with_choosers(Arc::new(setup(scenario, era)), workload(scenario), choosers);
    let cpus = scenario.script.len();
    let mut rows = Rows {
        era,
        iterations: vec![0; cpus],
        script_lengths: scenario.script.iter().map(Vec::len).collect(),
        open: vec![Value::Null; cpus],
        causes: vec![Vec::new(); cpus],
    };
    let mut record = engine.record();
    let mut told = vec![Vec::new(); cpus];
    let mut complete = Vec::new();
    let mut cpu = 0;
    loop {
        let mut steps = Steps::<Step>::default();
        let progress = engine.run(1, &mut record, &mut steps);
        for step in steps.0 {
            if let Step::Loop(
                LoopStep::Began {
                    inputs: Inputs { cpu: at, .. },
                    ..
                }
                | LoopStep::Handled { cpu: at, .. }
                | LoopStep::Ended { cpu: at, .. },
            ) = step
            {
                cpu = at.index();
            }
            told[cpu].push(step);
            if let Step::Loop(step) = step
                && let Some(row) = rows.take(cpu, engine.now(), &step)
            {
                complete.push((row, std::mem::take(&mut told[cpu])));
            }
        }
        if progress == Progress::Done {
            return complete;
        }
    }
}

fn replay(era: Era, file: &File) -> Result<usize, Difference> {
    let Header { scenario } = file.header();
    let mut found = rows(era, &scenario).into_iter();
    let mut lines = 0;
    for (number, expected) in file.rows::<Value>() {
        let (row, steps) = found
            .next()
            .ok_or_else(|| missing(number, "row", &expected, &Value::Null))?;
        compare(number, &expected, &row).map_err(|difference| Difference {
            steps: steps.iter().map(|step| format!("{step:?}")).collect(),
            ..difference
        })?;
        lines += 1;
    }
    match found.next() {
        Some((row, _)) if lines != CUT_AT => Err(missing(lines + 2, "row", &Value::Null, &row)),
        _ => Ok(lines),
    }
}

/// Rows of a file that was cut for the committed subset: 400 lines with the header.
const CUT_AT: usize = 399;

fn missing(line: usize, field: &str, expected: &Value, found: &Value) -> Difference {
    Difference {
        line,
        field: field.to_owned(),
        expected: expected.to_string(),
        found: found.to_string(),
        steps: Vec::new(),
    }
}

fn compare(line: usize, expected: &Value, found: &Value) -> Result<(), Difference> {
    let keys = |value: &Value| -> Vec<String> {
        value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key.clone())
            .collect()
    };
    Difference::check(line, "keys", &keys(expected), &keys(found))?;
    for key in keys(expected) {
        Difference::check_object(line, &key, &expected[&key], &found[&key])?;
    }
    Ok(())
}

pub fn claims() -> Vec<Claim> {
    ERAS.map(|(version, era)| Claim {
        folder: format!("idle-loop/{version}"),
        by: "sim, tick".to_owned(),
        replay: Box::new(move |file| replay(era, file)),
    })
    .into()
}
