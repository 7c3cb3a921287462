//! The recorded samples give the figures of `expected.json`, per CPU and field.
//!
//! The figures were made by other programs than this one (`../shared/traces/MANIFEST.md`).

use std::fs;
use std::path::PathBuf;

use idlescope::trace::{self, TraceError, idle};
use serde_json::Value;

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces")
}

/// Collects every place where `expect` differs from `got`; what only `got` has is left alone.
fn differences(path: &str, expect: &Value, got: &Value, found: &mut Vec<String>) {
    match (expect, got) {
        (Value::Object(expect), Value::Object(got)) => {
            for (key, expect) in expect {
                let path = format!("{path} · {key}");
                differences(&path, expect, got.get(key).unwrap_or(&Value::Null), found);
            }
            let is_map = expect
                .keys()
                .chain(got.keys())
                .all(|key| key.parse::<u64>().is_ok());
            for key in got.keys().filter(|key| is_map && !expect.contains_key(*key)) {
                found.push(format!("{path} · {key}: not expected"));
            }
        }
        (expect, got) if expect == got => {}
        (expect, got) => found.push(format!("{path}: expected {expect}, got {got}")),
    }
}

#[test]
fn recorded_samples_give_the_expected_figures() {
    let expected: Value = serde_json::from_str(
        &fs::read_to_string(samples().join("expected.json")).expect("expected.json is committed"),
    )
    .expect("expected.json is JSON");
    let mut found = Vec::new();
    let mut read = 0;
    for (file, expect) in expected.as_object().expect("an object by file") {
        let bytes = fs::read(samples().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let trace = trace::read(&bytes);
        if expect["format"] == "not-time" {
            assert!(
                matches!(trace, Err(TraceError::NotTime { .. })),
                "{file} must be refused: its stamps are no times"
            );
            continue;
        }
        let trace = trace.unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut expect = expect.clone();
        expect
            .as_object_mut()
            .expect("an object by field")
            .remove("format");
        let got = serde_json::to_value(idle::account(&trace)).expect("plain data");
        differences(file, &expect, &got, &mut found);
        read += 1;
    }
    assert!(
        found.is_empty(),
        "{} differences:\n{}",
        found.len(),
        found.join("\n")
    );
    assert_eq!(
        read, 14,
        "8 text samples, 4 of trace.dat, 1 of perf.data, 1 of Perfetto"
    );
}
