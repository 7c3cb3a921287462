//! Closed-loop workloads of a question: the machine on which their code takes time, and what their loops gave.

use serde::{Deserialize, Serialize};

use super::Session;
use super::rig::{Rig, RigCpu};
use super::work::Work;
use crate::energy::package;
use crate::page::doc::{Doc, Side};
use crate::sim::Engine;
use crate::sim::machine::{Cycles, Frequency, FrequencyRule, MachineModel, ModelCpu, Spent, StateExit};
use crate::units::{CpuId, Energy, Microwatts, Ns};
use crate::workload::closed::{self, PhoneLoad};

/// Which closed-loop load, as far as the machine must know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Tasks that pass tokens.
    Exchange,
    /// A phone.
    Phone(PhoneLoad),
    /// Sources of wakeups that do not depend on one another, a busy server, a queue of requests.
    Other,
}

/// Which set of parameters a machine has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Parameters {
    /// Of the Sandy Bridge desktop.
    SandyBridge,
    /// Of the Haswell desktop.
    Haswell,
    /// Of the phone.
    Pixel6,
    /// None of its own: costs of kernel code as on the Haswell at 1 GHz, listed exit latencies, one thread per core,
    /// a fixed clock, no power.
    #[default]
    Generic,
}

impl Parameters {
    /// Their names in the file of machines.
    pub const NAMED: [(&'static str, Self); 3] = [
        ("sandy-bridge", Self::SandyBridge),
        ("haswell", Self::Haswell),
        ("pixel6", Self::Pixel6),
    ];

    /// Its clock.
    #[must_use]
    pub fn clock(self) -> Frequency {
        model_of(self).frequency
    }

    /// Where they are from, one sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::SandyBridge => {
                "Costs fitted once to pipe-test on an i7-2600K of 2019; one set for all governors"
            }
            Self::Haswell => "Costs fitted once to pipe-test on a Haswell of 2016; one set for all governors",
            Self::Pixel6 => {
                "Shape from published data of a Pixel 6, load parameters assumed; utilisation is read fresh"
            }
            Self::Generic => {
                "No parameters of its own: listed exit latencies, assumed code costs, a fixed clock, no power"
            }
        }
    }
}

/// The machine of a question.
pub(super) fn model(rig: &Rig, load: Closed, doc: &Doc) -> MachineModel {
    let parameters = rig.parameters;
    let cpus = u16::try_from(rig.cpus.len()).unwrap_or(u16::MAX);
    let mut model = documented(parameters, doc.frequency, load, cpus);
    pay_tick(doc, &mut model);
    doc.costs.apply(&mut model);
    if let Some(khz) = doc.start_mhz.and_then(|mhz| mhz.checked_mul(1_000)) {
        model.frequency.start_khz = model.frequency.at_least(khz);
    }
    // CPUs beyond the set are cores of their own. Only a machine's own states have the set's effective latencies.
    let cores = model
        .cpus
        .iter()
        .map(|cpu| cpu.core + 1)
        .max()
        .unwrap_or_default();
    let has_own = parameters != Parameters::Generic && rig.is_own();
    model.cpus = (0..)
        .zip(&rig.cpus)
        .map(|(n, cpu)| match model.cpus.get(usize::from(n)) {
            Some(own) if has_own && own.exits.len() == cpu.table.len() => paid(own, doc.exit_percent),
            Some(own) => listed(own.core, cpu, doc.exit_percent),
            None => listed(cores + n, cpu, doc.exit_percent),
        })
        .collect();
    model
}

/// The documented set of a machine; `cpus` counts where it has none of its own.
fn documented(parameters: Parameters, rule: FrequencyRule, load: Closed, cpus: u16) -> MachineModel {
    match (parameters, load) {
        (Parameters::SandyBridge, _) => closed::sandy_bridge(rule),
        (Parameters::Haswell, _) => closed::haswell(rule),
        (Parameters::Pixel6, Closed::Phone(load)) => closed::pixel6(load),
        (Parameters::Pixel6, _) => closed::pixel6(PhoneLoad::Light),
        (Parameters::Generic, _) => closed::busy_server(cpus),
    }
}

/// The documented set of a machine, as far as it does not depend on the workload.
pub(in crate::page) fn model_of(parameters: Parameters) -> MachineModel {
    documented(parameters, FrequencyRule::default(), Closed::Other, 1)
}

/// The question's cost of stopping and restarting the tick, half of it each, at the highest clock.
pub(in crate::page) fn pay_tick(doc: &Doc, model: &mut MachineModel) {
    if let Some(cost) = doc.tick_cost {
        let half = Cycles::within(cost / 2, model.frequency.max_khz);
        (model.code.tick_stop, model.code.tick_restart) = (half, half);
    }
}

/// The set's effective latencies, of which only so much is paid.
fn paid(own: &ModelCpu, percent: u8) -> ModelCpu {
    let share = |cycles: Cycles| Cycles::new(cycles.get() * u64::from(percent) / 100);
    let exit = |exit: &StateExit| StateExit {
        fixed: exit.fixed * i64::from(percent) / 100,
        cycles: share(exit.cycles),
        beside_sibling: share(exit.beside_sibling),
    };
    ModelCpu {
        core: own.core,
        exits: own.exits.iter().map(exit).collect(),
    }
}

fn listed(core: u16, cpu: &RigCpu, percent: u8) -> ModelCpu {
    let exit = |latency: Ns| StateExit {
        fixed: latency * i64::from(percent) / 100,
        cycles: Cycles::ZERO,
        beside_sibling: Cycles::within(latency * i64::from(percent) / 100, 1_000_000),
    };
    let table = &cpu.table;
    ModelCpu {
        core,
        exits: table
            .indices()
            .map(|idx| {
                if table.is_polling(idx) {
                    StateExit::default()
                } else {
                    exit(table.exit_latency(idx))
                }
            })
            .collect(),
    }
}

/// What a closed-loop run gave, after the first quarter of its span, in which clocks and memories settle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// The set of parameters.
    pub parameters: Parameters,
    /// The span measured, ns.
    pub span: Ns,
    /// Sends of all tasks. None where nothing loops.
    pub sends: Option<u64>,
    /// Rings that pass a token, most of them pairs.
    pub rings: u64,
    /// So many sends are a loop: the tasks of a ring.
    pub sends_per_loop: u64,
    /// Requests that were answered; none where nothing is asked for.
    pub requests: Option<u64>,
    /// Mean time from a request's arrival to its end; none where requests do not queue.
    pub response: Option<Ns>,
    /// Frames that were done before the next one; none where none are drawn.
    pub frames: Option<u64>,
    /// Bytes that were read; none where none are.
    pub bytes: Option<u64>,
    /// Mean power of the whole machine; none where it is not modelled. An estimate.
    pub power: Option<Microwatts>,
    /// Its energy.
    pub energy: Option<Energy>,
    /// The clock at the end, kHz.
    pub khz: u32,
    /// The highest it can be.
    pub max_khz: u32,
    /// The lowest.
    pub min_khz: u32,
    /// Who set it; none where there is one clock only.
    pub rule: Option<FrequencyRule>,
    /// Share of time in tasks, per mille, by CPU.
    pub busy_per_mille: Vec<i64>,
    /// Where the time of the CPUs that ran tasks went, together.
    pub spent: Spent,
    /// Tick stops, all CPUs.
    pub tick_stops: u64,
}

impl Loops {
    /// Mean time of a loop, ns; none where nothing loops.
    #[must_use]
    pub fn loop_time(&self) -> Option<Ns> {
        let loops = i64::try_from(self.loops()?).ok().filter(|loops| *loops > 0)?;
        let rings = i64::try_from(self.rings).ok()?;
        Some(Ns::new(self.span.as_ns().checked_mul(rings)? / loops))
    }

    /// Loops of all rings together; none where nothing loops.
    #[must_use]
    pub fn loops(&self) -> Option<u64> {
        self.sends?.checked_div(self.sends_per_loop)
    }

    /// What the whole machine draws while one ring loops once, as published tables have it; none where it is not known.
    #[must_use]
    pub fn loop_energy(&self) -> Option<Energy> {
        let loops = i128::from(self.loops()?);
        let of_all = self.energy?.as_fj().checked_mul(self.rings.into())?;
        Some(Energy::from_fj(of_all.checked_div(loops)?))
    }
}

/// What a workload counts from its start on.
#[derive(Default)]
struct Counted {
    sends: Option<u64>,
    requests: Option<u64>,
    frames: Option<u64>,
    bytes: Option<u64>,
    /// Sum of the times from arrival to end.
    response: Option<Ns>,
}

impl Counted {
    fn of(work: &Work) -> Self {
        match work {
            Work::Exchange(work) => Self {
                sends: Some(work.sends()),
                ..Self::default()
            },
            Work::Sources(work) => Self {
                requests: work.answers().then(|| work.requests()),
                frames: work.frames(),
                bytes: work.bytes(),
                ..Self::default()
            },
            Work::Phone(work) => Self {
                frames: work.frames(),
                ..Self::default()
            },
            Work::Queue(work) => Self {
                requests: Some(work.served().0),
                response: Some(work.served().1),
                ..Self::default()
            },
            _ => Self::default(),
        }
    }
}

impl Session {
    /// The highest clock of the machine on which a variant ran, kHz; none where none is modelled.
    pub(super) fn clock_limit(&self, side: Side) -> Option<u32> {
        let engine = self.results.as_ref()?.side(side)?.finished.run.engine();
        Some(engine.setup().machine.as_ref()?.frequency.max_khz)
    }

    /// The engine of one variant at the end of its run, and with it the setup; none for a variant that is off.
    #[must_use]
    pub fn engine(&self, side: Side) -> Option<&Engine<Work>> {
        Some(self.results.as_ref()?.side(side)?.finished.run.engine())
    }

    /// The workload of the last finished question as a run begins with it; none when nothing was run.
    #[must_use]
    pub fn fresh(&self) -> Option<Work> {
        let rig = self.results.as_ref()?.plan.rig.as_ref()?;
        self.source.work(rig.cpus.len(), rig.parameters)
    }

    /// What the closed loop of one variant gave; none for other workloads.
    #[must_use]
    pub fn loops(&self, side: Side) -> Option<Loops> {
        let results = self.results.as_ref()?;
        let finished = &results.side(side)?.finished;
        let engine = finished.run.engine();
        let setup = engine.setup();
        let model = setup.machine.as_ref()?;
        let end = finished.run.record().end;
        let whole = end.saturating_since(setup.start);
        let warm = setup.start.saturating_add(whole / 4);
        // The clones of the run know what had been reached by then.
        let before = finished
            .run
            .checkpoints()
            .iter()
            .find(|clone| clone.now() >= warm);
        let since = before.map_or(setup.start, Engine::now);
        let span = end.saturating_since(since);
        let usage = engine.usage(end)?;
        let usage = match before.and_then(|before| before.usage(since)) {
            Some(before) => usage.since(&before),
            None => usage,
        };
        let energy = (!model.power.cores.is_empty())
            .then(|| package::drawn(&model.power, &usage, model.frequency.max_khz, span));
        let cpus = (0..u16::try_from(setup.cpus.len()).unwrap_or(u16::MAX)).map(CpuId::new);
        let spent = |cpu| {
            let until = engine.spent(cpu, end).unwrap_or_default();
            let earlier = before.and_then(|before| before.spent(cpu, since));
            until.since(earlier.unwrap_or_default())
        };
        let spent: Vec<Spent> = cpus.clone().map(spent).collect();
        let stops = |engine: &Engine<Work>, cpu| engine.tick_stops(cpu).map_or(0, |(_, stops)| stops);
        let now = Counted::of(engine.workload());
        let earlier = before
            .map(|before| Counted::of(before.workload()))
            .unwrap_or_default();
        let since_warm = |now: Option<u64>, then: Option<u64>| now.map(|now| now - then.unwrap_or_default());
        let requests = since_warm(now.requests, earlier.requests);
        let (rings, sends_per_loop) = match engine.workload() {
            Work::Exchange(work) => (work.rings(), work.sends_per_loop()),
            _ => (0, 1),
        };
        Some(Loops {
            parameters: results.plan.rig.as_ref()?.parameters,
            span,
            sends: since_warm(now.sends, earlier.sends),
            rings,
            sends_per_loop,
            requests,
            frames: since_warm(now.frames, earlier.frames),
            bytes: since_warm(now.bytes, earlier.bytes),
            response: now
                .response
                .zip(requests.and_then(|all| i64::try_from(all).ok()))
                .and_then(|(sum, requests)| {
                    let sum = sum - earlier.response.unwrap_or(Ns::ZERO);
                    (requests > 0).then(|| sum / requests)
                }),
            power: energy.map(|energy| package::mean(energy, span)),
            energy,
            khz: engine.khz()?,
            max_khz: model.frequency.max_khz,
            min_khz: model.frequency.min_khz,
            rule: (model.frequency.min_khz < model.frequency.max_khz).then_some(model.frequency.rule),
            busy_per_mille: spent
                .iter()
                .map(|spent| spent.tasks.as_ns() * 1_000 / span.as_ns().max(1))
                .collect(),
            spent: spent
                .into_iter()
                .filter(|spent| spent.tasks > Ns::ZERO)
                .fold(Spent::default(), Spent::and),
            tick_stops: cpus
                .map(|cpu| stops(engine, cpu) - before.map_or(0, |before| stops(before, cpu)))
                .sum(),
        })
    }
}
