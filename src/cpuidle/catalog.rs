//! From a governor's name to all that makes it up. Version numbers live here and nowhere else.
//!
//! A name is an entry, `teo-6.5`, and for entries with a posted patch series
//! the patches applied to it: `teo-6.5-p12`. Every subset of a series can be
//! asked for; numbers are written in ascending order and read in any.
//!
//! Invariants: names are unique; a name written is read back as the same
//! choice; entries that follow one another within a family differ in what
//! they do. All three are tests.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Baseline, Governor};

/// What an entry is made of: generation, recipe and rules in one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// A baseline.
    Baseline(Baseline),
}

/// A group of governors that share their steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Timer events oriented.
    Teo,
    /// The governor named menu.
    Menu,
    /// Never ran in a kernel.
    Baseline,
}

impl Family {
    /// Every family, in display order.
    pub const ALL: [Self; 3] = [Self::Teo, Self::Menu, Self::Baseline];

    /// The first part of the names of its kernel governors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Teo => "teo",
            Self::Menu => "menu",
            Self::Baseline => "baseline",
        }
    }
}

/// One way in which an entry differs from the entry before it in its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Upstream commit, posted patch or release that brought it.
    pub source: &'static str,
    /// One sentence.
    pub what: &'static str,
}

/// A patch of a posted series that can be applied to an entry.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Its number in the series, 1 to 8, as written after `-p`.
    pub number: u8,
    /// Its title.
    pub title: &'static str,
    /// One sentence.
    pub what: &'static str,
    edit: fn(Make) -> Make,
}

/// One behaviour that some kernel had.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// As in links.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// The first release that behaved so; empty for baselines.
    pub first_release: &'static str,
    /// The kernels that behave so, in words; empty for baselines.
    pub kernels: &'static str,
    /// Generation, recipe and rules.
    pub make: Make,
    /// What it changed against its predecessor in this list.
    pub differences: &'static [Difference],
    /// The posted patches that can be applied to it.
    pub patches: &'static [Patch],
}

/// Every entry, grouped by family, oldest first.
pub static ENTRIES: &[Entry] = &[
    baseline("shallowest", Baseline::Shallowest),
    baseline("deepest", Baseline::Deepest),
    baseline("ideal", Baseline::Ideal),
];

const fn baseline(name: &'static str, which: Baseline) -> Entry {
    Entry {
        name,
        family: Family::Baseline,
        first_release: "",
        kernels: "",
        make: Make::Baseline(which),
        differences: &[],
        patches: &[],
    }
}

/// Which patches of a series are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatchSet(u8);

impl PatchSet {
    /// None.
    pub const NONE: Self = Self(0);

    /// Whether patch `number` (1 to 8) is applied.
    #[must_use]
    pub const fn contains(self, number: u8) -> bool {
        number >= 1 && number <= 8 && self.0 & (1 << (number - 1)) != 0
    }

    /// With patch `number` (1 to 8) applied; unchanged for other numbers.
    #[must_use]
    pub const fn with(self, number: u8) -> Self {
        if number >= 1 && number <= 8 {
            Self(self.0 | (1 << (number - 1)))
        } else {
            self
        }
    }

    /// Without patch `number`.
    #[must_use]
    pub const fn without(self, number: u8) -> Self {
        if number >= 1 && number <= 8 {
            Self(self.0 & !(1 << (number - 1)))
        } else {
            self
        }
    }
}

/// An entry and the patches applied to it: what a link names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Choice {
    entry: usize,
    patches: PatchSet,
}

impl Choice {
    /// Every entry without patches, in the order of [`ENTRIES`].
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ENTRIES.len()).map(|entry| Self {
            entry,
            patches: PatchSet::NONE,
        })
    }

    /// Every subset of the patches of every entry.
    pub fn all_patched() -> impl Iterator<Item = Self> {
        Self::all().flat_map(|plain| {
            (0..=u8::MAX)
                .map(PatchSet)
                .filter(move |set| {
                    (1..=8).all(|n| !set.contains(n) || plain.entry().patches.iter().any(|p| p.number == n))
                })
                .map(move |patches| Self { patches, ..plain })
        })
    }

    /// The entry.
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "made from positions of this list only")]
    pub fn entry(self) -> &'static Entry {
        &ENTRIES[self.entry]
    }

    /// The patches applied.
    #[must_use]
    pub const fn patches(self) -> PatchSet {
        self.patches
    }

    /// The same entry with patch `number` applied or not; unchanged if the entry has no such patch.
    #[must_use]
    pub fn with_patch(self, number: u8, applied: bool) -> Self {
        if !self.entry().patches.iter().any(|p| p.number == number) {
            return self;
        }
        let patches = if applied {
            self.patches.with(number)
        } else {
            self.patches.without(number)
        };
        Self { patches, ..self }
    }

    /// Generation, recipe and rules with the patches applied.
    #[must_use]
    pub fn make(self) -> Make {
        let entry = self.entry();
        entry
            .patches
            .iter()
            .filter(|patch| self.patches.contains(patch.number))
            .fold(entry.make, |make, patch| (patch.edit)(make))
    }

    /// A governor that remembers nothing yet, for a CPU of this capacity (1 to 1024; 1024 is the
    /// largest CPU of the machine).
    #[must_use]
    pub fn build(self, capacity: u64) -> Governor {
        let _ = capacity;
        match self.make() {
            Make::Baseline(baseline) => Governor::Baseline(baseline),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)?;
        if self.patches != PatchSet::NONE {
            f.write_str("-p")?;
            for number in (1..=8).filter(|n| self.patches.contains(*n)) {
                write!(f, "{number}")?;
            }
        }
        Ok(())
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
    #[error("no governor of this name; nearest: {}; all: {}; found {found}", .nearest.join(", "), names().join(", "))]
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
}

fn names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

impl FromStr for Choice {
    type Err = ChoiceError;

    fn from_str(name: &str) -> Result<Self, ChoiceError> {
        let find = |wanted: &str| ENTRIES.iter().position(|entry| entry.name == wanted);
        if let Some(entry) = find(name) {
            return Ok(Self {
                entry,
                patches: PatchSet::NONE,
            });
        }
        let unknown = || ChoiceError::Unknown {
            nearest: nearest(name),
            found: name.to_owned(),
        };
        let (base, numbers) = name.rsplit_once("-p").ok_or_else(unknown)?;
        let entry = find(base).ok_or_else(unknown)?;
        patches(&ENTRIES[entry], numbers)
            .map(|patches| Self { entry, patches })
            .ok_or_else(|| refused(&ENTRIES[entry], name))
    }
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
