//! What a line that is no event may be: marker, comment, preamble, call chain, or the tail of a wrapped event.

use super::head::is_blank;

/// Whether `needle` occurs in `text`.
pub(super) fn has(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}

/// A decimal number of at most 19 digits, and nothing else.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let plain = !text.is_empty() && text.len() < 20 && text.iter().all(u8::is_ascii_digit);
    if plain {
        std::str::from_utf8(text).ok()?.parse().ok()
    } else {
        None
    }
}

/// `CPU:2 [LOST 40 EVENTS]`: the CPU, and what is in brackets.
pub(super) fn marker(text: &[u8]) -> Option<(u32, &[u8])> {
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

/// Holds nothing.
pub(super) fn is_blank_line(line: &[u8]) -> bool {
    line.iter().all(is_blank)
}

/// Header, comment or marker: never the tail of a wrapped line.
pub(super) fn is_remark(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.starts_with(b"#") || marker(text).is_some() || is_preamble(text)
}

/// What trace-cmd prints before the events.
pub(super) fn is_preamble(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"cpus=", b"version = ", b"file-version", b"TRACE:"];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// A call chain's line: a blank, an address in hex, a symbol.
pub(super) fn is_frame(line: &[u8]) -> bool {
    let inner = line.trim_ascii();
    let end = inner.iter().position(is_blank).unwrap_or(inner.len());
    let address = inner.get(..end).unwrap_or_default();
    line.first().is_some_and(is_blank)
        && (6..=16).contains(&address.len())
        && address.iter().all(u8::is_ascii_hexdigit)
        && end < inner.len()
}

/// `mode=ABS was_armed=0`: begins with a field.
pub(super) fn is_tail(text: &[u8]) -> bool {
    let key = text
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    key.is_some_and(|at| at > 0 && text.get(at) == Some(&b'='))
}
