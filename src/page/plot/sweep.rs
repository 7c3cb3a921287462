//! A sweep as a picture: one curve per variant over the whole range of one number, a ring where the
//! machine's own value is, a disc where the question is now; the least and the greatest value of the
//! data are printed (ui.md §6).

use super::{Anchor, Dash, Ink, Plot};
use crate::page::sweep::{Measure, Outcome, Point, Swept};

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart<'a> {
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// What is varied.
    pub swept: &'a Swept,
    /// First and last value.
    pub range: (i64, i64),
    /// What has been found, in any order.
    pub points: &'a [Point],
    /// The machine's own value.
    pub own: i64,
    /// The value now, with what A and B do.
    pub now: Point,
    /// What is drawn over the values.
    pub measure: Measure,
    /// Axes and values beside the discs; else only the least and the greatest value.
    pub labelled: bool,
}

/// The energy that counts as 100 %, fJ: the first variant's at the machine's own value.
#[must_use]
pub fn base(points: &[Point], own: i64) -> Option<f64> {
    let point = points.iter().find(|point| point.value == own)?;
    point.sides.iter().flatten().find_map(|outcome| outcome.energy)
}

const SIDES: [(&str, Ink); 2] = [("A", Ink::A), ("B", Ink::B)];

/// A curve's points from the least value on: value and number.
type Curve = Vec<(i64, f64)>;

struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    from: f64,
    to: f64,
    low: f64,
    high: f64,
}

impl Frame {
    fn x(&self, value: i64) -> f64 {
        let value = (value as f64).clamp(self.from, self.to);
        self.left + (value / self.from).ln() / (self.to / self.from).ln() * (self.right - self.left)
    }

    fn y(&self, number: f64) -> f64 {
        let share = if self.high > self.low {
            (number - self.low) / (self.high - self.low)
        } else {
            0.5
        };
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }
}

impl Chart<'_> {
    fn number(&self, outcome: Option<&Outcome>) -> Option<f64> {
        self.measure.of(outcome?, base(self.points, self.own))
    }

    fn curves(&self) -> [Curve; 2] {
        let curve = |side: usize| {
            let mut curve: Curve = self
                .points
                .iter()
                .filter_map(|point| Some((point.value, self.number(point.sides.get(side)?.as_ref())?)))
                .collect();
            curve.sort_by_key(|(value, _)| *value);
            curve
        };
        [curve(0), curve(1)]
    }

    fn now(&self) -> [Option<f64>; 2] {
        self.now.sides.map(|outcome| self.number(outcome.as_ref()))
    }

    /// The picture.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let mut plot = Plot::new(self.width, self.height);
        let (curves, now) = (self.curves(), self.now());
        plot.name = self.name(&curves, &now);
        let numbers = curves.iter().flatten().map(|(_, number)| *number);
        let numbers = numbers.chain(now.into_iter().flatten());
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        let (left, right) = if self.labelled { (8.0, 8.0) } else { (4.0, 4.0) };
        let frame = Frame {
            left,
            right: self.width - right,
            top: if self.labelled { 22.0 } else { 16.0 },
            bottom: self.height - if self.labelled { 32.0 } else { 18.0 },
            from: self.range.0.max(1) as f64,
            to: self.range.1.max(self.range.0.max(1) + 1) as f64,
            low,
            high,
        };
        plot.line(
            (frame.left, frame.bottom),
            (frame.right, frame.bottom),
            Ink::LINE_STRONG,
            Dash::Solid,
        );
        if low > high {
            return plot;
        }
        self.scale(&frame, &mut plot);
        for ((_, ink), curve) in SIDES.iter().zip(&curves) {
            let points = curve
                .iter()
                .map(|(value, number)| (frame.x(*value), frame.y(*number)));
            plot.path(points.collect(), *ink, 1.5, Dash::Solid);
        }
        for ((_, ink), curve) in SIDES.iter().zip(&curves) {
            if let Some((value, number)) = curve.iter().find(|(value, _)| *value == self.own) {
                plot.mark(
                    (frame.x(*value), frame.y(*number)),
                    if self.labelled { 4.0 } else { 3.0 },
                    false,
                    Ink::SURFACE,
                    *ink,
                );
            }
        }
        for ((_, ink), number) in SIDES.iter().zip(now) {
            if let Some(number) = number {
                let at = (frame.x(self.now.value), frame.y(number));
                plot.mark(at, if self.labelled { 4.0 } else { 3.0 }, false, *ink, *ink);
            }
        }
        if self.labelled {
            self.labels(&frame, &now, &mut plot);
        }
        plot
    }

    /// Least and greatest number, the lines of the own value and of the one now, the ends of the range.
    fn scale(&self, frame: &Frame, plot: &mut Plot) {
        let (own, now) = (frame.x(self.own), frame.x(self.now.value));
        if (own - now).abs() > 0.5 {
            plot.line((own, frame.top), (own, frame.bottom), Ink::INK_3, Dash::Dotted);
        }
        plot.path(
            vec![(now, frame.top - 4.0), (now, frame.bottom)],
            Ink::ACCENT,
            1.5,
            Dash::Solid,
        );
        let most = format!("max {}", self.measure.text(frame.high));
        let least = format!("min {}", self.measure.text(frame.low));
        let above = frame.top - 8.0;
        if now > self.width / 2.0 {
            plot.text((frame.left, above), most, Anchor::Start, Ink::INK_3);
        } else {
            plot.text((frame.right, above), most, Anchor::End, Ink::INK_3);
        }
        let below = frame.bottom + 12.0;
        if !self.labelled {
            plot.text((frame.left, below), least, Anchor::Start, Ink::INK_3);
            return;
        }
        plot.line(
            (frame.left, frame.top),
            (frame.right, frame.top),
            Ink::LINE,
            Dash::Solid,
        );
        let (from, to) = self.range;
        let middle = (frame.left + frame.right) / 2.0;
        plot.text(
            (frame.left, below),
            self.swept.text(from),
            Anchor::Start,
            Ink::INK_3,
        );
        plot.text((frame.right, below), self.swept.text(to), Anchor::End, Ink::INK_3);
        plot.text((middle, below), self.swept.name(), Anchor::Middle, Ink::INK_2);
        plot.text((frame.left, below + 14.0), least, Anchor::Start, Ink::INK_3);
        let (what, base) = self.measure.words(self.swept);
        let mut text = format!("{what}, {base}");
        if self.measure == Measure::Energy {
            text = format!("{what}, {base}: 100\u{202f}% at {}", self.swept.text(self.own));
        }
        plot.text((frame.right, below + 14.0), text, Anchor::End, Ink::INK_2);
    }

    /// The numbers beside the discs, the higher one above.
    fn labels(&self, frame: &Frame, now: &[Option<f64>; 2], plot: &mut Plot) {
        let x = frame.x(self.now.value);
        let left = x > self.width - 90.0;
        let (x, anchor) = if left {
            (x - 9.0, Anchor::End)
        } else {
            (x + 9.0, Anchor::Start)
        };
        let mut drawn: Vec<(f64, String, Ink)> = SIDES
            .iter()
            .zip(now)
            .filter_map(|((letter, ink), number)| {
                let number = (*number)?;
                Some((
                    frame.y(number),
                    format!("{letter} {}", self.measure.text(number)),
                    *ink,
                ))
            })
            .collect();
        drawn.sort_by(|one, other| one.0.total_cmp(&other.0));
        let apart = match drawn.as_slice() {
            [one, other] => (other.0 - one.0).abs() > 14.0,
            _ => true,
        };
        for (n, (y, text, ink)) in drawn.into_iter().enumerate() {
            let y = match (apart, n) {
                (true, _) => y + 4.0,
                (false, 0) => y - 6.0,
                (false, _) => y + 14.0,
            };
            let y = y.clamp(frame.top + 10.0, frame.bottom - 3.0);
            plot.strong((x, y), text, anchor, ink);
        }
    }

    /// `Too deep over C2 residency from 1 µs to 3.102 ms: A 1.2 % to 5.6 %, now 2.0 %; …`.
    fn name(&self, curves: &[Curve; 2], now: &[Option<f64>; 2]) -> String {
        let (what, base) = self.measure.words(self.swept);
        let (from, to) = self.range;
        let mut parts = Vec::new();
        for (((letter, _), curve), now) in SIDES.iter().zip(curves).zip(now) {
            let numbers = || curve.iter().map(|(_, number)| *number);
            let (low, high) = (
                numbers().fold(f64::INFINITY, f64::min),
                numbers().fold(f64::NEG_INFINITY, f64::max),
            );
            if low > high {
                continue;
            }
            let now = now.map_or(String::new(), |now| format!(", now {}", self.measure.text(now)));
            parts.push(format!(
                "{letter} {} to {}{now}",
                self.measure.text(low),
                self.measure.text(high)
            ));
        }
        format!(
            "{what}, {base}, over {} from {} to {}: {}",
            self.swept.name(),
            self.swept.text(from),
            self.swept.text(to),
            if parts.is_empty() {
                "nothing yet".to_owned()
            } else {
                parts.join("; ")
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, is_inside};
    use super::*;
    use crate::page::doc::StateField;

    fn swept() -> Swept {
        Swept {
            state: "C2".to_owned(),
            field: StateField::TargetResidency,
        }
    }

    fn point(value: i64, deep: u64) -> Point {
        let side = |deep| {
            Some(Outcome {
                periods: 1_000,
                too_deep: deep,
                energy: Some(100.0 + deep as f64),
                ..Outcome::default()
            })
        };
        Point {
            value,
            sides: [side(deep), side(deep / 2)],
        }
    }

    fn chart<'a>(swept: &'a Swept, points: &'a [Point], measure: Measure) -> Chart<'a> {
        Chart {
            width: 380.0,
            height: 220.0,
            swept,
            range: (1_000, 3_102_000),
            points,
            own: 360_000,
            now: point(640_000, 30),
            measure,
            labelled: true,
        }
    }

    fn texts(plot: &Plot) -> Vec<&str> {
        plot.shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn the_least_and_the_greatest_value_are_printed() {
        let (swept, points) = (
            swept(),
            [point(360_000, 20), point(1_000, 4), point(3_102_000, 80)],
        );
        let plot = chart(&swept, &points, Measure::TooDeep).plot();
        let texts = texts(&plot);
        assert!(texts.contains(&"max 8.00\u{202f}%"), "{texts:?}");
        assert!(texts.contains(&"min 0.20\u{202f}%"), "{texts:?}");
        assert!(texts.contains(&"A 3.00\u{202f}%") && texts.contains(&"B 1.50\u{202f}%"));
    }

    #[test]
    fn a_ring_is_before_and_a_disc_is_now() {
        let (swept, points) = (swept(), [point(360_000, 20), point(1_000, 4)]);
        let plot = chart(&swept, &points, Measure::TooDeep).plot();
        let marks: Vec<(Ink, Ink)> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Mark { fill, stroke, .. } => Some((*fill, *stroke)),
                _ => None,
            })
            .collect();
        let (ring, disc) = (|ink| (Ink::SURFACE, ink), |ink| (ink, ink));
        assert_eq!(marks, [ring(Ink::A), ring(Ink::B), disc(Ink::A), disc(Ink::B)]);
    }

    #[test]
    fn energy_is_relative_to_the_machines_own_value() {
        let (swept, points) = (swept(), [point(360_000, 20), point(1_000, 80)]);
        assert_eq!(base(&points, 360_000), Some(120.0));
        let plot = chart(&swept, &points, Measure::Energy).plot();
        assert!(texts(&plot).contains(&"max 150.0\u{202f}%"), "{:?}", texts(&plot));
        assert_eq!(base(&points[1..], 360_000), None);
    }

    #[test]
    fn the_name_says_what_the_picture_shows() {
        let (swept, points) = (swept(), [point(1_000, 4), point(3_102_000, 80)]);
        let plot = chart(&swept, &points, Measure::TooDeep).plot();
        assert_eq!(
            plot.name.replace('\u{202f}', " "),
            "too deep, of idle exits, over C2 residency from 1 µs to 3.102 ms: \
             A 0.40 % to 8.00 %, now 3.00 %; B 0.20 % to 4.00 %, now 1.50 %"
        );
    }

    #[test]
    fn everything_stays_inside_even_with_one_point_or_none() {
        let swept = swept();
        for points in [&[][..], &[point(360_000, 0)], &[point(5, 1), point(i64::MAX, 9)]] {
            for measure in Measure::SMALL.into_iter().chain(Measure::LARGE) {
                for labelled in [true, false] {
                    let mut chart = chart(&swept, points, measure);
                    chart.labelled = labelled;
                    let plot = chart.plot();
                    for shape in &plot.shapes {
                        assert!(is_inside(shape, &plot), "{measure:?} {shape:?}");
                    }
                }
            }
        }
    }
}
