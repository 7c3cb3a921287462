//! What the families that search the table share: what holds throughout one select, and how the
//! tick ends it (spec teo.md §3.2 step 8, menu.md §2.4 step 8).

use super::{Decision, Kernel, StateMask, StateTable, TickChoice};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx, Us};

/// What holds throughout one select.
#[derive(Clone, Copy)]
pub(super) struct Now<'a> {
    pub table: &'a StateTable,
    pub tick: Ns,
    pub disabled: StateMask,
    pub latency_req: Ns,
    pub tick_stopped: bool,
}

impl<'a> Now<'a> {
    pub fn ask<K: Kernel>(table: &'a StateTable, tick: Ns, kernel: &K) -> Self {
        Self {
            table,
            tick,
            disabled: kernel.disabled(),
            latency_req: kernel.latency_req(),
            tick_stopped: kernel.tick_stopped(),
        }
    }

    pub fn enabled(&self, idx: StateIdx) -> bool {
        !self.disabled.contains(idx)
    }

    pub fn target_residency(&self, idx: StateIdx) -> Ns {
        self.table.target_residency(idx)
    }

    /// Whether a stay of `duration` may be chosen: with the tick stopped, nothing but the choice
    /// itself bounds a wrong guess.
    pub fn tick_allows(&self, duration: Ns) -> bool {
        !self.tick_stopped || duration >= self.tick
    }

    /// States shallower than `idx`, deepest first.
    pub fn shallower_than(&self, idx: StateIdx) -> impl Iterator<Item = StateIdx> + use<> {
        (0..idx.number()).rev().map(StateIdx::new)
    }
}

/// Whether polling states count as shallower ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Polling {
    Eligible,
    Skipped,
}

/// The deepest state shallower than `idx` that pays off within `limit`, else the shallowest
/// eligible one, else `idx` (spec teo.md §1.4).
pub(super) fn shallower(now: &Now<'_>, idx: StateIdx, limit: Ns, polling: Polling) -> StateIdx {
    let mut found = idx;
    for shallower in now.shallower_than(idx) {
        let skipped = polling == Polling::Skipped && now.table.is_polling(shallower);
        if skipped || !now.enabled(shallower) {
            continue;
        }
        found = shallower;
        if now.target_residency(shallower) <= limit {
            break;
        }
    }
    found
}

/// The duration expected against the tick.
#[derive(Clone, Copy)]
pub(super) struct TickDecision {
    pub state: StateIdx,
    pub duration: Ns,
    pub tick: Ns,
    pub polling: bool,
    pub stopped: bool,
    pub choice: TickChoice,
}

/// The choice against the retained tick.
#[derive(Clone, Copy)]
pub(super) struct TickCorrection {
    pub from: StateIdx,
    pub target_residency: Ns,
    pub to_event_or_tick: Ns,
    pub to: StateIdx,
}

/// A family's steps for the end of a decision; made by `steps!`.
pub(super) trait EndSteps {
    fn tick_decision(step: TickDecision) -> Self;
    fn tick_correction(step: TickCorrection) -> Self;
}

/// Ends a decision by comparing the duration expected with the tick; a retained tick may come
/// before the choice pays off, and then a state shallower than it, but not than `first`, is taken.
pub(super) fn finish<S: EndSteps, P: Probe<S>>(
    now: &Now<'_>,
    state: StateIdx,
    first: StateIdx,
    duration: Ns,
    to_event_or_tick: Ns,
    probe: &mut P,
) -> Decision {
    let polling = now.table.is_polling(state);
    let retain = (polling || duration < now.tick) && !now.tick_stopped;
    let choice = if retain {
        TickChoice::Retain
    } else {
        TickChoice::Stop
    };
    probe.step(|| {
        S::tick_decision(TickDecision {
            state,
            duration,
            tick: now.tick,
            polling,
            stopped: now.tick_stopped,
            choice,
        })
    });
    let target_residency = now.target_residency(state);
    if !retain || state <= first || target_residency <= to_event_or_tick {
        return Decision { state, tick: choice };
    }
    let to = shallower(now, state, to_event_or_tick, Polling::Eligible);
    probe.step(|| {
        S::tick_correction(TickCorrection {
            from: state,
            target_residency,
            to_event_or_tick,
            to,
        })
    });
    Decision {
        state: to,
        tick: choice,
    }
}

/// The tick rate, per second, that a tick period was rounded from.
pub(super) fn tick_rate(tick: Ns) -> u64 {
    let tick_ns = tick.as_u64().max(1);
    (1_000_000_000 + tick_ns / 2) / tick_ns
}

/// The tick period as kernels that count in microseconds round it from the tick rate.
pub(super) fn tick_in_us(tick: Ns) -> Us {
    let rate = tick_rate(tick);
    Us::from_us_low_bits((1_000_000 + rate / 2).checked_div(rate).unwrap_or_default())
}

/// Whole microseconds, rounded towards zero and kept in 32 bits: a negative time becomes a huge one.
pub(super) fn truncated(time: Ns) -> Us {
    Us::from_us_low_bits((time.as_ns() / 1_000).cast_unsigned())
}
