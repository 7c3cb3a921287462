//! Which patches make a decision differ, in words.

use crate::page::doc::Side;
use crate::page::session::Patched;

/// One sentence: `patch 1 or patch 2 alone makes the difference (1: …; 2: …)`. Any one of the sets makes it.
#[must_use]
pub fn behind(sets: &[Vec<Patched>]) -> String {
    let name = |patched: &Patched| match patched.side {
        Side::B => patched.patch.number.to_string(),
        Side::A => format!("{} in A", patched.patch.number),
    };
    let several = sets.len() > 1;
    let said = sets.iter().map(|set| match set.as_slice() {
        [one] => format!("patch {}", name(one)),
        many => {
            let numbers: Vec<String> = many.iter().map(name).collect();
            format!("patches {} together", and(&numbers))
        }
    });
    let said: Vec<String> = said.collect();
    let alone = if several && sets.iter().all(|set| set.len() == 1) {
        " alone"
    } else {
        ""
    };
    let makes = match sets {
        [one] if one.len() > 1 => "make",
        _ => "makes",
    };
    let mut named: Vec<Patched> = sets.iter().flatten().copied().collect();
    named.sort_by_key(|patched| patched.patch.number);
    named.dedup_by_key(|patched| patched.patch.number);
    let titles: Vec<String> = match named.as_slice() {
        [one] => vec![one.patch.title.to_owned()],
        many => many
            .iter()
            .map(|patched| format!("{}: {}", patched.patch.number, patched.patch.title))
            .collect(),
    };
    format!(
        "{}{alone} {makes} the difference ({})",
        said.join(" or "),
        titles.join("; ")
    )
}

/// `1, 2 and 3`.
fn and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpuidle::catalog::Choice;

    #[track_caller]
    fn check(sets: &[&[(u8, Side)]], expect: &str) {
        let entry = "teo-6.5".parse::<Choice>().unwrap().entry();
        let patched = |(number, side): &(u8, Side)| Patched {
            patch: entry
                .patches
                .iter()
                .find(|patch| patch.number == *number)
                .unwrap(),
            side: *side,
        };
        let sets: Vec<Vec<Patched>> = sets.iter().map(|set| set.iter().map(patched).collect()).collect();
        assert_eq!(behind(&sets), expect);
    }

    #[test]
    fn the_patches_that_matter_are_named_and_no_others() {
        let (one, two) = (
            "update the idle duration estimate",
            "keep the tick when bailing out",
        );
        check(
            &[&[(2, Side::B)]],
            &format!("patch 2 makes the difference ({two})"),
        );
        check(
            &[&[(1, Side::B)], &[(2, Side::B)]],
            &format!("patch 1 or patch 2 alone makes the difference (1: {one}; 2: {two})"),
        );
        check(
            &[&[(1, Side::B), (2, Side::B)]],
            &format!("patches 1 and 2 together make the difference (1: {one}; 2: {two})"),
        );
        check(
            &[&[(1, Side::A)]],
            &format!("patch 1 in A makes the difference ({one})"),
        );
    }
}
