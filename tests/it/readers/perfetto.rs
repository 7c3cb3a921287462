//! Perfetto's protobuf: bundles, compact switches, packed packets, generic events, losses, files that lie.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use idlescope::trace::report::Stopped;
use idlescope::trace::{self, Limits, Reader, Trace};
use proptest::prelude::*;

use super::dat::{sample, survives};
use super::line;

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    bytes
}

fn int(field: u64, value: u64) -> Vec<u8> {
    [number(field << 3), number(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [number(field << 3 | 2), number(value.len() as u64), value.to_vec()].concat()
}

fn event(ns: u64, pid: u64, field: u64, body: &[u8]) -> Vec<u8> {
    bytes(2, &[int(1, ns), int(2, pid), bytes(field, body)].concat())
}

fn idle(ns: u64, state: u64, cpu: u64) -> Vec<u8> {
    event(ns, 0, 13, &[int(1, state), int(2, cpu)].concat())
}

/// The CPU stands behind the events: order does not matter.
fn bundle(cpu: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let bundle = [parts.concat(), int(1, cpu)].concat();
    // A packet also has its own time and sequence.
    bytes(1, &[int(8, 5), bytes(1, &bundle), int(10, 3)].concat())
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(plain).expect("memory");
    packer.finish().expect("memory")
}

#[track_caller]
fn check(file: &[u8], expect: &[&str]) -> Trace {
    let trace = trace::read(file).unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<String> = trace.events.iter().map(|event| line(&trace, event)).collect();
    assert_eq!(lines, expect);
    assert_eq!(trace.format.name(), "Perfetto trace");
    trace
}

const STAY: [&str; 2] = [
    "0.000000100 cpu2 0: cpu2 enters 0",
    "0.000000300 cpu2 0: cpu2 exits",
];

#[test]
fn events_of_all_bundles_are_sorted_by_time() {
    let file = [
        bundle(2, &[idle(300, 0xffff_ffff, 2)]),
        bundle(2, &[idle(100, 0, 2)]),
    ]
    .concat();
    let trace = check(&file, &STAY);
    assert_eq!(trace.report.backwards_steps, 1);
}

#[test]
fn packed_packets_are_packets() {
    let plain = [
        bundle(2, &[idle(100, 0, 2)]),
        bundle(2, &[idle(300, 0xffff_ffff, 2)]),
    ]
    .concat();
    check(&bytes(1, &bytes(50, &zlib(&plain))), &STAY);
    let again = bytes(1, &bytes(50, &zlib(&bytes(1, &bytes(50, &zlib(&plain))))));
    let error = trace::read(&again).expect_err("nested twice").to_string();
    assert!(
        error.contains("no idle events in 0 records of Perfetto trace"),
        "{error}"
    );
}

#[test]
fn compact_switches_have_the_task_before_from_the_switch_before() {
    let columns = |times: &[u64], next: &[u64]| {
        let packed = |values: &[u64]| {
            values
                .iter()
                .flat_map(|value| number(*value))
                .collect::<Vec<u8>>()
        };
        bytes(
            4,
            &[
                bytes(1, &packed(times)),
                bytes(3, &packed(next)),
                bytes(7, &packed(&[120])),
            ]
            .concat(),
        )
    };
    let file = [
        bundle(2, &[columns(&[110, 10], &[7, 0]), idle(100, 0, 2)]),
        bundle(2, &[int(3, 1), columns(&[140, 10], &[8, 9])]),
    ]
    .concat();
    let trace = check(
        &file,
        &[
            STAY[0],
            "0.000000110 cpu2 -1: switch -1 to 7",
            "0.000000120 cpu2 7: switch 7 to 0",
            "0.000000140 cpu2 -1: lost None",
            "0.000000140 cpu2 -1: switch -1 to 8",
            "0.000000150 cpu2 8: switch 8 to 9",
        ],
    );
    assert_eq!(
        trace.report.event("sched_waking").map(|tally| tally.lines),
        Some(2)
    );
}

#[test]
fn generic_events_are_read_by_their_names() {
    let field =
        |name: &str, kind: u64, value: u64| bytes(2, &[bytes(1, name.as_bytes()), int(kind, value)].concat());
    let generic = |ns, name: &str, fields: &[Vec<u8>]| {
        event(ns, 0, 327, &[bytes(1, name.as_bytes()), fields.concat()].concat())
    };
    let miss = [
        field("cpu_id", 5, 2),
        field("state", 5, 1),
        bytes(2, &[bytes(1, b"type"), bytes(3, b"below")].concat()),
    ];
    let timer = [
        field("hrtimer", 5, 0xffff_0001),
        field("expires", 4, 500),
        field("softexpires", 4, 500),
    ];
    let file = bundle(
        2,
        &[
            idle(100, 0, 2),
            generic(
                110,
                "tick_stop",
                &[field("success", 4, 1), field("dependency", 4, 0)],
            ),
            generic(120, "timer/hrtimer_start", &timer),
            generic(130, "cpu_idle_miss", &miss),
            generic(140, "my_event", &[field("a", 4, u64::MAX)]),
        ],
    );
    check(
        &file,
        &[
            STAY[0],
            "0.000000110 cpu2 0: TickStop { success: true }",
            "0.000000120 cpu2 0: hrtimer 0 ? 500",
            "0.000000130 cpu2 0: cpu2 misses 1 Below",
        ],
    );
}

#[test]
fn a_clock_of_its_own_is_shifted_to_the_usual_one() {
    let shifted = bundle(
        2,
        &[int(5, 3), int(6, 1000), int(7, 1200), idle(100, 0xffff_ffff, 2)],
    );
    let file = [bundle(2, &[idle(100, 0, 2)]), shifted].concat();
    check(&file, &STAY);
}

#[test]
fn a_file_that_is_cut_off_gives_what_came_before() {
    let mut file = [
        bundle(2, &[idle(100, 0, 2)]),
        bundle(2, &[idle(300, 0xffff_ffff, 2)]),
    ]
    .concat();
    file.truncate(file.len() - 3);
    let trace = check(&file, &STAY[..1]);
    assert!(matches!(trace.report.stopped, Some(Stopped::Damaged { .. })));
}

#[test]
fn packed_packets_share_one_bound() {
    let zeros = zlib(&bytes(2, &vec![0; 600_000]));
    let file = [
        bundle(2, &[idle(100, 0, 2)]),
        bytes(1, &bytes(50, &zeros)),
        bytes(1, &bytes(50, &zeros)),
    ]
    .concat();
    let mut reader = Reader::new(Limits {
        max_whole_bytes: 1 << 20,
        ..Limits::default()
    });
    reader.feed(&file).expect("small");
    let trace = reader.finish().expect("what came before");
    let words = format!("{:?}", trace.report.stopped);
    assert!(
        words.contains("packed packets that unpack, within the limit"),
        "{words}"
    );
}

#[test]
fn every_cut_and_every_absurd_number_is_read_or_refused() {
    let plain = bundle(
        2,
        &[
            idle(100, 0, 2),
            int(3, 1),
            bytes(4, &[bytes(1, &[1, 2]), bytes(3, &[1, 2])].concat()),
        ],
    );
    let file = [plain.clone(), bytes(1, &bytes(50, &zlib(&plain))), plain].concat();
    for at in 0..file.len() {
        survives(&file[..at]).unwrap_or_else(|error| panic!("cut at {at}: {error}"));
        for noise in [&[0xff_u8; 8][..], &[0x7f], &[0; 4]] {
            let mut file = file.clone();
            for (to, from) in file.iter_mut().skip(at).zip(noise) {
                *to = *from;
            }
            survives(&file).unwrap_or_else(|error| panic!("{noise:x?} at {at}: {error}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_recorded_file_with_noise_is_read_or_refused(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = sample("android-4plus-perfetto.pftrace.gz");
        for (at, noise) in flips {
            let at = at.index(file.len());
            file[at] ^= noise;
        }
        if is_cut {
            file.truncate(cut.index(file.len()));
        }
        survives(&file)?;
    }

    #[test]
    fn anything_behind_a_first_packet_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let file = [bundle(2, &[idle(100, 0, 2)]), bytes].concat();
        survives(&file)?;
    }
}
