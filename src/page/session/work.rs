//! The workloads that a question can name: what is loaded, and what the engine runs.

use std::rc::Rc;

use super::closed::{Closed, Parameters};
use super::plan::Needs;
use super::rig::Rig;
use super::traced::{Rebuilt, Traced};
use crate::page::generated::{Generated, Param, Pattern};
use crate::page::recording;
use crate::sim::{CpuEvent, Effects, Environment, Timers, Workload};
use crate::tick;
use crate::trace::Trace;
use crate::units::{CpuId, Ns, Time};
use crate::workload::closed::loads::{self, PairOn, PairWork, PhoneRest};
use crate::workload::closed::{
    Bursts, ExchangeWorkload, PhoneLoad, PhoneWorkload, Placement, Server, ServerWorkload,
};
use crate::workload::replay::ReplayWorkload;
use crate::workload::scenario::{Bell, Burst, Doorbell, Knock, Metronome, Mixed, Pauses};

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
    Generated(Generated),
}

impl Source {
    pub(super) fn of_trace(trace: Trace) -> Self {
        Self::Trace(Box::new(Traced::new(trace)), None)
    }

    pub(super) fn is_generated(&self, other: &Generated) -> bool {
        matches!(self, Self::Generated(own) if own == other)
    }

    pub(super) fn traced(&self) -> Option<&Traced> {
        match self {
            Self::Trace(traced, _) => Some(traced),
            Self::Generated(_) | Self::Nothing => None,
        }
    }

    pub(super) fn needs(&self) -> Needs {
        match self {
            Self::Trace(traced, _) => traced.needs.clone(),
            Self::Generated(generated) => {
                let pattern = generated.pattern();
                Needs {
                    cpus: pattern.cpus(),
                    machine: Some(pattern.machine()),
                    closed: closed_loop(pattern),
                    ..Needs::default()
                }
            }
            Self::Nothing => Needs::default(),
        }
    }

    /// First and last instant, on the workload's own clock.
    pub(super) fn span(&self) -> Option<(Time, Time)> {
        match self {
            Self::Trace(traced, _) => Some(traced.trace.span()),
            Self::Generated(generated) => Some((
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
            Self::Generated(_) | Self::Nothing => None,
        }
    }

    /// The tick of the machine that recorded, or an ordinary one.
    pub(super) fn tick(&self) -> tick::Config {
        self.traced()
            .map_or_else(tick::Config::default, |traced| recording::tick(&traced.replay))
    }

    /// The workload for `cpus` CPUs; none when nothing is loaded, or a trace is not rebuilt.
    pub(super) fn work(&self, cpus: usize, machine: &str) -> Option<Work> {
        match self {
            Self::Trace(_, rebuilt) => Some(Work::Replay(rebuilt.as_ref()?.workload.clone())),
            Self::Generated(generated) => scenario(generated, cpus, machine),
            Self::Nothing => None,
        }
    }
}

const fn closed_loop(pattern: Pattern) -> Option<Closed> {
    match pattern {
        Pattern::Metronome | Pattern::Doorbell | Pattern::Mixed | Pattern::Burst | Pattern::Knock => None,
        Pattern::PipeTest | Pattern::Tbench | Pattern::Bursts => Some(Closed::Exchange),
        Pattern::Jetnews => Some(Closed::Phone(PhoneLoad::Light)),
        Pattern::Geekbench => Some(Closed::Phone(PhoneLoad::Heavy)),
        Pattern::Server => Some(Closed::Server),
    }
}

/// A generated workload; its parameters were checked when they were set.
fn scenario(generated: &Generated, cpus: usize, machine: &str) -> Option<Work> {
    let cpus = u16::try_from(cpus).ok()?;
    let seed = generated.get(Param::Seed).unwrap_or(1).unsigned_abs();
    let (gap, run) = (generated.time(Param::Gap), generated.time(Param::Run));
    let switch = |param| generated.get(param) == Some(1);
    let count = |param| generated.get(param).unwrap_or_default();
    let few = |param| u16::try_from(count(param)).unwrap_or(1);
    let rest = PhoneRest {
        timers: generated.time(Param::Timers),
        interrupts: generated.time(Param::Interrupts),
    };
    let pair = match Parameters::of(machine) {
        Parameters::Haswell => PairWork::HASWELL,
        Parameters::SandyBridge | Parameters::Pixel6 | Parameters::Generic => PairWork::SANDY_BRIDGE,
    };
    let placement = if switch(Param::Spread) {
        Placement::IdleCore
    } else {
        Placement::Stacked
    };
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
        Pattern::Burst => {
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
        Pattern::PipeTest => {
            let on = if switch(Param::Cross) {
                PairOn::TwoCores
            } else {
                PairOn::OneCore
            };
            let mut exchange = loads::pipe_test(pair, few(Param::Pairs), on);
            exchange.send += run;
            exchange.timers = generated.time(Param::Alarms);
            Work::Exchange(exchange.workload(seed))
        }
        Pattern::Tbench => Work::Exchange(loads::tbench(few(Param::HowMany), placement).workload(seed)),
        Pattern::Bursts => {
            let bursts = Bursts {
                tokens: u32::try_from(count(Param::Tokens)).unwrap_or(1),
                every: gap,
            };
            Work::Exchange(loads::bursts(pair, bursts).workload(seed))
        }
        Pattern::Jetnews => {
            let frames = u32::try_from(count(Param::Frames)).unwrap_or(90);
            Work::Phone(loads::phone_frames(frames, rest).workload(seed))
        }
        Pattern::Geekbench => Work::Phone(loads::phone_benchmark(rest).workload(seed)),
        Pattern::Server => {
            let server = Server {
                cpus,
                timers: generated.time(Param::Timers),
                long: gap,
                ..Server::default()
            };
            Work::Server(server.workload(seed))
        }
    };
    Some(work)
}
