//! Numbers that carry their unit in the type.
//!
//! Absolute against relative time is the classic mistake of tick code, so
//! [`Time`] and [`Ns`] are two types and only the meaningful operators exist.
//! All arithmetic wraps or saturates only where a function says so.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use serde::{Deserialize, Serialize};

/// An instant, in nanoseconds since an origin that the workload defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(i64);

impl Time {
    /// The origin.
    pub const ZERO: Self = Self(0);
    /// Later than every event.
    pub const NEVER: Self = Self(i64::MAX);

    /// The instant `ns` nanoseconds after the origin.
    #[must_use]
    pub const fn from_ns(ns: i64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the origin.
    #[must_use]
    pub const fn as_ns(self) -> i64 {
        self.0
    }

    /// Whether this is [`Time::NEVER`].
    #[must_use]
    pub const fn is_never(self) -> bool {
        self.0 == i64::MAX
    }

    /// `self + d`, staying at [`Time::NEVER`] instead of wrapping.
    #[must_use]
    pub const fn saturating_add(self, d: Ns) -> Self {
        Self(self.0.saturating_add(d.0))
    }

    /// `self - earlier`, staying within the range of [`Ns`] instead of wrapping.
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Ns {
        Ns(self.0.saturating_sub(earlier.0))
    }
}

impl Sub for Time {
    type Output = Ns;
    fn sub(self, earlier: Self) -> Ns {
        Ns(self.0 - earlier.0)
    }
}
impl Add<Ns> for Time {
    type Output = Self;
    fn add(self, d: Ns) -> Self {
        Self(self.0 + d.0)
    }
}
impl Sub<Ns> for Time {
    type Output = Self;
    fn sub(self, d: Ns) -> Self {
        Self(self.0 - d.0)
    }
}
impl AddAssign<Ns> for Time {
    fn add_assign(&mut self, d: Ns) {
        *self = *self + d;
    }
}

/// A duration in nanoseconds; may be negative where the kernel's may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ns(i64);

impl Ns {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The kernel's "never" as a duration, 2^63 - 1 ns.
    pub const MAX: Self = Self(i64::MAX);

    /// `ns` nanoseconds.
    #[must_use]
    pub const fn new(ns: i64) -> Self {
        Self(ns)
    }

    /// `us` microseconds.
    #[must_use]
    pub const fn from_us(us: i64) -> Self {
        Self(us * 1_000)
    }

    /// `ms` milliseconds.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms * 1_000_000)
    }

    /// The number of nanoseconds.
    #[must_use]
    pub const fn as_ns(self) -> i64 {
        self.0
    }

    /// The number of nanoseconds in two's complement, as the kernel stores it in a `u64`.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0.cast_unsigned()
    }

    /// How many whole `unit`s fit, rounded down; `unit` must be positive.
    #[must_use]
    pub const fn div_floor(self, unit: Self) -> i64 {
        self.0.div_euclid(unit.0)
    }

    /// Rounded down to whole `unit`s, which must be positive; the least multiple of it stays within range.
    #[must_use]
    pub const fn floor_to(self, unit: Self) -> Self {
        Self(self.0.div_euclid(unit.0).saturating_mul(unit.0))
    }

    /// Sum that stays within range instead of wrapping.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Difference that stays within range instead of wrapping.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Ns {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}
impl Sub for Ns {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}
impl Mul<i64> for Ns {
    type Output = Self;
    fn mul(self, n: i64) -> Self {
        Self(self.0 * n)
    }
}
/// Rounds towards zero.
impl Div<i64> for Ns {
    type Output = Self;
    fn div(self, n: i64) -> Self {
        Self(self.0 / n)
    }
}
impl AddAssign for Ns {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
impl Sum for Ns {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// A duration in microseconds, in the 32 bits that some governors give it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Us(u32);

impl Us {
    /// The largest, which stands for "none" where the kernel says so.
    pub const MAX: Self = Self(u32::MAX);

    /// `us` microseconds.
    #[must_use]
    pub const fn new(us: u32) -> Self {
        Self(us)
    }

    /// Whole microseconds in `ns` nanoseconds, their low 32 bits.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "keeping the low bits is the point"
    )]
    pub const fn from_ns_low_bits(ns: u64) -> Self {
        Self((ns / 1_000) as u32)
    }

    /// The low 32 bits of `us` microseconds.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "keeping the low bits is the point"
    )]
    pub const fn from_us_low_bits(us: u64) -> Self {
        Self(us as u32)
    }

    /// The number of microseconds.
    #[must_use]
    pub const fn as_us(self) -> u32 {
        self.0
    }
}

impl From<Us> for Ns {
    fn from(us: Us) -> Self {
        Self::from_us(i64::from(us.0))
    }
}

/// A power in microwatts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Microwatts(u32);

impl Microwatts {
    /// `uw` microwatts.
    #[must_use]
    pub const fn new(uw: u32) -> Self {
        Self(uw)
    }

    /// The number of microwatts.
    #[must_use]
    pub const fn as_uw(self) -> u32 {
        self.0
    }
}

impl Mul<Ns> for Microwatts {
    type Output = Energy;
    /// In two halves of the duration: wasm has no wide product, and calls a function for it.
    fn mul(self, d: Ns) -> Energy {
        let power = i64::from(self.0);
        let (high, low) = (d.0 >> 32, d.0 & 0xffff_ffff);
        // `low * power` is below 2^64 but may not fit an i64.
        let low = low.cast_unsigned() * power.cast_unsigned();
        Energy((i128::from(high * power) << 32) + i128::from(low))
    }
}

/// An energy in femtojoules: microwatts times nanoseconds, so equal behaviour gives *equal* energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Energy(i128);

impl Energy {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// `fj` femtojoules.
    #[must_use]
    pub const fn from_fj(fj: i128) -> Self {
        Self(fj)
    }

    /// The number of femtojoules.
    #[must_use]
    pub const fn as_fj(self) -> i128 {
        self.0
    }
}

impl Add for Energy {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}
impl Sub for Energy {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}
impl AddAssign for Energy {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
impl Mul<i64> for Energy {
    type Output = Self;
    fn mul(self, n: i64) -> Self {
        Self(self.0 * i128::from(n))
    }
}
impl Sum for Energy {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// The kernel's number of a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CpuId(u16);

impl CpuId {
    /// CPU `n`.
    #[must_use]
    pub const fn new(n: u16) -> Self {
        Self(n)
    }

    /// The number, for indexing per-CPU arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for CpuId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cpu{}", self.0)
    }
}

/// The index of an idle state in its table; 0 is the shallowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StateIdx(u8);

impl StateIdx {
    /// The shallowest state.
    pub const ZERO: Self = Self(0);

    /// State `idx`.
    #[must_use]
    pub const fn new(idx: u8) -> Self {
        Self(idx)
    }

    /// For indexing per-state arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The index as written in sysfs and in trace events.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for StateIdx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_times_a_duration_is_their_exact_product() {
        let powers = [0, 1, 999, 1 << 31, u32::MAX];
        let durations = [0, 1, -1, 0xffff_ffff, 1 << 32, -(1 << 32) - 7, i64::MAX, i64::MIN];
        for power in powers {
            for duration in durations {
                let found = Microwatts::new(power) * Ns::new(duration);
                assert_eq!(
                    found.as_fj(),
                    i128::from(power) * i128::from(duration),
                    "{power} times {duration}"
                );
            }
        }
    }
}
