//! The pages of one CPU: records in the order in which they were written.
//!
//! ```text
//! page    timestamp · commit (length, bit 31: events lost before, bit 30: how many) · records
//! record  type (5 bits) · time since the last one (27 bits) · data
//!         1–28 data of so many words · 0 length follows · 29 padding · 30 more time · 31 absolute time
//! ```

use std::borrow::Cow;

use super::super::bytes::{Cursor, Endian, Fault, unsigned};
use super::super::unpack::{Packing, unpacked};
use super::header::PageLayout;

/// Bits of `commit`.
const LOST: u64 = 1 << 31;
const COUNTED: u64 = 1 << 30;
const LENGTH: u64 = (1 << 27) - 1;

/// Bits of an absolute stamp; what is above is that of the page.
const ABSOLUTE: u64 = (1 << 59) - 1;

/// Bytes that one packed chunk may hold.
const CHUNK: usize = 1 << 26;

/// What the pages of a file have in common.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) layout: PageLayout,
    pub(super) endian: Endian,
    pub(super) long: u8,
    /// Bytes of a page.
    pub(super) size: usize,
}

/// The records of one CPU, one at a time.
pub(super) struct Stream<'a> {
    pub(super) cpu: u64,
    /// Which buffer of the file it belongs to.
    pub(super) buffer: usize,
    /// Events were lost before this record; how many, when the page says.
    pub(super) lost: Option<Option<u64>>,
    /// Pages before which events were lost.
    pub(super) missed: u64,
    /// The first thing found wrong.
    pub(super) fault: Option<Fault>,
    shape: Shape,
    /// Where this CPU's data begin in the file.
    start: u64,
    chunks: Option<Chunks<'a>>,
    block: Cow<'a, [u8]>,
    /// The next page.
    page: usize,
    /// The next record, and the end of those of this page.
    at: usize,
    end: usize,
    stamp: u64,
    /// Of the record in hand.
    data: (usize, usize),
}

/// Packed chunks that follow.
struct Chunks<'a> {
    cursor: Cursor<'a>,
    left: u32,
    packing: Packing,
    /// Bytes that may still be unpacked.
    budget: u64,
}

impl<'a> Stream<'a> {
    /// Of a CPU's part of the file. With a packing it is a count of chunks and those.
    pub(super) fn new(
        (cpu, buffer): (u64, usize),
        shape: Shape,
        (bytes, start): (&'a [u8], u64),
        packing: Packing,
        budget: u64,
    ) -> Self {
        let mut stream = Self {
            cpu,
            buffer,
            lost: None,
            missed: 0,
            fault: None,
            shape,
            start,
            chunks: None,
            block: Cow::Borrowed(&[]),
            page: 0,
            at: 0,
            end: 0,
            stamp: 0,
            data: (0, 0),
        };
        if packing == Packing::None {
            stream.block = Cow::Borrowed(bytes);
        } else if !bytes.is_empty() {
            let mut cursor = Cursor::new(bytes, 0, shape.endian);
            match cursor.u32("the number of packed chunks") {
                Ok(left) => {
                    stream.chunks = Some(Chunks {
                        cursor,
                        left,
                        packing,
                        budget,
                    });
                }
                Err(fault) => stream.fail(fault),
            }
        }
        stream
    }

    /// The record in hand.
    #[inline]
    pub(super) fn record(&self) -> &[u8] {
        let (start, end) = self.data;
        self.block.get(start..end).unwrap_or_default()
    }

    /// The stamp of the record in hand.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }

    #[cold]
    fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(Fault {
            at: self.start.saturating_add(fault.at),
            expected: fault.expected,
        });
    }

    #[inline]
    fn word(&self, at: usize) -> Option<u64> {
        unsigned(&self.block, at, 4, self.shape.endian)
    }

    /// Goes to the next record; gives its stamp, none at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<u64> {
        loop {
            let at = self.at;
            if at + 4 > self.end {
                if !self.next_page() {
                    return None;
                }
                continue;
            }
            let Some(head) = self.word(at) else {
                self.at = self.end;
                continue;
            };
            let (kind, delta) = match self.shape.endian {
                Endian::Little => (head & 31, head >> 5),
                Endian::Big => (head >> 27, head & LENGTH),
            };
            if let 1..=28 = kind {
                let words = usize::try_from(kind).unwrap_or(0);
                if self.take(at + 4, 4 * words) {
                    self.stamp = self.stamp.wrapping_add(delta);
                    return Some(self.stamp);
                }
                continue;
            }
            if kind == 29 && delta == 0 {
                self.at = self.end;
                continue;
            }
            let Some(next) = self.word(at + 4).filter(|_| at + 8 <= self.end) else {
                self.cut(at);
                continue;
            };
            match kind {
                30 => {
                    self.stamp = self.stamp.wrapping_add(delta | next << 27);
                    self.at = at + 8;
                }
                31 => {
                    self.stamp = (self.stamp & !ABSOLUTE) | delta | next << 27;
                    self.at = at + 8;
                }
                // Padding within a page, or data with their length in front; both count that length itself.
                _ => {
                    let len = usize::try_from(next).unwrap_or(usize::MAX);
                    if len < 4 || len > self.end {
                        self.cut(at);
                        continue;
                    }
                    let whole = self.take(at + 8, len - 4);
                    self.stamp = self.stamp.wrapping_add(delta);
                    if whole && kind == 0 {
                        return Some(self.stamp);
                    }
                }
            }
        }
    }

    /// Takes data as the record in hand, and goes behind them.
    #[inline]
    fn take(&mut self, start: usize, len: usize) -> bool {
        let end = start + len;
        if end > self.end {
            self.cut(start);
            return false;
        }
        self.data = (start, end);
        self.at = end.next_multiple_of(4);
        true
    }

    /// The rest of the page makes no sense.
    #[cold]
    fn cut(&mut self, at: usize) {
        self.fail(Fault {
            at: u64::try_from(at).unwrap_or(u64::MAX),
            expected: "a whole record before the end of its page",
        });
        self.at = self.end;
    }

    /// Goes to the next page that is there.
    fn next_page(&mut self) -> bool {
        let PageLayout { stamp, commit, data } = self.shape.layout;
        loop {
            let page = self.page;
            let stop = page.saturating_add(self.shape.size).min(self.block.len());
            if stop <= page.saturating_add(data) {
                if !self.next_chunk() {
                    return false;
                }
                continue;
            }
            self.page = stop;
            let number = |offset: u16, size| {
                unsigned(&self.block, page + usize::from(offset), size, self.shape.endian)
            };
            let (Some(first), Some(commit)) = (number(stamp.offset, 8), number(commit.offset, commit.size))
            else {
                continue;
            };
            self.stamp = first;
            self.at = page + data;
            let len = usize::try_from(commit & LENGTH).unwrap_or(0);
            self.end = self.at + len;
            if commit & LOST != 0 {
                self.missed += 1;
                let count = unsigned(&self.block, self.end, self.shape.long, self.shape.endian);
                self.lost = Some(count.filter(|_| commit & COUNTED != 0 && self.end < stop));
            }
            if self.end > stop {
                self.end = stop;
                self.fail(Fault {
                    at: u64::try_from(page).unwrap_or(u64::MAX),
                    expected: "a page that holds as many bytes of records as it says",
                });
            }
            if len > 0 {
                return true;
            }
        }
    }

    /// Unpacks the next chunk.
    fn next_chunk(&mut self) -> bool {
        let Some(chunks) = &mut self.chunks else {
            return false;
        };
        if chunks.left == 0 {
            return false;
        }
        match chunks.next() {
            Ok(block) => {
                self.block = Cow::Owned(block);
                (self.page, self.at, self.end) = (0, 0, 0);
                true
            }
            Err(fault) => {
                chunks.left = 0;
                self.fail(fault);
                false
            }
        }
    }
}

impl Chunks<'_> {
    fn next(&mut self) -> Result<Vec<u8>, Fault> {
        let at = self.cursor.at();
        let fault = Fault {
            at,
            expected: "a chunk that unpacks to what it says, within the limit",
        };
        self.left -= 1;
        let packed = self.cursor.u32("the length of a packed chunk")?;
        let len = self.cursor.u32("the unpacked length of a chunk")?;
        let packed = self.cursor.take(u64::from(packed), "a packed chunk")?;
        self.budget = self.budget.checked_sub(u64::from(len)).ok_or(fault)?;
        let len = usize::try_from(len)
            .ok()
            .filter(|len| *len <= CHUNK)
            .ok_or(fault)?;
        let block = unpacked(self.packing, packed, len).ok_or(fault)?;
        if block.len() == len { Ok(block) } else { Err(fault) }
    }
}
