//! The parameters of each pattern, in the form's order.
//!
//! Sources: design/lessons.md §4 (teaching patterns), spec closed-loop-model.md §3, §4 and published-results.md P2, P3, P5,
//! P8, P19 (rates, distances, devices); other defaults are assumed.

use super::param::{MINUTE, SECOND, SEED, US, count, switch, time};
use super::{Param, Spec};
use crate::units::Ns;

pub(super) static METRONOME: [Spec; 5] = [
    time(Param::Gap, Ns::from_ms(5), US, MINUTE),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    time(Param::Jitter, Ns::ZERO, Ns::ZERO, MINUTE),
    time(Param::Duration, SECOND, Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static DOORBELL: [Spec; 8] = [
    time(Param::Gap, Ns::from_us(150), US, MINUTE),
    switch(Param::Fixed, 1),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    time(Param::TimerGrid, Ns::from_ms(100), US, MINUTE).or_none(),
    switch(Param::WakesTask, 1),
    time(Param::First, Ns::ZERO, Ns::ZERO, MINUTE),
    time(Param::Duration, Ns::from_ms(200), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static MIXED: [Spec; 6] = [
    count(Param::Percent, 50, 0, 100),
    time(Param::Gap, Ns::from_us(150), US, MINUTE),
    time(Param::OwnTimer, Ns::from_ms(4), Ns::from_us(2), MINUTE),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    time(Param::Duration, SECOND, Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static BURST: [Spec; 7] = [
    count(Param::HowMany, 12, 1, 1_000_000),
    time(Param::Gap, Ns::from_us(20), US, MINUTE),
    time(Param::Silence, Ns::from_ms(500), US, MINUTE),
    time(Param::Run, Ns::from_us(20), US, SECOND),
    time(Param::TimerGrid, Ns::ZERO, US, MINUTE).or_none(),
    time(Param::Duration, Ns::from_ms(5_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static KNOCK: [Spec; 6] = [
    count(Param::HowMany, 1, 0, 1_000_000),
    time(Param::Gap, Ns::from_us(200), US, MINUTE),
    time(Param::Quiet, Ns::from_ms(62), US, MINUTE),
    time(Param::Run, Ns::from_us(100), US, SECOND),
    time(Param::Duration, Ns::from_ms(3_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static PIPE_TEST: [Spec; 6] = [
    count(Param::Pairs, 2, 1, 4),
    switch(Param::Cross, 0),
    time(Param::Run, Ns::ZERO, Ns::ZERO, Ns::from_ms(10)),
    time(Param::Alarms, Ns::ZERO, Ns::from_ms(1), MINUTE).or_none(),
    time(
        Param::Duration,
        Ns::from_ms(200),
        Ns::from_ms(1),
        Ns::from_ms(2_000),
    ),
    SEED,
];

pub(super) static TBENCH: [Spec; 4] = [
    count(Param::HowMany, 1, 1, 8),
    switch(Param::Spread, 1),
    time(
        Param::Duration,
        Ns::from_ms(100),
        Ns::from_ms(1),
        Ns::from_ms(2_000),
    ),
    SEED,
];

pub(super) static BURSTS: [Spec; 4] = [
    count(Param::Tokens, 40, 1, 10_000),
    time(Param::Gap, Ns::from_ms(500), Ns::from_ms(1), MINUTE),
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static JETNEWS: [Spec; 5] = [
    count(Param::Frames, 90, 10, 240),
    time(Param::Timers, Ns::from_ms(700), Ns::from_ms(1), MINUTE),
    time(Param::Interrupts, SECOND, Ns::from_ms(1), MINUTE).or_none(),
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static GEEKBENCH: [Spec; 4] = [
    time(Param::Timers, Ns::from_ms(700), Ns::from_ms(1), MINUTE),
    time(Param::Interrupts, SECOND, Ns::from_ms(1), MINUTE).or_none(),
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static SERVER: [Spec; 4] = [
    time(Param::Gap, Ns::from_ms(300), Ns::from_ms(1), MINUTE),
    time(Param::Timers, SECOND, Ns::from_ms(1), MINUTE),
    time(
        Param::Duration,
        Ns::from_ms(2_000),
        Ns::from_ms(1),
        Ns::from_ms(20_000),
    ),
    SEED,
];

pub(super) static BEATS: [Spec; 4] = [
    time(Param::Run, Ns::from_us(50), US, SECOND),
    time(Param::TimerGrid, Ns::from_ms(100), US, MINUTE).called("timer far behind"),
    time(Param::Duration, Ns::from_ms(300), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static PHASES: [Spec; 6] = [
    time(Param::Active, Ns::from_ms(300), US, MINUTE),
    time(Param::Gap, Ns::from_us(600), US, MINUTE).called("gap while active"),
    time(Param::Quiet, Ns::from_ms(150), US, MINUTE).called("quiet for"),
    time(Param::TimerGrid, Ns::from_ms(300), US, MINUTE).called("timers every"),
    time(Param::Duration, Ns::from_ms(20_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static SWEEP: [Spec; 8] = [
    switch(Param::ByPipe, 1),
    time(Param::From, Ns::from_us(6), US, SECOND),
    time(Param::Step, Ns::from_us(10), US, SECOND),
    time(Param::To, Ns::from_us(1_001), US, SECOND),
    time(Param::Hold, Ns::from_ms(20), Ns::from_ms(1), MINUTE),
    time(Param::Run, US, US, SECOND),
    time(Param::Duration, Ns::from_ms(2_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static NIGHTMARE: [Spec; 6] = [
    count(Param::HowMany, 40, 1, 1_000_000).called("wakeups per burst"),
    time(Param::Gap, Ns::from_us(5), US, MINUTE).called("pause between them"),
    time(Param::Silence, Ns::from_ms(800), US, MINUTE),
    time(Param::Run, Ns::from_us(10), US, SECOND),
    time(Param::Duration, Ns::from_ms(5_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static RING: [Spec; 5] = [
    count(Param::HowMany, 4, 2, 8).called("tasks"),
    time(Param::Run, Ns::ZERO, Ns::ZERO, Ns::from_ms(10)).called("work per stop"),
    time(Param::Alarms, Ns::ZERO, Ns::from_ms(1), MINUTE).or_none(),
    time(
        Param::Duration,
        Ns::from_ms(200),
        Ns::from_ms(1),
        Ns::from_ms(2_000),
    ),
    SEED,
];

pub(super) static THREADS: [Spec; 6] = [
    count(Param::HowMany, 12, 1, 4_000).called("threads"),
    count(Param::Rate, 73, 1, 10_000),
    time(Param::Run, Ns::from_us(50), US, SECOND),
    count(Param::Cpus, 8, 1, 64),
    time(Param::Duration, Ns::from_ms(2_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static LOAD_SWEEP: [Spec; 3] = [
    count(Param::Rate, 211, 1, 10_000),
    time(Param::Duration, Ns::from_ms(5_000), Ns::from_ms(1), MINUTE).called("up and down within"),
    SEED,
];

pub(super) static DESKTOP: [Spec; 4] = [
    time(Param::Timers, Ns::from_ms(250), Ns::from_ms(1), MINUTE).called("timers of each CPU every"),
    time(Param::Interrupts, Ns::from_ms(40), Ns::from_ms(1), MINUTE)
        .or_none()
        .called("packets every"),
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static IDLE_PHONE: [Spec; 4] = [
    time(Param::Timers, Ns::from_ms(700), Ns::from_ms(1), MINUTE),
    time(Param::Interrupts, SECOND, Ns::from_ms(1), MINUTE).or_none(),
    time(Param::Duration, Ns::from_ms(20_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static VIDEO: [Spec; 5] = [
    count(Param::Frames, 30, 10, 240),
    time(Param::Timers, Ns::from_ms(700), Ns::from_ms(1), MINUTE),
    time(Param::Interrupts, SECOND, Ns::from_ms(1), MINUTE).or_none(),
    time(Param::Duration, Ns::from_ms(10_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static STORAGE: [Spec; 4] = [
    time(Param::Device, Ns::from_us(150), US, SECOND),
    time(Param::Run, Ns::from_us(60), US, SECOND).called("work per request"),
    time(Param::Duration, Ns::from_ms(5_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static DELAYED: [Spec; 6] = [
    time(Param::Device, Ns::from_ms(50), Ns::from_ms(1), SECOND).called("held back for"),
    count(Param::Followers, 34, 0, 1_000),
    time(Param::Gap, Ns::from_us(100), US, SECOND).called("mean pause between them"),
    time(Param::Run, Ns::from_us(60), US, SECOND),
    time(Param::Duration, Ns::from_ms(5_000), Ns::from_ms(1), MINUTE),
    SEED,
];

pub(super) static QUEUE: [Spec; 6] = [
    count(Param::Cpus, 8, 1, 64),
    time(Param::Every, Ns::from_us(100), US, SECOND),
    time(Param::Run, Ns::from_us(200), US, SECOND).called("work per request, mean"),
    switch(Param::InTurn, 1),
    time(Param::Duration, Ns::from_ms(2_000), Ns::from_ms(1), MINUTE),
    SEED,
];
