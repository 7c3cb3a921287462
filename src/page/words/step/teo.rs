//! teo's steps.

use super::booked::{self, Stay};
use super::{Said, TickDecision};
use crate::cpuidle::teo::{Bail, Majority, Step};
use crate::page::words::Speaker;
use crate::units::{Ns, StateIdx};

pub(super) fn said(speaker: &Speaker<'_>, step: &Step) -> Said {
    let name = |idx: StateIdx| speaker.state(idx);
    let time = |d: Ns| speaker.time(d);
    let estimate = speaker.term("estimate", "duration_ns");
    match *step {
        Step::Learned {
            sleep_length,
            measured,
            timer,
            duration,
            booked,
            total,
        } => booked::in_bins(
            speaker,
            &Stay {
                sleep_length,
                measured,
            },
            (timer, duration),
            booked,
            total,
        ),
        Step::LearnedEarly {
            sleep_length,
            measured,
            timer,
            hit,
        } => booked::early(
            speaker,
            &Stay {
                sleep_length,
                measured,
            },
            timer,
            hit,
        ),
        Step::EarlyHits {
            state,
            hits,
            misses,
            early_hits,
            best,
            to,
        } => {
            let (text, sign) = match best {
                Some(_) if to != state => (
                    format!("{} is missed as often as hit: {} instead", name(state), name(to)),
                    "≤",
                ),
                Some(_) => (format!("{} is hit more often than missed", name(state)), ">"),
                None if hits <= misses => (
                    format!(
                        "{} is missed as often as hit, but no state has early hits",
                        name(state)
                    ),
                    "≤",
                ),
                None => (format!("{} is hit more often than missed", name(state)), ">"),
            };
            let math = format!(
                "{} {sign} {}, {}",
                speaker.named("hits", hits),
                speaker.named("misses", misses),
                speaker.named("early_hits", early_hits)
            );
            Said::new(text, math).about([state, to])
        }
        Step::ShortIntervals {
            from,
            count,
            needed,
            average,
            to,
        } => {
            let text = if to != from {
                format!(
                    "Most of the last stays were too short for {}: {} instead",
                    name(from),
                    name(to)
                )
            } else if count > needed {
                format!(
                    "Most of the last stays were too short for {}, but it is kept",
                    name(from)
                )
            } else {
                format!("Few of the last stays were too short for {}", name(from))
            };
            let sign = if count > needed { ">" } else { "≤" };
            Said::new(
                text,
                format!("{count} of 8 {sign} {needed}, average {}", time(average)),
            )
            .about([from, to])
        }
        Step::FullestBin { bin, intercepts } => Said::new(
            format!("The fullest bin is that of {}: the walk must reach it", name(bin)),
            speaker.named("intercepts", intercepts),
        )
        .about([bin]),
        Step::ShortIdles {
            state,
            short_idles,
            total,
            latency_req,
            latency_limit,
            skips,
        } => {
            let text = if skips {
                format!("The timer is not looked up: it cannot matter for {}", name(state))
            } else {
                "Idle times are not mostly short: look up the timer".to_owned()
            };
            let sign = if short_idles.wrapping_mul(2) >= total {
                "≥"
            } else {
                "<"
            };
            let latency = if latency_req < latency_limit { "<" } else { "≥" };
            let math = format!(
                "2·{} {sign} {}; {} {latency} {}",
                speaker.named("short_idles", short_idles),
                speaker.named("total", total),
                speaker.named("latency_req", speaker.limit(latency_req)),
                time(latency_limit)
            );
            Said::new(text, math).about([state])
        }
        Step::InterceptedWithinTick {
            intercepts,
            total,
            majority,
            reached,
            duration,
        } => {
            let (math, sign) = match majority {
                Majority::MoreThanFiveEighths => (format!("5/8 of {total}"), if reached { ">" } else { "≤" }),
                Majority::TwoThirds => (format!("2/3 of {total}"), if reached { "≥" } else { "<" }),
            };
            let text = if reached {
                "Most wakeups come within a tick: expect a short stay"
            } else {
                "Not most wakeups come within a tick"
            };
            let math = format!(
                "{} {sign} {math}, {estimate} {}",
                speaker.named("tick_intercepts", intercepts),
                time(duration)
            );
            Said::new(text, math)
        }
        Step::TimerTooFar {
            from,
            sleep_length,
            safe,
            to,
        } => {
            let text = if from == to {
                format!(
                    "The tick is stopped and the timer far, but nothing deeper than {} fits",
                    name(to)
                )
            } else {
                format!(
                    "The tick is stopped and the timer far: {} instead of {}",
                    name(to),
                    name(from)
                )
            };
            let math = format!(
                "{} > {}",
                speaker.named("sleep_length_ns", time(sleep_length)),
                time(safe)
            );
            Said::new(text, math).about([from, to])
        }
        Step::TimerAsked {
            to_event,
            to_event_or_tick,
        } => speaker.timer_asked(to_event, to_event_or_tick),
        Step::NearTimer {
            target_residency,
            sleep_length,
            first,
        } => {
            let one = StateIdx::new(1);
            let text = if first {
                format!("The timer comes before {} pays off", name(one))
            } else {
                format!("The timer leaves room for {}", name(one))
            };
            let math = speaker.at_least(
                ("sleep_length_ns", sleep_length),
                ("target_residency_ns", target_residency),
            );
            Said::new(text, math).about([one])
        }
        Step::Utilization {
            utilization,
            threshold,
            utilized,
        } => {
            let (text, sign) = if utilized {
                ("The CPU is utilised", ">")
            } else {
                ("The CPU is not utilised", "≤")
            };
            let math = format!(
                "{} {sign} {}",
                speaker.named("util", utilization),
                speaker.named("util_threshold", threshold)
            );
            Said::new(text, math)
        }
        Step::BusyTwoStates { state, duration } => Said::new(
            format!("Utilised with two states: {} at once", name(state)),
            format!("{estimate} {}", time(duration)),
        )
        .about([state]),
        Step::Considered {
            state,
            target_residency,
            sleep_length,
            fits,
            exit_latency,
            latency_req,
            allowed,
        } => {
            let fit = match (sleep_length, fits) {
                // This version starts from the deepest state: why it can be deeper than one that asks first.
                (None, _) => format!(
                    "{} becomes the candidate: the timer is looked at later, if at all",
                    name(state)
                ),
                (Some(_), true) => format!("{} fits the sleep length", name(state)),
                (Some(_), false) => format!("{} does not fit the sleep length", name(state)),
            };
            let slow = if allowed { "" } else { ", but it wakes too slowly" };
            let mut math = sleep_length.map_or_else(
                || speaker.named("target_residency_ns", time(target_residency)),
                |d| speaker.at_most(("target_residency_ns", target_residency), ("sleep_length_ns", d)),
            );
            if !allowed {
                math.push_str(", ");
                math.push_str(
                    &speaker.at_most(("exit_latency_ns", exit_latency), ("latency_req", latency_req)),
                );
            }
            Said::new(fit + slow, math).about([state])
        }
        Step::OnlyState { state, duration } => Said::new(
            format!("Only {} can be chosen", name(state)),
            format!("{estimate} {}", time(duration)),
        )
        .about([state]),
        Step::Intercepts {
            candidate,
            intercepts,
            hits,
            total,
            twice,
            rest,
            percent,
            outweigh,
        } => {
            let (text, sign) = if outweigh {
                (
                    format!(
                        "Intercepts below {} outweigh the rest: look shallower",
                        name(candidate)
                    ),
                    ">",
                )
            } else {
                (
                    format!("Intercepts below {} do not outweigh the rest", name(candidate)),
                    "≤",
                )
            };
            let rest = format!(
                "{} − {} = {rest}",
                speaker.named("total", total),
                speaker.named("hits", hits)
            );
            let intercepts = speaker.named("intercepts", intercepts);
            let math = if percent == 50 {
                format!("2·{intercepts} = {twice} {sign} {rest}")
            } else {
                format!("{intercepts} {sign} {percent} % of {rest}")
            };
            Said::new(text, math).about([candidate])
        }
        Step::Recent {
            recent,
            limit,
            outweigh,
        } => {
            let (text, sign) = if outweigh {
                (
                    "Most of the last 9 wakeups were intercepts below it: look shallower",
                    ">",
                )
            } else {
                ("Few of the last 9 wakeups were intercepts below it", "≤")
            };
            Said::new(
                text,
                format!("{} {sign} {limit}", speaker.named("recent", recent)),
            )
        }
        Step::Walked {
            state,
            intercepts,
            intercepts_of,
            recent,
            recent_of,
            reached,
            enabled,
            tick_allows,
        } => {
            let text = match (enabled, tick_allows, reached) {
                (false, ..) => format!("{} is off", name(state)),
                (true, false, _) => {
                    format!("{} is too short a stay with the tick as it is", name(state))
                }
                (true, true, true) => format!("{} already holds more than half of them", name(state)),
                (true, true, false) => format!("{} does not hold half of them yet", name(state)),
            };
            let sum = |label: &'static str, part: u32, of: Option<u32>| {
                let of = of?;
                let twice = u64::from(part) * 2;
                let sign = if twice > u64::from(of) { ">" } else { "≤" };
                Some(format!("2·{} = {twice} {sign} {of}", speaker.named(label, part)))
            };
            let sums = [
                sum("intercepts", intercepts, intercepts_of),
                sum("recent", recent, recent_of),
            ];
            let math: Vec<String> = sums.into_iter().flatten().collect();
            Said::new(text, math.join(", ")).about([state])
        }
        Step::LookedUp { from, to, duration } => {
            let text = if from == to {
                format!("Keep {}", name(to))
            } else {
                format!("{} instead of {}", name(to), name(from))
            };
            let math = duration.map_or_else(String::new, |d| format!("{estimate} {}", time(d)));
            Said::new(text, math).about([from, to])
        }
        Step::Constrained {
            from,
            deepest_allowed,
            to,
        } => {
            let text = if from == to {
                format!("The latency limit allows {}", name(to))
            } else {
                format!("The latency limit allows {} at most", name(deepest_allowed))
            };
            Said::new(text, String::new()).about([from, to])
        }
        Step::Demoted {
            from,
            found,
            to,
            duration,
        } => {
            let text = if from == to {
                format!(
                    "Utilised, but {} is no improvement: keep {}",
                    name(found),
                    name(to)
                )
            } else {
                format!("Utilised: go one shallower to {}", name(to))
            };
            let math = duration.map_or_else(
                || format!("{estimate} not known yet"),
                |d| format!("{estimate} {}", time(d)),
            );
            Said::new(text, math).about([from, to])
        }
        Step::AskedForBooking { from, sleep_length } => Said::new(
            format!(
                "{} was left, so the timer is asked for only to book this wakeup rightly",
                name(from)
            ),
            speaker.named("sleep_length_ns", time(sleep_length)),
        )
        .about([from]),
        Step::TimerCorrection {
            from,
            target_residency,
            sleep_length,
            to,
        } => {
            let text = if from != to {
                format!("The timer is too near for {}: {} instead", name(from), name(to))
            } else if target_residency <= sleep_length {
                format!("{} pays off before the timer", name(to))
            } else {
                format!(
                    "The timer is too near for {}, but nothing shallower may be taken",
                    name(to)
                )
            };
            let math = speaker.at_most(
                ("target_residency_ns", target_residency),
                ("sleep_length_ns", sleep_length),
            );
            Said::new(text, math).about([from, to])
        }
        Step::MostlyIntercepted {
            intercepts,
            limit,
            exceeds,
            duration,
        } => {
            let (text, sign) = if exceeds {
                ("Most wakeups were intercepts: expect a short stay", ">")
            } else {
                ("Most wakeups were not intercepts", "≤")
            };
            let math = format!(
                "{} {sign} {limit}, {estimate} {}",
                speaker.named("intercepts", intercepts),
                time(duration)
            );
            Said::new(text, math)
        }
        Step::BailedOut { state, why } => Said::new(
            format!("{} and the tick is kept: {}", name(state), bail(speaker, why)),
            String::new(),
        )
        .about([state]),
        Step::TickDecision {
            state,
            duration,
            tick,
            polling,
            stopped,
            choice,
        } => speaker.tick_decision(&TickDecision {
            state,
            duration,
            tick,
            polling,
            stopped,
            choice,
        }),
        Step::TickCorrection {
            from,
            target_residency,
            to_event_or_tick,
            to,
        } => speaker.tick_correction(from, target_residency, to_event_or_tick, to),
    }
}

fn bail(speaker: &Speaker<'_>, why: Bail) -> String {
    let one = speaker.state(StateIdx::new(1));
    match why {
        Bail::OneState => "the table has one state".to_owned(),
        Bail::TimerBeforeState1 => format!("the timer comes before {one} pays off"),
        Bail::BusyTwoStates => "utilised, two states, bins not read".to_owned(),
        Bail::NoneEnabled => "no state is on".to_owned(),
        Bail::Shallowest => "the shallowest, whatever the timer says".to_owned(),
        Bail::ShortIdles => "the timer cannot matter".to_owned(),
        Bail::ShortResidency => "it pays off so early that the timer does not matter".to_owned(),
    }
}
