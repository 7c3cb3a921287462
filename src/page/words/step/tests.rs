//! A sentence per kind of step that a reader meets often, with the numbers of mockup a.

use super::*;
use crate::cpuidle::menu::{Source, Verdict};
use crate::cpuidle::teo::{Bail, Booked, TimerBin};
use crate::cpuidle::{IdleState, StateTable, menu, teo};
use crate::page::words::Style;
use crate::units::Us;

fn table() -> StateTable {
    let state = |name: &str, latency, residency| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(latency),
        target_residency: Ns::from_us(residency),
        polling: name == "POLL",
        timer_stop: false,
    };
    StateTable::new(vec![
        state("POLL", 0, 0),
        state("C1", 1, 1),
        state("C2", 120, 360),
        state("C3", 1034, 3102),
    ])
    .expect("a table that real machines have")
}

#[track_caller]
fn check(step: impl Into<cpuidle::Step>, text: &str, math: &str) {
    let table = table();
    let speaker = Speaker::new(Some(&table), Style::Ascii, false);
    let said = speaker.step(&Step::Governor(step.into()));
    assert_eq!((said.text.as_str(), said.math.as_str()), (text, math));
}

const C1: StateIdx = StateIdx::new(1);
const C2: StateIdx = StateIdx::new(2);
const C3: StateIdx = StateIdx::new(3);

const INTERCEPTS: teo::Step = teo::Step::Intercepts {
    candidate: C3,
    intercepts: 3667,
    hits: 1578,
    total: 8210,
    twice: 7334,
    rest: 6632,
    percent: 50,
    outweigh: true,
};

#[test]
fn teo_tells_its_bins() {
    check(
        INTERCEPTS,
        "Intercepts below C3 outweigh the rest: look shallower",
        "2*3667 = 7334 > 8210 - 1578 = 6632",
    );
    check(
        teo::Step::Walked {
            state: C2,
            intercepts: 2278,
            intercepts_of: Some(3667),
            recent: 0,
            recent_of: None,
            reached: true,
            enabled: true,
            tick_allows: true,
        },
        "C2 already holds more than half of them",
        "2*2278 = 4556 > 3667",
    );
    check(
        teo::Step::Utilization {
            utilization: 26,
            threshold: 16,
            utilized: true,
        },
        "The CPU is utilised",
        "26 > 16",
    );
    check(
        teo::Step::Demoted {
            from: C2,
            found: C1,
            to: C1,
            duration: Some(Ns::new(180_500)),
        },
        "Utilised: go one shallower to C1",
        "estimate 180.5 us",
    );
    check(
        teo::Step::Learned {
            sleep_length: Ns::new(6_124_000),
            measured: Some(Ns::new(227_600)),
            timer: TimerBin::State(C3),
            duration: C1,
            booked: Booked::Intercept,
            total: 8210,
        },
        "Learned: something came before the timer, an intercept for C1",
        "timer 6.124 ms, slept 227.6 us; all bins 8210",
    );
    let beyond = |sleep_length, measured| teo::Step::Learned {
        sleep_length,
        measured,
        timer: TimerBin::Tick,
        duration: C3,
        booked: Booked::TickHit,
        total: 8210,
    };
    let text = "Learned: the last stay lasted a tick or more: a hit for the bin beyond all states";
    check(
        beyond(Ns::from_ms(9), None),
        text,
        "timer 9 ms, slept as long; all bins 8210",
    );
    check(
        beyond(Ns::MAX, Some(Ns::from_ms(7))),
        text,
        "timer not looked up, slept 7 ms; all bins 8210",
    );
    check(
        beyond(Ns::MAX, None),
        text,
        "timer not looked up, the stay counts as longer than any; all bins 8210",
    );
    check(
        teo::Step::BailedOut {
            state: C1,
            why: Bail::BusyTwoStates,
        },
        "C1 and the tick is kept: utilised, two states, bins not read",
        "",
    );
}

#[test]
fn the_tick_is_judged_by_the_estimate() {
    let decision = |duration, choice, polling, stopped| teo::Step::TickDecision {
        state: C1,
        duration: Ns::new(duration),
        tick: Ns::from_ms(1),
        polling,
        stopped,
        choice,
    };
    check(
        decision(1_731_000, TickChoice::Stop, false, false),
        "Tick: stop it, the stay reaches one tick",
        "1.731 ms >= 1 ms",
    );
    check(
        decision(180_500, TickChoice::Retain, false, false),
        "Tick: keep it, it will ask again if the guess is wrong",
        "180.5 us < 1 ms",
    );
    check(
        decision(1_731_000, TickChoice::Retain, true, false),
        "Tick: keep it, C1 polls",
        "1.731 ms >= 1 ms",
    );
}

#[test]
fn menu_tells_its_intervals_and_factors() {
    check(
        menu::Step::Intervals {
            intervals: [150, 150, 149, 151, 150, 900, 150, 4_294_967_295]
                .map(Us::new)
                .into(),
            threshold: Us::new(899),
            count: 6,
            shortest: Us::new(149),
            longest: Us::new(151),
            average: Us::new(150),
            variance: 1,
            verdict: Verdict::Steady,
        },
        "The last intervals are steady: 150 us is typical",
        "150 150 149 151 150 (900) 150 - us; 6 of 8, 149 to 151 us, average 150 us, variance 1 us^2",
    );
    check(
        menu::Step::Learned {
            measured: Ns::from_us(150),
            source: Source::Residency,
            next_timer: Ns::from_ms(4),
            bucket: 4,
            factor_before: 8192,
            factor: 7475,
            interval: Us::new(150),
        },
        "Learned: the last stay counts as 150 us",
        "timer 4 ms, factor 4: 1.000 -> 0.912, interval 150 us",
    );
    check(
        menu::Step::LatencyLimit {
            duration: Ns::from_us(150),
            divisor: 1,
            latency_req: Ns::from_ms(2_000_000),
            limit: Ns::from_us(150),
        },
        "States may take 150 us to wake",
        "least of 150 us and none",
    );
}

#[test]
fn nothing_is_called_none_that_is_not_there() {
    let us = |us: u32| Some(Us::new(us));
    let predicted = |timer, typical, ns| menu::Step::Predicted {
        timer,
        typical,
        duration: Ns::new(ns),
    };
    check(
        predicted(us(150), us(200), 150_000),
        "Expect 150 us, the lesser of timer and intervals",
        "timer 150 us, typical 200 us",
    );
    check(
        predicted(us(150), None, 150_000),
        "Expect 150 us, as the timer says: no interval is typical",
        "timer 150 us",
    );
    for timer in [None, Some(Us::MAX)] {
        check(
            predicted(timer, us(200), 200_000),
            "Expect 200 us, the typical interval: no timer speaks against it",
            "typical 200 us",
        );
        check(
            predicted(timer, None, i64::MAX),
            "Nothing bounds the stay: no timer is known, no interval is typical",
            "",
        );
    }
    check(
        menu::Step::Bucket {
            next_timer: Ns::MAX,
            nr_iowait: 0,
            bucket: 5,
            factor: 8192,
        },
        "Timers this far away are corrected by 1.000",
        "no timer pending: factor 5",
    );
}

#[test]
fn kernel_names_keep_the_values() {
    let table = table();
    let speaker = Speaker::new(Some(&table), Style::Page, true);
    let said = speaker.governor_step(&INTERCEPTS.into());
    assert_eq!(
        said.math,
        "2·intercepts 3667 = 7334 > total 8210 − hits 1578 = 6632"
    );
    assert_eq!(said.states, StateMask::NONE.with(C3));
}
