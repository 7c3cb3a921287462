//! The second pass: event by event through the phases of each idle episode (spec replay-inputs.md §2.3, §2.4, §2.7, §2.8).
//!
//! ```text
//!  switch to idle   tick_stop  enter        exit  irq … irq end   enter …   exit   restart   switch
//!    |---------------|----------|==============|------|------|------|=========|--------|--------|
//!    now := +δ   E noted, X follows            window of this period | window …        | no more idle ticks
//! ```
//!
//! A period's *window* is what follows its exit until the next entry, task or restart of the tick: interrupts in it
//! belong to the period. Invariants: total over any list of events; the recorded states and stamps are copied, never
//! corrected; a row's inputs come from events up to its entry, except what [`Learned`] took from the whole trace.

use std::collections::HashSet;

use super::armed::{self, Armed};
use super::constants::{Constants, WALL_CLOCK_NS};
use super::learned::Learned;
use super::pending::Pending;
use super::phases::{Cpu, Next, Opening};
use super::select::{Interrupt, Select, Wake};
use super::source::{Source, subject};
use super::tuning::Tuning;
use crate::trace::event::{Event, Kind, NameId, TimerId, Vector};
use crate::units::{CpuId, StateIdx, Time};

/// The rows of every CPU, and what they teach about timers.
pub(super) struct Walked {
    pub(super) rows: Vec<Vec<Select>>,
    pub(super) openings: Vec<Option<Opening>>,
    pub(super) learned: Learned,
}

/// Goes through the trace once. `known` is what an earlier pass learned.
pub(super) fn walk(source: &Source, constants: &Constants, tuning: &Tuning, known: Learned) -> Walked {
    let events = source.events;
    let start = events.first().map_or(Time::ZERO, |event| event.time);
    let mut walk = Walk {
        source,
        constants,
        tuning,
        learned: known,
        cpus: vec![Cpu::default(); source.cpus()],
        hrtimers: Pending::default(),
        wheel: Pending::default(),
        wall_clock: HashSet::new(),
        last_update: constants.clock.grid_at_or_before(start),
        duty: None,
    };
    for armed in armed::before_the_trace(events, constants) {
        walk.arm_before(armed);
    }
    for (event, next) in events.iter().zip(next_of(events)) {
        walk.event(event, next);
    }
    let mut rows = Vec::with_capacity(walk.cpus.len());
    let mut openings = Vec::with_capacity(walk.cpus.len());
    for cpu in walk.cpus {
        openings.push(cpu.opening);
        let mut selects = cpu.rows;
        cpu.stops.fill_back(&mut selects);
        rows.push(selects);
    }
    Walked {
        rows,
        openings,
        learned: walk.learned,
    }
}

fn next_of(events: &[Event]) -> Vec<Next> {
    let mut current: Vec<Next> = Vec::new();
    let mut next = vec![Next::Nothing; events.len()];
    for (event, slot) in events.iter().zip(&mut next).rev() {
        let cpu = subject(event).index();
        if current.len() <= cpu {
            current.resize(cpu + 1, Next::Nothing);
        }
        let Some(current) = current.get_mut(cpu) else {
            continue;
        };
        *slot = *current;
        match event.kind {
            Kind::IdleEnter { .. } => *current = Next::Enter(event.time),
            Kind::SchedSwitch { .. } => *current = Next::Switch,
            Kind::Lost { .. } => *current = Next::Nothing,
            _ => {}
        }
    }
    next
}

struct Walk<'a> {
    source: &'a Source<'a>,
    constants: &'a Constants,
    tuning: &'a Tuning,
    learned: Learned,
    cpus: Vec<Cpu>,
    hrtimers: Pending,
    wheel: Pending,
    wall_clock: HashSet<TimerId>,
    last_update: Time,
    duty: Option<CpuId>,
}

impl Walk<'_> {
    fn arm_before(&mut self, armed: Armed) {
        match armed {
            Armed::Tick { cpu, due } => {
                if let Some(cpu) = self.cpus.get_mut(cpu.index()) {
                    cpu.tick.get_or_insert(due);
                }
            }
            Armed::Hrtimer { timer, cpu, due } => self.hrtimers.arm(timer, cpu, due),
            Armed::Wheel { timer, cpu, due } => {
                if !self.learned.is_uncounted(timer) {
                    self.wheel.arm(timer, cpu, due);
                }
            }
        }
    }

    /// Jiffies follow the clock (spec idle-loop-and-tick.md §5.8).
    fn update_jiffies(&mut self, now: Time) {
        self.last_update = self.last_update.max(self.constants.clock.grid_at_or_before(now));
    }

    fn event(&mut self, event: &Event, next: Next) {
        let t = event.time;
        let id = subject(event);
        let idle_task = event.pid <= 0;
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        if cpu.blind && !matches!(event.kind, Kind::Lost { .. }) {
            cpu.blind = false;
            cpu.in_idle = event.pid == 0;
            cpu.switched = None;
        }
        if !self.constants.has.switches && event.cpu == id {
            cpu.guess_switch(event, self.tuning.busy_gap);
        }
        match event.kind {
            Kind::SchedSwitch { prev_pid, next_pid } => self.switch(id, t, prev_pid, next_pid),
            Kind::IdleEnter { state, .. } => self.enter(id, t, state),
            Kind::IdleExit { .. } => cpu.exit(t),
            Kind::IdleMiss { miss, state, .. } => {
                if let Some(exit) = cpu.opening_exit.take() {
                    cpu.opening = Some(Opening { exit, state });
                }
                if let Some(row) = cpu.reflect.and_then(|n| cpu.rows.get_mut(n)) {
                    row.miss = Some(miss);
                }
            }
            Kind::TickStop { success: true } => self.tick_stop(id, t),
            Kind::HrtimerInit { timer, wall_clock } => {
                if wall_clock {
                    self.wall_clock.insert(timer);
                } else {
                    self.wall_clock.remove(&timer);
                }
            }
            Kind::HrtimerStart {
                timer, expires_ns, ..
            } => {
                let due = self.constants.clock.from_monotonic(expires_ns);
                if self.constants.tick_timers.contains_key(&timer) {
                    self.tick_start(id, t, due, idle_task, next);
                } else if expires_ns <= WALL_CLOCK_NS && !self.wall_clock.contains(&timer) {
                    self.hrtimers.arm(timer, id, due);
                }
            }
            Kind::HrtimerCancel { timer } => {
                if self.constants.tick_timers.contains_key(&timer) {
                    let unrecorded =
                        !self.constants.has.tick_stop && idle_task && cpu.in_idle && !cpu.stopped;
                    if unrecorded && matches!(next, Next::Enter(_)) {
                        cpu.stops_tick(t);
                    }
                    cpu.tick_cancel(next);
                } else {
                    self.hrtimers.remove(timer);
                }
            }
            Kind::HrtimerExpireEntry { timer, now_ns, .. } => self.hrtimer_expires(id, t, timer, now_ns),
            Kind::TimerStart {
                timer,
                on,
                bucket_jiffies,
                deferrable,
                ..
            } => self.wheel_start(timer, on, bucket_jiffies, deferrable),
            Kind::TimerCancel { timer } => {
                self.wheel.remove(timer);
            }
            Kind::TimerExpireEntry { timer, .. } => {
                self.wheel.remove(timer);
                if let Some(wake) = cpu.wake() {
                    wake.wheel = true;
                }
            }
            Kind::IrqEntry { irq, name } => {
                let kind = self.interrupt_kind(irq, name);
                self.interrupt(id, t, kind);
            }
            Kind::VectorEntry { vector } => {
                let kind = match vector {
                    Vector::LocalTimer => Interrupt::Timer,
                    Vector::Reschedule | Vector::CallFunction => Interrupt::Ipi,
                    Vector::Other => Interrupt::Device { line: 0 },
                };
                self.interrupt(id, t, kind);
            }
            Kind::IpiEntry => cpu.ipi(t),
            Kind::IrqExit { .. } | Kind::VectorExit { .. } | Kind::SoftirqExit { .. } => {
                cpu.first_open = false;
                if event.pid == 0 {
                    cpu.entry = Some(t.saturating_add(self.tuning.after_interrupt));
                    if let Some(wake) = cpu.wake() {
                        wake.last = Some(t);
                    }
                }
            }
            Kind::IpiRaise { targets } => {
                for (n, target) in self.cpus.iter_mut().enumerate().take(64) {
                    if targets >> n & 1 == 1 {
                        target.raised = Some(t);
                    }
                }
            }
            Kind::SchedWakeup { target, .. } => {
                if let Some(wake) = self.cpus.get_mut(target.index()).and_then(Cpu::wake) {
                    wake.woke_task = true;
                }
            }
            Kind::Lost { .. } => self.lost(id, t),
            _ => {}
        }
    }

    fn interrupt_kind(&self, irq: u32, name: Option<NameId>) -> Interrupt {
        if self.source.is_timer_interrupt(name) {
            Interrupt::Timer
        } else if name.is_some_and(|name| self.source.ipi_interrupts.contains(&name)) {
            Interrupt::Ipi
        } else {
            Interrupt::Device {
                line: u16::try_from(irq).unwrap_or_default(),
            }
        }
    }

    fn interrupt(&mut self, id: CpuId, t: Time, kind: Interrupt) {
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        let raised = if kind == Interrupt::Ipi {
            cpu.raised.take()
        } else {
            None
        };
        let mut first = false;
        if let Some(wake) = cpu.wake() {
            first = wake.first.is_none();
            wake.first.get_or_insert(kind);
            wake.foreign |= kind != Interrupt::Timer;
            wake.raised = wake.raised.or(raised);
            wake.last = Some(t);
        }
        cpu.first_open |= first;
        if cpu.stopped {
            self.update_jiffies(t);
        }
    }

    fn switch(&mut self, id: CpuId, t: Time, prev_pid: i32, next_pid: i32) {
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        if prev_pid == 0 && next_pid == 0 {
            return;
        }
        if next_pid == 0 {
            cpu.in_idle = true;
            cpu.switched = Some(t);
            cpu.entry = Some(t.saturating_add(self.tuning.after_switch));
            cpu.stopped_now = false;
            cpu.tick_before = None;
            cpu.window = None;
        } else if prev_pid == 0 {
            let stopped = cpu.stopped;
            cpu.leave_idle();
            cpu.stopped = false;
            if stopped {
                self.update_jiffies(t);
            }
        }
    }

    fn enter(&mut self, id: CpuId, t: Time, state: StateIdx) {
        let clock = self.constants.clock;
        let has = self.constants.has;
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        if !has.switches {
            cpu.guess_task(t, self.tuning, has.tick_stop);
        }
        let seen = cpu.entry;
        let now = seen
            .unwrap_or_else(|| cpu.bare_entry(t, self.tuning.bare_entry))
            .min(t);
        let was_stopped = cpu.stopped && !cpu.stopped_now;
        if cpu.stopped_now {
            let counted_from = self.last_update.saturating_add(clock.tick);
            let programmed = cpu.programmed.unwrap_or(Time::NEVER);
            let learned = &mut self.learned;
            self.wheel.drop_due(id, programmed, |timer, due| {
                let uncounted = due < programmed && due >= counted_from;
                if uncounted {
                    learned.uncounted(timer);
                }
                uncounted
            });
        }
        let from = if has.hrtimer_expire {
            Time::from_ns(i64::MIN)
        } else {
            now
        };
        let wheel = self
            .wheel
            .earliest(id, Time::from_ns(i64::MIN))
            .max(self.last_update);
        let programmed = match cpu.programmed {
            Some(due) if has.hrtimer_expire || due > now => due,
            _ => Time::NEVER,
        };
        if cpu.stopped_now {
            cpu.stops
                .stopped(cpu.rows.len(), programmed, wheel, cpu.lost_at.take().is_some());
        } else if cpu.lost_at.take().is_some() {
            cpu.stops.lost(cpu.rows.len());
        }
        let tick = cpu.tick_before.unwrap_or(cpu.tick);
        let tick = match tick {
            Some(due) => due,
            None if was_stopped => Time::NEVER,
            None => clock.grid_after(now),
        };
        cpu.cut_open(t);
        cpu.rows.push(Select {
            enter: t,
            exit: None,
            cut: None,
            now,
            state,
            hrtimer: self.hrtimers.earliest(id, from),
            wheel,
            tick,
            programmed,
            last_update: self.last_update,
            was_stopped,
            stopped_now: cpu.stopped_now,
            got_tick: std::mem::take(&mut cpu.tick_pending),
            after_reflect: cpu.reflect.is_some(),
            task_ran: false,
            uncertain: cpu.uncertain > 0,
            entry_seen: seen.is_some(),
            miss: None,
            wake: Wake::default(),
        });
        cpu.uncertain = cpu.uncertain.saturating_sub(1);
        cpu.opening_exit = None;
        cpu.open = Some(cpu.rows.len() - 1);
        cpu.reflect = None;
        cpu.window = None;
        cpu.in_idle = true;
        cpu.tick_before = None;
        cpu.cancelled = None;
    }

    fn tick_stop(&mut self, id: CpuId, t: Time) {
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        cpu.stops_tick(t);
        if self.duty == Some(id) {
            self.duty = None;
        }
    }

    fn tick_start(&mut self, id: CpuId, t: Time, due: Time, idle_task: bool, next: Next) {
        let has = self.constants.has;
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        let restart = match next {
            Next::Switch => true,
            Next::Enter(at) => !has.switches && at.saturating_since(t) > self.tuning.busy_gap,
            Next::Nothing => false,
        };
        if !idle_task || !cpu.stopped {
            // Re-armed by its own handler. Where tick_stop is not recorded, a start outside the handler is a stop.
            let in_handler = cpu.tick.is_none() || !has.hrtimer_expire;
            if !has.tick_stop && idle_task && cpu.in_idle && !in_handler && matches!(next, Next::Enter(_)) {
                cpu.stops_tick(t);
                cpu.programmed = Some(due);
            } else if !has.hrtimer_expire && idle_task {
                self.tick_handler(id, t, t);
            }
        } else if cpu.stopped_now {
            cpu.programmed = Some(due);
        } else if restart {
            // The episode ends here also where no switch was recorded.
            cpu.leave_idle();
            cpu.entry = None;
            cpu.stopped = false;
            self.update_jiffies(t);
        } else {
            let before = cpu.cancelled.or(cpu.tick);
            cpu.tick_before.get_or_insert(before);
            cpu.programmed = Some(due);
        }
        if let Some(cpu) = self.cpus.get_mut(id.index()) {
            cpu.tick = Some(due);
            cpu.cancelled = None;
        }
    }

    /// The tick's handler ran at `t`, having read the clock as `now`.
    fn tick_handler(&mut self, id: CpuId, t: Time, now: Time) {
        if *self.duty.get_or_insert(id) == id {
            self.update_jiffies(now);
        }
        let band = self.tuning.pending_band;
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        if !cpu.in_idle {
            return;
        }
        if let Some(row) = cpu.window.and_then(|n| cpu.rows.get_mut(n)) {
            row.got_tick = true;
            row.wake.tick = true;
            row.wake.tick_due = row.wake.tick_due.or(cpu.tick);
        } else if cpu.open.is_none() && cpu.switched.is_none_or(|since| t.saturating_since(since) >= band) {
            cpu.tick_pending = true;
        }
    }

    fn hrtimer_expires(&mut self, id: CpuId, t: Time, timer: TimerId, now_ns: i64) {
        if self.constants.tick_timers.contains_key(&timer) {
            self.tick_handler(id, t, self.constants.clock.from_monotonic(now_ns));
            if let Some(cpu) = self.cpus.get_mut(id.index()) {
                cpu.tick = None;
                if cpu.stopped {
                    cpu.programmed = None;
                }
            }
            return;
        }
        let due = self.hrtimers.remove(timer);
        let due = due.unwrap_or(self.constants.clock.from_monotonic(now_ns).min(t));
        if let Some(wake) = self.cpus.get_mut(id.index()).and_then(Cpu::wake) {
            wake.hrtimer = Some(wake.hrtimer.map_or(due, |earlier| earlier.min(due)));
        }
    }

    fn wheel_start(&mut self, timer: TimerId, on: CpuId, bucket: Option<u64>, deferrable: bool) {
        let due = bucket.and_then(|bucket| self.constants.bucket(bucket));
        match due {
            Some(due) if !deferrable && !self.learned.is_uncounted(timer) => self.wheel.arm(timer, on, due),
            _ => {
                self.wheel.remove(timer);
            }
        }
    }

    fn lost(&mut self, id: CpuId, t: Time) {
        // What was due meanwhile has fired; what is due later may still be pending.
        self.hrtimers.drop_due(id, t, |_, _| true);
        self.wheel.drop_due(id, t, |_, _| true);
        let Some(cpu) = self.cpus.get_mut(id.index()) else {
            return;
        };
        cpu.cut_open(t);
        *cpu = Cpu {
            rows: std::mem::take(&mut cpu.rows),
            opening: cpu.opening.take(),
            opening_exit: cpu.opening_exit.take(),
            saw_loss: true,
            stops: std::mem::take(&mut cpu.stops),
            uncertain: self.tuning.uncertain_selects,
            lost_at: Some(t),
            blind: true,
            ..Cpu::default()
        };
    }
}
