//! sysfs attributes: `path:value` of `grep`, `==> path <==` of `head`, and values alone of `cat`.

use super::{Desk, Form, Place};

/// What a path names.
enum Named<'a> {
    State(Place, &'a str),
    Driver,
    Governor,
    /// Known, and of no use here: suspend counters, lists of governors.
    Other,
}

/// Whether a line has the form that only such a dump has.
pub(super) fn is_line(line: &str) -> bool {
    path_and_value(line).is_some_and(|(path, _)| matches!(named(path), Some(Named::State(..))))
        || headed(line).is_some_and(|path| matches!(named(path), Some(Named::State(..))))
}

/// Lines at least so long may have been wrapped by a mail program.
const WRAPPED: usize = 50;

/// Puts the second half of a wrapped description back behind the first, and a value behind its name; the line
/// where it stood is empty then.
fn unwrapped(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for at in 1..lines.len() {
        let (Some(head), Some(tail)) = (lines.get(at - 1), lines.get(at)) else {
            break;
        };
        let begun = path_and_value(head).filter(|(path, _)| matches!(named(path), Some(Named::State(..))));
        let open = begun.is_some_and(|(path, value)| {
            value.is_empty()
                || (head.len() >= WRAPPED && (path.ends_with("/desc") || path.ends_with("/name")))
        });
        let is_tail = !tail.trim().is_empty() && path_and_value(tail).is_none() && headed(tail).is_none();
        if open && is_tail {
            let whole = format!("{} {}", head.trim_end(), tail.trim());
            lines.splice(at - 1..=at, [whole, String::new()]);
        }
    }
    lines
}

pub(super) fn read(lines: &[String], desk: &mut Desk) {
    let lines = unwrapped(lines);
    let mut pending: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let understood = if let Some(path) = headed(line) {
            if let Some((before, _)) = pending.replace((at, path)) {
                desk.unread(before);
            }
            true
        } else if let Some((_, path)) = pending.take() {
            set(desk, path, line.trim())
        } else {
            path_and_value(line).is_some_and(|(path, value)| set(desk, path, value))
        };
        if !understood {
            desk.unread(at);
        }
    }
    if let Some((at, _)) = pending {
        desk.unread(at);
    }
}

fn set(desk: &mut Desk, path: &str, value: &str) -> bool {
    match named(path) {
        Some(Named::State(place, key)) => {
            if desk.has(place, key) && !desk.begin(Form::Sysfs) {
                return false;
            }
            desk.put(Form::Sysfs, place, key, value)
        }
        Some(Named::Driver) => desk
            .sheet(Form::Sysfs)
            .is_some_and(|sheet| sheet.driver.replace(value.to_owned()).is_none()),
        Some(Named::Governor) => desk.sheet(Form::Sysfs).is_some_and(|sheet| {
            sheet.governor = Some(value.to_owned());
            true
        }),
        Some(Named::Other) => true,
        None => false,
    }
}

fn headed(line: &str) -> Option<&str> {
    line.trim().strip_prefix("==> ")?.strip_suffix(" <==")
}

/// Splits at the colon behind the attribute; a prefix may hold colons of its own.
fn path_and_value(line: &str) -> Option<(&str, &str)> {
    let is_numbered = |at: &usize| {
        let digit = line.as_bytes().get(at + "state".len());
        digit.is_some_and(u8::is_ascii_digit)
    };
    let numbered = line.match_indices("state").map(|(at, _)| at).find(is_numbered);
    let slash = numbered.or_else(|| line.find("cpuidle/"))?;
    let colon = slash + line.get(slash..)?.find(':')?;
    Some((line.get(..colon)?.trim(), line.get(colon + 1..)?.trim()))
}

fn named(path: &str) -> Option<Named<'_>> {
    let mut parts = path.rsplit('/');
    let key = parts.next()?;
    let owner = parts.next()?;
    match (owner, key) {
        ("cpuidle", "current_driver") => return Some(Named::Driver),
        ("cpuidle", "current_governor" | "current_governor_ro") => return Some(Named::Governor),
        ("cpuidle", "available_governors") | ("s2idle", _) => return Some(Named::Other),
        _ => {}
    }
    let state = owner.strip_prefix("state")?.parse().ok()?;
    let cpu = match (parts.next(), parts.next()) {
        (Some("cpuidle"), Some(cpu)) => Some(cpu.strip_prefix("cpu")?.parse().ok()?),
        (None | Some("cpuidle" | "." | ""), _) => None,
        _ => return None,
    };
    Some(Named::State(Place { cpu, state }, key))
}

/// `cat state*/*`: twelve values a state, eleven before `rejected` came; the third is a status.
pub(super) fn bare(lines: &[String], desk: &mut Desk) {
    const KEYS: [&str; 12] = [
        "above",
        "below",
        "default_status",
        "desc",
        "disable",
        "latency",
        "name",
        "power",
        "rejected",
        "residency",
        "time",
        "usage",
    ];
    let values: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (at, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let fits = |each: usize| {
        let is_status = |chunk: &[(usize, &str)]| {
            chunk
                .get(2)
                .is_some_and(|(_, word)| matches!(*word, "enabled" | "disabled"))
        };
        !values.is_empty() && values.len().is_multiple_of(each) && values.chunks(each).all(is_status)
    };
    let Some(each) = [12, 11].into_iter().find(|each| fits(*each)) else {
        return;
    };
    let mut state = 0;
    for chunk in values.chunks(each) {
        let name = chunk.get(6).map(|(_, name)| *name);
        // Names do not repeat within a CPU: the same name again is another CPU, or another moment.
        let again = desk
            .sheets
            .last()
            .and_then(|sheet| sheet.cpus.get(&None))
            .is_some_and(|states| states.values().any(|state| state.name.as_deref() == name));
        if again {
            state = 0;
            if !desk.begin(Form::Cat) {
                return;
            }
        }
        let keys = KEYS.iter().filter(|key| each == 12 || **key != "rejected");
        for (key, (at, value)) in keys.zip(chunk) {
            if !desk.put(Form::Cat, Place { cpu: None, state }, key, value) {
                desk.unread(*at);
            }
        }
        state = state.saturating_add(1);
    }
}
