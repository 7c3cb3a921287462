//! What a sample holds, by the attributes of its event (perf_event_open(2)).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::super::bytes::{Cursor, Endian, Fault, unsigned};
use super::super::intern::Quick;

/// Bits of a sample's type, in the order in which the fields stand, up to the raw record.
const IP: u64 = 1;
const TASK: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDRESS: u64 = 1 << 3;
const READ: u64 = 1 << 4;
const CALLCHAIN: u64 = 1 << 5;
const ID: u64 = 1 << 6;
const CPU: u64 = 1 << 7;
const PERIOD: u64 = 1 << 8;
const STREAM: u64 = 1 << 9;
const RAW: u64 = 1 << 10;
const IDENTIFIER: u64 = 1 << 16;

/// The flag of an attribute by which records other than samples say CPU and time, too.
const ALL_HAVE_IDS: u64 = 1 << 18;

/// Attributes, and identifiers of events, that are kept.
const MOST: usize = 1 << 12;
const MOST_IDS: usize = 1 << 20;

/// What is used of one attribute.
#[derive(Clone, Copy)]
struct Attribute {
    sample: u64,
    read: u64,
    all: bool,
}

/// What is used of one sample.
#[derive(Clone, Copy, Default)]
pub(super) struct Found<'a> {
    pub(super) cpu: Option<u32>,
    pub(super) time: Option<u64>,
    pub(super) raw: Option<&'a [u8]>,
}

/// Every attribute of a file.
pub(super) struct Attributes {
    endian: Endian,
    list: Vec<Attribute>,
    /// Which attribute an identifier belongs to.
    ids: HashMap<u64, usize, BuildHasherDefault<Quick>>,
}

impl Attributes {
    pub(super) fn new(endian: Endian) -> Self {
        Self {
            endian,
            list: Vec::new(),
            ids: HashMap::default(),
        }
    }

    /// From a file: each entry ends with the place of its identifiers.
    pub(super) fn of_file(&mut self, bytes: &[u8], list: &[u8], each: u64) {
        let each = usize::try_from(each).unwrap_or(0);
        if each <= 16 {
            return;
        }
        for entry in list.chunks_exact(each).take(MOST) {
            let number = |at| unsigned(entry, at, 8, self.endian);
            let ids = number(each - 16)
                .zip(number(each - 8))
                .and_then(|(place, len)| super::section(bytes, place, len));
            self.add(entry, ids.unwrap_or_default());
        }
    }

    /// From a record: the identifiers follow at once.
    pub(super) fn of_pipe(&mut self, body: &[u8]) {
        let size = unsigned(body, 4, 4, self.endian).and_then(|size| usize::try_from(size).ok());
        let ids = size.and_then(|size| body.get(size..));
        self.add(body, ids.unwrap_or_default());
    }

    fn add(&mut self, attribute: &[u8], ids: &[u8]) {
        let number = |at| unsigned(attribute, at, 8, self.endian);
        let (Some(sample), Some(read), Some(flags)) = (number(24), number(32), number(40)) else {
            return;
        };
        if self.list.len() >= MOST {
            return;
        }
        let at = self.list.len();
        self.list.push(Attribute {
            sample,
            read,
            all: flags & ALL_HAVE_IDS != 0,
        });
        for id in ids.chunks_exact(8) {
            if self.ids.len() >= MOST_IDS {
                break;
            }
            if let Some(id) = unsigned(id, 0, 8, self.endian) {
                self.ids.insert(id, at);
            }
        }
    }

    /// By identifier where there are any, else the first one.
    fn of_id(&self, id: Option<u64>) -> Option<Attribute> {
        let at = id.and_then(|id| self.ids.get(&id)).copied().unwrap_or(0);
        self.list.get(at).copied()
    }

    fn has_identifiers(&self) -> bool {
        self.list
            .first()
            .is_some_and(|first| first.sample & IDENTIFIER != 0)
    }

    /// What a sample holds; none when it ends early.
    pub(super) fn sample<'a>(&self, body: &'a [u8]) -> Option<Found<'a>> {
        let id = self
            .has_identifiers()
            .then(|| unsigned(body, 0, 8, self.endian))
            .flatten();
        fields(self.of_id(id)?, Cursor::new(body, 0, self.endian)).ok()
    }

    /// CPU and time at the end of a record that is no sample.
    pub(super) fn trailer(&self, body: &[u8]) -> Option<(u32, u64)> {
        let last = |back: usize| unsigned(body, body.len().checked_sub(back)?, 8, self.endian);
        let id = self.has_identifiers().then(|| last(8)).flatten();
        let attribute = self.of_id(id).filter(|attribute| attribute.all)?;
        let order = [TASK, TIME, ID, STREAM, CPU, IDENTIFIER];
        let behind = |bit: u64| {
            let from = order.iter().position(|other| *other == bit).unwrap_or(0);
            let present = order
                .iter()
                .skip(from)
                .filter(|bit| attribute.sample & **bit != 0)
                .count();
            (attribute.sample & bit != 0).then_some(8 * present)
        };
        let at = body.len().checked_sub(behind(CPU)?)?;
        let cpu = unsigned(body, at, 4, self.endian)?;
        Some((u32::try_from(cpu).ok()?, last(behind(TIME)?)?))
    }
}

fn fields<'a>(attribute: Attribute, mut cursor: Cursor<'a>) -> Result<Found<'a>, Fault> {
    const CUT: &str = "a whole sample";
    let has = |bit| attribute.sample & bit != 0;
    let mut found = Found::default();
    for bit in [IDENTIFIER, IP, TASK] {
        if has(bit) {
            cursor.u64(CUT)?;
        }
    }
    if has(TIME) {
        found.time = Some(cursor.u64(CUT)?);
    }
    for bit in [ADDRESS, ID, STREAM] {
        if has(bit) {
            cursor.u64(CUT)?;
        }
    }
    if has(CPU) {
        found.cpu = Some(cursor.u32(CUT)?);
        cursor.u32(CUT)?;
    }
    if has(PERIOD) {
        cursor.u64(CUT)?;
    }
    if has(READ) {
        counters(attribute.read, &mut cursor)?;
    }
    if has(CALLCHAIN) {
        let frames = cursor.u64(CUT)?;
        cursor.take(frames.saturating_mul(8), CUT)?;
    }
    if has(RAW) {
        let len = cursor.u32(CUT)?;
        found.raw = Some(cursor.take(u64::from(len), CUT)?);
    }
    Ok(found)
}

/// Goes behind the values of counters.
fn counters(read: u64, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    const CUT: &str = "a whole sample";
    let bit = |at: u32| u64::from(read & (1 << at) != 0);
    // Time enabled and time running; then by counter its value, its identifier, its losses.
    let times = bit(0) + bit(1);
    let each = 1 + bit(2) + bit(4);
    let numbers = if bit(3) == 1 {
        let group = cursor.u64(CUT)?;
        group.saturating_mul(each).saturating_add(times)
    } else {
        each + times
    };
    cursor.take(numbers.saturating_mul(8), CUT)?;
    Ok(())
}
