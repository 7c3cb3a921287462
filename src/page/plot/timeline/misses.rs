//! Too deep and too shallow: a triangle at each block while there are few, two counts per cell over the
//! lane when there are many (ui.md §5, LOD).

use super::{Place, Scene};
use crate::page::plot::{Anchor, Dash, Ink, Plot, Shape, label};

/// Width of a cell of counts, px; twice as much where two counts would not fit.
const CELL: f64 = 24.0;
/// Up to one miss per so many pixels, each has its triangle.
const ROOM: f64 = 12.0;
/// Size of the counts, px.
const SIZE: f64 = 8.0;
/// From the top of the busy band up to the middle of the glyph band, px.
const BAND: f64 = 6.0;

/// Misses of one block or column.
pub(super) struct At {
    /// Right edge of the block, or the middle of the column, px.
    pub x: f64,
    /// Lower edge of the block, for a block wide enough to carry a triangle; else it stands in the band.
    pub floor: Option<f64>,
    /// Decisions that were too deep.
    pub too_deep: u32,
    /// Decisions that were too shallow.
    pub too_shallow: u32,
}

impl Scene<'_> {
    fn missed<'a>(&self, all: &'a [At]) -> impl Iterator<Item = &'a At> {
        let scale = self.scale;
        let sight = scale.left..=scale.left + scale.width;
        all.iter()
            .filter(move |at| at.too_deep + at.too_shallow > 0 && sight.contains(&at.x))
    }

    /// Whether there are so many that they are counted; then the glyph band is theirs.
    pub(super) fn are_counted(&self, all: &[At]) -> bool {
        let total: u32 = self.missed(all).map(|at| at.too_deep + at.too_shallow).sum();
        f64::from(total) * ROOM > self.scale.width
    }

    /// `taken` is the stretch of the band that a label of the selected decision stands in: counts keep off it.
    pub(super) fn misses(&self, plot: &mut Plot, place: &Place, all: &[At], taken: Option<(f64, f64)>) {
        if self.are_counted(all) {
            self.counts(plot, place, self.missed(all), taken);
            return;
        }
        for at in self.missed(all) {
            let band = place.top - BAND;
            // In the lower right corner of its block.
            let x = if at.floor.is_some() { at.x - 5.5 } else { at.x };
            if at.too_deep > 0 {
                triangle(plot, (x, at.floor.map_or(band, |floor| floor - 5.5)), true);
            }
            if at.too_shallow > 0 {
                let beside = if at.floor.is_none() && at.too_deep > 0 {
                    8.0
                } else {
                    0.0
                };
                let y = at.floor.map_or(band, |floor| floor + 5.0);
                triangle(plot, (x + beside, y), false);
            }
        }
    }

    fn counts<'a>(
        &self,
        plot: &mut Plot,
        place: &Place,
        seen: impl Iterator<Item = &'a At>,
        taken: Option<(f64, f64)>,
    ) {
        let mut cells: Vec<(u32, u32)> = Vec::new();
        for at in seen {
            let n = cell((at.x - self.scale.left) / CELL);
            if cells.len() <= n {
                cells.resize(n + 1, (0, 0));
            }
            if let Some((deep, shallow)) = cells.get_mut(n) {
                *deep += at.too_deep;
                *shallow += at.too_shallow;
            }
        }
        let wide = |(deep, shallow): &(u32, u32)| {
            let widths = [deep, shallow].map(|n| label::width(&n.to_string(), SIZE));
            widths.iter().sum::<f64>() + 5.0 > CELL
        };
        let per = if cells.iter().any(wide) { 2 } else { 1 };
        for (n, cells) in cells.chunks(per).enumerate() {
            let (deep, shallow) = cells
                .iter()
                .fold((0, 0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
            let middle = self.scale.left + (n as f64 + 0.5) * per as f64 * CELL;
            let y = place.top - BAND + 3.0;
            let half = per as f64 * CELL / 2.0;
            if taken.is_some_and(|(left, right)| middle + half > left && middle - half < right) {
                continue;
            }
            // Two counts stand at both sides of the middle, one alone on it.
            let both = deep > 0 && shallow > 0;
            for (count, ink, (aside, anchor)) in [
                (deep, Ink::TOO_DEEP, (-1.5, Anchor::End)),
                (shallow, Ink::TOO_SHALLOW, (1.5, Anchor::Start)),
            ] {
                let (aside, anchor) = if both {
                    (aside, anchor)
                } else {
                    (0.0, Anchor::Middle)
                };
                if count > 0 {
                    plot.shapes.push(Shape::Text {
                        x: middle + aside,
                        y,
                        text: count.to_string(),
                        anchor,
                        ink,
                        size: SIZE,
                        strong: false,
                    });
                }
            }
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of the picture's width, not negative"
)]
fn cell(n: f64) -> usize {
    n.max(0.0) as usize
}

/// Filled and pointing up, or hollow and pointing down: misses differ by shape first.
fn triangle(plot: &mut Plot, (x, y): (f64, f64), too_deep: bool) {
    const HALF: f64 = 3.6;
    let tip = if too_deep { -HALF } else { HALF };
    let base = y - tip * 0.7;
    let (stroke, fill) = if too_deep {
        (Ink::SURFACE, Ink::TOO_DEEP)
    } else {
        (Ink::TOO_SHALLOW, Ink::SURFACE)
    };
    plot.shapes.push(Shape::Path {
        points: vec![(x, y + tip), (x + HALF, base), (x - HALF, base), (x, y + tip)],
        stroke,
        width: if too_deep { 0.9 } else { 1.4 },
        dash: Dash::Solid,
        fill,
        opacity: 1.0,
    });
}
