//! A phone: every CPU alternates between phases in which an application keeps it busy and quiet ones (spec
//! closed-loop-model.md §3, §4.3).
//!
//! ```text
//!   on, frames:  |vsync  =job=  - - =short=     |vsync =job=      follow-up jobs on other CPUs
//!   on, jobs:    =job= gap =job= gap =job=
//!   off:         - - - =task= - - - - - - - =task= - - - - -
//!   always:      real timers, which the governor knows, and interrupts that wake no task
//! ```

use std::sync::Arc;

use crate::sim::{Cause, CpuEvent, Effects, Environment, Interrupt, Knowledge, Timers, Workload};
use crate::units::{CpuId, Ns, Time};
use crate::workload::rng::Rng;

/// What an application does with a CPU of one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreground {
    /// One job after each frame signal, and short wakes.
    Frames {
        /// Work of the job, from and to.
        job: (Ns, Ns),
        /// Whether its CPUs take the jobs that follow half of them elsewhere, and how large these are, from and to.
        follow_up: Option<(Ns, Ns)>,
        /// Mean distance of short wakes, exponentially distributed.
        wakes_every: Ns,
        /// Their work, from and to.
        wake: (Ns, Ns),
    },
    /// Jobs one after the other with gaps between.
    Jobs {
        /// Work of a job, from and to.
        job: (Ns, Ns),
        /// Mean gap, exponentially distributed.
        gap: Ns,
        /// Gaps that are long, per cent.
        long_percent: u8,
        /// Their mean.
        long_gap: Ns,
    },
}

/// What happens in quiet phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// Mean distance of tasks, exponentially distributed.
    pub every: Ns,
    /// Their work, from and to.
    pub task: (Ns, Ns),
}

/// The load of each CPU of one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterLoad {
    /// Its CPUs, as first number and one past the last.
    pub cpus: (u16, u16),
    /// Share of time in the foreground, per mille.
    pub on_per_mille: i64,
    /// Mean length of a quiet phase.
    pub off: Ns,
    /// While it is on.
    pub foreground: Foreground,
    /// While it is off.
    pub background: Background,
}

/// The parameters; times in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone {
    /// By cluster.
    pub clusters: Vec<ClusterLoad>,
    /// Distance of frame signals.
    pub frame: Ns,
    /// The first one.
    pub first_frame: Ns,
    /// A job starts uniformly within this after the signal.
    pub start_within: Ns,
    /// Mean distance of real timers of each CPU, exponentially distributed.
    pub timers: Ns,
    /// The work of one.
    pub timer_work: Ns,
    /// Mean distance of interrupts of each CPU that wake no task; zero for none. Half of them are followed by another
    /// one after 0.1 to 1.5 ms.
    pub interrupts: Ns,
}

impl Phone {
    /// The workload.
    #[must_use]
    pub fn workload(self, seed: u64) -> PhoneWorkload {
        let cpus = self
            .clusters
            .iter()
            .map(|cluster| cluster.cpus.1)
            .max()
            .unwrap_or_default();
        let mut workload = PhoneWorkload {
            cpus: (0..cpus).map(|cpu| Own::new(&self, cpu, seed)).collect(),
            frame_at: Time::ZERO.saturating_add(self.first_frame),
            follow: Rng::stream(seed, 99 << 32),
            drawing: vec![false; usize::from(cpus)],
            begun: false,
            frames: 0,
            parameters: Arc::new(self),
            next: Time::NEVER,
        };
        workload.find_next();
        workload
    }

    fn cluster(&self, cpu: u16) -> Option<&ClusterLoad> {
        self.clusters
            .iter()
            .find(|cluster| (cluster.cpus.0..cluster.cpus.1).contains(&cpu))
    }
}

/// What may come next on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Phase,
    Job,
    FollowUp,
    Wake,
    Task,
    Timer,
    Interrupt,
    Second,
}

const KINDS: [Kind; 8] = [
    Kind::Phase,
    Kind::Job,
    Kind::FollowUp,
    Kind::Wake,
    Kind::Task,
    Kind::Timer,
    Kind::Interrupt,
    Kind::Second,
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    on: bool,
    /// By kind.
    at: [Time; KINDS.len()],
    /// By kind.
    rng: [Rng; KINDS.len()],
}

impl Own {
    fn new(phone: &Phone, cpu: u16, seed: u64) -> Self {
        let stream = |kind: Kind| Rng::stream(seed, (kind as u64) << 32 | u64::from(cpu));
        let mut own = Self {
            on: false,
            at: [Time::NEVER; KINDS.len()],
            rng: KINDS.map(stream),
        };
        if let Some(cluster) = phone.cluster(cpu) {
            let percent = u8::try_from(cluster.on_per_mille / 10).unwrap_or(100);
            own.on = own.rng(Kind::Phase).chance(percent);
            own.begin_phase(cluster, Time::ZERO);
        }
        own.arm(Kind::Timer, Time::ZERO, phone.timers);
        own.arm(Kind::Interrupt, Time::ZERO, phone.interrupts);
        own
    }

    fn rng(&mut self, kind: Kind) -> &mut Rng {
        &mut self.rng[kind as usize]
    }

    fn at(&self, kind: Kind) -> Time {
        self.at[kind as usize]
    }

    fn set(&mut self, kind: Kind, at: Time) {
        self.at[kind as usize] = at;
    }

    /// The next of an exponential stream; none for a mean of zero.
    fn arm(&mut self, kind: Kind, now: Time, mean: Ns) {
        let at = if mean > Ns::ZERO {
            now.saturating_add(self.rng(kind).exponential(mean))
        } else {
            Time::NEVER
        };
        self.set(kind, at);
    }

    fn uniform(&mut self, kind: Kind, (from, to): (Ns, Ns)) -> Ns {
        self.rng(kind).uniform(from, to)
    }

    /// On or off from now on.
    fn begin_phase(&mut self, cluster: &ClusterLoad, now: Time) {
        let off = cluster.off;
        let on = off * cluster.on_per_mille / (1_000 - cluster.on_per_mille).max(1);
        let mean = if self.on { on } else { off };
        self.arm(Kind::Phase, now, mean);
        for kind in [Kind::Job, Kind::FollowUp, Kind::Wake, Kind::Task] {
            self.set(kind, Time::NEVER);
        }
        if !self.on {
            self.arm(Kind::Task, now, cluster.background.every);
            return;
        }
        match cluster.foreground {
            Foreground::Frames { wakes_every, .. } => self.arm(Kind::Wake, now, wakes_every),
            Foreground::Jobs { .. } => self.set(Kind::Job, now),
        }
    }

    fn next(&self) -> Time {
        self.at.iter().copied().min().unwrap_or(Time::NEVER)
    }
}

/// See [`Phone`].
#[derive(Clone, Debug)]
pub struct PhoneWorkload {
    parameters: Arc<Phone>,
    cpus: Vec<Own>,
    frame_at: Time,
    follow: Rng,
    next: Time,
    /// By CPU: at work on its part of the present frame.
    drawing: Vec<bool>,
    /// Some CPU has a part of the present frame.
    begun: bool,
    frames: u64,
}

impl PhoneWorkload {
    /// Frames so far of which every part was done before the next signal; none where none are drawn.
    #[must_use]
    pub fn frames(&self) -> Option<u64> {
        let mut clusters = self.parameters.clusters.iter();
        let draws = clusters.any(|cluster| matches!(cluster.foreground, Foreground::Frames { .. }));
        draws.then_some(self.frames)
    }

    fn find_next(&mut self) {
        let cpus = self.cpus.iter().map(Own::next);
        self.next = cpus.min().unwrap_or(Time::NEVER).min(self.frame_at);
    }

    /// A frame signal: a job on every CPU that shows frames.
    fn frame(&mut self, now: Time) {
        let parameters = Arc::clone(&self.parameters);
        self.frame_at = now.saturating_add(parameters.frame);
        self.frames += u64::from(std::mem::take(&mut self.begun) && !self.drawing.contains(&true));
        self.drawing.fill(false);
        for (n, own) in (0..).zip(&mut self.cpus) {
            let frames = parameters
                .cluster(n)
                .is_some_and(|cluster| matches!(cluster.foreground, Foreground::Frames { .. }));
            // Drawn whether it is used or not: a phase moves no later draw.
            let start = own.uniform(Kind::Job, (Ns::ZERO, parameters.start_within));
            if frames && own.on {
                own.set(Kind::Job, now.saturating_add(start));
            }
        }
    }

    fn due(&mut self, n: u16, kind: Kind, now: Time, out: &mut Effects) {
        let parameters = Arc::clone(&self.parameters);
        let Some(cluster) = parameters.cluster(n) else {
            return;
        };
        let Some(own) = self.cpus.get_mut(usize::from(n)) else {
            return;
        };
        own.set(kind, Time::NEVER);
        let (cause, run) = match (kind, cluster.foreground) {
            (Kind::Phase, _) => {
                own.on = !own.on;
                own.begin_phase(cluster, now);
                return;
            }
            (Kind::Job, Foreground::Frames { job, .. }) => {
                let run = own.uniform(kind, job);
                if let Some(drawing) = self.drawing.get_mut(usize::from(n)) {
                    (*drawing, self.begun) = (true, true);
                }
                if self.follow.chance(50) {
                    self.follow_up(n, now);
                }
                (Cause::Ipi, Some(run))
            }
            (Kind::Job, Foreground::Jobs { job, .. }) => (Cause::Ipi, Some(own.uniform(kind, job))),
            (Kind::FollowUp, Foreground::Frames { follow_up, .. }) => {
                let work = follow_up.unwrap_or((Ns::ZERO, Ns::ZERO));
                (Cause::Ipi, Some(own.uniform(kind, work)))
            }
            (
                Kind::Wake,
                Foreground::Frames {
                    wake, wakes_every, ..
                },
            ) => {
                own.arm(kind, now, wakes_every);
                (Cause::Ipi, Some(own.uniform(kind, wake)))
            }
            (Kind::FollowUp | Kind::Wake, Foreground::Jobs { .. }) => return,
            (Kind::Task, _) => {
                own.arm(kind, now, cluster.background.every);
                (Cause::Ipi, Some(own.uniform(kind, cluster.background.task)))
            }
            (Kind::Timer, _) => {
                own.arm(kind, now, parameters.timers);
                (Cause::Timer, Some(parameters.timer_work))
            }
            (Kind::Interrupt, _) => {
                own.arm(kind, now, parameters.interrupts);
                if own.rng(Kind::Second).chance(50) {
                    let after = own.uniform(Kind::Second, (Ns::from_us(100), Ns::from_us(1_500)));
                    own.set(Kind::Second, now.saturating_add(after));
                }
                (Cause::Interrupt, None)
            }
            (Kind::Second, _) => (Cause::Interrupt, None),
        };
        out.interrupt(Interrupt {
            cpu: CpuId::new(n),
            cause,
            line: 1,
            run,
        });
    }

    /// A job follows on another CPU that is on and takes such jobs.
    fn follow_up(&mut self, from: u16, now: Time) {
        let takes = |n: u16, own: &Own| {
            let foreground = self.parameters.cluster(n).map(|cluster| cluster.foreground);
            let takes = matches!(
                foreground,
                Some(Foreground::Frames {
                    follow_up: Some(_),
                    ..
                })
            );
            takes && n != from && own.on
        };
        let candidates: Vec<u16> = (0..)
            .zip(&self.cpus)
            .filter(|(n, own)| takes(*n, own))
            .map(|(n, _)| n)
            .collect();
        let Some(last) = i64::try_from(candidates.len())
            .ok()
            .and_then(|len| len.checked_sub(1))
        else {
            return;
        };
        if last < 0 {
            return;
        }
        let pick = self.follow.uniform(Ns::ZERO, Ns::new(last)).as_ns();
        let chosen = usize::try_from(pick).ok().and_then(|n| candidates.get(n));
        if let Some(own) = chosen.and_then(|n| self.cpus.get_mut(usize::from(*n))) {
            own.set(Kind::FollowUp, now);
        }
    }
}

impl Workload for PhoneWorkload {
    fn first_busy(&self, _: CpuId) -> Ns {
        Ns::ZERO
    }

    fn peek(&self) -> Time {
        self.next
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        if self.frame_at <= now {
            self.frame(now);
        }
        for n in 0..u16::try_from(self.cpus.len()).unwrap_or(u16::MAX) {
            for kind in KINDS {
                if self
                    .cpus
                    .get(usize::from(n))
                    .is_some_and(|own| own.at(kind) <= now)
                {
                    self.due(n, kind, now, out);
                }
            }
        }
        self.find_next();
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, _: &mut Effects) {
        let foreground = self
            .parameters
            .cluster(cpu.number())
            .map(|cluster| cluster.foreground);
        let Some(own) = self.cpus.get_mut(cpu.index()) else {
            return;
        };
        let CpuEvent::Idle { ran: true, .. } = what else {
            return;
        };
        if let Some(drawing) = self.drawing.get_mut(cpu.index()) {
            *drawing = false;
        }
        if let Some(Foreground::Jobs {
            gap,
            long_percent,
            long_gap,
            ..
        }) = foreground
            && own.on
            && own.at(Kind::Job).is_never()
        {
            let mean = if own.rng(Kind::Job).chance(long_percent) {
                long_gap
            } else {
                gap
            };
            own.arm(Kind::Job, now, mean);
            self.next = self.next.min(own.at(Kind::Job));
        }
    }

    fn timers(&self, _: Time, cpu: CpuId) -> Timers {
        Timers {
            hrtimer: self
                .cpus
                .get(cpu.index())
                .map_or(Time::NEVER, |own| own.at(Kind::Timer)),
            wheel: Time::NEVER,
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, _: CpuId) -> Environment {
        Environment::default()
    }

    fn wakeup(&self, _: Time, cpu: CpuId) -> Option<Time> {
        self.cpus.get(cpu.index()).map(Own::next)
    }
}
