//! What the engine needs to know of a workload, and what a workload may do to CPUs.
//!
//! A workload owns everything exogenous: interrupts, the timers that tasks and
//! drivers arm, and the run time of the work that a wakeup brings. The engine
//! owns the clock, the idle loop and the tick. A trace and a generator look
//! the same from here (style.md §4).
//!
//! ```text
//!   workload.peek() --> advance(): interrupts ----> CPU leaves its state, exit latency, handlers
//!   tick handler ----> on_cpu(Tick): wheel timers that are due expire inside that interrupt
//!   work done -------> on_cpu(Idle { ran: true, .. }):  arm timers, plan the next wakeup
//!   handler only ----> on_cpu(Idle { ran: false, .. }): found idle again
//! ```
//!
//! Invariants: effects happen at the instant of the call that reports them; anything later stays
//! with the workload, behind [`Workload::peek`]. The engine never looks ahead, except for the
//! `ideal` baseline through [`Workload::wakeup`].

use super::Cause;
use crate::tick::Keep;
use crate::units::{CpuId, Ns, Time};

/// How well the pending timers are known (spec replay-inputs.md §4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Knowledge {
    /// As the kernel knew them.
    Exact,
    /// Guessed from what happened.
    Inferred,
    /// Not known.
    #[default]
    Unknown,
}

/// The pending timers of one CPU, the tick not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers {
    /// Earliest high-resolution timer; [`Time::NEVER`] when there is none. When it is due the
    /// workload delivers it as an interrupt with [`Cause::Timer`].
    pub hrtimer: Time,
    /// The instant of the jiffy of the earliest timer-wheel bucket in use; [`Time::NEVER`] when the
    /// wheel is empty. It expires in the first tick handler that sees this jiffy.
    pub wheel: Time,
    /// Where these two come from.
    pub known: Knowledge,
}

impl Timers {
    /// No timer at all, and that for certain.
    pub const NONE: Self = Self {
        hrtimer: Time::NEVER,
        wheel: Time::NEVER,
        known: Knowledge::Exact,
    };
}

/// What entering a state does in this iteration; anything but `Works` is for scripted tests and
/// for machines whose driver refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Entry {
    /// The state is entered.
    #[default]
    Works,
    /// The driver returns an error at once.
    Fails,
    /// The broadcast timer cannot be armed: a timer-stop state is replaced (spec
    /// idle-loop-and-tick.md §2.2).
    NoBroadcast,
}

/// The rest of the kernel around one idle iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// What keeps the tick, if anything.
    pub keep: Keep,
    /// Tasks of this CPU that wait for I/O.
    pub nr_iowait: u32,
    /// The run queue's load, 2048 for one task of usual weight; read by menu up to 4.19.
    pub load: u64,
    /// The scheduler's effective utilisation of this CPU, 0 to its capacity (1024 at most); `None` lets the
    /// engine estimate it from the simulated busy time.
    pub utilization: Option<u64>,
    /// What the attempt to enter a state will give.
    pub entry: Entry,
}

/// An interrupt at one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Where.
    pub cpu: CpuId,
    /// What raised it: a timer, a device, another CPU, or not known. Never the tick or the polling
    /// limit, which are the engine's own.
    pub cause: Cause,
    /// The device's line, for predicting its next interrupt; 0 where there is none or it is not known.
    pub line: u16,
    /// The run time of the task that it wakes, ns (at 1 GHz on a machine with a clock), not negative; `None` when
    /// only the handler runs and the CPU stays idle. Work of several wakeups adds up.
    pub run: Option<Ns>,
}

/// What a workload wants to happen now, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    interrupts: Vec<Interrupt>,
}

impl Effects {
    /// Raises an interrupt now.
    pub fn interrupt(&mut self, interrupt: Interrupt) {
        self.interrupts.push(interrupt);
    }

    /// Takes out what was asked for, in order, leaving nothing.
    pub fn drain(&mut self) -> impl Iterator<Item = Interrupt> + '_ {
        self.interrupts.drain(..)
    }

    /// Takes out what was asked for at `cpu`, in order, and leaves the rest.
    pub(super) fn take_at(&mut self, cpu: CpuId) -> Vec<Interrupt> {
        if self.interrupts.is_empty() {
            return Vec::new();
        }
        let (here, elsewhere) = self.interrupts.drain(..).partition(|i| i.cpu == cpu);
        self.interrupts = elsewhere;
        here
    }

    /// Whether nothing was asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.interrupts.is_empty()
    }
}

/// What a CPU tells its workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuEvent {
    /// The tick handler runs: wheel timers whose bucket instant is not after `jiffy` expire now, and
    /// their interrupts (for this CPU with [`Cause::Timer`]) are part of this one.
    Tick {
        /// The instant of the last jiffies update; a multiple of the tick period, not after now.
        jiffy: Time,
    },
    /// The CPU has nothing to run.
    Idle {
        /// It has just finished its work; otherwise it was idle and an interrupt woke no task.
        ran: bool,
        /// The instant of the last jiffies update: from where wheel timers that are armed now count.
        jiffy: Time,
    },
}

/// What makes CPUs busy and wakes them.
///
/// A clone continues exactly as the original would: the engine is cloned for checkpoints, so large
/// immutable parts belong behind an `Arc`.
pub trait Workload: Clone {
    /// How long this CPU runs before it is idle for the first time, ns; [`Ns::MAX`] when it never
    /// is. The end of that is told as `Idle { ran: true }`.
    fn first_busy(&self, cpu: CpuId) -> Ns;

    /// When it will next do something by itself; [`Time::NEVER`] when it has nothing planned.
    fn peek(&self) -> Time;

    /// Does what is planned for `now`, which is the time that `peek` gave.
    fn advance(&mut self, now: Time, out: &mut Effects);

    /// A CPU ran a tick handler, or has nothing to run. Interrupts may be raised at any CPU.
    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, out: &mut Effects);

    /// A CPU is done with what it ran: what it runs next without going idle, ns of work at full speed (at 1 GHz on a
    /// machine with a clock). None lets it go idle. Asked only on a machine whose code takes time.
    fn next_work(&mut self, now: Time, cpu: CpuId, out: &mut Effects) -> Option<Ns> {
        let _ = (now, cpu, out);
        None
    }

    /// The timers that are pending on `cpu`. Has no effect.
    fn timers(&self, now: Time, cpu: CpuId) -> Timers;

    /// What surrounds the idle iteration that starts now: asked exactly once for each iteration, before
    /// the governor and before the timers.
    fn environment(&mut self, now: Time, cpu: CpuId) -> Environment;

    /// When the next interrupt that is planned now will reach `cpu`, as far as the future is known;
    /// read only for the `ideal` baseline. `None` when nothing is known, [`Time::NEVER`] when none is planned.
    fn wakeup(&self, now: Time, cpu: CpuId) -> Option<Time>;
}
