//! Generation: bins, the last nine wakeups, and a bin beyond all states. The timer is looked up
//! last, and only when it can matter. As released in 6.6 (spec teo.md §6).
//!
//! The bin beyond all states exists only while no target residency reaches one
//! tick. A period booked there leaves its ring slot as it was, so the same old
//! intercept is uncounted twice and the recent counts wrap below zero: that is
//! how these kernels are.

use super::bins::{Bins, Span, TickBin, at, book_tick_bin, find_bins, told};
use super::recent::{utilized, zero_or_one};
use super::ring::Ring;
use super::search::{
    Against, Candidate, Now, Polling, bail_out, constrain, find_candidate, finish, intercepts_outweigh,
    recent_outweigh, shallower, walk_back,
};
use super::step::{Bail, Booked, Step, TimerBin};
use super::timer::{SHORT_RESIDENCY, ask, correct, judged_by};
use super::{Snapshot, threshold};
use crate::cpuidle::{Decision, Device, Kernel, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentTickBin {
    threshold: u64,
    bins: Bins,
    ring: Ring,
    tick_hits: u32,
    span: Span,
}

impl RecentTickBin {
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            threshold: threshold(capacity),
            bins: Bins::default(),
            ring: Ring::default(),
            tick_hits: 0,
            span: Span::default(),
        }
    }

    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            recent: Some(self.ring.clone().into()),
            tick_hits: Some(self.tick_hits),
            ..Snapshot::of(&self.bins)
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
        let Some(entered) = device.last_state.take() else {
            return;
        };
        let sleep_length = self.span.sleep_length;
        let measured = self.span.measured(table, entered, device.last_residency);
        let (timer, duration) = find_bins(table, sleep_length, measured);
        self.bins.decay();
        let slot = self.ring.advance();
        let bin = book_tick_bin(
            &mut self.tick_hits,
            &mut self.bins,
            table,
            tick,
            sleep_length,
            measured,
        );
        let booked = match bin {
            TickBin::Reached => Booked::TickHit,
            TickBin::Unused if timer == duration => {
                self.bins.hit(timer);
                self.ring.hit(slot);
                Booked::Hit
            }
            TickBin::Unused | TickBin::Missed => {
                self.bins.intercept(duration);
                self.ring.intercept(slot, duration);
                Booked::Intercept
            }
        };
        let total = self.bins.total;
        probe.step(|| Step::Learned {
            sleep_length,
            measured: told(measured),
            timer: bin.timer(timer),
            duration,
            booked,
            total,
        });
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
        let unasked = Ns::new(tick.as_ns() / 2);
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
            return finish(&now, state, StateIdx::ZERO, duration, unasked, probe);
        }
        let found = find_candidate(&now, &self.bins, &self.ring.recent, None, probe);
        let Some(candidate) = found.state else {
            return bail_out(StateIdx::ZERO, Bail::NoneEnabled, probe);
        };
        if candidate == found.first {
            let duration = now.target_residency(candidate);
            probe.step(|| Step::OnlyState {
                state: candidate,
                duration,
            });
            return finish(&now, candidate, found.first, duration, unasked, probe);
        }
        let state = self.look_up(&now, candidate, found, allows, probe);
        let state = constrain(state, found.deepest_allowed, probe);
        let state = if utilized {
            demote(&now, state, allows, probe)
        } else {
            state
        };
        if state == StateIdx::ZERO {
            return bail_out(state, Bail::Shallowest, probe);
        }
        if now.table.is_polling(StateIdx::ZERO) && now.target_residency(state) < SHORT_RESIDENCY {
            return bail_out(state, Bail::ShortResidency, probe);
        }
        let sleep = ask(kernel, probe);
        self.span.sleep_length = sleep.to_event;
        let state = correct(&now, state, sleep.to_event, probe);
        let intercepts = found
            .intercepts
            .wrapping_add(at(&self.bins.intercepts, table.last()));
        let duration = judged_by(&now, state, sleep.to_event, intercepts, self.bins.total, probe);
        finish(&now, state, found.first, duration, sleep.to_event_or_tick, probe)
    }

    fn look_up<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        candidate: StateIdx,
        found: Candidate,
        allows: impl Fn(StateIdx) -> bool,
        probe: &mut P,
    ) -> StateIdx {
        let against = Against {
            intercepts: intercepts_outweigh(candidate, found.below, self.bins.total, probe),
            recent: recent_outweigh(found.below, probe),
        };
        if !against.intercepts && !against.recent {
            return candidate;
        }
        let recent = &self.ring.recent;
        let to = walk_back(
            now,
            &self.bins,
            recent,
            candidate,
            (against, found.below),
            allows,
            probe,
        );
        probe.step(|| Step::LookedUp {
            from: candidate,
            to,
            duration: None,
        });
        to
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

impl TickBin {
    /// The timer's bin, as told to a probe.
    pub(super) fn timer(self, timer: StateIdx) -> TimerBin {
        match self {
            Self::Unused => TimerBin::State(timer),
            Self::Missed | Self::Reached => TimerBin::Tick,
        }
    }
}
