//! What the sources of each load are. Published are only shapes and rates of such loads (spec published-results.md P2,
//! P5, P6, P8, P19; closed-loop-model.md §4.3 for a phone's quiet phases); every work and every rate here that is not a
//! parameter is assumed. Work is in cycles, written as ns at 1 GHz.

use super::{Counts, Phases, Rhythm, Source, Train, Work, Yield};
use crate::sim::Cause;
use crate::units::Ns;

const fn us(from: i64, to: i64) -> Work {
    Work::Between(Ns::from_us(from), Ns::from_us(to))
}

const SECOND: Ns = Ns::from_ms(1_000);

fn per_second(rate: i64) -> Ns {
    Ns::new(SECOND.as_ns() / rate.max(1))
}

/// Threads that each wake `rate` times a second by a timer and run, spread over the CPUs in turn.
#[must_use]
pub fn threads(count: u32, rate: i64, run: Ns, cpus: u16) -> Vec<Source> {
    let cpu = |n: u32| u16::try_from(n % u32::from(cpus.max(1))).unwrap_or_default();
    let every = Rhythm::Fixed(per_second(rate));
    (0..count)
        .map(|n| Source::timer(cpu(n), every, Work::Between(run, run)))
        .collect()
}

/// One thread that wakes `rate` times a second, whose share of a CPU at `khz` goes from nothing to all and back within
/// `span`.
#[must_use]
pub fn load_sweep(rate: i64, span: Ns, khz: u32) -> Vec<Source> {
    let every = per_second(rate);
    // As many cycles as pass in a period: ns at 1 GHz.
    let peak = every * i64::from(khz / 1_000) / 1_000;
    vec![Source::timer(0, Rhythm::Fixed(every), Work::Ramp { peak, span })]
}

/// Which wakeups a sweep has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepBy {
    /// Its own timer.
    Timer,
    /// Another CPU that writes into a pipe.
    Pipe,
}

/// One CPU that is woken at a distance that grows from `from` to `to` by `step` after each `hold`.
#[must_use]
pub fn sweep(by: SweepBy, (from, step, to): (Ns, Ns, Ns), hold: Ns, run: Ns) -> Vec<Source> {
    let rhythm = Rhythm::Stepped { from, step, to, hold };
    let work = Work::Between(run, run);
    let source = match by {
        SweepBy::Timer => Source::timer(0, rhythm, work),
        SweepBy::Pipe => Source::task(0, rhythm, work),
    };
    vec![Source {
        counts: Counts::FromIdle,
        ..source
    }]
}

/// One task that reads 4 KiB from a device, again and again (published-results.md P5, P6): so long does the device take, a tenth more or less, and so much
/// does the task run between.
#[must_use]
pub fn storage(device: Ns, run: Ns) -> Vec<Source> {
    let rhythm = Rhythm::Between(device * 9 / 10, device * 11 / 10);
    vec![Source {
        counts: Counts::FromIdle,
        waits_for_io: true,
        yields: Yield::Bytes(4_096),
        ..Source::interrupt(0, rhythm, Work::Between(run, run))
    }]
}

/// A request that a timer holds back, and `count` more timers of the tasks that carry it on, `gap` apart in the mean.
#[must_use]
pub fn delayed(delay: Ns, (count, gap): (u32, Ns), run: Ns) -> Vec<Source> {
    let work = Work::Between(run, run);
    vec![Source {
        counts: Counts::FromIdle,
        waits_for_io: true,
        train: Some(Train {
            count,
            cause: Cause::Timer,
            gap,
            work,
        }),
        ..Source::timer(0, Rhythm::Fixed(delay), work)
    }]
}

/// A CPU that is busy by turns: gaps and work while it is active, timers always.
#[must_use]
pub fn phases(phases: Phases, gap: Ns, timers: Ns) -> Vec<Source> {
    vec![
        Source {
            counts: Counts::FromIdle,
            phases: Some(phases),
            ..Source::interrupt(0, Rhythm::Random(gap), us(200, 2_000))
        },
        Source::timer(0, Rhythm::Random(timers), us(60, 60)),
    ]
}

/// What an idle machine does beside its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Mean distance of timers of each CPU.
    pub timers: Ns,
    /// Mean distance of interrupts; zero for none. On a desktop they arrive on two CPUs and bring packets, on a phone on
    /// every CPU and wake no task.
    pub interrupts: Ns,
}

/// A desktop at which nobody works: timers and background tasks on every CPU, a clock that blinks, packets that arrive
/// in small trains on two CPUs.
#[must_use]
pub fn idle_desktop(quiet: Quiet, cpus: u16) -> Vec<Source> {
    let mut all = vec![Source::timer(0, Rhythm::Fixed(Ns::from_ms(500)), us(300, 900))];
    for cpu in 0..cpus {
        all.push(Source::timer(cpu, Rhythm::Random(quiet.timers), us(20, 200)));
        all.push(Source::task(cpu, Rhythm::Random(Ns::from_ms(200)), us(50, 2_000)));
    }
    if quiet.interrupts > Ns::ZERO {
        let packets = Train {
            count: 3,
            cause: Cause::Interrupt,
            gap: Ns::from_us(120),
            work: us(20, 120),
        };
        all.extend((0..cpus.min(2)).map(|cpu| Source {
            train: Some(packets),
            ..Source::interrupt(cpu, Rhythm::Random(quiet.interrupts), us(20, 120))
        }));
    }
    all
}

/// Background tasks of each kind of CPU, µs: little, mid and big (closed-loop-model.md §4.3, off phases).
const BACKGROUND: [(u16, u16, i64, i64); 3] = [(0, 4, 50, 740), (4, 6, 30, 444), (6, 8, 25, 370)];

/// A phone whose screen is off: what its CPUs do in the quiet phases of the other phone loads.
#[must_use]
pub fn idle_phone(quiet: Quiet) -> Vec<Source> {
    let mut all = Vec::new();
    for (first, end, from, to) in BACKGROUND {
        for cpu in first..end {
            all.push(Source::timer(cpu, Rhythm::Random(quiet.timers), us(60, 60)));
            all.push(Source::task(cpu, Rhythm::Random(per_second(3)), us(from, to)));
            if quiet.interrupts > Ns::ZERO {
                all.push(Source::interrupt(
                    cpu,
                    Rhythm::Random(quiet.interrupts),
                    Work::Handler,
                ));
            }
        }
    }
    all
}

/// A phone that plays a film with a hardware decoder: a frame timer, the decoder's answer, the display at 60 Hz with its
/// composition, sound every 20 ms, and what an idle phone does.
#[must_use]
pub fn video(frames_per_second: i64, quiet: Quiet) -> Vec<Source> {
    let frame = Rhythm::Fixed(per_second(frames_per_second));
    let display = Rhythm::Fixed(per_second(60));
    let mut all = vec![
        Source {
            yields: Yield::Frame,
            ..Source::timer(0, frame, us(1_500, 2_500))
        },
        Source::interrupt(1, frame, us(300, 700)),
        Source::interrupt(2, display, us(400, 900)),
        Source::timer(3, Rhythm::Fixed(Ns::from_ms(20)), us(200, 400)),
    ];
    all.extend(idle_phone(quiet));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_spread_over_the_cpus_in_turn() {
        let all = threads(5, 100, Ns::from_us(20), 2);
        let cpus: Vec<u16> = all.iter().map(|source| source.cpu).collect();
        assert_eq!(cpus, [0, 1, 0, 1, 0]);
        assert!(all.iter().all(|source| source.cause == crate::sim::Cause::Timer));
        assert!(
            all.iter()
                .all(|source| source.rhythm == Rhythm::Fixed(Ns::from_ms(10)))
        );
    }

    #[test]
    fn a_whole_period_of_cycles_is_a_load_of_one() {
        let sweep = load_sweep(100, SECOND, 3_700_000);
        let peak = Ns::from_us(37_000);
        assert_eq!(sweep[0].work, Work::Ramp { peak, span: SECOND });
    }

    #[test]
    fn without_interrupts_an_idle_phone_has_tasks_and_timers_alone() {
        let quiet = |interrupts| Quiet {
            timers: Ns::from_ms(700),
            interrupts,
        };
        assert_eq!(idle_phone(quiet(Ns::ZERO)).len(), 16);
        assert_eq!(idle_phone(quiet(SECOND)).len(), 24);
    }
}
