//! Presets of machines: idle-state tables with their sources (`machines.txt`, spec energy.md §6).
//!
//! Ids are those of the collected tables, plus the short ones of design/lessons.md §3 and the
//! machine of the recorded samples. Real tables carry no powers, since none are published; only the
//! machines for lessons do, marked as illustrative.
//!
//! Invariant: the committed file is readable and every table in it valid; a test walks over it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::cpuidle::{Choice, IdleState, StateMask, StateTable};
use crate::energy::Power;
use crate::page::duration;
use crate::page::given::{Given, GivenCluster};
use crate::page::session::closed::Parameters;
use crate::units::{CpuId, Microwatts, Ns, StateIdx};

static PRESETS: LazyLock<Presets> =
    LazyLock::new(|| Presets::parse(include_str!("machines.txt")).expect("the committed file is valid"));

#[derive(Default)]
struct Presets {
    machines: Vec<Machine>,
    /// Id of the machine and the governor, by the trace's name in links.
    traces: BTreeMap<&'static str, (&'static str, Option<Choice>)>,
}

impl Presets {
    /// Reads the format that the file itself explains; `Err` is the first line that is none of it.
    fn parse(text: &'static str) -> Result<Self, &'static str> {
        let mut presets = Self::default();
        let mut drafts = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            presets.take(&mut drafts, line).ok_or(line)?;
        }
        presets.machines = drafts.into_iter().map(Draft::finish).collect();
        Ok(presets)
    }

    fn take(&mut self, drafts: &mut Vec<Draft>, line: &'static str) -> Option<()> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "#" => {}
            "machine" => drafts.push(Draft::new(value)),
            "trace" => {
                let (hash, place) = value.split_once(": ")?;
                let (machine, governor) = match place.split_once(", ") {
                    Some((machine, governor)) => (machine, Some(governor.parse().ok()?)),
                    None => (place, None),
                };
                self.traces.insert(hash, (machine, governor));
            }
            _ => drafts.last_mut()?.take(key, value)?,
        }
        Some(())
    }
}

/// A machine whose lines are being read: its own facts, and the states of each group of CPUs.
struct Draft {
    machine: Machine,
    groups: Vec<Group>,
}

/// Some CPUs of a machine; none named for all others.
#[derive(Default)]
struct Group {
    cpus: Vec<u16>,
    rows: Vec<Row>,
    capacity: Option<u64>,
    shared: Option<Ns>,
}

impl Draft {
    fn new(id: &str) -> Self {
        Self {
            machine: Machine {
                id: id.to_owned(),
                ..Machine::default()
            },
            groups: vec![Default::default()],
        }
    }

    fn take(&mut self, key: &str, value: &str) -> Option<()> {
        let machine = &mut self.machine;
        let field = match key {
            "name" => &mut machine.name,
            "vendor" => &mut machine.vendor,
            "driver" => &mut machine.driver,
            "source" => &mut machine.source,
            "kernel" => &mut machine.kernel,
            "note" => &mut machine.note,
            "parameters" => {
                let named = Parameters::NAMED.iter().find(|(name, _)| *name == value);
                machine.parameters = named?.1;
                return Some(());
            }
            "capacity" => {
                self.groups.last_mut()?.capacity = Some(value.parse().ok()?);
                return Some(());
            }
            "shared" => {
                let (_, target_residency) = value.split_once(": target ")?;
                self.groups.last_mut()?.shared = Some(Ns::new(target_residency.parse().ok()?));
                return Some(());
            }
            "cpus" => {
                let cpus = value.split(' ').map(|cpu| cpu.parse().ok());
                self.groups.push(Group {
                    cpus: cpus.collect::<Option<_>>()?,
                    ..Group::default()
                });
                return Some(());
            }
            "state" => {
                self.groups.last_mut()?.rows.push(Row::parse(value)?);
                return Some(());
            }
            _ => return None,
        };
        value.clone_into(field);
        Some(())
    }

    fn finish(self) -> Machine {
        let mut groups = self.groups.into_iter();
        Machine {
            main: groups.next().and_then(cluster),
            others: groups
                .filter_map(|group| Some((group.cpus.clone(), cluster(group)?)))
                .collect(),
            ..self.machine
        }
    }
}

/// One state of the file.
struct Row {
    state: IdleState,
    off: bool,
    power: Power,
}

impl Row {
    fn parse(text: &str) -> Option<Self> {
        let (name, facts) = text.split_once(": ")?;
        let mut row = Self {
            state: IdleState {
                name: name.to_owned(),
                exit_latency: Ns::ZERO,
                target_residency: Ns::ZERO,
                polling: false,
                timer_stop: false,
            },
            off: false,
            power: Power::default(),
        };
        for fact in facts.split(", ") {
            match fact.split_once(' ') {
                Some(("exit", ns)) => row.state.exit_latency = Ns::new(ns.parse().ok()?),
                Some(("target", ns)) => row.state.target_residency = Ns::new(ns.parse().ok()?),
                Some(("illustrative", mw)) => {
                    row.power =
                        Power::Illustrative(Microwatts::new(mw.parse::<u32>().ok()?.checked_mul(1_000)?));
                }
                _ => match fact {
                    "polling" => row.state.polling = true,
                    "timer-stop" => row.state.timer_stop = true,
                    "off" => row.off = true,
                    _ => return None,
                },
            }
        }
        Some(row)
    }
}

fn cluster(group: Group) -> Option<Cluster> {
    let Group {
        rows,
        capacity,
        shared,
        ..
    } = group;
    let off = (0u8..)
        .map(StateIdx::new)
        .zip(&rows)
        .filter(|(_, row)| row.off)
        .fold(StateMask::NONE, |mask, (idx, _)| mask.with(idx));
    let (states, powers) = rows.into_iter().map(|row| (row.state, row.power)).unzip();
    Some(Cluster {
        table: StateTable::new(states).ok()?,
        off,
        powers,
        capacity: capacity.unwrap_or(1_024),
        shared,
    })
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
    /// Their capacity, 1 to 1024; 1024 for the largest CPU of the machine.
    pub capacity: u64,
    /// From how long on the state pays off that they share, if the machine says so; the kernel's governors know
    /// nothing of it.
    pub shared: Option<Ns>,
}

/// One machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The set of parameters that its code, clock and power have in closed loops.
    pub parameters: Parameters,
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

    /// The machine of a table that the user gave; its id is no preset's. None when a table is none that a kernel
    /// takes.
    #[must_use]
    pub fn of_given(given: &Given) -> Option<Self> {
        let one = |own: &GivenCluster| {
            let off = (0u8..)
                .map(StateIdx::new)
                .zip(&own.states)
                .filter(|(_, state)| state.off)
                .fold(StateMask::NONE, |mask, (idx, _)| mask.with(idx));
            Some(Cluster {
                table: own.table()?,
                off,
                powers: vec![Power::default(); own.states.len()],
                capacity: 1_024,
                shared: None,
            })
        };
        let (main, others) = given.clusters().split_first()?;
        Some(Self {
            id: "given".to_owned(),
            name: given.name().to_owned(),
            source: given.name().to_owned(),
            main: Some(one(main)?),
            others: others
                .iter()
                .map(|own| Some((own.cpus.clone(), one(own)?)))
                .collect::<Option<_>>()?,
            ..Self::default()
        })
    }

    /// The machine on which a published trace was recorded and the governor that decided there, where
    /// it is one we have; by the trace's name in links.
    #[must_use]
    pub fn of_trace(short_hash: &str) -> Option<(&'static Self, Option<Choice>)> {
        let (machine, governor) = PRESETS.traces.get(short_hash)?;
        Some((Self::find(machine)?, *governor))
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

    /// Presets with a driver and at least so many states on CPU 0, those with the fewest first, else in the
    /// picker's order.
    #[must_use]
    pub fn with_states(states: usize) -> Vec<&'static Self> {
        let count = |machine: &Self| machine.main.as_ref().map_or(0, |main| main.table.len());
        let mut fitting: Vec<_> = Self::all()
            .iter()
            .filter(|machine| count(machine) >= states.max(1))
            .collect();
        fitting.sort_by_key(|machine| count(machine));
        fitting
    }

    /// Presets with the most states on CPU 0, in the picker's order.
    #[must_use]
    pub fn with_most_states() -> Vec<&'static Self> {
        let count = |machine: &Self| machine.main.as_ref().map_or(0, |main| main.table.len());
        let most = Self::all().iter().map(count).max().unwrap_or(0);
        Self::with_states(most)
    }

    /// What it is called in lists: its name, and where another machine has the same, what tells them apart.
    #[must_use]
    pub fn label(&self) -> String {
        let twin = |other: &&Self| other.name == self.name && other.id != self.id;
        match Self::all().iter().find(twin) {
            Some(twin) => format!("{}, {}", self.name, self.unlike(twin)),
            None => self.name.clone(),
        }
    }

    /// As [`Machine::label`], without the marks and words that most names share: for where there is little room.
    #[must_use]
    pub fn short_label(&self) -> String {
        let common = [
            "(R)",
            "(TM)",
            " CPU",
            " Processor",
            " processor",
            " (captured sysfs)",
        ];
        common
            .iter()
            .fold(self.label(), |label, word| label.replace(word, ""))
    }

    /// In what it differs from another machine: a state of CPU 0, else its id.
    fn unlike(&self, other: &Self) -> String {
        let (Some(own), Some(other)) = (&self.main, &other.main) else {
            return self.id.clone();
        };
        for (idx, state) in own.table.indices().zip(own.table.states()) {
            let beside = other.table.get(idx);
            if beside != Some(state) {
                let us = |ns| duration::to_link(ns);
                let (exit, residency) = (us(state.exit_latency), us(state.target_residency));
                return format!("{} {exit} / {residency}", state.name);
            }
            if own.off.contains(idx) != other.off.contains(idx) {
                let is = if own.off.contains(idx) { "off" } else { "on" };
                return format!("{} {is}", state.name);
            }
        }
        self.id.clone()
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

    /// Which set of states a CPU has, as a number: CPUs of one stand in one cluster.
    #[must_use]
    pub fn domain(&self, cpu: CpuId) -> usize {
        let mut others = self.others.iter();
        others
            .position(|(cpus, _)| cpus.contains(&cpu.number()))
            .map_or(0, |n| n + 1)
    }

    /// Each different set of states once, that of CPU 0 first.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.main
            .iter()
            .chain(self.others.iter().map(|(_, cluster)| cluster))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{Assumptions, Model};

    #[test]
    fn every_table_of_the_file_is_valid() {
        let drafts = include_str!("machines.txt").split("\nmachine ").skip(1);
        for draft in drafts {
            let id = draft.lines().next().unwrap_or_default();
            let found = Machine::find(id).unwrap();
            // A table that is refused would leave its machine or its CPUs without one.
            assert_eq!(found.is_driverless(), !draft.contains("  state "), "{id}");
            assert_eq!(found.others.len(), draft.matches("  cpus ").count(), "{id}");
            assert!(!found.source.is_empty(), "{id}");
            let same = Machine::all().iter().filter(|other| other.id == id);
            assert_eq!(same.count(), 1, "{id}");
        }
        assert!(
            Machine::find("given").is_none(),
            "the id of a table that the user gave"
        );
        assert!(Machine::all().len() >= 79);
        assert!(!PRESETS.traces.is_empty());
        assert!(
            PRESETS
                .traces
                .keys()
                .all(|trace| Machine::of_trace(trace).is_some())
        );
    }

    #[test]
    fn a_line_of_another_format_is_named() {
        let check = |text, expect| assert_eq!(Presets::parse(text).err(), expect, "{text}");
        check(
            "machine m\n  state C1: exit 1, target 2, off\ntrace t: m, menu-6.6",
            None,
        );
        check("  name of no machine", Some("name of no machine"));
        check("machine m\n  colour red", Some("colour red"));
        check("machine m\n  state C1: exit soon", Some("state C1: exit soon"));
        check(
            "machine m\n  state C1: exit 1, loud",
            Some("state C1: exit 1, loud"),
        );
        check("machine m\n  cpus 1 x", Some("cpus 1 x"));
        check("machine m\ntrace t: m, nobody-1", Some("trace t: m, nobody-1"));
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
    fn no_two_machines_have_the_same_label() {
        for label in [Machine::label, Machine::short_label] {
            let mut labels: Vec<String> = Machine::all().iter().map(label).collect();
            let all = labels.len();
            labels.sort_unstable();
            labels.dedup();
            assert_eq!(labels.len(), all);
        }
        let short = Machine::find("cap-bdw0").map(Machine::short_label);
        assert_eq!(short.as_deref(), Some("Intel Xeon E5-2699A v4 @ 2.40GHz, C6 off"));
        let tail = |id| {
            let label = Machine::find(id).unwrap().label();
            label.rsplit_once(", ").map(|(_, tail)| tail.to_owned()).unwrap()
        };
        let twins = ["cap-bdw0", "cap-bdwep0", "cap-clx2s0", "cap-clx4s0"];
        assert_eq!(
            twins.map(tail),
            ["C6 off", "C6 on", "C6 92us / 276us", "C6 133us / 600us"]
        );
    }

    #[test]
    fn search_takes_words_in_any_order() {
        let ids: Vec<&str> = Machine::search("PSCI rockchip")
            .map(|machine| machine.id.as_str())
            .collect();
        assert_eq!(ids, ["rk3399", "rk3588"]);
        assert_eq!(Machine::search("").count(), Machine::all().len());
    }

    #[test]
    fn machines_that_fit_a_trace_have_enough_states_and_no_more_than_need_be() {
        let fitting = Machine::with_states(3);
        let counts: Vec<usize> = fitting
            .iter()
            .filter_map(|machine| Some(machine.cluster(CpuId::new(0))?.table.len()))
            .collect();
        assert_eq!(
            counts.len(),
            fitting.len(),
            "a machine without a driver fits nothing"
        );
        assert_eq!(counts.first(), Some(&3));
        assert!(counts.is_sorted());
        assert!(Machine::with_states(crate::cpuidle::MAX_STATES + 1).is_empty());
        let count = |machine: &Machine| {
            machine
                .cluster(CpuId::new(0))
                .map_or(0, |cluster| cluster.table.len())
        };
        let most: Vec<usize> = Machine::with_most_states().into_iter().map(count).collect();
        assert!(most.first() == most.last() && Some(most[0]) == Machine::all().iter().map(count).max());
    }
}
