//! A governor's memory before and after a decision: an answer in words, a picture on the one ruler, and the
//! same numbers as a table.
//!
//! Invariants: nothing is drawn that the table does not tell; the answer stands first in the picture's name.
//! A governor that remembers nothing has no drawing.

mod haltpoll;
mod ladder;
mod last_value;
mod lights;
mod menu;
mod mobile;
mod teo;

pub use lights::lights;

use crate::cpuidle::{Snapshot, StateTable};
use crate::page::plot::Plot;
use crate::page::plot::bins::Pointer;
use crate::page::plot::chips::{Candidate, Chip};
use crate::page::words::walk::walk;
use crate::page::words::{Speaker, Style};
use crate::sim::Explained;
use crate::units::{Ns, StateIdx};

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows, as long as the head; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

/// Rows of texts as comma-separated values in ASCII, the names of the columns first.
#[must_use]
pub fn csv(head: &[String], rows: &[Vec<String>]) -> String {
    let cell = |text: &String| {
        let plain = Style::Ascii.plain(text.clone());
        if plain.contains([',', '"', '\n']) {
            format!("\"{}\"", plain.replace('"', "\"\""))
        } else {
            plain
        }
    };
    let line = |cells: &[String]| cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(head);
    text.extend(rows.iter().map(|row| line(row)));
    text
}

/// One governor's memory around one decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// What it led to, in a sentence.
    pub answer: String,
    /// The picture; its name begins with the answer.
    pub plot: Plot,
    /// The numbers.
    pub table: Table,
}

/// What surrounds a drawing.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The CPU's states.
    pub states: &'a StateTable,
    /// The tick period, if one is to be shown.
    pub tick: Option<Ns>,
    /// Estimates and the time really slept.
    pub pointers: Vec<Pointer>,
    /// Width of the picture, px.
    pub width: f64,
}

/// The memory of the governor that took a decision; none when it remembers nothing.
#[must_use]
pub fn drawing(explained: &Explained, scene: &Scene<'_>) -> Option<Drawing> {
    let before = explained.before.governor.snapshot();
    let chosen = explained.chosen.governor.snapshot();
    Some(match (before, chosen) {
        (Snapshot::Teo(before), Snapshot::Teo(now)) => teo::drawing(explained, scene, &before, &now),
        (Snapshot::Menu(before), Snapshot::Menu(now)) => menu::drawing(explained, scene, &before, &now),
        (Snapshot::Ladder(before), Snapshot::Ladder(now)) => ladder::drawing(explained, scene, &before, &now),
        (Snapshot::Haltpoll(_), Snapshot::Haltpoll(_)) => haltpoll::drawing(explained, scene)?,
        (Snapshot::LastValue(before), Snapshot::LastValue(_)) => {
            last_value::drawing(explained, scene, &before)
        }
        (Snapshot::Mobile(before), Snapshot::Mobile(_)) => mobile::drawing(explained, scene, &before),
        _ => return None,
    })
}

impl Scene<'_> {
    fn speaker(&self) -> Speaker<'_> {
        Speaker::new(Some(self.states), Style::Page, false)
    }

    fn name(&self, idx: StateIdx) -> String {
        self.speaker().state(idx)
    }

    fn chips(&self) -> Vec<Chip> {
        let chip = |idx: StateIdx| Chip {
            name: self.name(idx),
            from: self.states.target_residency(idx),
        };
        self.states.indices().map(chip).collect()
    }
}

/// The candidates of a decision, the chosen state last.
fn candidates(explained: &Explained) -> Vec<Candidate> {
    let mut walked = walk(&explained.steps);
    let selected = explained.row.selected;
    if walked.last().map(|(state, _)| *state) != Some(selected) {
        walked.push((selected, ""));
    }
    let candidate = |(state, why): (StateIdx, &str)| Candidate {
        state: state.index(),
        why: why.to_owned(),
    };
    walked.into_iter().map(candidate).collect()
}

/// `C3, then C2 by intercepts, then C1 by tick`.
fn walked(candidates: &[Candidate], scene: &Scene<'_>) -> String {
    let mut said = String::new();
    for (n, candidate) in candidates.iter().enumerate() {
        let name = u8::try_from(candidate.state).map_or_else(
            |_| candidate.state.to_string(),
            |idx| scene.name(StateIdx::new(idx)),
        );
        match (n, candidate.why.as_str()) {
            (0, _) => said.push_str(&name),
            (_, "") => said.push_str(&format!(", then {name}")),
            (_, why) => said.push_str(&format!(", then {name}: {why}")),
        }
    }
    said
}

/// A table from rows of texts.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Table {
    Table {
        head: head.map(str::to_owned).into(),
        rows: rows.into_iter().map(Vec::from).collect(),
    }
}

/// A value that was another before: `3, was 2`.
fn changed(before: impl std::fmt::Display + PartialEq, now: impl std::fmt::Display) -> String {
    let (before, now) = (before.to_string(), now.to_string());
    if before == now {
        now
    } else {
        format!("{now}, was {before}")
    }
}

/// The answer, then each row of the table: what the picture is called.
fn name(answer: &str, table: &Table) -> String {
    let mut name = answer.to_owned();
    for row in &table.rows {
        let cells = row.iter().zip(&table.head).skip(1);
        let cells: Vec<String> = cells
            .filter(|(cell, _)| !cell.is_empty())
            .map(|(cell, head)| format!("{head} {cell}"))
            .collect();
        let first = row.first().map_or("", String::as_str);
        name.push_str(&format!("; {first}: {}", cells.join(", ")));
    }
    name
}

/// Answer, picture and table, the picture named.
fn finished(answer: String, mut plot: Plot, table: Table) -> Drawing {
    plot.name = name(&answer, &table);
    Drawing { answer, plot, table }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comma_separated_values_keep_commas_and_quotes_and_are_ascii() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let text = csv(
            &row(["what", "value"]),
            &[row(["look 1", "3, was 2"]), row(["“µs”", "−4\u{202f}µs"])],
        );
        assert_eq!(text, "what,value\nlook 1,\"3, was 2\"\n\"\"\"us\"\"\",-4 us\n");
    }
}
