//! What stands around the lanes of a CPU: its name, the lanes' letters, the strip of differences.

use super::{CpuRow, Place, Scene, ink};
use crate::page::plot::{Anchor, Ink, Plot, Shape};
use crate::page::view::{LaneId, Window};
use crate::sim::{Flags, Row};

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
            size: if place.detailed || place.lane == LaneId::Recorded {
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
        let (Some(a), Some(b)) = (self.piece(row.cpu, LaneId::A), self.piece(row.cpu, LaneId::B)) else {
            return;
        };
        let mut others = b.rows().map(|(_, row)| row).peekable();
        for (_, one) in a.rows() {
            while others.next_if(|other| other.exit <= one.entry).is_some() {}
            if one.flags.has(Flags::UNCOUNTED) || others.peek().is_some_and(|other| is_same(&one, other)) {
                continue;
            }
            let (left, right) = self.clip(Window::new(one.entry, one.exit));
            if right > left {
                plot.rect((left, y - 1.5), ((right - left).max(2.0), 4.0), Ink::ACCENT, 1.0);
            }
        }
    }
}

fn is_same(one: &Row, other: &Row) -> bool {
    other.period == one.period
        && other.selected == one.selected
        && other.flags.has(Flags::STOPPED) == one.flags.has(Flags::STOPPED)
}
