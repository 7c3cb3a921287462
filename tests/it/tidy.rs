//! The shape of the tree (style.md §2), read from its files.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Who may import what, besides `units` and `probe`. What is not here may import everything.
const ARROWS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("probe", &[]),
    ("cpuidle", &[]),
    ("tick", &[]),
    ("trace", &[]),
    ("sim", &["cpuidle", "tick"]),
    ("workload", &["sim", "trace"]),
    ("energy", &["cpuidle", "sim"]),
    ("analysis", &["cpuidle", "sim", "energy"]),
    (
        "page",
        &[
            "cpuidle", "tick", "sim", "trace", "workload", "energy", "analysis",
        ],
    ),
];

/// Crates and clocks that belong to layer 8 alone.
const WEB: &[&str] = &[
    "yew",
    "gloo",
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "serde_wasm_bindgen",
];

/// Clocks and foreign randomness, which nothing that decides may read.
const UNSEEDED: &[&str] = &["Instant", "SystemTime", "thread_rng", "getrandom", "RandomState"];

/// Longer than this, a file holds more than one idea.
const MOST_LINES: usize = 800;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below these folders, with its path from the root.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .expect("a folder can be listed")
                    .flatten()
                    .map(|entry| entry.path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path
                .strip_prefix(root())
                .expect("it is below the root")
                .to_string_lossy()
                .replace('\\', "/");
            found.push((name, fs::read_to_string(&path).expect("sources are text")));
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no source in {folders:?}");
    found
}

/// The file without comments and string contents: what is left are names that the compiler sees.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        let mut quoted = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if quoted => {
                    chars.next();
                }
                // The character '"' opens no string.
                '\'' if !quoted && chars.peek() == Some(&'"') => {
                    chars.next();
                }
                '"' => quoted = !quoted,
                '/' if !quoted && chars.peek() == Some(&'/') => break,
                _ if !quoted => code.push(c),
                _ => {}
            }
        }
        code.push('\n');
    }
    code
}

/// The modules right below the crate's root that `code` names, as `crate::a::…` or `crate::{a, b::…}`.
fn imports(code: &str) -> BTreeSet<String> {
    let word = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut found = BTreeSet::new();
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut fresh = true;
        for (n, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => fresh = true,
                _ if fresh && !c.is_whitespace() => {
                    found.insert(word(&group[n..]));
                    fresh = false;
                }
                _ => {}
            }
        }
    }
    found.remove("");
    found
}

fn names(code: &str, wanted: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == wanted)
}

/// `src/LAYER/…` or `src/LAYER.rs`.
fn layer(path: &str) -> &str {
    let below = path.strip_prefix("src/").unwrap_or(path);
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

#[test]
fn arrows_point_only_where_style_allows() {
    let mut wrong = Vec::new();
    for (path, text) in sources(&["src"]) {
        let from = layer(&path);
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == from) else {
            continue;
        };
        for to in imports(&code(&text)) {
            let fine = to == from || to == "units" || to == "probe" || allowed.contains(&to.as_str());
            if !fine {
                wrong.push(format!("{path}: {from} may not import {to}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_layer_has_its_arrows_written_down() {
    for (path, _) in sources(&["src"]) {
        let known = ["lib", "app", "bin"].contains(&layer(&path));
        assert!(
            known || ARROWS.iter().any(|(name, _)| *name == layer(&path)),
            "{path}: which layer is it of?"
        );
    }
}

#[test]
fn only_the_app_names_web_crates_and_nothing_reads_a_clock() {
    let mut wrong = Vec::new();
    for (path, text) in sources(&["src"]) {
        if ["app", "bin"].contains(&layer(&path)) {
            continue;
        }
        let code = code(&text);
        let forbidden = WEB.iter().chain(UNSEEDED);
        wrong.extend(
            forbidden
                .filter(|name| names(&code, name))
                .map(|name| format!("{path}: names {name}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_engine_knows_no_family() {
    for (path, text) in sources(&["src/sim"]) {
        // The one place where each family's steps become the common ones.
        if path == "src/sim/steps.rs" {
            continue;
        }
        let code = code(&text);
        for family in ["teo", "menu", "Family"] {
            assert!(!names(&code, family), "{path}: names {family}");
        }
    }
}

#[test]
fn files_stay_under_800_lines() {
    for (path, text) in sources(&["src", "tests", "benches", "examples", "xtask"]) {
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{path}: {lines} lines");
    }
}

#[test]
fn what_is_left_to_do_has_a_name() {
    // Put together here, so that this file does not find itself.
    let mark = ["TO", "DO"].concat();
    for (path, text) in sources(&["src", "tests", "benches", "examples", "xtask"]) {
        for (n, line) in text.lines().enumerate() {
            let named = line.contains(&format!("{mark}("));
            assert!(!line.contains(&mark) || named, "{path}:{}: {line}", n + 1);
        }
    }
}

#[test]
fn imports_are_read_from_paths_groups_and_nested_groups() {
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found = imports(&code(text));
        assert_eq!(
            found.iter().map(String::as_str).collect::<Vec<_>>(),
            expect,
            "{text}"
        );
    }
    check("use crate::units::Ns;", &["units"]);
    check(
        "use crate::{cpuidle, tick::{self, nohz}, units::Ns};",
        &["cpuidle", "tick", "units"],
    );
    check("use crate::{\n    sim,\n    trace::event,\n};", &["sim", "trace"]);
    check("let x = crate::energy::Model;", &["energy"]);
    check("// use crate::page;\nlet s = \"crate::app\";", &[]);
    check("use super::state;", &[]);
}

#[test]
fn the_top_level_holds_what_style_names() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "src",
        "index.html",
        "Trunk.toml",
        "static",
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "tests",
        "benches",
        "examples",
        "xtask",
        "rust-toolchain.toml",
        "rustfmt.toml",
        "clippy.toml",
        "target",
        "dist",
    ];
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        // Hidden ones are an editor's or git's own affair.
        assert!(
            name.starts_with('.') || allowed.contains(&name.as_str()),
            "{name} is not in style.md §2"
        );
    }
}
