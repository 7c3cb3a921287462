//! What a lane did, in numbers: of its whole length or of a range of time.

use super::durations::{Histogram, Quantiles};
use super::tick_stops::{Stopped, TickStops};
use crate::cpuidle::{MAX_STATES, StateMask};
use crate::energy::{self, Account, Model};
use crate::sim::{Cause, Flags, Lane, Record, Row};
use crate::units::{CpuId, Ns, Time};

/// Kinds of [`Cause`].
pub const CAUSES: usize = Cause::ALL.len();

/// What happened in one idle state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateUse {
    /// Periods in it, as the kernel's `usage`.
    pub count: u64,
    /// Time in it, entry to exit, ns, as the kernel's `time`.
    pub time: Ns,
    /// Too deep by the kernel's rule, as the kernel's `above`.
    pub too_deep: u64,
    /// Too shallow by the kernel's rule, as the kernel's `below`.
    pub too_shallow: u64,
    /// Entries that failed.
    pub rejected: u64,
}

/// What happened on one CPU, or on all of them, within a range of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By state entered, as far as any state was seen.
    pub states: Vec<StateUse>,
    /// Decisions that are not counted: open at an end of the record, or cut by lost events.
    pub uncounted: u64,
    /// Decisions that stopped a running tick.
    pub tick_stops: u64,
    /// How long the CPU stayed idle when a running tick was stopped.
    pub stopped: TickStops,
    /// Entries during which the tick kept running.
    pub ticks_retained: u64,
    /// Periods during which the tick's handler ran.
    pub got_tick: u64,
    /// Stays that ticks cut into several periods which are too shallow each: one sleep, many misses.
    pub split_sleeps: u64,
    /// The misses that these sleeps became.
    pub split_misses: u64,
    /// Decisions for which the governor looked up the next timer.
    pub queries: u64,
    /// Wakeups by what caused them, in the order of [`Cause::ALL`].
    pub causes: [u64; CAUSES],
    /// Time between counted periods, ns.
    pub busy: Ns,
    /// Length of stays, select to wakeup event.
    pub durations: Histogram,
    /// Wakeup event until the CPU runs again, over wakeups that somebody waited for: not those of the
    /// tick and of the polling limit.
    pub wake_latency: Option<Quantiles>,
    /// Energy, where a machine is known.
    pub energy: Option<Account>,
}

impl Summary {
    /// Counted idle periods: entries that did not fail.
    #[must_use]
    pub fn periods(&self) -> u64 {
        self.states.iter().map(|state| state.count).sum()
    }

    /// Time in all states, entry to exit, ns.
    #[must_use]
    pub fn idle(&self) -> Ns {
        self.states.iter().map(|state| state.time).sum()
    }

    /// Periods too deep by the kernel's rule.
    #[must_use]
    pub fn too_deep(&self) -> u64 {
        self.states.iter().map(|state| state.too_deep).sum()
    }

    /// Periods too shallow by the kernel's rule.
    #[must_use]
    pub fn too_shallow(&self) -> u64 {
        self.states.iter().map(|state| state.too_shallow).sum()
    }

    /// Entries that failed.
    #[must_use]
    pub fn rejected(&self) -> u64 {
        self.states.iter().map(|state| state.rejected).sum()
    }

    /// Mean length of a period in state `n`, entry to exit, ns; `None` when there was none.
    #[must_use]
    pub fn average(&self, n: usize) -> Option<Ns> {
        let state = self.states.get(n)?;
        let count = i64::try_from(state.count).ok().filter(|count| *count > 0)?;
        Some(Ns::new(state.time.as_ns() / count))
    }
}

/// How energy of one CPU is to be accounted.
#[derive(Clone, Copy, Debug)]
pub struct Costs<'a> {
    /// The CPU's model.
    pub model: &'a Model,
    /// The states that the ideal governor may choose.
    pub allowed: StateMask,
}

/// Summarises the decisions of `lane` taken within `from` to `to` (the end excluded).
#[must_use]
pub fn of_lane(lane: &Lane, costs: Option<Costs<'_>>, from: Time, to: Time) -> Summary {
    let mut latencies = Vec::new();
    let mut summary = Summary::default();
    add_lane(lane, costs, from, to, &mut summary, &mut latencies);
    summary.wake_latency = Quantiles::of(&mut latencies);
    summary
}

/// Summarises every CPU of `record` together. `costs` may know a model for some CPUs; energy is given
/// when it does for all that were seen.
#[must_use]
pub fn of_record<'a>(
    record: &Record,
    costs: impl Fn(CpuId) -> Option<Costs<'a>>,
    from: Time,
    to: Time,
) -> Summary {
    let mut latencies = Vec::new();
    let mut summary = Summary::default();
    let mut unknown = false;
    for (cpu, lane) in (0u16..).map(CpuId::new).zip(&record.lanes) {
        let costs = costs(cpu);
        unknown |= costs.is_none() && !lane.is_empty();
        add_lane(lane, costs, from, to, &mut summary, &mut latencies);
    }
    if unknown {
        summary.energy = None;
    }
    summary.wake_latency = Quantiles::of(&mut latencies);
    summary
}

fn add_lane(
    lane: &Lane,
    costs: Option<Costs<'_>>,
    from: Time,
    to: Time,
    summary: &mut Summary,
    latencies: &mut Vec<Ns>,
) {
    let first = lane.entries().partition_point(|entry| *entry < from);
    let last = lane.entries().partition_point(|entry| *entry < to);
    latencies.reserve(last.saturating_sub(first));
    let mut pieces = 0;
    let mut stopped = Stopped::default();
    for n in first..last {
        let Some(row) = lane.row(n) else { break };
        add_row(&row, summary, latencies);
        if let Some(length) = stopped.take(&row).filter(|_| !row.flags.has(Flags::UNCOUNTED)) {
            summary.stopped.add(length);
        }
        pieces += u64::from(row.flags.has(Flags::TOO_SHALLOW));
        let is_cut = row.cause == Cause::Tick && !row.flags.has(Flags::RESCHEDULED);
        if !is_cut || n + 1 == last {
            if pieces > 1 {
                summary.split_sleeps += 1;
                summary.split_misses += pieces;
            }
            pieces = 0;
        }
        if let Some(next) = lane
            .entries()
            .get(n + 1)
            .filter(|_| !row.flags.has(Flags::UNCOUNTED))
        {
            summary.busy += next.saturating_since(row.exit).max(Ns::ZERO);
        }
    }
    if let Some(costs) = costs {
        let account = energy::account(lane, costs.model, costs.allowed, from, to);
        summary.energy.get_or_insert_default().add(&account);
    }
}

fn add_row(row: &Row, summary: &mut Summary, latencies: &mut Vec<Ns>) {
    if row.flags.has(Flags::UNCOUNTED) {
        summary.uncounted += 1;
        return;
    }
    summary.tick_stops += u64::from(row.flags.has(Flags::STOPPED_NOW));
    summary.queries += u64::from(row.flags.has(Flags::QUERIED));
    let n = row.entered.index();
    if n >= summary.states.len() && n < MAX_STATES {
        summary.states.resize(n + 1, StateUse::default());
    }
    let Some(state) = summary.states.get_mut(n) else {
        return;
    };
    if row.flags.has(Flags::REJECTED) {
        state.rejected += 1;
        return;
    }
    state.count += 1;
    state.time += row.residency();
    state.too_deep += u64::from(row.flags.has(Flags::TOO_DEEP));
    state.too_shallow += u64::from(row.flags.has(Flags::TOO_SHALLOW));
    summary.ticks_retained += u64::from(!row.flags.has(Flags::STOPPED));
    summary.got_tick += u64::from(row.flags.has(Flags::GOT_TICK));
    if let Some(count) = summary.causes.get_mut(row.cause as usize) {
        *count += 1;
    }
    summary.durations.add(row.wake.saturating_since(row.entry));
    if !matches!(row.cause, Cause::Tick | Cause::PollLimit) {
        latencies.push(row.exit.saturating_since(row.wake));
    }
}
