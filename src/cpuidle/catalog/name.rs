//! Choices as written in links, and what is said about a name that is none.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Choice, ENTRIES, Entry, Knob, PatchSet};

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)?;
        if self.patches != PatchSet::NONE {
            f.write_str("-p")?;
            for number in (1..=8).filter(|n| self.patches.contains(*n)) {
                write!(f, "{number}")?;
            }
        }
        self.tuning.write(self.entry().make, f)
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> Self {
        choice.to_string()
    }
}

/// Why a name is not a governor's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No entry of this name.
    #[error("no governor of this name; nearest: {}; found {found}", .nearest.join(", "))]
    Unknown {
        /// The names that resemble it most, best first.
        nearest: Vec<&'static str>,
        /// The name found.
        found: String,
    },
    /// Patches asked of an entry that has none.
    #[error("{entry} has no patches to apply; found {found}")]
    NoPatches {
        /// The entry's name.
        entry: &'static str,
        /// The name found.
        found: String,
    },
    /// Not a list of patch numbers of that entry.
    #[error("after {entry}-p expected some of the patch numbers {valid}; found {found}")]
    BadPatches {
        /// The entry's name.
        entry: &'static str,
        /// The numbers that may stand there, such as `123`.
        valid: String,
        /// The name found.
        found: String,
    },
    /// Not a number that can be set on that entry.
    #[error("{entry} can be followed by {valid}; found {found}")]
    NoSuchKnob {
        /// The entry's name.
        entry: &'static str,
        /// What may stand there.
        valid: String,
        /// The part found.
        found: String,
    },
    /// A number out of its range.
    #[error("{key} of {entry} must be a whole number from {min} to {max}; found {found}")]
    KnobRange {
        /// The entry's name.
        entry: &'static str,
        /// The number's key.
        key: &'static str,
        /// The least.
        min: u32,
        /// The most.
        max: u32,
        /// What was found.
        found: String,
    },
}

fn names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

impl FromStr for Choice {
    type Err = ChoiceError;

    fn from_str(name: &str) -> Result<Self, ChoiceError> {
        let mut parts = name.split('~');
        let choice = plain(parts.next().unwrap_or_default())?;
        parts.try_fold(choice, turned)
    }
}

/// With one number set, written as `decay2`.
fn turned(choice: Choice, part: &str) -> Result<Choice, ChoiceError> {
    let entry = choice.entry();
    let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
    let (key, value) = part.split_at(digits);
    let knobs: &[Knob] = entry.make.knobs();
    let Some(knob) = knobs.iter().find(|knob| knob.spec().key == key) else {
        let keys: Vec<String> = knobs.iter().map(|knob| format!("~{}", knob.spec().key)).collect();
        return Err(ChoiceError::NoSuchKnob {
            entry: entry.name,
            valid: if keys.is_empty() {
                "nothing".to_owned()
            } else {
                keys.join(", ")
            },
            found: format!("~{part}"),
        });
    };
    let spec = knob.spec();
    let set = value
        .parse()
        .ok()
        .and_then(|value| choice.with_knob(*knob, value));
    set.ok_or_else(|| ChoiceError::KnobRange {
        entry: entry.name,
        key: spec.key,
        min: spec.min,
        max: spec.max,
        found: value.to_owned(),
    })
}

/// An entry and its patches.
fn plain(name: &str) -> Result<Choice, ChoiceError> {
    let find = |wanted: &str| ENTRIES.iter().position(|entry| entry.name == wanted);
    if let Some(entry) = find(name) {
        return Ok(Choice::of_entry(entry));
    }
    let unknown = || ChoiceError::Unknown {
        nearest: nearest(name),
        found: name.to_owned(),
    };
    let (base, numbers) = name.rsplit_once("-p").ok_or_else(unknown)?;
    let entry = find(base).ok_or_else(unknown)?;
    patches(&ENTRIES[entry], numbers)
        .map(|patches| Choice {
            patches,
            ..Choice::of_entry(entry)
        })
        .ok_or_else(|| refused(&ENTRIES[entry], name))
}

/// The patches named by `numbers`, if all of them exist and none is named twice.
fn patches(entry: &Entry, numbers: &str) -> Option<PatchSet> {
    let mut set = PatchSet::NONE;
    for c in numbers.chars() {
        let number = c.to_digit(10).and_then(|digit| u8::try_from(digit).ok())?;
        if set.contains(number) || !entry.patches.iter().any(|p| p.number == number) {
            return None;
        }
        set = set.with(number);
    }
    (set != PatchSet::NONE).then_some(set)
}

fn refused(entry: &Entry, name: &str) -> ChoiceError {
    let found = name.to_owned();
    if entry.patches.is_empty() {
        return ChoiceError::NoPatches {
            entry: entry.name,
            found,
        };
    }
    ChoiceError::BadPatches {
        entry: entry.name,
        valid: entry.patches.iter().map(|p| p.number.to_string()).collect(),
        found,
    }
}

impl TryFrom<String> for Choice {
    type Error = ChoiceError;

    fn try_from(name: String) -> Result<Self, ChoiceError> {
        name.parse()
    }
}

/// The three names that take the fewest edits to become `found`.
fn nearest(found: &str) -> Vec<&'static str> {
    let found: String = found.chars().take(40).collect();
    let mut names = names();
    names.sort_by_key(|name| edits(name, &found));
    names.truncate(3);
    names
}

/// Letters to add, drop or replace to turn one text into the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, cb) in row.iter_mut().skip(1).zip(&b) {
            let cost = (diagonal + usize::from(ca != *cb)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, cost);
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
