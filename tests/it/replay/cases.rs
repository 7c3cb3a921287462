//! Single rules of the rebuild, each on a few lines of a trace.
//!
//! HZ is 250, the tick timer is `t0`, stamps are on the monotonic clock.

use idlescope::page::recording::recorded::record;
use idlescope::sim::{Cause, Flags, Keep};
use idlescope::trace;
use idlescope::units::{CpuId, Ns, Time};
use idlescope::workload::replay::wakes::Wakeups;
use idlescope::workload::replay::{Reading, Replay, Select, Tuning};

use super::{recording_machine, sample};

/// Builds a replay from lines `task time-in-µs event`; the task is `idle` or `work`.
fn replay(lines: &str) -> Replay {
    let mut text = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(3, ' ');
        let task = if parts.next() == Some("idle") {
            "<idle>-0"
        } else {
            "work-7"
        };
        let us: u64 = parts.next().and_then(|us| us.parse().ok()).expect("µs");
        let event = parts.next().expect("an event");
        let event = event
            .replace("RUN", "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=7 next_prio=120")
            .replace("SLEEP", "sched_switch: prev_comm=work prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120")
            .replace("ENTER", "cpu_idle: state=")
            .replace("EXIT", "cpu_idle: state=4294967295 cpu_id=0")
            .replace("STOP", "tick_stop: success=1 dependency=NONE")
            .replace("TICK ", "hrtimer_start: hrtimer=00000000000000a0 function=tick_sched_timer softexpires=0 mode=ABS expires=")
            .replace("TICKED ", "hrtimer_expire_entry: hrtimer=00000000000000a0 function=tick_sched_timer now=")
            .replace("ARM ", "hrtimer_start: hrtimer=00000000000000b0 function=hrtimer_wakeup softexpires=0 mode=REL expires=")
            .replace("FIRED ", "hrtimer_expire_entry: hrtimer=00000000000000b0 function=hrtimer_wakeup now=")
            .replace("IRQ", "irq_handler_entry: irq=11 name=arch_timer")
            .replace("DONE", "irq_handler_exit: irq=11 ret=handled");
        let event = if event.contains("cpu_idle:") && !event.contains("cpu_id=") {
            format!("{event} cpu_id=0")
        } else {
            event
        };
        text.push_str(&format!(
            "{task:>16}       [000] d.... {:>5}.{:06}: {event}\n",
            us / 1_000_000,
            us % 1_000_000
        ));
    }
    let trace = trace::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(
        trace.events.len(),
        lines.lines().filter(|line| !line.trim().is_empty()).count(),
        "{text}"
    );
    Replay::of(&trace, Tuning::default())
}

fn selects(lines: &str) -> Vec<Select> {
    replay(lines).selects.swap_remove(0)
}

fn us(us: i64) -> Time {
    Time::from_ns(us * 1_000)
}

/// A tick before everything, so that HZ and the clocks are known.
const BEFORE: &str = "
    work 4000010 IRQ
    work 4000010 TICKED 4000010000
    work 4000012 TICK 4004000000
    work 4000014 DONE
";

#[track_caller]
fn check(lines: &str, expect: impl Fn(&[Select]) -> bool) {
    let rows = selects(&format!("{BEFORE}{lines}"));
    assert!(expect(&rows), "{rows:#?}");
}

#[test]
fn a_stop_gives_the_kernels_own_evaluation_and_keeps_the_tick_that_was() {
    check(
        "work 4001000 ARM 4021000000
         work 4001010 SLEEP
         idle 4001040 STOP
         idle 4001044 TICK 4500000000
         idle 4001050 ENTER1",
        |rows| {
            let row = &rows[0];
            row.stopped_now
                && !row.was_stopped
                && row.tick == us(4_004_000)
                && row.programmed == us(4_500_000)
                && row.hrtimer == us(4_021_000)
                && row.now == us(4_001_023)
        },
    );
}

#[test]
fn a_stop_without_a_new_expiry_means_never_and_never_is_the_kernels() {
    let replay = replay(&format!(
        "{BEFORE}
         work 4001010 SLEEP
         idle 4001040 STOP
         idle 4001044 hrtimer_cancel: hrtimer=00000000000000a0
         idle 4001050 ENTER1"
    ));
    let row = &replay.selects[0][0];
    let inputs = row.inputs(replay.constants.clock, Time::NEVER, Keep::None);
    assert!(inputs.unbounded);
    assert_eq!(inputs.sleep.to_event, Ns::new(i64::MAX - 4_001_023_000));
    assert_eq!(inputs.sleep.to_event_or_tick, us(4_004_000) - us(4_001_023));
}

#[test]
fn the_tick_that_is_armed_again_before_a_task_runs_is_a_restart_and_no_stop() {
    check(
        "work 4001010 SLEEP
         idle 4001040 STOP
         idle 4001044 TICK 4500000000
         idle 4001050 ENTER1
         idle 4002000 EXIT
         idle 4002020 TICK 4004000000
         idle 4002030 RUN
         work 4003000 SLEEP
         idle 4003050 ENTER0",
        |rows| {
            rows[0].task_ran
                && !rows[1].was_stopped
                && !rows[1].stopped_now
                && rows[1].tick == us(4_004_000)
                && rows[1].after_reflect
        },
    );
}

#[test]
fn without_recorded_switches_the_restart_of_the_tick_ends_the_episode() {
    check(
        "work 4001000 ARM 4021000000
         idle 4001040 STOP
         idle 4001044 TICK 4500000000
         idle 4001050 ENTER1
         idle 4003000 EXIT
         idle 4003010 IRQ
         idle 4003020 DONE
         idle 4003030 hrtimer_cancel: hrtimer=00000000000000a0
         idle 4003032 TICK 4004000000
         idle 4003500 ENTER1",
        |rows| {
            let [first, second] = rows else { return false };
            first.task_ran
                && !second.was_stopped
                && second.tick == us(4_004_000)
                && second.now == us(4_003_475)
        },
    );
}

#[test]
fn a_tick_counts_for_the_period_whose_interrupts_it_is_among() {
    check(
        "work 4001010 SLEEP
         idle 4001050 ENTER0
         idle 4004030 EXIT
         idle 4004040 IRQ
         idle 4004045 TICKED 4004042000
         idle 4004050 TICK 4008000000
         idle 4004060 DONE
         idle 4004080 ENTER1",
        |rows| rows[0].got_tick && !rows[1].got_tick && rows[1].now == us(4_004_068),
    );
}

#[test]
fn a_tick_long_after_the_switch_to_idle_counts_for_the_next_period_a_prompt_one_does_not() {
    for (handler, counts) in [(4_001_200, false), (4_001_500, true)] {
        check(
            &format!(
                "work 4001010 SLEEP
                 idle {handler} IRQ
                 idle {} TICKED {handler}000
                 idle {} TICK 4008000000
                 idle {} DONE
                 idle {} ENTER0",
                handler + 2,
                handler + 4,
                handler + 6,
                handler + 20
            ),
            |rows| rows[0].got_tick == counts,
        );
    }
}

#[test]
fn a_tick_flag_outlives_an_episode_without_a_select() {
    check(
        "work 4001010 SLEEP
         idle 4002000 IRQ
         idle 4002002 TICKED 4002000000
         idle 4002004 TICK 4008000000
         idle 4002006 DONE
         idle 4002020 RUN
         work 4002900 SLEEP
         idle 4002950 ENTER0",
        |rows| rows.len() == 1 && rows[0].got_tick,
    );
}

#[test]
fn a_timer_that_first_shows_when_it_expires_was_pending_before() {
    check(
        "work 4001010 SLEEP
         idle 4001050 ENTER1
         idle 4009040 EXIT
         idle 4009050 IRQ
         idle 4009055 FIRED 4009052000
         idle 4009060 DONE
         idle 4009080 ENTER1",
        |rows| rows[0].hrtimer == us(4_009_052) && rows[1].hrtimer.is_never(),
    );
}

#[test]
fn a_stop_tells_which_wheel_timer_the_kernel_does_not_count_and_which_it_does() {
    check(
        "work 4001000 timer_start: timer=00000000000000c0 function=f expires=4294668298 [timeout=2] cpu=0 idx=10 flags=
         work 4001010 SLEEP
         idle 4001050 ENTER0
         idle 4002000 EXIT
         idle 4002010 IRQ
         idle 4002020 DONE
         idle 4002040 STOP
         idle 4002044 TICK 4500000000
         idle 4002050 ENTER1",
        |rows| rows[0].wheel == us(4_500_000) && rows[1].wheel == us(4_500_000),
    );
}

#[test]
fn a_loss_cuts_the_open_period_and_forgets_what_was_due() {
    let text = format!(
        "{BEFORE}
         work 4001000 ARM 4003000000
         work 4001010 SLEEP
         idle 4001050 ENTER1"
    );
    let before = selects(&text);
    assert_eq!((before[0].exit, before[0].cut), (None, None));
    // The samples hold real markers: see that they cut.
    let replay = Replay::of(
        &sample("arm64-menu-ftrace-loss-while-idle.txt.gz"),
        Tuning::default(),
    );
    let cut = replay
        .selects
        .iter()
        .flatten()
        .filter(|row| row.cut.is_some())
        .count();
    assert_eq!(cut, 12, "one for each marker");
    for rows in &replay.selects {
        for pair in rows.windows(2).filter(|pair| pair[0].cut.is_some()) {
            assert!(pair[1].uncertain && !pair[1].after_reflect && !pair[1].was_stopped);
        }
    }
}

#[test]
fn wakeups_have_the_cause_and_the_instant_that_events_tell() {
    let replay = replay(&format!(
        "{BEFORE}
         work 4001000 ARM 4009000000
         work 4001010 SLEEP
         idle 4001050 ENTER0
         idle 4004030 EXIT
         idle 4004040 IRQ
         idle 4004045 TICKED 4004042000
         idle 4004050 TICK 4008000000
         idle 4004060 DONE
         idle 4004080 ENTER1
         idle 4009080 EXIT
         idle 4009090 IRQ
         idle 4009095 FIRED 4009092000
         idle 4009098 sched_wakeup: comm=work pid=7 prio=120 target_cpu=000
         idle 4009099 DONE
         idle 4009120 RUN"
    ));
    let machine = recording_machine();
    let wakeups = Wakeups::of(&replay, &machine);
    let lane = record(&replay, &machine, &wakeups, Reading::PLAIN);
    let rows: Vec<_> = lane.lane(CpuId::new(0)).expect("CPU 0").rows().collect();
    assert_eq!((rows[0].cause, rows[0].wake), (Cause::Tick, us(4_004_000)));
    assert_eq!((rows[1].cause, rows[1].wake), (Cause::Timer, us(4_009_000)));
    assert!(rows[1].flags.has(Flags::RESCHEDULED) && !rows[0].flags.has(Flags::RESCHEDULED));
    assert_eq!(
        (rows[0].period, rows[1].period),
        (0, 0),
        "the tick only chopped the stretch"
    );
    // 3 ms in WFI would have paid off in cpu-sleep-0; 5 ms there fit.
    assert!(rows[0].flags.has(Flags::TOO_SHALLOW) && !rows[1].flags.has(Flags::TOO_DEEP));
}

#[test]
fn without_timer_events_the_exit_is_no_more_than_a_guess_of_the_timer() {
    let rows = selects(
        "idle 4001050 ENTER1
         idle 4009080 EXIT
         idle 4009500 ENTER0",
    );
    assert_eq!(rows[0].hrtimer, us(4_009_040));
    assert!(rows[0].task_ran, "a gap of 420 µs");
    assert!(rows[1].hrtimer.is_never());
}

#[test]
fn the_recorded_lane_sums_to_what_the_idle_events_say() {
    for file in [
        "arm64-menu-ftrace.txt.gz",
        "arm64-menu-perf-script.txt.gz",
        "x86-haltpoll-ftrace.txt.gz",
    ] {
        let trace = sample(file);
        let replay = Replay::of(&trace, Tuning::default());
        let machine = recording_machine();
        let wakeups = Wakeups::of(&replay, &machine);
        let lanes = record(&replay, &machine, &wakeups, Reading::PLAIN);
        for (cpu, idle) in trace::idle::account(&trace).cpus {
            let lane = lanes.lane(cpu).expect("a lane for each CPU");
            let mut periods = 0;
            let mut residency = Ns::ZERO;
            for row in lane.rows().filter(|row| !row.flags.has(Flags::UNCOUNTED)) {
                periods += 1;
                residency += row.residency();
            }
            assert_eq!(
                (periods, residency.as_ns()),
                (idle.periods, idle.residency_ns_total),
                "{file} {cpu}"
            );
        }
    }
}
