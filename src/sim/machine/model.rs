//! The parameters of a machine. Where their values come from is said beside each set of them.

use super::FrequencyRule;
use crate::units::{Microwatts, Ns, StateIdx};

/// A number of clock cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycles(u64);

impl Cycles {
    /// None.
    pub const ZERO: Self = Self(0);

    /// `n` cycles.
    #[must_use]
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// `n` hundred cycles: a tenth of the unit in which specifications give them.
    #[must_use]
    pub const fn from_hundreds(n: u64) -> Self {
        Self(n * 100)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The cycles of so much time at 1 GHz; 0 for a negative time.
    #[must_use]
    pub fn of_gigahertz(time: Ns) -> Self {
        Self(u64::try_from(time.as_ns()).unwrap_or_default())
    }

    /// How long they take at `khz`, rounded up; at 0 kHz as long as can be.
    #[must_use]
    pub fn at(self, khz: u32) -> Ns {
        let ns = (u128::from(self.0) * 1_000_000).div_ceil(u128::from(khz.max(1)));
        Ns::new(i64::try_from(ns).unwrap_or(i64::MAX))
    }

    /// How many pass in `time` at `khz`, rounded down.
    #[must_use]
    pub fn within(time: Ns, khz: u32) -> Self {
        let ns = u128::try_from(time.as_ns()).unwrap_or_default();
        Self(u64::try_from(ns * u128::from(khz) / 1_000_000).unwrap_or(u64::MAX))
    }
}

impl std::ops::Add for Cycles {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// What kernel code around an idle period costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeCosts {
    /// Going idle, governor included, up to the entry of a state; half of it when the CPU stays idle and asks again.
    pub entry: Cycles,
    /// From the state's exit to the task.
    pub exit: Cycles,
    /// Leaving the polling loop.
    pub poll_exit: Cycles,
    /// Stopping the tick.
    pub tick_stop: Cycles,
    /// Restarting it.
    pub tick_restart: Cycles,
    /// A tick's handler in idle.
    pub tick_handler: Cycles,
}

/// What leaving a state costs beside kernel code: the effective latency, not the listed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateExit {
    /// The part that does not depend on the clock.
    pub fixed: Ns,
    /// The part that does.
    pub cycles: Cycles,
    /// What it costs instead while another thread keeps the core awake.
    pub beside_sibling: Cycles,
}

/// One CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCpu {
    /// Its core; CPUs of one core are its threads.
    pub core: u16,
    /// By state.
    pub exits: Vec<StateExit>,
}

/// How fast a thread runs beside the other one of its core, per mille of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smt {
    /// While that one runs.
    pub beside_running: u16,
    /// While that one polls.
    pub beside_polling: u16,
}

impl Smt {
    /// Threads do not disturb each other.
    pub const NONE: Self = Self {
        beside_running: 1_000,
        beside_polling: 1_000,
    };
}

/// The clock that all cores share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// The lowest, kHz.
    pub min_khz: u32,
    /// The highest with these cores active, kHz.
    pub max_khz: u32,
    /// Distance of the steps between, kHz.
    pub step_khz: u32,
    /// At the start, kHz.
    pub start_khz: u32,
    /// Who sets it.
    pub rule: FrequencyRule,
}

impl Frequency {
    /// The lowest step that is not below `khz`.
    #[must_use]
    pub fn at_least(&self, khz: u32) -> u32 {
        let above = khz.saturating_sub(self.min_khz).div_ceil(self.step_khz.max(1));
        (self.min_khz + above * self.step_khz.max(1)).clamp(self.min_khz, self.max_khz)
    }

    /// All steps, ascending.
    pub fn steps(&self) -> impl Iterator<Item = u32> + use<> {
        let (min, max) = (self.min_khz, self.max_khz);
        let step = usize::try_from(self.step_khz.max(1)).unwrap_or(usize::MAX);
        (min..=max).step_by(step)
    }
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineModel {
    /// What kernel code costs.
    pub code: CodeCosts,
    /// What an interrupt from another CPU takes to arrive at a CPU that does not poll.
    pub ipi: Ns,
    /// The CPUs, by number.
    pub cpus: Vec<ModelCpu>,
    /// What threads of a core do to each other.
    pub smt: Smt,
    /// The clock.
    pub frequency: Frequency,
    /// How busy each CPU was before the start, 0 to its capacity.
    pub start_utilization: u64,
    /// What it draws.
    pub power: ModelPower,
}

/// What one core draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorePower {
    /// While any of its threads is awake, beside what these draw.
    pub awake: Microwatts,
    /// A running thread.
    pub thread: Microwatts,
    /// While all its threads are in states: by the shallowest of these.
    pub states: Vec<Microwatts>,
    /// So many of the states, the shallowest, follow the clock as running code does.
    pub scaled_states: usize,
}

/// What a machine draws. All but the floors is for the highest clock and falls with its `exponent`-th power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelPower {
    /// Whatever else happens, while any core is awake or in a shallow state.
    pub floor: Microwatts,
    /// While every core is in a deep state.
    pub floor_asleep: Microwatts,
    /// The shallowest of those.
    pub asleep_from: StateIdx,
    /// By core.
    pub cores: Vec<CorePower>,
    /// How the power follows the clock, per mille.
    pub exponent_per_mille: u32,
    /// What a polling thread draws, tenths of a running one.
    pub polling_tenths: u8,
    /// What a thread on its way out of a state draws, tenths of a running one.
    pub exiting_tenths: u8,
}

impl ModelPower {
    /// Of a machine whose power is not modelled.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            floor: Microwatts::new(0),
            floor_asleep: Microwatts::new(0),
            asleep_from: StateIdx::ZERO,
            cores: Vec::new(),
            exponent_per_mille: 1_000,
            polling_tenths: 10,
            exiting_tenths: 10,
        }
    }
}
