//! How long each core spent at which frequency doing what: all that a power model needs afterwards.

use crate::cpuidle::MAX_STATES;
use crate::units::{Ns, StateIdx};

/// What a core was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreKind {
    /// At least one thread is awake: the activity of all its threads, in tenths of a running one, 0 to 20.
    Awake {
        /// A thread that runs tasks or kernel code counts 10; a polling one, and one on its way out of a state, what
        /// the model says.
        tenths: u8,
    },
    /// All threads are in states; the shallowest of them.
    Asleep(StateIdx),
}

/// Time of one core in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreUse {
    /// The core.
    pub core: u16,
    /// The clock, kHz.
    pub khz: u32,
    /// What it did.
    pub kind: CoreKind,
    /// For how long.
    pub time: Ns,
}

/// Time during which every core was asleep, by the shallowest state of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asleep {
    /// The state.
    pub state: StateIdx,
    /// For how long.
    pub time: Ns,
}

const AWAKE: usize = 21;
const KINDS: usize = AWAKE + MAX_STATES;

/// The whole table.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    steps: Vec<u32>,
    cores: usize,
    /// By step, core, kind.
    time: Vec<[Ns; KINDS]>,
    package: [Ns; MAX_STATES],
}

impl Usage {
    pub(in crate::sim) fn new(steps: Vec<u32>, cores: usize) -> Self {
        Self {
            time: vec![[Ns::ZERO; KINDS]; steps.len() * cores],
            steps,
            cores,
            package: [Ns::ZERO; MAX_STATES],
        }
    }

    /// The place of a frequency among the steps; the nearest above one that is none of them.
    pub(in crate::sim) fn step(&self, khz: u32) -> usize {
        self.steps
            .partition_point(|step| *step < khz)
            .min(self.steps.len().saturating_sub(1))
    }

    pub(in crate::sim) fn add(&mut self, step: usize, core: usize, kind: CoreKind, time: Ns) {
        let kind = match kind {
            CoreKind::Awake { tenths } => usize::from(tenths).min(AWAKE - 1),
            CoreKind::Asleep(state) => AWAKE + state.index().min(MAX_STATES - 1),
        };
        let row = self.time.get_mut(step * self.cores + core);
        if let Some(slot) = row.and_then(|row| row.get_mut(kind)) {
            *slot += time;
        }
    }

    pub(in crate::sim) fn add_package(&mut self, state: StateIdx, time: Ns) {
        if let Some(slot) = self.package.get_mut(state.index()) {
            *slot += time;
        }
    }

    /// Every entry that is not zero.
    pub fn entries(&self) -> impl Iterator<Item = CoreUse> + '_ {
        let cores = self.cores.max(1);
        self.time.iter().enumerate().flat_map(move |(row, kinds)| {
            let khz = self.steps.get(row / cores).copied().unwrap_or_default();
            let core = u16::try_from(row % cores).unwrap_or(u16::MAX);
            let used = kinds.iter().enumerate().filter(|(_, time)| **time > Ns::ZERO);
            used.map(move |(kind, time)| CoreUse {
                core,
                khz,
                kind: match kind.checked_sub(AWAKE) {
                    None => CoreKind::Awake {
                        tenths: u8::try_from(kind).unwrap_or(20),
                    },
                    Some(state) => CoreKind::Asleep(StateIdx::new(u8::try_from(state).unwrap_or_default())),
                },
                time: *time,
            })
        })
    }

    /// Time during which every core was asleep, by the shallowest state of any.
    pub fn package(&self) -> impl Iterator<Item = Asleep> + '_ {
        (0..)
            .map(StateIdx::new)
            .zip(self.package)
            .map(|(state, time)| Asleep { state, time })
    }

    /// What was added since `before`, which is an earlier value of this table.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = self.clone();
        for (now, then) in since.time.iter_mut().flatten().zip(before.time.iter().flatten()) {
            *now = *now - *then;
        }
        for (now, then) in since.package.iter_mut().zip(before.package) {
            *now = *now - then;
        }
        since
    }
}
