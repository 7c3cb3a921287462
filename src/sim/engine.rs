//! The loop: owns the clock, hands each event to the CPU it concerns.
//!
//! A clone is a checkpoint, and also a what-if. What happened goes into a [`Record`] that the caller keeps,
//! so that a clone stays small.

use std::sync::Arc;

use super::checkpoint::Memory;
use super::chooser::Chooser;
use super::cpu::{Around, Cpu};
use super::deadlines::Deadlines;
use super::machine::{Clocks, Spent, Usage};
use super::setup::Setup;
use super::steps::Listener;
use super::workload::{Effects, Workload};
use super::{FrequencyChange, Lane, Record};
use crate::cpuidle::Governor;
use crate::tick::Timekeeping;
use crate::units::{CpuId, Time};

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget is used up.
    Paused {
        /// The instant reached.
        now: Time,
    },
    /// Nothing is left before the end of the span.
    Done,
}

/// N CPUs, their workload and a clock.
#[derive(Clone, Debug)]
pub struct Engine<W, G = Governor> {
    setup: Arc<Setup>,
    workload: W,
    keeping: Timekeeping,
    cpus: Vec<Cpu<G>>,
    deadlines: Deadlines,
    now: Time,
    effects: Effects,
    clocks: Option<Clocks>,
}

impl<W: Workload> Engine<W> {
    /// All CPUs as they are at the start of the span, with the governor of the setup.
    #[must_use]
    pub fn new(setup: Arc<Setup>, workload: W) -> Self {
        let choice = setup.governor;
        let capacities: Vec<u64> = setup.cpus.iter().map(|cpu| cpu.capacity).collect();
        Self::with_choosers(
            setup,
            workload,
            capacities.into_iter().map(|capacity| choice.build(capacity)),
        )
    }
}

impl<W: Workload, G: Chooser> Engine<W, G> {
    /// As [`Engine::new`], with one chooser for each CPU instead of the governor of the setup; CPUs without
    /// one are left out.
    #[must_use]
    pub fn with_choosers(setup: Arc<Setup>, workload: W, choosers: impl IntoIterator<Item = G>) -> Self {
        let mut cpus: Vec<Cpu<G>> = (0..)
            .map(CpuId::new)
            .zip(&setup.cpus)
            .zip(choosers)
            .map(|((id, _), chooser)| Cpu::new(id, chooser, &setup, workload.first_busy(id)))
            .collect();
        let period = setup.tick.hz.period();
        let clocks = setup
            .machine
            .as_ref()
            .map(|model| Clocks::new(model, setup.start, period));
        if let (Some(model), Some(clocks)) = (&setup.machine, &clocks) {
            for (index, cpu) in cpus.iter_mut().enumerate() {
                cpu.begin_on(model, clocks.speed(model, index), setup.start);
            }
        }
        let mut deadlines = Deadlines::new(cpus.len());
        for (index, cpu) in cpus.iter().enumerate() {
            deadlines.set(index, cpu.deadline());
        }
        Self {
            keeping: Timekeeping::at(setup.start, setup.tick.hz.period(), setup.tick.phase),
            now: setup.start,
            effects: Effects::default(),
            clocks,
            setup,
            workload,
            cpus,
            deadlines,
        }
    }

    /// What decides, on what machine.
    #[must_use]
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The workload as it is now.
    #[must_use]
    pub const fn workload(&self) -> &W {
        &self.workload
    }

    /// The instant reached.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The number of decisions of a CPU that have begun: the row that its next one will give.
    #[must_use]
    pub fn decisions(&self, cpu: CpuId) -> Option<u64> {
        self.cpus.get(cpu.index()).map(Cpu::iterations)
    }

    /// Decisions begun on all CPUs together.
    #[must_use]
    pub fn all_decisions(&self) -> u64 {
        self.cpus.iter().map(Cpu::iterations).sum()
    }

    /// What a CPU's governor and the core remember now.
    #[must_use]
    pub fn memory(&self, cpu: CpuId) -> Option<Memory<G>> {
        self.cpus.get(cpu.index()).map(Cpu::memory)
    }

    /// The CPU whose idle iteration is the next event, if that is so.
    #[must_use]
    pub fn about_to_decide(&self) -> Option<CpuId> {
        let (at, cpu) = self.deadlines.earliest();
        if at >= self.setup.end || self.workload.peek() <= at {
            return None;
        }
        self.cpus.get(cpu).filter(|cpu| cpu.is_selecting()).map(Cpu::id)
    }

    /// An empty record for this machine and span.
    #[must_use]
    pub fn record(&self) -> Record {
        Record {
            start: self.setup.start,
            end: self.setup.end,
            lanes: vec![Lane::default(); self.cpus.len()],
            frequency: self
                .clocks
                .as_ref()
                .map(|clocks| FrequencyChange {
                    at: self.now,
                    khz: clocks.khz(),
                })
                .into_iter()
                .collect(),
        }
    }

    /// How long each core did what up to `until`, which is not before now; none without a machine whose code takes
    /// time.
    #[must_use]
    pub fn usage(&self, until: Time) -> Option<Usage> {
        self.clocks.as_ref().map(|clocks| clocks.usage(until))
    }

    /// The clock now, kHz; none without a machine whose code takes time.
    #[must_use]
    pub fn khz(&self) -> Option<u32> {
        self.clocks.as_ref().map(Clocks::khz)
    }

    /// How long a CPU did what up to `until`, which is not before now; none without a machine whose code takes time.
    #[must_use]
    pub fn spent(&self, cpu: CpuId, until: Time) -> Option<Spent> {
        let spent = self.clocks.as_ref()?.spent(cpu.index(), until)?;
        Some(self.cpus.get(cpu.index())?.without_tick(spent))
    }

    /// Tick-stop attempts of a CPU so far, and those that left it stopped.
    #[must_use]
    pub fn tick_stops(&self, cpu: CpuId) -> Option<(u64, u64)> {
        self.cpus.get(cpu.index()).map(Cpu::tick_stops)
    }

    /// Does at most `budget` events and appends what ended to `record`.
    ///
    /// Any way of cutting a run into calls gives the same record.
    pub fn run<P: Listener>(&mut self, budget: u64, record: &mut Record, probe: &mut P) -> Progress {
        self.run_to(self.setup.end, budget, record, probe)
    }

    /// As [`Engine::run`], but nothing that happens at `until` or later; is done when nothing is left before that.
    pub fn run_to<P: Listener>(
        &mut self,
        until: Time,
        budget: u64,
        record: &mut Record,
        probe: &mut P,
    ) -> Progress {
        let end = until.min(self.setup.end);
        for _ in 0..budget {
            let (at, cpu) = self.deadlines.earliest();
            let planned = self.workload.peek();
            let sampled = self.clocks.as_ref().map_or(Time::NEVER, Clocks::next_sample);
            // A tick programmed into the past fires at once.
            let next = planned.min(at).min(sampled).max(self.now);
            if next >= end {
                return Progress::Done;
            }
            self.now = next;
            if sampled < planned.min(at) {
                self.sample(record);
            } else if planned <= at {
                self.workload.advance(next, &mut self.effects);
            } else {
                self.at_cpu(cpu, record, probe, |cpu, around, probe| {
                    cpu.on_deadline(around, probe);
                });
            }
            while !self.effects.is_empty() {
                self.deliver(record, probe);
            }
        }
        Progress::Paused { now: self.now }
    }

    /// Appends the periods that are open at the end, marked as not counted.
    pub fn close(&self, record: &mut Record) {
        self.close_at(self.setup.end, record);
    }

    /// As [`Engine::close`], with another end, which is not before now.
    pub fn close_at(&self, end: Time, record: &mut Record) {
        for (cpu, lane) in self.cpus.iter().zip(&mut record.lanes) {
            if let Some(row) = cpu.open_row(end) {
                lane.push(row);
            }
        }
    }

    /// The frequency rule looks.
    fn sample(&mut self, record: &mut Record) {
        if let (Some(clocks), Some(model)) = (&mut self.clocks, &self.setup.machine) {
            clocks.sample(model, self.now);
        }
        self.follow_clock(record);
    }

    /// Takes over what changed in the speed of any CPU.
    fn follow_clock(&mut self, record: &mut Record) {
        let (Some(clocks), Some(model)) = (&mut self.clocks, &self.setup.machine) else {
            return;
        };
        if !clocks.take_changed() {
            return;
        }
        for (index, cpu) in self.cpus.iter_mut().enumerate() {
            cpu.at_speed(clocks.speed(model, index), self.now);
            self.deadlines.set(index, cpu.deadline());
        }
        let khz = clocks.khz();
        if record.frequency.last().is_none_or(|last| last.khz != khz) {
            record.frequency.push(FrequencyChange { at: self.now, khz });
        }
    }

    fn deliver<P: Listener>(&mut self, record: &mut Record, probe: &mut P) {
        let mut effects = std::mem::take(&mut self.effects);
        for interrupt in effects.drain() {
            self.at_cpu(interrupt.cpu.index(), record, probe, |cpu, around, probe| {
                cpu.on_interrupt(interrupt, around, probe);
            });
        }
        if self.effects.is_empty() {
            self.effects = effects;
        }
    }

    /// Lets something happen to one CPU and notes its new deadline.
    fn at_cpu<P: Listener>(
        &mut self,
        index: usize,
        record: &mut Record,
        probe: &mut P,
        what: impl FnOnce(&mut Cpu<G>, &mut Around<'_, W>, &mut P),
    ) {
        let (Some(cpu), Some(lane)) = (self.cpus.get_mut(index), record.lanes.get_mut(index)) else {
            return;
        };
        let mut around = Around {
            now: self.now,
            setup: &self.setup,
            keeping: &mut self.keeping,
            workload: &mut self.workload,
            effects: &mut self.effects,
            clocks: self.clocks.as_mut(),
            lane,
        };
        what(cpu, &mut around, probe);
        self.deadlines.set(index, cpu.deadline());
        if let Some(clocks) = &mut self.clocks {
            clocks.turn(index, cpu.activity(), self.now);
            self.follow_clock(record);
        }
    }
}
