//! Events by their field number in Perfetto's schema, and generic ones by name.

use std::fmt::Write as _;

use super::super::args::{self, Lack, checked_cpu, checked_state};
use super::super::event::Kind;
use super::super::names;
use super::super::sink::Sink;
use super::wire::{Fields, Value, int};
use crate::units::CpuId;

/// An event that its schema does not know, with names and values of its fields.
const GENERIC: u32 = 327;
/// Bytes of a generic event's fields that are looked at.
const GENERIC_BYTES: usize = 4096;

/// The name of an event, as the kernel has it.
const fn name(number: u32) -> Option<&'static str> {
    Some(match number {
        3 => "print",
        4 => "sched_switch",
        11 => "cpu_frequency",
        12 => "cpu_frequency_limits",
        13 => "cpu_idle",
        14 => "clock_enable",
        15 => "clock_disable",
        16 => "clock_set_rate",
        17 => "sched_wakeup",
        18 => "sched_blocked_reason",
        19 => "sched_cpu_hotplug",
        20 => "sched_waking",
        21 => "ipi_entry",
        22 => "ipi_exit",
        23 => "ipi_raise",
        24 => "softirq_entry",
        25 => "softirq_exit",
        26 => "softirq_raise",
        36 => "irq_handler_entry",
        37 => "irq_handler_exit",
        _ => return None,
    })
}

/// Whether the name of an event is known.
pub(super) const fn is_named(number: u32) -> bool {
    name(number).is_some() || number == GENERIC
}

/// The index of an event's name, and what it tells.
pub(super) fn read(
    number: u32,
    body: &[u8],
    here: CpuId,
    line: u64,
    sink: &mut Sink,
) -> (usize, Result<Option<Kind>, Lack>) {
    if number == GENERIC {
        return generic(body, here, line, sink);
    }
    let Some(name) = name(number) else {
        let name = format!("perfetto_event_{number}");
        return (sink.tallies.find(name.as_bytes(), line).0, Ok(None));
    };
    let (tally, _) = sink.tallies.find(name.as_bytes(), line);
    (tally, known(number, body, sink))
}

fn known(event: u32, body: &[u8], sink: &mut Sink) -> Result<Option<Kind>, Lack> {
    // Fields that are zero may be left out.
    let find = |wanted: u32| Fields::new(body).find(|(number, _)| *number == wanted);
    let number = |wanted: u32| match find(wanted) {
        Some((_, Value::Number(value))) => value,
        _ => 0,
    };
    let vec = || names::softirq(None, number(1));
    let irq = || u32::try_from(number(1)).map_err(|_| Lack::Field("irq"));
    Ok(Some(match event {
        4 => Kind::SchedSwitch {
            prev_pid: int(number(2)),
            next_pid: int(number(6)),
        },
        13 => {
            let cpu = checked_cpu(number(2), &sink.interned)?;
            if number(1) == u64::from(u32::MAX) {
                Kind::IdleExit { cpu }
            } else {
                let state = checked_state(number(1))?;
                Kind::IdleEnter { cpu, state }
            }
        }
        17 => Kind::SchedWakeup {
            pid: int(number(2)),
            target: checked_cpu(number(5), &sink.interned)?,
        },
        21 => Kind::IpiEntry,
        22 => Kind::IpiExit,
        23 => Kind::IpiRaise { targets: number(1) },
        24 => Kind::SoftirqEntry { vec: vec() },
        25 => Kind::SoftirqExit { vec: vec() },
        26 => Kind::SoftirqRaise { vec: vec() },
        36 => Kind::IrqEntry {
            irq: irq()?,
            name: match find(2) {
                Some((_, Value::Bytes(name))) => sink.interned.names.id(name),
                _ => None,
            },
        },
        37 => Kind::IrqExit { irq: irq()? },
        _ => return Ok(None),
    }))
}

/// As the text of the same event would be read.
fn generic(body: &[u8], here: CpuId, line: u64, sink: &mut Sink) -> (usize, Result<Option<Kind>, Lack>) {
    let mut name: &[u8] = b"";
    let mut text = String::new();
    for (number, value) in Fields::new(body) {
        match (number, value) {
            (1, Value::Bytes(own)) => {
                let system = own.iter().rposition(|byte| *byte == b'/');
                name = own.get(system.map_or(0, |at| at + 1)..).unwrap_or(own);
            }
            (2, Value::Bytes(field)) if text.len() < GENERIC_BYTES => pair(field, &mut text),
            _ => {}
        }
    }
    let (tally, known) = sink.tallies.find(name, line);
    let kind = match known {
        Some(names::Known::Dump | names::Known::Printk) | None => Ok(None),
        Some(known) => args::parse(known, here, text.trim_end().as_bytes(), &mut sink.interned).map(Some),
    };
    (tally, kind)
}

/// ` name=value`.
fn pair(field: &[u8], text: &mut String) {
    let mut name = None;
    let mut value = String::new();
    for (number, found) in Fields::new(field) {
        match (number, found) {
            (1, Value::Bytes(own)) => name = Some(own),
            (3, Value::Bytes(words)) => value = String::from_utf8_lossy(words).into_owned(),
            (4 | 5, Value::Number(bits)) => {
                value = match bits.cast_signed() {
                    negative @ ..0 if number == 4 => negative.to_string(),
                    _ => format!("{bits:#x}"),
                }
            }
            _ => {}
        }
    }
    if let Some(name) = name {
        // Writing into a String does not fail.
        let _ = write!(text, "{}={value} ", String::from_utf8_lossy(name));
    }
}
