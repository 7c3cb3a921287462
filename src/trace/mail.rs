//! Undoes what mail does to a trace: quote marks, non-breaking blanks, quoted-printable, wrapped
//! lines (spec trace-text-formats.md, D13).
//!
//! Used only for lines that cannot be read as they stand, so a sound file never comes here.

use std::borrow::Cow;

use memchr::memmem;

use super::head::is_blank;

/// A line without quote marks and with plain blanks. Quoted-printable is left for [`decoded`],
/// since a soft line break must be joined first.
pub(super) fn unquoted(line: &[u8]) -> Cow<'_, [u8]> {
    let mut rest = line;
    loop {
        let start = rest
            .iter()
            .position(|byte| !is_blank(byte) && *byte != 0xa0 && *byte != 0xc2);
        match start.and_then(|at| rest.get(at..)) {
            Some([b'>', tail @ ..]) => rest = tail,
            _ => break,
        }
    }
    if !rest.contains(&0xa0) {
        return Cow::Borrowed(rest);
    }
    let mut plain = Vec::with_capacity(rest.len());
    let mut bytes = rest.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            0xc2 if bytes.peek() == Some(&0xa0) => {}
            0xa0 => plain.push(b' '),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

/// Undoes quoted-printable where the line shows that it is, by `=3D` for its equals signs.
pub(super) fn decoded(line: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(line, b"=3D").is_none() {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let [byte, tail @ ..] = rest {
        let escape = match (byte, tail) {
            (b'=', [high, low, ..]) => digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        match escape {
            Some(byte) => {
                plain.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                plain.push(*byte);
                rest = tail;
            }
        }
    }
    // Non-breaking blanks may have been hidden as =C2=A0.
    match unquoted(&plain) {
        Cow::Owned(spaced) => Cow::Owned(spaced),
        Cow::Borrowed(_) => Cow::Owned(plain),
    }
}

/// A wrapped line and its tail as one.
pub(super) fn joined(head: &[u8], tail: &[u8]) -> Vec<u8> {
    let soft = head.strip_suffix(b"=");
    let mut line = soft.unwrap_or(head).to_vec();
    if soft.is_some() {
        line.extend_from_slice(tail);
    } else {
        line.push(b' ');
        let start = tail.iter().position(|byte| !is_blank(byte)).unwrap_or(tail.len());
        line.extend_from_slice(tail.get(start..).unwrap_or_default());
    }
    line
}

/// Quoted-printable has capital digits.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &[u8], expect: &str) {
        let got = unquoted(line);
        assert_eq!(String::from_utf8_lossy(&decoded(&got)), expect);
    }

    #[test]
    fn mail_marks_are_undone() {
        check(b"> > a-1 [000] 1.0: e: x=1", " a-1 [000] 1.0: e: x=1");
        check(b">>a", "a");
        check(b"a\xc2\xa0b\xa0c", "a b c");
        check(b"> state=3D1 cpu_id=3D2=20", " state=1 cpu_id=2 ");
        check(b"x=3D1=C2=A0y", "x=1 y");
        check(b"expires=42", "expires=42");
        check(b"  a", "  a");
    }

    #[test]
    fn a_soft_break_joins_without_a_blank() {
        assert_eq!(joined(b"cpu_i=", b"d=3D2"), b"cpu_id=3D2");
        assert_eq!(joined(b"state=1", b"   cpu_id=2"), b"state=1 cpu_id=2");
    }
}
