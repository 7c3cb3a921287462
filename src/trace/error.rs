//! Why nothing of a file could be used.

use thiserror::Error;

use super::detect::Foreign;

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
        /// Its beginning.
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
    /// `cpu_idle` lines, but not one that is whole.
    #[error(
        "none of {events} `cpu_idle` lines is readable, the first at line {line}: expected `state=1 cpu_id=2` \
         after the name"
    )]
    UnreadableIdle {
        /// How many.
        events: u64,
        /// Where the first one is, from 1.
        line: u64,
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
    /// A gz file that breaks before anything was read.
    #[error("damaged gz data after {bytes} bytes; expected a whole gz member")]
    Gz {
        /// Bytes of the file taken before it.
        bytes: u64,
    },
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
