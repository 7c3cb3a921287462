//! Traces that went through a mail program (spec trace-text-formats.md, D13).

use super::check;

const EVENTS: &str = "ftrace text without header (trace_pipe), 1000 ns, 35 CPUs
    812.000100000 cpu34 0: cpu34 enters 1
    812.000340000 cpu34 0: cpu34 exits";

#[test]
fn quote_marks_are_undone() {
    check(
        "> > <idle>-0 [034] d..1. 812.000100: cpu_idle: state=1 cpu_id=34\n\
         >> <idle>-0 [034] d..1. 812.000340: cpu_idle: state=4294967295 cpu_id=34\n",
        EVENTS,
    );
    check(
        "> # tracer: nop\n>\n\
         > <idle>-0 [034] d..1. 812.000100: cpu_idle: state=1 cpu_id=34\n\
         > CPU:34 [LOST 7 EVENTS]\n\
         > <idle>-0 [034] d..1. 812.000340: cpu_idle: state=4294967295 cpu_id=34\n",
        "ftrace text, 1000 ns, 35 CPUs
         812.000100000 cpu34 0: cpu34 enters 1
         812.000340000 cpu34 -1: lost Some(7)
         812.000340000 cpu34 0: cpu34 exits
         header and comments: 1 at [1]
         blank lines: 1 at [2]",
    );
}

/// Seen on the list: the tail alone on the next line.
#[test]
fn wrapped_lines_are_joined() {
    check(
        "<idle>-0 [034] d..1. 812.000100: cpu_idle: state=1\ncpu_id=34\n\
         <idle>-0 [034] d..1. 812.000340: cpu_idle: state=4294967295\n    cpu_id=34\n",
        EVENTS,
    );
    check(
        "> <idle>-0 [034] d..1. 812.000100: cpu_idle:\n> state=1\n> cpu_id=34\n\
         > <idle>-0 [034] d..1. 812.000340:\n> cpu_idle: state=4294967295 cpu_id=34\n",
        EVENTS,
    );
    check(
        "a-1 [0] 1.0: hrtimer_start: hrtimer=1 function=f expires=5\nsoftexpires=5 mode=ABS\n\
         a-1 [0] 1.1: cpu_idle: state=0 cpu_id=0\n",
        "ftrace text without header (trace_pipe), 100000000 ns, 1 CPUs
         1.000000000 cpu0 1: hrtimer 0 f 5
         1.100000000 cpu0 1: cpu0 enters 0
         tails of wrapped lines, not needed: 1 at [2]",
    );
}

#[test]
fn a_line_without_its_tail_takes_nothing_from_the_next_event() {
    check(
        "<idle>-0 [034] d..1. 812.000100: cpu_idle: state=1\n\
         <idle>-0 [034] d..1. 812.000340: cpu_idle: state=4294967295 cpu_id=34\n",
        "ftrace text without header (trace_pipe), 1000 ns, 35 CPUs
         812.000340000 cpu34 0: cpu34 exits
         arguments cut off or incomplete: 1 at [1]",
    );
}

#[test]
fn non_breaking_blanks_and_tabs_are_blanks() {
    check(
        "<idle>-0\u{a0}[034]\td..1.\u{a0}812.000100: cpu_idle:\u{a0}state=1\u{a0}cpu_id=34\n\
         \u{a0}> <idle>-0 [034] d..1. 812.000340: cpu_idle: state=4294967295 cpu_id=34\n",
        EVENTS,
    );
}

#[test]
fn quoted_printable_is_undone() {
    check(
        "<idle>-0 [034] d..1. 812.000100: cpu_idle: state=3D1 cpu_id=3D34\n\
         <idle>-0 [034] d..1. 812.000340: cpu_idle: state=3D4294967295 cpu_i=\nd=3D34\n",
        EVENTS,
    );
}
