//! Tables as lists: `cpupower idle-info` and `pepc cstates info`.

use super::{Desk, Form, Place, TablesError};

/// cpupower's words, and the sysfs attribute that each prints.
const WORDS: [(&str, &str); 5] = [
    ("Flags/Description", "desc"),
    ("Latency", "latency"),
    ("Residency", "residency"),
    ("Usage", "usage"),
    ("Duration", "time"),
];

/// pepc's words.
const PEPC: [(&str, &str); 2] = [("expected latency", "latency"), ("target residency", "residency")];

pub(super) fn is_line(line: &str) -> bool {
    line.starts_with("CPUidle driver:")
        || line.starts_with("Available idle states:")
        || pepc_name(line).is_some()
}

pub(super) fn read(lines: &[String], desk: &mut Desk) -> Result<(), TablesError> {
    let form = if lines.iter().any(|line| pepc_name(line).is_some()) {
        Form::Pepc
    } else {
        Form::IdleInfo
    };
    let (mut cpu, mut next, mut none) = (None, 0_u8, None);
    let mut place = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        let (key, value) = text
            .split_once(':')
            .map_or((text, ""), |(key, value)| (key.trim(), value.trim()));
        let words = WORDS.iter().chain(&PEPC);
        let understood = if text.is_empty()
            || matches!(key, "Number of idle states" | "Available idle states")
        {
            true
        } else if let Some((name, on)) = pepc_name(line) {
            let here = Place {
                cpu: None,
                state: next,
            };
            place = Some(here);
            next = next.saturating_add(1);
            desk.put(form, here, "name", name) && desk.put(form, here, "disable", if on { "0" } else { "1" })
        } else if key == "CPUidle driver" || key == "CPUidle governor" {
            // cpupower prints the pair once, in front of everything: a second driver is a second run.
            let second =
                key == "CPUidle driver" && desk.sheets.last().is_some_and(|sheet| sheet.driver.is_some());
            if second && !desk.begin(form) {
                false
            } else if let Some(sheet) = desk.sheet(form) {
                let field = if key == "CPUidle driver" {
                    &mut sheet.driver
                } else {
                    &mut sheet.governor
                };
                *field = Some(value.to_owned());
                true
            } else {
                false
            }
        } else if let Some(number) = key.strip_prefix("analyzing CPU ") {
            (cpu, next, place) = (number.parse().ok(), 0, None);
            cpu.is_some()
        } else if value == "No idle states" {
            none = none.or(Some(at));
            true
        } else if let Some((_, name)) = words.clone().find(|(word, _)| *word == key) {
            let value = value.strip_suffix(" us").unwrap_or(value);
            place.is_some_and(|place| desk.put(form, place, name, value))
        } else if form == Form::IdleInfo && cpu.is_some() && value.is_empty() && text.ends_with(':') {
            let here = Place { cpu, state: next };
            place = Some(here);
            next = next.saturating_add(1);
            desk.put(form, here, "name", key)
        } else {
            false
        };
        if !understood {
            desk.unread(at);
        }
    }
    match none {
        Some(at) if desk.sheets.iter().all(|sheet| sheet.cpus.is_empty()) => Err(TablesError::NoDriver {
            line: u64::try_from(at).map_or(u64::MAX, |at| at.saturating_add(1)),
            driver: desk
                .sheets
                .iter()
                .find_map(|sheet| sheet.driver.clone())
                .unwrap_or_else(|| "unknown".to_owned()),
        }),
        _ => Ok(()),
    }
}

/// ` - C6: 'on' for CPUs 0-87`.
fn pepc_name(line: &str) -> Option<(&str, bool)> {
    let (name, rest) = line.trim().strip_prefix("- ")?.split_once(": '")?;
    let (status, _) = rest.split_once("' for CPU")?;
    match status {
        "on" => Some((name, true)),
        "off" => Some((name, false)),
        _ => None,
    }
}
