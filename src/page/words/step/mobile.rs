//! mobile's steps.

use super::Said;
use crate::cpuidle::mobile::{Lost, Step};
use crate::page::words::Speaker;
use crate::units::Ns;

pub(super) fn said(speaker: &Speaker<'_>, step: &Step) -> Said {
    let time = |d| speaker.time(d);
    match *step {
        Step::Sources {
            timer,
            interrupt,
            task,
            stay,
        } => {
            let by = if task == Some(stay) {
                "the mean time to a task"
            } else if interrupt.is_some_and(|interrupt| interrupt < timer || timer < Ns::ZERO) {
                "the predicted interrupt"
            } else {
                "the next timer"
            };
            let or_none = |d: Option<Ns>| d.map_or_else(|| "none".to_owned(), time);
            let math = format!(
                "timer {}, interrupt {}, task {}",
                time(timer),
                or_none(interrupt),
                or_none(task)
            );
            let text = if stay == Ns::MAX {
                "Nothing bounds the stay".to_owned()
            } else {
                format!("{} is expected, by {by}", time(stay))
            };
            Said::new(text, math)
        }
        Step::Limit { latency_req } => Said::new(
            "Only states that wake within the latency limit",
            speaker.named("latency_req", speaker.limit(latency_req)),
        ),
        Step::Considered {
            state,
            exit_latency,
            target_residency,
            left,
            lost,
        } => {
            let name = speaker.state(state);
            let text = match lost {
                None => format!("{name} fits"),
                Some(Lost::Disabled) => format!("{name} is disabled"),
                Some(Lost::TooSlow) => format!("{name} wakes too slowly: stop here"),
                Some(Lost::ExitTooLong) => {
                    format!("{name} takes longer to leave than the stay lasts: stop here")
                }
                Some(Lost::TooShort) => format!("What is left is too short for {name}: stop here"),
            };
            let math = format!(
                "exit latency {}; left {}, residency {}",
                time(exit_latency),
                time(left),
                time(target_residency)
            );
            Said::new(text, math).about([state])
        }
        Step::TickDecision { state, stay, stops } => {
            let name = speaker.state(state);
            let text = if stops {
                format!("Tick: stop it, as for every state but the shallowest ({name})")
            } else {
                format!("Tick: keep it ({name})")
            };
            Said::new(text, format!("expected {}", time(stay))).about([state])
        }
    }
}
