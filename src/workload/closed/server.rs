//! A busy server with many CPUs: jobs, short gaps and long ones, for the histogram of tick stops (spec
//! closed-loop-model.md §3, §4.4).
//!
//! All gaps are ended by interrupts that nobody announced.

use std::sync::Arc;

use crate::sim::{Cause, CpuEvent, Effects, Environment, Interrupt, Knowledge, Timers, Workload};
use crate::units::{CpuId, Ns, Time};
use crate::workload::rng::Rng;

/// The parameters; times in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Number of CPUs.
    pub cpus: u16,
    /// The least work of a job.
    pub job: Ns,
    /// What is added to it, exponentially distributed with this mean.
    pub job_more: Ns,
    /// Gaps that are short, per cent.
    pub short_percent: u8,
    /// Their mean.
    pub short: Ns,
    /// Of the other gaps those that are long, per cent.
    pub long_percent: u8,
    /// Long gaps are uniform from 0.3 to 1.7 times this.
    pub long: Ns,
    /// The mean of the rest.
    pub middle: Ns,
    /// Mean distance of real timers, exponentially distributed.
    pub timers: Ns,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            cpus: 16,
            job: Ns::from_us(800),
            job_more: Ns::from_us(1_500),
            short_percent: 90,
            short: Ns::from_us(15),
            long_percent: 10,
            long: Ns::from_ms(300),
            middle: Ns::from_us(400),
            timers: Ns::from_ms(1_000),
        }
    }
}

impl Server {
    /// The workload.
    #[must_use]
    pub fn workload(self, seed: u64) -> ServerWorkload {
        let own = |cpu: u16| {
            let stream = |kind: u64| Rng::stream(seed, kind << 32 | u64::from(cpu));
            let mut timer = stream(2);
            Own {
                jobs: stream(0),
                gaps: stream(1),
                timer_at: Time::ZERO.saturating_add(timer.exponential(self.timers)),
                timer,
                next: Time::NEVER,
            }
        };
        let cpus = (0..self.cpus).map(own).collect();
        let mut workload = ServerWorkload {
            parameters: Arc::new(self),
            cpus,
            next: Time::NEVER,
        };
        workload.find_next();
        workload
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    jobs: Rng,
    gaps: Rng,
    timer: Rng,
    timer_at: Time,
    next: Time,
}

/// See [`Server`].
#[derive(Clone, Debug)]
pub struct ServerWorkload {
    parameters: Arc<Server>,
    cpus: Vec<Own>,
    next: Time,
}

impl ServerWorkload {
    fn find_next(&mut self) {
        let events = self.cpus.iter().map(|own| own.next.min(own.timer_at));
        self.next = events.min().unwrap_or(Time::NEVER);
    }
}

impl Server {
    fn gap(&self, rng: &mut Rng) -> Ns {
        if rng.chance(self.short_percent) {
            rng.exponential(self.short)
        } else if rng.chance(self.long_percent) {
            rng.uniform(self.long * 3 / 10, self.long * 17 / 10)
        } else {
            rng.exponential(self.middle)
        }
    }
}

impl Workload for ServerWorkload {
    fn first_busy(&self, _: CpuId) -> Ns {
        Ns::ZERO
    }

    fn peek(&self) -> Time {
        self.next
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        let parameters = Arc::clone(&self.parameters);
        for (n, own) in (0..).zip(&mut self.cpus) {
            let mut raise = |cause, run| {
                out.interrupt(Interrupt {
                    cpu: CpuId::new(n),
                    cause,
                    line: 0,
                    run,
                });
            };
            if own.timer_at <= now {
                own.timer_at = now.saturating_add(own.timer.exponential(parameters.timers));
                raise(Cause::Timer, None);
            }
            if own.next <= now {
                own.next = Time::NEVER;
                raise(
                    Cause::Ipi,
                    Some(parameters.job + own.jobs.exponential(parameters.job_more)),
                );
            }
        }
        self.find_next();
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, _: &mut Effects) {
        if let (CpuEvent::Idle { ran: true, .. }, Some(own)) = (what, self.cpus.get_mut(cpu.index())) {
            own.next = now.saturating_add(self.parameters.gap(&mut own.gaps));
            self.next = self.next.min(own.next);
        }
    }

    fn timers(&self, _: Time, cpu: CpuId) -> Timers {
        Timers {
            hrtimer: self.cpus.get(cpu.index()).map_or(Time::NEVER, |own| own.timer_at),
            wheel: Time::NEVER,
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, _: CpuId) -> Environment {
        Environment::default()
    }

    fn wakeup(&self, _: Time, cpu: CpuId) -> Option<Time> {
        self.cpus.get(cpu.index()).map(|own| own.next.min(own.timer_at))
    }
}
