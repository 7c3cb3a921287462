//! Going to an entry of a menu by typing how it begins, or a word of it: `6.5` finds `teo 6.5`.
//!
//! Letters that follow each other quickly are one word; the same letter again goes to the next entry that
//! begins with it. An entry is its name and, on further lines, what is said beside it.

/// How long after a letter the next one still belongs to the same word, ms.
pub const PAUSE_MS: u32 = 700;

/// How well an entry fits what was typed, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Its name begins so.
    Name,
    /// A later word of its name begins so, and its first is that of the entry with the focus: the same family.
    Sibling,
    /// A later word of its name begins so.
    Word,
    /// A word beside the name begins so.
    Beside,
}

/// The entry that fits what was typed best, of equals the first one from `at` on and round to the start; none when
/// none fits. A single letter, also several times, looks behind `at` first. Case, leading blanks, and whether words
/// are parted by a blank or a dash do not count.
#[must_use]
pub fn find(entries: &[String], at: Option<usize>, typed: &str) -> Option<usize> {
    let typed = plain(typed);
    let first = typed.chars().next()?;
    let again = typed.chars().all(|c| c == first);
    let wanted = if again { first.to_string() } else { typed };
    let count = entries.len();
    let start = at.map_or(0, |at| at + usize::from(again));
    let family = at.and_then(|at| entries.get(at)).and_then(|entry| family(entry));
    (0..count)
        .map(|n| (start + n) % count)
        .filter_map(|n| {
            let entry = entries.get(n)?;
            Some(match fit(entry, &wanted)? {
                Fit::Word if self::family(entry) == family => (Fit::Sibling, n),
                fit => (fit, n),
            })
        })
        // The first of equals.
        .min_by_key(|(fit, _)| *fit)
        .map(|(_, n)| n)
}

/// The first word of an entry.
fn family(entry: &str) -> Option<String> {
    plain(entry).split_whitespace().next().map(str::to_owned)
}

fn fit(entry: &str, wanted: &str) -> Option<Fit> {
    let mut lines = entry.lines().map(|line| plain(line.trim()));
    let name = lines.by_ref().find(|line| !line.is_empty())?;
    if name.starts_with(wanted) {
        Some(Fit::Name)
    } else if a_word_begins(&name, wanted) {
        Some(Fit::Word)
    } else {
        lines
            .any(|line| a_word_begins(&line, wanted))
            .then_some(Fit::Beside)
    }
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace('-', " ")
}

fn a_word_begins(line: &str, wanted: &str) -> bool {
    let starts = line.char_indices().filter(|(at, letter)| {
        let before = line.get(..*at).and_then(|head| head.chars().next_back());
        letter.is_alphanumeric() && before.is_none_or(|before| !before.is_alphanumeric() && before != '.')
    });
    let mut words = starts.filter_map(|(at, _)| line.get(at..));
    words.any(|word| word.starts_with(wanted))
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
    fn a_version_is_found_without_its_family() {
        check(None, "6.6", Some("teo 6.6"));
        check(Some(1), "6.6", Some("teo 6.6"));
        check(Some(2), "6.6", Some("menu 6.6"));
        check(Some(3), "6", Some("teo 6.5"));
        check(Some(0), "6", Some("teo 6.6"));
        check(Some(1), "6.5", Some("teo 6.5"));
        check(Some(0), "66", Some("teo 6.6"));
        check(Some(4), "teo-6.5", Some("teo 6.5"));
        check(None, "5", None);
        check(None, "eo", None);
    }

    #[test]
    fn what_stands_beside_a_name_counts_after_all_names() {
        let entries = [
            "teo 6.5\n6.3 to 6.5\nwakeups that end in time",
            "menu 6.6\n6.5",
            "teo 6.3\n6.3",
        ]
        .map(str::to_owned);
        assert_eq!(find(&entries, None, "6.3"), Some(2));
        assert_eq!(find(&entries, None, "6.5"), Some(0));
        assert_eq!(find(&entries, None, "wakeups"), Some(0));
        assert_eq!(find(&entries, None, "time"), Some(0));
        assert_eq!(find(&["\n  off\n".to_owned()], None, "of"), Some(0));
    }

    #[test]
    fn nothing_typed_and_nothing_like_it_find_nothing() {
        check(None, "", None);
        check(Some(1), "x", None);
        assert_eq!(find(&[], None, "a"), None);
    }
}
