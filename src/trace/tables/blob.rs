//! A devicetree blob: the flattened form that firmware hands to a kernel (Devicetree Specification, chapter 5).
//!
//! A header of big-endian words, a block of tokens and a block of property names. Invariants: every access is
//! checked, nodes nest at most [`DEEPEST`] deep, at most [`MOST_NODES`] are kept.

use super::devicetree::{DEEPEST, Node, write_all};
use super::{Desk, TablesError};

const MAGIC: [u8; 4] = [0xd0, 0x0d, 0xfe, 0xed];
const BEGIN: u32 = 1;
const END: u32 = 2;
const PROPERTY: u32 = 3;
const NOP: u32 = 4;
const LAST: u32 = 9;
/// Nodes that are kept, at most; no machine has so many CPUs and states.
const MOST_NODES: usize = 1 << 16;
/// Properties that say something of idle states, with their kind.
const WANTED: [(&str, Kind); 10] = [
    ("entry-latency-us", Kind::Cells),
    ("exit-latency-us", Kind::Cells),
    ("wakeup-latency-us", Kind::Cells),
    ("min-residency-us", Kind::Cells),
    ("phandle", Kind::Cells),
    ("reg", Kind::Cells),
    ("cpu-idle-states", Kind::Cells),
    ("idle-state-name", Kind::Text),
    ("status", Kind::Text),
    ("local-timer-stop", Kind::Text),
];

#[derive(Clone, Copy)]
enum Kind {
    Cells,
    Text,
}

pub(super) fn is_blob(input: &[u8]) -> bool {
    input.starts_with(&MAGIC)
}

pub(super) fn read(input: &[u8], desk: &mut Desk) -> Result<(), TablesError> {
    let word = |at: usize| -> Result<usize, TablesError> {
        let word = cell(input, at).ok_or(fault(at, "a header of ten words"))?;
        Ok(usize::try_from(word).unwrap_or(usize::MAX))
    };
    let (mut at, names) = (word(8)?, word(12)?);
    let (mut open, mut done): (Vec<Node>, Vec<Node>) = (Vec::new(), Vec::new());
    loop {
        let token = cell(input, at).ok_or(fault(at, "a token"))?;
        let from = at;
        at = at.saturating_add(4);
        match token {
            BEGIN => {
                let name = text_at(input, at).ok_or(fault(at, "the name of a node"))?;
                at = aligned(at.saturating_add(name.len() + 1));
                if open.len() >= DEEPEST || done.len() >= MOST_NODES {
                    return Err(fault(from, "fewer nodes, and less deep within each other"));
                }
                open.push(Node {
                    name: String::from_utf8_lossy(name).into_owned(),
                    ..Node::default()
                });
            }
            END => done.push(
                open.pop()
                    .ok_or(fault(from, "the start of a node before its end"))?,
            ),
            PROPERTY => {
                let len = word(at)?;
                let name = names.saturating_add(word(at.saturating_add(4))?);
                let start = at.saturating_add(8);
                let value = start
                    .checked_add(len)
                    .and_then(|end| input.get(start..end))
                    .ok_or(fault(start, "the value of a property"))?;
                at = aligned(start.saturating_add(len));
                let name = text_at(input, name).ok_or(fault(from, "a property with a name"))?;
                let wanted = WANTED.iter().find(|(known, _)| known.as_bytes() == name);
                if let (Some(node), Some((name, kind))) = (open.last_mut(), wanted) {
                    node.properties.insert((*name).to_owned(), source(value, *kind));
                }
            }
            NOP => {}
            LAST => break,
            _ => return Err(fault(from, "a token from 1 to 4, or 9")),
        }
    }
    write_all(done, desk);
    Ok(())
}

fn fault(at: usize, expected: &'static str) -> TablesError {
    TablesError::Blob {
        byte: u64::try_from(at).unwrap_or(u64::MAX),
        expected,
    }
}

fn cell(input: &[u8], at: usize) -> Option<u32> {
    let bytes = input.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// The text that ends with a zero byte, without it.
fn text_at(input: &[u8], at: usize) -> Option<&[u8]> {
    let rest = input.get(at..)?;
    rest.get(..memchr::memchr(0, rest)?)
}

fn aligned(at: usize) -> usize {
    at.checked_next_multiple_of(4).unwrap_or(usize::MAX)
}

/// A value as source writes it.
fn source(value: &[u8], kind: Kind) -> String {
    match kind {
        Kind::Cells => {
            let cells = value.chunks_exact(4).filter_map(|bytes| cell(bytes, 0));
            let cells: Vec<String> = cells.map(|cell| cell.to_string()).collect();
            format!("<{}>", cells.join(" "))
        }
        Kind::Text => {
            let end = memchr::memchr(0, value).unwrap_or(value.len());
            let text = value.get(..end).unwrap_or_default();
            format!("\"{}\"", String::from_utf8_lossy(text))
        }
    }
}
