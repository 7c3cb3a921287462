//! All that a governor may ask.

use super::StateMask;
use crate::units::{Energy, Ns, StateIdx, Time};

/// The answer to the one query for the next timer (spec idle-loop-and-tick.md §5.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepLength {
    /// Time to the next event if the tick is stopped, ns; may be zero or negative.
    pub to_event: Ns,
    /// Time to the next event including the tick (`delta_tick`), ns; may be zero or negative.
    pub to_event_or_tick: Ns,
}

/// The rest of the kernel as one CPU's governor sees it during one idle period.
///
/// Answers are constant during one call of select. Two implementors: the
/// simulated CPU and the golden-file reader.
pub trait Kernel {
    /// The CPU's local clock.
    fn now(&self) -> Time;
    /// The strictest latency limit, ns; 2 000 000 000 000 when there is none.
    fn latency_req(&self) -> Ns;
    /// States disabled by the user or the driver at this moment.
    fn disabled(&self) -> StateMask;
    /// Whether an earlier iteration of this idle episode has stopped the tick.
    fn tick_stopped(&self) -> bool;
    /// Looks up the next timer. *Whether* this is called is part of a governor's behaviour.
    fn sleep_length(&mut self) -> SleepLength;
    /// Tasks of this CPU that wait for I/O.
    fn nr_iowait(&self) -> u32;
    /// The run queue's load as the scheduler of 4.x keeps it, 2048 for one task of usual weight (spec menu.md §4).
    fn load(&self) -> u64;
    /// The scheduler's effective utilisation of this CPU, 0 to its capacity.
    fn utilization(&self) -> u64;
    /// When the next device interrupt of this CPU is expected (spec irq-timings.md): now for one that is overdue,
    /// none without a prediction. Asking uses up the records it was made from.
    fn next_interrupt(&mut self) -> Option<Time>;
    /// Tick periods so far, as the kernel counts them.
    fn jiffies(&self) -> u64;
    /// A task of this CPU was woken. Read at reflect.
    fn need_resched(&self) -> bool;
    /// Time until the CPU will really be woken, ns: known to the simulation only, read by the
    /// `ideal` baselines only. `None` when it is not known.
    fn time_to_wakeup(&self) -> Option<Ns>;
    /// What a stay of that length in a state costs by the energy model, entry and exit included: known to the
    /// simulation only, read by the `ideal-energy` baseline only. `None` when no model is at hand.
    fn energy(&self, state: StateIdx, stay: Ns) -> Option<Energy> {
        let _ = (state, stay);
        None
    }
}
