//! What the replay takes from a trace: its events, its span, and the few names that carry meaning.

use crate::trace::event::{Event, Kind, NameId};
use crate::units::{CpuId, Time};

/// A trace as the replay reads it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// In time order, stable.
    pub events: &'a [Event],
    /// Instants of the first and the last event line, used or not.
    pub span: (Time, Time),
    /// Names of the tick timer's function; empty when the format gives addresses instead of names.
    pub tick_functions: &'a [NameId],
    /// Names of the interrupt that a CPU's timer raises.
    pub timer_interrupts: &'a [NameId],
    /// Names of the interrupt by which CPUs call each other.
    pub ipi_interrupts: &'a [NameId],
}

/// The functions of the tick timer: the first up to 6.x, the second from 6.9 on.
pub const TICK_FUNCTIONS: [&str; 2] = ["tick_sched_timer", "tick_nohz_handler"];

/// Parts of the names under which timer interrupts are registered.
pub const TIMER_INTERRUPTS: [&str; 2] = ["timer", "hpet"];

/// Parts of the names under which interrupts between CPUs are registered.
pub const IPI_INTERRUPTS: [&str; 1] = ["IPI"];

impl Source<'_> {
    /// One more than the highest CPU that an event names or was recorded on.
    #[must_use]
    pub fn cpus(&self) -> usize {
        let highest = |event: &Event| subject(event).index().max(event.cpu.index());
        self.events
            .iter()
            .map(|event| highest(event) + 1)
            .max()
            .unwrap_or(0)
    }

    /// Whether `name` is that of the CPU's timer interrupt.
    #[must_use]
    pub fn is_timer_interrupt(&self, name: Option<NameId>) -> bool {
        name.is_some_and(|name| self.timer_interrupts.contains(&name))
    }
}

/// The CPU that an event is about: idle events say it themselves, all others mean where they were recorded.
#[must_use]
pub fn subject(event: &Event) -> CpuId {
    match event.kind {
        Kind::IdleEnter { cpu, .. } | Kind::IdleExit { cpu } | Kind::IdleMiss { cpu, .. } => cpu,
        _ => event.cpu,
    }
}

/// Which kinds of event the trace holds at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Has {
    /// `tick_stop`.
    pub tick_stop: bool,
    /// `hrtimer_start`.
    pub hrtimer_start: bool,
    /// `hrtimer_expire_entry`.
    pub hrtimer_expire: bool,
    /// `timer_start` or `timer_expire_entry`.
    pub wheel: bool,
    /// `sched_switch`.
    pub switches: bool,
    /// `sched_wakeup`.
    pub wakeups: bool,
    /// Entries of interrupts.
    pub interrupt_entry: bool,
    /// Ends of interrupts or softirqs.
    pub interrupt_exit: bool,
    /// `ipi_raise` and its relatives.
    pub raises: bool,
    /// `cpu_idle_miss`.
    pub misses: bool,
    /// Marks of lost events.
    pub losses: bool,
}

impl Has {
    /// Looks through all events.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut has = Self::default();
        for event in events {
            match event.kind {
                Kind::TickStop { .. } => has.tick_stop = true,
                Kind::HrtimerStart { .. } => has.hrtimer_start = true,
                Kind::HrtimerExpireEntry { .. } => has.hrtimer_expire = true,
                Kind::TimerStart { .. } | Kind::TimerExpireEntry { .. } => has.wheel = true,
                Kind::SchedSwitch { .. } => has.switches = true,
                Kind::SchedWakeup { .. } => has.wakeups = true,
                Kind::IrqEntry { .. } | Kind::VectorEntry { .. } | Kind::IpiEntry => {
                    has.interrupt_entry = true
                }
                Kind::IrqExit { .. } | Kind::VectorExit { .. } | Kind::SoftirqExit { .. } => {
                    has.interrupt_exit = true;
                }
                Kind::IpiRaise { .. } => has.raises = true,
                Kind::IdleMiss { .. } => has.misses = true,
                Kind::Lost { .. } => has.losses = true,
                _ => {}
            }
        }
        has
    }
}
