//! Generation: per state hits, misses and early hits, in whole microseconds; the first design. As released in 5.1 to
//! 5.3 (spec teo.md §2).
//!
//! ```text
//!   stay reaches the state that the timer allows     hit there
//!   it does not                                      miss there, early hit where it ended
//! ```
//!
//! Only the state that the timer allowed fades, so what is known of other timers stands still. Of the nine last
//! durations eight are looked at: a slip of that kernel.

use serde::{Deserialize, Serialize};

use super::bins::{Decay, Span, Tuning, add, at};
use super::step::Step;
use super::timer::ask;
use crate::cpuidle::select::{Now, Polling, finish, shallower, tick_in_us, truncated};
use crate::cpuidle::{Decision, Device, Kernel, MAX_STATES, SleepLength, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx, Us};

/// Durations looked at.
const EXAMINED: usize = 8;
/// Durations stored.
const STORED: usize = 9;
/// More than this many of them must be short to matter.
const MAJORITY: u64 = 4;
/// A stay that reached its timer.
const REACHED: Us = Us::MAX;

/// What this generation remembers. Metrics in 1/1024 wakeups, one per state, zero past the table's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Stays that ended in a state's range although the timer allowed a deeper one.
    pub early_hits: [u32; MAX_STATES],
    /// Stays that reached the state that the timer allowed.
    pub hits: [u32; MAX_STATES],
    /// Stays that did not.
    pub misses: [u32; MAX_STATES],
    /// The last durations, µs, without the ninth, which is stored but never read.
    pub intervals: [Us; EXAMINED],
    /// The slot to be overwritten next, 0 to 8.
    pub next: usize,
}

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyHits {
    memory: Snapshot,
    span: Span,
}

impl Default for EarlyHits {
    fn default() -> Self {
        Self {
            memory: Snapshot {
                early_hits: [0; MAX_STATES],
                hits: [0; MAX_STATES],
                misses: [0; MAX_STATES],
                intervals: [REACHED; EXAMINED],
                next: 0,
            },
            span: Span::default(),
        }
    }
}

/// A state's target residency, µs.
fn residency(table: &StateTable, idx: StateIdx) -> Us {
    Us::from_ns_low_bits(table.target_residency(idx).as_u64())
}

impl EarlyHits {
    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) const fn snapshot(&self) -> Snapshot {
        self.memory
    }

    /// Books the last period (spec §2.1).
    pub(super) fn update<P: Probe<Step>>(&mut self, table: &StateTable, device: &mut Device, probe: &mut P) {
        let Some(entered) = device.last_state.take() else {
            return;
        };
        let span = &self.span;
        let (time_span, sleep_length) = (span.time_span.as_u64(), span.sleep_length.as_u64());
        let timer_us = Us::from_ns_low_bits(sleep_length);
        let reached = time_span >= sleep_length;
        let measured = if reached {
            timer_us
        } else {
            let exit = Us::from_ns_low_bits(table.exit_latency(entered).as_u64()).as_us();
            let stay = Us::from_ns_low_bits(time_span).as_us();
            Us::new(if stay >= exit { stay - exit / 2 } else { stay / 2 })
        };
        let mut timer = None;
        let mut hit = None;
        for idx in table.indices() {
            if let Some(early) = self.memory.early_hits.get_mut(idx.index()) {
                *early = Tuning::KERNEL.faded(Decay::Geometric, *early);
            }
            if residency(table, idx) <= timer_us {
                timer = Some(idx);
                if residency(table, idx) <= measured {
                    hit = Some(idx);
                }
            }
        }
        if let Some(timer) = timer {
            self.book(timer, hit);
        }
        let stored = if reached { REACHED } else { measured };
        self.store(stored);
        probe.step(|| Step::LearnedEarly {
            sleep_length: self.span.sleep_length,
            measured: (!reached).then(|| Ns::from(measured)),
            timer,
            hit,
        });
    }

    fn book(&mut self, timer: StateIdx, hit: Option<StateIdx>) {
        for metric in [&mut self.memory.hits, &mut self.memory.misses] {
            if let Some(metric) = metric.get_mut(timer.index()) {
                *metric = Tuning::KERNEL.faded(Decay::Geometric, *metric);
            }
        }
        if hit == Some(timer) {
            add(&mut self.memory.hits, timer, Tuning::KERNEL.pulse);
            return;
        }
        add(&mut self.memory.misses, timer, Tuning::KERNEL.pulse);
        if let Some(hit) = hit {
            add(&mut self.memory.early_hits, hit, Tuning::KERNEL.pulse);
        }
    }

    fn store(&mut self, interval: Us) {
        if let Some(slot) = self.memory.intervals.get_mut(self.memory.next) {
            *slot = interval;
        }
        self.memory.next = (self.memory.next + 1) % STORED;
    }

    /// Chooses a state (spec §2.2).
    pub(super) fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        self.update(table, device, probe);
        self.span.begin(kernel.now());
        let now = Now::ask(table, Ns::from(tick_in_us(tick)), kernel);
        let sleep = ask(kernel, probe);
        self.span.sleep_length = sleep.to_event;
        let (found, expected) = self.find(&now, truncated(sleep.to_event), probe);
        let Some(found) = found else {
            return end(&now, StateIdx::ZERO, expected, sleep, probe);
        };
        let (state, expected) = self.short_intervals(&now, found, expected, probe);
        end(&now, state, expected, sleep, probe)
    }

    /// The deepest state that the timer allows, or a shallower one where stays end early more often; and the duration
    /// expected, µs.
    fn find<P: Probe<Step>>(&self, now: &Now<'_>, sleep_length: Us, probe: &mut P) -> (Option<StateIdx>, Us) {
        let limit = now.latency_req.div_floor(Ns::from_us(1));
        let mut early = Early { count: 0, best: None };
        let mut found = None;
        for idx in now.table.indices() {
            let early_hits = at(&self.memory.early_hits, idx);
            if !now.enabled(idx) {
                early.take_over(early_hits);
                continue;
            }
            let target_residency = now.target_residency(idx);
            let exit_latency = now.table.exit_latency(idx);
            let fits = residency(now.table, idx) <= sleep_length;
            let allowed = exit_latency.div_floor(Ns::from_us(1)) <= limit;
            probe.step(|| Step::Considered {
                state: idx,
                target_residency,
                sleep_length: Some(Ns::from(sleep_length)),
                fits,
                exit_latency,
                latency_req: now.latency_req,
                allowed,
            });
            let before = *found.get_or_insert(idx);
            if !fits {
                break;
            }
            if !allowed {
                return (Some(before), residency(now.table, before));
            }
            found = Some(idx);
            let too_short = now.tick_stopped && Ns::from(residency(now.table, idx)) < now.tick;
            if !too_short {
                early.offer(idx, early_hits);
            }
        }
        let Some(state) = found else {
            return (None, sleep_length);
        };
        let hits = at(&self.memory.hits, state);
        let misses = at(&self.memory.misses, state);
        let best = early.best.filter(|_| hits <= misses);
        probe.step(|| Step::EarlyHits {
            state,
            hits,
            misses,
            early_hits: early.count,
            best: early.best,
            to: best.unwrap_or(state),
        });
        match best {
            Some(best) => (Some(best), residency(now.table, best)),
            None => (Some(state), sleep_length),
        }
    }

    /// Most of the last durations were too short for the state: their average decides.
    fn short_intervals<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        from: StateIdx,
        expected: Us,
        probe: &mut P,
    ) -> (StateIdx, Us) {
        if from == StateIdx::ZERO {
            return (from, expected);
        }
        let limit = residency(now.table, from);
        let short = self.memory.intervals.iter().filter(|interval| **interval < limit);
        let (count, sum) = short.fold((0_u64, 0_u64), |(count, sum), interval| {
            (count + 1, sum + u64::from(interval.as_us()))
        });
        let average = Us::from_us_low_bits(sum.checked_div(count).unwrap_or_default());
        let matters = count > MAJORITY && !(now.tick_stopped && Ns::from(average) < now.tick);
        let to = if matters {
            shallower(now, from, Ns::from(average), Polling::Eligible)
        } else {
            from
        };
        probe.step(|| Step::ShortIntervals {
            from,
            count,
            needed: MAJORITY,
            average: Ns::from(average),
            to,
        });
        if matters { (to, average) } else { (from, expected) }
    }
}

/// The state with the most early hits so far.
struct Early {
    count: u32,
    best: Option<StateIdx>,
}

impl Early {
    /// A disabled state's early hits raise the bar for later states.
    fn take_over(&mut self, early_hits: u32) {
        if self.best.is_some() {
            self.count = self.count.max(early_hits);
        }
    }

    fn offer(&mut self, idx: StateIdx, early_hits: u32) {
        if self.count < early_hits {
            self.count = early_hits;
            self.best = Some(idx);
        }
    }
}

/// The tick, and what a retained one makes of the choice, in whole microseconds.
fn end<P: Probe<Step>>(
    now: &Now<'_>,
    state: StateIdx,
    expected: Us,
    sleep: SleepLength,
    probe: &mut P,
) -> Decision {
    let to_tick = Ns::from(truncated(sleep.to_event_or_tick));
    finish(now, state, StateIdx::ZERO, Ns::from(expected), to_tick, probe)
}
