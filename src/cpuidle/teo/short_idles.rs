//! Generation: a bin of hits and intercepts per state, idle times too short for the timer to matter, and intercepts
//! within a tick; the clock is read no more. As released in 6.14 and later (spec teo.md §8 to §11).
//!
//! ```text
//!   a tick ended the stay, and mostly ticks do   the deepest bin is fed: stop the tick
//!   else                                         hit or intercept, as the rules say
//! ```

mod look_up;
mod rules;

use super::bins::{Bins, Shortness, find_bins, told};
use super::search::{bail_out, candidate_or_end, constrain};
use super::step::{Bail, Booked, Step, TimerBin};
use super::timer::{ask, correct, judged_within_tick, skip_timer};
use super::{BinsSnapshot, ShortSnapshot};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

pub use rules::{Change, Hit, LookUp, Rule, Rules, Stopped, TickIntercept, TickWakeup, Total};

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortIdles {
    rules: Rules,
    pub(super) bins: Bins,
    /// Wakeups, fading by themselves: no sum of the bins.
    own_total: u32,
    tick_wakeups: u32,
    short_idles: u32,
    tick_intercepts: u32,
    /// What the last stay's end is, as far as the next update has to know.
    ended: Ended,
    sleep_length: Ns,
}

/// How the last stay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// As any other.
    AsAny,
    /// By a wakeup that is a tick.
    ByTick,
    /// For a reason of its own making, so that it counts as having reached its timer.
    OfItself,
}

impl ShortIdles {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            bins: Bins::default(),
            own_total: 0,
            tick_wakeups: 0,
            short_idles: 0,
            tick_intercepts: 0,
            ended: Ended::AsAny,
            sleep_length: Ns::ZERO,
        }
    }

    pub(super) fn snapshot(&self) -> BinsSnapshot {
        BinsSnapshot {
            total: self.total(),
            short: Some(ShortSnapshot {
                short_idles: self.short_idles,
                tick_intercepts: self.tick_intercepts,
                tick_wakeups: match self.rules.tick_wakeup {
                    TickWakeup::ReachesTimer => None,
                    TickWakeup::DeepestIfMost | TickWakeup::TimerIfFewIntercepts => Some(self.tick_wakeups),
                },
            }),
            ..BinsSnapshot::of(&self.bins)
        }
    }

    /// What intercepts are set against.
    const fn total(&self) -> u32 {
        match self.rules.total {
            Total::OwnCount => self.own_total,
            Total::SumOfBins => self.bins.total,
        }
    }

    pub(super) fn reflect(&mut self, tick: Ns, device: &mut Device, wakeup: Wakeup) {
        self.ended = match self.rules.tick_wakeup {
            TickWakeup::ReachesTimer => {
                let by_far_tick = wakeup.got_tick && self.sleep_length > tick;
                if device.poll_timed_out || by_far_tick {
                    device.poll_timed_out = false;
                    Ended::OfItself
                } else {
                    Ended::AsAny
                }
            }
            TickWakeup::DeepestIfMost | TickWakeup::TimerIfFewIntercepts if wakeup.got_tick => Ended::ByTick,
            TickWakeup::DeepestIfMost | TickWakeup::TimerIfFewIntercepts => Ended::AsAny,
        };
    }

    /// Whether the last stay ended for a reason of its own making.
    fn ended_of_itself(&self, device: &mut Device) -> bool {
        match self.rules.tick_wakeup {
            TickWakeup::ReachesTimer => self.ended == Ended::OfItself,
            TickWakeup::DeepestIfMost | TickWakeup::TimerIfFewIntercepts => {
                std::mem::take(&mut device.poll_timed_out)
            }
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
        let Rules { decay, hit, .. } = self.rules;
        let sleep_length = self.sleep_length;
        let exit_latency = table.exit_latency(entered);
        let tuning = self.bins.tuning;
        let faded = |metric| tuning.faded(decay, metric);
        self.short_idles = faded(self.short_idles);
        let measured = if self.ended_of_itself(device) {
            None
        } else {
            let (measured, short) = Shortness::of(device.last_residency, exit_latency);
            self.short_idles = self.short_idles.wrapping_add(short.pulse(tuning));
            Some(measured)
        };
        let stay = measured.map_or(Ns::MAX, |measured| Ns::new(measured.cast_signed()));
        let (timer, duration) = find_bins(table, sleep_length, self.rules.tick_intercept.reached(measured));
        self.bins.decay(decay);
        self.own_total = faded(self.own_total);
        let without_this = self.total();
        self.own_total = self.own_total.wrapping_add(tuning.pulse);
        self.tick_intercepts = faded(self.tick_intercepts);
        self.tick_wakeups = faded(self.tick_wakeups);
        let by_tick = if self.ended == Ended::ByTick {
            self.tick_wakeups = self.tick_wakeups.wrapping_add(tuning.pulse);
            self.by_tick(without_this)
        } else {
            None
        };
        let booked = by_tick.unwrap_or_else(|| {
            if timer == duration && hit.is_close(sleep_length, stay, exit_latency) {
                Booked::Hit
            } else {
                Booked::Intercept
            }
        });
        match booked {
            Booked::MostlyTicks | Booked::TickHit => self.bins.hit(table.last()),
            Booked::Hit => self.bins.hit(timer),
            Booked::Intercept => {
                self.bins.intercept(duration);
                if self.rules.tick_intercept.counts(stay, tick) {
                    self.tick_intercepts = self.tick_intercepts.wrapping_add(tuning.pulse);
                }
            }
        }
        let total = self.total();
        probe.step(|| Step::Learned {
            sleep_length,
            measured: told(measured),
            timer: TimerBin::State(timer),
            duration,
            booked,
            total,
        });
    }

    /// How a wakeup by the tick is booked; none when it is like any other.
    fn by_tick(&self, without_this: u32) -> Option<Booked> {
        let total = without_this.wrapping_add(self.bins.tuning.pulse);
        if self.tick_wakeups.wrapping_mul(3) > total.wrapping_mul(2) {
            return Some(Booked::MostlyTicks);
        }
        match self.rules.tick_wakeup {
            TickWakeup::ReachesTimer | TickWakeup::DeepestIfMost => None,
            TickWakeup::TimerIfFewIntercepts => {
                let few = self.tick_intercepts.wrapping_mul(3) < without_this.wrapping_mul(2);
                few.then_some(Booked::Hit)
            }
        }
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
        let rules = self.rules;
        let now = Now::ask(table, tick, kernel);
        let total = self.total();

        let (candidate, found) = match candidate_or_end(&now, &self.bins, probe) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let state = self.look_up(&now, candidate, &found, probe);
        let state = constrain(state, found.deepest_allowed, probe);
        if rules.stopped.may_skip(&now) && skip_timer(&now, state, self.short_idles, total, probe) {
            return bail_out(state, Bail::ShortIdles, probe);
        }
        let sleep = ask(kernel, probe);
        self.sleep_length = sleep.to_event;
        if let Some(state) = rules.stopped.deepest(&now, state, &found, sleep.to_event, probe) {
            return Decision {
                state,
                tick: TickChoice::Stop,
            };
        }
        if state == StateIdx::ZERO {
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = correct(&now, state, sleep.to_event, rules.correction, probe);
        let intercepts = (self.tick_intercepts, total);
        let duration = judged_within_tick(&now, state, sleep.to_event, intercepts, rules.majority, probe);
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }
}

impl Hit {
    fn is_close(self, sleep_length: Ns, stay: Ns, exit_latency: Ns) -> bool {
        match self {
            Self::SameBin => true,
            Self::CloseToTimer => sleep_length.as_ns().wrapping_sub(stay.as_ns()) < exit_latency.as_ns() / 2,
        }
    }
}

impl TickIntercept {
    /// The duration whose bin is looked for; none for a stay that reached its timer.
    fn reached(self, measured: Option<u64>) -> Option<u64> {
        match self {
            Self::BeyondTick => measured,
            Self::WithinTick => measured.map(|ns| ns.cast_signed().max(0).cast_unsigned()),
        }
    }

    fn counts(self, stay: Ns, tick: Ns) -> bool {
        match self {
            Self::BeyondTick => tick.as_u64() <= stay.as_u64(),
            Self::WithinTick => stay <= tick,
        }
    }
}
