//! Steps of the tick and of the idle loop, around the governor's.

use super::Said;
use crate::cpuidle::TickChoice;
use crate::page::words::{Speaker, cause, number};
use crate::sim::Cause;
use crate::sim::steps::{Handler, LoopStep};
use crate::tick::{Advice, Keep, Settled, Step};
use crate::units::{Ns, Time};

pub(super) fn tick(speaker: &Speaker<'_>, step: &Step) -> Said {
    // "timer 3 ms" or "no timer": "timer none" reads as if one were called so.
    let until = |what: &str, t: Time, from: Time| {
        if t.is_never() {
            format!("no {what}")
        } else {
            format!("{what} {}", speaker.time(t.saturating_since(from)))
        }
    };
    match *step {
        Step::Evaluated {
            keep,
            base,
            wheel,
            next,
            period,
            limit,
            until: stop_until,
        } => {
            let text = match (keep, stop_until) {
                (Keep::None, Some(_)) => "The tick may be stopped until the next event".to_owned(),
                (Keep::None, None) => {
                    "The tick may not be stopped: the next event is within one tick".to_owned()
                }
                (keep, _) => format!("The tick may not be stopped: {}", kept(speaker, keep)),
            };
            let mut math = format!(
                "{}, {}, {} {}",
                until("next event", next, base),
                until("wheel timer", wheel, base),
                speaker.term("tick", "TICK_NSEC"),
                speaker.time(period)
            );
            if !limit.is_never() {
                math.push_str(&format!(", {}", until("timekeeping allows", limit, base)));
            }
            Said::new(text, math)
        }
        Step::SleepLength {
            entry,
            hrtimer,
            tick,
            to_event,
            to_event_or_tick,
        } => {
            let what = speaker.term("Sleep length", "sleep_length_ns");
            Said::new(
                format!(
                    "{what} {}, with the tick {}",
                    speaker.time(to_event),
                    speaker.time(to_event_or_tick)
                ),
                format!(
                    "{}, {}",
                    until("timer", hrtimer, entry),
                    until("tick", tick, entry)
                ),
            )
        }
        Step::Settled { asked, result } => {
            let asked = match asked {
                Some(Advice::Stop) => "asked to stop",
                Some(Advice::Retain) => "asked to keep",
                None => "decided before the governor is asked",
            };
            Said::new(settled(speaker, result), asked)
        }
    }
}

fn settled(speaker: &Speaker<'_>, result: Settled) -> String {
    match result {
        Settled::RetainedAsAsked => "The tick is kept".to_owned(),
        Settled::RetainedImpossible => "The tick is kept: it may never be stopped".to_owned(),
        Settled::RetainedNextEvent => "The tick is kept: the next event is within one tick".to_owned(),
        Settled::RetainedKeepReason(keep) => format!("The tick is kept: {}", kept(speaker, keep)),
        Settled::StoppedNow { .. } => "The tick is stopped".to_owned(),
        Settled::StaysStopped { .. } => "The tick stays stopped".to_owned(),
    }
}

/// Why the kernel needs the tick.
fn kept(speaker: &Speaker<'_>, keep: Keep) -> String {
    let why = match keep {
        Keep::None => "nothing holds it",
        Keep::Rcu => "RCU callbacks are queued",
        Keep::IrqWork => "work waits for its interrupt",
        Keep::Unknown => "held for a reason the trace does not tell",
        Keep::ShortIdle { average, cost } => {
            return format!(
                "the rate limit holds it, {} {} is below {}",
                speaker.term("average idle time", "avg_idle"),
                speaker.time(average),
                speaker.time(cost)
            );
        }
    };
    why.to_owned()
}

pub(super) fn idle_loop(speaker: &Speaker<'_>, step: &LoopStep) -> Said {
    match step {
        LoopStep::Began { inputs, tick } => {
            let text = if tick.stopped {
                "The CPU is still idle, the tick is stopped"
            } else {
                "The CPU has nothing to run"
            };
            let limit = speaker.limit(inputs.latency_req);
            Said::new(
                text,
                format!(
                    "{} {limit}, {} {} (estimated from busy time), tasks waiting for I/O {}",
                    speaker.term("latency limit", "latency_req"),
                    speaker.term("utilisation", "util"),
                    inputs.utilization,
                    inputs.nr_iowait
                ),
            )
        }
        LoopStep::Chose { decision, .. } => {
            let tick = match decision.tick {
                TickChoice::Stop => "stop the tick",
                TickChoice::Retain => "keep the tick",
            };
            Said::new(
                format!("The governor says {}, {tick}", speaker.state(decision.state)),
                String::new(),
            )
            .about([decision.state])
        }
        LoopStep::Entering { state, .. } => match state {
            Some(state) => {
                Said::new(format!("Enter {}", speaker.state(*state)), String::new()).about([*state])
            }
            None => Said::new("Wait without a cpuidle driver", String::new()),
        },
        LoopStep::Handled {
            handler, rescheduled, ..
        } => {
            let what = match handler {
                Handler::Tick => "The tick's handler",
                Handler::Wheel => "A wheel timer",
                Handler::Interrupt(Cause::Timer) => "The timer's handler",
                Handler::Interrupt(Cause::Ipi) => "The handler of another CPU's interrupt",
                Handler::Interrupt(_) => "The interrupt's handler",
            };
            let then = if *rescheduled {
                "a task was woken"
            } else {
                "no task was woken"
            };
            Said::new(format!("{what} ran: {then}"), String::new())
        }
        LoopStep::Ended {
            cause: by,
            residency,
            entered,
            exit,
            ..
        } => Said::new(
            format!("Woken by {} after {}", cause(*by), speaker.time(*residency)),
            number::stamp(*exit, speaker.style),
        )
        .about(*entered),
        LoopStep::LeftIdle { run, .. } => {
            let run = if *run == Ns::MAX {
                String::new()
            } else {
                format!("for {}", speaker.time(*run))
            };
            Said::new("A task runs, the tick is on again", run)
        }
    }
}
