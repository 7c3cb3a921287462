//! The simulated CPU as its governor sees it.

use super::Environment;
use super::busy_time::BusyTime;
use super::setup::StateCosts;
use super::workload::Workload;
use crate::cpuidle::{Kernel, SleepLength, StateMask};
use crate::tick::irq_timings::IrqTimings;
use crate::tick::{self, Lengths, Pending, Tick, Timekeeping};
use crate::units::{CpuId, Energy, Ns, StateIdx, Time};

/// One CPU during one idle period.
pub(super) struct KernelView<'a, W> {
    pub now: Time,
    pub cpu: CpuId,
    pub config: &'a tick::Config,
    pub keeping: &'a Timekeeping,
    pub tick: &'a mut Tick,
    pub pending: Pending,
    pub environment: Environment,
    pub busy: &'a BusyTime,
    pub latency_req: Ns,
    pub disabled: StateMask,
    pub costs: &'a StateCosts,
    pub workload: &'a W,
    pub interrupts: &'a mut IrqTimings,
    /// A task was woken.
    pub rescheduled: bool,
    /// What it was told, once it asked.
    pub asked: Option<Lengths>,
}

impl<W: Workload> Kernel for KernelView<'_, W> {
    #[inline]
    fn now(&self) -> Time {
        self.now
    }

    #[inline]
    fn latency_req(&self) -> Ns {
        self.latency_req
    }

    #[inline]
    fn disabled(&self) -> StateMask {
        self.disabled
    }

    #[inline]
    fn tick_stopped(&self) -> bool {
        self.tick.is_stopped()
    }

    fn sleep_length(&mut self) -> SleepLength {
        let lengths = self.tick.sleep_length(self.config, self.keeping, self.pending);
        self.asked = Some(lengths);
        SleepLength {
            to_event: lengths.to_event,
            to_event_or_tick: lengths.to_event_or_tick,
        }
    }

    fn nr_iowait(&self) -> u32 {
        self.environment.nr_iowait
    }

    fn load(&self) -> u64 {
        self.environment.load
    }

    fn utilization(&self) -> u64 {
        utilization(self.environment, self.busy, self.now)
    }

    fn next_interrupt(&mut self) -> Option<Time> {
        self.interrupts.next_event(self.now)
    }

    fn jiffies(&self) -> u64 {
        self.keeping.jiffies()
    }

    fn need_resched(&self) -> bool {
        self.rescheduled
    }

    fn time_to_wakeup(&self) -> Option<Ns> {
        self.workload
            .wakeup(self.now, self.cpu)
            .filter(|at| !at.is_never())
            .map(|at| at.saturating_since(self.now))
    }

    fn energy(&self, state: StateIdx, stay: Ns) -> Option<Energy> {
        self.costs.of(state, stay)
    }
}

/// As the workload says, else as the CPU was busy.
pub(super) fn utilization(environment: Environment, busy: &BusyTime, now: Time) -> u64 {
    environment.utilization.unwrap_or_else(|| busy.utilization(now))
}
