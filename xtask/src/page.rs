//! Building and serving the page with Trunk.

use crate::shell::{self, Done};
use crate::tools;
use std::process::Command;

/// `cargo xtask build [--dev]`: the page into `dist/`.
///
/// # Errors
/// A sentence, when an argument is unknown, a tool cannot be installed or the build fails.
pub fn build(args: &[&str]) -> Done {
    let dev = match args {
        [] => false,
        ["--dev"] => true,
        _ => {
            return Err(format!(
                "xtask build: unknown arguments {args:?}; only --dev is known"
            ));
        }
    };
    let mut trunk = trunk("build", dev)?;
    shell::step(
        if dev {
            "building the page (dev)"
        } else {
            "building the page (release)"
        },
        &mut trunk,
    )
}

/// `cargo xtask serve [--dev] [--port N]`: the page on localhost, until interrupted.
///
/// # Errors
/// A sentence, when an argument is unknown, a tool cannot be installed or Trunk fails.
pub fn serve(args: &[&str]) -> Done {
    let mut dev = false;
    let mut port = 8080_u16;
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "--dev" => dev = true,
            "--port" => {
                port = args
                    .next()
                    .and_then(|n| n.parse().ok())
                    .ok_or("xtask serve: --port needs a number from 0 to 65535")?;
            }
            _ => {
                return Err(format!(
                    "xtask serve: unknown argument {arg}; known are --dev and --port N"
                ));
            }
        }
    }
    let mut trunk = trunk("serve", dev)?;
    trunk.args(["--address", "127.0.0.1", "--port", &port.to_string()]);
    if !dev {
        // A release build takes too long to start one at every saved file.
        trunk.args(["--no-autoreload", "true", "--watch", "index.html"]);
    }
    eprintln!("xtask: the page will be at http://127.0.0.1:{port}/ (stop with Ctrl-C)");
    shell::step("building and serving the page", &mut trunk)
}

fn trunk(verb: &str, dev: bool) -> Done<Command> {
    tools::wasm_target()?;
    tools::wasm_bindgen()?;
    tools::trunk()?;
    let mut trunk = shell::command("trunk");
    trunk
        .arg(verb)
        .env("PATH", tools::path())
        .env("TRUNK_SKIP_VERSION_CHECK", "true");
    // Trunk reads NO_COLOR as a boolean and stops at the "1" that many set.
    trunk.env_remove("NO_COLOR");
    if !dev {
        // Trunk runs wasm-opt exactly when `--release` is given; the cargo profile is ours either way.
        let release = if tools::wasm_opt() { "true" } else { "false" };
        trunk.args(["--cargo-profile", "web", "--release", release]);
    }
    Ok(trunk)
}
