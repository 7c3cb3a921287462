//! Which events the readers know, by name, and what each is used for.

use super::dump;
use super::event::{Softirq, Vector};

/// An event whose arguments are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    CpuIdle,
    CpuIdleMiss,
    TickStop,
    HrtimerInit,
    HrtimerStart,
    HrtimerCancel,
    HrtimerExpireEntry,
    HrtimerExpireExit,
    TimerStart,
    TimerCancel,
    TimerExpireEntry,
    IrqEntry,
    IrqExit,
    VectorEntry(Vector),
    VectorExit(Vector),
    IpiRaise,
    IpiSendCpu,
    IpiSendCpumask,
    IpiEntry,
    IpiExit,
    SoftirqRaise,
    SoftirqEntry,
    SoftirqExit,
    SchedSwitch,
    SchedWakeup,
    /// `teo_…`, `menu_…`: a governor's function, of which `trace_printk` makes an event.
    Dump,
    /// `bprint` and the like: of a governor when its function's name stands in front.
    Printk,
}

/// By the event's name without its system.
pub(super) fn known(name: &[u8]) -> Option<Known> {
    Some(match name {
        b"cpu_idle" => Known::CpuIdle,
        b"cpu_idle_miss" => Known::CpuIdleMiss,
        b"tick_stop" => Known::TickStop,
        b"hrtimer_init" | b"hrtimer_setup" => Known::HrtimerInit,
        b"hrtimer_start" => Known::HrtimerStart,
        b"hrtimer_cancel" => Known::HrtimerCancel,
        b"hrtimer_expire_entry" => Known::HrtimerExpireEntry,
        b"hrtimer_expire_exit" => Known::HrtimerExpireExit,
        b"timer_start" => Known::TimerStart,
        b"timer_cancel" => Known::TimerCancel,
        b"timer_expire_entry" => Known::TimerExpireEntry,
        b"irq_handler_entry" => Known::IrqEntry,
        b"irq_handler_exit" => Known::IrqExit,
        b"local_timer_entry" => Known::VectorEntry(Vector::LocalTimer),
        b"local_timer_exit" => Known::VectorExit(Vector::LocalTimer),
        b"reschedule_entry" => Known::VectorEntry(Vector::Reschedule),
        b"reschedule_exit" => Known::VectorExit(Vector::Reschedule),
        b"call_function_entry" | b"call_function_single_entry" => Known::VectorEntry(Vector::CallFunction),
        b"call_function_exit" | b"call_function_single_exit" => Known::VectorExit(Vector::CallFunction),
        b"irq_work_entry"
        | b"x86_platform_ipi_entry"
        | b"error_apic_entry"
        | b"spurious_apic_entry"
        | b"threshold_apic_entry"
        | b"deferred_error_apic_entry"
        | b"thermal_apic_entry" => Known::VectorEntry(Vector::Other),
        b"irq_work_exit"
        | b"x86_platform_ipi_exit"
        | b"error_apic_exit"
        | b"spurious_apic_exit"
        | b"threshold_apic_exit"
        | b"deferred_error_apic_exit"
        | b"thermal_apic_exit" => Known::VectorExit(Vector::Other),
        b"ipi_raise" => Known::IpiRaise,
        b"ipi_send_cpu" => Known::IpiSendCpu,
        b"ipi_send_cpumask" => Known::IpiSendCpumask,
        b"ipi_entry" => Known::IpiEntry,
        b"ipi_exit" => Known::IpiExit,
        b"softirq_raise" => Known::SoftirqRaise,
        b"softirq_entry" => Known::SoftirqEntry,
        b"softirq_exit" => Known::SoftirqExit,
        b"sched_switch" => Known::SchedSwitch,
        b"sched_wakeup" | b"sched_wakeup_new" => Known::SchedWakeup,
        b"print" | b"bprint" | b"bputs" => Known::Printk,
        _ if dump::family(name).is_some() => Known::Dump,
        _ => return None,
    })
}

impl Known {
    /// What the replay and the page take from it.
    pub(super) const fn used_for(self) -> &'static str {
        match self {
            Self::CpuIdle => "state entered, wakeup",
            Self::CpuIdleMiss => "check of misses",
            Self::TickStop => "tick state",
            Self::HrtimerInit => "clock of a timer",
            Self::HrtimerStart | Self::HrtimerCancel | Self::TimerStart | Self::TimerCancel => "next timer",
            Self::HrtimerExpireEntry => "wakeup cause, tick, clock offset",
            Self::HrtimerExpireExit => "wakeup cause",
            Self::TimerExpireEntry => "wakeup cause, jiffies",
            Self::IrqEntry | Self::VectorEntry(_) => "wakeup cause",
            Self::IrqExit | Self::VectorExit(_) => "entry time",
            Self::IpiRaise | Self::IpiSendCpu | Self::IpiSendCpumask => "wakeup cause, waking CPU",
            Self::IpiEntry => "wakeup cause",
            Self::IpiExit => "entry time",
            Self::SoftirqRaise | Self::SoftirqEntry | Self::SoftirqExit => "keep reasons of the tick",
            Self::SchedSwitch => "busy time, first task",
            Self::SchedWakeup => "task woken or not",
            Self::Dump | Self::Printk => "check of the governor's own numbers",
        }
    }
}

/// Whether an event that is not used belongs to a family that is known not to be needed.
pub(super) fn is_not_needed(name: &[u8]) -> bool {
    const FAMILIES: &[&[u8]] = &[
        b"sched_",
        b"timer_",
        b"hrtimer_",
        b"itimer_",
        b"irq_",
        b"irqs_",
        b"softirq_",
        b"tasklet_",
        b"workqueue_",
        b"cpu_frequency",
        b"cpuhp_",
        b"clock_",
        b"rcu_",
        b"sys_",
        b"power_",
        b"preempt_",
        b"psci_",
        b"pstate_",
        b"wakeup_source_",
        b"pm_qos_",
        b"dev_pm_qos_",
        b"suspend_resume",
        b"mm_",
        b"binder_",
        b"block_",
        b"tracing_mark_write",
        b"print",
        b"bprint",
        b"vector_",
        b"console",
        b"guest_halt_poll_ns",
        b"guest_idle",
        b"signal_",
        b"task_",
        b"thermal_",
        b"regulator_",
        b"energy_",
    ];
    FAMILIES.iter().any(|family| name.starts_with(family))
}

/// By the word in brackets, or by the number where none is printed.
pub(super) fn softirq(action: Option<&[u8]>, number: u64) -> Softirq {
    match (action, number) {
        (Some(b"TIMER"), _) | (None, 1) => Softirq::Timer,
        (Some(b"SCHED"), _) | (None, 7) => Softirq::Sched,
        (Some(b"RCU"), _) | (None, 9) => Softirq::Rcu,
        _ => Softirq::Other,
    }
}
