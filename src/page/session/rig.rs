//! The machine of a plan: one idle-state table per CPU, with the edits of the question applied.

use thiserror::Error;

use super::closed::Parameters;
use crate::cpuidle::{IdleState, StateMask, StateTable, StateTableError};
use crate::energy::{Assumptions, Power};
use crate::page::doc::{Edits, Presence};
use crate::page::machines::{Cluster, Machine};
use crate::page::plot::energy::State;
use crate::page::table::{self, Origin};
use crate::page::words::{Style, number};
use crate::units::{CpuId, Microwatts, Ns, StateIdx};

/// One CPU of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RigCpu {
    /// Its states before edits.
    pub base: StateTable,
    /// States that are off before edits.
    pub base_off: StateMask,
    /// Its states.
    pub table: StateTable,
    /// States that are switched off.
    pub disabled: StateMask,
    /// What energy figures assume.
    pub assumptions: Assumptions,
    /// 1 to 1024.
    pub capacity: u64,
    /// From how long on the state pays off that CPUs share, where the question or the machine says so.
    pub shared: Option<Ns>,
    /// CPUs of one number share it.
    pub domain: usize,
}

/// A machine with all its CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rig {
    /// The preset's id.
    pub id: String,
    /// For people.
    pub name: String,
    /// The set of parameters that its code, clock and power have in closed loops.
    pub parameters: Parameters,
    /// By CPU number.
    pub cpus: Vec<RigCpu>,
}

/// An edit that could not be applied; the machine's own values hold for that state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// No CPU has a state of this name.
    #[error("no idle state of this name: the machine has {}, found {found}", .names.join(", "))]
    NoSuchState {
        /// The names there are.
        names: Vec<String>,
        /// The name found.
        found: String,
    },
    /// A power that the neighbours do not allow.
    #[error("power of {state}: expected {allowed}, found {}", number::power(*.found, Style::Page))]
    Power {
        /// The state.
        state: String,
        /// The power found.
        found: Microwatts,
        /// What is allowed, in words.
        allowed: String,
    },
    /// A value that no table may hold.
    #[error(transparent)]
    Value(#[from] StateTableError),
}

impl Rig {
    /// `cpus` CPUs of a preset, edited. `None` when the machine has no cpuidle driver: then nobody
    /// chooses.
    ///
    /// `costs` are the assumptions that hold for all states; powers come from the preset and the
    /// edits.
    #[must_use]
    pub fn new(
        machine: &Machine,
        cpus: usize,
        edits: &Edits,
        costs: &Assumptions,
    ) -> Option<(Self, Vec<EditError>)> {
        let mut issues = Vec::new();
        let known = |name: &str| {
            let mut states = machine.clusters().flat_map(|cluster| cluster.table.states());
            states.any(|state| state.name == name)
        };
        for (name, edit) in edits.iter().filter(|(name, _)| !known(name)) {
            // A state that is added needs the one that it stands after.
            let needed = match &edit.presence {
                Presence::Added { after } if known(after) || edits.get(after).is_some() => continue,
                Presence::Added { after } => after,
                Presence::Own | Presence::Removed => name,
            };
            issues.push(EditError::NoSuchState {
                names: names(machine),
                found: needed.to_string(),
            });
        }
        let numbers = 0..u16::try_from(cpus).unwrap_or(u16::MAX);
        let cpus: Option<Vec<RigCpu>> = numbers
            .map(|cpu| {
                let cpu = CpuId::new(cpu);
                Some(RigCpu {
                    domain: machine.domain(cpu),
                    ..edited(machine.cluster(cpu)?, edits, costs, &mut issues)
                })
            })
            .collect();
        issues.dedup();
        let rig = Self {
            id: machine.id.clone(),
            name: machine.name.clone(),
            parameters: machine.parameters,
            cpus: cpus?,
        };
        Some((rig, issues))
    }

    /// Whether every CPU has the machine's own states, however edited, and no other.
    #[must_use]
    pub fn is_own(&self) -> bool {
        let names = |table: &StateTable| -> Vec<String> {
            table.states().iter().map(|state| state.name.clone()).collect()
        };
        self.cpus.iter().all(|cpu| names(&cpu.table) == names(&cpu.base))
    }

    /// One CPU.
    #[must_use]
    pub fn cpu(&self, cpu: CpuId) -> Option<&RigCpu> {
        self.cpus.get(cpu.index())
    }
}

fn names(machine: &Machine) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for state in machine.clusters().flat_map(|cluster| cluster.table.states()) {
        if !names.contains(&state.name) {
            names.push(state.name.clone());
        }
    }
    names
}

fn edited(cluster: &Cluster, edits: &Edits, costs: &Assumptions, issues: &mut Vec<EditError>) -> RigCpu {
    let own_powers = Assumptions {
        powers: cluster.powers.clone(),
        ..costs.clone()
    };
    let base = cluster.table.indices().zip(cluster.table.states());
    let own: Vec<State> = base
        .zip(own_powers.powers_of(&cluster.table))
        .map(|((idx, state), power)| State {
            name: state.name.clone(),
            target_residency: state.target_residency,
            exit_latency: state.exit_latency,
            power,
            on: !cluster.off.contains(idx),
        })
        .collect();
    let edited = table::edited(&own, edits);
    let is_own = edited.is_own(own.len());
    let mut told = |error: EditError| {
        if !issues.contains(&error) {
            issues.push(error);
        }
    };
    for refused in &edited.refused {
        told(EditError::Power {
            state: refused.state.clone(),
            found: refused.power,
            allowed: refused.allowed.clone(),
        });
    }
    let (mut states, mut powers, mut disabled) = (Vec::new(), Vec::new(), StateMask::NONE);
    for (idx, (row, origin)) in (0u8..)
        .map(StateIdx::new)
        .zip(edited.states.iter().zip(&edited.origins))
    {
        let own = match origin {
            Origin::Own(n) => cluster.table.states().get(*n),
            Origin::Added => None,
        };
        let plain = own.cloned().unwrap_or_else(|| IdleState {
            name: row.name.clone(),
            // As the state that it stands after.
            ..states.last().cloned().unwrap_or_else(|| sleeping(row))
        });
        states.push(match valid(&plain, row) {
            Ok(changed) => changed,
            Err(error) => {
                told(EditError::from(error));
                plain
            }
        });
        let given = edits
            .get(&row.name)
            .and_then(|edit| edit.power)
            .filter(|given| *given == row.power);
        let known = match origin {
            Origin::Own(n) => own_powers.power(*n),
            Origin::Added => Power::Given(row.power),
        };
        powers.push(match (given, known) {
            (Some(given), _) => Power::Given(given),
            // The default rule goes by the place in the table, and that is another one now.
            (None, Power::Assumed) if !is_own => Power::Illustrative(row.power),
            (None, known) => known,
        });
        if !row.on {
            disabled = disabled.with(idx);
        }
    }
    let active = if is_own {
        costs.active
    } else {
        Some(own_powers.active_of(&cluster.table))
    };
    RigCpu {
        base: cluster.table.clone(),
        base_off: cluster.off,
        // Every state was checked alone, and their number is the preset's.
        table: StateTable::new(states).unwrap_or_else(|_| cluster.table.clone()),
        disabled,
        assumptions: Assumptions {
            powers,
            active,
            ..costs.clone()
        },
        capacity: cluster.capacity,
        shared: cluster.shared,
        domain: 0,
    }
}

fn valid(state: &IdleState, row: &State) -> Result<IdleState, StateTableError> {
    let changed = IdleState {
        exit_latency: row.exit_latency,
        target_residency: row.target_residency,
        polling: state.polling && state.name == row.name,
        name: row.name.clone(),
        ..state.clone()
    };
    StateTable::new(vec![changed.clone()])?;
    Ok(changed)
}

/// A state that sleeps, with the times of a row.
fn sleeping(row: &State) -> IdleState {
    IdleState {
        name: row.name.clone(),
        exit_latency: row.exit_latency,
        target_residency: row.target_residency,
        polling: false,
        timer_stop: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Microwatts, Ns, StateIdx};

    fn rig(id: &str, edits: &Edits) -> (Rig, Vec<EditError>) {
        Rig::new(Machine::find(id).unwrap(), 4, edits, &Assumptions::default()).unwrap()
    }

    #[test]
    fn an_edit_reaches_every_cpu_that_has_the_state() {
        let mut edits = Edits::default();
        edits.change("cpu-sleep-0", |edit| {
            edit.target_residency = Some(Ns::from_us(640))
        });
        edits.change("cluster-sleep-0", |edit| edit.on = Some(false));
        let (rig, issues) = rig("arm64-vm", &edits);
        assert_eq!(issues, []);
        let one = StateIdx::new(1);
        assert!(
            rig.cpus
                .iter()
                .all(|cpu| cpu.table.target_residency(one) == Ns::from_us(640))
        );
        assert!(
            rig.cpus
                .iter()
                .all(|cpu| cpu.base.target_residency(one) == Ns::from_us(2_000))
        );
        let off: Vec<u16> = rig.cpus.iter().map(|cpu| cpu.disabled.bits()).collect();
        assert_eq!(off, [4, 4, 0, 0]);
    }

    #[test]
    fn a_state_that_is_off_by_default_can_be_switched_on() {
        let mut edits = Edits::default();
        let c3 = StateIdx::new(3);
        assert!(rig("cap-hswep0", &edits).0.cpus[0].disabled.contains(c3));
        edits.change("C3", |edit| edit.on = Some(true));
        assert!(!rig("cap-hswep0", &edits).0.cpus[0].disabled.contains(c3));
    }

    #[test]
    fn what_cannot_be_applied_is_told_once_and_changes_nothing_else() {
        let mut edits = Edits::default();
        edits.change("C9", |edit| edit.on = Some(false));
        edits.change("C3", |edit| {
            edit.exit_latency = Some(Ns::from_ms(3_600_001));
            edit.power = Some(Microwatts::new(300_000));
        });
        let (rig, issues) = rig("snb", &edits);
        assert_eq!(issues.len(), 2, "{issues:?}");
        assert!(issues[0].to_string().ends_with("found C9"));
        assert_eq!(rig.cpus[0].table, rig.cpus[0].base);
        assert_eq!(
            rig.cpus[0].assumptions.power(3),
            Power::Given(Microwatts::new(300_000))
        );
    }

    #[test]
    fn a_machine_without_a_driver_has_nothing_to_choose_from() {
        let machine = Machine::find("rpi4").unwrap();
        assert!(Rig::new(machine, 4, &Edits::default(), &Assumptions::default()).is_none());
    }

    #[test]
    fn a_state_is_added_on_every_cpu_that_has_the_one_before() {
        let mut edits = Edits::default();
        edits.add("new1", "cpu-sleep-0", Default::default());
        let (rig, issues) = rig("arm64-vm", &edits);
        assert_eq!(issues, []);
        assert!(!rig.is_own());
        let names = |cpu: usize| -> Vec<&str> {
            let states = rig.cpus[cpu].table.states().iter();
            states.map(|state| state.name.as_str()).collect()
        };
        assert_eq!(names(0), ["WFI", "cpu-sleep-0", "new1", "cluster-sleep-0"]);
        assert_eq!(names(3), ["WFI", "cpu-sleep-0", "new1"]);
        let powers = |cpu: usize| {
            let cpu = &rig.cpus[cpu];
            (
                cpu.assumptions.powers_of(&cpu.table),
                cpu.assumptions.powers_of(&cpu.base),
            )
        };
        let (now, _) = powers(0);
        let own = Assumptions::default().powers_of(&rig.cpus[0].base);
        assert_eq!(
            [now[0], now[1], now[3]],
            [own[0], own[1], own[2]],
            "the others stay as they were"
        );
        assert!(rig.cpus[0].assumptions.relative(4));
    }

    #[test]
    fn a_removed_state_is_gone_and_edits_of_the_others_hold() {
        let mut edits = Edits::default();
        edits.remove("C1E");
        edits.change("C6", |edit| edit.on = Some(false));
        let (rig, issues) = rig("snb", &edits);
        assert_eq!(issues, []);
        let table = &rig.cpus[0].table;
        let names: Vec<&str> = table.states().iter().map(|state| state.name.as_str()).collect();
        assert_eq!(names, ["POLL", "C1", "C3", "C6"]);
        assert_eq!(rig.cpus[0].disabled.bits(), 0b1000);
        assert!(table.is_polling(StateIdx::new(0)) && !table.is_polling(StateIdx::new(1)));
    }

    #[test]
    fn a_power_out_of_order_and_a_state_after_nothing_are_told() {
        let mut edits = Edits::default();
        edits.change("C6", |edit| edit.power = Some(Microwatts::new(900_000)));
        edits.add("new1", "C9", Default::default());
        let (rig, issues) = rig("snb", &edits);
        let told: Vec<String> = issues
            .iter()
            .map(|issue| issue.to_string().replace('\u{202f}', " "))
            .collect();
        assert_eq!(
            told,
            [
                "no idle state of this name: the machine has POLL, C1, C1E, C3, C6, found C9",
                "power of C6: expected a power from 0, below the 600 mW of C3, found 900 mW",
            ]
        );
        assert_eq!(rig.cpus[0].table, rig.cpus[0].base);
        let power = rig.cpus[0].assumptions.power(4);
        assert_eq!(power, Power::Illustrative(Microwatts::new(200_000)));
    }
}
