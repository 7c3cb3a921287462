//! What a trace cannot tell, and what each missing event costs in exactness (spec replay-inputs.md §4, §7).
//!
//! One table for the page's card on recording and for the import report, so that the two agree.

use crate::workload::replay::provenance::Gap;

/// Events that may be missing: the gap, which events, what is then unknown, and what that costs.
const EVENTS: [(Gap, &str, &str, &str); 8] = [
    (
        Gap::Timers,
        "hrtimer_start",
        "which timers were pending",
        "no sleep length is exact, and the replay is no more than a guess",
    ),
    (
        Gap::Expiries,
        "hrtimer_expire_entry",
        "when a timer expired",
        "no sleep length is exact, and whether the tick ended a stay is inferred",
    ),
    (
        Gap::WheelTimers,
        "timer_start",
        "kernel timeouts",
        "sleep lengths are exact only while the tick is stopped",
    ),
    (
        Gap::Tasks,
        "sched_switch",
        "which wakeups ran a task",
        "that is inferred, and without hrtimer_start so is the state of the tick",
    ),
    (
        Gap::Interrupts,
        "irq_handler_entry or irq_vectors",
        "what woke a CPU",
        "causes of wakeups are inferred from timers, or unknown",
    ),
    (
        Gap::Raises,
        "ipi_raise",
        "when another CPU's interrupt was raised",
        "the instant of such a wakeup is inferred",
    ),
    (
        Gap::TickStops,
        "tick_stop or hrtimer_start",
        "whether the tick was stopped",
        "its state is unknown in every stay",
    ),
    (
        Gap::Misses,
        "cpu_idle_miss",
        "what the kernel counted as too deep or too shallow",
        "our verdicts cannot be checked",
    ),
];

/// What a missing event costs: the event, and a sentence.
#[must_use]
pub fn costs() -> [(&'static str, String); EVENTS.len()] {
    EVENTS.map(|(_, event, unknown, cost)| (event, format!("{unknown}: {cost}")))
}

/// What cannot be told.
#[must_use]
pub fn words(gap: Gap) -> String {
    if let Some((_, event, unknown, cost)) = EVENTS.iter().find(|(known, ..)| *known == gap) {
        return format!("{unknown} (no {event}): {cost}");
    }
    match gap {
        Gap::Losses => "what happened where events were lost",
        Gap::TickRate => "the tick rate: it was assumed",
        Gap::Memory => "what the governor remembered at the start",
        Gap::KeepReasons => "what held the tick (RCU callbacks and the like), but by its effect",
        Gap::Limits => "tasks waiting for I/O, latency limits, states switched off meanwhile",
        // Those above.
        _ => "",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_event_says_what_it_costs_and_every_gap_has_words() {
        assert_eq!(
            words(Gap::WheelTimers),
            "kernel timeouts (no timer_start): sleep lengths are exact only while the tick is stopped"
        );
        let all = [
            Gap::Timers,
            Gap::WheelTimers,
            Gap::Expiries,
            Gap::Tasks,
            Gap::Interrupts,
            Gap::Raises,
            Gap::TickStops,
            Gap::Misses,
            Gap::Losses,
            Gap::TickRate,
            Gap::Memory,
            Gap::KeepReasons,
            Gap::Limits,
        ];
        for gap in all {
            assert!(!words(gap).is_empty(), "{gap:?}");
        }
    }
}
