//! PELT: how much of its recent time a CPU ran, as a sum that fades (spec pelt-schedutil.md §1).
//!
//! Time is counted in units of 1024 ns, 1024 of which are a segment. What was added to a sum *n* segments ago
//! weighs yⁿ now, with y³² = 1/2.
//!
//! ```text
//!           last update                                        now
//!   --|-------*=====|===========|===========|===========|=======*----|--
//!     |position|rest|        whole segments             | begun |
//!              '-------- what the update contributes -----------'
//! ```
//!
//! The steps are [`decay`], [`Segments::advance`] and [`Faded::update`]; [`Signal`] is the three sums of a run
//! queue by all of them, [`Utilization`] the one sum that the idle loop needs. The sum fades only when it is
//! updated, and its average changes only when an update reaches another segment. Where kernels differ is
//! [`Rules`].
//!
//! Invariant: with `load` below 2³² nothing overflows, and a CPU that always runs tends to an average of 1024.

use crate::units::{Ns, Time};

/// Units in a segment, and the weight of a unit of running at full speed.
const SEGMENT: u64 = 1_024;

/// What a sum of ones tends to: Σ 1024·yⁿ as the integer steps give it.
const MAX: u64 = 47_742;

/// From here on nothing is left of a sum, in segments.
const FORGOTTEN: u64 = 2_016;

/// Segments after which half is left.
const HALF_LIFE: u64 = 32;

/// ⌊(2³² − 1)·2^(−k/32)⌋ for k from 0 to 31.
const FADING: [u64; 32] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// What is left of `sum` after so many segments.
///
/// Loses one even for none, which no update asks for.
///
/// ```
/// use idlescope::tick::pelt::decay;
/// assert_eq!(decay(1_000, 32), 499);
/// assert_eq!(decay(1_000, 2_017), 0);
/// ```
#[must_use]
pub fn decay(sum: u64, segments: u64) -> u64 {
    if segments > FORGOTTEN {
        return 0;
    }
    let halved = sum >> (segments / HALF_LIFE);
    let fading = usize::try_from(segments % HALF_LIFE)
        .ok()
        .and_then(|k| FADING.get(k))
        .copied()
        .unwrap_or(0);
    // The product has 96 bits: its halves are multiplied apart.
    let (high, low) = (halved >> 32, halved & 0xffff_ffff);
    high * fading + ((low * fading) >> 32)
}

/// Where a sum stands in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    last: Time,
    position: u64,
}

/// What an update covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed {
    /// Segments that have ended.
    pub segments: u64,
    /// What the time since the last update adds to a sum of ones.
    pub contribution: u64,
    /// What a sum of ones can be at most by now: an average is a sum divided by this. None while the segment
    /// of the last update lasts.
    pub full: Option<u64>,
}

impl Segments {
    /// A segment begins at `now`.
    #[must_use]
    pub const fn starting(now: Time) -> Self {
        Self {
            last: now,
            position: 0,
        }
    }

    /// Up to when time is counted: below a unit before the last update.
    #[must_use]
    pub const fn last(&self) -> Time {
        self.last
    }

    /// Units of the present segment that have passed, 0 to 1023.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Moves on to `now`; none when no whole unit has passed. A clock that went back is followed and nothing
    /// is counted.
    pub fn advance(&mut self, now: Time) -> Option<Elapsed> {
        let since = now.saturating_since(self.last);
        if since < Ns::ZERO {
            self.last = now;
            return None;
        }
        let units = since.as_ns() >> 10;
        if units == 0 {
            return None;
        }
        self.last += Ns::new(units << 10);

        let units = units.unsigned_abs();
        let reached = self.position + units;
        let segments = reached / SEGMENT;
        let begun = reached % SEGMENT;
        let contribution = if segments == 0 {
            units
        } else {
            let rest = decay(SEGMENT - self.position, segments);
            let whole = MAX - decay(MAX, segments) - SEGMENT;
            rest + whole + begun
        };
        self.position = begun;
        Some(Elapsed {
            segments,
            contribution,
            full: (segments > 0).then_some(MAX - SEGMENT + begun),
        })
    }
}

/// A sum and its average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faded {
    /// The sum.
    pub sum: u64,
    /// The average as of the last update that reached another segment.
    pub average: u64,
}

impl Faded {
    /// Lets the sum fade, adds `added`, and takes the average of `weight` times the sum where it is due.
    pub fn update(&mut self, elapsed: Elapsed, added: u64, weight: u64) {
        if elapsed.segments > 0 {
            self.sum = decay(self.sum, elapsed.segments);
        }
        self.sum += added;
        if let Some(full) = elapsed.full {
            // 64 bits, as the kernel has them.
            self.average = self.sum.wrapping_mul(weight) / full;
        }
    }
}

/// How long a CPU ran: the sum that its utilisation is the average of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utilization {
    segments: Segments,
    running: Faded,
}

impl Utilization {
    /// Of a CPU that has not run yet.
    #[must_use]
    pub fn starting(now: Time) -> Self {
        Self {
            segments: Segments::starting(now),
            running: Faded::default(),
        }
    }

    /// Of a CPU that has long run so much that the average is this, 0 to 1024.
    #[must_use]
    pub fn settled(now: Time, average: u64) -> Self {
        let average = average.min(1_024);
        Self {
            segments: Segments::starting(now),
            running: Faded {
                sum: average * (MAX - SEGMENT),
                average,
            },
        }
    }

    /// The CPU ran, or did not, since the last update.
    pub fn update(&mut self, now: Time, ran: bool) {
        if let Some(elapsed) = self.segments.advance(now) {
            let added = if ran { elapsed.contribution * SEGMENT } else { 0 };
            self.running.update(elapsed, added, 1);
        }
    }

    /// The sum, 0 to 1024 times what a sum of ones can be.
    #[must_use]
    pub const fn sum(&self) -> u64 {
        self.running.sum
    }

    /// The average, 0 to 1024.
    #[must_use]
    pub const fn average(&self) -> u64 {
        self.running.average
    }

    /// The average as if it were taken anew now, not only when a segment is full.
    #[must_use]
    pub const fn fresh_average(&self) -> u64 {
        self.running.sum / (MAX - SEGMENT + self.segments.position())
    }
}

/// Where kernels differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Where the speed of the CPU counts.
    pub speed: SpeedCounts,
    /// What `runnable` is the sum of.
    pub runnable: Runnable,
}

/// Where a CPU that is not the fastest, or not at its highest frequency, is told from one that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedCounts {
    /// What an update adds is scaled.
    InContribution,
    /// The clock is (see [`super::pelt_clock`]); an update adds all that the clock shows.
    InClock,
}

/// What the sum of waiting tasks is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runnable {
    /// The load that can run; its average has the weight of the load's.
    Load,
    /// The number of tasks that can run, 1024 for each.
    Tasks,
}

/// The speed of a CPU, each of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    /// Its frequency against its highest.
    pub frequency: u64,
    /// Its capacity against the largest of the machine.
    pub capacity: u64,
}

impl Speed {
    /// The largest CPU at its highest frequency.
    pub const FULL: Self = Self {
        frequency: 1_024,
        capacity: 1_024,
    };
}

/// What was on a run queue since the last update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Load; with none, nothing can run.
    pub load: u64,
    /// Tasks or load that can run, by [`Rules::runnable`].
    pub runnable: u64,
    /// Whether a task ran.
    pub running: bool,
    /// The weight of the load in its average.
    pub weight: u64,
    /// How fast the CPU was.
    pub speed: Speed,
}

/// The three sums of a run queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    rules: Rules,
    segments: Segments,
    load: Faded,
    runnable: Faded,
    running: Faded,
}

impl Signal {
    /// Of a run queue on which nothing was yet.
    #[must_use]
    pub fn starting(rules: Rules, now: Time) -> Self {
        Self {
            rules,
            segments: Segments::starting(now),
            load: Faded::default(),
            runnable: Faded::default(),
            running: Faded::default(),
        }
    }

    /// Accounts for the time since the last update; whether the averages are new.
    pub fn update(&mut self, now: Time, queued: Queued) -> bool {
        let Some(elapsed) = self.segments.advance(now) else {
            return false;
        };
        let something = queued.load > 0;
        let (contribution, ran) = self.rules.speed.scale(elapsed.contribution, queued.speed);
        let (unit, weight) = self.rules.runnable.weights(queued.weight);
        let runnable = if something { queued.runnable } else { 0 };
        let ran = if something && queued.running { ran } else { 0 };
        self.load
            .update(elapsed, queued.load * contribution, queued.weight);
        self.runnable
            .update(elapsed, runnable * contribution * unit, weight);
        self.running.update(elapsed, ran, 1);
        elapsed.full.is_some()
    }

    /// Up to when time is counted, and where in a segment that is.
    #[must_use]
    pub const fn segments(&self) -> Segments {
        self.segments
    }

    /// Load.
    #[must_use]
    pub const fn load(&self) -> Faded {
        self.load
    }

    /// What could run.
    #[must_use]
    pub const fn runnable(&self) -> Faded {
        self.runnable
    }

    /// What ran: utilisation.
    #[must_use]
    pub const fn running(&self) -> Faded {
        self.running
    }
}

impl SpeedCounts {
    /// What counts of a contribution, and what of that is running time, 1024 for each unit.
    fn scale(self, contribution: u64, speed: Speed) -> (u64, u64) {
        match self {
            Self::InContribution => {
                let scaled = (contribution * speed.frequency) >> 10;
                (scaled, scaled * speed.capacity)
            }
            Self::InClock => (contribution, contribution * SEGMENT),
        }
    }
}

impl Runnable {
    /// What one unit adds, and the weight of the sum in its average.
    const fn weights(self, load_weight: u64) -> (u64, u64) {
        match self {
            Self::Load => (1, load_weight),
            Self::Tasks => (SEGMENT, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of its capacity, in per cent, after so many segments of running and then of not running.
    #[track_caller]
    fn check(ran: i64, idle: i64, expect: u64) {
        let segment = Ns::new(1_024 * 1_024);
        let mut utilization = Utilization::starting(Time::ZERO);
        let busy_until = Time::ZERO + segment * ran;
        utilization.update(busy_until, true);
        utilization.update(busy_until + segment * idle, false);
        let share = utilization.average() * 100 / 1_024;
        assert!(share.abs_diff(expect) <= 1, "{ran}, {idle}: {share} %");
    }

    #[test]
    fn half_is_reached_and_lost_in_32_segments() {
        check(32, 0, 50);
        check(64, 0, 75);
        check(160, 0, 97);
        check(10_000, 0, 100);
        check(10_000, 32, 50);
        check(10_000, 64, 25);
        check(32, 32, 25);
        check(10_000, 3_000, 0);
    }
}
