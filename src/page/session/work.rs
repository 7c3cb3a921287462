//! The workloads that a question can name: what is loaded, and what the engine runs.

use std::rc::Rc;

use super::plan::Needs;
use super::rig::Rig;
use super::traced::{Rebuilt, Traced};
use crate::page::generated::{Generated, Param, Pattern};
use crate::page::recording;
use crate::sim::{CpuEvent, Effects, Environment, Timers, Workload};
use crate::tick;
use crate::trace::Trace;
use crate::units::{CpuId, Ns, Time};
use crate::workload::replay::ReplayWorkload;
use crate::workload::scenario::{Bell, Doorbell, Metronome, Pauses};

/// The machine of generated workloads when the question names none: that of the lessons.
const SCENARIO_MACHINE: &str = "snb";

/// What the engine runs: one type for every kind of workload.
#[derive(Clone, Debug)]
pub enum Work {
    /// A trace.
    Replay(ReplayWorkload),
    /// A generated workload.
    Scenario(Pauses),
}

impl Workload for Work {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        match self {
            Self::Replay(work) => work.first_busy(cpu),
            Self::Scenario(work) => work.first_busy(cpu),
        }
    }

    fn peek(&self) -> Time {
        match self {
            Self::Replay(work) => work.peek(),
            Self::Scenario(work) => work.peek(),
        }
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        match self {
            Self::Replay(work) => work.advance(now, out),
            Self::Scenario(work) => work.advance(now, out),
        }
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, out: &mut Effects) {
        match self {
            Self::Replay(work) => work.on_cpu(now, cpu, what, out),
            Self::Scenario(work) => work.on_cpu(now, cpu, what, out),
        }
    }

    fn timers(&self, now: Time, cpu: CpuId) -> Timers {
        match self {
            Self::Replay(work) => work.timers(now, cpu),
            Self::Scenario(work) => work.timers(now, cpu),
        }
    }

    fn environment(&mut self, now: Time, cpu: CpuId) -> Environment {
        match self {
            Self::Replay(work) => work.environment(now, cpu),
            Self::Scenario(work) => work.environment(now, cpu),
        }
    }

    fn wakeup(&self, now: Time, cpu: CpuId) -> Option<Time> {
        match self {
            Self::Replay(work) => work.wakeup(now, cpu),
            Self::Scenario(work) => work.wakeup(now, cpu),
        }
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
            Self::Generated(_) => Needs {
                cpus: 1,
                machine: Some(SCENARIO_MACHINE),
                ..Needs::default()
            },
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
    pub(super) fn work(&self, cpus: usize) -> Option<Work> {
        match self {
            Self::Trace(_, rebuilt) => Some(Work::Replay(rebuilt.as_ref()?.workload.clone())),
            Self::Generated(generated) => scenario(generated, cpus).map(Work::Scenario),
            Self::Nothing => None,
        }
    }
}

/// A generated workload; its parameters were checked when they were set.
fn scenario(generated: &Generated, cpus: usize) -> Option<Pauses> {
    let cpus = u16::try_from(cpus).ok()?;
    let seed = generated.get(Param::Seed).unwrap_or(1).unsigned_abs();
    let (gap, run) = (generated.time(Param::Gap), generated.time(Param::Run));
    let switch = |param| generated.get(param) == Some(1);
    match generated.pattern() {
        Pattern::Metronome => {
            let jitter = generated.time(Param::Jitter);
            Metronome { gap, run, jitter }.workload(cpus, seed).ok()
        }
        Pattern::Doorbell => Doorbell {
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
        .ok(),
    }
}
