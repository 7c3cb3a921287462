//! Tools that print the same events in a shape of their own, and what may stand around a trace in one text (spec
//! trace-text-formats.md, D5 to D8).

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use idlescope::trace::report::Stopped;
use idlescope::trace::{self, Limits, Reader, Trace, TraceError};
use proptest::prelude::*;

use super::{check, summary};

const BODY: &str = "# tracer: nop
          <idle>-0     (-----) [001] d..1   812.000100: cpu_idle: state=1 cpu_id=1
          <idle>-0     (-----) [001] .n.1   812.000340: cpu_idle: state=4294967295 cpu_id=1
";
const EVENTS: &str = "812.000100000 cpu1 0: cpu1 enters 1\n812.000340000 cpu1 0: cpu1 exits\n";

/// The two events of [`BODY`], under the name of a format and with the lines skipped.
#[track_caller]
fn gives(input: &[u8], format: &str, skipped: &str) {
    let expect = format!("{format}, 1000 ns, 2 CPUs\n{EVENTS}{skipped}");
    assert_eq!(summary(input), expect);
    let whole = trace::read(input);
    for step in [1, 7, 100] {
        assert_eq!(fed(input, step), whole, "in pieces of {step}");
    }
}

fn fed(input: &[u8], step: usize) -> Result<Trace, TraceError> {
    let mut reader = Reader::new(Limits::default());
    for piece in input.chunks(step) {
        reader.feed(piece)?;
    }
    reader.finish()
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(plain).expect("memory");
    packer.finish().expect("memory")
}

#[test]
fn babeltrace_of_lttng_is_read_across_midnight() {
    check(
        "[23:59:59.999999000] (+?.?????????) host power_cpu_idle: { cpu_id = 2 }, { state = 1, cpu_id = 2 }\n\
         [00:00:00.000001000] (+0.000002000) host irq_handler_entry: { cpu_id = 2 }, { irq = 3, name = \"arch_timer\" }\n\
         [00:00:00.000002000] (+0.000001000) host power_cpu_idle: { cpu_id = 2 }, { state = 4294967295, cpu_id = 2 }\n\
         [00:00:00.000003000] (+0.000001000) host sched_switch: { cpu_id = 2 }, { tid = 0 }, { prev_comm = \"swapper/2\", \
         prev_tid = 0, prev_prio = 20, prev_state = 0, next_comm = \"a b\", next_tid = 7, next_prio = 20 }\n\
         [00:00:00.000004000] (+0.000001000) host power_cpu_idle: { cpu_id = 2 }, { state = 1 }\n\
         [00:00:00.000005000] (+0.000001000) host foo: { cpu_id = 2 }, { x = 1 }\n",
        "babeltrace text, 1 ns, 3 CPUs
         86399.999999000 cpu2 -1: cpu2 enters 1
         86400.000001000 cpu2 -1: IrqEntry { irq: 3, name: Some(NameId(0)) }
         86400.000002000 cpu2 -1: cpu2 exits
         86400.000003000 cpu2 0: switch 0 to 7
         arguments cut off or incomplete: 1 at [5]",
    );
}

#[test]
fn perf_trace_is_read_as_far_as_it_names_cpus() {
    check(
        "     0.100 swapper/0 power:cpu_idle(state: 1, cpu_id: 2)\n\
         \x20    0.340 (         ): swapper/0 power:cpu_idle(state: 4294967295, cpu_id: 2)\n\
         \x20    0.350 ( 0.001 ms): sleep/3 nanosleep(rqtp: 0x7f) = 0\n\
         \x20    0.360 swapper/0 timer:tick_stop(success: 1, dependency: 0)\n",
        "perf trace text, 1000 ns, own zero, 3 CPUs
         0.000100000 cpu2 0: cpu2 enters 1
         0.000340000 cpu2 0: cpu2 exits
         not an event line: 1 at [3]
         no CPU column: 1 at [4]",
    );
}

#[test]
fn a_log_of_bpftrace_is_read_and_any_three_numbers_are_not() {
    let log = "47392289790 0 1\n47392600560 0 4294967295\n";
    check(
        &format!("Attaching 3 probes...\n# ns cpu state\n{log}4739"),
        "bpftrace log, 1 ns, 1 CPUs
         47.392289790 cpu0 -1: cpu0 enters 1
         47.392600560 cpu0 -1: cpu0 exits
         not an event line: 2 at [1, 5]
         header and comments: 1 at [2]",
    );
    for text in [
        "1 2 3\n",
        "shopping list\n1 2 3\n4 5 6\n",
        "chapter one\n2026 11 30 was a day\n47392600560 0 1\nand so on\n",
    ] {
        let told = summary(text.as_bytes());
        assert!(told.starts_with("error: no event in "), "{text}: {told}");
    }
    // Beside lines of another tool three numbers mean nothing.
    let mixed = summary(format!("{BODY}{log}").as_bytes());
    assert!(
        mixed.ends_with("not an event line: 2 at [4, 5]\nheader and comments: 1 at [1]\n"),
        "{mixed}"
    );
}

#[test]
fn every_end_of_a_line_is_one() {
    for end in ["\n", "\r", "\r\n"] {
        let text = BODY.replace('\n', end);
        gives(text.as_bytes(), "ftrace text", "header and comments: 1 at [1]\n");
    }
}

#[test]
fn a_page_of_systrace_is_read_and_its_own_lines_are_no_defects() {
    let page = |inside: &str| {
        format!(
            "<!DOCTYPE html>\n<html>\n<script>function viewer() {{}}</script>\n<body>\n\
             <script class=\"trace-data\" type=\"application/text\">\nPROCESS DUMP\nUSER PID\n</script>\n\
             <script class=\"trace-data\" type=\"application/text\">\n{inside}</script>\n</body>\n</html>\n"
        )
    };
    gives(
        page(BODY).as_bytes(),
        "Android systrace page",
        "the page around the trace: 12 at [1, 2, 3, 4, 5]\nheader and comments: 1 at [10]\n",
    );
    let cut = page(&format!("{BODY}a defect\n"));
    assert!(summary(cut.as_bytes()).contains("not an event line: 1 at [13]"));
    let none = summary(page("").as_bytes());
    assert!(
        none.contains("found an Android systrace page without events of the kernel"),
        "{none}"
    );
}

#[test]
fn atrace_is_read_plain_and_packed() {
    let chatter = "capturing trace... done\nTRACE:\n";
    gives(
        format!("{chatter}{BODY}").as_bytes(),
        "Android atrace text",
        "header and comments: 2 at [2, 3]\nnot an event line: 1 at [1]\n",
    );
    for start in [chatter, "TRACE:\n"] {
        let packed = [start.as_bytes(), &zlib(BODY.as_bytes())].concat();
        let trace = trace::read(&packed).expect("a sound trace");
        assert_eq!(
            (trace.format.name(), trace.events.len()),
            ("Android atrace text", 2)
        );
        assert_eq!(trace.report.stopped, None);
        for step in [1, 5] {
            assert_eq!(fed(&packed, step), Ok(trace.clone()), "in pieces of {step}");
        }
        let cut = trace::read(&packed[..packed.len() - 6]).expect("what came before");
        assert_eq!(cut.report.stopped, Some(Stopped::CutGz));
    }
}

#[test]
fn the_text_within_json_is_read() {
    let json = format!(
        "{{\"traceEvents\": [{{\"name\": \"a\"}}],\n\"systemTraceEvents\": {}, \"b\": 1}}\n",
        serde_json::to_string(BODY).expect("text")
    );
    gives(
        json.as_bytes(),
        "JSON with systemTraceEvents",
        "header and comments: 1 at [1]\nblank lines: 1 at [4]\n",
    );
}

proptest! {
    #[test]
    fn packed_or_within_json_anything_is_read_or_refused_however_it_is_cut(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        at in any::<prop::sample::Index>(),
        step in 1_usize..40,
    ) {
        let mut packed = [b"TRACE:\n".as_slice(), &zlib(BODY.repeat(20).as_bytes())].concat();
        let json = [b"{\"systemTraceEvents\":\"".as_slice(), &bytes].concat();
        let behind = [b"capturing trace... done\nTRACE:\n\x78\x9c".as_slice(), &bytes].concat();
        let place = at.index(packed.len());
        packed[place] ^= 0x55;
        for input in [packed, json, behind] {
            prop_assert_eq!(fed(&input, step), trace::read(&input));
        }
    }
}
