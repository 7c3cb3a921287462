//! Published measurements of one CPU at given arrivals (spec published-results.md): no closed loop is needed.

use super::trial::{Outcome, Trial};
use super::{Finding, Findings, governor, ratio, table};
use crate::cpuidle::{IdleState, StateMask, StateTable};
use crate::tick::{self, Hz};
use crate::units::Ns;
use crate::workload::scenario::{Bell, Doorbell, Knock, Metronome, Pauses};

fn state(name: &str, exit_us: i64, target_us: i64, polling: bool) -> IdleState {
    IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling,
        timer_stop: false,
    }
}

/// One CPU, without any cost of code.
fn run(table: StateTable, name: &str, hz: u32, workload: Pauses, measured: Ns) -> Option<Outcome> {
    let trial = Trial {
        model: None,
        cpus: vec![(table, StateMask::NONE, 1_024)],
        governor: governor(name)?,
        tick: tick::Config {
            hz: Hz::new(hz).ok()?,
            ..tick::Config::default()
        },
        poll_limit: governor(name)?.poll_limit(),
        warm_up: Ns::from_ms(200),
        measured,
    };
    Some(trial.run(workload, |_| 0).0)
}

fn percent(outcome: &Outcome, of: impl Fn(&super::InState) -> u64) -> f64 {
    100.0 * ratio(outcome.sum(0..1, of), outcome.sum(0..1, |state| state.count))
}

/// P8: two states of a POWER10 guest, wakeups at a fixed distance, by a pipe or by a timer.
#[must_use]
pub fn power10() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let cede = || StateTable::new(vec![state("snooze", 0, 0, true), state("CEDE", 10, 100, false)]).ok();
    let run_us = Ns::from_us(1);
    let pipe = |us: i64, name: &str| {
        let bell = Doorbell {
            gap: Ns::from_us(us),
            bell: Bell::Regular,
            run: run_us,
            timer_grid: Ns::ZERO,
            ..Doorbell::default()
        };
        run(cede()?, name, 100, bell.workload(1, 1).ok()?, Ns::from_ms(2_000))
    };
    let timer = |us: i64, name: &str| {
        let beat = Metronome {
            gap: Ns::from_us(us),
            run: run_us,
            jitter: Ns::ZERO,
        };
        run(cede()?, name, 100, beat.workload(1, 1).ok()?, Ns::from_ms(2_000))
    };
    let link = |workload: &str, us: i64| {
        format!("w={workload}&gap={us}us&run=1us&m=power10&a=menu-6.13&b=teo-6.12&hz=100&dur=2s")
    };
    for (us, published, range) in [
        (6, "0.00", (0.0, 1.0)),
        (21, "97.93", (95.0, 100.0)),
        (51, "98.64", (95.0, 100.0)),
        (81, "97.84", (95.0, 100.0)),
        (151, "1.00", (0.0, 3.0)),
        (501, "0.72", (0.0, 3.0)),
    ] {
        let menu = pipe(us, "menu-6.13")?;
        found.add(
            "P8",
            (
                &format!("pipe, every {us} us: menu too deep, % of exits"),
                &link("doorbell", us),
            ),
            (published, percent(&menu, |state| state.too_deep)),
            range,
        );
    }
    for us in [6, 21, 51, 81, 501] {
        let teo = pipe(us, "teo-6.12")?;
        found.add(
            "P8",
            (
                &format!("pipe, every {us} us: teo too deep, % of exits"),
                &link("doorbell", us),
            ),
            (
                if us == 501 { "0.75" } else { "0.00" },
                percent(&teo, |state| state.too_deep),
            ),
            (0.0, 3.0),
        );
    }
    for us in [51, 81, 501] {
        let menu = timer(us, "menu-6.13")?;
        found.add(
            "P8",
            (
                &format!("timer, every {us} us: menu too deep, % of exits"),
                &link("metronome", us),
            ),
            (
                if us == 501 { "0.06" } else { "0.00" },
                percent(&menu, |state| state.too_deep),
            ),
            (0.0, 3.0),
        );
    }
    Some(found.0)
}

/// P12: teo of 6.12 that nothing leads out of the shallowest state, and that of 6.6 which leaves it.
#[must_use]
pub fn stuck_in_wfi() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let link = "w=knock&a=teo-6.12&b=teo-6.6&hz=1000";
    let shallow = |name: &str| -> Option<(Outcome, f64)> {
        let knock = Knock::default().workload(1, 1).ok()?;
        let outcome = run(table("mt8196-little")?, name, 1_000, knock, Ns::from_ms(10_000))?;
        let share = 100.0 * super::seconds(outcome.time(0..1, 0)) / super::seconds(outcome.idle(0..1));
        Some((outcome, share))
    };
    let (stuck, share) = shallow("teo-6.12")?;
    let mut add =
        |what: &str, published, ours, range| found.add("P12", (what, link), (published, ours), range);
    add("teo 6.12: idle time in WFI, %", "99.94", share, (99.9, 100.0));
    let per_second = ratio(stuck.sum(0..1, |state| state.count), 1) / super::seconds(stuck.span);
    add(
        "teo 6.12: idle exits per second, one a tick",
        "1265",
        per_second,
        (990.0, 1_300.0),
    );
    add(
        "teo 6.6: idle time in WFI, %",
        "6.02",
        shallow("teo-6.6")?.1,
        (0.0, 20.0),
    );
    Some(found.0)
}

/// P5 and P7: timers at a steady distance, with and without the load that counts.
#[must_use]
pub fn steady_timers() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let every = |ms: i64, run_us| Metronome {
        gap: Ns::from_ms(ms),
        run: Ns::from_us(run_us),
        jitter: Ns::ZERO,
    };
    let deepest = |outcome: &Outcome, state: usize| {
        100.0 * super::seconds(outcome.time(0..1, state)) / super::seconds(outcome.span)
    };
    let rk3399 = |name: &str| {
        run(
            table("rk3399")?,
            name,
            100,
            every(50, 800).workload(1, 1).ok()?,
            Ns::from_ms(5_000),
        )
    };
    let link = "w=metronome&gap=50ms&run=800us&m=rk3399&a=teo-6.6&b=teo-6.12&hz=100&dur=5s";
    let (loaded, fixed) = (rk3399("teo-6.6")?, rk3399("teo-6.12")?);
    found.add(
        "P5",
        (
            "a timer every 50 ms: teo with utilisation, time in the deepest state, %",
            link,
        ),
        ("0", deepest(&loaded, 2)),
        (0.0, 5.0),
    );
    found.because(
        "the measured load woke its CPU 640 times a second; here one task a period runs, and its load fades before the next",
    );
    let mut add = |id, what: &str, link: &str, published, ours, range| {
        found.add(id, (what, link), (published, ours), range);
    };
    add(
        "P5",
        "the same without utilisation, %",
        link,
        "96",
        deepest(&fixed, 2),
        (90.0, 100.0),
    );
    let misses = |outcome: &Outcome| percent(outcome, |state| state.too_deep + state.too_shallow);
    add(
        "P5",
        "the same without: misses, % of exits",
        link,
        "1.2",
        misses(&fixed),
        (0.0, 2.0),
    );
    let rb5 = StateTable::new(vec![
        state("WFI", 1, 1, false),
        state("cpu-off", 800, 4_488, false),
    ])
    .ok()?;
    let task = |name: &str| {
        run(
            rb5.clone(),
            name,
            1_000,
            every(19, 1_000).workload(1, 1).ok()?,
            Ns::from_ms(5_000),
        )
    };
    let link = "w=metronome&gap=19ms&run=1ms&m=sdm845-big&a=teo-6.5&b=teo-6.12&hz=1000&dur=5s";
    let (loaded, plain) = (task("teo-6.5")?, task("teo-6.12")?);
    add(
        "P7",
        "a task of 1 ms every 20 ms: teo with utilisation, time in the deep state, %",
        link,
        "0",
        deepest(&loaded, 1),
        (0.0, 5.0),
    );
    add(
        "P7",
        "the same without, %",
        link,
        "78",
        deepest(&plain, 1),
        (70.0, 96.0),
    );
    Some(found.0)
}
