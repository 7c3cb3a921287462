//! Answers as JSON, in the keys of the shared samples' expected values, for the headless example and for
//! export.
//!
//! Times in ns. Energies are estimates, in nJ, each part rounded to nearest and the totals sums of the
//! rounded parts.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::clock::Clock;
use super::closed::Loops;
use super::own::OwnNumbers;
use super::shared::Domain;
use crate::analysis::durations::Histogram;
use crate::analysis::summary::{StateUse, Summary};
use crate::analysis::tick_stops;
use crate::cpuidle::Choice;
use crate::energy::{Account, Parts, SharedUse};
use crate::page::figures;
use crate::page::recording::agreement::{Agreement, Decisions};
use crate::page::recording::cross::{Apart, Check, CrossChecks, Difference, Verdict};
use crate::page::recording::dumps::Differing;
use crate::sim::machine::{FrequencyRule, MachineModel, ModelCpu, StateExit};
use crate::sim::{Cause, Flags, Lane, Record};
use crate::trace::idle::{CpuIdle, Misses, Recorded, TickStops};
use crate::units::{CpuId, Energy, Microwatts, Ns, StateIdx};
use crate::workload::replay::Share;

/// Name of a cause as in JSON and CSV.
#[must_use]
pub const fn cause_key(cause: Cause) -> &'static str {
    match cause {
        Cause::Tick => "tick",
        Cause::Timer => "timer",
        Cause::Interrupt => "interrupt",
        Cause::Ipi => "ipi",
        Cause::PollLimit => "poll_limit",
        Cause::Unknown => "unknown",
    }
}

/// What one lane did, or several together.
#[must_use]
pub fn summary(summary: &Summary) -> Map<String, Value> {
    let causes: Map<String, Value> = Cause::ALL
        .iter()
        .zip(summary.causes)
        .map(|(cause, count)| (cause_key(*cause).to_owned(), json!(count)))
        .collect();
    let latency = summary.wake_latency.map(|latency| {
        json!({
            "count": latency.count,
            "p50_ns": latency.p50.as_ns(),
            "p99_ns": latency.p99.as_ns(),
            "max_ns": latency.max.as_ns(),
        })
    });
    let value = json!({
        "periods": summary.periods(),
        "residency_ns_total": summary.idle().as_ns(),
        "above": summary.too_deep(),
        "below": summary.too_shallow(),
        "rejected": summary.rejected(),
        "tick_stops": summary.tick_stops,
        "tick_stopped_for": { "bounds_ns": tick_stops::BOUNDS, "counts": summary.stopped.counts() },
        "ticks_retained": summary.ticks_retained,
        "ticks_while_idle": summary.got_tick,
        "sleeps_split_by_ticks": summary.split_sleeps,
        "misses_of_split_sleeps": summary.split_misses,
        "timer_queries": summary.queries,
        "uncounted": summary.uncounted,
        "busy_ns": summary.busy.as_ns(),
        "wakeups_by_cause": causes,
        "wake_latency": latency,
        "durations": { "edges_ns": Histogram::edges(), "counts": summary.durations.counts() },
        "energy": summary.energy.as_ref().map(energy),
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn energy(account: &Account) -> Value {
    let states: BTreeMap<String, Value> = account
        .states
        .iter()
        .enumerate()
        .filter(|(_, parts)| **parts != Parts::default())
        .map(|(n, parts)| (n.to_string(), Value::from(to_nj(parts.idle()))))
        .collect();
    let parts = &account.parts;
    let named = [
        ("stay", parts.stay),
        ("transitions", parts.transitions),
        ("ticks", parts.ticks),
        ("exit_latency", parts.exit_latency),
        ("busy", parts.busy),
    ];
    let total: i64 = named
        .iter()
        .map(|(_, part)| to_nj(*part))
        .fold(0, i64::saturating_add);
    let mut map: Map<String, Value> = named
        .iter()
        .map(|(name, part)| ((*name).to_owned(), json!(to_nj(*part))))
        .collect();
    map.insert("unit".to_owned(), json!("nJ, estimate from assumed powers"));
    map.insert("total".to_owned(), json!(total));
    map.insert("states".to_owned(), json!(states));
    map.insert("regret".to_owned(), json!(to_nj(account.regret)));
    map.insert("ideal".to_owned(), json!(to_nj(account.ideal)));
    Value::Object(map)
}

/// Nearest whole nJ, staying within range.
fn to_nj(energy: Energy) -> i64 {
    const FJ_PER_NJ: i128 = 1_000_000;
    let nj = (energy.as_fj() + FJ_PER_NJ / 2).div_euclid(FJ_PER_NJ);
    i64::try_from(nj).unwrap_or(i64::MAX)
}

/// What became of a state that CPUs share; energies are estimates, none where nothing was said of its power.
#[must_use]
pub fn shared((domain, found): &(Domain, SharedUse)) -> Value {
    let priced = |energy: Energy| (found.never > Energy::ZERO).then(|| to_nj(energy));
    json!({
        "of": domain.noun(),
        "cpus": domain.cpus.iter().map(|cpu| cpu.number()).collect::<Vec<_>>(),
        "break_even_ns": domain.target_residency.as_ns(),
        "entered": found.entered,
        "too_short": found.short,
        "asleep_ns": found.asleep.as_ns(),
        "span_ns": found.span.as_ns(),
        "energy_nj": priced(found.spent),
        "energy_if_never_nj": priced(found.never),
        "energy_at_best_nj": priced(found.best),
    })
}

/// What a closed loop gave. Power and energy are estimates.
#[must_use]
pub fn loops(loops: &Loops) -> Value {
    let in_1000_s = |rate: Option<u128>| {
        #[allow(clippy::cast_precision_loss, reason = "a rate with three decimals")]
        rate.map(|rate| rate as f64 / 1_000.0)
    };
    let rule = |rule: FrequencyRule| {
        let named = FrequencyRule::NAMED.iter().find(|(_, named)| *named == rule);
        named.map_or("", |(name, _)| name)
    };
    json!({
        "span_ns": loops.span.as_ns(),
        "sends": loops.sends,
        "pairs": loops.rings,
        "sends_per_loop": loops.sends_per_loop,
        "requests": loops.requests,
        "response_ns": loops.response.map(Ns::as_ns),
        "requests_per_s": in_1000_s(figures::requests(loops)),
        "read_mb_per_s": figures::bytes(loops).map(|bytes| bytes as f64 / 1e6),
        "frames_per_s": in_1000_s(figures::frames(loops)),
        "loop_ns": loops.loop_time().map(Ns::as_ns),
        "loop_nj": loops.loop_energy().map(to_nj),
        "power_uw": loops.power.map(Microwatts::as_uw),
        "energy_nj": loops.energy.map(to_nj),
        "khz": loops.khz,
        "min_khz": loops.min_khz,
        "max_khz": loops.max_khz,
        "frequency_rule": loops.rule.map(rule),
        "busy_per_mille": loops.busy_per_mille,
        "tick_stops": loops.tick_stops,
        "spent_ns": {
            "tasks": loops.spent.tasks.as_ns(),
            "going_idle": loops.spent.going_idle.as_ns(),
            "tick": loops.spent.tick.as_ns(),
            "polling": loops.spent.polling.as_ns(),
            "asleep": loops.spent.asleep.as_ns(),
            "exiting": loops.spent.exiting.as_ns(),
            "waking": loops.spent.waking.as_ns(),
        },
        "parameters": loops.parameters.about(),
    })
}

/// A state of all CPUs together: entries, time, misses, and its share of the idle time.
#[must_use]
pub fn states(summary: &Summary) -> Value {
    let idle = summary.idle().as_ns().max(1);
    let state = |(n, state): (usize, &StateUse)| {
        let value = json!({
            "count": state.count,
            "residency_ns": state.time.as_ns(),
            "residency_per_mille": i128::from(state.time.as_ns()) * 1_000 / i128::from(idle),
            "above": state.too_deep,
            "below": state.too_shallow,
            "rejected": state.rejected,
        });
        (n.to_string(), value)
    };
    Value::Object(summary.states.iter().enumerate().map(state).collect())
}

/// The clock over time: each change, or where these are many the mean of equal stretches.
#[must_use]
pub fn clock(clock: &Clock) -> Value {
    json!({
        "changes": clock.changes,
        "stretch_ns": clock.stretch.as_ns(),
        "mean_khz": clock.mean_khz,
    })
}

/// What the machine of a closed loop pays.
#[must_use]
pub fn costs(model: &MachineModel) -> Value {
    let (code, smt) = (&model.code, &model.smt);
    let exit = |exit: &StateExit| {
        json!({
            "asleep_ns": exit.fixed.as_ns(),
            "clocked_cycles": exit.cycles.get(),
            "awake_cycles": exit.beside_sibling.get(),
        })
    };
    let cpu =
        |cpu: &ModelCpu| json!({ "core": cpu.core, "exits": cpu.exits.iter().map(exit).collect::<Vec<_>>() });
    json!({
        "entry_cycles": code.entry.get(),
        "exit_cycles": code.exit.get(),
        "poll_exit_cycles": code.poll_exit.get(),
        "tick_stop_cycles": code.tick_stop.get(),
        "tick_restart_cycles": code.tick_restart.get(),
        "tick_handler_cycles": code.tick_handler.get(),
        "ipi_ns": model.ipi.as_ns(),
        "beside_running_per_mille": smt.beside_running,
        "beside_polling_per_mille": smt.beside_polling,
        "cpus": model.cpus.iter().map(cpu).collect::<Vec<_>>(),
    })
}

/// One CPU of a simulated variant, in the keys that a trace's CPU has, plus its summary.
#[must_use]
pub fn simulated_cpu(lane: &Lane, found: &Summary) -> Value {
    let mut map = summary(found);
    let mut states: BTreeMap<StateIdx, (u64, i64, i64, i64)> = BTreeMap::new();
    for row in lane.rows() {
        if row.flags.has(Flags::UNCOUNTED) || row.flags.has(Flags::REJECTED) {
            continue;
        }
        let ns = row.residency().as_ns();
        let (count, sum, min, max) = states.entry(row.entered).or_insert((0, 0, i64::MAX, i64::MIN));
        *count += 1;
        *sum += ns;
        *min = ns.min(*min);
        *max = ns.max(*max);
    }
    let states: Map<String, Value> = states
        .into_iter()
        .map(|(idx, (count, sum, min, max))| {
            let state = json!({ "count": count, "residency_ns": sum, "min_ns": min, "max_ns": max });
            (idx.to_string(), state)
        })
        .collect();
    let open = lane
        .len()
        .checked_sub(1)
        .and_then(|n| lane.row(n))
        .filter(|row| row.flags.has(Flags::UNCOUNTED));
    let open = open.map(|row| json!({ "state": row.entered.number(), "since_ns": row.entry.as_ns() }));
    map.insert("states".to_owned(), Value::Object(states));
    map.insert("wakeups".to_owned(), json!(found.periods()));
    map.insert("enter_without_exit".to_owned(), json!(0));
    map.insert("orphan_exits".to_owned(), json!(0));
    map.insert("trailing_open".to_owned(), json!(open));
    Value::Object(map)
}

/// One CPU of a trace: what its `cpu_idle` events say, and what the recorded lane tells beyond that.
///
/// Tick stops and misses are the kernel's own, counted from its events, where the trace has them.
#[must_use]
pub fn recorded_cpu(recorded: &Recorded, cpu: CpuId, idle: &CpuIdle, found: Option<&Summary>) -> Value {
    let mut map = found.map(summary).unwrap_or_default();
    if let Ok(Value::Object(own)) = serde_json::to_value(idle) {
        map.extend(own);
    }
    let stops = recorded
        .tick_stop_by_recording_cpu
        .get(&cpu)
        .copied()
        .unwrap_or_default();
    let misses = recorded
        .cpu_idle_miss_by_cpu_id
        .get(&cpu)
        .copied()
        .unwrap_or_default();
    count_events(&mut map, recorded, (stops, misses));
    Value::Object(map)
}

/// All CPUs of a trace together; see [`recorded_cpu`].
#[must_use]
pub fn recorded_whole(recorded: &Recorded, found: Option<&Summary>) -> Map<String, Value> {
    let mut map = found.map(summary).unwrap_or_default();
    let mut stops = TickStops::default();
    for cpu in recorded.tick_stop_by_recording_cpu.values() {
        stops.success += cpu.success;
        stops.fail += cpu.fail;
    }
    let mut misses = Misses::default();
    for cpu in recorded.cpu_idle_miss_by_cpu_id.values() {
        misses.above += cpu.above;
        misses.below += cpu.below;
    }
    count_events(&mut map, recorded, (stops, misses));
    map
}

fn count_events(map: &mut Map<String, Value>, recorded: &Recorded, (stops, misses): (TickStops, Misses)) {
    if !recorded.tick_stop_by_recording_cpu.is_empty() {
        map.insert("tick_stops".to_owned(), json!(stops.success));
        map.insert("tick_stops_refused".to_owned(), json!(stops.fail));
    }
    if !recorded.cpu_idle_miss_by_cpu_id.is_empty() {
        map.insert("above".to_owned(), json!(misses.above));
        map.insert("below".to_owned(), json!(misses.below));
    }
}

/// How far a governor reproduces a recording; shares as `[part, of]`.
#[must_use]
pub fn agreement(governor: Choice, found: &Agreement) -> Value {
    let share = |share: Share| json!([share.part, share.of]);
    let decisions = |decisions: &Decisions| {
        json!({
            "states": share(decisions.states),
            "states_by_cpu": decisions.states_by_cpu.iter().map(|one| share(*one)).collect::<Vec<_>>(),
            "states_after_warm_up": share(decisions.states_warm),
            "ticks": share(decisions.ticks),
            "keep_reasons_inferred": decisions.kept,
        })
    };
    json!({
        "governor": governor.to_string(),
        "inferred": decisions(&found.inferred),
        "strict": decisions(&found.strict),
        "without_hidden_timer": decisions(&found.without_hidden),
        "misses": share(found.misses),
    })
}

/// What the kernel recorded against the recorded lane; instants in ns on the trace's clock.
#[must_use]
pub fn cross_checks(checks: &CrossChecks) -> Value {
    let verdict = |verdict: Verdict| match verdict {
        Verdict::Match => "match",
        Verdict::TooDeep => "above",
        Verdict::TooShallow => "below",
    };
    let difference = |one: &Difference| {
        let (kernel, ours) = match one.apart {
            Apart::Miss { kernel, ours } => (verdict(kernel), verdict(ours)),
            Apart::OnlyRecorded => ("stopped", "not_stopped"),
            Apart::OnlyOurs => ("not_recorded", "stopped"),
        };
        json!({
            "kernel": kernel,
            "ours": ours,
            "count": one.count,
            "first": {
                "cpu": one.first.cpu.number(),
                "time_ns": one.first.at.as_ns(),
                "state": one.first.state.number(),
            },
        })
    };
    let check = |check: &Check| {
        json!({
            "compared": check.compared,
            "alike": check.alike,
            "differences": check.differences.iter().map(difference).collect::<Vec<_>>(),
        })
    };
    json!({
        "cpu_idle_miss": checks.misses.as_ref().map(check),
        "tick_stop": checks.tick_stops.as_ref().map(check),
    })
}

/// What a governor printed about itself, compared; shares as `[part, of]`, instants in ns on the trace's clock.
#[must_use]
pub fn own_numbers(found: &OwnNumbers) -> Value {
    let share = |share: &Share| json!([share.part, share.of]);
    let found = match found {
        OwnNumbers::NoMachine => return json!({ "not_compared": "machine" }),
        OwnNumbers::NoGovernor(family) => return json!({ "not_compared": "governor", "family": family }),
        OwnNumbers::Compared(found) => found,
    };
    let differing = |one: &Option<Differing>| {
        one.map(|one| {
            json!({
                "cpu": one.cpu.number(),
                "time_ns": one.time.as_ns(),
                "line": one.line,
                "key": one.dumped.key,
                "index": one.dumped.key.is_list().then_some(one.dumped.at),
                "dumped": one.dumped.number,
                "ours": one.ours,
            })
        })
    };
    let by_key: Map<String, Value> = found
        .by_key
        .iter()
        .map(|(key, equal)| (key.name().to_owned(), share(equal)))
        .collect();
    let not_remembered: Map<String, Value> = found
        .not_remembered
        .iter()
        .map(|(key, count)| (key.name().to_owned(), json!(count)))
        .collect();
    json!({
        "governor": found.governor.to_string(),
        "equal": share(&found.all),
        "equal_after_warm_up": share(&found.warm),
        "by_key": by_key,
        "first_difference": differing(&found.first),
        "first_difference_after_warm_up": differing(&found.first_warm),
        "not_remembered": not_remembered,
        "lines_of_other_families": found.of_others,
        "lines_without_select": found.unplaced,
    })
}

/// All CPUs of a record that were ever asked, by number.
#[must_use]
pub fn simulated_cpus(record: &Record, of: impl Fn(CpuId) -> Summary) -> Map<String, Value> {
    let lanes = (0u16..).map(CpuId::new).zip(&record.lanes);
    lanes
        .filter(|(_, lane)| !lane.is_empty())
        .map(|(cpu, lane)| (cpu.number().to_string(), simulated_cpu(lane, &of(cpu))))
        .collect()
}
