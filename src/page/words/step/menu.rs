//! menu's steps.

use super::{Said, TickDecision};
use crate::cpuidle::TickChoice;
use crate::cpuidle::menu::{AtOnce, Left, Slots, Source, Step, Verdict};
use crate::page::words::Speaker;
use crate::units::{Ns, StateIdx, Us};

/// What a factor of 1 is stored as.
const UNITY: u32 = 8_192;

pub(super) fn said(speaker: &Speaker<'_>, step: &Step) -> Said {
    let name = |idx: StateIdx| speaker.state(idx);
    let time = |d: Ns| speaker.time(d);
    let estimate = speaker.term("estimate", "predicted_ns");
    match *step {
        Step::Learned {
            measured,
            source,
            next_timer,
            bucket,
            factor_before,
            factor: now,
            interval,
        } => {
            let text = match source {
                Source::Residency => format!("Learned: the last stay counts as {}", time(measured)),
                Source::Tick => format!(
                    "Learned: the tick ended a longer sleep, which counts as {}",
                    time(measured)
                ),
                Source::PollTimeout => format!(
                    "Learned: polling ran into its limit, which counts as {}",
                    time(measured)
                ),
            };
            let math = format!(
                "{}, factor {bucket}: {} → {}, interval {}",
                timer(speaker, next_timer),
                factor(factor_before),
                factor(now),
                us(speaker, interval)
            );
            Said::new(text, math)
        }
        Step::FailedEntry { slot } => Said::new(
            "The last entry failed: nothing is learned, one interval is forgotten",
            format!("interval {slot}"),
        ),
        Step::TimerAsked {
            to_event,
            to_event_or_tick,
        } => speaker.timer_asked(to_event, to_event_or_tick),
        Step::TimerSkipped { typical, limit } => Said::new(
            "The timer is not looked up: the last intervals are short enough",
            speaker.at_most(("typical", typical), ("limit", limit)),
        ),
        Step::Bucket {
            next_timer,
            nr_iowait,
            bucket,
            factor: value,
        } => {
            let io = match nr_iowait {
                0 => String::new(),
                1 => ", 1 task waits for I/O".to_owned(),
                n => format!(", {n} tasks wait for I/O"),
            };
            Said::new(
                format!("Timers this far away are corrected by {}", factor(value)),
                format!("{}{io}: factor {bucket}", timer(speaker, next_timer)),
            )
        }
        Step::AtOnce {
            why,
            next_timer,
            target_residency,
            latency_req,
            exit_latency,
            tick,
        } => {
            let one = name(StateIdx::new(1));
            let (why, math) = match why {
                AtOnce::OneState => ("the table has one state".to_owned(), String::new()),
                AtOnce::NoLatency => (
                    "no exit latency is tolerated".to_owned(),
                    speaker.named("latency_req", speaker.limit(latency_req)),
                ),
                AtOnce::TimerBeforeState1 => (
                    format!("the timer comes before {one} pays off"),
                    speaker.at_least(
                        ("next_timer_ns", next_timer),
                        ("target_residency_ns", target_residency),
                    ),
                ),
                AtOnce::LatencyBelowState1 => (
                    format!("{one} wakes too slowly"),
                    speaker.at_most(("exit_latency_ns", exit_latency), ("latency_req", latency_req)),
                ),
            };
            let tick = match tick {
                TickChoice::Stop => "stop the tick",
                TickChoice::Retain => "keep the tick",
            };
            Said::new(format!("{} at once, {tick}: {why}", name(StateIdx::ZERO)), math)
                .about([StateIdx::ZERO])
        }
        Step::CorrectedTimer {
            next_timer,
            factor: value,
            predicted,
        } if next_timer == Ns::MAX => Said::new(
            "No timer is pending: there is nothing to correct",
            format!("factor {}, predicted {}", factor(value), us(speaker, predicted)),
        ),
        Step::CorrectedTimer {
            next_timer,
            factor: value,
            predicted,
        } => Said::new(
            format!("The timer, corrected, predicts {}", us(speaker, predicted)),
            format!(
                "{} · {}",
                speaker.named("next_timer_ns", time(next_timer)),
                factor(value)
            ),
        ),
        Step::Intervals {
            intervals,
            threshold,
            count,
            shortest,
            longest,
            average,
            variance,
            verdict,
        } => looked_at(
            speaker,
            &Look {
                intervals,
                counts: &|us| us <= threshold,
                left: (count, shortest, longest),
                spread: (average, variance),
            },
            verdict,
        ),
        Step::IntervalsBetween {
            intervals,
            above,
            below,
            count,
            shortest,
            longest,
            average,
            variance,
            verdict,
        } => looked_at(
            speaker,
            &Look {
                intervals,
                counts: &|us| above.is_none_or(|above| us > above) && us < below,
                left: (count, shortest, longest),
                spread: (average, variance),
            },
            verdict,
        ),
        Step::PollOrNot {
            duration,
            limit,
            far,
            allowed,
            state,
        } => {
            let one = name(StateIdx::new(1));
            let text = match (far, allowed) {
                (true, true) => format!("Polling cannot pay: {one} at least"),
                (true, false) => format!("Polling cannot pay, but {one} may not be taken"),
                (false, _) => "Polling may pay: it is what deeper states are compared with".to_owned(),
            };
            let sign = if far { ">" } else { "≤" };
            Said::new(text, format!("{} {sign} {}", time(duration), time(limit))).about([state])
        }
        Step::Predicted {
            timer,
            typical,
            duration,
        } => predicted(speaker, timer, typical, duration),
        Step::TickStopped {
            predicted,
            tick,
            duration,
        } => {
            let text = if duration == predicted {
                "The tick is stopped already; the estimate stands".to_owned()
            } else {
                format!(
                    "The tick is stopped already, so only the timer bounds a wrong guess: expect {}",
                    time(duration)
                )
            };
            let math = speaker.at_least(("predicted_ns", predicted), ("TICK_NSEC", tick));
            Said::new(text, math)
        }
        Step::LatencyLimit {
            duration,
            divisor,
            latency_req,
            limit,
        } => {
            let quotient = match divisor {
                1 => time(duration),
                divisor => format!("{} / {divisor}", time(duration)),
            };
            Said::new(
                format!("States may take {} to wake", speaker.limit(limit)),
                format!(
                    "least of {quotient} and {}",
                    speaker.named("latency_req", speaker.limit(latency_req))
                ),
            )
        }
        Step::Considered {
            state,
            target_residency,
            duration,
            pays_off,
            exit_latency,
            limit,
            allowed,
        } => {
            let text = match (pays_off, allowed) {
                (true, true) => format!("{} pays off", name(state)),
                (true, false) => format!("{} would pay off, but wakes too slowly", name(state)),
                (false, _) => format!("{} does not pay off", name(state)),
            };
            let mut math = speaker.at_most(
                ("target_residency_ns", target_residency),
                ("predicted_ns", duration),
            );
            if !allowed {
                math.push_str(", ");
                math.push_str(&speaker.at_most(("exit_latency_ns", exit_latency), ("latency_req", limit)));
            }
            Said::new(text, math).about([state])
        }
        Step::Left {
            why,
            at,
            state,
            duration,
        } => {
            let text = match why {
                Left::ExitLatency => format!("{} and deeper wake too slowly: {}", name(at), name(state)),
                Left::InsteadOfPolling => format!("{} instead of polling: the timer allows it", name(state)),
                Left::WithinTick => format!("No deeper than {}: less than one tick is expected", name(state)),
                Left::TickRunning => {
                    format!(
                        "No deeper than {}: the tick may yet shorten the stay",
                        name(state)
                    )
                }
                Left::TickStopped => format!("{} with the tick stopped as it is", name(state)),
            };
            Said::new(text, format!("{estimate} {}", time(duration))).about([at, state])
        }
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

/// How far away the next timer was; nothing is called `none` that is a timer nobody has set.
fn timer(speaker: &Speaker<'_>, next_timer: Ns) -> String {
    if next_timer == Ns::MAX {
        return "no timer pending".to_owned();
    }
    format!(
        "timer {}",
        speaker.named("next_timer_ns", speaker.time(next_timer))
    )
}

/// What is expected, and which of the two predictions there were.
fn predicted(speaker: &Speaker<'_>, timer: Option<Us>, typical: Option<Us>, duration: Ns) -> Said {
    let given = |part: Option<Us>| part.filter(|part| *part != Us::MAX);
    let duration = speaker.time(duration);
    match (given(timer), given(typical)) {
        (Some(timer), Some(typical)) => Said::new(
            format!("Expect {duration}, the lesser of timer and intervals"),
            format!("timer {}, typical {}", us(speaker, timer), us(speaker, typical)),
        ),
        (Some(timer), None) => Said::new(
            format!("Expect {duration}, as the timer says: no interval is typical"),
            format!("timer {}", us(speaker, timer)),
        ),
        (None, Some(typical)) => Said::new(
            format!("Expect {duration}, the typical interval: no timer speaks against it"),
            format!("typical {}", us(speaker, typical)),
        ),
        (None, None) => Said::new(
            "Nothing bounds the stay: no timer is known, no interval is typical",
            String::new(),
        ),
    }
}

/// A factor with three decimals: `0.712`.
fn factor(stored: u32) -> String {
    let thousandths = (u64::from(stored) * 1_000 + u64::from(UNITY / 2)) / u64::from(UNITY);
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

fn us(speaker: &Speaker<'_>, us: Us) -> String {
    if us == Us::MAX {
        "none".to_owned()
    } else {
        speaker.time(Ns::from_us(i64::from(us.as_us())))
    }
}

/// One look at the intervals.
struct Look<'a> {
    intervals: Slots,
    /// Whether an interval is among those left.
    counts: &'a dyn Fn(Us) -> bool,
    /// How many are left, the shortest and the longest of them.
    left: (u32, Us, Us),
    /// Average and variance of those left.
    spread: (Us, u64),
}

fn looked_at(speaker: &Speaker<'_>, look: &Look<'_>, verdict: Verdict) -> Said {
    let (count, shortest, longest) = look.left;
    let (average, variance) = look.spread;
    let text = match verdict {
        Verdict::BeyondTimer => "The last intervals are no shorter than the timer's prediction".to_owned(),
        Verdict::NoInformation => "The last intervals say nothing".to_owned(),
        Verdict::Steady => format!(
            "The last intervals are steady: {} is typical",
            us(speaker, average)
        ),
        Verdict::TooFew => "The last intervals vary too much".to_owned(),
        Verdict::DropLongest => "The last intervals vary: leave out the longest".to_owned(),
        Verdict::DropShortest => "The last intervals vary: leave out the shortest".to_owned(),
        Verdict::LongestOfFew => format!(
            "The last intervals vary, and few are left: no longer than {}",
            us(speaker, longest)
        ),
    };
    let list: Vec<String> = look
        .intervals
        .as_slice()
        .iter()
        .map(|interval| match *interval {
            interval if interval == Us::MAX => speaker.style.none().to_owned(),
            interval if !(look.counts)(interval) => format!("({})", interval.as_us()),
            interval => interval.as_us().to_string(),
        })
        .collect();
    let mut math = format!("{} µs; {count} of 8", list.join(" "));
    if count > 0 && shortest != Us::MAX {
        math.push_str(&format!(", {} to {} µs", shortest.as_us(), longest.as_us()));
    }
    if !matches!(verdict, Verdict::BeyondTimer | Verdict::NoInformation) {
        math.push_str(&format!(
            ", average {} µs, variance {variance} µs²",
            average.as_us()
        ));
    }
    Said::new(text, math)
}
