//! Generation: a bin of hits and intercepts per state, stays measured by the clock; in some versions the last nine
//! wakeups and a bin beyond all states beside. As released in 5.14 to 6.13 (spec teo.md §3 to §7), with the posted
//! series of August 2023 as edits of its rules (spec §5).
//!
//! ```text
//!   0        TR[1]                 TR[n-1]            tick
//!   |-- bin 0 --|-- …             --|-- bin n-1 … -----|-- all timers beyond it …
//! ```
//!
//! The bin beyond all states exists only while no target residency reaches one tick. A period booked there leaves
//! the ring's slot as it was, so the same old intercept is uncounted twice and the recent counts wrap below zero:
//! that is how these kernels are.

mod rules;
mod timer_first;
mod timer_last;

use super::bins::{Bins, Decay, PerState, Span, at, find_bins, told};
use super::ring::Ring;
use super::step::{Booked, Step, TimerBin};
use super::timer::ask;
use super::{BinsSnapshot, NO_RECENT, threshold};
use crate::cpuidle::select::{Now, Polling, shallower};
use crate::cpuidle::{Decision, Device, Kernel, SleepLength, StateTable};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx};

pub use rules::{
    BusyTwoStates, Change, Demotion, EarlyEnd, Judged, LedToZero, Load, OnlyState, RecentWakeups, Recipe,
    Rule, Rules, TickBin,
};

/// The metrics and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binned {
    rules: Rules,
    threshold: u64,
    pub(super) bins: Bins,
    tick_hits: u32,
    ring: Ring,
    span: Span,
}

/// Where a timer's distance and a duration lie against the bin beyond all states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// The timer was nearer than one tick, or a state reaches that far, or there is no such bin.
    Unused,
    /// The timer was in it, the stay was not.
    Missed,
    /// The stay reached it, and is booked.
    Reached,
}

impl Binned {
    pub(super) fn new(rules: Rules, capacity: u64) -> Self {
        Self {
            rules,
            threshold: threshold(capacity),
            bins: Bins::default(),
            tick_hits: 0,
            ring: Ring::default(),
            span: Span::default(),
        }
    }

    pub(super) fn span(&mut self) -> &mut Span {
        &mut self.span
    }

    pub(super) fn snapshot(&self) -> BinsSnapshot {
        BinsSnapshot {
            recent: match self.rules.recent {
                RecentWakeups::Ignored => None,
                RecentWakeups::Count => Some(self.ring.clone().into()),
            },
            tick_hits: match self.rules.tick_bin {
                TickBin::Absent => None,
                TickBin::BeyondStates => Some(self.tick_hits),
            },
            ..BinsSnapshot::of(&self.bins)
        }
    }

    /// Books the last period (spec §3.1, §6).
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
        self.bins.decay(Decay::Geometric);
        let beyond = self.book_beyond(table, tick, sleep_length, measured);
        let booked = match beyond {
            Beyond::Reached => Booked::TickHit,
            Beyond::Unused if timer == duration => {
                self.bins.hit(timer);
                Booked::Hit
            }
            Beyond::Unused | Beyond::Missed => {
                self.bins.intercept(duration);
                Booked::Intercept
            }
        };
        if self.rules.recent == RecentWakeups::Count {
            let slot = self.ring.advance();
            match booked {
                Booked::TickHit | Booked::MostlyTicks => {}
                Booked::Hit => self.ring.hit(slot),
                Booked::Intercept => self.ring.intercept(slot, duration),
            }
        }
        let total = self.bins.total;
        probe.step(|| Step::Learned {
            sleep_length,
            measured: told(measured),
            timer: match beyond {
                Beyond::Unused => TimerBin::State(timer),
                Beyond::Missed | Beyond::Reached => TimerBin::Tick,
            },
            duration,
            booked,
            total,
        });
    }

    /// Lets the bin beyond all states fade and books a stay that reached it.
    fn book_beyond(
        &mut self,
        table: &StateTable,
        tick: Ns,
        sleep_length: Ns,
        measured: Option<u64>,
    ) -> Beyond {
        if self.rules.tick_bin == TickBin::Absent || table.target_residency(table.last()) >= tick {
            return Beyond::Unused;
        }
        let tuning = self.bins.tuning;
        self.tick_hits = tuning.faded(Decay::Geometric, self.tick_hits);
        self.bins.total = self.bins.total.wrapping_add(self.tick_hits);
        if tick > sleep_length {
            return Beyond::Unused;
        }
        if measured.is_some_and(|measured| measured < tick.as_u64()) {
            return Beyond::Missed;
        }
        self.tick_hits = self.tick_hits.wrapping_add(tuning.pulse);
        self.bins.total = self.bins.total.wrapping_add(tuning.pulse);
        Beyond::Reached
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
        match self.rules.recipe {
            Recipe::TimerFirst => self.timer_first(table, tick, kernel, probe),
            Recipe::TimerLast => self.timer_last(table, tick, kernel, probe),
        }
    }

    /// The last wakeups, where they count.
    const fn recent(&self) -> Option<&PerState> {
        match self.rules.recent {
            RecentWakeups::Ignored => None,
            RecentWakeups::Count => Some(&self.ring.recent),
        }
    }

    fn recent_or_none(&self) -> &PerState {
        self.recent().unwrap_or(NO_RECENT)
    }

    /// Whether the CPU counts as busy.
    fn utilized<K: Kernel, P: Probe<Step>>(&self, kernel: &K, probe: &mut P) -> bool {
        if self.rules.load == Load::Ignored {
            return false;
        }
        let (utilization, threshold) = (kernel.utilization(), self.threshold);
        let utilized = utilization > threshold;
        probe.step(|| Step::Utilization {
            utilization,
            threshold,
            utilized,
        });
        utilized
    }

    /// A busy CPU takes the next shallower state that does not poll. `duration` is what is expected, where anything is
    /// yet.
    fn demote<P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        from: StateIdx,
        duration: Option<Ns>,
        probe: &mut P,
    ) -> (StateIdx, Option<Ns>) {
        let found = shallower(now, from, duration.unwrap_or(Ns::MAX), Polling::Skipped);
        let (to, duration) = match self.rules.demotion {
            Demotion::KeepsDuration => (found, duration),
            Demotion::TakesStatesOwn => {
                let own = self.rules.recipe.stands_for(now, found);
                if now.tick_allows(own) {
                    (found, duration.map(|_| own))
                } else {
                    (from, duration)
                }
            }
        };
        probe.step(|| Step::Demoted {
            from,
            found,
            to,
            duration,
        });
        (to, duration)
    }

    /// Looks up the timer, which the next update will need.
    fn ask<K: Kernel, P: Probe<Step>>(&mut self, kernel: &mut K, probe: &mut P) -> SleepLength {
        let sleep = ask(kernel, probe);
        self.span.sleep_length = sleep.to_event;
        sleep
    }

    /// Intercepts in the bins of all states.
    fn all_intercepts(&self, table: &StateTable) -> u32 {
        let each = table.indices().map(|idx| at(&self.bins.intercepts, idx));
        each.fold(0, u32::wrapping_add)
    }
}
