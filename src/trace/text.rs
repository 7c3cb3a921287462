//! From lines to events: the hot path for sound lines, the cold one for everything else.
//!
//! A line that is no event as it stands is tried again without mail's marks, then held back in
//! case the next line is its tail; whatever remains is counted by reason. Order is kept: a line
//! held back is settled before the next event.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::args::{self, Interned, Lack};
use super::event::{Event, Kind};
use super::head::{self, Fault, Head, Layout, Stamp, is_blank};
use super::intern::Quick;
use super::line::{has, is_blank_line, is_frame, is_preamble, is_remark, is_tail, marker, number};
use super::names::{self, Known};
use super::report::{EventTally, Header, ImportReport, LostMarker, Purpose, Reason, Sample, Skip, Stopped};
use super::{Clock, Format, Limits, TraceError, mail};
use crate::units::{CpuId, Time};

/// Line numbers kept per reason.
const FIRST_LINES: usize = 5;
/// Loss markers kept with their place.
const LOST_KEPT: usize = 10_000;
/// Tails joined to one wrapped line.
const MAX_JOINS: u8 = 4;
/// Text of unreadable lines kept to say what the file may be, bytes.
const SAMPLE_BYTES: usize = 8192;
/// So many counter stamps without one time settle that the file has no times.
const COUNTERS_ENOUGH: u64 = 1000;

/// Why a line did not become an event.
#[derive(Clone, Copy)]
enum Failure {
    Head(Fault),
    Counter {
        value: u64,
        at: usize,
    },
    NoName,
    Args(Lack),
    /// Cut off in the arguments, and the next line follows at once.
    RunInto,
}

/// A line whose tail may follow.
struct Held {
    text: Vec<u8>,
    line: u64,
    joins: u8,
}

/// One event name.
struct Tally {
    name: Box<[u8]>,
    known: Option<Known>,
    lines: u64,
    used: u64,
    first_line: u64,
}

/// Stamps that are bare integers.
#[derive(Default)]
struct Counters {
    lines: u64,
    first: Option<(u64, usize, u64)>,
    previous: u64,
    unit_steps: u64,
}

/// The state between lines.
pub(super) struct Text {
    limits: Limits,
    lines: u64,
    interned: Interned,
    tallies: Vec<Tally>,
    tally_ids: HashMap<Box<[u8]>, usize, BuildHasherDefault<Quick>>,
    /// Index of the tally last seen for a name of this length and last letters.
    recent: [usize; 64],
    skips: Vec<Skip>,
    events: Vec<Event>,
    /// Losses that wait for the stamp of the next event line: from these indices on.
    unstamped: Option<(usize, usize)>,
    held: Option<Held>,
    counters: Counters,
    sample: Vec<u8>,
    first_odd: Option<(u64, String)>,
    seen: Vec<bool>,
    previous: Option<i64>,
    layouts: [u64; 3],
    relative: bool,
    digits: u8,
    padded: bool,
    full: bool,
    report: ImportReport,
}

impl Text {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            lines: 0,
            interned: Interned {
                max_cpus: u32::from(limits.max_cpus),
                ..Interned::default()
            },
            tallies: Vec::new(),
            tally_ids: HashMap::default(),
            recent: [usize::MAX; 64],
            skips: Vec::new(),
            events: Vec::new(),
            unstamped: None,
            held: None,
            counters: Counters::default(),
            sample: Vec::new(),
            first_odd: None,
            seen: Vec::new(),
            previous: None,
            layouts: [0; 3],
            relative: false,
            digits: 0,
            padded: false,
            full: false,
            report: ImportReport {
                first: Time::NEVER,
                last: Time::from_ns(i64::MIN),
                ..ImportReport::default()
            },
        }
    }

    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    pub(super) fn events(&self) -> usize {
        self.events.len()
    }

    /// No further line is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// The file is settled to have no times.
    pub(super) fn no_times(&self) -> Option<TraceError> {
        let enough = self.counters.lines >= COUNTERS_ENOUGH && self.report.event_lines == 0;
        if enough { self.counters.error() } else { None }
    }

    /// Takes one line without its line feed.
    #[inline]
    pub(super) fn line(&mut self, line: &[u8]) {
        if self.events.len() >= self.limits.max_events {
            self.stop();
            return;
        }
        self.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.held.is_some() || line.len() > self.limits.max_line {
            self.odd_line(line);
            return;
        }
        if let Err(failure) = self.event_line(line, self.lines) {
            self.failed(line, failure);
        }
    }

    /// Reads a line as an event and takes it in.
    #[inline]
    fn event_line(&mut self, line: &[u8], number: u64) -> Result<(), Failure> {
        let head = head::parse(line).map_err(Failure::Head)?;
        if let Stamp::Bare { value, at } = head.stamp {
            return Err(Failure::Counter { value, at });
        }
        let (name, args) = head::event(head.rest).ok_or(Failure::NoName)?;
        let at = self.tally(name, number);
        let known = self.tallies.get(at).and_then(|tally| tally.known);
        let kind = match known {
            _ if head.cpu >= u32::from(self.limits.max_cpus) => {
                return Err(Failure::Args(Lack::CpuOutOfRange));
            }
            Some(known) => {
                let here = cpu_id(head.cpu);
                let mut kind = args::parse(known, here, args, &mut self.interned);
                if memchr::memchr(b'[', args).is_some() {
                    // Where a reader was cut off in mid-line, the next line follows at once.
                    if let Some(cut) = head::before_next_line(args) {
                        kind = args::parse(known, here, cut, &mut self.interned);
                        if kind.is_err() {
                            return Err(Failure::RunInto);
                        }
                        self.skip(Reason::RunInto, number, None);
                    }
                }
                Some(kind.map_err(Failure::Args)?)
            }
            None => None,
        };
        self.take(&head, at, kind);
        Ok(())
    }

    #[inline]
    fn take(&mut self, head: &Head<'_>, tally: usize, kind: Option<Kind>) {
        let (Stamp::Seconds { ns, .. } | Stamp::Relative { ns }) = head.stamp else {
            return;
        };
        match head.stamp {
            Stamp::Seconds { digits, .. } => self.digits = self.digits.max(digits),
            _ => self.relative = true,
        }
        let time = Time::from_ns(ns);
        self.report.event_lines += 1;
        self.report.first = self.report.first.min(time);
        self.report.last = self.report.last.max(time);
        if self.previous.is_some_and(|previous| ns < previous) {
            self.report.backwards_steps += 1;
        }
        self.previous = Some(ns);
        if let Some(count) = self.layouts.get_mut(head.layout as usize) {
            *count += 1;
        }
        if !self.padded && head.layout != Layout::Perf {
            self.padded = head::is_padded(head.rest);
        }
        if self.unstamped.is_some() {
            self.stamp_losses(time);
        }
        let in_range = head.cpu < u32::from(self.limits.max_cpus);
        if in_range {
            self.see(cpu_id(head.cpu));
        }
        if let Some(tally) = self.tallies.get_mut(tally) {
            tally.lines += 1;
            tally.used += u64::from(kind.is_some());
        }
        if let Some(kind) = kind {
            if let Kind::IdleEnter { cpu, .. } | Kind::IdleExit { cpu } | Kind::IdleMiss { cpu, .. } = kind {
                self.see(cpu);
            }
            self.events.push(Event {
                time,
                pid: head.pid,
                cpu: cpu_id(head.cpu),
                kind,
            });
        }
    }

    #[inline]
    fn see(&mut self, cpu: CpuId) {
        match self.seen.get_mut(cpu.index()) {
            Some(seen) => *seen = true,
            None => {
                self.seen.resize(cpu.index(), false);
                self.seen.push(true);
            }
        }
    }

    /// The tally of a name; names beyond the limit share the last one.
    #[inline]
    fn tally(&mut self, name: &[u8], number: u64) -> usize {
        let letter = |at: usize| {
            name.len()
                .checked_sub(at)
                .and_then(|at| name.get(at))
                .copied()
                .unwrap_or(0)
        };
        let slot = (name.len() ^ usize::from(letter(1)) ^ (usize::from(letter(4)) << 2)) % 64;
        if let Some(recent) = self.recent.get(slot)
            && self
                .tallies
                .get(*recent)
                .is_some_and(|tally| *tally.name == *name)
        {
            return *recent;
        }
        let at = self.tally_of(name, number);
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = at;
        }
        at
    }

    #[cold]
    fn tally_of(&mut self, name: &[u8], number: u64) -> usize {
        if let Some(at) = self.tally_ids.get(name) {
            return *at;
        }
        let name = if self.tallies.len() >= self.limits.max_event_names {
            b"(other names)"
        } else {
            name
        };
        if let Some(at) = self.tally_ids.get(name) {
            return *at;
        }
        let at = self.tallies.len();
        let known = names::known(name);
        self.tallies.push(Tally {
            name: name.into(),
            known,
            lines: 0,
            used: 0,
            first_line: number,
        });
        self.tally_ids.insert(name.into(), at);
        at
    }

    #[cold]
    fn stamp_losses(&mut self, time: Time) {
        let Some((event, marker)) = self.unstamped.take() else {
            return;
        };
        for lost in self.events.iter_mut().skip(event) {
            lost.time = time;
        }
        for lost in self.report.lost.iter_mut().skip(marker) {
            lost.time = time;
        }
    }

    #[cold]
    fn stop(&mut self) {
        if !self.full {
            self.full = true;
            let stopped = Stopped::TooManyEvents {
                line: self.lines + 1,
                limit: self.limits.max_events,
            };
            self.report.stopped = Some(stopped);
        }
    }

    /// A line while another is held back, or one that is too long.
    #[cold]
    fn odd_line(&mut self, line: &[u8]) {
        if line.len() > self.limits.max_line {
            self.settle();
            self.skip(Reason::TooLong, self.lines, None);
            return;
        }
        let Some(held) = self.held.take() else { return };
        let plain = mail::unquoted(line);
        let stands_alone = head::parse(&plain).is_ok() || is_blank_line(&plain) || is_remark(&plain);
        if stands_alone || held.joins >= MAX_JOINS {
            self.give_up(&held);
        } else {
            let joined = mail::joined(&held.text, &plain);
            match self.event_line(&mail::decoded(&joined), held.line) {
                Ok(()) => {
                    self.report.joined_lines += u64::from(held.joins) + 1;
                    return;
                }
                Err(Failure::Args(Lack::Field(_)) | Failure::NoName)
                    if joined.len() <= self.limits.max_line =>
                {
                    self.held = Some(Held {
                        text: joined,
                        line: held.line,
                        joins: held.joins + 1,
                    });
                    return;
                }
                // The lines between were taken for tails and were none.
                Err(_) => self.give_up(&held),
            }
        }
        if let Err(failure) = self.event_line(line, self.lines) {
            self.failed(line, failure);
        }
    }

    /// A line that is no event as it stands.
    #[cold]
    fn failed(&mut self, line: &[u8], failure: Failure) {
        if is_blank_line(line) {
            self.skip(Reason::Blank, self.lines, None);
            return;
        }
        let plain = mail::unquoted(line);
        let changed = *plain != *line;
        let plain_line = mail::decoded(&plain);
        let mut failure = failure;
        if changed || *plain_line != *plain {
            match self.event_line(&plain_line, self.lines) {
                Ok(()) => {
                    self.report.mended_lines += 1;
                    return;
                }
                Err(again) => failure = again,
            }
        }
        match failure {
            Failure::NoName if self.perf_loss(&plain_line) => {}
            Failure::NoName | Failure::Args(Lack::Field(_)) => {
                self.held = Some(Held {
                    text: plain.into_owned(),
                    line: self.lines,
                    joins: 0,
                });
            }
            Failure::Head(Fault::NotAnEvent) => self.remark(&plain_line, line),
            other => self.count_failure(&plain_line, other, self.lines),
        }
    }

    /// Settles a line that is held back.
    pub(super) fn settle(&mut self) {
        if let Some(held) = self.held.take() {
            self.give_up(&held);
        }
    }

    /// A held line has no tail: count it by what it lacks, and the lines joined to it as tails.
    fn give_up(&mut self, held: &Held) {
        let line = mail::decoded(&held.text).into_owned();
        if let Err(failure) = self.event_line(&line, held.line) {
            self.count_failure(&line, failure, held.line);
        }
        for joined in 1..=u64::from(held.joins) {
            self.skip(Reason::Tail, held.line + joined, None);
        }
    }

    fn count_failure(&mut self, line: &[u8], failure: Failure, number: u64) {
        let reason = match failure {
            Failure::Head(Fault::NotAnEvent) => Reason::NotAnEvent,
            Failure::Head(Fault::NoStamp { at }) => {
                self.skip(Reason::NoStamp, number, Some(sample(line, at)));
                return;
            }
            Failure::Head(Fault::NoCpu) => Reason::NoCpu,
            Failure::Head(Fault::CutOff) => Reason::CutOff,
            Failure::Counter { value, at } => {
                self.counters.count(number, at, value);
                self.skip(Reason::CounterStamp, number, Some(sample(line, at)));
                return;
            }
            Failure::NoName => Reason::NoName,
            Failure::RunInto => Reason::RunInto,
            Failure::Args(lack) => match lack {
                Lack::Field(field) => Reason::Field(field),
                Lack::CpuOutOfRange => Reason::CpuOutOfRange,
                Lack::StateOutOfRange => Reason::StateOutOfRange,
                Lack::HiddenAddress => Reason::HiddenAddress,
            },
        };
        let mut place = None;
        if let (false, Ok(head)) = (reason.is_whole_line(), head::parse(line)) {
            // An event by name, though not one that can be used.
            if let Some((name, args)) = head::event(head.rest) {
                let at = self.tally(name, number);
                place = Some(sample(line, line.len() - args.len()));
                self.take(&head, at, None);
            }
        }
        self.skip(reason, number, place);
    }

    fn skip(&mut self, reason: Reason, number: u64, sample: Option<Sample>) {
        match self.skips.iter_mut().find(|skip| skip.reason == reason) {
            Some(skip) => {
                skip.lines += 1;
                if skip.first_lines.len() < FIRST_LINES {
                    skip.first_lines.push(number);
                }
            }
            None => self.skips.push(Skip {
                reason,
                lines: 1,
                first_lines: vec![number],
                sample,
            }),
        }
    }

    /// A line that looks nothing like an event: marker, header, comment, or something else.
    fn remark(&mut self, plain: &[u8], line: &[u8]) {
        let text = plain.trim_ascii();
        if let Some((cpu, inner)) = marker(text) {
            self.report.marker_lines += 1;
            let loss = has(inner, b"LOST") || has(inner, b"DROPPED");
            if loss && u32::from(self.limits.max_cpus) > cpu {
                let count = inner.split(is_blank).find_map(number);
                self.lose(cpu_id(cpu), count);
            }
            return;
        }
        if text.starts_with(b"##### CPU") && has(text, b"buffer started") {
            self.report.marker_lines += 1;
        } else if text.starts_with(b"#") || is_preamble(text) {
            self.header(text);
            self.skip(Reason::Header, self.lines, None);
        } else if is_frame(line) {
            self.skip(Reason::Callchain, self.lines, None);
        } else if is_tail(text) {
            self.skip(Reason::Tail, self.lines, None);
        } else if text.is_empty() {
            self.skip(Reason::Blank, self.lines, None);
        } else {
            if self.first_odd.is_none() {
                self.first_odd = Some((self.lines, sample(text, 0).found));
            }
            if self.report.event_lines == 0 && self.sample.len() < SAMPLE_BYTES {
                self.sample
                    .extend(text.iter().take(SAMPLE_BYTES - self.sample.len()));
                self.sample.push(b'\n');
            }
            self.skip(Reason::NotAnEvent, self.lines, Some(sample(line, 0)));
        }
    }

    fn header(&mut self, text: &[u8]) {
        let header: &mut Header = &mut self.report.header;
        let after = |key: &[u8]| {
            let at = memchr::memmem::find(text, key)? + key.len();
            let tail = text.get(at..)?;
            let start = tail.iter().position(u8::is_ascii_digit)?;
            tail.get(start..)?
                .split(|byte| !byte.is_ascii_digit())
                .next()
                .and_then(number)
        };
        let small = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
        header.tracers += u32::from(text.starts_with(b"# tracer:"));
        if let (Some(entries), None) = (
            after(b"entries-in-buffer/entries-written:"),
            header.entries_in_buffer,
        ) {
            header.entries_in_buffer = Some(entries);
            let slash = text.iter().rposition(|byte| *byte == b'/');
            let written = slash.and_then(|at| text.get(at + 1..)).unwrap_or_default();
            header.entries_written = written
                .split(|byte| !byte.is_ascii_digit())
                .next()
                .and_then(number);
        }
        if header.online_cpus.is_none() {
            header.online_cpus = small(after(b"#P:"));
        }
        if header.trace_cmd_cpus.is_none() && text.starts_with(b"cpus=") {
            header.trace_cmd_cpus = small(after(b"cpus="));
        }
    }

    fn lose(&mut self, cpu: CpuId, events: Option<u64>) {
        self.report.lost_markers += 1;
        let time = self.previous.map_or(Time::ZERO, Time::from_ns);
        self.unstamped
            .get_or_insert((self.events.len(), self.report.lost.len()));
        if self.report.lost.len() < LOST_KEPT {
            self.report.lost.push(LostMarker {
                cpu,
                events,
                line: self.lines,
                time,
            });
        }
        self.events.push(Event {
            time,
            pid: -1,
            cpu,
            kind: Kind::Lost { events },
        });
    }

    /// `... [002] 812.000100: PERF_RECORD_LOST lost 40`.
    fn perf_loss(&mut self, line: &[u8]) -> bool {
        let Ok(head) = head::parse(line) else { return false };
        let Some(count) = head.rest.strip_prefix(b"PERF_RECORD_LOST lost ") else {
            return false;
        };
        if head.cpu >= u32::from(self.limits.max_cpus) {
            return false;
        }
        self.report.marker_lines += 1;
        self.lose(cpu_id(head.cpu), number(count.trim_ascii()));
        true
    }

    /// Ends the text.
    pub(super) fn finish(mut self) -> Result<Finished, TraceError> {
        self.settle();
        self.report.lines = self.lines;
        if self.report.event_lines == 0 {
            return Err(self.nothing());
        }
        self.report.cpus_seen = (0..)
            .zip(&self.seen)
            .filter(|(_, seen)| **seen)
            .map(|(cpu, _)| CpuId::new(cpu))
            .collect();
        self.tallies.retain(|tally| tally.lines > 0);
        self.tallies
            .sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
        if !self
            .tallies
            .iter()
            .any(|tally| tally.known == Some(Known::CpuIdle) && tally.used > 0)
        {
            let names: Vec<_> = self
                .tallies
                .iter()
                .take(4)
                .map(|tally| String::from_utf8_lossy(&tally.name))
                .collect();
            return Err(TraceError::NoIdleEvents {
                lines: self.lines,
                found: names.join(", "),
            });
        }
        let format = self.format();
        let resolution_ns = match self.digits {
            _ if self.relative => 1000,
            digits => 10_u32.pow(u32::from(9_u8.saturating_sub(digits))),
        };
        self.report.untrusted_timer_flags = self.interned.untrusted_flags;
        self.skips.sort_by(|a, b| {
            b.lines
                .cmp(&a.lines)
                .then_with(|| a.first_lines.cmp(&b.first_lines))
        });
        self.report.skipped = self.skips;
        self.report.events = self.tallies.into_iter().map(Tally::into_report).collect();
        if self.report.backwards_steps > 0 {
            self.events.sort_by_key(|event| event.time);
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
        let [ftrace, latency, perf] = self.layouts;
        let header = &self.report.header;
        if perf > ftrace.max(latency) {
            Format::PerfScript
        } else if self.relative {
            Format::LatencyFormat
        } else if header.trace_cmd_cpus.is_some() || self.padded {
            Format::TraceCmdReport
        } else if header.tracers > 0 {
            Format::Ftrace
        } else {
            Format::TracePipe
        }
    }

    /// What to say when there was no event line.
    fn nothing(&self) -> TraceError {
        if let Some(error) = self.counters.error() {
            return error;
        }
        if let Some(foreign) = super::detect::foreign_text(&self.sample) {
            return TraceError::NotYet(foreign);
        }
        let (line, found) = self
            .first_odd
            .clone()
            .unwrap_or_else(|| (0, "only comments".to_owned()));
        TraceError::NoEvents {
            lines: self.lines,
            line,
            found,
        }
    }
}

/// What a text gave.
pub(super) struct Finished {
    pub(super) events: Vec<Event>,
    pub(super) names: Vec<String>,
    pub(super) timers: Vec<u64>,
    pub(super) cpus: usize,
    pub(super) format: Format,
    pub(super) clock: Clock,
    pub(super) report: ImportReport,
}

impl Tally {
    fn into_report(self) -> EventTally {
        let purpose = match self.known {
            Some(known) => Purpose::Used(known.used_for()),
            None if names::is_not_needed(&self.name) => Purpose::NotNeeded,
            None => Purpose::Unknown,
        };
        let name = String::from_utf8_lossy(&self.name).into_owned();
        EventTally {
            name,
            lines: self.lines,
            used: self.used,
            first_line: self.first_line,
            purpose,
        }
    }
}

impl Counters {
    fn count(&mut self, line: u64, at: usize, value: u64) {
        self.lines += 1;
        self.unit_steps += u64::from(self.first.is_some() && value == self.previous.wrapping_add(1));
        self.first.get_or_insert((line, at + 1, value));
        self.previous = value;
    }

    fn error(&self) -> Option<TraceError> {
        let (line, column, found) = self.first?;
        let clock = if self.unit_steps * 2 >= self.lines.saturating_sub(1) && self.lines > 1 {
            "`counter` (a sequence number)"
        } else if self.previous >= 1_000_000_000 {
            "`x86-tsc` (cycles)"
        } else {
            "`uptime` (jiffies), `counter` or `x86-tsc`"
        };
        Some(TraceError::NotTime {
            line,
            column,
            found,
            clock,
        })
    }
}

fn cpu_id(cpu: u32) -> CpuId {
    CpuId::new(u16::try_from(cpu).unwrap_or(u16::MAX))
}

fn sample(line: &[u8], at: usize) -> Sample {
    let tail = line.get(at..).unwrap_or_default();
    let found = String::from_utf8_lossy(tail.get(..40).unwrap_or(tail)).into_owned();
    Sample {
        column: at + 1,
        found,
    }
}
