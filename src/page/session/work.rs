//! The workloads that a question can name: what is loaded, and what the engine runs.

use std::rc::Rc;

use super::closed::{Closed, Parameters};
use super::plan::Needs;
use super::rig::Rig;
use super::traced::{Rebuilt, Traced};
use crate::page::costs::{Cost, Costs, What};
use crate::page::generated::{Generated, Param, Pattern};
use crate::page::recording;
use crate::sim::{CpuEvent, Effects, Environment, Timers, Workload};
use crate::tick;
use crate::trace::Trace;
use crate::units::{CpuId, Ns, Time};
use crate::workload::closed::loads::{self, PairOn, PairWork, PhoneRest};
use crate::workload::closed::{
    Bursts, Dispatch, Exchange, ExchangeWorkload, PhoneLoad, PhoneWorkload, Placement, Queue, QueueWorkload,
    Server, ServerWorkload,
};
use crate::workload::replay::ReplayWorkload;
use crate::workload::scenario::{Beats, Bell, Burst, Doorbell, Knock, Metronome, Mixed, Pauses};
use crate::workload::sources::loads::{self as sources, Quiet, SweepBy};
use crate::workload::sources::{Phases, SourcesWorkload};

/// What the engine runs: one type for every kind of workload.
#[derive(Clone, Debug)]
pub enum Work {
    /// A trace.
    Replay(ReplayWorkload),
    /// A generated workload.
    Scenario(Pauses),
    /// Tasks that pass tokens.
    Exchange(ExchangeWorkload),
    /// A phone.
    Phone(PhoneWorkload),
    /// A busy server.
    Server(ServerWorkload),
    /// Requests that queue.
    Queue(QueueWorkload),
    /// Sources that do not depend on one another.
    Sources(SourcesWorkload),
}

/// The same call for whatever it is.
macro_rules! whichever {
    ($work:expr, $own:ident => $call:expr) => {
        match $work {
            Self::Replay($own) => $call,
            Self::Scenario($own) => $call,
            Self::Exchange($own) => $call,
            Self::Phone($own) => $call,
            Self::Server($own) => $call,
            Self::Queue($own) => $call,
            Self::Sources($own) => $call,
        }
    };
}

impl Workload for Work {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        whichever!(self, work => work.first_busy(cpu))
    }

    fn peek(&self) -> Time {
        whichever!(self, work => work.peek())
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        whichever!(self, work => work.advance(now, out))
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, out: &mut Effects) {
        whichever!(self, work => work.on_cpu(now, cpu, what, out))
    }

    fn next_work(&mut self, now: Time, cpu: CpuId, out: &mut Effects) -> Option<Ns> {
        whichever!(self, work => work.next_work(now, cpu, out))
    }

    fn timers(&self, now: Time, cpu: CpuId) -> Timers {
        whichever!(self, work => work.timers(now, cpu))
    }

    fn environment(&mut self, now: Time, cpu: CpuId) -> Environment {
        whichever!(self, work => work.environment(now, cpu))
    }

    fn wakeup(&self, now: Time, cpu: CpuId) -> Option<Time> {
        whichever!(self, work => work.wakeup(now, cpu))
    }
}

/// What is loaded.
#[derive(Debug, Default)]
pub(super) enum Source {
    #[default]
    Nothing,
    Trace(Box<Traced>, Option<Rc<Rebuilt>>),
    /// With the costs that its tasks pay.
    Generated(Generated, Costs),
}

impl Source {
    pub(super) fn of_trace(trace: Trace) -> Self {
        Self::Trace(Box::new(Traced::new(trace)), None)
    }

    pub(super) fn is_generated(&self, other: &Generated, costs: &Costs) -> bool {
        matches!(self, Self::Generated(own, paid) if own == other && of_tasks(paid) == of_tasks(costs))
    }

    pub(super) fn traced(&self) -> Option<&Traced> {
        match self {
            Self::Trace(traced, _) => Some(traced),
            Self::Generated(..) | Self::Nothing => None,
        }
    }

    pub(super) fn needs(&self) -> Needs {
        match self {
            Self::Trace(traced, _) => traced.needs.clone(),
            Self::Generated(generated, _) => {
                let pattern = generated.pattern();
                Needs {
                    cpus: generated.cpus(),
                    machine: Some(pattern.machine()),
                    closed: closed_loop(pattern),
                    ..Needs::default()
                }
            }
            Self::Nothing => Needs::default(),
        }
    }

    /// The seed of a generated workload.
    pub(super) fn seed(&self) -> Option<u64> {
        match self {
            Self::Generated(generated, _) => Some(seed(generated)),
            Self::Trace(..) | Self::Nothing => None,
        }
    }

    /// First and last instant, on the workload's own clock.
    pub(super) fn span(&self) -> Option<(Time, Time)> {
        match self {
            Self::Trace(traced, _) => Some(traced.trace.span()),
            Self::Generated(generated, _) => Some((
                Time::ZERO,
                Time::ZERO.saturating_add(generated.time(Param::Duration)),
            )),
            Self::Nothing => None,
        }
    }

    /// Rebuilds a trace on the machine of `rig`, unless that is done already.
    pub(super) fn rebuild(&mut self, rig: Option<&Rig>) {
        if let Self::Trace(traced, rebuilt) = self
            && rebuilt.as_ref().is_none_or(|rebuilt| !rebuilt.fits(rig))
        {
            *rebuilt = Some(Rc::new(Rebuilt::new(traced, rig)));
        }
    }

    /// What was rebuilt last; none without a trace.
    pub(super) fn rebuilt(&self) -> Option<&Rc<Rebuilt>> {
        match self {
            Self::Trace(_, rebuilt) => rebuilt.as_ref(),
            Self::Generated(..) | Self::Nothing => None,
        }
    }

    /// The tick of the machine that recorded, or an ordinary one.
    pub(super) fn tick(&self) -> tick::Config {
        self.traced()
            .map_or_else(tick::Config::default, |traced| recording::tick(&traced.replay))
    }

    /// The workload for `cpus` CPUs; none when nothing is loaded, or a trace is not rebuilt.
    pub(super) fn work(&self, cpus: usize, parameters: Parameters) -> Option<Work> {
        match self {
            Self::Trace(_, rebuilt) => Some(Work::Replay(rebuilt.as_ref()?.workload.clone())),
            Self::Generated(generated, costs) => scenario(generated, cpus, parameters, costs),
            Self::Nothing => None,
        }
    }
}

fn closed_loop(pattern: Pattern) -> Option<Closed> {
    match pattern {
        _ if !pattern.is_closed_loop() => None,
        Pattern::PipeTest | Pattern::Ring | Pattern::Tbench | Pattern::Bursts => Some(Closed::Exchange),
        Pattern::Geekbench => Some(Closed::Phone(PhoneLoad::Heavy)),
        Pattern::Jetnews | Pattern::Video | Pattern::IdlePhone => Some(Closed::Phone(PhoneLoad::Light)),
        _ => Some(Closed::Other),
    }
}

/// A generated workload; its parameters were checked when they were set.
fn scenario(generated: &Generated, cpus: usize, parameters: Parameters, costs: &Costs) -> Option<Work> {
    let cpus = u16::try_from(cpus).ok()?;
    match closed_loop(generated.pattern()) {
        None => open(generated, cpus),
        Some(Closed::Exchange) => {
            let mut exchange = tokens(generated, parameters)?;
            let extra = extra_work(generated);
            exchange.send += extra;
            costs.apply_to_tasks(&mut exchange, extra);
            Some(Work::Exchange(exchange.workload(seed(generated))))
        }
        Some(_) => answering(generated, cpus, parameters),
    }
}

fn seed(generated: &Generated) -> u64 {
    generated.get(Param::Seed).unwrap_or(1).unsigned_abs()
}

/// One that comes as it comes.
fn open(generated: &Generated, cpus: u16) -> Option<Work> {
    let seed = seed(generated);
    let (gap, run) = (generated.time(Param::Gap), generated.time(Param::Run));
    let switch = |param| generated.get(param) == Some(1);
    let count = |param| generated.get(param).unwrap_or_default();
    let work = match generated.pattern() {
        Pattern::Metronome => {
            let jitter = generated.time(Param::Jitter);
            Work::Scenario(Metronome { gap, run, jitter }.workload(cpus, seed).ok()?)
        }
        Pattern::Doorbell => Work::Scenario(
            Doorbell {
                gap,
                bell: if switch(Param::Fixed) {
                    Bell::Regular
                } else {
                    Bell::Random
                },
                run,
                timer_grid: generated.time(Param::TimerGrid),
                wakes_task: switch(Param::WakesTask),
                first: generated.time(Param::First),
            }
            .workload(cpus, seed)
            .ok()?,
        ),
        Pattern::Mixed => {
            let mixed = Mixed {
                interrupts_percent: u8::try_from(count(Param::Percent)).unwrap_or(100),
                gap,
                timer: generated.time(Param::OwnTimer),
                run,
            };
            Work::Scenario(mixed.workload(cpus, seed).ok()?)
        }
        Pattern::Burst | Pattern::Nightmare => {
            let burst = Burst {
                count: count(Param::HowMany).unsigned_abs(),
                gap,
                silence: generated.time(Param::Silence),
                run,
                timer_grid: generated.time(Param::TimerGrid),
            };
            Work::Scenario(burst.workload(cpus, seed).ok()?)
        }
        Pattern::Knock => {
            let knock = Knock {
                count: count(Param::HowMany).unsigned_abs(),
                gap,
                quiet: generated.time(Param::Quiet),
                run,
            };
            Work::Scenario(knock.workload(cpus, seed).ok()?)
        }
        Pattern::Beats => {
            let beats = Beats {
                beats: generated.beats()?.played(),
                run,
                far: generated.time(Param::TimerGrid),
            };
            Work::Scenario(beats.workload(cpus, seed).ok()?)
        }
        Pattern::Phases => {
            let phases = Phases {
                active: generated.time(Param::Active),
                quiet: generated.time(Param::Quiet),
            };
            let all = sources::phases(phases, gap, generated.time(Param::TimerGrid));
            Work::Sources(SourcesWorkload::new(all, cpus, seed))
        }
        Pattern::Sweep => {
            let by = if switch(Param::ByPipe) {
                SweepBy::Pipe
            } else {
                SweepBy::Timer
            };
            let range = (Param::From, Param::Step, Param::To);
            let range = (
                generated.time(range.0),
                generated.time(range.1),
                generated.time(range.2).max(generated.time(range.0)),
            );
            let all = sources::sweep(by, range, generated.time(Param::Hold), run);
            Work::Sources(SourcesWorkload::new(all, cpus, seed))
        }
        _ => return None,
    };
    Some(work)
}

/// What a task costs of its own, by which tasks that pass tokens differ.
fn of_tasks(costs: &Costs) -> [Option<u64>; 2] {
    [What::Send, What::Tail].map(|what| costs.get(Cost::of(what)))
}

/// Work that the workload adds before each wakeup, cycles as ns at 1 GHz.
fn extra_work(generated: &Generated) -> Ns {
    match generated.pattern() {
        Pattern::Tbench | Pattern::Bursts => Ns::ZERO,
        _ => generated.time(Param::Run),
    }
}

/// Tasks that pass tokens, without the work that the workload adds; none for other workloads.
pub(in crate::page) fn tokens(generated: &Generated, parameters: Parameters) -> Option<Exchange> {
    if closed_loop(generated.pattern()) != Some(Closed::Exchange) {
        return None;
    }
    let gap = generated.time(Param::Gap);
    let switch = |param| generated.get(param) == Some(1);
    let count = |param| generated.get(param).unwrap_or_default();
    let few = |param| u16::try_from(count(param)).unwrap_or(1);
    let pair = match parameters {
        Parameters::Haswell => PairWork::HASWELL,
        Parameters::SandyBridge | Parameters::Pixel6 | Parameters::Generic => PairWork::SANDY_BRIDGE,
    };
    let exchange = match generated.pattern() {
        Pattern::Tbench => {
            let placement = if switch(Param::Spread) {
                Placement::IdleCore
            } else {
                Placement::Stacked
            };
            loads::tbench(few(Param::HowMany), placement)
        }
        Pattern::Bursts => {
            let bursts = Bursts {
                tokens: u32::try_from(count(Param::Tokens)).unwrap_or(1),
                every: gap,
            };
            loads::bursts(pair, bursts)
        }
        other => {
            let on = if switch(Param::Cross) {
                PairOn::TwoCores
            } else {
                PairOn::OneCore
            };
            let mut exchange = if other == Pattern::Ring {
                loads::token_ring(pair, few(Param::HowMany))
            } else {
                loads::pipe_test(pair, few(Param::Pairs), on)
            };
            exchange.timers = generated.time(Param::Alarms);
            exchange
        }
    };
    Some(exchange)
}

/// One on a machine that takes time: a phone, a server, devices.
fn answering(generated: &Generated, cpus: u16, parameters: Parameters) -> Option<Work> {
    let seed = seed(generated);
    let (gap, run) = (generated.time(Param::Gap), generated.time(Param::Run));
    let count = |param| generated.get(param).unwrap_or_default();
    let quiet = Quiet {
        timers: generated.time(Param::Timers),
        interrupts: generated.time(Param::Interrupts),
    };
    let rest = PhoneRest {
        timers: quiet.timers,
        interrupts: quiet.interrupts,
    };
    let few = |param| u32::try_from(count(param)).unwrap_or(1);
    let (device, rate) = (generated.time(Param::Device), count(Param::Rate));
    let all = match generated.pattern() {
        Pattern::Jetnews => {
            let frames = u32::try_from(count(Param::Frames)).unwrap_or(90);
            return Some(Work::Phone(loads::phone_frames(frames, rest).workload(seed)));
        }
        Pattern::Geekbench => return Some(Work::Phone(loads::phone_benchmark(rest).workload(seed))),
        Pattern::Server => {
            let server = Server {
                cpus,
                timers: quiet.timers,
                long: gap,
                ..Server::default()
            };
            return Some(Work::Server(server.workload(seed)));
        }
        Pattern::Queue => {
            let queue = Queue {
                cpus,
                every: generated.time(Param::Every),
                service: run,
                dispatch: if generated.get(Param::InTurn) == Some(1) {
                    Dispatch::InTurn
                } else {
                    Dispatch::Packed
                },
            };
            return Some(Work::Queue(queue.workload(seed)));
        }
        Pattern::Desktop => sources::idle_desktop(quiet, cpus),
        Pattern::IdlePhone => sources::idle_phone(quiet),
        Pattern::Video => sources::video(count(Param::Frames), quiet),
        Pattern::Threads => sources::threads(few(Param::HowMany), rate, run, cpus),
        Pattern::LoadSweep => {
            let khz = parameters.clock().max_khz;
            sources::load_sweep(rate, generated.time(Param::Duration), khz)
        }
        Pattern::Storage => sources::storage(device, run),
        Pattern::Delayed => sources::delayed(device, (few(Param::Followers), gap), run),
        _ => return None,
    };
    Some(Work::Sources(SourcesWorkload::new(all, cpus, seed)))
}
