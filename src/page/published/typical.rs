//! P10: what menu makes of eight intervals, before and after the commit of 2025 (spec published-results.md).

use super::{Finding, Findings, governor, ratio};
use crate::cpuidle::{Device, IdleState, Kernel, SleepLength, StateMask, StateTable, Step, Wakeup, menu};
use crate::probe::Steps;
use crate::units::{Ns, StateIdx, Time, Us};

/// Eight intervals, µs; predicted before and after, µs, none for "no prediction".
const VECTORS: [([u32; 8], Option<u32>, Option<u32>); 14] = [
    (from(100, 5), Some(117), Some(117)),
    (from(200, 5), Some(217), Some(217)),
    (from(500, 5), Some(517), Some(517)),
    (from(1_000, 5), Some(1_017), Some(1_017)),
    (from(99, 99), None, Some(594)),
    (from(1_000, 1_000), None, Some(6_000)),
    (from(40, 100), None, Some(540)),
    (from(90, 500), None, Some(2_590)),
    (from(42, 100), None, Some(542)),
    (from(70, 500), None, Some(2_570)),
    (from(44, 100), None, Some(544)),
    ([1, 200, 200, 250, 250, 230, 220, 260], None, Some(230)),
    ([100_000, 200, 200, 250, 250, 230, 220, 260], Some(230), Some(230)),
    ([0; 8], None, None),
];

const fn from(first: u32, step: u32) -> [u32; 8] {
    let mut all = [first; 8];
    let mut n = 1;
    while n < 8 {
        all[n] = all[n - 1] + step;
        n += 1;
    }
    all
}

/// Nothing but a timer far away.
struct Far;

impl Kernel for Far {
    fn now(&self) -> Time {
        Time::ZERO
    }
    fn latency_req(&self) -> Ns {
        crate::sim::NO_LATENCY_LIMIT
    }
    fn disabled(&self) -> StateMask {
        StateMask::NONE
    }
    fn tick_stopped(&self) -> bool {
        false
    }
    fn sleep_length(&mut self) -> SleepLength {
        SleepLength {
            to_event: Ns::from_ms(10_000),
            to_event_or_tick: Ns::from_ms(4),
        }
    }
    fn nr_iowait(&self) -> u32 {
        0
    }
    fn load(&self) -> u64 {
        0
    }
    fn utilization(&self) -> u64 {
        0
    }
    fn next_interrupt(&mut self) -> Option<Time> {
        None
    }
    fn jiffies(&self) -> u64 {
        0
    }
    fn need_resched(&self) -> bool {
        true
    }
    fn time_to_wakeup(&self) -> Option<Ns> {
        None
    }
}

/// What a governor takes for typical after these stays.
fn typical(name: &str, table: &StateTable, stays: [u32; 8]) -> Option<u32> {
    let mut governor = governor(name)?.build(1_024);
    let mut device = Device::default();
    let tick = Ns::from_ms(4);
    let mut steps: Steps<Step> = Steps::default();
    governor.select(table, tick, &mut device, &mut Far, &mut steps);
    for stay in stays {
        device.last_residency = Ns::from(Us::new(stay));
        let wakeup = Wakeup {
            entered: StateIdx::ZERO,
            got_tick: false,
        };
        governor.reflect(table, tick, &mut device, &Far, wakeup);
        steps = Steps::default();
        governor.select(table, tick, &mut device, &mut Far, &mut steps);
    }
    steps.0.iter().find_map(|step| match step {
        Step::Menu(menu::Step::Predicted { typical, .. }) => typical.map(Us::as_us),
        _ => None,
    })
}

/// How many of the published predictions come out, before and after.
#[must_use]
pub fn typical_intervals() -> Option<Vec<Finding>> {
    let mut found = Findings::default();
    let state = |name: &str, target_us| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::ZERO,
        target_residency: Ns::from_us(target_us),
        polling: false,
        timer_stop: false,
    };
    let table = StateTable::new(vec![state("C1", 0), state("C6", 1)]).ok()?;
    let link = "w=doorbell&gap=230us&fix=0&a=menu-6.13&b=menu-6.15";
    for (name, what) in [
        (
            "menu-6.13",
            "predictions from eight intervals, before 85975daeaa4d, of 14",
        ),
        ("menu-6.15", "predictions from eight intervals, after it, of 14"),
    ] {
        let equal = VECTORS.iter().filter(|(stays, before, after)| {
            let expected = if name == "menu-6.13" { before } else { after };
            typical(name, &table, *stays) == *expected
        });
        let equal = u64::try_from(equal.count()).unwrap_or_default();
        found.add("P10", (what, link), ("14", ratio(equal, 1)), (14.0, 14.0));
    }
    Some(found.0)
}
