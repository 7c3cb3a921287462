//! The steps of selecting a state that all recipes share (spec menu.md §2.4).

use super::nanos::SHORT;
use super::step::{AtOnce, Left, Step};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, Kernel, SleepLength, TickChoice};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The timer's distances as used, never negative.
#[derive(Clone, Copy)]
pub(super) struct Timer {
    pub next: Ns,
    pub next_or_tick: Ns,
}

/// Looks up the timer.
pub(super) fn query<K: Kernel, P: Probe<Step>>(kernel: &mut K, probe: &mut P) -> SleepLength {
    let sleep = kernel.sleep_length();
    probe.step(|| Step::TimerAsked {
        to_event: sleep.to_event,
        to_event_or_tick: sleep.to_event_or_tick,
    });
    sleep
}

/// Looks up the timer. If it is overdue, both distances count as zero.
pub(super) fn ask<K: Kernel, P: Probe<Step>>(kernel: &mut K, probe: &mut P) -> Timer {
    let sleep = query(kernel, probe);
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
    zero_at_once(now, next_timer, AtOnceTick::RetainWhilePolling, probe)
}

/// What taking state 0 at once means for the tick.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AtOnceTick {
    /// It is retained if state 0 polls.
    RetainWhilePolling,
    /// It is retained.
    Retain,
}

impl AtOnceTick {
    fn choice(self, now: &Now<'_>) -> TickChoice {
        if self == Self::Retain || now.table.is_polling(StateIdx::ZERO) {
            TickChoice::Retain
        } else {
            TickChoice::Stop
        }
    }
}

/// [`at_once`], with the tick as `how` says.
pub(super) fn zero_at_once<P: Probe<Step>>(
    now: &Now<'_>,
    next_timer: Ns,
    how: AtOnceTick,
    probe: &mut P,
) -> Option<Decision> {
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
    let tick = how.choice(now);
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
    (nr_iowait, per_waiting_task): (u32, u32),
    probe: &mut P,
) -> (Ns, Ns) {
    if now.tick_stopped {
        return (stopped(now, duration, next_timer, probe), now.latency_req);
    }
    let divisor = 1 + u64::from(per_waiting_task) * u64::from(nr_iowait);
    (duration, divided(now, duration, divisor, probe))
}

/// With the tick stopped, a stay below one tick is not believed: `instead` is expected.
pub(super) fn stopped<P: Probe<Step>>(now: &Now<'_>, duration: Ns, instead: Ns, probe: &mut P) -> Ns {
    let bounded = if duration < now.tick { instead } else { duration };
    probe.step(|| Step::TickStopped {
        predicted: duration,
        tick: now.tick,
        duration: bounded,
    });
    bounded
}

/// The latency limit, or the duration expected divided by what waits if that is less.
pub(super) fn divided<P: Probe<Step>>(now: &Now<'_>, duration: Ns, divisor: u64, probe: &mut P) -> Ns {
    // Nothing waits most of the time: spare the division.
    let quotient = if divisor == 1 {
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
    limit
}

/// When a state's exit latency is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// After its target residency, and a state that wakes too slowly leaves the duration expected as it is.
    AfterResidency,
    /// After its target residency, and a state that wakes too slowly leaves the choice's own target residency to be
    /// expected.
    AfterResidencyExpectsOwn,
    /// Before its target residency.
    First,
}

/// When a state that does not pay off within the stay expected is taken instead of polling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Never.
    Never,
    /// When the timer is far enough for it.
    TimerAllows,
    /// When the timer is, it pays off within 15 µs, and its exit is no longer than the stay.
    ShortStates,
}

impl Instead {
    fn takes(self, now: &Now<'_>, at: StateIdx, duration: Ns, next_timer: Ns) -> bool {
        let target_residency = now.target_residency(at);
        let fits = target_residency <= next_timer;
        match self {
            Self::Never => false,
            Self::TimerAllows => fits,
            Self::ShortStates => fits && target_residency < SHORT && now.table.exit_latency(at) <= duration,
        }
    }
}

/// How the states are searched.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// The shallowest state looked at.
    pub first: StateIdx,
    pub exit: Exit,
    pub instead: Instead,
}

impl Search {
    /// As in spec §2.4.
    pub const NANOS: Self = Self {
        first: StateIdx::ZERO,
        exit: Exit::AfterResidency,
        instead: Instead::TimerAllows,
    };
}

/// How the search for a state ended.
pub(super) enum Found {
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
    how: Search,
    probe: &mut P,
) -> Decision {
    match search(now, duration, limit, timer, how, probe) {
        Found::Judge(state, duration) => {
            finish(now, state, StateIdx::ZERO, duration, timer.next_or_tick, probe)
        }
        Found::Made(state) => Decision {
            state,
            tick: TickChoice::Stop,
        },
    }
}

/// Walks from the shallowest state on until one does not pay off or wakes too slowly.
pub(super) fn search<P: Probe<Step>>(
    now: &Now<'_>,
    duration: Ns,
    limit: Ns,
    timer: Timer,
    how: Search,
    probe: &mut P,
) -> Found {
    let mut found = None;
    let looked_at = |idx: &StateIdx| *idx >= how.first && now.enabled(*idx);
    for at in now.table.indices().filter(looked_at) {
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
        if how.exit == Exit::First && !allowed {
            left(Left::ExitLatency, state, duration);
            return Found::Judge(state, duration);
        }
        if !pays_off {
            let instead_of_polling =
                now.table.is_polling(state) && allowed && how.instead.takes(now, at, duration, timer.next);
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
            let expected = match how.exit {
                Exit::AfterResidencyExpectsOwn => now.target_residency(state),
                Exit::AfterResidency | Exit::First => duration,
            };
            left(Left::ExitLatency, state, expected);
            return Found::Judge(state, expected);
        }
        found = Some(at);
    }
    Found::Judge(found.unwrap_or_default(), duration)
}
