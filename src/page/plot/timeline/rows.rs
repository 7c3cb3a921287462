//! What stands around the lanes of a CPU: its name, the lanes' letters, the strip of differences.

use super::{CpuRow, Place, Scene, ink};
use crate::page::plot::{Anchor, Ink, Plot, Shape};
use crate::page::view::Window;

/// Distance of labels from the plot, px.
const AIR: f64 = 10.0;

impl Scene<'_> {
    pub(super) fn row(&self, plot: &mut Plot, row: &CpuRow) {
        let top = self.y(row.top);
        let focused = row.cpu == self.cpu;
        let ground = if focused { Ink::SUNKEN } else { Ink::SURFACE };
        plot.rect((0.0, top), (self.scale.left - 4.0, row.height), ground, 1.0);
        if focused {
            plot.rect((0.0, top), (2.0, row.height), Ink::ACCENT, 1.0);
        }
        let y = top
            + if row.expanded {
                18.0
            } else {
                row.height / 2.0 + 4.0
            };
        plot.shapes.push(Shape::Text {
            x: 12.0,
            y,
            text: row.cpu.to_string(),
            anchor: Anchor::Start,
            ink: Ink::INK,
            size: if focused { 12.0 } else { 11.0 },
            strong: focused,
        });
        for place in &row.lanes {
            let there = self.placed(place);
            self.letter(plot, &there);
            if let Some(view) = self.piece(row.cpu, place.lane) {
                self.lane(plot, row.cpu, &there, view);
            }
        }
        if let Some(y) = row.differs {
            self.differs(plot, row, self.y(y));
        }
        self.strips(plot, row.cpu, &row.strips);
        let line = if row.expanded { Ink::LINE_STRONG } else { Ink::LINE };
        plot.rect((0.0, top + row.height - 1.0), (self.width, 1.0), line, 1.0);
    }

    fn letter(&self, plot: &mut Plot, place: &Place) {
        let x = self.scale.left - AIR;
        plot.shapes.push(Shape::Text {
            x,
            y: place.waterline() + place.depth / 2.0 + 3.0,
            text: place.lane.label().to_owned(),
            anchor: Anchor::End,
            ink: ink(place.lane),
            size: if place.detailed || place.lane.is_reference() {
                11.0
            } else {
                9.0
            },
            strong: true,
        });
        if let Some(rail) = place.rail {
            plot.text((x, rail + 3.5), "tick", Anchor::End, Ink::INK_3);
        }
    }

    /// An accent strip over each stretch in which A and B chose another state or tick.
    fn differs(&self, plot: &mut Plot, row: &CpuRow, y: f64) {
        let x = self.scale.left - AIR;
        plot.text((x, y + 3.5), "differs", Anchor::End, Ink::INK_3);
        let pieces = self.pieces.map_or(&[][..], |pieces| &pieces.differs);
        for (_, stretches) in pieces.iter().filter(|(cpu, _)| *cpu == row.cpu) {
            for (from, to) in stretches {
                let window = &self.scale.window;
                if *to < window.from() || *from > window.to() {
                    continue;
                }
                let (left, right) = self.clip(Window::new(*from, *to));
                plot.rect((left, y - 1.5), ((right - left).max(2.0), 4.0), Ink::ACCENT, 1.0);
            }
        }
    }
}
