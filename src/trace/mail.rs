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
    let plain = unescaped(line);
    // Non-breaking blanks may have been hidden as =C2=A0.
    match unquoted(&plain) {
        Cow::Owned(spaced) => Cow::Owned(spaced),
        Cow::Borrowed(_) => Cow::Owned(plain),
    }
}

/// Every line of a text, for readers that take it as a whole: without quote marks, soft line breaks,
/// quoted-printable and non-breaking blanks. A line that was joined to the one before is empty, so that lines
/// keep their numbers.
pub(super) fn plain_lines(input: &[u8]) -> Vec<String> {
    let has = |needle: &[u8]| memmem::find(input, needle).is_some();
    let mut lines: Vec<Vec<u8>> = input
        .split(|byte| *byte == b'\n')
        .map(|line| unquoted(line).trim_ascii_end().to_vec())
        .collect();
    if has(b"=3D") || has(b"quoted-printable") {
        let mut open: Option<usize> = None;
        for at in 0..lines.len() {
            let Some(line) = lines.get_mut(at) else { break };
            let goes_on = line.last() == Some(&b'=');
            if goes_on {
                line.pop();
            }
            let mut head = at;
            if let Some(before) = open {
                let tail = std::mem::take(line);
                head = before;
                if let Some(whole) = lines.get_mut(before) {
                    whole.extend_from_slice(&tail);
                }
            }
            open = goes_on.then_some(head);
        }
        for line in &mut lines {
            *line = unescaped(line);
        }
    }
    lines
        .iter()
        .map(|line| {
            String::from_utf8_lossy(line)
                .replace('\u{a0}', " ")
                .trim_end()
                .to_owned()
        })
        .collect()
}

/// A line with every escape of quoted-printable undone.
fn unescaped(line: &[u8]) -> Vec<u8> {
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
    plain
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
    fn lines_of_a_whole_text_keep_their_numbers() {
        let plain = |text: &str| plain_lines(text.as_bytes());
        assert_eq!(
            plain("a =3D b=\nc=\nd\n>e=20\nf\n"),
            ["a = bcd", "", "", "e", "f", ""]
        );
        assert_eq!(plain("reg =\n<1>;\r\n\u{a0}x\u{a0}y"), ["reg =", "<1>;", " x y"]);
    }

    #[test]
    fn a_soft_break_joins_without_a_blank() {
        assert_eq!(joined(b"cpu_i=", b"d=3D2"), b"cpu_id=3D2");
        assert_eq!(joined(b"state=1", b"   cpu_id=2"), b"state=1 cpu_id=2");
    }
}
