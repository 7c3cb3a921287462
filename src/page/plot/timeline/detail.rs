//! When a lane is drawn decision by decision, and when in columns (ui.md §5, LOD).

/// A median block narrower than this is no block any more, px.
const NARROW: usize = 3;

/// The most decisions over `columns` device pixels for which a lane is drawn decision by decision.
///
/// With hysteresis, so that a lane does not flicker while one zooms: blocks have to be twice as wide
/// to come back as they were when they went.
#[must_use]
pub const fn most_rows(columns: usize, in_columns: bool) -> usize {
    columns / if in_columns { 2 * NARROW } else { NARROW }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_at_twice_the_width_at_which_they_went() {
        let mut in_columns = false;
        let mut seen = Vec::new();
        // Zooming out and in again: decisions in 600 pixels.
        for decisions in [90, 200, 201, 150, 101, 100, 200] {
            in_columns = decisions > most_rows(600, in_columns);
            seen.push(in_columns);
        }
        assert_eq!(seen, [false, false, true, true, true, false, false]);
    }
}
