//! The replay of recorded traces: rebuilt inputs, agreement, laws.

mod ablation;
mod agreement;
mod cases;
mod dumps;
mod laws;
mod simulated;

use std::fs;
use std::path::PathBuf;

use idlescope::cpuidle::{IdleState, StateTable};
use idlescope::trace::{self, Trace};
use idlescope::units::Ns;
use idlescope::workload::replay::Machine;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sample(file: &str) -> Trace {
    let bytes = fs::read(root().join("tests/data/traces").join(file))
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    trace::read(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// `../shared/traces/platform/arm64-menu-cpuidle-sysfs.txt`: CPUs 0 and 1 have three states, 2 and 3 the first two.
fn recording_machine() -> Machine {
    let state = |name: &str, exit_us: i64, target_us: i64| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling: false,
        timer_stop: false,
    };
    let states = [
        state("WFI", 1, 1),
        state("cpu-sleep-0", 1_500, 2_000),
        state("cluster-sleep-0", 1_600, 6_500),
    ];
    let deep = StateTable::new(states.to_vec()).expect("a valid table");
    let flat = StateTable::new(states[..2].to_vec()).expect("a valid table");
    Machine::new(deep.clone(), [deep, flat.clone(), flat])
}

/// Hundredths of a per cent as text.
fn percent(points: Option<usize>) -> String {
    points.map_or("–".to_owned(), |points| {
        format!("{}.{:02}", points / 100, points % 100)
    })
}
