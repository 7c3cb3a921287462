//! Generation: bins and a bin beyond all states; no recent wakeups, no load. The timer is looked
//! up last, and only when it can matter. As released in 6.11 to 6.13 (spec teo.md §7).

use super::BinsSnapshot;
use super::beyond::{Beyond, candidate_or_end};
use super::bins::Span;
use super::search::{bail_out, constrain};
use super::step::{Bail, Step};
use super::timer::{Correction, ask};
use crate::cpuidle::select::Now;
use crate::cpuidle::{Decision, Device, Kernel, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// Where the versions of this generation differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// When a near timer leads to a shallower state.
    pub correction: Correction,
}

/// One rule that differs between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of [`Rules::correction`].
    Correction(Correction, Correction),
}

impl Rules {
    /// Every rule in which `b` differs from `a`, as (of `a`, of `b`).
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        let Self { correction } = a;
        (correction != b.correction)
            .then_some(Change::Correction(correction, b.correction))
            .into_iter()
            .collect()
    }

    /// With one rule as it was before the change.
    #[must_use]
    pub const fn undone(self, change: Change) -> Self {
        match change {
            Change::Correction(correction, _) => Self { correction },
        }
    }
}

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickBinOnly {
    rules: Rules,
    pub(super) metrics: Beyond,
    span: Span,
}

impl TickBinOnly {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            metrics: Beyond::default(),
            span: Span::default(),
        }
    }

    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) fn snapshot(&self) -> BinsSnapshot {
        BinsSnapshot {
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

        let (candidate, found) = match candidate_or_end(&now, &self.metrics.bins, probe) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let state = self.metrics.look_up(&now, None, candidate, found.below, probe);
        if state == StateIdx::ZERO && candidate != StateIdx::ZERO {
            self.span.sleep_length = ask(kernel, probe).to_event;
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = constrain(state, found.deepest_allowed, probe);
        self.metrics.timer_last(
            &now,
            state,
            (found, self.rules.correction),
            &mut self.span,
            kernel,
            probe,
        )
    }
}
