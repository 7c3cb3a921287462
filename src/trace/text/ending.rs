//! What a text was, once its last line is read: its format, or why nothing of it can be used.

use super::super::detect::other_text;
use super::super::error::IdleLack;
use super::super::head::Layout;
use super::super::report::{Reason, Sample};
use super::super::{Clock, Format, TraceError};
use super::{Finished, Text};
use crate::units::CpuId;

impl Text {
    /// Ends the text.
    pub(in super::super) fn finish(mut self) -> Result<Finished, TraceError> {
        self.settle();
        self.report.lines = self.lines;
        // What bpftrace itself says, and a line that is cut, stand beside at least as many rows.
        if self.is_log_so_far() && self.report.event_lines < self.skips.lines(Reason::NotAnEvent).max(1) {
            return Err(self.nothing());
        }
        self.report.line_styles = Layout::ALL
            .into_iter()
            .zip(self.layouts)
            .filter(|(_, lines)| *lines > 0)
            .map(|(layout, lines)| (layout.name(), lines))
            .collect();
        self.report.cpus_seen = (0..)
            .zip(&self.seen)
            .filter(|(_, seen)| **seen)
            .map(|(cpu, _)| CpuId::new(cpu))
            .collect();
        // Exits alone tell of no stay; where every entry is of a state or a CPU that cannot be, that is why.
        let beyond = matches!(self.first_no_entry, Some((_, IdleLack::State | IdleLack::Cpu, _)));
        if !self.has_idle || (!self.has_entry && beyond) {
            return Err(self.no_idle());
        }
        let format = self.format();
        let resolution_ns = match self.digits {
            _ if self.relative => 1000,
            digits => 10_u32.pow(u32::from(9_u8.saturating_sub(digits))),
        };
        self.report.untrusted_timer_flags = self.interned.untrusted_flags;
        self.report.skipped = self.skips.into_report();
        self.report.events = self.tallies.into_report();
        if self.report.backwards_steps > 0 {
            self.events.sort_by_key(|event| event.time);
            self.dumps.sort();
        }
        let told = self
            .report
            .header
            .trace_cmd_cpus
            .unwrap_or(0)
            .min(u32::from(self.limits.max_cpus));
        Ok(Finished {
            cpus: self.seen.len().max(usize::try_from(told).unwrap_or(0)),
            events: self.events,
            dumps: self.dumps,
            names: self.interned.names.into_texts(),
            timers: self.interned.timers.into_addresses(),
            format,
            clock: Clock {
                resolution_ns,
                relative: self.relative,
            },
            report: self.report,
        })
    }

    fn format(&self) -> Format {
        let lines = |layout: Layout| self.layouts.get(layout as usize).copied().unwrap_or(0);
        let most = Layout::ALL
            .into_iter()
            .rev()
            .max_by_key(|layout| lines(*layout))
            .unwrap_or(Layout::Ftrace);
        let header = &self.report.header;
        match (most, self.around.origin) {
            (Layout::Perf, _) => return Format::PerfScript,
            (Layout::Babeltrace, _) => return Format::Babeltrace,
            (Layout::PerfTrace, _) => return Format::PerfTrace,
            (Layout::Log, _) => return Format::BpftraceLog,
            (Layout::Ftrace | Layout::Latency, Some(origin)) => return origin,
            (Layout::Ftrace | Layout::Latency, None) => {}
        }
        if self.relative {
            Format::LatencyFormat
        } else if header.trace_cmd_cpus.is_some() || self.padded {
            Format::TraceCmdReport
        } else if header.tracers > 0 {
            Format::Ftrace
        } else {
            Format::TracePipe
        }
    }

    /// What to say when no event told of idle.
    fn no_idle(self) -> TraceError {
        let lines = self.lines;
        let events = self.tallies.into_report();
        if let (Some(tally), Some((line, lack, found))) = (
            events.iter().find(|tally| tally.name == "cpu_idle"),
            self.first_no_entry,
        ) {
            return TraceError::NoEntry {
                events: tally.lines,
                lack,
                max_cpus: self.limits.max_cpus,
                line,
                found,
            };
        }
        let names: Vec<_> = events.iter().take(4).map(|tally| tally.name.as_str()).collect();
        TraceError::NoIdleEvents {
            lines,
            found: names.join(", "),
        }
    }

    /// What to say when there was no event line.
    fn nothing(&self) -> TraceError {
        if let Some(error) = self.counters.error() {
            return error;
        }
        if let Some(found) = other_text(&self.sample) {
            return TraceError::NotATrace { found };
        }
        let lines = self.lines;
        match self.first_text.clone() {
            None => TraceError::NoEvents {
                lines,
                line: 0,
                found: String::new(),
            },
            Some((line, Reason::LateStamp, Sample { column, found })) => TraceError::LateTimes {
                lines,
                line,
                column,
                found,
            },
            Some((line, reason, sample)) => TraceError::NoEvents {
                lines,
                line,
                found: match reason {
                    Reason::NotAnEvent => sample.found,
                    Reason::TooLong => format!(
                        "a line of more than {} bytes, which begins {}",
                        self.limits.max_line, sample.found
                    ),
                    reason => format!("{} in {}", reason.words(), sample.found),
                },
            },
        }
    }
}
