//! Lines that mail bears: ASCII, no tabs, at most 72 columns.

/// The widest line.
pub const WIDTH: usize = 72;

/// ASCII of a text: what is not becomes `?`, tabs and line ends become blanks.
pub(in crate::page) fn ascii(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'µ' | 'μ' => 'u',
            c if c.is_ascii_control() => ' ',
            c if c.is_ascii() => c,
            _ => '?',
        })
        .collect()
}

/// A text cut to `width`, its last letter then a `~`.
pub(in crate::page) fn cut(text: &str, width: usize) -> String {
    let text = ascii(text);
    match text.get(..width.saturating_sub(1)) {
        Some(start) if text.len() > width => format!("{start}~"),
        _ => text,
    }
}

/// Words filled into lines; every line but the first is indented by `indent`.
pub(in crate::page) fn fill(text: &str, indent: usize) -> Vec<String> {
    fill_from(text, 0, indent)
}

/// Words filled into lines, the first of them indented by `first`, all others by `indent`.
pub(super) fn fill_from(text: &str, first: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in ascii(text).split_whitespace() {
        let mut word = word;
        while !word.is_empty() {
            let start = if lines.is_empty() { first } else { indent };
            let room = WIDTH - start;
            let gap = usize::from(!line.is_empty());
            if line.len() + gap + word.len() <= room {
                if gap == 1 {
                    line.push(' ');
                }
                line.push_str(word);
                word = "";
            } else if line.is_empty() {
                let (now, later) = word.split_at(room);
                line.push_str(now);
                word = later;
            } else {
                lines.push(format!("{:start$}{line}", ""));
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        let start = if lines.is_empty() { first } else { indent };
        lines.push(format!("{:start$}{line}", ""));
    }
    lines
}

/// A number in at most `width` digits; a longer one in powers of ten.
pub(super) fn number(n: u64, width: usize) -> String {
    let digits = n.to_string();
    if digits.len() <= width {
        return digits;
    }
    let exponent = digits.len() - 1;
    let lead = digits.get(..3).unwrap_or_default();
    format!("{}.{}e{exponent}", &lead[..1], &lead[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filled_lines_keep_within_the_width() {
        let text = "a word after a word ".repeat(20) + &"x".repeat(200);
        let lines = fill(&text, 4);
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:#?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        assert!(lines.iter().skip(1).all(|line| line.starts_with("    ")));
    }

    #[test]
    fn long_names_and_numbers_are_shortened() {
        assert_eq!(cut("little-rail-power-collapse", 12), "little-rail~");
        assert_eq!(cut("haltpoll µs", 12), "haltpoll us");
        assert_eq!(number(12_345_678_901, 8), "1.23e10");
        assert_eq!(number(12_345_678, 8), "12345678");
    }
}
