//! The headless example prints what the session answers, which is what the page shows.

use std::path::{Path, PathBuf};

use idlescope::page::doc::{TraceId, Workload};
use idlescope::page::link;
use idlescope::page::mail;
use idlescope::page::session::Session;
use serde_json::Value;

use crate::samples::{committed, differences, expected};

#[path = "../../../examples/headless.rs"]
#[allow(dead_code, reason = "only its answer is called here")]
mod example;

fn answer(words: &[&str]) -> Result<String, String> {
    asked(words).map_err(|refusal| refusal.told)
}

fn asked(words: &[&str]) -> Result<String, example::Refusal> {
    example::answer(words.iter().map(|word| (*word).to_owned()))
}

fn sample(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/traces")
        .join(file)
}

#[track_caller]
fn check(file: Option<&str>, fragment: &str) {
    let path = file.map(sample).map(|path| path.display().to_string());
    let mut words = vec!["--json"];
    if let Some(path) = &path {
        words.extend(["--trace", path]);
    }
    words.push(fragment);
    let printed: Value = serde_json::from_str(&answer(&words).expect("an answer")).expect("JSON");

    let mut session = Session::new();
    if let Some(path) = &path {
        session.begin_trace();
        session
            .feed(&std::fs::read(path).expect("the sample"))
            .expect("readable");
        session.finish_trace().expect("readable");
    }
    let mut link = link::parse(fragment).0;
    if let Some(traced) = session.traced() {
        // The file is the workload, as on the page, and the table's link names it.
        let id = TraceId::parse(&traced.trace.short_hash()).expect("twelve digits");
        link.doc.workload = Workload::Trace(id);
    }
    let fragment = match &link.doc.workload {
        Workload::Trace(_) => link::write(&link),
        _ => fragment.to_owned(),
    };
    let doc = link.doc;
    session.ask(&doc);
    session.finish();
    assert_eq!(printed, session.to_json(), "{file:?} {fragment}");

    words.remove(0);
    let table = answer(&words).expect("a table");
    assert_eq!(
        table,
        mail::of_session(&session, &doc, None, &format!("#{fragment}"))
    );
    let last = table.trim_end().lines().last().unwrap_or_default();
    assert_eq!(last, format!("[1] #{fragment}"));
    assert!(
        table
            .lines()
            .all(|line| line == last || line.len() <= 72 && line.is_ascii()),
        "{table}"
    );
}

#[test]
fn it_prints_what_the_session_answers() {
    check(Some("arm64-menu-ftrace.txt.gz"), "");
    check(
        Some("arm64-menu-ftrace-loss-while-idle.txt.gz"),
        "a=teo-6.5&b=menu-6.6&st=cpu-sleep-0.tr400us",
    );
    check(Some("x86-haltpoll-ftrace.txt.gz"), "a=off&b=menu-6.1.192");
    check(
        None,
        "w=doorbell&gap=300us&fix=0&m=pixel6-little&a=teo-6.5&b=teo-6.5-p123",
    );
}

#[test]
fn a_closed_loop_tells_time_power_stops_clock_costs_and_what_seeds_change() {
    let fragment = "w=pipe-test&dur=60ms&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil&cost=exit.700";
    let json = answer(&["--json", "--seeds", "3", fragment]).expect("an answer");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let at = |pointer: &str| json.pointer(pointer).unwrap_or(&Value::Null);
    let whole = |pointer: &str| {
        at(pointer)
            .as_u64()
            .unwrap_or_else(|| panic!("{pointer} in {json:#}"))
    };
    let sum = |pointer: &str| {
        let counts = at(pointer).as_array().map(Vec::as_slice).unwrap_or_default();
        counts.iter().filter_map(Value::as_u64).sum::<u64>()
    };
    for side in ["a", "b"] {
        for figure in ["loop_ns", "power_uw", "loop_nj", "energy_nj", "khz", "tick_stops"] {
            whole(&format!("/{side}/loops/{figure}"));
        }
        let stops = format!("/{side}/tick_stopped_for");
        assert_eq!(at(&format!("{stops}/counts")).as_array().map(Vec::len), Some(11));
        assert_eq!(at(&format!("{stops}/bounds_ns/0")), 4_000_000);
        let stopped = whole(&format!("/{side}/tick_stops"));
        let idle = sum(&format!("{stops}/counts"));
        // At the end of the record every CPU may still be idle with its tick stopped.
        assert!(
            idle <= stopped && stopped <= idle + 8,
            "{stopped} stops, {idle} idle times"
        );
        let states = at(&format!("/{side}/states"))
            .as_object()
            .cloned()
            .unwrap_or_default();
        let time: u64 = states
            .values()
            .filter_map(|state| state["residency_ns"].as_u64())
            .sum();
        assert_eq!(time, whole(&format!("/{side}/residency_ns_total")));
        // The clock at the end is the last one told; the mean of all stretches lies within its range.
        let clock = at(&format!("/{side}/clock/mean_khz"))
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert!((200..=256).contains(&clock.len()), "{}", clock.len());
        let ends = whole(&format!("/{side}/loops/min_khz"))..=whole(&format!("/{side}/loops/max_khz"));
        assert!(
            clock
                .iter()
                .all(|khz| khz.as_u64().is_some_and(|khz| ends.contains(&khz)))
        );
        assert_eq!(clock.last(), Some(at(&format!("/{side}/loops/khz"))));
        // The first seed is the link's own.
        let spread = format!("/spread/{side}/loop_ns");
        assert_eq!(
            at(&format!("{spread}/values/0")),
            at(&format!("/{side}/loops/loop_ns"))
        );
        assert!(whole(&format!("{spread}/min")) <= whole(&format!("{spread}/median")));
        assert!(whole(&format!("{spread}/median")) <= whole(&format!("{spread}/max")));
    }
    assert_eq!(at("/spread/seeds"), &serde_json::json!([1, 2, 3]));
    assert_eq!(
        (
            whole("/seed"),
            whole("/costs/exit_cycles"),
            whole("/costs/entry_cycles")
        ),
        (1, 700, 900)
    );
    assert_eq!(at("/a/loops/frequency_rule"), "schedutil");
    let table = answer(&["--seeds", "2", fragment]).expect("a table");
    assert!(table.starts_with("seeds 1 to 2"), "{table}");
    assert!(table.contains("leaving idle 700 (own 650)"), "{table}");
}

#[test]
fn frames_requests_and_bytes_are_told_where_there_are_any() {
    let loops = |fragment: &str| {
        let json = answer(&["--json", fragment]).expect("an answer");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        json.pointer("/a/loops").cloned().unwrap_or_default()
    };
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let reads = loops("w=storage&dur=200ms&a=teo-6.12");
    let (requests, read) = (number(&reads["requests_per_s"]), number(&reads["read_mb_per_s"]));
    assert!(
        (read - requests * 4_096.0 / 1e6).abs() < 0.01 && requests > 1_000.0,
        "{reads}"
    );
    assert!(reads["frames_per_s"].is_null());
    // Every third of the time all CPUs are off at once: fewer frames than signals, and none in excess.
    let phone = number(&loops("w=jetnews&dur=3s&a=teo-6.5")["frames_per_s"]);
    assert!((40.0..=90.5).contains(&phone), "{phone}");
    let film = number(&loops("w=video&dur=2s&a=teo-6.5")["frames_per_s"]);
    assert!((29.0..=31.0).contains(&film), "{film}");
}

#[test]
fn a_sample_of_the_page_needs_no_file_and_a_named_trace_does() {
    let text = answer(&["w=arm64-menu&b=menu-6.6"]).expect("the sample lies beside the page");
    assert!(text.contains("menu-6.6"), "{text}");
    let error = answer(&["t=3f9a02c41be7"]).expect_err("there is no file");
    assert!(
        error.contains("3f9a02c41be7") && error.contains("--trace"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    for (words, want) in [
        (&["--what"][..], "unknown option --what"),
        (&[], "usage"),
        (&["a", "b"], "found another: b"),
        (&["--trace"], "--trace needs a file"),
        (&["--trace", "/nowhere/at/all"], "/nowhere/at/all"),
        (&["--seeds"], "--seeds needs a number from 1 to 1000"),
        (&["--seeds", "0", "w=mixed"], "--seeds needs a number"),
        (
            &["--seeds", "2", "w=arm64-menu"],
            "only generated workloads have seeds",
        ),
    ] {
        let error = answer(words).expect_err("it cannot be done");
        assert!(error.contains(want), "{error}");
    }
}

/// The `import` of what is printed for a file.
fn import(path: &Path) -> Value {
    let path = path.display().to_string();
    let printed = match asked(&["--json", "--trace", &path, ""]) {
        Ok(printed) => printed,
        Err(refusal) => refusal.json.unwrap_or(refusal.told),
    };
    let mut printed: Value =
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{path}: {error}: {printed}"));
    printed["import"].take()
}

/// Every value of every entry, no key left out, is printed by `headless -- --json --trace FILE ''`.
#[track_caller]
fn all_values_are_printed(folder: &Path) -> usize {
    let expected = expected(folder);
    let mut found = Vec::new();
    for (file, want) in &expected {
        differences(file, want, &import(&folder.join(file)), &mut found);
    }
    assert!(
        found.is_empty(),
        "{} differences in {}:\n{}",
        found.len(),
        folder.display(),
        found.join("\n")
    );
    expected.len()
}

#[test]
fn every_expected_value_of_every_sample_is_printed() {
    assert_eq!(all_values_are_printed(&committed()), 19);
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    if shared.join("expected.json").exists() {
        assert!(all_values_are_printed(&shared) >= 19);
    }
}

#[test]
fn every_value_of_the_expected_tables_is_printed() {
    let text = std::fs::read_to_string(sample("platform/expected-platform.json")).expect("it is committed");
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("JSON");
    assert_eq!(expected.len(), 4);
    let mut found = Vec::new();
    for (file, expect) in &expected {
        let path = sample(&format!("platform/{file}")).display().to_string();
        let printed = answer(&["--json", "--trace", &path, ""]).expect("an answer");
        let printed: Value = serde_json::from_str(&printed).expect("JSON");
        differences(file, expect, &printed["import"], &mut found);
        assert_eq!(printed["tables"][0]["cpus"], printed["import"]);
        assert_eq!(printed["read"][0]["unread"], 0);
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_table_is_the_machine_of_the_links_workload_and_its_counters_are_printed() {
    let dump = sample("platform/arm64-menu-cpuidle-sysfs.txt")
        .display()
        .to_string();
    let printed = answer(&["--json", "--trace", &dump, "w=metronome&a=menu-6.6"]).expect("an answer");
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(
        printed["machine"]["name"],
        "table of arm64-menu-cpuidle-sysfs.txt"
    );
    assert!(
        printed["a"]["periods"]
            .as_u64()
            .is_some_and(|periods| periods > 0)
    );
    let total = &printed["counters"]["a"]["total"];
    let usage = 5010 + 5271 + 2917 + 4620 + 6850 + 1058 + 7564 + 5828 + 1937 + 7027;
    assert_eq!(total["usage"], usage);
    let text = answer(&["--trace", &dump, "--trace", &dump, ""]).expect("an answer");
    assert!(
        text.contains("two dumps, 4 CPUs") && text.contains("unknown: interval"),
        "{text}"
    );
    let twice = answer(&["--trace", &dump, "w=metronome"]).expect("an answer");
    assert!(twice.contains("since boot"), "{twice}");
}
