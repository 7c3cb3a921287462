//! What the machine of a closed loop pays for its own code and for leaving states: named, sourced, adjustable.
//!
//! One table, [`SPECS`], drives link, panel, mail table and JSON. A cost that nobody set is that of the machine's
//! parameter set (spec closed-loop-model.md §4; what is fitted, derived or assumed there is said beside each).
//!
//! Code takes cycles, so its time scales with 1/clock; what hardware takes is a time. The effective latency of a state
//! stands here; the listed one, by which governors decide, stays in the table of states. Of the effective one the share
//! `xe` is paid.
//!
//! Invariants: costs are sorted and each is there once, so equal costs are equal values; one that the question cannot
//! have is not in its link.

mod own;

pub use own::{Shown, applies, shown, shown_own};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::duration;
use super::field;
use super::words::number;
use crate::sim::machine::{Cycles, MachineModel, StateExit};
use crate::units::Ns;
use crate::workload::closed::Exchange;

/// What costs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum What {
    /// Going idle, governor included, up to the entry of a state.
    Entry,
    /// From the state's exit to the task.
    Exit,
    /// Leaving the polling loop.
    PollExit,
    /// Stopping the tick.
    TickStop,
    /// Restarting it.
    TickRestart,
    /// A tick's handler in idle.
    TickHandler,
    /// A task's system call up to the wakeup of its partner.
    Send,
    /// From there until it blocks.
    Tail,
    /// An interrupt from another CPU on its way to one that does not poll.
    Interrupt,
    /// Speed of a thread while the other one of its core runs.
    BesideRunning,
    /// Speed of a thread while the other one of its core polls.
    BesidePolling,
    /// Leaving a state, the part that does not depend on the clock.
    Asleep,
    /// Leaving a state, the part that does.
    Clocked,
    /// Leaving a state while another thread keeps the core awake, instead of both.
    Awake,
}

/// A cost: what, and of which state where it is one of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cost {
    /// What.
    pub what: What,
    /// Number of the state, the shallowest being 0; 0 for what is not of a state.
    pub state: u8,
}

/// What a cost is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Clock cycles.
    Cycles,
    /// ns.
    Time,
    /// Per mille of the speed alone.
    PerMille,
}

/// What is to be known of a cost, whatever the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// What.
    pub what: What,
    /// Its name in links; the number of the state follows where it is one of a state.
    pub key: &'static str,
    /// What the panel calls it.
    pub label: &'static str,
    /// What it is, one sentence without its full stop.
    pub about: &'static str,
    /// What it is counted in.
    pub unit: Unit,
    /// Its least and its largest value.
    pub range: (u64, u64),
}

const fn spec(
    what: What,
    (key, label): (&'static str, &'static str),
    about: &'static str,
    unit: Unit,
) -> Spec {
    let range = match unit {
        Unit::Cycles => (0, 10_000_000),
        Unit::Time => (0, 100_000_000),
        Unit::PerMille => (100, 1_000),
    };
    Spec {
        what,
        key,
        label,
        about,
        unit,
        range,
    }
}

/// All costs, in the panel's order.
pub const SPECS: [Spec; 14] = [
    spec(
        What::Entry,
        ("entry", "going idle"),
        "kernel code from the last task to the entry of a state, governor included; half of it when the CPU stays idle",
        Unit::Cycles,
    ),
    spec(
        What::Exit,
        ("exit", "leaving idle"),
        "kernel code from the exit of a state to the task",
        Unit::Cycles,
    ),
    spec(
        What::PollExit,
        ("poll", "leaving POLL"),
        "from the flag that a polling CPU sees to the end of its loop",
        Unit::Cycles,
    ),
    spec(
        What::TickStop,
        ("stop", "stop the tick"),
        "kernel code that stops a running tick",
        Unit::Cycles,
    ),
    spec(
        What::TickRestart,
        ("restart", "restart it"),
        "kernel code that starts a stopped tick again",
        Unit::Cycles,
    ),
    spec(
        What::TickHandler,
        ("tick", "tick handler"),
        "kernel code of a tick that interrupts an idle CPU",
        Unit::Cycles,
    ),
    spec(
        What::Send,
        ("send", "write and wake"),
        "a task's work and system call up to the wakeup of its partner, work that the workload adds left out",
        Unit::Cycles,
    ),
    spec(
        What::Tail,
        ("tail", "read and block"),
        "from there until the task blocks",
        Unit::Cycles,
    ),
    spec(
        What::Interrupt,
        ("ipi", "IPI arrives"),
        "what an interrupt from another CPU takes to one that does not poll",
        Unit::Time,
    ),
    spec(
        What::BesideRunning,
        ("smt", "beside a task"),
        "speed of a thread while the other one of its core runs, of 1000",
        Unit::PerMille,
    ),
    spec(
        What::BesidePolling,
        ("smtpoll", "beside polling"),
        "speed of a thread while the other one of its core polls, of 1000",
        Unit::PerMille,
    ),
    spec(
        What::Asleep,
        ("asleep", "exit"),
        "effective exit from the state with the core asleep, the part that does not depend on the clock",
        Unit::Time,
    ),
    spec(
        What::Clocked,
        ("clocked", "exit, code"),
        "effective exit from the state with the core asleep, the part that scales with the clock",
        Unit::Cycles,
    ),
    spec(
        What::Awake,
        ("awake", "exit, core awake"),
        "effective exit from the state while another thread keeps the core awake",
        Unit::Cycles,
    ),
];

impl What {
    /// What is to be known of it.
    #[must_use]
    pub fn spec(self) -> &'static Spec {
        static NONE: Spec = SPECS[0];
        SPECS.iter().find(|spec| spec.what == self).unwrap_or(&NONE)
    }

    /// Whether each state has one of its own.
    #[must_use]
    pub const fn is_of_state(self) -> bool {
        matches!(self, Self::Asleep | Self::Clocked | Self::Awake)
    }
}

/// Why a text was no cost.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CostError {
    /// No point between name and value.
    #[error("must be a name, a point and a value, as entry.900")]
    NoValue,
    /// No cost of that name.
    #[error("no such cost")]
    NoSuch,
    /// Not a value within the range.
    #[error("must be {0}")]
    Range(String),
}

impl Cost {
    /// One that is not of a state.
    #[must_use]
    pub const fn of(what: What) -> Self {
        Self { what, state: 0 }
    }

    /// Its name in links.
    #[must_use]
    pub fn key(self) -> String {
        let key = self.what.spec().key;
        if self.what.is_of_state() {
            format!("{key}{}", self.state)
        } else {
            key.to_owned()
        }
    }

    /// The cost of a name in links.
    #[must_use]
    pub fn named(key: &str) -> Option<Self> {
        let name = key.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let what = SPECS.iter().find(|spec| spec.key == name)?.what;
        let state = key.get(name.len()..)?;
        match what.is_of_state() {
            true => Some(Self {
                what,
                state: state
                    .parse()
                    .ok()
                    .filter(|state: &u8| state.to_string() == key[name.len()..])?,
            }),
            false => state.is_empty().then_some(Self::of(what)),
        }
    }

    /// A value as links write it.
    #[must_use]
    pub fn text(self, value: u64) -> String {
        match self.what.spec().unit {
            Unit::Time => duration::to_link(Ns::new(i64::try_from(value).unwrap_or(i64::MAX))),
            Unit::Cycles | Unit::PerMille => value.to_string(),
        }
    }

    /// Reads `entry.900` or `asleep4.80us`.
    ///
    /// # Errors
    /// See [`CostError`].
    pub fn read(text: &str) -> Result<(Self, u64), CostError> {
        let (key, value) = text.split_once('.').ok_or(CostError::NoValue)?;
        let cost = Self::named(key).ok_or(CostError::NoSuch)?;
        let spec = cost.what.spec();
        let (least, most) = spec.range;
        let found = match spec.unit {
            Unit::Time => {
                let found = duration::from_link(value).ok();
                found.and_then(|ns| u64::try_from(ns.as_ns()).ok())
            }
            Unit::Cycles | Unit::PerMille => value.parse().ok(),
        };
        match found.filter(|found| (least..=most).contains(found)) {
            Some(found) => Ok((cost, found)),
            None => Err(CostError::Range(cost.allowed())),
        }
    }

    /// What is allowed, in words.
    fn allowed(self) -> String {
        let spec = self.what.spec();
        let (least, most) = spec.range;
        match spec.unit {
            Unit::Time => format!("a time from {} to {}", self.text(least), self.text(most)),
            Unit::Cycles => format!("a number of cycles from {least} to {most}"),
            Unit::PerMille => format!("a whole number from {least} to {most}, of 1000"),
        }
    }

    /// A value that somebody typed.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn typed(self, text: &str) -> Result<u64, String> {
        let spec = self.what.spec();
        let ends = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let (least, most) = (ends(spec.range.0), ends(spec.range.1));
        let found = match spec.unit {
            Unit::Time => field::time(text, Ns::new(least), Ns::new(most)).map(Ns::as_ns),
            Unit::Cycles => {
                let plain = text.trim().trim_end_matches("cycles");
                field::whole(plain, least, most, "cycles")
            }
            Unit::PerMille => field::whole(text, least, most, "of 1000"),
        };
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.unsigned_abs())
    }
}

/// The costs that somebody set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs(Vec<(Cost, u64)>);

impl Costs {
    /// Whether all are the machine's own.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each with its value, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Cost, u64)> + '_ {
        self.0.iter().copied()
    }

    /// The value of one, if it was set.
    #[must_use]
    pub fn get(&self, cost: Cost) -> Option<u64> {
        self.iter().find(|(own, _)| *own == cost).map(|(_, value)| value)
    }

    /// Sets one, or gives it back to the machine. A value outside its range changes nothing.
    pub fn set(&mut self, cost: Cost, value: Option<u64>) {
        let (least, most) = cost.what.spec().range;
        if value.is_some_and(|value| !(least..=most).contains(&value)) {
            return;
        }
        self.0.retain(|(own, _)| *own != cost);
        if let Some(value) = value {
            let at = self.0.partition_point(|(own, _)| *own < cost);
            self.0.insert(at, (cost, value));
        }
    }

    /// Keeps some.
    pub fn retain(&mut self, keep: impl Fn(Cost, u64) -> bool) {
        self.0.retain(|(cost, value)| keep(*cost, *value));
    }

    /// A machine that pays them.
    pub(super) fn apply(&self, model: &mut MachineModel) {
        for (Cost { what, state }, value) in self.iter() {
            let cycles = Cycles::new(value);
            let time = Ns::new(i64::try_from(value).unwrap_or(i64::MAX));
            let per_mille = u16::try_from(value).unwrap_or(1_000);
            let (code, smt) = (&mut model.code, &mut model.smt);
            match what {
                What::Entry => code.entry = cycles,
                What::Exit => code.exit = cycles,
                What::PollExit => code.poll_exit = cycles,
                What::TickStop => code.tick_stop = cycles,
                What::TickRestart => code.tick_restart = cycles,
                What::TickHandler => code.tick_handler = cycles,
                What::Interrupt => model.ipi = time,
                What::BesideRunning => smt.beside_running = per_mille,
                What::BesidePolling => smt.beside_polling = per_mille,
                What::Asleep => each(model, state, |exit| exit.fixed = time),
                What::Clocked => each(model, state, |exit| exit.cycles = cycles),
                What::Awake => each(model, state, |exit| exit.beside_sibling = cycles),
                // They are the tasks'.
                What::Send | What::Tail => {}
            }
        }
    }

    /// Tasks that pay them; `extra` is work that the workload adds before each wakeup, cycles as ns at 1 GHz.
    pub(super) fn apply_to_tasks(&self, exchange: &mut Exchange, extra: Ns) {
        let time = |value| Ns::new(i64::try_from(value).unwrap_or(i64::MAX));
        if let Some(send) = self.get(Cost::of(What::Send)) {
            exchange.send = time(send) + extra;
        }
        if let Some(tail) = self.get(Cost::of(What::Tail)) {
            exchange.tail = time(tail);
        }
    }
}

fn each(model: &mut MachineModel, state: u8, change: impl Fn(&mut StateExit)) {
    for cpu in &mut model.cpus {
        if let Some(exit) = cpu.exits.get_mut(usize::from(state)) {
            change(exit);
        }
    }
}

/// How long so many cycles take at a clock, such as `0.24 µs`.
#[must_use]
pub fn spent(cycles: u64, khz: u32) -> String {
    let ns = u128::try_from(Cycles::new(cycles).at(khz).as_ns()).unwrap_or_default();
    format!("{}\u{202f}µs", number::fixed(ns, 1_000, 2))
}

/// What cycles are here, and what of an exit is paid, in two sentences.
#[must_use]
pub fn about_cycles(khz: u32) -> String {
    let clock = number::fixed(u128::from(khz), 1_000_000, 1);
    format!(
        "Plain numbers are cycles, counted at the clock of the moment: 1000 take {} at {clock}\u{202f}GHz. Of an exit \
         a wakeup takes the exit cost paid, set above.",
        spent(1_000, khz)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cost_has_a_name_a_label_a_range_and_a_sentence_of_its_own() {
        let all = |of: fn(&Spec) -> &'static str| {
            let names: std::collections::BTreeSet<&str> = SPECS.iter().map(of).collect();
            assert_eq!(names.len(), SPECS.len());
        };
        all(|spec| spec.key);
        all(|spec| spec.label);
        all(|spec| spec.about);
        for spec in &SPECS {
            assert!(
                spec.range.0 < spec.range.1 && !spec.about.ends_with('.'),
                "{}",
                spec.key
            );
            assert_eq!(spec.what.spec(), spec);
        }
    }

    #[track_caller]
    fn check(text: &str, expect: Result<(&str, u64), &str>) {
        let found = Cost::read(text);
        let found = found.map(|(cost, value)| (cost.key(), value));
        let expect = expect.map(|(key, value)| (key.to_owned(), value));
        assert_eq!(
            found.map_err(|error| error.to_string()),
            expect.map_err(ToOwned::to_owned),
            "{text}"
        );
    }

    #[test]
    fn a_text_is_a_cost_or_says_what_it_must_be() {
        check("entry.900", Ok(("entry", 900)));
        check("asleep4.80us", Ok(("asleep4", 80_000)));
        check("ipi.1500ns", Ok(("ipi", 1_500)));
        check("smt.620", Ok(("smt", 620)));
        check("entry", Err("must be a name, a point and a value, as entry.900"));
        check("entry4.900", Err("no such cost"));
        check("asleep.80us", Err("no such cost"));
        check("asleep04.80us", Err("no such cost"));
        check("asleep999.80us", Err("no such cost"));
        check("entree.900", Err("no such cost"));
        check("entry.-1", Err("must be a number of cycles from 0 to 10000000"));
        check("entry.", Err("must be a number of cycles from 0 to 10000000"));
        check("ipi.3", Err("must be a time from 0 to 100ms"));
        check("smt.99", Err("must be a whole number from 100 to 1000, of 1000"));
    }

    #[test]
    fn what_is_set_is_sorted_and_within_its_range() {
        let (stop, entry) = (Cost::of(What::TickStop), Cost::of(What::Entry));
        let mut costs = Costs::default();
        costs.set(stop, Some(1_000));
        costs.set(entry, Some(2));
        costs.set(entry, Some(99_999_999));
        assert_eq!(costs.iter().collect::<Vec<_>>(), [(entry, 2), (stop, 1_000)]);
        costs.set(stop, None);
        costs.set(entry, None);
        assert!(costs.is_empty());
    }
}
