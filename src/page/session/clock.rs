//! The clock of a closed loop over time, as means over equal stretches: a bounded answer, however often it changes.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::page::doc::Side;
use crate::page::view::LaneId;
use crate::sim::FrequencyChange;
use crate::units::{Ns, Time};

/// The clock that all cores share, over the whole record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// How often it was set to another value.
    pub changes: u32,
    /// The highest it can be, kHz.
    pub max_khz: u32,
    /// Length of a stretch; the last one may be shorter.
    pub stretch: Ns,
    /// By stretch, weighted by time, kHz.
    pub mean_khz: Vec<u32>,
}

impl Session {
    /// The clock of one variant in at most so many stretches; none where none is modelled.
    #[must_use]
    pub fn clock(&self, side: Side, stretches: u32) -> Option<Clock> {
        let max_khz = self.clock_limit(side)?;
        let record = self.record(LaneId::of(side))?;
        let (stretch, mean_khz) = means(&record.frequency, record.start, record.end, stretches)?;
        Some(Clock {
            changes: u32::try_from(record.frequency.len().saturating_sub(1)).unwrap_or(u32::MAX),
            max_khz,
            stretch,
            mean_khz,
        })
    }
}

/// Length of a stretch, and the mean of each; none of no time, or where nothing is known of the clock.
fn means(changes: &[FrequencyChange], start: Time, end: Time, stretches: u32) -> Option<(Ns, Vec<u32>)> {
    let whole = end.saturating_since(start).as_ns();
    if whole <= 0 || changes.is_empty() {
        return None;
    }
    let length = (whole + i64::from(stretches) - 1) / i64::from(stretches.max(1));
    let count = usize::try_from((whole + length - 1) / length).ok()?;
    let mut sums = vec![0_i128; count];
    let at = |n: usize| {
        let time = changes.get(n).map_or(end, |change| change.at.min(end));
        time.saturating_since(start).as_ns().max(0)
    };
    for (n, change) in changes.iter().enumerate() {
        let (mut from, to) = (at(n), at(n + 1));
        while from < to {
            let Some(sum) = usize::try_from(from / length).ok().and_then(|n| sums.get_mut(n)) else {
                break;
            };
            let until = to.min((from / length + 1) * length);
            *sum += i128::from(until - from) * i128::from(change.khz);
            from = until;
        }
    }
    let mean = |(n, sum): (i64, i128)| {
        let held = length.min(whole - n * length).max(1);
        u32::try_from(sum / i128::from(held)).unwrap_or(u32::MAX)
    };
    Some((Ns::new(length), (0..).zip(sums).map(mean).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        changes: &[(i64, u32)],
        (start, end, stretches): (i64, i64, u32),
        expect: Option<(i64, &[u32])>,
    ) {
        let changes: Vec<FrequencyChange> = changes
            .iter()
            .map(|(at, khz)| FrequencyChange {
                at: Time::from_ns(*at),
                khz: *khz,
            })
            .collect();
        let found = means(&changes, Time::from_ns(start), Time::from_ns(end), stretches);
        let expect = expect.map(|(length, means)| (Ns::new(length), means.to_vec()));
        assert_eq!(found, expect);
    }

    #[test]
    fn a_mean_is_weighted_by_time_and_the_last_stretch_may_be_short() {
        check(&[(0, 100)], (0, 10, 2), Some((5, &[100, 100])));
        check(&[(0, 100), (4, 200)], (0, 10, 2), Some((5, &[120, 200])));
        check(&[(0, 100), (2, 300), (3, 100)], (0, 10, 1), Some((10, &[120])));
        check(&[(10, 100), (19, 400)], (10, 20, 3), Some((4, &[100, 100, 250])));
        check(&[(0, 100), (99, 900)], (0, 10, 1), Some((10, &[100])));
        check(&[], (0, 10, 1), None);
        check(&[(0, 100)], (5, 5, 1), None);
    }
}
