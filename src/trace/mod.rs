//! LAYER 6: readers, from bytes to typed events.
//!
//! ```text
//! bytes ── feed ──> gz? ──> lines ──> head (cpu, pid, stamp) ──> args (kind) ──> Event
//!                    JSON?    │          │ not an event line        │ cut off
//!                             │          └── mail: quotes, =3D, wrapped tails ──┘
//!                             └──> dialect: babeltrace, perf trace, bpftrace, rewritten
//!
//! bytes ── hold ──> trace.dat │ perf.data ──> raw records, by the file's own descriptions ──> sink ──> Event
//!              │    Perfetto ────────────────> protobuf fields ───────────────────────────────┘
//!              └──> zip, zstd, xz ──> what is inside, from the start
//!
//! no event in it ──> tables: idle states and counters
//! ```
//!
//! Imports nothing but `units`. Invariants: no input panics; memory is bounded by [`Limits`];
//! the result does not depend on how the bytes were cut into chunks; unknown events are counted,
//! nothing is dropped without being reported (spec trace-text-formats.md).
//!
//! Start at [`Reader`]; [`idle::account`] sums what a trace says about idle.

mod args;
mod around;
mod bytes;
mod dat;
pub mod detect;
mod dialect;
pub mod dump;
pub mod error;
pub mod event;
pub mod facts;
mod gz;
mod head;
pub mod idle;
mod intern;
mod json;
mod mail;
mod names;
mod perf;
mod perfetto;
mod reader;
mod record;
mod remark;
pub mod report;
mod sink;
mod symbols;
pub mod tables;
mod tally;
mod text;
mod unpack;

pub use dump::{Dump, Dumps};
pub use error::TraceError;
pub use event::{Event, Kind, NameId, TimerId};
pub use reader::{Limits, Opened, Progress, Reader, read};
pub use report::{ImportReport, Stopped};

use serde::Serialize;

use crate::units::Time;

/// Which tool wrote the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// The `trace` file of tracefs, with its header.
    Ftrace,
    /// Lines of that layout without a header: `trace_pipe`, or a cut.
    TracePipe,
    /// tracefs with `latency-format`: microseconds since the first event.
    LatencyFormat,
    /// `trace-cmd report`.
    TraceCmdReport,
    /// `perf script`.
    PerfScript,
    /// `perf trace`: no CPU but those that the arguments name.
    PerfTrace,
    /// CTF or LTTng, printed by babeltrace.
    Babeltrace,
    /// A printf log of bpftrace: instant, CPU, state.
    BpftraceLog,
    /// A page of Android's systrace.
    SystraceHtml,
    /// Android's atrace, from `TRACE:` on.
    Atrace,
    /// The `systemTraceEvents` of a JSON trace.
    SystraceJson,
    /// idlestat's trace file.
    Idlestat,
    /// `trace.dat` of trace-cmd.
    TraceDat,
    /// `perf.data`.
    PerfData,
    /// Perfetto's protobuf.
    Perfetto,
}

impl Format {
    /// What the tool's users call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ftrace => "ftrace text",
            Self::TracePipe => "ftrace text without header (trace_pipe)",
            Self::LatencyFormat => "ftrace latency-format",
            Self::TraceCmdReport => "trace-cmd report",
            Self::PerfScript => "perf script text",
            Self::PerfTrace => "perf trace text",
            Self::Babeltrace => "babeltrace text",
            Self::BpftraceLog => "bpftrace log",
            Self::SystraceHtml => "Android systrace page",
            Self::Atrace => "Android atrace text",
            Self::SystraceJson => "JSON with systemTraceEvents",
            Self::Idlestat => "idlestat trace",
            Self::TraceDat => "trace.dat",
            Self::PerfData => "perf.data",
            Self::Perfetto => "Perfetto trace",
        }
    }

    /// The short name of its kind for scripts; all that is lines of text is one kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Ftrace
            | Self::TracePipe
            | Self::LatencyFormat
            | Self::TraceCmdReport
            | Self::PerfScript
            | Self::PerfTrace
            | Self::Babeltrace
            | Self::Atrace
            | Self::Idlestat => "text",
            Self::BpftraceLog => "bpftrace",
            Self::SystraceHtml => "systrace-html",
            Self::SystraceJson => "systrace-json",
            Self::TraceDat => "trace.dat",
            Self::PerfData => "perf.data",
            Self::Perfetto => "perfetto",
        }
    }
}

/// What the stamps are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Clock {
    /// The step between two printed stamps, ns: 1000 for six digits after the point, 1 for nine.
    pub resolution_ns: u32,
    /// Counts from the first event instead of from a clock's own zero.
    pub relative: bool,
}

/// A trace that was read, completely or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Sorted by time, stable: file order decides between equal stamps.
    pub events: Vec<Event>,
    /// What governors printed about themselves.
    pub dumps: Dumps,
    /// What [`NameId`] stands for.
    names: Vec<String>,
    /// What [`TimerId`] stands for: the address as printed (hashed or raw).
    timers: Vec<u64>,
    /// One more than the highest CPU seen, or the count that trace-cmd prints when that is more.
    /// A CPU in between may have no event: it is unknown, neither busy nor idle.
    pub cpus: usize,
    /// Which tool wrote it.
    pub format: Format,
    /// Resolution and zero of the stamps.
    pub clock: Clock,
    /// What was read, skipped and lost.
    pub report: ImportReport,
    /// SHA-256 of the bytes as given, before any unpacking.
    pub sha256: [u8; 32],
}

impl Trace {
    /// The text of a name; empty for an id of another trace.
    #[must_use]
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(usize::from(id.0)).map_or("", String::as_str)
    }

    /// The id of a text, when it occurs.
    #[must_use]
    pub fn find_name(&self, text: &str) -> Option<NameId> {
        let at = self.names.iter().position(|name| name == text)?;
        u16::try_from(at).ok().map(NameId)
    }

    /// How many names there are.
    #[must_use]
    pub fn names(&self) -> usize {
        self.names.len()
    }

    /// How many different timers there are; ids are below it.
    #[must_use]
    pub fn timers(&self) -> usize {
        self.timers.len()
    }

    /// The address of a timer as the trace printed it; none for an id of another trace.
    #[must_use]
    pub fn timer_address(&self, id: TimerId) -> Option<u64> {
        self.timers.get(usize::try_from(id.0).ok()?).copied()
    }

    /// Instants of the first and the last event line, used or not.
    #[must_use]
    pub fn span(&self) -> (Time, Time) {
        (self.report.first, self.report.last)
    }

    /// The first 12 hex digits of the SHA-256, by which a link names the trace.
    #[must_use]
    pub fn short_hash(&self) -> String {
        use std::fmt::Write as _;
        self.sha256.iter().take(6).fold(String::new(), |mut text, byte| {
            // Writing into a String does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}
