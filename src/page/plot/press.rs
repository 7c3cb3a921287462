//! Which handle a press means where several lie at one place: the way of the pointer tells.
//!
//! ```text
//!      C1,C2             C1    C2
//!   ─────◎─────   →   ─────◯──►◯──    to the right only C2 can go
//!   ─────◎─────   →   ──◯◄──◯─────    to the left only C1
//! ```
//!
//! Residencies stop at their neighbours, so of two rings at one place each has its own way to go.

use super::energy::Chart;
use super::handles::{Drag, Handle, Part, stops, value};
use crate::units::Ns;

/// Handles closer than this to each other cannot be told apart by pointing, px.
pub const TOGETHER: f64 = 6.0;
/// How far the pointer goes before its way tells which of them is meant, px.
const START: f64 = 3.0;

/// A press on the chart, before it is known what is dragged.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// What may be meant, the nearest first.
    candidates: Vec<Handle>,
    start: (f64, f64),
    chart: Chart,
    tick: Ns,
}

impl Press {
    /// A press at `start` on the hit zone of `on`: it means the handle nearest to the pointer, or one that
    /// lies together with that.
    #[must_use]
    pub fn new(on: Handle, start: (f64, f64), chart: Chart, tick: Ns) -> Self {
        let distance = |handle: &Handle| (handle.x - start.0).hypot(handle.y - start.1);
        let mut handles = chart.handles();
        handles.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
        let nearest = handles.first().copied().unwrap_or(on);
        handles.retain(|handle| (handle.x - nearest.x).hypot(handle.y - nearest.y) < TOGETHER);
        if handles.is_empty() {
            handles.push(on);
        }
        Self {
            candidates: handles,
            start,
            chart,
            tick,
        }
    }

    /// What is taken before the pointer moves: the nearest.
    #[must_use]
    pub fn nearest(&self) -> Option<Handle> {
        self.candidates.first().copied()
    }

    /// The drag that begins when the pointer has moved to `to`; none while that tells nothing yet.
    #[must_use]
    pub fn drag(&self, to: (f64, f64)) -> Option<Drag> {
        let way = (to.0 - self.start.0, to.1 - self.start.1);
        let handle = match self.candidates.as_slice() {
            [only] => Some(*only),
            _ if way.0.hypot(way.1) < START => None,
            _ => self.meant(way),
        }?;
        Some(Drag::new(handle, self.start, self.chart.clone(), self.tick))
    }

    /// The one that has the most room on the pointer's way; powers go up and down, all else goes sideways.
    fn meant(&self, (dx, dy): (f64, f64)) -> Option<Handle> {
        let sideways = dx.abs() >= dy.abs();
        let along = |handle: &&Handle| (handle.part != Part::Power) == sideways;
        // In px, or in µW among grips.
        let room = |handle: &&Handle| {
            let (low, high) = stops(&self.chart, **handle);
            if handle.part == Part::Power {
                let own = value(&self.chart, **handle).unwrap_or(low);
                let room = if dy < 0.0 { high - own } else { own - low };
                return room as f64;
            }
            let ruler = self.chart.layout().ruler;
            if dx < 0.0 {
                handle.x - ruler.x(Ns::new(low))
            } else {
                ruler.x(Ns::new(high)) - handle.x
            }
        };
        let candidates = || self.candidates.iter();
        candidates()
            .filter(along)
            .max_by(|one, other| room(one).total_cmp(&room(other)))
            .or(self.candidates.first())
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::energy::State;
    use super::*;
    use crate::units::Microwatts;

    fn chart(residencies: [i64; 4], latency: i64) -> Chart {
        let state = |(n, us): (u32, i64)| State {
            name: format!("C{n}"),
            target_residency: Ns::from_us(us),
            exit_latency: Ns::from_us(latency.min(us)),
            power: Microwatts::new(4_000_000 >> (2 * n)),
            on: true,
        };
        Chart {
            width: 900.0,
            height: 520.0,
            states: (0..).zip(residencies).map(state).collect(),
            before: Vec::new(),
            durations: Vec::new(),
            rows: true,
            measure: Default::default(),
        }
    }

    /// What a drag from the middle of a handle by so many px takes, as state and part.
    #[track_caller]
    fn check(chart: &Chart, (state, part): (usize, Part), by: (f64, f64), expect: Option<(usize, Part)>) {
        let handles = chart.handles();
        let on = handles
            .into_iter()
            .find(|handle| (handle.state, handle.part) == (state, part))
            .unwrap();
        let press = Press::new(on, (on.x, on.y), chart.clone(), Ns::from_ms(4));
        let drag = press.drag((on.x + by.0, on.y + by.1));
        let found = drag.map(|drag| (drag.handle.state, drag.handle.part));
        assert_eq!(found, expect);
    }

    #[test]
    fn of_two_rings_at_one_place_the_one_goes_that_can() {
        use Part::Residency;
        let same = chart([0, 100, 100, 3_000], 10);
        for pressed in [1, 2] {
            check(&same, (pressed, Residency), (8.0, 1.0), Some((2, Residency)));
            check(&same, (pressed, Residency), (-8.0, 1.0), Some((1, Residency)));
            check(&same, (pressed, Residency), (1.0, 1.0), None);
        }
        let three = chart([0, 100, 100, 100], 10);
        check(&three, (2, Residency), (8.0, 0.0), Some((3, Residency)));
        check(&three, (2, Residency), (-8.0, 0.0), Some((1, Residency)));
    }

    #[test]
    fn a_handle_by_itself_is_taken_at_once() {
        let apart = chart([0, 10, 300, 9_000], 1);
        check(
            &apart,
            (2, Part::Residency),
            (0.0, 0.0),
            Some((2, Part::Residency)),
        );
        check(&apart, (2, Part::Latency), (0.0, 0.0), Some((2, Part::Latency)));
    }

    #[test]
    fn a_diamond_under_its_ring_goes_left_and_the_ring_right() {
        use Part::{Latency, ResidencyRow};
        let same = chart([0, 100, 300, 3_000], 300);
        check(&same, (2, ResidencyRow), (9.0, 0.0), Some((2, ResidencyRow)));
        check(&same, (2, ResidencyRow), (-9.0, 0.0), Some((2, Latency)));
    }

    #[test]
    fn grips_at_one_height_go_up_and_down() {
        let mut close = chart([0, 1, 2, 3], 1);
        for (state, mw) in close.states.iter_mut().zip([1_000, 999, 998, 100]) {
            state.power = Microwatts::new(mw * 1_000);
        }
        check(&close, (1, Part::Power), (0.0, -9.0), Some((0, Part::Power)));
        check(&close, (1, Part::Power), (0.0, 9.0), Some((2, Part::Power)));
    }
}
