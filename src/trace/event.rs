//! Typed trace events: what the readers produce and the replay consumes.
//!
//! Only events that something uses become an [`Event`]; all others are counted
//! by name in the import report. Events are sorted stably by time: file order
//! decides between equal stamps.

use crate::units::{CpuId, StateIdx, Time};

/// A timer's address, interned: the same address is the same number within one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimerId(pub u32);

/// A text that occurs in events (function, interrupt name), interned per trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u16);

/// One event line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The stamp, ns on the trace's own clock.
    pub time: Time,
    /// The task that ran; 0 is the idle task, -1 when the format does not say.
    pub pid: i32,
    /// The CPU that recorded it.
    pub cpu: CpuId,
    /// What happened.
    pub kind: Kind,
}

/// The interrupt vectors that x86 traces instead of `irq_handler_entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vector {
    /// The CPU's own timer.
    LocalTimer,
    /// Asks a CPU to look at its run queue.
    Reschedule,
    /// Runs a function on another CPU.
    CallFunction,
    /// Anything else of `irq_vectors`.
    Other,
}

/// The softirqs that the replay looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Softirq {
    /// Expired wheel timers.
    Timer,
    /// Load balancing.
    Sched,
    /// RCU callbacks.
    Rcu,
    /// Any other.
    Other,
}

/// Which side of the kernel's miss rule a `cpu_idle_miss` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Miss {
    /// Too deep.
    Above,
    /// Too shallow.
    Below,
}

/// What happened. Times inside events are on CLOCK_MONOTONIC, not on the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `cpu_idle` with a state index: that CPU goes to sleep.
    IdleEnter {
        /// The CPU named in the event.
        cpu: CpuId,
        /// The state asked for.
        state: StateIdx,
    },
    /// `cpu_idle` with -1: that CPU left its state.
    IdleExit {
        /// The CPU named in the event.
        cpu: CpuId,
    },
    /// `cpu_idle_miss`.
    IdleMiss {
        /// The CPU named in the event.
        cpu: CpuId,
        /// The state entered.
        state: StateIdx,
        /// Which way.
        miss: Miss,
    },
    /// `tick_stop`; `success` is false when a dependency forbade it.
    TickStop {
        /// Whether the tick was stopped.
        success: bool,
    },
    /// `hrtimer_init` or `hrtimer_setup`.
    HrtimerInit {
        /// Which.
        timer: TimerId,
        /// On CLOCK_REALTIME and absolute: its expiry is not on the monotonic clock.
        wall_clock: bool,
    },
    /// `hrtimer_start`.
    HrtimerStart {
        /// Which.
        timer: TimerId,
        /// Its function, when the format names it.
        function: Option<NameId>,
        /// Expiry, ns.
        expires_ns: i64,
    },
    /// `hrtimer_cancel`.
    HrtimerCancel {
        /// Which.
        timer: TimerId,
    },
    /// `hrtimer_expire_entry`.
    HrtimerExpireEntry {
        /// Which.
        timer: TimerId,
        /// Its function, when the format names it.
        function: Option<NameId>,
        /// The clock that the kernel compared with, ns.
        now_ns: i64,
    },
    /// `hrtimer_expire_exit`.
    HrtimerExpireExit {
        /// Which.
        timer: TimerId,
    },
    /// `timer_start` (timer wheel).
    TimerStart {
        /// Which.
        timer: TimerId,
        /// The CPU whose wheel it is on; the recording CPU when the event does not say.
        on: CpuId,
        /// Expiry, jiffies.
        expires_jiffies: u64,
        /// Expiry minus the jiffies at arming, when printed.
        timeout_jiffies: Option<i64>,
        /// The instant at which its bucket is due, jiffies: printed, or from `idx`.
        bucket_jiffies: Option<u64>,
        /// Does not wake an idle CPU. Taken from numeric flags where there are any.
        deferrable: bool,
    },
    /// `timer_cancel`.
    TimerCancel {
        /// Which.
        timer: TimerId,
    },
    /// `timer_expire_entry`.
    TimerExpireEntry {
        /// Which.
        timer: TimerId,
        /// Jiffies at expiry.
        now_jiffies: u64,
        /// The bucket that was due, jiffies, when printed (`baseclk`).
        bucket_jiffies: Option<u64>,
    },
    /// `irq_handler_entry`.
    IrqEntry {
        /// Interrupt number.
        irq: u32,
        /// Name of the handler.
        name: Option<NameId>,
    },
    /// `irq_handler_exit`.
    IrqExit {
        /// Interrupt number.
        irq: u32,
    },
    /// Entry of one of `irq_vectors`.
    VectorEntry {
        /// Which.
        vector: Vector,
    },
    /// Exit of one of `irq_vectors`.
    VectorExit {
        /// Which.
        vector: Vector,
    },
    /// `ipi_raise`, `ipi_send_cpu`, `ipi_send_cpumask`: the low 64 CPUs it is sent to.
    IpiRaise {
        /// Bit *n* for CPU *n*.
        targets: u64,
    },
    /// `ipi_entry`.
    IpiEntry,
    /// `ipi_exit`.
    IpiExit,
    /// `softirq_raise`.
    SoftirqRaise {
        /// Which.
        vec: Softirq,
    },
    /// `softirq_entry`.
    SoftirqEntry {
        /// Which.
        vec: Softirq,
    },
    /// `softirq_exit`.
    SoftirqExit {
        /// Which.
        vec: Softirq,
    },
    /// `sched_switch`.
    SchedSwitch {
        /// Leaves the CPU.
        prev_pid: i32,
        /// Runs next.
        next_pid: i32,
    },
    /// `sched_wakeup`.
    SchedWakeup {
        /// Who.
        pid: i32,
        /// Where it will run.
        target: CpuId,
    },
    /// Events of this CPU were lost here; stamped like the next event read.
    Lost {
        /// How many, when the marker says.
        events: Option<u64>,
    },
}
