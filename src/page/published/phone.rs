//! The phone on which the teo series of August 2023 was measured (spec closed-loop-model.md §4.3).

use super::trial::{Outcome, Trial};
use super::{Finding, Findings, governor, ratio, seconds, table};
use crate::cpuidle::StateMask;
use crate::cpuidle::poll::PollLimit;
use crate::tick::{self, Hz};
use crate::units::Ns;
use crate::workload::closed::loads::{self, PhoneRest};
use crate::workload::closed::{self, Phone, PhoneLoad};

const CLUSTERS: [(&str, (u16, u16), u64); 3] = [
    ("gs101-little", (0, 4), 160),
    ("gs101-mid", (4, 6), 620),
    ("gs101-big", (6, 8), 1_024),
];

fn frames() -> Phone {
    loads::phone_frames(90, PhoneRest::default())
}

fn benchmark() -> Phone {
    loads::phone_benchmark(PhoneRest::default())
}

fn run(phone: Phone, load: PhoneLoad, name: &str, hz: u32, (seed, measured): (u64, Ns)) -> Option<Outcome> {
    let mut cpus = Vec::new();
    for (machine, (from, to), capacity) in CLUSTERS {
        for _ in from..to {
            cpus.push((table(machine)?, StateMask::NONE, capacity));
        }
    }
    let trial = Trial {
        model: Some(closed::pixel6(load)),
        cpus,
        governor: governor(name)?,
        tick: tick::Config {
            hz: Hz::new(hz).ok()?,
            ..tick::Config::default()
        },
        poll_limit: PollLimit::FirstWorthwhileState,
        warm_up: Ns::from_ms(2_000),
        measured,
    };
    Some(trial.run(phone.workload(seed), |_| 0).0)
}

/// Both variants, averaged over seeds where a mean is meant.
struct Both {
    runs: Vec<(Outcome, Outcome)>,
}

impl Both {
    fn run(phone: fn() -> Phone, load: PhoneLoad, hz: u32, (seeds, measured): (u64, Ns)) -> Option<Self> {
        let runs = (1..=seeds).map(|seed| {
            let teo = run(phone(), load, "teo-6.5", hz, (seed, measured))?;
            let tick = run(phone(), load, "teo-6.5-p123", hz, (seed, measured))?;
            Some((teo, tick))
        });
        Some(Self {
            runs: runs.collect::<Option<_>>()?,
        })
    }

    #[allow(clippy::cast_precision_loss, reason = "a handful of seeds")]
    fn mean(&self, of: impl Fn(&Outcome, &Outcome) -> f64) -> f64 {
        let sum: f64 = self.runs.iter().map(|(teo, tick)| of(teo, tick)).sum();
        sum / self.runs.len().max(1) as f64
    }
}

fn deep(outcome: &Outcome, cluster: usize) -> f64 {
    let (_, (from, to), _) = CLUSTERS[cluster];
    seconds(outcome.time(usize::from(from)..usize::from(to), 1))
}

fn deep_share(outcome: &Outcome, cluster: usize) -> f64 {
    let (_, (from, to), _) = CLUSTERS[cluster];
    100.0 * deep(outcome, cluster) / seconds(outcome.idle(usize::from(from)..usize::from(to)))
}

fn too_shallow(outcome: &Outcome) -> f64 {
    100.0
        * ratio(
            outcome.sum(0..8, |state| state.too_shallow),
            outcome.sum(0..8, |state| state.count),
        )
}

fn too_deep(outcome: &Outcome) -> f64 {
    100.0
        * ratio(
            outcome.sum(0..8, |state| state.too_deep),
            outcome.sum(0..8, |state| state.count),
        )
}

/// The criteria of the teo series on the phone (§1.8 A to D and F); none if a preset is missing. `seeds` load seeds
/// are averaged, each over `measured`.
#[must_use]
pub fn phone(seeds: u64, measured: Ns) -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let link = |workload: &str| format!("w={workload}&a=teo-6.5&b=teo-6.5-p123");
    let heavy = Both::run(benchmark, PhoneLoad::Heavy, 250, (seeds, measured * 3 / 2))?;
    let mut busy = |id, what: &str, published, ours, range| {
        let shown = if id == "1.8 F" {
            link("geekbench") + "&hz=1000"
        } else {
            link("geekbench")
        };
        found.add(id, (what, &shown), (published, ours), range);
    };
    busy(
        "1.8 A",
        "little: deep share of idle time, teo, %",
        "26.8",
        heavy.mean(|teo, _| deep_share(teo, 0)),
        (0.0, 40.0),
    );
    busy(
        "1.8 A",
        "little: deep share of idle time, with the series, %",
        "69.8",
        heavy.mean(|_, tick| deep_share(tick, 0)),
        (55.0, 100.0),
    );
    busy(
        "1.8 A",
        "little: deep seconds, with the series to without",
        "2.73",
        heavy.mean(|teo, tick| deep(tick, 0) / deep(teo, 0)),
        (1.8, 3.5),
    );
    let rise = |both: &Both| both.mean(|teo, tick| too_shallow(tick) - too_shallow(teo));
    let rise_at_250 = rise(&heavy);
    busy(
        "1.8 B",
        "all CPUs: change of too shallow, points",
        "+5.1",
        rise_at_250,
        (2.0, 8.0),
    );
    busy(
        "1.8 B",
        "all CPUs: change of too deep, points",
        "+0.13",
        heavy.mean(|teo, tick| too_deep(tick) - too_deep(teo)),
        (-0.5, 0.5),
    );
    let fast = Both::run(benchmark, PhoneLoad::Heavy, 1_000, (1, measured))?;
    busy(
        "1.8 F",
        "at HZ 1000: change of too shallow, points: none or the other way",
        "",
        rise(&fast),
        (-20.0, 0.5),
    );
    let light = Both::run(frames, PhoneLoad::Light, 250, (seeds, measured))?;
    for (cluster, name, published) in [(0, "little", "+16.4"), (1, "mid", "+11.6"), (2, "big", "+9.3")] {
        found.add(
            "1.8 C",
            (&format!("{name}: change of deep seconds, %"), &link("jetnews")),
            (
                published,
                light.mean(|teo, tick| 100.0 * (deep(tick, cluster) / deep(teo, cluster) - 1.0)),
            ),
            (5.0, 25.0),
        );
    }
    let mut ui = |what: &str, published, ours, range| {
        found.add("1.8 D", (what, &link("jetnews")), (published, ours), range);
    };
    ui(
        "too deep, with the series, %",
        "0.945",
        light.mean(|_, tick| too_deep(tick)),
        (0.0, 2.0),
    );
    ui(
        "change of too deep, points",
        "-0.05",
        light.mean(|teo, tick| too_deep(tick) - too_deep(teo)),
        (-0.3, 0.3),
    );
    let power = |outcome: &Outcome| f64::from(outcome.power.as_uw());
    ui(
        "change of CPU power, %",
        "-3.76",
        light.mean(|teo, tick| 100.0 * (power(tick) / power(teo) - 1.0)),
        (-8.0, -1.0),
    );
    Some(found.0)
}

/// P1: how often four governors are wrong under the benchmark, in which order (directions only); none if a preset is
/// missing.
#[must_use]
pub fn staircase(seeds: u64, measured: Ns) -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let all = |name: &str| -> Option<Vec<Outcome>> {
        (1..=seeds)
            .map(|seed| run(benchmark(), PhoneLoad::Heavy, name, 250, (seed, measured)))
            .collect()
    };
    #[allow(clippy::cast_precision_loss, reason = "a handful of seeds")]
    let mean = |runs: &[Outcome], of: &dyn Fn(&Outcome) -> f64| {
        runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64
    };
    let (menu, teo, loaded) = (all("menu-5.1")?, all("teo-5.15")?, all("teo-6.5")?);
    let shallow = all("shallowest")?;
    let link = |a: &str, b: &str| format!("w=geekbench&a={a}&b={b}");
    let mut add = |what: &str, (a, b): (&str, &str), published, ours, range| {
        found.add("P1", (what, &link(a, b)), (published, ours), range);
    };
    let deep = |runs: &[Outcome]| mean(runs, &too_deep);
    add(
        "too deep, menu to teo",
        ("teo-5.15", "menu-5.1"),
        "1.73",
        deep(&menu) / deep(&teo),
        (1.0, f64::MAX),
    );
    add(
        "too deep, teo to teo with utilisation",
        ("teo-6.5", "teo-5.15"),
        "2.29",
        deep(&teo) / deep(&loaded),
        (1.0, f64::MAX),
    );
    add(
        "too deep, always WFI, %",
        ("shallowest", "teo-6.5"),
        "0",
        deep(&shallow),
        (0.0, 0.0),
    );
    let shallow_of = |runs: &[Outcome]| mean(runs, &too_shallow);
    add(
        "too shallow, teo to menu",
        ("menu-5.1", "teo-5.15"),
        "2.08",
        shallow_of(&teo) / shallow_of(&menu),
        (1.0, f64::MAX),
    );
    add(
        "too shallow, teo with utilisation to teo",
        ("teo-5.15", "teo-6.5"),
        "2.76",
        shallow_of(&loaded) / shallow_of(&teo),
        (1.0, f64::MAX),
    );
    add(
        "too shallow, always WFI to teo with utilisation",
        ("teo-6.5", "shallowest"),
        "2.06",
        shallow_of(&shallow) / shallow_of(&loaded),
        (1.0, f64::MAX),
    );
    for (name, cluster, published) in [("little", 0, "0.35"), ("big", 2, "0.90")] {
        let share = |runs: &[Outcome]| mean(runs, &|outcome: &Outcome| deep_share(outcome, cluster));
        add(
            &format!("{name}: deep share of idle time, teo with utilisation to teo"),
            ("teo-5.15", "teo-6.5"),
            published,
            share(&loaded) / share(&teo),
            if cluster == 0 { (0.0, 0.7) } else { (0.7, 1.0) },
        );
    }
    found.because(&[
        (
            "too shallow, teo with utilisation to teo",
            "a WFI with the tick stopped is one miss however long it lasts; the measured phone woke more often in it",
        ),
        (
            "big: deep share of idle time, teo with utilisation to teo",
            "the loads fit occupancies of another measurement; with these the big CPUs' utilisation fades too seldom between their phases",
        ),
    ]);
    Some(found.0)
}
