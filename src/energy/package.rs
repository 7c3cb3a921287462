//! What a machine with a clock drew: from the time that each core spent at each frequency (spec
//! closed-loop-model.md §2). Estimates.
//!
//! The clock's power law is taken in steps of one per mille, from roots of integers: no float is needed.

use crate::sim::machine::{CoreKind, CoreUse, ModelPower, Usage};
use crate::units::{Energy, Microwatts, Ns};

/// What was drawn while `usage` was collected over `span`; `reference_khz` is the clock of the model's powers.
#[must_use]
pub fn drawn(power: &ModelPower, usage: &Usage, reference_khz: u32, span: Ns) -> Energy {
    let cores: Energy = usage
        .entries()
        .map(|used| core_power(power, &used, reference_khz) * used.time)
        .fold(Energy::ZERO, |sum, energy| sum + energy);
    let asleep: Ns = usage
        .package()
        .filter(|asleep| asleep.state >= power.asleep_from)
        .map(|asleep| asleep.time)
        .sum();
    cores + power.floor_asleep * asleep + power.floor * (span - asleep)
}

/// The mean over `span`; zero for an empty one.
#[must_use]
pub fn mean(energy: Energy, span: Ns) -> Microwatts {
    let ns = i128::from(span.as_ns().max(1));
    Microwatts::new(u32::try_from(energy.as_fj() / ns).unwrap_or_default())
}

fn core_power(power: &ModelPower, used: &CoreUse, reference_khz: u32) -> Microwatts {
    let Some(core) = power.cores.get(usize::from(used.core)) else {
        return Microwatts::new(0);
    };
    let (at_reference, follows) = match used.kind {
        CoreKind::Awake { tenths } => {
            let threads = u64::from(core.thread.as_uw()) * u64::from(tenths) / 10;
            (u64::from(core.awake.as_uw()) + threads, true)
        }
        CoreKind::Asleep(state) => {
            let own = core.states.get(state.index()).or(core.states.last());
            let follows = state.index() < core.scaled_states;
            (own.map_or(0, |own| own.as_uw().into()), follows)
        }
    };
    let uw = if follows {
        at_reference * law(used.khz, reference_khz, power.exponent_per_mille) / 1_000
    } else {
        at_reference
    };
    Microwatts::new(u32::try_from(uw).unwrap_or(u32::MAX))
}

/// Fraction bits of [`law`].
const BITS: u32 = 40;

/// `(khz / reference)` to the power of `exponent / 1000`, per mille.
fn law(khz: u32, reference_khz: u32, exponent_per_mille: u32) -> u64 {
    let one = 1_u128 << BITS;
    let ratio = (u128::from(khz) << BITS) / u128::from(reference_khz.max(1));
    let times = |a: u128, b: u128| (a * b) >> BITS;
    let (whole, rest) = (exponent_per_mille / 1_000, exponent_per_mille % 1_000);
    let mut result = (0..whole).fold(one, |product, _| times(product, ratio));
    // The rest in binary places: each is a root further.
    let (mut root, mut left) = (ratio, rest);
    for _ in 0..24 {
        root = (root << BITS).isqrt();
        left *= 2;
        if left >= 1_000 {
            left -= 1_000;
            result = times(result, root);
        }
    }
    u64::try_from((result * 1_000 + one / 2) >> BITS).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_is_the_power_of_the_ratio() {
        assert_eq!(law(3_700_000, 3_700_000, 1_620), 1_000);
        assert_eq!(law(1_600_000, 3_700_000, 1_620), 257);
        assert_eq!(law(1_600_000, 3_200_000, 2_000), 250);
        assert_eq!(law(1_600_000, 3_200_000, 500), 707);
    }
}
