//! Between the clock of the stamps and the clock of the timers.
//!
//! Stamps lie on the trace's own clock, expiries on CLOCK_MONOTONIC. Everything in this module's parent is kept on
//! the trace's clock, so that a row carries the instant that the file shows. The two differ by a constant
//! (spec replay-inputs.md §2.1.3). All arithmetic stays in range: a trace may say anything.

use crate::units::{Ns, Time};

/// The tick grid and the way between the two clocks.
///
/// ```text
///   monotonic   0        TICK      2·TICK
///               |---------|---------|------
///   trace    offset   offset+TICK
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The tick period, ns, more than 0.
    pub tick: Ns,
    /// Trace clock minus CLOCK_MONOTONIC, ns. Without hrtimers only its rest modulo the period is known.
    pub offset: Ns,
}

impl Clock {
    /// The instant on the trace's clock of `ns` on CLOCK_MONOTONIC; "never" stays "never".
    #[must_use]
    pub const fn from_monotonic(self, ns: i64) -> Time {
        if ns == i64::MAX {
            Time::NEVER
        } else {
            Time::from_ns(ns.saturating_add(self.offset.as_ns()))
        }
    }

    /// Nanoseconds on CLOCK_MONOTONIC.
    #[must_use]
    pub const fn to_monotonic(self, t: Time) -> i64 {
        t.as_ns().saturating_sub(self.offset.as_ns())
    }

    /// The number of the last grid point that is not after `t`, counted from the monotonic zero.
    #[must_use]
    pub const fn ticks(self, t: Time) -> i64 {
        self.to_monotonic(t).div_euclid(self.tick.as_ns())
    }

    /// Grid point `n`.
    #[must_use]
    pub const fn at(self, n: i64) -> Time {
        self.from_monotonic(n.saturating_mul(self.tick.as_ns()))
    }

    /// The last grid point that is not after `t`.
    #[must_use]
    pub const fn grid_at_or_before(self, t: Time) -> Time {
        self.at(self.ticks(t))
    }

    /// The first grid point that is strictly after `t`.
    #[must_use]
    pub const fn grid_after(self, t: Time) -> Time {
        self.at(self.ticks(t).saturating_add(1))
    }

    /// How long after a grid point `t` lies, ns: 0 to the period, the period itself excluded.
    #[must_use]
    pub const fn phase(self, t: Time) -> Ns {
        Ns::new(self.to_monotonic(t).rem_euclid(self.tick.as_ns()))
    }

    /// Time from `now` to `event`, ns. The kernel's "never" is 2^63 - 1 ns on its own clock, not a
    /// round large number: its products wrap, and their low bits matter (spec §2.5).
    #[must_use]
    pub const fn until(self, event: Time, now: Time) -> Ns {
        if event.is_never() {
            Ns::new(i64::MAX.saturating_sub(self.to_monotonic(now)))
        } else {
            event.saturating_since(now)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock {
        tick: Ns::from_ms(4),
        offset: Ns::from_us(420_005),
    };

    #[test]
    fn a_grid_point_lies_on_both_sides_of_no_instant() {
        let at = CLOCK.from_monotonic(8_000_000);
        assert_eq!(CLOCK.grid_at_or_before(at), at);
        assert_eq!(CLOCK.grid_after(at), at + Ns::from_ms(4));
        assert_eq!(CLOCK.phase(at + Ns::new(7)), Ns::new(7));
        assert_eq!(CLOCK.grid_at_or_before(at + Ns::new(-1)), at + Ns::from_ms(-4));
    }

    #[test]
    fn never_is_measured_on_the_kernels_clock() {
        let now = CLOCK.from_monotonic(5_000);
        assert_eq!(CLOCK.until(Time::NEVER, now), Ns::new(i64::MAX - 5_000));
        assert_eq!(CLOCK.until(now + Ns::new(-3), now), Ns::new(-3));
        assert_eq!(CLOCK.from_monotonic(i64::MAX), Time::NEVER);
    }
}
