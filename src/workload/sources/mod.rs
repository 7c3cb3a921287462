//! Independent sources of wakeups: each belongs to one CPU and comes by a rhythm of its own, announced as a timer or not.
//!
//! One generator for what an operating system does beside or instead of passing tokens: periodic threads, devices that
//! answer requests, background tasks of an idle machine. What the sources are is data ([`loads`]).
//!
//! ```text
//!   from due:   |== work ==|      |== work ==|      distance counts from one wakeup to the next, work or not
//!               |---- distance ---|
//!   from idle:  |== work ==|---- distance ----|==   distance counts from where the CPU has nothing to do: a request
//! ```
//!
//! Invariants: each source has a stream of random numbers of its own, so that a decision of a governor moves no load
//! that it does not cause; with equal sources and seed the wakeups are equal. Work of wakeups that come together adds up.

pub mod loads;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::sim::{Cause, CpuEvent, Effects, Environment, Interrupt, Knowledge, Timers, Workload};
use crate::units::{CpuId, Ns, Time};
use crate::workload::rng::Rng;

/// How far apart wakeups of one source are; ns, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// Always so far.
    Fixed(Ns),
    /// Exponentially distributed with this mean.
    Random(Ns),
    /// Uniform from the one to the other.
    Between(Ns, Ns),
    /// A sweep: `from`, and one `step` more after each `hold`, up to `to`, and again.
    Stepped {
        /// The first distance.
        from: Ns,
        /// What is added each time.
        step: Ns,
        /// The largest distance.
        to: Ns,
        /// How long each distance is kept.
        hold: Ns,
    },
}

impl Rhythm {
    fn distance(self, now: Time, rng: &mut Rng) -> Ns {
        let distance = match self {
            Self::Fixed(distance) => distance,
            Self::Random(mean) => rng.exponential(mean),
            Self::Between(from, to) => rng.uniform(from, to),
            Self::Stepped { from, step, to, hold } => {
                let steps = (to - from).as_ns() / step.as_ns().max(1) + 1;
                let held = now.saturating_since(Time::ZERO).as_ns() / hold.as_ns().max(1);
                from + step * (held % steps.max(1))
            }
        };
        distance.max(Ns::new(1))
    }
}

/// From where a distance counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// From the wakeup before: a clock.
    FromDue,
    /// From where its CPU has nothing left to run: an answer to a request.
    FromIdle,
}

/// What a wakeup runs; cycles as ns at 1 GHz on a machine with a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Its handler only; the CPU stays idle.
    Handler,
    /// Uniform from the one to the other.
    Between(Ns, Ns),
    /// From nothing to `peak` and back within `span`, over and over.
    Ramp {
        /// In the middle.
        peak: Ns,
        /// Up and down.
        span: Ns,
    },
}

impl Work {
    fn run(self, now: Time, rng: &mut Rng) -> Option<Ns> {
        match self {
            Self::Handler => None,
            Self::Between(from, to) => Some(rng.uniform(from, to)),
            Self::Ramp { peak, span } => {
                let half = (span.as_ns() / 2).max(1);
                let at = now.saturating_since(Time::ZERO).as_ns() % (2 * half);
                let height = if at < half { at } else { 2 * half - at };
                let run = i128::from(peak.as_ns()) * i128::from(height) / i128::from(half);
                Some(Ns::new(i64::try_from(run).unwrap_or(i64::MAX)))
            }
        }
    }
}

/// What follows each wakeup of a source: some more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Train {
    /// How many.
    pub count: u32,
    /// What raises them.
    pub cause: Cause,
    /// Their mean distance, exponentially distributed, ns.
    pub gap: Ns,
    /// What each runs.
    pub work: Work,
}

/// A source that is active by turns; both means, exponentially distributed, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// How long it is active.
    pub active: Ns,
    /// How long it is quiet.
    pub quiet: Ns,
}

/// What the work of a wakeup yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// Nothing that is counted.
    Nothing,
    /// A frame, once its CPU has nothing left to do; one that is not done when the next one comes is lost.
    Frame,
    /// So many bytes that were read.
    Bytes(u32),
}

/// One source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where its wakeups arrive.
    pub cpu: u16,
    /// What raises them; only timers are announced.
    pub cause: Cause,
    /// How far apart they are.
    pub rhythm: Rhythm,
    /// From where that counts.
    pub counts: Counts,
    /// What they run.
    pub work: Work,
    /// What follows each of them.
    pub train: Option<Train>,
    /// When it is quiet, if ever: what would come then comes with the next phase.
    pub phases: Option<Phases>,
    /// Whether a task waits for I/O as long as the source is armed.
    pub waits_for_io: bool,
    /// What its own wakeups yield, not those of its train.
    pub yields: Yield,
}

impl Source {
    /// A timer on a clock of its own.
    #[must_use]
    pub const fn timer(cpu: u16, rhythm: Rhythm, work: Work) -> Self {
        Self {
            cpu,
            cause: Cause::Timer,
            rhythm,
            counts: Counts::FromDue,
            work,
            train: None,
            phases: None,
            waits_for_io: false,
            yields: Yield::Nothing,
        }
    }

    /// A device that nobody announces.
    #[must_use]
    pub const fn interrupt(cpu: u16, rhythm: Rhythm, work: Work) -> Self {
        Self {
            cause: Cause::Interrupt,
            ..Self::timer(cpu, rhythm, work)
        }
    }

    /// A task that another CPU wakes.
    #[must_use]
    pub const fn task(cpu: u16, rhythm: Rhythm, work: Work) -> Self {
        Self {
            cause: Cause::Ipi,
            ..Self::timer(cpu, rhythm, work)
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Live {
    rng: Rng,
    /// How many of its train are left.
    left: u32,
    /// The end of its phase.
    active_until: Time,
}

impl Live {
    /// When the next wakeup comes: the next of a train, a distance after `from`, or with a later phase.
    fn next(&mut self, source: &Source, from: Time, now: Time) -> Time {
        if let Some(train) = source.train.filter(|_| self.left > 0) {
            return now.saturating_add(self.rng.exponential(train.gap));
        }
        let at = from.saturating_add(source.rhythm.distance(now, &mut self.rng));
        let Some(phases) = source.phases.filter(|_| at > self.active_until) else {
            return at;
        };
        let begin = self
            .active_until
            .max(now)
            .saturating_add(self.rng.exponential(phases.quiet));
        self.active_until = begin.saturating_add(self.rng.exponential(phases.active));
        begin
    }
}

/// What is armed on one CPU, by time and number of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OnCpu {
    timers: BTreeSet<(Time, usize)>,
    others: BTreeSet<(Time, usize)>,
    /// Armed when the CPU is idle again.
    waiting: Vec<usize>,
    /// Tasks that wait for I/O.
    io: u32,
    /// A frame is being worked on.
    drawing: bool,
}

fn first(of: &BTreeSet<(Time, usize)>) -> Time {
    of.first().map_or(Time::NEVER, |(at, _)| *at)
}

impl OnCpu {
    fn next(&self) -> Time {
        first(&self.timers).min(first(&self.others))
    }

    fn take_due(&mut self, now: Time) -> Option<(Time, usize)> {
        let due = |of: &BTreeSet<(Time, usize)>| of.first().copied().filter(|(at, _)| *at <= now);
        match due(&self.timers) {
            Some(_) => self.timers.pop_first(),
            None => due(&self.others).and_then(|_| self.others.pop_first()),
        }
    }
}

/// All sources of a machine.
#[derive(Clone, Debug)]
pub struct SourcesWorkload {
    sources: Arc<Vec<Source>>,
    live: Vec<Live>,
    cpus: Vec<OnCpu>,
    next: Time,
    requests: u64,
    frames: u64,
    bytes: u64,
}

impl SourcesWorkload {
    /// These sources on CPUs 0 to `cpus - 1`; one that names another CPU never comes. A source that counts from due
    /// comes first at a random instant of its first distance.
    #[must_use]
    pub fn new(sources: Vec<Source>, cpus: u16, seed: u64) -> Self {
        let stream = |n: usize| Rng::stream(seed, u64::try_from(n).unwrap_or(u64::MAX));
        let live = (0..sources.len()).map(|n| Live {
            rng: stream(n),
            left: 0,
            active_until: Time::ZERO,
        });
        let mut workload = Self {
            live: live.collect(),
            cpus: vec![OnCpu::default(); usize::from(cpus)],
            sources: Arc::new(sources),
            next: Time::NEVER,
            requests: 0,
            frames: 0,
            bytes: 0,
        };
        let sources = Arc::clone(&workload.sources);
        for (n, source) in sources.iter().enumerate() {
            match source.counts {
                Counts::FromIdle => workload.wait(n),
                Counts::FromDue => {
                    let Some(live) = workload.live.get_mut(n) else {
                        continue;
                    };
                    let distance = source.rhythm.distance(Time::ZERO, &mut live.rng);
                    let at = live.rng.uniform(Ns::new(1), distance);
                    workload.arm(n, Time::ZERO.saturating_add(at));
                }
            }
        }
        workload.find_next();
        workload
    }

    /// Answers to requests so far: wakeups of the sources that count from idle.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Whether any source answers requests.
    #[must_use]
    pub fn answers(&self) -> bool {
        self.sources.iter().any(|source| source.waits_for_io)
    }

    /// Frames done so far; none where none are drawn.
    #[must_use]
    pub fn frames(&self) -> Option<u64> {
        let draws = |source: &Source| source.yields == Yield::Frame;
        self.sources.iter().any(draws).then_some(self.frames)
    }

    /// Bytes read so far; none where none are read.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let reads = |source: &Source| matches!(source.yields, Yield::Bytes(_));
        self.sources.iter().any(reads).then_some(self.bytes)
    }

    fn cpu_of(&mut self, n: usize) -> Option<&mut OnCpu> {
        let cpu = self.sources.get(n)?.cpu;
        self.cpus.get_mut(usize::from(cpu))
    }

    fn wait(&mut self, n: usize) {
        if let Some(cpu) = self.cpu_of(n) {
            cpu.waiting.push(n);
        }
    }

    /// A source's next wakeup; timers are announced.
    fn arm(&mut self, n: usize, at: Time) {
        let Some(source) = self.sources.get(n) else { return };
        let in_train = self.live.get(n).is_some_and(|live| live.left > 0);
        let train = source.train.filter(|_| in_train);
        let announced = train.map_or(source.cause, |train| train.cause) == Cause::Timer;
        let io = source.waits_for_io;
        if let Some(cpu) = self.cpu_of(n) {
            cpu.io += u32::from(io);
            if announced {
                cpu.timers.insert((at, n));
            } else {
                cpu.others.insert((at, n));
            }
        }
    }

    /// One source is due: what it raises, and when it comes again.
    fn due(&mut self, n: usize, (at, now): (Time, Time), out: &mut Effects) {
        let sources = Arc::clone(&self.sources);
        let (Some(source), Some(live)) = (sources.get(n), self.live.get_mut(n)) else {
            return;
        };
        let in_train = live.left > 0;
        let (cause, work) = match source.train {
            Some(train) if in_train => (train.cause, train.work),
            _ => (source.cause, source.work),
        };
        live.left = match source.train {
            Some(_) if in_train => live.left - 1,
            Some(train) => train.count,
            None => 0,
        };
        out.interrupt(Interrupt {
            cpu: CpuId::new(source.cpu),
            cause,
            line: u16::from(cause == Cause::Interrupt),
            run: work.run(now, &mut live.rng),
        });
        let next = (source.counts == Counts::FromDue).then(|| live.next(source, at, now));
        if source.waits_for_io
            && let Some(cpu) = self.cpu_of(n)
        {
            cpu.io = cpu.io.saturating_sub(1);
        }
        self.requests += u64::from(source.counts == Counts::FromIdle && !in_train);
        match source.yields {
            Yield::Bytes(bytes) if !in_train => self.bytes += u64::from(bytes),
            Yield::Frame if !in_train => {
                if let Some(cpu) = self.cpu_of(n) {
                    cpu.drawing = true;
                }
            }
            Yield::Nothing | Yield::Frame | Yield::Bytes(_) => {}
        }
        match next {
            Some(next) => self.arm(n, next.max(now)),
            None => self.wait(n),
        }
    }

    fn find_next(&mut self) {
        self.next = self.cpus.iter().map(OnCpu::next).min().unwrap_or(Time::NEVER);
    }
}

impl Workload for SourcesWorkload {
    fn first_busy(&self, _: CpuId) -> Ns {
        Ns::ZERO
    }

    #[inline]
    fn peek(&self) -> Time {
        self.next
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        for cpu in 0..self.cpus.len() {
            // What is armed for this very instant comes with the next call.
            let mut all = Vec::new();
            while let Some(due) = self.cpus.get_mut(cpu).and_then(|cpu| cpu.take_due(now)) {
                all.push(due);
            }
            for (at, n) in all {
                self.due(n, (at, now), out);
            }
        }
        self.find_next();
    }

    fn on_cpu(&mut self, now: Time, cpu: CpuId, what: CpuEvent, _: &mut Effects) {
        let CpuEvent::Idle { ran: true, .. } = what else {
            return;
        };
        let Some(own) = self.cpus.get_mut(cpu.index()) else {
            return;
        };
        self.frames += u64::from(std::mem::take(&mut own.drawing));
        for n in std::mem::take(&mut own.waiting) {
            let (Some(source), Some(live)) = (self.sources.get(n), self.live.get_mut(n)) else {
                continue;
            };
            let at = live.next(source, now, now);
            self.arm(n, at);
            self.next = self.next.min(at);
        }
    }

    fn timers(&self, _: Time, cpu: CpuId) -> Timers {
        Timers {
            hrtimer: self
                .cpus
                .get(cpu.index())
                .map_or(Time::NEVER, |own| first(&own.timers)),
            wheel: Time::NEVER,
            known: Knowledge::Exact,
        }
    }

    fn environment(&mut self, _: Time, cpu: CpuId) -> Environment {
        Environment {
            nr_iowait: self.cpus.get(cpu.index()).map_or(0, |own| own.io),
            ..Environment::default()
        }
    }

    fn wakeup(&self, _: Time, cpu: CpuId) -> Option<Time> {
        self.cpus.get(cpu.index()).map(OnCpu::next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: i64) -> Ns {
        Ns::from_us(n)
    }

    /// The first wakeups on CPU 0, each followed by an idle CPU at once: instants in µs, and what they run.
    fn wakeups(sources: Vec<Source>, count: usize) -> Vec<(i64, Option<i64>)> {
        let mut workload = SourcesWorkload::new(sources, 1, 1);
        let jiffy = Time::ZERO;
        let idle = CpuEvent::Idle { ran: true, jiffy };
        workload.on_cpu(Time::ZERO, CpuId::new(0), idle, &mut Effects::default());
        let mut found = Vec::new();
        while found.len() < count {
            let now = workload.peek();
            let mut out = Effects::default();
            workload.advance(now, &mut out);
            for interrupt in out.drain() {
                let at = now.saturating_since(Time::ZERO).as_ns() / 1_000;
                found.push((at, interrupt.run.map(|run| run.as_ns() / 1_000)));
            }
            workload.on_cpu(now, CpuId::new(0), idle, &mut Effects::default());
        }
        found
    }

    #[test]
    fn a_source_that_counts_from_idle_answers_so_long_after() {
        let answer = Source {
            counts: Counts::FromIdle,
            ..Source::interrupt(0, Rhythm::Fixed(us(80)), Work::Between(us(5), us(5)))
        };
        let found = wakeups(vec![answer], 3);
        assert_eq!(found, [(80, Some(5)), (160, Some(5)), (240, Some(5))]);
    }

    #[test]
    fn a_sweep_goes_from_one_end_to_the_other_and_begins_again() {
        let sweep = Rhythm::Stepped {
            from: us(6),
            step: us(10),
            to: us(26),
            hold: us(100),
        };
        let mut rng = Rng::stream(1, 1);
        let mut at = |now: i64| {
            sweep
                .distance(Time::ZERO.saturating_add(us(now)), &mut rng)
                .as_ns()
        };
        assert_eq!(
            [0, 99, 100, 200, 299, 300].map(&mut at),
            [6_000, 6_000, 16_000, 26_000, 26_000, 6_000]
        );
    }

    #[test]
    fn a_ramp_is_highest_in_the_middle_and_nothing_at_both_ends() {
        let (peak, span) = (us(1_000), us(10_000));
        let ramp = Work::Ramp { peak, span };
        let mut rng = Rng::stream(1, 1);
        let at = |now: i64| ramp.run(Time::ZERO.saturating_add(us(now)), &mut rng);
        let runs: Vec<i64> = [0, 2_500, 5_000, 7_500, 10_000]
            .map(at)
            .into_iter()
            .flatten()
            .map(|run| run.as_ns() / 1_000)
            .collect();
        assert_eq!(runs, [0, 500, 1_000, 500, 0]);
    }

    #[test]
    fn a_source_is_quiet_between_its_phases() {
        let source = Source {
            counts: Counts::FromIdle,
            phases: Some(Phases {
                active: us(2_000),
                quiet: us(50_000),
            }),
            ..Source::interrupt(0, Rhythm::Fixed(us(100)), Work::Handler)
        };
        let at: Vec<i64> = wakeups(vec![source], 400).into_iter().map(|(at, _)| at).collect();
        let distances = || at.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(distances().filter(|distance| *distance == 100).count() > 200);
        assert!(distances().filter(|distance| *distance > 10_000).count() > 5);
    }

    #[test]
    fn a_train_follows_its_wakeup_and_is_announced_as_its_cause_says() {
        let train = Train {
            count: 2,
            cause: Cause::Ipi,
            gap: us(10),
            work: Work::Handler,
        };
        let source = Source {
            counts: Counts::FromIdle,
            train: Some(train),
            ..Source::timer(0, Rhythm::Fixed(us(5_000)), Work::Between(us(1), us(1)))
        };
        let mut workload = SourcesWorkload::new(vec![source], 1, 1);
        let idle = CpuEvent::Idle {
            ran: true,
            jiffy: Time::ZERO,
        };
        let cpu = CpuId::new(0);
        workload.on_cpu(Time::ZERO, cpu, idle, &mut Effects::default());
        let mut announced = Vec::new();
        for _ in 0..4 {
            let now = workload.peek();
            announced.push(workload.timers(now, cpu).hrtimer == now);
            workload.advance(now, &mut Effects::default());
            workload.on_cpu(now, cpu, idle, &mut Effects::default());
        }
        assert_eq!(announced, [true, false, false, true]);
        assert_eq!(workload.requests(), 2);
    }

    #[test]
    fn what_work_yields_is_counted_once_it_is_done() {
        let frame = Source {
            yields: Yield::Frame,
            ..Source::timer(0, Rhythm::Fixed(us(100)), Work::Between(us(5), us(5)))
        };
        let mut film = SourcesWorkload::new(vec![frame], 1, 1);
        assert_eq!((film.frames(), film.bytes()), (Some(0), None));
        let (cpu, jiffy) = (CpuId::new(0), Time::ZERO);
        let idle = CpuEvent::Idle { ran: true, jiffy };
        film.advance(film.peek(), &mut Effects::default());
        // The next one comes before the first is done: one of the two is lost.
        film.advance(film.peek(), &mut Effects::default());
        assert_eq!(film.frames(), Some(0));
        film.on_cpu(Time::ZERO, cpu, idle, &mut Effects::default());
        film.on_cpu(Time::ZERO, cpu, idle, &mut Effects::default());
        assert_eq!(film.frames(), Some(1));
        let mut disk = SourcesWorkload::new(loads::storage(us(80), us(5)), 1, 1);
        disk.on_cpu(Time::ZERO, cpu, idle, &mut Effects::default());
        disk.advance(disk.peek(), &mut Effects::default());
        assert_eq!(
            (disk.frames(), disk.bytes(), disk.requests()),
            (None, Some(4_096), 1)
        );
    }

    #[test]
    fn another_source_moves_no_wakeup_of_the_first() {
        let own = || Source::task(0, Rhythm::Random(us(700)), Work::Between(us(1), us(90)));
        let alone = wakeups(vec![own()], 20);
        let other = Source::interrupt(0, Rhythm::Random(us(900)), Work::Handler);
        let both = wakeups(vec![own(), other], 60);
        let kept: Vec<_> = both.into_iter().filter(|(_, run)| run.is_some()).collect();
        assert_eq!(kept[..20], alone[..]);
    }

    #[test]
    fn a_task_waits_for_io_as_long_as_its_device_works() {
        let source = Source {
            counts: Counts::FromIdle,
            waits_for_io: true,
            ..Source::interrupt(0, Rhythm::Fixed(us(80)), Work::Between(us(5), us(5)))
        };
        let mut workload = SourcesWorkload::new(vec![source], 1, 1);
        let cpu = CpuId::new(0);
        let waiting = |workload: &mut SourcesWorkload| workload.environment(Time::ZERO, cpu).nr_iowait;
        assert_eq!(waiting(&mut workload), 0);
        let idle = CpuEvent::Idle {
            ran: true,
            jiffy: Time::ZERO,
        };
        workload.on_cpu(Time::ZERO, cpu, idle, &mut Effects::default());
        assert_eq!(waiting(&mut workload), 1);
        workload.advance(workload.peek(), &mut Effects::default());
        assert_eq!((waiting(&mut workload), workload.requests()), (0, 1));
    }
}
