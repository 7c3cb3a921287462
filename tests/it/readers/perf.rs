//! `perf.data`: files and pipes, samples with and without call chains, packed records, losses, files that lie.

use idlescope::trace::report::Stopped;
use idlescope::trace::{self, Kind, Trace};
use proptest::prelude::*;

use super::dat::{sample, survives};
use super::line;

const SAMPLE: u32 = 9;
const LOST: u32 = 2;
const ATTRIBUTE: u32 = 64;
const TRACING_DATA: u32 = 66;
const PACKED: u32 = 81;

/// Task, time, call chain, CPU, raw record, identifier.
const PLAIN: u64 = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 10 | 1 << 16;
const CHAIN: u64 = 1 << 5;
const READ: u64 = 1 << 4;

fn record(kind: u32, body: &[u8]) -> Vec<u8> {
    let len = u16::try_from(body.len() + 8).expect("a short record");
    [&kind.to_le_bytes()[..], &[0, 0], &len.to_le_bytes(), body].concat()
}

fn attribute(sample: u64, id: u64) -> Vec<u8> {
    let mut attribute = vec![0; 64];
    attribute[..4].copy_from_slice(&2_u32.to_le_bytes());
    attribute[4..8].copy_from_slice(&64_u32.to_le_bytes());
    attribute[24..32].copy_from_slice(&sample.to_le_bytes());
    // A group of counters with both times and identifiers.
    attribute[32..40].copy_from_slice(&15_u64.to_le_bytes());
    attribute[40..48].copy_from_slice(&(1_u64 << 18).to_le_bytes());
    attribute.extend(id.to_le_bytes());
    attribute
}

fn tracing_data() -> Vec<u8> {
    let sized = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut data = b"\x17\x08\x44tracing0.6\0\x00\x08\x00\x10\x00\x00header_page\0".to_vec();
    data.extend(sized(
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:16;\tsize:4080;\n",
    ));
    data.extend_from_slice(b"header_event\0");
    data.extend(sized("#"));
    data.extend([0, 0, 0, 0, 1, 0, 0, 0]);
    data.extend_from_slice(b"power\0\x01\0\0\0");
    data.extend(sized(
        "name: cpu_idle\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
         \tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n",
    ));
    data.extend([0; 16]);
    data
}

fn idle(kind: u64, id: u64, time: u64, state: u32) -> Vec<u8> {
    let mut body = [id, 0, time, 3].map(u64::to_le_bytes).concat();
    if kind & READ != 0 {
        // Two counters: time enabled, time running, value and identifier of each.
        body.extend([2_u64, 1, 1, 1, 1, 1, 1].map(u64::to_le_bytes).concat());
    }
    if kind & CHAIN != 0 {
        body.extend(
            [2_u64, 0xffff_ffff_ffff_ff80, 0xffff_dd65_c9ca_5d00]
                .map(u64::to_le_bytes)
                .concat(),
        );
    }
    body.extend(20_u32.to_le_bytes());
    body.extend([7, 0, 0, 0, 0, 0, 0, 0]);
    body.extend(state.to_le_bytes());
    body.extend([3, 0, 0, 0, 0, 0, 0, 0]);
    record(SAMPLE, &body)
}

fn pipe(sample: u64, records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"PERFILE2\x10\0\0\0\0\0\0\0".to_vec();
    file.extend(record(ATTRIBUTE, &attribute(sample, 5)));
    let mut data = tracing_data();
    data.resize(data.len().next_multiple_of(8), 0);
    file.extend(record(TRACING_DATA, &(data.len() as u32).to_le_bytes()));
    file.extend(data);
    file.extend(records.concat());
    file
}

#[track_caller]
fn check(file: &[u8], expect: &[&str]) -> Trace {
    let trace = trace::read(file).unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<String> = trace.events.iter().map(|event| line(&trace, event)).collect();
    assert_eq!(lines, expect);
    trace
}

const STAY: [&str; 2] = [
    "0.000000100 cpu3 0: cpu3 enters 1",
    "0.000000200 cpu3 0: cpu3 exits",
];

#[test]
fn samples_with_call_chains_and_counters_give_the_same_as_without() {
    for extra in [0, CHAIN, READ, CHAIN | READ] {
        let records = [idle(extra, 5, 100, 1), idle(extra, 5, 200, u32::MAX)];
        check(&pipe(PLAIN | extra, &records), &STAY);
    }
}

#[test]
fn losses_have_the_cpu_and_the_time_of_their_trailer() {
    // Identifier and count; then task, time, CPU, identifier.
    let body = [5_u64, 40, 0, 150, 3, 5].map(u64::to_le_bytes).concat();
    let records = [idle(0, 5, 100, 1), record(LOST, &body), idle(0, 5, 200, u32::MAX)];
    check(
        &pipe(PLAIN, &records),
        &[STAY[0], "0.000000150 cpu3 -1: lost Some(40)", STAY[1]],
    );
}

/// A zstd frame of raw blocks that is flushed after each of these parts, and never ended.
fn packed(parts: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut head = b"\x28\xb5\x2f\xfd\x00\x58".to_vec();
    let mut out = Vec::new();
    for part in parts {
        let block = u32::try_from(part.len() << 3).expect("short").to_le_bytes();
        head.extend_from_slice(&block[..3]);
        head.extend_from_slice(part);
        out.push(record(PACKED, &std::mem::take(&mut head)));
    }
    out
}

#[test]
fn packed_records_are_one_stream_however_they_are_cut() {
    let plain = [idle(0, 5, 100, 1), idle(0, 5, 200, u32::MAX)].concat();
    for cut in [8, 40, 64] {
        let (left, right) = plain.split_at(cut);
        check(&pipe(PLAIN, &packed(&[left, right])), &STAY);
    }
}

#[test]
fn a_pipe_that_breaks_off_gives_what_came_before() {
    let mut file = pipe(PLAIN, &[idle(0, 5, 100, 1), idle(0, 5, 200, u32::MAX)]);
    file.truncate(file.len() - 10);
    let trace = check(&file, &STAY[..1]);
    assert!(matches!(trace.report.stopped, Some(Stopped::Damaged { .. })));
}

#[test]
fn a_recording_without_descriptions_says_how_to_record() {
    let file = [b"PERFILE2\x10\0\0\0\0\0\0\0".to_vec(), idle(0, 5, 1, 1)].concat();
    assert_eq!(
        trace::read(&file).expect_err("no tracepoints").to_string(),
        "perf.data is damaged: expected event descriptions (record tracepoints: `perf record -e power:cpu_idle -a`) at byte 0"
    );
}

#[test]
fn a_recorded_file_keeps_functions_and_handlers_by_name() {
    let trace = trace::read(&sample("arm64-menu-perf.data.gz")).expect("a sound perf.data");
    assert!(
        trace
            .events
            .iter()
            .any(|event| matches!(event.kind, Kind::IrqEntry { name: Some(_), .. }))
    );
    assert_eq!(trace.clock.resolution_ns, 1);
    assert_eq!(trace.report.backwards_steps, 18, "written CPU by CPU");
}

#[test]
fn every_absurd_number_in_a_pipe_is_read_or_refused() {
    let plain = [idle(0, 5, 100, 1), idle(0, 5, 200, u32::MAX)].concat();
    let file = pipe(PLAIN, &[idle(0, 5, 50, 1), packed(&[&plain]).concat()]);
    for at in 0..file.len() - 8 {
        survives(&file[..at]).unwrap_or_else(|error| panic!("cut at {at}: {error}"));
        for noise in [[0xff_u8; 8], [0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0], [0; 8]] {
            let mut file = file.clone();
            file[at..at + 8].copy_from_slice(&noise);
            survives(&file).unwrap_or_else(|error| panic!("{noise:x?} at {at}: {error}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_recorded_file_with_noise_is_read_or_refused(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = sample("arm64-menu-perf.data.gz");
        for (at, noise, in_head) in flips {
            let at = at.index(if in_head { 4096 } else { file.len() });
            let end = file.len() - 1 - at;
            file[if noise % 2 == 0 { at } else { end }] ^= noise;
        }
        if is_cut {
            file.truncate(cut.index(file.len()));
        }
        survives(&file)?;
    }
}
