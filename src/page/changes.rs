//! "What changed between A and B?": the differences of two variants as a list.
//!
//! Settings first, then patches, then rules where both are of one generation, and at last what the entries of
//! the catalogue say they changed. Settings, patches of one entry and rules can be undone one at a time.

use super::doc::Side;
use super::session::VariantPlan;
use crate::cpuidle::catalog::{Change, Choice, Difference, Entry, Make};

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
    },
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
        let alone = |number| own.patches().contains(number) && !has(beside, own.entry(), number);
        let patches = own.entry().patches.iter().filter(|patch| alone(patch.number));
        items.extend(patches.map(|patch| Item::Patch {
            number: patch.number,
            title: patch.title,
            what: patch.what,
            side,
        }));
    }
    items.extend(
        Make::changes(one.make(), other.make())
            .into_iter()
            .map(Item::Rule),
    );
    if let Some((entries, back)) = Choice::between(one, other) {
        for entry in entries {
            items.extend(entry.differences.iter().map(|difference| Item::Entry {
                entry: entry.name,
                difference: *difference,
                back,
            }));
        }
    }
    items
}

fn has(choice: Choice, entry: &Entry, number: u8) -> bool {
    choice.entry().name == entry.name && choice.patches().contains(number)
}

impl Item {
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
            Self::Rule(change) => {
                return Some(Altered {
                    plan: *b,
                    make: b.governor.make().undone(change)?,
                });
            }
            Self::Entry { .. } => return None,
        };
        Some(Altered::of(plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        check("teo-6.5", "teo-6.5-p12", "pprrrr");
        check("teo-6.5-p1", "teo-6.5-p2", "pprrrr");
        check("teo-6.5-p3", "teo-6.5", "p");
        check("teo-5.15", "teo-6.5", "re");
        check("teo-6.6", "teo-5.15", "reeeee");
        check("menu-7.0", "teo-7.0", "F");
        check("shallowest", "ideal", "r");
        let other = VariantPlan {
            latency: Some(Ns::from_us(20)),
            hz: Hz::new(1_000).unwrap(),
            rate_limit: RateLimit::Below(Ns::from_us(500)),
            ..plan("teo-5.15")
        };
        assert_eq!(kinds(&between(&plan("teo-6.5"), &other)), "sssre");
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

    #[test]
    fn what_is_no_single_rule_cannot_be_undone() {
        let cannot = |a: &str, b: &str| {
            let (a, b) = (plan(a), plan(b));
            let items = between(&a, &b);
            items.iter().all(|item| item.undone(&a, &b).is_none())
        };
        assert!(cannot("teo-6.6", "teo-5.15"));
        assert!(cannot("menu-7.0", "teo-7.0"));
        assert!(cannot("teo-6.5-p1", "teo-6.6"));
    }
}
