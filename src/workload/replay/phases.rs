//! What one CPU is doing, and how the events of its idle episodes move it on (spec replay-inputs.md §2.4).
//!
//! Part of the walk: `walk.rs` sorts events and keeps what CPUs share, this keeps what belongs to one.

use super::learned::Stops;
use super::select::{Interrupt, Select, Wake};
use super::tuning::Tuning;
use crate::trace::event::Event;
use crate::units::{Ns, StateIdx, Time};

/// What comes next on an event's CPU: an idle entry or a switch, whichever is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Nothing,
    Enter(Time),
    Switch,
}

/// What one CPU is doing.
#[derive(Clone, Debug, Default)]
pub(super) struct Cpu {
    pub(super) rows: Vec<Select>,
    pub(super) stops: Stops,
    pub(super) in_idle: bool,
    /// When it last switched to the idle task; none when that was not seen.
    pub(super) switched: Option<Time>,
    /// The idle entry time that the next select will see.
    pub(super) entry: Option<Time>,
    pub(super) stopped: bool,
    pub(super) stopped_now: bool,
    pub(super) tick: Option<Time>,
    pub(super) programmed: Option<Time>,
    /// The tick's expiry before this select, once the select has changed it.
    pub(super) tick_before: Option<Option<Time>>,
    /// The expiry of a tick timer that was cancelled, until it is started again.
    pub(super) cancelled: Option<Time>,
    pub(super) open: Option<usize>,
    /// The row whose window is open.
    pub(super) window: Option<usize>,
    /// The row that the next select will reflect.
    pub(super) reflect: Option<usize>,
    pub(super) tick_pending: bool,
    pub(super) uncertain: u8,
    pub(super) lost_at: Option<Time>,
    pub(super) raised: Option<Time>,
    /// The first interrupt of the window has not ended.
    pub(super) first_open: bool,
    /// Events were lost and nothing was seen since.
    pub(super) blind: bool,
    pub(super) saw_loss: bool,
    /// The exit of a period that was open when the trace began.
    pub(super) opening_exit: Option<Time>,
    pub(super) opening: Option<Opening>,
}

/// A period that was open when the trace began, where its `cpu_idle_miss` tells the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The stamp of its exit.
    pub exit: Time,
    /// The state.
    pub state: StateIdx,
}

impl Cpu {
    pub(super) fn wake(&mut self) -> Option<&mut Wake> {
        if !self.in_idle {
            return None;
        }
        self.window
            .and_then(|n| self.rows.get_mut(n))
            .map(|row| &mut row.wake)
    }

    pub(super) fn exit(&mut self, t: Time) {
        self.stopped_now = false;
        self.tick_before = None;
        self.entry = None;
        self.first_open = false;
        let Some(n) = self.open.take() else {
            if self.rows.is_empty() && !self.saw_loss {
                self.opening_exit = Some(t);
            }
            return;
        };
        if let Some(row) = self.rows.get_mut(n) {
            row.exit = Some(t);
        }
        self.window = Some(n);
        self.reflect = Some(n);
        self.in_idle = true;
    }

    /// The open period will have no exit.
    pub(super) fn cut_open(&mut self, t: Time) {
        if let Some(row) = self.open.take().and_then(|n| self.rows.get_mut(n)) {
            row.cut = Some(t);
        }
    }

    /// The idle entry time when nothing before the entry was recorded: a while before it, not before the last exit.
    pub(super) fn bare_entry(&self, enter: Time, before: Ns) -> Time {
        let guess = Time::from_ns(enter.as_ns().saturating_sub(before.as_ns()));
        let last = self
            .reflect
            .and_then(|n| self.rows.get(n))
            .and_then(|row| row.exit);
        last.map_or(guess, |exit| guess.max(exit))
    }

    /// A task runs: the window closes, the reflect stays due.
    pub(super) fn leave_idle(&mut self) {
        if let Some(row) = self.window.take().and_then(|n| self.rows.get_mut(n)) {
            row.task_ran = true;
        }
        self.in_idle = false;
        self.stopped_now = false;
        self.tick_before = None;
    }

    /// Without recorded switches, the task that an event names tells that one happened.
    pub(super) fn guess_switch(&mut self, event: &Event, gap: Ns) {
        if event.pid > 0 && self.in_idle {
            self.leave_idle();
            self.entry = None;
            self.stopped = false;
        } else if event.pid == 0 && self.in_idle && self.woken_and_gone(event.time, gap) {
            self.leave_idle();
            self.entry = None;
            self.stopped = false;
            self.in_idle = true;
            self.switched = Some(event.time);
        } else if event.pid == 0 && !self.in_idle && self.open.is_none() && self.window.is_none() {
            self.in_idle = true;
            self.switched = Some(event.time);
        }
    }

    /// A task was woken in the open window, and enough time passed since for it to have run.
    pub(super) fn woken_and_gone(&self, now: Time, gap: Ns) -> bool {
        self.window.and_then(|n| self.rows.get(n)).is_some_and(|row| {
            row.wake.woke_task
                && row
                    .wake
                    .last
                    .or(row.exit)
                    .is_some_and(|last| now.saturating_since(last) > gap)
        })
    }

    /// Without recorded switches, a long gap tells that a task ran.
    pub(super) fn guess_task(&mut self, enter: Time, tuning: &Tuning, stops_recorded: bool) {
        let Some(row) = self.window.and_then(|n| self.rows.get_mut(n)) else {
            return;
        };
        let ran = row
            .exit
            .is_some_and(|exit| enter.saturating_since(exit) > tuning.busy_gap);
        if ran {
            row.task_ran = true;
            self.entry = None;
            if !self.stopped_now && stops_recorded {
                self.stopped = false;
            }
        }
    }

    pub(super) fn stops_tick(&mut self, t: Time) {
        self.entry = self.entry.map(|entry| entry.min(t));
        self.tick_before = Some(self.tick);
        self.stopped_now = true;
        self.stopped = true;
        self.programmed = None;
    }

    pub(super) fn tick_cancel(&mut self, next: Next) {
        self.cancelled = self.tick;
        if self.stopped && !self.stopped_now && matches!(next, Next::Enter(_)) {
            let before = self.tick;
            self.tick_before.get_or_insert(before);
        }
        if self.stopped && (self.stopped_now || matches!(next, Next::Enter(_))) {
            self.programmed = None;
        }
        self.tick = None;
    }

    pub(super) fn ipi(&mut self, t: Time) {
        let raised = self.raised.take();
        let named_by_handler = self.first_open;
        if let Some(wake) = self.wake() {
            if wake.first.is_none()
                || (named_by_handler && matches!(wake.first, Some(Interrupt::Device { .. })))
            {
                wake.first = Some(Interrupt::Ipi);
            }
            wake.foreign = true;
            wake.raised = wake.raised.or(raised);
            wake.last = Some(t);
        }
    }
}
