//! Files of which nothing can be used: what, where, expected, found.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use idlescope::trace::report::Stopped;
use idlescope::trace::{self, Limits, Reader, TraceError};

use super::{check, summary};

const EVENT: &str = "a-1 [0] 1.0: cpu_idle: state=0 cpu_id=0\n";

fn gz(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).expect("writing to memory");
    packer.finish().expect("writing to memory")
}

#[test]
fn a_counter_is_not_taken_for_time() {
    let line = |stamp: u64| {
        format!("            init-1       [000] d.h..            {stamp}: cpu_idle: state=1 cpu_id=0\n")
    };
    let text: String = (4..40).map(line).collect();
    check(
        &text,
        "error: stamps are not times: expected seconds.fraction, found the bare integer 4 at line 1, column 49; \
         trace_clock was `counter` (a sequence number): record again after `echo mono > trace_clock`",
    );
    let text: String = (4..40).map(|step| line(71_234_567_890 + step * 54_321)).collect();
    assert!(summary(text.as_bytes()).contains("trace_clock was `x86-tsc` (cycles)"));
    let text: String = (4..40).map(|step| line(4_294_909 + step / 7)).collect();
    assert!(summary(text.as_bytes()).contains("trace_clock was `uptime` (jiffies)"));
}

#[test]
fn a_counter_is_settled_before_the_end() {
    let mut reader = Reader::new(Limits::default());
    let line = "a-1 [0] d.h.. 7: cpu_idle: state=1 cpu_id=0\n".repeat(2000);
    assert!(matches!(
        reader.feed(line.as_bytes()),
        Err(TraceError::NotTime {
            line: 1,
            column: 15,
            ..
        })
    ));
    assert!(reader.feed(b"more").is_err(), "the same error again");
}

#[test]
fn other_formats_are_named_with_the_way_out() {
    let start = |bytes: &[u8]| summary(&[bytes, &[b' '; 64]].concat());
    assert_eq!(
        start(b"\x17\x08\x44tracing6\0"),
        "error: trace.dat of trace-cmd is damaged: expected 0 or 1 for the byte order at byte 12\n"
    );
    assert!(
        start(b"PERFILE2")
            .contains("perf.data is damaged: expected the places of attributes and records at byte")
    );
    assert!(
        start(b"\x28\xb5\x2f\xfd").contains("a zstd file is damaged: expected a whole zstd frame at byte")
    );
    assert!(start(b"\x0a\x93\x01\x2a\x00").contains("a Perfetto trace is damaged: expected a whole packet"));
    assert!(start(b"\xfd7zXZ\x00").contains("an xz file is damaged: expected an xz stream with"));
    assert!(start(b"BZh9").contains("a bzip2 file; convert with: bzip2 -d FILE"));
    assert!(start(b"\xff\xfea\0b\0").contains("text in UTF-16"));
    assert_eq!(
        start(b"%PDF-1.7"),
        "error: this is not a trace: expected text with `cpu_idle:` lines, found a PDF at byte 0\n"
    );
    assert!(summary(&gz("\x17\x08\x44tracing6 and more")).contains("trace.dat of trace-cmd"));
    assert!(summary(&gz("%PDF")).contains("found a PDF"));
    assert!(summary(b"{\"traceEvents\":[]}\n").contains("a JSON trace"));
}

#[test]
fn nothing_and_nonsense_say_what_was_expected() {
    check(
        "",
        "error: the file is empty; expected text with `cpu_idle:` lines",
    );
    check(
        "# only\n\nDear all,\nplease find\n",
        "error: no event in 4 lines: expected lines like `<idle>-0 [002] d..1. 812.000100: cpu_idle: state=1 cpu_id=2`, \
         found at line 3: Dear all,",
    );
    check(
        "a-1 [0] 1.0: sched_switch: x\na-1 [0] 1.1: foo: x\n",
        "error: no idle events in 2 lines: the file has foo, sched_switch, but no `cpu_idle`; record again with `-e cpu_idle`",
    );
    check(
        "a-1 [0] 1.0: foo: x\na-1 [0] 1.1: cpu_idle: state=1\n",
        "error: none of 1 `cpu_idle` lines tells of a CPU that goes to sleep: expected `state=1 cpu_id=2` after the name, \
         found `state=1` of CPU 0 at line 2",
    );
}

#[test]
fn a_line_without_end_shows_how_it_begins() {
    const EXPECTED: &str =
        "expected lines like `<idle>-0 [002] d..1. 812.000100: cpu_idle: state=1 cpu_id=2`";
    check(
        &"ab".repeat(1_500_000),
        &format!(
            "error: no event in 1 line: {EXPECTED}, found at line 1: a line of more than 65536 bytes, which begins {}…",
            "ab".repeat(20)
        ),
    );
    let page = format!("<!doctype html><title>a</title>{}", "<p>b".repeat(500_000));
    check(
        &page,
        "error: this is not a trace: expected text with `cpu_idle:` lines, found an HTML page at byte 0",
    );
    let json = format!("{{\"traceEvents\":[{}]}}", "{\"ph\":\"X\"},".repeat(100_000));
    assert!(summary(json.as_bytes()).contains("a JSON trace; convert with"));
}

#[test]
fn a_page_is_systrace_only_when_systrace_made_it() {
    let found = |text: &str| summary(text.as_bytes());
    let page = |body: &str| {
        found(&format!(
            "\n<!DOCTYPE HTML>\n<html>\n<body>\n{body}\n</body>\n</html>\n"
        ))
    };
    assert_eq!(
        page("<p>Cheap shoes</p>"),
        "error: this is not a trace: expected text with `cpu_idle:` lines, found an HTML page at byte 0\n"
    );
    assert!(
        page("<script class=\"trace-data\" type=\"application/text\">").contains("an Android systrace page")
    );
    assert!(page("<script>var linuxPerfData = \"\";</script>").contains("an Android systrace page"));
    assert!(found("<?xml version=\"1.0\"?>\n<a>\n").contains("found XML at byte 0"));
    assert!(found("{\"name\": 1}\n").contains("found JSON at byte 0"));
    let inside = page("<pre>\na-1 [0] 1.0: cpu_idle: state=0 cpu_id=0\n</pre>");
    assert!(
        inside.contains("cpu0 enters 0"),
        "a trace within a page is read: {inside}"
    );
}

#[test]
fn times_that_do_not_fit_are_named_with_the_last_that_does() {
    let line = |second: &str| format!("<idle>-0 [002] d..1. {second}.000100: cpu_idle: state=1 cpu_id=2\n");
    let late = "9223372037";
    check(
        &format!("# tracer: nop\n{}", line(late)),
        "error: no time in 2 lines: expected stamps in seconds up to 9223372036, \
         found 9223372037.000100: cpu_idle: state=1 cpu… at line 2, column 22: record again after `echo mono > trace_clock`",
    );
    assert!(summary(line("99999999999999999999999").as_bytes()).contains("error: no time in 1 line"));
    let some = summary(format!("{}{}", line("812"), line(late)).as_bytes());
    assert!(
        some.contains("timestamp beyond the year 2262: 1 at [2]"),
        "{some}"
    );
    let last = trace::read(line("9223372035").as_bytes()).expect("the last year");
    assert_eq!(last.events.len(), 1);
}

#[test]
fn a_trace_in_which_no_cpu_sleeps_says_what_its_idle_lines_lack() {
    #[track_caller]
    fn lacks(text: &str, expect: &str) {
        let told = "tells of a CPU that goes to sleep: expected ";
        check(text, &format!("error: none of 2 `cpu_idle` lines {told}{expect}"));
    }
    let lines = |cpu: &str, state: &str, cpu_id: &str| {
        let line =
            |ms: u32, state: &str| format!("a-1 [{cpu}] 1.00{ms}: cpu_idle: state={state} cpu_id={cpu_id}\n");
        [line(1, state), line(2, "4294967295")].concat()
    };
    lacks(
        &lines("000", "1", "99999"),
        "CPU numbers from 0 to 4095, found `state=1 cpu_id=99999` of CPU 0 at line 1",
    );
    lacks(
        &lines("99999", "1", "0"),
        "CPU numbers from 0 to 4095, found `state=1 cpu_id=0` of CPU 99999 at line 1",
    );
    let states = "`state=` from 0 to 9, since the kernel has no more idle states, or 4294967295 for an exit";
    lacks(
        &lines("000", "77", "0"),
        &format!("{states}, found `state=77 cpu_id=0` of CPU 0 at line 1"),
    );
    // What can be read is: the rest is counted.
    let some = summary(format!("{}{}", lines("000", "3", "0"), lines("000", "77", "0")).as_bytes());
    assert!(
        some.contains("cpu0 enters 3") && some.contains("idle state out of range: 1 at [3]"),
        "{some}"
    );
}

#[test]
fn text_that_is_no_event_is_told_by_its_first_line() {
    let found = |text: &[u8]| {
        summary(text)
            .split("found ")
            .nth(1)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    assert_eq!(
        found(b"# only\r\n\r\n#comments\n"),
        "nothing but blank lines and comments"
    );
    assert_eq!(found(b"name=a\nsize=3\n"), "at line 1: name=a");
    assert_eq!(
        found(b" 0000000 7f45 4c46 0102\n"),
        "at line 1: 0000000 7f45 4c46 0102"
    );
    assert_eq!(
        found(b"a-1 [0] d..1. cpu_idle: state=1 cpu_id=0\n"),
        "at line 1: no timestamp in cpu_idle: state=1 cpu_id=0"
    );
    let noise: Vec<u8> = (1..=255_u8).map(|n| n.wrapping_mul(37) | 0x81).collect();
    let told = found(&noise);
    assert!(
        told.starts_with("at line 1: \\xa5\\xcb\\xef") && !told.contains(char::is_control),
        "{told}"
    );
}

#[test]
fn text_of_two_bytes_a_letter_is_named_with_and_without_its_mark() {
    let wide = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| -> String {
        let text: Vec<u8> = EVENT.encode_utf16().flat_map(bytes).collect();
        summary(&[mark, &text].concat())
    };
    let all = [
        wide(b"\xff\xfe", u16::to_le_bytes),
        wide(b"\xfe\xff", u16::to_be_bytes),
        wide(b"", u16::to_le_bytes),
        wide(b"", u16::to_be_bytes),
    ];
    for told in all {
        assert!(told.contains("text in UTF-16; convert with: iconv"), "{told}");
    }
}

#[test]
fn gz_members_are_read_one_after_another() {
    let whole = summary(EVENT.repeat(3).as_bytes());
    assert_eq!(summary(&gz(&EVENT.repeat(3))), whole);
    let members = [gz(&EVENT[..20]), gz(""), gz(&EVENT[20..]), gz(&EVENT.repeat(2))].concat();
    assert_eq!(summary(&members), whole);
}

#[test]
fn a_cut_or_broken_gz_keeps_what_came_before() {
    let stamps = (0..20_000).map(|us: u32| us.wrapping_mul(7919) % 1_000_000);
    let text: String = stamps
        .map(|us| format!("a-1 [0] 1.{us:06}: cpu_idle: state=0 cpu_id=0\n"))
        .collect();
    let packed = gz(&text);
    let cut = trace::read(&packed[..packed.len() / 2]).expect("half of the events");
    assert_eq!(cut.report.stopped, Some(Stopped::CutGz));
    assert!(
        (5_000..20_000).contains(&cut.events.len()),
        "{}",
        cut.events.len()
    );
    let mut broken = packed.clone();
    let middle = broken.len() / 2;
    broken[middle..].fill(0xff);
    let whole = trace::read(&broken).expect("what came before the damage");
    assert!(matches!(whole.report.stopped, Some(Stopped::DamagedGz { .. })));
    for piece in [1, 100, 5000] {
        let mut reader = Reader::new(Limits::default());
        for piece in broken.chunks(piece) {
            reader.feed(piece).expect("a beginning that is sound");
        }
        assert_eq!(reader.finish().as_ref(), Ok(&whole), "in pieces of {piece}");
    }
    let broken = whole;
    assert!(broken.events.len() > 5_000, "{}", broken.events.len());
    assert_eq!(trace::read(&packed[..16]), Err(TraceError::Gz { bytes: 16 }));
    let mut twice = GzEncoder::new(Vec::new(), Compression::default());
    twice.write_all(&packed).expect("writing to memory");
    assert_eq!(
        summary(&twice.finish().expect("writing to memory")),
        "error: this is not a trace: expected text with `cpu_idle:` lines, \
         found gz data inside gz data (unpack it once: gunzip FILE) at byte 0\n"
    );
}

#[test]
fn limits_are_kept_and_said() {
    let limits = Limits {
        max_events: 2,
        ..Limits::default()
    };
    let mut reader = Reader::new(limits);
    reader.feed(EVENT.repeat(5).as_bytes()).expect("no failure");
    let trace = reader.finish().expect("the first two");
    assert_eq!(trace.events.len(), 2);
    assert_eq!(
        trace.report.stopped,
        Some(Stopped::TooManyEvents { line: 3, limit: 2 })
    );
    assert_eq!(
        trace.sha256,
        trace::read(EVENT.repeat(5).as_bytes()).expect("all").sha256
    );

    let mut reader = Reader::new(Limits {
        max_text_bytes: 100,
        ..Limits::default()
    });
    let error = reader.feed(EVENT.repeat(5).as_bytes()).expect_err("too much");
    assert_eq!(
        error,
        TraceError::TooLarge {
            bytes: 200,
            limit: 100
        }
    );

    let long = format!("{}{EVENT}{EVENT}", "x".repeat(70_000));
    let trace = trace::read(long.as_bytes()).expect("the second line");
    assert_eq!(
        (trace.events.len(), trace.report.skipped[0].reason.words()),
        (1, "line too long")
    );
}

#[test]
fn the_hash_is_that_of_the_bytes_as_given() {
    // printf 'a-1 [0] 1.0: cpu_idle: state=0 cpu_id=0\n' | sha256sum
    assert_eq!(
        trace::read(EVENT.as_bytes()).expect("one event").short_hash(),
        HASH
    );
    assert_ne!(trace::read(&gz(EVENT)).expect("one event").short_hash(), HASH);
}

const HASH: &str = "d6d0794d6351";
