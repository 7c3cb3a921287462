//! `cargo xtask bench`: speed and size. Figures, not tests.

use crate::shell::{self, Done};
use crate::{page, tools};
use std::collections::BTreeMap;
use std::path::Path;

/// Kinds of measurements.
const KINDS: [&str; 3] = ["native", "ratio", "browser"];

/// Runs the named kinds of measurements or single native benches; without a name, all kinds.
///
/// # Errors
/// A sentence, when an argument is unknown or a measurement cannot run.
pub fn run(args: &[&str]) -> Done {
    let native = native_benches();
    let known = |arg: &str| KINDS.contains(&arg) || native.iter().any(|bench| bench == arg);
    if let Some(unknown) = args.iter().find(|arg| !known(arg)) {
        return Err(format!(
            "xtask bench: unknown kind {unknown}; known are {}, {}",
            KINDS.join(", "),
            native.join(", ")
        ));
    }
    let wanted = if args.is_empty() { &KINDS[..] } else { args };
    for kind in wanted {
        match *kind {
            "native" => shell::step("native benches", shell::cargo().args(["bench", "--benches"]))?,
            "ratio" => ratio()?,
            "browser" => browser()?,
            bench => {
                let mut cargo = shell::cargo();
                cargo.args(["bench", "--bench", bench]);
                shell::step(&format!("native bench {bench}"), &mut cargo)?;
            }
        }
    }
    Ok(())
}

/// The names of `benches/`.
fn native_benches() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(shell::root().join("benches"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// The same pieces of work natively at opt-level 3 and in the browser as the page is built.
fn ratio() -> Done {
    let driver = tools::chromedriver()?;
    let speed = ["--test", "speed", "--", "--nocapture"];
    let mut native = BTreeMap::new();
    let mut tests = shell::cargo();
    // One thread: pieces must not compete with each other.
    tests
        .args(["test", "--release"])
        .args(speed)
        .arg("--test-threads=1");
    shell::step_reading("timing natively, opt-level 3", &mut tests, |line| {
        keep(line, &mut native)
    })?;
    let wasm = in_browser(&driver, None)?;

    println!(
        "{:<24} {:>12} {:>12} {:>7}",
        "least of five rounds", "native ms", "wasm ms", "ratio"
    );
    for (name, native) in &native {
        match wasm.get(name) {
            Some(wasm) => println!("{name:<24} {native:>12.1} {wasm:>12.1} {:>7.2}", wasm / native),
            None => println!("{name:<24} {native:>12.1} {:>12} {:>7}", "-", "-"),
        }
    }
    Ok(())
}

/// The pieces, or those whose name holds a word, in the browser as the page is built: ms by name.
fn in_browser(driver: &Path, only: Option<&str>) -> Result<BTreeMap<String, f64>, String> {
    tools::wasm_target()?;
    tools::wasm_bindgen()?;
    let mut figures = BTreeMap::new();
    let mut tests = shell::cargo();
    tests
        .args(["test", "--profile", "web", "--target", "wasm32-unknown-unknown"])
        .args(["--test", "speed", "--"])
        .args(only)
        .arg("--nocapture")
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            "wasm-bindgen-test-runner",
        )
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .env("CHROMEDRIVER", driver)
        .env("PATH", tools::path());
    shell::step_reading("timing in headless Chromium, profile web", &mut tests, |line| {
        keep(line, &mut figures)
    })?;
    Ok(figures)
}

/// Keeps what `tests/speed` prints: `speed NAME MILLISECONDS`.
fn keep(line: &str, figures: &mut BTreeMap<String, f64>) {
    let mut words = line.split("speed ").nth(1).unwrap_or_default().split_whitespace();
    if let (Some(name), Some(Ok(ms))) = (words.next(), words.next().map(str::parse)) {
        figures.insert(name.to_string(), ms);
    }
}

/// The built page: sizes, first paint, time to figures, frames.
fn browser() -> Done {
    let driver = tools::chromedriver()?;
    page::build(&[])?;
    // `50ms-of-pipe-test-on-2-CPUs`: what is simulated stands in the name.
    for (name, ms) in in_browser(&driver, Some("pipe_test"))? {
        if let Some((simulated, what)) = name.split_once("ms-of-") {
            let simulated: f64 = simulated.parse().unwrap_or_default();
            let what = what.replace("-on-", " on ").replace("-CPUs", " CPUs");
            let label = format!("simulated seconds per second, {what}");
            println!("{label:<46} {:>22.2}", simulated / ms);
        }
    }
    let mut measure = shell::cargo();
    measure
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            "e2e",
            "--bin",
            "measure",
        ])
        .env("CHROMEDRIVER", driver);
    shell::step("measuring the page in headless Chromium", &mut measure)
}
