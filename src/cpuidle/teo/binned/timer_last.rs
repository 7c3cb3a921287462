//! Recipe: the candidate is the deepest enabled state; the timer is looked up last, and only when it can matter (spec
//! teo.md §6, §7).

use super::{Binned, BusyTwoStates, EarlyEnd, Judged, LedToZero, OnlyState};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::teo::bins::at;
use crate::cpuidle::teo::search::{bail_out, constrain, find_candidate, look_up};
use crate::cpuidle::teo::step::{Bail, Step};
use crate::cpuidle::teo::timer::{SHORT_RESIDENCY, correct, judged_by, unasked};
use crate::cpuidle::{Decision, Kernel, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

impl Binned {
    pub(super) fn timer_last<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        self.span.sleep_length = Ns::MAX;
        let now = Now::ask(table, tick, kernel);

        if table.len() < 2 {
            return self.end_early(&now, StateIdx::ZERO, Bail::OneState, kernel, probe);
        }
        let utilized = self.utilized(kernel, probe);
        if utilized && table.len() < 3 {
            let zero_stands_for = now.target_residency(StateIdx::ZERO);
            if let Some(state) = self.rules.busy_two_states.state(&now, zero_stands_for) {
                return self.busy_with_two(&now, state, kernel, probe);
            }
        }
        let found = find_candidate(&now, &self.bins, self.recent_or_none(), None, probe);
        let Some(candidate) = found.state else {
            return self.end_early(&now, StateIdx::ZERO, Bail::NoneEnabled, kernel, probe);
        };
        if candidate == found.first {
            return self.only_state(&now, candidate, kernel, probe);
        }
        let bins = (&self.bins, self.bins.total);
        let state = look_up(&now, bins, self.recent(), candidate, found.below, probe);
        if self.rules.led_to_zero == LedToZero::AsksTimer && state == StateIdx::ZERO && candidate != state {
            self.ask(kernel, probe);
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = constrain(state, found.deepest_allowed, probe);
        let state = if utilized {
            self.demote(&now, state, None, probe).0
        } else {
            state
        };
        if state == StateIdx::ZERO {
            return self.end_early(&now, state, Bail::Shallowest, kernel, probe);
        }
        if table.is_polling(StateIdx::ZERO) && now.target_residency(state) < SHORT_RESIDENCY {
            return self.end_early(&now, state, Bail::ShortResidency, kernel, probe);
        }
        let sleep = self.ask(kernel, probe);
        let state = correct(&now, state, sleep.to_event, self.rules.correction, probe);
        let duration = match self.rules.judged {
            Judged::ByDuration => sleep.to_event,
            Judged::ByIntercepts => {
                let deepest = at(&self.bins.intercepts, table.last());
                let intercepts = found.intercepts.wrapping_add(deepest);
                judged_by(&now, state, sleep.to_event, intercepts, self.bins.total, probe)
            }
        };
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }

    /// Ends a decision before its regular end. Judging the tick takes the timer, which was not looked up.
    fn end_early<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        state: StateIdx,
        why: Bail,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        match self.rules.early_end {
            EarlyEnd::RetainsTick => bail_out(state, why, probe),
            EarlyEnd::JudgesDuration => {
                let sleep = self.ask(kernel, probe);
                let (duration, or_tick) = (sleep.to_event, sleep.to_event_or_tick);
                finish(now, state, StateIdx::ZERO, duration, or_tick, probe)
            }
        }
    }

    /// Ends the decision of a busy CPU with two states.
    fn busy_with_two<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        state: StateIdx,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        if state == StateIdx::ZERO {
            return self.end_early(now, state, Bail::BusyTwoStates, kernel, probe);
        }
        let (duration, or_tick) = match self.rules.busy_two_states {
            BusyTwoStates::FirstNotPolling => {
                let sleep = self.ask(kernel, probe);
                (sleep.to_event, sleep.to_event_or_tick)
            }
            BusyTwoStates::ZeroUnlessPolling => (now.target_residency(state), unasked(now.tick)),
        };
        probe.step(|| Step::BusyTwoStates { state, duration });
        finish(now, state, StateIdx::ZERO, duration, or_tick, probe)
    }

    /// Ends the decision for the only state that is left to choose.
    fn only_state<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        state: StateIdx,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let (duration, or_tick) = match self.rules.only_state {
            OnlyState::SleepLength => {
                let sleep = self.ask(kernel, probe);
                (sleep.to_event, sleep.to_event_or_tick)
            }
            OnlyState::TargetResidency => (now.target_residency(state), unasked(now.tick)),
        };
        probe.step(|| Step::OnlyState { state, duration });
        finish(now, state, state, duration, or_tick, probe)
    }
}
