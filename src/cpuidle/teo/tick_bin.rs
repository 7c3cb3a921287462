//! Generation: bins and a bin beyond all states; no recent wakeups, no load. The timer is looked
//! up last, and only when it can matter. As released in 6.11 to 6.13 (spec teo.md §7).

use super::Snapshot;
use super::beyond::{Beyond, NO_RECENT, only_state};
use super::bins::Span;
use super::search::{bail_out, constrain, find_candidate};
use super::step::{Bail, Step};
use super::timer::ask;
use crate::cpuidle::select::Now;
use crate::cpuidle::{Decision, Device, Kernel, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TickBinOnly {
    metrics: Beyond,
    span: Span,
}

impl TickBinOnly {
    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            tick_hits: Some(self.metrics.tick_hits),
            ..Snapshot::of(&self.metrics.bins)
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
        self.metrics.update(table, tick, &self.span, device, probe);
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

        if table.len() < 2 {
            return bail_out(StateIdx::ZERO, Bail::OneState, probe);
        }
        let found = find_candidate(&now, &self.metrics.bins, NO_RECENT, None, probe);
        let Some(candidate) = found.state else {
            return bail_out(StateIdx::ZERO, Bail::NoneEnabled, probe);
        };
        if candidate == found.first {
            return only_state(&now, candidate, probe);
        }
        let state = self.metrics.look_up(&now, None, candidate, found.below, probe);
        if state == StateIdx::ZERO && candidate != StateIdx::ZERO {
            self.span.sleep_length = ask(kernel, probe).to_event;
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = constrain(state, found.deepest_allowed, probe);
        self.metrics
            .timer_last(&now, state, found, &mut self.span, kernel, probe)
    }
}
