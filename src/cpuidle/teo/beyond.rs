//! What the generations with a bin beyond all states share: that bin, and decisions that look up
//! the timer last, and only when it can matter (spec teo.md §6, §7).
//!
//! ```text
//!   0        TR[1]                 TR[n-1]            tick
//!   |-- bin 0 --|-- …             --|-- bin n-1 … -----|-- all timers beyond it …
//! ```
//!
//! The bin exists only while no target residency reaches one tick.

use super::NO_RECENT;
use super::bins::{Bins, Decay, PerState, Span, at, find_bins, told};
use super::search::{Candidate, Sums, bail_out, find_candidate, look_up};
use super::step::{Bail, Booked, Step, TimerBin};
use super::timer::{Correction, SHORT_RESIDENCY, ask, correct, judged_by};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, Device, Kernel, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The bins of the states and the one beyond them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Beyond {
    pub bins: Bins,
    pub tick_hits: u32,
}

/// Where a timer's distance and a duration lie against the bin beyond all states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TickBin {
    /// The timer was nearer than one tick, or a state reaches that far.
    Unused,
    /// The timer was in it, the stay was not.
    Missed,
    /// The stay reached it, and is booked.
    Reached,
}

impl Beyond {
    /// Books the last period, if there was one. Returns how, and the bin of its duration.
    pub fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        span: &Span,
        device: &mut Device,
        probe: &mut P,
    ) -> Option<(Booked, StateIdx)> {
        let entered = device.last_state.take()?;
        let sleep_length = span.sleep_length;
        let measured = span.measured(table, entered, device.last_residency);
        let (timer, duration) = find_bins(table, sleep_length, measured);
        self.bins.decay(Decay::Geometric);
        let bin = self.book_tick_bin(table, tick, sleep_length, measured);
        let booked = match bin {
            TickBin::Reached => Booked::TickHit,
            TickBin::Unused if timer == duration => {
                self.bins.hit(timer);
                Booked::Hit
            }
            TickBin::Unused | TickBin::Missed => {
                self.bins.intercept(duration);
                Booked::Intercept
            }
        };
        let total = self.bins.total;
        probe.step(|| Step::Learned {
            sleep_length,
            measured: told(measured),
            timer: match bin {
                TickBin::Unused => TimerBin::State(timer),
                TickBin::Missed | TickBin::Reached => TimerBin::Tick,
            },
            duration,
            booked,
            total,
        });
        Some((booked, duration))
    }

    /// Lets the bin beyond all states fade and books a stay that reached it.
    fn book_tick_bin(
        &mut self,
        table: &StateTable,
        tick: Ns,
        sleep_length: Ns,
        measured: Option<u64>,
    ) -> TickBin {
        if table.target_residency(table.last()) >= tick {
            return TickBin::Unused;
        }
        let tuning = self.bins.tuning;
        self.tick_hits = tuning.faded(Decay::Geometric, self.tick_hits);
        self.bins.total = self.bins.total.wrapping_add(self.tick_hits);
        if tick > sleep_length {
            return TickBin::Unused;
        }
        if measured.is_some_and(|measured| measured < tick.as_u64()) {
            return TickBin::Missed;
        }
        self.tick_hits = self.tick_hits.wrapping_add(tuning.pulse);
        self.bins.total = self.bins.total.wrapping_add(tuning.pulse);
        TickBin::Reached
    }

    /// See [`look_up`].
    pub fn look_up<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        recent: Option<&PerState>,
        candidate: StateIdx,
        below: Sums,
        probe: &mut P,
    ) -> StateIdx {
        look_up(
            now,
            (&self.bins, self.bins.total),
            recent,
            candidate,
            below,
            probe,
        )
    }

    /// Ends the decision for `state`: by the timer, unless that can make no difference.
    pub fn timer_last<K: Kernel, P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        state: StateIdx,
        (found, correction): (Candidate, Correction),
        span: &mut Span,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        if state == StateIdx::ZERO {
            return bail_out(state, Bail::Shallowest, probe);
        }
        if now.table.is_polling(StateIdx::ZERO) && now.target_residency(state) < SHORT_RESIDENCY {
            return bail_out(state, Bail::ShortResidency, probe);
        }
        let sleep = ask(kernel, probe);
        span.sleep_length = sleep.to_event;
        let state = correct(now, state, sleep.to_event, correction, probe);
        let intercepts = found
            .intercepts
            .wrapping_add(at(&self.bins.intercepts, now.table.last()));
        let duration = judged_by(now, state, sleep.to_event, intercepts, self.bins.total, probe);
        finish(now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }
}

/// The tick's distance when the timer was not looked up.
pub(super) fn unasked(tick: Ns) -> Ns {
    Ns::new(tick.as_ns() / 2)
}

/// Ends the decision for the only state that is left to choose.
pub(super) fn only_state<P: Probe<Step>>(now: &Now<'_>, state: StateIdx, probe: &mut P) -> Decision {
    let duration = now.target_residency(state);
    probe.step(|| Step::OnlyState { state, duration });
    finish(now, state, state, duration, unasked(now.tick), probe)
}

/// The candidate among all states; or the decision, where there is nothing to choose.
pub(super) fn candidate_or_end<P: Probe<Step>>(
    now: &Now<'_>,
    bins: &Bins,
    probe: &mut P,
) -> Result<(StateIdx, Candidate), Decision> {
    if now.table.len() < 2 {
        return Err(bail_out(StateIdx::ZERO, Bail::OneState, probe));
    }
    let found = find_candidate(now, bins, NO_RECENT, None, probe);
    match found.state {
        None => Err(bail_out(StateIdx::ZERO, Bail::NoneEnabled, probe)),
        Some(candidate) if candidate == found.first => Err(only_state(now, candidate, probe)),
        Some(candidate) => Ok((candidate, found)),
    }
}
