//! Presets of machines: idle-state tables with their sources (`machines.json`, spec energy.md §6).
//!
//! Ids are those of the collected tables, plus the short ones of design/lessons.md §3 and the
//! machine of the recorded samples. Real tables carry no powers, since none are published; only the
//! machines for lessons do, marked as illustrative.
//!
//! Invariant: the committed file is readable and every table in it valid; a test walks over it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::cpuidle::{Choice, IdleState, StateMask, StateTable};
use crate::energy::Power;
use crate::units::{CpuId, Microwatts, Ns, StateIdx};

static PRESETS: LazyLock<Presets> = LazyLock::new(|| {
    let file: File =
        serde_json::from_str(include_str!("machines.json")).expect("the committed file is valid JSON");
    Presets {
        machines: file.machines.into_iter().map(Machine::from).collect(),
        traces: file.traces,
    }
});

struct Presets {
    machines: Vec<Machine>,
    traces: BTreeMap<String, FileTrace>,
}

/// CPUs with the same idle states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Their states.
    pub table: StateTable,
    /// States that are off until the user switches them on.
    pub off: StateMask,
    /// What is known of their powers, shallowest state first.
    pub powers: Vec<Power>,
}

/// One machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// As in links.
    pub id: String,
    /// For people.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// The cpuidle driver that lists these states.
    pub driver: String,
    /// Where the table comes from.
    pub source: String,
    /// The kernel on which it was captured, if it was; else empty.
    pub kernel: String,
    /// What else is to be known; may be empty.
    pub note: String,
    /// Capacity of its CPUs, 1 to 1024.
    pub capacity: u64,
    main: Option<Cluster>,
    others: Vec<(Vec<u16>, Cluster)>,
}

impl Machine {
    /// All presets, in the picker's order.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &PRESETS.machines
    }

    /// The preset of that id, if there is one.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|machine| machine.id == id)
    }

    /// The machine on which a published trace was recorded and the governor that decided there, where
    /// it is one we have; by the trace's name in links.
    #[must_use]
    pub fn of_trace(short_hash: &str) -> Option<(&'static Self, Option<Choice>)> {
        let trace = PRESETS.traces.get(short_hash)?;
        Some((Self::find(&trace.machine)?, trace.governor))
    }

    /// Presets in which every word of `text` occurs, case ignored, in the picker's order.
    pub fn search(text: &str) -> impl Iterator<Item = &'static Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        Self::all().iter().filter(move |machine| {
            let all = format!(
                "{} {} {} {}",
                machine.id, machine.name, machine.vendor, machine.driver
            )
            .to_lowercase();
            words.iter().all(|word| all.contains(word))
        })
    }

    /// Whether it has no cpuidle driver: plain waiting, nobody chooses.
    #[must_use]
    pub fn is_driverless(&self) -> bool {
        self.main.is_none()
    }

    /// The states of one CPU; `None` without a cpuidle driver.
    #[must_use]
    pub fn cluster(&self, cpu: CpuId) -> Option<&Cluster> {
        let other = self.others.iter().find(|(cpus, _)| cpus.contains(&cpu.number()));
        other.map(|(_, cluster)| cluster).or(self.main.as_ref())
    }

    /// Each different set of states once, that of CPU 0 first.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.main
            .iter()
            .chain(self.others.iter().map(|(_, cluster)| cluster))
    }
}

#[derive(Deserialize)]
struct File {
    machines: Vec<FileMachine>,
    traces: BTreeMap<String, FileTrace>,
}

#[derive(Deserialize)]
struct FileTrace {
    machine: String,
    governor: Option<Choice>,
}

#[derive(Deserialize)]
struct FileMachine {
    id: String,
    name: String,
    #[serde(default)]
    vendor: String,
    driver: String,
    source: String,
    #[serde(default)]
    kernel: String,
    #[serde(default)]
    note: String,
    capacity: Option<u64>,
    states: Vec<FileState>,
    #[serde(default)]
    others: Vec<FileCluster>,
}

#[derive(Deserialize)]
struct FileCluster {
    cpus: Vec<u16>,
    states: Vec<FileState>,
}

#[derive(Deserialize)]
struct FileState {
    name: String,
    exit_latency_ns: i64,
    target_residency_ns: i64,
    #[serde(default)]
    polling: bool,
    #[serde(default)]
    timer_stop: bool,
    #[serde(default)]
    off: bool,
    illustrative_mw: Option<u32>,
}

impl From<FileMachine> for Machine {
    fn from(file: FileMachine) -> Self {
        let others = file.others.into_iter();
        Self {
            main: cluster(file.states),
            others: others
                .filter_map(|other| Some((other.cpus, cluster(other.states)?)))
                .collect(),
            id: file.id,
            name: file.name,
            vendor: file.vendor,
            driver: file.driver,
            source: file.source,
            kernel: file.kernel,
            note: file.note,
            capacity: file.capacity.unwrap_or(1_024),
        }
    }
}

fn cluster(states: Vec<FileState>) -> Option<Cluster> {
    let indices = (0u8..).map(StateIdx::new).zip(&states);
    let off = indices
        .filter(|(_, state)| state.off)
        .fold(StateMask::NONE, |mask, (idx, _)| mask.with(idx));
    let power = |state: &FileState| {
        let power = state.illustrative_mw?;
        Some(Power::Illustrative(Microwatts::new(power.saturating_mul(1_000))))
    };
    let powers = states
        .iter()
        .map(|state| power(state).unwrap_or_default())
        .collect();
    let states = states.into_iter().map(|state| IdleState {
        name: state.name,
        exit_latency: Ns::new(state.exit_latency_ns),
        target_residency: Ns::new(state.target_residency_ns),
        polling: state.polling,
        timer_stop: state.timer_stop,
    });
    Some(Cluster {
        table: StateTable::new(states.collect()).ok()?,
        off,
        powers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{Assumptions, Model};

    #[test]
    fn every_table_of_the_file_is_valid() {
        let file: File = serde_json::from_str(include_str!("machines.json")).unwrap();
        assert!(file.machines.len() >= 79);
        for machine in &file.machines {
            let found = Machine::find(&machine.id).unwrap();
            assert_eq!(found.is_driverless(), machine.states.is_empty(), "{}", machine.id);
            assert_eq!(found.others.len(), machine.others.len(), "{}", machine.id);
            assert!(!found.source.is_empty(), "{}", machine.id);
            let same = file.machines.iter().filter(|other| other.id == machine.id);
            assert_eq!(same.count(), 1, "{}", machine.id);
        }
        assert!(file.traces.keys().all(|trace| Machine::of_trace(trace).is_some()));
    }

    #[test]
    fn cpus_of_the_samples_machine_differ() {
        let machine = Machine::find("arm64-vm").unwrap();
        let states = |cpu| machine.cluster(CpuId::new(cpu)).unwrap().table.len();
        assert_eq!([0, 1, 2, 3].map(states), [3, 3, 2, 2]);
    }

    #[test]
    fn only_machines_for_lessons_have_powers_and_none_is_given() {
        for machine in Machine::all() {
            let lesson = machine.note.contains("illustrative");
            for cluster in machine.clusters() {
                let illustrative = |power: &Power| matches!(power, Power::Illustrative(_));
                assert!(
                    cluster.powers.iter().all(|power| illustrative(power) == lesson),
                    "{}",
                    machine.id
                );
                let assumptions = Assumptions {
                    powers: cluster.powers.clone(),
                    ..Assumptions::default()
                };
                assert!(
                    Model::new(&cluster.table, &assumptions).relative(),
                    "{}",
                    machine.id
                );
            }
        }
    }

    #[test]
    fn search_takes_words_in_any_order() {
        let ids: Vec<&str> = Machine::search("PSCI rockchip")
            .map(|machine| machine.id.as_str())
            .collect();
        assert_eq!(ids, ["rk3399", "rk3588"]);
        assert_eq!(Machine::search("").count(), Machine::all().len());
    }
}
