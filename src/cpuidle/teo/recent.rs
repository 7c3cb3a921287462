//! Generation: bins, and the last nine wakeups; the timer is looked up first. With the load of
//! the CPU, as released in 6.3 to 6.5 (spec teo.md §3, §4), and the posted series of August 2023
//! as edits of its rules (spec §5).

use super::bins::{Bins, Decay, Span, find_bins, told};
use super::ring::Ring;
use super::search::{
    Against, bail_out, constrain, find_candidate, intercepts_outweigh, midpoint, recent_outweigh, walk_back,
};
use super::step::{Bail, Booked, Step, TimerBin};
use super::timer::ask;
use super::{BinsSnapshot, threshold};
use crate::cpuidle::select::{Now, Polling, finish, shallower};
use crate::cpuidle::{Decision, Device, Kernel, SleepLength, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// Where the versions of this generation differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether the CPU's load counts.
    pub load: Load,
    /// What a busy CPU with two states does.
    pub busy_two_states: BusyTwoStates,
    /// What a busy CPU expects of the shallower state it takes.
    pub demotion: Demotion,
    /// What an early end means for the tick.
    pub early_end: EarlyEnd,
    /// What is expected of a state without alternative.
    pub only_state: OnlyState,
}

/// One rule that differs between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of [`Rules::load`].
    Load(Load, Load),
    /// Of [`Rules::busy_two_states`].
    BusyTwoStates(BusyTwoStates, BusyTwoStates),
    /// Of [`Rules::demotion`].
    Demotion(Demotion, Demotion),
    /// Of [`Rules::early_end`].
    EarlyEnd(EarlyEnd, EarlyEnd),
    /// Of [`Rules::only_state`].
    OnlyState(OnlyState, OnlyState),
}

impl Rules {
    /// Every rule in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        let Self {
            load,
            busy_two_states,
            demotion,
            early_end,
            only_state,
        } = a;
        let changes = [
            (load != b.load).then_some(Change::Load(load, b.load)),
            (busy_two_states != b.busy_two_states)
                .then_some(Change::BusyTwoStates(busy_two_states, b.busy_two_states)),
            (demotion != b.demotion).then_some(Change::Demotion(demotion, b.demotion)),
            (early_end != b.early_end).then_some(Change::EarlyEnd(early_end, b.early_end)),
            (only_state != b.only_state).then_some(Change::OnlyState(only_state, b.only_state)),
        ];
        changes.into_iter().flatten().collect()
    }

    /// With one rule as it was before the change.
    #[must_use]
    pub const fn undone(self, change: Change) -> Self {
        match change {
            Change::Load(load, _) => Self { load, ..self },
            Change::BusyTwoStates(busy_two_states, _) => Self {
                busy_two_states,
                ..self
            },
            Change::Demotion(demotion, _) => Self { demotion, ..self },
            Change::EarlyEnd(early_end, _) => Self { early_end, ..self },
            Change::OnlyState(only_state, _) => Self { only_state, ..self },
        }
    }
}

/// Whether the CPU's load counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// It is not asked for.
    Ignored,
    /// Above a sixty-fourth of the capacity the CPU is busy and takes a shallower state.
    Counts,
}

/// What a busy CPU with two states does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusyTwoStates {
    /// Takes the first enabled one that does not poll and expects the timer's distance.
    FirstNotPolling,
    /// Takes state 0 unless it polls or the stopped tick forbids it, else state 1, and expects
    /// the middle of the first bin.
    ZeroUnlessPolling,
}

/// What a busy CPU expects of the shallower state it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demotion {
    /// What it expected before.
    KeepsDuration,
    /// The middle of that state's bin; a stopped tick can forbid the state.
    TakesMidpoint,
}

/// What an early end means for the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// It is judged by the duration, as at the regular end.
    JudgesDuration,
    /// It is retained.
    RetainsTick,
}

/// What is expected of a state without alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlyState {
    /// The timer's distance.
    SleepLength,
    /// Its target residency.
    TargetResidency,
}

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    rules: Rules,
    threshold: u64,
    pub(super) bins: Bins,
    ring: Ring,
    span: Span,
}

impl Recent {
    pub(super) fn new(rules: Rules, capacity: u64) -> Self {
        Self {
            rules,
            threshold: threshold(capacity),
            bins: Bins::default(),
            ring: Ring::default(),
            span: Span::default(),
        }
    }

    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) fn snapshot(&self) -> BinsSnapshot {
        BinsSnapshot {
            recent: Some(self.ring.clone().into()),
            ..BinsSnapshot::of(&self.bins)
        }
    }

    /// Books the last period (spec §3.1).
    pub(super) fn update<P: Probe<Step>>(&mut self, table: &StateTable, device: &mut Device, probe: &mut P) {
        let Some(entered) = device.last_state.take() else {
            return;
        };
        let sleep_length = self.span.sleep_length;
        let measured = self.span.measured(table, entered, device.last_residency);
        let (timer, duration) = find_bins(table, sleep_length, measured);
        self.bins.decay(Decay::Geometric);
        let slot = self.ring.advance();
        let booked = if timer == duration {
            self.bins.hit(timer);
            self.ring.hit(slot);
            Booked::Hit
        } else {
            self.bins.intercept(duration);
            self.ring.intercept(slot, duration);
            Booked::Intercept
        };
        let total = self.bins.total;
        probe.step(|| Step::Learned {
            sleep_length,
            measured: told(measured),
            timer: TimerBin::State(timer),
            duration,
            booked,
            total,
        });
    }

    /// Chooses a state (spec §3.2 with §4, and §5 by the rules).
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
        let now = Now::ask(table, tick, kernel);
        let sleep = ask(kernel, probe);
        self.span.sleep_length = sleep.to_event;
        let early = self.rules.early_end;

        if table.len() < 2 {
            return early.leave(&now, StateIdx::ZERO, sleep.to_event, sleep, Bail::OneState, probe);
        }
        if timer_before_state_1(&now, sleep.to_event, probe) {
            return early.leave(
                &now,
                StateIdx::ZERO,
                sleep.to_event,
                sleep,
                Bail::TimerBeforeState1,
                probe,
            );
        }
        let utilized = match self.rules.load {
            Load::Ignored => false,
            Load::Counts => utilized(kernel.utilization(), self.threshold, probe),
        };
        if utilized
            && table.len() < 3
            && let Some((state, duration)) = self.rules.busy_two_states.choose(&now, sleep.to_event)
        {
            probe.step(|| Step::BusyTwoStates { state, duration });
            if state == StateIdx::ZERO {
                return early.leave(&now, state, duration, sleep, Bail::BusyTwoStates, probe);
            }
            return finish(
                &now,
                state,
                StateIdx::ZERO,
                duration,
                sleep.to_event_or_tick,
                probe,
            );
        }
        let found = find_candidate(&now, &self.bins, &self.ring.recent, Some(sleep.to_event), probe);
        let Some(candidate) = found.state else {
            return early.leave(
                &now,
                StateIdx::ZERO,
                sleep.to_event,
                sleep,
                Bail::NoneEnabled,
                probe,
            );
        };
        if candidate == found.first {
            let duration = self.rules.only_state.duration(&now, candidate, sleep.to_event);
            probe.step(|| Step::OnlyState {
                state: candidate,
                duration,
            });
            return finish(
                &now,
                candidate,
                found.first,
                duration,
                sleep.to_event_or_tick,
                probe,
            );
        }
        let (state, duration) = self.look_up(&now, candidate, found.below, sleep.to_event, probe);
        let state = constrain(state, found.deepest_allowed, probe);
        let (state, duration) = if utilized {
            self.rules.demotion.demote(&now, state, duration, probe)
        } else {
            (state, duration)
        };
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }

    /// Goes back from the candidate if one of the majorities is against it. The duration expected
    /// is the middle of the bin it then lands in.
    fn look_up<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        below: super::search::Sums,
        sleep_length: Ns,
        probe: &mut P,
    ) -> (StateIdx, Ns) {
        let against = Against {
            intercepts: intercepts_outweigh(candidate, below, (self.bins.total, self.bins.tuning), probe),
            recent: recent_outweigh(below, probe),
        };
        if !against.intercepts && !against.recent {
            return (candidate, sleep_length);
        }
        let allows = |idx| now.tick_allows(midpoint(now.table, idx));
        let recent = &self.ring.recent;
        let to = walk_back(
            now,
            &self.bins,
            recent,
            candidate,
            (against, below),
            allows,
            probe,
        );
        let duration = if to == candidate {
            sleep_length
        } else {
            midpoint(now.table, to)
        };
        probe.step(|| Step::LookedUp {
            from: candidate,
            to,
            duration: Some(duration),
        });
        (to, duration)
    }
}

/// State 1 would not pay off before the timer, and state 0 is there to be taken (spec §3.2 step 3).
fn timer_before_state_1<P: Probe<Step>>(now: &Now<'_>, sleep_length: Ns, probe: &mut P) -> bool {
    if !now.enabled(StateIdx::ZERO) {
        return false;
    }
    let target_residency = now.target_residency(StateIdx::new(1));
    let first = target_residency > sleep_length;
    probe.step(|| Step::NearTimer {
        target_residency,
        sleep_length,
        first,
    });
    first
}

/// Whether the CPU counts as busy.
pub(super) fn utilized<P: Probe<Step>>(utilization: u64, threshold: u64, probe: &mut P) -> bool {
    let utilized = utilization > threshold;
    probe.step(|| Step::Utilization {
        utilization,
        threshold,
        utilized,
    });
    utilized
}

impl BusyTwoStates {
    /// The state and the duration expected; none when no state qualifies.
    fn choose(self, now: &Now<'_>, sleep_length: Ns) -> Option<(StateIdx, Ns)> {
        match self {
            Self::FirstNotPolling => now
                .table
                .indices()
                .find(|idx| now.enabled(*idx) && !now.table.is_polling(*idx))
                .map(|idx| (idx, sleep_length)),
            Self::ZeroUnlessPolling => {
                let duration = midpoint(now.table, StateIdx::ZERO);
                let state = zero_or_one(now, now.tick_allows(duration));
                Some((state, duration))
            }
        }
    }
}

/// State 0 if it is enabled, does not poll and the tick allows it, or if state 1 is disabled;
/// else state 1.
pub(super) fn zero_or_one(now: &Now<'_>, tick_allows: bool) -> StateIdx {
    let (zero, one) = (StateIdx::ZERO, StateIdx::new(1));
    let zero_suits = now.enabled(zero) && !now.table.is_polling(zero) && tick_allows;
    if zero_suits || !now.enabled(one) {
        zero
    } else {
        one
    }
}

impl Demotion {
    /// The next shallower state that does not poll, and the duration expected then.
    fn demote<P: Probe<Step>>(
        self,
        now: &Now<'_>,
        from: StateIdx,
        duration: Ns,
        probe: &mut P,
    ) -> (StateIdx, Ns) {
        let found = shallower(now, from, duration, Polling::Skipped);
        let (to, duration) = match self {
            Self::KeepsDuration => (found, duration),
            Self::TakesMidpoint => {
                let midpoint = midpoint(now.table, found);
                if now.tick_allows(midpoint) {
                    (found, midpoint)
                } else {
                    (from, duration)
                }
            }
        };
        probe.step(|| Step::Demoted {
            from,
            found,
            to,
            duration: Some(duration),
        });
        (to, duration)
    }
}

impl EarlyEnd {
    fn leave<P: Probe<Step>>(
        self,
        now: &Now<'_>,
        state: StateIdx,
        duration: Ns,
        sleep: SleepLength,
        why: Bail,
        probe: &mut P,
    ) -> Decision {
        match self {
            Self::JudgesDuration => finish(
                now,
                state,
                StateIdx::ZERO,
                duration,
                sleep.to_event_or_tick,
                probe,
            ),
            Self::RetainsTick => bail_out(state, why, probe),
        }
    }
}

impl OnlyState {
    fn duration(self, now: &Now<'_>, state: StateIdx, sleep_length: Ns) -> Ns {
        match self {
            Self::SleepLength => sleep_length,
            Self::TargetResidency => now.target_residency(state),
        }
    }
}
