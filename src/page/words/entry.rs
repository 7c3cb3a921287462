//! A governor's version in words: what it changed against the one before.

use crate::cpuidle::Baseline;
use crate::cpuidle::catalog::{Choice, ENTRIES, Entry, Make};

/// What an entry changed, in one line: the first change, and how many more there are.
#[must_use]
pub fn headline(entry: &Entry) -> String {
    let Some(first) = entry.differences.first() else {
        return details(entry)
            .into_iter()
            .map(|(_, what)| what)
            .collect::<Vec<_>>()
            .join(" ");
    };
    let what = first.what.trim_end_matches('.');
    match entry.differences.len() - 1 {
        0 => what.to_owned(),
        more => format!("{what}; and {more} more"),
    }
}

/// Every change of an entry: where it came from, and what it is. An entry that has none is the first of its
/// family, or one that never ran in a kernel, and says so.
#[must_use]
pub fn details(entry: &Entry) -> Vec<(String, String)> {
    if !entry.differences.is_empty() {
        let pair = |source: &str, what: &str| (source.to_owned(), what.to_owned());
        let all = entry.differences.iter();
        return all.map(|change| pair(change.source, change.what)).collect();
    }
    let family = entry.make.family();
    let words = |source: &str, what: String| vec![(source.to_owned(), what)];
    if let Make::Baseline(baseline) = entry.make {
        return words(
            "baseline",
            format!("{} No kernel decides like this.", rule(baseline)),
        );
    }
    let mut members = ENTRIES.iter().filter(|other| other.make.family() == family);
    let (first, alone) = (members.next(), members.next().is_none());
    match first.filter(|first| first.name != entry.name) {
        Some(first) => words(entry.first_release, format!("Decides as {} does.", first.name)),
        None if alone => words(entry.first_release, format!("The only {} here.", family.name())),
        None => words(
            entry.first_release,
            format!(
                "The oldest {} here; later ones say what they changed.",
                family.name()
            ),
        ),
    }
}

/// What a baseline does, in a sentence.
const fn rule(baseline: Baseline) -> &'static str {
    match baseline {
        Baseline::Shallowest => "Always the shallowest state that does not poll; keeps the tick.",
        Baseline::Deepest => "Always the deepest state within the latency limit; stops the tick.",
        Baseline::Fixed(_) => "Always the one state that you choose.",
        Baseline::LastValue => "Expects every pause to last as long as the one before it.",
        Baseline::Ideal => "Knows the future: the deepest state that will have paid off.",
        Baseline::IdealByEnergy => "Knows the future: the state that will have cost least, by estimate.",
    }
}

/// Every change of a choice's entry, then those of the patches applied to it.
#[must_use]
pub fn of_choice(choice: Choice) -> Vec<(String, String)> {
    let mut all = details(choice.entry());
    let applied = choice
        .entry()
        .patches
        .iter()
        .filter(|patch| choice.patches().contains(patch.number));
    all.extend(applied.map(|patch| (format!("patch {}", patch.number), patch.what.to_owned())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn choice(name: &str) -> Choice {
        name.parse().unwrap()
    }

    #[test]
    fn a_version_says_what_it_changed() {
        let one = headline(choice("teo-6.5").entry());
        assert!(
            one.starts_with("A CPU with a load above") && !one.ends_with('.'),
            "{one}"
        );
        let more = headline(choice("teo-5.15").entry());
        assert!(more.ends_with("; and 2 more"), "{more}");
        let all = details(choice("teo-5.15").entry());
        assert_eq!(all.len(), 3);
        assert_eq!(all[2].0, "5.5");
    }

    #[test]
    fn the_first_of_a_family_and_baselines_say_that() {
        let first = headline(choice("teo-5.1").entry());
        assert_eq!(first, "The oldest teo here; later ones say what they changed.");
        let only = headline(choice("mobile-2019").entry());
        assert_eq!(only, "The only mobile here.");
        let ideal = headline(choice("ideal").entry());
        assert_eq!(
            ideal,
            "Knows the future: the deepest state that will have paid off. No kernel decides like this."
        );
        let baselines = || Choice::all().filter(|choice| choice.entry().kernels.is_empty());
        let said: BTreeSet<String> = baselines().map(|choice| headline(choice.entry())).collect();
        assert_eq!(said.len(), baselines().count(), "each says what it does");
        for choice in Choice::all() {
            let all = details(choice.entry());
            assert!(
                !all.is_empty()
                    && all
                        .iter()
                        .all(|(from, what)| !from.is_empty() && !what.is_empty())
            );
        }
    }

    #[test]
    fn applied_patches_follow_the_versions_own_changes() {
        let sources = |name: &str| -> Vec<String> {
            of_choice(choice(name))
                .into_iter()
                .map(|(source, _)| source)
                .collect()
        };
        assert_eq!(sources("teo-6.5"), ["6.3"]);
        assert_eq!(sources("teo-6.5-p13"), ["6.3", "patch 1", "patch 3"]);
    }
}
