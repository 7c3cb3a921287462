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
    Sample {
        column: at + 1,
        found: shown(line.get(at..).unwrap_or_default()),
    }
}

/// Bytes of a file that are echoed at most.
const SHOWN_BYTES: usize = 40;

/// The beginning of a text for people: what is no letter, sign or blank is escaped as `\x1b`, and `…` stands for
/// the rest, so that a file of whatever kind can neither fill a message nor do anything in it.
pub(super) fn shown(text: &[u8]) -> String {
    let (head, cut) = match text.get(..SHOWN_BYTES) {
        Some(head) if text.len() > SHOWN_BYTES => (head, true),
        _ => (text, false),
    };
    let mut out = String::new();
    let mut chunks = head.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        for letter in chunk.valid().chars() {
            match letter {
                ' ' => out.push(' '),
                '\t' => out.push_str("\\t"),
                letter if letter.is_control() || is_unseen(letter) => {
                    let mut buffer = [0; 4];
                    escape(letter.encode_utf8(&mut buffer).as_bytes(), &mut out);
                }
                letter => out.push(letter),
            }
        }
        // A letter that only the cut breaks is left out.
        let begun = || std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        if !(cut && chunks.peek().is_none() && begun()) {
            escape(chunk.invalid(), &mut out);
        }
    }
    if cut {
        out.push('…');
    }
    out
}

/// Blanks of other widths, marks that turn the direction of writing, and the like.
fn is_unseen(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(letter, '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..)
}

fn escape(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        out.push_str(&format!("\\x{byte:02x}"));
    }
}

fn has(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_echoed_of_a_file_is_escaped_and_cut() {
        #[track_caller]
        fn check(text: &[u8], expect: &str) {
            assert_eq!(shown(text), expect);
        }
        check(b"Dear all,", "Dear all,");
        check("schön µs 中".as_bytes(), "schön µs 中");
        check(b"\x1b[31mred\x07\tand \0", "\\x1b[31mred\\x07\\tand \\x00");
        check(b"\xff\xfe ab\x80", "\\xff\\xfe ab\\x80");
        check(
            "a\u{202e}b\u{200b}c\u{a0}d".as_bytes(),
            "a\\xe2\\x80\\xaeb\\xe2\\x80\\x8bc\\xc2\\xa0d",
        );
        check(&[b'x'; 40], &"x".repeat(40));
        check(&[b'x'; 3_000_000], &format!("{}…", "x".repeat(40)));
        // The cut goes through a letter of two bytes.
        check(
            format!("{}ä and more", "x".repeat(39)).as_bytes(),
            &format!("{}…", "x".repeat(39)),
        );
        check(&[0xff; 50], &format!("{}…", "\\xff".repeat(40)));
    }
}
