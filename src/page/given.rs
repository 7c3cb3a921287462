//! A machine that the user gave: tables of idle states out of a dump, a devicetree or a tool's print.
//!
//! What a text does not say is assumed by rules that drivers follow, and told ([`Assumed`]); nothing is assumed
//! where no rule exists ([`NoMachine`]). Rules: spec energy.md §1.
//!
//! Invariants: at least one cluster, the first for every CPU that no other one names; each has a table that
//! [`StateTable`] takes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::words::number::cpu_list;
use crate::cpuidle::{IdleState, StateTable, StateTableError};
use crate::trace::tables::{Attr, Form, Sheet, State, States};
use crate::units::{CpuId, Ns};

/// Letters of a name that are kept; a link takes no more than 64.
const NAME_LETTERS: usize = 60;

/// One state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenState {
    /// The driver's state.
    pub state: IdleState,
    /// Switched off.
    pub off: bool,
}

/// CPUs with the same idle states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenCluster {
    /// Their numbers, ascending; empty in the first cluster: all that no other one names.
    pub cpus: Vec<u16>,
    /// Their states, shallowest first.
    pub states: Vec<GivenState>,
}

impl GivenCluster {
    /// The table; none when it is none that a kernel takes, which [`Given::new`] refuses.
    #[must_use]
    pub fn table(&self) -> Option<StateTable> {
        StateTable::new(self.states.iter().map(|given| given.state.clone()).collect()).ok()
    }
}

/// A machine with its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    name: String,
    clusters: Vec<GivenCluster>,
}

/// What was assumed of states because the text does not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// State 0 is not in the text.
    First(String),
    /// These states have no target residency there.
    Residency(Vec<String>),
    /// These states have no exit latency there.
    Latency(Vec<String>),
    /// These states have no name there.
    Name(Vec<String>),
}

impl std::fmt::Display for Assumed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::First(name) => write!(
                f,
                "state 0 is not in the text: {name} is assumed, as drivers add it"
            ),
            Self::Residency(states) => write!(
                f,
                "target residency of {} is not in the text: assumed 3 times the exit latency, of the first \
                 sleeping state the exit latency itself, as drivers do with firmware tables",
                states.join(", ")
            ),
            Self::Latency(states) => write!(
                f,
                "exit latency of {} is not in the text: assumed a third of the target residency",
                states.join(", ")
            ),
            Self::Name(states) => write!(f, "names are not in the text: {}", states.join(", ")),
        }
    }
}

/// Why a sheet gives no machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoMachine {
    /// No state has a time.
    #[error("no exit latency and no target residency: the counters are read, the machine stays as it is")]
    NoTimes,
    /// One state has none.
    #[error("{name} has neither exit latency nor target residency: expected at least one of them")]
    NoTime {
        /// The state.
        name: String,
    },
    /// A state between others is missing.
    #[error("{cpu} has a state {after}, but none with number {missing}: expected all of them")]
    Gap {
        /// Whose.
        cpu: String,
        /// The deepest there is.
        after: u8,
        /// The one that is missing.
        missing: u8,
    },
    /// A table that no kernel takes.
    #[error(transparent)]
    Table(#[from] StateTableError),
}

impl Given {
    /// A machine of these clusters, of which the first is for all CPUs that the others do not name.
    ///
    /// # Errors
    /// [`StateTableError`] when there is no cluster, or one of them has no table that a kernel takes.
    pub fn new(name: &str, mut clusters: Vec<GivenCluster>) -> Result<Self, StateTableError> {
        for cluster in &clusters {
            StateTable::new(cluster.states.iter().map(|given| given.state.clone()).collect())?;
        }
        clusters.first_mut().ok_or(StateTableError::Empty)?.cpus.clear();
        let name: String = name.chars().take(NAME_LETTERS).collect();
        Ok(Self {
            name: if name.trim().is_empty() {
                "table".to_owned()
            } else {
                name
            },
            clusters,
        })
    }

    /// What a sheet says of its machine, and what had to be assumed.
    ///
    /// # Errors
    /// [`NoMachine`] when it does not say enough.
    pub fn of(name: &str, sheet: &Sheet) -> Result<(Self, Vec<Assumed>), NoMachine> {
        let mut assumed = Gaps::default();
        let mut clusters: Vec<GivenCluster> = Vec::new();
        for (cpu, states) in &sheet.cpus {
            let states = filled(sheet.form, *cpu, states, &mut assumed)?;
            match clusters.iter_mut().find(|other| other.states == states) {
                Some(same) => same.cpus.extend(*cpu),
                None => clusters.push(GivenCluster {
                    cpus: cpu.iter().copied().collect(),
                    states,
                }),
            }
        }
        Ok((Self::new(name, clusters)?, assumed.told()))
    }

    /// Where it comes from.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// CPUs with the same states, each set once; the first is for all CPUs that no other one names.
    #[must_use]
    pub fn clusters(&self) -> &[GivenCluster] {
        &self.clusters
    }
}

/// What was missing, by state, in the order in which it was met.
#[derive(Default)]
struct Gaps {
    first: Option<String>,
    residency: Vec<String>,
    latency: Vec<String>,
    name: Vec<String>,
}

impl Gaps {
    fn note(list: &mut Vec<String>, state: &str) {
        if !list.iter().any(|known| known == state) {
            list.push(state.to_owned());
        }
    }

    fn told(self) -> Vec<Assumed> {
        let list = |states: Vec<String>| (!states.is_empty()).then_some(states);
        [
            self.first.map(Assumed::First),
            list(self.residency).map(Assumed::Residency),
            list(self.latency).map(Assumed::Latency),
            list(self.name).map(Assumed::Name),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The whole table of one CPU.
fn filled(
    form: Form,
    cpu: Option<u16>,
    states: &States,
    gaps: &mut Gaps,
) -> Result<Vec<GivenState>, NoMachine> {
    let has_time = |state: &State| state.get(Attr::Latency).or(state.get(Attr::Residency)).is_some();
    if !states.values().any(has_time) {
        return Err(NoMachine::NoTimes);
    }
    let deepest = states.keys().next_back().copied().unwrap_or(0);
    let mut table: Vec<GivenState> = Vec::new();
    for idx in 0..=deepest {
        let state = match states.get(&idx) {
            Some(state) => known(idx, state, table.iter().all(|given| given.state.polling), gaps)?,
            None if idx == 0 => first(form, gaps),
            None => {
                return Err(NoMachine::Gap {
                    cpu: cpu.map_or("the table".to_owned(), |cpu| CpuId::new(cpu).to_string()),
                    after: deepest,
                    missing: idx,
                });
            }
        };
        table.push(state);
    }
    Ok(table)
}

/// State 0 where the text has none: a devicetree never has it, of other tables the loop was left out.
fn first(form: Form, gaps: &mut Gaps) -> GivenState {
    let (name, us, polling) = match form {
        Form::DeviceTree => ("WFI", 1, false),
        _ => ("POLL", 0, true),
    };
    gaps.first = Some(name.to_owned());
    GivenState {
        state: IdleState {
            name: name.to_owned(),
            exit_latency: Ns::from_us(us),
            target_residency: Ns::from_us(us),
            polling,
            timer_stop: false,
        },
        off: false,
    }
}

fn known(idx: u8, state: &State, is_first: bool, gaps: &mut Gaps) -> Result<GivenState, NoMachine> {
    let name = state.name.clone().unwrap_or_else(|| {
        let name = format!("state{idx}");
        Gaps::note(&mut gaps.name, &name);
        name
    });
    let polling = state.name.as_deref() == Some("POLL")
        || state
            .desc
            .as_deref()
            .is_some_and(|desc| desc.contains("POLL IDLE"));
    let us = |attr| {
        Some(Ns::from_us(
            i64::try_from(state.get(attr)?).unwrap_or(i64::MAX / 1_000),
        ))
    };
    let (exit_latency, target_residency) = match (us(Attr::Latency), us(Attr::Residency)) {
        (Some(latency), Some(residency)) => (latency, residency),
        (Some(latency), None) => {
            if latency > Ns::ZERO {
                Gaps::note(&mut gaps.residency, &name);
            }
            let times = if is_first { 1 } else { 3 };
            (latency, Ns::new(latency.as_ns().saturating_mul(times)))
        }
        (None, Some(residency)) => {
            if residency > Ns::ZERO {
                Gaps::note(&mut gaps.latency, &name);
            }
            (Ns::new(residency.as_ns() / 3), residency)
        }
        (None, None) => return Err(NoMachine::NoTime { name }),
    };
    Ok(GivenState {
        state: IdleState {
            name,
            exit_latency,
            target_residency,
            polling,
            timer_stop: state.timer_stop == Some(true),
        },
        off: state.get(Attr::Disable).is_some_and(|disable| disable != 0),
    })
}

/// `CPUs 0–1: WFI, cpu-sleep-0 (off)`, one line for each set of states of a sheet.
#[must_use]
pub fn groups(sheet: &Sheet) -> Vec<String> {
    let mut lines: BTreeMap<usize, (Vec<CpuId>, String)> = BTreeMap::new();
    for (n, (cpus, states)) in sheet.groups().into_iter().enumerate() {
        let name = |(idx, state): (&u8, &State)| {
            let name = state.name.clone().unwrap_or_else(|| format!("state{idx}"));
            let off = state.get(Attr::Disable).is_some_and(|disable| disable != 0);
            if off { format!("{name} (off)") } else { name }
        };
        let names: Vec<String> = states.iter().map(name).collect();
        let cpus = cpus.into_iter().flatten().map(CpuId::new).collect();
        lines.insert(n, (cpus, names.join(", ")));
    }
    let who = |cpus: &[CpuId]| match (cpus.is_empty(), &sheet.cluster) {
        (true, Some(cluster)) => format!("cluster {cluster}"),
        (true, None) => "every CPU".to_owned(),
        (false, _) => cpu_list(cpus),
    };
    lines
        .into_values()
        .map(|(cpus, names)| format!("{}: {names}", who(&cpus)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::tables;

    fn given(text: &str) -> Result<(Given, Vec<Assumed>), NoMachine> {
        let tables = tables::read(text.as_bytes()).expect("a table");
        Given::of("test", &tables.sheets[0])
    }

    /// The states of the first cluster: name, exit latency and target residency in µs.
    #[track_caller]
    fn check(text: &str, expect: &[(&str, i64, i64)], assumed: &[Assumed]) {
        let (given, told) = given(text).expect("a machine");
        let states = given.clusters()[0].states.iter().map(|given| &given.state);
        let rows: Vec<(&str, i64, i64)> = states
            .map(|state| {
                let us = |ns: Ns| ns.as_ns() / 1_000;
                (
                    state.name.as_str(),
                    us(state.exit_latency),
                    us(state.target_residency),
                )
            })
            .collect();
        assert_eq!(rows, expect);
        assert_eq!(told, assumed);
    }

    #[test]
    fn what_a_text_lacks_is_assumed_as_drivers_do_and_told() {
        check(
            "state1/name:C1\nstate1/latency:1\nstate1/residency:1\nstate2/name:C6\nstate2/latency:133\n",
            &[("POLL", 0, 0), ("C1", 1, 1), ("C6", 133, 399)],
            &[
                Assumed::First("POLL".to_owned()),
                Assumed::Residency(vec!["C6".to_owned()]),
            ],
        );
        check(
            "state0/name:POLL\nstate0/latency:0\nstate1/name:C1\nstate1/latency:2\n",
            &[("POLL", 0, 0), ("C1", 2, 2)],
            &[Assumed::Residency(vec!["C1".to_owned()])],
        );
        check(
            "state0/residency:0\nstate1/residency:30\n",
            &[("state0", 0, 0), ("state1", 10, 30)],
            &[
                Assumed::Latency(vec!["state1".to_owned()]),
                Assumed::Name(vec!["state0".to_owned(), "state1".to_owned()]),
            ],
        );
        check(
            "a { entry-latency-us = <1>; exit-latency-us = <2>; min-residency-us = <9>; };",
            &[("WFI", 1, 1), ("a", 3, 9)],
            &[Assumed::First("WFI".to_owned())],
        );
    }

    #[test]
    fn a_table_with_holes_or_without_times_is_none() {
        let why = |text: &str| given(text).expect_err("no machine").to_string();
        assert_eq!(
            why("state0/latency:0\nstate2/latency:9\n"),
            "the table has a state 2, but none with number 1: expected all of them"
        );
        assert_eq!(
            given("state0/usage:7\n"),
            Err(NoMachine::NoTimes),
            "counters alone"
        );
        assert!(why("state0/latency:0\nstate1/usage:9\n").starts_with("state1 has neither"));
        let many: String = (0..11).map(|n| format!("state{n}/latency:{n}\n")).collect();
        assert!(why(&many).contains("at most 10 idle states, found 11"));
        assert!(why("state0/latency:99999999999\n").contains("between 0 and 3 600 s"));
    }

    #[test]
    fn cpus_that_differ_in_times_or_in_what_is_off_stay_apart() {
        let line = |cpu: u8, key: &str, value: &str| format!("cpu{cpu}/cpuidle/state0/{key}:{value}\n");
        let text: String = [(0, "1", "0"), (1, "1", "1"), (2, "1", "0"), (3, "5", "0")]
            .iter()
            .map(|(cpu, latency, off)| line(*cpu, "latency", latency) + &line(*cpu, "disable", off))
            .collect();
        let (given, _) = given(&text).expect("a machine");
        let cpus: Vec<&[u16]> = given
            .clusters()
            .iter()
            .map(|cluster| cluster.cpus.as_slice())
            .collect();
        assert_eq!(cpus, [&[][..], &[1], &[3]], "the first is for all others");
        assert!(given.clusters()[1].states[0].off);
    }
}
