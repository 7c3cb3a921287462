//! Bytes in, a trace out, in chunks of any size.
//!
//! ```
//! use idlescope::trace::{Limits, Reader};
//!
//! let mut reader = Reader::new(Limits::default());
//! reader.feed(b"<idle>-0 [002] d..1. 812.000100: cpu_idle: sta")?;
//! reader.feed(b"te=1 cpu_id=2\n")?;
//! let trace = reader.finish()?;
//! assert_eq!(trace.events.len(), 1);
//! # Ok::<(), idlescope::trace::TraceError>(())
//! ```

use sha2::{Digest as _, Sha256};

use super::bytes::Fault;
use super::detect::{self, Foreign, Magic};
use super::gz::Members;
use super::json::{SystemTrace, is_json};
use super::report::Stopped;
use super::tables::{self, Tables, TablesError};
use super::text::{Finished, Text};
use super::unpack::container;
use super::{Format, Trace, TraceError, dat, perf, perfetto};

/// What a reader may take. Memory stays below `max_events` × 64 bytes, as much again for half of it
/// while a list out of order is sorted, `max_dump_values` × 48 bytes, twice `max_whole_bytes` while a binary file grows,
/// [`tables::MOST_BYTES`] of a text without events, which may be a table of idle states, and a few MB for names,
/// timers and the line in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Events kept; reading stops there, and what came before is the trace.
    pub max_events: usize,
    /// Bytes of text after unpacking; more is refused.
    pub max_text_bytes: u64,
    /// Bytes of a binary file, which is held as a whole; more is refused.
    pub max_whole_bytes: usize,
    /// Bytes of one line; longer ones are skipped.
    pub max_line: usize,
    /// CPU numbers below this one, at most 65,535.
    pub max_cpus: u16,
    /// Different event names counted apart.
    pub max_event_names: usize,
    /// Numbers kept of those that governors printed; see [`super::dump`].
    pub max_dump_values: usize,
}

const _: () = assert!(
    size_of::<super::Event>() <= 64,
    "the bound on memory counts 64 bytes for an event"
);

const _: () = assert!(
    size_of::<super::Dump>() + size_of::<super::dump::Value>() <= 48,
    "the bound on memory counts 48 bytes for a number and the line it may have to itself"
);

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_events: 1 << 22,
            max_text_bytes: 4 << 30,
            max_whole_bytes: 1 << 29,
            max_line: 1 << 16,
            max_cpus: 4096,
            max_event_names: 4096,
            max_dump_values: 1 << 21,
        }
    }
}

/// How far a reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file taken.
    pub bytes: u64,
    /// Lines of text read.
    pub lines: u64,
    /// Events kept.
    pub events: u64,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// A trace.
    Trace(Box<Trace>),
    /// No trace, but tables of idle states or counters.
    Tables(Tables),
}

/// Why a file is no trace, and the text that it holds instead, which may be a table.
pub(super) struct Refused {
    pub(super) error: TraceError,
    pub(super) text: Option<Vec<u8>>,
}

impl From<TraceError> for Refused {
    fn from(error: TraceError) -> Self {
        Self { error, text: None }
    }
}

/// Where the text comes from.
enum Source {
    /// The first bytes, too few to tell.
    Undecided(Vec<u8>),
    Plain,
    /// Until enough is unpacked to tell what is inside, it stays with the members.
    Gz {
        gz: Members,
        told: bool,
        /// What is inside, when it is read as a whole.
        whole: Option<(Foreign, Vec<u8>)>,
    },
    /// A file that is read as a whole at its end.
    Whole {
        what: Foreign,
        bytes: Vec<u8>,
    },
    /// The same when its beginning is all there is.
    Cut {
        what: Foreign,
        bytes: Vec<u8>,
    },
    /// Nothing more is read; bytes are only hashed.
    Ended,
}

/// What the text is, once unpacked.
enum Inner {
    /// Nothing of it was seen.
    Unseen,
    Lines,
    /// JSON, of which one string is the text.
    Json(Box<SystemTrace>),
    /// zlib data after atrace's `TRACE:`.
    Deflated(Box<Members>),
    /// Nothing more of it is read.
    Ended,
}

/// Reads one file.
pub struct Reader {
    limits: Limits,
    hash: Sha256,
    /// Bytes of the file that went into the hash: those of a binary file do at its end, beside reading it.
    hashed: usize,
    bytes: u64,
    text_bytes: u64,
    source: Source,
    inner: Inner,
    /// The last line ended with a carriage return: a line feed after it ends no other.
    returned: bool,
    /// Right behind `TRACE:`, the bytes that are too few to tell whether packed data follow.
    marked: Option<Vec<u8>>,
    /// The beginning of a line whose end is in a later chunk, cut above the limit.
    carry: Vec<u8>,
    text: Text,
    /// The whole text as long as no line of it was an event: it may be a table of idle states.
    kept: Option<Vec<u8>>,
    stopped: Option<Stopped>,
    failed: Option<TraceError>,
    /// So many packed files are around this one.
    depth: u8,
}

/// Packed files that may be within one another.
const MOST_PACKED: u8 = 3;

/// The line behind which atrace's data are.
const MARK: &[u8] = b"TRACE:";

/// Whether two bytes begin a zlib stream (RFC 1950).
const fn is_zlib(first: u8, second: u8) -> bool {
    first == 0x78 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

/// So much packed data is inflated at once; it can grow a thousandfold.
const GZ_STEP: usize = 4096;

/// Reads a whole file in memory.
///
/// # Errors
/// When nothing was usable.
pub fn read(bytes: &[u8]) -> Result<Trace, TraceError> {
    let mut reader = Reader::new(Limits::default());
    reader.feed(bytes)?;
    reader.finish()
}

impl Reader {
    /// Starts with nothing read.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            hash: Sha256::new(),
            hashed: 0,
            bytes: 0,
            text_bytes: 0,
            source: Source::Undecided(Vec::new()),
            inner: Inner::Unseen,
            returned: false,
            marked: None,
            carry: Vec::new(),
            text: Text::new(limits),
            kept: Some(Vec::new()),
            stopped: None,
            failed: None,
            depth: 0,
        }
    }

    /// Reads what is inside a packed file, itself within so many.
    pub(super) fn inside(limits: Limits, depth: u8) -> Self {
        Self {
            depth: depth.saturating_add(1),
            ..Self::new(limits)
        }
    }

    /// The file around this one breaks off here.
    pub(super) fn cut(&mut self, fault: Fault) {
        self.stopped = Some(Stopped::Damaged {
            byte: fault.at,
            expected: fault.expected,
        });
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let events = u64::try_from(self.text.events()).unwrap_or(u64::MAX);
        Progress {
            bytes: self.bytes,
            lines: self.text.lines(),
            events,
        }
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// When it is settled that nothing will be usable. Further calls give the same error.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let taken = self.take(bytes);
        if let Err(error) = &taken {
            self.failed = Some(error.clone());
        }
        taken
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        if matches!(self.source, Source::Whole { .. }) {
            return self.unhashed(bytes);
        }
        self.hashed = self.hashed.saturating_add(bytes.len());
        let mut hash = std::mem::take(&mut self.hash);
        let taken = beside(bytes, &mut hash, || self.unhashed(bytes));
        self.hash = hash;
        taken
    }

    fn unhashed(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        if let Source::Undecided(head) = &mut self.source {
            head.extend_from_slice(bytes);
            self.bytes += len(bytes);
            if head.len() < detect::MAGIC_BYTES {
                return Ok(());
            }
            return self.decide();
        }
        self.bytes += len(bytes);
        self.read(bytes)
    }

    /// Looks at the first bytes and reads them.
    fn decide(&mut self) -> Result<(), TraceError> {
        let Source::Undecided(head) = &mut self.source else {
            return Ok(());
        };
        let head = std::mem::take(head);
        let mut start = head.as_slice();
        self.source = match detect::magic(start.get(..detect::MAGIC_BYTES).unwrap_or(start)) {
            Magic::Gz => Source::Gz {
                gz: Members::new(),
                told: false,
                whole: None,
            },
            Magic::Foreign(what) if what.is_read() => Source::Whole {
                what,
                bytes: Vec::new(),
            },
            Magic::Foreign(foreign) => return Err(TraceError::NotYet(foreign)),
            Magic::Other(found) => return Err(TraceError::NotATrace { found }),
            Magic::Text => {
                start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
                Source::Plain
            }
        };
        self.read(start)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        match &mut self.source {
            Source::Plain => self.split(bytes),
            Source::Gz { .. } => {
                for step in bytes.chunks(GZ_STEP) {
                    self.inflate(step)?;
                }
                Ok(())
            }
            Source::Whole { bytes: held, .. } => hold(held, bytes, self.limits),
            Source::Undecided(_) | Source::Cut { .. } | Source::Ended => Ok(()),
        }
    }

    fn inflate(&mut self, packed: &[u8]) -> Result<(), TraceError> {
        let Source::Gz { gz, .. } = &mut self.source else {
            return Ok(());
        };
        let sound = gz.unpack(packed).is_ok();
        let taken = gz.taken;
        self.unpacked(!sound)?;
        if !sound {
            self.source = match &mut self.source {
                Source::Gz { whole, .. } => whole
                    .take()
                    .map_or(Source::Ended, |(what, bytes)| Source::Cut { what, bytes }),
                _ => Source::Ended,
            };
            self.stopped = Some(Stopped::DamagedGz { bytes: taken });
        }
        Ok(())
    }

    /// Reads what is unpacked; at the end also when it is too little to tell.
    fn unpacked(&mut self, ends: bool) -> Result<(), TraceError> {
        let limits = self.limits;
        let Source::Gz { gz, told, whole } = &mut self.source else {
            return Ok(());
        };
        if !*told && gz.text.len() < detect::MAGIC_BYTES && !ends {
            return Ok(());
        }
        let mut text = std::mem::take(&mut gz.text);
        let mut start = text.as_slice();
        if !*told {
            *told = true;
            match detect::magic(start.get(..detect::MAGIC_BYTES).unwrap_or(start)) {
                Magic::Text => start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start),
                Magic::Foreign(what) if what.is_read() => *whole = Some((what, Vec::new())),
                Magic::Foreign(foreign) => return Err(TraceError::NotYet(foreign)),
                Magic::Gz => {
                    return Err(TraceError::NotATrace {
                        found: "gz data inside gz data (unpack it once: gunzip FILE)",
                    });
                }
                Magic::Other(found) => return Err(TraceError::NotATrace { found }),
            }
        }
        if let Some((_, held)) = whole {
            hold(held, start, limits)?;
        } else {
            self.split(start)?;
        }
        text.clear();
        if let Source::Gz { gz, .. } = &mut self.source {
            gz.text = text;
        }
        Ok(())
    }

    /// Takes unpacked text, of whatever shape.
    fn split(&mut self, text: &[u8]) -> Result<(), TraceError> {
        self.text_bytes += len(text);
        if self.text_bytes > self.limits.max_text_bytes {
            return Err(TraceError::TooLarge {
                bytes: self.text_bytes,
                limit: self.limits.max_text_bytes,
            });
        }
        let room = |kept: &Vec<u8>| kept.len().saturating_add(text.len()) <= tables::MOST_BYTES;
        if self.text.events() > 0 || !self.kept.as_ref().is_some_and(room) {
            self.kept = None;
        } else if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(text);
        }
        if matches!(self.inner, Inner::Unseen) {
            self.inner = if is_json(text.get(..detect::MAGIC_BYTES).unwrap_or(text)) {
                Inner::Json(Box::new(SystemTrace::new()))
            } else {
                Inner::Lines
            };
        }
        match &mut self.inner {
            Inner::Json(json) => {
                let mut out = Vec::new();
                json.feed(text, &mut out);
                self.lines(&out);
            }
            Inner::Deflated(_) => self.deflated(text)?,
            Inner::Unseen | Inner::Lines => self.lines(text),
            Inner::Ended => {}
        }
        if self.text.is_full() {
            self.source = Source::Ended;
        }
        self.text.no_times().map_or(Ok(()), Err)
    }

    /// Unpacks what follows `TRACE:`.
    fn deflated(&mut self, packed: &[u8]) -> Result<(), TraceError> {
        for step in packed.chunks(GZ_STEP) {
            let Inner::Deflated(zlib) = &mut self.inner else {
                return Ok(());
            };
            let sound = zlib.unpack(step).is_ok();
            let (text, taken) = (std::mem::take(&mut zlib.text), zlib.taken);
            self.text_bytes += len(&text);
            if self.text_bytes > self.limits.max_text_bytes {
                return Err(TraceError::TooLarge {
                    bytes: self.text_bytes,
                    limit: self.limits.max_text_bytes,
                });
            }
            self.lines(&text);
            if !sound {
                self.inner = Inner::Ended;
                self.stopped = Some(Stopped::DamagedGz { bytes: taken });
            }
        }
        Ok(())
    }

    /// Cuts text into lines, which end with a line feed, a carriage return, or both.
    fn lines(&mut self, text: &[u8]) {
        let mut held = Vec::new();
        let mut rest = text;
        if let Some(mut marked) = self.marked.take() {
            marked.extend_from_slice(text);
            held = marked;
            rest = held.as_slice();
            if self.behind_mark(rest) {
                return;
            }
        }
        if self.returned && !rest.is_empty() {
            self.returned = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        // Hardly any text has carriage returns, and looking for one byte is quicker than for two.
        let returns = memchr::memchr(b'\r', rest).is_some();
        loop {
            let end = if returns {
                memchr::memchr2(b'\n', b'\r', rest)
            } else {
                memchr::memchr(b'\n', rest)
            };
            let Some(end) = end else { break };
            let line = rest.get(..end).unwrap_or_default();
            let mark = if self.carry.is_empty() {
                self.text.line(line);
                line == MARK
            } else {
                self.keep(line);
                self.text.line(&self.carry);
                let mark = self.carry == MARK;
                self.carry.clear();
                mark
            };
            let ended = rest.get(end).copied();
            rest = rest.get(end + 1..).unwrap_or_default();
            if ended == Some(b'\r') {
                self.returned = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            if mark && matches!(self.inner, Inner::Lines) && self.behind_mark(rest) {
                return;
            }
        }
        self.keep(rest);
        drop(held);
    }

    /// Whether packed data follow `TRACE:`, or too little to tell: then it is taken care of.
    fn behind_mark(&mut self, rest: &[u8]) -> bool {
        match rest {
            [first, second, ..] => {
                let packed = is_zlib(*first, *second);
                if packed {
                    self.inner = Inner::Deflated(Box::new(Members::zlib()));
                    // A damaged stream ends the text; the limit is looked at with the next piece.
                    if let Err(error) = self.deflated(rest) {
                        self.failed = Some(error);
                    }
                }
                packed
            }
            few => {
                self.marked = Some(few.to_vec());
                true
            }
        }
    }

    /// Keeps a part of a line; beyond the limit one byte more, so that it shows as too long.
    fn keep(&mut self, part: &[u8]) {
        let room = (self.limits.max_line + 2).saturating_sub(self.carry.len());
        self.carry.extend_from_slice(part.get(..room).unwrap_or(part));
    }

    /// Ends a file that is to be a trace.
    ///
    /// # Errors
    /// When nothing was usable.
    pub fn finish(self) -> Result<Trace, TraceError> {
        match self.finish_any()? {
            Opened::Trace(trace) => Ok(*trace),
            Opened::Tables(tables) => Err(TraceError::NoTrace {
                form: tables.sheets.first().map_or("", |sheet| sheet.form.name()),
            }),
        }
    }

    /// Ends the file, whatever it holds.
    ///
    /// # Errors
    /// When nothing was usable.
    pub fn finish_any(self) -> Result<Opened, TraceError> {
        let Refused { error, text } = match self.conclude() {
            Ok(trace) => return Ok(Opened::Trace(Box::new(trace))),
            Err(refused) => refused,
        };
        match text.map(|text| tables::read(&text)) {
            Some(Ok(tables)) => Ok(Opened::Tables(tables)),
            // It is nearly one: that says more than what a trace would need.
            Some(Err(why @ (TablesError::NoDriver { .. } | TablesError::Blob { .. }))) => Err(why.into()),
            Some(Err(_)) | None => Err(error),
        }
    }

    pub(super) fn conclude(mut self) -> Result<Trace, Refused> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        if self.bytes == 0 {
            return Err(TraceError::Empty.into());
        }
        self.decide()?;
        if let Some(marked) = self.marked.take() {
            // Too little for packed data.
            self.keep(&marked);
        }
        if let Source::Gz { gz, .. } = &mut self.source {
            let whole = gz.is_whole();
            self.unpacked(true)?;
            if !whole {
                self.stopped = Some(Stopped::CutGz);
            }
        }
        let held = match &self.source {
            Source::Whole { bytes, .. } => bytes.get(self.hashed..).unwrap_or_default().len(),
            _ => 0,
        };
        let whole = match &mut self.source {
            Source::Whole { what, bytes } | Source::Cut { what, bytes } => {
                Some((*what, std::mem::take(bytes)))
            }
            Source::Gz { whole, .. } => whole.take(),
            Source::Undecided(_) | Source::Plain | Source::Ended => None,
        };
        let done = if let Some((what @ (Foreign::Zip | Foreign::Zstd | Foreign::Xz), bytes)) = &whole {
            if self.depth >= MOST_PACKED {
                return Err(TraceError::Nested { limit: MOST_PACKED }.into());
            }
            let late = bytes.get(bytes.len() - held..).unwrap_or_default();
            let mut trace = beside(late, &mut self.hash, || {
                container::read(*what, bytes, self.limits, self.depth)
            })?;
            trace.report.bytes = self.bytes;
            trace.report.stopped = trace.report.stopped.or(self.stopped);
            trace.sha256 = self.hash.finalize().into();
            return Ok(trace);
        } else if let Some((Foreign::DeviceTreeBlob, bytes)) = whole {
            return Err(Refused {
                error: TraceError::NotATrace {
                    found: "a devicetree blob without idle-states",
                },
                text: Some(bytes),
            });
        } else if let Some((what, bytes)) = whole {
            self.text_bytes = len(&bytes);
            let late = bytes.get(bytes.len() - held..).unwrap_or_default();
            beside(late, &mut self.hash, || read_whole(what, &bytes, self.limits))?
        } else {
            match &self.inner {
                Inner::Json(json) if json.found => self.text.comes_from(Format::SystraceJson),
                Inner::Json(json) if json.is_trace => {
                    return Err(TraceError::NotYet(Foreign::ChromeJson).into());
                }
                Inner::Json(_) => {
                    return Err(Refused {
                        error: TraceError::NotATrace { found: "JSON" },
                        text: self.kept.take(),
                    });
                }
                Inner::Deflated(zlib) if !zlib.is_whole() => self.stopped = Some(Stopped::CutGz),
                _ => {}
            }
            if !self.carry.is_empty() {
                self.text.line(&self.carry);
            }
            if matches!(self.stopped, Some(Stopped::CutGz | Stopped::DamagedGz { .. }))
                && self.text.lines() == 0
            {
                return Err(TraceError::Gz { bytes: self.bytes }.into());
            }
            let text = self.kept.take();
            self.text.finish().map_err(|error| Refused { error, text })?
        };
        let mut report = done.report;
        report.bytes = self.bytes;
        report.text_bytes = self.text_bytes;
        report.stopped = report.stopped.or(self.stopped);
        Ok(Trace {
            events: done.events,
            dumps: done.dumps,
            names: done.names,
            timers: done.timers,
            cpus: done.cpus,
            format: done.format,
            clock: done.clock,
            report,
            sha256: self.hash.finalize().into(),
        })
    }
}

/// Keeps a part of a file that is read as a whole.
fn hold(held: &mut Vec<u8>, part: &[u8], limits: Limits) -> Result<(), TraceError> {
    if held.len().saturating_add(part.len()) > limits.max_whole_bytes {
        return Err(TraceError::TooLarge {
            bytes: len(held).saturating_add(len(part)),
            limit: u64::try_from(limits.max_whole_bytes).unwrap_or(u64::MAX),
        });
    }
    held.extend_from_slice(part);
    Ok(())
}

/// Reads what cannot be read line by line.
fn read_whole(what: Foreign, bytes: &[u8], limits: Limits) -> Result<Finished, TraceError> {
    match what {
        Foreign::TraceDat => dat::read(bytes, limits),
        Foreign::PerfData => perf::read(bytes, limits),
        Foreign::Perfetto => perfetto::read(bytes, limits),
        other => Err(TraceError::NotYet(other)),
    }
}

/// From so many bytes on, hashing them takes longer than starting a thread for it.
#[cfg(not(target_family = "wasm"))]
const WORTH_A_THREAD: usize = 1 << 18;

/// Hashes and reads a piece: at the same time where there are threads, since hashing takes a fifth
/// of the time, else one after the other.
fn beside<T>(bytes: &[u8], hash: &mut Sha256, read: impl FnOnce() -> T) -> T {
    #[cfg(not(target_family = "wasm"))]
    if bytes.len() >= WORTH_A_THREAD {
        let (started, done) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, || hash.update(bytes));
            (thread.is_ok(), read())
        });
        if !started {
            hash.update(bytes);
        }
        return done;
    }
    hash.update(bytes);
    read()
}

fn len(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_hashed_in_a_thread_has_the_same_hash() {
        let line = b"<idle>-0 [002] d..1. 812.000100: cpu_idle: state=1 cpu_id=2\n";
        let text = line.repeat(WORTH_A_THREAD / line.len() + 1);
        let whole = read(&text).expect("a sound trace");
        let mut reader = Reader::new(Limits::default());
        for piece in text.chunks(1000) {
            reader.feed(piece).expect("a sound trace");
        }
        assert_eq!(whole.sha256, <[u8; 32]>::from(Sha256::digest(&text)));
        assert_eq!(whole, reader.finish().expect("a sound trace"));
    }
}
