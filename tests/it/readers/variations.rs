//! What each tool, kernel and option makes of the same events (spec trace-text-formats.md, D1–D4,
//! D11, and the traps that other readers fell into).

use super::check;

/// The same three events under every head that ftrace and trace-cmd print.
#[test]
fn the_width_of_flags_and_thread_groups_does_not_matter() {
    for head in [
        "          <idle>-0     [002]  ",
        "          <idle>-0     [002] d..1  ",
        "          <idle>-0       [002] d..1.  ",
        "          <idle>-0       [002] d..1..1  ",
        "          <idle>-0       [002] DN.h1.b.  ",
        "          <idle>-0     (-----) [002] d..1  ",
        "          <idle>-0       (-------) [002] d..1.  ",
        "           <...>-0       (      0) [002] d..1.  ",
        "          <idle>-0       0 [002] d..1  ",
    ] {
        let input = format!(
            "# tracer: nop\n\
             {head} 812.000100: cpu_idle: state=1 cpu_id=2\n\
             {head} 812.000340: cpu_idle: state=4294967295 cpu_id=2\n\
             {head} 812.000341: cpu_idle_miss: cpu_id=2 state=1 type=below\n"
        );
        check(
            &input,
            "ftrace text, 1000 ns, 3 CPUs
             812.000100000 cpu2 0: cpu2 enters 1
             812.000340000 cpu2 0: cpu2 exits
             812.000341000 cpu2 0: cpu2 misses 1 Below
             header and comments: 1 at [1]",
        );
    }
}

/// Trap 1: a normal header, `#` lines without `#P:`, latency lines above the legend.
#[test]
fn a_header_is_only_a_header() {
    check(
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: 6/9   #P:4\n#\n\
         #           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n\
         # latency: 160 us, #116/116, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:8)\n\
         #    | task: x-29 (uid:0 nice:0 policy:1 rt_prio:99)\n\
         <idle>-0 [001] d..1. 1.000001: cpu_idle: state=0 cpu_id=1\n\
         # tracer: nop\n\
         <idle>-0 [001] d..1. 1.000002: cpu_idle: state=-1 cpu_id=1\n",
        "ftrace text, 1000 ns, 2 CPUs
         1.000001000 cpu1 0: cpu1 enters 0
         1.000002000 cpu1 0: cpu1 exits
         header and comments: 8 at [1, 2, 3, 4, 5]",
    );
}

#[test]
fn the_header_facts_are_kept_but_not_trusted() {
    let trace = idlescope::trace::read(
        b"# tracer: nop\n# entries-in-buffer/entries-written: 30624/40000   #P:4\n\
          a-1 [006] d..1. 1.0: cpu_idle: state=0 cpu_id=6\n",
    )
    .expect("one event is enough");
    let header = &trace.report.header;
    assert_eq!(
        (header.entries_in_buffer, header.entries_written),
        (Some(30624), Some(40000))
    );
    assert_eq!((header.online_cpus, trace.cpus), (Some(4), 7));
}

#[test]
fn loss_markers_stand_before_the_event_that_follows() {
    check(
        "CPU:2 [LOST 40 EVENTS]\n\
         <idle>-0 [002] d..1. 1.000001: cpu_idle: state=0 cpu_id=2\n\
         CPU:1 [LOST EVENTS]\n\
         ##### CPU 1 buffer started ####\n\
         CPU:3 [12 EVENTS DROPPED]\n\
         CPU:3 [EVENTS DROPPED]\n\
         CPU:3 [SUBBUFFER START]\n\
         <idle>-0 [001] d..1. 1.000009: foo: bar\n\
         CPU:0 [LOST 3 EVENTS]\n",
        "ftrace text without header (trace_pipe), 1000 ns, 3 CPUs
         1.000001000 cpu2 -1: lost Some(40)
         1.000001000 cpu2 0: cpu2 enters 0
         1.000009000 cpu1 -1: lost None
         1.000009000 cpu3 -1: lost Some(12)
         1.000009000 cpu3 -1: lost None
         1.000009000 cpu0 -1: lost Some(3)",
    );
}

#[test]
fn trace_cmd_report_in_every_spelling() {
    check(
        "cpus=4\n\
         \x20         <idle>-0     [002] d..1.   812.000100: cpu_idle:             state=1 cpu_id=2\n\
         \x20         <idle>-0     [002] dNh2.   812.000338: sched_wakeup:         worker:512 [120] CPU:002\n\
         \x20         <idle>-0     [002] d..2.   812.000352: sched_switch:         swapper/2:0 [120] R ==> worker:512 [120]\n",
        "trace-cmd report, 1000 ns, 4 CPUs
         812.000100000 cpu2 0: cpu2 enters 1
         812.000338000 cpu2 0: wakeup 512 on cpu2
         812.000352000 cpu2 0: switch 0 to 512
         header and comments: 1 at [1]",
    );
    // -t -l --ts-diff -R
    check(
        "version = 6\ncpus=2\n\
         \x20 <idle>-0       0d..1.   812.000100123:          cpu_idle:             state=0x1 cpu_id=0x0\n\
         \x20 <idle>-0       0d..1.   812.000340123: (+240000)   cpu_idle:          state=0xffffffff cpu_id=0x0\n\
         \x20 <idle>-0       0d..2.   812.000341123: (+1000)   sched_switch:         prev_comm=a b prev_pid=0 prev_prio=120 prev_state=1 next_comm=c next_pid=9 next_prio=120\n",
        "trace-cmd report, 1 ns, 2 CPUs
         812.000100123 cpu0 0: cpu0 enters 1
         812.000340123 cpu0 0: cpu0 exits
         812.000341123 cpu0 0: switch 0 to 9
         header and comments: 2 at [1, 2]",
    );
    check(
        "cpus=1\n\
         <idle>-0 [000] 1.000001: hrtimer_start: hrtimer=0xffff function=tick_sched_timer/0x0 expires=42 softexpires=42\n\
         trace.dat:          <idle>-0     [000]     1.000002: cpu_idle:             state=2 cpu_id=0\n",
        "trace-cmd report, 1000 ns, 1 CPUs
         1.000001000 cpu0 0: hrtimer 0 tick_sched_timer 42
         1.000002000 cpu0 0: cpu0 enters 2
         header and comments: 1 at [1]",
    );
}

#[test]
fn latency_format_is_relative() {
    check(
        "# tracer: nop\n\
         \x20 <idle>-0         2d..1.  100us+: cpu_idle: state=1 cpu_id=2\n\
         \x20 <idle>-0         2dn.1.  340us : cpu_idle: state=4294967295 cpu_id=2\n\
         \x20         <idle>       0   2 0 00000000 00000001 [000012ab] 0.400ms (+0.060ms): cpu_idle: state=0 cpu_id=2\n",
        "ftrace latency-format, 1000 ns, own zero, 3 CPUs
         0.000100000 cpu2 0: cpu2 enters 1
         0.000340000 cpu2 0: cpu2 exits
         0.000400000 cpu2 0: cpu2 enters 0
         header and comments: 1 at [1]",
    );
}

/// D4, and trap 7: these lines are events, not samples.
#[test]
fn perf_script_in_every_spelling() {
    check(
        "# ========\n# captured on    : Mon\n# nrcpus online : 4\n# ========\n#\n\
         \x20        swapper     0 [002]   812.000100:         power:cpu_idle: state=1 cpu_id=2\n\
         \tffffffff81a5b5e8 do_idle+0x1b8 ([kernel.kallsyms])\n\
         \tffffffff81a5b7f0 cpu_startup_entry+0x20 ([kernel.kallsyms])\n\
         \n\
         \x20        swapper     0/0     [002]   812.000340121:      power:cpu_idle: state=4294967295 cpu_id=2\n\
         \x20 Chrome IO-3 w   77/78   [001]   812.000341121:    1 sched:sched_switch: prev_comm=a prev_pid=78 prev_prio=120 prev_state=S ==> next_comm=b next_pid=0 next_prio=120\n\
         \x20        swapper     0 [001]   812.000342121: timer:tick_stop: success=1 dependency=NONE\n\
         \x20        swapper     0 [001]   812.000343121: PERF_RECORD_LOST lost 40\n",
        "perf script text, 1 ns, 3 CPUs
         812.000100000 cpu2 0: cpu2 enters 1
         812.000340121 cpu2 0: cpu2 exits
         812.000341121 cpu1 78: switch 78 to 0
         812.000342121 cpu1 0: TickStop { success: true }
         812.000342121 cpu1 -1: lost Some(40)
         header and comments: 5 at [1, 2, 3, 4, 5]
         call chains: 2 at [7, 8]
         blank lines: 1 at [9]",
    );
}

/// Trap 3: nothing is dropped without a word.
#[test]
fn every_event_name_is_counted() {
    let trace = idlescope::trace::read(
        b"a-1 [0] 1.0: cpu_idle: state=0 cpu_id=0\na-1 [0] 1.1: sched_stat_runtime: x=1\n\
          a-1 [0] 1.2: foo_bar: y\na-1 [0] 1.3: foo_bar: z\n",
    )
    .expect("one event is enough");
    let events: Vec<_> = trace
        .report
        .events
        .iter()
        .map(|tally| {
            format!(
                "{} {} {} {:?}",
                tally.name, tally.lines, tally.used, tally.purpose
            )
        })
        .collect();
    assert_eq!(
        events,
        [
            "foo_bar 2 0 Unknown",
            r#"cpu_idle 1 1 Used("state entered, wakeup")"#,
            "sched_stat_runtime 1 0 NotNeeded",
        ]
    );
}

#[test]
fn buffers_one_after_another_are_merged_by_time() {
    check(
        "a-1 [0] 1.000001: cpu_idle: state=0 cpu_id=0\na-1 [0] 3.000001: cpu_idle: state=-1 cpu_id=0\n\
         b-1 [1] 1.000001: cpu_idle: state=1 cpu_id=1\nb-1 [1] 2.000001: cpu_idle: state=-1 cpu_id=1\n",
        "ftrace text without header (trace_pipe), 1000 ns, 2 CPUs
         1.000001000 cpu0 1: cpu0 enters 0
         1.000001000 cpu1 1: cpu1 enters 1
         2.000001000 cpu1 1: cpu1 exits
         3.000001000 cpu0 1: cpu0 exits",
    );
}

/// What a reader of `trace_pipe` leaves where it was cut off.
#[test]
fn a_line_run_into_another_is_not_mixed_with_it() {
    check(
        "a-1 [001] d..1. 1.000001: cpu_idle: state=1 cp          <idle>-0       [002] d..1. 2.0: cpu_idle: state=0 cpu_id=2\n\
         a-1 [001] d..1.           <idle>-0       [002] d..1. 3.0: cpu_idle: state=0 cpu_id=2\n\
         a-1 [001] d..1. 4.0: hrtimer_start: hrtimer=1 function=f expires=5 mo          <idle>-0       [002] d..1. 3.0: hrtimer_start: hrtimer=2 function=g expires=6\n\
         a-1 [001] d..1. 5.000001: cpu_idle: state=1 cpu_id=1\n",
        "ftrace text without header (trace_pipe), 1000 ns, 2 CPUs
         4.000000000 cpu1 1: hrtimer 0 f 5
         5.000001000 cpu1 1: cpu1 enters 1
         cut off, and the next line lost with it: 2 at [1, 3]
         begins with a piece of another line: 1 at [2]",
    );
}

#[test]
fn what_cannot_be_used_is_named_with_its_lines() {
    check(
        "a-1 [001] d..1. 1.000001: cpu_idle: state=1 cpu_id=1\n\
         a-1 [001] d..1. 8l2.000341: cpu_idle: state=1 cpu_id=1\n\
         a-1 [001] d..1. 1.000003: cpu_idle: state=1\n\
         a-1 [001] d..1. 1.000004: cpu_idle: state=1 cpu_id=5000\n\
         a-1 [9000] d..1. 1.000005: cpu_idle: state=1 cpu_id=1\n\
         a-1 [001] d..1. 1.000006: cpu_idle: state=300 cpu_id=1\n\
         a-1 [001] d..1. 1.000007: hrtimer_cancel: hrtimer=(ptrval)\n\
         swapper 0 1.000008: power:cpu_idle: state=1 cpu_id=1\n\
         a-1 [001] d..1. 42: cpu_idle: state=1 cpu_id=1\n\
         something else\n\
         a-1 [001] d..1. 1.000011: do_idle <-cpu_startup_entry\n",
        "ftrace text without header (trace_pipe), 1000 ns, 2 CPUs
         1.000001000 cpu1 1: cpu1 enters 1
         CPU out of range: 2 at [4, 5]
         no timestamp: 1 at [2]
         arguments cut off or incomplete: 1 at [3]
         idle state out of range: 1 at [6]
         timer address hidden by the kernel: 1 at [7]
         no CPU column: 1 at [8]
         timestamp is a counter, not a time: 1 at [9]
         not an event line: 1 at [10]
         no event name: 1 at [11]",
    );
}

#[test]
fn the_first_defect_of_a_kind_is_kept_with_its_column() {
    let trace = idlescope::trace::read(
        b"a-1 [001] d..1. 1.000001: cpu_idle: state=1 cpu_id=1\n<idle>-0 [002] d..1. 8l2.000341: cpu_idle: state=1 cpu_id=2\n",
    )
    .expect("one event is enough");
    let sample = trace.report.skipped[0].sample.as_ref().expect("a sample");
    assert_eq!((sample.column, &sample.found[..10]), (22, "8l2.000341"));
}

/// D11: the kernel without a driver reports state 1; another task may be named on the line.
#[test]
fn the_cpu_named_by_the_event_counts() {
    check(
        "kworker/u16:1-events-9 [003] d..1. 1.000001: cpu_idle: state=1 cpu_id=2\n",
        "ftrace text without header (trace_pipe), 1000 ns, 4 CPUs
         1.000001000 cpu3 9: cpu2 enters 1",
    );
}

#[test]
fn stamps_have_one_to_nine_digits() {
    for (stamp, resolution) in [
        ("1.5", "100000000"),
        ("1.500", "1000000"),
        ("1.500000", "1000"),
        ("1.500000000", "1"),
    ] {
        check(
            &format!("a-1 [0] {stamp}: cpu_idle: state=0 cpu_id=0\r\n"),
            &format!(
                "ftrace text without header (trace_pipe), {resolution} ns, 1 CPUs
                 1.500000000 cpu0 1: cpu0 enters 0"
            ),
        );
    }
}
