//! What the core notes about each period, whatever governor chose (spec idle-loop-and-tick.md
//! §2.2 to §2.5).
//!
//! ```text
//!   t0 (clock)                wakeup     t1 (clock)
//!    |--- entry ---|=== sleeping ===|--- exit ---|--> handlers run
//!    |------------- residency -------------------|
//! ```
//!
//! The residency includes entry and exit. Too deep is judged by the whole of
//! it; too shallow by what is left when the exit latency is taken off.

use serde::{Deserialize, Serialize};

use super::{MAX_STATES, StateMask, StateTable};
use crate::units::{Ns, StateIdx};

/// The kernel's verdict on a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Miss {
    /// `above`: the stay was shorter than the state's target residency, and a shallower state
    /// was enabled.
    TooDeep,
    /// `below`: the stay would have satisfied the next deeper enabled state.
    TooShallow,
}

/// The verdict on one stay of `residency` ns in `entered`; none for a match.
///
/// Only the *existence* of a shallower enabled state and only the *nearest* deeper one count
/// (spec §2.4), as the `cpu_idle_miss` event has it since 6.1.
#[must_use]
pub fn miss(table: &StateTable, disabled: StateMask, entered: StateIdx, residency: Ns) -> Option<Miss> {
    let enabled = |idx: &StateIdx| !disabled.contains(*idx);
    if residency < table.target_residency(entered) {
        let shallower = (0..entered.number()).map(StateIdx::new).any(|idx| enabled(&idx));
        return shallower.then_some(Miss::TooDeep);
    }
    let exit_latency = table.exit_latency(entered);
    if residency <= exit_latency {
        return None;
    }
    let deeper = table.indices().find(|idx| *idx > entered && enabled(idx))?;
    let asleep = residency.saturating_sub(exit_latency);
    (asleep >= table.target_residency(deeper)).then_some(Miss::TooShallow)
}

/// The unit of the kernel's clock readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// Before 5.5: whole microseconds, at most 2^31 - 1 of them.
    Microseconds,
    /// From 5.5 on.
    Nanoseconds,
}

impl Clock {
    /// The residency noted for `elapsed` ns between the two readings.
    #[must_use]
    pub fn residency(self, elapsed: Ns) -> Ns {
        match self {
            Self::Microseconds => Ns::from_us((elapsed.as_ns() / 1_000).min(i64::from(i32::MAX))),
            Self::Nanoseconds => elapsed,
        }
    }
}

/// The counters of one state, as in sysfs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Times entered.
    pub usage: u64,
    /// Sum of residencies, ns.
    pub time: Ns,
    /// Times too deep.
    pub above: u64,
    /// Times too shallow.
    pub below: u64,
    /// Times the entry failed.
    pub rejected: u64,
}

/// The counters of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    states: [Usage; MAX_STATES],
}

impl Accounting {
    /// The counters by state; zero past the table's end.
    #[must_use]
    pub fn states(&self) -> &[Usage; MAX_STATES] {
        &self.states
    }

    /// Notes a stay and returns the verdict on it. States beyond the kernel's limit are not noted.
    pub fn entered(
        &mut self,
        table: &StateTable,
        disabled: StateMask,
        entered: StateIdx,
        residency: Ns,
    ) -> Option<Miss> {
        let miss = miss(table, disabled, entered, residency);
        if let Some(state) = self.states.get_mut(entered.index()) {
            state.usage += 1;
            state.time = state.time.saturating_add(residency);
            match miss {
                Some(Miss::TooDeep) => state.above += 1,
                Some(Miss::TooShallow) => state.below += 1,
                None => {}
            }
        }
        miss
    }

    /// Notes a failed entry, charged to the state that was tried.
    pub fn rejected(&mut self, tried: StateIdx) {
        if let Some(state) = self.states.get_mut(tried.index()) {
            state.rejected += 1;
        }
    }
}

/// The state tried when `selected` stops the CPU's timer and no other timer can stand in for it:
/// the deepest that does not and wakes no slower (spec §2.2 step 1).
#[must_use]
pub fn without_broadcast(table: &StateTable, disabled: StateMask, selected: StateIdx) -> StateIdx {
    match table.get(selected) {
        Some(state) if state.timer_stop => deepest(table, disabled, state.exit_latency, TimerStop::Forbidden),
        Some(_) | None => selected,
    }
}

/// Whether states in which the CPU's own timer stops qualify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimerStop {
    /// They do.
    Allowed,
    /// They do not.
    Forbidden,
}

/// The enabled state, from index 1 on, with the greatest exit latency up to `max_latency` ns;
/// 0 when there is none. Of equal ones the shallowest (spec §2.5).
#[must_use]
pub fn deepest(table: &StateTable, disabled: StateMask, max_latency: Ns, timer_stop: TimerStop) -> StateIdx {
    let mut found = StateIdx::ZERO;
    let mut latency = Ns::ZERO;
    for (idx, state) in table.indices().zip(table.states()).skip(1) {
        let forbidden = timer_stop == TimerStop::Forbidden && state.timer_stop;
        let deeper = state.exit_latency > latency && state.exit_latency <= max_latency;
        if deeper && !forbidden && !disabled.contains(idx) {
            found = idx;
            latency = state.exit_latency;
        }
    }
    found
}
