//! Running other programs, with one line before and one after.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a command leaves behind: nothing, or one sentence for the person at the terminal.
pub type Done<T = ()> = Result<T, String>;

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo's target directory, where everything that can be made again is kept.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A command that runs in the repository's root.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs us, without what it put into the environment for us alone.
pub fn cargo() -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&key);
        }
    }
    command
}

/// Runs `command`, says `what` before and the time after.
///
/// # Errors
/// A sentence, when the program cannot be started or ends with another code than 0.
pub fn step(what: &str, command: &mut Command) -> Done {
    eprintln!("xtask: {what} ...");
    let start = Instant::now();
    let status = command
        .status()
        .map_err(|e| format!("xtask: {what}: cannot start {command:?}: {e}"))?;
    if !status.success() {
        return Err(format!("xtask: {what}: failed with {status}"));
    }
    eprintln!("xtask: {what}: {}", seconds(start));
    Ok(())
}

/// Runs `command` like [`step`], passing every line of its standard output on and to `see`.
///
/// # Errors
/// As [`step`].
pub fn step_reading(what: &str, command: &mut Command, mut see: impl FnMut(&str)) -> Done {
    eprintln!("xtask: {what} ...");
    let start = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("xtask: {what}: cannot start {command:?}: {e}"))?;
    if let Some(out) = child.stdout.take() {
        // Bytes, not `lines()`: a test may print what is not UTF-8.
        for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            see(&line);
        }
    }
    let status = child.wait().map_err(|e| format!("xtask: {what}: {e}"))?;
    if !status.success() {
        return Err(format!("xtask: {what}: failed with {status}"));
    }
    eprintln!("xtask: {what}: {}", seconds(start));
    Ok(())
}

/// The standard output of a program that asks something, `None` when it is missing or fails.
pub fn ask(program: &str, args: &[&str]) -> Option<String> {
    let out = command(program)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).trim().to_string())
}

/// Where `program` is on the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| [dir.join(program), dir.join(format!("{program}.exe"))])
        .find(|file| file.is_file())
}

fn seconds(start: Instant) -> String {
    format!("{:.1} s", start.elapsed().as_secs_f64())
}
