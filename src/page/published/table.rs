//! The findings as of this version: a committed table, which a test compares with what the experiments give.
//!
//! One line a finding, tab separated: experiment, criterion, what is compared, published, ours, least, most, link, and
//! why it is not met, if it is not. A dash stands for an end that is open.

use super::Finding;

/// The table. Written by `IDLESCOPE_BLESS=1 cargo test --release --test it published`.
const TABLE: &str = include_str!("results.txt");

/// An experiment and its findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// What it found.
    pub findings: Vec<Finding>,
}

/// All of them, in order.
#[must_use]
pub fn results() -> Vec<Experiment> {
    let mut all: Vec<Experiment> = Vec::new();
    for (name, finding) in TABLE.lines().filter_map(read) {
        match all.last_mut().filter(|last| last.name == name) {
            Some(last) => last.findings.push(finding),
            None => all.push(Experiment {
                name: name.to_owned(),
                findings: vec![finding],
            }),
        }
    }
    all
}

fn read(line: &'static str) -> Option<(&'static str, Finding)> {
    let mut fields = line.split('\t');
    let mut field = || fields.next();
    let (name, id, what, published) = (field()?, field()?, field()?, field()?);
    let ours = field()?.parse().ok()?;
    let least = end(field()?, f64::MIN)?;
    let most = end(field()?, f64::MAX)?;
    let finding = Finding {
        id,
        what: what.to_owned(),
        published: published.to_owned(),
        ours,
        range: (least, most),
        link: field()?.to_owned(),
        reason: field()?.to_owned(),
    };
    Some((name, finding))
}

fn end(text: &str, open: f64) -> Option<f64> {
    if text == "-" {
        Some(open)
    } else {
        text.parse().ok()
    }
}

/// The lines of one experiment's findings.
#[must_use]
pub fn lines(name: &str, findings: &[Finding]) -> String {
    let end = |value: f64| {
        if value.abs() >= f64::MAX {
            "-".to_owned()
        } else {
            value.to_string()
        }
    };
    findings
        .iter()
        .map(|finding| {
            format!(
                "{name}\t{}\t{}\t{}\t{:.3}\t{}\t{}\t{}\t{}\n",
                finding.id,
                finding.what,
                finding.published,
                finding.ours,
                end(finding.range.0),
                end(finding.range.1),
                finding.link,
                finding.reason
            )
        })
        .collect()
}

/// The lines of one experiment in the committed table.
#[must_use]
pub fn committed(name: &str) -> String {
    let of = |line: &&str| line.split('\t').next() == Some(name);
    TABLE.lines().filter(of).map(|line| format!("{line}\n")).collect()
}
