//! `trace.dat` of trace-cmd, versions 6 and 7.
//!
//! ```text
//! v6   magic · header_page, events, symbols · options · per CPU: offset, size ─────┐
//! v7   magic · packing · offset of options ──> options: sections, buffers ─────────┤
//!                                                                                  v
//!      pages of each CPU, packed in v7 ──> records ──> merged by time ──> events (sink)
//! ```
//!
//! Invariants: every offset and length is checked before it is used; a file that is cut off gives what comes
//! before the cut; between equal stamps buffer, then CPU, then the order within a CPU decide. An event that is
//! recorded in several buffers (instances) is taken from the one that has most of it.

mod file;
pub(super) mod header;
mod pages;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use file::File;
use pages::Stream;

use super::bytes::Fault;
use super::detect::Foreign;
use super::facts::{DatFacts, Facts};
use super::record::Layouts;
use super::report::Reason;
use super::sink::Sink;
use super::symbols::Symbols;
use super::text::Finished;
use super::{Format, Limits, TraceError};

/// Reads a whole file.
///
/// # Errors
/// When nothing of it is usable.
pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Finished, TraceError> {
    let mut sink = Sink::new(limits);
    let damaged = |fault| TraceError::damaged(Foreign::TraceDat, fault);
    let file = File::open(bytes, &mut sink.tallies).map_err(damaged)?;
    let scale = file.scale()?;
    let (mut streams, mut fault) = file.streams(bytes, limits)?;
    let owners = if file.buffers.len() > 1 {
        let (again, _) = file.streams(bytes, limits)?;
        owners(again, &file.header.layouts)
    } else {
        Vec::new()
    };
    let mut symbols = Symbols::new(&file.header.kallsyms);
    let layouts = &file.header.layouts;
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for (at, stream) in streams.iter_mut().enumerate() {
        if let Some(stamp) = stream.advance() {
            heap.push(Reverse((stamp, at)));
        }
    }
    while let Some(mut top) = heap.peek_mut() {
        let Reverse((stamp, at)) = *top;
        let Some(stream) = streams.get_mut(at) else { break };
        if sink.is_full() {
            break;
        }
        let ns = scale.map_or(stamp, |scale| scale.ns(stamp));
        if let Some(events) = stream.lost.take() {
            sink.lose(stream.cpu, ns, events);
        }
        let record = stream.record();
        let owner = layouts
            .id(record)
            .and_then(|id| owners.get(usize::from(id)).copied());
        if owner.is_none_or(|owner| owner == stream.buffer) {
            sink.raw(layouts, &mut symbols, (stream.cpu, ns), record);
        } else {
            sink.skip(Reason::OtherBuffer);
        }
        match stream.advance() {
            Some(stamp) => *top = Reverse((stamp, at)),
            None => {
                PeekMut::pop(top);
            }
        }
    }
    for stream in &mut streams {
        if let (Some(events), false) = (stream.lost.take(), sink.is_full()) {
            let stamp = stream.stamp();
            sink.lose(stream.cpu, scale.map_or(stamp, |scale| scale.ns(stamp)), events);
        }
        fault = fault.or(stream.fault);
    }
    let facts = DatFacts {
        events: sink.report.lines - sink.report.marker_lines,
        missed_pages: streams.iter().map(|stream| stream.missed).sum(),
        ..file.facts.clone()
    };
    sink.report.facts = Some(Facts::TraceDat(facts));
    sink.report.header.trace_cmd_cpus = u32::try_from(file.cpus).ok();
    sink.finish(Format::TraceDat, file.cpus, with_format(fault))
}

fn with_format(fault: Option<Fault>) -> Option<(Foreign, Fault)> {
    fault.map(|fault| (Foreign::TraceDat, fault))
}

/// By event number, the buffer that has most of its records; the first one between equals.
fn owners(streams: Vec<Stream<'_>>, layouts: &Layouts) -> Vec<usize> {
    let mut counts: Vec<Vec<u64>> = Vec::new();
    for mut stream in streams {
        if counts.len() <= stream.buffer {
            counts.resize(stream.buffer + 1, Vec::new());
        }
        let Some(of_buffer) = counts.get_mut(stream.buffer) else {
            continue;
        };
        while stream.advance().is_some() {
            let Some(id) = layouts.id(stream.record()).map(usize::from) else {
                continue;
            };
            if of_buffer.len() <= id {
                of_buffer.resize(id + 1, 0);
            }
            if let Some(count) = of_buffer.get_mut(id) {
                *count += 1;
            }
        }
    }
    let ids = counts.iter().map(Vec::len).max().unwrap_or(0);
    let most = |id: usize| {
        let of = |buffer: &usize| counts.get(*buffer).and_then(|c| c.get(id)).copied().unwrap_or(0);
        (0..counts.len())
            .max_by_key(|buffer| (of(buffer), Reverse(*buffer)))
            .unwrap_or(0)
    };
    (0..ids).map(most).collect()
}
