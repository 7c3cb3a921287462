//! haltpoll's window before and after a period, and what lengths of a halt make it grow or shrink.
//!
//! ```text
//!            kept      ┊   grows    ┊  shrinks
//!   before ▭▭▭▭▭▭▭▭▭▭▭▭┊ 50 µs      ┊
//!   halted             ┊     ◆ 120  ┊
//!   after  ▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬ 100 µs┊
//!      1 µs      10        100     1 ms
//! ```

use super::ruler::Ruler;
use super::{Anchor, Dash, Ink, Plot, Shape, label};
use crate::page::words::{Style, number};
use crate::units::Ns;

/// Height of a row, px.
const ROW: f64 = 20.0;
/// Height above the rows: what the zones do, px.
const HEAD: f64 = 30.0;
/// Where rows begin, right of their names, px.
const LEFT: f64 = 60.0;

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Width, px.
    pub width: f64,
    /// The window before the period; zero when it is closed.
    pub before: Ns,
    /// The window after it.
    pub after: Ns,
    /// The longest window.
    pub max: Ns,
    /// The least window that growing opens.
    pub start: Ns,
    /// Whether long halts shrink it.
    pub shrinks: bool,
    /// What the CPU did: polled or halted.
    pub did: &'static str,
    /// For how long.
    pub stay: Ns,
    /// It polled to the window's end.
    pub to_the_end: bool,
}

impl Window {
    /// The picture. Its name is left to who knows the answer.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let bottom = HEAD + 3.0 * ROW;
        let mut plot = Plot::new(self.width, bottom + 20.0);
        let near = |d: &Ns| *d < Ns::from_ms(10_000);
        let times = [self.before, self.after, self.max, self.start, self.stay];
        let longest = times.into_iter().filter(near).max().unwrap_or_default();
        let ruler = Ruler::new(LEFT, self.width - 12.0, longest);
        ruler.draw(&mut plot, bottom, bottom + 2.0);
        self.zones(&mut plot, &ruler, bottom);
        let middle = |n: f64| HEAD + (n + 0.5) * ROW;
        bar(
            &mut plot,
            &ruler,
            ("before", self.before),
            middle(0.0),
            Ink::SURFACE,
        );
        self.stay(&mut plot, &ruler, middle(1.0));
        bar(&mut plot, &ruler, ("after", self.after), middle(2.0), Ink::INK_2);
        plot
    }

    /// Which lengths of a halt do what, by the window before.
    fn zones(&self, plot: &mut Plot, ruler: &Ruler, bottom: f64) {
        let window = ruler.x(self.before);
        let max = ruler.x(self.max);
        let beyond = if self.shrinks { "shrinks" } else { "kept" };
        let zones = [
            (ruler.left, window, "kept", Ink::NONE),
            (window, max, "grows", Ink::depth(1, 4)),
            (window.max(max), ruler.right, beyond, Ink::depth(3, 4)),
        ];
        for (from, to, text, ink) in zones {
            if to <= from {
                continue;
            }
            if ink != Ink::NONE {
                plot.rect((from, HEAD), (to - from, bottom - HEAD), ink, 0.14);
            }
            if label::width(text, 10.0) + 4.0 <= to - from {
                let middle = f64::midpoint(from, to);
                plot.text((middle, HEAD - 4.0), text, Anchor::Middle, Ink::INK_2);
            }
        }
        for (at, text) in [(self.start, "start"), (self.max, "limit")] {
            let x = ruler.x(at);
            plot.line((x, HEAD - 14.0), (x, bottom), Ink::INK_3, Dash::Dotted);
            let said = format!("{text} {}", number::duration(at, Style::Page));
            let anchor = if text == "start" {
                Anchor::End
            } else {
                Anchor::Start
            };
            plot.text((x, 11.0), said, anchor, Ink::INK_3);
        }
    }

    fn stay(&self, plot: &mut Plot, ruler: &Ruler, y: f64) {
        plot.text((LEFT - 8.0, y + 3.5), self.did, Anchor::End, Ink::INK_2);
        let x = ruler.x(self.stay);
        plot.line((ruler.left, y), (x, y), Ink::INK, Dash::Solid);
        plot.mark((x, y), 3.5, true, Ink::INK, Ink::INK);
        let end = if self.to_the_end { ", to the end" } else { "" };
        let said = format!("{}{end}", number::duration(self.stay, Style::Page));
        beside(plot, ruler, (x, y), 8.0, said);
    }
}

fn bar(plot: &mut Plot, ruler: &Ruler, (name, window): (&str, Ns), y: f64, fill: Ink) {
    plot.text((LEFT - 8.0, y + 3.5), name, Anchor::End, Ink::INK_2);
    if window == Ns::ZERO {
        plot.text((LEFT + 4.0, y + 3.5), "closed", Anchor::Start, Ink::INK_2);
        return;
    }
    let x = ruler.x(window);
    plot.shapes.push(Shape::Rect {
        x: ruler.left,
        y: y - 4.5,
        width: x - ruler.left,
        height: 9.0,
        fill,
        stroke: Ink::INK_2,
        opacity: 1.0,
    });
    beside(plot, ruler, (x, y), 6.0, number::duration(window, Style::Page));
}

/// A text right of a point, or left of it where that leaves the picture; on a ground of its own.
fn beside(plot: &mut Plot, ruler: &Ruler, (x, y): (f64, f64), gap: f64, text: String) {
    let width = label::width(&text, 10.0);
    let (at, from, anchor) = if x + gap + width <= ruler.right + 10.0 {
        (x + gap, x + gap, Anchor::Start)
    } else {
        (x - gap, x - gap - width, Anchor::End)
    };
    plot.rect((from - 2.0, y - 6.0), (width + 4.0, 12.0), Ink::SURFACE, 0.85);
    plot.text((at, y + 3.5), text, anchor, Ink::INK);
}

#[cfg(test)]
mod tests {
    use super::super::is_inside;
    use super::*;

    fn window(before_us: i64, after_us: i64, stay_us: i64) -> Window {
        Window {
            width: 366.0,
            before: Ns::from_us(before_us),
            after: Ns::from_us(after_us),
            max: Ns::from_us(200),
            start: Ns::from_us(50),
            shrinks: true,
            did: "halted",
            stay: Ns::from_us(stay_us),
            to_the_end: false,
        }
    }

    #[track_caller]
    fn check(window: &Window, says: &[&str]) {
        let plot = window.plot();
        for shape in &plot.shapes {
            assert!(is_inside(shape, &plot), "{shape:?}");
        }
        let texts: Vec<String> = plot
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { text, .. } => Some(text.replace('\u{202f}', " ")),
                _ => None,
            })
            .collect();
        for text in says {
            assert!(texts.iter().any(|own| own == text), "no {text} in {texts:?}");
        }
    }

    #[test]
    fn windows_stay_and_limits_are_named_with_their_lengths() {
        check(
            &window(50, 100, 120),
            &[
                "before",
                "after",
                "halted",
                "50 µs",
                "100 µs",
                "120 µs",
                "start 50 µs",
                "limit 200 µs",
                "kept",
                "grows",
                "shrinks",
            ],
        );
        check(&window(0, 50, 20), &["closed", "50 µs", "grows"]);
        check(&window(200, 100, 60_000_000), &["kept", "shrinks"]);
        let frozen = Window {
            shrinks: false,
            to_the_end: true,
            did: "polled",
            ..window(200, 200, 200)
        };
        check(&frozen, &["polled", "200 µs, to the end"]);
    }
}
