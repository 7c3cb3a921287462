//! The machine while it runs: what each CPU is doing, and how fast the clock is.

use super::frequency::SAMPLING_PERIOD;
use super::usage::{CoreKind, Usage};
use super::{Cycles, MachineModel, Spent};
use crate::sim::schedutil::{Policy, Report, Schedutil};
use crate::units::{Ns, StateIdx, Time};

/// What one CPU is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim) enum Activity {
    /// A task runs.
    Task,
    /// Kernel code on the way into idle.
    GoingIdle,
    /// Kernel code from the end of an idle period to the task.
    Waking,
    /// The polling state.
    Polling,
    /// On its way out of a state.
    Exiting,
    /// In a state.
    Asleep(StateIdx),
}

impl Activity {
    const fn is_code(self) -> bool {
        matches!(self, Self::GoingIdle | Self::Waking)
    }

    const fn is_asleep(self) -> bool {
        matches!(self, Self::Asleep(_))
    }
}

/// One CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CpuClock {
    activity: Activity,
    since: Time,
    core: usize,
    sibling: Option<usize>,
    asks_khz: u32,
    schedutil: Option<Schedutil>,
    /// In this sampling period.
    ran: Ns,
    awake: Ns,
    /// Since the start.
    spent: Spent,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sim) struct Clocks {
    khz: u32,
    step: usize,
    cpus: Vec<CpuClock>,
    policy: Option<Policy>,
    next_sample: Time,
    changed: bool,
    disturbs: bool,
    polling_tenths: u8,
    exiting_tenths: u8,
    cores: Vec<(CoreKind, Time)>,
    package: Option<(StateIdx, Time)>,
    usage: Usage,
}

impl Clocks {
    pub fn new(model: &MachineModel, start: Time, tick: Ns) -> Self {
        let frequency = &model.frequency;
        let khz = frequency.rule.start(frequency);
        let policy = frequency.rule.policy(frequency, tick);
        let cpu = |(n, own): (usize, &super::ModelCpu)| CpuClock {
            activity: Activity::Task,
            since: start,
            core: usize::from(own.core),
            sibling: model
                .cpus
                .iter()
                .enumerate()
                .position(|(other, cpu)| other != n && cpu.core == own.core),
            asks_khz: khz,
            schedutil: policy.as_ref().map(|policy| Schedutil::running_at(policy, khz)),
            ran: Ns::ZERO,
            awake: Ns::ZERO,
            spent: Spent::default(),
        };
        let cpus: Vec<CpuClock> = model.cpus.iter().enumerate().map(cpu).collect();
        let cores = cpus.iter().map(|cpu| cpu.core + 1).max().unwrap_or_default();
        let usage = Usage::new(frequency.steps().collect(), cores);
        Self {
            step: usage.step(khz),
            khz,
            next_sample: if frequency.rule.samples() {
                start.saturating_add(SAMPLING_PERIOD)
            } else {
                Time::NEVER
            },
            changed: false,
            disturbs: model.smt != super::Smt::NONE,
            polling_tenths: model.power.polling_tenths,
            exiting_tenths: model.power.exiting_tenths,
            cores: vec![(CoreKind::Awake { tenths: 0 }, start); cores],
            package: None,
            policy,
            cpus,
            usage,
        }
    }

    /// The clock, kHz.
    pub const fn khz(&self) -> u32 {
        self.khz
    }

    /// When the frequency rule looks next.
    pub const fn next_sample(&self) -> Time {
        self.next_sample
    }

    /// How fast a CPU gets on, kHz.
    pub fn speed(&self, model: &MachineModel, cpu: usize) -> u32 {
        let sibling = self.sibling(cpu).map(|sibling| sibling.activity);
        let per_mille = match sibling {
            Some(Activity::Task | Activity::GoingIdle | Activity::Waking | Activity::Exiting) => {
                model.smt.beside_running
            }
            Some(Activity::Polling) => model.smt.beside_polling,
            Some(Activity::Asleep(_)) | None => return self.khz,
        };
        u32::try_from(u64::from(self.khz) * u64::from(per_mille) / 1_000).unwrap_or(self.khz)
    }

    fn sibling(&self, cpu: usize) -> Option<&CpuClock> {
        self.cpus.get(self.cpus.get(cpu)?.sibling?)
    }

    /// What leaving a state costs now: the fixed part, and cycles.
    pub fn exit(&self, model: &MachineModel, cpu: usize, state: StateIdx) -> (Ns, Cycles) {
        let exits = model.cpus.get(cpu).map(|cpu| &cpu.exits);
        let Some(exit) = exits.and_then(|exits| exits.get(state.index())) else {
            return (Ns::ZERO, Cycles::ZERO);
        };
        let awake = |sibling: &CpuClock| !sibling.activity.is_asleep();
        if self.sibling(cpu).is_some_and(awake) {
            (Ns::ZERO, exit.beside_sibling)
        } else {
            (exit.fixed, exit.cycles)
        }
    }

    /// A CPU does something else from `now` on.
    pub fn turn(&mut self, cpu: usize, activity: Activity, now: Time) {
        let Some(own) = self.cpus.get_mut(cpu) else { return };
        if own.activity == activity {
            return;
        }
        own.book(now);
        let before = std::mem::replace(&mut own.activity, activity);
        let (core, shared) = (own.core, own.sibling.is_some());
        // One kind of kernel code after another changes nobody's speed.
        if self.disturbs && shared && !(before.is_code() && activity.is_code()) {
            self.changed = true;
        }
        self.book_core(core, now);
    }

    /// Books what the core did until now and notes what it does from now on.
    fn book_core(&mut self, core: usize, now: Time) {
        let kind = self.kind(core);
        let Some((before, since)) = self.cores.get_mut(core) else {
            return;
        };
        self.usage
            .add(self.step, core, *before, now.saturating_since(*since));
        let sleeps = |kind: CoreKind| matches!(kind, CoreKind::Asleep(_));
        let matters = sleeps(*before) || sleeps(kind);
        (*before, *since) = (kind, now);
        if matters {
            self.book_package(now);
        }
    }

    fn book_package(&mut self, now: Time) {
        if let Some((state, since)) = self.package {
            self.usage.add_package(state, now.saturating_since(since));
        }
        let shallowest = self
            .cores
            .iter()
            .try_fold(StateIdx::new(u8::MAX), |least, (kind, _)| match kind {
                CoreKind::Asleep(state) => Some(least.min(*state)),
                CoreKind::Awake { .. } => None,
            });
        self.package = shallowest.map(|state| (state, now));
    }

    fn kind(&self, core: usize) -> CoreKind {
        let mut tenths = None;
        let mut shallowest = StateIdx::new(u8::MAX);
        for cpu in self.cpus.iter().filter(|cpu| cpu.core == core) {
            match cpu.activity {
                Activity::Asleep(state) => shallowest = shallowest.min(state),
                Activity::Task | Activity::GoingIdle | Activity::Waking => {
                    tenths = Some(tenths.unwrap_or(0) + 10)
                }
                Activity::Polling => tenths = Some(tenths.unwrap_or(0) + self.polling_tenths),
                Activity::Exiting => tenths = Some(tenths.unwrap_or(0) + self.exiting_tenths),
            }
        }
        match tenths {
            Some(tenths) => CoreKind::Awake { tenths },
            None => CoreKind::Asleep(shallowest),
        }
    }

    /// A task was queued or taken off the queue of a CPU.
    pub fn report(&mut self, model: &MachineModel, cpu: usize, now: Time, report: Report) {
        let Some(policy) = &self.policy else { return };
        let Some(own) = self.cpus.get_mut(cpu) else { return };
        let wanted = own
            .schedutil
            .as_mut()
            .and_then(|own| own.update(policy, now, report));
        if let Some(khz) = wanted {
            own.asks_khz = khz;
            self.settle(model, now);
        }
    }

    /// The frequency rule looks.
    pub fn sample(&mut self, model: &MachineModel, now: Time) {
        let frequency = &model.frequency;
        for cpu in &mut self.cpus {
            cpu.book(now);
            let (ran, awake) = (std::mem::take(&mut cpu.ran), std::mem::take(&mut cpu.awake));
            if let Some(khz) = frequency.rule.sampled(frequency, ran, awake) {
                cpu.asks_khz = khz;
            }
        }
        self.next_sample = now.saturating_add(SAMPLING_PERIOD);
        self.settle(model, now);
    }

    /// The highest of what the CPUs ask for.
    fn settle(&mut self, model: &MachineModel, now: Time) {
        // A core that is deep asleep has no vote.
        let from = model.power.asleep_from;
        let votes = |cpu: &&CpuClock| match self.cores.get(cpu.core) {
            Some((CoreKind::Asleep(state), _)) => *state < from,
            _ => true,
        };
        let asked = self.cpus.iter().filter(votes).map(|cpu| cpu.asks_khz).max();
        let khz = asked.map_or(self.khz, |khz| model.frequency.at_least(khz));
        if khz == self.khz {
            return;
        }
        for core in 0..self.cores.len() {
            self.book_core(core, now);
        }
        self.khz = khz;
        self.step = self.usage.step(khz);
        self.changed = true;
    }

    /// Whether any speed changed since this was asked last.
    pub const fn take_changed(&mut self) -> bool {
        std::mem::replace(&mut self.changed, false)
    }

    /// How long a CPU did what up to `now`; what the tick took is not set apart.
    pub fn spent(&self, cpu: usize, now: Time) -> Option<Spent> {
        let mut own = self.cpus.get(cpu)?.clone();
        own.book(now);
        Some(own.spent)
    }

    /// The table up to `now`.
    pub fn usage(&self, now: Time) -> Usage {
        let mut booked = self.clone();
        for core in 0..booked.cores.len() {
            booked.book_core(core, now);
        }
        booked.book_package(now);
        booked.usage
    }
}

impl CpuClock {
    /// Books what it did until now.
    fn book(&mut self, now: Time) {
        let time = now.saturating_since(self.since);
        self.since = now;
        let part = match self.activity {
            Activity::Task => &mut self.spent.tasks,
            Activity::GoingIdle => &mut self.spent.going_idle,
            Activity::Waking => &mut self.spent.waking,
            Activity::Polling => &mut self.spent.polling,
            Activity::Exiting => &mut self.spent.exiting,
            Activity::Asleep(_) => &mut self.spent.asleep,
        };
        *part += time;
        if self.activity == Activity::Task {
            self.ran += time;
        }
        if !self.activity.is_asleep() {
            self.awake += time;
        }
    }
}
