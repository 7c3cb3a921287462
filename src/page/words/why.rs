//! Why a state was not chosen, in words.

use crate::analysis::why::Reason;

/// What kept a state from being chosen.
#[must_use]
pub const fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Disabled => "switched off",
        Reason::ExitLatency => "exit latency over the limit",
        Reason::Timer => "timer comes before it pays off",
        Reason::Prediction => "predicted stay ends before it pays off",
        Reason::Intercepts => "intercepts before it pays off outweigh",
        Reason::Recent => "most of the last wakeups came before it pays off",
        Reason::Load => "demoted: the CPU is busy",
        Reason::TickRetained => "retained tick comes before it pays off",
        Reason::TickStopped => "tick stopped: too shallow to risk",
        Reason::ShortStay => "last stay too short for it",
        Reason::FewStays => "too few long stays in a row",
        Reason::OutOfReach => "out of this governor's reach",
        Reason::PollsFirst => "polls first",
        Reason::PolledOut => "polling window closed or used up",
        Reason::Wakeup => "woken before it pays off",
        Reason::SearchEnded => "search ended at a shallower state",
        Reason::Deeper => "a deeper state was taken",
    }
}
