//! Files around a trace: a zip archive, of which the first member that is a trace is read, zstd frames, xz streams.

use std::io::Read as _;

use ruzstd::decoding::StreamingDecoder;

use super::super::bytes::Fault;
use super::super::detect::Foreign;
use super::super::reader::Refused;
use super::super::tables::MOST_BYTES;
use super::super::{Limits, Reader, Trace, TraceError};
use super::{ZSTD_WINDOW, xz, zip};

/// Members that are named though not read.
const MOST_NAMED: usize = 8;
/// Bytes unpacked at once.
const STEP: usize = 1 << 16;

/// Reads what is inside; `depth` packed files are around it.
///
/// # Errors
/// When nothing inside is usable.
pub(in super::super) fn read(
    what: Foreign,
    bytes: &[u8],
    limits: Limits,
    depth: u8,
) -> Result<Trace, Refused> {
    match what {
        Foreign::Zip => archive(bytes, limits, depth),
        Foreign::Xz => streams(bytes, limits, depth),
        _ => frames(bytes, limits, depth),
    }
}

fn archive(bytes: &[u8], limits: Limits, depth: u8) -> Result<Trace, Refused> {
    let damaged = |fault| TraceError::damaged(Foreign::Zip, fault);
    let members = zip::members(bytes).map_err(damaged)?;
    let mut why = String::new();
    // Of members that are no trace, such as a dump from before and one from after.
    let mut texts: Vec<u8> = Vec::new();
    for (at, member) in members.iter().enumerate() {
        let inside = member
            .unpacked(limits.max_whole_bytes)
            .map_err(|expected| Refused::from(damaged(Fault { at: 0, expected })))
            .and_then(|plain| {
                let mut reader = Reader::inside(limits, depth);
                reader.feed(&plain)?;
                reader.conclude()
            });
        match inside {
            Ok(mut trace) => {
                trace.report.member = Some(member.name.clone());
                trace.report.members = members.len();
                trace.report.other_members = others(&members, at);
                return Ok(trace);
            }
            // The only member's own words say more.
            Err(refused) if members.len() == 1 => return Err(refused),
            Err(Refused { error, text }) => {
                if why.is_empty() {
                    why = format!("{}: {error}", member.name);
                }
                let text = text.unwrap_or_default();
                if texts.len().saturating_add(text.len()) < MOST_BYTES {
                    texts.extend(text);
                    texts.push(b'\n');
                }
            }
        }
    }
    Err(Refused {
        error: TraceError::NothingInside {
            members: members.len(),
            why,
        },
        text: Some(texts),
    })
}

/// Names of the members that were not read, of the first few.
fn others(members: &[zip::Member<'_>], read: usize) -> Vec<String> {
    let others = members.iter().enumerate().filter(|(at, _)| *at != read);
    others
        .take(MOST_NAMED)
        .map(|(_, member)| member.name.clone())
        .collect()
}

/// xz streams one after another.
fn streams(bytes: &[u8], limits: Limits, depth: u8) -> Result<Trace, Refused> {
    let mut reader = Reader::inside(limits, depth);
    let mut piece = vec![0; STEP];
    match xz::unpack(bytes, &mut piece, |plain| reader.feed(plain)) {
        Ok(()) => {}
        Err(Ok(fault)) if reader.progress().bytes == 0 => {
            return Err(TraceError::damaged(Foreign::Xz, fault).into());
        }
        Err(Ok(fault)) => reader.cut(fault),
        Err(Err(error)) => return Err(error.into()),
    }
    reader.conclude()
}

/// Frames one after another; skippable ones are skipped.
fn frames(bytes: &[u8], limits: Limits, depth: u8) -> Result<Trace, Refused> {
    let mut rest = bytes;
    let mut reader = Reader::inside(limits, depth);
    let mut piece = vec![0; STEP];
    let place = |rest: &[u8]| Fault {
        at: u64::try_from(bytes.len() - rest.len()).unwrap_or(u64::MAX),
        expected: "a whole zstd frame",
    };
    let mut fault = None;
    'file: while !rest.is_empty() {
        if let Some(after) = skipped(rest) {
            rest = after;
            continue;
        }
        let Ok(mut decoder) = StreamingDecoder::new_with_max_window_size(&mut rest, ZSTD_WINDOW) else {
            fault = Some(place(rest));
            break;
        };
        loop {
            match decoder.read(&mut piece) {
                Ok(0) => break,
                Ok(len) => reader.feed(piece.get(..len).unwrap_or_default())?,
                Err(_) => {
                    drop(decoder);
                    fault = Some(place(rest));
                    break 'file;
                }
            }
        }
    }
    if let Some(fault) = fault {
        if reader.progress().bytes == 0 {
            return Err(TraceError::damaged(Foreign::Zstd, fault).into());
        }
        reader.cut(fault);
    }
    reader.conclude()
}

/// What follows a frame that is to be skipped.
fn skipped(bytes: &[u8]) -> Option<&[u8]> {
    let [low, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] = bytes else {
        return None;
    };
    let len = usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok()?;
    (low >> 4 == 5).then(|| rest.get(len..).unwrap_or_default())
}
