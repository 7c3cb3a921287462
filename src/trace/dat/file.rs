//! Head and options of both versions, up to where the pages of each CPU are.

use std::borrow::Cow;

use super::super::bytes::{Cursor, Endian, Fault};
use super::super::facts::{BufferFacts, DatFacts};
use super::super::record::{Layouts, until_zero};
use super::super::remark::shown;
use super::super::tally::Tallies;
use super::super::unpack::{Packing, unpacked};
use super::super::{Limits, TraceError};
use super::header::{self, Header};
use super::pages::{Shape, Stream};

/// Options of both versions.
const BUFFER: u16 = 3;
const CLOCK: u16 = 4;
const CYCLES: u16 = 14;
/// Options of version 7 that name a section.
const PAGES: u16 = 16;
const OWN_EVENTS: u16 = 17;
const EVENTS: u16 = 18;
const SYMBOLS: u16 = 19;

/// Lists of options, and buffers, that a file may have.
const MOST: usize = 256;
/// Bytes of all sections, unpacked.
const SECTIONS: usize = 1 << 29;
/// Places of pages that a file may name.
const MOST_PARTS: usize = 1 << 16;

/// Where the pages of one CPU are.
struct Part {
    cpu: u64,
    start: u64,
    len: u64,
}

/// One ring buffer: the main one, or an instance.
pub(super) struct Buffer {
    clock: Option<String>,
    page: usize,
    parts: Vec<Part>,
}

/// Cycles to ns; the zero is left as it is.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    factor: u32,
    shift: u32,
}

impl Scale {
    pub(super) fn ns(self, cycles: u64) -> u64 {
        let wide = u128::from(cycles) * u128::from(self.factor);
        u64::try_from(wide.checked_shr(self.shift).unwrap_or(0)).unwrap_or(u64::MAX)
    }
}

/// An opened file.
pub(super) struct File<'a> {
    pub(super) header: Header<'a>,
    pub(super) buffers: Vec<Buffer>,
    /// CPUs of the recorded machine.
    pub(super) cpus: usize,
    endian: Endian,
    long: u8,
    page: usize,
    packing: Packing,
    clock: Option<String>,
    scale: Option<Scale>,
    pub(super) facts: DatFacts,
    /// Bytes of sections that may still be read.
    budget: usize,
    /// A bit for each kind of section that was read: each is wanted once.
    read: u64,
}

impl<'a> File<'a> {
    /// Reads everything but the pages.
    pub(super) fn open(bytes: &'a [u8], tallies: &mut Tallies) -> Result<Self, Fault> {
        let mut cursor = Cursor::new(bytes, 0, Endian::Little);
        cursor.exactly(b"\x17\x08\x44tracing", "the mark of a trace.dat")?;
        let at = cursor.at();
        let version = cursor.text("the version")?;
        let unknown = Fault {
            at,
            expected: "version 6 or 7 of trace.dat",
        };
        let (endian, long) = header::machine(&mut cursor)?;
        let page = page_size(&mut cursor)?;
        let mut file = Self {
            header: Header::new(Layouts::new(endian, long)),
            buffers: Vec::new(),
            cpus: 0,
            endian,
            long,
            page,
            packing: Packing::None,
            clock: None,
            scale: None,
            facts: DatFacts {
                page_size: page,
                long_size: long,
                endian: match endian {
                    Endian::Little => "little",
                    Endian::Big => "big",
                },
                ..DatFacts::default()
            },
            budget: SECTIONS,
            read: 0,
        };
        match version {
            b"6" => file.version_6(bytes, cursor, tallies)?,
            b"7" => file.version_7(bytes, cursor, tallies)?,
            _ => return Err(unknown),
        }
        if file.header.page.is_none() {
            return Err(Fault {
                at: 0,
                expected: "a description of the pages",
            });
        }
        Ok(file)
    }

    fn version_6(
        &mut self,
        bytes: &'a [u8],
        mut cursor: Cursor<'a>,
        tallies: &mut Tallies,
    ) -> Result<(), Fault> {
        self.facts.version = 6;
        self.facts.trace_clock = Some(None);
        self.header.pages(&mut cursor)?;
        self.header.own_events(&mut cursor, tallies)?;
        self.header.systems(&mut cursor, tallies)?;
        self.header.kallsyms = Cow::Borrowed(header::symbols(&mut cursor)?);
        let len = cursor.u32("the length of the formats that were printed with")?;
        cursor.take(u64::from(len), "the formats that were printed with")?;
        let len = cursor.u64("the length of the task names")?;
        cursor.take(len, "the task names")?;
        let cpus = cursor.u32("the number of CPUs")?;
        self.cpus = usize::try_from(cpus).unwrap_or(usize::MAX);
        let mut instances = Vec::new();
        loop {
            let at = cursor.at();
            match cursor.take(10, "`flyrecord` and the places of the pages")? {
                b"options  \0" => self.options_6(&mut cursor, &mut instances)?,
                b"flyrecord\0" => {
                    self.facts.data_type = Some("flyrecord");
                    break;
                }
                _ => {
                    return Err(Fault {
                        at,
                        expected: "`flyrecord`: pages, not text (record without -p and a latency tracer)",
                    });
                }
            }
        }
        self.buffer_6(&mut cursor, cpus)?;
        for place in instances.into_iter().take(MOST) {
            let at = usize::try_from(place).unwrap_or(usize::MAX);
            let mut cursor = Cursor::new(bytes, at, self.endian);
            cursor.exactly(b"flyrecord\0", "`flyrecord` of an instance")?;
            self.buffer_6(&mut cursor, cpus)?;
        }
        Ok(())
    }

    /// Place and length of the pages of so many CPUs.
    fn buffer_6(&mut self, cursor: &mut Cursor<'_>, cpus: u32) -> Result<(), Fault> {
        let mut parts = Vec::new();
        for cpu in 0..cpus {
            self.has_room(parts.len(), cursor)?;
            parts.push(Part {
                cpu: u64::from(cpu),
                start: cursor.u64("the place of a CPU's pages")?,
                len: cursor.u64("the length of a CPU's pages")?,
            });
        }
        self.buffers.push(Buffer {
            clock: None,
            page: self.page,
            parts,
        });
        Ok(())
    }

    fn has_room(&self, parts: usize, cursor: &Cursor<'_>) -> Result<(), Fault> {
        let others: usize = self.buffers.iter().map(|buffer| buffer.parts.len()).sum();
        if others + parts < MOST_PARTS {
            return Ok(());
        }
        Err(Fault {
            at: cursor.at(),
            expected: "65,536 CPUs of all buffers at most",
        })
    }

    fn options_6(&mut self, cursor: &mut Cursor<'a>, instances: &mut Vec<u64>) -> Result<(), Fault> {
        loop {
            let id = cursor.u16("an option")?;
            if id == 0 {
                return Ok(());
            }
            let len = cursor.u32("the length of an option")?;
            let value = cursor.take(u64::from(len), "an option")?;
            self.note(id);
            match id {
                BUFFER if instances.len() < MOST => {
                    instances.push(Cursor::new(value, 0, self.endian).u64("the place of an instance")?);
                }
                other => self.option(other, value)?,
            }
        }
    }

    fn note(&mut self, id: u16) {
        if self.facts.options.len() < MOST {
            self.facts.options.push(id);
        }
    }

    /// Options that mean the same in both versions.
    fn option(&mut self, id: u16, value: &[u8]) -> Result<(), Fault> {
        match id {
            CLOCK => {
                self.clock = chosen_clock(value);
                let value =
                    String::from_utf8_lossy(until_zero(value.get(..256).unwrap_or(value))).into_owned();
                if self.facts.version == 6 {
                    self.facts.trace_clock = Some(Some(value));
                } else {
                    self.facts.trace_clock_option = Some(value.trim_end().to_owned());
                }
            }
            CYCLES => {
                let mut cursor = Cursor::new(value, 0, self.endian);
                self.scale = Some(Scale {
                    factor: cursor.u32("the factor of the cycles")?,
                    shift: cursor.u32("the shift of the cycles")?,
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn version_7(
        &mut self,
        bytes: &'a [u8],
        mut cursor: Cursor<'a>,
        tallies: &mut Tallies,
    ) -> Result<(), Fault> {
        let at = cursor.at();
        self.facts.version = 7;
        let (packing, name) = match cursor.text("the name of the packing")? {
            b"" | b"none" => (Packing::None, "none"),
            b"zlib" => (Packing::Zlib, "zlib"),
            b"zstd" => (Packing::Zstd, "zstd"),
            _ => {
                return Err(Fault {
                    at,
                    expected: "`none`, `zlib` or `zstd` for the packing",
                });
            }
        };
        self.packing = packing;
        self.facts.compression = Some(name);
        cursor.text("the version of the packing")?;
        let mut place = cursor.u64("the place of the options")?;
        // A list may name the next one: not for ever.
        for _ in 0..MOST {
            if place == 0 {
                break;
            }
            let body = self.section(bytes, place)?;
            place = self.options_7(bytes, &body, place, tallies)?;
        }
        if self.buffers.is_empty() {
            return Err(Fault {
                at,
                expected: "an option that names a buffer (was the recording ended?)",
            });
        }
        Ok(())
    }

    /// Reads one list; gives the place of the next one, 0 for none.
    fn options_7(
        &mut self,
        bytes: &'a [u8],
        list: &[u8],
        place: u64,
        tallies: &mut Tallies,
    ) -> Result<u64, Fault> {
        let inside = |fault: Fault| Fault {
            at: place.saturating_add(fault.at),
            ..fault
        };
        let mut cursor = Cursor::new(list, 0, self.endian);
        loop {
            let id = cursor.u16("an option").map_err(inside)?;
            let len = cursor.u32("the length of an option").map_err(inside)?;
            let value = cursor.take(u64::from(len), "an option").map_err(inside)?;
            let mut inner = Cursor::new(value, 0, self.endian);
            if id != 0 {
                self.note(id);
            }
            match id {
                0 => return inner.u64("the place of more options").map_err(inside),
                PAGES | OWN_EVENTS | EVENTS | SYMBOLS if self.read & (1 << id) == 0 => {
                    self.read |= 1 << id;
                    let place = inner.u64("the place of a section").map_err(inside)?;
                    self.described(id, bytes, place, tallies)?;
                }
                BUFFER if self.buffers.len() < MOST => {
                    let buffer = self.buffer_7(&mut inner).map_err(inside)?;
                    self.buffers.push(buffer);
                }
                CLOCK | CYCLES => self.option(id, value).map_err(inside)?,
                _ => {}
            }
        }
    }

    fn described(
        &mut self,
        id: u16,
        bytes: &'a [u8],
        place: u64,
        tallies: &mut Tallies,
    ) -> Result<(), Fault> {
        let body = self.section(bytes, place)?;
        let mut cursor = Cursor::new(&body, 0, self.endian);
        match id {
            PAGES => self.header.pages(&mut cursor),
            OWN_EVENTS => self.header.own_events(&mut cursor, tallies),
            EVENTS => self.header.systems(&mut cursor, tallies),
            _ => {
                self.header.kallsyms = Cow::Owned(header::symbols(&mut cursor)?.to_vec());
                Ok(())
            }
        }
        .map_err(|fault| Fault {
            at: place.saturating_add(fault.at),
            ..fault
        })
    }

    /// The body of a section, unpacked.
    fn section(&mut self, bytes: &'a [u8], place: u64) -> Result<Cow<'a, [u8]>, Fault> {
        let at = usize::try_from(place).unwrap_or(usize::MAX);
        let mut cursor = Cursor::new(bytes, at, self.endian);
        cursor.u16("a section (is the file cut off?)")?;
        let packed = cursor.u16("the flags of a section")? & 1 != 0;
        cursor.u32("the description of a section")?;
        let len = cursor.u64("the length of a section")?;
        if !packed {
            let body = cursor.take(len, "a section (is the file cut off?)")?;
            self.spend(body.len(), place)?;
            return Ok(Cow::Borrowed(body));
        }
        let packed = cursor.u32("the packed length of a section")?;
        let len = cursor.u32("the unpacked length of a section")?;
        let at = cursor.at();
        let packed = cursor.take(u64::from(packed), "a packed section")?;
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        self.spend(len, place)?;
        unpacked(self.packing, packed, len).map(Cow::Owned).ok_or(Fault {
            at,
            expected: "a packed section that unpacks to what it says",
        })
    }

    fn spend(&mut self, len: usize, place: u64) -> Result<(), Fault> {
        self.budget = self.budget.checked_sub(len).ok_or(Fault {
            at: place,
            expected: "sections of 512 MB at most",
        })?;
        Ok(())
    }

    fn buffer_7(&mut self, cursor: &mut Cursor<'_>) -> Result<Buffer, Fault> {
        cursor.u64("the place of a buffer")?;
        let name = cursor.text("the name of a buffer")?;
        let clock = cursor.text("the clock of a buffer")?;
        let page = page_size(cursor)?;
        let count = cursor.u32("the number of CPUs of a buffer")?;
        let mut parts = Vec::new();
        for _ in 0..count {
            self.has_room(parts.len(), cursor)?;
            parts.push(Part {
                cpu: u64::from(cursor.u32("a CPU of a buffer")?),
                start: cursor.u64("the place of a CPU's pages")?,
                len: cursor.u64("the length of a CPU's pages")?,
            });
        }
        self.facts.buffers.push(BufferFacts {
            name: shown(name),
            clock: shown(clock),
            page_size: page,
            cpus: parts.len(),
        });
        let last = parts.iter().map(|part| part.cpu.saturating_add(1)).max();
        self.cpus = self
            .cpus
            .max(last.map_or(0, |cpus| usize::try_from(cpus).unwrap_or(0)));
        Ok(Buffer {
            clock: (!clock.is_empty()).then(|| shown(clock)),
            page,
            parts,
        })
    }

    /// How stamps become ns, where they are cycles.
    ///
    /// # Errors
    /// When the clock is none that counts time.
    pub(super) fn scale(&self) -> Result<Option<Scale>, TraceError> {
        let named = self.buffers.first().and_then(|buffer| buffer.clock.as_ref());
        let Some(clock) = named.or(self.clock.as_ref()) else {
            return Ok(None);
        };
        match clock.as_str() {
            "x86-tsc" | "tsc2nsec" if self.scale.is_some() => Ok(self.scale),
            "counter" | "uptime" | "x86-tsc" | "tsc2nsec" | "ppc-tb" => Err(TraceError::NotTimeClock {
                clock: format!("`{clock}`"),
            }),
            _ => Ok(None),
        }
    }

    /// The records of every CPU of every buffer on the clock of the first one, and what was cut off.
    pub(super) fn streams(
        &self,
        bytes: &'a [u8],
        limits: Limits,
    ) -> Result<(Vec<Stream<'a>>, Option<Fault>), TraceError> {
        let Some(layout) = self.header.page else {
            return Ok((Vec::new(), None));
        };
        let clock = self.buffers.first().and_then(|buffer| buffer.clock.as_ref());
        let same = |buffer: &&Buffer| buffer.clock.as_ref() == clock;
        let count: usize = self
            .buffers
            .iter()
            .filter(same)
            .map(|buffer| buffer.parts.len())
            .sum();
        let budget = limits.max_text_bytes / u64::try_from(count.max(1)).unwrap_or(u64::MAX);
        let (mut streams, mut fault) = (Vec::new(), None);
        // Pages that overlap would be read again and again.
        let mut room = bytes.len().saturating_mul(2);
        for (at, buffer) in self.buffers.iter().enumerate() {
            let shape = Shape {
                layout,
                endian: self.endian,
                long: self.long,
                size: buffer.page,
            };
            for part in buffer.parts.iter().filter(|_| same(&buffer)) {
                let start = usize::try_from(part.start).unwrap_or(usize::MAX).min(bytes.len());
                let len = usize::try_from(part.len).unwrap_or(usize::MAX);
                let end = start.saturating_add(len.min(room)).min(bytes.len());
                room -= end - start;
                // The length of packed pages leaves out what stands between them.
                let end = match self.packing {
                    Packing::None => end,
                    Packing::Zlib | Packing::Zstd => bytes.len(),
                };
                if end - start < len {
                    fault.get_or_insert(Fault {
                        at: u64::try_from(end).unwrap_or(u64::MAX),
                        expected: "more pages (the file is cut off)",
                    });
                }
                let data = bytes.get(start..end).unwrap_or_default();
                let place = u64::try_from(start).unwrap_or(u64::MAX);
                streams.push(Stream::new(
                    (part.cpu, at),
                    shape,
                    (data, place),
                    self.packing,
                    budget,
                ));
            }
        }
        Ok((streams, fault))
    }
}

/// Bytes of a page: as large as the smallest machine's, and no larger than one could want.
fn page_size(cursor: &mut Cursor<'_>) -> Result<usize, Fault> {
    let at = cursor.at();
    let size = cursor.u32("the size of a page")?;
    let sound = (512..=1 << 26).contains(&size);
    usize::try_from(size).ok().filter(|_| sound).ok_or(Fault {
        at,
        expected: "a page of 512 bytes to 64 MB",
    })
}

/// `local [global] counter`: the one in brackets.
fn chosen_clock(text: &[u8]) -> Option<String> {
    let open = memchr::memchr(b'[', text)?;
    let close = memchr::memchr(b']', text.get(open..)?)?;
    text.get(open + 1..open + close).map(shown)
}
