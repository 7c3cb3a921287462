//! Golden files: what the real kernel code answered, line by line.
//!
//! The folder comes from `IDLESCOPE_GOLDEN`; without it, the committed subset
//! `tests/data/golden` is replayed (how it was cut: `tests/data/golden/README.md`).
//! Each folder inside is claimed by one entry, which replays its files; folders
//! that nobody claims are listed. Run with `--nocapture` to see the figures.

#![allow(
    clippy::unwrap_used,
    reason = "a file that cannot be read is a failure of the test"
)]

mod core;
mod governors;
mod idle_loop;
mod pelt;
mod scheduler;
mod simple;
mod timer_wheel;

use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One file: a header line and one JSON object per further line.
pub struct File {
    text: String,
}

/// The first place where the code and a file disagree.
pub struct Difference {
    /// Counted from 1; the header is line 1.
    pub line: usize,
    /// The field, as a path.
    pub field: String,
    /// What the file says.
    pub expected: String,
    /// What the code says.
    pub found: String,
    /// The steps of the decision, if there is one.
    pub steps: Vec<String>,
}

/// Replays one file and counts its lines after the header.
pub type Replay = Box<dyn Fn(&File) -> Result<usize, Difference>>;

/// How the files of one folder are replayed.
pub struct Claim {
    /// Relative to the golden folder, such as `teo/v6.5`.
    pub folder: String,
    /// Which entry answers for it.
    pub by: String,
    /// How.
    pub replay: Replay,
}

impl File {
    /// Unpacks a file.
    pub fn read(path: &Path) -> Self {
        let gz = fs::File::open(path).unwrap();
        let mut text = String::new();
        GzDecoder::new(gz).read_to_string(&mut text).unwrap();
        Self { text }
    }

    /// The first line.
    pub fn header<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(self.text.lines().next().unwrap()).unwrap()
    }

    /// The further lines with their numbers, counted from 1 with the header.
    pub fn rows<T: DeserializeOwned>(&self) -> impl Iterator<Item = (usize, T)> + '_ {
        (1..)
            .zip(self.text.lines())
            .skip(1)
            .map(|(number, line)| (number, serde_json::from_str(line).unwrap()))
    }
}

impl Difference {
    /// Nothing if the two are equal.
    pub fn check<T: PartialEq + fmt::Debug>(
        line: usize,
        field: &str,
        expected: &T,
        found: &T,
    ) -> Result<(), Self> {
        if expected == found {
            return Ok(());
        }
        Err(Self {
            line,
            field: field.to_owned(),
            expected: format!("{expected:?}"),
            found: format!("{found:?}"),
            steps: Vec::new(),
        })
    }

    /// Compares two objects key by key; keys of either side count.
    pub fn check_object(line: usize, path: &str, expected: &Value, found: &Value) -> Result<(), Self> {
        let (Value::Object(of_file), Value::Object(of_code)) = (expected, found) else {
            return Self::check(line, path, expected, found);
        };
        for key in of_file.keys().chain(of_code.keys()) {
            Self::check(
                line,
                &format!("{path}.{key}"),
                &of_file.get(key),
                &of_code.get(key),
            )?;
        }
        Ok(())
    }
}

/// Every claim. Other kinds of vectors join here.
fn claims() -> Vec<Claim> {
    [
        governors::claims(),
        core::claims(),
        idle_loop::claims(),
        pelt::claims(),
        scheduler::claims(),
        simple::claims(),
        timer_wheel::claims(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Files of one kind of folder, sorted.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Replays one folder: files and lines, or a report of the first difference.
fn replay(root: &Path, claim: &Claim) -> Result<(usize, usize), String> {
    let mut lines = 0;
    let files = sorted(&root.join(&claim.folder));
    for path in &files {
        lines += (claim.replay)(&File::read(path)).map_err(|difference| {
            format!(
                "{}/{}, line {}, {}: the file says {}, {} says {}\n{}",
                claim.folder,
                name(path),
                difference.line,
                difference.field,
                difference.expected,
                claim.by,
                difference.found,
                difference.steps.join("\n"),
            )
        })?;
    }
    Ok((files.len(), lines))
}

/// Folders with files that no claim covers.
fn unclaimed(root: &Path, claims: &[Claim]) -> Vec<String> {
    sorted(root)
        .iter()
        .filter(|path| path.is_dir())
        .flat_map(|kind| sorted(kind))
        .filter(|path| path.is_dir())
        .map(|path| format!("{}/{}", name(path.parent().unwrap()), name(&path)))
        .filter(|folder| !claims.iter().any(|claim| claim.folder == *folder))
        .collect()
}

#[test]
fn every_line_of_every_claimed_file_is_reproduced() {
    let given = std::env::var_os("IDLESCOPE_GOLDEN").map(PathBuf::from);
    let committed = given.is_none();
    let root = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden"));
    println!("golden files in {}", root.display());

    let claims = claims();
    let mut all_lines = 0;
    let mut failures = Vec::new();
    for claim in &claims {
        match replay(&root, claim) {
            Ok((0, _)) if committed => failures.push(format!("{}: no file for {}", claim.folder, claim.by)),
            Ok((files, lines)) => {
                println!(
                    "{:28} {:20} {files:3} files {lines:6} lines",
                    claim.folder, claim.by
                );
                all_lines += lines;
            }
            Err(report) => failures.push(report),
        }
    }
    for folder in unclaimed(&root, &claims) {
        println!("{folder:28} (claimed by no entry)");
        // The full set holds versions still to come; what is committed here is for an entry.
        if committed {
            failures.push(format!("{folder}: committed, but claimed by no entry"));
        }
    }
    println!("{all_lines} lines replayed");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(all_lines > 0, "nothing was replayed from {}", root.display());
}
