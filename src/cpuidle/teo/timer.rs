//! Looking up the timer last, and what it corrects (spec teo.md §6 steps 10 to 12).

use super::step::Step;
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

/// Takes a shallower state if the timer comes before the choice pays off, unless a stopped tick
/// forbids it.
pub(super) fn correct<P: Probe<Step>>(
    now: &Now<'_>,
    from: StateIdx,
    sleep_length: Ns,
    probe: &mut P,
) -> StateIdx {
    let target_residency = now.target_residency(from);
    if target_residency <= sleep_length {
        return from;
    }
    let found = shallower(now, from, sleep_length, Polling::Eligible);
    let to = if now.tick_allows(now.target_residency(found)) {
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
