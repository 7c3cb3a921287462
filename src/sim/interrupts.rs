//! What runs when a CPU takes interrupts (spec idle-loop-and-tick.md §5.5, §5.9).
//!
//! All timers that are due, the tick among them, are one interrupt: handlers in order of expiry, then the wheel
//! timers that the tick has found due. It is taken first, whatever else has arrived while the CPU left its state.
//! Device interrupts run one by one in the order of their arrival.

use super::Cause;
use super::chooser::Chooser;
use super::cpu::{Around, Arrival, Cpu};
use super::steps::{Handler, Listener, LoopStep};
use super::workload::{CpuEvent, Interrupt, Workload};
use crate::tick::Order;
use crate::units::Time;

impl<G: Chooser> Cpu<G> {
    /// Takes what has arrived, and the tick if it is due, while idle.
    pub(super) fn interrupts<W: Workload, P: Listener>(
        &mut self,
        arrived: &[Arrival],
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        let tick_due = self.tick.expires() <= around.now;
        let is_timer = |arrival: &Arrival| arrival.interrupt.cause == Cause::Timer;
        if tick_due || arrived.iter().any(is_timer) {
            self.timer_interrupt(arrived, tick_due, around, probe);
        }
        for arrival in arrived.iter().filter(|arrival| !is_timer(arrival)) {
            self.begin_interrupt(around);
            self.time_interrupt(arrival.interrupt, around.now);
            self.interrupt_handler(arrival.interrupt, around, probe);
            self.end_interrupt(around);
        }
    }

    /// Runs all timer handlers among `arrived`, the tick's in its place if it is due.
    pub(super) fn timer_handlers<W: Workload, P: Listener>(
        &mut self,
        arrived: &[Arrival],
        tick_due: bool,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        let mut tick_waits = tick_due;
        for arrival in arrived.iter().filter(|a| a.interrupt.cause == Cause::Timer) {
            if tick_waits && self.tick.expires() <= arrival.at {
                tick_waits = false;
                self.tick_handler(around, probe);
            }
            self.interrupt_handler(arrival.interrupt, around, probe);
        }
        if tick_waits {
            self.tick_handler(around, probe);
        }
        if tick_due {
            self.wheel_timers(around, probe);
        }
    }

    fn timer_interrupt<W: Workload, P: Listener>(
        &mut self,
        arrived: &[Arrival],
        tick_due: bool,
        around: &mut Around<'_, W>,
        probe: &mut P,
    ) {
        self.begin_interrupt(around);
        self.timer_handlers(arrived, tick_due, around, probe);
        self.end_interrupt(around);
    }

    fn begin_interrupt<W>(&mut self, around: &mut Around<'_, W>) {
        self.tick
            .interrupt_begins(around.now, &around.setup.tick, around.keeping);
    }

    fn end_interrupt<W: Workload>(&mut self, around: &mut Around<'_, W>) {
        if self.run.is_some() {
            return;
        }
        self.tick.interrupt_ends_idle(around.now);
        match around.setup.tick.rules.order {
            Order::AfterGovernor => {}
            Order::BeforeGovernor => self.decide(around),
        }
    }

    /// Devices' interrupts are noted for predicting the next; timers and other CPUs are not devices.
    pub(super) fn time_interrupt(&mut self, interrupt: Interrupt, now: Time) {
        if interrupt.cause == Cause::Interrupt {
            self.irq_timings.record(interrupt.line, now);
        }
    }

    fn tick_handler<W, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        self.tick.handler(around.now, around.keeping);
        probe.step(|| LoopStep::Handled {
            cpu: self.id,
            handler: Handler::Tick,
            rescheduled: false,
        });
    }

    fn wheel_timers<W: Workload, P: Listener>(&mut self, around: &mut Around<'_, W>, probe: &mut P) {
        let jiffy = around.keeping.last_update();
        around
            .workload
            .on_cpu(around.now, self.id, CpuEvent::Tick { jiffy }, around.effects);
        for timer in around.effects.take_at(self.id) {
            self.wakeups = self.wakeups.wrapping_add(1);
            self.handle(Handler::Wheel, timer, around, probe);
        }
    }

    fn interrupt_handler<W, P: Listener>(
        &mut self,
        interrupt: Interrupt,
        around: &Around<'_, W>,
        probe: &mut P,
    ) {
        self.handle(Handler::Interrupt(interrupt.cause), interrupt, around, probe);
    }

    fn handle<W, P: Listener>(
        &mut self,
        handler: Handler,
        interrupt: Interrupt,
        around: &Around<'_, W>,
        probe: &mut P,
    ) {
        if interrupt.run.is_some() {
            // Balancing is not modelled, so the highest cost seen is that of a migration.
            self.avg_idle
                .ends(around.now, around.setup.tick.rate_limit.migration_cost());
        }
        if self.stay.row.cause == Cause::Tick {
            self.stay.row.cause = interrupt.cause;
        }
        self.add_work(interrupt.run);
        probe.step(|| LoopStep::Handled {
            cpu: self.id,
            handler,
            rescheduled: interrupt.run.is_some(),
        });
    }
}
