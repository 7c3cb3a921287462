//! What a governor remembers, on the one ruler: teo's bins, menu's intervals, and below them where
//! the tick, the estimates and the time really slept lie.
//!
//! ```text
//!        1150 ▯▮1389          428 ▯▮2278   2965 ▯      a line across a bar: how high it was before
//!      ─────┴──────────────────────┴────────────┴────
//!          (C1)  ◄─ intercepts ─── (C2) ◄─────── (C3)
//!      ─────────────────────▼B────┃──▼A──────┃───────   1 µs … 10 ms
//!                              TICK        slept
//! ```
//!
//! Intervals are dots, one row for each look at them: filled ones are kept, hollow ones are left out by
//! that look; of those that lie on each other there is one dot with their number.

use super::chips::{self, Candidate, Chip, Row};
use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, Topic, label};
use crate::page::words::{Style, number};
use crate::units::Ns;

/// Height of the bars, px.
const BARS: f64 = 76.0;
/// Height of a bar's number, px.
const NUMBER: f64 = 14.0;
/// Height of one look at the intervals: what it says, and the dots.
const LOOK: f64 = 34.0;
/// Dots closer than this are one, px.
const APART: f64 = 9.0;

/// What one state's bin holds, and what it held before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Stays that reached their timer in this bin.
    pub hits: u32,
    /// Stays that ended in this bin before their timer.
    pub intercepts: u32,
    /// Both before the last period was booked.
    pub before: (u32, u32),
}

/// One look at the last intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LookAt {
    /// What it led to; may be empty.
    pub says: String,
    /// Intervals that stay.
    pub kept: Vec<Ns>,
    /// Intervals that this look leaves out.
    pub dropped: Vec<Ns>,
    /// The average of all of them.
    pub average: Option<Ns>,
}

/// A pointer on the ruler below the bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Whose: [`Ink::A`], [`Ink::B`] or [`Ink::INK`].
    pub ink: Ink,
    /// What it says.
    pub label: String,
    /// Where, ns.
    pub at: Ns,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// Width, px.
    pub width: f64,
    /// The states, shallowest first.
    pub states: Vec<Chip>,
    /// Their bins; empty in versions without.
    pub bars: Vec<Bar>,
    /// Looks at the last intervals, in order.
    pub looks: Vec<LookAt>,
    /// The candidates, in order.
    pub candidates: Vec<Candidate>,
    /// The decision did not read the bins, for this reason.
    pub unread: Option<String>,
    /// The tick period.
    pub tick: Option<Ns>,
    /// Both estimates and the time really slept.
    pub pointers: Vec<Pointer>,
}

impl Bins {
    /// The picture; its height follows from what there is to draw. Its name is left to who knows the answer.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let has_bars = !self.bars.is_empty();
        let top = NUMBER + if self.unread.is_some() { 16.0 } else { 0.0 };
        let dots = top + if has_bars { BARS } else { 0.0 };
        let base = dots + self.looks.len() as f64 * LOOK;
        let rows = (self.pointers.len() as f64 + 1.0) * 12.0;
        let axis = base + chips::HEIGHT + 10.0 + rows;
        let longest = self.states.iter().map(|state| state.from).chain(self.tick);
        let pointed = self.pointers.iter().map(|pointer| pointer.at);
        let intervals = self
            .looks
            .iter()
            .flat_map(|look| look.kept.iter().chain(&look.dropped).copied());
        let near = pointed.chain(intervals).filter(|at| *at < Ns::from_ms(10_000));
        let ruler = Ruler::new(
            12.0,
            self.width - 12.0,
            longest.chain(near).max().unwrap_or_default(),
        );
        let row = Row {
            chips: &self.states,
            ruler: &ruler,
        };
        let legend = row.legend(&self.candidates);
        let mut plot = Plot::new(self.width, axis + 18.0 + legend.len() as f64 * chips::LINE);
        ruler.draw(&mut plot, axis - 4.0, axis);
        row.grounds(&mut plot, top, base);
        if let Some(why) = &self.unread {
            plot.text(
                (12.0, 12.0),
                format!("{why}: bins not read"),
                Anchor::Start,
                Ink::INK_2,
            );
        }
        self.bars(&row.places(), &mut plot, top, dots);
        for (n, look) in self.looks.iter().enumerate() {
            plot.part(Topic::Look(n), |plot| {
                look.draw(&ruler, plot, dots + n as f64 * LOOK)
            });
        }
        row.draw(&mut plot, &self.candidates, base + chips::HEIGHT / 2.0 + 2.0);
        self.pointers(&ruler, &mut plot, base + chips::HEIGHT + 8.0, axis);
        for (n, line) in legend.into_iter().enumerate() {
            let y = axis + 28.0 + n as f64 * chips::LINE;
            plot.text((ruler.left, y), line, Anchor::Start, Ink::INK_2);
        }
        plot
    }

    fn bars(&self, places: &[f64], plot: &mut Plot, top: f64, base: f64) {
        let opacity = if self.unread.is_some() { 0.4 } else { 1.0 };
        let counts = self
            .bars
            .iter()
            .flat_map(|bar| [bar.hits, bar.intercepts, bar.before.0, bar.before.1]);
        let most = counts.max().unwrap_or(0).max(1);
        let tall = |value: u32| (base - top - 4.0) * f64::from(value) / f64::from(most);
        for (n, (bar, x)) in self.bars.iter().zip(places).enumerate() {
            plot.part(Topic::State(n), |plot| bar.draw(plot, (*x, base), tall, opacity));
        }
    }

    fn pointers(&self, ruler: &Ruler, plot: &mut Plot, top: f64, axis: f64) {
        if let Some(tick) = self.tick {
            let x = ruler.x(tick);
            plot.part(Topic::Tick, |plot| {
                plot.line((x, top), (x, axis + 3.0), Ink::INK, Dash::Solid);
                plot.text((x - 3.0, top + 8.0), "TICK", Anchor::End, Ink::INK_2);
            });
        }
        for (n, pointer) in self.pointers.iter().enumerate() {
            let y = top + (n as f64 + 1.0) * 12.0 + 8.0;
            pointer.draw(ruler, plot, y, axis);
        }
    }
}

impl Bar {
    /// Both counts around `x` on the line `base`, with what they were before.
    fn draw(self, plot: &mut Plot, (x, base): (f64, f64), tall: impl Fn(u32) -> f64, opacity: f64) {
        let pairs = [
            (self.hits, self.before.0, -17.0, Ink::SURFACE, Anchor::End, -1.5),
            (
                self.intercepts,
                self.before.1,
                1.0,
                Ink::INK_2,
                Anchor::Start,
                1.5,
            ),
        ];
        for (value, before, dx, fill, anchor, at) in pairs {
            let (height, was) = (tall(value), tall(before));
            plot.shapes.push(Shape::Rect {
                x: x + dx,
                y: base - height,
                width: 16.0,
                height,
                fill,
                stroke: Ink::INK_2,
                opacity,
            });
            if (height - was).abs() >= 1.0 {
                let y = base - was;
                plot.line(
                    (x + dx - 1.0, y),
                    (x + dx + 17.0, y),
                    if was < height && fill == Ink::INK_2 {
                        Ink::SURFACE
                    } else {
                        Ink::INK_3
                    },
                    Dash::Solid,
                );
            }
            plot.text(
                (x + at, base - height.max(was) - 3.0),
                value.to_string(),
                anchor,
                Ink::INK_2,
            );
        }
    }
}

impl Pointer {
    /// The label at height `y`, a diamond on the axis below it.
    pub(super) fn draw(&self, ruler: &Ruler, plot: &mut Plot, y: f64, axis: f64) {
        let part = if self.ink == Ink::INK {
            Topic::Slept
        } else {
            Topic::Estimate
        };
        plot.part(part, |plot| self.shapes(ruler, plot, y, axis));
    }

    fn shapes(&self, ruler: &Ruler, plot: &mut Plot, y: f64, axis: f64) {
        let x = ruler.x(self.at);
        plot.line((x, y + 2.0), (x, axis), self.ink, Dash::Dotted);
        plot.mark((x, axis), 3.0, true, self.ink, self.ink);
        let label = format!("{} {}", self.label, number::duration(self.at, Style::Page));
        let width = label::width(&label, 10.0);
        let (at, from, anchor) = if x > f64::midpoint(ruler.left, ruler.right) {
            (x - 4.0, x - 4.0 - width, Anchor::End)
        } else {
            (x + 4.0, x + 4.0, Anchor::Start)
        };
        // Lines of other pointers pass behind it.
        plot.rect((from - 1.0, y - 9.0), (width + 2.0, 11.0), Ink::SURFACE, 0.85);
        plot.text((at, y), label, anchor, self.ink);
    }
}

impl LookAt {
    fn draw(&self, ruler: &Ruler, plot: &mut Plot, top: f64) {
        let room = ruler.right - ruler.left - 4.0;
        let says = label::fit(&self.says, 10.0, room).unwrap_or_default();
        plot.text((ruler.left + 2.0, top + 11.0), says, Anchor::Start, Ink::INK_2);
        let y = top + 25.0;
        if let Some(average) = self.average {
            let x = ruler.x(average);
            plot.line((x, y - 8.0), (x, y + 8.0), Ink::INK_2, Dash::Dotted);
        }
        for (times, fill, ink) in [
            (&self.dropped, Ink::SURFACE, Ink::INK),
            (&self.kept, Ink::INK, Ink::SURFACE),
        ] {
            for (x, count) in clusters(ruler, times) {
                let r = if count > 1 { 6.0 } else { 3.5 };
                plot.mark((x, y), r, false, fill, Ink::INK);
                if count > 1 {
                    plot.text((x, y + 3.5), count.to_string(), Anchor::Middle, ink);
                }
            }
        }
    }
}

/// Where dots stand and how many lie there.
fn clusters(ruler: &Ruler, times: &[Ns]) -> Vec<(f64, usize)> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let mut found: Vec<(f64, usize)> = Vec::new();
    for time in sorted {
        let x = ruler.x(time);
        match found.last_mut() {
            Some((at, count)) if x - *at < APART => *count += 1,
            _ => found.push((x, 1)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::is_inside;
    use super::*;

    fn state(name: &str, us: i64) -> Chip {
        Chip {
            name: name.to_owned(),
            from: Ns::from_us(us),
        }
    }

    fn bar(hits: u32, intercepts: u32, before: (u32, u32)) -> Bar {
        Bar {
            hits,
            intercepts,
            before,
        }
    }

    fn us(times: &[i64]) -> Vec<Ns> {
        times.iter().copied().map(Ns::from_us).collect()
    }

    fn bins() -> Bins {
        Bins {
            width: 364.0,
            states: vec![
                state("POLL", 0),
                state("C1", 1),
                state("C2", 360),
                state("C3", 3_102),
            ],
            bars: vec![
                bar(0, 0, (0, 0)),
                bar(1_150, 1_389, (1_314, 563)),
                bar(428, 2_278, (489, 2_603)),
                bar(2_965, 0, (3_388, 0)),
            ],
            candidates: [(3, ""), (2, "intercepts"), (1, "tick")]
                .map(|(state, why)| Candidate {
                    state,
                    why: why.to_owned(),
                })
                .to_vec(),
            tick: Some(Ns::from_ms(1)),
            pointers: vec![
                Pointer {
                    ink: Ink::A,
                    label: "A".to_owned(),
                    at: Ns::new(1_731_000),
                },
                Pointer {
                    ink: Ink::INK,
                    label: "slept".to_owned(),
                    at: Ns::new(5_745_000),
                },
            ],
            ..Bins::default()
        }
    }

    fn intervals() -> Bins {
        Bins {
            bars: Vec::new(),
            looks: vec![
                LookAt {
                    says: "8 vary: the longest is left out".to_owned(),
                    kept: us(&[150, 150, 152, 149, 0, 900, 4_000]),
                    dropped: us(&[200_000]),
                    average: Some(Ns::from_us(25_800)),
                },
                LookAt::default(),
            ],
            ..bins()
        }
    }

    #[test]
    fn every_shape_lies_in_the_picture() {
        let mut many = bins();
        many.states = (0..10).map(|n| state("C1E", n)).collect();
        many.bars = vec![bar(1, 2, (3, 4)); 10];
        many.unread = Some("two states and utilised".to_owned());
        let empty = Bins {
            width: 300.0,
            ..Bins::default()
        };
        for bins in [bins(), many, intervals(), empty] {
            let plot = bins.plot();
            for shape in &plot.shapes {
                assert!(is_inside(shape, &plot), "{shape:?}");
            }
        }
    }

    #[test]
    fn a_bar_that_changed_shows_where_it_was() {
        let lines = |bins: &Bins| {
            let wide = |shape: &&Shape| match shape {
                Shape::Path { points, .. } => {
                    points.len() == 2 && points[0].1 == points[1].1 && points[1].0 - points[0].0 == 18.0
                }
                _ => false,
            };
            bins.plot().shapes.iter().filter(wide).count()
        };
        assert_eq!(lines(&bins()), 5, "C1 twice, C2 twice, the hits of C3");
        let mut still = bins();
        for bar in &mut still.bars {
            bar.before = (bar.hits, bar.intercepts);
        }
        assert_eq!(lines(&still), 0);
    }

    #[test]
    fn intervals_on_each_other_are_counted_and_those_left_out_are_hollow() {
        let plot = intervals().plot();
        let marks: Vec<(f64, Ink)> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Mark {
                    r,
                    fill,
                    diamond: false,
                    ..
                } => Some((*r, *fill)),
                _ => None,
            })
            .collect();
        let hollow = (3.5, Ink::SURFACE);
        let (one, many) = ((3.5, Ink::INK), (6.0, Ink::INK));
        assert_eq!(marks, [hollow, one, many, one, one]);
        let four = |shape: &Shape| matches!(shape, Shape::Text { text, .. } if text == "4");
        assert!(plot.shapes.iter().any(four));
    }
}
