//! What a teo tells about a decision. Durations in ns; metrics in 1/1024 wakeups.

use serde::{Deserialize, Serialize};

use crate::cpuidle::step::steps_and_end;
use crate::units::{Ns, StateIdx};

/// Where the timer's distance fell when the last period began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimerBin {
    /// In the bin of a state.
    State(StateIdx),
    /// In the bin beyond all states, for a timer at least one tick away.
    Tick,
}

/// How the last period was booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Booked {
    /// The stay reached the bin of the timer.
    Hit,
    /// Something came before the timer.
    Intercept,
    /// The stay reached the bin beyond all states.
    TickHit,
    /// A tick ended it, as most stays: a hit for the deepest state.
    MostlyTicks,
}

/// How many wakeups must be intercepts within a tick for another to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Majority {
    /// More than five eighths.
    MoreThanFiveEighths,
    /// At least two thirds.
    TwoThirds,
}

impl Majority {
    /// Whether that many of `total` are enough; 32 bits, as the kernel computes.
    #[must_use]
    pub const fn is_reached(self, intercepts: u32, total: u32) -> bool {
        match self {
            Self::MoreThanFiveEighths => intercepts > total / 2 + total / 8,
            Self::TwoThirds => intercepts.wrapping_mul(3) >= total.wrapping_mul(2),
        }
    }
}

/// Why a decision ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bail {
    /// The table has one state.
    OneState,
    /// State 0 is enabled and the timer comes before state 1 would pay off.
    TimerBeforeState1,
    /// The CPU is busy and the table has two states.
    BusyTwoStates,
    /// No state is enabled.
    NoneEnabled,
    /// State 0 is the choice, whatever the timer says.
    Shallowest,
    /// The choice pays off so early, and polling is so near, that the timer does not matter.
    ShortResidency,
    /// The choice pays off early, and idle times are mostly short or the latency limit is.
    ShortIdles,
}

steps_and_end! {
    /// One step of a teo's decision.
    enum Step;

    /// The last period was booked, before anything else.
    Learned {
        /// The timer's distance then; `Ns::MAX` when it was not asked for.
        sleep_length: Ns,
        /// The duration booked; none when the stay reached the timer.
        measured: Option<Ns>,
        /// The bin of the timer.
        timer: TimerBin,
        /// The bin of the duration.
        duration: StateIdx,
        /// How it was booked.
        booked: Booked,
        /// Sum of all metrics afterwards.
        total: u32,
    },
    /// The last period was booked by the first design, before anything else.
    LearnedEarly {
        /// The timer's distance then.
        sleep_length: Ns,
        /// The duration booked; none when the stay reached the timer.
        measured: Option<Ns>,
        /// The deepest state that the timer allowed.
        timer: Option<StateIdx>,
        /// The deepest state that the duration allowed.
        hit: Option<StateIdx>,
    },
    /// Do stays end before the state that the timer allows?
    EarlyHits {
        /// That state.
        state: StateIdx,
        /// How often stays reached it.
        hits: u32,
        /// How often they did not.
        misses: u32,
        /// Early hits of the state that has most.
        early_hits: u32,
        /// That state, if any has some.
        best: Option<StateIdx>,
        /// The choice now.
        to: StateIdx,
    },
    /// Were most of the last eight durations too short for the choice?
    ShortIntervals {
        /// The choice.
        from: StateIdx,
        /// How many were.
        count: u64,
        /// What that must exceed.
        needed: u64,
        /// Their average.
        average: Ns,
        /// The choice now.
        to: StateIdx,
    },
    /// The bin with the most intercepts: the walk must reach it.
    FullestBin {
        /// The bin.
        bin: StateIdx,
        /// Its intercepts.
        intercepts: u32,
    },
    /// Does the timer matter at all?
    ShortIdles {
        /// The choice, which pays off early.
        state: StateIdx,
        /// Idle times too short for the timer to matter.
        short_idles: u32,
        /// All of them.
        total: u32,
        /// The latency limit.
        latency_req: Ns,
        /// Below this it leaves no room for asking.
        latency_limit: Ns,
        /// Whether the timer is not asked for.
        skips: bool,
    },
    /// Intercepts within a tick against all, for a choice that pays off within a tick.
    InterceptedWithinTick {
        /// Intercepts within a tick.
        intercepts: u32,
        /// All wakeups.
        total: u32,
        /// How many it takes.
        majority: Majority,
        /// Whether there are as many.
        reached: bool,
        /// The duration that the tick is judged by now.
        duration: Ns,
    },
    /// The tick is stopped and the timer is far: no stay below a tick is risked.
    TimerTooFar {
        /// The choice.
        from: StateIdx,
        /// The timer's distance.
        sleep_length: Ns,
        /// Within this it would bound the stay well enough.
        safe: Ns,
        /// The choice now.
        to: StateIdx,
    },
    /// The timer was looked up.
    TimerAsked {
        /// Time to the next event without the tick.
        to_event: Ns,
        /// Time to the next event, the tick included.
        to_event_or_tick: Ns,
    },
    /// State 1 against the timer.
    NearTimer {
        /// Target residency of state 1.
        target_residency: Ns,
        /// The timer's distance.
        sleep_length: Ns,
        /// Whether the timer comes first, so that nothing else is looked at.
        first: bool,
    },
    /// The CPU's load.
    Utilization {
        /// Effective utilisation.
        utilization: u64,
        /// What it must exceed.
        threshold: u64,
        /// Whether it does.
        utilized: bool,
    },
    /// A busy CPU with two states: the choice is made at once.
    BusyTwoStates {
        /// The state chosen.
        state: StateIdx,
        /// The duration that the tick is judged by.
        duration: Ns,
    },
    /// One enabled state was looked at as the candidate.
    Considered {
        /// The state.
        state: StateIdx,
        /// Its target residency.
        target_residency: Ns,
        /// The timer's distance; none when it does not count yet.
        sleep_length: Option<Ns>,
        /// Whether it becomes the candidate.
        fits: bool,
        /// Its exit latency.
        exit_latency: Ns,
        /// The latency limit.
        latency_req: Ns,
        /// Whether it respects the limit.
        allowed: bool,
    },
    /// Only one state can be chosen.
    OnlyState {
        /// The state.
        state: StateIdx,
        /// The duration that the tick is judged by.
        duration: Ns,
    },
    /// Do wakeups before the candidate pays off outweigh the rest?
    Intercepts {
        /// The candidate.
        candidate: StateIdx,
        /// Intercepts in the bins below it.
        intercepts: u32,
        /// Hits in the bins below it.
        hits: u32,
        /// Sum of all metrics.
        total: u32,
        /// Twice the intercepts, the left side.
        twice: u32,
        /// Total without those hits, the right side.
        rest: u32,
        /// The share of the right side that the intercepts must exceed, per cent; 50 in every kernel.
        percent: u32,
        /// Whether the left side is greater.
        outweigh: bool,
    },
    /// Were most of the last wakeups intercepts below the candidate?
    Recent {
        /// Intercepts below it among the last 9 wakeups.
        recent: u32,
        /// What the count must exceed.
        limit: u32,
        /// Whether it does.
        outweigh: bool,
    },
    /// One shallower state was looked at, walking up from the candidate.
    Walked {
        /// The state.
        state: StateIdx,
        /// Intercepts from its bin up to the candidate.
        intercepts: u32,
        /// What twice that must exceed; none when intercepts do not outweigh.
        intercepts_of: Option<u32>,
        /// Recent intercepts from its bin up to the candidate.
        recent: u32,
        /// What twice that must exceed; none when the recent ones do not outweigh.
        recent_of: Option<u32>,
        /// Whether half of them are reached, which ends the walk.
        reached: bool,
        /// Whether it is enabled.
        enabled: bool,
        /// Whether it may be taken with the tick as it is.
        tick_allows: bool,
    },
    /// What the walk led to.
    LookedUp {
        /// The candidate.
        from: StateIdx,
        /// The choice now.
        to: StateIdx,
        /// The duration expected now; none when no duration is derived here.
        duration: Option<Ns>,
    },
    /// The latency limit against the choice.
    Constrained {
        /// The choice.
        from: StateIdx,
        /// The deepest state within the limit, or 0.
        deepest_allowed: StateIdx,
        /// The choice now.
        to: StateIdx,
    },
    /// A busy CPU takes the next shallower state.
    Demoted {
        /// The choice.
        from: StateIdx,
        /// The state found.
        found: StateIdx,
        /// The choice now.
        to: StateIdx,
        /// The duration that the tick is judged by; none when it is not yet known.
        duration: Option<Ns>,
    },
    /// The look-up led to state 0, so the timer is asked for only to book the wakeup rightly.
    AskedForBooking {
        /// The candidate before the look-up.
        from: StateIdx,
        /// The timer's distance.
        sleep_length: Ns,
    },
    /// The choice against the timer, looked up just now.
    TimerCorrection {
        /// The choice.
        from: StateIdx,
        /// Its target residency.
        target_residency: Ns,
        /// The timer's distance.
        sleep_length: Ns,
        /// The choice now.
        to: StateIdx,
    },
    /// Intercepts of all bins against all metrics, for a choice that pays off within a tick.
    MostlyIntercepted {
        /// Intercepts of all bins.
        intercepts: u32,
        /// What they must exceed: five eighths of the total.
        limit: u32,
        /// Whether they do.
        exceeds: bool,
        /// The duration that the tick is judged by now.
        duration: Ns,
    },
    /// The decision ended early and retains the tick.
    BailedOut {
        /// The choice.
        state: StateIdx,
        /// Why.
        why: Bail,
    },
}
