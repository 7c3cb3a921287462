//! What changed between A and B, for mail: the same list that the page shows.

use serde::{Deserialize, Serialize};

use super::lines::{fill, fill_from};
use crate::analysis::undone::Overlap;
use crate::cpuidle::catalog::{Make, Rule};
use crate::page::changes::{Item, Undo};
use crate::page::doc::Side;
use crate::page::session::{Counted, Undoing, VariantPlan};
use crate::page::words::Style;
use crate::page::words::change::change;
use crate::page::words::number::{count, duration, share, stamp};
use crate::tick::{Nohz, RateLimit};
use crate::units::Time;

/// One difference in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where it comes from: commit, release or posted patch; empty for rules and settings.
    pub source: String,
    /// What differs.
    pub what: String,
    /// What A and what B does in each respect; none where the difference is one sentence.
    pub sides: Vec<Sides>,
}

/// What A and what B does in one respect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides {
    /// The respect; empty where it is what the difference is about.
    pub what: String,
    /// What A does.
    pub a: String,
    /// What B does.
    pub b: String,
}

/// A difference in words.
#[must_use]
pub fn tell(item: &Item, a: &VariantPlan, b: &VariantPlan, style: Style) -> Told {
    let sides = |what: &str, of: &dyn Fn(&VariantPlan) -> String| Told {
        source: String::new(),
        what: what.to_owned(),
        sides: vec![Sides {
            what: String::new(),
            a: of(a),
            b: of(b),
        }],
    };
    match item {
        Item::Hz => sides("the tick rate", &|plan| format!("HZ {}", plan.hz.get())),
        Item::Nohz => sides("whether the tick may be stopped", &|plan| {
            match plan.nohz {
                Nohz::Active => "yes",
                Nohz::Off => "no",
            }
            .to_owned()
        }),
        Item::RateLimit => sides("the rate limit of the tick", &|plan| match plan.rate_limit {
            RateLimit::Off => "none".to_owned(),
            RateLimit::Below(cost) => duration(cost, style),
        }),
        Item::Latency => sides("the latency limit", &|plan| {
            plan.latency
                .map_or_else(|| "none".to_owned(), |limit| duration(limit, style))
        }),
        Item::Patch {
            number,
            title,
            what,
            side,
        } => Told {
            source: format!("patch {number} in {}", side.letter()),
            what: format!("{title}. {what}"),
            sides: {
                let (like, rules) = item.decided(a, b);
                respects(like, b.governor.make(), &rules)
            },
        },
        Item::Rule(rule) => {
            let said = change(rule);
            Told {
                source: String::new(),
                what: said.what.to_owned(),
                sides: vec![Sides {
                    what: String::new(),
                    a: said.a,
                    b: said.b,
                }],
            }
        }
        Item::Entry {
            entry,
            difference,
            back,
            undo,
        } => Told {
            source: format!(
                "{entry}, {}{}",
                difference.source,
                if *back { ", in A only" } else { "" }
            ),
            what: difference.what.to_owned(),
            sides: match undo {
                // What A does, unless the rules went through another value on the way.
                Undo::RulesOf(like) if like.agrees(a.governor.make(), difference.rules) => {
                    respects(*like, b.governor.make(), difference.rules)
                }
                Undo::RulesOf(_) | Undo::ChangedAgain(_) | Undo::WithMemory => Vec::new(),
            },
        },
    }
}

/// What each of these rules says in A and in B.
fn respects(a: Make, b: Make, rules: &[Rule]) -> Vec<Sides> {
    let changes = Make::changes(a, b).into_iter();
    let own = changes.filter(|change| change.rule().is_some_and(|rule| rules.contains(&rule)));
    own.map(|rule| {
        let said = change(&rule);
        Sides {
            what: said.what.to_owned(),
            a: said.a,
            b: said.b,
        }
    })
    .collect()
}

/// How often a difference mattered, in words.
#[must_use]
pub fn mattered(item: &Item, counted: Counted, style: Style) -> String {
    match counted {
        Counted::Never => match item {
            Item::Entry {
                undo: Undo::ChangedAgain(by),
                ..
            } => format!("not counted alone: {by} changed it again"),
            Item::Entry {
                undo: Undo::WithMemory,
                difference,
                ..
            } if !difference.came_with_memory() => {
                "not counted alone: what is remembered changed too, and is undone as a whole".to_owned()
            }
            Item::Entry {
                undo: Undo::WithMemory,
                ..
            } => "not counted alone: it came with what is remembered, which is undone as a whole".to_owned(),
            _ => "not counted: it cannot be undone alone".to_owned(),
        },
        Counted::Waiting => "being counted".to_owned(),
        Counted::Done(undone) if undone.changed == 0 => "undone: no decision of B changes".to_owned(),
        Counted::Done(undone) => format!(
            "undone: {} of B change, {} of them to A's",
            match undone.changed {
                1 => "1 decision".to_owned(),
                n => format!("{} decisions", count(u64::from(n), style)),
            },
            count(u64::from(undone.as_first), style)
        ),
    }
}

/// How differences share the decisions, in sentences; empty where each decision has one difference of its own.
#[must_use]
pub fn shared(overlap: Overlap, style: Style) -> Vec<String> {
    let Overlap {
        differences,
        several,
        none,
        ..
    } = overlap;
    let of = |n: u32| {
        format!(
            "{} of the {} decisions that differ",
            count(n.into(), style),
            count(differences.into(), style)
        )
    };
    let verb = |n: u32, one: &'static str, many: &'static str| if n == 1 { one } else { many };
    let mut said = Vec::new();
    if several > 0 {
        said.push(format!(
            "They overlap: {} {} more than one of these at once. Undoing any of those alone brings A's decision \
             back, so the counts add up to more.",
            of(several),
            verb(several, "needs", "need")
        ));
    }
    if none > 0 {
        said.push(format!(
            "{} {} different whichever one of these is undone alone: another of them is enough, or it takes undoing \
             several at once.",
            of(none),
            verb(none, "stays", "stay")
        ));
    }
    said
}

/// How many decisions differ of those compared, in words.
#[must_use]
pub fn differing((differ, compared): (u64, u64), style: Style) -> String {
    if compared == 0 {
        return "no decision was taken by both".to_owned();
    }
    format!(
        "{} of {} decisions differ ({})",
        count(differ, style),
        count(compared, style),
        share(differ, compared, 1, style)
    )
}

/// Which decisions count, in words; `range` is on the record's own clock.
#[must_use]
pub fn counted_in(range: Option<(Time, Time)>, style: Style) -> String {
    match range {
        Some((from, to)) => format!(
            "decisions of the marked range, {} to {} s",
            stamp(from, style),
            stamp(to, style)
        ),
        None => "all decisions of the workload".to_owned(),
    }
}

/// The whole list; `counts` are decisions that differ and decisions compared within `range`, which is on the
/// record's own clock; `link` stands under it.
///
/// Lines have at most [`super::WIDTH`] columns but for the link, ASCII.
#[must_use]
pub fn changes(
    undoing: &Undoing,
    counts: Option<(u64, u64)>,
    range: Option<(Time, Time)>,
    link: &str,
) -> String {
    let plan = undoing.plan();
    let (Some(a), Some(b)) = (plan.variant(Side::A), plan.variant(Side::B)) else {
        return String::new();
    };
    let mut lines = fill(
        &format!("What changed between A: {} and B: {}", a.governor, b.governor),
        2,
    );
    if let Some(counts) = counts {
        lines.extend(fill(&differing(counts, Style::Ascii), 2));
    }
    lines.extend(fill(&format!("counted: {}", counted_in(range, Style::Ascii)), 2));
    if undoing.items().is_empty() {
        lines.push("Nothing: they are the same.".to_owned());
    }
    for (item, counted) in undoing.items() {
        let told = tell(item, a, b, Style::Ascii);
        let source = if told.source.is_empty() {
            String::new()
        } else {
            format!("{}: ", told.source)
        };
        lines.push(String::new());
        lines.extend(fill(&format!("* {source}{}", told.what), 2));
        for Sides { what, a, b } in told.sides {
            if !what.is_empty() {
                lines.extend(fill_from(&what, 2, 2));
            }
            lines.extend(fill_from(&format!("A: {a}"), 2, 5));
            lines.extend(fill_from(&format!("B: {b}"), 2, 5));
        }
        lines.extend(fill_from(
            &format!("[{}]", mattered(item, *counted, Style::Ascii)),
            2,
            3,
        ));
    }
    for said in undoing
        .overlap()
        .into_iter()
        .flat_map(|overlap| shared(overlap, Style::Ascii))
    {
        lines.push(String::new());
        lines.extend(fill(&said, 0));
    }
    lines.extend([String::new(), link.to_owned()]);
    lines.join("\n") + "\n"
}
