//! Everything about a run that is not the workload: machine, variant, span.

use super::machine::MachineModel;
use crate::cpuidle::poll::PollLimit;
use crate::cpuidle::{Choice, StateMask, StateTable};
use crate::tick;
use crate::units::{Energy, Microwatts, Ns, StateIdx, Time};

/// The latency limit when nobody set one, ns (spec idle-loop-and-tick.md §2.6).
pub const NO_LATENCY_LIMIT: Ns = Ns::from_us(2_000_000_000);

/// One CPU of the machine. CPUs of one machine may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSetup {
    /// Its idle states.
    pub table: StateTable,
    /// Those that are switched off.
    pub disabled: StateMask,
    /// Its capacity, 1 to 1024; 1024 for the largest CPU of the machine.
    pub capacity: u64,
    /// What its states cost; read by the baseline that is ideal by energy only.
    pub costs: StateCosts,
}

/// What each state of a CPU costs by the energy model; empty where no model is at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateCosts(Vec<(Energy, Microwatts)>);

impl StateCosts {
    /// Of every state in order: one entry and exit, and the power while in it.
    #[must_use]
    pub fn new(costs: impl IntoIterator<Item = (Energy, Microwatts)>) -> Self {
        Self(costs.into_iter().collect())
    }

    /// Of a stay of that length, entry and exit included.
    #[must_use]
    pub fn of(&self, state: StateIdx, stay: Ns) -> Option<Energy> {
        let (transition, power) = self.0.get(state.index())?;
        Some(*transition + *power * stay)
    }
}

/// Is there a cpuidle driver?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Driver {
    /// Yes: a governor chooses.
    #[default]
    Present,
    /// No: the architecture's default wait, no governor, no accounting.
    Absent,
}

/// What decides, on what machine, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The CPUs, by number.
    pub cpus: Vec<CpuSetup>,
    /// The governor of every CPU.
    pub governor: Choice,
    /// The tick.
    pub tick: tick::Config,
    /// How long the polling state polls.
    pub poll_limit: PollLimit,
    /// The strictest latency limit, ns; [`NO_LATENCY_LIMIT`] when there is none.
    pub latency_req: Ns,
    /// How much of the listed exit latency a wakeup really pays, 0 to 100 per cent.
    pub exit_latency_percent: u8,
    /// Whether anything chooses at all.
    pub driver: Driver,
    /// What kernel code costs and how fast the clock runs; none where code takes no time, as in a replay.
    pub machine: Option<MachineModel>,
    /// First instant.
    pub start: Time,
    /// Last instant; nothing happens after it.
    pub end: Time,
}
