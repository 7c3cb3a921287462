//! From lines to events: the hot path for sound lines, the cold one for everything else.
//!
//! A line that is no event as it stands is tried again without mail's marks, then held back in
//! case the next line is its tail; whatever remains is counted by reason. Order is kept: a line
//! held back is settled before the next event.

mod ending;

use super::args::{self, Interned, Lack};
use super::around::{Around, Odd};
use super::dialect;
use super::dump::{self, Dumps};
use super::error::IdleLack;
use super::event::{Event, Kind};
use super::head::{self, Fault, Head, Layout, Stamp};
use super::names::Known;
use super::remark::{self, Remark, number, sample};
use super::report::{ImportReport, LostMarker, Reason, Sample, Stopped};
use super::tally::{Counters, Skips, Tallies};
use super::{Clock, Format, Limits, TraceError, mail};
use crate::units::{CpuId, Time};

/// Tails joined to one wrapped line.
const MAX_JOINS: u8 = 4;
/// Text of unreadable lines kept to say what the file may be, bytes.
const SAMPLE_BYTES: usize = 8192;
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

/// The state between lines.
pub(super) struct Text {
    limits: Limits,
    lines: u64,
    interned: Interned,
    tallies: Tallies,
    skips: Skips,
    events: Vec<Event>,
    dumps: Dumps,
    /// Losses that wait for the stamp of the next event line: from these indices on.
    unstamped: Option<(usize, usize)>,
    held: Option<Held>,
    counters: Counters,
    sample: Vec<u8>,
    /// The first line that is none of ours, nor a header.
    first_odd: Option<u64>,
    /// The first line that is neither blank nor a comment, and what is wrong with it.
    first_text: Option<(u64, Reason, Sample)>,
    /// The first `cpu_idle` line that says of no CPU that it goes to sleep.
    first_no_entry: Option<(u64, IdleLack, String)>,
    /// Some CPU goes to sleep or wakes up.
    has_idle: bool,
    /// Some CPU goes to sleep.
    has_entry: bool,
    seen: Vec<bool>,
    previous: Option<i64>,
    layouts: [u64; Layout::ALL.len()],
    /// Lines of a tool with a shape of its own were seen: they are tried first.
    dialect: bool,
    /// The rewritten arguments of such a line.
    scratch: Vec<u8>,
    around: Around,
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
            tallies: Tallies::new(limits.max_event_names),
            skips: Skips::default(),
            events: Vec::new(),
            dumps: Dumps::default(),
            unstamped: None,
            held: None,
            counters: Counters::default(),
            sample: Vec::new(),
            first_odd: None,
            first_text: None,
            first_no_entry: None,
            has_idle: false,
            has_entry: false,
            seen: Vec::new(),
            previous: None,
            layouts: [0; Layout::ALL.len()],
            dialect: false,
            scratch: Vec::new(),
            around: Around::default(),
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

    /// The text comes out of this around it.
    pub(super) fn comes_from(&mut self, origin: Format) {
        self.around.origin = Some(origin);
    }

    /// No further line is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// The file is settled to have no times.
    pub(super) fn no_times(&self) -> Option<TraceError> {
        let settled = self.counters.is_settled() && self.report.event_lines == 0;
        if settled { self.counters.error() } else { None }
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
        if self.dialect
            && let Some(done) = self.of_dialect(line, number)
        {
            return done;
        }
        let head = match head::parse(line) {
            Ok(head) => head,
            Err(fault) => {
                let done = if self.dialect {
                    None
                } else {
                    self.of_dialect(line, number)
                };
                return done.unwrap_or(Err(Failure::Head(fault)));
            }
        };
        if let Stamp::Bare { value, at } = head.stamp {
            return Err(Failure::Counter { value, at });
        }
        let (name, args) = head::event(head.rest).ok_or(Failure::NoName)?;
        self.event(&head, (name, args), number)
    }

    /// A line of a tool with a shape of its own; none when it is of no such tool.
    #[cold]
    fn of_dialect(&mut self, line: &[u8], number: u64) -> Option<Result<(), Failure>> {
        let mut args = std::mem::take(&mut self.scratch);
        let done = self.rewritten(line, &mut args).map(|found| {
            let found = found.map_err(Failure::Head)?;
            self.dialect = true;
            self.event(&found.head, (found.name, &args), number)
        });
        self.scratch = args;
        done
    }

    fn rewritten<'a>(&self, line: &'a [u8], args: &mut Vec<u8>) -> Option<Result<dialect::Line<'a>, Fault>> {
        let mut found = match dialect::parse(line, args)? {
            Ok(found) => found,
            Err(fault) => return Some(Err(fault)),
        };
        // Three numbers mean something only where nothing else does.
        if found.head.layout == Layout::Log && !self.is_log_so_far() {
            return None;
        }
        if let (true, Stamp::Seconds { ns, .. }) = (found.of_day, &mut found.head.stamp) {
            *ns = dialect::unwrapped(*ns, self.previous);
        }
        Some(Ok(found))
    }

    /// Nothing but rows of three numbers was an event, if anything was.
    fn is_log_so_far(&self) -> bool {
        self.report.event_lines == self.layouts[Layout::Log as usize]
    }

    /// Takes in an event whose parts are told apart.
    #[inline]
    fn event(&mut self, head: &Head<'_>, (name, args): (&[u8], &[u8]), number: u64) -> Result<(), Failure> {
        let (at, known) = self.tallies.find(name, number);
        let kind = match known {
            _ if head.cpu >= u32::from(self.limits.max_cpus) => {
                return Err(Failure::Args(Lack::CpuOutOfRange));
            }
            Some(known @ (Known::Dump | Known::Printk)) => {
                return self.printed(known, head, (name, args), at, number);
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
                        self.skips.add(Reason::RunInto, number, None);
                    }
                }
                Some(kind.map_err(Failure::Args)?)
            }
            None => None,
        };
        self.take(head, args, at, kind);
        Ok(())
    }

    /// A line of `trace_printk`: a governor's own numbers, or something that is not needed.
    #[cold]
    fn printed(
        &mut self,
        known: Known,
        head: &Head<'_>,
        (name, args): (&[u8], &[u8]),
        tally: usize,
        number: u64,
    ) -> Result<(), Failure> {
        let Some(said) = dump::said(known, name, args) else {
            self.take(head, args, tally, None);
            return Ok(());
        };
        if memchr::memchr(b'[', args).is_some() && head::before_next_line(args).is_some() {
            // What stands before the cut may end within a number.
            return Err(Failure::RunInto);
        }
        let (mut values, mut unknown) = (Vec::new(), Vec::new());
        let max_cpus = u32::from(self.limits.max_cpus);
        let cpu = dump::pairs(said.message, max_cpus, &mut values, &mut unknown)
            .map_err(|fault| Failure::Args(Lack::Dump(fault)))?;
        if !self.dumps.has_room(values.len(), self.limits.max_dump_values) {
            return Err(Failure::Args(Lack::Dump(dump::Fault::Full)));
        }
        self.take(head, args, tally, None);
        self.tallies.used(tally);
        self.report.dumps.count(values.len(), &unknown);
        if let Stamp::Seconds { ns, .. } | Stamp::Relative { ns } = head.stamp {
            let cpu = cpu.unwrap_or_else(|| cpu_id(head.cpu));
            let dump = said.dump(Time::from_ns(ns), cpu, number);
            self.dumps.push(dump, &values);
        }
        Ok(())
    }

    #[inline]
    fn take(&mut self, head: &Head<'_>, args: &[u8], tally: usize, kind: Option<Kind>) {
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
        if !self.padded && matches!(head.layout, Layout::Ftrace | Layout::Latency) {
            self.padded = head::is_padded(head.rest, args);
        }
        if self.unstamped.is_some() {
            self.stamp_losses(time);
        }
        let in_range = head.cpu < u32::from(self.limits.max_cpus);
        if in_range {
            self.see(cpu_id(head.cpu));
        }
        self.tallies.count(tally, kind.is_some());
        if let Some(kind) = kind {
            if let Kind::IdleEnter { cpu, .. } | Kind::IdleExit { cpu } | Kind::IdleMiss { cpu, .. } = kind {
                self.see(cpu);
                self.has_idle |= !matches!(kind, Kind::IdleMiss { .. });
                self.has_entry |= matches!(kind, Kind::IdleEnter { .. });
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
            self.odd(line.trim_ascii(), line, Reason::TooLong);
            return;
        }
        let Some(held) = self.held.take() else { return };
        let plain = mail::unquoted(line);
        let stands_alone = remark::stands_alone(&plain)
            || head::parse(&plain).is_ok()
            || self.rewritten(&plain, &mut Vec::new()).is_some();
        if stands_alone || held.joins >= MAX_JOINS {
            self.give_up(&held);
        } else {
            let joined = mail::joined(&held.text, &plain);
            match self.event_line(&mail::decoded(&joined), held.line) {
                Ok(()) => {
                    self.report.joined_lines += u64::from(held.joins) + 1;
                    return;
                }
                Err(Failure::Args(Lack::Field(_) | Lack::Dump(dump::Fault::Value(_))) | Failure::NoName)
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
        if line.trim_ascii().is_empty() {
            self.skips.add(Reason::Blank, self.lines, None);
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
            Failure::NoName | Failure::Args(Lack::Field(_) | Lack::Dump(dump::Fault::Value(_))) => {
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
            self.skips.add(Reason::Tail, held.line + joined, None);
        }
    }

    fn count_failure(&mut self, line: &[u8], failure: Failure, number: u64) {
        let reason = match failure {
            Failure::Head(Fault::NotAnEvent) => Reason::NotAnEvent,
            Failure::Head(Fault::NoStamp { at } | Fault::LateStamp { at }) => {
                let reason = match failure {
                    Failure::Head(Fault::LateStamp { .. }) => Reason::LateStamp,
                    _ => Reason::NoStamp,
                };
                self.begins(number, reason, line, at);
                self.skips.add(reason, number, Some(sample(line, at)));
                return;
            }
            Failure::Head(Fault::NoCpu) => Reason::NoCpu,
            Failure::Head(Fault::CutOff) => Reason::CutOff,
            Failure::Counter { value, at } => {
                self.counters.count(number, at, value);
                self.skips
                    .add(Reason::CounterStamp, number, Some(sample(line, at)));
                return;
            }
            Failure::NoName => Reason::NoName,
            Failure::RunInto => Reason::RunInto,
            Failure::Args(lack) => Reason::from(lack),
        };
        let mut place = None;
        let mut rewritten = Vec::new();
        let parts = if reason.is_whole_line() {
            None
        } else {
            self.parts(line, &mut rewritten)
        };
        if let Some((head, name, args)) = parts {
            // An event by name, though not one that can be used.
            let (at, known) = self.tallies.find(name, number);
            let column = if head.rest.is_empty() {
                0
            } else {
                line.len() - args.len()
            };
            let bad = place.insert(sample(line, column));
            if known == Some(Known::CpuIdle) && self.first_no_entry.is_none() {
                self.first_no_entry = Some((number, idle_lack(reason), self::found(&head, bad)));
            }
            self.take(&head, args, at, None);
        } else {
            self.begins(number, reason, line, 0);
        }
        self.skips.add(reason, number, place);
    }

    /// Head, name and arguments of a line, the last perhaps rewritten into a buffer.
    fn parts<'a>(
        &self,
        line: &'a [u8],
        rewritten: &'a mut Vec<u8>,
    ) -> Option<(Head<'a>, &'a [u8], &'a [u8])> {
        if let Ok(head) = head::parse(line) {
            let (name, args) = head::event(head.rest)?;
            return Some((head, name, args));
        }
        let found = self.rewritten(line, rewritten)?.ok()?;
        Some((found.head, found.name, rewritten))
    }

    /// A line that looks nothing like an event: marker, header, comment, or something else.
    fn remark(&mut self, plain: &[u8], line: &[u8]) {
        match remark::classify(plain, line) {
            Remark::Lost { cpu, events } => {
                self.report.marker_lines += 1;
                if cpu < u32::from(self.limits.max_cpus) {
                    self.lose(cpu_id(cpu), events);
                }
            }
            Remark::Marker => self.report.marker_lines += 1,
            Remark::Skip(reason @ (Reason::NotAnEvent | Reason::Callchain | Reason::Tail)) => {
                self.odd(plain.trim_ascii(), line, reason);
            }
            Remark::Skip(reason) => {
                if reason == Reason::Header {
                    self.around.header(plain);
                }
                // After other text `cpus=` is not trace-cmd's, but idlestat's or somebody's.
                if reason == Reason::Header && (self.first_odd.is_none() || plain.starts_with(b"#")) {
                    self.report.header.add(plain);
                }
                self.skips.add(reason, self.lines, None);
            }
        }
    }

    /// A line that is neither event nor comment: of what is around the trace, or a defect.
    fn odd(&mut self, text: &[u8], line: &[u8], reason: Reason) {
        let reason = match self.around.odd(line, reason) {
            Odd::As(reason) => reason,
            Odd::PageFromStart => {
                for above in [
                    Reason::NotAnEvent,
                    Reason::TooLong,
                    Reason::Callchain,
                    Reason::Tail,
                ] {
                    self.skips.turn(above, Reason::Page);
                }
                Reason::Page
            }
        };
        let place = match reason {
            Reason::NotAnEvent | Reason::TooLong | Reason::Page => {
                self.unclear(text, reason);
                (reason != Reason::Page).then(|| sample(line, 0))
            }
            _ => {
                self.begins(self.lines, Reason::NotAnEvent, text, 0);
                None
            }
        };
        self.skips.add(reason, self.lines, place);
    }

    /// Keeps the first line that is no comment, in case no event follows.
    fn begins(&mut self, number: u64, reason: Reason, line: &[u8], at: usize) {
        if self.is_log_so_far() && self.first_text.as_ref().is_none_or(|(first, ..)| number < *first) {
            self.first_text = Some((number, reason, sample(line, at)));
        }
    }

    /// Keeps text that may tell what the file is, in case no event follows.
    fn unclear(&mut self, text: &[u8], reason: Reason) {
        self.first_odd.get_or_insert(self.lines);
        self.begins(self.lines, reason, text, 0);
        if self.is_log_so_far() && self.sample.len() < SAMPLE_BYTES {
            let room = SAMPLE_BYTES - self.sample.len();
            self.sample.extend_from_slice(text.get(..room).unwrap_or(text));
            self.sample.push(b'\n');
        }
    }

    fn lose(&mut self, cpu: CpuId, events: Option<u64>) {
        let time = self.previous.map_or(Time::ZERO, Time::from_ns);
        self.unstamped
            .get_or_insert((self.events.len(), self.report.lost.len()));
        self.report.lose(LostMarker {
            cpu,
            events,
            line: self.lines,
            time,
        });
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
}

/// What a text gave.
pub(super) struct Finished {
    pub(super) events: Vec<Event>,
    pub(super) dumps: Dumps,
    pub(super) names: Vec<String>,
    pub(super) timers: Vec<u64>,
    pub(super) cpus: usize,
    pub(super) format: Format,
    pub(super) clock: Clock,
    pub(super) report: ImportReport,
}

/// What a `cpu_idle` line lacks, by the reason why it was skipped.
const fn idle_lack(reason: Reason) -> IdleLack {
    match reason {
        Reason::CpuOutOfRange => IdleLack::Cpu,
        Reason::StateOutOfRange => IdleLack::State,
        _ => IdleLack::Field,
    }
}

/// The arguments of a line that is no use, and the CPU that recorded it.
fn found(head: &Head<'_>, arguments: &Sample) -> String {
    format!("`{}` of CPU {}", arguments.found.trim_end(), head.cpu)
}

fn cpu_id(cpu: u32) -> CpuId {
    CpuId::new(u16::try_from(cpu).unwrap_or(u16::MAX))
}
