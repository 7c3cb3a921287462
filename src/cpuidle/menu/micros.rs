//! Generation: as the later ones with twelve factors, but in whole microseconds. As released in 4.17 to 5.3 (spec
//! menu.md §3, §4).
//!
//! Durations stand in nanoseconds here as everywhere, in multiples of 1000: comparing them is comparing microseconds.
//! The tables of these kernels hold whole microseconds.

use super::intervals::GiveUp;
use super::memory::{Memory, predict};
use super::search::{
    AtOnceTick, Exit, Found, Instead, Search, Timer, divided, query, search, stopped, zero_at_once,
};
use super::step::{AtOnce, Source, Step};
use super::{Snapshot, Tuning};
use crate::cpuidle::rules::rules;
use crate::cpuidle::select::{Now, finish, tick_in_us, truncated};
use crate::cpuidle::{Decision, Device, Kernel, StateTable, TickChoice, Wakeup};
use crate::probe::Probe;
use crate::units::{Ns, StateIdx, Us};

/// What counts for a wakeup by the tick: nine tenths of what is interesting.
const TICK_STAY: Us = Us::new(45_000);
const MICROSECOND: Ns = Ns::from_us(1);
/// State 1 is preferred to polling only for timers beyond this.
const POLLING_LIMIT: Ns = Ns::from_us(20);

rules! {
    /// Where the versions of this generation differ.
    struct Rules {
        /// The order of the steps.
        recipe: Recipe,
        /// Whether the run queue's load shortens the latency limit.
        load: Load,
        /// Which intervals are looked at.
        intervals: LookedAt,
    }
}

/// The order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Polling or not is settled first, by the timer.
    PollingFirst,
    /// One search decides.
    OneSearch,
}

/// Whether the run queue's load shortens the latency limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// It does.
    ShortensLimit,
    /// Only tasks that wait for I/O do.
    SaysNothing,
}

/// Which intervals are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookedAt {
    /// Always, and of any length.
    Always,
    /// While some are shorter than the corrected timer.
    WhileShorter,
}

impl LookedAt {
    const fn give_up(self, corrected: Us) -> GiveUp {
        match self {
            Self::Always => GiveUp::Never,
            Self::WhileShorter => GiveUp::NotBelow(corrected),
        }
    }
}

/// What is learnt, and what the last period leaves for the next update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Micros {
    rules: Rules,
    memory: Memory,
}

/// One plus twice the load in tenths, and ten (or what an experiment says) for each task that waits for I/O.
pub(super) fn multiplier(load: u64, nr_iowait: u32, per_waiting_task: u32) -> u64 {
    let tenths = (load >> 11).wrapping_mul(10) + (((load & 2_047) * 100) >> 11) / 10;
    1 + tenths.wrapping_mul(2) + u64::from(per_waiting_task) * u64::from(nr_iowait)
}

/// The residency, less the exit latency, µs.
pub(super) fn without_exit(table: &StateTable, entered: StateIdx, residency: Ns) -> Us {
    let stay = Us::from_ns_low_bits(residency.as_u64()).as_us();
    let exit = Us::from_ns_low_bits(table.exit_latency(entered).as_u64()).as_us();
    Us::new(if stay > exit.saturating_mul(2) {
        stay - exit
    } else {
        stay / 2
    })
}

impl Micros {
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

    /// Learns from the last period.
    pub(super) fn update<P: Probe<Step>>(
        &mut self,
        table: &StateTable,
        tick: Ns,
        device: &Device,
        probe: &mut P,
    ) {
        let Some(wakeup) = self.memory.reflected.take() else {
            return;
        };
        let (measured, source) = if wakeup.got_tick && self.memory.next_timer > Ns::from(tick_in_us(tick)) {
            (Ns::from(TICK_STAY), Source::Tick)
        } else if table.is_polling(wakeup.entered) && device.poll_timed_out {
            (self.memory.next_timer, Source::PollTimeout)
        } else {
            let stay = without_exit(table, wakeup.entered, device.last_residency);
            (Ns::from(stay), Source::Residency)
        };
        self.memory.learn(measured.as_u64(), source, probe);
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
        let now = Now {
            latency_req: kernel.latency_req().floor_to(MICROSECOND),
            ..Now::ask(table, Ns::from(tick_in_us(tick)), kernel)
        };
        let nr_iowait = kernel.nr_iowait();
        match self.rules.recipe {
            Recipe::PollingFirst => self.polling_first(&now, nr_iowait, kernel, probe),
            Recipe::OneSearch => self.one_search(&now, nr_iowait, kernel, probe),
        }
    }

    /// Spec §4.
    fn polling_first<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        nr_iowait: u32,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        if now.latency_req == Ns::ZERO {
            return no_latency(now, probe);
        }
        let timer = self.look_up_timer(kernel, nr_iowait, probe);
        let corrected = self.memory.factors.corrected(timer.next, probe);
        let give_up = self.rules.intervals.give_up(corrected);
        let typical = self.memory.intervals.typical(give_up, probe);
        let first = first_state(now, timer.next, probe);
        let next = Us::from_ns_low_bits(timer.next.as_u64());
        let typical = typical.unwrap_or(Us::MAX).min(next);
        let duration = predict(Some(corrected), Some(typical), probe);
        let (duration, limit) = self.bound(now, duration, timer, nr_iowait, kernel, probe);
        let how = Search {
            first,
            exit: Exit::AfterResidencyExpectsOwn,
            instead: Instead::Never,
        };
        choose(now, (duration, limit), timer, how, probe)
    }

    /// Spec §3.
    fn one_search<K: Kernel, P: Probe<Step>>(
        &mut self,
        now: &Now<'_>,
        nr_iowait: u32,
        kernel: &mut K,
        probe: &mut P,
    ) -> Decision {
        let timer = self.look_up_timer(kernel, nr_iowait, probe);
        if let Some(decision) = zero_at_once(now, timer.next, AtOnceTick::Retain, probe) {
            return decision;
        }
        let corrected = self.memory.factors.corrected(timer.next, probe);
        let give_up = self.rules.intervals.give_up(corrected);
        let typical = self.memory.intervals.typical(give_up, probe);
        let duration = predict(Some(corrected), typical, probe);
        let (duration, limit) = self.bound(now, duration, timer, nr_iowait, kernel, probe);
        let how = Search {
            exit: Exit::AfterResidencyExpectsOwn,
            ..Search::NANOS
        };
        choose(now, (duration, limit), timer, how, probe)
    }

    /// The duration expected and the latency limit, with the tick as it is.
    fn bound<K: Kernel, P: Probe<Step>>(
        &self,
        now: &Now<'_>,
        duration: Ns,
        timer: Timer,
        nr_iowait: u32,
        kernel: &K,
        probe: &mut P,
    ) -> (Ns, Ns) {
        if now.tick_stopped {
            let to_tick = Ns::from(truncated(timer.next_or_tick));
            return (stopped(now, duration, to_tick, probe), now.latency_req);
        }
        let load = match self.rules.load {
            Load::ShortensLimit => kernel.load(),
            Load::SaysNothing => 0,
        };
        let divisor = multiplier(load, nr_iowait, self.memory.per_waiting_task);
        (duration, divided_us(now, duration, divisor, probe))
    }

    fn look_up_timer<K: Kernel, P: Probe<Step>>(
        &mut self,
        kernel: &mut K,
        nr_iowait: u32,
        probe: &mut P,
    ) -> Timer {
        let sleep = query(kernel, probe);
        let next = Ns::from(truncated(sleep.to_event));
        self.memory.next_timer = next;
        self.memory.factors.choose(next, nr_iowait, probe);
        Timer {
            next,
            next_or_tick: sleep.to_event_or_tick,
        }
    }
}

/// No exit latency is tolerated: state 0, before anything is read.
pub(super) fn no_latency<P: Probe<Step>>(now: &Now<'_>, probe: &mut P) -> Decision {
    let one = StateIdx::new(1);
    probe.step(|| Step::AtOnce {
        why: AtOnce::NoLatency,
        next_timer: Ns::ZERO,
        target_residency: now.target_residency(one),
        latency_req: now.latency_req,
        exit_latency: now.table.exit_latency(one),
        tick: TickChoice::Retain,
    });
    Decision {
        state: StateIdx::ZERO,
        tick: TickChoice::Retain,
    }
}

/// The latency limit, or the whole microseconds of the duration expected by what waits.
pub(super) fn divided_us<P: Probe<Step>>(now: &Now<'_>, duration: Ns, divisor: u64, probe: &mut P) -> Ns {
    let limit = divided(now, duration, divisor, probe);
    limit.floor_to(MICROSECOND)
}

/// State 1 if polling cannot pay: the timer is farther than it takes state 1 to pay off, and the limit allows it.
fn first_state<P: Probe<Step>>(now: &Now<'_>, next_timer: Ns, probe: &mut P) -> StateIdx {
    let (zero, one) = (StateIdx::ZERO, StateIdx::new(1));
    if !now.table.is_polling(zero) {
        return zero;
    }
    let limit = POLLING_LIMIT.max(now.target_residency(one));
    let exit_latency = now.table.exit_latency(one);
    let allowed = now.latency_req > exit_latency && now.enabled(one) && one <= now.table.last();
    let far = next_timer > limit;
    let state = if far && allowed { one } else { zero };
    probe.step(|| Step::PollOrNot {
        duration: next_timer,
        limit,
        far,
        allowed,
        state,
    });
    state
}

/// The search and the tick; a negative distance of the tick counts as a huge one at the end.
fn choose<P: Probe<Step>>(
    now: &Now<'_>,
    (duration, limit): (Ns, Ns),
    timer: Timer,
    how: Search,
    probe: &mut P,
) -> Decision {
    match search(now, duration, limit, timer, how, probe) {
        Found::Judge(state, duration) => finish(
            now,
            state,
            StateIdx::ZERO,
            duration,
            Ns::from(truncated(timer.next_or_tick)),
            probe,
        ),
        Found::Made(state) => Decision {
            state,
            tick: TickChoice::Stop,
        },
    }
}
