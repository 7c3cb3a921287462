//! Perfetto's protobuf: packets, of which those with ftrace bundles are read.
//!
//! ```text
//! trace   packet*                     packed packets: zlib, holding packets again (once)
//! packet  bundle of one CPU, or something that is not needed
//! bundle  events by field number · compact sched: columns of times, tasks · lost events · clock
//! ```
//!
//! Read field by field, by hand: a generator's code for the whole schema would be many times the page. Field
//! numbers are those of Perfetto's public schema. Invariants: no message is read beyond its bytes, packed packets
//! nest once and share one bound, what a compact switch leaves out (the task before) is what the one before it on
//! that CPU switched to, and unknown after a loss. Only that state is carried from packet to packet, so packets of
//! different sequences and cleared incremental state need no care.

mod event;
mod wire;

use std::collections::HashMap;

use wire::{Fields, Value, numbers};

use super::bytes::Fault;
use super::detect::Foreign;
use super::event::Kind;
use super::facts::{Facts, PerfettoFacts};
use super::report::Reason;
use super::sink::Sink;
use super::text::Finished;
use super::unpack::{Packing, unpacked};
use super::{Format, Limits, TraceError};

/// Fields of a trace and of a packet.
const PACKET: u32 = 1;
const BUNDLE: u32 = 1;
const PACKED: u32 = 50;

/// The state between packets.
struct Packets {
    sink: Sink,
    facts: PerfettoFacts,
    /// By CPU, the task that a compact switch switched to last.
    running: HashMap<u64, i32>,
    /// Bytes that packed packets may still unpack to.
    budget: usize,
}

/// Reads a whole file.
///
/// # Errors
/// When nothing of it is usable.
pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Finished, TraceError> {
    let mut packets = Packets {
        sink: Sink::new(limits),
        facts: PerfettoFacts::default(),
        running: HashMap::new(),
        budget: limits.max_whole_bytes,
    };
    let fault = packets.all(bytes, true);
    let Packets {
        mut sink, mut facts, ..
    } = packets;
    facts.ftrace_clocks.sort_unstable();
    sink.report.facts = Some(Facts::Perfetto(facts));
    sink.finish(Format::Perfetto, 0, fault.map(|fault| (Foreign::Perfetto, fault)))
}

impl Packets {
    /// Takes packets; gives where they break off.
    fn all(&mut self, bytes: &[u8], may_unpack: bool) -> Option<Fault> {
        let mut fields = Fields::new(bytes);
        while let Some((number, value)) = fields.next() {
            if self.sink.is_full() {
                return None;
            }
            if let (PACKET, Value::Bytes(packet)) = (number, value) {
                self.facts.packets += 1;
                let at = fields.at().saturating_sub(packet.len());
                if let Some(expected) = self.packet(packet, may_unpack) {
                    return Some(fault(at, expected));
                }
            }
        }
        (!fields.is_whole()).then(|| fault(fields.at(), "a whole packet (is the file cut off?)"))
    }

    /// Takes one packet; gives what is wrong with packed ones.
    fn packet(&mut self, packet: &[u8], may_unpack: bool) -> Option<&'static str> {
        for (number, value) in Fields::new(packet) {
            match (number, value) {
                (BUNDLE, Value::Bytes(bundle)) => self.bundle(bundle),
                (PACKED, Value::Bytes(packed)) if may_unpack => {
                    self.facts.compressed_packets += 1;
                    let Some(plain) = unpacked(Packing::Zlib, packed, self.budget) else {
                        return Some("packed packets that unpack, within the limit");
                    };
                    self.budget -= plain.len();
                    if self.all(&plain, false).is_some() {
                        return Some("whole packets within packed ones");
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn bundle(&mut self, bytes: &[u8]) {
        self.facts.bundles += 1;
        let (mut cpu, mut lost, mut clock) = (0, false, 0);
        let (mut here, mut boot) = (None, None);
        // Fields may come in any order, and these concern all events.
        for (number, value) in Fields::new(bytes) {
            match (number, value) {
                (1, Value::Number(value)) => cpu = value,
                (3, Value::Number(value)) => lost = value != 0,
                (5, Value::Number(value)) => clock = value,
                (6, Value::Number(value)) => here = Some(value),
                (7, Value::Number(value)) => boot = Some(value),
                _ => {}
            }
        }
        if clock != 0 && !self.facts.ftrace_clocks.contains(&clock) && self.facts.ftrace_clocks.len() < 16 {
            self.facts.ftrace_clocks.push(clock);
        }
        // Another clock is shifted to that of the others where both were read at one time.
        let shift = match (clock, here, boot) {
            (0, ..) | (_, None, _) | (_, _, None) => 0,
            (_, Some(here), Some(boot)) => boot.wrapping_sub(here),
        };
        let mut losses = lost.then_some(cpu);
        if lost {
            self.running.remove(&cpu);
        }
        for (number, value) in Fields::new(bytes) {
            if self.sink.is_full() {
                return;
            }
            match (number, value) {
                (2, Value::Bytes(event)) => self.event(cpu, shift, event, &mut losses),
                (4, Value::Bytes(compact)) => self.compact(cpu, shift, compact, &mut losses),
                _ => {}
            }
        }
    }

    fn lose(&mut self, losses: &mut Option<u64>, ns: u64) {
        if let Some(cpu) = losses.take() {
            self.sink.lose(cpu, ns, None);
        }
    }

    fn event(&mut self, cpu: u64, shift: u64, bytes: &[u8], losses: &mut Option<u64>) {
        let (mut ns, mut pid, mut what) = (None, -1, None);
        for (number, value) in Fields::new(bytes) {
            match (number, value) {
                (1, Value::Number(value)) => ns = Some(value.wrapping_add(shift)),
                (2, Value::Number(value)) => pid = wire::int(value),
                (number @ 3.., Value::Bytes(body)) => what = what.or(Some((number, body))),
                _ => {}
            }
        }
        let (Some(ns), Some((number, body))) = (ns, what) else {
            self.sink.skip(if ns.is_none() {
                Reason::NoStamp
            } else {
                Reason::NoName
            });
            return;
        };
        self.lose(losses, ns);
        let Some(here) = self.sink.cpu(cpu) else {
            self.sink.skip(Reason::NoCpu);
            return;
        };
        let line = self.sink.report.lines + 1;
        let (tally, kind) = event::read(number, body, here, line, &mut self.sink);
        self.facts.other_ftrace += u64::from(!event::is_named(number));
        self.sink.event(cpu, ns, pid, tally, kind);
    }

    /// Columns: switches by time and next task; wakings, which nothing here needs, by time.
    fn compact(&mut self, cpu: u64, shift: u64, bytes: &[u8], losses: &mut Option<u64>) {
        self.facts.compact_sched_bundles += 1;
        let column = |wanted: u32| {
            Fields::new(bytes)
                .filter_map(move |(number, value)| match value {
                    Value::Bytes(packed) if number == wanted => Some(packed),
                    _ => None,
                })
                .flat_map(numbers)
        };
        let line = self.sink.report.lines + 1;
        let (tally, _) = self.sink.tallies.find(b"sched_switch", line);
        let mut ns = shift;
        for (delta, next) in column(1).zip(column(3)) {
            if self.sink.is_full() {
                return;
            }
            ns = ns.wrapping_add(delta);
            self.lose(losses, ns);
            let next_pid = wire::int(next);
            let prev_pid = self.running.insert(cpu, next_pid).unwrap_or(-1);
            self.facts.compact_switches += 1;
            let kind = Kind::SchedSwitch { prev_pid, next_pid };
            self.sink.event(cpu, ns, prev_pid, tally, Ok(Some(kind)));
        }
        let (tally, _) = self.sink.tallies.find(b"sched_waking", line);
        let mut ns = shift;
        for delta in column(7) {
            ns = ns.wrapping_add(delta);
            self.sink.event(cpu, ns, -1, tally, Ok(None));
        }
    }
}

fn fault(at: usize, expected: &'static str) -> Fault {
    Fault {
        at: u64::try_from(at).unwrap_or(u64::MAX),
        expected,
    }
}
