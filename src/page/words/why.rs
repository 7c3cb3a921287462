//! Why a state was not chosen, in words. Too soon and too short mean: before the state has paid off.

use crate::analysis::why::Reason;

/// What kept a state from being chosen.
#[must_use]
pub const fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Disabled => "switched off",
        Reason::ExitLatency => "exit latency over the limit",
        Reason::Timer => "timer comes too soon",
        Reason::Prediction => "predicted stay too short",
        Reason::Intercepts => "intercepts outweigh",
        Reason::Recent => "most recent wakeups too soon",
        Reason::Load => "demoted: the CPU is busy",
        Reason::TickRetained => "retained tick comes too soon",
        Reason::TickStopped => "too shallow with the tick stopped",
        Reason::ShortStay => "last stay too short for it",
        Reason::FewStays => "too few long stays in a row",
        Reason::OutOfReach => "out of this governor's reach",
        Reason::PollsFirst => "polls first",
        Reason::PolledOut => "polling window closed or used up",
        Reason::Wakeup => "woken too soon",
        Reason::SearchEnded => "search ended at a shallower state",
        Reason::Deeper => "a deeper state was taken",
    }
}
