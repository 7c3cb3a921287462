//! The headless example prints what the session answers, which is what the page shows.

use std::path::{Path, PathBuf};

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
    let doc = link::parse(fragment).0.doc;
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
