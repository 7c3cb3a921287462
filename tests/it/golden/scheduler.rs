//! `golden/avg-idle`, `irq-timings` and `schedutil`: the scheduler's and interrupt core's own estimates.

use idlescope::sim::schedutil::{Policy, Reference, Report, Schedutil};
use idlescope::tick::Hz;
use idlescope::tick::avg_idle::{AvgIdle, Eighth};
use idlescope::tick::irq_timings::{IrqTimings, Watched};
use idlescope::units::{Ns, Time};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Claim, Difference, File};

pub fn claims() -> Vec<Claim> {
    let idle = [
        ("v4.19", Eighth::Floor),
        ("v6.1", Eighth::TowardsZero),
        ("v7.2", Eighth::TowardsZero),
    ]
    .map(|(version, eighth)| Claim {
        folder: format!("avg-idle/{version}"),
        by: "tick::avg_idle".to_owned(),
        replay: Box::new(move |file| replay_avg_idle(eighth, file)),
    });
    let interrupts = ["v5.3", "v5.10"].map(|version| Claim {
        folder: format!("irq-timings/{version}"),
        by: "tick::irq_timings".to_owned(),
        replay: Box::new(replay_irq_timings),
    });
    let frequency = Claim {
        folder: "schedutil/v7.2".to_owned(),
        by: "sim::schedutil".to_owned(),
        replay: Box::new(replay_schedutil),
    };
    idle.into_iter().chain(interrupts).chain([frequency]).collect()
}

#[derive(Deserialize)]
struct IdleHeader {
    migration_cost_ns: i64,
    initial: Value,
}

#[derive(Deserialize)]
struct IdleRow {
    idle_stamp: Option<i64>,
    pulled: Option<bool>,
    wake: Option<i64>,
    max_idle_balance_cost: i64,
    after: Value,
    sched_needs_cpu: bool,
}

fn written_idle(idle: &AvgIdle) -> Value {
    json!({
        "avg_idle": idle.average().as_ns(),
        "idle_stamp": idle.since().map_or(0, Time::as_ns),
    })
}

fn replay_avg_idle(eighth: Eighth, file: &File) -> Result<usize, Difference> {
    let header: IdleHeader = file.header();
    let cost = Ns::new(header.migration_cost_ns);
    let mut idle = AvgIdle::new(eighth, cost);
    let mut initial = written_idle(&idle);
    initial["max_idle_balance_cost"] = json!(header.migration_cost_ns);
    Difference::check_object(1, "initial", &header.initial, &initial)?;
    let mut lines = 0;
    for (number, row) in file.rows::<IdleRow>() {
        if let Some(stamp) = row.idle_stamp {
            idle.starts(Time::from_ns(stamp));
        }
        if row.pulled == Some(true) {
            idle.forget();
        }
        if let Some(wake) = row.wake {
            idle.ends(Time::from_ns(wake), Ns::new(row.max_idle_balance_cost));
        }
        Difference::check_object(number, "after", &row.after, &written_idle(&idle))?;
        let needs = idle.needs_tick(cost);
        Difference::check(number, "sched_needs_cpu", &row.sched_needs_cpu, &needs)?;
        lines += 1;
    }
    Ok(lines)
}

#[derive(Deserialize)]
struct InterruptHeader {
    irqs: Vec<u16>,
}

#[derive(Deserialize)]
struct InterruptRow {
    push: Vec<(i64, u16)>,
    now: i64,
    next: Option<i64>,
    after: Value,
}

fn written_timings(timings: &IrqTimings) -> Value {
    let lines: Vec<Value> = timings
        .lines()
        .map(|(number, line)| {
            json!({
                "irq": number, "last_ts": line.last_ns(), "count": line.count(),
                "ema": line.mean_ns(), "circ": line.buckets(),
            })
        })
        .collect();
    json!({ "buf_count": timings.recorded(), "irqs": lines })
}

fn replay_irq_timings(file: &File) -> Result<usize, Difference> {
    let mut timings = IrqTimings::new(Watched::Added);
    for line in file.header::<InterruptHeader>().irqs {
        timings.watch(line);
    }
    let mut lines = 0;
    for (number, row) in file.rows::<InterruptRow>() {
        for (at, line) in row.push {
            timings.record(line, Time::from_ns(at));
        }
        let next = timings.next_event(Time::from_ns(row.now)).map(Time::as_ns);
        Difference::check(number, "next", &row.next, &next)?;
        Difference::check_object(number, "after", &row.after, &written_timings(&timings))?;
        lines += 1;
    }
    Ok(lines)
}

#[derive(Deserialize)]
struct FrequencyHeader {
    hz: u32,
    freqs_khz: Vec<u32>,
    rate_limit_ns: i64,
    capacity: u32,
    frequency_invariant: bool,
    ref_khz: Option<u32>,
}

#[derive(Deserialize)]
struct FrequencyRow {
    now: i64,
    r#in: FrequencyInput,
    out: Value,
    after: Value,
}

#[derive(Deserialize)]
struct FrequencyInput {
    util: u32,
    iowait: bool,
    idle_calls: u64,
}

fn replay_schedutil(file: &File) -> Result<usize, Difference> {
    let header: FrequencyHeader = file.header();
    let reference = match (header.ref_khz, header.frequency_invariant) {
        (Some(khz), _) => Reference::Platform(khz),
        (None, true) => Reference::Highest,
        (None, false) => Reference::Current,
    };
    let rate_limit = Ns::new(header.rate_limit_ns);
    let tick = Hz::new(header.hz).unwrap().period();
    let policy = Policy::new(header.freqs_khz, rate_limit, header.capacity, reference, tick).unwrap();
    let mut schedutil = Schedutil::new(&policy);
    let mut lines = 0;
    for (number, row) in file.rows::<FrequencyRow>() {
        let report = Report {
            utilization: row.r#in.util,
            iowait: row.r#in.iowait,
            idle_calls: row.r#in.idle_calls,
        };
        let switched = schedutil.update(&policy, Time::from_ns(row.now), report);
        let out = json!({ "switched_khz": switched, "next_freq_khz": schedutil.chosen_khz() });
        Difference::check_object(number, "out", &row.out, &out)?;
        let (boost, pending) = schedutil.boost();
        let after = json!({
            "cached_raw_khz": schedutil.wanted_khz(),
            "last_update": schedutil.last_change().as_ns(),
            "iowait_boost": boost,
            "iowait_pending": pending,
            "perf": schedutil.performance(),
            "saved_idle_calls": schedutil.idle_calls(),
        });
        Difference::check_object(number, "after", &row.after, &after)?;
        lines += 1;
    }
    Ok(lines)
}
