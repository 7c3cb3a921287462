//! The loads of the published experiments (spec closed-loop-model.md §3, §4); their values are those of the machines'
//! parameter sets, marked there as fitted or assumed.

use super::{Background, Bursts, ClusterLoad, Exchange, Foreground, Phone, Placement};
use crate::units::{CpuId, Ns};

/// What one side of a pair runs, which depends on the machine: cycles as ns at 1 GHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairWork {
    /// Until the partner is woken.
    pub send: Ns,
    /// After that.
    pub tail: Ns,
}

impl PairWork {
    /// pipe-test on the Sandy Bridge.
    pub const SANDY_BRIDGE: Self = Self {
        send: Ns::new(8_200),
        tail: Ns::new(7_100),
    };
    /// An exchange between two cores of the Haswell.
    pub const HASWELL: Self = Self {
        send: Ns::new(3_250),
        tail: Ns::new(2_300),
    };
}

/// Where the two sides of a pair run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairOn {
    /// On the two threads of one core.
    OneCore,
    /// On two cores.
    TwoCores,
}

/// Pairs that pass a token as fast as they can, on 8 CPUs of 4 cores whose threads are c and c + 4.
#[must_use]
pub fn pipe_test(work: PairWork, pairs: u16, on: PairOn) -> Exchange {
    let pair = |n: u16| match on {
        PairOn::OneCore => vec![CpuId::new(n), CpuId::new(n + 4)],
        PairOn::TwoCores => vec![CpuId::new(2 * n), CpuId::new(2 * n + 1)],
    };
    Exchange {
        rings: (0..pairs).map(pair).collect(),
        cpus: 8,
        cores: (0..8).map(|cpu| cpu % 4).collect(),
        send: work.send,
        send_jitter: 50,
        tail: work.tail,
        tail_jitter: 50,
        placement: Placement::Pinned,
        bursts: None,
        timers: Ns::ZERO,
    }
}

/// One token that so many tasks, each on a CPU of its own, pass on: first one to a core, then on their other threads.
#[must_use]
pub fn token_ring(work: PairWork, tasks: u16) -> Exchange {
    Exchange {
        rings: vec![(0..tasks).map(CpuId::new).collect()],
        ..pipe_test(work, 0, PairOn::TwoCores)
    }
}

/// Two pairs that exchange so many tokens, sleep, and begin again.
#[must_use]
pub fn bursts(work: PairWork, bursts: Bursts) -> Exchange {
    Exchange {
        bursts: Some(bursts),
        timers: Ns::from_ms(250),
        ..pipe_test(work, 2, PairOn::TwoCores)
    }
}

/// Clients and servers, client k on CPU k, its server so many CPUs further.
#[must_use]
pub fn tbench(clients: u16, placement: Placement) -> Exchange {
    let pair = |k: u16| vec![CpuId::new(k % 8), CpuId::new((k + clients) % 8)];
    Exchange {
        rings: (0..clients).map(pair).collect(),
        send: Ns::new(8_580),
        send_jitter: 500,
        tail: Ns::new(4_680),
        placement,
        ..pipe_test(PairWork::HASWELL, 0, PairOn::OneCore)
    }
}

/// What a phone does beside its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhoneRest {
    /// Mean distance of real timers of each CPU.
    pub timers: Ns,
    /// Mean distance of interrupts of each CPU that wake no task; zero for none.
    pub interrupts: Ns,
}

impl Default for PhoneRest {
    fn default() -> Self {
        Self {
            timers: Ns::from_ms(700),
            interrupts: Ns::from_ms(1_000),
        }
    }
}

fn phone(clusters: [ClusterLoad; 3], frames_per_second: u32, rest: PhoneRest) -> Phone {
    Phone {
        clusters: clusters.to_vec(),
        frame: Ns::new(1_000_000_000 / i64::from(frames_per_second.max(1))),
        // Off the tick, or frames and ticks could lock.
        first_frame: Ns::from_us(1_300),
        start_within: Ns::from_ms(3),
        timers: rest.timers,
        timer_work: Ns::from_us(60),
        interrupts: rest.interrupts,
    }
}

fn us(from: i64, to: i64) -> (Ns, Ns) {
    (Ns::from_us(from), Ns::from_us(to))
}

/// A light application that scrolls: little, mid and big CPUs (0 to 3, 4 and 5, 6 and 7).
#[must_use]
pub fn phone_frames(frames_per_second: u32, rest: PhoneRest) -> Phone {
    let cluster = |cpus, on_per_mille, job, follow_up, task| ClusterLoad {
        cpus,
        on_per_mille,
        off: Ns::from_ms(1_500),
        foreground: Foreground::Frames {
            job,
            follow_up,
            wakes_every: Ns::new(1_666_667),
            wake: us(30, 120),
        },
        background: Background {
            every: Ns::new(333_333_333),
            task,
        },
    };
    let clusters = [
        cluster((0, 4), 780, us(4_800, 7_200), Some(us(300, 1_000)), us(50, 740)),
        cluster((4, 6), 670, us(2_600, 3_900), Some(us(180, 600)), us(30, 444)),
        cluster((6, 8), 380, us(1_700, 2_550), None, us(25, 370)),
    ];
    phone(clusters, frames_per_second, rest)
}

/// A benchmark on all CPUs.
#[must_use]
pub fn phone_benchmark(rest: PhoneRest) -> Phone {
    let cluster = |cpus, on_per_mille, off_ms, (job, gap_us), (per_second, task): (i64, _)| ClusterLoad {
        cpus,
        on_per_mille,
        off: Ns::from_ms(off_ms),
        foreground: Foreground::Jobs {
            job,
            gap: Ns::from_us(gap_us),
            long_percent: 1,
            long_gap: Ns::from_ms(6),
        },
        background: Background {
            every: Ns::new(1_000_000_000 / per_second),
            task,
        },
    };
    let clusters = [
        cluster((0, 4), 570, 2_000, (us(200, 2_000), 150), (4, us(200, 2_600))),
        cluster((4, 6), 460, 900, (us(200, 4_000), 60), (6, us(60, 500))),
        cluster((6, 8), 740, 900, (us(200, 4_000), 60), (6, us(60, 500))),
    ];
    phone(clusters, 90, rest)
}
