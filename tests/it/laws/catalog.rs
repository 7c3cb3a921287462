//! The catalogue is consistent: names, differences, rule values.

use std::collections::BTreeSet;

use idlescope::cpuidle::Choice;
use idlescope::cpuidle::catalog::{ChoiceError, ENTRIES, Make};

#[test]
fn names_are_read_back_as_written() {
    for choice in Choice::all_patched() {
        let name = choice.to_string();
        assert_eq!(name.parse(), Ok(choice), "{name}");
        let json = serde_json::to_string(&choice).expect("a choice is a string");
        assert_eq!(json, format!("\"{name}\""));
        assert_eq!(serde_json::from_str::<Choice>(&json).expect("read back"), choice);
    }
}

#[test]
fn names_are_unique_and_fit_into_links() {
    let names: Vec<String> = Choice::all_patched().map(|choice| choice.to_string()).collect();
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    for name in &names {
        assert!(
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.'),
            "{name}"
        );
    }
}

#[test]
fn a_series_of_three_patches_gives_eight_choices() {
    let names: Vec<String> = Choice::all_patched()
        .map(|choice| choice.to_string())
        .filter(|name| name.starts_with("teo-6.5"))
        .collect();
    let expected = ["", "-p1", "-p2", "-p12", "-p3", "-p13", "-p23", "-p123"];
    assert_eq!(names, expected.map(|patches| format!("teo-6.5{patches}")));
}

#[test]
fn adjacent_entries_differ_and_say_how() {
    for pair in ENTRIES.windows(2) {
        let [before, after] = pair else { continue };
        if before.make.family() != after.make.family() {
            assert!(
                after.differences.is_empty(),
                "{} is the first of its family",
                after.name
            );
            continue;
        }
        assert!(
            !Make::changes(before.make, after.make).is_empty(),
            "{} and {}",
            before.name,
            after.name
        );
        let of_kernel = !after.first_release.is_empty();
        assert_eq!(of_kernel, !after.differences.is_empty(), "{}", after.name);
    }
}

#[test]
fn a_patch_changes_what_it_says_it_changes() {
    let changed = |name: &str| {
        let choice: Choice = name.parse().expect("in the catalogue");
        Make::changes(choice.entry().make, choice.make()).len()
    };
    assert_eq!(changed("teo-6.5"), 0);
    assert_eq!(changed("teo-6.5-p1"), 2);
    assert_eq!(changed("teo-6.5-p2"), 2);
    assert_eq!(changed("teo-6.5-p12"), 4);
    assert_eq!(changed("teo-6.5-p3"), 0, "3/3 changes storage only");
    assert_eq!(changed("teo-6.5-p123"), 4);
}

/// Every value of every rule is that of some choice: `{:?}` of all makes names each of them.
#[test]
fn every_rule_value_is_used() {
    let made: String = Choice::all_patched()
        .map(|choice| format!("{:?}", choice.make()))
        .collect();
    for value in [
        "Ignored",
        "Counts",
        "IfTickAllows",
        "Always",
        "SameBin",
        "CloseToTimer",
        "DeepestIfMost",
        "TimerIfFewIntercepts",
        "ToHalf",
        "ToFullestBin",
        "AnyTick",
        "MoreThanFiveEighths",
        "TwoThirds",
        "AsAlways",
        "DeepestBeforeTimer",
        "FirstNotPolling",
        "ZeroUnlessPolling",
        "KeepsDuration",
        "TakesStatesOwn",
        "JudgesDuration",
        "RetainsTick",
        "SleepLength",
        "TargetResidency",
        "TimerFirst",
        "IntervalsFirst",
        "Unnoticed",
        "StoresNone",
        "Microseconds",
        "Nanoseconds",
        "Stays",
        "Closes",
        "AddUp",
        "OwnOnly",
        "StateZero",
        "ShortStays",
        "LoadedPrediction",
        "TypicalInterval",
        "TimerBeyond20",
        "NextTimer",
        "TypicalInstead",
        "Least",
        "PollingFirst",
        "OneSearch",
        "DropsLongest",
        "DropsFarthest(Longest)",
        "DropsFarthest(SaysNothing)",
        "WithinStay",
        "AsGiven",
        "TimerAllows",
        "ShortStates",
        "TimerIfAsked",
        "AlwaysAsks",
        "AlwaysAsksUnlessNear",
        "Absent",
        "BeyondStates",
        "TimerLast",
        "Count",
        "NotAsked",
        "AsksTimer",
        "ByDuration",
        "ByIntercepts",
        "ReachesTimer",
        "BeyondTick",
        "WithinTick",
        "Geometric",
        "ToZero",
        "OwnCount",
        "SumOfBins",
        "ToHalfIfAllowed",
        "ShortensLimit",
        "SaysNothing",
        "WhileShorter",
        "Shallowest",
        "Deepest",
        "Ideal",
        "Fixed",
        "LastValue",
        "IdealByEnergy",
    ] {
        assert!(made.contains(value), "{value}");
    }
}

#[test]
fn patches_can_be_switched() {
    let plain: Choice = "teo-6.5".parse().expect("in the catalogue");
    let both = plain.with_patch(2, true).with_patch(1, true);
    assert_eq!(both.to_string(), "teo-6.5-p12");
    assert_eq!(both.with_patch(1, false).to_string(), "teo-6.5-p2");
    assert_eq!(plain.with_patch(7, true), plain);
    assert_eq!("teo-6.5-p21".parse(), Ok(both));
}

#[track_caller]
fn check(name: &str, expected: &str) {
    let error: ChoiceError = name.parse::<Choice>().expect_err("not a governor");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn errors_say_what_was_found_what_is_valid_and_what_is_near() {
    check(
        "teo-6.12~speed3",
        "teo-6.12 can be followed by ~intercepts, ~decay, ~pulse; found ~speed3",
    );
    check(
        "ladder-5.5~decay2",
        "ladder-5.5 can be followed by nothing; found ~decay2",
    );
    check(
        "teo-6.12~decay9",
        "decay of teo-6.12 must be a whole number from 1 to 8; found 9",
    );
    check(
        "teo-6.12~decay",
        "decay of teo-6.12 must be a whole number from 1 to 8; found ",
    );
    check(
        "teo-6.9",
        "no governor of this name; nearest: teo-6.5, teo-6.6, teo-6.19; found teo-6.9",
    );
    check(
        "menu-6.6-p1",
        "menu-6.6 has no patches to apply; found menu-6.6-p1",
    );
    for name in [
        "teo-6.5-p",
        "teo-6.5-p4",
        "teo-6.5-p11",
        "teo-6.5-p1x",
        "teo-6.5-p0",
    ] {
        check(
            name,
            &format!("after teo-6.5-p expected some of the patch numbers 123; found {name}"),
        );
    }
}

#[test]
fn numbers_stand_behind_the_name_and_only_where_they_are_not_as_usual() {
    let named = |name: &str| name.parse::<Choice>().map(|choice| choice.to_string());
    for (name, written) in [
        ("teo-6.12~decay2", "teo-6.12~decay2"),
        ("teo-6.12~pulse512~decay2", "teo-6.12~decay2~pulse512"),
        ("teo-6.12~decay3", "teo-6.12"),
        ("teo-6.5-p12~intercepts60", "teo-6.5-p12~intercepts60"),
        ("menu-6.5~waiting0~intervals16", "menu-6.5~intervals16~waiting0"),
        (
            "haltpoll-6.12~max100000~shrinking0",
            "haltpoll-6.12~max100000~shrinking0",
        ),
        ("fixed~state3", "fixed~state3"),
        ("fixed~state1", "fixed"),
    ] {
        assert_eq!(named(name).as_deref(), Ok(written));
    }
}

#[test]
fn only_constants_of_teo_and_menu_make_a_governor_no_kernels() {
    let experimental = |name: &str| name.parse::<Choice>().expect("a name").is_experimental();
    assert!(experimental("teo-6.12~decay2"));
    assert!(experimental("menu-7.0~ratio3"));
    assert!(!experimental("teo-6.12~decay3"));
    assert!(!experimental("haltpoll-6.12~grow3"));
    assert!(!experimental("fixed~state3"));
}

#[test]
fn a_number_changes_the_behaviour_and_nothing_else() {
    for choice in Choice::all_patched() {
        for (knob, value, _) in choice.knobs() {
            let spec = knob.spec();
            let other = if value == spec.max { spec.min } else { spec.max };
            let turned = choice.with_knob(knob, other).expect("within its range");
            assert_eq!(Make::changes(choice.make(), turned.make()).len(), 1, "{turned}");
            assert_eq!(turned.to_string().parse(), Ok(turned));
            assert_eq!(turned.with_knob(knob, value), Some(choice));
            assert_eq!(turned.untuned(), choice);
            for outside in [spec.max.checked_add(1), spec.min.checked_sub(1)] {
                assert!(outside.is_none_or(|value| choice.with_knob(knob, value).is_none()));
            }
        }
    }
}

#[test]
fn undoing_every_change_of_a_generation_gives_the_other_choice() {
    let mut undone = 0;
    for a in Choice::all_patched() {
        for b in Choice::all_patched() {
            let changes = Make::changes(a.make(), b.make());
            let back = changes
                .iter()
                .try_fold(b.make(), |make, change| make.undone(*change));
            match back {
                Some(back) => {
                    assert_eq!(back, a.make(), "{a} and {b}");
                    undone += 1;
                }
                None => assert_eq!(changes.len(), 1, "{a} and {b}: {changes:?}"),
            }
        }
    }
    assert!(undone > 200, "{undone}");
}

#[test]
fn the_entries_between_two_choices_are_those_after_the_older_one() {
    #[track_caller]
    fn check(a: &str, b: &str, expect: Option<(&[&str], bool)>) {
        let choice = |name: &str| name.parse::<Choice>().expect(name);
        let found = Choice::between(choice(a), choice(b));
        let names = found.map(|(entries, back)| (entries.iter().map(|e| e.name).collect::<Vec<_>>(), back));
        assert_eq!(names, expect.map(|(names, back)| (names.to_vec(), back)));
    }
    check("teo-5.15", "teo-6.6", Some((&["teo-6.5", "teo-6.6"], false)));
    check("teo-6.6", "teo-5.15", Some((&["teo-6.5", "teo-6.6"], true)));
    check("teo-6.5", "teo-6.5-p12", Some((&[], false)));
    check("teo-7.1", "menu-4.5", None);
}
