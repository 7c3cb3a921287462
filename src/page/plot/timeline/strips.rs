//! Strips under the lanes of a CPU: what the governor read over time, on a logarithmic scale.

use super::geometry::STRIP;
use super::{Scene, ink};
use crate::page::extras::Extra;
use crate::page::plot::{Anchor, Dash, Ink, Plot};
use crate::page::session::Strip;
use crate::page::view::{LaneId, Window};
use crate::units::CpuId;

/// Thickness of a value, px.
const THICK: f64 = 1.6;
/// Distance of labels from the plot, px.
const AIR: f64 = 10.0;

impl Scene<'_> {
    /// The strips of one CPU that lie at these heights.
    pub(super) fn strips(&self, plot: &mut Plot, cpu: CpuId, strips: &[(Extra, f64)]) {
        for (extra, top) in strips {
            let top = self.y(*top);
            let label = (self.scale.left - AIR, top + STRIP / 2.0 + 3.5);
            plot.text(label, extra.short(), Anchor::End, Ink::INK_3);
            let ends = ((self.scale.left, top + STRIP), (self.right(), top + STRIP));
            plot.line(ends.0, ends.1, Ink::LINE_STRONG, Dash::Solid);
            let all = self.pieces.map_or(&[][..], |pieces| &pieces.strips);
            let own = all.iter().find(|(of, strip)| *of == cpu && strip.extra == *extra);
            if let Some((_, strip)) = own {
                self.strip(plot, top, strip);
            }
        }
    }

    fn strip(&self, plot: &mut Plot, top: f64, strip: &Strip) {
        let y = |height: f32| top + STRIP * (1.0 - f64::from(height));
        if let Some(mark) = strip.mark {
            plot.line(
                (self.scale.left, y(mark)),
                (self.right(), y(mark)),
                Ink::INK_3,
                Dash::Dotted,
            );
        }
        for (lane, stretches) in &strip.series {
            for (from, to, height) in stretches {
                if *to < self.scale.window.from() || *from > self.scale.window.to() {
                    continue;
                }
                let (left, right) = self.clip(Window::new(*from, *to));
                // B just under A: equal values are two lines, not one of B alone.
                let beside = if *lane == LaneId::B { THICK } else { 0.0 };
                let at = (left, y(*height) - THICK / 2.0 + beside);
                plot.rect(at, ((right - left).max(1.0), THICK), ink(*lane), 1.0);
            }
        }
        if !strip.note.is_empty() {
            let at = (self.scale.left + 6.0, top + STRIP / 2.0 + 3.5);
            plot.text(at, strip.note.clone(), Anchor::Start, Ink::INK_3);
        }
    }
}
