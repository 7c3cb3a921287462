//! Governors that never ran in a kernel: the extremes, one state for ever, and those that know the future.
//!
//! They give the scale on which a real governor is read. Those here remember nothing, so the record is the choice
//! itself; the one that expects the last stay again is [`super::LastValue`].
//!
//! | baseline | state | tick |
//! | --- | --- | --- |
//! | shallowest | the shallowest enabled one that does not poll; a polling one only when nothing else is enabled | retain |
//! | deepest | the deepest enabled one whose exit latency is within the limit | stop |
//! | fixed | one state, or the deepest enabled one above it; whatever its exit latency | stop, unless it polls |
//! | last value | see [`super::LastValue`] | stop, when the stay expected reaches one tick |
//! | ideal | the deepest enabled state within the limit whose target residency is not above the time to the wakeup | stop, when the tick would come before the wakeup |
//! | ideal by energy | the enabled state within the limit that costs least until the wakeup, the deepest of equals | as ideal |
//!
//! Where no state qualifies, all take the shallowest enabled state, and
//! state 0 when none is enabled. "Ideal" is ideal by the kernel's own rule
//! (spec idle-loop-and-tick.md §2.4): entered states are then neither too deep
//! nor too shallow, whatever they cost in energy. By energy it is ideal by the
//! break-even model (spec energy.md §3): the two differ where residencies or
//! powers are out of order, or a power was edited.

use super::step::steps;
use super::{Decision, Kernel, StateTable, TickChoice};
use crate::probe::Probe;
use crate::units::{Energy, Ns, StateIdx};

/// Which of the baselines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// Always the shallowest state.
    Shallowest,
    /// Always the deepest state that the latency limit allows.
    Deepest,
    /// Always this state.
    Fixed(StateIdx),
    /// As long as the last stay was, the next will be.
    LastValue,
    /// The deepest state that will have paid off.
    Ideal,
    /// The state that will have cost least.
    IdealByEnergy,
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
    /// The state to be taken always.
    Wanted {
        /// The state.
        state: StateIdx,
        /// The choice: it, or the deepest enabled one above it.
        to: StateIdx,
    },
    /// What the last stay lets expect.
    LastStay {
        /// How long the last pause was; none before the first.
        last: Option<Ns>,
        /// What has passed of this pause, which the tick interrupted.
        passed: Ns,
        /// The next timer's distance.
        sleep_length: Ns,
        /// The stay expected.
        expected: Ns,
    },
    /// The stay expected against the tick.
    TickByStay {
        /// The stay expected.
        expected: Ns,
        /// The tick period.
        tick: Ns,
        /// Whether it reaches that, so that the tick is stopped.
        stops: bool,
    },
    /// What one state would cost until the wakeup.
    Priced {
        /// The state.
        state: StateIdx,
        /// The time to the wakeup.
        stay: Ns,
        /// Entry, stay and exit, by the break-even model.
        energy: Energy,
        /// It is not dearer than those before.
        cheapest: bool,
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
            Self::Fixed(wanted) => fixed(table, kernel, wanted, probe),
            Self::LastValue => shallowest(table, kernel, probe),
            Self::Ideal => {
                let time_to_wakeup = foreseen(kernel, probe);
                let state = deepest_within(table, kernel, time_to_wakeup, probe);
                until_wakeup(state, kernel, time_to_wakeup, probe)
            }
            Self::IdealByEnergy => {
                let time_to_wakeup = foreseen(kernel, probe);
                let state = cheapest(table, kernel, time_to_wakeup, probe);
                until_wakeup(state, kernel, time_to_wakeup, probe)
            }
        }
    }
}

fn fixed<K: Kernel, P: Probe<Step>>(
    table: &StateTable,
    kernel: &K,
    wanted: StateIdx,
    probe: &mut P,
) -> Decision {
    let disabled = kernel.disabled();
    let to = table
        .indices()
        .rev()
        .find(|idx| *idx <= wanted && !disabled.contains(*idx))
        .unwrap_or_else(|| first_enabled(table, kernel));
    probe.step(|| Step::Wanted { state: wanted, to });
    Decision {
        state: to,
        tick: if table.is_polling(to) {
            TickChoice::Retain
        } else {
            TickChoice::Stop
        },
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

fn foreseen<K: Kernel, P: Probe<Step>>(kernel: &K, probe: &mut P) -> Option<Ns> {
    let time_to_wakeup = kernel.time_to_wakeup();
    probe.step(|| Step::Foreseen { time_to_wakeup });
    time_to_wakeup
}

/// The enabled state within the latency limit that costs least until the wakeup, the deepest of equals. A state whose
/// costs are not known is not looked at; without any, the deepest that pays off is taken.
fn cheapest<K: Kernel, P: Probe<Step>>(
    table: &StateTable,
    kernel: &K,
    time_to_wakeup: Option<Ns>,
    probe: &mut P,
) -> StateIdx {
    let latency_req = kernel.latency_req();
    probe.step(|| Step::Limit { latency_req });
    let stay = time_to_wakeup.unwrap_or(Ns::MAX);
    let disabled = kernel.disabled();
    let allowed = |idx: &StateIdx| !disabled.contains(*idx) && table.exit_latency(*idx) <= latency_req;
    let mut least: Option<(StateIdx, Energy)> = None;
    for state in table.indices().filter(allowed) {
        let Some(energy) = kernel.energy(state, stay) else {
            continue;
        };
        let cheapest = least.is_none_or(|(_, least)| energy <= least);
        probe.step(|| Step::Priced {
            state,
            stay,
            energy,
            cheapest,
        });
        if cheapest {
            least = Some((state, energy));
        }
    }
    match least {
        Some((state, _)) => state,
        None => deepest_within(table, kernel, time_to_wakeup, probe),
    }
}

/// The tick is stopped where it would come before the wakeup.
fn until_wakeup<K: Kernel, P: Probe<Step>>(
    state: StateIdx,
    kernel: &mut K,
    time_to_wakeup: Option<Ns>,
    probe: &mut P,
) -> Decision {
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
pub(super) fn deepest_within<K: Kernel, P: Probe<Step>>(
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
