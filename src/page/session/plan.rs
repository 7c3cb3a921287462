//! What a question asks to be run, resolved: machine, governors, tick. Made from [`Doc`], never kept beside
//! it.

use std::borrow::Cow;

use thiserror::Error;

use super::closed::{self, Closed};
use super::rig::{EditError, Rig, RigCpu};
use crate::cpuidle::catalog::Make;
use crate::cpuidle::{Baseline, Choice, StateTable};
use crate::energy::Assumptions;
use crate::page::doc::{Doc, LatencyLimit, MachineChoice, Side};
use crate::page::machines::Machine;
use crate::page::words::number::cpu_list;
use crate::sim::machine::MachineModel;
use crate::tick::{Hz, HzError, Nohz, RateLimit};
use crate::trace::Stopped;
use crate::units::{CpuId, Microwatts, Ns, StateIdx};

/// One variant, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantPlan {
    /// Who decides.
    pub governor: Choice,
    /// The tick rate.
    pub hz: Hz,
    /// Whether the tick may be stopped.
    pub nohz: Nohz,
    /// The patch of 2016.
    pub rate_limit: RateLimit,
    /// The strictest latency limit, ns; none when there is none.
    pub latency: Option<Ns>,
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The machine; `None` while it is not known: then only the recording can be shown.
    pub rig: Option<Rig>,
    /// Variants A and B; `None` when switched off or not understood.
    pub variants: [Option<VariantPlan>; 2],
    /// How much of the listed exit latency a wakeup really pays, 0 to 100 per cent.
    pub exit_percent: u8,
    /// Drawn by what CPUs share while it is awake; none leaves it out.
    pub shared_power: Option<Microwatts>,
    /// The machine on which kernel code takes time; none for workloads that are no closed loop.
    pub model: Option<MachineModel>,
}

/// What the loaded workload says about the machine it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Number of CPUs.
    pub cpus: usize,
    /// The preset that it was recorded on or made for, when known.
    pub machine: Option<&'static str>,
    /// The deepest state seen on each CPU of a trace.
    pub deepest: Vec<Option<StateIdx>>,
    /// The tick rate of the machine that recorded, where the trace tells it.
    pub hz: Option<u32>,
    /// Why the trace was not read to its end, if so.
    pub stopped: Option<Stopped>,
    /// The closed loop that it is, if so.
    pub closed: Option<Closed>,
}

/// Something of a question that could not be done as asked. The default holds for that part alone.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanIssue {
    /// The trace was not read to its end.
    #[error("only the beginning of the trace was read: {}", words_for(*.0))]
    CutShort(Stopped),
    /// A run was ended before its span was over, because it had more decisions than can be kept.
    #[error(
        "variant {}: only the first {} were simulated: more than {limit} decisions are not kept; choose a shorter time",
        .side.letter(),
        crate::page::words::number::duration(*.simulated, crate::page::words::Style::Page)
    )]
    TooManyDecisions {
        /// Whose.
        side: Side,
        /// How far it came, ns.
        simulated: Ns,
        /// How many are kept.
        limit: usize,
    },
    /// All that a trace says of idle is that CPUs woke up.
    #[error(
        "no CPU goes to sleep in this trace: there are only exits from idle, so there is nothing to replay"
    )]
    NoEntries,
    /// No machine was chosen, and the trace does not tell.
    #[error("the trace does not say which idle-state table its CPUs had: choose a machine")]
    MachineNeeded,
    /// The file is not the one that the link means.
    #[error("the link was made with trace {wanted}, this file is trace {found}")]
    OtherTrace {
        /// The link's, twelve digits.
        wanted: String,
        /// The file's.
        found: String,
    },
    /// No preset of this id.
    #[error("no machine of this name; found {found}")]
    NoSuchMachine {
        /// The id found.
        found: String,
    },
    /// A machine on which nobody chooses.
    #[error("{name} has no cpuidle driver, so no governor runs on it")]
    NoDriver {
        /// The machine's name.
        name: String,
    },
    /// The trace uses a state that the machine does not have.
    #[error("{} state {seen} in the trace, but {} on this machine, {}",
        entering(.cpus), has_only(.cpus, .names), listed(.names))]
    TooFewStates {
        /// The CPUs of which this is true alike.
        cpus: Vec<CpuId>,
        /// The deepest state seen.
        seen: StateIdx,
        /// The states of their table.
        names: Vec<String>,
    },
    /// A baseline takes a state that the machine does not have.
    #[error(
        "variant {}: state {state} is always to be taken, but {} {} on this machine, {}; the deepest that is on is taken there",
        .side.letter(), cpu_list(.cpus), has_only(.cpus, .names), listed(.names)
    )]
    NoSuchFixedState {
        /// Whose.
        side: Side,
        /// The state asked for.
        state: StateIdx,
        /// The CPUs of which this is true alike.
        cpus: Vec<CpuId>,
        /// The states of their table.
        names: Vec<String>,
    },
    /// An edit of the state table.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The recording has the machine's own states, and the question others.
    #[error(
        "states were added or removed, so the recorded lane is not shown: its states are the machine's own"
    )]
    OtherStates,
    /// Every state is switched off; then state 0 is what is left.
    #[error("all idle states are off; the kernel falls back to state 0")]
    AllStatesOff,
    /// The same on some CPUs, which have fewer states than the others.
    #[error("all idle states of {cpu} are off; there the kernel falls back to state 0")]
    AllStatesOffThere {
        /// The first of them.
        cpu: CpuId,
    },
    /// A tick rate.
    #[error("variant {}: {error}", .side.letter())]
    Hz {
        /// Whose.
        side: Side,
        /// Why not.
        error: HzError,
    },
    /// Another tick rate than the recorded one. The replay is then no comparison with the recording.
    #[error("variant {}: HZ={found}, but the trace was recorded with HZ={recorded}", .side.letter())]
    OtherHz {
        /// Whose.
        side: Side,
        /// Of the recording.
        recorded: u32,
        /// Of the variant.
        found: u32,
    },
}

impl Plan {
    /// Resolves a question for a workload.
    #[must_use]
    pub fn new(doc: &Doc, needs: &Needs) -> (Self, Vec<PlanIssue>) {
        let mut issues: Vec<_> = needs.stopped.map(PlanIssue::CutShort).into_iter().collect();
        if !needs.deepest.is_empty() && needs.deepest.iter().all(Option::is_none) {
            issues.push(PlanIssue::NoEntries);
        }
        let rig = rig(doc, needs, &mut issues);
        let variants = Side::ALL.map(|side| variant(doc, side, needs, &mut issues));
        for (side, variant) in Side::ALL.into_iter().zip(&variants) {
            if let (Some(variant), Some(rig)) = (variant, &rig) {
                fixed_state(side, variant.governor, rig, &mut issues);
            }
        }
        let exit_percent = doc.exit_percent.min(100);
        (
            Self {
                model: needs
                    .closed
                    .zip(rig.as_ref())
                    .map(|(load, rig)| closed::model(rig, load, doc)),
                rig,
                variants,
                exit_percent,
                shared_power: doc.shared_power,
            },
            issues,
        )
    }

    /// One variant.
    #[must_use]
    pub fn variant(&self, side: Side) -> Option<&VariantPlan> {
        let [a, b] = &self.variants;
        match side {
            Side::A => a.as_ref(),
            Side::B => b.as_ref(),
        }
    }
}

fn words_for(stopped: Stopped) -> String {
    match stopped {
        Stopped::TooManyEvents { line, limit } => {
            format!("line {line} is past the limit of {limit} events")
        }
        Stopped::DamagedGz { bytes } => format!("its gz data break after {bytes} bytes of the file"),
        Stopped::CutGz => "the file ends inside its gz data".to_owned(),
        Stopped::Damaged { byte, expected } => format!("byte {byte}: expected {expected}"),
    }
}

/// `CPU 0 enters`, `CPUs 0–3 enter`.
fn entering(cpus: &[CpuId]) -> String {
    let verb = if cpus.len() == 1 { "enters" } else { "enter" };
    format!("{} {verb}", cpu_list(cpus))
}

/// What the CPUs of a sentence have, where it is less than what is asked.
fn has_only(cpus: &[CpuId], names: &[String]) -> String {
    let verb = if cpus.len() == 1 { "has" } else { "have" };
    match names.len() {
        1 => format!("{verb} only 1 state"),
        n => format!("{verb} only {n} states"),
    }
}

/// `C1, C1E and C6`.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., one, last] => {
            let first: String = first.iter().map(|name| format!("{name}, ")).collect();
            format!("{first}{one} and {last}")
        }
        [one] => one.clone(),
        [] => String::new(),
    }
}

/// CPUs of which `wanted` says the same, with their tables, in the order of the first of each.
fn alike<T: PartialEq>(
    rig: &Rig,
    wanted: impl Fn(usize, &StateTable) -> Option<T>,
) -> Vec<(T, Vec<CpuId>, Vec<String>)> {
    let mut found: Vec<(T, Vec<CpuId>, Vec<String>)> = Vec::new();
    for (number, cpu) in (0u16..).zip(&rig.cpus) {
        let Some(key) = wanted(usize::from(number), &cpu.table) else {
            continue;
        };
        let names = || cpu.table.states().iter().map(|state| state.name.clone());
        let same = found
            .iter_mut()
            .find(|(other, _, others)| *other == key && names().eq(others.iter().cloned()));
        match same {
            Some((_, cpus, _)) => cpus.push(CpuId::new(number)),
            None => found.push((key, vec![CpuId::new(number)], names().collect())),
        }
    }
    found
}

/// The machine that a question means.
#[must_use]
pub fn machine(doc: &Doc, needs: &Needs) -> Option<Cow<'static, Machine>> {
    let own = || needs.machine.and_then(Machine::find);
    match &doc.machine {
        Some(MachineChoice::Given(given)) => Machine::of_given(given).map(Cow::Owned),
        Some(MachineChoice::Preset(id)) => Machine::find(id).or_else(own).map(Cow::Borrowed),
        None => own().map(Cow::Borrowed),
    }
}

fn rig(doc: &Doc, needs: &Needs, issues: &mut Vec<PlanIssue>) -> Option<Rig> {
    let preset = doc.machine.as_ref().and_then(MachineChoice::preset);
    if let Some(found) = preset.filter(|id| Machine::find(id).is_none()) {
        issues.push(PlanIssue::NoSuchMachine {
            found: found.to_owned(),
        });
    }
    let Some(machine) = machine(doc, needs) else {
        issues.push(PlanIssue::MachineNeeded);
        return None;
    };
    let assumed = Assumptions::default();
    let costs = Assumptions {
        tick_stop: doc.tick_cost.unwrap_or(assumed.tick_stop),
        ..assumed
    };
    let Some((mut rig, refused)) = Rig::new(&machine, needs.cpus, &doc.edits, &costs) else {
        issues.push(PlanIssue::NoDriver {
            name: machine.name.clone(),
        });
        return None;
    };
    issues.extend(refused.into_iter().map(PlanIssue::from));
    if !needs.deepest.is_empty() && !rig.is_own() {
        issues.push(PlanIssue::OtherStates);
    }
    let all_off = |cpu: &RigCpu| cpu.table.indices().all(|idx| cpu.disabled.contains(idx));
    let first = (0u16..)
        .map(CpuId::new)
        .zip(&rig.cpus)
        .find(|(_, cpu)| all_off(cpu));
    if let Some((cpu, _)) = first {
        issues.push(if rig.cpus.iter().all(all_off) {
            PlanIssue::AllStatesOff
        } else {
            PlanIssue::AllStatesOffThere { cpu }
        });
    }
    // States that were added count: with them the trace fits.
    let seen =
        |n: usize, table: &StateTable| needs.deepest.get(n)?.filter(|seen| seen.index() >= table.len());
    for (seen, cpus, names) in alike(&rig, seen) {
        issues.push(PlanIssue::TooFewStates { cpus, seen, names });
    }
    for cpu in &mut rig.cpus {
        cpu.shared = doc.shared_residency.or(cpu.shared);
    }
    Some(rig)
}

/// A baseline that takes one state whatever happens takes the last one where there is none of that number.
fn fixed_state(side: Side, governor: Choice, rig: &Rig, issues: &mut Vec<PlanIssue>) {
    let Make::Baseline(Baseline::Fixed(state)) = governor.make() else {
        return;
    };
    let lacks = |_: usize, table: &StateTable| (state.index() >= table.len()).then_some(());
    for ((), cpus, names) in alike(rig, lacks) {
        issues.push(PlanIssue::NoSuchFixedState {
            side,
            state,
            cpus,
            names,
        });
    }
}

fn variant(doc: &Doc, side: Side, needs: &Needs, issues: &mut Vec<PlanIssue>) -> Option<VariantPlan> {
    let governor = doc.variant(side).governor?;
    let settings = doc.settings(side);
    let hz = Hz::new(settings.hz).unwrap_or_else(|error| {
        issues.push(PlanIssue::Hz { side, error });
        Hz::DEFAULT
    });
    if let Some(recorded) = needs.hz.filter(|recorded| *recorded != hz.get()) {
        issues.push(PlanIssue::OtherHz {
            side,
            recorded,
            found: hz.get(),
        });
    }
    Some(VariantPlan {
        governor,
        hz,
        nohz: if settings.nohz { Nohz::Active } else { Nohz::Off },
        rate_limit: RateLimit::below(settings.rate_limit),
        latency: match settings.latency {
            LatencyLimit::None => None,
            LatencyLimit::Max(limit) => Some(limit),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::doc::{SampleId, Workload};

    fn doc(workload: Workload) -> Doc {
        Doc {
            workload,
            ..Doc::default()
        }
    }

    fn needs(machine: Option<&'static str>) -> Needs {
        let deepest = vec![Some(StateIdx::new(2)), None, Some(StateIdx::new(1)), None];
        Needs {
            cpus: 4,
            machine,
            deepest,
            hz: None,
            stopped: None,
            closed: None,
        }
    }

    #[test]
    fn a_trace_that_was_cut_short_is_said_to_be() {
        let cut = Needs {
            stopped: Some(Stopped::DamagedGz { bytes: 100_000 }),
            ..needs(Some("arm64-vm"))
        };
        let (_, issues) = Plan::new(&doc(Workload::Sample(SampleId::Arm64Ftrace)), &cut);
        assert_eq!(
            issues.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["only the beginning of the trace was read: its gz data break after 100000 bytes of the file"]
        );
    }

    #[test]
    fn a_trace_of_a_known_machine_needs_no_choice() {
        let (plan, issues) = Plan::new(
            &doc(Workload::Sample(SampleId::Arm64Ftrace)),
            &needs(Some("arm64-vm")),
        );
        assert_eq!(issues, []);
        assert_eq!(plan.rig.map(|rig| rig.cpus.len()), Some(4));
        assert!(plan.variants[0].is_some() && plan.variants[1].is_none());
    }

    #[test]
    fn a_trace_of_an_unknown_machine_asks_instead_of_inventing_residencies() {
        let (plan, issues) = Plan::new(&doc(Workload::Sample(SampleId::Arm64Ftrace)), &needs(None));
        assert_eq!(issues, [PlanIssue::MachineNeeded]);
        assert_eq!(plan.rig, None);
    }

    #[test]
    fn a_machine_with_too_few_states_is_told_once_for_cpus_that_are_alike() {
        let mut doc = doc(Workload::Sample(SampleId::Arm64Ftrace));
        doc.machine = Some(MachineChoice::Preset(String::from("kvm-haltpoll")));
        let (plan, issues) = Plan::new(&doc, &needs(None));
        let want = PlanIssue::TooFewStates {
            cpus: vec![CpuId::new(0)],
            seen: StateIdx::new(2),
            names: vec!["POLL".to_owned(), "haltpoll idle".to_owned()],
        };
        assert_eq!(issues, [want]);
        assert!(plan.rig.is_some());
        let deep = Needs {
            deepest: vec![Some(StateIdx::new(4)); 4],
            ..needs(None)
        };
        let told: Vec<String> = Plan::new(&doc, &deep).1.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "CPUs 0–3 enter state 4 in the trace, but have only 2 states on this machine, POLL and haltpoll idle"
            ]
        );
    }

    #[test]
    fn a_trace_of_exits_alone_says_that_there_is_nothing_to_replay() {
        let exits = Needs {
            deepest: vec![None; 4],
            ..needs(Some("arm64-vm"))
        };
        let (_, issues) = Plan::new(&doc(Workload::Sample(SampleId::Arm64Ftrace)), &exits);
        assert_eq!(issues, [PlanIssue::NoEntries]);
    }

    #[test]
    fn a_trace_fits_once_states_were_added() {
        let mut doc = doc(Workload::Sample(SampleId::Arm64Ftrace));
        doc.machine = Some(MachineChoice::Preset(String::from("kvm-haltpoll")));
        doc.edits.add("new1", "haltpoll idle", Default::default());
        let (_, issues) = Plan::new(&doc, &needs(None));
        assert_eq!(issues, [PlanIssue::OtherStates]);
    }

    #[test]
    fn a_fixed_state_that_a_machine_lacks_is_told_with_what_it_has() {
        let mut doc = doc(Workload::Sample(SampleId::Arm64Ftrace));
        doc.a.governor = "fixed~state2".parse().ok();
        doc.b.governor = "fixed~state9".parse().ok();
        let told: Vec<String> = Plan::new(&doc, &needs(Some("arm64-vm")))
            .1
            .iter()
            .map(ToString::to_string)
            .collect();
        let (three, two) = ("WFI, cpu-sleep-0 and cluster-sleep-0", "WFI and cpu-sleep-0");
        let line = |side: &str, state: u8, has: &str| {
            format!(
                "variant {side}: state {state} is always to be taken, but {has}; the deepest that is on is taken there"
            )
        };
        assert_eq!(
            told,
            [
                line(
                    "A",
                    2,
                    &format!("CPUs 2–3 have only 2 states on this machine, {two}")
                ),
                line(
                    "B",
                    9,
                    &format!("CPUs 0–1 have only 3 states on this machine, {three}")
                ),
                line(
                    "B",
                    9,
                    &format!("CPUs 2–3 have only 2 states on this machine, {two}")
                ),
            ]
        );
    }

    #[test]
    fn all_states_off_is_said_once_and_where() {
        let mut doc = doc(Workload::Sample(SampleId::Arm64Ftrace));
        let machine = Machine::find("arm64-vm").and_then(|machine| machine.cluster(CpuId::new(0)));
        let states = machine.map(|cluster| cluster.table.states()).unwrap_or_default();
        let mut said = Vec::new();
        for state in states {
            doc.edits.change(&state.name, |edit| edit.on = Some(false));
            said.push(Plan::new(&doc, &needs(Some("arm64-vm"))).1);
        }
        // CPUs 2 and 3 lack the third state.
        let there = PlanIssue::AllStatesOffThere { cpu: CpuId::new(2) };
        assert_eq!(said, [vec![], vec![there], vec![PlanIssue::AllStatesOff]]);
    }

    #[test]
    fn the_rate_limit_is_each_variants_own() {
        let mut doc = doc(Workload::Sample(SampleId::Arm64Ftrace));
        doc.b.governor = doc.a.governor;
        doc.b.over.rate_limit = Some(Ns::from_us(500));
        let (plan, issues) = Plan::new(&doc, &needs(Some("arm64-vm")));
        assert_eq!(issues, []);
        let limits = Side::ALL.map(|side| plan.variant(side).map(|variant| variant.rate_limit));
        let below = RateLimit::Below(Ns::from_us(500));
        assert_eq!(limits, [Some(RateLimit::Off), Some(below)]);
    }

    #[test]
    fn what_is_not_understood_is_said_and_falls_back_alone() {
        let mut doc = doc(Workload::Sample(SampleId::Arm64Ftrace));
        doc.machine = Some(MachineChoice::Preset(String::from("pixel99")));
        doc.settings.hz = 5;
        let (plan, issues) = Plan::new(&doc, &needs(Some("arm64-vm")));
        let texts: Vec<String> = issues.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert_eq!(plan.variant(Side::A).map(|variant| variant.hz), Some(Hz::DEFAULT));
        assert_eq!(plan.rig.map(|rig| rig.id), Some(String::from("arm64-vm")));
    }
}
