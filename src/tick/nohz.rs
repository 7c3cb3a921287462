//! The tick of one CPU: a value whose methods say what becomes of it (spec idle-loop-and-tick.md §4, §5).
//!
//! ```text
//!   busy: ticks every period |   |   |
//!   enter()                          |--- idle ------------------------|
//!   sleep_length()                   asked by the governor, or not
//!   settle()                         stop: timer := next event, or retain: timer stays
//!   handler()                        |   |   retained, or once at the next event when stopped
//!   exit()                           last_tick + k·period again, same phase |   |   |
//! ```
//!
//! Where the tick is decided on before the governor runs, `before_governor` takes the place of settling.
//!
//! Knows no governor and holds no reference to an engine. Invariants: a stopped tick is never started
//! again before [`Tick::exit`]; the phase survives any number of stops.

use super::before_governor::Decided;
use super::config::first_after;
use super::step::{Settled, Step};
use super::{Config, InterruptEntry, Nohz, Order, Timekeeping};
use crate::probe::Probe;
use crate::units::{CpuId, Ns, Time};

/// Advice about the tick: the governor's, or that of the loop when no governor is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// Stop it.
    Stop,
    /// Retain it.
    Retain,
}

/// Why the kernel needs the tick in this iteration whatever anybody asks (spec §6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Nothing holds it.
    #[default]
    None,
    /// RCU callbacks are queued on this CPU.
    Rcu,
    /// Pending work that waits for the tick's interrupt.
    IrqWork,
    /// Held for a reason that nobody recorded; inferred from the recorded outcome.
    Unknown,
    /// Idle times are too short to pay for stopping it ([`super::RateLimit`]).
    ShortIdle {
        /// The average idle time, ns.
        average: Ns,
        /// What it is below, ns.
        cost: Ns,
    },
}

/// What is pending on this CPU beside the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Earliest high-resolution timer; [`Time::NEVER`] when there is none.
    pub hrtimer: Time,
    /// The instant of the jiffy of the earliest wheel bucket in use; [`Time::NEVER`] when the wheel is empty.
    pub wheel: Time,
    /// What keeps the tick.
    pub keep: Keep,
}

/// Sleep length, from the idle entry time on; both may be negative, and about 2^63 when nothing is pending (spec §5.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// To the next event without the tick, ns.
    pub to_event: Ns,
    /// To the next event, the tick included, ns.
    pub to_event_or_tick: Ns,
}

impl Lengths {
    /// Whether no event without the tick is pending at all, for a sleep length that counts from `entry`.
    #[must_use]
    pub fn is_unbounded(self, entry: Time) -> bool {
        self.to_event == Time::NEVER.saturating_since(entry)
    }
}

/// The tick of one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    cpu: CpuId,
    in_idle: bool,
    pub(super) stopped: bool,
    pub(super) expires: Time,
    pub(super) last_tick: Time,
    next_tick: Option<Time>,
    evaluated: Option<Option<Time>>,
    pub(super) last_evaluation: Option<Time>,
    entry_time: Time,
    seen: bool,
    dropped_duty_last: bool,
    pub(super) idle_calls: u64,
    pub(super) idle_sleeps: u64,
    pub(super) decided: Option<Decided>,
}

impl Tick {
    /// A running tick, to fire at `first`.
    #[must_use]
    pub const fn running(cpu: CpuId, first: Time) -> Self {
        Self {
            cpu,
            in_idle: false,
            stopped: false,
            expires: first,
            last_tick: first,
            next_tick: None,
            evaluated: None,
            last_evaluation: None,
            entry_time: Time::ZERO,
            seen: false,
            dropped_duty_last: false,
            idle_calls: 0,
            idle_sleeps: 0,
            decided: None,
        }
    }

    /// When its timer fires next; [`Time::NEVER`] when it is not armed.
    #[must_use]
    #[inline]
    pub const fn expires(&self) -> Time {
        self.expires
    }

    /// Whether it is stopped.
    #[must_use]
    #[inline]
    pub const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// From where sleep length counts.
    #[must_use]
    pub const fn entry_time(&self) -> Time {
        self.entry_time
    }

    /// What was programmed last while stopped; none when not known.
    #[must_use]
    pub const fn next_tick(&self) -> Option<Time> {
        self.next_tick
    }

    /// The last evaluation: until when it may be stopped, none when it may not.
    #[must_use]
    pub const fn last_evaluation(&self) -> Option<Time> {
        self.last_evaluation
    }

    /// Whether this CPU dropped the timekeeping duty last.
    #[must_use]
    pub const fn dropped_duty_last(&self) -> bool {
        self.dropped_duty_last
    }

    /// Attempts to stop it so far; a retained tick does not count.
    #[must_use]
    pub const fn idle_calls(&self) -> u64 {
        self.idle_calls
    }

    /// Attempts that left it stopped.
    #[must_use]
    pub const fn idle_sleeps(&self) -> u64 {
        self.idle_sleeps
    }

    /// What the timer hardware is programmed for: the tick or an earlier timer.
    #[must_use]
    pub fn device_event(&self, hrtimer: Time) -> Time {
        self.expires.min(hrtimer)
    }

    /// The CPU has nothing to run any more.
    pub fn enter(&mut self, now: Time) {
        self.in_idle = true;
        self.entry_time = now;
    }

    /// What the governor would be told, without the effects of asking.
    #[must_use]
    pub fn lengths(&self, config: &Config, keeping: &Timekeeping, pending: Pending) -> Lengths {
        let until = match config.rules.order {
            Order::BeforeGovernor => None,
            Order::AfterGovernor => self.evaluation(config, keeping, pending).until,
        };
        self.lengths_after(until, config, pending)
    }

    /// Answers the governor, and remembers the evaluation for [`Tick::settle`]. Where the tick is decided on before,
    /// asking has no effect, and the answer ends at the tick as it is now.
    pub fn sleep_length(&mut self, config: &Config, keeping: &Timekeeping, pending: Pending) -> Lengths {
        let until = if Self::asking_evaluates(config) {
            self.evaluate(config, keeping, pending)
        } else {
            None
        };
        self.lengths_after(until, config, pending)
    }

    /// Tells what [`Tick::sleep_length`] did, from the same values: the governor has the probe while it asks.
    pub fn tell_sleep_length<P: Probe<Step>>(
        &self,
        config: &Config,
        keeping: &Timekeeping,
        pending: Pending,
        probe: &mut P,
    ) {
        if Self::asking_evaluates(config) {
            self.tell_evaluation(config, keeping, pending, probe);
        }
        probe.step(|| {
            let lengths = self.lengths(config, keeping, pending);
            Step::SleepLength {
                entry: self.entry_time,
                hrtimer: pending.hrtimer,
                tick: self.expires,
                to_event: lengths.to_event,
                to_event_or_tick: lengths.to_event_or_tick,
            }
        });
    }

    /// Stops it or retains it, after the choice of a state.
    pub fn settle<P: Probe<Step>>(
        &mut self,
        config: &Config,
        keeping: &mut Timekeeping,
        pending: Pending,
        asked: Advice,
        probe: &mut P,
    ) -> Settled {
        let result = if asked == Advice::Stop || self.stopped {
            self.try_to_stop(config, keeping, pending, probe)
        } else {
            Settled::RetainedAsAsked
        };
        self.evaluated = None;
        probe.step(|| Step::Settled {
            asked: Some(asked),
            result,
        });
        result
    }

    /// Its timer has fired. Expired wheel timers are the caller's.
    pub fn handler(&mut self, now: Time, keeping: &mut Timekeeping) {
        if keeping.take_duty(self.cpu) {
            keeping.update(now);
        }
        if self.in_idle {
            self.seen = true;
        }
        if self.stopped {
            self.next_tick = None;
            self.expires = Time::NEVER;
        } else {
            self.expires = first_after(self.expires, keeping.period(), now);
        }
    }

    /// Any interrupt, the tick's own included, begins on this CPU.
    pub fn interrupt_begins(&mut self, now: Time, config: &Config, keeping: &mut Timekeeping) {
        if !self.in_idle {
            return;
        }
        match config.rules.interrupt_entry {
            InterruptEntry::RestartsEntryTime => self.entry_time = now,
            InterruptEntry::KeepsEntryTime => {}
        }
        if self.stopped {
            keeping.update(now);
        }
    }

    /// The interrupt ends and the CPU stays idle.
    pub fn interrupt_ends_idle(&mut self, now: Time) {
        self.entry_time = now;
    }

    /// Whether its handler ran since this was asked last.
    pub fn take_seen(&mut self) -> bool {
        std::mem::take(&mut self.seen)
    }

    /// Whether its handler ran since [`Tick::take_seen`].
    #[must_use]
    pub const fn was_seen(&self) -> bool {
        self.seen
    }

    /// The CPU has something to run.
    pub fn exit(&mut self, now: Time, keeping: &mut Timekeeping) {
        self.in_idle = false;
        if self.stopped {
            keeping.update(now);
            self.stopped = false;
            self.next_tick = None;
            self.expires = first_after(self.last_tick, keeping.period(), now);
        }
    }

    pub(super) fn may_stop(config: &Config) -> bool {
        match config.nohz {
            Nohz::Active => true,
            Nohz::Off => false,
        }
    }

    fn asking_evaluates(config: &Config) -> bool {
        Self::may_stop(config) && config.rules.order == Order::AfterGovernor
    }

    fn lengths_after(&self, until: Option<Time>, config: &Config, pending: Pending) -> Lengths {
        let to_event_or_tick = self
            .device_event(pending.hrtimer)
            .saturating_since(self.entry_time);
        let to_event = match until {
            Some(until) if Self::may_stop(config) => {
                until.min(pending.hrtimer).saturating_since(self.entry_time)
            }
            _ => to_event_or_tick,
        };
        Lengths {
            to_event,
            to_event_or_tick,
        }
    }

    fn evaluate(&mut self, config: &Config, keeping: &Timekeeping, pending: Pending) -> Option<Time> {
        let until = self.evaluation(config, keeping, pending).until;
        self.evaluated = Some(until);
        self.last_evaluation = until;
        until
    }

    fn tell_evaluation<P: Probe<Step>>(
        &self,
        config: &Config,
        keeping: &Timekeeping,
        pending: Pending,
        probe: &mut P,
    ) {
        probe.step(|| self.evaluation(config, keeping, pending).step(keeping, pending));
    }

    pub(super) fn evaluation(&self, config: &Config, keeping: &Timekeeping, pending: Pending) -> Evaluation {
        let base = keeping.last_update();
        let next = match pending.keep {
            Keep::None => pending.wheel.max(base),
            Keep::Rcu | Keep::IrqWork | Keep::Unknown | Keep::ShortIdle { .. } => base + keeping.period(),
        };
        let limit = if self.is_bound_by_duty(keeping) {
            base.saturating_add(config.max_deferment)
        } else {
            Time::NEVER
        };
        let within_one_tick = next.saturating_since(base) <= keeping.period();
        let until = (self.stopped || !within_one_tick).then(|| next.min(limit));
        Evaluation { next, limit, until }
    }

    fn is_bound_by_duty(&self, keeping: &Timekeeping) -> bool {
        match keeping.duty() {
            Some(cpu) => cpu == self.cpu,
            None => self.dropped_duty_last,
        }
    }

    fn try_to_stop<P: Probe<Step>>(
        &mut self,
        config: &Config,
        keeping: &mut Timekeeping,
        pending: Pending,
        probe: &mut P,
    ) -> Settled {
        let until = match self.evaluated {
            Some(until) => until,
            None if !Self::may_stop(config) => return Settled::RetainedImpossible,
            None => {
                self.tell_evaluation(config, keeping, pending, probe);
                self.evaluate(config, keeping, pending)
            }
        };
        self.idle_calls += 1;
        let Some(until) = until else {
            return Settled::retained(pending.keep);
        };
        self.idle_sleeps += 1;
        self.drop_duty(keeping);
        if self.stopped && self.next_tick == Some(until) {
            return Settled::StaysStopped { until };
        }
        self.next_tick = Some(until);
        self.program(until)
    }

    /// A CPU whose tick stops leaves the timekeeping to others.
    pub(super) fn drop_duty(&mut self, keeping: &mut Timekeeping) {
        if keeping.drop_duty(self.cpu) {
            self.dropped_duty_last = true;
        } else if keeping.duty().is_some() {
            self.dropped_duty_last = false;
        }
    }

    /// Stops it, unless it is stopped; its timer is for `until` now.
    pub(super) fn program(&mut self, until: Time) -> Settled {
        let was_stopped = std::mem::replace(&mut self.stopped, true);
        if !was_stopped {
            self.last_tick = self.expires;
        }
        self.expires = until;
        if was_stopped {
            Settled::StaysStopped { until }
        } else {
            Settled::StoppedNow { until }
        }
    }
}

/// What the next event without the tick is, and what follows.
#[derive(Clone, Copy)]
pub(super) struct Evaluation {
    pub(super) next: Time,
    pub(super) limit: Time,
    /// Until when the tick may be stopped; none when it may not.
    pub(super) until: Option<Time>,
}

impl Evaluation {
    /// As it is told.
    pub(super) fn step(self, keeping: &Timekeeping, pending: Pending) -> Step {
        let Self { next, limit, until } = self;
        Step::Evaluated {
            keep: pending.keep,
            base: keeping.last_update(),
            wheel: pending.wheel,
            next,
            period: keeping.period(),
            limit,
            until,
        }
    }
}
