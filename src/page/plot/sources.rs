//! mobile's three predictions on the ruler of durations; the earliest bounds the stay.
//!
//! ```text
//!   next timer          ┊               ◇ 3.1 ms
//!   interrupt           ┊      none
//!   mean to a task      ◆ 412 µs ──► ◇ 380 µs after
//!                (C1)   ┊   (C2)        (C3)
//!   1 µs      10       100     1 ms
//! ```

use super::bins::Pointer;
use super::chips::{self, Candidate, Chip, Row};
use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, label};
use crate::page::words::{Style, number};
use crate::units::Ns;

/// Height of a source, px.
const SOURCE: f64 = 20.0;
/// Where the ruler begins, right of the names, px.
const LEFT: f64 = 92.0;

/// One prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What predicts.
    pub name: &'static str,
    /// Time to it; none without a prediction.
    pub at: Option<Ns>,
    /// It is the earliest.
    pub earliest: bool,
    /// What it will be at the next decision, where this period changed it; inner none: unknown again.
    pub after: Option<Option<Ns>>,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// Width, px.
    pub width: f64,
    /// The predictions.
    pub sources: Vec<Source>,
    /// The states, shallowest first.
    pub states: Vec<Chip>,
    /// The candidates, in order.
    pub candidates: Vec<Candidate>,
    /// The time really slept, and estimates.
    pub pointers: Vec<Pointer>,
}

impl Sources {
    /// The picture. Its name is left to who knows the answer.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let top = 4.0;
        let base = top + self.sources.len() as f64 * SOURCE;
        let rows = base + chips::HEIGHT + 8.0;
        let axis = rows + self.pointers.len() as f64 * 12.0 + 6.0;
        let near = |d: &Ns| *d < Ns::from_ms(10_000);
        let times = self
            .sources
            .iter()
            .flat_map(|source| [source.at, source.after.flatten()]);
        let longest = times
            .flatten()
            .chain(self.pointers.iter().map(|pointer| pointer.at))
            .filter(near)
            .chain(self.states.iter().map(|state| state.from));
        let ruler = Ruler::new(LEFT, self.width - 12.0, longest.max().unwrap_or_default());
        let row = Row {
            chips: &self.states,
            ruler: &ruler,
        };
        let legend = row.legend(&self.candidates);
        let mut plot = Plot::new(self.width, axis + 18.0 + legend.len() as f64 * chips::LINE);
        ruler.draw(&mut plot, axis - 4.0, axis);
        row.grounds(&mut plot, top, base);
        for (n, source) in self.sources.iter().enumerate() {
            let y = top + (n as f64 + 0.5) * SOURCE;
            source.draw(&mut plot, &ruler, y, base);
        }
        row.draw(&mut plot, &self.candidates, base + chips::HEIGHT / 2.0 + 2.0);
        for (n, pointer) in self.pointers.iter().enumerate() {
            pointer.draw(&ruler, &mut plot, rows + (n as f64 + 1.0) * 12.0 - 2.0, axis);
        }
        for (n, line) in legend.into_iter().enumerate() {
            let y = axis + 28.0 + n as f64 * chips::LINE;
            plot.text((ruler.left, y), line, Anchor::Start, Ink::INK_2);
        }
        plot
    }
}

impl Source {
    fn draw(&self, plot: &mut Plot, ruler: &Ruler, y: f64, base: f64) {
        let ink = if self.earliest { Ink::INK } else { Ink::INK_2 };
        if self.earliest {
            plot.strong((LEFT - 8.0, y + 3.5), self.name, Anchor::End, ink);
        } else {
            plot.text((LEFT - 8.0, y + 3.5), self.name, Anchor::End, ink);
        }
        let learned = |after: Option<Ns>| match after {
            Some(after) => format!("then {}", number::duration(after, Style::Page)),
            None => "then unknown".to_owned(),
        };
        let after = self.after.map(learned);
        let Some(at) = self.at else {
            let said = after.map_or("none".to_owned(), |after| format!("none, {after}"));
            plot.text((ruler.left + 4.0, y + 3.5), said, Anchor::Start, Ink::INK_2);
            return;
        };
        let x = ruler.x(at);
        if self.earliest {
            plot.line((x, y), (x, base), Ink::INK, Dash::Dotted);
        }
        if let Some(Some(to)) = self.after {
            let to = ruler.x(to);
            plot.line((x, y), (to, y), Ink::INK_3, Dash::Solid);
            plot.mark((to, y), 2.5, false, Ink::SURFACE, Ink::INK_3);
        }
        let fill = if self.earliest { Ink::INK } else { Ink::SURFACE };
        plot.mark((x, y), 4.0, true, fill, Ink::INK);
        let mut said = number::duration(at, Style::Page);
        if let Some(after) = after {
            said.push_str(", ");
            said.push_str(&after);
        }
        let width = label::width(&said, 10.0);
        let reach = self.after.flatten().map_or(x, |to| ruler.x(to));
        let (least, most) = (x.min(reach), x.max(reach));
        let end = ruler.right + 10.0;
        // Where neither side has room it covers the line, never the names.
        let from = if most + 8.0 + width <= end {
            most + 8.0
        } else if least - 8.0 - width >= ruler.left {
            least - 8.0 - width
        } else {
            end - width
        };
        plot.rect((from - 2.0, y - 6.0), (width + 4.0, 12.0), Ink::SURFACE, 0.85);
        plot.text((from, y + 3.5), said, Anchor::Start, ink);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, is_inside};
    use super::*;

    fn source(name: &'static str, us: Option<i64>, earliest: bool) -> Source {
        Source {
            name,
            at: us.map(Ns::from_us),
            earliest,
            after: None,
        }
    }

    fn sources(task: Source) -> Sources {
        let state = |(name, us): (&str, i64)| Chip {
            name: name.to_owned(),
            from: Ns::from_us(us),
        };
        Sources {
            width: 366.0,
            sources: vec![
                source("next timer", Some(3_100), !task.earliest),
                source("interrupt", None, false),
                task,
            ],
            states: [("WFI", 1), ("C2", 360), ("C3", 3_102)].map(state).to_vec(),
            candidates: Vec::new(),
            pointers: vec![Pointer {
                ink: Ink::INK,
                label: "slept".to_owned(),
                at: Ns::from_ms(5),
            }],
        }
    }

    #[track_caller]
    fn check(task: Source, says: &[&str]) {
        let plot = sources(task).plot();
        for shape in &plot.shapes {
            assert!(is_inside(shape, &plot), "{shape:?}");
        }
        let filled = |shape: &&Shape| {
            matches!(
                shape,
                Shape::Mark {
                    r: 4.0,
                    fill: Ink::INK,
                    ..
                }
            )
        };
        assert_eq!(
            plot.shapes.iter().filter(filled).count(),
            1,
            "one is the earliest"
        );
        for text in says {
            let says = |shape: &Shape| matches!(shape, Shape::Text { text: own, .. } if own.replace('\u{202f}', " ") == *text);
            assert!(plot.shapes.iter().any(says), "no {text}");
        }
    }

    #[test]
    fn the_earliest_source_is_marked_and_what_is_learnt_stands_beside_it() {
        let known = Source {
            after: Some(Some(Ns::from_us(380))),
            ..source("mean to a task", Some(412), true)
        };
        check(known, &["412 µs, then 380 µs", "3.1 ms", "none"]);
        let forgotten = Source {
            after: Some(None),
            ..source("mean to a task", Some(9_000), false)
        };
        check(forgotten, &["9 ms, then unknown", "3.1 ms"]);
        let learned = Source {
            after: Some(Some(Ns::from_us(3))),
            ..source("mean to a task", None, false)
        };
        check(learned, &["none, then 3 µs"]);
    }
}
