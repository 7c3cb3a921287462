//! Commands that record a trace which the page can explain: those of the page and of the readme.
//!
//! Whole groups of events, not single ones: names within them differ between kernels, and the page says itself
//! what it made of each.

/// How one tool records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The tool.
    pub tool: &'static str,
    /// The commands, a shell's.
    pub commands: &'static str,
    /// Events that it cannot record, or that are not read from it; empty when there are none.
    pub lacks: &'static str,
}

/// All of them, the recommended one first.
pub const RECIPES: [Recipe; 6] = [
    Recipe {
        tool: "trace-cmd",
        commands: "trace-cmd record -C mono -b 20000 -e power:cpu_idle \\\n  -e power:cpu_idle_miss -e timer -e irq -e ipi \\\n  -e sched:sched_switch -e sched:sched_wakeup sleep 15\ntrace-cmd report -t > trace.txt",
        lacks: "",
    },
    Recipe {
        tool: "ftrace",
        commands: "cd /sys/kernel/tracing\necho mono > trace_clock; echo 20000 > buffer_size_kb\nfor e in power/cpu_idle power/cpu_idle_miss timer \\\n  irq ipi sched/sched_switch sched/sched_wakeup\ndo echo 1 > events/$e/enable; done\nsleep 15; cat trace > /tmp/trace.txt; echo 0 > events/enable",
        lacks: "",
    },
    Recipe {
        tool: "perf",
        commands: "perf record -a -k mono -m 8M -e power:cpu_idle \\\n  -e power:cpu_idle_miss -e 'timer:*' -e 'irq:*' -e 'ipi:*' \\\n  -e sched:sched_switch -e sched:sched_wakeup sleep 15\nperf script --ns > trace.txt",
        lacks: "",
    },
    Recipe {
        tool: "Perfetto",
        commands: "adb shell perfetto -o /data/misc/perfetto-traces/t \\\n  -t 15s -b 64mb power/cpu_idle 'irq/*' 'ipi/*' \\\n  sched/sched_switch sched/sched_wakeup\nadb pull /data/misc/perfetto-traces/t trace.pftrace",
        lacks: "timer and cpu_idle_miss",
    },
    Recipe {
        tool: "LTTng",
        commands: "E='timer_*,irq_*,sched_switch,sched_wakeup'\nlttng create; lttng enable-event -k \"power_cpu_idle,$E\"\nlttng start; sleep 15; lttng stop\nbabeltrace --clock-seconds ~/lttng-traces/* > trace.txt",
        lacks: "cpu_idle_miss and ipi",
    },
    Recipe {
        tool: "bpftrace",
        commands: "timeout 15 bpftrace -e 'tracepoint:power:cpu_idle {\n  printf(\"%llu %u %u\\n\", nsecs, args.cpu_id, args.state);\n}' > trace.txt",
        lacks: "cpu_idle_miss, timer, irq, ipi, sched_switch and sched_wakeup",
    },
];

/// What differs on machines without the group of IPI events.
pub const ON_X86: &str = "On x86, irq_vectors takes the place of ipi.";

/// How a patched kernel lets the page check a governor's own numbers; the readme has all keys.
pub const OWN_NUMBERS: (&str, &str) = (
    "To check a governor's own numbers too, have its select function print them:",
    "trace_printk(\"hits=%u,%u intercepts=%u,%u total=%u\\n\", ...);",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::dump::Key;

    #[test]
    fn the_readme_and_the_page_record_alike() {
        let readme = include_str!("../../README.md");
        let [first, ..] = RECIPES;
        assert!(
            readme.contains(&format!("```\n{}\n```", first.commands)),
            "{}",
            first.commands
        );
    }

    #[test]
    fn the_readme_and_the_page_print_alike() {
        let readme = include_str!("../../README.md");
        let (_, line) = OWN_NUMBERS;
        assert!(readme.contains(&format!("```\n{line}\n```")), "{line}");
        assert!(line.len() <= 62, "too wide for the card");
    }

    #[test]
    fn the_readme_names_every_key_that_is_read() {
        let readme = include_str!("../../README.md");
        for key in Key::ALL {
            assert!(readme.contains(&format!("`{}`", key.name())), "{}", key.name());
        }
    }

    #[test]
    fn every_tool_records_the_same_events() {
        for Recipe {
            tool,
            commands,
            lacks,
        } in RECIPES
        {
            for event in [
                "cpu_idle",
                "cpu_idle_miss",
                "timer",
                "irq",
                "ipi",
                "sched_switch",
                "sched_wakeup",
            ] {
                // Said to be lacking, or recorded.
                let lacking = lacks.split([' ', ',']).any(|word| word == event);
                assert_ne!(commands.contains(event), lacking, "{tool}: {event}");
            }
            assert!(
                commands.lines().all(|line| line.len() <= 62),
                "{tool}: too wide for the card"
            );
        }
    }
}
