//! What tables do to the page: one that says enough of a machine is the machine from then on, powers become edits
//! of the states that have their names, counters are kept. Workload and variants stay.

use std::rc::Rc;

use crate::page::Page;
use crate::page::costs::Costs;
use crate::page::doc::{Doc, Edits, MachineChoice};
use crate::page::given::NoMachine;
use crate::page::live::{File, Live};
use crate::page::plot::energy::State;
use crate::page::sheets::{self, MOST_READINGS, Reading};
use crate::page::table;
use crate::page::words::number::{Style, power};
use crate::trace::tables::{Attr, Form, Tables};
use crate::units::Microwatts;

/// Takes a file that held tables.
pub(super) fn take(page: &mut Page, name: String, tables: Tables) {
    let mut live = (*page.live).clone();
    let mut doc = (*page.doc).clone();
    let models = tables.sheets.iter().any(|sheet| sheet.form == Form::EnergyModel);
    let mut done = if models {
        powers(&mut doc, &live, &tables)
    } else {
        machine(&mut doc, &name, &tables)
    };
    if doc != *page.doc && !models {
        done.push("Undo brings the machine back that was there before".to_owned());
    }
    live.file = match (live.open, live.open_name.clone()) {
        (Some(id), Some(name)) => File::Ready { name, id },
        _ => File::None,
    };
    live.forget_file_failure();
    let readings = Rc::make_mut(&mut live.readings);
    readings.push(Reading { name, tables, done });
    if readings.len() > MOST_READINGS {
        readings.remove(0);
    }
    live.reading_told = true;
    page.live = Rc::new(live);
    if doc != *page.doc {
        page.doc = Rc::new(doc);
        let doc = Rc::clone(&page.doc);
        Rc::make_mut(&mut page.history).push(doc);
    }
}

/// Makes the table the machine; edits were about the states of the one before.
fn machine(doc: &mut Doc, name: &str, tables: &Tables) -> Vec<String> {
    match sheets::machine(name, tables) {
        Ok((given, assumed)) => {
            let same = doc
                .machine
                .as_ref()
                .and_then(MachineChoice::given)
                .is_some_and(|own| own.clusters() == given.clusters());
            let what = if same {
                "the same table as before: the machine stays as it is"
            } else {
                doc.machine = Some(MachineChoice::Given(given));
                doc.edits.clear();
                doc.costs = Costs::default();
                "this table is the machine now"
            };
            let mut done = vec![what.to_owned()];
            done.extend(assumed.iter().map(ToString::to_string));
            done
        }
        Err(why @ NoMachine::NoTimes) => vec![why.to_string()],
        Err(why) => vec![format!("no machine was made of it: {why}")],
    }
}

/// Gives the states their powers; answers what was done.
fn powers(doc: &mut Doc, live: &Live, tables: &Tables) -> Vec<String> {
    if live.groups.is_empty() {
        return vec![
            "no powers were set: choose a workload or open a trace first, then this file again".to_owned(),
        ];
    }
    let mut done = Vec::new();
    let mut set: Vec<(String, Microwatts)> = Vec::new();
    for sheet in &tables.sheets {
        for state in sheet.cpus.values().flat_map(|states| states.values()) {
            let Some(name) = state.name.as_deref() else {
                continue;
            };
            let own = live.groups.iter().flat_map(|group| &group.states);
            let own = own
                .map(|state| &state.name)
                .find(|own| own.eq_ignore_ascii_case(name));
            let sum = [Attr::ClusterPower, Attr::CorePower]
                .iter()
                .try_fold(0_u32, |sum, attr| {
                    let milliwatts = u32::try_from(state.get(*attr).unwrap_or(0)).ok()?;
                    sum.checked_add(milliwatts.checked_mul(1_000)?)
                });
            let (Some(own), Some(uw)) = (own, sum) else {
                done.push(format!(
                    "{name} is no state of this machine, or its power is too large"
                ));
                continue;
            };
            let found = Microwatts::new(uw);
            match set.iter().find(|(known, _)| known == own) {
                Some((_, first)) if *first != found => done.push(format!(
                    "{own} has another power in a later cluster: an edit reaches every CPU that has the state, so \
                     the first holds"
                )),
                Some(_) => {}
                None => set.push((own.clone(), found)),
            }
        }
    }
    let mut edits = doc.edits.clone();
    for (name, found) in &set {
        edits.change(name, |edit| edit.power = Some(*found));
    }
    for refused in refused(live, &edits) {
        done.push(format!(
            "power of {} not taken: expected {}, found {}",
            refused.state,
            refused.allowed,
            power(refused.power, Style::Page)
        ));
        // What was set by hand before stays.
        let before = doc.edits.get(&refused.state).and_then(|edit| edit.power);
        edits.change(&refused.state, |edit| edit.power = before);
        set.retain(|(name, _)| *name != refused.state);
    }
    doc.edits = edits;
    let names: Vec<String> = set
        .iter()
        .map(|(name, found)| format!("{name} {}", power(*found, Style::Page)))
        .collect();
    if !names.is_empty() {
        done.insert(0, format!("powers set: {}", names.join(", ")));
    }
    done
}

fn refused(live: &Live, edits: &Edits) -> Vec<table::Refused> {
    let tables = live.groups.iter().map(|group| {
        let own: Vec<State> = group.states.iter().map(State::from).collect();
        table::edited(&own, edits).refused
    });
    tables.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::action::Action;
    use crate::page::doc::{SampleId, TraceId, Workload};
    use crate::page::live::{BaseState, StateGroup};
    use crate::page::reduce::reduce;
    use crate::trace::tables;
    use crate::units::Ns;

    const DUMP: &str = "cpu0/cpuidle/state0/name:WFI\ncpu0/cpuidle/state0/latency:1\n\
                        cpu0/cpuidle/state0/residency:1\ncpu1/cpuidle/state0/name:WFI\n\
                        cpu1/cpuidle/state0/latency:2\ncpu1/cpuidle/state0/residency:2\n";

    fn read(page: &Page, text: &str) -> Page {
        let tables = tables::read(text.as_bytes()).expect("a table");
        reduce(page, Action::TablesRead("dump".to_owned(), Box::new(tables)))
    }

    fn traced() -> Page {
        let id = TraceId::parse("0123456789ab").expect("twelve digits");
        let page = reduce(&Page::default(), Action::FileRead("own.txt".to_owned(), id));
        let page = reduce(&page, Action::VariantsSwapped);
        let added = page.doc.edits.is_empty();
        assert!(added && page.doc.workload == Workload::Trace(id));
        reduce(&page, Action::StateToggled("C1".to_owned(), false))
    }

    fn given(page: &Page) -> Option<usize> {
        let machine = page.doc.machine.as_ref()?;
        machine.given().map(|given| given.clusters().len())
    }

    #[test]
    fn a_table_is_the_machine_and_nothing_else_changes() {
        let before = traced();
        let page = read(&before, DUMP);
        assert_eq!(given(&page), Some(2), "two CPUs, two tables");
        assert_eq!(
            (&page.doc.workload, &page.doc.a),
            (&before.doc.workload, &before.doc.a)
        );
        assert!(page.doc.edits.is_empty(), "they were about other states");
        assert!(matches!(&page.live.file, File::Ready { name, .. } if name == "own.txt"));
        assert!(page.live.reading_told && page.live.readings.len() == 1);
        let undone = reduce(&page, Action::Undo);
        assert_eq!(undone.doc, before.doc);
        // The same once more is no step of its own.
        let again = read(&page, DUMP);
        assert_eq!((&again.doc, again.live.readings.len()), (&page.doc, 2));
        let done = |page: &Page| {
            page.live
                .readings
                .last()
                .map(|reading| reading.done.concat())
                .unwrap_or_default()
        };
        assert!(
            done(&again).contains("the same table as before"),
            "{}",
            done(&again)
        );
        let counted = read(&before, "state0/usage:7\n");
        assert_eq!(counted.doc, before.doc);
        assert!(
            done(&counted).contains("the machine stays as it is"),
            "{}",
            done(&counted)
        );
    }

    #[test]
    fn a_given_machine_stays_with_another_trace_and_goes_with_a_sample() {
        let page = read(&traced(), DUMP);
        let id = TraceId::parse("ba9876543210").expect("twelve digits");
        let other = reduce(&page, Action::FileRead("other.txt".to_owned(), id));
        assert_eq!(
            (given(&other), other.doc.workload.clone()),
            (Some(2), Workload::Trace(id))
        );
        let sample = Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace));
        assert_eq!(reduce(&page, sample).doc.machine, None);
        let start = read(&Page::default(), DUMP);
        let sample = Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace));
        assert_eq!(
            given(&reduce(&start, sample)),
            Some(2),
            "it was there first, as a link's machine"
        );
    }

    #[test]
    fn powers_of_an_energy_model_go_to_the_states_of_their_names() {
        let model =
            "clusters 1\nclusterA: 0 cap states 3 C states\nC-states:\nwfi 70 10\nC2 25 0\nC3 20 0\nC9 1 1\n";
        assert!(read(&Page::default(), model).live.readings[0].done[0].contains("choose a workload"));
        let state = |name: &str, mw: u32| BaseState {
            name: name.to_owned(),
            target_residency: Ns::from_us(1),
            exit_latency: Ns::from_us(1),
            power: Microwatts::new(mw * 1_000),
            on: true,
            polling: false,
            timer_stop: false,
        };
        let group = StateGroup {
            cpus: Vec::new(),
            states: vec![state("WFI", 1_000), state("C2", 500), state("C3", 200)],
        };
        let page = reduce(&traced(), Action::StatesArrived(vec![group]));
        let page = read(&page, model);
        let powers = |page: &Page| {
            ["WFI", "C2", "C3"].map(|name| {
                let power = page.doc.edits.get(name).and_then(|edit| edit.power);
                power.map(Microwatts::as_uw)
            })
        };
        assert_eq!(powers(&page), [Some(80_000), Some(25_000), Some(20_000)]);
        let done = &page.live.readings[0].done;
        assert!(done[0].starts_with("powers set: WFI"), "{done:?}");
        assert!(
            done.iter().any(|line| line.contains("C9 is no state")),
            "{done:?}"
        );
        let wrong = read(
            &page,
            "clusters 1\nclusterA: 0 cap states 1 C states\nC-states:\nC3 900 0\n",
        );
        assert_eq!(powers(&wrong), powers(&page), "900 mW is above the 25 mW of C2");
        let done = &wrong.live.readings[1].done;
        assert!(
            done.iter().any(|line| line.contains("not taken: expected")),
            "{done:?}"
        );
    }

    #[test]
    fn readings_are_forgotten_by_hand_and_beyond_the_last_ones() {
        let mut page = Page::default();
        for _ in 0..=MOST_READINGS {
            page = read(&page, DUMP);
        }
        assert_eq!(page.live.readings.len(), MOST_READINGS);
        let page = reduce(&page, Action::ReadingForgotten(0));
        assert_eq!(page.live.readings.len(), MOST_READINGS - 1);
        assert!(!reduce(&page, Action::ReadingDismissed).live.reading_told);
    }
}
