//! Generation: bins, idle times too short for the timer to matter, and intercepts within a tick; the clock is
//! read no more. As released in 6.14 to 6.18 (spec teo.md §8).
//!
//! The total fades and grows by itself here: it is no sum of the bins.

use super::beyond::candidate_or_end;
use super::bins::{Bins, Decay, Shortness, find_bins, told};
use super::search::{bail_out, constrain, look_up};
use super::step::{Bail, Booked, Majority, Step, TimerBin};
use super::timer::{Correction, ask, correct, judged_within_tick, skip_timer};
use super::{BinsSnapshot, ShortSnapshot};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, Device, Kernel, StateTable, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShortIdles {
    pub(super) bins: Bins,
    total: u32,
    short_idles: u32,
    tick_intercepts: u32,
    /// The last stay ended for a reason of its own making and counts as having reached its timer.
    artificial: bool,
    sleep_length: Ns,
}

impl ShortIdles {
    pub(super) fn snapshot(&self) -> BinsSnapshot {
        BinsSnapshot {
            total: self.total,
            short: Some(ShortSnapshot {
                short_idles: self.short_idles,
                tick_intercepts: self.tick_intercepts,
                tick_wakeups: None,
            }),
            ..BinsSnapshot::of(&self.bins)
        }
    }

    pub(super) fn reflect(&mut self, tick: Ns, device: &mut Device, wakeup: Wakeup) {
        self.artificial = device.poll_timed_out || (wakeup.got_tick && self.sleep_length > tick);
        if self.artificial {
            device.poll_timed_out = false;
        }
    }

    /// Books the last period.
    pub(super) fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        probe: &mut P,
    ) {
        let Some(entered) = device.last_state.take() else {
            return;
        };
        let sleep_length = self.sleep_length;
        let exit_latency = table.exit_latency(entered);
        let tuning = self.bins.tuning;
        let faded = |metric| tuning.faded(Decay::Geometric, metric);
        self.short_idles = faded(self.short_idles);
        let measured = if self.artificial {
            None
        } else {
            let (measured, short) = Shortness::of(device.last_residency, exit_latency);
            self.short_idles = self.short_idles.wrapping_add(short.pulse(tuning));
            Some(measured)
        };
        let (timer, duration) = find_bins(table, sleep_length, measured);
        self.bins.decay(Decay::Geometric);
        self.tick_intercepts = faded(self.tick_intercepts);
        let booked = if timer == duration {
            self.bins.hit(timer);
            Booked::Hit
        } else {
            self.bins.intercept(duration);
            // The comparison is the wrong way round until 6.19: stays beyond the tick are counted.
            if measured.is_none_or(|measured| tick.as_u64() <= measured) {
                self.tick_intercepts = self.tick_intercepts.wrapping_add(tuning.pulse);
            }
            Booked::Intercept
        };
        self.total = faded(self.total).wrapping_add(tuning.pulse);
        let total = self.total;
        probe.step(|| Step::Learned {
            sleep_length,
            measured: told(measured),
            timer: TimerBin::State(timer),
            duration,
            booked,
            total,
        });
    }

    /// Chooses a state.
    pub(super) fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        self.update(table, tick, device, probe);
        self.sleep_length = Ns::MAX;
        let now = Now::ask(table, tick, kernel);

        let (candidate, found) = match candidate_or_end(&now, &self.bins, probe) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let state = look_up(
            &now,
            (&self.bins, self.total),
            None,
            candidate,
            found.below,
            probe,
        );
        let state = constrain(state, found.deepest_allowed, probe);
        if skip_timer(&now, state, self.short_idles, self.total, probe) {
            return bail_out(state, Bail::ShortIdles, probe);
        }
        let sleep = ask(kernel, probe);
        self.sleep_length = sleep.to_event;
        if state == StateIdx::ZERO {
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = correct(&now, state, sleep.to_event, Correction::IfTickAllows, probe);
        let duration = judged_within_tick(
            &now,
            state,
            sleep.to_event,
            (self.tick_intercepts, self.total),
            Majority::MoreThanFiveEighths,
            probe,
        );
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }
}
