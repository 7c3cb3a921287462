//! One idle iteration of one CPU: ask, settle the tick, enter; and at its end, account and reflect
//! (spec idle-loop-and-tick.md §2).

use super::chooser::Chooser;
use super::cpu::{Around, Cpu, Phase};
use super::kernel_view::{KernelView, utilization};
use super::machine::Cycles;
use super::setup::{CpuSetup, Driver};
use super::steps::{Inputs, Listener, LoopStep};
use super::workload::{Entry, Knowledge, Workload};
use super::{Cause, Flags, Row};
use crate::cpuidle::accounting::{self, Miss};
use crate::cpuidle::{Decision, TickChoice, Wakeup};
use crate::tick::{Advice, Settled, SingleState};
use crate::units::{Ns, StateIdx, Time};

impl<G: Chooser> Cpu<G> {
    /// Begins an iteration: ends in a state, or at once if it cannot be entered.
    pub(super) fn iterate<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let Some(cpu_setup) = around.setup.cpus.get(self.id.index()) else {
            return;
        };
        self.iterations += 1;
        let now = around.now;
        let environment = self
            .ahead
            .take()
            .unwrap_or_else(|| around.workload.environment(now, self.id));
        let timers = around.workload.timers(now, self.id);
        let pending = self.pending(timers, environment, &around.setup.tick);
        self.stay.environment = environment;
        self.stay.pending = pending;
        probe.step(|| LoopStep::Began {
            inputs: Inputs {
                cpu: self.id,
                now,
                latency_req: around.setup.latency_req,
                nr_iowait: environment.nr_iowait,
                utilization: utilization(environment, &self.busy, now),
                timers,
                keep: pending.keep,
            },
            tick: self.tick_view(around),
        });
        let lengths = self.tick.lengths(&around.setup.tick, around.keeping, pending);
        let decided = self.tick.take_decided(probe);
        let was_stopped = self.tick.is_stopped() && !decided.is_some_and(|decided| decided.stopped_now);

        let chosen = self.choose(cpu_setup, around, probe);
        let (state, advice) = match chosen {
            Some((decision, _)) => (decision.state, advice(decision.tick)),
            None => (
                StateIdx::ZERO,
                around.setup.tick.rules.ungoverned.advice(self.got_tick),
            ),
        };
        self.stay.governed = chosen.is_some();
        let settled = match decided {
            Some(decided) => decided.result,
            None => self
                .tick
                .settle(&around.setup.tick, around.keeping, pending, advice, probe),
        };
        let asked_stop = decided.is_none() && chosen.is_some() && advice == Advice::Stop;
        let stopped_now = settled.is_stopped() && !was_stopped;

        let entered = match environment.entry {
            Entry::NoBroadcast => accounting::without_broadcast(&cpu_setup.table, cpu_setup.disabled, state),
            Entry::Works | Entry::Fails => state,
        };
        let held = matches!(settled, Settled::RetainedKeepReason(_));
        let flags = Flags::NONE
            .and_if(was_stopped, Flags::WAS_STOPPED)
            .and_if(asked_stop, Flags::ASKED_STOP)
            .and_if(stopped_now, Flags::STOPPED_NOW)
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
            tick: self.tick_view(around),
        });
        match &around.setup.machine {
            None => self.enter(cpu_setup, around, probe),
            Some(model) => {
                let code = model.code;
                let ask = if std::mem::replace(&mut self.first, false) {
                    code.entry
                } else {
                    Cycles::new(code.entry.get() / 2)
                };
                let stop = if stopped_now { code.tick_stop } else { Cycles::ZERO };
                let handler = if self.got_tick {
                    code.tick_handler
                } else {
                    Cycles::ZERO
                };
                self.phase = Phase::Entering;
                self.begin_piece(around, Ns::ZERO, ask + stop + handler);
                self.tick_time[0] += (stop + handler).at(self.piece.khz());
            }
        }
    }

    /// The code before a state is through: enters it, unless a task was woken meanwhile.
    pub(super) fn entered<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let Some(cpu_setup) = around.setup.cpus.get(self.id.index()) else {
            return;
        };
        self.stay.row.entry = around.now;
        if self.arrived.iter().all(|arrival| arrival.interrupt.run.is_none()) {
            self.enter(cpu_setup, around, probe);
            return;
        }
        // The loop sees the task and enters nothing: no accounting, no reflect.
        let arrived = std::mem::take(&mut self.arrived);
        self.interrupts(&arrived, around, probe);
        self.device.last_residency = Ns::ZERO;
        self.got_tick = self.tick.take_seen();
        around.lane.push(Row {
            wake: around.now,
            exit: around.now,
            flags: self.stay.row.flags.and(Flags::UNCOUNTED).and(Flags::RESCHEDULED),
            ..self.stay.row
        });
        self.leave_idle(around, probe);
    }

    /// A task was woken: the tick is restarted and the task runs, on a machine with a clock after the code for that.
    fn leave_idle<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        match &around.setup.machine {
            None => self.run_task(around, probe),
            Some(model) => {
                let code = model.code;
                let restart = if self.tick.is_stopped() {
                    code.tick_restart
                } else {
                    Cycles::ZERO
                };
                self.phase = Phase::Switching;
                self.begin_piece(around, Ns::ZERO, code.exit + restart);
                self.tick_time[1] += restart.at(self.piece.khz());
            }
        }
    }

    /// The task that was woken runs.
    pub(super) fn run_task<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let run = self.run.take().unwrap_or(Ns::ZERO);
        let now = around.now;
        self.tick.exit(now, around.keeping);
        self.busy.starts(now);
        self.phase = Phase::Busy;
        if around.clocks.is_some() {
            self.report(around);
            self.begin_piece(around, Ns::ZERO, Cycles::of_gigahertz(run));
        } else {
            self.until = now.saturating_add(run);
        }
        probe.step(|| LoopStep::LeftIdle {
            run,
            tick: self.tick_view(around),
        });
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
            busy: &self.busy,
            latency_req: around.setup.latency_req,
            disabled: cpu_setup.disabled,
            costs: &cpu_setup.costs,
            workload: around.workload,
            interrupts: &mut self.irq_timings,
            rescheduled: false,
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
            let limit = around.setup.poll_limit.limit(
                &cpu_setup.table,
                cpu_setup.disabled,
                around.keeping.period(),
                self.device.poll_limit,
            );
            self.device.poll_limit = Some(limit);
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

    /// Accounting, reflect, and what comes next.
    pub(super) fn end_iteration<W: Workload, P: Listener>(
        &mut self,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
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
                accounting::miss(
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
        // While it polled: no later iteration of this idle time would tell.
        let stopped_while_polling = self.run.is_some() && self.tick.take_stopped_now();
        self.stay.row.flags = self
            .stay
            .row
            .flags
            .and_if(stopped_while_polling, Flags::STOPPED_NOW.and(Flags::STOPPED));
        probe.step(|| LoopStep::Ended {
            cpu: self.id,
            exit: now,
            cause: self.stay.row.cause,
            flags: self.stay.row.flags,
            entered: has_driver.then_some(self.stay.row.entered),
            residency,
            tick: self.tick_view(around),
        });
        around.lane.push(self.stay.row);
        if self.run.is_some() {
            self.leave_idle(around, probe);
        } else {
            self.select_next(now);
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
            busy: &self.busy,
            latency_req: around.setup.latency_req,
            disabled: cpu_setup.disabled,
            costs: &cpu_setup.costs,
            workload: around.workload,
            interrupts: &mut self.irq_timings,
            rescheduled: self.run.is_some(),
            asked: None,
        };
        self.governor.reflect(
            &cpu_setup.table,
            around.keeping.period(),
            &mut self.device,
            &kernel,
            wakeup,
        );
    }
}

fn advice(choice: TickChoice) -> Advice {
    match choice {
        TickChoice::Stop => Advice::Stop,
        TickChoice::Retain => Advice::Retain,
    }
}
