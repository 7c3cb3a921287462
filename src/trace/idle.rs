//! What a trace says about idle, summed per CPU: the recorded lane in numbers.
//!
//! ```text
//!   enter(state)             exit      enter        enter        exit
//!      |======= period =======|          |·· dropped ··|== period ==|     then: trailing open
//! ```
//!
//! The rules are those of the shared samples' manifest: events belong to the CPU they name, an enter while a
//! period is open drops the open one, an exit without one is an orphan that still counts as a
//! wakeup, a period still open at the end is reported and not counted. Loss markers do not touch
//! these numbers; [`Recorded::loss_reset`] repeats them with every marker dropping the open
//! period of its CPU.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Trace;
use super::event::{Event, Kind, Miss};
use super::facts::Facts;
use crate::units::{CpuId, StateIdx, Time};

/// The sums of one trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recorded {
    /// Event lines, used or not.
    pub total_events: u64,
    /// Lines per event name.
    pub event_counts: BTreeMap<String, u64>,
    /// Stamp of the earliest event line, ns.
    pub first_ts_ns: i64,
    /// Stamp of the latest event line, ns.
    pub last_ts_ns: i64,
    /// `cpu_idle` events.
    pub cpu_idle_events: u64,
    /// Stamp of the first of them, ns.
    pub first_cpu_idle_ns: Option<i64>,
    /// Stamp of the last of them, ns.
    pub last_cpu_idle_ns: Option<i64>,
    /// `tick_stop` by the CPU that recorded it.
    pub tick_stop_by_recording_cpu: BTreeMap<CpuId, TickStops>,
    /// `cpu_idle_miss` by the CPU that it names.
    pub cpu_idle_miss_by_cpu_id: BTreeMap<CpuId, Misses>,
    /// Event lines stamped before the one above.
    pub file_order_backwards_steps: u64,
    /// Loss markers.
    pub lost_markers: u64,
    /// Event lines by the tool in whose shape they are printed; none for binary files.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub line_styles: BTreeMap<&'static str, u64>,
    /// Lines that are neither event, mark, comment nor blank; none for binary files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unparsed_lines: Option<u64>,
    /// Idle periods per CPU.
    pub cpus: BTreeMap<CpuId, CpuIdle>,
    /// The same with every loss marker dropping its CPU's open period; none without markers.
    pub loss_reset: Option<BTreeMap<CpuId, CpuIdle>>,
    /// What a binary file says about itself.
    #[serde(flatten)]
    pub facts: Option<Facts>,
}

/// Ticks stopped, and stops that a dependency forbade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TickStops {
    /// Stopped.
    pub success: u64,
    /// Forbidden.
    pub fail: u64,
}

/// The kernel's own count of misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Misses {
    /// Too deep.
    pub above: u64,
    /// Too shallow.
    pub below: u64,
}

/// Idle of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuIdle {
    /// `cpu_idle` events that name it.
    pub cpu_idle_events: u64,
    /// Of these, enters.
    pub enters: u64,
    /// Of these, exits.
    pub wakeups: u64,
    /// Enters with their exit.
    pub periods: u64,
    /// Enters while a period was open; the older one is dropped.
    pub enter_without_exit: u64,
    /// Exits while no period was open.
    pub orphan_exits: u64,
    /// Open periods that a loss marker dropped; only in the variant that does so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_by_loss: Option<u64>,
    /// Closed periods by state.
    pub states: BTreeMap<StateIdx, StateSum>,
    /// Sum over all states, ns.
    pub residency_ns_total: i64,
    /// The period still open at the end.
    pub trailing_open: Option<Open>,
}

/// Closed periods of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StateSum {
    /// How many.
    pub count: u64,
    /// Exit stamp minus enter stamp, summed, ns.
    pub residency_ns: i64,
    /// The shortest, ns.
    pub min_ns: i64,
    /// The longest, ns.
    pub max_ns: i64,
}

/// A period that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Open {
    /// The state asked for.
    pub state: StateIdx,
    /// Its enter stamp, ns.
    #[serde(rename = "since_ns")]
    pub since: Time,
}

/// Sums a trace.
#[must_use]
pub fn account(trace: &Trace) -> Recorded {
    let report = &trace.report;
    let mut recorded = Recorded {
        total_events: report.event_lines,
        event_counts: report
            .events
            .iter()
            .map(|tally| (tally.name.clone(), tally.lines))
            .collect(),
        first_ts_ns: report.first.as_ns(),
        last_ts_ns: report.last.as_ns(),
        file_order_backwards_steps: report.backwards_steps,
        lost_markers: report.lost_markers,
        line_styles: report.line_styles.clone(),
        unparsed_lines: (!report.line_styles.is_empty()).then(|| report.unparsed_lines()),
        cpus: periods(&trace.events, false),
        facts: report.facts.clone(),
        loss_reset: (report.lost_markers > 0).then(|| periods(&trace.events, true)),
        ..Recorded::default()
    };
    for event in &trace.events {
        match event.kind {
            Kind::IdleEnter { .. } | Kind::IdleExit { .. } => {
                recorded.cpu_idle_events += 1;
                recorded.first_cpu_idle_ns.get_or_insert(event.time.as_ns());
                recorded.last_cpu_idle_ns = Some(event.time.as_ns());
            }
            Kind::TickStop { success } => {
                let stops = recorded.tick_stop_by_recording_cpu.entry(event.cpu).or_default();
                stops.success += u64::from(success);
                stops.fail += u64::from(!success);
            }
            Kind::IdleMiss { cpu, miss, .. } => {
                let misses = recorded.cpu_idle_miss_by_cpu_id.entry(cpu).or_default();
                misses.above += u64::from(miss == Miss::Above);
                misses.below += u64::from(miss == Miss::Below);
            }
            _ => {}
        }
    }
    recorded
}

/// Idle periods per CPU; with `loss_resets`, a loss marker drops the open period of its CPU.
#[must_use]
pub fn periods(events: &[Event], loss_resets: bool) -> BTreeMap<CpuId, CpuIdle> {
    let mut cpus: BTreeMap<CpuId, CpuIdle> = BTreeMap::new();
    let new = || CpuIdle {
        dropped_by_loss: loss_resets.then_some(0),
        ..CpuIdle::default()
    };
    for event in events {
        match event.kind {
            Kind::IdleEnter { cpu, state } => {
                let idle = cpus.entry(cpu).or_insert_with(new);
                idle.cpu_idle_events += 1;
                idle.enters += 1;
                idle.enter_without_exit += u64::from(idle.trailing_open.is_some());
                idle.trailing_open = Some(Open {
                    state,
                    since: event.time,
                });
            }
            Kind::IdleExit { cpu } => {
                let idle = cpus.entry(cpu).or_insert_with(new);
                idle.cpu_idle_events += 1;
                idle.wakeups += 1;
                match idle.trailing_open.take() {
                    Some(open) => idle.close(open, event.time),
                    None => idle.orphan_exits += 1,
                }
            }
            Kind::Lost { .. } if loss_resets => {
                if let Some(idle) = cpus.get_mut(&event.cpu) {
                    let dropped = u64::from(idle.trailing_open.take().is_some());
                    idle.dropped_by_loss = idle.dropped_by_loss.map(|count| count + dropped);
                }
            }
            _ => {}
        }
    }
    cpus
}

impl CpuIdle {
    fn close(&mut self, open: Open, exit: Time) {
        let ns = exit.saturating_since(open.since).as_ns();
        let empty = StateSum {
            count: 0,
            residency_ns: 0,
            min_ns: i64::MAX,
            max_ns: i64::MIN,
        };
        let state = self.states.entry(open.state).or_insert(empty);
        self.periods += 1;
        state.count += 1;
        state.residency_ns = state.residency_ns.saturating_add(ns);
        state.min_ns = state.min_ns.min(ns);
        state.max_ns = state.max_ns.max(ns);
        self.residency_ns_total = self.residency_ns_total.saturating_add(ns);
    }
}
