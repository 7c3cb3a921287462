//! Texts that have to fit: how wide they are, and what is left of them where they are too wide.
//!
//! Widths are estimates from above for the page's fonts, so that what is said to fit does fit.

/// Width of a text of this size, px; for bold text too.
#[must_use]
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| share(c) * size).sum()
}

fn share(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' | '\u{202f}' => 0.32,
        'f' | 'r' | 't' | ' ' | '-' | '(' | ')' | '/' | 'I' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | 'µ' | '…' => 0.95,
        'A'..='Z' => 0.72,
        _ => 0.62,
    }
}

/// The text, or its beginning and end around an ellipsis, or nothing when fewer than two letters on
/// each side would be left.
#[must_use]
pub fn fit(text: &str, size: f64, room: f64) -> Option<String> {
    if width(text, size) <= room {
        return Some(text.to_owned());
    }
    let letters: Vec<char> = text.chars().collect();
    // The end tells cpu-sleep-0 from cpu-sleep-1: it keeps as much as the beginning.
    (4..letters.len()).rev().find_map(|kept| {
        let (head, tail) = letters.split_at(kept.div_ceil(2));
        let tail = tail.split_at(tail.len().saturating_sub(kept / 2)).1;
        let cut: String = head.iter().chain(&['…']).chain(tail).collect();
        (width(&cut, size) <= room).then_some(cut)
    })
}

/// Names up to this many letters need no number: C1E, WFI, POLL.
const SHORT: usize = 5;

/// What a state is called where there is a legend: by its name, or by number and name when the name is
/// so long that on narrow marks only the number will fit.
#[must_use]
pub fn numbered(n: usize, name: &str) -> String {
    if name.chars().count() > SHORT {
        format!("{n} {name}")
    } else {
        name.to_owned()
    }
}

/// What is written on a mark of state `n` with so much room: [`numbered`], else the number of a long
/// name, else nothing.
#[must_use]
pub fn state(names: &[String], n: usize, size: f64, room: f64) -> Option<String> {
    let name = names.get(n)?;
    let whole = numbered(n, name);
    if width(&whole, size) <= room {
        return Some(whole);
    }
    let number = n.to_string();
    (whole != *name && width(&number, size) <= room).then_some(number)
}

/// The name where it is short, else the number that [`numbered`] puts before it.
#[must_use]
pub fn short(n: usize, name: &str) -> String {
    if name.chars().count() > SHORT {
        n.to_string()
    } else {
        name.to_owned()
    }
}

/// Names for so much room each, no two of them alike: whole where all fit, else what [`fit`] leaves of
/// them, else as [`short`] has them.
#[must_use]
pub fn distinct(names: &[String], size: f64, room: f64) -> Vec<String> {
    let cut: Option<Vec<String>> = names.iter().map(|name| fit(name, size, room)).collect();
    let differ = |cut: &Vec<String>| {
        let alike = |(n, text)| cut.iter().skip(n + 1).any(|other| other == text);
        !cut.iter().enumerate().any(alike)
    };
    cut.filter(differ)
        .unwrap_or_else(|| names.iter().enumerate().map(|(n, name)| short(n, name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_cut_text_keeps_its_end_and_its_room() {
        for room in 20..120 {
            let room = f64::from(room);
            let Some(cut) = fit("cluster-sleep-0", 10.0, room) else {
                assert!(room < 36.0, "nothing fits {room}");
                continue;
            };
            assert!(width(&cut, 10.0) <= room, "{cut} in {room}");
            assert!(cut.starts_with("cl") && cut.ends_with("-0"), "{cut}");
        }
        assert_eq!(fit("WFI", 10.0, 30.0).as_deref(), Some("WFI"));
    }

    #[test]
    fn long_names_fall_back_to_the_number_that_the_legend_shows() {
        let arm = table(&["WFI", "cpu-sleep-0", "cluster-sleep-0"]);
        assert_eq!(numbered(1, "cpu-sleep-0"), "1 cpu-sleep-0");
        assert_eq!(state(&arm, 0, 10.0, 40.0).as_deref(), Some("WFI"));
        assert_eq!(state(&arm, 1, 10.0, 90.0).as_deref(), Some("1 cpu-sleep-0"));
        assert_eq!(state(&arm, 1, 10.0, 40.0).as_deref(), Some("1"));
        assert_eq!(state(&arm, 1, 10.0, 4.0), None);
    }

    #[test]
    fn short_names_need_no_number() {
        let x86 = table(&["POLL", "C1", "C1E", "C6"]);
        assert_eq!(numbered(2, "C1E"), "C1E");
        assert_eq!(state(&x86, 2, 10.0, 12.0), None);
    }

    #[test]
    fn no_two_names_become_alike() {
        let pinephone = table(&["WFI", "little-rail-power-collapse", "big-rail-power-collapse"]);
        assert_eq!(distinct(&pinephone, 11.0, 300.0), pinephone);
        assert_eq!(
            distinct(&pinephone, 11.0, 90.0),
            ["WFI", "little-r…ollapse", "big-rai…ollapse"]
        );
        let alike = table(&["WFI", "cpu-off-a-state", "cpu-off-b-state"]);
        assert_eq!(distinct(&alike, 11.0, 50.0), ["WFI", "1", "2"]);
        assert_eq!(distinct(&alike, 11.0, 4.0), ["WFI", "1", "2"]);
    }
}
