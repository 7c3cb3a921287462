//! Every generated workload through a session: it answers, says the same twice, and shows what it is there to show.

use idlescope::page::doc::{Side, Workload};
use idlescope::page::generated::{Generated, Param, Pattern};
use idlescope::page::link;
use idlescope::page::scenarios;
use idlescope::page::session::Session;
use idlescope::page::session::closed::Loops;
use serde_json::Value;

fn answered(fragment: &str) -> Session {
    let (link, issues) = link::parse(fragment);
    assert!(issues.is_empty(), "{fragment}: {issues:?}");
    let mut session = Session::new();
    let issues = session.ask(&link.doc).to_vec();
    assert!(issues.is_empty(), "{fragment}: {issues:?}");
    session.finish();
    session
}

fn number(json: &Value, pointer: &str) -> i64 {
    let value = json.pointer(pointer).and_then(Value::as_i64);
    value.unwrap_or_else(|| panic!("{pointer} in {json}"))
}

/// Per mille of idle time in one state, all CPUs together.
fn in_state(session: &Session, side: &str, state: usize) -> i64 {
    let json = session.to_json();
    let cpus = json.pointer(&format!("/{side}/cpus")).and_then(Value::as_object);
    let cpus = cpus.unwrap_or_else(|| panic!("no CPUs of {side} in {json}"));
    let of = |cpu: &Value, path: &str| cpu.pointer(path).and_then(Value::as_i64).unwrap_or(0);
    let in_it: i64 = cpus
        .values()
        .map(|cpu| of(cpu, &format!("/states/{state}/residency_ns")))
        .sum();
    let all: i64 = cpus.values().map(|cpu| of(cpu, "/residency_ns_total")).sum();
    in_it * 1_000 / all.max(1)
}

fn loops(session: &Session, side: Side) -> Loops {
    session.loops(side).expect("a closed loop")
}

#[test]
fn each_answers_its_own_question_twice_alike() {
    for pattern in Pattern::ALL {
        let mut doc = scenarios::question(pattern);
        assert_eq!(doc.workload, Workload::Generated(Generated::new(pattern)));
        if let Workload::Generated(generated) = &mut doc.workload {
            let short = generated.time(Param::Duration) / 10;
            let set = generated.set(Param::Duration, short.as_ns());
            assert!(set, "{pattern:?} lasts {short:?}");
        }
        let [one, other] = [(); 2].map(|()| {
            let mut session = Session::new();
            let issues = session.ask(&doc).to_vec();
            assert!(issues.is_empty(), "{pattern:?}: {issues:?}");
            session.finish();
            session.to_json()
        });
        assert_eq!(one, other, "{pattern:?}");
        assert!(number(&one, "/a/periods") > 0, "{pattern:?}");
    }
}

#[test]
fn a_loop_of_a_ring_takes_as_many_hops_as_it_has_tasks() {
    let time = |tasks: u64| {
        let session = answered(&format!("w=token-ring&n={tasks}&dur=100ms&a=shallowest&hz=1000"));
        let loops = loops(&session, Side::A);
        assert_eq!(loops.sends_per_loop, tasks);
        loops.loop_time().expect("loops").as_ns()
    };
    let (two, four) = (time(2), time(4));
    assert!((195..=205).contains(&(four * 100 / two)), "{two} {four}");
}

#[test]
fn a_task_that_waits_for_a_device_gets_less_done_under_a_governor_that_sleeps_too_deep() {
    let session = answered("w=storage&dur=1s&a=shallowest&b=deepest");
    let rate = |side| {
        let loops = loops(&session, side);
        let requests = i64::try_from(loops.requests.expect("asks a device")).expect("few");
        requests * 1_000_000_000 / loops.span.as_ns()
    };
    let (light, deep) = (rate(Side::A), rate(Side::B));
    assert!(light > 2 * deep && deep > 100, "{light} {deep}");
}

#[test]
fn delayed_requests_wake_their_cpu_as_often_as_published() {
    // 640 a second: published-results.md P5.
    let session = answered("w=dm-delay&a=teo-6.6&b=teo-6.12&hz=100");
    let json = session.to_json();
    let per_second = number(&json, "/b/periods") / 5;
    println!(
        "per second {per_second}; deepest {} {}",
        in_state(&session, "a", 2),
        in_state(&session, "b", 2)
    );
    assert!((550..=750).contains(&per_second), "{per_second}");
}

#[test]
fn packed_requests_let_the_last_cpus_sleep_and_take_no_longer() {
    let of = |turn: u8| {
        let session = answered(&format!("w=poisson&turn={turn}&dur=500ms&a=teo-6.12&hz=1000"));
        let loops = loops(&session, Side::A);
        let busy = |cpu: usize| loops.busy_per_mille.get(cpu).copied().unwrap_or_default();
        (busy(0), busy(7), loops.response.expect("queues").as_ns())
    };
    let (in_turn, packed) = (of(1), of(0));
    assert!((in_turn.0 - in_turn.1).abs() < 80, "{in_turn:?}");
    assert!(packed.0 > packed.1 + 300, "{packed:?}");
    assert!(packed.2 < in_turn.2 * 11 / 10, "{packed:?} {in_turn:?}");
}

#[test]
fn after_a_burst_a_kernel_that_stops_its_tick_first_sleeps_lightly_for_good() {
    let session = answered("w=nightmare&a=menu-4.6&b=menu-6.6");
    let deep = |side| in_state(&session, side, 4);
    assert!(deep("a") < 100 && deep("b") > 900, "{} {}", deep("a"), deep("b"));
}

#[test]
fn a_sweep_by_pipe_and_by_timer_tells_menu_from_itself() {
    let deep = |pipe: u8| {
        let json = answered(&format!("w=sweep&pipe={pipe}&a=menu-6.13&hz=100")).to_json();
        (number(&json, "/a/above"), number(&json, "/a/periods"))
    };
    let (pipe, timer) = (deep(1), deep(0));
    assert!(pipe.0 * 4 > pipe.1, "{pipe:?}");
    assert!(timer.0 * 100 < timer.1 * 3, "{timer:?}");
}

#[test]
fn threads_wake_as_often_as_they_say_and_a_load_sweep_moves_the_clock() {
    let json = answered("w=threads&n=8&rate=100&dur=1s&a=teo-6.12&hz=1000").to_json();
    let wakeups = number(&json, "/a/wakeups_by_cause/timer");
    assert!((780..=800).contains(&wakeups), "{wakeups}");
    let session = answered("w=load-sweep&dur=2s&a=teo-6.12&hz=1000&f=schedutil");
    let loops = loops(&session, Side::A);
    assert!(loops.busy_per_mille.first().is_some_and(|busy| *busy > 400));
}

#[test]
fn machines_that_do_nothing_sleep_deeply_and_draw_little() {
    for (fragment, most_uw) in [
        ("w=idle-desktop&dur=5s&a=menu-6.12.117&hz=1000", 12_000_000),
        ("w=idle-phone&dur=5s&a=teo-6.5-p123", 30_000),
        ("w=video&dur=5s&a=teo-6.12", 200_000),
    ] {
        let session = answered(fragment);
        let loops = loops(&session, Side::A);
        let power = loops.power.expect("modelled").as_uw();
        assert!(power < most_uw, "{fragment}: {power}");
    }
}

#[test]
fn the_lessons_name_for_a_ping_pong_is_understood() {
    let of = |fragment: &str| link::write(&link::parse(fragment).0);
    assert_eq!(
        of("w=pingpong&pairs=2&place=smt&f=schedutil&hz=250&m=snb&a=mobile-2019&b=teo-5.1&xe=2"),
        of("w=pipe-test&f=schedutil&m=snb&a=mobile-2019&b=teo-5.1&xe=2")
    );
    assert_eq!(
        of("w=pingpong&a=menu-4.5"),
        of("w=pipe-test&pairs=1&cross=1&a=menu-4.5")
    );
    let (_, issues) = link::parse("w=pingpong&place=moon");
    assert_eq!(issues.len(), 1);
}

#[test]
fn a_closed_loop_starts_at_the_clock_that_the_link_says() {
    let session = answered("w=pipe-test&dur=20ms&a=teo-5.1&hz=1000&f=fixed&fs=2345");
    assert_eq!(loops(&session, Side::A).khz, 2_400_000, "the next step");
    let session = answered("w=pipe-test&dur=20ms&a=teo-5.1&hz=1000&f=fixed&fs=1");
    assert_eq!(
        loops(&session, Side::A).khz,
        1_600_000,
        "no lower than the machine"
    );
}
