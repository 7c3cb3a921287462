//! What a governor printed about itself against what ours remembers, in sentences.

use super::Style;
use super::number::{count, stamp};
use crate::page::recording::agreement::WARM_UP;
use crate::page::recording::dumps::{Compared, Differing};
use crate::page::session::{OwnNumbers, Session};
use crate::trace::dump::{Family, Key, Value};
use crate::trace::report::DumpTally;
use crate::units::{CpuId, StateIdx};
use crate::workload::replay::Share;

const LEAD: &str = "governor's own numbers (trace_printk)";

/// How many numbers are equal and which is the first that is not, or why nothing was compared; and
/// whether that is good news: every number is equal once the unknown memory at the start has
/// faded. None when no governor printed.
#[must_use]
pub fn sentence(session: &Session, style: Style) -> Option<(String, bool)> {
    let found = match session.own_numbers()? {
        OwnNumbers::Compared(found) => found,
        OwnNumbers::NoMachine => {
            return Some((
                format!("{LEAD}: not compared; choose the machine that recorded"),
                false,
            ));
        }
        OwnNumbers::NoGovernor(family) => {
            let name = match family {
                Family::Teo => "teo",
                Family::Menu => "menu",
            };
            let text = format!("{LEAD}: printed by a {name}, not compared; choose the {name} that ran as A");
            return Some((text, false));
        }
    };
    let governor = found.governor;
    if found.all.of == 0 {
        let text = format!("{LEAD}: nothing to compare with {governor}");
        return Some((text, false));
    }
    let mut text = format!("{LEAD}: {} values equal with {governor}", of(found.all, style));
    if let Some(first) = &found.first {
        text += &format!(", first difference {}", differing(session, first, style));
        if first.in_warm_up {
            text += ", where the memory at the start is not known";
        }
    }
    let good = if found.warm.of > 0 { found.warm } else { found.all };
    Some((text, good.rest() == 0))
}

/// The same in a few words, for a narrow place.
#[must_use]
pub fn brief(session: &Session, style: Style) -> Option<String> {
    Some(match session.own_numbers()? {
        OwnNumbers::Compared(found) if found.all.of > 0 => {
            format!("own numbers {} equal", of(found.all, style))
        }
        OwnNumbers::Compared(_) | OwnNumbers::NoMachine | OwnNumbers::NoGovernor(_) => {
            "own numbers not compared".to_owned()
        }
    })
}

/// More about it: by key, after the warm-up, and what was left out. Empty when no governor printed.
#[must_use]
pub fn notes(session: &Session, style: Style) -> Vec<String> {
    let (Some(own), Some(traced)) = (session.own_numbers(), session.traced()) else {
        return Vec::new();
    };
    let tally = &traced.trace.report.dumps;
    let mut told = vec![format!(
        "{} lines with {} values",
        count(tally.lines, style),
        count(tally.values, style)
    )];
    if let OwnNumbers::Compared(found) = own {
        told.extend(by_key(found, style));
        if found.warm.of == 0 {
            told.push(format!(
                "none of them after the first {WARM_UP} decisions of a CPU"
            ));
        } else if found.all.rest() > 0 {
            let mut text = format!(
                "after the first {WARM_UP} decisions of each CPU {} values equal",
                of(found.warm, style)
            );
            if let Some(first) = found.first_warm.filter(|first| found.first != Some(*first)) {
                text += &format!(", first difference {}", differing(session, &first, style));
            }
            told.push(text);
        }
        for (key, values) in &found.not_remembered {
            let (name, values, governor) = (key.name(), count(*values as u64, style), found.governor);
            told.push(format!(
                "{name}: {values} values that {governor} does not remember"
            ));
        }
        let lines = |lines: usize, why: &str| {
            (lines > 0).then(|| format!("{} lines {why}", count(lines as u64, style)))
        };
        told.extend(lines(found.of_others, "of another family, not compared"));
        told.extend(lines(
            found.unplaced,
            "that belong to no idle entry, not compared",
        ));
    }
    told.extend(unknown(tally, style));
    told
}

fn of(share: Share, style: Style) -> String {
    format!(
        "{} of {}",
        count(share.part as u64, style),
        count(share.of as u64, style)
    )
}

/// `hits 120 of 120, intercepts 118 of 120`.
fn by_key(found: &Compared, style: Style) -> Option<String> {
    let keys: Vec<String> = found
        .by_key
        .iter()
        .map(|(key, equal)| format!("{} {}", key.name(), of(*equal, style)))
        .collect();
    (!keys.is_empty()).then(|| format!("equal: {}", keys.join(", ")))
}

/// On the trace's own clock, as the timeline has it: `cpu2 69.234 000 s: intercepts of C1 512, ours 448`.
fn differing(session: &Session, one: &Differing, style: Style) -> String {
    format!(
        "{} {}: {} {}, ours {}",
        one.cpu,
        stamp(one.time, style),
        what(session, one.cpu, &one.dumped),
        one.dumped.number,
        one.ours
    )
}

fn what(session: &Session, cpu: CpuId, value: &Value) -> String {
    let name = value.key.name();
    let at = value.at;
    if value.key.is_by_state() {
        let rig = session.plan().and_then(|(plan, _)| plan.rig.as_ref());
        let table = rig.and_then(|rig| rig.cpus.get(cpu.index())).map(|cpu| &cpu.base);
        let state = table.and_then(|table| table.get(StateIdx::new(at)));
        return match state {
            Some(state) => format!("{name} of {}", state.name),
            None => format!("{name} of state {at}"),
        };
    }
    match value.key {
        Key::Factors => format!("{name} of bucket {at}"),
        Key::Intervals => format!("{name} in slot {at}"),
        _ => name.to_owned(),
    }
}

/// `keys not known here: foo (12), bar (1)`.
fn unknown(tally: &DumpTally, style: Style) -> Option<String> {
    let keys: Vec<String> = tally
        .unknown
        .iter()
        .map(|(key, lines)| format!("{key} ({})", count(*lines, style)))
        .collect();
    (!keys.is_empty()).then(|| format!("keys not known here: {}", keys.join(", ")))
}
