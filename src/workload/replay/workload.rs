//! The trace as a [`Workload`]: its wakeups and its work, without its idle decisions (design.md §3.2).
//!
//! ```text
//!   recorded   select … stay … exit | task ……………… | select … stay, tick, stay … exit | …
//!   workload                  ^ at    run ---------->                        ^ at
//!              '--- period 0 ---'                    '------- period 1 -----------'
//! ```
//!
//! Open loop: wakeups come when they came and bring the work that they brought: all that the recorded CPU did from the
//! end of its exit latency to its next select. What else delayed its exit stays with the work, and so does its overhead. The exit latency of the simulated state delays
//! that work; a wakeup that finds its CPU busy adds to it. Wakeups that only served the tick are left out.
//!
//! The pending timers are those of the recorded selects of the same period: what a task armed on the
//! recorded machine is pending in the simulation after as many wakeups. Invariants: as many interrupts as the trace has
//! wakeups that did more than serve the tick (or were cut by a loss), in order; columns are shared and never change.

use std::sync::Arc;

use super::Replay;
use super::provenance;
use super::reading::Reading;
use super::select::{self, Select};
use super::wakes::Wakeups;
use crate::sim::{
    Cause, CpuEvent, Effects, Environment, Flags, Interrupt, Keep, Knowledge, Lane, Record, Row, Timers,
    Workload,
};
use crate::units::{CpuId, Ns, Time};

/// One wakeup of one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Planned {
    at: Time,
    cause: Cause,
    line: u16,
    run: Option<Ns>,
}

/// What surrounded one recorded select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct View {
    from: Time,
    timers: Timers,
    keep: Keep,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Columns {
    first_busy: Ns,
    planned: Vec<Planned>,
    views: Vec<View>,
    /// The first view of each period.
    periods: Vec<usize>,
    /// Periods that were cut, ascending.
    cut: Vec<u32>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Shared {
    cpus: Vec<Columns>,
    /// All wakeups of all CPUs: when, where.
    order: Vec<(Time, CpuId)>,
}

/// A cursor into the wakeups of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayWorkload {
    shared: Arc<Shared>,
    next: usize,
    delivered: Vec<u32>,
    /// When each CPU last ran a tick handler: wheel timers due then have expired.
    ticked: Vec<Time>,
}

impl ReplayWorkload {
    /// The workload of a trace. `reading` tells the timers and keep reasons that following the recorded governor found.
    #[must_use]
    pub fn new(replay: &Replay, wakeups: &Wakeups, reading: Reading) -> Self {
        let mut shared = Shared::default();
        for (cpu, rows) in replay.cpus() {
            let columns = columns(replay, wakeups, reading, cpu, rows);
            shared
                .order
                .extend(columns.planned.iter().map(|planned| (planned.at, cpu)));
            shared.cpus.push(columns);
        }
        // Stable: the wakeups of one CPU stay in their order.
        shared.order.sort_by_key(|(at, cpu)| (*at, *cpu));
        Self {
            delivered: vec![0; shared.cpus.len()],
            ticked: vec![Time::ZERO; shared.cpus.len()],
            shared: Arc::new(shared),
            next: 0,
        }
    }

    /// Wakeups that will be delivered, all CPUs together.
    #[must_use]
    pub fn wakeups(&self) -> usize {
        self.shared.order.len()
    }

    /// Marks the rows of `record` that belong to periods cut by lost events: shown, never counted.
    pub fn mark_uncounted(&self, record: &mut Record) {
        for (columns, lane) in self.shared.cpus.iter().zip(&mut record.lanes) {
            if columns.cut.is_empty() {
                continue;
            }
            let mut marked = Lane::default();
            for row in lane.rows() {
                let cut = columns.cut.binary_search(&row.period).is_ok();
                marked.push(Row {
                    flags: row.flags.and_if(cut, Flags::UNCOUNTED),
                    ..row
                });
            }
            *lane = marked;
        }
    }

    /// What surrounded the recorded select that is nearest to an instant of the CPU's current period.
    fn view(&self, now: Time, cpu: CpuId) -> Option<&View> {
        self.views_from(now, cpu).and_then(<[View]>::first)
    }

    /// That and the later ones of the period.
    fn views_from(&self, now: Time, cpu: CpuId) -> Option<&[View]> {
        let columns = self.shared.cpus.get(cpu.index())?;
        let period = usize::try_from(*self.delivered.get(cpu.index())?).ok()?;
        let first = *columns.periods.get(period)?;
        let end = columns
            .periods
            .get(period + 1)
            .copied()
            .unwrap_or(columns.views.len());
        let views = columns.views.get(first..end)?;
        let passed = views.partition_point(|view| view.from <= now);
        views.get(passed.saturating_sub(1)..)
    }

    fn planned(&self, cpu: CpuId) -> Option<&Planned> {
        let delivered = usize::try_from(*self.delivered.get(cpu.index())?).ok()?;
        self.shared.cpus.get(cpu.index())?.planned.get(delivered)
    }
}

fn columns(replay: &Replay, wakeups: &Wakeups, reading: Reading, cpu: CpuId, rows: &[Select]) -> Columns {
    let mut columns = Columns {
        first_busy: rows.first().map_or(Ns::MAX, |row| {
            row.now.saturating_since(replay.span.0).max(Ns::ZERO)
        }),
        periods: vec![0],
        ..Columns::default()
    };
    for (n, row) in rows.iter().enumerate() {
        let keep = reading.keep(cpu, n);
        let wheel = if row.was_stopped || row.stopped_now {
            row.programmed
        } else {
            row.wheel
        };
        columns.views.push(View {
            from: row.now,
            timers: Timers {
                hrtimer: row.hrtimer.min(reading.hidden),
                wheel,
                known: provenance::sleep_length(replay, row, reading.hidden, keep),
            },
            keep,
        });
        let next = rows.get(n + 1);
        let wakeup = wakeups
            .rows
            .get(cpu.index())
            .and_then(|rows| rows.get(n))
            .copied()
            .flatten();
        let (at, cause, back) = match (wakeup, row.exit, row.cut) {
            (Some(wakeup), _, _) if wakeup.only_tick => continue,
            (Some(wakeup), _, _) => (
                wakeup.at,
                wakeup.cause,
                wakeup.at.saturating_add(wakeup.exit_latency),
            ),
            (_, _, Some(cut)) => {
                columns
                    .cut
                    .push(u32::try_from(columns.planned.len()).unwrap_or(u32::MAX));
                (cut.max(row.enter), Cause::Unknown, cut)
            }
            _ => continue,
        };
        let busy = row.task_ran || row.exit.is_none() || next.is_none_or(|next| !next.after_reflect);
        let run = next.map_or(Ns::MAX, |next| next.now.saturating_since(back));
        columns.planned.push(Planned {
            at,
            cause,
            line: match row.wake.first {
                Some(select::Interrupt::Device { line }) if cause == Cause::Interrupt => line,
                _ => 0,
            },
            run: (busy && run > Ns::ZERO).then_some(run),
        });
        columns.periods.push(columns.views.len());
    }
    columns
}

impl Workload for ReplayWorkload {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        self.shared
            .cpus
            .get(cpu.index())
            .map_or(Ns::MAX, |columns| columns.first_busy)
    }

    fn peek(&self) -> Time {
        self.shared
            .order
            .get(self.next)
            .map_or(Time::NEVER, |(at, _)| *at)
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        while let Some((_, cpu)) = self
            .shared
            .order
            .get(self.next)
            .filter(|(at, _)| *at <= now)
            .copied()
        {
            self.next += 1;
            if let Some(planned) = self.planned(cpu).copied() {
                out.interrupt(Interrupt {
                    cpu,
                    cause: planned.cause,
                    line: planned.line,
                    run: planned.run,
                });
            }
            if let Some(delivered) = self.delivered.get_mut(cpu.index()) {
                *delivered = delivered.saturating_add(1);
            }
        }
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, _: &mut Effects) {
        if let (CpuEvent::Tick { .. }, Some(ticked)) = (what, self.ticked.get_mut(cpu.index())) {
            *ticked = now;
        }
    }

    /// A wheel timer that a simulated tick has found due is pending no more; what the recorded CPU found pending when
    /// it then selected again takes its place.
    fn timers(&self, now: Time, cpu: CpuId) -> Timers {
        let views = self.views_from(now, cpu).unwrap_or_default();
        let ticked = self.ticked.get(cpu.index()).copied().unwrap_or(Time::ZERO);
        let is_pending = |timers: &Timers| timers.wheel > ticked;
        let mut found = views.iter().map(|view| view.timers);
        let Some(first) = found.next() else {
            return Timers {
                hrtimer: Time::NEVER,
                wheel: Time::NEVER,
                known: Knowledge::Unknown,
            };
        };
        if is_pending(&first) {
            return first;
        }
        found.find(is_pending).unwrap_or(Timers {
            wheel: Time::NEVER,
            known: Knowledge::Unknown,
            ..first
        })
    }

    fn environment(&mut self, now: Time, cpu: CpuId) -> Environment {
        Environment {
            keep: self.view(now, cpu).map_or(Keep::None, |view| view.keep),
            ..Environment::default()
        }
    }

    fn wakeup(&self, _: Time, cpu: CpuId) -> Option<Time> {
        Some(self.planned(cpu).map_or(Time::NEVER, |planned| planned.at))
    }
}
