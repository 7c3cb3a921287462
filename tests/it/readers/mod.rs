//! The readers: recorded samples against independently made figures, variations by hand, laws.

mod containers;
mod dat;
mod dialects;
mod dumps;
mod errors;
mod expected;
mod laws;
mod mails;
mod perf;
mod perfetto;
mod tables;
mod variations;

use std::fmt::Write as _;

use idlescope::trace::{self, Event, Kind, Trace};
use idlescope::units::Time;

/// A trace as text: a line for what the file is, one per event, one per kind of skipped line.
fn summary(input: &[u8]) -> String {
    match trace::read(input) {
        Ok(trace) => show(&trace),
        Err(error) => format!("error: {error}\n"),
    }
}

fn show(trace: &Trace) -> String {
    let zero = if trace.clock.relative { ", own zero" } else { "" };
    let mut text = format!(
        "{}, {} ns{zero}, {} CPUs\n",
        trace.format.name(),
        trace.clock.resolution_ns,
        trace.cpus
    );
    for event in &trace.events {
        let _ = writeln!(text, "{}", line(trace, event));
    }
    for skip in &trace.report.skipped {
        let _ = writeln!(
            text,
            "{}: {} at {:?}",
            skip.reason.words(),
            skip.lines,
            skip.first_lines
        );
    }
    text
}

fn line(trace: &Trace, event: &Event) -> String {
    let seconds = |time: Time| {
        format!(
            "{}.{:09}",
            time.as_ns() / 1_000_000_000,
            time.as_ns() % 1_000_000_000
        )
    };
    let what = match event.kind {
        Kind::IdleEnter { cpu, state } => format!("{cpu} enters {state}"),
        Kind::IdleExit { cpu } => format!("{cpu} exits"),
        Kind::IdleMiss { cpu, state, miss } => format!("{cpu} misses {state} {miss:?}"),
        Kind::SchedSwitch { prev_pid, next_pid } => format!("switch {prev_pid} to {next_pid}"),
        Kind::SchedWakeup { pid, target } => format!("wakeup {pid} on {target}"),
        Kind::HrtimerStart {
            timer,
            function,
            expires_ns,
        } => {
            let function = function.map_or("?", |id| trace.name(id));
            format!("hrtimer {} {function} {expires_ns}", timer.0)
        }
        Kind::Lost { events } => format!("lost {events:?}"),
        other => format!("{other:?}"),
    };
    format!("{} {} {}: {what}", seconds(event.time), event.cpu, event.pid)
}

/// Reads a text; indentation of the expected lines and a first empty line do not count.
#[track_caller]
fn check(input: &str, expect: &str) {
    let trimmed = |text: &str| -> String {
        text.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(|line| format!("{line}\n"))
            .collect()
    };
    assert_eq!(trimmed(&summary(input.as_bytes())), trimmed(expect));
}
