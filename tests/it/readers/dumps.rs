//! What governors printed about themselves with `trace_printk` (spec trace-text-formats.md, D11).

use std::fmt::Write as _;

use idlescope::trace::report::Purpose;
use idlescope::trace::{self, Limits, Reader, Trace};

/// One idle period, so that the text is a trace.
const IDLE: &str = "<idle>-0 [002] d..1. 812.000100: cpu_idle: state=1 cpu_id=2\n";

fn show(trace: &Trace) -> String {
    let mut text = String::new();
    for dump in trace.dumps.list() {
        let us = dump.time.as_ns() / 1000;
        let (family, moment) = (dump.family, dump.moment);
        let _ = write!(text, "line {} {us} {} {family:?} {moment:?}", dump.line, dump.cpu);
        for value in trace.dumps.values(dump) {
            let _ = write!(text, " {}[{}]={}", value.key.name(), value.at, value.number);
        }
        text.push('\n');
    }
    for (key, lines) in &trace.report.dumps.unknown {
        let _ = writeln!(text, "unknown {key}: {lines}");
    }
    for skip in &trace.report.skipped {
        let words = skip.reason.words();
        let _ = writeln!(text, "{words}: {} at {:?}", skip.lines, skip.first_lines);
    }
    text
}

#[track_caller]
fn check(lines: &str, expect: &str) {
    let trace = trace::read(format!("{IDLE}{lines}").as_bytes()).expect("one event is enough");
    let expect: Vec<&str> = expect.lines().map(str::trim).collect();
    let got = show(&trace);
    assert_eq!(got.lines().collect::<Vec<_>>(), expect);
}

#[test]
fn ftrace_trace_cmd_and_perf_print_the_function_in_places_of_their_own() {
    check(
        "<idle>-0 [002] d..1. 812.000200: teo_update: hits=5,0 total=9\n\
         \x20         <idle>-0     [003] d..1.   812.000300: bprint:               teo_update: cpu=2 hits=5,0\n\
         \x20         <idle>-0     [003] d..1.   812.000400: print:                menu_select: bucket=3\n\
         swapper     0 [001]   812.000500:         ftrace:bprint: teo_select: short_idles=4\n",
        "line 2 812000200 cpu2 Teo Select hits[0]=5 hits[1]=0 total[0]=9
         line 3 812000300 cpu2 Teo Select hits[0]=5 hits[1]=0
         line 4 812000400 cpu3 Menu Select bucket[0]=3
         line 5 812000500 cpu1 Teo Select short_idles[0]=4",
    );
}

#[test]
fn other_texts_stay_what_they_were() {
    let text = format!(
        "{IDLE}a-1 [001] 812.1: bprint: do_idle: hits=5\na-1 [001] 812.2: print: B|12|x\n\
         a-1 [001] 812.3: bputs: hello\na-1 [001] 812.4: do_idle: hits=5\n"
    );
    let trace = trace::read(text.as_bytes()).expect("one event is enough");
    assert_eq!(show(&trace), "");
    for (name, purpose) in [
        ("bprint", Purpose::NotNeeded),
        ("print", Purpose::NotNeeded),
        ("bputs", Purpose::NotNeeded),
        ("do_idle", Purpose::Unknown),
    ] {
        assert_eq!(
            trace.report.event(name).map(|tally| (tally.used, tally.purpose)),
            Some((0, purpose)),
            "{name}"
        );
    }
}

#[test]
fn a_line_that_looks_like_a_dump_says_what_it_lacks() {
    check(
        "a-1 [001] 812.1: bprint: teo_update: here I am\n\
         a-1 [001] 812.2: teo_update: hits=1,x\n\
         a-1 [001] 812.3: teo_update: total=1,2\n\
         a-1 [001] 812.4: teo_update: cpu=70000 total=1\n\
         a-1 [001] 812.5: teo_update: hits=1,2,          <idle>-0       [002] d..1. 812.6: teo_update: hits=1\n\
         a-1 [001] 812.7: teo_update: total=7 foo=1 bar=x\n\
         a-1 [001] 812.8: teo_update: total=8 foo=1\n",
        "line 7 812700000 cpu1 Teo Select total[0]=7
         line 8 812800000 cpu1 Teo Select total[0]=8
         unknown foo: 2
         unknown bar: 1
         printed by a governor, no known key: 1 at [2]
         printed by a governor, value is no number: 1 at [3]
         printed by a governor, too many numbers: 1 at [4]
         CPU out of range: 1 at [5]
         cut off, and the next line lost with it: 1 at [6]",
    );
}

#[test]
fn a_mail_may_have_quoted_and_encoded_it() {
    check(
        "> > <idle>-0 [002] d..1. 812.000200: teo_update: hits=3D5,0 total=3D9\n",
        "line 2 812000200 cpu2 Teo Select hits[0]=5 hits[1]=0 total[0]=9",
    );
    check(
        "<idle>-0 [002] d..1. 812.000200: teo_update: hits=3D5,0 total=3D=\n9\n",
        "line 2 812000200 cpu2 Teo Select hits[0]=5 hits[1]=0 total[0]=9",
    );
}

#[test]
fn dumps_are_in_order_of_time_whatever_the_order_of_lines() {
    check(
        "a-1 [001] 812.2: teo_update: total=2\na-1 [001] 812.1: teo_update: total=1\n",
        "line 3 812100000 cpu1 Teo Select total[0]=1
         line 2 812200000 cpu1 Teo Select total[0]=2",
    );
}

#[test]
fn numbers_beyond_the_limit_are_not_kept_but_counted() {
    let mut reader = Reader::new(Limits {
        max_dump_values: 3,
        ..Limits::default()
    });
    let text = format!(
        "{IDLE}a-1 [001] 812.1: teo_update: hits=1,2\na-1 [001] 812.2: teo_update: hits=3,4\n\
         a-1 [001] 812.3: teo_update: total=5\n"
    );
    reader.feed(text.as_bytes()).expect("text");
    let trace = reader.finish().expect("one event is enough");
    assert_eq!(
        show(&trace),
        "line 2 812100000 cpu1 Teo Select hits[0]=1 hits[1]=2\n\
         line 4 812300000 cpu1 Teo Select total[0]=5\n\
         printed by a governor, more than is kept: 1 at [3]\n"
    );
    assert_eq!((trace.report.dumps.lines, trace.report.dumps.values), (2, 3));
}
