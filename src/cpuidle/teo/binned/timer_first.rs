//! Recipe: the timer is looked up first and bounds the candidate (spec teo.md §3.2 with §4, and §5 by the rules).

use super::{Binned, BusyTwoStates, EarlyEnd, Judged, OnlyState, RecentWakeups};
use crate::cpuidle::select::{Now, finish};
use crate::cpuidle::teo::search::{
    Against, Sums, bail_out, constrain, find_candidate, intercepts_outweigh, midpoint, recent_outweigh,
    walk_back,
};
use crate::cpuidle::teo::step::{Bail, Step};
use crate::cpuidle::teo::timer::judged_by;
use crate::cpuidle::{Decision, Kernel, SleepLength, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

impl Binned {
    pub(super) fn timer_first<K: Kernel, P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let now = Now::ask(table, tick, kernel);
        let sleep = self.ask(kernel, probe);
        let zero = (StateIdx::ZERO, sleep.to_event);

        if table.len() < 2 {
            return self.leave(&now, zero, sleep, Bail::OneState, probe);
        }
        if timer_before_state_1(&now, sleep.to_event, probe) {
            return self.leave(&now, zero, sleep, Bail::TimerBeforeState1, probe);
        }
        let utilized = self.utilized(kernel, probe);
        if utilized
            && table.len() < 3
            && let Some(chosen) = self.busy_two_states(&now, sleep.to_event)
        {
            let (state, duration) = chosen;
            probe.step(|| Step::BusyTwoStates { state, duration });
            if state == StateIdx::ZERO {
                return self.leave(&now, chosen, sleep, Bail::BusyTwoStates, probe);
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
        let found = find_candidate(
            &now,
            &self.bins,
            self.recent_or_none(),
            Some(sleep.to_event),
            probe,
        );
        let Some(candidate) = found.state else {
            return self.leave(&now, zero, sleep, Bail::NoneEnabled, probe);
        };
        if candidate == found.first {
            let duration = match self.rules.only_state {
                OnlyState::SleepLength => sleep.to_event,
                OnlyState::TargetResidency => now.target_residency(candidate),
            };
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
            let (state, demoted) = self.demote(&now, state, Some(duration), probe);
            (state, demoted.unwrap_or(duration))
        } else {
            (state, duration)
        };
        let duration = match self.rules.judged {
            Judged::ByDuration => duration,
            Judged::ByIntercepts => {
                let intercepts = self.all_intercepts(table);
                judged_by(&now, state, duration, intercepts, self.bins.total, probe)
            }
        };
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }

    /// Ends a decision before its regular end.
    fn leave<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        (state, duration): (StateIdx, Ns),
        sleep: SleepLength,
        why: Bail,
        probe: &mut P,
    ) -> Decision {
        match self.rules.early_end {
            EarlyEnd::JudgesDuration => finish(
                now,
                state,
                StateIdx::ZERO,
                duration,
                sleep.to_event_or_tick,
                probe,
            ),
            EarlyEnd::RetainsTick => bail_out(state, why, probe),
        }
    }

    /// The state and the duration expected; none when no state qualifies.
    fn busy_two_states(&self, now: &Now<'_>, sleep_length: Ns) -> Option<(StateIdx, Ns)> {
        let middle = midpoint(now.table, StateIdx::ZERO);
        let state = self.rules.busy_two_states.state(now, middle)?;
        Some(match self.rules.busy_two_states {
            BusyTwoStates::FirstNotPolling => (state, sleep_length),
            BusyTwoStates::ZeroUnlessPolling => (state, middle),
        })
    }

    /// Goes back from the candidate if one of the majorities is against it. The duration expected
    /// is the middle of the bin it then lands in.
    fn look_up<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        below: Sums,
        sleep_length: Ns,
        probe: &mut P,
    ) -> (StateIdx, Ns) {
        let against = Against {
            intercepts: intercepts_outweigh(candidate, below, (self.bins.total, self.bins.tuning), probe),
            recent: self.rules.recent == RecentWakeups::Count && recent_outweigh(below, probe),
        };
        if !against.intercepts && !against.recent {
            return (candidate, sleep_length);
        }
        let allows = |idx| now.tick_allows(midpoint(now.table, idx));
        let recent = self.recent_or_none();
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
