//! `golden/pelt` and `golden/pelt-clock`: the sums and averages of a run queue, and the clock they count by.

use idlescope::tick::pelt::{Queued, Rules, Runnable, Signal, Speed, SpeedCounts, Utilization, decay};
use idlescope::tick::pelt_clock::Clock;
use idlescope::units::{Ns, Time};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Claim, Difference, File};

#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
enum Header {
    Pelt { initial: Initial },
    DecayLoad,
}

#[derive(Deserialize)]
struct Initial {
    last_update_time: i64,
}

/// The speed is there where it counts in the contribution.
#[derive(Deserialize)]
struct Row {
    now: i64,
    load: u64,
    runnable: u64,
    running: u64,
    weight: u64,
    #[serde(default = "full")]
    scale_freq: u64,
    #[serde(default = "full")]
    scale_cpu: u64,
    updated: bool,
    after: Value,
}

fn full() -> u64 {
    1_024
}

fn replay(rules: Rules, file: &File) -> Result<usize, Difference> {
    match file.header::<Header>() {
        Header::Pelt { initial } => replay_signal(rules, Time::from_ns(initial.last_update_time), file),
        Header::DecayLoad => replay_decay(file),
    }
}

fn replay_signal(rules: Rules, start: Time, file: &File) -> Result<usize, Difference> {
    let mut signal = Signal::starting(rules, start);
    let mut alone = Utilization::starting(start);
    let mut lines = 0;
    for (number, row) in file.rows::<Row>() {
        let now = Time::from_ns(row.now);
        let queued = Queued {
            load: row.load,
            runnable: row.runnable,
            running: row.running > 0,
            weight: row.weight,
            speed: Speed {
                frequency: row.scale_freq,
                capacity: row.scale_cpu,
            },
        };
        let updated = signal.update(now, queued);
        Difference::check(number, "updated", &row.updated, &updated)?;
        Difference::check_object(number, "after", &row.after, &written(rules, &signal))?;
        if rules.speed == SpeedCounts::InClock {
            alone.update(now, row.load > 0 && row.running > 0);
            let found = (alone.sum(), alone.average());
            Difference::check(
                number,
                "the sum of running alone",
                &(signal.running().sum, signal.running().average),
                &found,
            )?;
        }
        lines += 1;
    }
    Ok(lines)
}

fn written(rules: Rules, signal: &Signal) -> Value {
    let (sum, average) = match rules.runnable {
        Runnable::Load => ("runnable_load_sum", "runnable_load_avg"),
        Runnable::Tasks => ("runnable_sum", "runnable_avg"),
    };
    json!({
        "last_update_time": signal.segments().last().as_ns(),
        "period_contrib": signal.segments().position(),
        "load_sum": signal.load().sum,
        "load_avg": signal.load().average,
        sum: signal.runnable().sum,
        average: signal.runnable().average,
        "util_sum": signal.running().sum,
        "util_avg": signal.running().average,
    })
}

#[derive(Deserialize)]
struct Decayed {
    val: u64,
    n: u64,
    out: u64,
}

fn replay_decay(file: &File) -> Result<usize, Difference> {
    let mut lines = 0;
    for (number, row) in file.rows::<Decayed>() {
        Difference::check(number, "out", &row.out, &decay(row.val, row.n))?;
        lines += 1;
    }
    Ok(lines)
}

#[derive(Deserialize)]
struct ClockHeader {
    initial: ClockStart,
}

#[derive(Deserialize)]
struct ClockStart {
    clock_task: i64,
}

#[derive(Deserialize)]
struct ClockRow {
    delta: i64,
    curr_is_idle: bool,
    then_goes_idle: bool,
    util_sum: u64,
    scale_freq: u64,
    scale_cpu: u64,
    after: Value,
}

fn replay_clock(file: &File) -> Result<usize, Difference> {
    let mut clock = Clock::starting(Time::from_ns(file.header::<ClockHeader>().initial.clock_task));
    let mut lines = 0;
    for (number, row) in file.rows::<ClockRow>() {
        let now = clock.task() + Ns::new(row.delta);
        if row.curr_is_idle {
            clock.idled(now);
        } else {
            clock.ran(
                now,
                Speed {
                    frequency: row.scale_freq,
                    capacity: row.scale_cpu,
                },
            );
        }
        if row.then_goes_idle {
            clock.goes_idle(row.util_sum);
        }
        let found = json!({
            "clock_task": clock.task().as_ns(),
            "clock_pelt": clock.pelt().as_ns(),
            "lost_idle_time": clock.lost().as_ns(),
            "pelt_now": clock.now().as_ns(),
        });
        Difference::check_object(number, "after", &row.after, &found)?;
        lines += 1;
    }
    Ok(lines)
}

pub fn claims() -> Vec<Claim> {
    let scaled = Rules {
        speed: SpeedCounts::InContribution,
        runnable: Runnable::Load,
    };
    let clocked = Rules {
        speed: SpeedCounts::InClock,
        runnable: Runnable::Tasks,
    };
    let sums = [("v4.19", scaled), ("v7.2", clocked)].map(|(version, rules)| Claim {
        folder: format!("pelt/{version}"),
        by: "tick::pelt".to_owned(),
        replay: Box::new(move |file| replay(rules, file)),
    });
    let clock = Claim {
        folder: "pelt-clock/v7.2".to_owned(),
        by: "tick::pelt_clock".to_owned(),
        replay: Box::new(replay_clock),
    };
    sums.into_iter().chain([clock]).collect()
}
