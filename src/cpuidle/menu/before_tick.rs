//! Generation: from the time when the tick was stopped before a state was chosen, in whole microseconds. As released
//! in 4.4 to 4.10 (spec menu.md §5), with the commits of early 2016 as rules: what decides whether to poll.

use super::intervals::{GiveUp, Steady};
use super::memory::{Memory, predict};
use super::micros::{divided_us, multiplier, no_latency, without_exit};
use super::search::query;
use super::step::{Source, Step};
use super::{Snapshot, Tuning};
use crate::cpuidle::rules::rules;
use crate::cpuidle::select::{Now, truncated};
use crate::cpuidle::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx, Us};

/// Stays up to this are worth polling.
const POLLING_LIMIT: Ns = Ns::from_us(20);

const MICROSECOND: Ns = Ns::from_us(1);

rules! {
    /// Where the versions of this generation differ.
    struct Rules {
        /// What must be long enough for not polling.
        poll_until: PollUntil,
        /// How the intervals take part in the prediction.
        prediction: Prediction,
    }
}

/// What must be long enough for not polling, on machines whose state 0 polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollUntil {
    /// The stay predicted, divided by load and waiting tasks, beyond 20 µs.
    LoadedPrediction,
    /// The typical interval, or a nearer timer, beyond the target residency of state 1.
    TypicalInterval,
    /// The timer, beyond 20 µs and the target residency of state 1.
    NextTimer,
    /// The timer, beyond 20 µs, whatever state 1 is like.
    TimerBeyond20,
}

/// How the intervals take part in the prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// A typical interval, judged by its deviation, takes the place of the corrected timer if the timer is farther.
    TypicalInstead,
    /// The least of corrected timer, typical interval (judged by its variance) and timer counts.
    Least,
}

/// What is learnt, and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeforeTick {
    rules: Rules,
    memory: Memory,
}

impl BeforeTick {
    pub(super) fn new(rules: Rules, tuning: Tuning) -> Self {
        Self {
            rules,
            memory: Memory::new(12, tuning),
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.memory.snapshot()
    }

    pub(super) fn reflect(&mut self, device: &mut Device, wakeup: Wakeup) {
        self.memory.reflect(device, wakeup);
    }

    /// Learns from the last period: neither the tick nor the end of polling is anything special.
    pub(super) fn update<P: Probe<Step>>(&mut self, table: &StateTable, device: &Device, probe: &mut P) {
        let Some(wakeup) = self.memory.reflected.take() else {
            return;
        };
        let stay = without_exit(table, wakeup.entered, device.last_residency);
        self.memory
            .learn(Ns::from(stay).as_u64(), Source::Residency, probe);
    }

    /// Chooses a state; the tick is stopped before, wherever it can be.
    pub(super) fn select<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &mut Device,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        self.update(table, device, probe);
        let now = Now {
            latency_req: kernel.latency_req().floor_to(MICROSECOND),
            ..Now::ask(table, tick, kernel)
        };
        if now.latency_req == Ns::ZERO {
            return Decision {
                tick: TickChoice::Stop,
                ..no_latency(&now, probe)
            };
        }
        let nr_iowait = kernel.nr_iowait();
        let timer = Ns::from(truncated(query(kernel, probe).to_event));
        self.memory.next_timer = timer;
        self.memory.factors.choose(timer, nr_iowait, probe);
        let corrected = self.memory.factors.corrected(timer, probe);
        let divisor = multiplier(kernel.load(), nr_iowait, self.memory.per_waiting_task);
        let (first, duration, limit) = match self.rules.prediction {
            Prediction::TypicalInstead => {
                let typical = self
                    .memory
                    .intervals
                    .typical_by(GiveUp::Never, Steady::Deviation, probe);
                let typical = typical.filter(|typical| timer > Ns::from(*typical));
                let duration = predict((typical.is_none()).then_some(corrected), typical, probe);
                let limit = divided_us(&now, duration, divisor, probe);
                let loaded = loaded(duration, divisor);
                let first = self.first(&now, (loaded, timer, typical), probe);
                (first, duration, limit)
            }
            Prediction::Least => {
                let typical = self.memory.intervals.typical(GiveUp::Never, probe);
                let next = Us::from_ns_low_bits(timer.as_u64());
                let least = typical.unwrap_or(Us::MAX).min(next);
                let duration = predict(Some(corrected), Some(least), probe);
                let loaded = loaded(duration, divisor);
                let first = self.first(&now, (loaded, timer, Some(least)), probe);
                let limit = divided_us(&now, duration, divisor, probe);
                (first, duration, limit)
            }
        };
        Decision {
            state: self.deepest(&now, first, duration, limit, probe),
            tick: TickChoice::Stop,
        }
    }

    /// The state taken when no deeper one fits: state 1 instead of polling, if that cannot pay.
    fn first<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        (loaded, timer, typical): (Ns, Ns, Option<Us>),
        probe: &mut P,
    ) -> StateIdx {
        let (zero, one) = (StateIdx::ZERO, StateIdx::new(1));
        if !now.table.is_polling(zero) {
            return zero;
        }
        let target_residency = now.target_residency(one);
        let (duration, limit) = match self.rules.poll_until {
            PollUntil::LoadedPrediction => (loaded, POLLING_LIMIT),
            PollUntil::TypicalInterval => (
                typical.map_or(timer, |typical| Ns::from(typical).min(timer)),
                target_residency,
            ),
            PollUntil::NextTimer => (timer, POLLING_LIMIT.max(target_residency)),
            PollUntil::TimerBeyond20 => (timer, POLLING_LIMIT),
        };
        let within_limit = match self.rules.poll_until {
            PollUntil::LoadedPrediction | PollUntil::TimerBeyond20 => true,
            PollUntil::TypicalInterval | PollUntil::NextTimer => {
                now.latency_req > now.table.exit_latency(one)
            }
        };
        let allowed = within_limit && now.enabled(one) && one <= now.table.last();
        let far = duration > limit;
        let state = if far && allowed { one } else { zero };
        probe.step(|| Step::PollOrNot {
            duration,
            limit,
            far,
            allowed,
            state,
        });
        state
    }

    /// The deepest enabled state that fits, wherever it stands; else `first`.
    fn deepest<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        first: StateIdx,
        duration: Ns,
        limit: Ns,
        probe: &mut P,
    ) -> StateIdx {
        let polls = now.table.is_polling(StateIdx::ZERO);
        let from = match self.rules.prediction {
            Prediction::TypicalInstead => StateIdx::new(u8::from(polls)),
            Prediction::Least => StateIdx::new(first.number() + 1),
        };
        let mut found = first;
        for state in now
            .table
            .indices()
            .filter(|idx| *idx >= from && now.enabled(*idx))
        {
            let target_residency = now.target_residency(state);
            let exit_latency = now.table.exit_latency(state);
            let pays_off = target_residency <= duration;
            let allowed = exit_latency <= limit;
            probe.step(|| Step::Considered {
                state,
                target_residency,
                duration,
                pays_off,
                exit_latency,
                limit,
                allowed,
            });
            if pays_off && allowed {
                found = state;
            }
        }
        found
    }
}

/// A duration by what waits, in whole microseconds.
fn loaded(duration: Ns, divisor: u64) -> Ns {
    Ns::new((duration.as_u64() / divisor).cast_signed()).floor_to(MICROSECOND)
}
