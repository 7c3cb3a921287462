//! What is said about a part of a link that was not understood.

use std::fmt;

/// One part of a link that was not understood; the default holds for that key alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The key as written.
    pub key: String,
    /// The value as written.
    pub value: String,
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
            value: value.to_owned(),
            reason: reason.into(),
            nearest: Vec::new(),
            used: None,
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
        write!(f, "{}={}: {}", self.key, self.value, self.reason)?;
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

/// Up to two of `all` that differ from `text` by the fewest letters, and by at most half of it.
pub(super) fn nearest<'a>(text: &str, all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let limit = text.chars().count().div_ceil(2).max(1);
    let mut close: Vec<(usize, &str)> = all
        .map(|one| (distance(text, one), one))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    close.sort();
    close.into_iter().take(2).map(|(_, one)| one.to_owned()).collect()
}

/// Letters to add, drop or change; the first 64 letters count.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, a) in one.chars().take(64).enumerate() {
        let mut diagonal = n;
        row[0] = n + 1;
        for (m, b) in other.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[m + 1];
            row[m + 1] = change.min(row[m] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_names_come_first() {
        let names = ["doorbell", "metronome", "door"];
        assert_eq!(nearest("dorbell", names.into_iter()), ["doorbell"]);
        assert_eq!(nearest("xyz", names.into_iter()), Vec::<String>::new());
    }
}
