//! One CPU: what it is doing, and what it does when its time comes or an interrupt arrives.
//!
//! ```text
//!            work done                select              wake event        exit latency over
//!   Busy ----------------> Selecting --------> Asleep -----------------> Exiting --+--> Busy       a task was woken
//!     ^                        ^       \                                           +--> Selecting  handlers only
//!     |                        |        \----> Polling --> limit passed, or a task was woken
//!     +------------------------+-----------------/
//! ```
//!
//! Follows spec idle-loop-and-tick.md §1, §2 and §5.9. Kernel code takes no time. Invariants: every
//! iteration gives exactly one row; handlers run when the CPU is out of its state, in the order in which they
//! became due; a wakeup that arrives while the CPU is busy only adds its work.

use super::busy_time::BusyTime;
use super::checkpoint::Memory;
use super::chooser::Chooser;
use super::setup::{Driver, Setup};
use super::steps::{Listener, TickView};
use super::workload::{CpuEvent, Effects, Environment, Interrupt, Timers, Workload};
use super::{Cause, Flags, Lane, Row};
use crate::cpuidle::Device;
use crate::tick;
use crate::tick::avg_idle::AvgIdle;
use crate::tick::irq_timings::{IrqTimings, Watched};
use crate::tick::{Keep, Order, Pending, Tick, Timekeeping};
use crate::units::{CpuId, Ns, StateIdx, Time};

/// What a CPU is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Running work, until then.
    Busy,
    /// About to begin an idle iteration.
    Selecting,
    /// In a hardware state.
    Asleep,
    /// In the polling state, at most until then.
    Polling,
    /// Woken, out of its state then.
    Exiting,
}

/// An interrupt that waits for the CPU to leave its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) at: Time,
    pub(super) interrupt: Interrupt,
}

/// The iteration that is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stay {
    pub(super) row: Row,
    pub(super) governed: bool,
    pub(super) environment: Environment,
    pub(super) pending: Pending,
}

/// What everything that happens to a CPU needs from around it.
pub(super) struct Around<'a, W> {
    pub now: Time,
    pub setup: &'a Setup,
    pub keeping: &'a mut Timekeeping,
    pub workload: &'a mut W,
    pub effects: &'a mut Effects,
    pub lane: &'a mut Lane,
}

/// One CPU.
#[derive(Clone, Debug)]
pub(super) struct Cpu<G> {
    pub(super) id: CpuId,
    pub(super) governor: G,
    pub(super) device: Device,
    pub(super) tick: Tick,
    pub(super) busy: BusyTime,
    pub(super) avg_idle: AvgIdle,
    pub(super) phase: Phase,
    pub(super) until: Time,
    pub(super) stay: Stay,
    /// What surrounds the iteration that comes, where the tick was decided on before it.
    pub(super) ahead: Option<Environment>,
    pub(super) arrived: Vec<Arrival>,
    /// Of device interrupts.
    pub(super) irq_timings: IrqTimings,
    /// Work of the tasks woken in this interrupt.
    pub(super) run: Option<Ns>,
    pub(super) wakeups: u32,
    pub(super) iterations: u64,
    pub(super) got_tick: bool,
}

impl<G: Chooser> Cpu<G> {
    pub(super) fn new(id: CpuId, governor: G, setup: &Setup, first_busy: Ns) -> Self {
        let row = Row {
            entry: setup.start,
            wake: setup.start,
            exit: setup.start,
            sleep_length: Ns::MAX,
            period: 0,
            selected: StateIdx::ZERO,
            entered: StateIdx::ZERO,
            cause: Cause::Unknown,
            flags: Flags::NONE,
        };
        let until = setup.start.saturating_add(first_busy);
        let tick = &setup.tick;
        let capacity = setup.cpus.get(id.index()).map_or(1_024, |cpu| cpu.capacity);
        Self {
            id,
            governor,
            busy: BusyTime::starting(until, capacity),
            device: Device::default(),
            tick: Tick::running(id, tick.first_tick(setup.start, id, setup.cpus.len())),
            avg_idle: AvgIdle::new(tick.rules.eighth, tick.rate_limit.migration_cost()),
            phase: Phase::Busy,
            until,
            stay: Stay {
                row,
                governed: false,
                environment: Environment::default(),
                pending: Pending {
                    hrtimer: Time::NEVER,
                    wheel: Time::NEVER,
                    keep: Keep::None,
                },
            },
            ahead: None,
            arrived: Vec::new(),
            irq_timings: IrqTimings::new(Watched::All),
            run: None,
            wakeups: 0,
            iterations: 0,
            got_tick: false,
        }
    }

    /// When it does something by itself next.
    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self.phase {
            Phase::Busy | Phase::Polling => self.tick.expires().min(self.until),
            Phase::Selecting | Phase::Exiting => self.until,
            Phase::Asleep => self.tick.expires(),
        }
    }

    /// Idle iterations begun so far; the number of the row that the next one will give.
    pub(super) fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Whether its next deadline is the beginning of an iteration.
    pub(super) fn is_selecting(&self) -> bool {
        self.phase == Phase::Selecting
    }

    pub(super) fn id(&self) -> CpuId {
        self.id
    }

    /// What its governor and the core remember.
    pub(super) fn memory(&self) -> Memory<G> {
        Memory {
            governor: self.governor.clone(),
            device: self.device.clone(),
        }
    }

    /// The iteration that is going on at the end of a run, cut there; none when the CPU is busy.
    pub(super) fn open_row(&self, end: Time) -> Option<Row> {
        match self.phase {
            Phase::Busy | Phase::Selecting => None,
            Phase::Asleep | Phase::Polling => Some(Row {
                wake: end,
                exit: end,
                cause: Cause::Unknown,
                flags: self.stay.row.flags.and(Flags::UNCOUNTED),
                ..self.stay.row
            }),
            Phase::Exiting => Some(Row {
                exit: end,
                flags: self.stay.row.flags.and(Flags::UNCOUNTED),
                ..self.stay.row
            }),
        }
    }

    /// Its deadline has come.
    pub(super) fn on_deadline<W: Workload, P: Listener>(
        &mut self,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        let tick_is_due = self.tick.expires() <= around.now;
        match self.phase {
            Phase::Busy if tick_is_due => {
                self.timer_handlers(&[], true, around, probe);
                self.extend_work(around.now);
            }
            Phase::Busy => {
                self.busy.stops(around.now);
                self.avg_idle.starts(around.now);
                self.tell_idle(around, true);
                self.tick.enter(around.now);
                self.got_tick = false;
                self.decide_on_entering(around);
                self.select_next(around.now);
            }
            Phase::Selecting => self.iterate(around, probe),
            Phase::Asleep => self.wake(around, Cause::Tick),
            Phase::Polling if tick_is_due => {
                self.stay.row.cause = Cause::Tick;
                self.interrupts(&[], around, probe);
                self.end_polling_if_needed(around, probe);
            }
            Phase::Polling => {
                self.device.poll_timed_out = true;
                self.stay.row.wake = around.now;
                self.stay.row.cause = Cause::PollLimit;
                self.end_iteration(around, probe);
            }
            Phase::Exiting => self.leave_state(around, probe),
        }
    }

    /// An interrupt arrives.
    pub(super) fn on_interrupt<W: Workload, P: Listener>(
        &mut self,
        interrupt: Interrupt,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        self.wakeups = self.wakeups.wrapping_add(1);
        let arrival = Arrival {
            at: around.now,
            interrupt,
        };
        match self.phase {
            Phase::Busy => {
                self.time_interrupt(interrupt, around.now);
                self.add_work(interrupt.run);
                self.extend_work(around.now);
            }
            Phase::Selecting | Phase::Exiting => self.arrived.push(arrival),
            Phase::Asleep => {
                self.arrived.push(arrival);
                self.wake(around, interrupt.cause);
            }
            Phase::Polling => {
                self.stay.row.cause = interrupt.cause;
                self.interrupts(&[arrival], around, probe);
                self.end_polling_if_needed(around, probe);
                if self.phase == Phase::Polling {
                    self.tell_idle(around, false);
                }
            }
        }
    }

    /// Where the tick comes before the governor, it is decided on as soon as the CPU is idle.
    fn decide_on_entering<W: Workload>(&mut self, around: &mut Around<'_, W>) {
        match around.setup.tick.rules.order {
            Order::AfterGovernor => {}
            Order::BeforeGovernor => {
                self.stay.environment = around.workload.environment(around.now, self.id);
                self.ahead = Some(self.stay.environment);
                self.decide(around);
            }
        }
    }

    /// Decides on the tick before a governor runs.
    pub(super) fn decide<W: Workload>(&mut self, around: &mut Around<'_, W>) {
        let timers = around.workload.timers(around.now, self.id);
        let pending = self.pending(timers, self.stay.environment, &around.setup.tick);
        self.tick
            .decide(around.now, &around.setup.tick, around.keeping, pending);
    }

    /// What is pending, and what keeps the tick.
    pub(super) fn pending(&self, timers: Timers, environment: Environment, tick: &tick::Config) -> Pending {
        Pending {
            hrtimer: timers.hrtimer,
            wheel: timers.wheel,
            keep: tick.rate_limit.keep(environment.keep, &self.avg_idle),
        }
    }

    pub(super) fn select_next(&mut self, now: Time) {
        self.phase = Phase::Selecting;
        self.until = now;
    }

    pub(super) fn add_work(&mut self, run: Option<Ns>) {
        if let Some(run) = run {
            self.run = Some(self.run.unwrap_or(Ns::ZERO).saturating_add(run));
        }
    }

    /// Adds what was woken while busy to what is running.
    pub(super) fn extend_work(&mut self, now: Time) {
        if let Some(run) = self.run.take() {
            self.until = self.until.max(now).saturating_add(run);
        }
    }

    /// The event that ends the stay: the CPU is on its way out from now on.
    pub(super) fn wake<W>(&mut self, around: &Around<'_, W>, cause: Cause) {
        let polling = self.phase == Phase::Polling;
        let latency = around
            .setup
            .cpus
            .get(self.id.index())
            .filter(|_| !polling && around.setup.driver == Driver::Present)
            .map_or(Ns::ZERO, |cpu| cpu.table.exit_latency(self.stay.row.entered));
        self.stay.row.wake = around.now;
        self.stay.row.cause = cause;
        self.phase = Phase::Exiting;
        self.until = around.now + latency * i64::from(around.setup.exit_latency_percent) / 100;
    }

    /// The CPU is out of its state: all that is due runs now.
    fn leave_state<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let mut arrived = std::mem::take(&mut self.arrived);
        self.interrupts(&arrived, around, probe);
        self.end_iteration(around, probe);
        if !arrived.is_empty() && self.phase == Phase::Selecting {
            self.tell_idle(around, false);
        }
        if self.arrived.is_empty() {
            arrived.clear();
            self.arrived = arrived;
        }
    }

    /// Polling ends only when a task was woken.
    fn end_polling_if_needed<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        if self.run.is_some() {
            self.stay.row.wake = around.now;
            self.end_iteration(around, probe);
        }
    }

    pub(super) fn tell_idle<W: Workload>(&self, around: &mut Around<'_, W>, ran: bool) {
        let jiffy = around.keeping.last_update();
        let idle = CpuEvent::Idle { ran, jiffy };
        around.workload.on_cpu(around.now, self.id, idle, around.effects);
    }

    pub(super) fn tick_view<W: Workload>(&self, around: &Around<'_, W>) -> TickView {
        let keeping = &around.keeping;
        let hrtimer = around.workload.timers(around.now, self.id).hrtimer;
        TickView {
            stopped: self.tick.is_stopped(),
            expires: self.tick.expires(),
            device_event: self.tick.device_event(hrtimer),
            next_tick: self.tick.next_tick(),
            evaluation: self.tick.last_evaluation(),
            entry_time: self.tick.entry_time(),
            dropped_duty_last: self.tick.dropped_duty_last(),
            idle_calls: self.tick.idle_calls(),
            idle_sleeps: self.tick.idle_sleeps(),
            avg_idle: self.avg_idle.average(),
            jiffies: keeping.jiffies(),
            duty: keeping.duty(),
        }
    }
}
