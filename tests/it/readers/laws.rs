//! Laws of every reader: no input panics, cutting does not matter, every line is accounted for.

use std::fs;

use flate2::read::MultiGzDecoder;
use idlescope::trace::dump::MOST_IN_LIST;
use idlescope::trace::{Limits, Reader, Trace, TraceError, idle};
use proptest::prelude::*;

/// Lines of every kind, whole ones and defective ones.
const LINES: &[&str] = &[
    "# tracer: nop",
    "cpus=4",
    "",
    "CPU:2 [LOST 40 EVENTS]",
    "##### CPU 2 buffer started ####",
    "          <idle>-0       [002] d..1.   812.000100: cpu_idle: state=1 cpu_id=2",
    "          <idle>-0       [002] dn.1.   812.000340: cpu_idle: state=4294967295 cpu_id=2",
    "          <idle>-0     (-----) [001] .n.1   811.000100: cpu_idle: state=0 cpu_id=1",
    "          <idle>-0       [002] d..1.   812.000400: cpu_idle: state=1",
    "cpu_id=2",
    "> > a [3] b-7 [001] 812.1: cpu_idle: state=3D1 cpu_id=3D1",
    "          <idle>-0       [002] d..1.           a-1 [001] d..1. 812.2: cpu_idle: state=1 cpu_id=2",
    "  <idle>-0         2d..1.  100us+: cpu_idle: state=1 cpu_id=2",
    "         swapper     0 [002]   812.000100:         power:cpu_idle: state=1 cpu_id=2",
    "\tffffffff81a5b5e8 do_idle+0x1b8 ([kernel.kallsyms])",
    "a-1 [000] d.h..   4: cpu_idle: state=1 cpu_id=0",
    "a-1 [001] 1.0: hrtimer_start: hrtimer=00ab function=f expires=5 softexpires=5 mode=ABS",
    "a-1 [001] 1.0: timer_start: timer=00ab function=f expires=453 [timeout=1] cpu=3 idx=78 flags=D|P|I",
    "a-1 [001] 1.0: sched_switch: prev_comm=a prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=b next_pid=0 next_prio=1",
    "a-1 [001] 1.0: ipi_send_cpumask: cpumask=0-99999999999,3 callsite=f",
    "a-1 [001] 99999999999999.0: foo: bar",
    "a-1 [70000] 1.0: foo:",
    "mode=ABS was_armed=0",
    "<idle>-0 [002] 812.000099: bprint:               teo_update: cpu=2 hits=1,2,3 intercepts=4,5,-6 total=99",
    "<idle>-0 [002] 812.000098: teo_reflect: state=1 hits=7 foo=1",
    "<idle>-0 [001] 812.000097: menu_select: cpu=99999 factors=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
    "> <idle>-0 [001] 812.000096: menu_select: bucket=3 intervals=3D1,2,=",
    "x",
];

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => prop::sample::select(LINES).prop_map(str::to_owned),
        1 => (prop::sample::select(LINES), 0_usize..120).prop_map(|(line, cut)| line.chars().take(cut).collect()),
        1 => (prop::sample::select(LINES), prop::sample::select(LINES)).prop_map(|(a, b)| format!("{a}{b}")),
    ];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

fn read_in_chunks(bytes: &[u8], cuts: &[usize]) -> Result<Trace, TraceError> {
    let mut reader = Reader::new(Limits::default());
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, tail) = rest.split_at((*cut).min(rest.len()));
        reader.feed(chunk)?;
        rest = tail;
    }
    reader.feed(rest)?;
    reader.finish()
}

fn account_for_lines(trace: &Trace) -> Result<(), TestCaseError> {
    let report = &trace.report;
    let skipped: u64 = report
        .skipped
        .iter()
        .filter(|skip| skip.reason.is_whole_line())
        .map(|skip| skip.lines)
        .sum();
    let known = report.event_lines + report.joined_lines + report.marker_lines + skipped;
    prop_assert_eq!(
        report.lines,
        known,
        "every line is an event, a tail, a marker or skipped: {:?}",
        report
    );
    let by_name: u64 = report.events.iter().map(|tally| tally.lines).sum();
    prop_assert_eq!(report.event_lines, by_name);
    let events = u64::try_from(trace.events.len()).unwrap_or(u64::MAX);
    let dumps = u64::try_from(trace.dumps.list().len()).unwrap_or(u64::MAX);
    prop_assert_eq!(report.used_lines() + report.lost_markers, events + dumps);
    prop_assert_eq!(report.dumps.lines, dumps);
    prop_assert!(trace.dumps.list().is_sorted_by_key(|dump| dump.time));
    for dump in trace.dumps.list() {
        let values = trace.dumps.values(dump);
        prop_assert!(!values.is_empty() && values.iter().all(|value| value.at < MOST_IN_LIST));
        prop_assert!(dump.cpu.index() < 4096);
    }
    prop_assert!(trace.events.is_sorted_by_key(|event| event.time));
    prop_assert!(trace.events.iter().all(|event| event.cpu.index() < 4096));
    for cpu in idle::account(trace).cpus.values() {
        prop_assert_eq!(cpu.cpu_idle_events, cpu.enters + cpu.wakeups);
        prop_assert_eq!(cpu.wakeups, cpu.periods + cpu.orphan_exits);
        prop_assert!(cpu.residency_ns_total >= 0);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), cuts in prop::collection::vec(0_usize..50, 0..8)) {
        prop_assert_eq!(read_in_chunks(&bytes, &cuts), read_in_chunks(&bytes, &[]));
        let mut packed = b"\x1f\x8b\x08\x00".to_vec();
        packed.extend_from_slice(&bytes);
        if let Ok(trace) = read_in_chunks(&packed, &cuts) {
            account_for_lines(&trace)?;
        }
    }

    #[test]
    fn any_text_is_accounted_for_however_it_is_cut(text in lines(), cuts in prop::collection::vec(0_usize..200, 0..12)) {
        let whole = read_in_chunks(text.as_bytes(), &[]);
        prop_assert_eq!(&read_in_chunks(text.as_bytes(), &cuts), &whole);
        if let Ok(trace) = &whole {
            account_for_lines(trace)?;
        }
    }

    #[test]
    fn noise_in_a_line_harms_no_other(text in lines(), at in any::<prop::sample::Index>(), noise in any::<u8>()) {
        let mut bytes = text.into_bytes();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = noise;
        }
        if let Ok(trace) = read_in_chunks(&bytes, &[]) {
            account_for_lines(&trace)?;
        }
    }

    #[test]
    fn shuffled_lines_give_the_same_idle_figures(seed in prop::collection::vec(any::<u32>(), 200)) {
        // Different stamps, so that order in time alone decides.
        let line = |at: usize| {
            let state = if at.is_multiple_of(2) { "1" } else { "4294967295" };
            format!("a-1 [00{}] d..1. 1.{at:06}: cpu_idle: state={state} cpu_id={}\n", at % 3, at % 3)
        };
        let sorted: Vec<String> = (0..200).map(line).collect();
        let mut order: Vec<usize> = (0..200).collect();
        order.sort_by_key(|at| seed[*at]);
        let shuffled: String = order.iter().map(|at| sorted[*at].as_str()).collect();
        let figures = |text: &str| read_in_chunks(text.as_bytes(), &[]).map(|trace| idle::account(&trace).cpus);
        prop_assert_eq!(figures(&shuffled), figures(&sorted.concat()));
    }

    #[test]
    fn a_recorded_sample_may_be_cut_anywhere(at in any::<prop::sample::Index>(), cuts in prop::collection::vec(1_usize..70_000, 0..6)) {
        let bytes = recorded();
        let part = &bytes[..at.index(bytes.len())];
        let whole = read_in_chunks(part, &[]);
        prop_assert_eq!(&read_in_chunks(part, &cuts), &whole);
        if let Ok(trace) = &whole {
            account_for_lines(trace)?;
        }
    }
}

/// The sample with losses and lines cut off.
fn recorded() -> Vec<u8> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/traces/arm64-menu-ftrace-lost.txt.gz"
    );
    let packed = fs::read(path).expect("the sample is committed");
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut MultiGzDecoder::new(packed.as_slice()), &mut text)
        .expect("a sound gz file");
    text
}
