//! The histogram of tick stops on a busy server (spec closed-loop-model.md §4.4).

use super::trial::{Outcome, Trial};
use super::{Finding, Findings, governor, ratio};
use crate::cpuidle::poll::PollLimit;
use crate::cpuidle::{IdleState, StateMask, StateTable};
use crate::tick::{self, Hz};
use crate::units::Ns;
use crate::workload::closed::{self, Server};

fn table() -> Option<StateTable> {
    let state = |name: &str, exit_us, target_us, polling| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling,
        timer_stop: false,
    };
    StateTable::new(vec![
        state("POLL", 0, 0, true),
        state("C1", 2, 2, false),
        state("C1E", 10, 20, false),
        state("C6", 133, 600, false),
    ])
    .ok()
}

fn run(name: &str, measured: Ns) -> Option<Outcome> {
    let server = Server::default();
    let trial = Trial {
        model: Some(closed::busy_server(server.cpus)),
        cpus: vec![(table()?, StateMask::NONE, 1_024); usize::from(server.cpus)],
        governor: governor(name)?,
        tick: tick::Config {
            hz: Hz::new(250).ok()?,
            ..tick::Config::default()
        },
        poll_limit: PollLimit::FirstWorthwhileState,
        warm_up: Ns::from_ms(1_000),
        measured,
    };
    Some(trial.run(server.workload(1), |_| 0).0)
}

/// The criterion of the tick-stop histogram (§1.8 E); none if a name of the catalogue is gone.
#[must_use]
pub fn busy_server(measured: Ns) -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let (teo, series) = (run("teo-6.5", measured)?, run("teo-6.5-p123", measured)?);
    let share = |outcome: &Outcome, buckets: std::ops::Range<usize>| {
        let all: u64 = outcome.stopped.counts().iter().sum();
        let of: u64 = outcome
            .stopped
            .counts()
            .get(buckets)
            .map_or(0, |some| some.iter().sum());
        100.0 * ratio(of, all)
    };
    let link = "w=server&a=teo-6.5&b=teo-6.5-p123";
    let mut add =
        |what: &str, published, ours, range| found.add("1.8 E", (what, link), (published, ours), range);
    add(
        "tick stops for less than 25 us, teo, %",
        "25.4",
        share(&teo, 8..11),
        (15.0, 100.0),
    );
    add(
        "tick stops for less than 25 us, with the series, %",
        "0.5",
        share(&series, 8..11),
        (0.0, 2.0),
    );
    add(
        "tick stops for 4 ms or more, with the series, %",
        "97.3",
        share(&series, 0..1),
        (90.0, 100.0),
    );
    Some(found.0)
}
