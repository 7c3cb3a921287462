//! One enum over everything that a decision can tell: governor, tick and the idle loop itself.

use super::workload::{Knowledge, Timers};
use super::{Cause, Flags};
use crate::cpuidle::{self, Decision};
use crate::probe::Probe;
use crate::tick;
use crate::units::{CpuId, Ns, StateIdx, Time};

/// One step of one idle iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Of the governor.
    Governor(cpuidle::Step),
    /// Of the tick.
    Tick(tick::Step),
    /// Of the idle loop.
    Loop(LoopStep),
}

/// What the idle loop does around governor and tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopStep {
    /// An iteration begins.
    Began {
        /// What is true then.
        inputs: Inputs,
        /// The tick and the timekeeping then.
        tick: TickView,
    },
    /// The governor has chosen.
    Chose {
        /// What.
        decision: Decision,
        /// The sleep length it was told, if it asked.
        lengths: Option<tick::Lengths>,
    },
    /// The tick is settled, the state is about to be entered.
    Entering {
        /// Which, after a replacement of one whose broadcast timer cannot be armed; none without a driver.
        state: Option<StateIdx>,
        /// The tick and the timekeeping then.
        tick: TickView,
    },
    /// A handler ran during the stay or at its end.
    Handled {
        /// Where.
        cpu: CpuId,
        /// What it was for.
        handler: Handler,
        /// Whether it woke a task.
        rescheduled: bool,
    },
    /// The iteration is over.
    Ended {
        /// Where.
        cpu: CpuId,
        /// When.
        exit: Time,
        /// What ended the stay.
        cause: Cause,
        /// Facts of the row.
        flags: Flags,
        /// The state entered; none without a driver.
        entered: Option<StateIdx>,
        /// As the kernel measured it, ns.
        residency: Ns,
        /// The tick and the timekeeping then.
        tick: TickView,
    },
    /// A task runs; the tick is on again.
    LeftIdle {
        /// For how long, as far as known now, ns.
        run: Ns,
        /// The tick and the timekeeping then.
        tick: TickView,
    },
}

/// What surrounds an iteration when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// The CPU.
    pub cpu: CpuId,
    /// The instant.
    pub now: Time,
    /// The strictest latency limit, ns.
    pub latency_req: Ns,
    /// Tasks that wait for I/O.
    pub nr_iowait: u32,
    /// Effective utilisation, 0 to capacity.
    pub utilization: u64,
    /// The pending timers.
    pub timers: Timers,
    /// What keeps the tick.
    pub keep: tick::Keep,
}

impl Inputs {
    /// How well the timers are known.
    #[must_use]
    pub const fn known(&self) -> Knowledge {
        self.timers.known
    }
}

/// The tick of one CPU and the machine's timekeeping at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickView {
    /// Whether it is stopped.
    pub stopped: bool,
    /// When its timer fires; [`Time::NEVER`] when it is not armed.
    pub expires: Time,
    /// What the timer hardware is programmed for; [`Time::NEVER`] for nothing.
    pub device_event: Time,
    /// What was programmed last while stopped.
    pub next_tick: Option<Time>,
    /// The last evaluation: until when the tick may be stopped.
    pub evaluation: Option<Time>,
    /// From where sleep length counts.
    pub entry_time: Time,
    /// Whether this CPU dropped the timekeeping duty last.
    pub dropped_duty_last: bool,
    /// Attempts to stop it.
    pub idle_calls: u64,
    /// Attempts that left it stopped.
    pub idle_sleeps: u64,
    /// The CPU's average idle time, which the rate limit of 2016 reads, ns.
    pub avg_idle: Ns,
    /// Jiffies.
    pub jiffies: u64,
    /// The CPU on timekeeping duty.
    pub duty: Option<CpuId>,
}

/// Which handler ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handler {
    /// The tick's.
    Tick,
    /// Of a wheel timer, inside the tick's.
    Wheel,
    /// Of anything else, by cause.
    Interrupt(Cause),
}

impl From<cpuidle::Step> for Step {
    fn from(step: cpuidle::Step) -> Self {
        Self::Governor(step)
    }
}

impl From<tick::Step> for Step {
    fn from(step: tick::Step) -> Self {
        Self::Tick(step)
    }
}

impl From<LoopStep> for Step {
    fn from(step: LoopStep) -> Self {
        Self::Loop(step)
    }
}

/// Who can listen to a run: [`crate::probe::Off`], or `Steps<sim::Step>`.
pub trait Listener: Probe<cpuidle::Step> + Probe<tick::Step> + Probe<LoopStep> {}

impl<P: Probe<cpuidle::Step> + Probe<tick::Step> + Probe<LoopStep>> Listener for P {}
