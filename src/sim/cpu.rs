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

use super::chooser::Chooser;
use super::entering::{self, Miss};
use super::kernel_view::KernelView;
use super::setup::{CpuSetup, Driver, Setup};
use super::steps::{Handler, Inputs, Listener, LoopStep, TickView};
use super::workload::{CpuEvent, Effects, Entry, Environment, Interrupt, Knowledge, Timers, Workload};
use super::{Cause, Flags, Lane, Row};
use crate::cpuidle::{Decision, Device, TickChoice, Wakeup};
use crate::tick::{Advice, Pending, Settled, SingleState, Tick, Timekeeping};
use crate::units::{CpuId, Ns, StateIdx, Time};

/// What a CPU is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
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
struct Arrival {
    at: Time,
    interrupt: Interrupt,
}

/// The iteration that is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stay {
    row: Row,
    governed: bool,
    environment: Environment,
    pending: Pending,
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
    id: CpuId,
    governor: G,
    device: Device,
    tick: Tick,
    phase: Phase,
    until: Time,
    stay: Stay,
    arrived: Vec<Arrival>,
    /// Work of the tasks woken in this interrupt.
    run: Option<Ns>,
    wakeups: u32,
    iterations: u64,
    got_tick: bool,
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
        Self {
            id,
            governor,
            device: Device::default(),
            tick: Tick::running(id, setup.tick.first_tick(setup.start, id, setup.cpus.len())),
            phase: Phase::Busy,
            until: setup.start.saturating_add(first_busy),
            stay: Stay {
                row,
                governed: false,
                environment: Environment::default(),
                pending: pending_of(Timers::NONE, Environment::default()),
            },
            arrived: Vec::new(),
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

    pub(super) fn governor(&self) -> &G {
        &self.governor
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
                self.tick_handler(around, probe);
                self.extend_work(around.now);
            }
            Phase::Busy => {
                self.tell_idle(around, true);
                self.tick.enter(around.now);
                self.got_tick = false;
                self.select_next(around.now);
            }
            Phase::Selecting => self.iterate(around, probe),
            Phase::Asleep => self.wake(around, Cause::Tick),
            Phase::Polling if tick_is_due => {
                self.tick
                    .interrupt_begins(around.now, &around.setup.tick, around.keeping);
                self.tick_handler(around, probe);
                self.after_polled_interrupt(around, probe);
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
                self.add_work(interrupt.run);
                self.extend_work(around.now);
            }
            Phase::Selecting | Phase::Exiting => self.arrived.push(arrival),
            Phase::Asleep => {
                self.arrived.push(arrival);
                self.wake(around, interrupt.cause);
            }
            Phase::Polling => {
                self.tick
                    .interrupt_begins(around.now, &around.setup.tick, around.keeping);
                self.stay.row.cause = interrupt.cause;
                self.interrupt_handler(interrupt, probe);
                self.after_polled_interrupt(around, probe);
                if self.phase == Phase::Polling {
                    self.tell_idle(around, false);
                }
            }
        }
    }

    fn select_next(&mut self, now: Time) {
        self.phase = Phase::Selecting;
        self.until = now;
    }

    fn add_work(&mut self, run: Option<Ns>) {
        if let Some(run) = run {
            self.run = Some(self.run.unwrap_or(Ns::ZERO).saturating_add(run));
        }
    }

    /// Adds what was woken while busy to what is running.
    fn extend_work(&mut self, now: Time) {
        if let Some(run) = self.run.take() {
            self.until = self.until.max(now).saturating_add(run);
        }
    }

    /// Runs the tick handler and the wheel timers that are due; tells whether there was one.
    fn tick_handler<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) -> bool {
        self.tick.handler(around.now, around.keeping);
        probe.step(|| LoopStep::Handled {
            handler: Handler::Tick,
            rescheduled: false,
        });
        let jiffy = around.keeping.last_update();
        around
            .workload
            .on_cpu(around.now, self.id, CpuEvent::Tick { jiffy }, around.effects);
        let expired = around.effects.take_at(self.id);
        for timer in &expired {
            self.wakeups = self.wakeups.wrapping_add(1);
            self.add_work(timer.run);
            probe.step(|| LoopStep::Handled {
                handler: Handler::Wheel,
                rescheduled: timer.run.is_some(),
            });
        }
        !expired.is_empty()
    }

    fn interrupt_handler<P: Listener>(&mut self, interrupt: Interrupt, probe: &mut P) {
        self.add_work(interrupt.run);
        probe.step(|| LoopStep::Handled {
            handler: Handler::Interrupt(interrupt.cause),
            rescheduled: interrupt.run.is_some(),
        });
    }

    fn iterate<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let Some(cpu_setup) = around.setup.cpus.get(self.id.index()) else {
            return;
        };
        self.iterations += 1;
        let now = around.now;
        let environment = around.workload.environment(now, self.id);
        let timers = around.workload.timers(now, self.id);
        let pending = pending_of(timers, environment);
        self.stay.environment = environment;
        self.stay.pending = pending;
        probe.step(|| LoopStep::Began {
            inputs: Inputs {
                cpu: self.id,
                now,
                latency_req: around.setup.latency_req,
                nr_iowait: environment.nr_iowait,
                utilization: environment.utilization,
                timers,
                keep: environment.keep,
            },
            tick: self.tick_view(around.keeping),
        });
        let lengths = self.tick.lengths(&around.setup.tick, around.keeping, pending);
        let was_stopped = self.tick.is_stopped();

        let chosen = self.choose(cpu_setup, around, probe);
        let (state, advice) = match chosen {
            Some((decision, _)) => (decision.state, advice(decision.tick)),
            None => (
                StateIdx::ZERO,
                around.setup.tick.rules.ungoverned.advice(self.got_tick),
            ),
        };
        self.stay.governed = chosen.is_some();
        let settled = self
            .tick
            .settle(&around.setup.tick, around.keeping, pending, advice, probe);

        let entered = match environment.entry {
            Entry::NoBroadcast if cpu_setup.table.get(state).is_some_and(|s| s.timer_stop) => {
                entering::without_timer_stop(&cpu_setup.table, cpu_setup.disabled, state)
            }
            _ => state,
        };
        let held = matches!(settled, Settled::RetainedKeepReason(_));
        let flags = Flags::NONE
            .and_if(was_stopped, Flags::WAS_STOPPED)
            .and_if(chosen.is_some() && advice == Advice::Stop, Flags::ASKED_STOP)
            .and_if(matches!(settled, Settled::StoppedNow { .. }), Flags::STOPPED_NOW)
            .and_if(settled.is_stopped(), Flags::STOPPED)
            .and_if(chosen.is_some_and(|(_, queried)| queried), Flags::QUERIED)
            .and_if(held, Flags::KEEP_REASON)
            .and_if(timers.known == Knowledge::Exact, Flags::TIMER_EXACT)
            .and_if(timers.known == Knowledge::Inferred, Flags::TIMER_INFERRED)
            .and_if(chosen.is_none(), Flags::UNGOVERNED);
        self.stay.row = Row {
            entry: now,
            wake: now,
            exit: now,
            sleep_length: if lengths.is_unbounded(self.tick.entry_time()) {
                Ns::MAX
            } else {
                lengths.to_event
            },
            period: self.wakeups,
            selected: state,
            entered,
            cause: Cause::Unknown,
            flags,
        };
        probe.step(|| LoopStep::Entering {
            state: (around.setup.driver == Driver::Present).then_some(entered),
            tick: self.tick_view(around.keeping),
        });
        self.enter(cpu_setup, around, probe);
    }

    /// Asks the governor, if one is asked; its choice, and whether it looked up the next timer.
    fn choose<W: Workload, P: Listener>(
        &mut self,
        cpu_setup: &CpuSetup,
        around: &Around<'_, W>,
        probe: &mut P,
    ) -> Option<(Decision, bool)> {
        let single = cpu_setup.table.len() == 1;
        let governed = match (around.setup.driver, around.setup.tick.rules.single_state) {
            (Driver::Absent, _) => false,
            (Driver::Present, SingleState::Governed) => true,
            (Driver::Present, SingleState::Ungoverned) => !single,
        };
        if !governed {
            return None;
        }
        let mut kernel = KernelView {
            now: around.now,
            cpu: self.id,
            config: &around.setup.tick,
            keeping: around.keeping,
            tick: &mut self.tick,
            pending: self.stay.pending,
            environment: self.stay.environment,
            latency_req: around.setup.latency_req,
            disabled: cpu_setup.disabled,
            workload: around.workload,
            asked: None,
        };
        let decision = self.governor.select(
            &cpu_setup.table,
            around.keeping.period(),
            &mut self.device,
            &mut kernel,
            probe,
        );
        let asked = kernel.asked;
        if asked.is_some() {
            self.tick
                .tell_sleep_length(&around.setup.tick, around.keeping, self.stay.pending, probe);
        }
        probe.step(|| LoopStep::Chose {
            decision,
            lengths: asked,
        });
        Some((decision, asked.is_some()))
    }

    fn enter<W: Workload, P: Listener>(
        &mut self,
        cpu_setup: &CpuSetup,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        let entered = self.stay.row.entered;
        let has_driver = around.setup.driver == Driver::Present;
        if has_driver && self.stay.environment.entry == Entry::Fails {
            self.stay.row.flags = self.stay.row.flags.and(Flags::REJECTED);
            self.end_iteration(around, probe);
            return;
        }
        if has_driver && cpu_setup.table.is_polling(entered) {
            let limit = entering::poll_limit(
                around.setup.poll_limit,
                &mut self.device.poll_limit,
                &cpu_setup.table,
                cpu_setup.disabled,
                around.keeping.period(),
            );
            self.device.poll_timed_out = false;
            self.phase = Phase::Polling;
            self.until = around.now.saturating_add(limit).saturating_add(Ns::new(1));
        } else {
            self.phase = Phase::Asleep;
            self.until = Time::NEVER;
        }
        if let Some(first) = self.arrived.first().copied() {
            self.wake(around, first.interrupt.cause);
        }
    }

    /// The event that ends the stay: the CPU is on its way out from now on.
    fn wake<W>(&mut self, around: &Around<'_, W>, cause: Cause) {
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
        let now = around.now;
        let mut arrived = std::mem::take(&mut self.arrived);
        let mut tick_due = Some(self.tick.expires()).filter(|at| *at <= now);
        let mut told_idle = false;
        for arrival in &arrived {
            if tick_due.is_some_and(|due| due < arrival.at) {
                tick_due = None;
                self.tick_interrupt(around, probe);
            }
            self.tick
                .interrupt_begins(now, &around.setup.tick, around.keeping);
            self.interrupt_handler(arrival.interrupt, probe);
            self.end_interrupt(now);
            if self.stay.row.cause == Cause::Tick {
                self.stay.row.cause = arrival.interrupt.cause;
            }
            told_idle = true;
        }
        if tick_due.is_some() {
            self.tick_interrupt(around, probe);
        }
        arrived.clear();
        self.arrived = arrived;
        self.end_iteration(around, probe);
        if told_idle && self.phase == Phase::Selecting {
            self.tell_idle(around, false);
        }
    }

    fn tick_interrupt<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        self.tick
            .interrupt_begins(around.now, &around.setup.tick, around.keeping);
        let expired = self.tick_handler(around, probe);
        if expired && self.stay.row.cause == Cause::Tick {
            self.stay.row.cause = Cause::Timer;
        }
        self.end_interrupt(around.now);
    }

    fn end_interrupt(&mut self, now: Time) {
        if self.run.is_none() {
            self.tick.interrupt_ends_idle(now);
        }
    }

    /// Polling ends only when a task was woken.
    fn after_polled_interrupt<W: Workload, P: Listener>(
        &mut self,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        self.end_interrupt(around.now);
        if self.run.is_some() {
            self.stay.row.wake = around.now;
            self.end_iteration(around, probe);
        }
    }

    fn tell_idle<W: Workload>(&self, around: &mut Around<'_, W>, ran: bool) {
        let jiffy = around.keeping.last_update();
        let idle = CpuEvent::Idle { ran, jiffy };
        around.workload.on_cpu(around.now, self.id, idle, around.effects);
    }

    /// Accounting, reflect, and what comes next.
    fn end_iteration<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let now = around.now;
        let Some(cpu_setup) = around.setup.cpus.get(self.id.index()) else {
            return;
        };
        let rejected = self.stay.row.flags.has(Flags::REJECTED);
        let has_driver = around.setup.driver == Driver::Present;
        self.stay.row.exit = now;
        let residency = self.stay.row.residency();
        let miss = (has_driver && !rejected)
            .then(|| {
                entering::miss(
                    &cpu_setup.table,
                    cpu_setup.disabled,
                    self.stay.row.entered,
                    residency,
                )
            })
            .flatten();
        self.stay.row.flags = self
            .stay
            .row
            .flags
            .and_if(miss == Some(Miss::TooDeep), Flags::TOO_DEEP)
            .and_if(miss == Some(Miss::TooShallow), Flags::TOO_SHALLOW)
            .and_if(self.tick.was_seen(), Flags::GOT_TICK)
            .and_if(self.run.is_some(), Flags::RESCHEDULED);
        if has_driver {
            self.device.last_residency = if rejected { Ns::ZERO } else { residency };
        }
        if self.stay.governed && !rejected {
            self.reflect(cpu_setup, around);
        }
        self.got_tick = self.tick.take_seen();
        probe.step(|| LoopStep::Ended {
            exit: now,
            cause: self.stay.row.cause,
            flags: self.stay.row.flags,
            entered: has_driver.then_some(self.stay.row.entered),
            residency,
            tick: self.tick_view(around.keeping),
        });
        around.lane.push(self.stay.row);
        match self.run.take() {
            Some(run) => {
                self.tick.exit(now, around.keeping);
                self.phase = Phase::Busy;
                self.until = now.saturating_add(run);
                probe.step(|| LoopStep::LeftIdle {
                    run,
                    tick: self.tick_view(around.keeping),
                });
            }
            None => self.select_next(now),
        }
    }

    fn reflect<W: Workload>(&mut self, cpu_setup: &CpuSetup, around: &Around<'_, W>) {
        let wakeup = Wakeup {
            entered: self.stay.row.entered,
            got_tick: self.tick.was_seen(),
        };
        let kernel = KernelView {
            now: around.now,
            cpu: self.id,
            config: &around.setup.tick,
            keeping: around.keeping,
            tick: &mut self.tick,
            pending: self.stay.pending,
            environment: self.stay.environment,
            latency_req: around.setup.latency_req,
            disabled: cpu_setup.disabled,
            workload: around.workload,
            asked: None,
        };
        self.governor
            .reflect(around.keeping.period(), &mut self.device, &kernel, wakeup);
    }

    fn tick_view(&self, keeping: &Timekeeping) -> TickView {
        TickView {
            stopped: self.tick.is_stopped(),
            expires: self.tick.expires(),
            device_event: self.tick.device_event(self.stay.pending.hrtimer),
            next_tick: self.tick.next_tick(),
            evaluation: self.tick.last_evaluation(),
            entry_time: self.tick.entry_time(),
            dropped_duty_last: self.tick.dropped_duty_last(),
            idle_calls: self.tick.idle_calls(),
            idle_sleeps: self.tick.idle_sleeps(),
            jiffies: keeping.jiffies(),
            duty: keeping.duty(),
        }
    }
}

fn advice(choice: TickChoice) -> Advice {
    match choice {
        TickChoice::Stop => Advice::Stop,
        TickChoice::Retain => Advice::Retain,
    }
}

fn pending_of(timers: Timers, environment: Environment) -> Pending {
    Pending {
        hrtimer: timers.hrtimer,
        wheel: timers.wheel,
        keep: environment.keep,
    }
}
