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
}

/// All of them, the recommended one first.
pub const RECIPES: [Recipe; 3] = [
    Recipe {
        tool: "trace-cmd",
        commands: "trace-cmd record -C mono -b 20000 -e power:cpu_idle \\\n  -e power:cpu_idle_miss -e timer -e irq -e ipi \\\n  -e sched:sched_switch -e sched:sched_wakeup sleep 15\ntrace-cmd report -t > trace.txt",
    },
    Recipe {
        tool: "ftrace",
        commands: "cd /sys/kernel/tracing\necho mono > trace_clock; echo 20000 > buffer_size_kb\nfor e in power/cpu_idle power/cpu_idle_miss timer \\\n  irq ipi sched/sched_switch sched/sched_wakeup\ndo echo 1 > events/$e/enable; done\nsleep 15; cat trace > /tmp/trace.txt; echo 0 > events/enable",
    },
    Recipe {
        tool: "perf",
        commands: "perf record -a -k mono -m 8M -e power:cpu_idle \\\n  -e power:cpu_idle_miss -e 'timer:*' -e 'irq:*' -e 'ipi:*' \\\n  -e sched:sched_switch -e sched:sched_wakeup sleep 15\nperf script --ns > trace.txt",
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
        for Recipe { tool, commands } in RECIPES {
            for event in [
                "cpu_idle",
                "cpu_idle_miss",
                "timer",
                "irq",
                "ipi",
                "sched_switch",
                "sched_wakeup",
            ] {
                assert!(commands.contains(event), "{tool}: {event}");
            }
            assert!(
                commands.lines().all(|line| line.len() <= 62),
                "{tool}: too wide for the card"
            );
        }
    }
}
