//! Lanes as pixels: rectangles into an RGBA buffer that the canvas takes at once.
//!
//! A million fillRects cost half a second; this costs milliseconds (toolchain.md §3).

use super::geometry::{Place, Scale};
use crate::app::states::depth_step;
use crate::cpuidle::MAX_STATES;
use crate::page::session::{LaneView, Shape, WHOLE};
use crate::sim::{Flags, Row};
use crate::units::{Ns, Time};

/// A colour, red first.
pub type Rgba = [u8; 4];

/// The colours that lanes are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// From the shallowest to the deepest, ten steps.
    pub depth: [Rgba; 10],
    /// Text on them.
    pub on_depth: [Rgba; 10],
    /// Lower edge of an idle block.
    pub floor: Rgba,
    /// CPU busy.
    pub busy: Rgba,
    /// Ground.
    pub surface: Rgba,
    /// Hairlines.
    pub line: Rgba,
    /// The waterline.
    pub line_strong: Rgba,
    /// Tick running or retained.
    pub running: Rgba,
    /// Tick stopped.
    pub stopped: Rgba,
    /// Where A and B differ.
    pub accent: Rgba,
    /// Not known.
    pub unknown: Rgba,
    /// A marked range.
    pub wash: Rgba,
}

/// A picture in device pixels.
pub struct Raster {
    /// Width.
    pub width: usize,
    /// Height.
    pub height: usize,
    /// Rows of RGBA.
    pub pixels: Vec<u8>,
    ratio: f64,
}

impl Raster {
    /// An empty picture of so many CSS pixels.
    pub fn new(width: f64, height: f64, ratio: f64, ground: Rgba) -> Self {
        let size = |css: f64| whole((css * ratio).round().max(1.0));
        let (width, height) = (size(width), size(height));
        Self {
            width,
            height,
            pixels: ground.repeat(width * height),
            ratio,
        }
    }

    /// Fills a rectangle given in CSS pixels, edges snapped to device pixels, at least one wide and
    /// high.
    pub fn fill(&mut self, x: f64, y: f64, width: f64, height: f64, colour: Rgba) {
        let edge = |css: f64| (css * self.ratio).round();
        let (left, top) = (edge(x), edge(y));
        let (right, bottom) = (edge(x + width).max(left + 1.0), edge(y + height).max(top + 1.0));
        let (left, right) = (whole(left.max(0.0)), whole(right.max(0.0)).min(self.width));
        let (top, bottom) = (whole(top.max(0.0)), whole(bottom.max(0.0)).min(self.height));
        if left >= right {
            return;
        }
        for line in top..bottom {
            let start = (line * self.width + left) * 4;
            let end = (line * self.width + right) * 4;
            if let Some(span) = self.pixels.get_mut(start..end) {
                for pixel in span.chunks_exact_mut(4) {
                    pixel.copy_from_slice(&colour);
                }
            }
        }
    }

    /// One device pixel in CSS pixels.
    pub fn hair(&self) -> f64 {
        1.0 / self.ratio
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixel counts, never negative here"
)]
fn whole(pixels: f64) -> usize {
    pixels as usize
}

/// Draws one lane. `y` moves it by the scroll position; `states` is the number of states of its
/// table; `cover` is what the view was asked for.
pub fn lane(
    raster: &mut Raster,
    palette: &Palette,
    (view, cover): (&LaneView, (Time, Time)),
    place: &Place,
    scale: &Scale,
    states: usize,
    y: f64,
) {
    let place = Place {
        top: place.top + y,
        rail: place.rail.map(|rail| rail + y),
        ..*place
    };
    match view.shape {
        Shape::Rows => {
            edges(raster, palette, view, cover, &place, scale);
            rows(raster, palette, view, &place, scale, states);
        }
        Shape::Columns { shift, .. } => columns(raster, palette, view, &place, scale, states, shift),
    }
    let hair = raster.hair();
    raster.fill(
        scale.left,
        place.waterline() - hair / 2.0,
        scale.width,
        hair,
        palette.line_strong,
    );
}

fn clipped(scale: &Scale, from: Time, to: Time) -> Option<(f64, f64)> {
    let (left, right) = (
        scale.x(from).max(scale.left),
        scale.x(to).min(scale.left + scale.width),
    );
    (right >= left && scale.x(to) >= scale.left).then_some((left, right))
}

/// Height of a block: the deeper the state, the lower its floor.
pub fn block_height(place: &Place, state: usize, states: usize) -> f64 {
    place.depth * (state + 1).min(states.max(1)) as f64 / states.max(1) as f64
}

fn rows(
    raster: &mut Raster,
    palette: &Palette,
    view: &LaneView,
    place: &Place,
    scale: &Scale,
    states: usize,
) {
    let mut before: Option<Row> = None;
    for (_, row) in view.rows() {
        if let Some(last) = before
            && let Some((left, right)) = clipped(scale, last.exit, row.entry)
        {
            if last.flags.has(Flags::UNCOUNTED) && row.period != last.period.wrapping_add(1) {
                dashes(raster, palette, place, left, right);
            } else if row.entry > last.exit {
                raster.fill(left, place.top, (right - left).max(0.8), place.busy, palette.busy);
                if let Some(rail) = place.rail {
                    raster.fill(left, rail - 0.7, right - left, 1.4, palette.running);
                }
            }
        }
        block(raster, palette, &row, place, scale, states);
        before = Some(row);
    }
}

/// Before the first decision nothing is known; after the last one of the view the CPU runs until a
/// decision that lies beyond it.
fn edges(
    raster: &mut Raster,
    palette: &Palette,
    view: &LaneView,
    (from, to): (Time, Time),
    place: &Place,
    scale: &Scale,
) {
    let first = view.rows().next().map_or(to, |(_, row)| row.entry);
    if let Some((left, right)) = clipped(scale, from, first).filter(|(left, right)| right > left) {
        dashes(raster, palette, place, left, right);
    }
    if let Some((_, last)) = view.rows().last()
        && last.exit < to
        && let Some((left, right)) = clipped(scale, last.exit, to)
    {
        raster.fill(left, place.top, right - left, place.busy, palette.busy);
        if let Some(rail) = place.rail {
            raster.fill(left, rail - 0.7, right - left, 1.4, palette.running);
        }
    }
}

fn block(raster: &mut Raster, palette: &Palette, row: &Row, place: &Place, scale: &Scale, states: usize) {
    let Some((left, right)) = clipped(scale, row.entry, row.exit) else {
        return;
    };
    let width = (right - left).max(0.6);
    let gap = if width > 2.5 { 0.35 } else { 0.0 };
    let state = row.entered.index().min(MAX_STATES - 1);
    let height = block_height(place, state, states);
    let colour = palette.depth[depth_step(state.min(states.saturating_sub(1)), states).min(9)];
    let (x, wide) = (left + gap, width - 2.0 * gap);
    if row.flags.has(Flags::UNCOUNTED) {
        // Open at an end of the record, or cut by lost events: shown by its floor only.
        dashes(raster, palette, place, left, right);
    } else {
        raster.fill(x, place.waterline(), wide, height, colour);
    }
    raster.fill(x, place.waterline() + height - 1.2, wide, 1.2, palette.floor);
    if let Some(rail) = place.rail {
        if row.flags.has(Flags::STOPPED) {
            let mut dot = (left / 4.0).floor() * 4.0;
            while dot < right {
                let from = dot.max(left);
                raster.fill(
                    from,
                    rail - 0.6,
                    (dot + 1.5).min(right) - from,
                    1.2,
                    palette.stopped,
                );
                dot += 4.0;
            }
        } else {
            raster.fill(left, rail - 0.7, width, 1.4, palette.running);
        }
        if row.flags.has(Flags::GOT_TICK) && (right - scale.x(row.exit)).abs() < 1.0 {
            raster.fill(right - 0.8, rail - 5.0, 1.6, 10.0, palette.running);
        }
    }
}

fn dashes(raster: &mut Raster, palette: &Palette, place: &Place, left: f64, right: f64) {
    let hair = raster.hair();
    let mut x = (left / 6.0).floor() * 6.0;
    while x < right {
        let from = x.max(left);
        let wide = (x + 3.0).min(right) - from;
        if wide > 0.0 {
            raster.fill(from, place.waterline() + 1.0, wide, hair, palette.unknown);
            raster.fill(from, place.bottom() - hair, wide, hair, palette.unknown);
        }
        x += 6.0;
    }
}

fn columns(
    raster: &mut Raster,
    palette: &Palette,
    view: &LaneView,
    place: &Place,
    scale: &Scale,
    states: usize,
    shift: u32,
) {
    let length = Ns::new(1_i64.checked_shl(shift).unwrap_or(i64::MAX));
    let share = |part: u32| f64::from(part) / f64::from(WHOLE);
    for column in view.columns() {
        let Some((left, right)) = clipped(scale, column.begin, column.begin.saturating_add(length)) else {
            continue;
        };
        let width = right - left;
        if column.busy > 0 {
            let height = (place.busy * share(column.busy)).max(raster.hair());
            raster.fill(left, place.waterline() - height, width, height, palette.busy);
        }
        let mut y = place.waterline();
        let mut lowest = false;
        for (state, part) in column.states.iter().enumerate().take(states) {
            let height = place.depth * share(*part);
            if height > 0.0 {
                let colour = palette.depth[depth_step(state, states).min(9)];
                raster.fill(left, y, width, height, colour);
                y += height;
                lowest = true;
            }
        }
        if lowest {
            let hair = raster.hair();
            raster.fill(left, y - hair, width, hair, palette.floor);
        }
        if let Some(rail) = place.rail {
            let stopped = share(column.stopped);
            // Density: a thin line where the tick is stopped all the time, 4 px where it always runs.
            let height = (4.0 * (1.0 - stopped)).max(raster.hair());
            raster.fill(left, rail - height / 2.0, width, height, palette.running);
        }
    }
}
