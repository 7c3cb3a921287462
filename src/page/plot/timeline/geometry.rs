//! Where each lane lies, in CSS pixels (ui.md §5), and what lies under a point.
//!
//! ```text
//!   ruler                                     22
//!   compact CPU   A 3 + 11, B 3 + 11          35
//!   expanded CPU  recorded 4 + 16
//!                 A  glyphs 12, busy 5, depth 34, rail at +5, gap 17
//!                 B  the same
//!                 differs
//! ```

use crate::page::extras::Extra;
use crate::page::view::{LaneId, Window};
use crate::units::{CpuId, Ns, Time};

/// Height of the ruler.
pub const RULER: f64 = 22.0;
/// Free height above the first lane in the narrow layout, where the CPU's name stands there.
const TOP_PHONE: f64 = 22.0;
/// Band above a lane for wakeup causes.
const GLYPHS: f64 = 12.0;
/// Height of the strip that shows where A and B differ.
const DIFFERS: f64 = 12.0;
/// Height of a strip: sleep length and the like.
pub const STRIP: f64 = 16.0;
/// Free height under a strip.
const STRIP_GAP: f64 = 6.0;
/// Depth of a lane that has to make room, before the air between lanes goes.
const FLAT_DEPTH: f64 = 28.0;
/// Depth of a lane that has to make room, at least.
const LEAST_DEPTH: f64 = 22.0;

/// What an expanded CPU is made of besides its lanes' bands, px.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Air {
    /// Depth of the lanes of variants.
    depth: f64,
    /// Free height above the first lane.
    top: f64,
    /// From the deepest block of a variant to the next lane; the tick rail lies there.
    under: f64,
    /// From the reference lane to the next one.
    reference: f64,
}

impl Air {
    /// All the air that a CPU wants.
    fn full(contents: &Contents<'_>) -> Self {
        Self {
            depth: contents.depth(),
            top: if contents.phone { TOP_PHONE } else { 8.0 },
            under: 17.0,
            reference: 8.0,
        }
    }

    /// As little as keeps rails, glyphs and names apart.
    fn least(contents: &Contents<'_>) -> Self {
        Self {
            top: if contents.phone { TOP_PHONE } else { 4.0 },
            under: 16.0,
            reference: 5.0,
            ..Self::full(contents)
        }
    }

    /// With less deep lanes, so that a CPU is no higher than `height` where that can be had.
    fn within(self, contents: &Contents<'_>, height: f64) -> Self {
        let row = expanded(CpuId::default(), 0.0, contents, self);
        let lanes = row.lanes.iter().filter(|place| place.detailed).count().max(1);
        let over = (row.height - height).max(0.0);
        Self {
            depth: self.depth - over / lanes as f64,
            ..self
        }
    }
}

/// One lane's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Which lane.
    pub lane: LaneId,
    /// Upper edge of the busy band.
    pub top: f64,
    /// Height of the busy band.
    pub busy: f64,
    /// Height below the waterline.
    pub depth: f64,
    /// Middle of the tick rail, where there is one.
    pub rail: Option<f64>,
    /// Glyphs and names are drawn.
    pub detailed: bool,
}

impl Place {
    /// The waterline: busy above, idle below.
    #[must_use]
    pub fn waterline(&self) -> f64 {
        self.top + self.busy
    }

    /// Lower edge of the deepest block.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.waterline() + self.depth
    }
}

/// One CPU's place.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuRow {
    /// Which CPU.
    pub cpu: CpuId,
    /// Upper edge.
    pub top: f64,
    /// Height.
    pub height: f64,
    /// Expanded or compact.
    pub expanded: bool,
    /// Middle of the strip that shows differences, where there is one.
    pub differs: Option<f64>,
    /// Its lanes, from top to bottom.
    pub lanes: Vec<Place>,
    /// Its strips with their upper edges, from top to bottom; each is [`STRIP`] high.
    pub strips: Vec<(Extra, f64)>,
}

/// All CPUs, from the top of the first one; scrolling is not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The CPUs.
    pub rows: Vec<CpuRow>,
    /// Height of all of them.
    pub height: f64,
}

/// What is laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents<'a> {
    /// CPUs in order.
    pub cpus: &'a [CpuId],
    /// Expanded ones.
    pub open: &'a [CpuId],
    /// Lanes that are shown.
    pub lanes: &'a [LaneId],
    /// Strips under the lanes of expanded CPUs.
    pub extras: &'a [Extra],
    /// The narrow layout: 7 + 44.
    pub phone: bool,
}

impl Layout {
    /// Lays the CPUs out.
    #[must_use]
    pub fn new(contents: &Contents<'_>) -> Self {
        Self::airy(contents, Air::full(contents))
    }

    /// The height in which nothing has to be squeezed or scrolled; `all` says that every CPU would be expanded.
    #[must_use]
    pub fn wanted(contents: &Contents<'_>, all: bool) -> f64 {
        let open = if all { contents.cpus } else { contents.open };
        Self::new(&Contents {
            open,
            ..contents.clone()
        })
        .height
    }

    /// Lays the CPUs out, lanes of expanded CPUs less deep, then closer to each other, where one of them would not
    /// fit into `height`.
    #[must_use]
    pub fn squeezed(contents: &Contents<'_>, height: f64) -> Self {
        let flat = Air::full(contents).within(contents, height);
        if flat.depth >= FLAT_DEPTH {
            return Self::airy(contents, flat);
        }
        let dense = Air::least(contents).within(contents, height);
        let depth = dense.depth.clamp(LEAST_DEPTH, FLAT_DEPTH);
        Self::airy(contents, Air { depth, ..dense })
    }

    fn airy(contents: &Contents<'_>, air: Air) -> Self {
        let mut layout = Self::default();
        for cpu in contents.cpus {
            let row = if contents.open.contains(cpu) {
                expanded(*cpu, layout.height, contents, air)
            } else {
                compact(*cpu, layout.height, contents)
            };
            layout.height += row.height;
            layout.rows.push(row);
        }
        layout
    }

    /// Lays the CPUs out, all of them expanded if that fits into `height`.
    #[must_use]
    pub fn filling(contents: &Contents<'_>, height: f64) -> Self {
        let all = Self::new(&Contents {
            open: contents.cpus,
            ..contents.clone()
        });
        if all.height <= height {
            all
        } else {
            Self::new(contents)
        }
    }

    /// How far to scroll so that a CPU is seen in `height`, given how far it is scrolled now. Of a row that is too
    /// high, its name and first lanes are shown, unless `lane` would be cut off: then that is shown.
    #[must_use]
    pub fn in_sight(&self, cpu: CpuId, lane: LaneId, scroll: f64, height: f64) -> f64 {
        let Some(row) = self.rows.iter().find(|row| row.cpu == cpu) else {
            return scroll;
        };
        let bottom = row.top + row.height;
        if row.height > height {
            let lane = row.lanes.iter().find(|place| place.lane == lane);
            let end = lane.map_or(row.top, |place| place.rail.unwrap_or(place.bottom()) + 8.0);
            return (end - height).max(row.top);
        }
        scroll.clamp((bottom - height).max(0.0), row.top)
    }

    /// The CPU and lane at this height; the nearest lane of the CPU when it is between two.
    #[must_use]
    pub fn at(&self, y: f64) -> Option<(CpuId, LaneId)> {
        let row = self
            .rows
            .iter()
            .find(|row| row.top <= y && y < row.top + row.height)?;
        let middle = |place: &Place| (place.waterline() + place.depth / 2.0 - y).abs();
        let place = row
            .lanes
            .iter()
            .min_by(|one, other| middle(one).total_cmp(&middle(other)))?;
        Some((row.cpu, place.lane))
    }
}

impl Contents<'_> {
    /// Depth of a lane that has all the room it wants.
    const fn depth(&self) -> f64 {
        if self.phone { 44.0 } else { 34.0 }
    }
}

fn expanded(cpu: CpuId, top: f64, contents: &Contents<'_>, air: Air) -> CpuRow {
    let busy = if contents.phone { 7.0 } else { 5.0 };
    let mut lanes = Vec::new();
    let depth = air.depth;
    let mut y = top + air.top;
    for lane in contents.lanes {
        let place = if lane.is_reference() {
            Place {
                lane: *lane,
                top: y,
                busy: 4.0,
                depth: 16.0,
                rail: None,
                detailed: false,
            }
        } else {
            let top = y + GLYPHS;
            Place {
                lane: *lane,
                top,
                busy,
                depth,
                rail: Some(top + busy + depth + 9.0),
                detailed: true,
            }
        };
        y = place.bottom()
            + if place.rail.is_some() {
                air.under
            } else {
                air.reference
            };
        lanes.push(place);
    }
    let compares = contents.lanes.contains(&LaneId::A) && contents.lanes.contains(&LaneId::B);
    let differs = compares.then_some(y + DIFFERS / 2.0 - 2.0);
    if compares {
        y += DIFFERS;
    }
    let mut strips = Vec::new();
    for extra in contents.extras {
        strips.push((*extra, y));
        y += STRIP + STRIP_GAP;
    }
    CpuRow {
        cpu,
        top,
        height: (y - top).max(35.0),
        expanded: true,
        differs,
        lanes,
        strips,
    }
}

fn compact(cpu: CpuId, top: f64, contents: &Contents<'_>) -> CpuRow {
    // The recording is drawn only where nothing else is: A over B otherwise.
    let shown: Vec<LaneId> = match contents.lanes {
        [only] => vec![*only],
        lanes => lanes
            .iter()
            .copied()
            .filter(|lane| !lane.is_reference())
            .collect(),
    };
    let lanes: Vec<Place> = (0_u8..)
        .zip(&shown)
        .map(|(n, lane)| Place {
            lane: *lane,
            top: top + 2.0 + 16.0 * f64::from(n),
            busy: 3.0,
            depth: 11.0,
            rail: None,
            detailed: false,
        })
        .collect();
    CpuRow {
        cpu,
        top,
        height: if lanes.len() > 1 { 35.0 } else { 24.0 },
        expanded: false,
        differs: None,
        lanes,
        strips: Vec::new(),
    }
}

/// Height of a block in state `state` of `states`: the deeper the state, the lower its floor.
#[must_use]
pub fn block_height(place: &Place, state: usize, states: usize) -> f64 {
    let count = states.max(1);
    place.depth * (state + 1).min(count) as f64 / count as f64
}

/// From time to pixels and back, over the plot right of the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What is shown.
    pub window: Window,
    /// Left edge of the plot.
    pub left: f64,
    /// Width of the plot.
    pub width: f64,
}

impl Scale {
    /// Pixels from the left edge of the canvas.
    #[must_use]
    pub fn x(&self, t: Time) -> f64 {
        let since = t.as_ns().saturating_sub(self.window.from().as_ns()) as f64;
        self.left + since / self.window.len().as_ns().max(1) as f64 * self.width
    }

    /// The instant at a pixel.
    #[must_use]
    pub fn time(&self, x: f64) -> Time {
        let share = (x - self.left) / self.width.max(1.0);
        self.window.from().saturating_add(self.span(share))
    }

    /// A share of the window as a duration.
    fn span(&self, share: f64) -> Ns {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a window is at most 292 years, the cast saturates"
        )]
        Ns::new((share * self.window.len().as_ns() as f64) as i64)
    }

    /// A distance in pixels as a duration.
    #[must_use]
    pub fn distance(&self, pixels: f64) -> Ns {
        self.span(pixels / self.width.max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_between_two_lanes_belongs_to_the_nearer_one() {
        let cpus = [CpuId::new(0), CpuId::new(1)];
        let layout = Layout::new(&Contents {
            cpus: &cpus,
            open: &cpus[1..],
            lanes: &LaneId::ALL,
            extras: &[],
            phone: false,
        });
        assert_eq!(layout.at(4.0), Some((cpus[0], LaneId::A)));
        assert_eq!(layout.at(30.0), Some((cpus[0], LaneId::B)));
        assert_eq!(layout.at(50.0), Some((cpus[1], LaneId::Recorded)));
        assert_eq!(layout.at(1e6), None);
    }

    #[test]
    fn every_cpu_is_expanded_only_where_all_of_them_fit() {
        let cpus = [CpuId::new(0), CpuId::new(1)];
        let contents = Contents {
            cpus: &cpus,
            open: &cpus[..1],
            lanes: &LaneId::ALL,
            extras: &[],
            phone: false,
        };
        let expanded = |height| {
            let layout = Layout::filling(&contents, height);
            layout.rows.iter().map(|row| row.expanded).collect::<Vec<_>>()
        };
        assert_eq!(expanded(600.0), [true, true]);
        assert_eq!(expanded(300.0), [true, false]);
    }

    #[test]
    fn lanes_make_room_for_their_cpu_until_they_are_too_flat() {
        let cpus = [CpuId::new(0), CpuId::new(1)];
        let contents = Contents {
            cpus: &cpus,
            open: &cpus[..1],
            lanes: &LaneId::ALL,
            extras: &[],
            phone: true,
        };
        let row = |height| Layout::squeezed(&contents, height).rows.swap_remove(0);
        let full = Layout::new(&contents).rows.swap_remove(0);
        assert_eq!(row(1_000.0), full);
        assert_eq!(row(full.height - 20.0).height, full.height - 20.0);
        assert_eq!(row(60.0).lanes[2].depth, LEAST_DEPTH);
        assert_eq!(row(60.0).lanes[0], full.lanes[0], "the recording stays as it is");
    }

    #[test]
    fn recording_and_both_variants_of_a_cpu_fit_into_the_timeline_of_a_small_window() {
        let cpus = [CpuId::new(0), CpuId::new(1)];
        let contents = Contents {
            cpus: &cpus,
            open: &cpus[..1],
            lanes: &LaneId::ALL,
            extras: &[],
            phone: false,
        };
        let lanes = |height| Layout::squeezed(&contents, height).rows.swap_remove(0);
        for height in [162.0, 170.0, 180.0, 190.0, 200.0, 300.0] {
            let row = lanes(height);
            assert!(row.height <= height, "{} in {height}", row.height);
            assert!(row.lanes.iter().all(|place| place.depth >= 16.0));
            let own = |n: usize| row.lanes.get(n).expect("three lanes");
            let rail = own(1).rail.expect("a variant has a rail");
            assert!(
                rail + 5.0 <= own(2).top - GLYPHS,
                "ticks do not touch the next lane"
            );
        }
        // Wider windows get more of what was squeezed, never less.
        let heights: Vec<f64> = (100..260).map(|height| lanes(f64::from(height)).height).collect();
        assert!(heights.windows(2).all(|pair| pair[1] >= pair[0]), "{heights:?}");
        assert_eq!(lanes(1_000.0).height + 35.0, Layout::wanted(&contents, false));
        assert_eq!(2.0 * lanes(1_000.0).height, Layout::wanted(&contents, true));
    }

    #[test]
    fn the_focused_cpu_is_scrolled_into_sight_from_its_name_on() {
        let cpus = [CpuId::new(0), CpuId::new(1), CpuId::new(2)];
        let layout = Layout::new(&Contents {
            cpus: &cpus,
            open: &cpus[1..2],
            lanes: &LaneId::ALL,
            extras: &[],
            phone: true,
        });
        let row = &layout.rows[1];
        let bottom = row.top + row.height;
        let scroll = |lane, from, height| layout.in_sight(cpus[1], lane, from, height);
        // It fits: no farther than needed.
        assert_eq!(scroll(LaneId::A, 0.0, 1_000.0), 0.0);
        assert_eq!(
            scroll(LaneId::A, 0.0, row.height + 4.0),
            bottom - row.height - 4.0
        );
        assert_eq!(scroll(LaneId::A, 900.0, row.height + 4.0), row.top);
        // It does not: its name first, but the lane in question all the same.
        assert_eq!(scroll(LaneId::A, 900.0, 130.0), row.top);
        let rail = row.lanes[2].rail.expect("a variant has a rail");
        assert_eq!(scroll(LaneId::B, 0.0, 130.0), rail + 8.0 - 130.0);
    }

    #[test]
    fn strips_stand_under_the_lanes_of_expanded_cpus_only() {
        let cpus = [CpuId::new(0), CpuId::new(1)];
        let contents = Contents {
            cpus: &cpus,
            open: &cpus[..1],
            lanes: &[LaneId::Ideal, LaneId::A, LaneId::B],
            extras: &[Extra::SleepLength, Extra::Utilization],
            phone: false,
        };
        let [open, closed] = Layout::new(&contents).rows.try_into().expect("two CPUs");
        let without = Layout::new(&Contents {
            extras: &[],
            ..contents
        });
        let tops: Vec<f64> = open.strips.iter().map(|(_, top)| *top).collect();
        assert_eq!(
            tops,
            [without.rows[0].height, without.rows[0].height + STRIP + STRIP_GAP]
        );
        assert_eq!(open.height, without.rows[0].height + 2.0 * (STRIP + STRIP_GAP));
        assert_eq!(
            (closed.strips.len(), closed.lanes.len()),
            (0, 2),
            "and no reference lane"
        );
        assert_eq!(open.lanes[0].rail, None, "the ideal has no tick");
    }

    #[test]
    fn time_and_pixels_are_each_others_inverse() {
        let scale = Scale {
            window: Window::new(Time::from_ns(1_000), Time::from_ns(5_000)),
            left: 88.0,
            width: 400.0,
        };
        assert_eq!(scale.time(scale.x(Time::from_ns(3_210))), Time::from_ns(3_210));
    }
}
