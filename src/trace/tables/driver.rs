//! The array of states of a cpuidle driver in C: `.name`, `.exit_latency` and `.target_residency` of each element,
//! times in µs. A driver that sleeps with `WFI` lists it itself; of others state 0 is the loop that the kernel adds,
//! so their elements are numbered from 1.

use super::{Desk, Form, Place};

pub(super) fn is_driver(lines: &[String]) -> bool {
    let has = |field: &str| lines.iter().any(|line| line.contains(field));
    has(".exit_latency") && (has(".target_residency") || has(".name"))
}

pub(super) fn read(lines: &[String], desk: &mut Desk) {
    let text = lines.join("\n");
    let elements = text.split('{').skip(1).map(|rest| {
        let end = rest.find('}').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    });
    let mut next = None;
    for element in elements {
        let (Some(latency), name) = (number(element, ".exit_latency"), text_of(element)) else {
            continue;
        };
        let listed = matches!(name, Some("WFI" | "POLL"));
        let state = next.unwrap_or(u8::from(!listed));
        let place = Place { cpu: None, state };
        next = Some(state.saturating_add(1));
        let mut put = |key: &str, value: &str| {
            desk.put(Form::Driver, place, key, value);
        };
        put("latency", latency);
        if let Some(residency) = number(element, ".target_residency") {
            put("residency", residency);
        }
        if let Some(name) = name {
            put("name", name);
        }
        let off = element.trim_start().starts_with("/* off */");
        put("disable", if off { "1" } else { "0" });
    }
}

/// What stands behind a field and its equals sign.
fn value<'a>(element: &'a str, field: &str) -> Option<&'a str> {
    let (_, behind) = element.split_once(field)?;
    Some(behind.trim_start().strip_prefix('=')?.trim_start())
}

fn number<'a>(element: &'a str, field: &str) -> Option<&'a str> {
    let value = value(element, field)?;
    let end = value
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(value.len());
    value.get(..end).filter(|digits| !digits.is_empty())
}

fn text_of(element: &str) -> Option<&str> {
    let (name, _) = value(element, ".name")?.strip_prefix('"')?.split_once('"')?;
    Some(name)
}
