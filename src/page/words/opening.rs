//! What is said of a file that cannot be opened, and of a trace whose machine is not known or does not fit.

use serde::{Deserialize, Serialize};

use super::number::cpus;
use crate::page::session::{Needs, PlanIssue};
use crate::trace::TraceError;

/// Letters of a file's name that are shown.
const NAME_LETTERS: usize = 60;

/// Why a file could not be read: what happened, and what was expected and found where.
#[must_use]
pub fn unreadable(name: &str, error: &TraceError) -> (String, String) {
    let tables = match error {
        TraceError::NoEvents { .. } => {
            " Nor is it a table of idle states: sysfs, cpupower, pepc, turbostat or devicetree."
        }
        _ => "",
    };
    (
        format!("{} could not be read", shown(name)),
        sentence(&error.to_string()) + tables,
    )
}

/// Why a file could not even be loaded, in the browser's words.
#[must_use]
pub fn unloadable(name: &str, why: &str) -> (String, String) {
    (
        format!("{} could not be loaded", shown(name)),
        format!(
            "Expected a file that is still where it was chosen, not a folder. The browser said: {}",
            sentence(why)
        ),
    )
}

/// What is said of a folder that was dropped.
#[must_use]
pub fn folder(name: &str) -> (String, String) {
    (
        format!("{} is a folder", shown(name)),
        "Expected one file with the text of a trace. Found a folder: choose or drop a file in it.".to_owned(),
    )
}

/// A name as it is shown: one line of bounded length.
fn shown(name: &str) -> String {
    let plain = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    let mut letters = name.chars().map(plain);
    let head: String = letters.by_ref().take(NAME_LETTERS).collect();
    match letters.next() {
        Some(_) => format!("{head}…"),
        None if head.is_empty() => "The file".to_owned(),
        None => head,
    }
}

/// A text of an error as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        let rest = letters.as_str().trim_end_matches('.');
        let end = if rest.ends_with('…') { "" } else { "." };
        format!("{}{rest}{end}", first.to_uppercase())
    })
}

/// A trace asks for a machine: none is known, or the one that is has too few states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineAsked {
    /// The question, or what is wrong.
    pub title: String,
    /// What the trace says about its machine, and what to do.
    pub text: String,
    /// How many states a machine needs at least, from 1.
    pub states: usize,
}

impl MachineAsked {
    /// What there is to ask after a run of a trace on `seen` CPUs; none when the machine is known and fits.
    #[must_use]
    pub fn of(issues: &[PlanIssue], needs: &Needs, seen: usize) -> Option<Self> {
        let deepest = needs.deepest.iter().flatten().max();
        let states = deepest.map_or(1, |idx| idx.index() + 1);
        if issues.contains(&PlanIssue::MachineNeeded) {
            return Some(Self {
                title: "Which machine recorded this trace?".to_owned(),
                text: format!(
                    "The trace does not say, and without its idle-state table nothing can be simulated; the \
                     recorded lane is shown. {}",
                    entered(seen, states)
                ),
                states,
            });
        }
        let few: Vec<String> = issues
            .iter()
            .filter(|issue| matches!(issue, PlanIssue::TooFewStates { .. }))
            .map(|issue| sentence(&issue.to_string()))
            .collect();
        (!few.is_empty()).then(|| Self {
            title: "This machine has too few idle states for the trace".to_owned(),
            text: few.join(" "),
            states,
        })
    }

    /// What to do; `fitting` is how many known machines have so many states.
    #[must_use]
    pub fn advice(&self, fitting: usize) -> String {
        let add = "add the missing states in the idle-state editor (e)";
        match fitting {
            0 => format!(
                "No machine here has {} states: take one with the most, and {add}.",
                self.states
            ),
            _ => format!(
                "Choose a machine with at least {} states, or take one with fewer and {add}.",
                self.states
            ),
        }
    }
}

/// Which states the CPUs of a trace enter.
fn entered(seen: usize, states: usize) -> String {
    let who = match seen {
        1 => "Its only CPU enters".to_owned(),
        seen => format!("Its {} enter", cpus(seen)),
    };
    match states {
        1 => format!("{who} only state 0."),
        states => format!(
            "{who} states 0 to {}, so the machine has at least {states}.",
            states - 1
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{CpuId, StateIdx};

    #[test]
    fn one_cpu_enters_and_several_enter() {
        assert_eq!(entered(1, 1), "Its only CPU enters only state 0.");
        assert_eq!(
            entered(1, 3),
            "Its only CPU enters states 0 to 2, so the machine has at least 3."
        );
        assert_eq!(
            entered(4, 3),
            "Its 4 CPUs enter states 0 to 2, so the machine has at least 3."
        );
    }

    #[test]
    fn a_name_can_neither_fill_a_message_nor_break_its_line() {
        let (what, _) = unreadable(&format!("a\nb{}", "c".repeat(500)), &TraceError::Empty);
        assert_eq!(what, format!("a\u{fffd}b{}… could not be read", "c".repeat(57)));
        assert_eq!(unreadable("", &TraceError::Empty).0, "The file could not be read");
        assert_eq!(sentence("found at line 1: abc…"), "Found at line 1: abc…");
        assert_eq!(sentence("found at line 1: abc"), "Found at line 1: abc.");
    }

    #[test]
    fn a_folder_is_told_what_was_expected() {
        assert_eq!(folder("traces").0, "traces is a folder");
        let (what, why) = unloadable("traces", "A requested file or directory could not be found");
        assert_eq!(what, "traces could not be loaded");
        assert_eq!(
            why,
            "Expected a file that is still where it was chosen, not a folder. \
             The browser said: A requested file or directory could not be found."
        );
    }

    #[test]
    fn a_machine_is_asked_for_when_none_is_known_and_when_it_has_too_few_states() {
        let needs = |deepest: u8| Needs {
            deepest: vec![Some(StateIdx::new(deepest)), None],
            ..Needs::default()
        };
        assert_eq!(MachineAsked::of(&[], &needs(2), 1), None);
        let unknown = MachineAsked::of(&[PlanIssue::MachineNeeded], &needs(2), 1);
        assert_eq!(unknown.map(|asked| asked.states), Some(3));
        let few = PlanIssue::TooFewStates {
            cpus: vec![CpuId::new(0)],
            seen: StateIdx::new(9),
            names: vec!["C1".to_owned(), "C6".to_owned()],
        };
        let asked = MachineAsked::of(&[few], &needs(9), 1).expect("too few states");
        assert_eq!(
            asked.text,
            "CPU 0 enters state 9 in the trace, but has only 2 states on this machine, C1 and C6."
        );
        assert!(asked.advice(0).starts_with("No machine here has 10 states: "));
        assert!(
            asked
                .advice(3)
                .starts_with("Choose a machine with at least 10 states, ")
        );
    }
}
