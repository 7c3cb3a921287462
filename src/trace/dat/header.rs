//! What a recording says about itself: pages, events, symbols. perf.data carries the same within it.

use std::borrow::Cow;

use super::super::bytes::{Cursor, Endian, Fault};
use super::super::record::{Field, Layouts, described};
use super::super::tally::Tallies;

/// How a page of the ring buffer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct PageLayout {
    pub(in super::super) stamp: Field,
    pub(in super::super) commit: Field,
    /// Offset of the records.
    pub(in super::super) data: usize,
}

/// Byte order and size of a long, with which every recording begins; the cursor goes on in that order.
pub(in super::super) fn machine(cursor: &mut Cursor<'_>) -> Result<(Endian, u8), Fault> {
    let fault = |at, expected| Err(Fault { at, expected });
    let at = cursor.at();
    let endian = match cursor.u8("the byte order")? {
        0 => Endian::Little,
        1 => Endian::Big,
        _ => return fault(at, "0 or 1 for the byte order"),
    };
    let at = cursor.at();
    let long = cursor.u8("the size of a long")?;
    if !matches!(long, 4 | 8) {
        return fault(at, "4 or 8 bytes for a long");
    }
    cursor.endian = endian;
    Ok((endian, long))
}

/// The parts of a header that are used.
pub(in super::super) struct Header<'a> {
    pub(in super::super) page: Option<PageLayout>,
    pub(in super::super) layouts: Layouts,
    pub(in super::super) kallsyms: Cow<'a, [u8]>,
}

impl<'a> Header<'a> {
    pub(in super::super) fn new(layouts: Layouts) -> Self {
        Self {
            page: None,
            layouts,
            kallsyms: Cow::Borrowed(&[]),
        }
    }

    /// `header_page`, `header_event`.
    pub(in super::super) fn pages(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        cursor.exactly(b"header_page\0", "`header_page`")?;
        let at = cursor.at();
        let len = cursor.u64("the length of header_page")?;
        let text = cursor.take(len, "the text of header_page")?;
        let field = |wanted: &[u8]| {
            text.split(|byte| *byte == b'\n')
                .filter_map(|line| described(line.trim_ascii().strip_prefix(b"field:")?))
                .find(|(name, _)| *name == wanted)
                .map(|(_, field)| field)
        };
        let layout = || {
            Some(PageLayout {
                stamp: field(b"timestamp")?,
                commit: field(b"commit")?,
                data: usize::from(field(b"data")?.offset),
            })
        };
        self.page = Some(layout().ok_or(Fault {
            at,
            expected: "a header_page with timestamp, commit and data",
        })?);
        cursor.exactly(b"header_event\0", "`header_event`")?;
        let len = cursor.u64("the length of header_event")?;
        cursor.take(len, "the text of header_event")?;
        Ok(())
    }

    /// The events that ftrace has of its own.
    pub(in super::super) fn own_events(
        &mut self,
        cursor: &mut Cursor<'_>,
        tallies: &mut Tallies,
    ) -> Result<(), Fault> {
        let count = cursor.u32("the number of ftrace's own events")?;
        self.events(cursor, count, tallies)
    }

    fn events(&mut self, cursor: &mut Cursor<'_>, count: u32, tallies: &mut Tallies) -> Result<(), Fault> {
        // Each takes at least its length, so that an absurd count ends with the data.
        for _ in 0..count {
            let len = cursor.u64("the length of an event's description")?;
            let text = cursor.take(len, "the description of an event")?;
            self.layouts.add(text, tallies);
        }
        Ok(())
    }

    /// The events by system.
    pub(in super::super) fn systems(
        &mut self,
        cursor: &mut Cursor<'_>,
        tallies: &mut Tallies,
    ) -> Result<(), Fault> {
        let count = cursor.u32("the number of event systems")?;
        for _ in 0..count {
            cursor.text("the name of an event system")?;
            let events = cursor.u32("the number of events of a system")?;
            self.events(cursor, events, tallies)?;
        }
        Ok(())
    }
}

/// The symbols, with their length before them.
pub(in super::super) fn symbols<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], Fault> {
    let len = cursor.u32("the length of the symbols")?;
    cursor.take(u64::from(len), "the symbols")
}
