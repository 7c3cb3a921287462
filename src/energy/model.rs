//! The break-even model: what a stay of a given length costs in each state.
//!
//! ```text
//!  energy     state 0 /      state 1 /
//!    |               /          /          E_i(d) = e_i + p_i * d
//!    |              /      /               curves of neighbours cross at the
//!    |   e_1 ______/__/                    deeper one's target residency
//!    |          / X
//!    |   /    /   |
//!    +-----------tau_1------------ d
//! ```

use super::Assumptions;
use crate::cpuidle::{StateMask, StateTable};
use crate::units::{Energy, Microwatts, Ns, StateIdx};

/// Where the model's conditions do not hold (energy.md §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Warning {
    /// Same target residency as the state before: the shallower of the two is never strictly best.
    EqualResidency {
        /// The deeper of the two.
        state: StateIdx,
    },
    /// A smaller target residency than the state before, as some firmware has it.
    DecreasingResidency {
        /// The deeper of the two.
        state: StateIdx,
    },
    /// Not less power than the state before.
    NonDecreasingPower {
        /// The deeper of the two.
        state: StateIdx,
    },
}

/// Powers and transition energies of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    powers: Vec<Microwatts>,
    transitions: Vec<Energy>,
    active: Microwatts,
    tick_handler: Ns,
    tick_stop: Ns,
    relative: bool,
    warnings: Vec<Warning>,
}

impl Model {
    /// Derives the model from the whole table: `e_0 = 0`, `e_i = e_{i-1} + (p_{i-1} - p_i) * tau_i`.
    #[must_use]
    pub fn new(table: &StateTable, assumptions: &Assumptions) -> Self {
        let powers = assumptions.powers_of(table);
        let mut transitions = Vec::with_capacity(powers.len());
        let mut warnings = Vec::new();
        let mut transition = Energy::ZERO;
        let mut shallower: Option<(Microwatts, Ns)> = None;
        for (idx, &power) in table.indices().zip(&powers) {
            let target = table.target_residency(idx);
            if let Some((before, before_target)) = shallower {
                transition = transition + before * target - power * target;
                if power >= before {
                    warnings.push(Warning::NonDecreasingPower { state: idx });
                }
                if target < before_target {
                    warnings.push(Warning::DecreasingResidency { state: idx });
                } else if target == before_target {
                    warnings.push(Warning::EqualResidency { state: idx });
                }
            }
            transitions.push(transition);
            shallower = Some((power, target));
        }
        Self {
            transitions,
            active: assumptions.active_of(table),
            tick_handler: assumptions.tick_handler,
            tick_stop: assumptions.tick_stop,
            relative: assumptions.relative(table.len()),
            powers,
            warnings,
        }
    }

    /// Number of states.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.powers.len()
    }

    /// Power while in `idx`; of the deepest state when the table ends before it.
    #[must_use]
    pub fn power(&self, idx: StateIdx) -> Microwatts {
        self.powers
            .get(idx.index())
            .or(self.powers.last())
            .copied()
            .unwrap_or_default()
    }

    /// Energy of one entry and exit of `idx` beyond that of state 0; of the deepest state when the
    /// table ends before it.
    #[must_use]
    pub fn transition(&self, idx: StateIdx) -> Energy {
        self.transitions
            .get(idx.index())
            .or(self.transitions.last())
            .copied()
            .unwrap_or_default()
    }

    /// Power of the running CPU.
    #[must_use]
    pub fn active(&self) -> Microwatts {
        self.active
    }

    /// Energy of one tick's handler.
    #[must_use]
    pub fn tick(&self) -> Energy {
        self.active * self.tick_handler
    }

    /// Energy of stopping and restarting the tick once.
    #[must_use]
    pub fn tick_stop(&self) -> Energy {
        self.active * self.tick_stop
    }

    /// Energy of a stay of length `d` (select to wakeup event) in `idx`, entry and exit included.
    #[must_use]
    pub fn energy(&self, idx: StateIdx, d: Ns) -> Energy {
        self.transition(idx) + self.power(idx) * d
    }

    /// The cheapest of the `allowed` states for a stay of length `d`, the deepest of equals; `None`
    /// when none is allowed.
    #[must_use]
    pub fn best(&self, d: Ns, allowed: StateMask) -> Option<StateIdx> {
        let mut best: Option<(StateIdx, Energy)> = None;
        for (n, (power, transition)) in (0u8..).zip(self.powers.iter().zip(&self.transitions)) {
            let idx = StateIdx::new(n);
            if !allowed.contains(idx) {
                continue;
            }
            let energy = *transition + *power * d;
            if best.is_none_or(|(_, least)| energy <= least) {
                best = Some((idx, energy));
            }
        }
        best.map(|(idx, _)| idx)
    }

    /// At least one power is assumed or illustrative: only ratios mean something.
    #[must_use]
    pub fn relative(&self) -> bool {
        self.relative
    }

    /// Where the model's conditions do not hold, shallowest state first.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// The states that a governor may use: enabled, and with an exit latency within the limit.
///
/// State 0 stays allowed when nothing else is, as the kernel's governors fall back to it.
#[must_use]
pub fn allowed(table: &StateTable, disabled: StateMask, latency_limit: Option<Ns>) -> StateMask {
    let mask = table
        .indices()
        .filter(|idx| !disabled.contains(*idx))
        .filter(|idx| latency_limit.is_none_or(|limit| table.exit_latency(*idx) <= limit))
        .fold(StateMask::NONE, StateMask::with);
    if mask == StateMask::NONE {
        mask.with(StateIdx::ZERO)
    } else {
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::super::Power;
    use super::*;
    use crate::cpuidle::IdleState;

    fn table(states: &[(i64, bool)]) -> StateTable {
        let states = states
            .iter()
            .map(|&(target_us, polling)| IdleState {
                name: String::from("s"),
                exit_latency: Ns::from_us(1),
                target_residency: Ns::from_us(target_us),
                polling,
                timer_stop: false,
            })
            .collect();
        StateTable::new(states).unwrap()
    }

    fn milliwatts(powers: &[u32]) -> Assumptions {
        Assumptions {
            powers: powers
                .iter()
                .map(|mw| Power::Given(Microwatts::new(mw * 1_000)))
                .collect(),
            ..Assumptions::default()
        }
    }

    /// 1 nJ in fJ.
    const NJ: i128 = 1_000_000;

    #[test]
    fn transition_energies_are_those_of_the_worked_numbers() {
        let snb = table(&[(0, true), (2, false), (20, false), (211, false), (345, false)]);
        let model = Model::new(&snb, &milliwatts(&[5000, 1500, 1200, 600, 200]));
        let found: Vec<i128> = snb.indices().map(|idx| model.transition(idx).as_fj()).collect();
        assert_eq!(found, [0, 7_000, 13_000, 139_600, 277_600].map(|nj| nj * NJ));
        let at = |idx, us| model.energy(StateIdx::new(idx), Ns::from_us(us)).as_fj();
        assert_eq!(at(3, 345), 346_600 * NJ);
        assert_eq!(at(4, 345), 346_600 * NJ);
        assert_eq!(at(2, 211), 266_200 * NJ);
        assert_eq!(at(3, 211), 266_200 * NJ);
        assert!(model.warnings().is_empty());
        assert!(!model.relative());
    }

    #[test]
    fn the_best_state_is_the_deepest_whose_residency_fits() {
        let snb = table(&[(0, true), (2, false), (20, false), (211, false), (345, false)]);
        let model = Model::new(&snb, &Assumptions::default());
        let all = allowed(&snb, StateMask::NONE, None);
        let cases = [
            (0, 0),
            (1_999, 0),
            (2_000, 1),
            (19_999, 1),
            (20_000, 2),
            (210_999, 2),
            (211_000, 3),
        ];
        for (ns, want) in cases
            .into_iter()
            .chain([(344_999, 3), (345_000, 4), (i64::MAX, 4)])
        {
            assert_eq!(model.best(Ns::new(ns), all), Some(StateIdx::new(want)), "{ns} ns");
        }
        let no_c3 = allowed(&snb, StateMask::NONE.with(StateIdx::new(3)), None);
        assert_ne!(model.best(Ns::new(250_000), no_c3), Some(StateIdx::new(3)));
    }

    #[test]
    fn default_powers_halve_from_the_active_power_and_are_marked_relative() {
        let wfi = table(&[(1, false), (2_000, false)]);
        let poll = table(&[(0, true), (2, false), (20, false)]);
        let default = Assumptions::default();
        let uw = |table: &StateTable| -> Vec<u32> {
            default
                .powers_of(table)
                .into_iter()
                .map(Microwatts::as_uw)
                .collect()
        };
        assert_eq!(uw(&wfi), [550_000, 302_500]);
        assert_eq!(uw(&poll), [1_000_000, 550_000, 302_500]);
        assert!(Model::new(&wfi, &default).relative());
    }

    #[test]
    fn an_edited_power_changes_no_other_state() {
        let poll = table(&[(0, true), (2, false), (20, false)]);
        let edited = Assumptions {
            powers: vec![Power::Assumed, Power::Given(Microwatts::new(700_000))],
            ..Assumptions::default()
        };
        let powers = edited.powers_of(&poll);
        assert_eq!(powers.first().copied(), Some(super::super::DEFAULT_ACTIVE));
        assert_eq!(powers.get(2).copied(), Some(Microwatts::new(302_500)));
    }

    #[test]
    fn broken_conditions_are_warned_about() {
        let odd = table(&[(0, true), (800, false), (800, false), (700, false)]);
        let model = Model::new(&odd, &milliwatts(&[100, 90, 90, 80]));
        let state = StateIdx::new;
        assert_eq!(
            model.warnings(),
            [
                Warning::NonDecreasingPower { state: state(2) },
                Warning::EqualResidency { state: state(2) },
                Warning::DecreasingResidency { state: state(3) },
            ]
        );
    }

    #[test]
    fn a_latency_limit_below_every_state_leaves_state_0() {
        let wfi = table(&[(1, false), (2_000, false)]);
        assert_eq!(
            allowed(&wfi, StateMask::NONE, Some(Ns::ZERO)),
            StateMask::from_bits(1)
        );
    }
}
