//! What the reader made of a file, for the import report: every line is accounted for.
//!
//! Invariant, a law in `tests/it/readers`: `lines` is the sum of event lines, joined tails, marker
//! lines and the skips whose reason [concerns a whole line](Reason::is_whole_line).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::units::{CpuId, Time};

/// Everything that the import report shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Bytes as given.
    pub bytes: u64,
    /// Bytes of text, after unpacking.
    pub text_bytes: u64,
    /// Lines of text.
    pub lines: u64,
    /// Lines that are events, used or not, readable arguments or not.
    pub event_lines: u64,
    /// Every event name, the most frequent first, then by name.
    pub events: Vec<EventTally>,
    /// Lines that are no events, and events whose arguments could not be read, by reason.
    pub skipped: Vec<Skip>,
    /// Tails of wrapped lines that were put back.
    pub joined_lines: u64,
    /// Lines that were read only after undoing mail quoting.
    pub mended_lines: u64,
    /// Lines that mark losses or the start of a CPU's buffer.
    pub marker_lines: u64,
    /// Loss markers.
    pub lost_markers: u64,
    /// The first 10,000 of them.
    pub lost: Vec<LostMarker>,
    /// CPUs that recorded an event or are named by one, ascending.
    pub cpus_seen: Vec<CpuId>,
    /// Stamp of the earliest event line.
    pub first: Time,
    /// Stamp of the latest event line.
    pub last: Time,
    /// Event lines whose stamp is before that of the event line above.
    pub backwards_steps: u64,
    /// Event lines by the tool in whose shape they are printed; empty for binary files.
    pub line_styles: BTreeMap<&'static str, u64>,
    /// What the file says about itself.
    pub header: Header,
    /// The member of an archive that was read.
    pub member: Option<String>,
    /// How many members it has.
    pub members: usize,
    /// Names of those that were not read, of eight at most.
    pub other_members: Vec<String>,
    /// What a binary file says about itself.
    pub facts: Option<super::facts::Facts>,
    /// `timer_start` lines whose flags say nothing, since trace-cmd prints all of them always:
    /// deferrable timers are not recognised there.
    pub untrusted_timer_flags: u64,
    /// Lines in which a governor printed its own numbers.
    pub dumps: DumpTally,
    /// Why reading ended before the end.
    pub stopped: Option<Stopped>,
}

/// Unknown keys counted apart, and the bytes of one that are kept.
const UNKNOWN_KEYS: (usize, usize) = (32, 40);

impl DumpTally {
    pub(super) fn count(&mut self, values: usize, unknown: &[&[u8]]) {
        self.lines += 1;
        self.values += u64::try_from(values).unwrap_or(u64::MAX);
        let (most, bytes) = UNKNOWN_KEYS;
        for key in unknown {
            let name = super::remark::shown(key.get(..bytes).unwrap_or(key));
            let known = self.unknown.iter().position(|(known, _)| *known == name);
            match known.or_else(|| (self.unknown.len() > most).then_some(most)) {
                Some(at) => {
                    if let Some((_, lines)) = self.unknown.get_mut(at) {
                        *lines += 1;
                    }
                }
                None if self.unknown.len() == most => self.unknown.push(("(other keys)".to_owned(), 1)),
                None => self.unknown.push((name, 1)),
            }
        }
    }
}

/// Loss markers kept with their place.
const LOST_KEPT: usize = 10_000;

impl ImportReport {
    /// Notes a marker that events were lost; of very many the places of the first are kept.
    pub(super) fn lose(&mut self, marker: LostMarker) {
        self.lost_markers += 1;
        if self.lost.len() < LOST_KEPT {
            self.lost.push(marker);
        }
    }

    /// Events that became part of the trace.
    #[must_use]
    pub fn used_lines(&self) -> u64 {
        self.events.iter().map(|tally| tally.used).sum()
    }

    /// Lines of which nothing could be made.
    #[must_use]
    pub fn unreadable_lines(&self) -> u64 {
        self.skipped
            .iter()
            .filter(|skip| skip.reason.is_unreadable())
            .map(|skip| skip.lines)
            .sum()
    }

    /// Lines of text that are neither event, mark, comment nor blank, nor of a page around.
    #[must_use]
    pub fn unparsed_lines(&self) -> u64 {
        let unread = |skip: &&Skip| skip.reason.is_whole_line() && skip.reason.is_unreadable();
        self.skipped.iter().filter(unread).map(|skip| skip.lines).sum()
    }

    /// The tally of one event name.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&EventTally> {
        self.events.iter().find(|tally| tally.name == name)
    }
}

/// What governors printed about themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DumpTally {
    /// Lines read.
    pub lines: u64,
    /// Numbers in them.
    pub values: u64,
    /// Keys that are not known here, in order of appearance, and how often each stood in a line
    /// that was read; the last stands for all others where there are many.
    pub unknown: Vec<(String, u64)>,
}

/// One event name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventTally {
    /// Without its system.
    pub name: String,
    /// Lines with it.
    pub lines: u64,
    /// Of these, lines that became an event of the trace.
    pub used: u64,
    /// Line of the first, from 1.
    pub first_line: u64,
    /// What it is good for here.
    pub purpose: Purpose,
}

/// What an event is good for here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Used for this.
    Used(&'static str),
    /// Of a family that nothing here needs.
    NotNeeded,
    /// Never heard of.
    Unknown,
}

/// Lines skipped for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skip {
    /// Why.
    pub reason: Reason,
    /// How many.
    pub lines: u64,
    /// Where the first few are, lines from 1.
    pub first_lines: Vec<u64>,
    /// What stood in the first one.
    pub sample: Option<Sample>,
}

/// The place of a defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// In bytes, from 1.
    pub column: usize,
    /// The text there, escaped and cut to 40 bytes.
    pub found: String,
}

/// Why a line was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Header or comment.
    Header,
    /// Nothing on it.
    Blank,
    /// A frame of a call chain.
    Callchain,
    /// Begins like the tail of a wrapped line, of which the event was complete without it.
    Tail,
    /// The page around the trace.
    Page,
    /// Not an event line.
    NotAnEvent,
    /// Task and CPU, but no stamp.
    NoStamp,
    /// A stamp in seconds that nanoseconds in 64 bits cannot count.
    LateStamp,
    /// Task and stamp, but no CPU.
    NoCpu,
    /// Stamp, but no event name.
    NoName,
    /// An event whose arguments end early or lack this field.
    Field(&'static str),
    /// Begins with a piece of another line.
    CutOff,
    /// Another line follows on this one, and is lost.
    RunInto,
    /// A CPU number beyond the limit.
    CpuOutOfRange,
    /// A state index that no table can have.
    StateOutOfRange,
    /// The kernel printed `(ptrval)` instead of a timer's address.
    HiddenAddress,
    /// A bare integer as stamp, in a file that has times otherwise.
    CounterStamp,
    /// Longer than the limit.
    TooLong,
    /// Recorded also in another buffer of the file, of which it is taken.
    OtherBuffer,
    /// Printed by a governor, but without a key that is known.
    DumpWithoutKey,
    /// Printed by a governor, but the value of this key is no number.
    DumpValue(&'static str),
    /// Printed by a governor, but with more numbers than there can be.
    DumpTooLong,
    /// Printed by a governor, but more numbers than are kept.
    DumpBeyondLimit,
}

impl Reason {
    /// Whether something was lost by it.
    #[must_use]
    pub const fn is_unreadable(self) -> bool {
        !matches!(
            self,
            Self::Header | Self::Blank | Self::Callchain | Self::Tail | Self::Page | Self::OtherBuffer
        )
    }

    /// Whether the line counts as no event at all; otherwise it is an event line that is not used.
    #[must_use]
    pub const fn is_whole_line(self) -> bool {
        !matches!(
            self,
            Self::Field(_)
                | Self::RunInto
                | Self::CpuOutOfRange
                | Self::StateOutOfRange
                | Self::HiddenAddress
                | Self::DumpWithoutKey
                | Self::DumpValue(_)
                | Self::DumpTooLong
                | Self::DumpBeyondLimit
        )
    }

    /// In the user's words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Header => "header and comments",
            Self::Blank => "blank lines",
            Self::Callchain => "call chains",
            Self::Tail => "tails of wrapped lines, not needed",
            Self::Page => "the page around the trace",
            Self::NotAnEvent => "not an event line",
            Self::NoStamp => "no timestamp",
            Self::LateStamp => "timestamp beyond the year 2262",
            Self::NoCpu => "no CPU column",
            Self::NoName => "no event name",
            Self::Field(_) => "arguments cut off or incomplete",
            Self::CutOff => "begins with a piece of another line",
            Self::RunInto => "cut off, and the next line lost with it",
            Self::CpuOutOfRange => "CPU out of range",
            Self::StateOutOfRange => "idle state out of range",
            Self::HiddenAddress => "timer address hidden by the kernel",
            Self::CounterStamp => "timestamp is a counter, not a time",
            Self::TooLong => "line too long",
            Self::OtherBuffer => "recorded in another buffer, too, and taken from there",
            Self::DumpWithoutKey => "printed by a governor, no known key",
            Self::DumpValue(_) => "printed by a governor, value is no number",
            Self::DumpTooLong => "printed by a governor, too many numbers",
            Self::DumpBeyondLimit => "printed by a governor, more than is kept",
        }
    }
}

/// A marker that events were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LostMarker {
    /// On this CPU.
    pub cpu: CpuId,
    /// So many, when the marker says.
    pub events: Option<u64>,
    /// In this line, from 1.
    pub line: u64,
    /// Stamp of the event line that follows.
    pub time: Time,
}

/// What the file says about itself. Facts as printed; none is trusted further.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Header {
    /// `# tracer: nop` lines; more than one when several buffers were put together.
    pub tracers: u32,
    /// `entries-in-buffer`, of the first.
    pub entries_in_buffer: Option<u64>,
    /// `entries-written`, of the first.
    pub entries_written: Option<u64>,
    /// `#P:`, CPUs online, `nr_cpus` for scripts. Some tools print a constant: never taken as the number of CPUs.
    #[serde(rename = "nr_cpus")]
    pub online_cpus: Option<u32>,
    /// `cpus=` of trace-cmd.
    pub trace_cmd_cpus: Option<u32>,
}

/// Why reading ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stopped {
    /// At this line, from 1: more events than the limit.
    TooManyEvents {
        /// The first line not read.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// The gz data break after this many bytes of the file.
    DamagedGz {
        /// Bytes of the file taken before it.
        bytes: u64,
    },
    /// The file ends inside a gz member.
    CutGz,
    /// A binary file ends before what it announces, or is damaged there.
    Damaged {
        /// Where, from the start of the file or of its unpacked part.
        byte: u64,
        /// What should be there.
        expected: &'static str,
    },
}
