//! An idle-state table as text for a kernel: `sysfs` lines, devicetree nodes, and an initialiser for a driver
//! patch.
//!
//! ASCII, times in whole microseconds as all three have them, rounded up: a state is never said to be faster
//! or to pay off sooner than in the table, and what was rounded is told. `trace::tables` reads each of them
//! again. What the page cannot know (how a state is entered) is left as a
//! remark. Properties and attributes: spec energy.md §1.

use std::fmt::Write;

use crate::units::Ns;

/// One state of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The driver's name.
    pub name: String,
    /// Exit latency, ns.
    pub exit_latency: Ns,
    /// Target residency, ns.
    pub target_residency: Ns,
    /// Switched on.
    pub on: bool,
    /// A loop that polls for work.
    pub polling: bool,
    /// The CPU's own timer stops in it.
    pub timer_stop: bool,
}

/// For whom the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Attributes below `/sys/devices/system/cpu/cpuN/cpuidle/`, as `grep` prints them.
    Sysfs,
    /// Nodes for `idle-states`.
    DeviceTree,
    /// Elements of an array of states in C.
    Driver,
}

impl Form {
    /// All, in the menu's order, with what they are called.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Sysfs, "sysfs lines", "cpuidle/state*/…"),
        (Self::DeviceTree, "Devicetree nodes", "idle-states"),
        (Self::Driver, "C initialiser", "driver patch"),
    ];

    /// A short name, for tests and messages.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Sysfs => "sysfs",
            Self::DeviceTree => "dt",
            Self::Driver => "c",
        }
    }
}

/// The table as text; `about` names machine and CPUs.
#[must_use]
pub fn text(form: Form, about: &str, rows: &[Row]) -> String {
    let about = ascii(about);
    let mut out = String::new();
    // Writing to a string cannot fail, so the results say nothing.
    match form {
        Form::Sysfs => {
            let _ = writeln!(out, "# {about}; latency and residency in us");
            for line in rounded(rows) {
                let _ = writeln!(out, "# {line}");
            }
            for (n, row) in rows.iter().enumerate() {
                sysfs(&mut out, n, row);
            }
        }
        Form::DeviceTree => {
            let _ = writeln!(out, "/*\n * {about}; times in us.");
            for line in rounded(rows) {
                let _ = writeln!(out, " * {line}");
            }
            out.push_str(" * The table has the sum of entry and exit latency: divide it as measured.\n");
            out.push_str(" * Each state still needs the parameter that enters it.\n */\nidle-states {\n");
            for (n, row) in rows.iter().enumerate() {
                node(&mut out, n, row);
            }
            out.push_str("};\n");
        }
        Form::Driver => {
            let _ = writeln!(
                out,
                "/* {about}; times in us. Each state still needs its .enter. */"
            );
            for line in rounded(rows) {
                let _ = writeln!(out, "/* {line} */");
            }
            for row in rows {
                element(&mut out, row);
            }
        }
    }
    out
}

fn sysfs(out: &mut String, n: usize, row: &Row) {
    let _ = write!(
        out,
        "state{n}/name:{}\nstate{n}/latency:{}\nstate{n}/residency:{}\nstate{n}/disable:{}\n",
        ascii(&row.name),
        us(row.exit_latency),
        us(row.target_residency),
        u8::from(!row.on)
    );
    if row.polling {
        let _ = writeln!(out, "state{n}/desc:CPUIDLE CORE POLL IDLE");
    }
}

fn node(out: &mut String, n: usize, row: &Row) {
    let name = ascii(&row.name);
    // The first state of such a system is no node: the driver brings it.
    if n == 0 || row.polling {
        let _ = writeln!(out, "\t/* {name}: the driver adds it by itself */");
        return;
    }
    let node = node_name(&row.name);
    let _ = writeln!(out, "\t{}: {node} {{", node.replace('-', "_"));
    out.push_str("\t\tcompatible = \"arm,idle-state\";\n");
    if node != row.name {
        let _ = writeln!(out, "\t\tidle-state-name = \"{name}\";");
    }
    if row.timer_stop {
        out.push_str("\t\tlocal-timer-stop;\n");
    }
    let _ = write!(
        out,
        "\t\tentry-latency-us = <0>;\n\t\texit-latency-us = <{}>;\n\t\tmin-residency-us = <{}>;\n",
        us(row.exit_latency),
        us(row.target_residency)
    );
    if !row.on {
        out.push_str("\t\tstatus = \"disabled\";\n");
    }
    out.push_str("\t};\n");
}

fn element(out: &mut String, row: &Row) {
    let name = ascii(&row.name);
    if row.polling {
        let _ = writeln!(out, "/* {name}: polls, not a state of the driver */");
        return;
    }
    let off = if row.on { "" } else { " /* off */" };
    let _ = write!(
        out,
        "{{{off}\n\t.name = \"{name}\",\n\t.exit_latency = {},\n\t.target_residency = {},\n}},\n",
        us(row.exit_latency),
        us(row.target_residency)
    );
}

/// A line for each time that is no whole number of microseconds.
fn rounded(rows: &[Row]) -> Vec<String> {
    let times = rows.iter().flat_map(|row| {
        [
            ("exit latency", row.exit_latency),
            ("target residency", row.target_residency),
        ]
        .map(|(what, time)| (row, what, time))
    });
    let odd = times.filter(|(_, _, time)| time.as_ns() > 0 && time.as_ns() % 1_000 != 0);
    odd.map(|(row, what, time)| format!("{}: {what} rounded up from {} ns", ascii(&row.name), time.as_ns()))
        .collect()
}

/// Whole microseconds, rounded up.
fn us(ns: Ns) -> i64 {
    ns.as_ns().max(0).saturating_add(999) / 1_000
}

/// Printable ASCII without what would end a string or a comment; anything else becomes `?`.
fn ascii(text: &str) -> String {
    let plain = |c: char| match c {
        '"' | '\\' => '?',
        c if c.is_ascii_graphic() || c == ' ' => c,
        _ => '?',
    };
    text.chars().map(plain).collect::<String>().replace("*/", "* /")
}

/// A name in the letters of a node: lower case, digits and single hyphens, a letter first.
fn node_name(name: &str) -> String {
    let mut node = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => node.push(c),
            _ if node.ends_with('-') => {}
            _ => node.push('-'),
        }
    }
    let node = node.trim_matches('-');
    if node.starts_with(|c: char| c.is_ascii_lowercase()) {
        node.to_owned()
    } else {
        format!("state-{node}").trim_end_matches('-').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, exit: i64, residency: i64) -> Row {
        Row {
            name: name.to_owned(),
            exit_latency: Ns::new(exit),
            target_residency: Ns::new(residency),
            on: true,
            polling: false,
            timer_stop: false,
        }
    }

    fn arm() -> Vec<Row> {
        vec![
            row("WFI", 1_000, 1_000),
            row("cpu-sleep-0", 1_500_000, 2_000_000),
            Row {
                on: false,
                timer_stop: true,
                ..row("Cluster_Off", 1_600_001, 6_500_000)
            },
        ]
    }

    #[test]
    fn sysfs_lines_are_those_that_grep_prints() {
        assert_eq!(
            text(Form::Sysfs, "arm64 vm, CPUs 0-1", &arm()),
            "# arm64 vm, CPUs 0-1; latency and residency in us\n\
             # Cluster_Off: exit latency rounded up from 1600001 ns\n\
             state0/name:WFI\nstate0/latency:1\nstate0/residency:1\nstate0/disable:0\n\
             state1/name:cpu-sleep-0\nstate1/latency:1500\nstate1/residency:2000\nstate1/disable:0\n\
             state2/name:Cluster_Off\nstate2/latency:1601\nstate2/residency:6500\nstate2/disable:1\n"
        );
    }

    #[test]
    fn a_devicetree_has_a_node_for_every_state_but_the_first() {
        assert_eq!(
            text(Form::DeviceTree, "arm64 vm", &arm()),
            "/*\n * arm64 vm; times in us.\n\
             \x20* Cluster_Off: exit latency rounded up from 1600001 ns\n\
             \x20* The table has the sum of entry and exit latency: divide it as measured.\n\
             \x20* Each state still needs the parameter that enters it.\n */\n\
             idle-states {\n\
             \t/* WFI: the driver adds it by itself */\n\
             \tcpu_sleep_0: cpu-sleep-0 {\n\
             \t\tcompatible = \"arm,idle-state\";\n\
             \t\tentry-latency-us = <0>;\n\
             \t\texit-latency-us = <1500>;\n\
             \t\tmin-residency-us = <2000>;\n\
             \t};\n\
             \tcluster_off: cluster-off {\n\
             \t\tcompatible = \"arm,idle-state\";\n\
             \t\tidle-state-name = \"Cluster_Off\";\n\
             \t\tlocal-timer-stop;\n\
             \t\tentry-latency-us = <0>;\n\
             \t\texit-latency-us = <1601>;\n\
             \t\tmin-residency-us = <6500>;\n\
             \t\tstatus = \"disabled\";\n\
             \t};\n\
             };\n"
        );
    }

    #[test]
    fn a_driver_lists_what_sleeps() {
        let poll = Row {
            polling: true,
            ..row("POLL", 0, 0)
        };
        let off = Row {
            on: false,
            ..row("C6", 104_000, 345_000)
        };
        assert_eq!(
            text(
                Form::Driver,
                "Sandy Bridge",
                &[poll, row("C1", 2_000, 2_000), off]
            ),
            "/* Sandy Bridge; times in us. Each state still needs its .enter. */\n\
             /* POLL: polls, not a state of the driver */\n\
             {\n\t.name = \"C1\",\n\t.exit_latency = 2,\n\t.target_residency = 2,\n},\n\
             { /* off */\n\t.name = \"C6\",\n\t.exit_latency = 104,\n\t.target_residency = 345,\n},\n"
        );
    }

    /// What a text means when it is read again: name, times in µs, whether it is on, whether it polls.
    fn again(text: &str) -> Vec<(String, i64, i64, bool, bool)> {
        let tables = crate::trace::tables::read(text.as_bytes()).expect("a table");
        assert_eq!(tables.unread, 0, "{text}");
        let (given, _) = crate::page::given::Given::of("again", &tables.sheets[0]).expect("a machine");
        let states = given.clusters()[0].states.iter();
        states
            .map(|given| {
                let state = &given.state;
                let times = (us(state.exit_latency), us(state.target_residency));
                (state.name.clone(), times.0, times.1, !given.off, state.polling)
            })
            .collect()
    }

    #[test]
    fn what_is_written_is_read_again_as_the_same_table() {
        let poll = Row {
            polling: true,
            ..row("POLL", 0, 0)
        };
        let off = Row {
            on: false,
            ..row("C6 deep, off", 104_000, 345_000)
        };
        let machines = [
            arm(),
            vec![poll, row("C1", 2_000, 2_000), row("C1E", 10_000, 20_001), off],
        ];
        for rows in machines {
            let all: Vec<_> = rows
                .iter()
                .map(|row| {
                    (
                        row.name.clone(),
                        us(row.exit_latency),
                        us(row.target_residency),
                        row.on,
                        row.polling,
                    )
                })
                .collect();
            assert_eq!(again(&text(Form::Sysfs, "x", &rows)), all);
            let tree = again(&text(Form::DeviceTree, "x", &rows));
            assert_eq!(tree[1..], all[1..], "the first is no node");
            assert_eq!((tree[0].0.as_str(), tree[0].1), ("WFI", 1));
            {
                assert_eq!(again(&text(Form::Driver, "x", &rows)), all);
            }
        }
    }

    #[test]
    fn a_time_between_microseconds_is_told_where_it_is_rounded() {
        for (form, ..) in Form::ALL {
            let text = text(form, "x", &[row("WFI", 1_000, 1_000), row("C2", 1_500, 20_000)]);
            let told = "C2: exit latency rounded up from 1500 ns";
            assert_eq!(text.matches(told).count(), 1, "{text}");
            assert_eq!(text.matches("rounded").count(), 1, "{text}");
        }
    }

    #[test]
    fn every_text_is_ascii_and_no_name_breaks_out() {
        let odd = row("x\" */ ü\n\\", 1, -5);
        for (form, ..) in Form::ALL {
            let text = text(form, "µ */ machine", &[row("WFI", 1, 1), odd.clone()]);
            assert!(text.is_ascii(), "{text}");
            assert_eq!(text.matches("*/").count(), text.matches("/*").count(), "{text}");
            assert!(text.matches('"').count().is_multiple_of(2), "{text}");
        }
    }

    #[test]
    fn node_names_hold_what_nodes_may() {
        for (name, node) in [
            ("C1_ACPI", "c1-acpi"),
            ("cluster-sleep-0", "cluster-sleep-0"),
            ("0 deep", "state-0-deep"),
            ("--", "state"),
        ] {
            assert_eq!(node_name(name), node);
        }
    }

    #[test]
    fn times_are_rounded_up_to_microseconds() {
        assert_eq!(
            [0, 1, 999, 1_000, 1_001, -7].map(|ns| us(Ns::new(ns))),
            [0, 1, 1, 1, 2, 0]
        );
    }
}
