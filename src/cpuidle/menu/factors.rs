//! Correction factors: by how much timers of a given distance overstate the stay (spec menu.md
//! §1, §2.2, §2.4).

use super::step::Step;
use crate::probe::Probe;
use crate::units::{Ns, Us};

/// Buckets by order of magnitude of the timer's distance, in two groups.
pub(super) const BUCKETS: usize = 12;
const GROUP: u8 = 6;

/// A factor that says "as long as the timer".
const UNITY: u32 = 8_192;

/// A factor's unit times ns per µs, and half of it for rounding.
const SCALE: u64 = 8_192_000;

/// Stays from here on count as having lasted to their timer.
pub(super) const MAX_INTERESTING: Ns = Ns::from_ms(50);

/// One factor per bucket, 8192 for "as long as the timer", and the bucket in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Factors {
    pub factors: [u32; BUCKETS],
    pub bucket: u8,
    decay_shift: u32,
}

impl Factors {
    /// All say "as long as the timer". A factor moves by its `2^-decay_shift` towards each stay.
    pub const fn new(decay_shift: u32) -> Self {
        Self {
            factors: [UNITY; BUCKETS],
            bucket: 0,
            decay_shift,
        }
    }

    /// The factor in use.
    pub fn factor(&self) -> u32 {
        self.factors
            .get(usize::from(self.bucket))
            .copied()
            .unwrap_or(UNITY)
    }

    /// Takes the bucket of a timer into use.
    pub fn choose<P: Probe<Step>>(&mut self, next_timer: Ns, nr_iowait: u32, probe: &mut P) {
        self.bucket = bucket(next_timer, nr_iowait);
        let (bucket, factor) = (self.bucket, self.factor());
        probe.step(|| Step::Bucket {
            next_timer,
            nr_iowait,
            bucket,
            factor,
        });
    }

    /// The timer's distance times the factor in use, rounded to µs.
    pub fn corrected<P: Probe<Step>>(&self, next_timer: Ns, probe: &mut P) -> Us {
        let factor = self.factor();
        let product = next_timer.as_u64().wrapping_mul(u64::from(factor));
        let predicted = Us::from_us_low_bits(product.wrapping_add(SCALE / 2) / SCALE);
        probe.step(|| Step::CorrectedTimer {
            next_timer,
            factor,
            predicted,
        });
        predicted
    }

    /// Moves the factor in use an eighth of the way towards the last stay. `measured` is not above
    /// `next_timer`.
    pub fn learn(&mut self, measured: u64, next_timer: Ns) {
        // What a stay as long as its timer adds, so that the factor settles at unity.
        let whole = UNITY >> self.decay_shift;
        let target = if next_timer > Ns::ZERO && measured < MAX_INTERESTING.as_u64() {
            u32::try_from(u64::from(whole) * measured / next_timer.as_u64()).unwrap_or(u32::MAX)
        } else {
            whole
        };
        if let Some(factor) = self.factors.get_mut(usize::from(self.bucket)) {
            *factor = (*factor - (*factor >> self.decay_shift)).wrapping_add(target);
        }
    }
}

/// The bucket of a timer's distance: the order of magnitude from 10 µs on, in the upper group
/// while anything waits for I/O.
fn bucket(next_timer: Ns, nr_iowait: u32) -> u8 {
    let next_timer = next_timer.as_ns();
    let limits = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    let within: u8 = limits
        .into_iter()
        .map(|limit| u8::from(next_timer >= limit))
        .sum();
    if nr_iowait == 0 { within } else { within + GROUP }
}
