//! Generation: bins, the last nine wakeups, and a bin beyond all states. The timer is looked up
//! last, and only when it can matter. As released in 6.6 (spec teo.md §6).
//!
//! The bin beyond all states exists only while no target residency reaches one
//! tick. A period booked there leaves its ring slot as it was, so the same old
//! intercept is uncounted twice and the recent counts wrap below zero: that is
//! how these kernels are.

use super::beyond::{Beyond, only_state, unasked};
use super::bins::Span;
use super::recent::{utilized, zero_or_one};
use super::ring::Ring;
use super::search::{bail_out, constrain, find_candidate};
use super::step::{Bail, Booked, Step};
use super::timer::Correction;
use super::{BinsSnapshot, threshold};
use crate::cpuidle::select::{Now, Polling, finish, shallower};
use crate::cpuidle::{Decision, Device, Kernel, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentTickBin {
    threshold: u64,
    pub(super) metrics: Beyond,
    ring: Ring,
    span: Span,
}

impl RecentTickBin {
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            threshold: threshold(capacity),
            metrics: Beyond::default(),
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
            tick_hits: Some(self.metrics.tick_hits),
            ..BinsSnapshot::of(&self.metrics.bins)
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
        let Some((booked, duration)) = self.metrics.update(table, tick, &self.span, device, probe) else {
            return;
        };
        let slot = self.ring.advance();
        match booked {
            Booked::TickHit | Booked::MostlyTicks => {}
            Booked::Hit => self.ring.hit(slot),
            Booked::Intercept => self.ring.intercept(slot, duration),
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
        self.span.begin(kernel.now());
        self.span.sleep_length = Ns::MAX;
        let now = Now::ask(table, tick, kernel);
        let allows = |idx| now.tick_allows(now.target_residency(idx));

        if table.len() < 2 {
            return bail_out(StateIdx::ZERO, Bail::OneState, probe);
        }
        let utilized = utilized(kernel.utilization(), self.threshold, probe);
        if utilized && table.len() < 3 {
            let state = zero_or_one(&now, allows(StateIdx::ZERO));
            if state == StateIdx::ZERO {
                return bail_out(state, Bail::BusyTwoStates, probe);
            }
            let duration = now.target_residency(state);
            probe.step(|| Step::BusyTwoStates { state, duration });
            return finish(&now, state, StateIdx::ZERO, duration, unasked(tick), probe);
        }
        let found = find_candidate(&now, &self.metrics.bins, &self.ring.recent, None, probe);
        let Some(candidate) = found.state else {
            return bail_out(StateIdx::ZERO, Bail::NoneEnabled, probe);
        };
        if candidate == found.first {
            return only_state(&now, candidate, probe);
        }
        let recent = Some(&self.ring.recent);
        let state = self.metrics.look_up(&now, recent, candidate, found.below, probe);
        let state = constrain(state, found.deepest_allowed, probe);
        let state = if utilized {
            demote(&now, state, allows, probe)
        } else {
            state
        };
        self.metrics.timer_last(
            &now,
            state,
            (found, Correction::IfTickAllows),
            &mut self.span,
            kernel,
            probe,
        )
    }
}

/// A busy CPU takes the next shallower state that does not poll, if the tick allows it.
fn demote<P: Probe<Step>>(
    now: &Now<'_>,
    from: StateIdx,
    allows: impl Fn(StateIdx) -> bool,
    probe: &mut P,
) -> StateIdx {
    let found = shallower(now, from, Ns::MAX, Polling::Skipped);
    let to = if allows(found) { found } else { from };
    probe.step(|| Step::Demoted {
        from,
        found,
        to,
        duration: None,
    });
    to
}
