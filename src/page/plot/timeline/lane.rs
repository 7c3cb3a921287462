//! One lane into the raster: decisions one by one when they are few, columns of shares when they are
//! many (ui.md §5, LOD).

use super::geometry::{Place, Scale, block_height};
use super::raster::{Palette, Raster};
use crate::page::session::{LaneView, Shape, WHOLE};
use crate::sim::{Flags, Row};
use crate::units::{Ns, Time};

/// What is drawn of one lane.
pub(super) struct Of<'a> {
    /// Its decisions or columns.
    pub view: &'a LaneView,
    /// The stretch that the view was asked for.
    pub cover: (Time, Time),
    /// Its place in the picture.
    pub place: Place,
    /// Time and pixels.
    pub scale: &'a Scale,
    /// States of its table.
    pub states: usize,
}

/// Draws one lane.
pub(super) fn draw(raster: &mut Raster, palette: &Palette, of: &Of<'_>) {
    match of.view.shape {
        Shape::Rows => {
            edges(raster, palette, of.view, of.cover, &of.place, of.scale);
            rows(raster, palette, of.view, &of.place, of.scale, of.states);
        }
        Shape::Columns { shift, .. } => {
            columns(raster, palette, of.view, &of.place, of.scale, of.states, shift);
        }
    }
    let hair = raster.hair();
    raster.fill(
        of.scale.left,
        of.place.waterline() - hair / 2.0,
        of.scale.width,
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
    let state = row.entered.index();
    let height = block_height(place, state, states);
    let colour = palette.state(state, states);
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
                raster.fill(left, y, width, height, palette.state(state, states));
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
