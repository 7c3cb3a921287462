//! Lanes made by property tests: any durations, any states, any facts, but the time order of the
//! record kept.

use idlescope::cpuidle::{IdleState, StateTable};
use idlescope::sim::{Cause, Flags, Lane, Row};
use idlescope::units::{Ns, StateIdx, Time};
use proptest::prelude::*;

/// The table of the i7-2600K: POLL, C1, C1E, C3, C6.
pub fn snb() -> StateTable {
    let states = [
        (0, 0, true),
        (2, 2, false),
        (10, 20, false),
        (80, 211, false),
        (104, 345, false),
    ];
    let states = states.into_iter().zip(["POLL", "C1", "C1E", "C3", "C6"]);
    StateTable::new(
        states
            .map(|((exit, target, polling), name)| IdleState {
                name: String::from(name),
                exit_latency: Ns::from_us(exit),
                target_residency: Ns::from_us(target),
                polling,
                timer_stop: false,
            })
            .collect(),
    )
    .expect("the table is valid")
}

/// One decision before it has a place in time.
#[derive(Clone, Copy, Debug)]
struct Draw {
    stay: i64,
    exit: i64,
    busy: i64,
    state: u8,
    cause: usize,
    flags: u16,
    same_period: bool,
}

fn draw() -> impl Strategy<Value = Draw> {
    let log = |limit: u32| (0..limit, 0i64..1_000).prop_map(|(bits, low)| (1i64 << bits) + low);
    (
        log(24),
        log(16),
        prop_oneof![Just(0), log(20)],
        0u8..5,
        0usize..6,
        any::<u16>(),
        any::<bool>(),
    )
        .prop_map(|(stay, exit, busy, state, cause, flags, same_period)| Draw {
            stay,
            exit,
            busy,
            state,
            cause,
            flags,
            same_period,
        })
}

/// A lane of up to `most` decisions; `facts` are the flags that may occur.
pub fn lane(most: usize, facts: Flags) -> impl Strategy<Value = Lane> {
    (1i64..1_000_000, proptest::collection::vec(draw(), 0..most)).prop_map(move |(start, draws)| {
        let mut lane = Lane::default();
        let mut now = Time::from_ns(start);
        let mut period = 0;
        for draw in draws {
            let wake = now + Ns::new(draw.stay);
            let exit = wake + Ns::new(draw.exit);
            lane.push(Row {
                entry: now,
                wake,
                exit,
                sleep_length: Ns::MAX,
                period,
                selected: StateIdx::new(draw.state),
                entered: StateIdx::new(draw.state),
                cause: Cause::ALL[draw.cause],
                flags: Flags::from_bits(draw.flags & facts.bits()),
            });
            period += u32::from(!draw.same_period);
            now = exit + Ns::new(draw.busy);
        }
        lane
    })
}
