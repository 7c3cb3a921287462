//! haltpoll's steps.

use super::Said;
use crate::cpuidle::haltpoll::Step;
use crate::page::words::Speaker;
use crate::units::Ns;

pub(super) fn said(speaker: &Speaker<'_>, step: &Step) -> Said {
    let time = |d| speaker.time(d);
    match *step {
        Step::Adjusted {
            halted,
            from,
            to,
            max,
        } => {
            let (why, sign) = if halted > max {
                ("longer than polling could pay for", ">")
            } else {
                ("short enough to be polled for", "≤")
            };
            let how = if to > from { "grows" } else { "shrinks" };
            Said::new(
                format!("The last halt was {why}: the window {how}"),
                format!(
                    "halted {} {sign} {}; window {} → {}",
                    time(halted),
                    time(max),
                    time(from),
                    time(to)
                ),
            )
        }
        Step::Limit { latency_req } => Said::new(
            if latency_req == Ns::ZERO {
                "No exit latency is tolerated: poll"
            } else {
                "A latency limit above zero changes nothing here"
            },
            speaker.named("latency_req", speaker.limit(latency_req)),
        ),
        Step::Window { window } => Said::new(
            if window == Ns::ZERO {
                "The window is closed: halt, and stop the tick"
            } else {
                "The window is open"
            },
            speaker.named("poll_limit_ns", time(window)),
        ),
        Step::Polls {
            polled,
            timed_out,
            polls,
        } => {
            let text = match (polls, polled) {
                (false, _) => "Polled to the end of the window: halt now, and stop the tick",
                (true, true) => "The last poll found work in time: poll again, keep the tick",
                (true, false) => "The last period was a halt: poll first, keep the tick",
            };
            Said::new(text, speaker.named("poll_time_limit", timed_out.to_string()))
        }
    }
}
