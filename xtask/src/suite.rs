//! `cargo xtask test`: every kind of test, then one line that counts them.

use crate::shell::{self, Done};
use crate::{page, tools};
use std::process::Command;

#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Count {
    /// Adds what one line of a test run says, if it is a closing line.
    fn see(&mut self, line: &str) {
        let Some((_, counts)) = line
            .split_once("test result: ")
            .and_then(|(_, rest)| rest.split_once(". "))
        else {
            return;
        };
        for part in counts.split(';') {
            let mut words = part.split_whitespace();
            let number = words.next().and_then(|n| n.parse().ok()).unwrap_or(0);
            match words.next() {
                Some("passed") => self.passed += number,
                Some("failed") => self.failed += number,
                Some("ignored") => self.skipped += number,
                _ => {}
            }
        }
    }
}

/// Runs the named kinds of tests, or all.
///
/// # Errors
/// A sentence, when an argument is unknown or anything failed.
pub fn run(args: &[&str]) -> Done {
    let all = ["native", "fuzz", "wasm", "e2e"];
    if let Some(unknown) = args.iter().find(|arg| !all.contains(arg)) {
        return Err(format!(
            "xtask test: unknown kind {unknown}; known are {}",
            all.join(", ")
        ));
    }
    let mut count = Count::default();
    let mut broken = Vec::new();
    for kind in all.iter().filter(|kind| args.is_empty() || args.contains(kind)) {
        let failed_before = count.failed;
        let done = match *kind {
            "native" => native(&mut count),
            "fuzz" => fuzz(),
            "wasm" => wasm(&mut count),
            _ => e2e(&mut count),
        };
        if let Err(message) = done {
            eprintln!("{message}");
            // What could not even run must not look like a smaller success.
            if count.failed == failed_before {
                count.failed += 1;
            }
            broken.push(*kind);
        }
    }
    println!(
        "{} passed, {} failed, {} skipped",
        count.passed, count.failed, count.skipped
    );
    // Fuzzing counts no tests.
    let ran = count.passed > 0 || args == ["fuzz"];
    if broken.is_empty() && count.failed == 0 && ran {
        Ok(())
    } else {
        Err(format!("xtask test: failed: {}", broken.join(", ")))
    }
}

/// Units, golden vectors, laws and documentation examples; the library and xtask.
fn native(count: &mut Count) -> Done {
    let mut tests = shell::cargo();
    tests.args(["test", "--no-fail-fast", "--workspace", "--exclude", "e2e"]);
    counted("native tests", &mut tests, count)
}

/// Seconds of fuzzing in all, once the targets are built.
const FUZZ_SECONDS: u32 = 25;

/// Every fuzz target for a bounded time, where a nightly toolchain and cargo-fuzz are; elsewhere a sentence says so.
/// The same property is a test on stable Rust in any case (`tests/it/readers/laws.rs`).
fn fuzz() -> Done {
    let have = |args: &[&str]| {
        let asked = Command::new("cargo").args(args).output();
        asked.is_ok_and(|output| output.status.success())
    };
    if !have(&["+nightly", "fuzz", "--version"]) {
        println!(
            "not fuzzed: needs a nightly toolchain and cargo-fuzz (rustup toolchain install nightly; cargo install cargo-fuzz)"
        );
        return Ok(());
    }
    // What is found goes below target/, so that the committed corpus stays as it is.
    let found = shell::root().join("target/fuzz");
    let (corpus, artifacts) = (found.join("corpus"), found.join("artifacts"));
    for folder in [&corpus, &artifacts] {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut run = shell::command("cargo");
    run.args(["+nightly", "fuzz", "run", "--fuzz-dir", "tests/fuzz", "reader"])
        .arg(&corpus)
        .arg("tests/fuzz/corpus/reader")
        .arg("--")
        .arg(format!("-max_total_time={FUZZ_SECONDS}"))
        .args(["-timeout=10", "-rss_limit_mb=2048"])
        .arg(format!("-artifact_prefix={}/", artifacts.display()));
    shell::step("fuzzing the readers", &mut run)
}

/// The library compiled for the browser, in headless Chromium.
fn wasm(count: &mut Count) -> Done {
    tools::wasm_target()?;
    tools::wasm_bindgen()?;
    let driver = tools::chromedriver()?;
    let mut tests = shell::cargo();
    tests
        .args(["test", "--target", "wasm32-unknown-unknown", "--test", "wasm"])
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            "wasm-bindgen-test-runner",
        )
        .env("CHROMEDRIVER", driver)
        .env("PATH", tools::path());
    counted("wasm tests in headless Chromium", &mut tests, count)
}

/// The built page, used as a person would, in headless Chromium.
fn e2e(count: &mut Count) -> Done {
    let driver = tools::chromedriver()?;
    page::build(&[])?;
    let mut tests = shell::cargo();
    tests
        .args(["test", "--no-fail-fast", "--package", "e2e"])
        .env("CHROMEDRIVER", driver);
    match tools::axe() {
        Some(file) => tests.env("IDLESCOPE_AXE", file),
        None => tests.env_remove("IDLESCOPE_AXE"),
    };
    counted("end-to-end tests in headless Chromium", &mut tests, count)
}

fn counted(what: &str, tests: &mut Command, count: &mut Count) -> Done {
    shell::step_reading(what, tests, |line| count.see(line))
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[track_caller]
    fn check(line: &str, expect: [u64; 3]) {
        let mut count = Count::default();
        count.see(line);
        assert_eq!([count.passed, count.failed, count.skipped], expect, "{line}");
    }

    #[test]
    fn closing_lines_are_counted_and_others_are_not() {
        check(
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 9 filtered out; finished in 0.1s",
            [3, 0, 1],
        );
        check(
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
            [3, 2, 0],
        );
        check("test result_of_something ... ok", [0; 3]);
        check("running 3 tests", [0; 3]);
    }
}
