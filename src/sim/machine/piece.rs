//! A stretch of code or work whose end depends on the clock.
//!
//! ```text
//!   since       fixed        cycles at khz        end
//!     |-----------|----------------------------------|
//!                       ^ speed changes: what is left is kept
//! ```

use super::Cycles;
use crate::units::{Ns, Time};

/// What is left of it at `since`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim) struct Piece {
    since: Time,
    fixed: Ns,
    cycles: Cycles,
    khz: u32,
}

impl Piece {
    pub fn new(since: Time, fixed: Ns, cycles: Cycles, khz: u32) -> Self {
        Self {
            since,
            fixed,
            cycles,
            khz,
        }
    }

    /// The clock at which it goes on.
    pub const fn khz(&self) -> u32 {
        self.khz
    }

    /// When it is done.
    pub fn end(&self) -> Time {
        self.since
            .saturating_add(self.fixed)
            .saturating_add(self.cycles.at(self.khz))
    }

    /// The rest of it from `now` on, at another speed.
    pub fn at_speed(self, now: Time, khz: u32) -> Self {
        let passed = now.saturating_since(self.since).max(Ns::ZERO);
        let scaled = Ns::new(passed.as_ns().saturating_sub(self.fixed.as_ns()).max(0));
        let done = Cycles::within(scaled, self.khz);
        Self {
            since: now,
            fixed: Ns::new(self.fixed.as_ns().saturating_sub(passed.as_ns()).max(0)),
            cycles: Cycles::new(self.cycles.get().saturating_sub(done.get())),
            khz,
        }
    }

    /// With more to do at its end.
    pub fn and(self, more: Cycles) -> Self {
        Self {
            cycles: self.cycles + more,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_speed_keeps_the_cycles_that_are_left() {
        let start = Time::from_ns(1_000);
        let piece = Piece::new(start, Ns::new(100), Cycles::new(2_000), 1_000_000);
        assert_eq!(piece.end(), Time::from_ns(3_100));
        let doubled = piece.at_speed(Time::from_ns(2_100), 2_000_000);
        assert_eq!(doubled.end(), Time::from_ns(2_600), "1000 cycles at 2 GHz");
        let early = piece.at_speed(Time::from_ns(1_050), 2_000_000);
        assert_eq!(
            early.end(),
            Time::from_ns(2_100),
            "50 ns fixed, 2000 cycles at 2 GHz"
        );
    }
}
