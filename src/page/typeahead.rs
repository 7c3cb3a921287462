//! Going to an entry of a menu by typing how it begins.
//!
//! Letters that follow each other quickly are one word; the same letter again goes to the next entry that
//! begins with it.

/// How long after a letter the next one still belongs to the same word, ms.
pub const PAUSE_MS: u32 = 700;

/// The entry that begins with what was typed, from `at` on and round to the start; none when no entry
/// does. A single letter, also several times, looks behind `at` first. Case and leading blanks do not count.
#[must_use]
pub fn find(entries: &[String], at: Option<usize>, typed: &str) -> Option<usize> {
    let typed = typed.to_lowercase();
    let first = typed.chars().next()?;
    let again = typed.chars().all(|c| c == first);
    let wanted = if again { first.to_string() } else { typed };
    let count = entries.len();
    let start = at.map_or(0, |at| at + usize::from(again));
    (0..count).map(|n| (start + n) % count).find(|n| {
        let entry = entries.get(*n).map(|entry| entry.trim_start().to_lowercase());
        entry.is_some_and(|entry| entry.starts_with(&wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(at: Option<usize>, typed: &str, expect: Option<&str>) {
        let entries = ["teo 6.5", "teo 6.6", "menu 6.6", "Ladder", "mobile", " off"].map(str::to_owned);
        let found = find(&entries, at, typed).and_then(|n| entries.get(n));
        assert_eq!(found.map(|entry| entry.trim()), expect, "{typed} from {at:?}");
    }

    #[test]
    fn a_word_finds_the_entry_that_begins_with_it() {
        check(None, "t", Some("teo 6.5"));
        check(None, "teo 6.6", Some("teo 6.6"));
        check(Some(0), "mo", Some("mobile"));
        check(Some(2), "menu", Some("menu 6.6"));
        check(Some(0), "LAD", Some("Ladder"));
        check(Some(3), "o", Some("off"));
    }

    #[test]
    fn the_same_letter_goes_on_and_round() {
        check(Some(0), "t", Some("teo 6.6"));
        check(Some(1), "tt", Some("teo 6.5"));
        check(Some(2), "m", Some("mobile"));
        check(Some(4), "m", Some("menu 6.6"));
        check(Some(3), "l", Some("Ladder"));
    }

    #[test]
    fn nothing_typed_and_nothing_like_it_find_nothing() {
        check(None, "", None);
        check(Some(1), "x", None);
        assert_eq!(find(&[], None, "a"), None);
    }
}
