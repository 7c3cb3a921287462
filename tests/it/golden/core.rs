//! Vectors of the core: accounting of periods, the polling limit, the deepest state.

use idlescope::cpuidle::accounting::{Accounting, Clock, Miss, TimerStop, Usage, deepest, without_broadcast};
use idlescope::cpuidle::poll::PollLimit;
use idlescope::cpuidle::{MAX_STATES, StateMask};
use idlescope::units::{Ns, StateIdx};
use serde::Deserialize;
use serde_json::{Value, json};

use super::governors::{State, table};
use super::{Claim, Difference, File};

pub fn claims() -> Vec<Claim> {
    let accounting = [
        ("v4.19", Clock::Microseconds, Kept::UsageAndTime),
        ("v5.10", Clock::Nanoseconds, Kept::Counters),
        ("v7.2", Clock::Nanoseconds, Kept::CountersAndEvent),
    ]
    .map(|(version, clock, kept)| Claim {
        folder: format!("enter-accounting/{version}"),
        by: "cpuidle::accounting".to_owned(),
        replay: Box::new(move |file| replay_accounting(clock, kept, file)),
    });
    let poll = [
        ("v5.10", PollLimit::FirstState),
        ("v7.2", PollLimit::FirstWorthwhileState),
    ]
    .map(|(version, rule)| Claim {
        folder: format!("poll-and-deepest/{version}"),
        by: "cpuidle::poll".to_owned(),
        replay: Box::new(move |file| replay_poll(rule, file)),
    });
    accounting.into_iter().chain(poll).collect()
}

/// What the kernels of a folder keep of a period.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    /// Neither above, below nor rejected.
    UsageAndTime,
    /// All counters.
    Counters,
    /// And the `cpu_idle_miss` event.
    CountersAndEvent,
}

#[derive(Deserialize)]
struct Header {
    states: Vec<State>,
}

#[derive(Deserialize)]
struct Entry {
    r#in: Entered,
    out: Value,
}

#[derive(Deserialize)]
struct Entered {
    selected: u8,
    disabled_mask: u16,
    broadcast_fail: bool,
    driver_returns: Value,
    elapsed_ns: i64,
}

fn replay_accounting(clock: Clock, kept: Kept, file: &File) -> Result<usize, Difference> {
    let (table, _) = table(&file.header::<Header>().states);
    let mut accounting = Accounting::default();
    let mut lines = 0;
    for (number, row) in file.rows::<Entry>() {
        let disabled = StateMask::from_bits(row.r#in.disabled_mask);
        let selected = StateIdx::new(row.r#in.selected);
        let tried = if row.r#in.broadcast_fail {
            without_broadcast(&table, disabled, selected)
        } else {
            selected
        };
        let returned = row
            .r#in
            .driver_returns
            .as_i64()
            .unwrap_or_else(|| i64::from(tried.number()));
        let (residency, miss) = match u8::try_from(returned) {
            Ok(entered) => {
                let residency = clock.residency(Ns::new(row.r#in.elapsed_ns));
                let miss = accounting.entered(&table, disabled, StateIdx::new(entered), residency);
                (residency, miss)
            }
            Err(_) => {
                accounting.rejected(tried);
                (Ns::ZERO, None)
            }
        };
        let found = written(clock, kept, returned, residency, miss, &accounting, table.len());
        Difference::check_object(number, "out", &row.out, &found)?;
        lines += 1;
    }
    Ok(lines)
}

fn written(
    clock: Clock,
    kept: Kept,
    returned: i64,
    residency: Ns,
    miss: Option<Miss>,
    accounting: &Accounting,
    len: usize,
) -> Value {
    let miss = miss
        .filter(|_| kept == Kept::CountersAndEvent)
        .map(|miss| match miss {
            Miss::TooDeep => "above",
            Miss::TooShallow => "below",
        });
    let (unit, ns_per_unit) = match clock {
        Clock::Microseconds => ("us", 1_000),
        Clock::Nanoseconds => ("ns", 1),
    };
    let states: &[Usage; MAX_STATES] = accounting.states();
    let column = |of: fn(&Usage) -> u64| -> Value { states[..len].iter().map(of).collect() };
    let mut value = json!({ "returned": returned, "miss": miss, "usage": column(|state| state.usage) });
    value[format!("last_residency_{unit}")] = json!(residency.as_ns() / ns_per_unit);
    value[format!("time_{unit}")] = states[..len]
        .iter()
        .map(|state| state.time.as_ns() / ns_per_unit)
        .collect();
    if kept != Kept::UsageAndTime {
        value["above"] = column(|state| state.above);
        value["below"] = column(|state| state.below);
        value["rejected"] = column(|state| state.rejected);
    }
    value
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Question {
    PollTime {
        hz: i64,
        disabled_mask: u16,
        poll_limit_ns: i64,
        out: i64,
    },
    FindDeepest {
        disabled_mask: u16,
        max_latency_ns: i64,
        forbid_timer_stop: bool,
        out: u8,
    },
}

fn replay_poll(rule: PollLimit, file: &File) -> Result<usize, Difference> {
    let (table, _) = table(&file.header::<Header>().states);
    let mut lines = 0;
    for (number, question) in file.rows::<Question>() {
        match question {
            Question::PollTime {
                hz,
                disabled_mask,
                poll_limit_ns,
                out,
            } => {
                let tick = Ns::new((1_000_000_000 + hz / 2) / hz);
                let stored = (poll_limit_ns != 0).then_some(Ns::new(poll_limit_ns));
                let limit = rule.limit(&table, StateMask::from_bits(disabled_mask), tick, stored);
                Difference::check(number, "out", &out, &limit.as_ns())?;
            }
            Question::FindDeepest {
                disabled_mask,
                max_latency_ns,
                forbid_timer_stop,
                out,
            } => {
                let timer_stop = if forbid_timer_stop {
                    TimerStop::Forbidden
                } else {
                    TimerStop::Allowed
                };
                let disabled = StateMask::from_bits(disabled_mask);
                let found = deepest(&table, disabled, Ns::new(max_latency_ns), timer_stop);
                Difference::check(number, "out", &out, &found.number())?;
            }
        }
        lines += 1;
    }
    Ok(lines)
}
