//! One set of parameters for each machine (spec closed-loop-model.md §4, which says of every value whether it was
//! derived from published figures, fitted to them, or assumed). Only governors, kernels and scenarios differ between
//! the rows of a published table.

use crate::sim::machine::{
    CodeCosts, CorePower, Cycles, Frequency, FrequencyRule, MachineModel, ModelCpu, ModelPower, Smt,
    StateExit,
};
use crate::units::{Microwatts, Ns, StateIdx};

/// Cycles in tenths of a thousand.
const fn kc(n: u64) -> Cycles {
    Cycles::from_hundreds(n)
}

fn exit(fixed_ns: i64, cycles: u64, beside_sibling: u64) -> StateExit {
    StateExit {
        fixed: Ns::new(fixed_ns),
        cycles: kc(cycles),
        beside_sibling: kc(beside_sibling),
    }
}

/// Cores whose threads are CPU c and c + cores.
fn threads(cores: u16, per_core: u16, exits: &[StateExit]) -> Vec<ModelCpu> {
    (0..cores * per_core)
        .map(|cpu| ModelCpu {
            core: cpu % cores,
            exits: exits.to_vec(),
        })
        .collect()
}

const fn mw(n: u32) -> Microwatts {
    Microwatts::new(n * 1_000)
}

/// Kernel code on the Haswell; at 1 GHz on machines that have no figures of their own (§4.2).
const HASWELL_CODE: CodeCosts = CodeCosts {
    entry: kc(7),
    exit: Cycles::new(550),
    poll_exit: Cycles::new(150),
    tick_stop: kc(6),
    tick_restart: kc(5),
    tick_handler: kc(40),
};

/// A clock that stands: cycles are nanoseconds.
const ONE_GIGAHERTZ: Frequency = Frequency {
    min_khz: 1_000_000,
    max_khz: 1_000_000,
    step_khz: 100_000,
    start_khz: 1_000_000,
    rule: FrequencyRule::Fixed,
};

/// i7-2600K: 4 cores, 8 threads, POLL, C1, C1E, C3, C6; 1.6 to 3.7 GHz with two active cores (§4.1). It starts at
/// its highest clock after a burst.
#[must_use]
pub fn sandy_bridge(rule: FrequencyRule) -> MachineModel {
    let exits = [
        exit(0, 0, 0),
        exit(245, 2, 5),
        exit(500, 0, 6),
        exit(20_000, 0, 45),
        exit(80_000, 0, 62),
    ];
    MachineModel {
        code: CodeCosts {
            entry: kc(9),
            exit: Cycles::new(650),
            poll_exit: Cycles::new(150),
            tick_stop: kc(8),
            tick_restart: kc(7),
            tick_handler: kc(40),
        },
        ipi: Ns::ZERO,
        cpus: threads(4, 2, &exits),
        smt: Smt::NONE,
        frequency: Frequency {
            min_khz: 1_600_000,
            max_khz: 3_700_000,
            step_khz: 100_000,
            start_khz: 3_700_000,
            rule,
        },
        start_utilization: 800,
        power: ModelPower {
            floor: mw(3_900),
            floor_asleep: mw(3_900),
            asleep_from: StateIdx::new(3),
            cores: vec![
                CorePower {
                    awake: mw(13_400),
                    thread: mw(2_600),
                    states: vec![mw(0), mw(4_200), mw(3_000), mw(800), mw(0)],
                    scaled_states: 3,
                };
                4
            ],
            exponent_per_mille: 1_620,
            polling_tenths: 8,
            exiting_tenths: 6,
        },
    }
}

/// A Haswell desktop: 4 cores, 8 threads, POLL, C1, C1E, C3, C6; 3.9 GHz (§4.2).
#[must_use]
pub fn haswell(rule: FrequencyRule) -> MachineModel {
    let exits = [
        exit(0, 0, 0),
        StateExit {
            cycles: Cycles::new(150),
            ..exit(245, 0, 5)
        },
        exit(500, 0, 5),
        exit(20_000, 0, 45),
        exit(80_000, 0, 62),
    ];
    MachineModel {
        code: HASWELL_CODE,
        ipi: Ns::ZERO,
        cpus: threads(4, 2, &exits),
        smt: Smt {
            beside_running: 620,
            beside_polling: 940,
        },
        frequency: Frequency {
            min_khz: 800_000,
            max_khz: 3_900_000,
            step_khz: 100_000,
            start_khz: 3_900_000,
            rule,
        },
        start_utilization: 0,
        power: ModelPower {
            floor: mw(12_800),
            floor_asleep: mw(3_500),
            asleep_from: StateIdx::new(3),
            cores: vec![
                CorePower {
                    awake: mw(0),
                    thread: mw(9_000),
                    states: vec![mw(0), mw(3_690), mw(3_060), mw(1_350), mw(270)],
                    scaled_states: 3,
                };
                4
            ],
            exponent_per_mille: 1_620,
            polling_tenths: 7,
            exiting_tenths: 6,
        },
    }
}

/// How hard a phone works: running CPUs draw more in a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhoneLoad {
    /// A light application.
    Light,
    /// A benchmark.
    Heavy,
}

/// Pixel 6: four little, two mid and two big CPUs, WFI and c2 (§4.3). Costs are times: the clock stands at 1 GHz.
#[must_use]
pub fn pixel6(load: PhoneLoad) -> MachineModel {
    let cpu = |core: u16| {
        let c2_us = match core {
            0..=3 => 160,
            4 | 5 => 190,
            _ => 220,
        };
        ModelCpu {
            core,
            exits: vec![
                exit(500, 0, 0),
                StateExit {
                    fixed: Ns::from_us(c2_us),
                    ..StateExit::default()
                },
            ],
        }
    };
    MachineModel {
        code: CodeCosts {
            entry: Cycles::new(3_000),
            exit: Cycles::new(3_000),
            poll_exit: Cycles::ZERO,
            tick_stop: Cycles::new(1_500),
            tick_restart: Cycles::new(1_500),
            tick_handler: Cycles::new(4_000),
        },
        ipi: Ns::new(1_500),
        cpus: (0..8).map(cpu).collect(),
        smt: Smt::NONE,
        frequency: ONE_GIGAHERTZ,
        start_utilization: 0,
        power: ModelPower {
            cores: (0..8).map(|cpu| phone_core(cpu, load)).collect(),
            ..ModelPower::none()
        },
    }
}

/// What a CPU of the phone draws: while it runs, and in each state.
fn phone_core(cpu: u16, load: PhoneLoad) -> CorePower {
    let (busy, heavy, wfi, c2) = match cpu {
        0..=3 => (20_000, 5, 6_000, 600),
        4 | 5 => (45_000, 7, 16_000, 1_000),
        _ => (120_000, 8, 28_000, 1_500),
    };
    let times = match load {
        PhoneLoad::Light => 1,
        PhoneLoad::Heavy => heavy,
    };
    CorePower {
        awake: Microwatts::new(0),
        thread: Microwatts::new(busy * times),
        states: vec![Microwatts::new(wfi), Microwatts::new(c2)],
        scaled_states: 0,
    }
}

/// A server of so many CPUs, one thread each, with POLL, C1, C1E, C6 (§4.4); also what a machine without figures of its
/// own begins with.
#[must_use]
pub fn server(cpus: u16) -> MachineModel {
    let exits = [
        exit(0, 0, 0),
        exit(300, 0, 0),
        exit(1_000, 0, 0),
        exit(80_000, 0, 0),
    ];
    MachineModel {
        code: HASWELL_CODE,
        ipi: Ns::ZERO,
        cpus: threads(cpus, 1, &exits),
        smt: Smt::NONE,
        frequency: ONE_GIGAHERTZ,
        start_utilization: 0,
        power: ModelPower::none(),
    }
}
