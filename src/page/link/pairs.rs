//! A link as text pairs, before anything is typed, and the upgrade from older versions.

use super::Issue;
use super::issue;

/// The version that is written.
pub const VERSION: u32 = 1;

/// One step from version *n* to *n* + 1, on text alone. Index 0 upgrades version 1.
const UPGRADES: [fn(Vec<Pair>) -> Vec<Pair>; 0] = [];

/// `key=value` as written.
pub(super) type Pair = (String, String);

/// Cuts a fragment into pairs of the present version.
///
/// Takes a whole address too: what stands before `#` is dropped. Percent signs that a mail client
/// put in are undone.
pub(super) fn read(text: &str, issues: &mut Vec<Issue>) -> Vec<Pair> {
    let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
    let mut pairs: Vec<Pair> = Vec::new();
    for part in fragment.trim().split('&').filter(|part| !part.is_empty()) {
        let part = plain(part);
        let Some((key, value)) = part.split_once('=') else {
            issues.push(Issue::bare(&part, "has no value"));
            continue;
        };
        if let Some(old) = pairs.iter_mut().find(|(old, _)| old == key) {
            issues.push(Issue::new(key, &old.1, "given twice, the last one holds"));
            value.clone_into(&mut old.1);
        } else {
            pairs.push((key.to_owned(), value.to_owned()));
        }
    }
    upgrade(pairs, issues)
}

fn upgrade(mut pairs: Vec<Pair>, issues: &mut Vec<Issue>) -> Vec<Pair> {
    let Some(at) = pairs.iter().position(|(key, _)| key == "v") else {
        return pairs;
    };
    let (_, value) = pairs.remove(at);
    let version = match value.parse::<u32>() {
        Ok(version) if (1..=VERSION).contains(&version) => version,
        Ok(version) if version > VERSION => {
            let reason = format!("made by a newer page, this one knows version {VERSION}");
            issues.push(Issue::new("v", &value, reason).used(VERSION.to_string()));
            VERSION
        }
        _ => {
            issues.push(Issue::new("v", &value, "must be a whole number from 1").used(VERSION.to_string()));
            VERSION
        }
    };
    let done = version.saturating_sub(1) as usize;
    UPGRADES
        .iter()
        .skip(done)
        .fold(pairs, |pairs, upgrade| upgrade(pairs))
}

/// Undoes `%2C` and the like; anything else stays as it is.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(hex_byte);
        match code {
            Some(code) if code.is_ascii_graphic() => {
                out.push(char::from(code));
                rest = &rest[at + 3..];
            }
            _ => {
                out.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Two hexadecimal digits.
fn hex_byte(text: &str) -> Option<u8> {
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        u8::from_str_radix(text, 16).ok()
    } else {
        None
    }
}

/// Whether a character may stand in a name without an escape.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// A name in the letters that links may hold: others become `~` and two hexadecimal digits a byte.
pub(super) fn escape(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if is_plain(c) {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                out.push_str(&format!("~{byte:02x}"));
            }
        }
    }
    out
}

/// Undoes [`escape`]; `None` when it is no name.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '~' {
            bytes.push(hex_byte(rest.get(1..3)?)?);
            rest = rest.get(3..)?;
        } else if is_plain(c) {
            bytes.push(u8::try_from(u32::from(c)).ok()?);
            rest = rest.get(1..)?;
        } else {
            return None;
        }
    }
    let name = String::from_utf8(bytes).ok()?;
    (!name.is_empty() && name.chars().count() <= 64).then_some(name)
}

/// The issue for a key that does not exist.
pub(super) fn unknown_key<'a>(key: &str, value: &str, known: impl Iterator<Item = &'a str>) -> Issue {
    Issue::new(key, value, "no such key").near(issue::nearest(key, known))
}
