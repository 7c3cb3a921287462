//! Lines of tools with a shape of their own: rewritten so that one set of argument readers serves all.
//!
//! ```text
//! babeltrace   [ 87.945699968] (+0.000000632) host power:cpu_idle: { cpu_id = 2 }, { state = 1, cpu_id = 2 }
//! perf trace        0.340 (         ): swapper/0 power:cpu_idle(state: 1, cpu_id: 2)
//! bpftrace     47392289790 0 4294967295
//! ```
//!
//! Spec trace-text-formats.md, D5, D7 and D8. Only lines that are no event line of ftrace or perf script come here.
//! Invariant: the rewritten arguments hold nothing that the line does not say; what a format leaves out, such as
//! the recording CPU in `perf trace`, is told by a number that names it, or the line is of no use.

use super::head::{Fault, Head, Layout, Stamp, is_blank};
use super::names;
use super::remark::number;

/// Nanoseconds of a day.
const DAY_NS: i64 = 86_400_000_000_000;

/// A line that was rewritten; its arguments are in the buffer that [`parse`] filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) head: Head<'a>,
    /// Of the event, without its system.
    pub(super) name: &'a [u8],
    /// The stamp is a time of day: it begins again at midnight.
    pub(super) of_day: bool,
}

/// Rewrites a line; none when it is of no such tool.
///
/// # Errors
/// [`Fault::NoCpu`] for an event of `perf trace` that names no CPU.
pub(super) fn parse<'a>(line: &'a [u8], args: &mut Vec<u8>) -> Option<Result<Line<'a>, Fault>> {
    args.clear();
    let first = line.iter().find(|byte| !is_blank(byte))?;
    match first {
        b'[' => babeltrace(line, args).map(Ok),
        b'0'..=b'9' => match log(line, args) {
            Some(found) => Some(Ok(found)),
            None => perf_trace(line, args),
        },
        _ => None,
    }
}

/// The stamp nearest to the one before, when it is a time of day: midnight may lie between.
pub(super) fn unwrapped(of_day: i64, previous: Option<i64>) -> i64 {
    let Some(previous) = previous else { return of_day };
    let days = previous
        .saturating_sub(of_day)
        .saturating_add(DAY_NS / 2)
        .div_euclid(DAY_NS);
    days.checked_mul(DAY_NS)
        .and_then(|days| of_day.checked_add(days))
        .unwrap_or(of_day)
}

fn babeltrace<'a>(line: &'a [u8], args: &mut Vec<u8>) -> Option<Line<'a>> {
    let open = memchr::memchr(b'[', line)?;
    let close = memchr::memchr(b']', line)?;
    let (ns, of_day) = clock(line.get(open + 1..close)?.trim_ascii())?;
    let after = line.get(close + 1..)?;
    let brace = memchr::memmem::find(after, b": {")?;
    let left = after.get(..brace)?;
    // Delta, host and process stand before the name, which holds no blank.
    let start = left.iter().rposition(is_blank).map_or(0, |at| at + 1);
    let name = left.get(start..)?;
    let colon = memchr::memrchr(b':', name).map_or(0, |at| at + 1);
    let name = plain_name(name.get(colon..)?);
    if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let mut cpu = None;
    let mut pid = -1;
    let mut groups = Groups(after.get(brace + 2..)?);
    let mut group = groups.next()?;
    loop {
        let next = groups.next();
        let payload = next.is_none();
        for (key, value) in Fields(group) {
            let key = key.strip_prefix(b"_").unwrap_or(key);
            match key {
                b"cpu_id" if cpu.is_none() => cpu = number(value),
                b"common_pid" => {
                    pid = number(value)
                        .and_then(|pid| i32::try_from(pid).ok())
                        .unwrap_or(-1)
                }
                b"tid" | b"pid" if !payload => {
                    pid = number(value)
                        .and_then(|pid| i32::try_from(pid).ok())
                        .unwrap_or(-1);
                }
                _ => {}
            }
            if payload && !key.starts_with(b"perf_") && !key.starts_with(b"common_") {
                put(args, kernel_key(key), value);
            }
        }
        match next {
            Some(next) => group = next,
            None => break,
        }
    }
    Some(Line {
        head: Head {
            pid,
            cpu: u32::try_from(cpu?).ok()?,
            stamp: Stamp::Seconds { ns, digits: 9 },
            layout: Layout::Babeltrace,
            rest: b"",
        },
        name,
        of_day,
    })
}

/// `87.945699968`, `08:46:31.491351270`, or either with a date before it; whether it begins again at midnight.
fn clock(text: &[u8]) -> Option<(i64, bool)> {
    let (date, time) = match text.iter().rposition(is_blank) {
        Some(blank) => (Some(text.get(..blank)?.trim_ascii()), text.get(blank + 1..)?),
        None => (None, text),
    };
    let point = memchr::memchr(b'.', time)?;
    let (whole, fraction) = (time.get(..point)?, time.get(point + 1..)?);
    if fraction.len() != 9 {
        return None;
    }
    let mut seconds: i64 = 0;
    let mut parts = 0;
    for part in whole.split(|byte| *byte == b':') {
        parts += 1;
        let part = i64::try_from(number(part)?).ok()?;
        if parts > 1 && part > 59 {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
    }
    if parts != 1 && parts != 3 {
        return None;
    }
    if let Some(date) = date {
        seconds = seconds.checked_add(days(date)?.checked_mul(86_400)?)?;
    }
    let ns = seconds
        .checked_mul(1_000_000_000)?
        .checked_add(i64::try_from(number(fraction)?).ok()?)?;
    Some((ns, parts == 3 && date.is_none()))
}

/// Days from 1970-01-01 to `2021-03-04`, in the Gregorian calendar.
fn days(date: &[u8]) -> Option<i64> {
    let mut parts = date.split(|byte| *byte == b'-').map(number);
    let mut part = || parts.next()??.try_into().ok();
    let (year, month, day): (i64, i64, i64) = (part()?, part()?, part()?);
    if !(1970..=2261).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the odd day is their last.
    let (year, month) = if month < 3 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let leap = year / 4 - year / 100 + year / 400;
    Some(365 * year + leap + (153 * month + 2) / 5 + day - 719_469)
}

/// LTTng puts the system before the kernel's name: `power_cpu_idle`, `timer_hrtimer_start`.
fn plain_name(name: &[u8]) -> &[u8] {
    const SYSTEMS: [&[u8]; 5] = [b"power_", b"timer_", b"irq_", b"ipi_", b"x86_irq_vectors_"];
    if names::known(name).is_some() {
        return name;
    }
    let without = SYSTEMS.iter().find_map(|system| name.strip_prefix(*system));
    without
        .filter(|name| names::known(name).is_some())
        .unwrap_or(name)
}

/// LTTng calls the number of a task its tid.
fn kernel_key(key: &[u8]) -> &[u8] {
    match key {
        b"tid" => b"pid",
        b"prev_tid" => b"prev_pid",
        b"next_tid" => b"next_pid",
        key => key,
    }
}

/// Groups in braces, of which some may be within others; a brace in quotes is text.
struct Groups<'a>(&'a [u8]);

impl<'a> Iterator for Groups<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let open = memchr::memchr(b'{', self.0)?;
        let text = self.0.get(open + 1..)?;
        // A line that is cut off has no such end: what stands there is a group nevertheless.
        let end = outside(text, |byte, depth| byte == b'}' && depth == 0).unwrap_or(text.len());
        self.0 = text.get(end + 1..).unwrap_or_default();
        text.get(..end)
    }
}

/// `key = value` between commas.
struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.0.is_empty() {
            let end = outside(self.0, |byte, depth| byte == b',' && depth == 0).unwrap_or(self.0.len());
            let field = self.0.get(..end)?;
            self.0 = self.0.get(end + 1..).unwrap_or_default();
            let Some(equals) = memchr::memchr(b'=', field) else {
                continue;
            };
            let (key, value) = (field.get(..equals)?, field.get(equals + 1..)?);
            return Some((key.trim_ascii(), bare(value.trim_ascii())));
        }
        None
    }
}

/// The first place outside quotes where `stop` says so, told how many brackets are open there.
fn outside(text: &[u8], stop: impl Fn(u8, usize) -> bool) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        if quoted {
            quoted = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
            continue;
        }
        if stop(*byte, depth) {
            return Some(at);
        }
        match byte {
            b'"' => quoted = true,
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A text without its quotes, and the number of a name: `( "ABS" : container = 0 )`.
fn bare(value: &[u8]) -> &[u8] {
    if let Some(text) = value.strip_prefix(b"\"") {
        return text.strip_suffix(b"\"").unwrap_or(text);
    }
    match value
        .strip_prefix(b"(")
        .and_then(|inner| inner.strip_suffix(b")"))
    {
        Some(inner) => memchr::memrchr(b'=', inner)
            .and_then(|at| inner.get(at + 1..))
            .map_or(value, <[u8]>::trim_ascii),
        None => value,
    }
}

fn put(args: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    if !args.is_empty() {
        args.push(b' ');
    }
    args.extend_from_slice(key);
    args.push(b'=');
    args.extend_from_slice(value);
}

fn perf_trace<'a>(line: &'a [u8], args: &mut Vec<u8>) -> Option<Result<Line<'a>, Fault>> {
    let text = line.trim_ascii();
    let blank = text.iter().position(is_blank)?;
    let ns = milliseconds(text.get(..blank)?)?;
    let mut left = text.get(blank..)?.trim_ascii_start();
    // How long a system call took, in a column of its own.
    if let Some(inner) = left.strip_prefix(b"(") {
        let close = memchr::memchr(b')', inner)?;
        left = inner.get(close + 1..)?;
        left = left.strip_prefix(b":").unwrap_or(left).trim_ascii_start();
    }
    let (task, name, inner) = call(left)?;
    let mut inner = inner.strip_suffix(b")").unwrap_or(inner);
    let mut cpu = None;
    while !inner.is_empty() {
        let end = outside(inner, |byte, depth| byte == b',' && depth == 0).unwrap_or(inner.len());
        let field = inner.get(..end)?;
        inner = inner.get(end + 1..).unwrap_or_default();
        let Some(colon) = memchr::memchr(b':', field) else {
            continue;
        };
        let key = field.get(..colon)?.trim_ascii();
        let value = bare(field.get(colon + 1..)?.trim_ascii());
        match key {
            b"cpu_id" => cpu = number(value),
            // The idle task of a CPU has its number in its name.
            b"prev_comm" | b"next_comm" if cpu.is_none() => {
                cpu = value.strip_prefix(b"swapper/").and_then(number);
            }
            _ => {}
        }
        put(args, key, value);
    }
    let Some(cpu) = cpu.and_then(|cpu| u32::try_from(cpu).ok()) else {
        return Some(Err(Fault::NoCpu));
    };
    let pid = if task.starts_with(b"swapper") {
        0
    } else {
        let slash = memchr::memrchr(b'/', task);
        slash
            .and_then(|at| number(task.get(at + 1..)?))
            .and_then(|pid| i32::try_from(pid).ok())
            .unwrap_or(-1)
    };
    Some(Ok(Line {
        head: Head {
            pid,
            cpu,
            stamp: Stamp::Relative { ns },
            layout: Layout::PerfTrace,
            rest: b"",
        },
        name,
        of_day: false,
    }))
}

/// `swapper/0 power:cpu_idle(state: 1`: task, name without its system, what is in brackets.
fn call(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    for open in memchr::memchr_iter(b'(', text).take(16) {
        let left = text.get(..open)?;
        let start = left.iter().rposition(is_blank).map_or(0, |at| at + 1);
        let word = left.get(start..)?;
        let Some(colon) = memchr::memrchr(b':', word) else {
            continue;
        };
        let (system, name) = (word.get(..colon)?, word.get(colon + 1..)?);
        let plain = |text: &[u8]| {
            let letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            !text.is_empty() && text.iter().all(letter)
        };
        if plain(system) && plain(name) {
            return Some((left.get(..start)?.trim_ascii(), name, text.get(open + 1..)?));
        }
    }
    None
}

/// `12.345`, in milliseconds, as nanoseconds.
fn milliseconds(text: &[u8]) -> Option<i64> {
    let point = memchr::memchr(b'.', text)?;
    let (whole, fraction) = (text.get(..point)?, text.get(point + 1..)?);
    if fraction.len() != 3 {
        return None;
    }
    let us = number(whole)?.checked_mul(1000)?.checked_add(number(fraction)?)?;
    i64::try_from(us).ok()?.checked_mul(1000)
}

/// Instant (ns), CPU and state, and nothing else. Any three numbers are no such log: these are numbers that such
/// things have.
fn log<'a>(line: &'a [u8], args: &mut Vec<u8>) -> Option<Line<'a>> {
    /// A machine that traces has been up for this long, ns.
    const UP: u64 = 1_000_000;
    const LAST_CPU: u64 = 4_095;
    /// States that a CPU can have, and what says that it runs again.
    const STATES: std::ops::RangeInclusive<u64> = 0..=15;
    let mut words = line.split(is_blank).filter(|word| !word.is_empty());
    let (at, cpu, state) = (number(words.next()?)?, number(words.next()?)?, words.next()?);
    let exits = state == b"-1" || state == b"4294967295";
    let plausible =
        at >= UP && cpu <= LAST_CPU && (exits || number(state).is_some_and(|state| STATES.contains(&state)));
    if !plausible || words.next().is_some() {
        return None;
    }
    put(args, b"state", state);
    args.extend_from_slice(b" cpu_id=");
    let digits = line.split(is_blank).filter(|word| !word.is_empty()).nth(1)?;
    args.extend_from_slice(digits);
    Some(Line {
        head: Head {
            pid: -1,
            cpu: u32::try_from(cpu).ok()?,
            stamp: Stamp::Seconds {
                ns: i64::try_from(at).ok()?,
                digits: 9,
            },
            layout: Layout::Log,
            rest: b"",
        },
        name: b"cpu_idle",
        of_day: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let mut args = Vec::new();
        let got = match parse(line.as_bytes(), &mut args) {
            None => "none".to_owned(),
            Some(Err(fault)) => format!("{fault:?}"),
            Some(Ok(line)) => format!(
                "{:?} {:?} cpu{} pid {}{} {}: {}",
                line.head.layout,
                line.head.stamp,
                line.head.cpu,
                line.head.pid,
                if line.of_day { " of day" } else { "" },
                String::from_utf8_lossy(line.name),
                String::from_utf8_lossy(&args),
            ),
        };
        assert_eq!(got, expect, "{line}");
    }

    #[test]
    fn babeltrace_lines_of_perf_and_of_lttng_become_the_kernels_own() {
        check(
            "[ 87.945699968] (+?.?????????) power:cpu_idle_miss: { cpu_id = 0 }, { perf_ip = 0xFF, common_pid = 7, cpu_id = 0, state = 2, below = 1 }",
            "Babeltrace Seconds { ns: 87945699968, digits: 9 } cpu0 pid 7 cpu_idle_miss: cpu_id=0 state=2 below=1",
        );
        check(
            "[08:46:31.491351270] (+0.000000632) host power_cpu_idle: { cpu_id = 2 }, { state = 4294967295, cpu_id = 2 }",
            "Babeltrace Seconds { ns: 31591491351270, digits: 9 } cpu2 pid -1 of day cpu_idle: state=4294967295 cpu_id=2",
        );
        check(
            "[2021-03-04 00:00:01.000000000] (+0.000000632) h timer_hrtimer_start: { cpu_id = 1 }, { pid = 5, tid = 6 }, \
             { hrtimer = 0xFF, mode = ( \"ABS, {\" : container = 2 ), tid = 9 }",
            "Babeltrace Seconds { ns: 1614816001000000000, digits: 9 } cpu1 pid 6 hrtimer_start: hrtimer=0xFF mode=2 pid=9",
        );
        check(
            "[ 1.000000000] (+0.1) irq_handler_entry: { cpu_id = 1 }, { irq = 3, name = \"a, b } \\\" c\" }",
            "Babeltrace Seconds { ns: 1000000000, digits: 9 } cpu1 pid -1 irq_handler_entry: irq=3 name=a, b } \\\" c",
        );
        check("[ 1.0] foo: { cpu_id = 1 }", "none");
        check("[    1.000000] dmesg: { no", "none");
        check("[ 1.000000000] foo: { a = 1 }, { b = 2 }", "none");
    }

    #[test]
    fn perf_trace_names_the_cpu_in_its_arguments_or_not_at_all() {
        check(
            "     0.100 swapper/0 power:cpu_idle(state: 1, cpu_id: 2)",
            "PerfTrace Relative { ns: 100000 } cpu2 pid 0 cpu_idle: state=1 cpu_id=2",
        );
        check(
            "  1000.340 (         ): swapper/0 power:cpu_idle(state: 4294967295, cpu_id: 2)",
            "PerfTrace Relative { ns: 1000340000 } cpu2 pid 0 cpu_idle: state=4294967295 cpu_id=2",
        );
        check(
            "     0.341 a (b)/12 sched:sched_switch(prev_comm: \"a (b)\", prev_pid: 12, next_comm: \"swapper/3\", next_pid: 0)",
            "PerfTrace Relative { ns: 341000 } cpu3 pid 12 sched_switch: prev_comm=a (b) prev_pid=12 next_comm=swapper/3 next_pid=0",
        );
        check("     0.350 swapper/0 timer:tick_stop(success: 1)", "NoCpu");
        check(
            "     0.350 ( 0.001 ms): sleep/3 nanosleep(rqtp: 0x7f) = 0",
            "none",
        );
    }

    #[test]
    fn a_log_of_instant_cpu_and_state_is_told_from_any_three_numbers() {
        let log = |state| {
            format!(
                "Log Seconds {{ ns: 47392289790, digits: 9 }} cpu5 pid -1 cpu_idle: state={state} cpu_id=5"
            )
        };
        check("47392289790 5 4294967295", &log("4294967295"));
        check("47392289790\t5  -1", &log("-1"));
        check("47392289790 5 1", &log("1"));
        check("1 2 3", "none");
        check("47392600560 5000 1", "none");
        check("47392600560 0 77", "none");
        check("47392600560 0 1 1", "none");
        check("2026 11 30 was a day", "none");
    }

    #[test]
    fn midnight_lies_between_two_times_of_day() {
        assert_eq!(unwrapped(5, None), 5);
        assert_eq!(unwrapped(5, Some(DAY_NS - 5)), DAY_NS + 5);
        assert_eq!(unwrapped(DAY_NS - 5, Some(DAY_NS + 5)), DAY_NS - 5);
        assert_eq!(unwrapped(5, Some(5 * DAY_NS - 5)), 5 * DAY_NS + 5);
    }
}
