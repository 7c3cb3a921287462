//! Governors that never ran in a kernel: the two extremes and the one that knows the future.
//!
//! They give the scale on which a real governor is read. None remembers
//! anything, so the record is the choice itself.
//!
//! | baseline | state | tick |
//! | --- | --- | --- |
//! | shallowest | the shallowest enabled one that does not poll; a polling one only when nothing else is enabled | retain |
//! | deepest | the deepest enabled one whose exit latency is within the limit | stop |
//! | ideal | the deepest enabled one within the limit whose target residency is not above the time to the wakeup | stop, when the tick would come before the wakeup |
//!
//! Where no state qualifies, all three take the shallowest enabled state, and
//! state 0 when none is enabled. "Ideal" is ideal by the kernel's own rule
//! (spec idle-loop-and-tick.md §2.4): entered states are then neither too deep
//! nor too shallow, whatever they cost in energy.

use super::step::steps;
use super::{Decision, Kernel, StateTable, TickChoice};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// Which of the baselines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// Always the shallowest state.
    Shallowest,
    /// Always the deepest state that the latency limit allows.
    Deepest,
    /// The deepest state that will have paid off.
    Ideal,
}

steps! {
    /// What a baseline tells about a decision. Durations in ns.
    enum Step;

    /// The limit that holds.
    Limit {
        /// Strictest latency limit.
        latency_req: Ns,
    },
    /// When the CPU will be woken.
    Foreseen {
        /// Time to the wakeup; none when none is in sight.
        time_to_wakeup: Option<Ns>,
    },
    /// One enabled state was looked at.
    Considered {
        /// The state.
        state: StateIdx,
        /// Its exit latency.
        exit_latency: Ns,
        /// Its target residency.
        target_residency: Ns,
        /// Whether it qualifies.
        fits: bool,
    },
    /// The tick against the wakeup.
    TickBeforeWakeup {
        /// Time to the next event, the tick included.
        to_event_or_tick: Ns,
        /// Time to the wakeup; none when none is in sight.
        time_to_wakeup: Option<Ns>,
        /// Whether the tick would end the stay.
        stops: bool,
    },
}

impl Baseline {
    /// Chooses a state and what to do with the tick.
    pub fn select<K: Kernel, P: Probe<Step>>(
        self,
        table: &StateTable,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        match self {
            Self::Shallowest => shallowest(table, kernel, probe),
            Self::Deepest => Decision {
                state: deepest_within(table, kernel, None, probe),
                tick: TickChoice::Stop,
            },
            Self::Ideal => ideal(table, kernel, probe),
        }
    }
}

fn shallowest<K: Kernel, P: Probe<Step>>(table: &StateTable, kernel: &K, probe: &mut P) -> Decision {
    let disabled = kernel.disabled();
    let state = table
        .indices()
        .filter(|idx| !disabled.contains(*idx))
        .find(|idx| {
            let fits = !table.is_polling(*idx);
            probe.step(|| considered(table, *idx, fits));
            fits
        })
        .unwrap_or_else(|| first_enabled(table, kernel));
    Decision {
        state,
        tick: TickChoice::Retain,
    }
}

fn ideal<K: Kernel, P: Probe<Step>>(table: &StateTable, kernel: &mut K, probe: &mut P) -> Decision {
    let time_to_wakeup = kernel.time_to_wakeup();
    probe.step(|| Step::Foreseen { time_to_wakeup });
    let state = deepest_within(table, kernel, time_to_wakeup, probe);
    let to_event_or_tick = kernel.sleep_length().to_event_or_tick;
    let stops = time_to_wakeup.is_none_or(|time| to_event_or_tick < time);
    probe.step(|| Step::TickBeforeWakeup {
        to_event_or_tick,
        time_to_wakeup,
        stops,
    });
    Decision {
        state,
        tick: if stops {
            TickChoice::Stop
        } else {
            TickChoice::Retain
        },
    }
}

/// The deepest enabled state within the latency limit and, if given, within `stay`.
fn deepest_within<K: Kernel, P: Probe<Step>>(
    table: &StateTable,
    kernel: &K,
    stay: Option<Ns>,
    probe: &mut P,
) -> StateIdx {
    let latency_req = kernel.latency_req();
    probe.step(|| Step::Limit { latency_req });
    let disabled = kernel.disabled();
    table
        .indices()
        .rev()
        .filter(|idx| !disabled.contains(*idx))
        .find(|idx| {
            let fits = table.exit_latency(*idx) <= latency_req
                && stay.is_none_or(|stay| table.target_residency(*idx) <= stay);
            probe.step(|| considered(table, *idx, fits));
            fits
        })
        .unwrap_or_else(|| first_enabled(table, kernel))
}

fn first_enabled<K: Kernel>(table: &StateTable, kernel: &K) -> StateIdx {
    let disabled = kernel.disabled();
    table
        .indices()
        .find(|idx| !disabled.contains(*idx))
        .unwrap_or_default()
}

fn considered(table: &StateTable, state: StateIdx, fits: bool) -> Step {
    Step::Considered {
        state,
        exit_latency: table.exit_latency(state),
        target_residency: table.target_residency(state),
        fits,
    }
}
