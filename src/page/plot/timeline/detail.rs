//! When a lane is drawn decision by decision, and when in columns (ui.md §5, LOD).

use crate::units::Time;

/// A block narrower than this on average is no block any more, device px.
const NARROW: f64 = 3.0;

/// However few are seen, no more than this are sent and drawn.
const MOST: usize = 20_000;

/// How many decisions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// In the whole stretch that is asked for.
    pub whole: usize,
    /// In what is seen of it.
    pub sight: usize,
}

impl Decisions {
    /// Whether they are drawn one by one on a stretch that is `columns` device pixels wide; `in_columns`
    /// says how the lane is drawn at present.
    ///
    /// With hysteresis, so that a lane does not flicker while one zooms: blocks have to be twice as wide
    /// to come back as they were when they went.
    #[must_use]
    pub fn are_drawn(
        self,
        columns: usize,
        (stretch, sight): ((Time, Time), (Time, Time)),
        in_columns: bool,
    ) -> bool {
        let length = |(from, to): (Time, Time)| to.saturating_since(from).as_ns().max(1) as f64;
        let pixels = columns as f64 * length(sight) / length(stretch);
        let least = if in_columns { 2.0 * NARROW } else { NARROW };
        self.whole <= MOST && self.sight as f64 * least <= pixels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(from: i64, to: i64) -> (Time, Time) {
        (Time::from_ns(from), Time::from_ns(to))
    }

    #[test]
    fn blocks_come_back_at_twice_the_width_at_which_they_went() {
        let mut in_columns = false;
        let mut seen = Vec::new();
        // Zooming out and in again: decisions on 600 pixels.
        for sight in [90, 200, 201, 150, 101, 100, 200] {
            let decisions = Decisions { whole: sight, sight };
            let all = stretch(0, 600);
            in_columns = !decisions.are_drawn(600, (all, all), in_columns);
            seen.push(in_columns);
        }
        assert_eq!(seen, [false, false, true, true, true, false, false]);
    }

    #[test]
    fn what_is_out_of_sight_does_not_decide() {
        let stretches = (stretch(0, 900), stretch(300, 600));
        let drawn = |whole, sight| Decisions { whole, sight }.are_drawn(900, stretches, false);
        assert!(drawn(5_000, 1));
        assert!(!drawn(5_000, 101), "300 pixels for 101");
        assert!(!drawn(20_001, 1), "too many to send");
    }
}
