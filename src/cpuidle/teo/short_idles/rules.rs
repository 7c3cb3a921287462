//! Where the versions that count short idle times differ.

use crate::cpuidle::rules::rules;
use crate::cpuidle::select::Now;
use crate::cpuidle::teo::binned;
use crate::cpuidle::teo::bins::Decay;
use crate::cpuidle::teo::search::Candidate;
use crate::cpuidle::teo::step::{Majority, Step};
use crate::cpuidle::teo::timer::Correction;
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

rules! {
    /// Where the versions of this generation differ.
    struct Rules {
        /// What a wakeup by the tick is booked as.
        tick_wakeup: TickWakeup,
        /// Which stays are hits.
        hit: Hit,
        /// Which intercepts count for the tick.
        tick_intercept: TickIntercept,
        /// What becomes of small metrics.
        decay: Decay,
        /// What intercepts are set against.
        total: Total,
        /// How far the look-up goes.
        look_up: LookUp,
        /// When a near timer leads to a shallower state.
        correction: Correction,
        /// How many wakeups must be intercepts within a tick for another to be expected.
        majority: Majority,
        /// What a stopped tick changes once the timer is known.
        stopped: Stopped,
    }
}

impl Rules {
    /// The rules under which [`Binned`](crate::cpuidle::teo::Binned) would do what this does, as far as they have a
    /// meaning here (spec teo.md §8): the steps are those of 6.12, without the bin beyond all states and without a
    /// timer asked for because the look-up led to state 0. Those of load speak of what does not count.
    pub(in crate::cpuidle::teo) const fn in_older_words(self) -> binned::Rules {
        use binned::{
            BusyTwoStates, Demotion, EarlyEnd, Judged, LedToZero, Load, OnlyState, RecentWakeups, Recipe,
            TickBin,
        };
        binned::Rules {
            recipe: Recipe::TimerLast,
            recent: RecentWakeups::Ignored,
            tick_bin: TickBin::Absent,
            load: Load::Ignored,
            busy_two_states: BusyTwoStates::ZeroUnlessPolling,
            demotion: Demotion::TakesStatesOwn,
            early_end: EarlyEnd::RetainsTick,
            only_state: OnlyState::TargetResidency,
            led_to_zero: LedToZero::NotAsked,
            correction: self.correction,
            judged: Judged::ByIntercepts,
        }
    }
}

/// What a wakeup by the tick is booked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickWakeup {
    /// A stay that reached its timer, if that is more than a tick away; else as any other.
    ReachesTimer,
    /// A hit of the deepest state when more than two thirds of wakeups are by the tick; else as any other.
    DeepestIfMost,
    /// That, and otherwise a hit of its timer when less than two thirds of wakeups are intercepts within a tick.
    TimerIfFewIntercepts,
}

/// Which stays are hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// Those that end in their timer's bin.
    SameBin,
    /// Those that end there less than half an exit latency before the timer.
    CloseToTimer,
}

/// Which intercepts count for the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickIntercept {
    /// Stays of at least one tick, compared without sign: the comparison is the wrong way round.
    BeyondTick,
    /// Stays of at most one tick.
    WithinTick,
}

/// What intercepts are set against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// A count of wakeups that fades by itself.
    OwnCount,
    /// The sum of all bins.
    SumOfBins,
}

/// How far the look-up goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// To half of the intercepts; with the tick stopped, the choice moves only to states that reach a tick.
    ToHalfIfAllowed,
    /// To half of the intercepts, moving the choice along; with the tick stopped, to no state below one tick.
    ToHalf,
    /// That, and no deeper than the fullest bin.
    ToFullestBin,
    /// To half of the intercepts and to the fullest bin, whatever the tick.
    AnyTick,
}

/// What a stopped tick changes once the timer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing.
    AsAlways,
    /// The timer is always asked for, and one more than two ticks away leads to the deepest state that it allows
    /// instead of one below a tick.
    DeepestBeforeTimer,
}

impl Stopped {
    pub(super) const fn may_skip(self, now: &Now<'_>) -> bool {
        match self {
            Self::AsAlways => true,
            Self::DeepestBeforeTimer => !now.tick_stopped,
        }
    }

    /// The deepest allowed state that pays off before a timer which is far, but not as far as a tick would be; none
    /// when the rule does not apply.
    pub(super) fn deepest<P: Probe<Step>>(
        self,
        now: &Now<'_>,
        state: StateIdx,
        found: &Candidate,
        sleep_length: Ns,
        probe: &mut P,
    ) -> Option<StateIdx> {
        let safe = now.tick * 2;
        let applies = match self {
            Self::AsAlways => false,
            Self::DeepestBeforeTimer => {
                now.tick_stopped && sleep_length > safe && now.target_residency(state) < now.tick
            }
        };
        if !applies {
            return None;
        }
        let limit = found.deepest_allowed;
        let to = now
            .table
            .indices()
            .rev()
            .filter(|idx| *idx > state && *idx <= limit && now.enabled(*idx))
            .find(|idx| now.target_residency(*idx) <= sleep_length)
            .unwrap_or(state);
        probe.step(|| Step::TimerTooFar {
            from: state,
            sleep_length,
            safe,
            to,
        });
        Some(to)
    }
}
