//! From a governor's name to all that makes it up. Version numbers live here and nowhere else.
//!
//! A name is an entry, `teo-6.5`, and for entries with a posted patch series
//! the patches applied to it: `teo-6.5-p12`. Every subset of a series can be
//! asked for; numbers are written in ascending order and read in any. Behind
//! it stand the constants that an experiment changed: `teo-6.5~decay2~pulse512`.
//!
//! Invariants: names are unique; a name written is read back as the same
//! choice; entries that follow one another within a family differ in what
//! they do. All three are tests.

mod entries;
mod knob;
mod name;

use serde::{Deserialize, Serialize};

use super::haltpoll::Haltpoll;
use super::ladder::Ladder;
use super::last_value::LastValue;
use super::mobile::Mobile;
use super::poll::PollLimit;
use super::{Baseline, Governor, haltpoll, ladder, menu, mobile, teo};

pub use entries::ENTRIES;
pub use knob::{Knob, KnobSpec, Tuning, Usual};
pub use name::ChoiceError;

/// What an entry is made of: generation, recipe and rules in one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// A teo, and its constants.
    Teo(teo::Version, teo::Tuning),
    /// A menu, and its constants.
    Menu(menu::Version, menu::Tuning),
    /// A ladder.
    Ladder(ladder::Rules),
    /// A haltpoll.
    Haltpoll(haltpoll::Rules),
    /// A mobile.
    Mobile(mobile::Rules),
    /// A baseline.
    Baseline(Baseline),
}

/// One way in which two choices differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They are of different families and share nothing.
    Family(Family, Family),
    /// Both are teo.
    Teo(teo::Change),
    /// Both are menu.
    Menu(menu::Change),
    /// Both are ladder.
    Ladder(ladder::Change),
    /// Both are haltpoll.
    Haltpoll(haltpoll::Change),
    /// Both are mobile.
    Mobile(mobile::Change),
    /// Both are baselines.
    Baseline(Baseline, Baseline),
    /// A constant on which all kernels agree: of A, of B.
    Knob(Knob, u32, u32),
}

/// The name of a rule that differs between entries of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Of teo.
    Teo(teo::Rule),
    /// Of menu.
    Menu(menu::Rule),
    /// Of ladder.
    Ladder(ladder::Rule),
    /// Of haltpoll.
    Haltpoll(haltpoll::Rule),
    /// Of mobile.
    Mobile(mobile::Rule),
}

impl Change {
    /// The rule that it is about; none where two governors share no rules, and for constants.
    #[must_use]
    pub const fn rule(self) -> Option<Rule> {
        match self {
            Self::Teo(change) => Some(Rule::Teo(change.rule())),
            Self::Menu(change) => Some(Rule::Menu(change.rule())),
            Self::Ladder(change) => Some(Rule::Ladder(change.rule())),
            Self::Haltpoll(change) => Some(Rule::Haltpoll(change.rule())),
            Self::Mobile(change) => Some(Rule::Mobile(change.rule())),
            Self::Family(..) | Self::Baseline(..) | Self::Knob(..) => None,
        }
    }

    /// Whether the two governors share nothing that could be changed alone: they belong to two families or
    /// generations, or are baselines.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        match self {
            Self::Teo(teo::Change::Generation(..)) | Self::Menu(menu::Change::Generation(..)) => true,
            Self::Family(..) | Self::Baseline(..) => true,
            Self::Teo(_)
            | Self::Menu(_)
            | Self::Ladder(_)
            | Self::Haltpoll(_)
            | Self::Mobile(_)
            | Self::Knob(..) => false,
        }
    }
}

impl Make {
    /// A teo with the constants of the kernels.
    const fn teo(version: teo::Version) -> Self {
        Self::Teo(version, teo::Tuning::KERNEL)
    }

    /// A menu with the constants of the kernels.
    const fn menu(version: menu::Version) -> Self {
        Self::Menu(version, menu::Tuning::KERNEL)
    }

    /// The family.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Self::Teo(..) => Family::Teo,
            Self::Menu(..) => Family::Menu,
            Self::Ladder(_) => Family::Ladder,
            Self::Haltpoll(_) => Family::Haltpoll,
            Self::Mobile(_) => Family::Mobile,
            Self::Baseline(_) => Family::Baseline,
        }
    }

    /// Every way in which `b` differs from `a`, as (of `a`, of `b`); empty when they behave alike.
    #[must_use]
    pub fn changes(a: Self, b: Self) -> Vec<Change> {
        match (a, b) {
            (Self::Teo(of_a, _), Self::Teo(of_b, _)) => {
                let rules = each(teo::Version::changes(of_a, of_b), Change::Teo);
                with_knobs(rules, a, b)
            }
            (Self::Menu(of_a, _), Self::Menu(of_b, _)) => {
                let rules = each(menu::Version::changes(of_a, of_b), Change::Menu);
                with_knobs(rules, a, b)
            }
            (Self::Ladder(a), Self::Ladder(b)) => each(ladder::Rules::changes(a, b), Change::Ladder),
            (Self::Haltpoll(a), Self::Haltpoll(b)) => each(haltpoll::Rules::changes(a, b), Change::Haltpoll),
            (Self::Mobile(a), Self::Mobile(b)) => each(mobile::Rules::changes(a, b), Change::Mobile),
            (Self::Baseline(a), Self::Baseline(b)) if a == b => Vec::new(),
            (Self::Baseline(a), Self::Baseline(b)) => vec![Change::Baseline(a, b)],
            (a, b) => vec![Change::Family(a.family(), b.family())],
        }
    }

    /// With one rule as it was before the change; none for what is no single rule of it.
    #[must_use]
    pub fn undone(self, change: Change) -> Option<Self> {
        match (self, change) {
            (make, Change::Knob(knob, of_a, _)) => make.turned(knob, of_a),
            (Self::Teo(version, tuning), Change::Teo(change)) => {
                version.undone(change).map(|version| Self::Teo(version, tuning))
            }
            (Self::Menu(version, tuning), Change::Menu(change)) => {
                version.undone(change).map(|version| Self::Menu(version, tuning))
            }
            (Self::Ladder(rules), Change::Ladder(change)) => Some(Self::Ladder(rules.undone(change))),
            (Self::Haltpoll(rules), Change::Haltpoll(change)) => Some(Self::Haltpoll(rules.undone(change))),
            (Self::Mobile(rules), Change::Mobile(change)) => Some(Self::Mobile(rules.undone(change))),
            (
                _,
                Change::Family(..)
                | Change::Teo(_)
                | Change::Menu(_)
                | Change::Ladder(_)
                | Change::Haltpoll(_)
                | Change::Mobile(_)
                | Change::Baseline(..),
            ) => None,
        }
    }

    /// With these rules as `other` has them, as far as both have them; none when nothing is changed by that.
    #[must_use]
    pub fn with_rules_of(self, other: Self, rules: &[Rule]) -> Option<Self> {
        let mut changes = Self::changes(other, self);
        changes
            .retain(|change| !change.is_whole() && change.rule().is_some_and(|rule| rules.contains(&rule)));
        if changes.is_empty() {
            return None;
        }
        changes
            .into_iter()
            .try_fold(self, |make, change| make.undone(change))
    }

    /// Whether `other` has these rules as this one has them; not where one of them lacks any.
    #[must_use]
    pub fn agrees(self, other: Self, rules: &[Rule]) -> bool {
        let differs =
            |change: &Change| change.is_whole() || change.rule().is_some_and(|rule| rules.contains(&rule));
        !Self::changes(self, other).iter().any(differs)
    }

    /// Whether `other` does in this respect what this one does, also where they remember different things: a rule of an
    /// older memory is compared with what became of it. What one of them knows nothing of is done by one alone.
    #[must_use]
    pub fn does_as(self, other: Self, rule: Rule) -> bool {
        if self.agrees(other, &[rule]) {
            return true;
        }
        let (Self::Teo(one, of_one), Self::Teo(two, of_two), Rule::Teo(rule)) = (self, other, rule) else {
            return false;
        };
        let older = |version: teo::Version, tuning| Self::Teo(version.in_older_words(), tuning);
        rule.in_older_words()
            .is_some_and(|rule| older(one, of_one).agrees(older(two, of_two), &[Rule::Teo(rule)]))
    }

    /// A governor that remembers nothing yet, for a CPU of this capacity (1 to 1024; 1024 is the
    /// largest CPU of the machine).
    #[must_use]
    pub fn build(self, capacity: u64) -> Governor {
        match self {
            Self::Teo(version, tuning) => Governor::Teo(version.build(capacity, tuning)),
            Self::Menu(version, tuning) => Governor::Menu(version.build(tuning)),
            Self::Ladder(rules) => Governor::Ladder(Ladder::new(rules)),
            Self::Haltpoll(rules) => Governor::Haltpoll(Haltpoll::new(rules)),
            Self::Mobile(rules) => Governor::Mobile(Mobile::new(rules)),
            Self::Baseline(Baseline::LastValue) => Governor::LastValue(LastValue::default()),
            Self::Baseline(baseline) => Governor::Baseline(baseline),
        }
    }
}

/// With the constants that both have and that differ.
fn with_knobs(mut changes: Vec<Change>, a: Make, b: Make) -> Vec<Change> {
    let differing = a.knobs().iter().filter_map(|knob| {
        let (of_a, of_b) = (a.knob(*knob)?, b.knob(*knob)?);
        (of_a != of_b).then_some(Change::Knob(*knob, of_a, of_b))
    });
    changes.extend(differing);
    changes
}

fn each<C>(changes: Vec<C>, of_family: impl Fn(C) -> Change) -> Vec<Change> {
    changes.into_iter().map(of_family).collect()
}

/// A group of governors that share their steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Timer events oriented.
    Teo,
    /// The governor named menu.
    Menu,
    /// One step at a time.
    Ladder,
    /// A guest's: poll before halting.
    Haltpoll,
    /// Posted, never merged.
    Mobile,
    /// Never ran in a kernel.
    Baseline,
}

impl Family {
    /// Every family, in display order.
    pub const ALL: [Self; 6] = [
        Self::Teo,
        Self::Menu,
        Self::Ladder,
        Self::Haltpoll,
        Self::Mobile,
        Self::Baseline,
    ];

    /// The first part of the names of its kernel governors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Teo => "teo",
            Self::Menu => "menu",
            Self::Ladder => "ladder",
            Self::Haltpoll => "haltpoll",
            Self::Mobile => "mobile",
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
    /// The rules that it changed; all that were changed with a generation where it came with one.
    pub rules: &'static [Rule],
}

impl Difference {
    /// Whether it belongs to another memory.
    #[must_use]
    pub fn came_with_memory(&self) -> bool {
        let of_memory = |rule: &Rule| {
            matches!(
                rule,
                Rule::Teo(teo::Rule::Generation) | Rule::Menu(menu::Rule::Generation)
            )
        };
        self.rules.iter().any(of_memory)
    }
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

impl Entry {
    /// Whether a stable series brought it: no entry after it descends from it.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.first_release.matches('.').count() == 2
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

/// An entry, the patches applied to it, and the constants that are not as in any kernel: what a link names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Choice {
    entry: usize,
    patches: PatchSet,
    tuning: Tuning,
}

impl Choice {
    const fn of_entry(entry: usize) -> Self {
        Self {
            entry,
            patches: PatchSet::NONE,
            tuning: Tuning::NONE,
        }
    }

    /// Every entry without patches, in the order of [`ENTRIES`].
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ENTRIES.len()).map(Self::of_entry)
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

    /// The entries whose differences lead from one choice to another of the same family, in the order of the
    /// list, and whether they are taken back: then `b` is the older one. None for two families.
    #[must_use]
    pub fn between(a: Self, b: Self) -> Option<(&'static [Entry], bool)> {
        if a.family() != b.family() {
            return None;
        }
        let (from, to) = (a.entry.min(b.entry), a.entry.max(b.entry));
        ENTRIES
            .get(from + 1..=to)
            .map(|entries| (entries, b.entry < a.entry))
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

    /// Generation, recipe and rules with the patches applied and the constants set.
    #[must_use]
    pub fn make(self) -> Make {
        let entry = self.entry();
        let patched = entry
            .patches
            .iter()
            .filter(|patch| self.patches.contains(patch.number))
            .fold(entry.make, |mut make, patch| {
                (patch.edit)(&mut make);
                make
            });
        self.tuning.apply(patched)
    }

    /// The family.
    #[must_use]
    pub fn family(self) -> Family {
        self.entry().make.family()
    }

    /// How long its kernels poll (spec idle-loop-and-tick.md §3). Those that never were in a kernel poll as the
    /// newest do.
    #[must_use]
    pub fn poll_limit(self) -> PollLimit {
        if self.is_asked_after_the_tick() {
            return PollLimit::Unlimited;
        }
        match self.entry().name {
            "menu-4.19" | "ladder-4.19" => PollLimit::Fixed,
            "teo-5.1" | "menu-5.1" | "ladder-5.5" | "haltpoll-5.4" | "mobile-2019" => PollLimit::FirstState,
            _ => PollLimit::FirstWorthwhileState,
        }
    }

    /// Whether it looks at what states cost, as no kernel's governor does.
    #[must_use]
    pub fn reads_energy(self) -> bool {
        self.make() == Make::Baseline(Baseline::IdealByEnergy)
    }

    /// Whether its kernels decide about the tick before they ask it (spec idle-loop-and-tick.md §7); then they poll
    /// without limit too.
    #[must_use]
    pub fn is_asked_after_the_tick(self) -> bool {
        matches!(self.make(), Make::Menu(menu::Version::BeforeTick(_), _))
    }

    /// A governor that remembers nothing yet, for a CPU of this capacity (1 to 1024; 1024 is the
    /// largest CPU of the machine).
    #[must_use]
    pub fn build(self, capacity: u64) -> Governor {
        self.make().build(capacity)
    }
}
