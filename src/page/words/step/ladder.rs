//! ladder's steps.

use super::Said;
use crate::cpuidle::ladder::Step;
use crate::page::words::Speaker;
use crate::units::Ns;

pub(super) fn said(speaker: &Speaker<'_>, step: &Step) -> Said {
    let name = |idx| speaker.state(idx);
    let time = |d| speaker.time(d);
    match *step {
        Step::Limit { latency_req } => Said::new(
            if latency_req == Ns::ZERO {
                "No exit latency is tolerated: state 0"
            } else {
                "Only states that wake within the latency limit"
            },
            speaker.named("latency_req", speaker.limit(latency_req)),
        ),
        Step::Measured {
            rung,
            residency,
            exit_latency,
        } => {
            let rest = residency.saturating_sub(exit_latency);
            let math = format!(
                "last residency {} − exit latency {} = {}",
                time(residency),
                time(exit_latency),
                time(rest)
            );
            let text = if rest < Ns::ZERO {
                format!(
                    "It stands on {}; the last stay was below the exit latency, which counts as a very long one",
                    name(rung)
                )
            } else {
                format!(
                    "It stands on {}; the last stay is judged without the exit",
                    name(rung)
                )
            };
            Said::new(text, math).about([rung])
        }
        Step::Promotion {
            to,
            threshold,
            exceeds,
            disabled,
            within_limit,
            count,
            needed,
        } => {
            let to_name = name(to);
            let text = if disabled {
                format!("Not deeper: {to_name} is disabled")
            } else if !within_limit {
                format!("Not deeper: {to_name} wakes too slowly")
            } else if !exceeds {
                format!("Not deeper: the rest is too short for {to_name}")
            } else if count >= needed {
                format!("One deeper, to {to_name}: enough long stays in a row")
            } else {
                format!("Long enough for {to_name}, but not often enough yet")
            };
            let sign = if exceeds { ">" } else { "≤" };
            let math = format!("rest {sign} {}, {count} of {needed}", time(threshold));
            Said::new(text, math).about([to])
        }
        Step::Forced {
            disabled,
            exit_latency,
            to,
        } => {
            let why = if disabled {
                "its state is disabled"
            } else {
                "its state wakes too slowly"
            };
            Said::new(
                format!("Back to {}: {why}", name(to)),
                speaker.named("exit_latency_ns", time(exit_latency)),
            )
            .about([to])
        }
        Step::Demotion {
            to,
            threshold,
            below,
            count,
            needed,
        } => {
            let text = if !below {
                format!(
                    "Not shallower: the rest was no shorter than the exit latency ({})",
                    name(to)
                )
            } else if count >= needed {
                format!("One shallower, to {}", name(to))
            } else {
                format!("Short enough for {}, but not often enough yet", name(to))
            };
            let sign = if below { "<" } else { "≥" };
            let math = format!("rest {sign} {}, {count} of {needed}", time(threshold));
            Said::new(text, math).about([to])
        }
        Step::Kept { rung } => Said::new(
            format!("{} is kept; ladder never retains the tick", name(rung)),
            String::new(),
        )
        .about([rung]),
    }
}
