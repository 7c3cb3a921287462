//! The one source of randomness: seeded, integer only, one sub-stream per task.
//!
//! A sub-stream depends on the seed and its own number alone, so adding a task does not reshuffle the others. The
//! generator is SplitMix64 (Steele, Lea, Flood 2014): one 64-bit word of state, advanced by a constant and mixed.

use crate::units::Ns;

const ADVANCE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Fraction bits of [`Rng::exponential`]'s logarithm.
const FRACTION_BITS: u32 = 32;
/// ln 2 with [`FRACTION_BITS`] fraction bits, rounded.
const LN_2: u128 = 2_977_044_472;

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Sub-stream `task` of the stream that `seed` names.
    #[must_use]
    pub fn stream(seed: u64, task: u64) -> Self {
        Self {
            state: mix(mix(seed.wrapping_add(ADVANCE)) ^ task.wrapping_mul(ADVANCE)),
        }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(ADVANCE);
        mix(self.state)
    }

    /// Uniform in `from..=to`; `from` when that is empty.
    pub fn uniform(&mut self, from: Ns, to: Ns) -> Ns {
        let span = to.saturating_sub(from).as_ns();
        let Ok(span) = u64::try_from(span) else {
            return from;
        };
        let scaled = (u128::from(self.bits()) * (u128::from(span) + 1)) >> 64;
        from + Ns::new(i64::try_from(scaled).unwrap_or(i64::MAX))
    }

    /// Whether something happens that has a probability of `percent`.
    pub fn chance(&mut self, percent: u8) -> bool {
        (u128::from(self.bits()) * 100) >> 64 < u128::from(percent)
    }

    /// Exponentially distributed with this mean, at least 1 ns and at most 44 times the mean.
    ///
    /// The logarithm is taken bit by bit in integers, so that every platform draws the same.
    pub fn exponential(&mut self, mean: Ns) -> Ns {
        let minus_log2 = minus_log2(self.bits() | 1);
        let factor = (u128::from(minus_log2) * LN_2) >> FRACTION_BITS;
        let ns = u128::try_from(mean.as_ns()).map_or(0, |mean| (mean * factor) >> FRACTION_BITS);
        Ns::new(i64::try_from(ns).unwrap_or(i64::MAX).max(1))
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// −log2(u / 2^64) with [`FRACTION_BITS`] fraction bits, rounded up; `u` is not 0.
///
/// The whole part is the number of leading zeros. What is left is a number in [1, 2); each squaring moves one
/// bit of its logarithm in front of the point.
fn minus_log2(u: u64) -> u64 {
    let zeros = u.leading_zeros();
    let mut mantissa = u << zeros;
    let mut log2 = 0u64;
    for _ in 0..FRACTION_BITS {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carries = square >> 127 != 0;
        let top = if carries { square >> 64 } else { square >> 63 };
        mantissa = u64::try_from(top).unwrap_or(u64::MAX);
        log2 = log2 << 1 | u64::from(carries);
    }
    ((u64::from(zeros) + 1) << FRACTION_BITS) - log2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_one_seed_differ_and_repeat() {
        let draw = |task| Rng::stream(1, task).bits();
        assert_eq!(draw(0), draw(0));
        assert_ne!(draw(0), draw(1));
        assert_ne!(Rng::stream(2, 0).bits(), draw(0));
    }

    #[test]
    fn the_logarithm_is_exact_where_it_is_whole() {
        for bits in 1..64u32 {
            assert_eq!(minus_log2(1 << (64 - bits)), u64::from(bits) << 32, "2^-{bits}");
        }
    }

    #[test]
    fn the_mean_of_the_exponential_is_what_was_asked() {
        let mut rng = Rng::stream(7, 0);
        let sum: Ns = (0..100_000).map(|_| rng.exponential(Ns::from_us(150))).sum();
        let mean = sum / 100_000;
        assert!((149_000..151_000).contains(&mean.as_ns()), "{mean:?}");
    }

    #[test]
    fn uniform_reaches_both_ends_and_no_further() {
        let mut rng = Rng::stream(7, 0);
        let drawn: Vec<i64> = (0..1_000)
            .map(|_| rng.uniform(Ns::new(-2), Ns::new(2)).as_ns())
            .collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
    }

    #[test]
    fn no_chance_and_certainty() {
        let mut rng = Rng::stream(7, 0);
        assert!((0..1_000).all(|_| !rng.chance(0) && rng.chance(100)));
    }
}
