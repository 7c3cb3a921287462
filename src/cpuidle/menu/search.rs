//! The steps of selecting a state that all recipes share (spec menu.md §2.4).

use super::step::{AtOnce, Left, Step};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, Kernel, TickChoice};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The timer's distances as used, never negative.
#[derive(Clone, Copy)]
pub(super) struct Timer {
    pub next: Ns,
    pub next_or_tick: Ns,
}

/// Looks up the timer. If it is overdue, both distances count as zero.
pub(super) fn ask<K: Kernel, P: Probe<Step>>(kernel: &mut K, probe: &mut P) -> Timer {
    let sleep = kernel.sleep_length();
    probe.step(|| Step::TimerAsked {
        to_event: sleep.to_event,
        to_event_or_tick: sleep.to_event_or_tick,
    });
    if sleep.to_event < Ns::ZERO {
        return Timer {
            next: Ns::ZERO,
            next_or_tick: Ns::ZERO,
        };
    }
    Timer {
        next: sleep.to_event,
        next_or_tick: sleep.to_event_or_tick,
    }
}

/// State 0 at once, if nothing else can be right (spec §2.4 step 3).
pub(super) fn at_once<P: Probe<Step>>(now: &Now<'_>, next_timer: Ns, probe: &mut P) -> Option<Decision> {
    let one = StateIdx::new(1);
    let target_residency = now.table.target_residency(one);
    let exit_latency = now.table.exit_latency(one);
    let zero_enabled = !now.disabled.contains(StateIdx::ZERO);
    let why = if now.table.len() <= 1 {
        AtOnce::OneState
    } else if now.latency_req == Ns::ZERO {
        AtOnce::NoLatency
    } else if zero_enabled && next_timer < target_residency {
        AtOnce::TimerBeforeState1
    } else if zero_enabled && now.latency_req < exit_latency {
        AtOnce::LatencyBelowState1
    } else {
        return None;
    };
    let tick = if now.table.is_polling(StateIdx::ZERO) {
        TickChoice::Retain
    } else {
        TickChoice::Stop
    };
    probe.step(|| Step::AtOnce {
        why,
        next_timer,
        target_residency,
        latency_req: now.latency_req,
        exit_latency,
        tick,
    });
    Some(Decision {
        state: StateIdx::ZERO,
        tick,
    })
}

/// Adapts the duration expected to a stopped tick, or the latency limit to what waits for I/O
/// (spec §2.4 step 5). Returns both.
pub(super) fn bound<P: Probe<Step>>(
    now: &Now<'_>,
    duration: Ns,
    next_timer: Ns,
    nr_iowait: u32,
    probe: &mut P,
) -> (Ns, Ns) {
    if now.tick_stopped {
        let bounded = if duration < now.tick { next_timer } else { duration };
        probe.step(|| Step::TickStopped {
            predicted: duration,
            tick: now.tick,
            duration: bounded,
        });
        return (bounded, now.latency_req);
    }
    let divisor = 1 + 10 * u64::from(nr_iowait);
    // Nothing waits most of the time: spare the division.
    let quotient = if nr_iowait == 0 {
        duration
    } else {
        Ns::new((duration.as_u64() / divisor).cast_signed())
    };
    let limit = now.latency_req.min(quotient);
    probe.step(|| Step::LatencyLimit {
        duration,
        divisor,
        latency_req: now.latency_req,
        limit,
    });
    (duration, limit)
}

/// How the search for a state ended.
enum Found {
    /// The tick is to be judged by this duration.
    Judge(StateIdx, Ns),
    /// The decision is made; the tick is stopped already.
    Made(StateIdx),
}

/// The deepest enabled state that pays off within the duration expected and wakes fast enough,
/// and the tick's fate (spec §2.4 steps 6 to 9).
pub(super) fn choose<P: Probe<Step>>(
    now: &Now<'_>,
    duration: Ns,
    limit: Ns,
    timer: Timer,
    probe: &mut P,
) -> Decision {
    match search(now, duration, limit, timer, probe) {
        Found::Judge(state, duration) => {
            finish(now, state, StateIdx::ZERO, duration, timer.next_or_tick, probe)
        }
        Found::Made(state) => Decision {
            state,
            tick: TickChoice::Stop,
        },
    }
}

fn search<P: Probe<Step>>(now: &Now<'_>, duration: Ns, limit: Ns, timer: Timer, probe: &mut P) -> Found {
    let mut found = None;
    for at in now.table.indices().filter(|idx| !now.disabled.contains(*idx)) {
        let state = *found.get_or_insert(at);
        let target_residency = now.table.target_residency(at);
        let exit_latency = now.table.exit_latency(at);
        let pays_off = target_residency <= duration;
        let allowed = exit_latency <= limit;
        probe.step(|| Step::Considered {
            state: at,
            target_residency,
            duration,
            pays_off,
            exit_latency,
            limit,
            allowed,
        });
        let mut left = |why, state, duration| {
            probe.step(|| Step::Left {
                why,
                at,
                state,
                duration,
            });
        };
        if !pays_off {
            let instead_of_polling = now.table.is_polling(state) && allowed && target_residency <= timer.next;
            if instead_of_polling {
                left(Left::InsteadOfPolling, at, target_residency);
                return Found::Judge(at, target_residency);
            }
            if duration < now.tick {
                left(Left::WithinTick, state, duration);
                return Found::Judge(state, duration);
            }
            let of_choice = now.table.target_residency(state);
            if !now.tick_stopped {
                left(Left::TickRunning, state, of_choice);
                return Found::Judge(state, of_choice);
            }
            let deeper = of_choice < now.tick && target_residency <= timer.next_or_tick;
            let state = if deeper { at } else { state };
            left(Left::TickStopped, state, duration);
            return Found::Made(state);
        }
        if !allowed {
            left(Left::ExitLatency, state, duration);
            return Found::Judge(state, duration);
        }
        found = Some(at);
    }
    Found::Judge(found.unwrap_or_default(), duration)
}
