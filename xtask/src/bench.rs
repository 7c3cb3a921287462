//! `cargo xtask bench`: speed and size. Figures, not tests.

use crate::shell::{self, Done};

/// Runs the named kinds of measurements, or all.
///
/// # Errors
/// A sentence, when an argument is unknown or a measurement cannot run.
pub fn run(args: &[&str]) -> Done {
    let all = ["native"];
    if let Some(unknown) = args.iter().find(|arg| !all.contains(arg)) {
        return Err(format!(
            "xtask bench: unknown kind {unknown}; known are {}",
            all.join(", ")
        ));
    }
    shell::step("native benches", shell::cargo().arg("bench"))
}
