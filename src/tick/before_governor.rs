//! The tick that decides before any governor runs (spec idle-loop-and-tick.md §7): kernels up to 4.16.
//!
//! ```text
//!   enter() ── decide ── select, enter a state ── interrupt ── decide ── select … ── exit()
//!                 |                                             |
//!                 '- stopped wherever possible                  '- again, also while the CPU polls
//! ```
//!
//! No advice is asked for and nothing is retained for a shallow state: a short prediction with a stopped tick is
//! possible, which later kernels mend. What was decided is kept as data, so that it can be told with the decision
//! that it precedes. Invariant: between enter and exit the last verdict is at hand.

use super::config::first_after;
use super::nohz::Evaluation;
use super::step::{Settled, Step};
use super::{Config, Pending, Tick, Timekeeping};
use crate::probe::Probe;
use crate::units::Time;

/// What became of the tick before the governor was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The evaluation; none when the tick may never be stopped.
    evaluated: Option<Step>,
    /// The last verdict.
    pub result: Settled,
    /// Whether it was stopped since [`Tick::take_decided`] told last.
    pub stopped_now: bool,
}

impl Tick {
    /// Stops it if it can be stopped: on entering idle, and when an interrupt ends that leaves the CPU idle.
    pub fn decide(&mut self, now: Time, config: &Config, keeping: &mut Timekeeping, pending: Pending) {
        let before = self.decided.is_some_and(|decided| decided.stopped_now);
        let (evaluated, result) = if Self::may_stop(config) {
            let evaluation = self.evaluation(config, keeping, pending);
            let told = evaluation.step(keeping, pending);
            (Some(told), self.act_on(evaluation, now, keeping, pending))
        } else {
            (None, Settled::RetainedImpossible)
        };
        self.decided = Some(Decided {
            evaluated,
            result,
            stopped_now: before || matches!(result, Settled::StoppedNow { .. }),
        });
    }

    /// The last verdict, told to the decision that it precedes; none before the first.
    pub fn take_decided<P: Probe<Step>>(&mut self, probe: &mut P) -> Option<Decided> {
        let decided = self.decided?;
        if let Some(evaluated) = decided.evaluated {
            probe.step(|| evaluated);
        }
        probe.step(|| Step::Settled {
            asked: None,
            result: decided.result,
        });
        self.take_stopped_now();
        Some(decided)
    }

    /// Whether it was stopped, where it is decided on before the governor, since this or [`Tick::take_decided`] was
    /// asked last.
    pub fn take_stopped_now(&mut self) -> bool {
        self.decided
            .as_mut()
            .is_some_and(|decided| std::mem::take(&mut decided.stopped_now))
    }

    fn act_on(
        &mut self,
        evaluation: Evaluation,
        now: Time,
        keeping: &mut Timekeeping,
        pending: Pending,
    ) -> Settled {
        self.idle_calls += 1;
        let Some(until) = evaluation.until else {
            return Settled::retained(pending.keep);
        };
        self.idle_sleeps += 1;
        self.last_evaluation = Some(until);
        self.drop_duty(keeping);
        if self.stopped && until <= keeping.last_update() {
            return self.program(first_after(self.last_tick, keeping.period(), now));
        }
        if self.stopped && until == self.device_event(pending.hrtimer) {
            return Settled::StaysStopped { until };
        }
        self.program(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Off;
    use crate::tick::catalog;
    use crate::tick::{Keep, Nohz};
    use crate::units::{CpuId, Ns};

    const PERIOD: Ns = Ns::from_ms(4);

    fn config(nohz: Nohz) -> Config {
        Config {
            nohz,
            rules: catalog::before_governor(),
            ..Config::default()
        }
    }

    fn wheel(ns: i64) -> Pending {
        Pending {
            hrtimer: Time::NEVER,
            wheel: Time::from_ns(ns),
            keep: Keep::None,
        }
    }

    /// A tick at 4, 8, … ms, entered at 5 ms and decided on.
    fn entered(config: &Config, pending: Pending) -> (Tick, Timekeeping) {
        let now = Time::from_ns(5_000_000);
        let mut keeping = Timekeeping::at(now, PERIOD, Ns::ZERO);
        let mut tick = Tick::running(CpuId::new(0), Time::from_ns(8_000_000));
        tick.enter(now);
        tick.decide(now, config, &mut keeping, pending);
        (tick, keeping)
    }

    #[test]
    fn it_stops_until_a_timer_that_is_more_than_a_tick_ahead_and_not_for_a_nearer_one() {
        let config = config(Nohz::Active);
        let result = |pending| {
            entered(&config, pending)
                .0
                .take_decided(&mut Off)
                .map(|decided| decided.result)
        };
        let until = Time::from_ns(12_000_000);
        assert_eq!(result(wheel(12_000_000)), Some(Settled::StoppedNow { until }));
        assert_eq!(result(wheel(8_000_000)), Some(Settled::RetainedNextEvent));
    }

    #[test]
    fn a_tick_that_may_not_be_stopped_runs_on_and_nothing_is_counted() {
        let (mut tick, _) = entered(&config(Nohz::Off), wheel(80_000_000));
        let result = tick.take_decided(&mut Off).map(|decided| decided.result);
        assert_eq!(result, Some(Settled::RetainedImpossible));
        assert_eq!((tick.idle_calls(), tick.expires()), (0, Time::from_ns(8_000_000)));
    }

    #[test]
    fn an_overdue_timer_arms_a_stopped_tick_at_its_next_phase_point() {
        let config = config(Nohz::Active);
        let (mut tick, mut keeping) = entered(&config, wheel(16_000_000));
        let now = Time::from_ns(21_000_000);
        keeping.update(now);
        tick.decide(now, &config, &mut keeping, wheel(16_000_000));
        assert!(tick.is_stopped());
        assert_eq!(tick.expires(), Time::from_ns(24_000_000));
    }

    #[test]
    fn a_stop_is_told_once() {
        let (mut tick, _) = entered(&config(Nohz::Active), wheel(80_000_000));
        let told = |tick: &mut Tick| tick.take_decided(&mut Off).map(|decided| decided.stopped_now);
        assert_eq!([told(&mut tick), told(&mut tick)], [Some(true), Some(false)]);
    }
}
