//! What the commands need beside cargo, and how it is installed: by name, with rustup, cargo, npm or apt.
//!
//! Each function returns at once when the thing is there.
//! A tool of another version on the search path is left alone; ours then goes to `target/tools`.

use crate::shell::{self, Done};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The newest that this Rust version builds; 0.22 asks for a later one.
const TRUNK: &str = "0.21.14";
/// The same version as the crate in `Cargo.toml`: the two must agree exactly.
const WASM_BINDGEN: &str = "0.2.130";
/// wasm-opt. Distributions' older ones reject what wasm-bindgen writes.
const BINARYEN: &str = "132.0.0";
/// The accessibility checks of the end-to-end tests.
const AXE: &str = "4.14.1";

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Makes sure that rustc can compile for the browser.
///
/// # Errors
/// A sentence, when the target is missing and rustup cannot add it.
pub fn wasm_target() -> Done {
    let sysroot = shell::ask("rustc", &["--print", "sysroot"]).unwrap_or_default();
    if PathBuf::from(sysroot)
        .join("lib/rustlib")
        .join(WASM_TARGET)
        .join("lib")
        .is_dir()
    {
        return Ok(());
    }
    if shell::find("rustup").is_none() {
        return Err(format!(
            "xtask: this Rust has no target {WASM_TARGET} and rustup is not here to add it; \
             install Rust with rustup"
        ));
    }
    shell::step(
        &format!("adding the Rust target {WASM_TARGET}"),
        shell::command("rustup").args(["target", "add", WASM_TARGET]),
    )
}

/// Makes sure that Trunk is there.
///
/// # Errors
/// A sentence, when it has to be installed and that fails.
pub fn trunk() -> Done {
    // `--locked`: its own lock file builds; newer dependencies may not.
    cargo_tool("trunk", "trunk", TRUNK, &["--locked"], "5 minutes")
}

/// Makes sure that the wasm-bindgen program and its test runner are there.
///
/// # Errors
/// A sentence, when they have to be installed and that fails.
pub fn wasm_bindgen() -> Done {
    // Not `--locked`: its lock file may name versions that a registry mirror does not have yet.
    cargo_tool("wasm-bindgen", "wasm-bindgen-cli", WASM_BINDGEN, &[], "2 minutes")
}

fn cargo_tool(program: &str, package: &str, version: &str, args: &[&str], takes: &str) -> Done {
    let found = version_of(program);
    if found.as_deref() == Some(version) {
        return Ok(());
    }
    let mut install = shell::cargo();
    install
        .args(["install", package, "--version", version, "--quiet"])
        .args(args);
    if let Some(other) = found {
        eprintln!("xtask: {program} {other} is on the path, {version} is needed: it goes to target/tools");
        install.arg("--root").arg(local_tools());
    }
    // Their own release profiles optimise for minutes what runs for seconds here.
    install
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env_remove("CARGO_TARGET_DIR");
    shell::step(
        &format!("installing {package} {version} with cargo, once, up to {takes}"),
        &mut install,
    )
}

fn version_of(program: &str) -> Option<String> {
    let out = shell::command(program)
        .arg("--version")
        .env("PATH", path())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8_lossy(&out.stdout)
        .split_whitespace()
        .nth(1)
        .map(str::to_string)
}

/// Makes sure that wasm-opt is there; `false`, after saying so, when npm is not.
pub fn wasm_opt() -> bool {
    npm_package(
        "binaryen",
        BINARYEN,
        "the page is built without wasm-opt: larger, equally right",
    )
}

/// The file of the accessibility checker axe-core; `None`, after saying so, when npm is not there.
pub fn axe() -> Option<PathBuf> {
    npm_package(
        "axe-core",
        AXE,
        "the accessibility checks with axe-core are skipped",
    )
    .then(|| node_modules().join("axe-core/axe.min.js"))
}

fn npm_package(name: &str, version: &str, without: &str) -> bool {
    let manifest = node_modules().join(name).join("package.json");
    let wanted = format!("\"version\": \"{version}\"");
    if std::fs::read_to_string(&manifest).is_ok_and(|text| text.contains(&wanted)) {
        return true;
    }
    if shell::find("npm").is_none() {
        eprintln!("xtask: npm is not installed, so {without}");
        return false;
    }
    let mut install = shell::command("npm");
    install
        .args([
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error",
        ])
        .arg("--prefix")
        .arg(local_tools())
        .args(NPM_PACKAGES.map(|(name, version)| format!("{name}@{version}")))
        .stdout(Stdio::null());
    match std::fs::create_dir_all(local_tools())
        .map_err(|e| e.to_string())
        .and_then(|()| {
            shell::step(
                &format!("installing {name} {version} with npm, once"),
                &mut install,
            )
        }) {
        Ok(()) => true,
        Err(message) => {
            eprintln!("{message}; {without}");
            false
        }
    }
}

/// All of them at once: `npm install --no-save` removes what it is not told of.
const NPM_PACKAGES: [(&str, &str); 2] = [("binaryen", BINARYEN), ("axe-core", AXE)];

/// Makes sure that Chromium and its driver are there, and returns the driver.
///
/// # Errors
/// A sentence that names what to install, where apt or the right to use it is missing.
pub fn chromedriver() -> Done<PathBuf> {
    if let Some(driver) = driver_here() {
        return Ok(driver);
    }
    let root = shell::ask("id", &["-u"]).as_deref() == Some("0");
    if shell::find("apt-get").is_none() || !root {
        return Err("xtask: chromedriver was not found; install Chromium or Chrome with its driver \
                    (Debian: apt-get install chromium chromium-driver, as root) or name the driver in CHROMEDRIVER"
            .to_string());
    }
    shell::step("updating apt's package lists", apt().arg("update"))?;
    shell::step(
        "installing chromium and chromium-driver with apt, once",
        apt().args([
            "install",
            "-y",
            "--no-install-recommends",
            "chromium",
            "chromium-driver",
        ]),
    )?;
    driver_here()
        .ok_or_else(|| "xtask: chromium-driver was installed but chromedriver is not on the path".into())
}

fn driver_here() -> Option<PathBuf> {
    match std::env::var_os("CHROMEDRIVER") {
        Some(named) => Some(PathBuf::from(named)),
        None => shell::find("chromedriver"),
    }
}

fn apt() -> Command {
    let mut command = shell::command("apt-get");
    command
        .arg("-qq")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// The search path with our own tools in front, and cargo's at the end if they were not on it.
pub fn path() -> OsString {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let ours = [local_tools().join("bin"), node_modules().join(".bin")];
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let all = ours
        .into_iter()
        .chain(std::env::split_paths(&inherited))
        .chain(home.map(|home| home.join("bin")));
    std::env::join_paths(all).unwrap_or(inherited)
}

fn local_tools() -> PathBuf {
    shell::target_dir().join("tools")
}

fn node_modules() -> PathBuf {
    local_tools().join("node_modules")
}
