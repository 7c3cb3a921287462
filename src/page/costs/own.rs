//! The costs of a question beside what its machine has by itself, and where that is from.

use super::{Cost, SPECS, Unit, What};
use crate::page::doc::{Doc, MachineChoice, Presence, Workload};
use crate::page::generated::Generated;
use crate::page::machines::Machine;
use crate::page::scenarios::parameters;
use crate::page::session::closed::{self, Parameters};
use crate::page::session::tokens;
use crate::sim::machine::{Cycles, MachineModel, StateExit};
use crate::units::{CpuId, Ns};
use crate::workload::closed::Exchange;

/// A cost as a panel shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Which.
    pub cost: Cost,
    /// What it is called, with the state where it is of one.
    pub label: String,
    /// What the machine's own parameters say, on the CPU where it is least and where it is most.
    pub own: (u64, u64),
    /// What was set instead, if anything.
    pub set: Option<u64>,
    /// Where the own value is from.
    pub source: &'static str,
}

impl Shown {
    /// The value as text: what was set, or the own one, or both ends of it.
    #[must_use]
    pub fn text(&self) -> String {
        let written = |value| {
            let text = self.cost.text(value);
            match self.cost.what.spec().unit {
                Unit::Time => text
                    .replace("us", " µs")
                    .replace("ms", " ms")
                    .replace("ns", " ns"),
                Unit::Cycles | Unit::PerMille => text,
            }
        };
        match (self.set, self.own) {
            (Some(set), _) => written(set),
            (None, (least, most)) if least == most => written(least),
            (None, (least, most)) => format!("{} to {}", written(least), written(most)),
        }
    }

    /// The own value as text, where another one was set.
    #[must_use]
    pub fn was(&self) -> Option<String> {
        self.set?;
        let own = Self {
            set: None,
            ..self.clone()
        };
        Some(own.text())
    }

    /// The value that a text stands for; none for the own one.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn typed(&self, text: &str) -> Result<Option<u64>, String> {
        if text.trim().is_empty()
            || self.was().as_deref() == Some(text)
            || (self.set.is_none() && text == self.text())
        {
            return Ok(None);
        }
        let value = self.cost.typed(text)?;
        Ok(Some(value).filter(|value| self.own != (*value, *value)))
    }
}

/// The costs of a question, in the panel's order; none unless its workload is a closed loop.
#[must_use]
pub fn shown(doc: &Doc) -> Vec<Shown> {
    let (Some(parameters), Workload::Generated(generated)) = (parameters(doc), &doc.workload) else {
        return Vec::new();
    };
    let own = Own::of(doc, parameters, generated);
    let mut shown = Vec::new();
    for spec in &SPECS {
        let states = if spec.what.is_of_state() {
            own.states.len()
        } else {
            1
        };
        for state in (0_u8..).take(states) {
            let cost = Cost {
                what: spec.what,
                state,
            };
            let Some(value) = own.value(cost) else { continue };
            let label = match own.states.get(usize::from(state)) {
                Some(name) if spec.what.is_of_state() => format!("{name} {}", spec.label),
                _ => spec.label.to_owned(),
            };
            shown.push(Shown {
                cost,
                label,
                own: value,
                set: doc.costs.get(cost),
                source: source(parameters, cost),
            });
        }
    }
    // Of each state what belongs together.
    shown.sort_by_key(|shown| {
        (
            shown.cost.what.is_of_state(),
            shown.cost.state * u8::from(shown.cost.what.is_of_state()),
        )
    });
    shown
}

/// Whether a question can have this cost; one whose workload is not known may.
#[must_use]
pub fn applies(doc: &Doc, cost: Cost) -> bool {
    if doc.workload == Workload::None {
        return true;
    }
    shown_own(doc, cost).is_some()
}

/// The machine's own value of a cost, at least and at most over its CPUs; none if the question cannot have it.
#[must_use]
pub fn shown_own(doc: &Doc, cost: Cost) -> Option<(u64, u64)> {
    let (Some(parameters), Workload::Generated(generated)) = (parameters(doc), &doc.workload) else {
        return None;
    };
    Own::of(doc, parameters, generated).value(cost)
}

/// What a question's machine has by itself.
struct Own {
    model: MachineModel,
    exchange: Option<Exchange>,
    /// Names of the states whose effective exits the set has; none where it has none of them.
    states: Vec<String>,
}

impl Own {
    fn of(doc: &Doc, parameters: Parameters, generated: &Generated) -> Self {
        let mut model = closed::model_of(parameters);
        closed::pay_tick(doc, &mut model);
        let own_states = doc.edits.iter().all(|(_, edit)| edit.presence == Presence::Own);
        // Of a table that the user gave, no such costs are known: the parameters say so.
        let preset = doc.machine.as_ref().and_then(MachineChoice::preset);
        let machine = preset.unwrap_or(generated.pattern().machine());
        let table = Machine::find(machine).and_then(|machine| machine.cluster(CpuId::new(0)));
        let names = table.map(|cluster| {
            let states = cluster.table.states().iter();
            states.map(|state| state.name.clone()).collect::<Vec<_>>()
        });
        let count = model.cpus.first().map_or(0, |cpu| cpu.exits.len());
        let states =
            names.filter(|names| parameters != Parameters::Generic && own_states && names.len() == count);
        Self {
            model,
            exchange: tokens(generated, parameters),
            states: states.unwrap_or_default(),
        }
    }

    fn value(&self, cost: Cost) -> Option<(u64, u64)> {
        let (code, model) = (&self.model.code, &self.model);
        let one = |value: u64| Some((value, value));
        let time = |time: Ns| u64::try_from(time.as_ns()).unwrap_or_default();
        let exits = |of: &dyn Fn(&StateExit) -> u64| {
            self.states.get(usize::from(cost.state))?;
            let exits = model
                .cpus
                .iter()
                .filter_map(|cpu| cpu.exits.get(usize::from(cost.state)));
            let values: Vec<u64> = exits.map(of).collect();
            Some((*values.iter().min()?, *values.iter().max()?))
        };
        let threads = {
            let mut cores: Vec<u16> = model.cpus.iter().map(|cpu| cpu.core).collect();
            cores.sort_unstable();
            cores.dedup();
            cores.len() < model.cpus.len()
        };
        match cost.what {
            What::Entry => one(code.entry.get()),
            What::Exit => one(code.exit.get()),
            What::PollExit => one(code.poll_exit.get()),
            What::TickStop => one(code.tick_stop.get()),
            What::TickRestart => one(code.tick_restart.get()),
            What::TickHandler => one(code.tick_handler.get()),
            What::Send => one(time(self.exchange.as_ref()?.send)),
            What::Tail => one(time(self.exchange.as_ref()?.tail)),
            What::Interrupt => one(time(model.ipi)),
            What::BesideRunning => threads.then(|| u64::from(model.smt.beside_running)).and_then(one),
            What::BesidePolling => threads.then(|| u64::from(model.smt.beside_polling)).and_then(one),
            // A polling CPU does not leave a state: that is its loop's end.
            _ if cost.state == 0 && code.poll_exit > Cycles::ZERO => None,
            What::Asleep => exits(&|exit| time(exit.fixed)),
            What::Clocked => exits(&|exit| exit.cycles.get()),
            What::Awake => threads.then(|| exits(&|exit| exit.beside_sibling.get()))?,
        }
    }
}

/// Where a machine's own value is from (spec closed-loop-model.md §4.1 to §4.4).
const fn source(parameters: Parameters, cost: Cost) -> &'static str {
    match (parameters, cost.what) {
        (Parameters::SandyBridge, What::TickStop | What::TickRestart) => {
            "fitted to 19.8 µs per loop with mobile; from 0 to 4000 cycles together all published rows hold"
        }
        (Parameters::SandyBridge, What::Send) => "fitted to 4.87 µs per loop with teo",
        (Parameters::SandyBridge, What::Tail) => {
            "fitted to a busy share of 0.85; from 6600 to 8100 cycles all hold"
        }
        (Parameters::SandyBridge, What::Awake) if cost.state == 4 => {
            "derived from 8.30 less 4.87 µs per loop, with and without states 0 to 3"
        }
        (Parameters::SandyBridge | Parameters::Haswell, What::Interrupt) => {
            "none: a sleeping CPU watches the flag that wakes it"
        }
        (Parameters::SandyBridge, What::BesideRunning | What::BesidePolling) => {
            "not apart from the costs of code, which were fitted with both threads running"
        }
        (Parameters::Haswell, What::Send) => "fitted to 877 000 exchanges a second with polling",
        (Parameters::Haswell, What::Tail) => {
            "fitted with it; from 1800 to 3100 cycles all published rows hold"
        }
        (Parameters::Haswell, What::Asleep | What::Clocked) if cost.state == 1 => {
            "derived from 0.26 µs per exchange between polling and C1; from 150 to 330 ns all hold"
        }
        (Parameters::Haswell, What::Awake) if cost.state == 1 => {
            "as on the Sandy Bridge; from 150 to 800 cycles all hold"
        }
        (Parameters::Pixel6, What::Asleep) => {
            "assumed: the hardware's part of what the table lists; twice as much changes nothing"
        }
        (Parameters::Generic, _) => "as on the Haswell, at 1 GHz",
        _ => "assumed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::generated::Pattern;
    use crate::page::{link, scenarios};

    fn doc(fragment: &str) -> Doc {
        link::parse(fragment).0.doc
    }

    #[test]
    fn every_closed_loop_names_its_costs_and_where_they_are_from() {
        for pattern in Pattern::ALL {
            let shown = shown(&scenarios::question(pattern));
            assert_eq!(shown.is_empty(), !pattern.is_closed_loop(), "{pattern:?}");
            for cost in &shown {
                let (least, most) = cost.cost.what.spec().range;
                assert!(
                    least <= cost.own.0 && cost.own.0 <= cost.own.1 && cost.own.1 <= most,
                    "{cost:?}"
                );
                assert!(!cost.source.is_empty() && cost.was().is_none());
                assert_eq!(cost.typed(&cost.text()), Ok(None), "{cost:?}");
                assert_eq!(cost.typed(""), Ok(None));
                assert_eq!(Cost::named(&cost.cost.key()), Some(cost.cost));
            }
            let tasks = shown.iter().any(|shown| shown.cost.what == What::Send);
            let exchange = [Pattern::PipeTest, Pattern::Ring, Pattern::Tbench, Pattern::Bursts];
            assert_eq!(tasks, exchange.contains(&pattern), "{pattern:?}");
        }
    }

    #[test]
    fn the_own_values_are_those_of_the_documented_sets() {
        let own = |fragment: &str, key: &str| {
            let shown = shown(&doc(fragment));
            let found = shown.iter().find(|shown| shown.cost.key() == key);
            found.map(|shown| (shown.label.clone(), shown.text()))
        };
        let some = |label: &str, text: &str| Some((label.to_owned(), text.to_owned()));
        assert_eq!(own("w=pipe-test", "entry"), some("going idle", "900"));
        assert_eq!(own("w=pipe-test", "send"), some("write and wake", "8200"));
        assert_eq!(own("w=pipe-test&run=6us", "send"), some("write and wake", "8200"));
        assert_eq!(own("w=pipe-test", "asleep4"), some("C6 exit", "80 µs"));
        assert_eq!(own("w=pipe-test", "awake4"), some("C6 exit, core awake", "6200"));
        assert_eq!(own("w=tbench", "smt"), some("beside a task", "620"));
        assert_eq!(own("w=jetnews", "asleep1"), some("c2 exit", "160 µs to 220 µs"));
        assert_eq!(own("w=jetnews", "ipi"), some("IPI arrives", "1.5 µs"));
        assert_eq!(own("w=jetnews", "smt"), None, "one thread to a core");
        assert_eq!(own("w=server", "asleep1"), None, "it pays what the table lists");
        assert_eq!(own("w=pipe-test", "awake0"), None, "POLL is no state to leave");
    }
}
