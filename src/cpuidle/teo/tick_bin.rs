//! Generation: bins and a bin beyond all states; no recent wakeups, no load. The timer is looked
//! up last, and only when it can matter. As released in 6.11 to 6.13 (spec teo.md §7).

use super::Snapshot;
use super::bins::{Bins, PerState, Span, TickBin, at, book_tick_bin, find_bins, told};
use super::search::{
    Against, Candidate, Now, bail_out, constrain, find_candidate, finish, intercepts_outweigh, walk_back,
};
use super::step::{Bail, Booked, Step};
use super::timer::{SHORT_RESIDENCY, ask, correct, judged_by};
use crate::cpuidle::{Decision, Device, Kernel, MAX_STATES, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

/// This generation counts no recent wakeups.
const NO_RECENT: &PerState = &[0; MAX_STATES];

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TickBinOnly {
    bins: Bins,
    tick_hits: u32,
    span: Span,
}

impl TickBinOnly {
    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
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
                Booked::Hit
            }
            TickBin::Unused | TickBin::Missed => {
                self.bins.intercept(duration);
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

        if table.len() < 2 {
            return bail_out(StateIdx::ZERO, Bail::OneState, probe);
        }
        let found = find_candidate(&now, &self.bins, NO_RECENT, None, probe);
        let Some(candidate) = found.state else {
            return bail_out(StateIdx::ZERO, Bail::NoneEnabled, probe);
        };
        if candidate == found.first {
            let duration = now.target_residency(candidate);
            probe.step(|| Step::OnlyState {
                state: candidate,
                duration,
            });
            let unasked = Ns::new(tick.as_ns() / 2);
            return finish(&now, candidate, found.first, duration, unasked, probe);
        }
        let state = self.look_up(&now, candidate, found, probe);
        if state == StateIdx::ZERO && candidate != StateIdx::ZERO {
            self.span.sleep_length = ask(kernel, probe).to_event;
            return bail_out(state, Bail::Shallowest, probe);
        }
        let state = constrain(state, found.deepest_allowed, probe);
        if state == StateIdx::ZERO {
            return bail_out(state, Bail::Shallowest, probe);
        }
        if table.is_polling(StateIdx::ZERO) && now.target_residency(state) < SHORT_RESIDENCY {
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
        probe: &mut P,
    ) -> StateIdx {
        let against = Against {
            intercepts: intercepts_outweigh(candidate, found.below, self.bins.total, probe),
            recent: false,
        };
        if !against.intercepts {
            return candidate;
        }
        let allows = |idx| now.tick_allows(now.target_residency(idx));
        let to = walk_back(
            now,
            &self.bins,
            NO_RECENT,
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
