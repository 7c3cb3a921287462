//! What a menu tells about a decision.

use serde::{Deserialize, Serialize};

use super::Slots;
use crate::cpuidle::TickChoice;
use crate::cpuidle::step::steps_and_end;
use crate::units::{Ns, StateIdx, Us};

/// What the duration of the last period was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Source {
    /// The residency, less the exit latency.
    Residency,
    /// A fixed long time: the tick ended a period that had more than a tick to go.
    Tick,
    /// The timer's distance: polling ran into its time limit.
    PollTimeout,
}

/// Why state 0 was taken at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtOnce {
    /// The table has one state.
    OneState,
    /// No exit latency is tolerated.
    NoLatency,
    /// The timer comes before state 1 would pay off.
    TimerBeforeState1,
    /// Not even the exit latency of state 1 is tolerated.
    LatencyBelowState1,
}

/// What one look at the last intervals led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// Even the shortest is not below the timer's prediction: they add nothing.
    BeyondTimer,
    /// There is nothing but zeroes.
    NoInformation,
    /// They vary so little that their average is typical.
    Steady,
    /// They vary, and too few are left to drop another.
    TooFew,
    /// They vary; the longest are dropped.
    DropLongest,
    /// They vary; the shortest are dropped.
    DropShortest,
    /// They vary and too few are left, but the longest of them bounds the stay.
    LongestOfFew,
}

/// Why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Left {
    /// The next state wakes too slowly.
    ExitLatency,
    /// The next state does not pay off, but is taken instead of polling: the timer allows it.
    InsteadOfPolling,
    /// The next state does not pay off within the duration expected, which is below one tick.
    WithinTick,
    /// The next state does not pay off; the running tick may yet shorten the stay.
    TickRunning,
    /// The next state does not pay off; the tick is stopped, so the search ends the decision.
    TickStopped,
}

steps_and_end! {
    /// One step of a menu's decision. Durations in ns or, where the kernel rounds so, µs.
    enum Step;

    /// The last period was learnt from, before anything else.
    Learned {
        /// The duration booked.
        measured: Ns,
        /// What it was taken from.
        source: Source,
        /// The timer's distance then; `Ns::MAX` when it was not asked for.
        next_timer: Ns,
        /// The bucket of that timer, 0 to 11.
        bucket: u8,
        /// The bucket's factor before, in 1/8192.
        factor_before: u32,
        /// The bucket's factor now.
        factor: u32,
        /// The interval stored.
        interval: Us,
    },
    /// The last entry failed, so "no interval" was stored.
    FailedEntry {
        /// Where, 0 to 7.
        slot: u8,
    },
    /// The timer was looked up.
    TimerAsked {
        /// Time to the next event without the tick; a negative one counts as 0.
        to_event: Ns,
        /// Time to the next event, the tick included.
        to_event_or_tick: Ns,
    },
    /// The timer was not looked up: the intervals are short enough.
    TimerSkipped {
        /// The typical interval.
        typical: Ns,
        /// What it does not exceed.
        limit: Ns,
    },
    /// Which factor applies.
    Bucket {
        /// The timer's distance.
        next_timer: Ns,
        /// Tasks waiting for I/O; any of them selects the upper six buckets.
        nr_iowait: u32,
        /// The bucket, 0 to 11.
        bucket: u8,
        /// Its factor, in 1/8192.
        factor: u32,
    },
    /// State 0 was taken at once.
    AtOnce {
        /// Why.
        why: AtOnce,
        /// The timer's distance.
        next_timer: Ns,
        /// Target residency of state 1.
        target_residency: Ns,
        /// The latency limit.
        latency_req: Ns,
        /// Exit latency of state 1.
        exit_latency: Ns,
        /// Stop unless state 0 polls.
        tick: TickChoice,
    },
    /// The timer's distance times its factor.
    CorrectedTimer {
        /// The timer's distance.
        next_timer: Ns,
        /// The factor, in 1/8192.
        factor: u32,
        /// The product.
        predicted: Us,
    },
    /// One look at the last intervals.
    Intervals {
        /// The intervals.
        intervals: Slots,
        /// Those above it are left out.
        threshold: Us,
        /// How many are left.
        count: u32,
        /// The shortest of them; `Us::MAX` when none is left.
        shortest: Us,
        /// The longest of them.
        longest: Us,
        /// Their average; 0 when it was not computed.
        average: Us,
        /// Their variance, µs²; 0 when it was not computed.
        variance: u64,
        /// What follows.
        verdict: Verdict,
    },
    /// One look at the last intervals between two bounds.
    IntervalsBetween {
        /// The intervals.
        intervals: Slots,
        /// Those up to it are left out; none for no bound.
        above: Option<Us>,
        /// Those from it on are left out.
        below: Us,
        /// How many are left.
        count: u32,
        /// The shortest of them; `Us::MAX` when none is left.
        shortest: Us,
        /// The longest of them.
        longest: Us,
        /// Their average.
        average: Us,
        /// The mean of their squares less the square of the average, µs².
        variance: u64,
        /// What follows.
        verdict: Verdict,
    },
    /// Is polling worth it?
    PollOrNot {
        /// What is compared.
        duration: Ns,
        /// What it must exceed for not polling.
        limit: Ns,
        /// Whether it does.
        far: bool,
        /// Whether state 1 may be taken.
        allowed: bool,
        /// The state that deeper ones are compared with.
        state: StateIdx,
    },
    /// The lesser of timer and intervals.
    Predicted {
        /// The timer's prediction; none when it was not looked up.
        timer: Option<Us>,
        /// The typical interval; none when there is none.
        typical: Option<Us>,
        /// The duration expected.
        duration: Ns,
    },
    /// With the tick stopped, nothing but the timer bounds a wrong guess.
    TickStopped {
        /// The duration expected.
        predicted: Ns,
        /// The tick period.
        tick: Ns,
        /// The duration expected now.
        duration: Ns,
    },
    /// The latency limit scaled by what waits.
    LatencyLimit {
        /// The duration expected.
        duration: Ns,
        /// 1, and 10 (in kernels) for each task that waits for I/O.
        divisor: u64,
        /// The system's limit.
        latency_req: Ns,
        /// The lesser of that and the quotient.
        limit: Ns,
    },
    /// One enabled state was looked at.
    Considered {
        /// The state.
        state: StateIdx,
        /// Its target residency.
        target_residency: Ns,
        /// The duration expected.
        duration: Ns,
        /// Whether it pays off within that.
        pays_off: bool,
        /// Its exit latency.
        exit_latency: Ns,
        /// The latency limit.
        limit: Ns,
        /// Whether it respects the limit.
        allowed: bool,
    },
    /// The search stopped before the deepest state.
    Left {
        /// Why.
        why: Left,
        /// The state it stopped at.
        at: StateIdx,
        /// The choice.
        state: StateIdx,
        /// The duration that the tick is judged by.
        duration: Ns,
    },
}
