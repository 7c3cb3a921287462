//! The recorded samples give the figures of `expected.json`, per CPU and field.

use std::fs;

use idlescope::trace::{self, TraceError, idle};

use crate::samples::{committed, differences, expected};

#[test]
fn recorded_samples_give_the_expected_figures() {
    let mut found = Vec::new();
    let mut read = 0;
    for (file, mut expect) in expected(&committed()) {
        let bytes = fs::read(committed().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let trace = trace::read(&bytes);
        let expect = expect.as_object_mut().expect("an object by field");
        let format = expect.remove("format").expect("every entry says its format");
        if format == "not-time" {
            assert!(
                matches!(trace, Err(TraceError::NotTime { .. })),
                "{file} must be refused: its stamps are no times"
            );
            continue;
        }
        let trace = trace.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(format, trace.format.kind(), "{file}");
        // This stands in the report; the rest is summed.
        if let Some(header) = expect.remove("header") {
            let got = serde_json::to_value(&trace.report.header).expect("plain data");
            differences(&file, &header, &got, &mut found);
        }
        let got = serde_json::to_value(idle::account(&trace)).expect("plain data");
        differences(&file, &expect.clone().into(), &got, &mut found);
        read += 1;
    }
    assert!(
        found.is_empty(),
        "{} differences:\n{}",
        found.len(),
        found.join("\n")
    );
    assert_eq!(
        read, 18,
        "12 text samples, 4 of trace.dat, 1 of perf.data, 1 of Perfetto"
    );
}
