//! Lines that are no events: headers, markers, call chains, tails of wrapped lines.

use super::head::is_blank;
use super::report::{Header, Reason, Sample};

/// What such a line is.
pub(super) enum Remark {
    /// Events of a CPU were lost; how many, when it says.
    Lost { cpu: u32, events: Option<u64> },
    /// Another mark of a buffer, of no consequence for idle.
    Marker,
    /// To be skipped for this reason.
    Skip(Reason),
}

/// Classifies a line; `plain` is `line` without mail's marks.
pub(super) fn classify(plain: &[u8], line: &[u8]) -> Remark {
    let text = plain.trim_ascii();
    if let Some((cpu, inner)) = marker(text) {
        if has(inner, b"LOST") || has(inner, b"DROPPED") {
            return Remark::Lost {
                cpu,
                events: inner.split(is_blank).find_map(number),
            };
        }
        return Remark::Marker;
    }
    if text.starts_with(b"##### CPU") && has(text, b"buffer started") {
        return Remark::Marker;
    }
    Remark::Skip(if text.is_empty() {
        Reason::Blank
    } else if text.starts_with(b"#") || is_preamble(text) {
        Reason::Header
    } else if is_frame(line) {
        Reason::Callchain
    } else if is_tail(text) {
        Reason::Tail
    } else {
        Reason::NotAnEvent
    })
}

/// Header, comment or marker: never the tail of a wrapped line.
pub(super) fn stands_alone(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.is_empty() || text.starts_with(b"#") || marker(text).is_some() || is_preamble(text)
}

/// `CPU:2 [LOST 40 EVENTS]`: the CPU, and what is in brackets.
fn marker(text: &[u8]) -> Option<(u32, &[u8])> {
    let rest = text.strip_prefix(b"CPU:")?;
    let blank = rest.iter().position(is_blank)?;
    let cpu = u32::try_from(number(rest.get(..blank)?)?).ok()?;
    let inner = rest
        .get(blank..)?
        .trim_ascii()
        .strip_prefix(b"[")?
        .strip_suffix(b"]")?;
    Some((cpu, inner))
}

/// What trace-cmd prints before the events.
fn is_preamble(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"cpus=", b"version = ", b"file-version", b"TRACE:"];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// A call chain's line: a blank, an address in hex, a symbol.
fn is_frame(line: &[u8]) -> bool {
    let inner = line.trim_ascii();
    let end = inner.iter().position(is_blank).unwrap_or(inner.len());
    let address = inner.get(..end).unwrap_or_default();
    line.first().is_some_and(is_blank)
        && (6..=16).contains(&address.len())
        && address.iter().all(u8::is_ascii_hexdigit)
        && end < inner.len()
}

/// `mode=ABS was_armed=0`: begins with a field.
fn is_tail(text: &[u8]) -> bool {
    let key = text
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    key.is_some_and(|at| at > 0 && text.get(at) == Some(&b'='))
}

impl Header {
    /// Takes the facts of one header line; the first of a kind stays.
    pub(super) fn add(&mut self, text: &[u8]) {
        let text = text.trim_ascii();
        let digits = |tail: &[u8]| tail.split(|byte| !byte.is_ascii_digit()).next().and_then(number);
        let after = |key: &[u8]| {
            let tail = text.get(memchr::memmem::find(text, key)? + key.len()..)?;
            digits(tail.trim_ascii_start())
        };
        let small = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
        self.tracers += u32::from(text.starts_with(b"# tracer:"));
        if let (Some(entries), None) = (
            after(b"entries-in-buffer/entries-written:"),
            self.entries_in_buffer,
        ) {
            self.entries_in_buffer = Some(entries);
            let slash = text.iter().rposition(|byte| *byte == b'/');
            self.entries_written = slash.and_then(|at| digits(text.get(at + 1..)?));
        }
        self.online_cpus = self.online_cpus.or_else(|| small(after(b"#P:")));
        if text.starts_with(b"cpus=") {
            self.trace_cmd_cpus = self.trace_cmd_cpus.or_else(|| small(after(b"cpus=")));
        }
    }
}

/// A decimal number that is the whole text.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let plain = !text.is_empty() && text.len() < 20 && text.iter().all(u8::is_ascii_digit);
    if plain {
        std::str::from_utf8(text).ok()?.parse().ok()
    } else {
        None
    }
}

/// The text at a column, counted from 0, for the report.
pub(super) fn sample(line: &[u8], at: usize) -> Sample {
    let tail = line.get(at..).unwrap_or_default();
    let found = String::from_utf8_lossy(tail.get(..40).unwrap_or(tail)).into_owned();
    Sample {
        column: at + 1,
        found,
    }
}

fn has(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}
