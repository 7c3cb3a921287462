//! Why nothing of a file could be used.

use thiserror::Error;

use super::bytes::Fault;
use super::detect::Foreign;
use super::tables::TablesError;

/// Nothing was usable. What is only partly readable is no error: see the import report.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// No byte at all.
    #[error("the file is empty; expected text with `cpu_idle:` lines")]
    Empty,
    /// A trace format that is known, but not read yet.
    #[error("not yet readable here: {}; convert with: {}", .0.name(), .0.convert())]
    NotYet(Foreign),
    /// A file of another kind.
    #[error("this is not a trace: expected text with `cpu_idle:` lines, found {found} at byte 0")]
    NotATrace {
        /// What it is.
        found: &'static str,
    },
    /// Stamps are bare integers of a clock that does not count nanoseconds.
    #[error(
        "stamps are not times: expected seconds.fraction, found the bare integer {found} at line {line}, \
         column {column}; trace_clock was {clock}: record again after `echo mono > trace_clock`"
    )]
    NotTime {
        /// Line of the first such stamp, from 1.
        line: u64,
        /// Column of it in bytes, from 1.
        column: usize,
        /// The stamp.
        found: u64,
        /// The clocks that it may be.
        clock: &'static str,
    },
    /// Text, but not one event line.
    #[error(
        "no event in {}: expected lines like `<idle>-0 [002] d..1. 812.000100: cpu_idle: state=1 cpu_id=2`, \
         found {}",
        counted(*.lines), first(*.line, .found)
    )]
    NoEvents {
        /// Lines read.
        lines: u64,
        /// The first line that is neither blank nor a comment, from 1; 0 when there is none.
        line: u64,
        /// What is wrong with it, and its beginning.
        found: String,
    },
    /// Event lines, but not one with a time that can be told.
    #[error(
        "no time in {}: expected stamps in seconds up to {}, found {found} at line {line}, column {column}: \
         record again after `echo mono > trace_clock`",
        counted(*.lines), super::head::LAST_SECOND
    )]
    LateTimes {
        /// Lines read.
        lines: u64,
        /// The first such line, from 1.
        line: u64,
        /// Its column in bytes, from 1.
        column: usize,
        /// The stamp, and what follows.
        found: String,
    },
    /// Events, but none that says when a CPU was idle.
    #[error(
        "no idle events in {}: the file has {found}, but no `cpu_idle`; record again with `-e cpu_idle`",
        counted(*.lines)
    )]
    NoIdleEvents {
        /// Lines read.
        lines: u64,
        /// The most frequent event names.
        found: String,
    },
    /// `cpu_idle` lines, but not one that can be used and says that a CPU goes to sleep.
    #[error(
        "none of {events} `cpu_idle` lines tells of a CPU that goes to sleep: expected {}, found {found} at line {line}",
        .lack.expected(*.max_cpus)
    )]
    NoEntry {
        /// How many.
        events: u64,
        /// What the first one lacks.
        lack: IdleLack,
        /// CPU numbers below this one are taken.
        max_cpus: u16,
        /// Where it is, from 1.
        line: u64,
        /// Its arguments.
        found: String,
    },
    /// More than may be taken into memory; checked before it is taken.
    #[error(
        "{bytes} bytes are more than the limit of {limit}; cut a part first: `trace-cmd split`, or `head`"
    )]
    TooLarge {
        /// Bytes offered so far, unpacked.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A binary file that breaks its own rules before anything was read.
    #[error("{format} is damaged: expected {expected} at byte {byte}")]
    Damaged {
        /// What it is.
        format: &'static str,
        /// Where, from the start of the file or of its unpacked part.
        byte: u64,
        /// What should be there.
        expected: &'static str,
    },
    /// The clock of a binary recording does not count nanoseconds.
    #[error("stamps are not times: trace_clock was {clock}: record again with `trace-cmd record -C mono`")]
    NotTimeClock {
        /// The clock as the file names it.
        clock: String,
    },
    /// An archive without a trace.
    #[error(
        "no trace among the {members} members of the zip archive{}{why}",
        if .why.is_empty() { "; expected at least one" } else { "; the first: " }
    )]
    NothingInside {
        /// How many there are.
        members: usize,
        /// What the first one lacks.
        why: String,
    },
    /// Packed files within packed files.
    #[error("packed more than {limit} times: unpack it first")]
    Nested {
        /// So often is taken.
        limit: u8,
    },
    /// A binary recording in which no event says when a CPU was idle.
    #[error(
        "no idle events in {records} records of {format}: the file has {found}, but no `cpu_idle`; \
         record again with `-e cpu_idle`"
    )]
    NoIdleRecords {
        /// What it is.
        format: &'static str,
        /// Records read.
        records: u64,
        /// The most frequent event names.
        found: String,
    },
    /// No trace, but nearly a table of idle states.
    #[error(transparent)]
    Table(#[from] TablesError),
    /// A table of idle states where a trace was asked for.
    #[error("a table of idle states ({form}) is no trace: expected text with `cpu_idle:` lines")]
    NoTrace {
        /// Which tool wrote it.
        form: &'static str,
    },
    /// A gz file that breaks before anything was read.
    #[error("damaged gz data after {bytes} bytes; expected a whole gz member")]
    Gz {
        /// Bytes of the file taken before it.
        bytes: u64,
    },
}

impl TraceError {
    pub(super) fn damaged(format: Foreign, fault: Fault) -> Self {
        Self::Damaged {
            format: format.name(),
            byte: fault.at,
            expected: fault.expected,
        }
    }
}

/// What a `cpu_idle` line lacks to say that a CPU goes to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdleLack {
    /// A field, or its number.
    Field,
    /// A CPU that a machine can have.
    Cpu,
    /// A state that a table can have.
    State,
}

impl IdleLack {
    /// What would have been taken.
    fn expected(self, max_cpus: u16) -> String {
        match self {
            Self::Field => "`state=1 cpu_id=2` after the name".to_owned(),
            Self::Cpu => format!("CPU numbers from 0 to {}", max_cpus.saturating_sub(1)),
            Self::State => format!(
                "`state=` from 0 to {}, since the kernel has no more idle states, or 4294967295 for an exit",
                super::args::MOST_STATES - 1
            ),
        }
    }
}

/// `1 line`, `12 lines`.
fn counted(lines: u64) -> String {
    match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

/// Where the text begins that is no event.
fn first(line: u64, found: &str) -> String {
    match line {
        0 => "nothing but blank lines and comments".to_owned(),
        line => format!("at line {line}: {found}"),
    }
}
