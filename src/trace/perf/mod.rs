//! `perf.data`, as a file and as a pipe.
//!
//! ```text
//! file   magic · places of attributes, records, features ──> tracing data (event descriptions, symbols)
//! pipe   magic · records, of which some are attributes and tracing data
//!                    │ samples, losses ──> sink          │ zstd-packed: one stream of records over all of them
//! ```
//!
//! An own reader, since linux-perf-data brings a tree of crates and everything that profiles need, and the page
//! needs raw tracepoint records only. Invariants: two walks over the records, the first for what describes them;
//! a record never reaches beyond its file; identifiers and attributes are bounded.

mod attributes;

use std::collections::BTreeMap;

use attributes::{Attributes, Found};

use super::bytes::{Cursor, Endian, Fault};
use super::dat::header::{Header, machine, symbols};
use super::detect::Foreign;
use super::facts::{Facts, PerfFacts};
use super::record::Layouts;
use super::report::Reason;
use super::sink::Sink;
use super::symbols::Symbols;
use super::tally::Tallies;
use super::text::Finished;
use super::unpack;
use super::{Format, Limits, TraceError};

/// Types of records.
const LOST: u32 = 2;
const SAMPLE: u32 = 9;
const LOST_SAMPLES: u32 = 13;
const ATTRIBUTE: u32 = 64;
const TRACING_DATA: u32 = 66;
const AUXTRACE: u32 = 71;
const PACKED: u32 = 81;
const PACKED_SIZED: u32 = 83;

/// Bytes of the magic and the size of a header in a pipe.
const PIPE_HEADER: u64 = 16;
/// The bit of the feature that holds event descriptions.
const TRACING_FEATURE: u32 = 1;
/// Types of records counted apart.
const MOST_TYPES: usize = 256;

/// Reads a whole file.
///
/// # Errors
/// When nothing of it is usable.
pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Finished, TraceError> {
    let mut sink = Sink::new(limits);
    let damaged = |fault| TraceError::damaged(Foreign::PerfData, fault);
    let file = File::open(bytes, &mut sink.tallies).map_err(damaged)?;
    let Some(header) = &file.header else {
        return Err(damaged(Fault {
            at: 0,
            expected: "event descriptions (record tracepoints: `perf record -e power:cpu_idle -a`)",
        }));
    };
    let mut facts = PerfFacts {
        pipe_mode: file.pipe,
        ..PerfFacts::default()
    };
    let mut symbols = Symbols::new(&header.kallsyms);
    let mut take = |record: Record<'_>| {
        count(&mut facts.record_types, record.kind);
        file.take(
            record,
            header,
            &mut symbols,
            &mut sink,
            &mut facts.lost_samples_field,
        )
    };
    let mut fault = file.fault;
    walk(file.records, file.endian, &mut take, &mut fault);
    if !file.packed.is_empty() {
        match unpack::open_ended(&file.packed, limits.max_whole_bytes) {
            Some(plain) => {
                let start = Part {
                    bytes: &plain,
                    start: 0,
                };
                walk(start, file.endian, &mut take, &mut fault);
            }
            None => {
                fault.get_or_insert(Fault {
                    at: file.records.start,
                    expected: "packed records that unpack, within the limit",
                });
            }
        }
    }
    sink.report.facts = Some(Facts::PerfData(facts));
    sink.finish(Format::PerfData, 0, fault.map(|fault| (Foreign::PerfData, fault)))
}

fn count(types: &mut BTreeMap<u32, u64>, kind: u32) {
    if types.len() < MOST_TYPES || types.contains_key(&kind) {
        *types.entry(kind).or_default() += 1;
    }
}

/// A part of the file.
#[derive(Clone, Copy)]
struct Part<'a> {
    bytes: &'a [u8],
    /// Where it begins.
    start: u64,
}

/// One record.
#[derive(Clone, Copy)]
struct Record<'a> {
    kind: u32,
    body: &'a [u8],
    /// What follows it: some records are longer than a record can be.
    after: &'a [u8],
}

/// Hands every record over; the callback says how many bytes after the record belong to it.
fn walk<'a>(
    part: Part<'a>,
    endian: Endian,
    take: &mut impl FnMut(Record<'a>) -> Option<usize>,
    fault: &mut Option<Fault>,
) {
    let mut rest = part.bytes;
    while !rest.is_empty() {
        let at = part.start + u64::try_from(part.bytes.len() - rest.len()).unwrap_or(0);
        let mut cursor = Cursor::new(rest, 0, endian);
        let head = || -> Result<(u32, usize), Fault> {
            let kind = cursor.u32("a record")?;
            cursor.u16("the flags of a record")?;
            Ok((kind, usize::from(cursor.u16("the length of a record")?)))
        }();
        let record = head.ok().filter(|(_, len)| *len >= 8).and_then(|(kind, len)| {
            let (record, after) = rest.split_at_checked(len)?;
            Some(Record {
                kind,
                body: record.get(8..)?,
                after,
            })
        });
        let Some(record) = record else {
            fault.get_or_insert(Fault {
                at,
                expected: "a whole record (is the file cut off?)",
            });
            return;
        };
        let Some(more) = take(record) else { return };
        rest = record.after.get(more..).unwrap_or_default();
    }
}

/// Bytes after a record that are part of it.
fn tail(record: Record<'_>, endian: Endian) -> usize {
    let mut cursor = Cursor::new(record.body, 0, endian);
    let len = match record.kind {
        TRACING_DATA => cursor.u32("").map(u64::from),
        AUXTRACE => cursor.u64(""),
        _ => Ok(0),
    };
    let len = usize::try_from(len.unwrap_or(0)).unwrap_or(usize::MAX);
    len.checked_next_multiple_of(8).unwrap_or(usize::MAX)
}

/// An opened file.
struct File<'a> {
    endian: Endian,
    pipe: bool,
    attributes: Attributes,
    header: Option<Header<'a>>,
    records: Part<'a>,
    /// What all packed records hold, one after another.
    packed: Vec<u8>,
    fault: Option<Fault>,
}

impl<'a> File<'a> {
    fn open(bytes: &'a [u8], tallies: &mut Tallies) -> Result<Self, Fault> {
        let endian = if bytes.starts_with(b"PERFILE2") {
            Endian::Little
        } else {
            Endian::Big
        };
        let mut cursor = Cursor::new(bytes, 8, endian);
        let size = cursor.u64("the size of the header")?;
        let mut file = Self {
            endian,
            pipe: size == PIPE_HEADER,
            attributes: Attributes::new(endian),
            header: None,
            records: Part {
                bytes: bytes.get(16..).unwrap_or_default(),
                start: PIPE_HEADER,
            },
            packed: Vec::new(),
            fault: None,
        };
        if !file.pipe {
            file.sections(bytes, &mut cursor, tallies)?;
        }
        file.describe(tallies);
        Ok(file)
    }

    /// What the header of a file points to.
    fn sections(
        &mut self,
        bytes: &'a [u8],
        cursor: &mut Cursor<'a>,
        tallies: &mut Tallies,
    ) -> Result<(), Fault> {
        let mut number = || cursor.u64("the places of attributes and records");
        let (each, place, len) = (number()?, number()?, number()?);
        let (start, data) = (number()?, number()?);
        let _event_types = (number()?, number()?);
        let features = number()?;
        let list = section(bytes, place, len).ok_or(Fault {
            at: place,
            expected: "the attributes",
        })?;
        self.attributes.of_file(bytes, list, each);
        let rest = bytes
            .get(usize::try_from(start).unwrap_or(usize::MAX)..)
            .ok_or(Fault {
                at: start,
                expected: "the records (is the file cut off?)",
            })?;
        // A recording that was not ended has no length yet.
        let len = usize::try_from(data).ok().filter(|len| *len > 0);
        let records = len.map_or(rest, |len| rest.get(..len).unwrap_or(rest));
        self.records = Part {
            bytes: records,
            start,
        };
        if features & (1 << TRACING_FEATURE) != 0 {
            // The places of the features stand behind the records, in the order of their bits.
            let before = (features & ((1 << TRACING_FEATURE) - 1)).count_ones();
            let table = start.saturating_add(data).saturating_add(16 * u64::from(before));
            let mut cursor = Cursor::new(bytes, usize::try_from(table).unwrap_or(usize::MAX), self.endian);
            let place = cursor.u64("the place of the event descriptions (is the file cut off?)")?;
            let len = cursor.u64("the length of the event descriptions")?;
            let described = section(bytes, place, len).ok_or(Fault {
                at: place,
                expected: "the event descriptions (is the file cut off?)",
            })?;
            self.header = Some(tracing_data(described, place, tallies)?);
        }
        Ok(())
    }

    /// Takes from the records what describes others.
    fn describe(&mut self, tallies: &mut Tallies) {
        let (records, endian) = (self.records, self.endian);
        let mut ignored = None;
        let mut take = |record: Record<'a>| {
            let more = tail(record, endian);
            match record.kind {
                ATTRIBUTE => self.attributes.of_pipe(record.body),
                TRACING_DATA if self.header.is_none() => {
                    let described = record.after.get(..more).unwrap_or(record.after);
                    match tracing_data(described, 0, tallies) {
                        Ok(header) => self.header = Some(header),
                        Err(fault) => self.fault = Some(fault),
                    }
                }
                PACKED => self.packed.extend_from_slice(record.body),
                PACKED_SIZED => {
                    let len = Cursor::new(record.body, 0, endian).u64("").unwrap_or(0);
                    let data = record.body.get(8..).unwrap_or_default();
                    let len = usize::try_from(len).unwrap_or(usize::MAX);
                    self.packed.extend_from_slice(data.get(..len).unwrap_or(data));
                }
                _ => {}
            }
            Some(more)
        };
        walk(records, endian, &mut take, &mut ignored);
    }

    /// Takes samples and losses.
    fn take(
        &self,
        record: Record<'_>,
        header: &Header<'_>,
        symbols: &mut Symbols<'_>,
        sink: &mut Sink,
        lost_samples: &mut u64,
    ) -> Option<usize> {
        if sink.is_full() {
            return None;
        }
        match record.kind {
            SAMPLE => match self.attributes.sample(record.body) {
                Some(Found {
                    cpu: Some(cpu),
                    time: Some(time),
                    raw: Some(raw),
                }) => sink.raw(&header.layouts, symbols, (u64::from(cpu), time), raw),
                Some(Found { cpu: None, .. }) => sink.skip(Reason::NoCpu),
                Some(Found { time: None, .. }) => sink.skip(Reason::NoStamp),
                Some(_) => sink.skip(Reason::NotAnEvent),
                None => sink.skip(Reason::CutOff),
            },
            LOST | LOST_SAMPLES => {
                let mut cursor =
                    Cursor::new(record.body, if record.kind == LOST { 8 } else { 0 }, self.endian);
                let lost = cursor.u64("").unwrap_or(0);
                if record.kind == LOST_SAMPLES {
                    *lost_samples = lost_samples.saturating_add(lost);
                }
                match self.attributes.trailer(record.body) {
                    Some((cpu, time)) => sink.lose(u64::from(cpu), time, Some(lost)),
                    None => sink.skip(Reason::NoCpu),
                }
            }
            _ => {}
        }
        Some(tail(record, self.endian))
    }
}

fn section(bytes: &[u8], place: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(place).ok()?;
    let end = start.checked_add(usize::try_from(len).ok()?)?;
    bytes.get(start..end)
}

/// The head of a trace.dat within a perf.data.
fn tracing_data<'a>(bytes: &'a [u8], start: u64, tallies: &mut Tallies) -> Result<Header<'a>, Fault> {
    let mut read = || -> Result<Header<'a>, Fault> {
        let mut cursor = Cursor::new(bytes, 0, Endian::Little);
        cursor.exactly(b"\x17\x08\x44tracing", "the mark of event descriptions")?;
        cursor.text("the version of the event descriptions")?;
        let (endian, long) = machine(&mut cursor)?;
        cursor.u32("the size of a page")?;
        let mut header = Header::new(Layouts::new(endian, long));
        header.pages(&mut cursor)?;
        header.own_events(&mut cursor, tallies)?;
        header.systems(&mut cursor, tallies)?;
        // Without symbols functions have no names, which is no reason to read nothing.
        header.kallsyms = symbols(&mut cursor).unwrap_or_default().into();
        Ok(header)
    };
    read().map_err(|fault| Fault {
        at: start.saturating_add(fault.at),
        ..fault
    })
}
