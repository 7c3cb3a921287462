//! The reference lane of generated workloads, and the strips under the lanes.

use idlescope::page::extras::Extra;
use idlescope::page::link::parse;
use idlescope::page::session::{Session, Strip};
use idlescope::page::view::LaneId;
use idlescope::units::{CpuId, Time};

const CPU: CpuId = CpuId::new(0);
const WHOLE: (Time, Time) = (Time::ZERO, Time::from_ns(400_000_000));

fn answered(link: &str) -> Session {
    let (link, issues) = parse(link);
    assert_eq!(issues, []);
    let mut session = Session::new();
    session.ask(&link.doc);
    session.finish();
    session
}

fn strip(session: &Session, extra: Extra, window: (Time, Time)) -> Strip {
    let mut strips = session.strips(CPU, &[extra], window);
    assert_eq!(strips.len(), 1);
    strips.remove(0)
}

#[test]
fn the_ideal_lane_has_the_idle_stretches_of_a_with_the_states_that_ideal_charges() {
    let session = answered("w=doorbell&m=snb&dur=100ms&a=teo-6.5&b=menu-6.6");
    let lane = |lane| {
        session
            .record(lane)
            .and_then(|record| record.lane(CPU))
            .expect("it ran")
    };
    let (ideal, own) = (lane(LaneId::Ideal), lane(LaneId::A));
    let mut stretches = 0;
    for n in 0..own.len() {
        let row = own.row(n).expect("a row");
        if n > 0 && own.periods()[n - 1] == row.period {
            continue;
        }
        let found = ideal.row(stretches).expect("a stretch for every period");
        let decision = session.decision(LaneId::A, CPU, u32::try_from(n).expect("few"));
        let decision = decision.expect("a decision");
        let told = decision.lane(LaneId::A).expect("its own lane");
        assert_eq!((found.entry, found.period), (row.entry, row.period));
        assert_eq!(found.wake.saturating_since(found.entry), told.stretch);
        assert_eq!(Some(found.entered), told.ideal);
        stretches += 1;
    }
    assert!(stretches > 50 && ideal.len() == stretches, "{stretches}");
}

#[test]
fn utilisation_is_told_where_the_governor_reads_it_and_only_there() {
    let session = answered("w=doorbell&m=snb&dur=100ms&a=teo-6.5&b=teo-6.12");
    let whole = strip(&session, Extra::Utilization, WHOLE);
    let [(LaneId::A, stretches)] = whole.series.as_slice() else {
        panic!("{:?}", whole.series);
    };
    let lane = session
        .record(LaneId::A)
        .and_then(|record| record.lane(CPU))
        .expect("it ran");
    let start = session.span().expect("a record").0;
    let entries: Vec<Time> = lane
        .entries()
        .iter()
        .map(|entry| Time::ZERO.saturating_add(entry.saturating_since(start)))
        .collect();
    let told: Vec<Time> = stretches.iter().map(|stretch| stretch.0).collect();
    assert_eq!(told, entries, "every decision of teo 6.5 reads it");
    assert!(stretches.windows(2).all(|pair| pair[0].1 == pair[1].0));
    assert_eq!(
        whole.mark,
        Some(0.4),
        "a sixty-fourth of 1024 is 16 of 2 to the 10"
    );
    // A part is the same part.
    let (from, to) = (entries[20], entries[40]);
    let part = strip(&session, Extra::Utilization, (from, to));
    let heights = |stretches: &[(Time, Time, f32)]| stretches.iter().map(|s| (s.0, s.2)).collect::<Vec<_>>();
    assert_eq!(heights(&part.series[0].1), heights(&stretches[20..=40]));

    let none = answered("w=doorbell&m=snb&dur=100ms&a=teo-6.12&b=menu-6.6");
    let none = strip(&none, Extra::Utilization, WHOLE);
    assert_eq!((none.series.len(), none.note.as_str()), (0, "not read here"));
}

#[test]
fn limits_and_sleep_lengths_are_those_of_each_variant() {
    let session = answered("w=doorbell&m=snb&dur=100ms&a=teo-6.5&b=menu-6.6&lat.a=20us");
    let limit = strip(&session, Extra::LatencyLimit, WHOLE);
    assert_eq!(limit.note, "A 20\u{202f}µs, B none");
    assert_eq!(limit.series.len(), 1);
    let sleep = strip(&session, Extra::SleepLength, WHOLE);
    let lanes: Vec<LaneId> = sleep.series.iter().map(|(lane, _)| *lane).collect();
    assert_eq!(lanes, [LaneId::A, LaneId::B]);
    assert!(sleep.series.iter().all(|(_, stretches)| stretches.len() > 50));
    assert_eq!(
        sleep.mark.map(|mark| (mark * 7_000.0).round()),
        Some(3_602.0),
        "4 ms"
    );
}

#[test]
fn the_clock_of_each_variant_is_told_where_it_changes() {
    let session = answered("w=pipe-test&dur=100ms&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil");
    assert!(session.clock_changes());
    let window = (Time::ZERO, Time::from_ns(100_000_000));
    let found = strip(&session, Extra::Frequency, window);
    let [(LaneId::A, teo), (LaneId::B, mobile)] = found.series.as_slice() else {
        panic!("{:?}", found.series);
    };
    let ends = |stretches: &[(Time, Time, f32)]| {
        let (first, last) = (stretches.first().expect("one"), stretches.last().expect("one"));
        (first.0, last.1, last.2)
    };
    assert_eq!(ends(teo), (window.0, window.1, 1.0));
    let (from, to, height) = ends(mobile);
    assert_eq!((from, to), window);
    assert!((height - 16.0 / 37.0).abs() < 1e-6, "{height}");
    assert!(
        mobile.windows(2).all(|pair| pair[0].1 == pair[1].0),
        "without gaps"
    );
    let still = answered("w=tbench&dur=20ms&a=menu-4.6&b=menu-4.5-p1");
    assert!(!still.clock_changes());
    let open_loop = answered("w=metronome&a=teo-6.12");
    assert_eq!(open_loop.strips(CPU, &[Extra::Frequency], window), []);
}
