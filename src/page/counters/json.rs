//! Tables and counters as JSON, in the names of the sysfs files; what a text does not say is absent.

use serde_json::{Map, Value, json};

use super::{Counters, Measurement, Span, Tally};
use crate::trace::tables::{Attr, Sheet, State};

fn state(state: &State) -> Value {
    let mut map = Map::new();
    for (key, attr) in Attr::SYSFS {
        map.extend(state.get(attr).map(|number| (key.to_owned(), json!(number))));
    }
    let more = [
        ("share_per_10000", state.get(Attr::Share)),
        ("cluster_power", state.get(Attr::ClusterPower)),
        ("core_power", state.get(Attr::CorePower)),
    ];
    map.extend(
        more.iter()
            .filter_map(|(key, number)| Some(((*key).to_owned(), json!(*number.as_ref()?)))),
    );
    map.extend(state.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    map.extend(state.desc.as_ref().map(|desc| ("desc".to_owned(), json!(desc))));
    map.extend(
        state
            .timer_stop
            .map(|stops| ("timer_stop".to_owned(), json!(stops))),
    );
    map.extend(state.default_on.map(|on| {
        let word = if on { "enabled" } else { "disabled" };
        ("default_status".to_owned(), json!(word))
    }));
    Value::Object(map)
}

fn cpu(cpu: Option<u16>) -> String {
    cpu.map_or_else(|| "all".to_owned(), |cpu| cpu.to_string())
}

/// One sheet: by CPU, then by state; `all` where the text names no CPU.
#[must_use]
pub fn sheet(sheet: &Sheet) -> Value {
    let cpus: Map<String, Value> = sheet
        .cpus
        .iter()
        .map(|(number, states)| {
            let states: Map<String, Value> = states
                .iter()
                .map(|(idx, own)| (idx.to_string(), state(own)))
                .collect();
            (cpu(*number), Value::Object(states))
        })
        .collect();
    json!({
        "format": sheet.form.name(),
        "driver": sheet.driver,
        "governor": sheet.governor,
        "interval_us": sheet.interval_us,
        "cluster": sheet.cluster,
        "cpus": cpus,
    })
}

fn tally(tally: &Tally) -> Value {
    json!({
        "usage": tally.usage,
        "time_us": tally.time_us,
        "share_per_10000": tally.share,
        "above": tally.above,
        "below": tally.below,
        "rejected": tally.rejected,
    })
}

fn measurement(measured: &Measurement) -> Value {
    let row = |name: &str, one: &Tally| {
        let mut row = tally(one);
        if let Some(row) = row.as_object_mut() {
            row.insert("name".to_owned(), json!(name));
        }
        row
    };
    let states = measured.states();
    let by_state: Map<String, Value> = states
        .iter()
        .map(|((idx, name), one)| (idx.to_string(), row(name, one)))
        .collect();
    let cpus: Map<String, Value> = measured
        .cpus
        .iter()
        .map(|(number, states)| {
            let states: Map<String, Value> = states
                .iter()
                .map(|((idx, name), one)| (idx.to_string(), row(name, one)))
                .collect();
            (cpu(*number), Value::Object(states))
        })
        .collect();
    json!({
        "source": measured.source,
        "span": match measured.span {
            Span::SinceBoot => "since boot",
            Span::Between => "between two dumps",
            Span::Intervals(_) => "intervals",
        },
        "interval_us": measured.interval_us,
        "cpu_count": (measured.cpus_named() > 0).then_some(measured.cpus_named()),
        "states": by_state,
        "cpus": cpus,
        "total": tally(&Measurement::total(&states)),
        "disabled": measured.disabled,
        "unknown": measured.unknown(),
        "notes": measured.notes,
    })
}

/// A, B and what was left out.
#[must_use]
pub fn counters(counters: &Counters) -> Value {
    let [a, b] = &counters.sides;
    json!({
        "a": a.as_ref().map(measurement),
        "b": b.as_ref().map(measurement),
        "notes": counters.notes,
    })
}
