//! How busy a CPU was lately: the utilisation that a governor reads when its workload does not say another.
//!
//! ```text
//!   Busy ----stops()----> Selecting, Asleep, Polling, Exiting ----starts()----> Busy
//!                           '-- utilization(): as if updated now, changes nothing
//! ```
//!
//! It is an estimate of what the scheduler would have told: PELT (spec pelt-schedutil.md §1, §2) over the
//! simulated busy time of one CPU at its highest frequency. Running is what the engine calls busy; state entry
//! and exit, ticks and handlers that wake no task are not (spec closed-loop-model.md §1). Left out: the estimate
//! that the scheduler keeps per task, real-time and interrupt shares, and tasks that move between CPUs.
//!
//! It is read decayed to now (there, §8). At the instant of going idle no time has passed, so that the clock of a
//! slow CPU has not yet caught up; any later reading has it caught up.
//!
//! It begins at zero when a CPU has finished what it was doing at the start of the span: of a trace nobody
//! knows whether that was work.

use crate::tick::pelt::{Speed, Utilization};
use crate::tick::pelt_clock::Clock;
use crate::units::Time;

/// The busy time of one CPU, faded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BusyTime {
    clock: Clock,
    running: Utilization,
    speed: Speed,
    taken: Taken,
}

/// When the average is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// As the scheduler does: when a segment of about a millisecond is full.
    PerSegment,
    /// Whenever it is read: a condition of the closed-loop model (spec closed-loop-model.md §2, §8.2).
    WhenRead,
}

impl BusyTime {
    /// Of a CPU of this capacity, 1 to 1024, whose history begins at `now`.
    pub(super) fn starting(now: Time, capacity: u64) -> Self {
        Self {
            clock: Clock::starting(now),
            running: Utilization::starting(now),
            speed: Speed {
                capacity,
                ..Speed::FULL
            },
            taken: Taken::PerSegment,
        }
    }

    /// With a history, on a machine with a clock: it has long been so busy, 0 to its capacity.
    pub(super) fn with_average(self, now: Time, average: u64) -> Self {
        Self {
            running: Utilization::settled(now, average),
            taken: Taken::WhenRead,
            ..self
        }
    }

    /// The CPU was busy and goes idle.
    pub(super) fn stops(&mut self, now: Time) {
        self.clock.ran(now, self.speed);
        self.running.update(self.clock.now(), true);
        self.clock.goes_idle(self.running.sum());
    }

    /// The CPU was idle and goes busy.
    pub(super) fn starts(&mut self, now: Time) {
        self.clock.idled(now);
        self.running.update(self.clock.now(), false);
    }

    /// Its utilisation, 0 to its capacity, while it is idle.
    pub(super) fn utilization(mut self, now: Time) -> u64 {
        if now > self.clock.task() {
            self.starts(now);
        }
        let average = match self.taken {
            Taken::PerSegment => self.running.average(),
            Taken::WhenRead => self.running.fresh_average(),
        };
        average.min(self.speed.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Ns;

    /// Utilisation after many rounds of running and being idle.
    fn after(capacity: u64, run: Ns, idle: Ns) -> u64 {
        let mut now = Time::ZERO;
        let mut busy = BusyTime::starting(now, capacity);
        for _ in 0..2_000 {
            now += run;
            busy.stops(now);
            now += idle;
            busy.starts(now);
        }
        busy.utilization(now)
    }

    #[track_caller]
    fn check(capacity: u64, run_us: i64, idle_us: i64, expect: u64) {
        let found = after(capacity, Ns::from_us(run_us), Ns::from_us(idle_us));
        let off = found.abs_diff(expect);
        assert!(
            off * 50 <= expect,
            "{run_us} µs of work, {idle_us} µs idle: {found}"
        );
    }

    #[test]
    fn utilization_is_the_busy_share_of_the_largest_capacity() {
        check(1_024, 100, 100, 512);
        check(1_024, 50, 150, 256);
        check(256, 100, 100, 128);
    }

    #[test]
    fn a_task_of_three_quarters_of_a_millisecond_lifts_any_cpu_over_a_sixty_fourth() {
        for capacity in [160, 512, 1_024] {
            // Ends in the middle of a segment, so that the average is due.
            let mut busy = BusyTime::starting(Time::from_ns(0), capacity);
            let at = Time::from_ns(10_000_000_500_000);
            busy.starts(at);
            busy.stops(at + Ns::from_us(780));
            let found = busy.utilization(at + Ns::from_us(1_100));
            assert!(found >= capacity >> 6, "capacity {capacity}: {found}");
            assert_eq!(busy.utilization(at + Ns::from_ms(400)), 0);
        }
    }

    #[test]
    fn reading_changes_nothing() {
        let mut busy = BusyTime::starting(Time::ZERO, 1_024);
        busy.stops(Time::from_ns(50_000_000));
        let before = busy;
        let soon = busy.utilization(Time::from_ns(51_000_000));
        let late = busy.utilization(Time::from_ns(90_000_000));
        assert!(late < soon);
        assert_eq!(busy, before);
    }

    #[test]
    fn work_on_a_slow_cpu_is_counted_at_once_and_its_idle_time_when_it_catches_up() {
        let mut busy = BusyTime::starting(Time::ZERO, 160);
        let idle = Time::ZERO + Ns::from_ms(500);
        busy.stops(idle);
        assert_eq!(busy.utilization(idle), 160);
        assert_eq!(busy.utilization(idle + Ns::from_ms(2)), 0);
    }

    #[test]
    fn a_slow_cpu_that_always_ran_has_no_idle_time_to_catch_up_with() {
        let mut busy = BusyTime::starting(Time::ZERO, 160);
        let idle = Time::ZERO + Ns::from_ms(5_000);
        busy.stops(idle);
        assert_eq!(busy.utilization(idle + Ns::from_ms(2)), 160);
    }
}
