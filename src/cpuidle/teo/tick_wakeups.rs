//! Generation: wakeups by the tick are counted apart, and metrics fade to zero. As released in 6.19 and later
//! (spec teo.md §9 to §11).
//!
//! ```text
//!   a tick ended the stay, and mostly ticks do   the deepest bin is fed: stop the tick
//!   else                                         hit or intercept, as the rules say
//! ```

use super::beyond::candidate_or_end;
use super::bins::{Bins, Decay, Shortness, find_bins};
use super::search::{Candidate, bail_out, constrain, intercepts_outweigh};
use super::step::{Bail, Booked, Majority, Step, TimerBin};
use super::timer::{Correction, ask, correct, judged_within_tick, skip_timer};
use super::{BinsSnapshot, ShortSnapshot};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// Where the versions of this generation differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Which stays are hits.
    pub hit: Hit,
    /// What a wakeup by the tick is booked as.
    pub tick_wakeup: TickWakeup,
    /// How far the look-up goes.
    pub look_up: LookUp,
    /// How many wakeups must be intercepts within a tick for another to be expected.
    pub majority: Majority,
    /// What a stopped tick changes once the timer is known.
    pub stopped: Stopped,
}

/// One rule that differs between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of [`Rules::hit`].
    Hit(Hit, Hit),
    /// Of [`Rules::tick_wakeup`].
    TickWakeup(TickWakeup, TickWakeup),
    /// Of [`Rules::look_up`].
    LookUp(LookUp, LookUp),
    /// Of [`Rules::majority`].
    Majority(Majority, Majority),
    /// Of [`Rules::stopped`].
    Stopped(Stopped, Stopped),
}

impl Rules {
    /// Every rule in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        let Self {
            hit,
            tick_wakeup,
            look_up,
            majority,
            stopped,
        } = a;
        let changes = [
            (hit != b.hit).then_some(Change::Hit(hit, b.hit)),
            (tick_wakeup != b.tick_wakeup).then_some(Change::TickWakeup(tick_wakeup, b.tick_wakeup)),
            (look_up != b.look_up).then_some(Change::LookUp(look_up, b.look_up)),
            (majority != b.majority).then_some(Change::Majority(majority, b.majority)),
            (stopped != b.stopped).then_some(Change::Stopped(stopped, b.stopped)),
        ];
        changes.into_iter().flatten().collect()
    }

    /// With one rule as it was before the change.
    #[must_use]
    pub const fn undone(self, change: Change) -> Self {
        match change {
            Change::Hit(hit, _) => Self { hit, ..self },
            Change::TickWakeup(tick_wakeup, _) => Self { tick_wakeup, ..self },
            Change::LookUp(look_up, _) => Self { look_up, ..self },
            Change::Majority(majority, _) => Self { majority, ..self },
            Change::Stopped(stopped, _) => Self { stopped, ..self },
        }
    }
}

/// Which stays are hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// Those that end in their timer's bin.
    SameBin,
    /// Those that end there less than half an exit latency before the timer.
    CloseToTimer,
}

/// What a wakeup by the tick is booked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickWakeup {
    /// A hit of the deepest state when more than two thirds of wakeups are by the tick; else as any other.
    DeepestIfMost,
    /// That, and otherwise a hit of its timer when less than two thirds of wakeups are intercepts within a tick.
    TimerIfFewIntercepts,
}

/// How far the look-up goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// To half of the intercepts; with the tick stopped, to no state below one tick.
    ToHalf,
    /// That, and no deeper than the fullest bin.
    ToFullestBin,
    /// To half of the intercepts and to the fullest bin, whatever the tick.
    AnyTick,
}

/// What a stopped tick changes once the timer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing.
    AsAlways,
    /// The timer is always asked for, and one more than two ticks away leads to the deepest state that it allows
    /// instead of one below a tick.
    DeepestBeforeTimer,
}

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickWakeups {
    rules: Rules,
    pub(super) bins: Bins,
    total_tick: u32,
    short_idles: u32,
    tick_intercepts: u32,
    got_tick: bool,
    sleep_length: Ns,
}

impl TickWakeups {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            bins: Bins::default(),
            total_tick: 0,
            short_idles: 0,
            tick_intercepts: 0,
            got_tick: false,
            sleep_length: Ns::ZERO,
        }
    }

    pub(super) fn snapshot(&self) -> BinsSnapshot {
        BinsSnapshot {
            short: Some(ShortSnapshot {
                short_idles: self.short_idles,
                tick_intercepts: self.tick_intercepts,
                tick_wakeups: Some(self.total_tick),
            }),
            ..BinsSnapshot::of(&self.bins)
        }
    }

    pub(super) fn reflect(&mut self, wakeup: Wakeup) {
        self.got_tick = wakeup.got_tick;
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
        let faded = |metric| tuning.faded(Decay::ToZero, metric);
        self.short_idles = faded(self.short_idles);
        let measured = if std::mem::take(&mut device.poll_timed_out) {
            None
        } else {
            let (measured, short) = Shortness::of(device.last_residency, exit_latency);
            self.short_idles = self.short_idles.wrapping_add(short.pulse(tuning));
            Some(Ns::new(measured.cast_signed()))
        };
        let stay = measured.unwrap_or(Ns::MAX);
        let reached = measured.map(|stay| stay.max(Ns::ZERO).as_u64());
        let (timer, duration) = find_bins(table, sleep_length, reached);
        self.bins.decay(Decay::ToZero);
        let without_this = self.bins.total;
        self.tick_intercepts = faded(self.tick_intercepts);
        self.total_tick = faded(self.total_tick);
        let booked = if self.got_tick {
            self.total_tick = self.total_tick.wrapping_add(tuning.pulse);
            self.by_tick(without_this)
        } else {
            None
        };
        let close = match self.rules.hit {
            Hit::SameBin => true,
            Hit::CloseToTimer => sleep_length.as_ns().wrapping_sub(stay.as_ns()) < exit_latency.as_ns() / 2,
        };
        let booked = booked.unwrap_or(if timer == duration && close {
            Booked::Hit
        } else {
            Booked::Intercept
        });
        match booked {
            Booked::MostlyTicks | Booked::TickHit => self.bins.hit(table.last()),
            Booked::Hit => self.bins.hit(timer),
            Booked::Intercept => {
                self.bins.intercept(duration);
                if stay <= tick {
                    self.tick_intercepts = self.tick_intercepts.wrapping_add(tuning.pulse);
                }
            }
        }
        let total = self.bins.total;
        probe.step(|| Step::Learned {
            sleep_length,
            measured,
            timer: TimerBin::State(timer),
            duration,
            booked,
            total,
        });
    }

    /// How a wakeup by the tick is booked; none when it is like any other.
    fn by_tick(&self, without_this: u32) -> Option<Booked> {
        let total = without_this.wrapping_add(self.bins.tuning.pulse);
        if self.total_tick.wrapping_mul(3) > total.wrapping_mul(2) {
            return Some(Booked::MostlyTicks);
        }
        match self.rules.tick_wakeup {
            TickWakeup::DeepestIfMost => None,
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
        let now = Now::ask(table, tick, kernel);
        let total = self.bins.total;

        let (candidate, found) = match candidate_or_end(&now, &self.bins, probe) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let state = self.look_up(&now, candidate, &found, probe);
        let state = constrain(state, found.deepest_allowed, probe);
        if self.rules.stopped.may_skip(&now) && skip_timer(&now, state, self.short_idles, total, probe) {
            return bail_out(state, Bail::ShortIdles, probe);
        }
        let sleep = ask(kernel, probe);
        self.sleep_length = sleep.to_event;
        if let Some(state) = self
            .rules
            .stopped
            .deepest(&now, state, &found, sleep.to_event, probe)
        {
            return Decision {
                state,
                tick: TickChoice::Stop,
            };
        }
        if state == StateIdx::ZERO {
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = correct(&now, state, sleep.to_event, Correction::Always, probe);
        let duration = judged_within_tick(
            &now,
            state,
            sleep.to_event,
            (self.tick_intercepts, total),
            self.rules.majority,
            probe,
        );
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }

    /// Goes back from the candidate if intercepts below it outweigh the rest.
    fn look_up<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        found: &Candidate,
        probe: &mut P,
    ) -> StateIdx {
        if !intercepts_outweigh(candidate, found.below, (self.bins.total, self.bins.tuning), probe) {
            return candidate;
        }
        let fullest = match self.rules.look_up {
            LookUp::ToHalf => None,
            LookUp::ToFullestBin | LookUp::AnyTick => {
                let fullest = self.fullest_bin(now.table);
                probe.step(|| Step::FullestBin {
                    bin: fullest,
                    intercepts: super::bins::at(&self.bins.intercepts, fullest),
                });
                Some(fullest)
            }
        };
        let shallowest = match self.rules.look_up {
            LookUp::ToHalf | LookUp::ToFullestBin => shallowest_with_tick(now, found.first, candidate),
            LookUp::AnyTick => found.first,
        };
        let to = match (self.rules.look_up, fullest) {
            (LookUp::ToFullestBin, Some(_))
                if now.tick_stopped
                    && now.target_residency(shallowest) == now.target_residency(candidate) =>
            {
                candidate
            }
            (LookUp::ToFullestBin, Some(fullest)) if shallowest >= fullest && now.enabled(shallowest) => {
                shallowest
            }
            _ => self.walk(now, candidate, shallowest, fullest, found.below.intercepts, probe),
        };
        probe.step(|| Step::LookedUp {
            from: candidate,
            to,
            duration: None,
        });
        to
    }

    /// Back to the state whose bin holds, with those above, more than half of the intercepts, and to the fullest bin
    /// if that counts; no further than `shallowest`.
    fn walk<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        shallowest: StateIdx,
        fullest: Option<StateIdx>,
        below: u32,
        probe: &mut P,
    ) -> StateIdx {
        let mut to = candidate;
        let mut intercepts = 0_u32;
        for state in now.shallower_than(candidate).take_while(|idx| *idx >= shallowest) {
            intercepts = intercepts.wrapping_add(super::bins::at(&self.bins.intercepts, state));
            let enabled = now.enabled(state);
            let half = intercepts.wrapping_mul(2) > below;
            let reached = half && fullest.is_none_or(|fullest| state <= fullest);
            probe.step(|| Step::Walked {
                state,
                intercepts,
                intercepts_of: Some(below),
                recent: 0,
                recent_of: None,
                reached,
                enabled,
                tick_allows: true,
            });
            if !enabled {
                continue;
            }
            to = state;
            if reached {
                break;
            }
        }
        to
    }

    /// The deepest of the bins below the last state that hold the most intercepts.
    fn fullest_bin(&self, table: &StateTable) -> StateIdx {
        table
            .indices()
            .filter(|idx| *idx < table.last())
            .max_by_key(|idx| super::bins::at(&self.bins.intercepts, *idx))
            .unwrap_or_default()
    }
}

/// With the tick stopped, the first state from `first` on that reaches one tick, `candidate` at most; else `first`.
fn shallowest_with_tick(now: &Now<'_>, first: StateIdx, candidate: StateIdx) -> StateIdx {
    if !now.tick_stopped {
        return first;
    }
    now.table
        .indices()
        .find(|idx| *idx >= first && (*idx >= candidate || now.target_residency(*idx) >= now.tick))
        .unwrap_or(candidate)
}

impl Stopped {
    const fn may_skip(self, now: &Now<'_>) -> bool {
        match self {
            Self::AsAlways => true,
            Self::DeepestBeforeTimer => !now.tick_stopped,
        }
    }

    /// The deepest allowed state that pays off before a timer which is far, but not as far as a tick would be; none
    /// when the rule does not apply.
    fn deepest<P: Probe<Step>>(
        self,
        now: &Now<'_>,
        state: StateIdx,
        found: &Candidate,
        sleep_length: Ns,
        probe: &mut P,
    ) -> Option<StateIdx> {
        let safe = now.tick * 2;
        let applies = match self {
            Self::AsAlways => false,
            Self::DeepestBeforeTimer => {
                now.tick_stopped && sleep_length > safe && now.target_residency(state) < now.tick
            }
        };
        if !applies {
            return None;
        }
        let limit = found.deepest_allowed;
        let to = now
            .table
            .indices()
            .rev()
            .filter(|idx| *idx > state && *idx <= limit && now.enabled(*idx))
            .find(|idx| now.target_residency(*idx) <= sleep_length)
            .unwrap_or(state);
        probe.step(|| Step::TimerTooFar {
            from: state,
            sleep_length,
            safe,
            to,
        });
        Some(to)
    }
}
