//! The timeline without a canvas (ui.md §5): where each lane lies, its pixels, and the text and fine
//! marks over them.
//!
//! ```text
//!   Layout, Scale ──┬── Scene::raster ──> rows of RGBA: ground, blocks, rails
//!                   └── Scene::marks  ──> shapes: ruler, labels, names, causes, misses, cursor
//! ```
//!
//! Invariants: both are pure functions of the scene; x is time and y is depth in CSS pixels; colours of
//! shapes are tokens, those of pixels come with the palette.

mod axis;
mod detail;
mod geometry;
mod lane;
mod marks;
mod misses;
mod raster;
mod rows;
mod strips;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use axis::stamps;
pub use detail::Decisions;
pub use geometry::{Contents, CpuRow, Layout, Place, RULER, Scale, block_height};
pub use marks::cause_mark;
pub use raster::{Palette, Raster, Rgba};

use super::{Ink, Plot, Shape};
use crate::page::session::{LaneView, Shape as Kind, Strip};
use crate::page::view::{LaneId, View, Window};
use crate::units::{CpuId, Ns, Time};

/// Pieces of lanes over one stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// First instant covered.
    pub from: Time,
    /// Last instant covered.
    pub to: Time,
    /// The pieces.
    pub lanes: Vec<(CpuId, LaneId, LaneView)>,
    /// Where A and B differ on each CPU.
    pub differs: Vec<(CpuId, Vec<(Time, Time)>)>,
    /// Strips of expanded CPUs.
    pub strips: Vec<(CpuId, Strip)>,
}

impl Pieces {
    /// The piece of one lane.
    #[must_use]
    pub fn lane(&self, cpu: CpuId, lane: LaneId) -> Option<&LaneView> {
        self.lanes
            .iter()
            .find(|(of, name, _)| *of == cpu && *name == lane)
            .map(|(_, _, view)| view)
    }

    /// The lanes that are drawn in columns.
    #[must_use]
    pub fn in_columns(&self) -> Vec<(CpuId, LaneId)> {
        self.lanes
            .iter()
            .filter(|(.., view)| view.shape != Kind::Rows)
            .map(|(cpu, lane, _)| (*cpu, *lane))
            .collect()
    }
}

/// What one lane did in the selected decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// Whose.
    pub lane: LaneId,
    /// Which decision of the lane, from 0.
    pub n: u32,
    /// First instant, counted from the start of the record.
    pub entry: Time,
    /// Last instant.
    pub exit: Time,
    /// Index of the state entered.
    pub state: usize,
    /// How long the governor expected to sleep when it judged the tick, ns; none when it did not say.
    pub estimate: Option<Ns>,
    /// How far away the next timer was at entry, ns; none when there was none or it is not known.
    pub timer: Option<Ns>,
}

/// An interrupt that one CPU sent to another, which it woke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The sender.
    pub from: CpuId,
    /// When it was raised, counted from the start of the record.
    pub at: Time,
    /// The CPU that it woke.
    pub to: CpuId,
    /// In which lane the block lies that it ended.
    pub lane: LaneId,
    /// When that CPU woke.
    pub woke: Time,
}

/// CPUs that have the same idle states, such as those of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuStates {
    /// Their numbers.
    pub cpus: Vec<CpuId>,
    /// Names of their states, shallowest first.
    pub names: Vec<String>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Where one looks.
    pub view: &'a View,
    /// Where everything lies.
    pub layout: &'a Layout,
    /// Time and pixels.
    pub scale: Scale,
    /// How far the CPUs are scrolled, px.
    pub scroll: f64,
    /// Width of the picture, px.
    pub width: f64,
    /// Its height, px.
    pub height: f64,
    /// Lanes, as far as they have arrived.
    pub pieces: Option<&'a Pieces>,
    /// The idle states of the CPUs: each CPU's blocks are drawn by its own table.
    pub tables: &'a [CpuStates],
    /// Start of the record on its own clock.
    pub start: Time,
    /// Tick period, ns.
    pub tick: Ns,
    /// The focused CPU.
    pub cpu: CpuId,
    /// What each lane did in the selected decision; empty until it is explained.
    pub chosen: &'a [Chosen],
    /// The interrupt that ended the block under the pointer, if another CPU sent it.
    pub sent: Option<Sent>,
}

impl Scene<'_> {
    /// Ground and lanes, for a screen with `ratio` device pixels to a CSS pixel.
    #[must_use]
    pub fn raster(&self, ratio: f64, palette: &Palette) -> Raster {
        let mut raster = Raster::new(self.width, self.height, ratio, palette.surface);
        if !self.layout.rows.is_empty() {
            self.ground(&mut raster, palette);
        }
        let Some(pieces) = self.pieces else {
            return raster;
        };
        for row in self.rows_in_sight() {
            for place in &row.lanes {
                if let Some(view) = pieces.lane(row.cpu, place.lane) {
                    let of = lane::Of {
                        view,
                        cover: (pieces.from, pieces.to),
                        place: self.placed(place),
                        scale: &self.scale,
                        states: self.states(row.cpu).len(),
                    };
                    lane::draw(&mut raster, palette, &of);
                }
            }
        }
        raster
    }

    /// Everything that is text or a fine mark, from back to front.
    #[must_use]
    pub fn marks(&self) -> Vec<Shape> {
        let mut plot = Plot::new(self.width, self.height);
        for row in self.rows_in_sight() {
            self.row(&mut plot, row);
        }
        if let Some(sent) = self.sent {
            self.sent(&mut plot, sent);
        }
        if !self.layout.rows.is_empty() {
            self.range(&mut plot);
            self.ruler(&mut plot);
            self.cursor(&mut plot);
        }
        plot.shapes
    }

    /// Names of the states of a CPU, shallowest first; of the first table for one that is in none.
    fn states(&self, cpu: CpuId) -> &[String] {
        let own = self.tables.iter().find(|table| table.cpus.contains(&cpu));
        own.or(self.tables.first()).map_or(&[], |table| &table.names)
    }

    fn rows_in_sight(&self) -> impl Iterator<Item = &CpuRow> {
        self.layout.rows.iter().filter(|row| {
            let y = self.y(row.top);
            y + row.height >= RULER && y <= self.height
        })
    }

    /// From the top of the first CPU to the top of the picture, px.
    fn y(&self, y: f64) -> f64 {
        RULER + y - self.scroll
    }

    /// A place in the picture.
    fn placed(&self, place: &Place) -> Place {
        Place {
            top: self.y(place.top),
            rail: place.rail.map(|rail| self.y(rail)),
            ..*place
        }
    }

    /// Right edge of the plot, px.
    fn right(&self) -> f64 {
        self.scale.left + self.scale.width
    }

    fn is_within(&self, x: f64) -> bool {
        (self.scale.left..=self.right()).contains(&x)
    }

    /// First and last pixel of a stretch, cut to the plot.
    fn clip(&self, window: Window) -> (f64, f64) {
        let edge = |t: Time| self.scale.x(t).clamp(self.scale.left, self.right());
        (edge(window.from()), edge(window.to()))
    }

    fn piece(&self, cpu: CpuId, lane: LaneId) -> Option<&LaneView> {
        self.pieces?.lane(cpu, lane)
    }

    /// The block that the selection is about, on the lane that the keys speak of.
    fn selected(&self) -> Option<Window> {
        let n = self.view.decision?;
        let explained = self
            .chosen
            .iter()
            .find(|chosen| chosen.lane == self.view.lane && chosen.n == n)
            .map(|chosen| Window::new(chosen.entry, chosen.exit));
        explained.or_else(|| {
            let view = self.piece(self.view.cpu, self.view.lane)?;
            let (_, row) = view.rows().find(|(at, _)| *at == n)?;
            Some(Window::new(row.entry, row.exit))
        })
    }
}

/// The colour of a lane.
const fn ink(lane: LaneId) -> Ink {
    match lane {
        LaneId::Ideal => Ink::ENERGY,
        LaneId::Recorded => Ink::RECORDED,
        LaneId::A => Ink::A,
        LaneId::B => Ink::B,
    }
}
