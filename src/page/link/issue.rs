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
    fn the_closest_names_come_first() {
        let names = ["doorbell", "metronome", "door"];
        assert_eq!(nearest("dorbell", names.into_iter()), ["doorbell"]);
        assert_eq!(nearest("metrnoome", names.into_iter()), ["metronome"]);
        assert_eq!(nearest("xyz", names.into_iter()), Vec::<String>::new());
    }
}
