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

use super::menu::io_groups::{self, FailedEntry};
use super::teo::recent::{self, BusyTwoStates, Demotion, EarlyEnd, OnlyState};
use super::{Baseline, Governor, menu, teo};

/// What an entry is made of: generation, recipe and rules in one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// A teo.
    Teo(teo::Version),
    /// A menu.
    Menu(menu::Version),
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
    edit: fn(&mut Make),
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
    Entry {
        name: "teo-6.5",
        family: Family::Teo,
        first_release: "6.3",
        kernels: "6.3 to 6.5",
        make: Make::Teo(teo::Version::Recent(TEO_6_5)),
        differences: &[],
        patches: AUGUST_2023,
    },
    Entry {
        name: "teo-6.6",
        family: Family::Teo,
        first_release: "6.6",
        kernels: "6.6 to 6.10, 6.6.0 to 6.6.119",
        make: Make::Teo(teo::Version::RecentTickBin),
        differences: &[
            Difference {
                source: "August 2023 series, 1/3 to 3/3",
                what: "A busy CPU that takes a shallower state expects a shorter stay, and decisions that end early retain the tick.",
            },
            Difference {
                source: "6.6 merge window",
                what: "The search starts at the deepest enabled state and the timer is looked up last, not at all for a choice of state 0 or one that pays off within 15 µs beside a polling state.",
            },
            Difference {
                source: "6.6 merge window",
                what: "Timers at least one tick away have a bin of their own while no state's target residency reaches one tick.",
            },
            Difference {
                source: "6.6 merge window",
                what: "A choice that pays off within a tick retains it when more than five eighths of the wakeups were intercepts.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "teo-6.12",
        family: Family::Teo,
        first_release: "6.11",
        kernels: "6.11 to 6.13, 6.12.0 to 6.12.63",
        make: Make::Teo(teo::Version::TickBinOnly),
        differences: &[
            Difference {
                source: "6.11",
                what: "The CPU's load no longer counts.",
            },
            Difference {
                source: "6.11",
                what: "The last nine wakeups no longer count.",
            },
            Difference {
                source: "6.11",
                what: "When the look-up leads to state 0 the timer is asked for, so that the wakeup is not booked as an intercept by mistake.",
            },
        ],
        patches: &[],
    },
    Entry {
        name: "menu-6.5",
        family: Family::Menu,
        first_release: "5.13",
        kernels: "5.13 to 6.5, 6.1.0 to 6.1.140",
        make: Make::Menu(menu::Version::IoGroups(
            io_groups::Recipe::TimerFirst,
            io_groups::Rules {
                failed_entry: FailedEntry::Unnoticed,
            },
        )),
        differences: &[],
        patches: &[],
    },
    Entry {
        name: "menu-6.1.192",
        family: Family::Menu,
        first_release: "6.1.158",
        kernels: "6.1.158 to 6.1.192",
        make: Make::Menu(menu::Version::IoGroups(
            io_groups::Recipe::TimerFirst,
            io_groups::Rules {
                failed_entry: FailedEntry::StoresNone,
            },
        )),
        differences: &[Difference {
            source: "fa3fa55de0d6",
            what: "After an entry that failed, and at the very first select, \"no interval\" takes the place of the oldest interval.",
        }],
        patches: &[],
    },
    Entry {
        name: "menu-6.6",
        family: Family::Menu,
        first_release: "6.6",
        kernels: "6.6 to 6.12, 6.12.0 to 6.12.30",
        make: Make::Menu(menu::Version::IoGroups(
            io_groups::Recipe::IntervalsFirst,
            io_groups::Rules {
                failed_entry: FailedEntry::Unnoticed,
            },
        )),
        differences: &[
            Difference {
                source: "6.6",
                what: "The last intervals are looked at first, and when they are typically at most 15 µs the timer is not looked up.",
            },
            Difference {
                source: "6.6",
                what: "A history of nothing but zeroes predicts nothing.",
            },
            Difference {
                source: "6.6",
                what: "As in mainline before, an entry that failed leaves nothing behind.",
            },
        ],
        patches: &[],
    },
    baseline("shallowest", Baseline::Shallowest),
    baseline("deepest", Baseline::Deepest),
    baseline("ideal", Baseline::Ideal),
];

/// As released in 6.5.
const TEO_6_5: recent::Rules = recent::Rules {
    busy_two_states: BusyTwoStates::FirstNotPolling,
    demotion: Demotion::KeepsDuration,
    early_end: EarlyEnd::JudgesDuration,
    only_state: OnlyState::SleepLength,
};

/// The series "teo: avoid stopping the scheduler tick too often", as posted in August 2023. What
/// 2/3 means without 1/3, which never was a kernel, is in spec teo.md §5.
static AUGUST_2023: &[Patch] = &[
    Patch {
        number: 1,
        title: "update the idle duration estimate",
        what: "A busy CPU that takes a shallower state expects the stay that fits it, so the tick is retained.",
        edit: |make| {
            if let Make::Teo(teo::Version::Recent(rules)) = make {
                rules.busy_two_states = BusyTwoStates::ZeroUnlessPolling;
                rules.demotion = Demotion::TakesMidpoint;
            }
        },
    },
    Patch {
        number: 2,
        title: "keep the tick when bailing out",
        what: "Decisions that end early retain the tick, and a state without alternative is expected to be stayed in for its target residency.",
        edit: |make| {
            if let Make::Teo(teo::Version::Recent(rules)) = make {
                rules.early_end = EarlyEnd::RetainsTick;
                rules.only_state = OnlyState::TargetResidency;
            }
        },
    },
    Patch {
        number: 3,
        title: "store the utilisation verdict no longer",
        what: "Changes where a value is stored and no decision.",
        edit: |_| {},
    },
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
            .fold(entry.make, |mut make, patch| {
                (patch.edit)(&mut make);
                make
            })
    }

    /// A governor that remembers nothing yet, for a CPU of this capacity (1 to 1024; 1024 is the
    /// largest CPU of the machine).
    #[must_use]
    pub fn build(self, capacity: u64) -> Governor {
        match self.make() {
            Make::Teo(version) => Governor::Teo(version.build(capacity)),
            Make::Menu(version) => Governor::Menu(version.build()),
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
