//! What the cpuidle core does around one attempt to enter a state: polling limit, replacement, the rule of misses
//! (spec idle-loop-and-tick.md §2.2 to §2.5, §3).

use super::setup::PollLimit;
use crate::cpuidle::{StateMask, StateTable};
use crate::units::{Ns, StateIdx};

/// Targets below this do not limit polling in the newer rule.
const SHORTEST_LIMITING_TARGET: Ns = Ns::new(10_000);

/// How long polling may go on. A limit that is stored already holds whatever was switched off since.
pub(super) fn poll_limit(
    rule: PollLimit,
    stored: &mut Option<Ns>,
    table: &StateTable,
    disabled: StateMask,
    tick: Ns,
) -> Ns {
    let sixteenth = tick / 16;
    let first_target = |at_least: Ns| {
        table
            .indices()
            .skip(1)
            .filter(|idx| !disabled.contains(*idx))
            .map(|idx| table.target_residency(idx))
            .find(|target| *target >= at_least)
    };
    match rule {
        PollLimit::TickSixteenth => sixteenth,
        PollLimit::FirstTarget => *stored.get_or_insert_with(|| first_target(Ns::ZERO).unwrap_or(tick)),
        PollLimit::FirstTargetBounded => *stored.get_or_insert_with(|| {
            first_target(SHORTEST_LIMITING_TARGET).map_or(sixteenth, |target| target.min(sixteenth))
        }),
    }
}

/// What takes the place of a state whose timer stops when no broadcast timer can be armed: the deepest enabled one,
/// by exit latency, that keeps its timer and is no slower.
pub(super) fn without_timer_stop(table: &StateTable, disabled: StateMask, instead_of: StateIdx) -> StateIdx {
    let limit = table.exit_latency(instead_of);
    let mut best = (Ns::ZERO, StateIdx::ZERO);
    for idx in table.indices().skip(1) {
        let latency = table.exit_latency(idx);
        let stops_timer = table.get(idx).is_some_and(|state| state.timer_stop);
        if !disabled.contains(idx) && !stops_timer && latency > best.0 && latency <= limit {
            best = (latency, idx);
        }
    }
    best.1
}

/// The kernel's verdict over one stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    TooDeep,
    TooShallow,
}

/// Judges a stay of `residency` in `entered`.
pub(super) fn miss(
    table: &StateTable,
    disabled: StateMask,
    entered: StateIdx,
    residency: Ns,
) -> Option<Miss> {
    let enabled = |idx: &StateIdx| !disabled.contains(*idx);
    if residency < table.target_residency(entered) {
        return table
            .indices()
            .take_while(|idx| *idx < entered)
            .any(|idx| enabled(&idx))
            .then_some(Miss::TooDeep);
    }
    let awake_at = residency.saturating_sub(table.exit_latency(entered));
    if awake_at <= Ns::ZERO {
        return None;
    }
    let deeper = table.indices().find(|idx| *idx > entered && enabled(idx))?;
    (awake_at >= table.target_residency(deeper)).then_some(Miss::TooShallow)
}
