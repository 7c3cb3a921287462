//! The left part of an event line: task, CPU, stamp. One tolerant tokenizer for all layouts.
//!
//! ```text
//! ftrace, trace-cmd   comm-pid  (tgid) [cpu] flags  sec.frac:         event: args
//! perf script         comm  pid/tid    [cpu]        sec.frac:  system:event: args
//! latency-format      comm-pid     cpuflags         123us+ :          event: args
//! latency verbose     comm pid cpu flags ... [hex]  0.100ms (+0.2ms): event: args
//! ```
//!
//! A task name may hold blanks, brackets, colons and `-1`, so nothing is decided from the left:
//! the CPU bracket is the first one that is followed by a stamp, and the pid is read backwards
//! from there (spec trace-text-formats.md, D1–D4).

use memchr::{memchr, memchr_iter};

/// What stands before the event's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head<'a> {
    /// 0 idle task, -1 not said.
    pub(super) pid: i32,
    pub(super) cpu: u32,
    pub(super) stamp: Stamp,
    pub(super) layout: Layout,
    /// From the event's name on.
    pub(super) rest: &'a [u8],
}

/// Which of the drawings above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Ftrace,
    Latency,
    Perf,
    /// The three of [`super::dialect`].
    Babeltrace,
    PerfTrace,
    Log,
}

impl Layout {
    /// In the order of their numbers.
    pub(super) const ALL: [Self; 6] = [
        Self::Ftrace,
        Self::Latency,
        Self::Perf,
        Self::Babeltrace,
        Self::PerfTrace,
        Self::Log,
    ];

    /// What the report calls lines of it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ftrace => "ftrace",
            Self::Latency => "ftrace latency-format",
            Self::Perf => "perf script",
            Self::Babeltrace => "babeltrace",
            Self::PerfTrace => "perf trace",
            Self::Log => "bpftrace log",
        }
    }
}

/// A stamp as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Seconds with this many digits after the point.
    Seconds { ns: i64, digits: u8 },
    /// Microseconds since the trace's first event.
    Relative { ns: i64 },
    /// A bare integer: not a time. Its column, from 0.
    Bare { value: u64, at: usize },
}

/// Why a line has no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing of it looks like an event line.
    NotAnEvent,
    /// Task and CPU stand there, but no stamp at this column (from 0).
    NoStamp { at: usize },
    /// The stamp at this column (from 0) is later than [`LAST_SECOND`].
    LateStamp { at: usize },
    /// A stamp and an event stand there, but no CPU.
    NoCpu,
    /// Begins with a piece of another line: a reader was cut off there.
    CutOff,
}

/// Splits a line.
#[inline]
pub(super) fn parse(line: &[u8]) -> Result<Head<'_>, Fault> {
    match bracketed(line) {
        Ok((head, _)) => Ok(head),
        Err(Fault::CutOff) => Err(Fault::CutOff),
        Err(fault) => unbracketed(line, fault),
    }
}

/// The arguments without a second line that follows at once, since a reader was cut off.
pub(super) fn before_next_line(args: &[u8]) -> Option<&[u8]> {
    match bracketed(args) {
        Ok((_, open)) => args.get(..open),
        Err(Fault::CutOff) => memchr(b'[', args).and_then(|open| args.get(..open)),
        Err(_) => None,
    }
}

#[inline]
fn bracketed(line: &[u8]) -> Result<(Head<'_>, usize), Fault> {
    let mut fault = Fault::NotAnEvent;
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|tail| memchr(b'[', tail)) {
        let open = from + found;
        from = open + 1;
        let Some((cpu, close)) = digits(line, open + 1) else {
            continue;
        };
        if line.get(close) != Some(&b']') || !line.get(close + 1).is_some_and(is_blank) {
            continue;
        }
        let token = skip_blanks(line, close + 1);
        let mut at = token;
        let mut found = stamp(line, at);
        if found.is_none() {
            let end = token_end(line, token);
            if (3..=8).contains(&(end - token)) {
                at = skip_blanks(line, end);
                found = stamp(line, at);
            }
        }
        let Some((stamp, end)) = found else {
            if fault == Fault::NotAnEvent
                && line.get(at..).is_some_and(|t| memchr(b':', t).is_some())
                && let (Some(left), true) = (line.get(..open), at < line.len())
                && task(left).0 != Pid::Unknown
            {
                fault = if is_late(line, at) {
                    Fault::LateStamp { at }
                } else {
                    Fault::NoStamp { at }
                };
            }
            continue;
        };
        let rest = rest(line, end);
        let perf = is_perf(rest);
        let (pid, bare, name) = task(line.get(..open).unwrap_or_default());
        if name.len() > NAME_COLUMNS && is_run_into(name) {
            return Err(Fault::CutOff);
        }
        let pid = match (pid, bare, perf) {
            // A bare number is perf's pid, or the old print-tgid patch's group.
            (Pid::Dashed(pid), None, _) | (Pid::Dashed(pid), Some(_), false) => pid,
            (_, Some(bare), _) => bare,
            (Pid::Idle, None, _) => 0,
            (Pid::Unknown, None, _) => -1,
        };
        let layout = if perf { Layout::Perf } else { Layout::Ftrace };
        let cpu = u32::try_from(cpu).unwrap_or(u32::MAX);
        let head = Head {
            pid,
            cpu,
            stamp,
            layout,
            rest,
        };
        return Ok((head, open));
    }
    Err(fault)
}

/// A task's name is right-aligned in so many columns, the dash counted.
const NAME_COLUMNS: usize = 17;
/// The kernel cuts task names to so many bytes.
const NAME_BYTES: usize = 15;

/// Whether more than one task's name stands before the pid: too long for a name, and with the
/// blanks of a column inside.
#[cold]
fn is_run_into(name: &[u8]) -> bool {
    let plain = super::mail::unquoted(name);
    let mut name = plain.trim_ascii();
    // `trace.dat:`, `guest:` in front when trace-cmd merges files.
    let first = token_end(name, 0);
    if name.get(..first).is_some_and(|word| word.ends_with(b":")) {
        name = name.get(skip_blanks(name, first)..).unwrap_or_default();
    }
    name.len() > NAME_BYTES + 1 && memchr::memmem::find(name, b"   ").is_some()
}

/// Latency-format, both forms, and `trace-cmd report -l`.
#[cold]
fn unbracketed(line: &[u8], fault: Fault) -> Result<Head<'_>, Fault> {
    if let Some(head) = verbose(line) {
        return Ok(head);
    }
    let mut fault = fault;
    // Kernel task names are at most 15 bytes long, so a few colons at most stand before the stamp's.
    for colon in memchr_iter(b':', line).take(16) {
        if !line.get(colon + 1).is_none_or(is_blank) {
            continue;
        }
        let Some((stamp, start)) = stamp_before(line, colon) else {
            continue;
        };
        let left = trim_end(line.get(..start).unwrap_or_default());
        let word = last_word(left);
        let rest = rest(line, colon + 1);
        let Some((cpu, flags)) = digits(left, word) else {
            if is_perf(rest) || event(rest).is_some() {
                fault = Fault::NoCpu;
            }
            continue;
        };
        if !(3..=8).contains(&(left.len() - flags)) || left.get(flags).is_none_or(u8::is_ascii_digit) {
            if is_perf(rest) {
                fault = Fault::NoCpu;
            }
            continue;
        }
        let (pid, ..) = task(left.get(..word).unwrap_or_default());
        let Pid::Dashed(pid) = pid else { continue };
        let cpu = u32::try_from(cpu).unwrap_or(u32::MAX);
        return Ok(Head {
            pid,
            cpu,
            stamp,
            layout: Layout::Latency,
            rest,
        });
    }
    Err(fault)
}

/// `<idle>       0   2 0 00000000 00000001 [000012ab] 0.100ms (+0.240ms): cpu_idle: ...`
fn verbose(line: &[u8]) -> Option<Head<'_>> {
    let sign = memchr::memmem::find(line, b"ms (+")?;
    let close = line.get(..sign)?.iter().rposition(|byte| *byte == b']')?;
    let (millis, point) = digits(line, skip_blanks(line, close + 1))?;
    if line.get(point) != Some(&b'.') {
        return None;
    }
    let (thousandths, end) = digits(line, point + 1)?;
    if end != sign || end - point != 4 {
        return None;
    }
    let us = i64::try_from(millis)
        .ok()?
        .checked_mul(1000)?
        .checked_add(i64::try_from(thousandths).ok()?)?;
    let ns = us.checked_mul(1000)?;
    let colon = sign + memchr::memmem::find(line.get(sign..)?, b"ms):")?;
    let open = line.get(..close)?.iter().rposition(|byte| *byte == b'[')?;
    let mut words = line.get(..open)?.rsplit(is_blank).filter(|word| !word.is_empty());
    let cpu = whole(words.nth(3)?)?;
    let pid = whole(words.next()?)?;
    Some(Head {
        pid: i32::try_from(pid).ok()?,
        cpu: u32::try_from(cpu).ok()?,
        stamp: Stamp::Relative { ns },
        layout: Layout::Latency,
        rest: rest(line, colon + 4),
    })
}

/// Name without system and colon, and the arguments.
#[inline]
pub(super) fn event(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut name, mut args) = word(rest);
    if !name.ends_with(b":") && !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        // perf prints a period or a weight in front when asked to.
        (name, args) = word(args);
    }
    let name = name.strip_suffix(b":")?;
    let (mut start, mut graphic) = (0, true);
    for (at, byte) in name.iter().enumerate() {
        if *byte == b':' {
            (start, graphic) = (at + 1, true);
        } else {
            graphic &= byte.is_ascii_graphic();
        }
    }
    let name = name.get(start..)?;
    let plausible = graphic && !name.is_empty() && name.len() <= 64;
    plausible.then_some((name, args))
}

/// Whether the name has the columns of `trace-cmd report`: blanks up to the arguments.
#[inline]
pub(super) fn is_padded(rest: &[u8], args: &[u8]) -> bool {
    let name = rest.len().saturating_sub(args.len());
    rest.get(..name).is_some_and(|name| name.ends_with(b"  "))
}

#[inline]
fn is_perf(rest: &[u8]) -> bool {
    // A name without system: its colon is the first one, and a blank follows.
    let colon = memchr(b':', rest);
    if colon.is_none_or(|at| rest.get(at + 1).is_none_or(is_blank)) {
        return false;
    }
    let (mut name, args) = word(rest);
    if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        (name, _) = word(args);
    }
    name.strip_suffix(b":")
        .and_then(|name| memchr(b':', name))
        .is_some_and(|at| at > 0)
}

/// First word and what follows it, without blanks between.
#[inline]
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = token_end(text, 0);
    let next = skip_blanks(text, end);
    (
        text.get(..end).unwrap_or_default(),
        text.get(next..).unwrap_or_default(),
    )
}

/// The text after a stamp's colon, without the time difference of `--ts-diff`.
#[inline]
fn rest(line: &[u8], from: usize) -> &[u8] {
    let rest = line.get(skip_blanks(line, from)..).unwrap_or_default();
    if rest.starts_with(b"(+")
        && let Some(close) = memchr(b')', rest)
    {
        return rest.get(skip_blanks(rest, close + 1)..).unwrap_or_default();
    }
    rest
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pid {
    /// After a dash.
    Dashed(i32),
    /// No number, but the name of the idle task.
    Idle,
    Unknown,
}

/// The task at the end of `left`: dashed pid, the bare number to the right of it, and what stands
/// left of the pid.
#[inline]
fn task(left: &[u8]) -> (Pid, Option<i32>, &[u8]) {
    let mut left = trim_end(left);
    if left.ends_with(b")") {
        // Thread group: `(-----)`, `(  123)`.
        let Some(open) = left.iter().rposition(|byte| *byte == b'(') else {
            return (Pid::Unknown, None, left);
        };
        left = trim_end(left.get(..open).unwrap_or_default());
    }
    let (number, before) = number_before(left);
    match (number, before.last()) {
        (Some(pid), Some(b'-')) => (Pid::Dashed(pid), None, before),
        (Some(tid), Some(b'/')) => (Pid::Unknown, Some(tid), number_before(trim_slash(before)).1),
        (Some(bare), Some(byte)) if is_blank(byte) => {
            let (number, dashed) = number_before(trim_end(before));
            match (number, dashed.last()) {
                (Some(pid), Some(b'-')) if dashed.len() > 1 => (Pid::Dashed(pid), Some(bare), dashed),
                _ => (Pid::Unknown, Some(bare), before),
            }
        }
        (Some(bare), None) => (Pid::Unknown, Some(bare), before),
        _ if left.ends_with(b"swapper") || left.ends_with(b"<idle>") => (Pid::Idle, None, left),
        _ => (Pid::Unknown, None, left),
    }
}

fn trim_slash(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"/").unwrap_or(text)
}

#[inline]
fn number_before(text: &[u8]) -> (Option<i32>, &[u8]) {
    let start = text
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let number = text
        .get(start..)
        .and_then(whole)
        .and_then(|pid| i32::try_from(pid).ok());
    (number, text.get(..start).unwrap_or_default())
}

/// A stamp that starts at `at` and ends with a colon before a blank; where the colon ends.
#[inline]
fn stamp(line: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (whole, end) = digits(line, at)?;
    let (stamp, colon) = match line.get(end)? {
        b'.' => {
            let (fraction, colon) = digits(line, end + 1)?;
            (seconds(whole, fraction, colon - end - 1)?, colon)
        }
        b':' => (Stamp::Bare { value: whole, at }, end),
        _ => return None,
    };
    let ends = line.get(colon) == Some(&b':') && line.get(colon + 1).is_none_or(is_blank);
    ends.then_some((stamp, colon + 1))
}

/// A stamp that ends right before the colon at `colon`, and where it starts.
fn stamp_before(line: &[u8], colon: usize) -> Option<(Stamp, usize)> {
    let left = line.get(..colon)?;
    let unmarked = left
        .iter()
        .rposition(|byte| !b" \t$@*#!+".contains(byte))
        .map_or(0, |at| at + 1);
    if let Some(number) = left.get(..unmarked)?.strip_suffix(b"us") {
        let start = number
            .iter()
            .rposition(|byte| !byte.is_ascii_digit())
            .map_or(0, |at| at + 1);
        let us = whole(number.get(start..)?)?;
        return Some((
            Stamp::Relative {
                ns: i64::try_from(us).ok()?.checked_mul(1000)?,
            },
            start,
        ));
    }
    let start = last_word(left);
    let (stamp, end) = stamp(line, start)?;
    (end == colon + 1 && matches!(stamp, Stamp::Seconds { .. })).then_some((stamp, start))
}

#[inline]
fn seconds(whole: u64, fraction: u64, digits: usize) -> Option<Stamp> {
    const SCALE: [i64; 10] = [
        1_000_000_000,
        100_000_000,
        10_000_000,
        1_000_000,
        100_000,
        10_000,
        1000,
        100,
        10,
        1,
    ];
    let scale = SCALE.get(digits)?;
    let fraction = i64::try_from(fraction).ok()? * scale;
    let ns = i64::try_from(whole)
        .ok()?
        .checked_mul(1_000_000_000)?
        .checked_add(fraction)?;
    Some(Stamp::Seconds {
        ns,
        digits: u8::try_from(digits).ok()?,
    })
}

/// The last whole second that nanoseconds in 64 bits can count.
pub(super) const LAST_SECOND: i64 = i64::MAX / 1_000_000_000;

/// Whether what stands at `at` is shaped like a stamp: only the number of its seconds is none.
#[cold]
fn is_late(line: &[u8], at: usize) -> bool {
    let number = |from: usize| {
        let tail = line.get(from..).unwrap_or_default();
        let len = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = tail.get(..len).filter(|digits| !digits.is_empty())?;
        Some((whole(digits), from + len))
    };
    let Some((seconds, point)) = number(at).filter(|(_, end)| line.get(*end) == Some(&b'.')) else {
        return false;
    };
    let colon = number(point + 1).map(|(_, end)| end);
    let last = u64::try_from(LAST_SECOND).unwrap_or(u64::MAX);
    seconds.is_none_or(|seconds| seconds >= last)
        && colon.is_some_and(|at| line.get(at) == Some(&b':') && line.get(at + 1).is_none_or(is_blank))
}

/// A decimal number at `at` and where it ends; at most 19 digits.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let tail = text.get(at..)?;
    let mut value = 0_u64;
    let mut count = 0;
    for byte in tail {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        if count == 19 {
            return None;
        }
        value = value * 10 + u64::from(digit);
        count += 1;
    }
    (count > 0).then_some((value, at + count))
}

fn whole(text: &[u8]) -> Option<u64> {
    let (value, end) = digits(text, 0)?;
    (end == text.len()).then_some(value)
}

#[inline]
pub(super) fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[inline]
fn skip_blanks(text: &[u8], at: usize) -> usize {
    let tail = text.get(at..).unwrap_or_default();
    at + tail.iter().position(|byte| !is_blank(byte)).unwrap_or(tail.len())
}

#[inline]
fn token_end(text: &[u8], at: usize) -> usize {
    let tail = text.get(at..).unwrap_or_default();
    at + tail.iter().position(is_blank).unwrap_or(tail.len())
}

#[inline]
pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(0, |at| at + 1);
    text.get(..end).unwrap_or_default()
}

fn last_word(text: &[u8]) -> usize {
    text.iter().rposition(is_blank).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let got = match parse(line.as_bytes()) {
            Ok(head) => {
                let stamp = match head.stamp {
                    Stamp::Seconds { ns, digits } => format!("{ns}/{digits}"),
                    Stamp::Relative { ns } => format!("+{ns}"),
                    Stamp::Bare { value, .. } => format!("bare {value}"),
                };
                let rest = String::from_utf8_lossy(head.rest);
                format!(
                    "{:?} pid {} cpu {} at {stamp}: {rest}",
                    head.layout, head.pid, head.cpu
                )
            }
            Err(fault) => format!("{fault:?}"),
        };
        assert_eq!(got, expect, "{line}");
    }

    #[test]
    fn every_layout_of_ftrace_gives_task_cpu_and_stamp() {
        let idle = "Ftrace pid 0 cpu 2 at 812000100000/6: e: x";
        check("          <idle>-0       [002] d..1.   812.000100: e: x", idle);
        check("          <idle>-0     [002] d..1   812.000100: e: x", idle);
        check("          <idle>-0     [002] d..1..1   812.000100: e: x", idle);
        check("          <idle>-0     [002]   812.000100: e: x", idle);
        check(
            "          <idle>-0     (-----) [002] .n.1   812.000100: e: x",
            idle,
        );
        check(
            "          <idle>-0       (-------) [002] .n.1   812.000100: e: x",
            idle,
        );
        check("<idle>-0 [002] 812.000100: e: x", idle);
        check("> > <idle>-0 [002] 812.000100: e: x", idle);
        check(
            "a b-7 [112] d.h1. 0.5: e: x",
            "Ftrace pid 7 cpu 112 at 500000000/1: e: x",
        );
        check(
            "a-1234567 (  12345) [1023] 1.123456789: e:",
            "Ftrace pid 1234567 cpu 1023 at 1123456789/9: e:",
        );
        check(
            "a-12  345 [000] d..1 1.0: e: x",
            "Ftrace pid 12 cpu 0 at 1000000000/1: e: x",
        );
    }

    #[test]
    fn a_task_may_have_any_name() {
        let ten = "Ftrace pid 10 cpu 1 at 1000000000/1: e: x";
        check("a [3] b-10 [001] d..1 1.0: e: x", ten);
        check("[000]-10 [001] d..1 1.0: e: x", ten);
        check("x: y-10 [001] d..1 1.0: e: x", ten);
        check("<...>-10 [001] d..1 1.0: e: x", ten);
        check("a-5-10 [001] d..1 1.0: e: x", ten);
        check("--10 [001] d..1 1.0: e: x", ten);
        check("(a) (b)-10 [001] d..1 1.0: e: x", ten);
    }

    #[test]
    fn perf_gives_the_thread() {
        let line = "         swapper     0 [002]   812.000340121:      power:cpu_idle: x";
        check(line, "Perf pid 0 cpu 2 at 812000340121/9: power:cpu_idle: x");
        check(
            "a b 3/4 [000] 1.0: s:e: x",
            "Perf pid 4 cpu 0 at 1000000000/1: s:e: x",
        );
        check(
            "a-3  12 [000] 1.0: s:e: x",
            "Perf pid 12 cpu 0 at 1000000000/1: s:e: x",
        );
        check(
            "a  12 [000] 1.0:   1 s:e: x",
            "Perf pid 12 cpu 0 at 1000000000/1: 1 s:e: x",
        );
        check(
            "swapper [000] 1.0: s:e: x",
            "Perf pid 0 cpu 0 at 1000000000/1: s:e: x",
        );
        check("swapper 0 1.0: power:cpu_idle: x", "NoCpu");
    }

    #[test]
    fn latency_format_counts_from_its_own_zero() {
        let line = "  <idle>-0         1d.h.. 31210us+: e: x";
        check(line, "Latency pid 0 cpu 1 at +31210000: e: x");
        check(
            "  <idle>-0         2dn.1.  340us : e: x",
            "Latency pid 0 cpu 2 at +340000: e: x",
        );
        check(
            "   a: b-7        112..... 0us!: e: x",
            "Latency pid 7 cpu 112 at +0: e: x",
        );
        let line = "  <idle>-0       2d..1.   812.000100: e: x";
        check(line, "Latency pid 0 cpu 2 at 812000100000/6: e: x");
        let line = "          <idle>       0   2 0 00000000 00000001 [000012ab] 0.100ms (+0.240ms): e: x";
        check(line, "Latency pid 0 cpu 2 at +100000: e: x");
    }

    #[test]
    fn what_is_missing_is_named() {
        check(
            "<idle>-0 [002] d..1. 8l2.000341: cpu_idle: x",
            "NoStamp { at: 21 }",
        );
        check(
            "<idle>-0 [002] d..1. 42: e: x",
            "Ftrace pid 0 cpu 2 at bare 42: e: x",
        );
        check("# tracer: nop", "NotAnEvent");
        check("", "NotAnEvent");
        check("[", "NotAnEvent");
        check(
            "   ping-222 [002] .....    <idle>-0  [002] dNh.. 84.2: e: x",
            "CutOff",
        );
        check(
            "   <idl           sleep-228     [000] dNs..    85.1: e: x",
            "CutOff",
        );
        check(
            "guest:          <idle>-0 [000] d..1.    1.0: e: x",
            "Ftrace pid 0 cpu 0 at 1000000000/1: e: x",
        );
        check("a-1 [0] 99999999999999999999.0: e: x", "LateStamp { at: 8 }");
        check("a-1 [0] 9223372036.9: e: x", "LateStamp { at: 8 }");
        check("a-1 [0] d..1. 9223372037.000001: e: x", "LateStamp { at: 14 }");
        check("a-1 [0] 1.0000000001: e: x", "NoStamp { at: 8 }");
    }

    #[test]
    fn a_time_difference_is_no_event() {
        check(
            "a-1 [0] 1.0: (+240)   e: x",
            "Ftrace pid 1 cpu 0 at 1000000000/1: e: x",
        );
    }

    #[test]
    fn names_lose_system_and_period() {
        let name = |rest: &'static str| event(rest.as_bytes()).map(|(name, _)| String::from_utf8_lossy(name));
        assert_eq!(name("power:cpu_idle: state=1").as_deref(), Some("cpu_idle"));
        assert_eq!(name("1 power:cpu_idle: state=1").as_deref(), Some("cpu_idle"));
        assert_eq!(name("cpu_idle:       state=1").as_deref(), Some("cpu_idle"));
        assert_eq!(name("do_idle <-cpu_startup_entry"), None);
    }
}
