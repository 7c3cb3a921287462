//! Tasks that pass a token on in rings, most of them pairs: pipe-test, tbench, token rings, bursts of exchanges.
//!
//! ```text
//!   one side     |== send ==|= tail =|  blocked  |== send ==|= tail =|
//!                           '--> wakes the other, or leaves it a token if it is not blocked yet
//!   other side     blocked  |== send ==|= tail =|  blocked  |==
//! ```
//!
//! The tail is what the sender still does before it blocks: return, read, schedule. Tasks of one CPU queue behind
//! each other. In a ring of more than two the token goes to the next task. One loop is one send of each task.

use std::collections::VecDeque;
use std::sync::Arc;

use super::jittered;
use crate::sim::{Cause, CpuEvent, Effects, Environment, Interrupt, Knowledge, Timers, Workload};
use crate::units::{CpuId, Ns, Time};
use crate::workload::rng::Rng;

/// Where a woken task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Where it always runs.
    Pinned,
    /// Where it ran last if that is idle, else on a core whose threads are all idle, else queued where it ran last:
    /// `select_idle_sibling` in short.
    IdleCore,
    /// On the waker's CPU.
    Stacked,
}

/// Exchanges in bursts, with sleep between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Tokens of one burst.
    pub tokens: u32,
    /// Mean distance of bursts, exponentially distributed, ns.
    pub every: Ns,
}

/// The parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The CPUs of the tasks of each ring at the start, in the order in which they pass the token. All rings are of
    /// one size; two tasks are a pair.
    pub rings: Vec<Vec<CpuId>>,
    /// Number of CPUs.
    pub cpus: u16,
    /// The core of each CPU, for placing tasks.
    pub cores: Vec<u16>,
    /// Work before the partner is woken, cycles as ns at 1 GHz.
    pub send: Ns,
    /// How much it varies either way, per mille.
    pub send_jitter: i64,
    /// Work after that.
    pub tail: Ns,
    /// How much it varies either way, per mille.
    pub tail_jitter: i64,
    /// Where woken tasks run.
    pub placement: Placement,
    /// Bursts; none for exchanging without end.
    pub bursts: Option<Bursts>,
    /// Mean distance of timers on every CPU, uniform from half of it to one and a half; zero for none. They wake a
    /// task that runs for [`Exchange::ALARM_WORK`].
    pub timers: Ns,
}

/// At the start CPUs without tasks are woken so often, so that their governors know that they are idle: a machine
/// that has been up for a while.
const FIRST_WAKES: u32 = 12;
/// So far apart.
const FIRST_DISTANCE: Ns = Ns::from_ms(10);

impl Exchange {
    /// What a timer's task runs, cycles as ns at 1 GHz.
    pub const ALARM_WORK: Ns = Ns::from_us(10);

    /// The workload.
    #[must_use]
    pub fn workload(self, seed: u64) -> ExchangeWorkload {
        ExchangeWorkload::new(self, seed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Blocked,
    Sending,
    Tail,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    cpu: CpuId,
    phase: Phase,
    token: bool,
    rng: Rng,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RunQueue {
    current: Option<usize>,
    waiting: VecDeque<usize>,
}

/// One ring's bursts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rhythm {
    left: u32,
    next: Time,
    rng: Rng,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Alarm {
    at: Time,
    rng: Rng,
    /// First wakes that are left.
    first: u32,
}

impl Alarm {
    /// The one after `now`.
    fn rearm(&mut self, now: Time, mean: Ns) {
        self.at = if self.first > 0 {
            self.first -= 1;
            now.saturating_add(FIRST_DISTANCE)
        } else if mean > Ns::ZERO {
            now.saturating_add(distance(&mut self.rng, mean))
        } else {
            Time::NEVER
        };
    }
}

/// The tasks of one ring follow one another.
#[derive(Clone, Debug)]
pub struct ExchangeWorkload {
    parameters: Arc<Exchange>,
    /// Tasks of one ring, at least one.
    ring: usize,
    tasks: Vec<Task>,
    queues: Vec<RunQueue>,
    rhythms: Vec<Rhythm>,
    alarms: Vec<Alarm>,
    next: Time,
    sends: u64,
}

impl ExchangeWorkload {
    fn new(parameters: Exchange, seed: u64) -> Self {
        let stream = |kind: u64, n: usize| Rng::stream(seed, kind << 32 | u64::try_from(n).unwrap_or(0));
        let ring = parameters.rings.iter().map(Vec::len).min().unwrap_or(1).max(1);
        let sides = parameters
            .rings
            .iter()
            .flat_map(|tasks| tasks.iter().take(ring).copied());
        let task = |(n, cpu): (usize, CpuId)| Task {
            cpu,
            phase: if n % ring == 0 && parameters.bursts.is_none() {
                Phase::Tail
            } else {
                Phase::Blocked
            },
            token: n % ring == 0 && parameters.bursts.is_none(),
            rng: stream(0, n),
        };
        let tasks: Vec<Task> = sides.enumerate().map(task).collect();
        let mut queues = vec![RunQueue::default(); usize::from(parameters.cpus)];
        for (n, task) in tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| task.phase == Phase::Tail)
        {
            if let Some(queue) = queues.get_mut(task.cpu.index()) {
                match queue.current {
                    None => queue.current = Some(n),
                    Some(_) => queue.waiting.push_back(n),
                }
            }
        }
        let rhythms = parameters.bursts.map_or_else(Vec::new, |bursts| {
            let rhythm = |n| {
                let mut rng = stream(1, n);
                let next = Time::ZERO.saturating_add(rng.exponential(bursts.every));
                Rhythm { left: 0, next, rng }
            };
            (0..parameters.rings.len()).map(rhythm).collect()
        });
        let has_task = |n: usize| tasks.iter().any(|task: &Task| task.cpu.index() == n);
        let alarm = |n| {
            let mut alarm = Alarm {
                at: Time::NEVER,
                rng: stream(2, n),
                first: if has_task(n) { 0 } else { FIRST_WAKES },
            };
            alarm.rearm(Time::ZERO, parameters.timers);
            alarm
        };
        let alarms = (0..usize::from(parameters.cpus)).map(alarm).collect();
        let mut workload = Self {
            parameters: Arc::new(parameters),
            ring,
            tasks,
            queues,
            rhythms,
            alarms,
            next: Time::NEVER,
            sends: 0,
        };
        workload.find_next();
        workload
    }

    /// Rings that pass a token.
    #[must_use]
    pub fn rings(&self) -> u64 {
        u64::try_from(self.tasks.len() / self.ring).unwrap_or(u64::MAX)
    }

    /// Tasks of a ring: so many sends are a loop.
    #[must_use]
    pub fn sends_per_loop(&self) -> u64 {
        u64::try_from(self.ring).unwrap_or(u64::MAX)
    }

    /// Sends so far.
    #[must_use]
    pub const fn sends(&self) -> u64 {
        self.sends
    }

    fn find_next(&mut self) {
        let bursts = self.rhythms.iter().map(|rhythm| rhythm.next);
        let alarms = self.alarms.iter().map(|alarm| alarm.at);
        self.next = bursts.chain(alarms).min().unwrap_or(Time::NEVER);
    }

    fn is_idle(&self, cpu: CpuId) -> bool {
        self.queues
            .get(cpu.index())
            .is_some_and(|queue| queue.current.is_none())
    }

    /// The first CPU of a core on which nothing runs.
    fn idle_core(&self) -> Option<CpuId> {
        let cores = &self.parameters.cores;
        (0..self.parameters.cpus).map(CpuId::new).find(|cpu| {
            let core = cores.get(cpu.index());
            let mut threads = (0..self.parameters.cpus).map(CpuId::new);
            threads.all(|other| cores.get(other.index()) != core || self.is_idle(other))
        })
    }

    fn place(&self, task: usize, waker: CpuId) -> CpuId {
        let last = self.tasks.get(task).map_or(waker, |task| task.cpu);
        match self.parameters.placement {
            Placement::Pinned => last,
            Placement::Stacked => waker,
            Placement::IdleCore if self.is_idle(last) => last,
            Placement::IdleCore => self.idle_core().unwrap_or(last),
        }
    }

    /// A blocked task is woken; it begins to send.
    fn wake(&mut self, n: usize, (waker, cause): (CpuId, Cause), out: &mut Effects) {
        let cpu = self.place(n, waker);
        let Some(task) = self.tasks.get_mut(n) else { return };
        task.cpu = cpu;
        task.phase = Phase::Sending;
        let Some(queue) = self.queues.get_mut(cpu.index()) else {
            return;
        };
        if queue.current.is_some() {
            queue.waiting.push_back(n);
            return;
        }
        queue.current = Some(n);
        let run = Some(self.send_piece(n));
        out.interrupt(Interrupt {
            cpu,
            cause,
            line: 0,
            run,
        });
    }

    fn send_piece(&mut self, n: usize) -> Ns {
        let (send, jitter) = (self.parameters.send, self.parameters.send_jitter);
        self.tasks
            .get_mut(n)
            .map_or(send, |task| jittered(&mut task.rng, send, jitter))
    }

    /// A task is done with its piece: its next one, or none when it blocks.
    fn after(&mut self, n: usize, now: Time, out: &mut Effects) -> Option<Ns> {
        let task = self.tasks.get_mut(n)?;
        match task.phase {
            Phase::Sending => {
                task.phase = Phase::Tail;
                let cpu = task.cpu;
                let (tail, jitter) = (self.parameters.tail, self.parameters.tail_jitter);
                let tail = jittered(&mut task.rng, tail, jitter);
                self.send(n, cpu, now, out);
                Some(tail)
            }
            Phase::Tail if task.token => {
                task.token = false;
                task.phase = Phase::Sending;
                Some(self.send_piece(n))
            }
            Phase::Tail | Phase::Blocked => {
                task.phase = Phase::Blocked;
                None
            }
        }
    }

    fn send(&mut self, n: usize, cpu: CpuId, now: Time, out: &mut Effects) {
        self.sends += 1;
        if let (Some(rhythm), Some(bursts)) = (self.rhythms.get_mut(n / self.ring), self.parameters.bursts) {
            rhythm.left = rhythm.left.saturating_sub(1);
            if rhythm.left == 0 {
                rhythm.next = now.saturating_add(rhythm.rng.exponential(bursts.every));
                self.find_next();
                return;
            }
        }
        let first = n - n % self.ring;
        let partner = first + (n + 1 - first) % self.ring;
        match self.tasks.get_mut(partner) {
            Some(other) if other.phase == Phase::Blocked => self.wake(partner, (cpu, Cause::Ipi), out),
            Some(other) => other.token = true,
            None => {}
        }
    }
}

/// From half the mean to one and a half.
fn distance(rng: &mut Rng, mean: Ns) -> Ns {
    rng.uniform(mean / 2, mean + mean / 2)
}

impl Workload for ExchangeWorkload {
    fn first_busy(&self, _: CpuId) -> Ns {
        Ns::ZERO
    }

    fn peek(&self) -> Time {
        self.next
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        let due: Vec<usize> = (0..self.rhythms.len())
            .filter(|n| self.rhythms.get(*n).is_some_and(|rhythm| rhythm.next <= now))
            .collect();
        for ring in due {
            let tokens = self.parameters.bursts.map_or(0, |bursts| bursts.tokens);
            if let Some(rhythm) = self.rhythms.get_mut(ring) {
                (rhythm.left, rhythm.next) = (tokens, Time::NEVER);
            }
            let first = ring * self.ring;
            let cpu = self.tasks.get(first).map(|task| task.cpu);
            if let Some(cpu) = cpu {
                self.wake(first, (cpu, Cause::Timer), out);
            }
        }
        for (n, alarm) in (0..).zip(&mut self.alarms).filter(|(_, alarm)| alarm.at <= now) {
            alarm.rearm(now, self.parameters.timers);
            out.interrupt(Interrupt {
                cpu: CpuId::new(n),
                cause: Cause::Timer,
                line: 0,
                run: Some(Exchange::ALARM_WORK),
            });
        }
        self.find_next();
    }

    fn on_cpu(&mut self, _: Time, _: CpuId, _: CpuEvent, _: &mut Effects) {}

    fn next_work(&mut self, now: Time, cpu: CpuId, out: &mut Effects) -> Option<Ns> {
        let current = self.queues.get(cpu.index())?.current?;
        if let Some(piece) = self.after(current, now, out) {
            return Some(piece);
        }
        let queue = self.queues.get_mut(cpu.index())?;
        queue.current = queue.waiting.pop_front();
        let next = queue.current?;
        Some(match self.tasks.get(next).map(|task| task.phase) {
            Some(Phase::Sending) => self.send_piece(next),
            _ => Ns::ZERO,
        })
    }

    fn timers(&self, _: Time, cpu: CpuId) -> Timers {
        let bursts = self.rhythms.iter().enumerate().filter_map(|(ring, rhythm)| {
            let task = self.tasks.get(ring * self.ring)?;
            (task.cpu == cpu).then_some(rhythm.next)
        });
        let alarm = self.alarms.get(cpu.index()).map(|alarm| alarm.at);
        Timers {
            hrtimer: bursts.chain(alarm).min().unwrap_or(Time::NEVER),
            wheel: Time::NEVER,
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, _: CpuId) -> Environment {
        Environment::default()
    }

    fn wakeup(&self, now: Time, cpu: CpuId) -> Option<Time> {
        // The partner's wakeup depends on what is decided now.
        Some(self.timers(now, cpu).hrtimer).filter(|at| !at.is_never())
    }
}
