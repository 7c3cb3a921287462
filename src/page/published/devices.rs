//! Published measurements of a task that waits for devices (spec published-results.md P5, P6): RK3399, one request in
//! flight.

use super::trial::{Outcome, Trial};
use super::{Finding, Findings, cpus, governor, ratio, seconds};
use crate::cpuidle::StateMask;
use crate::sim::machine::{Cycles, ModelCpu, StateExit};
use crate::tick::{self, Hz};
use crate::units::Ns;
use crate::workload::closed;
use crate::workload::sources::{Source, SourcesWorkload, loads};

/// One CPU that pays its listed exit latencies, on which kernel code takes time.
fn run(name: &str, hz: u32, sources: Vec<Source>) -> Option<(Outcome, u64)> {
    let governor = governor(name)?;
    let cpus = cpus("rk3399", 1, StateMask::NONE)?;
    let (table, _, _) = cpus.first()?;
    let mut model = closed::busy_server(1);
    let exits = table.indices().map(|idx| StateExit {
        fixed: table.exit_latency(idx),
        cycles: Cycles::ZERO,
        beside_sibling: Cycles::ZERO,
    });
    model.cpus = vec![ModelCpu {
        core: 0,
        exits: exits.collect(),
    }];
    let trial = Trial {
        model: Some(model),
        governor,
        tick: tick::Config {
            hz: Hz::new(hz).ok()?,
            ..tick::Config::default()
        },
        poll_limit: governor.poll_limit(),
        warm_up: Ns::from_ms(500),
        measured: Ns::from_ms(5_000),
        cpus,
    };
    Some(trial.run(SourcesWorkload::new(sources, 1, 1), SourcesWorkload::requests))
}

/// P5 and P6; none if a preset or a governor is missing.
#[must_use]
pub fn devices() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    // Held back by a timer of 50 ms; 34 short timers behind it make the published 640 wakeups a second.
    let delayed = || loads::delayed(Ns::from_ms(50), (34, Ns::from_us(100)), Ns::from_us(60));
    let (loaded, fixed) = (
        run("teo-6.6", 100, delayed())?.0,
        run("teo-6.12", 100, delayed())?.0,
    );
    let deepest = |outcome: &Outcome| 100.0 * seconds(outcome.time(0..1, 2)) / seconds(outcome.idle(0..1));
    let misses = |outcome: &Outcome| {
        let missed = outcome.sum(0..1, |state| state.too_deep + state.too_shallow);
        100.0 * ratio(missed, outcome.sum(0..1, |state| state.count))
    };
    let link = "w=dm-delay&a=teo-6.6&b=teo-6.12&hz=100";
    let mut add = |what: &str, published, ours, range| {
        found.add("P5", (what, link), (published, ours), range);
    };
    add(
        "requests held back for 50 ms: teo with utilisation, idle time in the deepest state, %",
        "0",
        deepest(&loaded),
        (0.0, 5.0),
    );
    add(
        "the same without utilisation, %",
        "95.2",
        deepest(&fixed),
        (95.0, 100.0),
    );
    add(
        "teo with utilisation: misses, % of exits",
        "39.4",
        misses(&loaded),
        (20.0, 60.0),
    );
    add("the same without, %", "1.2", misses(&fixed), (0.0, 2.0));
    // Device times from teo's published requests per second; menu's follow.
    for (name, device_us, published) in [
        ("nvme0n1", 40, "0.54"),
        ("mmcblk2", 110, "0.51"),
        ("mmcblk1", 420, "0.65"),
    ] {
        let requests = |name| run(name, 250, loads::storage(Ns::from_us(device_us), Ns::from_us(60)));
        let (teo, menu) = (requests("teo-6.12")?.1, requests("menu-6.13")?.1);
        found.add(
            "P6",
            (
                &format!("{name}: requests a second, menu to teo"),
                &format!("w=storage&dev={device_us}us&a=teo-6.12&b=menu-6.13"),
            ),
            (published, ratio(menu, teo)),
            (0.4, 0.75),
        );
    }
    found.because(&[
        (
            "the same without utilisation, %",
            "34 timers of 100 us behind each request, assumed so as to give the published 640 wakeups a second, are 3.4 of every 50 ms",
        ),
        (
            "teo with utilisation: misses, % of exits",
            "here its tick is stopped and a long sleep is one miss; measured were 250 misses a second, as if the tick went on",
        ),
        (
            "nvme0n1: requests a second, menu to teo",
            "menu's error comes from how far device times scatter, which was not published; here a tenth, and menu finds the interval",
        ),
        (
            "mmcblk2: requests a second, menu to teo",
            "menu's error comes from how far device times scatter, which was not published; and every wrong choice pays the listed latency here",
        ),
    ]);
    Some(found.0)
}
