//! What is said about a part of a link that was not understood.

use std::fmt;

use super::pairs::escape;
use super::write::power_text;
use crate::page::table::Refused;

use crate::page::doc::{Doc, Side, Workload};

/// One part of a link that was not understood; the default holds for that key alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The key as written.
    pub key: String,
    /// The value as written; none where no `=` was.
    pub value: Option<String>,
    /// Why it was not understood.
    pub reason: String,
    /// Valid values close to it, if any.
    pub nearest: Vec<String>,
    /// What holds instead, if anything.
    pub used: Option<String>,
}

impl Issue {
    pub(super) fn new(key: &str, value: &str, reason: impl Into<String>) -> Self {
        Self {
            key: key.to_owned(),
            value: Some(value.to_owned()),
            reason: reason.into(),
            nearest: Vec::new(),
            used: None,
        }
    }

    /// Whether it is about the workload itself, so that choosing one answers it.
    #[must_use]
    pub fn is_of_workload(&self) -> bool {
        matches!(self.key.as_str(), "w" | "t")
    }

    /// A power of the state table that the machine's order does not allow.
    #[must_use]
    pub fn refused_power(refused: &Refused) -> Self {
        let part = format!("{}.mw{}", escape(&refused.state), power_text(refused.power));
        Self::new("st", &part, format!("must be {}", refused.allowed))
    }

    /// A part without `=`.
    pub(super) fn bare(part: &str, reason: impl Into<String>) -> Self {
        Self {
            value: None,
            ..Self::new(part, "", reason)
        }
    }

    pub(super) fn near(mut self, nearest: Vec<String>) -> Self {
        self.nearest = nearest;
        self
    }

    pub(super) fn used(mut self, used: impl Into<String>) -> Self {
        self.used = Some(used.into());
        self
    }
}

impl fmt::Display for Issue {
    /// `b=teo-6.7: no such governor, nearest are teo-6.6 and teo-6.12; default off used`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}: {}", self.key, self.reason)?,
            None => write!(f, "{}: {}", self.key, self.reason)?,
        }
        match self.nearest.as_slice() {
            [] => {}
            [one] => write!(f, ", nearest is {one}")?,
            [first @ .., last] => write!(f, ", nearest are {} and {last}", first.join(", "))?,
        }
        match &self.used {
            Some(used) => write!(f, "; default {used} used"),
            None => Ok(()),
        }
    }
}

/// What is said under the issues: what became of everything else in the link. Without a workload nothing runs
/// yet, so it names who is going to.
#[must_use]
pub fn rest_of_link(doc: &Doc) -> String {
    if doc.workload != Workload::None {
        return "The rest was applied.".to_owned();
    }
    let names = Side::ALL
        .into_iter()
        .filter_map(|side| Some(format!("{} {}", side.letter(), doc.variant(side).governor?)));
    match names.collect::<Vec<_>>().join(" and ").as_str() {
        "" => "The rest is kept for the workload that you choose.".to_owned(),
        names => format!("The rest is kept: {names} will run on the workload that you choose."),
    }
}

/// Those of `all` (at most two) that are closest to `text`, if they differ by at most half of it.
pub(super) fn nearest<'a>(text: &str, all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let limit = text.chars().count().div_ceil(2).max(1);
    let mut close: Vec<(usize, &str)> = all
        .map(|one| (distance(text, one), one))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    close.sort();
    close.dedup();
    let best = close.first().map_or(0, |(distance, _)| *distance);
    close
        .into_iter()
        .take(2)
        .filter(|(distance, _)| *distance == best)
        .map(|(_, one)| one.to_owned())
        .collect()
}

/// What is said of a name that is none of `all`: those closest to it, or all of them where none is close and
/// they are few.
pub(super) fn no_such<'a>(
    what: &str,
    text: &str,
    all: impl Iterator<Item = &'a str> + Clone,
) -> (String, Vec<String>) {
    const FEW: usize = 8;
    let near = nearest(text, all.clone());
    let reason = format!("no such {what}");
    if !near.is_empty() || all.clone().count() > FEW {
        return (reason, near);
    }
    let names = all.collect::<Vec<_>>().join(", ");
    (format!("{reason}, there are {names}"), near)
}

/// Letters to add, drop, change or swap with their neighbour; the first 64 letters count.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().take(64).collect();
    let other: Vec<char> = other.chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, a) in one.iter().enumerate() {
        let mut next = vec![n + 1];
        for (m, b) in other.iter().enumerate() {
            let change = row[m] + usize::from(a != b);
            let mut least = change.min(row[m + 1] + 1).min(next[m] + 1);
            let swapped = n > 0 && m > 0 && one[n - 1] == *b && other[m - 1] == *a;
            if swapped {
                least = least.min(before[m - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_echoed_as_it_was_typed() {
        let say = |issue: Issue| issue.to_string();
        assert_eq!(say(Issue::bare("foo", "has no value")), "foo: has no value");
        assert_eq!(
            say(Issue::new("hz", "", "must be a number")),
            "hz=: must be a number"
        );
    }

    #[test]
    fn a_link_without_a_workload_says_what_is_kept_of_it() {
        let check = |text: &str, said: &str| {
            let (link, _) = crate::page::link::parse(text);
            assert_eq!(rest_of_link(&link.doc), said, "{text}");
        };
        let kept = "will run on the workload that you choose.";
        check("w=arm64-menu&b=teo-99", "The rest was applied.");
        check(
            "w=teapot&a=teo-6.5&b=teo-6.5-p123",
            &format!("The rest is kept: A teo-6.5 and B teo-6.5-p123 {kept}"),
        );
        check(
            "w=teapot&a=menu-6.6",
            &format!("The rest is kept: A menu-6.6 {kept}"),
        );
        check(
            "w=teapot&a=off",
            "The rest is kept for the workload that you choose.",
        );
    }

    #[test]
    fn where_nothing_is_close_the_few_valid_names_are_told() {
        let names = ["summary", "misses", "mail"];
        let check = |text: &str, reason: &str, near: &[&str]| {
            let (found, nearest) = no_such("tab", text, names.into_iter());
            assert_eq!(
                (found.as_str(), nearest),
                (reason, near.iter().map(|s| (*s).to_owned()).collect())
            );
        };
        check("sumary", "no such tab", &["summary"]);
        check("q", "no such tab, there are summary, misses, mail", &[]);
        let many = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"];
        let (reason, _) = no_such("machine", "zzzz", many.into_iter());
        assert_eq!(reason, "no such machine");
    }

    #[test]
    fn the_closest_names_come_first() {
        let names = ["doorbell", "metronome", "door"];
        assert_eq!(nearest("dorbell", names.into_iter()), ["doorbell"]);
        assert_eq!(nearest("metrnoome", names.into_iter()), ["metronome"]);
        assert_eq!(nearest("xyz", names.into_iter()), Vec::<String>::new());
    }
}
