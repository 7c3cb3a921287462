//! Columns by CPU: turbostat of both ages, and `cpupower monitor`.
//!
//! Neither prints the kernel's index of a state: states are numbered by their place. turbostat's
//! `C1+` counts what should have been deeper (`below`), `C1-` what should have been shallower.

use super::{Attr, Desk, Form, Place};

/// What a column is: the state's place, and what is said of it.
type Column = Option<(u8, Attr)>;

pub(super) fn is_head(line: &str) -> bool {
    is_turbostat(line) || is_monitor(line)
}

fn is_turbostat(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.clone().any(|word| word == "CPU") && words.any(|word| word == "Busy%")
}

fn is_monitor(line: &str) -> bool {
    line.trim_start().starts_with('|') && line.contains("Idle_Stats")
}

/// Puts a heading of turbostat that a mail program wrapped back into one line, and whole rows below it; the
/// lines where their second halves stood are empty then. A row that is no whole row stays as it is.
fn unwrapped(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    let words = |line: &str| line.split_whitespace().count();
    let is_heading = |line: &str| {
        let word = |word: &str| {
            word.contains(|letter: char| letter.is_ascii_alphabetic()) && word.parse::<f64>().is_err()
        };
        !line.trim().is_empty() && line.split_whitespace().all(word)
    };
    let mut columns = 0;
    for at in 0..lines.len() {
        let (Some(line), Some(tail)) = (lines.get(at), lines.get(at + 1)) else {
            break;
        };
        let join = if is_turbostat(line) {
            columns = 0;
            is_heading(tail) && !is_turbostat(tail)
        } else {
            columns > 0 && words(line) < columns && words(line) + words(tail) == columns
        };
        if join {
            let whole = format!("{line} {tail}");
            if is_turbostat(line) {
                columns = words(&whole);
            }
            lines.splice(at..=at + 1, [whole, String::new()]);
        }
    }
    lines
}

pub(super) fn read(lines: &[String], desk: &mut Desk) {
    let lines = unwrapped(lines);
    let mut interval = None;
    let mut turbo: Option<(usize, Vec<Column>, Vec<String>)> = None;
    let mut monitor: Option<(usize, Vec<String>)> = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(seconds) = text.strip_suffix(" sec") {
            interval = micros(seconds);
        } else if is_turbostat(line) {
            let head: Vec<&str> = line.split_whitespace().collect();
            let (columns, names) = states(&head);
            let cpu = head.iter().position(|word| *word == "CPU").unwrap_or_default();
            turbo = None;
            if desk.begin(Form::Turbostat) {
                turbo = Some((cpu, columns, names));
                if let Some(sheet) = desk.sheets.last_mut() {
                    sheet.interval_us = interval.take();
                }
            }
        } else if is_monitor(line) {
            let group = line.split("||").position(|part| part.contains("Idle_Stats"));
            monitor = None;
            if desk.begin(Form::Monitor) {
                monitor = group.map(|group| (group, Vec::new()));
            }
        } else if let Some((group, names)) = &mut monitor {
            if !monitor_row(desk, *group, names, line) {
                desk.unread(at);
            }
        } else if let Some((cpu, columns, names)) = &turbo {
            if !turbostat_row(desk, *cpu, columns, names, line) {
                desk.unread(at);
            }
        } else {
            desk.unread(at);
        }
    }
}

/// The states of turbostat's heading. Names are those that end in `%`; counts bear them alone.
fn states(head: &[&str]) -> (Vec<Column>, Vec<String>) {
    let is_state = |name: &str| {
        name == "POLL"
            || name
                .strip_prefix('C')
                .is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    let names: Vec<String> = head
        .iter()
        .filter_map(|word| word.strip_suffix('%'))
        .filter(|name| is_state(name))
        .map(str::to_owned)
        .collect();
    let columns = head
        .iter()
        .map(|word| {
            let (name, attr) = if let Some(name) = word.strip_suffix('%') {
                (name, Attr::Share)
            } else if let Some(name) = word.strip_suffix('+') {
                (name, Attr::Below)
            } else if let Some(name) = word.strip_suffix('-') {
                (name, Attr::Above)
            } else {
                (*word, Attr::Usage)
            };
            let at = names.iter().position(|state| state == name)?;
            Some((u8::try_from(at).ok()?, attr))
        })
        .collect();
    (columns, names)
}

fn turbostat_row(desk: &mut Desk, cpu: usize, columns: &[Column], names: &[String], line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let id = match words.get(cpu) {
        // The sum over CPUs follows from the rows.
        Some(&"-") => return true,
        Some(word) => word.parse().ok(),
        None => None,
    };
    if id.is_none() {
        return false;
    }
    let mut understood = true;
    // Rows of siblings end early: what a row lacks stays unknown.
    for (column, word) in columns.iter().zip(&words) {
        let Some((state, attr)) = *column else { continue };
        let number = if attr == Attr::Share {
            hundredths(word)
        } else {
            word.parse().ok()
        };
        understood &= put(
            desk,
            Form::Turbostat,
            Place { cpu: id, state },
            attr,
            number,
            names,
        );
    }
    understood
}

fn monitor_row(desk: &mut Desk, group: usize, names: &mut Vec<String>, line: &str) -> bool {
    // The heading of CPUs stands in the first group.
    let Some((first, _)) = line.split_once('|') else {
        return false;
    };
    let skip = usize::from(group == 0);
    let cells: Vec<&str> = line
        .split("||")
        .nth(group)
        .map(|part| part.split('|').skip(skip).map(str::trim).collect())
        .unwrap_or_default();
    if first.trim() == "CPU" {
        *names = cells.iter().map(|name| (*name).to_owned()).collect();
        return true;
    }
    let Some(cpu) = first.trim().parse().ok().filter(|_| !names.is_empty()) else {
        return false;
    };
    let mut understood = cells.len() == names.len();
    for (state, cell) in (0..=u8::MAX).zip(&cells).take(names.len()) {
        let place = Place {
            cpu: Some(cpu),
            state,
        };
        understood &= put(desk, Form::Monitor, place, Attr::Share, hundredths(cell), names);
    }
    understood
}

fn put(desk: &mut Desk, form: Form, place: Place, attr: Attr, number: Option<u64>, names: &[String]) -> bool {
    let (Some(number), Some(name)) = (number, names.get(usize::from(place.state))) else {
        return false;
    };
    let Some(state) = desk.state(form, place) else {
        return false;
    };
    state.name = Some(name.clone());
    state.numbers.insert(attr, number);
    true
}

/// `2.99` or `2,99` per cent, in hundredths.
fn hundredths(text: &str) -> Option<u64> {
    fixed(text, 2)
}

fn micros(seconds: &str) -> Option<u64> {
    fixed(seconds, 6)
}

/// A decimal fraction with a point or a comma, in units of its last of `digits` digits; further
/// digits are cut.
fn fixed(text: &str, digits: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let padded = fraction.bytes().chain(std::iter::repeat(b'0')).take(digits);
    whole.bytes().chain(padded).try_fold(0_u64, |sum, byte| {
        sum.checked_mul(10)?.checked_add(u64::from(byte - b'0'))
    })
}
