//! Looking up the timer last, and what it corrects (spec teo.md §6 steps 10 to 12).

use super::step::{Majority, Step};
use crate::cpuidle::select::{Now, Polling, shallower};
use crate::cpuidle::{Kernel, SleepLength};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// A choice that pays off before this, beside a polling state 0, is made without the timer.
pub(super) const SHORT_RESIDENCY: Ns = Ns::from_us(15);

/// Looks up the timer.
pub(super) fn ask<K: Kernel, P: Probe<Step>>(kernel: &mut K, probe: &mut P) -> SleepLength {
    let sleep = kernel.sleep_length();
    probe.step(|| Step::TimerAsked {
        to_event: sleep.to_event,
        to_event_or_tick: sleep.to_event_or_tick,
    });
    sleep
}

/// The tick's distance when the timer was not looked up.
pub(super) const fn unasked(tick: Ns) -> Ns {
    Ns::new(tick.as_ns() / 2)
}

/// When a timer that comes before the choice pays off leads to a shallower state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Unless the tick is stopped and that state is below one tick.
    IfTickAllows,
    /// Always: the timer itself bounds the stay.
    Always,
}

impl Correction {
    fn allows(self, now: &Now<'_>, idx: StateIdx) -> bool {
        match self {
            Self::IfTickAllows => now.tick_allows(now.target_residency(idx)),
            Self::Always => true,
        }
    }
}

/// Takes a shallower state if the timer comes before the choice pays off.
pub(super) fn correct<P: Probe<Step>>(
    now: &Now<'_>,
    from: StateIdx,
    sleep_length: Ns,
    correction: Correction,
    probe: &mut P,
) -> StateIdx {
    let target_residency = now.target_residency(from);
    if target_residency <= sleep_length {
        return from;
    }
    let found = shallower(now, from, sleep_length, Polling::Eligible);
    let to = if correction.allows(now, found) {
        found
    } else {
        from
    };
    probe.step(|| Step::TimerCorrection {
        from,
        target_residency,
        sleep_length,
        to,
    });
    to
}

/// The duration that the tick is judged by: half a tick if the choice pays off within a tick and
/// more than five eighths of all wakeups were intercepts, else the timer's distance.
pub(super) fn judged_by<P: Probe<Step>>(
    now: &Now<'_>,
    state: StateIdx,
    sleep_length: Ns,
    intercepts: u32,
    total: u32,
    probe: &mut P,
) -> Ns {
    if now.target_residency(state) >= now.tick {
        return sleep_length;
    }
    let limit = total / 2 + total / 8;
    let exceeds = intercepts > limit;
    let duration = if exceeds {
        Ns::new(now.tick.as_ns() / 2)
    } else {
        sleep_length
    };
    probe.step(|| Step::MostlyIntercepted {
        intercepts,
        limit,
        exceeds,
        duration,
    });
    duration
}

/// Below this a latency limit leaves no room for asking the timer.
const SHORT_LATENCY: Ns = Ns::new(7_500);

/// Whether the timer cannot matter: the choice pays off at once, and idle times are mostly short or the latency limit
/// is (spec §8).
pub(super) fn skip_timer<P: Probe<Step>>(
    now: &Now<'_>,
    state: StateIdx,
    short_idles: u32,
    total: u32,
    probe: &mut P,
) -> bool {
    let target_residency = now.target_residency(state);
    if state != StateIdx::ZERO && target_residency >= SHORT_RESIDENCY {
        return false;
    }
    let skips = short_idles.wrapping_mul(2) >= total || now.latency_req < SHORT_LATENCY;
    probe.step(|| Step::ShortIdles {
        state,
        short_idles,
        total,
        latency_req: now.latency_req,
        latency_limit: SHORT_LATENCY,
        skips,
    });
    skips
}

/// The duration that the tick is judged by, as [`judged_by`] finds it, by the intercepts within a tick alone.
pub(super) fn judged_within_tick<P: Probe<Step>>(
    now: &Now<'_>,
    state: StateIdx,
    sleep_length: Ns,
    (intercepts, total): (u32, u32),
    majority: Majority,
    probe: &mut P,
) -> Ns {
    if now.target_residency(state) >= now.tick {
        return sleep_length;
    }
    let reached = majority.is_reached(intercepts, total);
    let duration = if reached {
        Ns::new(now.tick.as_ns() / 2)
    } else {
        sleep_length
    };
    probe.step(|| Step::InterceptedWithinTick {
        intercepts,
        total,
        majority,
        reached,
        duration,
    });
    duration
}
