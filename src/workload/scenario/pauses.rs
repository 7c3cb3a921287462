//! The workload that all open-loop patterns share: pause, wakeup, work, and again.
//!
//! ```text
//!   idle           interrupt or own timer      idle
//!    |----- pause ----|== work ==|----- pause ----|==
//!    plan: when the interrupt comes, when the pause's own timer is due
//!          |            |            |            |      grid timers, whatever goes on
//! ```

use std::sync::Arc;

use super::{Beats, Burst, Doorbell, Knock, Metronome, Mixed};
use crate::sim::{Cause, CpuEvent, Effects, Environment, Interrupt, Knowledge, Timers, Workload};
use crate::units::{CpuId, Ns, Time};
use crate::workload::rng::Rng;

/// What ends the pause that begins now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// When an interrupt comes that nobody announced; [`Time::NEVER`] for none.
    pub interrupt: Time,
    /// The pause's own timer; [`Time::NEVER`] for none.
    pub timer: Time,
}

impl Plan {
    pub(super) const NONE: Self = Self {
        interrupt: Time::NEVER,
        timer: Time::NEVER,
    };
}

/// A pattern's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Metronome(Metronome),
    Doorbell(Doorbell),
    Mixed(Mixed),
    Knock(Knock),
    Burst(Burst),
    Beats(Beats),
}

impl Pattern {
    fn plan(&self, now: Time, pauses_before: u64, rng: &mut Rng) -> Plan {
        match self {
            Self::Metronome(metronome) => metronome.plan(now, rng),
            Self::Doorbell(doorbell) => doorbell.plan(now, pauses_before, rng),
            Self::Mixed(mixed) => mixed.plan(now, rng),
            Self::Knock(knock) => knock.plan(now, pauses_before),
            Self::Burst(burst) => burst.plan(now, pauses_before),
            Self::Beats(beats) => beats.plan(now, pauses_before),
        }
    }

    fn run(&self) -> Ns {
        match self {
            Self::Metronome(metronome) => metronome.run,
            Self::Doorbell(doorbell) => doorbell.run,
            Self::Mixed(mixed) => mixed.run,
            Self::Knock(knock) => knock.run,
            Self::Burst(burst) => burst.run,
            Self::Beats(beats) => beats.run,
        }
    }

    fn interrupt_run(&self) -> Option<Ns> {
        match self {
            Self::Doorbell(doorbell) => doorbell.interrupt_run(),
            Self::Metronome(_) | Self::Mixed(_) | Self::Knock(_) | Self::Burst(_) | Self::Beats(_) => {
                Some(self.run())
            }
        }
    }

    /// Whether a grid timer is armed anew when the CPU is idle again, not at once.
    const fn rearms_when_idle(&self) -> bool {
        matches!(self, Self::Knock(_))
    }

    /// Distance of the grid timers; zero for none.
    fn grid(&self) -> Ns {
        match self {
            Self::Doorbell(doorbell) => doorbell.timer_grid,
            Self::Knock(knock) => knock.quiet,
            Self::Burst(burst) => burst.timer_grid,
            Self::Metronome(_) | Self::Mixed(_) | Self::Beats(_) => Ns::ZERO,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    rng: Rng,
    plan: Plan,
    grid: Time,
    pauses: u64,
}

impl Task {
    fn hrtimer(&self) -> Time {
        self.plan.timer.min(self.grid)
    }

    fn next(&self) -> Time {
        self.plan.interrupt.min(self.hrtimer())
    }
}

/// One task per CPU that pauses, is woken and works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pauses {
    pattern: Arc<Pattern>,
    tasks: Vec<Task>,
    next: Time,
}

impl Pauses {
    /// The parameters are the caller's to check.
    pub(super) fn new(pattern: Pattern, cpus: u16, seed: u64) -> Self {
        let grid = pattern.grid();
        let first_grid = if grid > Ns::ZERO {
            Time::ZERO + grid
        } else {
            Time::NEVER
        };
        let task = |cpu: u16| Task {
            rng: Rng::stream(seed, u64::from(cpu)),
            plan: Plan::NONE,
            grid: first_grid,
            pauses: 0,
        };
        let mut pauses = Self {
            pattern: Arc::new(pattern),
            tasks: (0..cpus).map(task).collect(),
            next: Time::NEVER,
        };
        pauses.find_next();
        pauses
    }

    fn find_next(&mut self) {
        self.next = self.tasks.iter().map(Task::next).min().unwrap_or(Time::NEVER);
    }
}

impl Workload for Pauses {
    fn first_busy(&self, cpu: CpuId) -> Ns {
        if cpu.index() < self.tasks.len() {
            Ns::ZERO
        } else {
            Ns::MAX
        }
    }

    #[inline]
    fn peek(&self) -> Time {
        self.next
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        let run = Some(self.pattern.run());
        let grid = self.pattern.grid();
        for (cpu, task) in (0..).map(CpuId::new).zip(&mut self.tasks) {
            let Plan { interrupt, timer } = task.plan;
            let grid_due = task.grid <= now;
            if timer.min(interrupt) <= now || grid_due {
                task.plan = Plan::NONE;
            }
            if grid_due {
                task.grid = if self.pattern.rearms_when_idle() {
                    Time::NEVER
                } else {
                    task.grid.saturating_add(grid)
                };
            }
            for _ in 0..u8::from(timer <= now) + u8::from(grid_due) {
                out.interrupt(Interrupt {
                    cpu,
                    cause: Cause::Timer,
                    line: 0,
                    run,
                });
            }
            if interrupt <= now {
                out.interrupt(Interrupt {
                    cpu,
                    cause: Cause::Interrupt,
                    line: 0,
                    run: self.pattern.interrupt_run(),
                });
            }
        }
        self.find_next();
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, _: &mut Effects) {
        let CpuEvent::Idle { .. } = what else {
            return;
        };
        if let Some(task) = self.tasks.get_mut(cpu.index()) {
            if self.pattern.rearms_when_idle() && task.grid.is_never() {
                task.grid = now.saturating_add(self.pattern.grid());
            }
            task.plan = self.pattern.plan(now, task.pauses, &mut task.rng);
            task.pauses += 1;
            self.find_next();
        }
    }

    fn timers(&self, _: Time, cpu: CpuId) -> Timers {
        Timers {
            hrtimer: self.tasks.get(cpu.index()).map_or(Time::NEVER, Task::hrtimer),
            wheel: Time::NEVER,
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, _: CpuId) -> Environment {
        Environment::default()
    }

    fn wakeup(&self, _: Time, cpu: CpuId) -> Option<Time> {
        self.tasks.get(cpu.index()).map(Task::next)
    }
}
