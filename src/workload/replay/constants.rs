//! What holds for the whole trace: tick timers, HZ, the distance of the clocks, the zero of jiffies
//! (spec replay-inputs.md §2.1).
//!
//! Pure and total: any list of events gives some answer, and says how it came by it.

use std::collections::BTreeMap;

use super::clock::Clock;
use super::source::{Has, Source, subject};
use crate::sim::Knowledge;
use crate::trace::event::{Event, Kind, TimerId};
use crate::units::{CpuId, Ns, Time};

/// Tick rates that kernels are built with, smallest first: multiples of 4 ms are multiples of 1 ms too.
const RATES: [u32; 4] = [100, 250, 300, 1000];
/// The rate to assume when nothing tells: what most distributions build with.
const DEFAULT_RATE: u32 = 250;
/// An expiry that late is on the wall clock, not on the monotonic one, ns.
pub(super) const WALL_CLOCK_NS: i64 = 100_000_000_000_000_000;
/// Clocks that are closer than this are the same clock.
const SAME_CLOCK: Ns = Ns::from_us(200);

/// The constants of one trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// Ticks per second.
    pub hz: u32,
    /// Where the rate comes from: the tick timer's expiries, or assumed.
    pub hz_known: Knowledge,
    /// The tick grid and the distance of the two clocks.
    pub clock: Clock,
    /// Where the distance comes from: expiries read back, wakeups by timers, or the exits' position.
    pub clock_known: Knowledge,
    /// Jiffies minus the number of the tick period, when wheel timers tell.
    pub jiffies: Option<i64>,
    /// The tick timers and their CPUs.
    pub tick_timers: BTreeMap<TimerId, CpuId>,
    /// What kinds of event there are.
    pub has: Has,
}

impl Constants {
    /// Finds them.
    #[must_use]
    pub fn of(source: &Source) -> Self {
        let events = source.events;
        let has = Has::of(events);
        let tick_timers = tick_timers(source);
        let rate = rate(events, &tick_timers);
        let hz = rate.unwrap_or(DEFAULT_RATE);
        let tick = period(hz);
        let (offset, clock_known) = offset(source, &has, tick);
        let clock = Clock { tick, offset };
        Self {
            hz,
            hz_known: if rate.is_some() {
                Knowledge::Exact
            } else {
                Knowledge::Unknown
            },
            clock,
            clock_known,
            jiffies: jiffies(events, clock),
            tick_timers,
            has,
        }
    }

    /// The instant at which a wheel bucket is due, whatever jiffies did meanwhile; none without the zero of jiffies.
    #[must_use]
    pub fn bucket(&self, jiffies: u64) -> Option<Time> {
        let jiffies = i64::try_from(jiffies).ok()?;
        Some(self.clock.at(jiffies.saturating_sub(self.jiffies?)))
    }
}

/// The tick period, ns, of a rate of `RATES`.
const fn period(hz: u32) -> Ns {
    let hz = hz as i64;
    Ns::new((1_000_000_000 + hz / 2) / hz)
}

fn tick_timers(source: &Source) -> BTreeMap<TimerId, CpuId> {
    let mut found = BTreeMap::new();
    for event in source.events {
        let (Kind::HrtimerStart { timer, function, .. } | Kind::HrtimerExpireEntry { timer, function, .. }) =
            event.kind
        else {
            continue;
        };
        if function.is_some_and(|function| source.tick_functions.contains(&function)) {
            found.entry(timer).or_insert(event.cpu);
        }
    }
    if found.is_empty() {
        // Binary forms name no function: the idle task programs the tick timer right after it stops the tick.
        let mut stopped: BTreeMap<CpuId, bool> = BTreeMap::new();
        let mut taken: BTreeMap<CpuId, TimerId> = BTreeMap::new();
        for event in source.events {
            match event.kind {
                Kind::TickStop { success: true } => {
                    stopped.insert(event.cpu, true);
                }
                Kind::HrtimerStart { timer, .. }
                    if stopped.remove(&event.cpu).is_some() && event.pid <= 0 =>
                {
                    taken.entry(event.cpu).or_insert(timer);
                }
                Kind::IdleEnter { .. } | Kind::SchedSwitch { .. } => {
                    stopped.remove(&subject(event));
                }
                _ => {}
            }
        }
        found.extend(taken.into_iter().map(|(cpu, timer)| (timer, cpu)));
    }
    found
}

/// The smallest rate whose period divides nine tenths of the expiries to within a microsecond.
fn rate(events: &[Event], tick_timers: &BTreeMap<TimerId, CpuId>) -> Option<u32> {
    let expiries: Vec<i64> = events
        .iter()
        .filter_map(|event| match event.kind {
            Kind::HrtimerStart {
                timer, expires_ns, ..
            } if tick_timers.contains_key(&timer) => Some(expires_ns),
            _ => None,
        })
        .collect();
    if expiries.is_empty() {
        return None;
    }
    RATES.into_iter().find(|hz| {
        let tick = period(*hz).as_ns();
        let on_grid = expiries.iter().filter(|ns| ns.rem_euclid(tick) < 1_000).count();
        on_grid * 10 >= expiries.len() * 9
    })
}

/// Trace clock minus monotonic clock.
fn offset(source: &Source, has: &Has, tick: Ns) -> (Ns, Knowledge) {
    let events = source.events;
    let read_back = events.iter().filter_map(|event| match event.kind {
        Kind::HrtimerExpireEntry { now_ns, .. } if now_ns <= WALL_CLOCK_NS => {
            Some(event.time.saturating_since(Time::from_ns(now_ns)))
        }
        _ => None,
    });
    let same_clock = |offset: Ns| {
        let near = Ns::ZERO.saturating_sub(SAME_CLOCK) < offset && offset < SAME_CLOCK;
        if near { Ns::ZERO } else { offset }
    };
    if let Some(least) = read_back.min() {
        return (same_clock(least), Knowledge::Exact);
    }
    if has.hrtimer_start
        && let Some(edge) = densest(wakeups_by_timers(source), Ns::from_us(300))
    {
        return (
            same_clock(edge.saturating_sub(Ns::from_us(30))),
            Knowledge::Inferred,
        );
    }
    let phases: Vec<Ns> = events
        .iter()
        .filter(|event| matches!(event.kind, Kind::IdleExit { .. }))
        .map(|event| Ns::new(event.time.as_ns().rem_euclid(tick.as_ns())))
        .collect();
    // The window may lie across the end of the period.
    let twice = phases.iter().flat_map(|phase| [*phase, *phase + tick]).collect();
    match densest(twice, Ns::from_us(150)) {
        Some(edge) => (
            Ns::new(edge.as_ns().rem_euclid(tick.as_ns())),
            Knowledge::Inferred,
        ),
        None => (Ns::ZERO, Knowledge::Unknown),
    }
}

/// For each timer interrupt that ends an idle period: its stamp minus the expiry started last on that CPU.
fn wakeups_by_timers(source: &Source) -> Vec<Ns> {
    #[derive(Default)]
    struct Seen {
        expiry: Option<i64>,
        just_woken: bool,
    }
    let mut cpus: BTreeMap<CpuId, Seen> = BTreeMap::new();
    let mut distances = Vec::new();
    for event in source.events {
        let seen = cpus.entry(subject(event)).or_default();
        match event.kind {
            Kind::HrtimerStart { expires_ns, .. } => seen.expiry = Some(expires_ns),
            Kind::IdleExit { .. } => seen.just_woken = true,
            Kind::IdleEnter { .. } | Kind::SchedSwitch { .. } => seen.just_woken = false,
            Kind::IrqEntry { name, .. } => {
                if let (true, true, Some(ns)) =
                    (seen.just_woken, source.is_timer_interrupt(name), seen.expiry)
                {
                    distances.push(event.time.saturating_since(Time::from_ns(ns)));
                }
                seen.just_woken = false;
            }
            _ => {}
        }
    }
    distances
}

/// The lower edge of the window of this width that holds most values; the first of equals.
fn densest(mut values: Vec<Ns>, width: Ns) -> Option<Ns> {
    values.sort_unstable();
    let mut first = 0;
    let mut best: Option<(usize, Ns)> = None;
    for (last, value) in values.iter().enumerate() {
        while values
            .get(first)
            .is_some_and(|edge| value.saturating_sub(*edge) > width)
        {
            first += 1;
        }
        let held = last + 1 - first;
        if best.is_none_or(|(most, _)| held > most) {
            best = values.get(first).map(|edge| (held, *edge));
        }
    }
    best.map(|(_, edge)| edge)
}

/// Jiffies minus tick number: the largest value that at least one reading in fifty gives. Smaller ones were read while
/// jiffies lagged.
fn jiffies(events: &[Event], clock: Clock) -> Option<i64> {
    let mut readings: BTreeMap<i64, usize> = BTreeMap::new();
    let mut total = 0_usize;
    for event in events {
        let jiffies = match event.kind {
            Kind::TimerExpireEntry { now_jiffies, .. } => i64::try_from(now_jiffies).ok(),
            Kind::TimerStart {
                expires_jiffies,
                timeout_jiffies: Some(timeout),
                ..
            } => i64::try_from(expires_jiffies)
                .ok()
                .and_then(|expires| expires.checked_sub(timeout)),
            _ => None,
        };
        if let Some(jiffies) = jiffies {
            *readings
                .entry(jiffies.saturating_sub(clock.ticks(event.time)))
                .or_default() += 1;
            total += 1;
        }
    }
    readings
        .into_iter()
        .rev()
        .find(|(_, count)| count * 50 >= total)
        .map(|(reading, _)| reading)
}
