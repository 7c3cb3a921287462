//! The machine of a plan: one idle-state table per CPU, with the edits of the question applied.

use thiserror::Error;

use crate::cpuidle::{IdleState, StateMask, StateTable, StateTableError};
use crate::energy::{Assumptions, Power};
use crate::page::doc::{Edits, StateEdit};
use crate::page::machines::{Cluster, Machine};
use crate::units::CpuId;

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
}

/// A machine with all its CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rig {
    /// The preset's id.
    pub id: String,
    /// For people.
    pub name: String,
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
        for (name, _) in edits.iter().filter(|(name, _)| !known(name)) {
            issues.push(EditError::NoSuchState {
                names: names(machine),
                found: name.to_owned(),
            });
        }
        let numbers = 0..u16::try_from(cpus).unwrap_or(u16::MAX);
        let cpus: Option<Vec<RigCpu>> = numbers
            .map(|cpu| {
                Some(edited(
                    machine.cluster(CpuId::new(cpu))?,
                    machine.capacity,
                    edits,
                    costs,
                    &mut issues,
                ))
            })
            .collect();
        issues.dedup();
        let rig = Self {
            id: machine.id.clone(),
            name: machine.name.clone(),
            cpus: cpus?,
        };
        Some((rig, issues))
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

fn edited(
    cluster: &Cluster,
    capacity: u64,
    edits: &Edits,
    costs: &Assumptions,
    issues: &mut Vec<EditError>,
) -> RigCpu {
    let mut states = cluster.table.states().to_vec();
    let mut disabled = cluster.off;
    let mut powers = cluster.powers.clone();
    powers.resize(states.len(), Power::Assumed);
    for ((idx, state), power) in cluster.table.indices().zip(&mut states).zip(&mut powers) {
        let Some(edit) = edits.get(&state.name) else {
            continue;
        };
        match valid(state, edit) {
            Ok(changed) => *state = changed,
            Err(error) => {
                let error = EditError::from(error);
                if !issues.contains(&error) {
                    issues.push(error);
                }
            }
        }
        if let Some(given) = edit.power {
            *power = Power::Given(given);
        }
        match edit.on {
            Some(true) => disabled = disabled.without(idx),
            Some(false) => disabled = disabled.with(idx),
            None => {}
        }
    }
    RigCpu {
        base: cluster.table.clone(),
        base_off: cluster.off,
        // Every state was checked alone, and their number is the preset's.
        table: StateTable::new(states).unwrap_or_else(|_| cluster.table.clone()),
        disabled,
        assumptions: Assumptions {
            powers,
            ..costs.clone()
        },
        capacity,
    }
}

fn valid(state: &IdleState, edit: &StateEdit) -> Result<IdleState, StateTableError> {
    let changed = IdleState {
        exit_latency: edit.exit_latency.unwrap_or(state.exit_latency),
        target_residency: edit.target_residency.unwrap_or(state.target_residency),
        ..state.clone()
    };
    StateTable::new(vec![changed.clone()])?;
    Ok(changed)
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
            edit.power = Some(Microwatts::new(5));
        });
        let (rig, issues) = rig("snb", &edits);
        assert_eq!(issues.len(), 2, "{issues:?}");
        assert!(issues[0].to_string().ends_with("found C9"));
        assert_eq!(rig.cpus[0].table, rig.cpus[0].base);
        assert_eq!(rig.cpus[0].assumptions.power(3), Power::Given(Microwatts::new(5)));
    }

    #[test]
    fn a_machine_without_a_driver_has_nothing_to_choose_from() {
        let machine = Machine::find("rpi4").unwrap();
        assert!(Rig::new(machine, 4, &Edits::default(), &Assumptions::default()).is_none());
    }
}
