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
//! Follows spec idle-loop-and-tick.md §1, §2 and §5.9. Kernel code takes time only on a machine that says how
//! much (`machine`), then between `Selecting` and `Asleep` and after `Exiting`. Invariants: every
//! iteration gives exactly one row; handlers run when the CPU is out of its state, in the order in which they
//! became due; a wakeup that arrives while the CPU is busy only adds its work.

use super::busy_time::BusyTime;
use super::checkpoint::Memory;
use super::chooser::Chooser;
use super::machine::{Activity, Clocks, Cycles, MachineModel, Piece, Spent};
use super::schedutil::Report;
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
    /// Kernel code between the choice of a state and its entry, on a machine where that takes time.
    Entering,
    /// In a hardware state.
    Asleep,
    /// In the polling state, at most until then.
    Polling,
    /// Woken, out of its state then.
    Exiting,
    /// Kernel code between the end of the idle period and the task, on a machine where that takes time.
    Switching,
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
    pub clocks: Option<&'a mut Clocks>,
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
    /// What is going on until `until`, on a machine with a clock.
    pub(super) piece: Piece,
    /// What the tick took so far: on the way into idle, and out of it.
    pub(super) tick_time: [Ns; 2],
    /// The iteration that is going on is the first of its idle time.
    pub(super) first: bool,
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
            piece: Piece::new(setup.start, Ns::ZERO, Cycles::ZERO, 0),
            tick_time: [Ns::ZERO; 2],
            first: true,
        }
    }

    /// On a machine with a clock: what it does at the start is work at this speed, and it has a history.
    pub(super) fn begin_on(&mut self, model: &MachineModel, khz: u32, start: Time) {
        let work = Cycles::of_gigahertz(self.until.saturating_since(start));
        self.busy = self.busy.with_average(start, model.start_utilization);
        self.set_piece(Piece::new(start, Ns::ZERO, work, khz));
    }

    /// From now on it gets on at this speed.
    pub(super) fn at_speed(&mut self, khz: u32, now: Time) {
        match self.phase {
            Phase::Busy | Phase::Entering | Phase::Exiting | Phase::Switching => {
                self.set_piece(self.piece.at_speed(now, khz));
            }
            Phase::Selecting | Phase::Asleep | Phase::Polling => {}
        }
    }

    fn set_piece(&mut self, piece: Piece) {
        self.piece = piece;
        self.until = piece.end();
    }

    /// Begins a stretch of code or work that lasts for these cycles, and before them for a fixed time.
    pub(super) fn begin_piece<W>(&mut self, around: &Around<'_, W>, fixed: Ns, cycles: Cycles) {
        let khz = match (&around.clocks, &around.setup.machine) {
            (Some(clocks), Some(model)) => clocks.speed(model, self.id.index()),
            _ => 1_000_000,
        };
        self.set_piece(Piece::new(around.now, fixed, cycles, khz));
    }

    /// What it is doing, for clock and power.
    pub(super) fn activity(&self) -> Activity {
        match self.phase {
            Phase::Busy => Activity::Task,
            Phase::Selecting | Phase::Entering => Activity::GoingIdle,
            Phase::Switching => Activity::Waking,
            Phase::Polling => Activity::Polling,
            Phase::Exiting => Activity::Exiting,
            Phase::Asleep => Activity::Asleep(self.stay.row.entered),
        }
    }

    /// Tells the frequency rule that a task was queued or has gone.
    pub(super) fn report<W>(&mut self, around: &mut Around<'_, W>) {
        if let (Some(clocks), Some(model)) = (&mut around.clocks, &around.setup.machine) {
            let report = Report {
                utilization: u32::try_from(self.busy.utilization(around.now)).unwrap_or(u32::MAX),
                iowait: false,
                idle_calls: self.tick.idle_calls(),
            };
            clocks.report(model, self.id.index(), around.now, report);
        }
    }

    /// Sets apart what the tick took, of time that is booked already or going on.
    pub(super) fn without_tick(&self, spent: Spent) -> Spent {
        let [going_idle, waking] = self.tick_time;
        let (going_idle, waking) = (going_idle.min(spent.going_idle), waking.min(spent.waking));
        Spent {
            going_idle: spent.going_idle - going_idle,
            waking: spent.waking - waking,
            tick: going_idle + waking,
            ..spent
        }
    }

    pub(super) fn tick_stops(&self) -> (u64, u64) {
        (self.tick.idle_calls(), self.tick.idle_sleeps())
    }

    /// When it does something by itself next.
    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self.phase {
            Phase::Busy | Phase::Polling => self.tick.expires().min(self.until),
            Phase::Selecting | Phase::Entering | Phase::Exiting | Phase::Switching => self.until,
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
            Phase::Busy | Phase::Selecting | Phase::Switching => None,
            Phase::Entering | Phase::Asleep | Phase::Polling => Some(Row {
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
                self.extend_work(around);
            }
            Phase::Busy => {
                if self.goes_on(around) {
                    return;
                }
                self.busy.stops(around.now);
                self.report(around);
                self.first = true;
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
            Phase::Entering => self.entered(around, probe),
            Phase::Exiting => self.leave_state(around, probe),
            Phase::Switching => self.run_task(around, probe),
        }
    }

    /// Whether there is more to run without going idle; then it runs.
    fn goes_on<W: Workload>(&mut self, around: &mut Around<'_, W>) -> bool {
        if around.clocks.is_none() {
            return false;
        }
        let more = around.workload.next_work(around.now, self.id, around.effects);
        if let Some(work) = more {
            self.begin_piece(around, Ns::ZERO, Cycles::of_gigahertz(work));
        }
        more.is_some()
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
                self.extend_work(around);
            }
            Phase::Selecting | Phase::Entering | Phase::Exiting => self.arrived.push(arrival),
            Phase::Switching => {
                self.time_interrupt(interrupt, around.now);
                self.add_work(interrupt.run);
            }
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
    pub(super) fn extend_work(&mut self, around: &Around<'_, impl Sized>) {
        if let Some(run) = self.run.take() {
            if around.clocks.is_some() {
                self.set_piece(self.piece.and(Cycles::of_gigahertz(run)));
            } else {
                self.until = self.until.max(around.now).saturating_add(run);
            }
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
        match (&around.clocks, &around.setup.machine) {
            (Some(clocks), Some(model)) => {
                let (fixed, cycles) = clocks.exit(model, self.id.index(), self.stay.row.entered);
                let ipi = if cause == Cause::Ipi { model.ipi } else { Ns::ZERO };
                self.begin_piece(around, fixed + ipi, cycles);
            }
            _ => self.until = around.now + latency * i64::from(around.setup.exit_latency_percent) / 100,
        }
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
            match &around.setup.machine {
                Some(model) => {
                    self.phase = Phase::Exiting;
                    self.begin_piece(around, Ns::ZERO, model.code.poll_exit);
                }
                None => self.end_iteration(around, probe),
            }
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
