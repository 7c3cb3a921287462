//! The baselines' steps.

use super::Said;
use crate::cpuidle::baseline::Step;
use crate::page::words::Speaker;

pub(super) fn said(speaker: &Speaker<'_>, step: &Step) -> Said {
    let time = |d| speaker.time(d);
    match *step {
        Step::Limit { latency_req } => Said::new(
            "Only states that wake within the latency limit",
            speaker.named("latency_req", speaker.limit(latency_req)),
        ),
        Step::Foreseen { time_to_wakeup } => Said::new(
            match time_to_wakeup {
                Some(d) => format!("The wakeup will come in {}", time(d)),
                None => "No wakeup is in sight".to_owned(),
            },
            String::new(),
        ),
        Step::Considered {
            state,
            exit_latency,
            target_residency,
            fits,
        } => {
            let verdict = if fits { "qualifies" } else { "does not qualify" };
            let math = format!(
                "exit latency {}, residency {}",
                time(exit_latency),
                time(target_residency)
            );
            Said::new(format!("{} {verdict}", speaker.state(state)), math).about([state])
        }
        Step::TickBeforeWakeup {
            to_event_or_tick,
            time_to_wakeup,
            stops,
        } => {
            let text = if stops {
                "Tick: stop it, it would come before the wakeup"
            } else {
                "Tick: keep it, the wakeup comes first"
            };
            let wakeup = time_to_wakeup.map_or_else(|| "none".to_owned(), time);
            Said::new(text, format!("tick {}, wakeup {wakeup}", time(to_event_or_tick)))
        }
    }
}
