//! The experiments with tokens that tasks pass to each other: pipe-test on a Sandy Bridge and on a Haswell, tbench,
//! bursts on an idle machine (spec closed-loop-model.md §4.1, §4.2).

use super::trial::{Outcome, Trial};
use super::{Finding, Findings, cpus, governor, ratio, seconds};
use crate::cpuidle::StateMask;
use crate::cpuidle::poll::PollLimit;
use crate::sim::machine::{FrequencyRule, MachineModel};
use crate::tick::{self, Hz, RateLimit};
use crate::units::{Ns, StateIdx};
use crate::workload::closed::loads::{self, PairOn, PairWork};
use crate::workload::closed::{self, Bursts, Exchange, Placement};

/// What one run gave.
struct Ran {
    outcome: Outcome,
    /// Exchanges, one for each send, in the whole measured span.
    sends: u64,
    pairs: u64,
}

impl Ran {
    /// A loop is two sends of one pair, µs.
    fn us_per_loop(&self) -> f64 {
        seconds(self.outcome.span) * 1e6 * 2.0 / ratio(self.sends, self.pairs)
    }

    fn watts(&self) -> f64 {
        f64::from(self.outcome.power.as_uw()) / 1e6
    }

    /// Of all pairs together, kHz.
    fn khz(&self) -> f64 {
        ratio(self.sends, 1) / seconds(self.outcome.span) / 1e3
    }

    fn uj_per_loop(&self) -> f64 {
        self.watts() * self.us_per_loop()
    }

    /// Entries of the named states, per cent of all.
    fn share(&self, states: &[usize]) -> f64 {
        let all = self.outcome.sum(0..8, |state| state.count);
        let rows = &self.outcome.states;
        let of = rows
            .iter()
            .flat_map(|row| states.iter().filter_map(|n| row.get(*n)));
        100.0 * ratio(of.map(|state| state.count).sum(), all)
    }
}

fn tick(rate_limit: RateLimit) -> tick::Config {
    tick::Config {
        hz: Hz::new(1_000).unwrap_or_default(),
        rate_limit,
        ..tick::Config::default()
    }
}

/// pipe-test: two pairs, each on the threads of one core, on a Sandy Bridge with a 5.2 kernel.
struct Pipe {
    governor: &'static str,
    rule: FrequencyRule,
    start_khz: u32,
    disabled: StateMask,
    tick_costs: bool,
    patience: Ns,
}

impl Pipe {
    fn new(governor: &'static str) -> Self {
        Self {
            governor,
            rule: FrequencyRule::Schedutil,
            start_khz: 3_700_000,
            disabled: StateMask::NONE,
            tick_costs: true,
            patience: Ns::from_ms(1_500),
        }
    }

    fn run(&self) -> Option<Ran> {
        let mut model = closed::sandy_bridge(self.rule);
        model.frequency.start_khz = self.start_khz;
        if !self.tick_costs {
            model.code.tick_stop = crate::sim::machine::Cycles::ZERO;
            model.code.tick_restart = crate::sim::machine::Cycles::ZERO;
        }
        let exchange = loads::pipe_test(PairWork::SANDY_BRIDGE, 2, PairOn::OneCore);
        let trial = Trial {
            model: Some(model),
            cpus: cpus("snb", 8, self.disabled)?,
            governor: governor(self.governor)?,
            tick: tick(RateLimit::Off),
            poll_limit: PollLimit::FirstState,
            warm_up: self.patience,
            measured: Ns::from_ms(500),
        };
        let (outcome, sends) = trial.run(exchange.workload(1), closed::ExchangeWorkload::sends);
        Some(Ran {
            outcome,
            sends,
            pairs: 2,
        })
    }
}

/// The criteria of the pipe-test with the mobile governor (§2.7 A to F); none if a preset is missing.
#[must_use]
pub fn sandy_bridge() -> Option<Vec<Finding>> {
    let (teo, menu, mobile) = (
        Pipe::new("teo-5.1").run()?,
        Pipe::new("menu-5.1").run()?,
        Pipe::new("mobile-2019").run()?,
    );
    let shallow_off = (0..4).map(StateIdx::new).fold(StateMask::NONE, StateMask::with);
    let off = Pipe {
        disabled: shallow_off,
        ..Pipe::new("teo-5.1")
    }
    .run()?;
    let mut found = Findings::default();
    let link = |governor: &str| format!("w=pipe-test&dur=2s&a=teo-5.1&b={governor}&hz=1000&f=schedutil");
    let ghz = |ran: &Ran| f64::from(ran.outcome.khz) / 1e6;

    let from_below = |name| Pipe {
        start_khz: 1_600_000,
        ..Pipe::new(name)
    };
    for (name, end, published) in [
        ("mobile-2019", 1.6, "never scales up"),
        ("teo-5.1", 3.7, "always eventually does"),
        ("menu-5.1", 3.7, "always eventually does"),
    ] {
        for start in ["highest", "lowest"] {
            let ran = if start == "highest" {
                Pipe::new(name).run()?
            } else {
                from_below(name).run()?
            };
            found.add(
                "2.7 A",
                (
                    &format!("{name}: clock at the end, started at the {start}, GHz"),
                    &format!(
                        "{}{}",
                        if name == "teo-5.1" {
                            "w=pipe-test&dur=2s&a=teo-5.1&hz=1000&f=schedutil".to_owned()
                        } else {
                            link(name)
                        },
                        if start == "lowest" { "&fs=1600" } else { "" }
                    ),
                ),
                (published, ghz(&ran)),
                (end, end),
            );
        }
    }
    let us = Ran::us_per_loop;
    let mut compare = |id, what: &str, published, ours, range| {
        let shown = if what.contains("states 0-3") {
            // The table is that of both variants of a link.
            format!(
                "w=pipe-test&st=POLL.off,C1.off,C1E.off,C3.off&dur=2s&a=teo-5.1&hz=1000&f=schedutil {}",
                link("mobile-2019")
            )
        } else if what.contains("cost of stopping") {
            format!("{} {}", link("mobile-2019") + "&tc=0", link("mobile-2019"))
        } else if what.contains("ondemand") {
            "w=pipe-test&dur=2s&a=teo-5.1&b=mobile-2019&hz=1000&f=ondemand".to_owned()
        } else if what.contains("menu") {
            link("menu-5.1")
        } else {
            link("mobile-2019")
        };
        found.add(id, (what, &shown), (published, ours), range);
    };
    compare(
        "2.7 B",
        "loop time, mobile to teo",
        "4.07",
        us(&mobile) / us(&teo),
        (3.0, 5.0),
    );
    compare(
        "2.7 B",
        "loop time, mobile to teo with states 0-3 off",
        "2.39",
        us(&mobile) / us(&off),
        (2.1, 2.6),
    );
    compare(
        "2.7 B",
        "loop time, teo with states 0-3 off to teo",
        "1.70",
        us(&off) / us(&teo),
        (1.4, 2.0),
    );
    compare(
        "2.7 B",
        "loop time, menu to teo",
        "0.996",
        us(&menu) / us(&teo),
        (0.97, 1.03),
    );
    compare(
        "2.7 C",
        "power, mobile to teo",
        "0.315",
        mobile.watts() / teo.watts(),
        (0.25, 0.40),
    );
    compare(
        "2.7 C",
        "power, teo with states 0-3 off to teo",
        "0.915",
        off.watts() / teo.watts(),
        (0.8, 1.0),
    );
    let energy = |ran: &Ran| ran.uj_per_loop();
    compare(
        "2.7 C",
        "energy per loop, mobile to teo",
        "1.28",
        energy(&mobile) / energy(&teo),
        (1.10, 1.50),
    );
    let worst = energy(&off) / energy(&teo).max(energy(&mobile)).max(energy(&menu));
    compare(
        "2.7 C",
        "energy per loop, states 0-3 off to the worst of the others",
        "1.22",
        worst,
        (1.0, f64::MAX),
    );
    compare(
        "2.7 D",
        "teo: entries of POLL and C1, %",
        "> 90",
        teo.share(&[0, 1]),
        (90.0, 100.0),
    );
    compare(
        "2.7 D",
        "menu: entries of POLL and C1, %",
        "> 90",
        menu.share(&[0, 1]),
        (90.0, 100.0),
    );
    compare(
        "2.7 D",
        "mobile: entries of C6, %",
        "> 90",
        mobile.share(&[4]),
        (90.0, 100.0),
    );
    let deep = |ran: &Ran| {
        let rows = || ran.outcome.states.iter().filter_map(|row| row.get(4));
        let count: u64 = rows().map(|state| state.count).sum();
        100.0 * ratio(rows().map(|state| state.too_deep).sum(), count)
    };
    compare(
        "2.7 D",
        "mobile: of these too deep, %",
        "> 95",
        deep(&mobile),
        (95.0, 100.0),
    );
    let without = Pipe {
        tick_costs: false,
        ..Pipe::new("mobile-2019")
    }
    .run()?;
    let busy = |ran: &Ran| {
        ran.outcome
            .busy_per_mille
            .first()
            .map_or(0.0, |share| *share as f64 / 1e3)
    };
    compare(
        "2.7 E",
        "mobile: busy share without the cost of stopping the tick, less the share with it",
        "",
        busy(&without) - busy(&mobile),
        (0.001, 1.0),
    );
    let demand = |name| Pipe {
        rule: FrequencyRule::Ondemand,
        ..Pipe::new(name)
    };
    let (teo, mobile) = (demand("teo-5.1").run()?, demand("mobile-2019").run()?);
    compare(
        "2.7 F",
        "ondemand: loop time, mobile to teo",
        "2.13",
        us(&mobile) / us(&teo),
        (1.7, 2.6),
    );
    compare(
        "2.7 F",
        "ondemand: mobile's clock at the end, GHz",
        "not at the lowest",
        ghz(&mobile),
        (1.7, 3.7),
    );
    Some(found.0)
}

/// Tokens between two cores of a Haswell, with the kernels of early 2016.
struct Cross {
    governor: &'static str,
    rule: FrequencyRule,
    rate_limit: RateLimit,
    /// By the model.
    change: fn(&mut MachineModel),
    exchange: fn() -> Exchange,
    measured: Ns,
}

/// One pair on two cores.
fn cross_core() -> Exchange {
    loads::pipe_test(PairWork::HASWELL, 1, PairOn::TwoCores)
}

/// Bursts of 40 tokens on two pairs of CPUs.
fn bursts() -> Exchange {
    let every = Ns::from_ms(500);
    loads::bursts(PairWork::HASWELL, Bursts { tokens: 40, every })
}

fn tbench(clients: u16) -> Exchange {
    loads::tbench(clients, Placement::IdleCore)
}

impl Cross {
    fn new(governor: &'static str) -> Self {
        Self {
            governor,
            rule: FrequencyRule::Performance,
            rate_limit: RateLimit::Off,
            change: |_| {},
            exchange: cross_core,
            measured: Ns::from_ms(500),
        }
    }

    fn run(&self) -> Option<Ran> {
        let mut model = closed::haswell(self.rule);
        (self.change)(&mut model);
        let exchange = (self.exchange)();
        let pairs = u64::try_from(exchange.rings.len()).unwrap_or(1);
        let trial = Trial {
            model: Some(model),
            cpus: cpus("hsw5", 8, StateMask::NONE)?,
            governor: governor(self.governor)?,
            tick: tick::Config {
                rules: tick::catalog::before_governor(),
                ..tick(self.rate_limit)
            },
            poll_limit: PollLimit::Unlimited,
            warm_up: Ns::from_ms(500),
            measured: self.measured,
        };
        let (outcome, sends) = trial.run(exchange.workload(1), closed::ExchangeWorkload::sends);
        Some(Ran {
            outcome,
            sends,
            pairs,
        })
    }
}

/// The criteria of poll or C1, and of the tick's rate limit (§3.7 A to E); none if a preset is missing.
#[must_use]
pub fn haswell() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let link = |workload: &str| format!("w={workload}&m=hsw5&a=menu-4.6&b=menu-4.5-p1&hz=1000");
    let gain = |more: f64, less: f64| 100.0 * (more / less - 1.0);
    let (poll, c1) = (Cross::new("menu-4.5-p1").run()?, Cross::new("menu-4.6").run()?);
    let mut pipe = |id, what: &str, published, ours, range| {
        found.add(
            id,
            (
                what,
                &format!(
                    "{}{}",
                    link("pipe-test&pairs=1&cross=1"),
                    if id == "3.7 B" { "&f=c0" } else { "" }
                ),
            ),
            (published, ours),
            range,
        );
    };
    let rate = gain(poll.khz(), c1.khz());
    pipe("3.7 A", "rate, polling to C1, %", "+22.8", rate, (10.0, 35.0));
    pipe(
        "3.7 A",
        "power, polling to C1, %",
        "+8.0",
        gain(poll.watts(), c1.watts()),
        (3.0, 15.0),
    );
    let exchange = |ran: &Ran| ran.watts() / ran.khz();
    pipe(
        "3.7 A",
        "energy per exchange, polling to C1, %",
        "-12.0",
        gain(exchange(&poll), exchange(&c1)),
        (-20.0, -5.0),
    );
    let driven = |name| Cross {
        rule: FrequencyRule::C0Residency,
        ..Cross::new(name)
    };
    let (fast, slow) = (driven("menu-4.5-p1").run()?, driven("menu-4.6").run()?);
    pipe(
        "3.7 B",
        "rate, polling to C1, with a driver that looks at C0, %: more than the above",
        "larger",
        gain(fast.khz(), slow.khz()),
        (rate, f64::MAX),
    );
    pipe(
        "3.7 B",
        "clock with C1 to clock with polling",
        "lower",
        f64::from(slow.outcome.khz) / f64::from(fast.outcome.khz),
        (0.3, 0.97),
    );
    for (clients, published, range, exchange) in [
        (1_u16, "+8.5", (3.0, 15.0), (|| tbench(1)) as fn() -> Exchange),
        (4, "-0.5", (-3.0, 3.0), || tbench(4)),
        (8, "+0.7", (-3.0, 3.0), || tbench(8)),
    ] {
        let bench = |name| Cross {
            exchange,
            ..Cross::new(name)
        };
        let (poll, c1) = (bench("menu-4.5-p1").run()?, bench("menu-4.6").run()?);
        found.add(
            "3.7 C",
            (
                &format!("tbench {clients}: rate, polling to C1, %"),
                &link(&format!("tbench&n={clients}")),
            ),
            (published, gain(poll.khz(), c1.khz())),
            range,
        );
    }
    let idle = |name, rate_limit| Cross {
        exchange: bursts,
        measured: Ns::from_ms(60_000),
        rate_limit,
        ..Cross::new(name)
    };
    let limit = RateLimit::Below(Ns::from_us(500));
    let (poll, c1) = (
        idle("menu-4.5-p1", RateLimit::Off).run()?,
        idle("menu-4.6", RateLimit::Off).run()?,
    );
    found.add(
        "3.7 D",
        (
            "idle machine with bursts of 40 tokens: power, polling less C1, W",
            &link("bursts"),
        ),
        ("> 0", poll.watts() - c1.watts()),
        (0.05, f64::MAX),
    );
    let limited = |name| Cross {
        rate_limit: limit,
        ..Cross::new(name)
    };
    let (plain, kept) = (Cross::new("menu-4.6").run()?, limited("menu-4.6").run()?);
    let mut nohz = |what: &str, published, ours, range| {
        found.add(
            "3.7 E",
            (
                what,
                "w=pipe-test&pairs=1&cross=1&dur=2s&m=hsw5&a=menu-4.6&b=menu-4.6&hz=1000&rl.b=500us",
            ),
            (published, ours),
            range,
        );
    };
    let stops = |ran: &Ran| ratio(ran.outcome.tick_stops(), 1) / seconds(ran.outcome.span);
    nohz(
        "tick stops left by the rate limit, %",
        "< 5",
        100.0 * stops(&kept) / stops(&plain),
        (0.0, 5.0),
    );
    nohz(
        "rate, with the rate limit to without, %",
        "better",
        gain(kept.khz(), plain.khz()),
        (0.1, 60.0),
    );
    let same = idle("menu-4.6", limit).run()?;
    // CPU 6 has timers alone, far apart. How long it takes to wake depends on its sibling, so times are left out.
    let silent = |ran: &Ran| {
        let states = ran.outcome.states.get(6).copied().unwrap_or_default();
        states.map(|state| (state.count, state.too_deep, state.too_shallow))
    };
    let differ = silent(&same)
        .iter()
        .zip(silent(&c1))
        .filter(|(one, other)| **one != *other)
        .count();
    nohz(
        "a CPU that is mostly idle: states in which it differs",
        "0",
        ratio(u64::try_from(differ).unwrap_or(99), 1),
        (0.0, 0.0),
    );
    Some(found.0)
}
