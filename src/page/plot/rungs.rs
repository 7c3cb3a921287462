//! A ladder's rungs, shallow above deep: how many stays speak for the next and for the one before, and the
//! last stay against each rung's threshold on the ruler of durations.
//!
//! ```text
//!            deeper  shallower   1 µs      10      100     1 ms
//!   →(C1 )   ■■□□                     ┃░░░░░┊░░░░░░░░░░░░░     longer than the threshold: deeper
//!    (C6 )   □□□□       □             ┊     ┊  ┃░░░░░░░░░░
//!                                     the stay without the exit
//! ```

use super::chips::chip;
use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, Topic, label};
use crate::units::Ns;

/// Height of a rung, px.
const RUNG: f64 = 24.0;
/// Height of the head, px.
const HEAD: f64 = 18.0;
/// Height below the rungs: the stay and the axis, px.
const FOOT: f64 = 32.0;
/// Width of a chip, px.
const CHIP: f64 = 76.0;
/// Where the first chip begins: room for the arrow between rungs, px.
const GUTTER: f64 = 26.0;
/// Side of a counted stay, px.
const PIP: f64 = 8.0;
/// From one to the next, px.
const PITCH: f64 = 11.0;

/// Stays in a row that speak for leaving a rung.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pips {
    /// Before the decision.
    pub before: u32,
    /// Reached by the decision; above `before` when the last stay was one more.
    pub reached: u32,
    /// After the decision; below `reached` where they were cleared.
    pub after: u32,
    /// How many it takes; 0 where the rung is not left this way.
    pub needed: u32,
}

/// One rung.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rung {
    /// The state's name.
    pub name: String,
    /// The rest of a stay is compared with this; none where nothing is.
    pub threshold: Option<Ns>,
    /// For the next rung.
    pub deeper: Pips,
    /// For the one before.
    pub shallower: Pips,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rungs {
    /// Width, px.
    pub width: f64,
    /// The rungs, shallowest first.
    pub rungs: Vec<Rung>,
    /// Where it stood.
    pub from: usize,
    /// Where it stands now.
    pub to: usize,
    /// The last stay without the exit, as it was compared: none when it was not, [`Ns::MAX`] when it was
    /// below zero and counted as endless.
    pub rest: Option<Ns>,
    /// The same in words.
    pub says: String,
}

impl Rungs {
    /// The picture. Its name is left to who knows the answer.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let bottom = HEAD + self.rungs.len() as f64 * RUNG;
        let mut plot = Plot::new(self.width, bottom + FOOT);
        let pips = GUTTER + CHIP + 8.0;
        let back = pips + 4.0 * PITCH + 10.0;
        let left = back + 54.0;
        let longest = self.rungs.iter().filter_map(|rung| rung.threshold);
        let rest = self.rest.filter(|rest| *rest < Ns::from_ms(10_000));
        let ruler = Ruler::new(
            left,
            self.width - 12.0,
            longest.chain(rest).max().unwrap_or_default(),
        );
        for (x, text) in [(pips, "deeper"), (back, "shallower")] {
            plot.text((x, 11.0), text, Anchor::Start, Ink::INK_3);
        }
        ruler.draw(&mut plot, bottom, bottom + 2.0);
        let count = self.rungs.len();
        for (n, rung) in self.rungs.iter().enumerate() {
            let y = HEAD + (n as f64 + 0.5) * RUNG;
            self.ground(&mut plot, &ruler, rung, n, y);
            let text = label::fit(&rung.name, 10.0, CHIP - 4.0).unwrap_or_else(|| n.to_string());
            let middle = (GUTTER + CHIP / 2.0, y);
            plot.part(Topic::State(n), |plot| {
                chip(plot, (n, count), text, middle, CHIP, n == self.to);
                rung.deeper.draw(plot, (pips, y));
                rung.shallower.draw(plot, (back, y));
            });
        }
        self.mark_rest(&mut plot, &ruler, bottom);
        self.arrow(&mut plot);
        plot
    }

    /// What is longer than the threshold speaks for deeper.
    fn ground(&self, plot: &mut Plot, ruler: &Ruler, rung: &Rung, n: usize, y: f64) {
        let half = RUNG / 2.0 - 2.0;
        if n > 0 {
            let edge = y - RUNG / 2.0;
            plot.line((GUTTER, edge), (ruler.right, edge), Ink::LINE, Dash::Solid);
        }
        let Some(threshold) = rung.threshold else {
            return;
        };
        let x = ruler.x(threshold);
        let judged = n == self.from && self.rest.is_some();
        if rung.deeper.needed > 0 {
            let opacity = if judged { 0.35 } else { 0.12 };
            let next = Ink::depth(n + 1, self.rungs.len());
            plot.rect((x, y - half), (ruler.right - x, 2.0 * half), next, opacity);
        }
        let ink = if judged { Ink::INK } else { Ink::INK_3 };
        plot.path(
            vec![(x, y - half), (x, y + half)],
            ink,
            if judged { 2.0 } else { 1.0 },
            Dash::Solid,
        );
    }

    fn mark_rest(&self, plot: &mut Plot, ruler: &Ruler, bottom: f64) {
        let Some(rest) = self.rest else { return };
        let x = ruler.x(rest);
        let y = HEAD + (self.from as f64 + 0.5) * RUNG;
        plot.line((x, y), (x, bottom + 18.0), Ink::INK, Dash::Dotted);
        plot.mark((x, y), 3.5, true, Ink::INK, Ink::INK);
        let anchor = if x > f64::midpoint(ruler.left, ruler.right) {
            Anchor::End
        } else {
            Anchor::Start
        };
        plot.text((x, bottom + 27.0), self.says.clone(), anchor, Ink::INK);
    }

    /// From the rung where it stood to the one where it stands; a dot where it stays.
    fn arrow(&self, plot: &mut Plot) {
        let y = |n: usize| HEAD + (n as f64 + 0.5) * RUNG;
        let (from, to) = (y(self.from), y(self.to));
        let x = 11.0;
        let edge = GUTTER - 3.0;
        if self.from == self.to {
            plot.mark((x, from), 3.0, false, Ink::INK, Ink::INK);
            plot.line((x, from), (edge, from), Ink::INK, Dash::Solid);
        } else {
            plot.mark((x, from), 3.0, false, Ink::SURFACE, Ink::INK);
            let near = if to > from { from + 3.0 } else { from - 3.0 };
            plot.line((x, near), (x, to), Ink::INK, Dash::Solid);
            plot.line((x, to), (edge, to), Ink::INK, Dash::Solid);
        }
        let head = vec![(edge - 5.0, to - 3.0), (edge, to), (edge - 5.0, to + 3.0)];
        plot.path(head, Ink::INK, 1.0, Dash::Solid);
    }
}

impl Pips {
    /// Filled: counted before. Accented: by this decision. With a dot: cleared by it.
    fn draw(self, plot: &mut Plot, (x, y): (f64, f64)) {
        let shown = self.needed.max(self.before).max(self.reached);
        if self.needed == 0 && shown == 0 {
            return;
        }
        for n in 0..shown.min(4) {
            let left = x + f64::from(n) * PITCH;
            let stands = n < self.after;
            let was = n < self.before.max(self.reached);
            let added = n >= self.before && n < self.reached;
            let fill = match (stands, added) {
                (true, true) => Ink::ACCENT,
                (true, false) => Ink::INK_2,
                (false, _) => Ink::SURFACE,
            };
            plot.shapes.push(Shape::Rect {
                x: left,
                y: y - PIP / 2.0,
                width: PIP,
                height: PIP,
                fill,
                stroke: if added { Ink::ACCENT } else { Ink::INK_2 },
                opacity: 1.0,
            });
            if was && !stands {
                let ink = if added { Ink::ACCENT } else { Ink::INK_2 };
                plot.rect((left + 2.5, y - 1.5), (3.0, 3.0), ink, 1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::is_inside;
    use super::*;

    fn pips(before: u32, reached: u32, after: u32, needed: u32) -> Pips {
        Pips {
            before,
            reached,
            after,
            needed,
        }
    }

    fn rungs(count: usize) -> Rungs {
        let rung = |n: usize| Rung {
            name: format!("C{n}"),
            threshold: (n > 0).then(|| Ns::from_us(30 * n as i64)),
            deeper: pips(2, 3, 3, if n + 1 < count { 4 } else { 0 }),
            shallower: pips(0, 0, 0, u32::from(n > 1)),
        };
        Rungs {
            width: 366.0,
            rungs: (0..count).map(rung).collect(),
            from: 1,
            to: 1,
            rest: Some(Ns::from_us(340)),
            says: "340 µs without the exit".to_owned(),
        }
    }

    #[test]
    fn every_shape_lies_in_the_picture() {
        let endless = Rungs {
            rest: Some(Ns::MAX),
            from: 9,
            to: 2,
            ..rungs(10)
        };
        for rungs in [rungs(2), rungs(4), endless, Rungs::default()] {
            let plot = rungs.plot();
            for shape in &plot.shapes {
                let empty = rungs.rungs.is_empty();
                assert!(empty || is_inside(shape, &plot), "{shape:?}");
            }
        }
    }

    #[track_caller]
    fn check(own: Pips, filled: usize, added: usize, cleared: usize, empty: usize) {
        let mut plot = Plot::new(60.0, 20.0);
        own.draw(&mut plot, (2.0, 10.0));
        let count = |width: f64, inks: &[Ink]| {
            let like = |shape: &&Shape| matches!(shape, Shape::Rect { width: own, fill, .. } if *own == width && inks.contains(fill));
            plot.shapes.iter().filter(like).count()
        };
        let dots = count(3.0, &[Ink::ACCENT, Ink::INK_2]);
        let hollow = count(PIP, &[Ink::SURFACE]);
        assert_eq!(
            (
                count(PIP, &[Ink::INK_2]),
                count(PIP, &[Ink::ACCENT]),
                dots,
                hollow - dots
            ),
            (filled, added, cleared, empty)
        );
    }

    #[test]
    fn counts_before_added_and_cleared_look_different() {
        check(pips(2, 3, 3, 4), 2, 1, 0, 1);
        check(pips(3, 4, 0, 4), 0, 0, 4, 0);
        check(pips(3, 3, 0, 4), 0, 0, 3, 1);
        check(pips(0, 0, 0, 4), 0, 0, 0, 4);
        check(pips(0, 0, 0, 0), 0, 0, 0, 0);
    }
}
