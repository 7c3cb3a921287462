//! Where the versions with bins and the clock differ.

use crate::cpuidle::rules::rules;
use crate::cpuidle::select::Now;
use crate::cpuidle::teo::search::midpoint;
use crate::cpuidle::teo::timer::Correction;
use crate::units::{Ns, StateIdx};

rules! {
    /// Where the versions of this generation differ. Each rule is one answer at one place, so that any of them can be
    /// as in another version and the rest stays.
    struct Rules {
        /// When the timer is looked up.
        recipe: Recipe,
        /// Whether the last nine wakeups count.
        recent: RecentWakeups,
        /// Whether timers beyond all states have a bin.
        tick_bin: TickBin,
        /// Whether the CPU's load counts.
        load: Load,
        /// What a busy CPU with two states does.
        busy_two_states: BusyTwoStates,
        /// What a busy CPU expects of the shallower state it takes.
        demotion: Demotion,
        /// What an early end means for the tick.
        early_end: EarlyEnd,
        /// What is expected of a state without alternative.
        only_state: OnlyState,
        /// What follows when the look-up leads to state 0.
        led_to_zero: LedToZero,
        /// When a near timer leads to a shallower state, if it is looked up last.
        correction: Correction,
        /// What the tick is judged by at the regular end.
        judged: Judged,
    }
}

/// The order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// The timer is looked up first and bounds the candidate; a state stands for the middle of its bin.
    TimerFirst,
    /// The candidate is the deepest enabled state; the timer is looked up last, and only when it can matter. A state
    /// stands for its target residency.
    TimerLast,
}

/// Whether the last nine wakeups count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentWakeups {
    /// They are not remembered.
    Ignored,
    /// When most of them were intercepts below the candidate, a shallower state is looked for.
    Count,
}

/// Whether timers beyond all states have a bin, while no target residency reaches one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickBin {
    /// They fall into the deepest state's.
    Absent,
    /// Those at least one tick away have a bin of their own.
    BeyondStates,
}

/// Whether the CPU's load counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// It is not asked for.
    Ignored,
    /// Above a sixty-fourth of the capacity the CPU is busy and takes a shallower state.
    Counts,
}

/// What a busy CPU with two states does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusyTwoStates {
    /// Takes the first enabled one that does not poll and expects the timer's distance.
    FirstNotPolling,
    /// Takes state 0 unless it polls or the stopped tick forbids it, else state 1, and expects what that stands for.
    ZeroUnlessPolling,
}

/// What a busy CPU expects of the shallower state it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demotion {
    /// What it expected before.
    KeepsDuration,
    /// What that state stands for; a stopped tick can forbid the state.
    TakesStatesOwn,
}

/// What an early end means for the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// It is judged by the duration, as at the regular end.
    JudgesDuration,
    /// It is retained.
    RetainsTick,
}

/// What is expected of a state without alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlyState {
    /// The timer's distance.
    SleepLength,
    /// Its target residency.
    TargetResidency,
}

/// What follows when the look-up leads to state 0, if the timer is looked up last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedToZero {
    /// The timer is not asked for, so the wakeup will be booked as an intercept.
    NotAsked,
    /// The timer is asked for all the same, so that the wakeup is booked rightly.
    AsksTimer,
}

/// What the tick is judged by at the regular end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// The duration expected.
    ByDuration,
    /// Half a tick, for a choice that pays off within a tick while more than five eighths of all wakeups were
    /// intercepts; else the duration expected.
    ByIntercepts,
}

impl Recipe {
    /// How long a stay a state stands for.
    pub(super) fn stands_for(self, now: &Now<'_>, state: StateIdx) -> Ns {
        match self {
            Self::TimerFirst => midpoint(now.table, state),
            Self::TimerLast => now.target_residency(state),
        }
    }
}

impl BusyTwoStates {
    /// The state; none when no state qualifies.
    pub(super) fn state(self, now: &Now<'_>, zero_stands_for: Ns) -> Option<StateIdx> {
        match self {
            Self::FirstNotPolling => now
                .table
                .indices()
                .find(|idx| now.enabled(*idx) && !now.table.is_polling(*idx)),
            Self::ZeroUnlessPolling => Some(zero_or_one(now, now.tick_allows(zero_stands_for))),
        }
    }
}

/// State 0 if it is enabled, does not poll and the tick allows it, or if state 1 is disabled;
/// else state 1.
fn zero_or_one(now: &Now<'_>, tick_allows: bool) -> StateIdx {
    let (zero, one) = (StateIdx::ZERO, StateIdx::new(1));
    let zero_suits = now.enabled(zero) && !now.table.is_polling(zero) && tick_allows;
    if zero_suits || !now.enabled(one) {
        zero
    } else {
        one
    }
}
