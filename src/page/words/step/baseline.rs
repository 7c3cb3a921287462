//! The baselines' steps.

use super::Said;
use crate::cpuidle::baseline::Step;
use crate::page::words::{Speaker, number};
use crate::units::Ns;

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
        Step::Wanted { state, to } => {
            let text = if state == to {
                format!("Always {}", speaker.state(to))
            } else {
                format!("State {} cannot be had: {}", state.number(), speaker.state(to))
            };
            Said::new(text, String::new()).about([to])
        }
        Step::LastStay {
            last,
            passed,
            sleep_length,
            expected,
        } => {
            let last = last.map_or_else(|| "none".to_owned(), time);
            let text = if expected == sleep_length {
                format!("The next timer comes in {}", time(expected))
            } else if passed > Ns::ZERO {
                format!("The tick interrupted: {} more are expected", time(expected))
            } else {
                format!("As the last pause was: {}", time(expected))
            };
            let math = format!(
                "last {last}, passed {}, {} {}",
                time(passed),
                speaker.term("next timer", "sleep_length_ns"),
                time(sleep_length)
            );
            Said::new(text, math)
        }
        Step::TickByStay {
            expected,
            tick,
            stops,
        } => {
            let text = if stops {
                "Tick: stop it, the stay reaches one tick"
            } else {
                "Tick: keep it, it will ask again if the guess is wrong"
            };
            let sign = if stops { "≥" } else { "<" };
            Said::new(
                text,
                format!(
                    "{} {sign} {}",
                    time(expected),
                    speaker.named("TICK_NSEC", time(tick))
                ),
            )
        }
        Step::Priced {
            state,
            stay,
            energy,
            cheapest,
        } => {
            let verdict = if cheapest {
                "costs least so far"
            } else {
                "costs more"
            };
            let math = format!("{} for {}", number::energy(energy, speaker.style), time(stay));
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
