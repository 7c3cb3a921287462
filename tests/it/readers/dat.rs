//! `trace.dat`: the same events as the text of the same recording, every byte order and size of a long, losses,
//! instances, files that are cut off, and files that lie.

use std::fmt::Write as _;
use std::fs;

use flate2::read::MultiGzDecoder;
use idlescope::trace::report::{Reason, Stopped};
use idlescope::trace::{self, Event, Kind, Limits, Reader, Trace, TraceError};
use proptest::prelude::*;

use super::summary;

pub(super) fn sample(file: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/traces/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = fs::read(path).expect("the sample is committed");
    if !file.ends_with(".gz") {
        return bytes;
    }
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut MultiGzDecoder::new(bytes.as_slice()), &mut plain)
        .expect("a sound gz file");
    plain
}

/// Without what the text of trace-cmd cannot tell: the flags of wheel timers, and below `step` ns the stamp.
fn told(trace: &Trace, event: &Event, step: i64) -> String {
    let step_of = |ns: i64| (ns + step / 2) / step;
    let name = |id: Option<trace::NameId>| id.map(|id| trace.name(id).to_owned());
    let address = |id| trace.timer_address(id);
    let what = match event.kind {
        Kind::HrtimerStart {
            timer,
            function,
            expires_ns,
        } => format!("start {:?} {:?} {expires_ns}", address(timer), name(function)),
        Kind::HrtimerExpireEntry {
            timer,
            function,
            now_ns,
        } => format!("expire {:?} {:?} {now_ns}", address(timer), name(function)),
        Kind::TimerStart {
            timer,
            expires_jiffies,
            timeout_jiffies,
            ..
        } => format!("wheel {:?} {expires_jiffies} {timeout_jiffies:?}", address(timer)),
        Kind::IrqEntry { irq, name: handler } => format!("irq {irq} {:?}", name(handler)),
        Kind::HrtimerInit { timer, wall_clock } => format!("init {:?} {wall_clock}", address(timer)),
        Kind::HrtimerCancel { timer } => format!("cancel {:?}", address(timer)),
        Kind::HrtimerExpireExit { timer } => format!("expired {:?}", address(timer)),
        Kind::TimerCancel { timer } => format!("wheel cancel {:?}", address(timer)),
        Kind::TimerExpireEntry {
            timer, now_jiffies, ..
        } => format!("wheel expire {:?} {now_jiffies}", address(timer)),
        other => format!("{other:?}"),
    };
    format!(
        "{} {} {} {what}",
        step_of(event.time.as_ns()),
        event.cpu,
        event.pid
    )
}

#[test]
fn text_and_binary_of_one_recording_tell_the_same() {
    #[track_caller]
    fn check(binary: &str, text: &str, step: i64) {
        let (binary, text) = (sample(binary), sample(text));
        let binary = trace::read(&binary).expect("a sound trace.dat");
        let text = trace::read(&text).expect("a sound text");
        assert_eq!(binary.events.len(), text.events.len());
        for (left, right) in binary.events.iter().zip(&text.events) {
            assert_eq!(told(&binary, left, step), told(&text, right, step));
        }
        assert_eq!(binary.cpus, text.cpus);
        assert_eq!(
            binary.report.untrusted_timer_flags, 0,
            "numeric flags are to be trusted"
        );
        assert!(text.report.untrusted_timer_flags > 0);
    }
    check("arm64-menu-v7-zstd.dat", "arm64-menu-v7-zstd.report-t.txt.gz", 1);
    check("arm64-menu-v6.dat.gz", "arm64-menu-v6.report.txt.gz", 1000);
}

/// A recorded machine of our own making.
#[derive(Clone, Copy)]
struct Made {
    big: bool,
    long: u8,
}

const PAGE: usize = 512;
const IDLE: u16 = 397;

impl Made {
    fn bytes(self, value: u64, size: usize) -> Vec<u8> {
        if self.big {
            value.to_be_bytes()[8 - size..].to_vec()
        } else {
            value.to_le_bytes()[..size].to_vec()
        }
    }

    fn sized(self, text: &str) -> Vec<u8> {
        [self.bytes(text.len() as u64, 8), text.as_bytes().to_vec()].concat()
    }

    /// `cpu_idle` with its fields where no kernel has them: offsets come from the description alone.
    fn record(self, state: u32, cpu: u32) -> Vec<u8> {
        [
            self.bytes(u64::from(cpu), 4),
            self.bytes(0, 4),
            self.bytes(u64::from(IDLE), 2),
            self.bytes(0, 2),
            self.bytes(u64::from(state), 4),
        ]
        .concat()
    }

    fn entry(self, kind: u64, delta: u64) -> Vec<u8> {
        let head = if self.big {
            kind << 27 | delta
        } else {
            kind | delta << 5
        };
        self.bytes(head, 4)
    }

    /// A page: `flags` are the high bits of its commit.
    fn page(self, stamp: u64, records: &[u8], flags: u64, lost: u64) -> Vec<u8> {
        let long = usize::from(self.long);
        let mut page = self.bytes(stamp, 8);
        page.extend(self.bytes(records.len() as u64 | flags, long));
        page.extend_from_slice(records);
        page.extend(self.bytes(lost, long));
        page.resize(PAGE, 0);
        page
    }

    /// Version 6 with these pages of each CPU; an instance has its own.
    fn file(self, cpus: &[Vec<u8>], instance: Option<&[Vec<u8>]>, clock: &str) -> Vec<u8> {
        let long = usize::from(self.long);
        let mut file = b"\x17\x08\x44tracing6\0".to_vec();
        file.extend([u8::from(self.big), self.long]);
        file.extend(self.bytes(PAGE as u64, 4));
        let data = 8 + long;
        file.extend_from_slice(b"header_page\0");
        file.extend(self.sized(&format!(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{long};\tsigned:1;\n\
             \tfield: char data;\toffset:{data};\tsize:{};\tsigned:1;\n",
            PAGE - data
        )));
        file.extend_from_slice(b"header_event\0");
        file.extend(self.sized("# compressed entry header\n"));
        file.extend(self.bytes(0, 4));
        file.extend(self.bytes(1, 4));
        file.extend_from_slice(b"power\0");
        file.extend(self.bytes(1, 4));
        file.extend(self.sized(&format!(
            "name: cpu_idle\nID: {IDLE}\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
             \tfield:unsigned short common_type;\toffset:8;\tsize:2;\tsigned:0;\n\n\
             \tfield:u32 state;\toffset:12;\tsize:4;\tsigned:0;\n\tfield:u32 cpu_id;\toffset:0;\tsize:4;\tsigned:0;\n\n\
             print fmt: \"state=%lu\"\n"
        )));
        file.extend(self.bytes(0, 4));
        file.extend(self.bytes(0, 4));
        file.extend(self.bytes(0, 8));
        file.extend(self.bytes(cpus.len() as u64, 4));
        file.extend_from_slice(b"options  \0");
        file.extend(self.bytes(4, 2));
        file.extend(self.bytes(clock.len() as u64, 4));
        file.extend_from_slice(clock.as_bytes());
        let table = 10 + 16 * cpus.len();
        let option = if instance.is_some() { 2 + 4 + 8 } else { 0 };
        let after = file.len() + option + 2 + table;
        if instance.is_some() {
            file.extend(self.bytes(3, 2));
            file.extend(self.bytes(8, 4));
            file.extend(self.bytes(after as u64, 8));
        }
        file.extend(self.bytes(0, 2));
        let mut pages = after + if instance.is_some() { table } else { 0 };
        let mut bodies = Vec::new();
        for buffer in [Some(cpus), instance].into_iter().flatten() {
            file.extend_from_slice(b"flyrecord\0");
            for body in buffer {
                file.extend(self.bytes(pages as u64, 8));
                file.extend(self.bytes(body.len() as u64, 8));
                pages += body.len();
                bodies.extend_from_slice(body);
            }
        }
        file.extend(bodies);
        file
    }

    /// Enter and exit of one CPU, 100 ns apart, from `stamp` on.
    fn stay(self, stamp: u64, cpu: u32) -> Vec<u8> {
        let records = [
            self.entry(4, 0),
            self.record(1, cpu),
            self.entry(4, 100),
            self.record(u32::MAX, cpu),
        ]
        .concat();
        self.page(stamp, &records, 0, 0)
    }
}

const SMALL: Made = Made { big: false, long: 8 };

#[track_caller]
fn check(file: &[u8], expect: &[&str]) -> Trace {
    let mut lines = String::new();
    for line in summary(file).lines().skip(1) {
        let _ = writeln!(lines, "{line}");
    }
    let expect: String = expect.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(lines, expect);
    trace::read(file).expect("read just now")
}

#[test]
fn byte_order_and_size_of_a_long_come_from_the_file() {
    for big in [false, true] {
        for long in [4, 8] {
            let made = Made { big, long };
            let file = made.file(&[made.stay(1000, 0), made.stay(1050, 1)], None, "[mono]");
            let trace = check(
                &file,
                &[
                    "0.000001000 cpu0 0: cpu0 enters 1",
                    "0.000001050 cpu1 0: cpu1 enters 1",
                    "0.000001100 cpu0 0: cpu0 exits",
                    "0.000001150 cpu1 0: cpu1 exits",
                ],
            );
            assert_eq!((trace.format.name(), trace.cpus), ("trace.dat", 2));
        }
    }
}

#[test]
fn equal_stamps_are_in_the_order_of_cpus() {
    let file = SMALL.file(&[SMALL.stay(7, 1), SMALL.stay(7, 0)], None, "[mono]");
    check(
        &file,
        &[
            "0.000000007 cpu0 0: cpu1 enters 1",
            "0.000000007 cpu1 0: cpu0 enters 1",
            "0.000000107 cpu0 0: cpu1 exits",
            "0.000000107 cpu1 0: cpu0 exits",
        ],
    );
}

#[test]
fn time_goes_on_by_extensions_absolute_stamps_and_padding() {
    for big in [false, true] {
        let made = Made { big, long: 8 };
        let long_record = [made.bytes(4 + 16, 4), made.record(1, 0)].concat();
        let records = [
            // Two units of 2^27 and 3 ns.
            made.entry(30, 3),
            made.bytes(2, 4),
            made.entry(0, 5),
            long_record,
            // Discarded: its time counts.
            made.entry(29, 10),
            made.bytes(8, 4),
            made.bytes(0, 4),
            made.entry(4, 1),
            made.record(u32::MAX, 0),
            made.entry(31, 9),
            made.bytes(8, 4),
            made.entry(4, 0),
            made.record(2, 0),
            // The rest of the page.
            made.entry(29, 0),
            made.bytes(u64::from(u32::MAX), 4),
        ]
        .concat();
        let file = made.file(&[made.page(1000, &records, 0, 0)], None, "[mono]");
        check(
            &file,
            &[
                "0.268436464 cpu0 0: cpu0 enters 1",
                "0.268436475 cpu0 0: cpu0 exits",
                "1.073741833 cpu0 0: cpu0 enters 2",
            ],
        );
    }
}

#[test]
fn lost_events_are_marked_before_the_event_that_follows() {
    let records = [SMALL.entry(4, 0), SMALL.record(1, 0)].concat();
    let pages = [
        SMALL.page(10, &records, 0, 0),
        SMALL.page(20, &records, 1 << 31, 0),
        SMALL.page(30, &records, 3 << 30, 40),
        SMALL.page(40, &[], 1 << 31, 0),
    ]
    .concat();
    let trace = check(
        &SMALL.file(&[pages], None, "[mono]"),
        &[
            "0.000000010 cpu0 0: cpu0 enters 1",
            "0.000000020 cpu0 -1: lost None",
            "0.000000020 cpu0 0: cpu0 enters 1",
            "0.000000030 cpu0 -1: lost Some(40)",
            "0.000000030 cpu0 0: cpu0 enters 1",
            "0.000000040 cpu0 -1: lost None",
        ],
    );
    assert_eq!(trace.report.lost_markers, 3);
}

#[test]
fn what_two_buffers_hold_is_taken_from_the_one_with_more_of_it() {
    let main = [SMALL.stay(10, 0), SMALL.stay(1000, 0)].concat();
    let instance = [SMALL.stay(11, 0)];
    for (first, second) in [
        (vec![main.clone()], instance.to_vec()),
        (instance.to_vec(), vec![main]),
    ] {
        let file = SMALL.file(&first, Some(&second), "[mono]");
        let trace = trace::read(&file).expect("a sound trace.dat");
        assert_eq!(trace.events.len(), 4);
        assert_eq!(trace.events.first().map(|event| event.time.as_ns()), Some(10));
        let skip = trace.report.skipped.first().map(|skip| (skip.reason, skip.lines));
        assert_eq!(skip, Some((Reason::OtherBuffer, 2)));
    }
}

#[test]
fn a_clock_that_counts_no_time_is_refused() {
    for clock in ["counter", "uptime", "x86-tsc"] {
        let file = SMALL.file(&[SMALL.stay(10, 0)], None, &format!("local [{clock}] mono\n"));
        assert_eq!(
            trace::read(&file).expect_err("no times").to_string(),
            format!(
                "stamps are not times: trace_clock was `{clock}`: record again with `trace-cmd record -C mono`"
            )
        );
    }
}

#[test]
fn a_file_that_is_cut_off_gives_what_comes_before() {
    let whole = sample("arm64-menu-v6.dat.gz");
    let cut = trace::read(&whole[..whole.len() - 300_000]).expect("most of it");
    let full = trace::read(&whole).expect("all of it");
    assert!(cut.events.len() > 10_000 && cut.events.len() < full.events.len());
    assert!(cut.events.iter().all(|event| {
        full.events
            .binary_search_by_key(&event.time, |other| other.time)
            .is_ok()
    }));
    assert!(matches!(cut.report.stopped, Some(Stopped::Damaged { .. })));
    let head = trace::read(&whole[..100_000]).expect_err("the head alone");
    assert_eq!(
        head.to_string(),
        "trace.dat of trace-cmd is damaged: expected the symbols at byte 28787"
    );
}

/// Bytes that must neither panic nor take long.
pub(super) fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    let read = |cut: usize| -> Result<Trace, TraceError> {
        let mut reader = Reader::new(Limits::default());
        let (left, right) = bytes.split_at(cut.min(bytes.len()));
        reader.feed(left)?;
        reader.feed(right)?;
        reader.finish()
    };
    let whole = read(0);
    prop_assert_eq!(&read(bytes.len() / 3), &whole);
    if let Ok(trace) = whole {
        prop_assert!(trace.events.is_sorted_by_key(|event| event.time));
        prop_assert!(trace.events.iter().all(|event| event.cpu.index() < 4096));
        let skipped = trace
            .report
            .skipped
            .iter()
            .filter(|skip| skip.reason.is_whole_line());
        let known = trace.report.event_lines
            + trace.report.marker_lines
            + skipped.map(|skip| skip.lines).sum::<u64>();
        prop_assert_eq!(
            trace.report.lines,
            known,
            "every record is an event, a marker or skipped"
        );
    }
    Ok(())
}

fn made_file() -> Vec<u8> {
    let pages = [SMALL.stay(10, 0), SMALL.stay(1000, 0)].concat();
    SMALL.file(
        &[pages, SMALL.stay(50, 1)],
        Some(&[SMALL.stay(20, 0), SMALL.stay(60, 1)]),
        "[mono]",
    )
}

#[test]
fn every_cut_of_a_small_file_is_read_or_refused() {
    let file = made_file();
    for at in 0..file.len() {
        survives(&file[..at]).unwrap_or_else(|error| panic!("cut at {at}: {error}"));
    }
}

#[test]
fn every_absurd_number_in_a_small_file_is_read_or_refused() {
    let file = made_file();
    for at in 0..file.len() - 8 {
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
        packed in any::<bool>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = if packed { sample("arm64-menu-v7-zstd.dat") } else { sample("juno-6cpu-v6.dat.gz") };
        for (at, noise, in_head) in flips {
            // Half of them among the first and last bytes, where the offsets are.
            let at = at.index(if in_head { 4096 } else { file.len() });
            let end = file.len() - 1 - at;
            file[if noise % 2 == 0 { at } else { end }] ^= noise;
        }
        if is_cut {
            file.truncate(cut.index(file.len()));
        }
        survives(&file)?;
    }

    #[test]
    fn anything_behind_the_mark_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000), version in 6_u8..8) {
        let mut file = b"\x17\x08\x44tracing".to_vec();
        file.extend([b'0' + version, 0, 0, 8, 0, 16, 0, 0]);
        file.extend(bytes);
        survives(&file)?;
    }
}
