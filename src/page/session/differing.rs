//! Where A and B differ on one CPU, as stretches of time for the timeline.

use super::Session;
use crate::page::doc::Side;
use crate::units::{CpuId, Ns, Time};

impl Session {
    /// Stretches in which A and B decided differently, within a window counted from the start of the
    /// record: each from entry to the later wakeup. Stretches closer than `gap` are one, so that there are
    /// at most as many as the window is gaps long.
    #[must_use]
    pub fn differing(&self, cpu: CpuId, (from, to): (Time, Time), gap: Ns) -> Vec<(Time, Time)> {
        let found = || {
            let results = self.results.as_ref()?;
            let lane = results.diff.as_ref()?.lane(cpu)?;
            let exit = |side: Side, n: u32| {
                let record = results.side(side)?.finished.record();
                Some(record.lane(cpu)?.row(usize::try_from(n).ok()?)?.exit)
            };
            let (begin, end) = (self.absolute(from)?, self.absolute(to)?);
            // The last one before the window may reach into it.
            let first = lane.entries().partition_point(|entry| *entry < begin);
            let pairs = lane.entries().iter().zip(lane.differences());
            let stretches = pairs
                .skip(first.saturating_sub(1))
                .take_while(|(entry, _)| **entry < end)
                .filter_map(|(entry, pair)| {
                    let last = exit(Side::A, pair.a)?.max(exit(Side::B, pair.b)?);
                    Some((self.relative(*entry)?, self.relative(last)?))
                })
                .filter(|(_, last)| *last > from);
            Some(joined(stretches, gap))
        };
        found().unwrap_or_default()
    }

    /// How many differences come before A's decision at `entry` on a CPU, and how many there are: within
    /// `range`, the end excluded, when it holds the decision, else in the whole record. Instants are
    /// counted from the start of the record; none unless both sides ran.
    #[must_use]
    pub fn place_among(
        &self,
        entry: Time,
        cpu: CpuId,
        range: Option<(Time, Time)>,
    ) -> Option<(usize, usize, bool)> {
        let diff = self.results.as_ref()?.diff.as_ref()?;
        let at = self.absolute(entry)?;
        let before = diff.ordinal(at, cpu);
        let Some((from, to)) = range.filter(|(from, to)| (*from..*to).contains(&entry)) else {
            return Some((before, diff.counts().differences as usize, false));
        };
        let (from, to) = (self.absolute(from)?, self.absolute(to)?);
        let earlier = diff.ordinal(from, CpuId::new(0));
        let all = diff.counts_within(from, to).differences as usize;
        Some((before.saturating_sub(earlier), all, true))
    }
}

/// Stretches in time order, those closer than `gap` made one.
fn joined(stretches: impl Iterator<Item = (Time, Time)>, gap: Ns) -> Vec<(Time, Time)> {
    let mut all: Vec<(Time, Time)> = Vec::new();
    for (from, to) in stretches {
        match all.last_mut() {
            Some((_, last)) if from.saturating_since(*last) < gap || from <= *last => *last = to.max(*last),
            _ => all.push((from, to)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stretches: &[(i64, i64)], gap: i64, expect: &[(i64, i64)]) {
        let times = |all: &[(i64, i64)]| -> Vec<(Time, Time)> {
            let time = |(from, to): &(i64, i64)| (Time::from_ns(*from), Time::from_ns(*to));
            all.iter().map(time).collect()
        };
        assert_eq!(joined(times(stretches).into_iter(), Ns::new(gap)), times(expect));
    }

    #[test]
    fn stretches_closer_than_the_gap_are_one() {
        check(&[(0, 10), (12, 20), (40, 50)], 5, &[(0, 20), (40, 50)]);
        check(&[(0, 10), (12, 20)], 1, &[(0, 10), (12, 20)]);
    }

    #[test]
    fn stretches_that_touch_or_overlap_are_one() {
        check(&[(0, 10), (10, 20), (15, 18), (30, 31)], 0, &[(0, 20), (30, 31)]);
    }
}
