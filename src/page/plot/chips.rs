//! The states on the ruler of durations: grounds from residency to residency, a chip for each, and
//! arrows where the candidate went.
//!
//! ```text
//!   |       C1        |     C2     |   C3       grounds begin at residencies
//!          (C1) ◄ intercepts ── (C2) ◄─ (C3)    chips stand in the middle, moved apart where narrow
//! ```

use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, Topic, label};
use crate::units::Ns;

/// Height of the row of chips, px.
pub(super) const HEIGHT: f64 = 24.0;
/// Size of the text on a chip and of the list of names, px.
const SIZE: f64 = 10.0;
/// Least width of a chip, px.
const CHIP: f64 = 26.0;
/// Least distance of two chips, px: an arrow's head fits.
const GAP: f64 = 10.0;
/// Width of the two bars of a bin, px.
const PAIR: f64 = 36.0;
/// Height of a line of the list of names, px.
pub(super) const LINE: f64 = 13.0;

/// One state.
#[derive(Clone, Debug, PartialEq)]
pub struct Chip {
    /// Its name.
    pub name: String,
    /// Where its bin begins: its target residency, ns.
    pub from: Ns,
}

/// One state that was the candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its place, from the shallowest.
    pub state: usize,
    /// Why it became the candidate after the one before, in a word or two; may be empty.
    pub why: String,
}

/// Chips on a ruler.
pub(super) struct Row<'a> {
    pub chips: &'a [Chip],
    pub ruler: &'a Ruler,
}

impl Row<'_> {
    /// From where to where a state's bin reaches, px.
    fn span(&self, n: usize) -> Option<(f64, f64)> {
        let from = self.ruler.x(self.chips.get(n)?.from);
        let to = self
            .chips
            .get(n + 1)
            .map_or(self.ruler.right, |next| self.ruler.x(next.from));
        Some((from, to.max(from)))
    }

    /// Alternating grounds from residency to residency, a line below them.
    pub fn grounds(&self, plot: &mut Plot, top: f64, base: f64) {
        let count = self.chips.len();
        for n in 0..count {
            let Some((from, to)) = self.span(n) else { continue };
            plot.rect((from, top), (to - from, base - top), Ink::depth(n, count), 0.12);
        }
        let (left, right) = (self.ruler.left, self.ruler.right);
        plot.line((left, base), (right, base), Ink::INK_3, Dash::Solid);
    }

    /// What stands on the chips: whole names where all fit side by side, else those that are long have their
    /// number.
    pub fn labels(&self) -> Vec<String> {
        let whole: Vec<String> = self.chips.iter().map(|chip| chip.name.clone()).collect();
        let room: f64 = whole.iter().map(|name| width(name).max(PAIR) + GAP).sum();
        if room <= self.ruler.right - self.ruler.left + GAP {
            return whole;
        }
        let short = |(n, name): (usize, &String)| label::short(n, name);
        whole.iter().enumerate().map(short).collect()
    }

    /// What the row itself has no room for, in lines: the names behind the numbers on the chips, then the reasons
    /// of moves whose arrows are too short for theirs. None where the row says all.
    pub fn legend(&self, candidates: &[Candidate]) -> Vec<String> {
        let labels = self.labels();
        let names = self.chips.iter().zip(&labels).enumerate();
        let names = names
            .filter(|(_, (chip, short))| **short != chip.name)
            .map(|(n, (chip, _))| label::numbered(n, &chip.name));
        let drawn: Vec<(f64, String)> = self.places().into_iter().zip(labels.clone()).collect();
        let unsaid = candidates.windows(2).filter_map(|pair| {
            let [from, to] = pair else { return None };
            let (one, other) = (labels.get(from.state)?, labels.get(to.state)?);
            let said = to.why.is_empty() || reason_at(&drawn, from.state, to).is_some();
            (!said).then(|| format!("{one} to {other}: {}", to.why))
        });
        let room = self.ruler.right - self.ruler.left;
        let mut lines = in_lines(names, room);
        lines.extend(in_lines(unsaid, room));
        lines
    }

    /// Where the middle of a state's bin stands, px; bins too narrow for their bars or chips move aside.
    pub fn places(&self) -> Vec<f64> {
        let count = self.chips.len();
        let share = (self.ruler.right - self.ruler.left) / count.max(1) as f64;
        let widths: Vec<f64> = self
            .labels()
            .iter()
            .map(|text| (width(text).max(PAIR) + GAP).min(width(text).max(share)))
            .collect();
        let mut places: Vec<f64> = Vec::with_capacity(count);
        let mut free = self.ruler.left;
        for (n, width) in widths.iter().enumerate() {
            let Some((from, to)) = self.span(n) else { continue };
            let after: f64 = widths.iter().skip(n + 1).sum();
            let wanted = f64::midpoint(from, to).min(self.ruler.right - after - width / 2.0);
            let place = wanted.max(free + width / 2.0);
            free = place + width / 2.0;
            places.push(place);
        }
        places
    }

    /// The chips around height `y`, arrows from candidate to candidate, the last one marked.
    pub fn draw(&self, plot: &mut Plot, candidates: &[Candidate], y: f64) {
        let drawn: Vec<(f64, String)> = self.places().into_iter().zip(self.labels()).collect();
        for pair in candidates.windows(2) {
            let [from, to] = pair else { continue };
            plot.part(Topic::State(to.state), |plot| {
                arrow(plot, &drawn, (from.state, to), y);
            });
        }
        let count = self.chips.len();
        let chosen = candidates.last().map(|last| last.state);
        for (n, (x, text)) in drawn.into_iter().enumerate() {
            let width = width(&text);
            plot.part(Topic::State(n), |plot| {
                chip(plot, (n, count), text, (x, y), width, chosen == Some(n));
            });
        }
    }
}

/// Entries side by side in as few lines as fit.
fn in_lines(entries: impl Iterator<Item = String>, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        match lines.last_mut() {
            Some(line) if label::width(&format!("{line}   {entry}"), SIZE) <= room => {
                line.push_str("   ");
                line.push_str(&entry);
            }
            _ => lines.push(entry),
        }
    }
    lines
}

/// Width of the chip that carries this text, px.
fn width(text: &str) -> f64 {
    (label::width(text, SIZE) + 8.0).max(CHIP)
}

/// The chip of state `n` of `count` around a point.
pub(super) fn chip(
    plot: &mut Plot,
    (n, count): (usize, usize),
    text: String,
    (x, y): (f64, f64),
    width: f64,
    chosen: bool,
) {
    plot.shapes.push(Shape::Rect {
        x: x - width / 2.0,
        y: y - 8.0,
        width,
        height: 16.0,
        fill: Ink::depth(n, count),
        stroke: if chosen { Ink::ACCENT } else { Ink::FLOOR },
        opacity: 1.0,
    });
    plot.text((x, y + 3.5), text, Anchor::Middle, Ink::on_depth(n, count));
}

/// Where the tip of an arrow lies and on which side of its chip, 1 to the right.
fn tip(drawn: &[(f64, String)], from: usize, to: usize) -> Option<(f64, f64)> {
    let (end, own) = drawn.get(to)?;
    let side = if to < from { 1.0 } else { -1.0 };
    Some((end + side * (width(own) / 2.0 + 1.0), side))
}

/// The middle of an arrow's reason, px: beside the tip, where it fits before the next chip.
fn reason_at(drawn: &[(f64, String)], from: usize, to: &Candidate) -> Option<f64> {
    let (tip, side) = tip(drawn, from, to.state)?;
    let beside = if to.state < from {
        to.state.checked_add(1)
    } else {
        to.state.checked_sub(1)
    };
    let (next, text) = beside.and_then(|n| drawn.get(n))?;
    let edge = next - side * (width(text) / 2.0 + 1.0);
    let fits = !to.why.is_empty() && label::width(&to.why, SIZE) <= (edge - tip).abs();
    fits.then(|| f64::midpoint(tip, edge))
}

/// An arrow from chip to chip, with its reason where there is room for it.
fn arrow(plot: &mut Plot, drawn: &[(f64, String)], (from, to): (usize, &Candidate), y: f64) {
    let (Some((start, _)), Some((tip, side))) = (drawn.get(from), tip(drawn, from, to.state)) else {
        return;
    };
    plot.line((*start, y), (tip, y), Ink::INK, Dash::Solid);
    let back = tip + side * 5.0;
    plot.path(
        vec![(back, y - 3.0), (tip, y), (back, y + 3.0)],
        Ink::INK,
        1.0,
        Dash::Solid,
    );
    if let Some(middle) = reason_at(drawn, from, to) {
        plot.text((middle, y - 4.0), to.why.clone(), Anchor::Middle, Ink::INK_2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::is_inside;
    use super::*;

    fn chips(residencies: impl IntoIterator<Item = i64>) -> Vec<Chip> {
        let chip = |us: i64| Chip {
            name: "C1E".to_owned(),
            from: Ns::from_us(us),
        };
        residencies.into_iter().map(chip).collect()
    }

    fn walk(states: &[usize]) -> Vec<Candidate> {
        let candidate = |state: &usize| Candidate {
            state: *state,
            why: "tick".to_owned(),
        };
        states.iter().map(candidate).collect()
    }

    /// Chips as (left edge, right edge, text).
    fn drawn(row: &Row<'_>) -> Vec<(f64, f64, String)> {
        let edges = |(text, x): (String, f64)| (x - width(&text) / 2.0, x + width(&text) / 2.0, text);
        row.labels().into_iter().zip(row.places()).map(edges).collect()
    }

    #[test]
    fn chips_do_not_overlap_and_say_whole_names_or_numbers() {
        let ten: Vec<String> = (0..10).map(|n| format!("C{n}E")).collect();
        let arm = ["WFI", "cpu-sleep-0", "cluster-sleep-0"]
            .map(str::to_owned)
            .to_vec();
        let long = ["WFI", "little-rail-power-collapse", "big-rail-power-collapse"];
        let long = long.map(str::to_owned).to_vec();
        let numbered = ["WFI", "1", "2"].map(str::to_owned).to_vec();
        for (names, room, expect, listed) in [
            (ten.clone(), 364.0, ten, 0),
            (arm.clone(), 364.0, arm.clone(), 0),
            (arm, 180.0, numbered.clone(), 2),
            (long, 300.0, numbered, 2),
        ] {
            let ruler = Ruler::new(12.0, room - 12.0, Ns::from_ms(3));
            let chips: Vec<Chip> = (0..)
                .zip(&names)
                .map(|(n, name)| Chip {
                    name: name.clone(),
                    from: Ns::from_us(n * n),
                })
                .collect();
            let row = Row {
                chips: &chips,
                ruler: &ruler,
            };
            let drawn = drawn(&row);
            let texts: Vec<&String> = drawn.iter().map(|(.., text)| text).collect();
            assert_eq!(texts, expect.iter().collect::<Vec<_>>());
            assert!(drawn.windows(2).all(|pair| pair[1].0 >= pair[0].1), "{drawn:?}");
            let inside = |(left, right, _): &(f64, f64, String)| *left >= 11.0 && *right <= room - 11.0;
            assert!(drawn.iter().all(inside), "{drawn:?}");
            assert_eq!(row.legend(&[]).len(), listed, "{:?}", row.legend(&[]));
        }
    }

    #[track_caller]
    fn check(residencies: &[i64], walked: &[usize], arrows: usize, labels: usize) {
        let ruler = Ruler::new(12.0, 352.0, Ns::from_ms(3));
        let chips = chips(residencies.iter().copied());
        let row = Row {
            chips: &chips,
            ruler: &ruler,
        };
        let mut plot = Plot::new(364.0, 40.0);
        row.draw(&mut plot, &walk(walked), 20.0);
        let moves = walk(walked)
            .windows(2)
            .filter(|pair| pair[1].state < chips.len())
            .count();
        let unsaid: usize = row
            .legend(&walk(walked))
            .iter()
            .map(|line| line.matches(": tick").count())
            .sum();
        assert_eq!(labels + unsaid, moves, "each reason stands at its arrow or below");
        let heads = |shape: &&Shape| matches!(shape, Shape::Path { points, .. } if points.len() == 3);
        let reasons = |shape: &&Shape| matches!(shape, Shape::Text { text, .. } if text == "tick");
        assert_eq!(plot.shapes.iter().filter(heads).count(), arrows);
        assert_eq!(plot.shapes.iter().filter(reasons).count(), labels);
        assert!(plot.shapes.iter().all(|shape| is_inside(shape, &plot)));
    }

    #[test]
    fn each_move_of_the_candidate_is_an_arrow_with_its_reason_where_there_is_room() {
        check(&[0, 30, 3_000], &[2, 1], 1, 1);
        check(&[0, 30, 3_000], &[2, 1, 0], 2, 2);
        check(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[9, 2], 1, 0);
        check(&[0, 30], &[1], 0, 0);
        check(&[0, 30], &[7, 9], 0, 0);
        check(&[], &[], 0, 0);
    }
}
