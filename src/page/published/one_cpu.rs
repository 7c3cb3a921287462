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
        format!("w={workload}&gap={us}us&run=1us&m=power10-lpar&a=menu-6.13&b=teo-6.12&hz=100&dur=2s")
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

/// P9: two states of a POWER10 guest of 2024, woken every 50 us by a pipe or by a timer, or every 20 us by a pipe.
#[must_use]
pub fn power10_2024() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let cede = || StateTable::new(vec![state("snooze", 0, 0, true), state("CEDE", 12, 120, false)]).ok();
    let gap = |us| (Ns::from_us(us), Ns::from_us(1));
    let pipe = |us: i64, name: &str| {
        let (gap, run_for) = gap(us);
        let bell = Doorbell {
            gap,
            run: run_for,
            timer_grid: Ns::ZERO,
            ..Doorbell::default()
        };
        run(cede()?, name, 100, bell.workload(1, 1).ok()?, Ns::from_ms(2_000))
    };
    let timer = |us: i64, name: &str| {
        let (gap, run_for) = gap(us);
        let beat = Metronome {
            gap,
            run: run_for,
            jitter: Ns::ZERO,
        };
        run(cede()?, name, 100, beat.workload(1, 1).ok()?, Ns::from_ms(2_000))
    };
    let in_cede = |outcome: &Outcome| {
        let cede = outcome
            .states
            .first()
            .and_then(|row| row.get(1))
            .copied()
            .unwrap_or_default();
        100.0 * ratio(cede.count, outcome.sum(0..1, |state| state.count))
    };
    let table = "m=power10-lpar&st=CEDE.tr120us,CEDE.xl12us&hz=100&dur=2s";
    let mut add = |workload: &str, us: i64, name: &str, what: &str, published, ours, range| {
        let by = if workload == "doorbell" { "pipe" } else { "timer" };
        let link = format!("w={workload}&gap={us}us&run=1us&tmr=0&a={name}&{table}");
        let link = if workload == "doorbell" {
            link
        } else {
            link.replace("&tmr=0", "")
        };
        let what = format!("{by}, every {us} us: {name}, {what}");
        found.add("P9", (&what, &link), (published, ours), range);
    };
    let usage = "entries of CEDE, %";
    for (name, published, range) in [
        ("ladder-5.5", "100", (95.0, 100.0)),
        ("menu-6.13", "98.7", (95.0, 100.0)),
        ("teo-6.12", "0.0", (0.0, 3.0)),
    ] {
        let outcome = pipe(50, name)?;
        add("doorbell", 50, name, usage, published, in_cede(&outcome), range);
        if name != "teo-6.12" {
            let deep = percent(&outcome, |state| state.too_deep);
            add(
                "doorbell",
                50,
                name,
                "too deep, % of exits",
                published,
                deep,
                range,
            );
        }
    }
    for (name, published, range) in [
        ("ladder-5.5", "100", (95.0, 100.0)),
        ("menu-6.13", "0.0", (0.0, 3.0)),
        ("teo-6.12", "0.0", (0.0, 3.0)),
    ] {
        let outcome = timer(50, name)?;
        add("metronome", 50, name, usage, published, in_cede(&outcome), range);
    }
    let menu = pipe(20, "menu-6.13")?;
    add(
        "doorbell",
        20,
        "menu-6.13",
        usage,
        "97.7",
        in_cede(&menu),
        (95.0, 100.0),
    );
    Some(found.0)
}

/// P7: a timer at a steady distance, with and without the load that counts.
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
    let mut add = |id, what: &str, link: &str, published, ours, range| {
        found.add(id, (what, link), (published, ours), range);
    };
    let rb5 = table("rb5-mid")?;
    let task = |name: &str| {
        run(
            rb5.clone(),
            name,
            1_000,
            every(19, 1_000).workload(1, 1).ok()?,
            Ns::from_ms(5_000),
        )
    };
    let link = "w=metronome&gap=19ms&run=1ms&m=rb5-mid&a=teo-6.5&b=teo-6.12&hz=1000&dur=5s";
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
        (70.0, 90.0),
    );
    found.because(&[(
        "the same without, %",
        "nothing but the one task runs here; what kept the machine out of the deep state for some more time is not known",
    )]);
    Some(found.0)
}
