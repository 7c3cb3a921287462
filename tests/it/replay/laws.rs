//! Laws of the replay: any list of events, no panic; what goes in comes out.

use idlescope::cpuidle::{Choice, IdleState, StateTable};
use idlescope::page::recording::agreement::agreement;
use idlescope::page::recording::follow::Path;
use idlescope::page::recording::recorded::record;
use idlescope::sim::{CpuEvent, Effects, Flags, Workload};
use idlescope::trace::event::{Event, Kind, Miss, NameId, Softirq, TimerId, Vector};
use idlescope::units::{CpuId, Ns, StateIdx, Time};
use idlescope::workload::replay::provenance::Provenance;
use idlescope::workload::replay::wakes::Wakeups;
use idlescope::workload::replay::{Machine, Reading, Replay, ReplayWorkload, Source, Tuning};
use proptest::prelude::*;

use super::simulated::{setup, simulate};

const TICK_FUNCTION: NameId = NameId(0);
const TIMER_INTERRUPT: NameId = NameId(1);
const IPI_INTERRUPT: NameId = NameId(2);

fn machine() -> Machine {
    let state = |exit_us, target_us, polling| IdleState {
        name: "S".to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling,
        timer_stop: false,
    };
    let table = StateTable::new(vec![state(0, 0, true), state(2, 4, false), state(50, 200, false)]);
    Machine::new(table.expect("a valid table"), [])
}

fn with_replay<T>(events: &[Event], then: impl FnOnce(&Replay) -> T) -> T {
    let first = events.first().map_or(Time::ZERO, |event| event.time);
    let last = events.last().map_or(Time::ZERO, |event| event.time);
    then(&Replay::from_source(
        &Source {
            events,
            span: (first, last),
            tick_functions: &[TICK_FUNCTION],
            timer_interrupts: &[TIMER_INTERRUPT],
            ipi_interrupts: &[IPI_INTERRUPT],
        },
        Tuning::default(),
    ))
}

fn kinds() -> impl Strategy<Value = Kind> {
    let cpu = || (0_u16..3).prop_map(CpuId::new);
    let timer = || (0_u32..4).prop_map(TimerId);
    let function = || prop::option::of((0_u16..2).prop_map(NameId));
    let instant = || {
        prop_oneof![
            8 => 0_i64..40_000_000,
            1 => (0_i64..10).prop_map(|n| n * 4_000_000),
            1 => any::<i64>(),
        ]
    };
    let jiffies = || prop_oneof![8 => 4_294_667_296_u64..4_294_667_316, 1 => any::<u64>()];
    prop_oneof![
        6 => (cpu(), 0_u8..4).prop_map(|(cpu, state)| Kind::IdleEnter { cpu, state: StateIdx::new(state) }),
        6 => cpu().prop_map(|cpu| Kind::IdleExit { cpu }),
        1 => (cpu(), 0_u8..4, any::<bool>()).prop_map(|(cpu, state, above)| Kind::IdleMiss {
            cpu,
            state: StateIdx::new(state),
            miss: if above { Miss::Above } else { Miss::Below },
        }),
        2 => any::<bool>().prop_map(|success| Kind::TickStop { success }),
        1 => (timer(), any::<bool>()).prop_map(|(timer, wall_clock)| Kind::HrtimerInit { timer, wall_clock }),
        4 => (timer(), function(), instant()).prop_map(|(timer, function, expires_ns)| Kind::HrtimerStart {
            timer,
            function,
            expires_ns,
        }),
        1 => timer().prop_map(|timer| Kind::HrtimerCancel { timer }),
        3 => (timer(), function(), instant()).prop_map(|(timer, function, now_ns)| Kind::HrtimerExpireEntry {
            timer,
            function,
            now_ns,
        }),
        2 => (timer(), cpu(), jiffies(), prop::option::of(any::<i64>()), prop::option::of(jiffies()), any::<bool>()).prop_map(
            |(timer, on, expires_jiffies, timeout_jiffies, bucket_jiffies, deferrable)| Kind::TimerStart {
                timer,
                on,
                expires_jiffies,
                timeout_jiffies,
                bucket_jiffies,
                deferrable,
            }
        ),
        1 => timer().prop_map(|timer| Kind::TimerCancel { timer }),
        1 => (timer(), jiffies(), prop::option::of(jiffies())).prop_map(|(timer, now_jiffies, bucket_jiffies)| {
            Kind::TimerExpireEntry { timer, now_jiffies, bucket_jiffies }
        }),
        2 => prop::option::of((0_u16..4).prop_map(NameId)).prop_map(|name| Kind::IrqEntry { irq: 1, name }),
        2 => Just(Kind::IrqExit { irq: 1 }),
        1 => Just(Kind::VectorEntry { vector: Vector::LocalTimer }),
        1 => Just(Kind::IpiEntry),
        1 => any::<u64>().prop_map(|targets| Kind::IpiRaise { targets }),
        1 => Just(Kind::SoftirqExit { vec: Softirq::Timer }),
        4 => (0_i32..3, 0_i32..3).prop_map(|(prev_pid, next_pid)| Kind::SchedSwitch { prev_pid, next_pid }),
        1 => (0_i32..3, cpu()).prop_map(|(pid, target)| Kind::SchedWakeup { pid, target }),
        1 => Just(Kind::Lost { events: None }),
    ]
}

/// Events in time order, mostly some 100 µs apart; sometimes with stamps near the ends of the range.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (0_i64..400_000, -1_i32..2, 0_u16..3, kinds());
    let start = prop_oneof![8 => 0_i64..10_000_000, 1 => Just(i64::MIN), 1 => Just(i64::MAX - 5_000_000)];
    (start, prop::collection::vec(event, 0..60)).prop_map(|(start, steps)| {
        let mut now = start;
        steps
            .into_iter()
            .map(|(step, pid, cpu, kind)| {
                now = now.saturating_add(step);
                Event {
                    time: Time::from_ns(now),
                    pid,
                    cpu: CpuId::new(cpu),
                    kind,
                }
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn any_events_give_rows_in_order_and_as_many_as_entries(events in events()) {
        let entries = events.iter().filter(|event| matches!(event.kind, Kind::IdleEnter { .. })).count();
        with_replay(&events, |replay| {
            let rows = replay.selects.iter().map(Vec::len).sum::<usize>();
            prop_assert_eq!(rows, entries);
            for row in replay.selects.iter().flatten() {
                prop_assert!(row.now <= row.enter);
                prop_assert!(row.exit.is_none_or(|exit| row.enter <= exit));
                prop_assert!(row.exit.is_none() || row.cut.is_none());
            }
            let machine = machine();
            let wakeups = Wakeups::of(replay, &machine);
            for (row, wakeup) in replay.selects.iter().flatten().zip(wakeups.rows.iter().flatten()) {
                prop_assert_eq!(row.exit.is_some(), wakeup.is_some());
                if let (Some(exit), Some(wakeup)) = (row.exit, wakeup) {
                    prop_assert!(row.enter <= wakeup.at && wakeup.at <= exit);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn the_recorded_lane_holds_the_stamps_and_states_of_the_events(events in events()) {
        with_replay(&events, |replay| {
            let machine = machine();
            let wakeups = Wakeups::of(replay, &machine);
            let lanes = record(replay, &machine, &wakeups, Reading::PLAIN).lanes;
            for ((selects, opening), lane) in replay.selects.iter().zip(&replay.openings).zip(&lanes) {
                let rows: Vec<_> = lane.rows().skip(usize::from(opening.is_some())).collect();
                prop_assert_eq!(rows.len(), selects.len());
                for (row, select) in rows.iter().zip(selects) {
                    prop_assert_eq!((row.entry, row.entered), (select.enter, select.state));
                    prop_assert!(row.entry <= row.wake && row.wake <= row.exit);
                    prop_assert_eq!(row.flags.has(Flags::UNCOUNTED), select.exit.is_none());
                    prop_assert!(select.exit.is_none_or(|exit| row.exit == exit));
                }
                prop_assert!(rows.windows(2).all(|pair| pair[0].period <= pair[1].period));
            }
            Ok(())
        })?;
    }

    #[test]
    fn every_wakeup_that_did_more_than_serve_the_tick_is_delivered_once(events in events()) {
        with_replay(&events, |replay| {
            let machine = machine();
            let wakeups = Wakeups::of(replay, &machine);
            let cut = replay.selects.iter().flatten().filter(|row| row.cut.is_some()).count();
            let kept = wakeups.rows.iter().flatten().flatten().filter(|wakeup| !wakeup.only_tick).count();
            let mut workload = ReplayWorkload::new(replay, &wakeups, Reading::PLAIN);
            prop_assert_eq!(workload.wakeups(), kept + cut);
            let mut effects = Effects::default();
            let mut delivered = 0;
            while !workload.peek().is_never() {
                let now = workload.peek();
                workload.advance(now, &mut effects);
                let here = effects.drain().count();
                prop_assert!(here > 0);
                delivered += here;
                let timers = workload.timers(now, CpuId::new(0));
                workload.on_cpu(now, CpuId::new(0), CpuEvent::Idle { ran: true, jiffy: now }, &mut effects);
                prop_assert_eq!(workload.timers(now, CpuId::new(0)), timers);
            }
            prop_assert!(delivered == workload.wakeups() || replay.span.1.is_never());
            Ok(())
        })?;
    }

    #[test]
    fn following_and_simulating_any_trace_ends(events in events()) {
        with_replay(&events, |replay| {
            let machine = machine();
            let governor: Choice = "menu-6.1.192".parse().expect("a governor of the catalogue");
            let found = agreement(&Path::of(replay, &machine, governor), replay.span.1);
            prop_assert_eq!(found.inferred.states.of, replay.selects.iter().map(Vec::len).sum::<usize>());
            prop_assert!(found.inferred.states.part <= found.inferred.states.of);
            let reasons: usize = found.reasons.iter().sum();
            prop_assert_eq!(reasons, found.inferred.states.rest());
            let wakeups = Wakeups::of(replay, &machine);
            let shares = Provenance::of(replay, &wakeups, found.reading());
            prop_assert_eq!(shares.sleep_length.total(), found.inferred.states.of);
            // The engine counts from its clock's zero; a trace from before it is for the following only.
            if replay.span.0 >= Time::ZERO && replay.span.1 < Time::from_ns(1 << 60) {
                let workload = ReplayWorkload::new(replay, &wakeups, found.reading());
                let simulated = simulate(setup(replay, &machine, governor, 100), workload);
                for row in simulated.lanes.iter().flat_map(idlescope::sim::Lane::rows) {
                    prop_assert!(row.entry <= row.wake && row.wake <= row.exit, "{row:?}");
                }
            }
            Ok(())
        })?;
    }
}
