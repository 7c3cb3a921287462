//! Where the readers of binary formats put what they find: events, counts, losses.
//!
//! A record takes the place of a line: the import report counts and numbers records, from 1.

use super::args::{Interned, Lack};
use super::bytes::Fault;
use super::dump::Dumps;
use super::event::{Event, Kind};
use super::report::{ImportReport, LostMarker, Reason, Sample, Stopped};
use super::symbols::Symbols;
use super::tally::{Skips, Tallies};
use super::text::Finished;
use super::{Clock, Format, Limits, TraceError, detect::Foreign, record::Layouts};
use crate::units::{CpuId, Time};

/// Collects one file.
pub(super) struct Sink {
    limits: Limits,
    pub(super) interned: Interned,
    pub(super) tallies: Tallies,
    skips: Skips,
    events: Vec<Event>,
    seen: Vec<bool>,
    previous: Option<i64>,
    has_idle: bool,
    pub(super) report: ImportReport,
}

impl Sink {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            interned: Interned {
                max_cpus: u32::from(limits.max_cpus),
                ..Interned::default()
            },
            tallies: Tallies::new(limits.max_event_names),
            skips: Skips::default(),
            events: Vec::new(),
            seen: Vec::new(),
            previous: None,
            has_idle: false,
            report: ImportReport {
                first: Time::NEVER,
                last: Time::from_ns(i64::MIN),
                ..ImportReport::default()
            },
        }
    }

    /// Whether no further event is wanted; says so in the report.
    #[inline]
    pub(super) fn is_full(&mut self) -> bool {
        let full = self.events.len() >= self.limits.max_events;
        if full && self.report.stopped.is_none() {
            self.report.stopped = Some(Stopped::TooManyEvents {
                line: self.report.lines + 1,
                limit: self.limits.max_events,
            });
        }
        full
    }

    /// A record that is no event.
    pub(super) fn skip(&mut self, reason: Reason) {
        self.report.lines += 1;
        self.skips.add(reason, self.report.lines, None);
    }

    /// The CPU of a record, when it is one that a machine can have.
    #[inline]
    pub(super) fn cpu(&self, cpu: u64) -> Option<CpuId> {
        let cpu = u16::try_from(cpu).ok()?;
        (cpu < self.limits.max_cpus).then_some(CpuId::new(cpu))
    }

    /// A raw record, as a file's own descriptions lay it out.
    #[inline]
    pub(super) fn raw(
        &mut self,
        layouts: &Layouts,
        symbols: &mut Symbols<'_>,
        (cpu, ns): (u64, u64),
        record: &[u8],
    ) {
        let Some(layout) = layouts.id(record).and_then(|id| layouts.get(id)) else {
            self.skip(Reason::NoName);
            return;
        };
        let kind = match self.cpu(cpu) {
            Some(here) => layouts.decode(layout, record, here, &mut self.interned, symbols),
            None => Err(Lack::CpuOutOfRange),
        };
        self.event(cpu, ns, layouts.pid(layout, record), layout.tally, kind);
    }

    /// One event: of a CPU, at an instant, of a task, counted under a name.
    #[inline]
    pub(super) fn event(
        &mut self,
        cpu: u64,
        ns: u64,
        pid: i32,
        tally: usize,
        kind: Result<Option<Kind>, Lack>,
    ) {
        let Ok(ns) = i64::try_from(ns) else {
            self.skip(Reason::LateStamp);
            return;
        };
        let time = Time::from_ns(ns);
        self.report.lines += 1;
        self.report.event_lines += 1;
        self.report.first = self.report.first.min(time);
        self.report.last = self.report.last.max(time);
        if self.previous.is_some_and(|previous| ns < previous) {
            self.report.backwards_steps += 1;
        }
        self.previous = Some(ns);
        let here = self.cpu(cpu);
        if let Some(here) = here {
            self.see(here);
        }
        let kind = match kind {
            Ok(kind) => kind,
            Err(lack) => {
                self.unusable(lack, cpu);
                None
            }
        };
        self.tallies.count(tally, kind.is_some());
        if let (Some(kind), Some(cpu)) = (kind, here) {
            if let Kind::IdleEnter { cpu, .. } | Kind::IdleExit { cpu } | Kind::IdleMiss { cpu, .. } = kind {
                self.see(cpu);
                self.has_idle |= !matches!(kind, Kind::IdleMiss { .. });
            }
            self.events.push(Event { time, pid, cpu, kind });
        }
    }

    #[cold]
    fn unusable(&mut self, lack: Lack, cpu: u64) {
        let found = Sample {
            column: 1,
            found: format!("a record of CPU {cpu}"),
        };
        self.skips.add(Reason::from(lack), self.report.lines, Some(found));
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

    /// Events of a CPU were lost before this instant.
    pub(super) fn lose(&mut self, cpu: u64, ns: u64, events: Option<u64>) {
        self.report.lines += 1;
        self.report.marker_lines += 1;
        let (Some(cpu), Ok(ns)) = (self.cpu(cpu), i64::try_from(ns)) else {
            return;
        };
        let time = Time::from_ns(ns);
        self.report.lose(LostMarker {
            cpu,
            events,
            line: self.report.lines,
            time,
        });
        self.events.push(Event {
            time,
            pid: -1,
            cpu,
            kind: Kind::Lost { events },
        });
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When no event tells when a CPU was idle; `fault` is what was found wrong with the file.
    pub(super) fn finish(
        mut self,
        format: Format,
        cpus: usize,
        fault: Option<(Foreign, Fault)>,
    ) -> Result<Finished, TraceError> {
        let events = self.tallies.into_report();
        if !self.has_idle {
            if let Some((format, fault)) = fault.filter(|_| self.report.event_lines == 0) {
                return Err(TraceError::damaged(format, fault));
            }
            let names: Vec<_> = events.iter().take(4).map(|tally| tally.name.as_str()).collect();
            return Err(TraceError::NoIdleRecords {
                format: format.name(),
                records: self.report.lines,
                found: if names.is_empty() {
                    "no event".to_owned()
                } else {
                    names.join(", ")
                },
            });
        }
        self.report.cpus_seen = (0..)
            .zip(&self.seen)
            .filter(|(_, seen)| **seen)
            .map(|(cpu, _)| CpuId::new(cpu))
            .collect();
        if let Some((_, fault)) = fault {
            let stopped = Stopped::Damaged {
                byte: fault.at,
                expected: fault.expected,
            };
            self.report.stopped.get_or_insert(stopped);
        }
        self.report.skipped = self.skips.into_report();
        self.report.events = events;
        // A loss may stand before an event with an earlier stamp.
        if !self.events.is_sorted_by_key(|event| event.time) {
            self.events.sort_by_key(|event| event.time);
        }
        Ok(Finished {
            cpus: self.seen.len().max(cpus.min(usize::from(self.limits.max_cpus))),
            events: self.events,
            dumps: Dumps::default(),
            names: self.interned.names.into_texts(),
            timers: self.interned.timers.into_addresses(),
            format,
            clock: Clock {
                resolution_ns: 1,
                relative: false,
            },
            report: self.report,
        })
    }
}
