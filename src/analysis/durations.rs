//! How long things lasted: bins on a logarithmic ruler, and quantiles.

use crate::units::Ns;

/// Bins in a factor of ten.
pub const PER_DECADE: usize = 6;

/// Factors of ten covered, from 1 µs to 100 s.
const DECADES: usize = 8;

/// Edges between bins.
pub const EDGES: usize = PER_DECADE * DECADES + 1;

/// Bins: one below the first edge, one from each edge on.
pub const BINS: usize = EDGES + 1;

/// The edges within one decade, in 1/100 000 of its start: `10^(k/6)`, rounded to nearest.
const WITHIN_DECADE: [i64; PER_DECADE] = [100_000, 146_780, 215_443, 316_228, 464_159, 681_292];

/// Edge `k`, ns: `1 µs * 10^(k/6)`, rounded to nearest; 0 <= `k` < [`EDGES`].
const fn edge_at(k: usize) -> i64 {
    let mut scale = 1_000;
    let mut decade = 0;
    while decade < k / PER_DECADE {
        scale *= 10;
        decade += 1;
    }
    (WITHIN_DECADE[k % PER_DECADE] * scale + 50_000) / 100_000
}

const EDGE_NS: [i64; EDGES] = {
    let mut edges = [0; EDGES];
    let mut k = 0;
    while k < EDGES {
        edges[k] = edge_at(k);
        k += 1;
    }
    edges
};

/// Counts of durations: bin 0 is below 1 µs, six bins per decade up to 100 s, the last is all beyond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram([u32; BINS]);

impl Default for Histogram {
    fn default() -> Self {
        Self([0; BINS])
    }
}

impl Histogram {
    /// Counts one duration.
    pub fn add(&mut self, d: Ns) {
        let bin = EDGE_NS.partition_point(|edge| *edge <= d.as_ns());
        if let Some(count) = self.0.get_mut(bin) {
            *count = count.saturating_add(1);
        }
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// The counts, shortest durations first.
    #[must_use]
    pub fn counts(&self) -> &[u32] {
        &self.0
    }

    /// The edges between bins, ns, ascending: bin `k` is from edge `k - 1` up to, not including,
    /// edge `k`.
    #[must_use]
    pub fn edges() -> &'static [i64] {
        &EDGE_NS
    }
}

/// Median, 99th percentile and largest of some durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantiles {
    /// How many there were.
    pub count: u64,
    /// The smallest value that at least half of them do not exceed, ns.
    pub p50: Ns,
    /// The smallest value that at least 99 of 100 do not exceed, ns.
    pub p99: Ns,
    /// The largest, ns.
    pub max: Ns,
}

impl Quantiles {
    /// Of these values, which are reordered; `None` when there are none.
    #[must_use]
    pub fn of(values: &mut [Ns]) -> Option<Self> {
        let max = *values.iter().max()?;
        let mut at = |per_cent: usize| {
            let rank = (values.len() * per_cent).div_ceil(100).max(1) - 1;
            *values.select_nth_unstable(rank).1
        };
        let (p50, p99) = (at(50), at(99));
        Some(Self {
            count: values.len() as u64,
            p50,
            p99,
            max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_six_a_decade_from_1_us_to_100_s() {
        let edges = Histogram::edges();
        assert_eq!(
            &edges[..8],
            [1_000, 1_468, 2_154, 3_162, 4_642, 6_813, 10_000, 14_678]
        );
        assert_eq!(edges.last().copied(), Some(100_000_000_000));
        assert!(edges.is_sorted());
    }

    #[test]
    fn an_edge_belongs_to_the_bin_it_begins() {
        let bin = |ns| {
            let mut histogram = Histogram::default();
            histogram.add(Ns::new(ns));
            histogram.counts().iter().position(|count| *count == 1)
        };
        let cases = [
            (0, 0),
            (999, 0),
            (1_000, 1),
            (1_467, 1),
            (1_468, 2),
            (100_000_000_000, 49),
        ];
        for (ns, want) in cases {
            assert_eq!(bin(ns), Some(want), "{ns} ns");
        }
        assert_eq!(bin(i64::MAX), Some(BINS - 1));
        assert_eq!(bin(-5), Some(0));
    }

    #[test]
    fn quantiles_are_values_that_occur() {
        let mut values: Vec<Ns> = (1..=200).rev().map(Ns::new).collect();
        let found = Quantiles::of(&mut values).unwrap();
        assert_eq!(
            (found.p50, found.p99, found.max),
            (Ns::new(100), Ns::new(198), Ns::new(200))
        );
        assert_eq!(Quantiles::of(&mut []), None);
        let one = Quantiles::of(&mut [Ns::new(7)]).unwrap();
        assert_eq!(
            (one.p50, one.p99, one.max, one.count),
            (Ns::new(7), Ns::new(7), Ns::new(7), 1)
        );
    }
}
