//! What an energy figure was computed from.

use serde::{Deserialize, Serialize};

use crate::cpuidle::StateTable;
use crate::units::{Microwatts, Ns};

/// Power of a running CPU when nobody says another: 1 W, a unit rather than a measurement.
pub const DEFAULT_ACTIVE: Microwatts = Microwatts::new(1_000_000);

/// Each sleeping state's default power as a share of the next shallower one's, per mille (energy.md §3).
pub const DEFAULT_RATIO_PER_MILLE: u32 = 550;

/// Time that one tick's handler keeps a CPU running, within the 2 to 10 µs of energy.md §4.
pub const DEFAULT_TICK_HANDLER: Ns = Ns::from_us(5);

/// Time that stopping plus restarting the tick keeps a CPU running, within the two times 0.5 to 2 µs of
/// energy.md §4.
pub const DEFAULT_TICK_STOP: Ns = Ns::from_us(1);

/// The power of one idle state, and where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Power {
    /// By the default rule: polling as active, each sleeping state [`DEFAULT_RATIO_PER_MILLE`] of the one
    /// before it.
    #[default]
    Assumed,
    /// A teaching machine's: made to look plausible, measured by nobody.
    Illustrative(Microwatts),
    /// The user's.
    Given(Microwatts),
}

/// Everything that energy figures depend on besides the record and the state table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Assumptions {
    /// Per state, shallowest first; states beyond the end are [`Power::Assumed`].
    pub powers: Vec<Power>,
    /// Power of the running CPU; `None` leaves it to [`Assumptions::active_of`].
    pub active: Option<Microwatts>,
    /// Default power of a sleeping state relative to the next shallower one, per mille, 1 to 999.
    pub ratio_per_mille: u32,
    /// Time of one tick's handler, ns.
    pub tick_handler: Ns,
    /// Time of stopping plus restarting the tick, ns.
    pub tick_stop: Ns,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            powers: Vec::new(),
            active: None,
            ratio_per_mille: DEFAULT_RATIO_PER_MILLE,
            tick_handler: DEFAULT_TICK_HANDLER,
            tick_stop: DEFAULT_TICK_STOP,
        }
    }
}

impl Assumptions {
    /// What is known of the power of state `n`.
    #[must_use]
    pub fn power(&self, n: usize) -> Power {
        self.powers.get(n).copied().unwrap_or_default()
    }

    /// Power of the running CPU.
    ///
    /// When nobody gives it, it follows the illustrative powers of the table's first state: that
    /// state's own when it polls, else what the default ratio makes of it; [`DEFAULT_ACTIVE`] when
    /// there are none. Powers given by the user do not move it, so an edit of one state changes no
    /// other.
    #[must_use]
    pub fn active_of(&self, table: &StateTable) -> Microwatts {
        if let Some(active) = self.active {
            return active;
        }
        let first_polls = table.states().first().is_some_and(|state| state.polling);
        match self.power(0) {
            Power::Illustrative(power) if first_polls => power,
            Power::Illustrative(power) => {
                let active = u64::from(power.as_uw()) * 1_000 / u64::from(self.ratio_per_mille.clamp(1, 999));
                Microwatts::new(u32::try_from(active).unwrap_or(u32::MAX))
            }
            Power::Assumed | Power::Given(_) => DEFAULT_ACTIVE,
        }
    }

    /// Power of every state of `table`, shallowest first.
    #[must_use]
    pub fn powers_of(&self, table: &StateTable) -> Vec<Microwatts> {
        let ratio = u64::from(self.ratio_per_mille.clamp(1, 999));
        let mut assumed = u64::from(self.active_of(table).as_uw());
        let mut powers = Vec::with_capacity(table.len());
        for (n, state) in table.states().iter().enumerate() {
            if !state.polling {
                assumed = assumed * ratio / 1_000;
            }
            powers.push(match self.power(n) {
                Power::Assumed => Microwatts::new(u32::try_from(assumed).unwrap_or(u32::MAX)),
                Power::Illustrative(power) | Power::Given(power) => power,
            });
        }
        powers
    }

    /// Whether the power of at least one state of a table with `states` states is not the user's:
    /// then only ratios mean something (energy.md §3).
    #[must_use]
    pub fn relative(&self, states: usize) -> bool {
        (0..states).any(|n| !matches!(self.power(n), Power::Given(_)))
    }
}
