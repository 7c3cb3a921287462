//! One select of the recorded kernel, with everything that its governor was told (spec replay-inputs.md §2.5).

use super::clock::Clock;
use crate::sim::{Keep, SleepLength};
use crate::trace::event::Miss;
use crate::units::{Ns, StateIdx, Time};

/// One `cpu_idle` entry: what surrounded it, and what followed.
///
/// Instants are on the trace's clock; [`Time::NEVER`] stands for "no such timer".
///
/// ```text
///   switch to idle / end of interrupts     enter                 exit    end of its interrupts
///                     |--- select ---------->|==== residency =====|-------->| reflect
///                    now                   stamp                stamp
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Select {
    /// The stamp of the entry.
    pub enter: Time,
    /// The stamp of the exit; none when the period is open at the end or was cut.
    pub exit: Option<Time>,
    /// When its end became unknown: events were lost, or another entry followed without an exit.
    pub cut: Option<Time>,
    /// The kernel's idle entry time, as well as it can be told; never after `enter`.
    pub now: Time,
    /// The state entered.
    pub state: StateIdx,
    /// The earliest hrtimer other than the tick.
    pub hrtimer: Time,
    /// The earliest bucket of the timer wheel in use, not before `last_update`.
    pub wheel: Time,
    /// The tick timer's expiry before this select changed it.
    pub tick: Time,
    /// What the kernel programmed instead of the tick when it stopped it: its own evaluation.
    pub programmed: Time,
    /// The instant of the last jiffies update.
    pub last_update: Time,
    /// The tick was stopped already.
    pub was_stopped: bool,
    /// This select stopped it.
    pub stopped_now: bool,
    /// The tick's handler ran between this entry and its reflect.
    pub got_tick: bool,
    /// The select before this one on this CPU ended and was reflected; false for the first one and after a loss.
    pub after_reflect: bool,
    /// A task ran after this period; unknown (false) while the period is open.
    pub task_ran: bool,
    /// Events were lost not long ago: inputs may be wrong.
    pub uncertain: bool,
    /// Where `now` comes from: false when it is only the stamp minus a constant.
    pub entry_seen: bool,
    /// The `cpu_idle_miss` of this period.
    pub miss: Option<Miss>,
    /// What ended the stay.
    pub wake: Wake,
}

/// What the events between an exit and the next select or task tell about the wakeup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    /// The first interrupt after the exit.
    pub first: Option<Interrupt>,
    /// The tick handler ran.
    pub tick: bool,
    /// Expiry of the earliest other hrtimer that expired.
    pub hrtimer: Option<Time>,
    /// A wheel timer expired.
    pub wheel: bool,
    /// An interrupt of another kind than the timer's arrived.
    pub foreign: bool,
    /// A task of this CPU was woken.
    pub woke_task: bool,
    /// When another CPU raised the interrupt.
    pub raised: Option<Time>,
    /// Expiry of the tick timer, where its handler ran.
    pub tick_due: Option<Time>,
    /// The last interrupt event seen, for the end of the period.
    pub last: Option<Time>,
}

/// The kinds of interrupt that end a stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// The CPU's own timer.
    Timer,
    /// Another CPU.
    Ipi,
    /// A device.
    Device {
        /// Its line; 0 when it is not known.
        line: u16,
    },
}

/// The answer to a governor's query, and whether the tick could have been stopped at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// What the governor reads.
    pub sleep: SleepLength,
    /// The tick cannot be stopped: a wheel timer is due within one period of the last jiffies update, or a keep
    /// reason holds.
    pub must_keep: bool,
    /// No timer bounds the sleep: the kernel reads its "never".
    pub unbounded: bool,
}

impl Select {
    /// What the governor was told, when an hrtimer that shows no event is due at `hidden`
    /// ([`Time::NEVER`] for none) and `keep` holds the tick.
    #[must_use]
    pub fn inputs(&self, clock: Clock, hidden: Time, keep: Keep) -> Inputs {
        let hrtimer = self.hrtimer.min(hidden);
        let until = |event: Time| clock.until(event, self.now);
        let to_event_or_tick = until(self.tick.min(hrtimer));
        if self.was_stopped || self.stopped_now {
            let next = self.programmed.min(hrtimer);
            return Inputs {
                sleep: SleepLength {
                    to_event: until(next),
                    to_event_or_tick,
                },
                must_keep: false,
                unbounded: next.is_never(),
            };
        }
        let near = self.wheel.saturating_since(self.last_update) <= clock.tick;
        let must_keep = near || keep != Keep::None;
        let to_event = if must_keep {
            to_event_or_tick
        } else {
            until(self.wheel.min(hrtimer))
        };
        Inputs {
            sleep: SleepLength {
                to_event,
                to_event_or_tick,
            },
            must_keep,
            unbounded: !must_keep && self.wheel.min(hrtimer).is_never(),
        }
    }

    /// The kernel's measured idle duration, ns: it reads its clock between the two stamps. None while open.
    #[must_use]
    pub fn residency(&self, overhead: Ns) -> Option<Ns> {
        Some(self.exit?.saturating_since(self.enter).saturating_sub(overhead))
    }
}
