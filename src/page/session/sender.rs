//! Which CPU sent the interrupt that ended an idle period, where the trace knows.

use super::Session;
use crate::page::view::LaneId;
use crate::sim::{Cause, Row};
use crate::trace::{Event, Kind};
use crate::units::{CpuId, Ns, Time};

/// A raise this long before the CPU went idle may still be what woke it: it was on its way.
const ON_THE_WAY: Ns = Ns::from_us(100);
/// Events between the wakeup and the raise that are looked through, at most.
const MOST_EVENTS: usize = 20_000;

impl Session {
    /// Who sent the interrupt that ended decision `n` (from 0) of a lane, and when, counted from the start of the
    /// record. None unless another CPU's interrupt ended it and the trace holds its raise.
    #[must_use]
    pub fn sender(&self, lane: LaneId, cpu: CpuId, n: usize) -> Option<(CpuId, Time)> {
        let row = self.record(lane)?.lane(cpu)?.row(n)?;
        let (from, at) = sent(&self.traced()?.trace.events, cpu, &row)?;
        Some((from, self.relative(at)?))
    }
}

/// The raise for `cpu` that is the period's wakeup event; `events` are in order of time.
fn sent(events: &[Event], cpu: CpuId, row: &Row) -> Option<(CpuId, Time)> {
    if row.cause != Cause::Ipi {
        return None;
    }
    // The wakeup event is the raise itself, unless that came before the CPU was idle.
    let earliest = if row.wake == row.entry {
        row.entry - ON_THE_WAY
    } else {
        row.wake
    };
    let bit = 1_u64.checked_shl(u32::from(cpu.number()))?;
    let end = events.partition_point(|event| event.time <= row.wake);
    let before = events.get(..end)?.iter().rev().take(MOST_EVENTS);
    let raise = before
        .take_while(|event| event.time >= earliest)
        .find(|event| matches!(event.kind, Kind::IpiRaise { targets } if targets & bit != 0))?;
    Some((raise.cpu, raise.time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Flags;
    use crate::units::StateIdx;

    fn raise(ns: i64, by: u16, targets: u64) -> Event {
        Event {
            time: Time::from_ns(ns),
            pid: 1,
            cpu: CpuId::new(by),
            kind: Kind::IpiRaise { targets },
        }
    }

    fn row(entry: i64, wake: i64, cause: Cause) -> Row {
        Row {
            entry: Time::from_ns(entry),
            wake: Time::from_ns(wake),
            exit: Time::from_ns(wake + 10),
            sleep_length: Ns::MAX,
            period: 0,
            selected: StateIdx::ZERO,
            entered: StateIdx::ZERO,
            cause,
            flags: Flags::NONE,
        }
    }

    #[test]
    fn the_raise_that_is_the_wakeup_names_the_sender() {
        let events = [
            raise(900_000, 3, 0b0010),
            raise(1_500_000, 2, 0b0001),
            raise(2_000_000, 0, 0b0010),
            raise(2_000_000, 2, 0b1000),
            raise(2_100_000, 3, 0b0010),
        ];
        let check = |entry, wake, cause, expect: Option<(u16, i64)>| {
            let expect = expect.map(|(cpu, ns)| (CpuId::new(cpu), Time::from_ns(ns)));
            assert_eq!(sent(&events, CpuId::new(1), &row(entry, wake, cause)), expect);
        };
        check(1_000_000, 2_000_000, Cause::Ipi, Some((0, 2_000_000)));
        check(1_000_000, 2_000_000, Cause::Interrupt, None);
        // Nobody raised it at that instant: the trace does not know.
        check(1_000_000, 1_990_000, Cause::Ipi, None);
        // It was on its way when the CPU went idle.
        check(950_000, 950_000, Cause::Ipi, Some((3, 900_000)));
        check(1_100_000, 1_100_000, Cause::Ipi, None);
    }
}
