//! How long ticks stayed stopped: idle times for which a running tick was stopped, in the eleven buckets in which such
//! times are published (spec seed-experiments.md §1.6, criterion 1.8 E).
//!
//! ```text
//!   busy |-- select, tick stopped --|== sleep ==|-- select --|== sleep ==| busy
//!        |------------------- one entry of the histogram ----------------|
//! ```

use crate::sim::{Flags, Row};
use crate::units::{Ns, Time};

/// The bounds of the buckets, ns, descending: what is not below the first is in the first bucket, what is below the last
/// in the last one.
pub const BOUNDS: [i64; 10] = [
    4_000_000, 2_000_000, 1_000_000, 500_000, 250_000, 100_000, 50_000, 25_000, 10_000, 5_000,
];

/// How many buckets.
pub const BUCKETS: usize = BOUNDS.len() + 1;

/// Counts by bucket, the longest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TickStops([u64; BUCKETS]);

impl TickStops {
    /// One more.
    pub fn add(&mut self, length: Ns) {
        let bucket = BOUNDS.iter().take_while(|bound| length.as_ns() < **bound).count();
        if let Some(count) = self.0.get_mut(bucket) {
            *count += 1;
        }
    }

    /// By bucket, the longest first.
    #[must_use]
    pub const fn counts(&self) -> [u64; BUCKETS] {
        self.0
    }
}

/// Follows one CPU from the stop of its tick to where somebody runs again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopped {
    since: Option<Time>,
}

impl Stopped {
    /// The next row of the CPU; answers how long the CPU was idle, ns, when an idle time ends whose tick was stopped.
    pub fn take(&mut self, row: &Row) -> Option<Ns> {
        if row.flags.has(Flags::STOPPED_NOW) {
            self.since = Some(row.entry);
        }
        if !row.flags.has(Flags::RESCHEDULED) {
            return None;
        }
        let since = self.since.take()?;
        Some(row.exit.saturating_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Cause;
    use crate::units::StateIdx;

    #[test]
    fn a_length_falls_into_the_bucket_of_its_bounds() {
        let check = |ns: i64, bucket: usize| {
            let mut found = TickStops::default();
            found.add(Ns::new(ns));
            assert_eq!(found.counts()[bucket], 1, "{ns}");
        };
        check(i64::MAX, 0);
        check(4_000_000, 0);
        check(3_999_999, 1);
        check(25_000, 7);
        check(24_999, 8);
        check(5_000, 9);
        check(4_999, 10);
        check(0, 10);
    }

    #[test]
    fn an_idle_time_lasts_from_the_stop_until_somebody_runs() {
        let row = |entry: i64, exit: i64, flags: Flags| Row {
            entry: Time::from_ns(entry),
            wake: Time::from_ns(exit),
            exit: Time::from_ns(exit),
            sleep_length: Ns::ZERO,
            period: 0,
            selected: StateIdx::ZERO,
            entered: StateIdx::ZERO,
            cause: Cause::Timer,
            flags,
        };
        let mut cpu = Stopped::default();
        assert_eq!(cpu.take(&row(0, 5, Flags::RESCHEDULED)), None, "the tick ran on");
        assert_eq!(cpu.take(&row(10, 15, Flags::NONE)), None);
        assert_eq!(cpu.take(&row(15, 20, Flags::STOPPED_NOW)), None);
        assert_eq!(
            cpu.take(&row(20, 45, Flags::STOPPED.and(Flags::RESCHEDULED))),
            Some(Ns::new(30))
        );
        assert_eq!(
            cpu.take(&row(50, 55, Flags::STOPPED.and(Flags::RESCHEDULED))),
            None,
            "told already"
        );
    }
}
