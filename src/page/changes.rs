//! "What changed between A and B?": the differences of two variants as a list.
//!
//! Settings first, then patches, then rules that no entry of the catalogue tells of, and at last what the entries
//! between A's and B's changed. Each can be undone alone, but for two things: what was changed again since, and what
//! came with another memory, which is undone as a whole.

use super::doc::Side;
use super::session::VariantPlan;
use crate::cpuidle::catalog::{Change, Choice, Difference, Entry, Make, Rule};

/// One difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Another tick rate.
    Hz,
    /// The tick may be stopped in one of them only.
    Nohz,
    /// Another rate limit of the tick.
    RateLimit,
    /// Another latency limit.
    Latency,
    /// A patch of a posted series.
    Patch {
        /// Its number in the series.
        number: u8,
        /// Its title.
        title: &'static str,
        /// One sentence.
        what: &'static str,
        /// Who has it.
        side: Side,
    },
    /// A rule of the governor.
    Rule(Change),
    /// What an entry of the catalogue changed.
    Entry {
        /// The entry's name.
        entry: &'static str,
        /// What it changed.
        difference: Difference,
        /// It is A that has it.
        back: bool,
        /// How it is undone.
        undo: Undo,
    },
}

/// How what an entry changed is undone in B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undo {
    /// Its rules become as they are here.
    RulesOf(Make),
    /// Not alone: this entry changed its rules again.
    ChangedAgain(&'static str),
    /// Not alone: it belongs to what is remembered, or to a memory that B has not.
    WithMemory,
}

/// One difference on the way from A to B, which is backwards when A is the newer one.
struct Step {
    entry: &'static str,
    difference: Difference,
    /// The rules that it changed indeed.
    rules: Vec<Rule>,
    /// On A's side of it.
    before: Make,
    /// On B's side of it.
    after: Make,
}

/// A variant of which one difference is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Altered {
    /// Tick and limit.
    pub plan: VariantPlan,
    /// Who decides; no choice of the catalogue need be like it.
    pub make: Make,
}

impl Altered {
    /// A variant as it is.
    #[must_use]
    pub fn of(plan: VariantPlan) -> Self {
        Self {
            plan,
            make: plan.governor.make(),
        }
    }
}

/// All differences of two variants, in display order.
#[must_use]
pub fn between(a: &VariantPlan, b: &VariantPlan) -> Vec<Item> {
    let settings = [
        (a.hz != b.hz).then_some(Item::Hz),
        (a.nohz != b.nohz).then_some(Item::Nohz),
        (a.rate_limit != b.rate_limit).then_some(Item::RateLimit),
        (a.latency != b.latency).then_some(Item::Latency),
    ];
    let (one, other) = (a.governor, b.governor);
    let mut items: Vec<Item> = settings.into_iter().flatten().collect();
    for (side, own, beside) in [(Side::A, one, other), (Side::B, other, one)] {
        let alone = |number| own.patches().contains(number) && !has(beside, own, number);
        let patches = own.entry().patches.iter().filter(|patch| alone(patch.number));
        items.extend(patches.map(|patch| Item::Patch {
            number: patch.number,
            title: patch.title,
            what: patch.what,
            side,
        }));
    }
    let (make_a, make_b) = (one.make(), other.make());
    let changes = Make::changes(make_a, make_b);
    let back = Choice::between(one, other).is_some_and(|(_, back)| back);
    let entries = told(make_a, make_b, &steps(one, other), back);
    let by_patches: Vec<Rule> = items.iter().flat_map(|item| item.decided(a, b).1).collect();
    let by_entry = |rule: Rule| {
        entries
            .iter()
            .any(|item| matches!(item, Item::Entry { difference, .. } if difference.rules.contains(&rule)))
    };
    let is_told = |change: &Change| {
        let told = |rule| by_patches.contains(&rule) || by_entry(rule);
        !change.is_whole() && change.rule().is_some_and(told)
    };
    let own = changes.into_iter().filter(|change| !is_told(change));
    items.extend(own.map(Item::Rule));
    items.extend(entries);
    items
}

/// What the entries changed, from A to B. Entries of stable series lie beside the way, unless it begins or ends there.
fn steps(a: Choice, b: Choice) -> Vec<Step> {
    let Some((entries, back)) = Choice::between(a, b) else {
        return Vec::new();
    };
    let (older, newer) = if back { (b, a) } else { (a, b) };
    let on_the_way = |entry: &&Entry| !entry.is_stable() || entry.name == newer.entry().name;
    let mut steps: Vec<Step> = Vec::new();
    let mut predecessor = older.entry();
    for entry in entries.iter().filter(on_the_way) {
        let (before, after) = if back {
            (entry.make, predecessor.make)
        } else {
            (predecessor.make, entry.make)
        };
        predecessor = entry;
        steps.extend(entry.differences.iter().filter_map(|difference| {
            let own = difference.rules.iter().copied();
            let rules: Vec<Rule> = own.filter(|rule| !before.does_as(after, *rule)).collect();
            (!rules.is_empty()).then_some(Step {
                entry: entry.name,
                difference: *difference,
                rules,
                before,
                after,
            })
        }));
    }
    if back {
        steps.reverse();
    }
    steps
}

/// The steps as differences of A and B: without those that a later step took back, and with the way to undo each.
fn told(a: Make, b: Make, steps: &[Step], back: bool) -> Vec<Item> {
    let whole = Make::changes(a, b).iter().any(|change| change.is_whole());
    let items = steps.iter().enumerate().filter_map(|(n, step)| {
        let (earlier, rest) = steps.split_at(n);
        let later = rest.get(1..).unwrap_or_default();
        let matters = |rule: &&Rule| {
            !a.does_as(b, **rule) && !later.iter().any(|later| step.before.does_as(later.after, **rule))
        };
        let rules: Vec<Rule> = step.rules.iter().filter(matters).copied().collect();
        if rules.is_empty() {
            return None;
        }
        let touches =
            |other: &&Step| other.entry != step.entry && other.rules.iter().any(|rule| rules.contains(rule));
        // As A has it, unless A is two steps away.
        let like = if whole || earlier.iter().any(|earlier| touches(&earlier)) {
            step.before
        } else {
            a
        };
        let undo = match later.iter().rev().find(touches) {
            Some(again) if !step.difference.came_with_memory() => Undo::ChangedAgain(again.entry),
            _ if b.with_rules_of(like, &rules).is_some() => Undo::RulesOf(like),
            _ => Undo::WithMemory,
        };
        Some(Item::Entry {
            entry: step.entry,
            difference: step.difference,
            back,
            undo,
        })
    });
    let mut items: Vec<Item> = items.collect();
    if back {
        items.reverse();
    }
    items
}

/// Whether `choice` has a patch of `own`: applied to the same entry, or in another entry that agrees in what it changed.
/// What another entry changed again since is told of that entry.
fn has(choice: Choice, own: Choice, number: u8) -> bool {
    if choice.entry().name == own.entry().name {
        return choice.patches().contains(number);
    }
    let without = own.with_patch(number, false).make();
    let changes = Make::changes(without, own.make());
    let agrees = |rule| choice.make().agrees(own.make(), &[rule]);
    changes.is_empty() || changes.iter().filter_map(|change| change.rule()).any(agrees)
}

impl Item {
    /// What a patch alone decides between A and B, and a governor that does it as A does: B without the patch, or with it
    /// when A has it. No rules where the patch cannot be undone alone, or undoing it leads to what neither does.
    #[must_use]
    pub fn decided(self, a: &VariantPlan, b: &VariantPlan) -> (Make, Vec<Rule>) {
        let (of_a, of_b) = (a.governor.make(), b.governor.make());
        let undone = match self {
            Self::Patch { .. } => self.undone(a, b),
            _ => None,
        };
        let make = undone.map_or(of_b, |undone| undone.make);
        let changes = Make::changes(make, of_b);
        let rules = changes.iter().filter_map(|change| change.rule());
        (make, rules.filter(|rule| make.agrees(of_a, &[*rule])).collect())
    }

    /// Variant B without this difference; none where it cannot be undone alone.
    #[must_use]
    pub fn undone(self, a: &VariantPlan, b: &VariantPlan) -> Option<Altered> {
        let plan = match self {
            Self::Hz => VariantPlan { hz: a.hz, ..*b },
            Self::Nohz => VariantPlan { nohz: a.nohz, ..*b },
            Self::RateLimit => VariantPlan {
                rate_limit: a.rate_limit,
                ..*b
            },
            Self::Latency => VariantPlan {
                latency: a.latency,
                ..*b
            },
            Self::Patch { number, side, .. } => {
                // A patch of another entry says nothing to this one.
                if side == Side::A && a.governor.entry().name != b.governor.entry().name {
                    return None;
                }
                VariantPlan {
                    governor: b.governor.with_patch(number, side == Side::A),
                    ..*b
                }
            }
            // What has no rules in common is undone as a whole: A's governor takes B's place.
            Self::Rule(change) if change.is_whole() => VariantPlan {
                governor: a.governor,
                ..*b
            },
            Self::Rule(change) => {
                return Some(Altered {
                    plan: *b,
                    make: b.governor.make().undone(change)?,
                });
            }
            Self::Entry { difference, undo, .. } => {
                let Undo::RulesOf(like) = undo else { return None };
                return Some(Altered {
                    plan: *b,
                    make: b.governor.make().with_rules_of(like, difference.rules)?,
                });
            }
        };
        Some(Altered::of(plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::catalog::ENTRIES;
    use crate::tick::{Hz, Nohz, RateLimit};
    use crate::units::Ns;

    fn plan(name: &str) -> VariantPlan {
        VariantPlan {
            governor: name.parse().unwrap(),
            hz: Hz::DEFAULT,
            nohz: Nohz::Active,
            rate_limit: RateLimit::Off,
            latency: None,
        }
    }

    fn kinds(items: &[Item]) -> String {
        let kind = |item: &Item| match item {
            Item::Hz | Item::Nohz | Item::RateLimit | Item::Latency => 's',
            Item::Patch { .. } => 'p',
            Item::Rule(Change::Family(..)) => 'F',
            Item::Rule(change) if change.is_whole() => 'G',
            Item::Rule(_) => 'r',
            Item::Entry { .. } => 'e',
        };
        items.iter().map(kind).collect()
    }

    #[track_caller]
    fn check(a: &str, b: &str, expect: &str) {
        assert_eq!(kinds(&between(&plan(a), &plan(b))), expect, "{a} and {b}");
    }

    #[test]
    fn settings_patches_rules_and_entries_stand_in_this_order() {
        check("teo-6.5", "teo-6.5", "");
        check("teo-6.5", "teo-6.5-p12", "pp");
        check("teo-6.5-p1", "teo-6.5-p2", "pp");
        check("mobile-2019", "mobile-2019-p12", "pp");
        check("menu-4.5", "menu-4.5-p12", "ppr");
        check("teo-6.5-p3", "teo-6.5", "p");
        check("teo-5.15", "teo-6.5", "e");
        check("teo-6.6", "teo-5.15", "eeeee");
        check("teo-6.5", "teo-6.6", "eeee");
        check("teo-6.5-p12", "teo-6.6", "eee");
        check("teo-6.5-p123", "teo-6.6", "eee");
        check("menu-4.5-p1", "menu-4.6", "e");
        check("teo-6.12", "teo-6.14", "Geee");
        check("menu-7.0", "teo-7.0", "F");
        check("shallowest", "ideal", "G");
        let other = VariantPlan {
            latency: Some(Ns::from_us(20)),
            hz: Hz::new(1_000).unwrap(),
            rate_limit: RateLimit::Below(Ns::from_us(500)),
            ..plan("teo-5.15")
        };
        assert_eq!(kinds(&between(&plan("teo-6.5"), &other)), "ssse");
    }

    #[test]
    fn what_is_undone_is_like_a_in_that_alone() {
        let (a, b) = (plan("teo-6.5-p1"), plan("teo-6.5-p2"));
        let items = between(&a, &b);
        let undone = |n: usize| items[n].undone(&a, &b).map(|altered| altered.make);
        let make = |name: &str| Some(plan(name).governor.make());
        assert_eq!(undone(0), make("teo-6.5-p12"), "the patch of A is applied");
        assert_eq!(undone(1), make("teo-6.5"), "the patch of B is taken back");
        let hz = VariantPlan {
            hz: Hz::new(100).unwrap(),
            ..a
        };
        assert_eq!(Item::Hz.undone(&hz, &a), Some(Altered::of(hz)));
        let limited = VariantPlan {
            rate_limit: RateLimit::Below(Ns::from_us(500)),
            ..a
        };
        assert_eq!(Item::RateLimit.undone(&a, &limited), Some(Altered::of(a)));
    }

    #[track_caller]
    fn undone(a: &str, b: &str, expect: &[Option<bool>]) {
        let (a, b) = (plan(a), plan(b));
        let items = between(&a, &b);
        let found: Vec<_> = items
            .iter()
            .map(|item| Some(item.undone(&a, &b)?.make == a.governor.make()))
            .collect();
        assert_eq!(found, expect, "{} and {}", a.governor, b.governor);
    }

    #[test]
    fn what_came_with_another_memory_is_undone_as_a_whole() {
        undone("menu-7.0", "teo-7.0", &[Some(true)]);
        undone("teo-6.12", "teo-6.14", &[Some(true), None, None, None]);
        undone("teo-5.15", "teo-6.5", &[Some(true)]);
        undone("teo-6.5", "teo-6.6", &[Some(false); 4]);
        undone("teo-6.6", "teo-6.12", &[Some(false); 3]);
        undone("menu-6.6", "menu-6.13", &[Some(true)]);
    }

    #[test]
    fn a_step_that_was_taken_back_is_no_difference() {
        let sources = |a: &str, b: &str| {
            let told = between(&plan(a), &plan(b))
                .into_iter()
                .filter_map(|item| match item {
                    Item::Entry {
                        entry, difference, ..
                    } => Some(format!("{entry} {}", difference.source)),
                    _ => None,
                });
            told.collect::<Vec<_>>()
        };
        // The bin of 6.6 and the look-up's timer of 6.11 went with the memory of 6.14.
        let before = |a: &str| -> Vec<_> {
            let all = sources(a, "teo-6.14").into_iter();
            all.filter(|told| !told.starts_with("teo-6.14")).collect()
        };
        assert_eq!(before("teo-6.12"), [""; 0]);
        assert_eq!(before("teo-6.6"), ["teo-6.12 6.11", "teo-6.12 6.11"]);
        assert_eq!(sources("teo-6.12", "teo-6.14"), ["teo-6.14 6.14"; 3]);
        // What the stable series of 6.12 took over is in 6.19, but not in 6.14.
        assert_eq!(sources("teo-6.12.117", "teo-6.14"), ["teo-6.14 6.14"; 4]);
        let late = |a: &str| sources(a, "teo-6.19").contains(&"teo-6.19 a03b2011808a".to_owned());
        assert!(!late("teo-6.12.117") && late("teo-6.12") && late("teo-6.14"));
        // The stable change of 6.1 and that of 6.12 are not in 6.6 and 6.13.
        assert_eq!(
            sources("menu-6.1.192", "menu-6.6"),
            ["menu-6.6 6.6", "menu-6.6 6.6"]
        );
        assert_eq!(sources("menu-6.6", "menu-6.13"), ["menu-6.13 38f83090f515"]);
        let all = sources("menu-6.5", "menu-7.0");
        let failed: Vec<_> = all.iter().filter(|told| told.contains("fa3fa55de0d6")).collect();
        assert_eq!(failed, ["menu-6.17 fa3fa55de0d6"], "{all:?}");
    }

    #[test]
    fn undoing_all_that_one_entry_changed_gives_the_entry_before() {
        let mut checked = 0;
        for pair in ENTRIES.windows(2) {
            let [before, after] = pair else { continue };
            let whole = Make::changes(before.make, after.make)
                .iter()
                .any(|change| change.is_whole());
            if whole || after.differences.is_empty() {
                continue;
            }
            for (a, b) in [(before, after), (after, before)] {
                let (a, b) = (plan(a.name), plan(b.name));
                let back = between(&a, &b)
                    .into_iter()
                    .fold(b.governor.make(), |make, item| match item {
                        Item::Entry {
                            difference,
                            undo: Undo::RulesOf(like),
                            ..
                        } => make.with_rules_of(like, difference.rules).unwrap_or(make),
                        other => panic!("{} and {}: {other:?}", a.governor, b.governor),
                    });
                assert_eq!(back, a.governor.make(), "{} and {}", a.governor, b.governor);
                checked += 1;
            }
        }
        assert!(checked >= 30, "{checked}");
    }

    #[test]
    fn what_was_changed_again_since_says_by_whom() {
        let again: Vec<_> = between(&plan("teo-6.14"), &plan("teo-7.1"))
            .into_iter()
            .filter_map(|item| match item {
                Item::Entry {
                    entry,
                    undo: Undo::ChangedAgain(by),
                    ..
                } => Some((entry, by)),
                _ => None,
            })
            .collect();
        assert_eq!(
            again,
            [
                ("teo-6.19", "teo-7.0"),
                ("teo-6.19", "teo-7.1"),
                ("teo-7.0", "teo-7.1")
            ]
        );
    }
}
