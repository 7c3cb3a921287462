//! What lies behind and across all lanes: grid, ruler, marked range, cursor.

use super::{RULER, Raster, Scene, raster::Palette};
use crate::page::plot::ruler::{Tick, ticks};
use crate::page::plot::{Anchor, Dash, Ink, Plot, Shape, label};
use crate::page::view::Window;
use crate::page::words::number::{Style, duration, stamp_to};
use crate::units::{Ns, Time};

/// Size of the labels, px.
const SIZE: f64 = 10.0;
/// Grid lines are at least this far apart, px; tick periods may be closer.
const APART: f64 = 76.0;
/// Tick periods further apart than this are divided, px.
const FAR: f64 = 260.0;
/// Free space between two labels, px.
const AIR: f64 = 12.0;

impl Scene<'_> {
    /// Instants of the grid on the trace's own clock, so that labels are round.
    fn grid(&self) -> Vec<Tick> {
        let since = self.start.saturating_since(Time::ZERO);
        let window = self.scale.window;
        let wide = self.tick.as_ns() as f64 / window.len().as_ns() as f64 * self.scale.width;
        ticks(
            window.from().saturating_add(since),
            window.to().saturating_add(since),
            self.scale.width,
            APART,
            if wide > FAR { Ns::ZERO } else { self.tick },
            Time::ZERO,
        )
    }

    /// Where an instant of the trace's clock stands, px.
    fn x_of(&self, t: Time) -> f64 {
        self.scale
            .x(Time::ZERO.saturating_add(t.saturating_since(self.start)))
    }

    /// The stretch that is or is being marked.
    fn marked(&self) -> Option<Window> {
        let growing = self
            .view
            .range_from
            .map(|from| Window::new(from, self.view.cursor));
        growing.or(self.view.range)
    }

    /// What lies behind the lanes: the selected block's time, the marked range, grid lines.
    pub(super) fn ground(&self, raster: &mut Raster, palette: &Palette) {
        let below = self.height - RULER;
        if let Some(selected) = self.selected() {
            let (left, right) = self.clip(selected);
            if right > left {
                raster.fill(left, RULER, right - left, below, palette.wash);
            }
        }
        if let Some(range) = self.marked() {
            let (left, right) = self.clip(range);
            if right > left {
                raster.hatch((left, RULER), (right - left, below), palette.hatch);
            }
        }
        for tick in self.grid() {
            raster.fill(self.x_of(tick.at), RULER, raster.hair(), below, palette.line);
        }
    }

    /// Edges and length of the marked range, over the lanes.
    pub(super) fn range(&self, plot: &mut Plot) {
        let Some(range) = self.marked() else { return };
        let (left, right) = self.clip(range);
        for (x, t) in [(left, range.from()), (right, range.to())] {
            if self.is_within(self.scale.x(t)) {
                plot.line((x, RULER), (x, self.height), Ink::ACCENT, Dash::Dotted);
            }
        }
        let text = format!("range {}", duration(range.len(), Style::Page));
        let wide = label::width(&text, SIZE) + 8.0;
        if right - left > wide {
            let middle = (left + right) / 2.0;
            let top = self.height - 18.0;
            plot.rect((middle - wide / 2.0, top), (wide, 15.0), Ink::SURFACE, 1.0);
            plot.text((middle, top + 11.0), text, Anchor::Middle, Ink::ACCENT);
        }
    }

    pub(super) fn ruler(&self, plot: &mut Plot) {
        plot.rect((0.0, 0.0), (self.width, RULER), Ink::SURFACE, 1.0);
        plot.rect((0.0, RULER - 1.0), (self.width, 1.0), Ink::LINE_STRONG, 1.0);
        let flag = self.flag();
        let stamps = self.grid().into_iter().map(|tick| (self.x_of(tick.at), tick.at));
        for (x, half, text) in labels(&stamps.collect::<Vec<_>>(), (self.scale.left - 20.0, self.width)) {
            let under = flag
                .as_ref()
                .is_some_and(|flag| x + half > flag.left - 4.0 && x - half < flag.left + flag.width + 4.0);
            if !under {
                plot.text((x, 14.0), text, Anchor::Middle, Ink::INK_3);
            }
        }
        plot.text((12.0, 14.0), "s", Anchor::Start, Ink::INK_3);
    }

    fn flag(&self) -> Option<Flag> {
        let x = self.scale.x(self.view.cursor);
        if !self.is_within(x) {
            return None;
        }
        let t = self
            .start
            .saturating_add(self.view.cursor.saturating_since(Time::ZERO));
        // The instants of a window of some microseconds differ in its nanoseconds.
        let fine = self.scale.window.len() < Ns::from_us(10);
        let text = stamp_to(t, if fine { 9 } else { 6 }, Style::Page);
        let width = label::width(&text, SIZE) + 10.0;
        let most = (self.right() - width).max(self.scale.left);
        Some(Flag {
            left: (x - width / 2.0).clamp(self.scale.left - 20.0, most),
            width,
            x,
            text,
        })
    }

    pub(super) fn cursor(&self, plot: &mut Plot) {
        let Some(flag) = self.flag() else { return };
        plot.rect(
            (flag.x - 0.7, RULER - 2.0),
            (1.4, self.height - RULER + 2.0),
            Ink::ACCENT,
            1.0,
        );
        plot.shapes.push(Shape::Path {
            points: rounded((flag.left, 3.0), (flag.width, 16.0), 3.0),
            stroke: Ink::NONE,
            width: 0.0,
            dash: Dash::Solid,
            fill: Ink::ACCENT,
            opacity: 1.0,
        });
        plot.shapes.push(Shape::Text {
            x: flag.left + flag.width / 2.0,
            y: 14.5,
            text: flag.text,
            anchor: Anchor::Middle,
            ink: Ink::ACCENT_INK,
            size: SIZE,
            strong: true,
        });
    }
}

/// The cursor's label.
struct Flag {
    left: f64,
    width: f64,
    x: f64,
    text: String,
}

/// Labels of instants of the trace's clock at these pixels: middle, half width, text. One that would
/// be cut at an edge or touch its neighbour is left out.
fn labels(stamps: &[(f64, Time)], (left, right): (f64, f64)) -> Vec<(f64, f64, String)> {
    let decimals = decimals(stamps);
    let mut free = left;
    let mut labels = Vec::new();
    for (x, t) in stamps {
        let text = stamp_to(*t, decimals, Style::Page);
        let text = text.trim_end_matches('s').trim_end();
        let half = label::width(text, SIZE) / 2.0;
        if x - half >= free && x + half <= right {
            labels.push((*x, half, text.to_owned()));
            free = x + half + AIR;
        }
    }
    if labels.is_empty() {
        edges(stamps, decimals, (left, right))
    } else {
        labels
    }
}

/// Where marks stand at the edges alone, as in a window of a nanosecond, their labels move inwards: better
/// than a ruler that says nothing.
fn edges(stamps: &[(f64, Time)], decimals: usize, (left, right): (f64, f64)) -> Vec<(f64, f64, String)> {
    let mut labels: Vec<(f64, f64, String)> = Vec::new();
    for (x, t) in stamps.first().into_iter().chain(stamps.last()) {
        let text = stamp_to(*t, decimals, Style::Page);
        let text = text.trim_end_matches('s').trim_end();
        let half = label::width(text, SIZE) / 2.0;
        let x = x.min(right - half).max(left + half);
        let free = labels.last().map_or(left, |(x, half, _)| x + half + AIR);
        if x - half >= free && x + half <= right {
            labels.push((x, half, text.to_owned()));
        }
    }
    labels
}

/// The labels of a strip from `left` to `right` px that shows a whole record: middle and text, the last
/// one with the unit.
#[must_use]
pub fn stamps(start: Time, end: Time, (left, right): (f64, f64)) -> Vec<(f64, String)> {
    let wide = (right - left).max(1.0);
    let length = end.saturating_since(start).as_ns().max(1) as f64;
    let x = |t: Time| left + t.saturating_since(start).as_ns() as f64 / length * wide;
    let marks: Vec<(f64, Time)> = ticks(start, end, wide, 80.0, Ns::ZERO, Time::ZERO)
        .into_iter()
        .map(|tick| (x(tick.at), tick.at))
        .collect();
    // Room for the unit that follows the last one.
    labels(&marks, (0.0, right - 8.0))
        .into_iter()
        .map(|(x, _, text)| (x, format!("{text}\u{202f}s")))
        .collect()
}

/// As many decimals of a second as tell the instants apart.
fn decimals(stamps: &[(f64, Time)]) -> usize {
    let [(_, first), (_, second), ..] = stamps else {
        return 6;
    };
    let step = second.saturating_since(*first).as_ns().max(1);
    let mut decimals = 9;
    let mut unit = 1_i64;
    while decimals > 0 && step % (unit * 10) == 0 {
        unit *= 10;
        decimals -= 1;
    }
    decimals
}

/// A rectangle whose corners are cut to a curve, closed.
fn rounded((x, y): (f64, f64), (width, height): (f64, f64), radius: f64) -> Vec<(f64, f64)> {
    let (right, bottom) = (x + width, y + height);
    // Off the corner, where a quarter circle passes.
    let near = radius * 0.3;
    let points = [
        (x + radius, y),
        (right - radius, y),
        (right - near, y + near),
        (right, y + radius),
        (right, bottom - radius),
        (right - near, bottom - near),
        (right - radius, bottom),
        (x + radius, bottom),
        (x + near, bottom - near),
        (x, bottom - radius),
        (x, y + radius),
        (x + near, y + near),
        (x + radius, y),
    ];
    points.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_one_nanosecond_has_labels() {
        let stamps = [
            (88.0, Time::from_ns(1_000_000_001)),
            (988.0, Time::from_ns(1_000_000_002)),
        ];
        let found = labels(&stamps, (68.0, 988.0));
        let texts: Vec<&str> = found.iter().map(|(.., text)| text.as_str()).collect();
        assert_eq!(
            texts,
            ["1.000\u{202f}000\u{202f}001", "1.000\u{202f}000\u{202f}002"]
        );
        assert!(
            found
                .iter()
                .all(|(x, half, _)| x - half >= 68.0 && x + half <= 988.0)
        );
        let narrow = labels(&stamps, (68.0, 120.0));
        assert!(narrow.len() <= 1, "{narrow:?}");
        assert_eq!(labels(&[], (0.0, 100.0)), []);
    }
}
