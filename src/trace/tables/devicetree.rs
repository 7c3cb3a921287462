//! Devicetree source with `idle-states`, and what its nodes mean, also those of a blob.
//!
//! The kernel's exit latency is entry + exit, or `wakeup-latency-us` where that is given; its first
//! state stands in no node and comes from the driver, so the nodes are numbered from 1.

use std::collections::BTreeMap;

use super::{Desk, Form, Place};

/// Open braces within each other, at most; deeper ones are read as if they were closed.
pub(super) const DEEPEST: usize = 64;

/// A node with its properties as source has them.
#[derive(Default)]
pub(super) struct Node {
    pub(super) label: Option<String>,
    pub(super) name: String,
    pub(super) properties: BTreeMap<String, String>,
}

pub(super) fn read(lines: &[String], desk: &mut Desk) {
    let text = without_comments(&lines.join("\n"));
    let (mut open, mut done): (Vec<Node>, Vec<Node>) = (Vec::new(), Vec::new());
    let mut word = String::new();
    let mut quoted = false;
    for letter in text.chars() {
        quoted ^= letter == '"';
        match letter {
            '{' if !quoted && open.len() < DEEPEST => open.push(node(&word)),
            '}' if !quoted => done.extend(open.pop()),
            ';' if !quoted => {
                if let Some(node) = open.last_mut() {
                    let (key, value) = word.split_once('=').unwrap_or((&word, ""));
                    node.properties
                        .insert(key.trim().to_owned(), value.trim().to_owned());
                }
            }
            _ => {
                word.push(letter);
                continue;
            }
        }
        word.clear();
    }
    write_all(done, desk);
}

/// The states that nodes describe, on the CPUs that refer to them.
pub(super) fn write_all(nodes: Vec<Node>, desk: &mut Desk) {
    let (states, others): (Vec<Node>, Vec<Node>) = nodes
        .into_iter()
        .partition(|node| node.properties.contains_key("min-residency-us"));
    // By what a list calls them: a label, or the number of a phandle.
    let mut by_reference: BTreeMap<String, &Node> = BTreeMap::new();
    for node in &states {
        by_reference.extend(node.label.iter().map(|label| (format!("&{label}"), node)));
        let handle = node
            .properties
            .get("phandle")
            .and_then(|cell| cells(cell).first().copied());
        by_reference.extend(handle.map(|handle| (handle.to_string(), node)));
    }
    let mut used = false;
    for node in &others {
        let Some(list) = node.properties.get("cpu-idle-states") else {
            continue;
        };
        let Some(cpu) = node
            .properties
            .get("reg")
            .and_then(|reg| cells(reg).last().copied())
        else {
            continue;
        };
        let Ok(cpu) = u16::try_from(cpu) else { continue };
        for (state, reference) in (1..=u8::MAX).zip(references(list)) {
            let key = number(reference).map_or_else(|| reference.to_owned(), |handle| handle.to_string());
            if let Some(node) = by_reference.get(&key) {
                used |= write(
                    desk,
                    Place {
                        cpu: Some(cpu),
                        state,
                    },
                    node,
                );
            }
        }
    }
    if !used {
        for (state, node) in (1..=u8::MAX).zip(&states) {
            write(desk, Place { cpu: None, state }, node);
        }
    }
}

fn node(head: &str) -> Node {
    let (label, name) = match head.trim().rsplit_once(':') {
        Some((label, name)) => (Some(label.trim().to_owned()), name.trim()),
        None => (None, head.trim()),
    };
    Node {
        label,
        name: name.to_owned(),
        properties: BTreeMap::new(),
    }
}

fn write(desk: &mut Desk, place: Place, node: &Node) -> bool {
    let property = |key: &str| {
        let value = node.properties.get(key)?;
        cells(value).first().copied()
    };
    let latency = property("wakeup-latency-us")
        .or_else(|| property("entry-latency-us")?.checked_add(property("exit-latency-us")?));
    let name = node
        .properties
        .get("idle-state-name")
        .map_or(node.name.as_str(), |name| name.trim_matches('"'));
    let mut put = |key: &str, value: Option<u64>| {
        value.is_some_and(|value| desk.put(Form::DeviceTree, place, key, &value.to_string()))
    };
    put("latency", latency);
    put("residency", property("min-residency-us"));
    let off = node
        .properties
        .get("status")
        .is_some_and(|status| status.trim_matches('"') == "disabled");
    put("disable", off.then_some(1));
    let known = desk.put(Form::DeviceTree, place, "name", name);
    if let Some(state) = desk.state(Form::DeviceTree, place).filter(|_| known) {
        state.timer_stop = Some(node.properties.contains_key("local-timer-stop"));
    }
    known
}

fn references(list: &str) -> impl Iterator<Item = &str> {
    list.split(['<', '>', ',', ' ', '\t', '\n'])
        .filter(|word| !word.is_empty())
}

fn cells(value: &str) -> Vec<u64> {
    references(value).map_while(number).collect()
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('/') {
        plain.push_str(before);
        let end = match behind.as_bytes().first() {
            Some(b'*') => "*/",
            Some(b'/') => "\n",
            _ => {
                plain.push('/');
                rest = behind;
                continue;
            }
        };
        let inside = behind.get(1..).unwrap_or_default();
        rest = inside.split_once(end).map_or("", |(_, behind)| behind);
        plain.push(' ');
    }
    plain.push_str(rest);
    plain
}
