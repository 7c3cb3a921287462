//! Idle states and their table, validated once.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::units::{Ns, StateIdx};

/// The kernel's limit of idle states per CPU.
pub const MAX_STATES: usize = 10;

/// The longest exit latency or target residency that a table may hold: one hour.
const MAX_TIME: Ns = Ns::new(3_600_000_000_000);

/// One entry of the driver's table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IdleState {
    /// The driver's name of the state, such as `C1E` or `WFI`.
    pub name: String,
    /// Worst time from the wakeup event until the CPU runs again, ns.
    pub exit_latency: Ns,
    /// Shortest stay, entry included, that pays off against shallower states, ns.
    pub target_residency: Ns,
    /// A loop that polls for work; the CPU does not sleep.
    pub polling: bool,
    /// The CPU's own timer stops in this state.
    pub timer_stop: bool,
}

/// Why a table was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StateTableError {
    /// No state at all.
    #[error("a table needs at least one idle state")]
    Empty,
    /// More states than the kernel can hold.
    #[error("a table holds at most {MAX_STATES} idle states, found {found}")]
    TooMany {
        /// How many there were.
        found: usize,
    },
    /// A time outside 0 s to 1 h.
    #[error("{field} must be between 0 and 3 600 s, found {found_ns} ns in state {name}")]
    Time {
        /// `exit latency` or `target residency`.
        field: &'static str,
        /// The value found, ns.
        found_ns: i64,
        /// The state's name.
        name: String,
    },
}

/// The idle states of one CPU, shallowest first.
///
/// One to [`MAX_STATES`] states with times between 0 and one hour. Neither
/// ascending residencies nor distinct ones are required: real tables violate
/// both, and the kernel's governors define what happens then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateTable {
    states: Vec<IdleState>,
    target_residency: [Ns; MAX_STATES],
    exit_latency: [Ns; MAX_STATES],
    polling: StateMask,
}

impl StateTable {
    /// Checks and takes a table.
    ///
    /// # Errors
    /// See [`StateTableError`].
    pub fn new(states: Vec<IdleState>) -> Result<Self, StateTableError> {
        if states.is_empty() {
            return Err(StateTableError::Empty);
        }
        if states.len() > MAX_STATES {
            return Err(StateTableError::TooMany { found: states.len() });
        }
        let mut target_residency = [Ns::ZERO; MAX_STATES];
        let mut exit_latency = [Ns::ZERO; MAX_STATES];
        let mut polling = StateMask::NONE;
        for (n, state) in (0u8..).zip(&states) {
            let times = [
                ("exit latency", state.exit_latency),
                ("target residency", state.target_residency),
            ];
            for (field, time) in times {
                if time < Ns::ZERO || time > MAX_TIME {
                    return Err(StateTableError::Time {
                        field,
                        found_ns: time.as_ns(),
                        name: state.name.clone(),
                    });
                }
            }
            let idx = StateIdx::new(n);
            target_residency[idx.index()] = state.target_residency;
            exit_latency[idx.index()] = state.exit_latency;
            if state.polling {
                polling = polling.with(idx);
            }
        }
        Ok(Self {
            states,
            target_residency,
            exit_latency,
            polling,
        })
    }

    /// Number of states, 1 to [`MAX_STATES`].
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The deepest state.
    #[must_use]
    pub fn last(&self) -> StateIdx {
        self.indices().next_back().unwrap_or_default()
    }

    /// All indices, shallowest first.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = StateIdx> + ExactSizeIterator + use<> {
        let len = u8::try_from(self.states.len()).unwrap_or(u8::MAX);
        (0..len).map(StateIdx::new)
    }

    /// The states, shallowest first.
    #[must_use]
    pub fn states(&self) -> &[IdleState] {
        &self.states
    }

    /// One state, if the table has it.
    #[must_use]
    pub fn get(&self, idx: StateIdx) -> Option<&IdleState> {
        self.states.get(idx.index())
    }

    /// Target residency, ns; zero past the end, as the kernel's zeroed array reads.
    #[must_use]
    #[inline]
    pub fn target_residency(&self, idx: StateIdx) -> Ns {
        self.target_residency
            .get(idx.index())
            .copied()
            .unwrap_or(Ns::ZERO)
    }

    /// Exit latency, ns; zero past the end.
    #[must_use]
    #[inline]
    pub fn exit_latency(&self, idx: StateIdx) -> Ns {
        self.exit_latency.get(idx.index()).copied().unwrap_or(Ns::ZERO)
    }

    /// Whether the state polls.
    #[must_use]
    #[inline]
    pub fn is_polling(&self, idx: StateIdx) -> bool {
        self.polling.contains(idx)
    }
}

/// A set of idle states, bit *i* for state *i*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StateMask(u16);

impl StateMask {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set with these bits.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The bits of the set.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether `idx` is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, idx: StateIdx) -> bool {
        idx.number() < 16 && self.0 & (1 << idx.number()) != 0
    }

    /// The set with `idx` added.
    #[must_use]
    pub const fn with(self, idx: StateIdx) -> Self {
        if idx.number() < 16 {
            Self(self.0 | (1 << idx.number()))
        } else {
            self
        }
    }

    /// The set with `idx` removed.
    #[must_use]
    pub const fn without(self, idx: StateIdx) -> Self {
        if idx.number() < 16 {
            Self(self.0 & !(1 << idx.number()))
        } else {
            self
        }
    }
}
