//! When a kernel timeout really fires: the buckets of the timer wheel (spec idle-loop-and-tick.md §8).
//!
//! Levels of 64 buckets, each eight times coarser than the one below. A timer
//! goes into the level where its distance fits and fires when that bucket's
//! jiffy has begun: never early, and late by 1 jiffy to one granule.
//!
//! ```text
//!   level 0: 1 jiffy per bucket, distance < 63
//!   level 1: 8 jiffies,          distance < 63·8
//!   level n: 8ⁿ jiffies,         distance < 63·8ⁿ     the last level takes the rest, clamped
//! ```

use super::Hz;

/// Where a timer is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bucket {
    /// 0 is the finest.
    pub level: u32,
    /// 0 to 63 within the level.
    pub index: u64,
    /// The jiffy at which everything in the bucket expires.
    pub expires: u64,
}

/// Each level is this power of two coarser than the one below.
const SHIFT: u32 = 3;
/// Distances, in granules, from which the next level takes over.
const REACH: u64 = 63;

/// Number of levels at this tick rate.
fn levels(hz: Hz) -> u32 {
    if hz.get() <= 100 { 8 } else { 9 }
}

/// The bucket of a timer that is to expire at jiffy `expires`, queued when the wheel's clock shows `clock`.
///
/// For an idle CPU the wheel's clock is the current jiffies value.
#[must_use]
pub fn bucket(hz: Hz, clock: u64, expires: u64) -> Bucket {
    let distance = expires.wrapping_sub(clock);
    if distance.cast_signed() < 0 {
        return Bucket {
            level: 0,
            index: clock & 63,
            expires: clock,
        };
    }
    let last = levels(hz) - 1;
    let level = (0..last)
        .find(|level| distance < REACH << (SHIFT * level))
        .unwrap_or(last);
    let reach = REACH << (SHIFT * last);
    let expires = if distance >= reach {
        clock.wrapping_add(reach - (1 << (SHIFT * last)))
    } else {
        expires
    };
    let granule = (expires >> (SHIFT * level)).wrapping_add(1);
    Bucket {
        level,
        index: granule & 63,
        expires: granule << (SHIFT * level),
    }
}
