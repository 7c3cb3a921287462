//! How well each input is known, and what this trace cannot tell (spec replay-inputs.md §4, §7).

use super::Replay;
use super::reading::Reading;
use super::select::Select;
use super::share::Share;
use super::source::Has;
use super::wakes::Wakeups;
use crate::sim::{Keep, Knowledge};
use crate::units::Time;

/// How many selects know an input how well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// As the kernel knew it.
    pub exact: usize,
    /// Guessed from what happened.
    pub inferred: usize,
    /// Not known.
    pub unknown: usize,
}

impl Shares {
    fn count(&mut self, known: Knowledge) {
        match known {
            Knowledge::Exact => self.exact += 1,
            Knowledge::Inferred => self.inferred += 1,
            Knowledge::Unknown => self.unknown += 1,
        }
    }

    /// All together.
    #[must_use]
    pub const fn total(self) -> usize {
        self.exact + self.inferred + self.unknown
    }

    /// The part that is known this well.
    #[must_use]
    pub const fn share(self, known: Knowledge) -> Share {
        let part = match known {
            Knowledge::Exact => self.exact,
            Knowledge::Inferred => self.inferred,
            Knowledge::Unknown => self.unknown,
        };
        Share {
            part,
            of: self.total(),
        }
    }
}

/// Something that no event of this trace tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Gap {
    /// Which timers were pending: no `hrtimer_*` events. The replay is no more than a guess.
    Timers,
    /// Kernel timeouts: no `timer_*` events.
    WheelTimers,
    /// When a timer expired: no `hrtimer_expire_entry`.
    Expiries,
    /// Which wakeups ran a task: no `sched_switch`.
    Tasks,
    /// What woke a CPU: no interrupt events.
    Interrupts,
    /// When an interrupt of another CPU was raised: no `ipi_raise`.
    Raises,
    /// Whether the tick was stopped: neither `tick_stop` nor the tick's timer.
    TickStops,
    /// What the kernel counted as too deep or too shallow: no `cpu_idle_miss`.
    Misses,
    /// Events were lost.
    Losses,
    /// The tick rate was assumed.
    TickRate,
    /// The governor's memory at the start. No trace tells it.
    Memory,
    /// What held the tick: RCU callbacks and the like. No trace tells it but by its effect.
    KeepReasons,
    /// Tasks waiting for I/O, latency limits, states switched off meanwhile. No trace tells them.
    Limits,
}

/// Shares for the status bar, gaps for the import report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Sleep length.
    pub sleep_length: Shares,
    /// Whether the tick ended the period.
    pub got_tick: Shares,
    /// What ended the stay.
    pub wake_cause: Shares,
    /// When its source acted.
    pub wake_instant: Shares,
    /// Whether the tick was stopped.
    pub tick_stopped: Shares,
    /// What cannot be told.
    pub gaps: Vec<Gap>,
}

impl Provenance {
    /// Counts over all selects; wakeups over those whose period closed.
    #[must_use]
    pub fn of(replay: &Replay, wakeups: &Wakeups, reading: Reading) -> Self {
        let has = replay.constants.has;
        let mut all = Self {
            sleep_length: Shares::default(),
            got_tick: Shares::default(),
            wake_cause: Shares::default(),
            wake_instant: Shares::default(),
            tick_stopped: Shares::default(),
            gaps: gaps(replay, has),
        };
        for (cpu, rows) in replay.cpus() {
            for (n, select) in rows.iter().enumerate() {
                all.sleep_length
                    .count(sleep_length(replay, select, reading.hidden, reading.keep(cpu, n)));
                all.got_tick.count(got_tick(has, select));
                all.tick_stopped.count(tick_stopped(has, select));
            }
        }
        for wakeup in wakeups.rows.iter().flatten().flatten() {
            all.wake_cause.count(wakeup.cause_known);
            all.wake_instant.count(wakeup.at_known);
        }
        all
    }
}

/// How well a select's sleep length is known, when `hidden` bounds it and `keep` is thought to have held the tick.
#[must_use]
pub fn sleep_length(replay: &Replay, select: &Select, hidden: Time, keep: Keep) -> Knowledge {
    let has = replay.constants.has;
    if !has.hrtimer_start {
        // Without a cause of the wakeup, taking its own exit for the timer is no inference.
        let guessed = has.interrupt_entry && !select.hrtimer.is_never();
        return if guessed {
            Knowledge::Inferred
        } else {
            Knowledge::Unknown
        };
    }
    let stopped = select.was_stopped || select.stopped_now;
    let by_hidden = hidden
        < select
            .hrtimer
            .min(if stopped { select.programmed } else { select.wheel });
    let sure =
        has.hrtimer_expire && !select.uncertain && !by_hidden && keep == Keep::None && (stopped || has.wheel);
    if sure {
        Knowledge::Exact
    } else {
        Knowledge::Inferred
    }
}

fn got_tick(has: Has, select: &Select) -> Knowledge {
    match (has.hrtimer_expire, has.hrtimer_start) {
        (true, _) if !select.uncertain => Knowledge::Exact,
        (_, true) => Knowledge::Inferred,
        _ if has.switches || has.interrupt_entry => Knowledge::Inferred,
        _ => Knowledge::Unknown,
    }
}

fn tick_stopped(has: Has, select: &Select) -> Knowledge {
    let told = (has.tick_stop && has.switches) || has.hrtimer_start;
    match (told, has.tick_stop) {
        (true, _) if !select.uncertain => Knowledge::Exact,
        (true, _) | (false, true) => Knowledge::Inferred,
        (false, false) => Knowledge::Unknown,
    }
}

fn gaps(replay: &Replay, has: Has) -> Vec<Gap> {
    [
        (!has.hrtimer_start, Gap::Timers),
        (has.hrtimer_start && !has.wheel, Gap::WheelTimers),
        (has.hrtimer_start && !has.hrtimer_expire, Gap::Expiries),
        (!has.switches, Gap::Tasks),
        (!has.interrupt_entry, Gap::Interrupts),
        (has.interrupt_entry && !has.raises, Gap::Raises),
        (!has.tick_stop && !has.hrtimer_start, Gap::TickStops),
        (!has.misses, Gap::Misses),
        (has.losses, Gap::Losses),
        (replay.constants.hz_known == Knowledge::Unknown, Gap::TickRate),
        (true, Gap::Memory),
        (true, Gap::KeepReasons),
        (true, Gap::Limits),
    ]
    .into_iter()
    .filter_map(|(holds, gap)| holds.then_some(gap))
    .collect()
}
