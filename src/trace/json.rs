//! The text that a JSON trace keeps under `systemTraceEvents` (spec trace-text-formats.md, D6), in pieces of any size.
//!
//! Everything else of the object is passed over: only strings are told from what is between them. Invariant: what
//! comes out is never longer than what went in, so nothing here grows with the file.

/// The key whose string is the trace, and the one of Chrome's own events.
const KEY: &[u8] = b"systemTraceEvents";
const OTHER: &[u8] = b"traceEvents";

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Between,
    /// A string that may be a key, right behind a backslash or not.
    String {
        escaped: bool,
    },
    /// Behind the key.
    Key,
    /// Behind the key's colon.
    Colon,
    Text,
    /// Behind a backslash.
    Escape,
    /// Within `\u`, after so many digits, with their value.
    Unicode(u8, u32),
}

/// Finds and unescapes that text.
#[derive(Clone, Debug)]
pub(super) struct SystemTrace {
    at: At,
    /// The beginning of the string in hand.
    word: Vec<u8>,
    /// The text has begun.
    pub(super) found: bool,
    /// It is a JSON trace, though perhaps without this text.
    pub(super) is_trace: bool,
}

/// Whether a text begins as an object, or a list of objects.
pub(super) fn is_json(head: &[u8]) -> bool {
    match head.trim_ascii_start() {
        [b'{', rest @ ..] => rest.trim_ascii_start().starts_with(b"\""),
        [b'[', rest @ ..] => rest.trim_ascii_start().starts_with(b"{"),
        _ => false,
    }
}

impl SystemTrace {
    pub(super) fn new() -> Self {
        Self {
            at: At::Between,
            word: Vec::new(),
            found: false,
            is_trace: false,
        }
    }

    /// Takes the next bytes; what belongs to the text is added to `text`.
    pub(super) fn feed(&mut self, mut bytes: &[u8], text: &mut Vec<u8>) {
        loop {
            // Bytes of no consequence in one go.
            let plain = match self.at {
                At::Between => memchr::memchr(b'"', bytes),
                At::String { escaped: false } | At::Text => memchr::memchr2(b'"', b'\\', bytes),
                _ => Some(0),
            }
            .unwrap_or(bytes.len());
            let (before, rest) = bytes.split_at(plain);
            match self.at {
                At::String { .. } => {
                    let room = (KEY.len() + 1).saturating_sub(self.word.len());
                    self.word.extend_from_slice(before.get(..room).unwrap_or(before));
                }
                At::Text => text.extend_from_slice(before),
                _ => {}
            }
            let Some((byte, rest)) = rest.split_first() else {
                return;
            };
            bytes = rest;
            self.at = self.next(*byte, text);
        }
    }

    fn next(&mut self, byte: u8, text: &mut Vec<u8>) -> At {
        match (self.at, byte) {
            (At::Between, _) => {
                self.word.clear();
                At::String { escaped: false }
            }
            (At::String { escaped: false }, b'"') => {
                self.is_trace |= self.word == OTHER || self.word == KEY;
                if self.word == KEY { At::Key } else { At::Between }
            }
            (At::String { escaped }, byte) => {
                // No key of ours has an escape: with its letters it is another.
                if self.word.len() <= KEY.len() {
                    self.word.push(byte);
                }
                At::String { escaped: !escaped }
            }
            (At::Key, b':') => At::Colon,
            (At::Colon, b'"') => {
                self.found = true;
                At::Text
            }
            (at @ (At::Key | At::Colon), byte) if byte.is_ascii_whitespace() => at,
            // The key was a value, or its own value is no text.
            (At::Key | At::Colon, _) => At::Between,
            (At::Text, b'"') => {
                // What follows is no part of the last line.
                text.push(b'\n');
                At::Between
            }
            (At::Text, _) => At::Escape,
            (At::Escape, b'u') => At::Unicode(0, 0),
            (At::Escape, byte) => {
                text.push(match byte {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => other,
                });
                At::Text
            }
            (At::Unicode(digits, value), byte) => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0);
                let value = value << 4 | digit;
                if digits < 3 {
                    return At::Unicode(digits + 1, value);
                }
                let letter = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                At::Text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expect: Option<&str>) {
        for step in [json.len(), 1, 3] {
            let (mut reader, mut text) = (SystemTrace::new(), Vec::new());
            for piece in json.as_bytes().chunks(step.max(1)) {
                reader.feed(piece, &mut text);
            }
            let got = reader.found.then(|| String::from_utf8_lossy(&text).into_owned());
            assert_eq!(got.as_deref(), expect, "{json} by {step}");
            assert!(text.len() <= json.len());
        }
    }

    #[test]
    fn the_text_is_found_and_unescaped_wherever_it_stands() {
        check(
            r##"{"traceEvents": [{"name":"a \"systemTraceEvents\": \"no"}], "systemTraceEvents" : "# tracer\n a\t\"b\" \\ \u00e9\/", "x": 1}"##,
            Some("# tracer\n a\t\"b\" \\ é/\n"),
        );
        check(r#"{"systemTraceEvents":"a"}"#, Some("a\n"));
        check(r#"{"systemTraceEvents":"cut off\n"#, Some("cut off\n"));
        check(r#"{"name":"systemTraceEvents","x":"y"}"#, None);
        check(r#"{"systemTraceEvents":{"a":"b"}}"#, None);
        check(r#"{"systemTraceEventsMore":"b"}"#, None);
        check(r#"{"\"systemTraceEvents":"b"}"#, None);
    }

    #[test]
    fn json_is_told_from_lines_that_begin_with_a_bracket() {
        for text in ["{\"a\"", " {\n \"a\"", "[{", "[ {"] {
            assert!(is_json(text.as_bytes()), "{text}");
        }
        for text in ["[ 87.945699968] (+?.", "{ a", "/ {", "", "[1,2]"] {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
    }
}
