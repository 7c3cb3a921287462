//! The recorded samples and the figures that other programs made of them (`../shared/traces/MANIFEST.md`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Where the committed ones are.
pub fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces")
}

/// One recording in two forms, and the two figures that the program behind `expected.json` did not find in the
/// second: it looked there for the kernel's `cpu_id=0 type=above` and `success=1`, while babeltrace prints
/// `cpu_id = 0, below = 0` and `success = 1`. So it put all misses under `None` and took every stop for refused. What
/// must come out is what it found in the first form.
const TAKEN_FROM_ANOTHER_FORM: (&str, &str, [&str; 2]) = (
    "arm64-menu-babeltrace.txt.gz",
    "arm64-menu-perf.data.gz",
    ["cpu_idle_miss_by_cpu_id", "tick_stop_by_recording_cpu"],
);

/// The figures by file.
pub fn expected(folder: &Path) -> BTreeMap<String, Value> {
    let text = fs::read(folder.join("expected.json")).expect("the expected values lie beside the samples");
    let mut expected: BTreeMap<String, Value> = serde_json::from_slice(&text).expect("they are JSON");
    let (form, same, keys) = TAKEN_FROM_ANOTHER_FORM;
    for key in keys {
        let value = expected[same][key].clone();
        if let Some(want) = expected.get_mut(form) {
            assert_ne!(want[key], value, "{key} needs no other form any more");
            want[key] = value;
        }
    }
    expected
}

/// Collects every place where `expect` differs from `got`; what only `got` has is left alone, but for maps by number.
pub fn differences(path: &str, expect: &Value, got: &Value, found: &mut Vec<String>) {
    match (expect, got) {
        (Value::Object(expect), Value::Object(got)) => {
            for (key, expect) in expect {
                let path = format!("{path} · {key}");
                match got.get(key) {
                    Some(got) => differences(&path, expect, got, found),
                    None => found.push(format!("{path}: expected {expect}, got nothing")),
                }
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
