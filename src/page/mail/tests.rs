//! The table as a whole, and its invariant under names that no mail bears.

use super::*;
use crate::cpuidle::IdleState;
use crate::page::link::parse;
use crate::sim::{Cause, Flags};
use crate::units::StateIdx;

fn cluster(names: &[&str]) -> Cluster {
    let states: Vec<IdleState> = (1..)
        .zip(names)
        .map(|(n, name)| IdleState {
            name: (*name).to_owned(),
            exit_latency: Ns::from_us(n),
            target_residency: Ns::from_us(n * 100),
            polling: false,
            timer_stop: false,
        })
        .collect();
    let base = StateTable::new(states.clone()).expect("valid");
    let mut edited = states;
    if let Some(last) = edited.last_mut() {
        last.target_residency = Ns::from_us(640);
    }
    Cluster {
        cpus: String::new(),
        table: StateTable::new(edited).expect("valid"),
        base,
        disabled: StateMask::NONE,
    }
}

fn summary(retained: u64) -> Summary {
    let used = |count, ms, too_deep, too_shallow| StateUse {
        count,
        time: Ns::from_ms(ms),
        too_deep,
        too_shallow,
        rejected: 0,
    };
    Summary {
        states: vec![used(46_800, 9_957, 0, 28_548), used(100, 43, 12, 0)],
        ticks_retained: retained,
        ..Summary::default()
    }
}

fn decision(flags: Flags) -> Row {
    Row {
        entry: Time::from_ns(8_302_268_000),
        wake: Time::from_ns(8_302_368_000),
        exit: Time::from_ns(8_302_369_000),
        sleep_length: Ns::from_ms(24),
        period: 4,
        selected: StateIdx::ZERO,
        entered: StateIdx::ZERO,
        cause: Cause::Interrupt,
        flags,
    }
}

fn said(text: &str, math: &str) -> Option<Said> {
    Some(Said {
        text: text.to_owned(),
        math: math.to_owned(),
        states: StateMask::NONE,
    })
}

#[track_caller]
fn check_invariant(text: &str) {
    let (link, table) = (text.lines().next_back(), text.lines().rev().skip(1));
    assert!(
        link.is_some_and(|line| line.starts_with("[1] https://")),
        "{text}"
    );
    for line in table {
        assert!(line.len() <= WIDTH, "{} columns: {line}", line.len());
        assert!(line.bytes().all(|b| b == b' ' || b.is_ascii_graphic()), "{line}");
        assert_eq!(line.trim_end(), line, "blanks at the end");
    }
}

#[test]
fn the_whole_table() {
    let doc = parse("w=arm64-menu&a=teo-6.5&b=teo-6.5-p123").0.doc;
    let (a, b) = (summary(100), summary(46_900));
    let clusters = [cluster(&["WFI", "cpu-retention"])];
    let text = table(&Mail {
        doc: &doc,
        workload: "sample arm64-menu trace 3f9a02c41be7",
        machine: "qemu virt",
        cpus: 4,
        span: Ns::from_ms(2_500),
        lost: Some(0),
        clusters: &clusters,
        recorded: None,
        a: Some(Run {
            label: "teo-6.5",
            summary: &a,
        }),
        b: Some(Run {
            label: "teo-6.5-p123",
            summary: &b,
        }),
        range: None,
        powers_given: false,
        first: Some(First {
            cpu: CpuId::new(2),
            at: Time::from_ns(8_302_268_000),
            a: decision(Flags::STOPPED_NOW),
            b: decision(Flags::NONE),
            why: Some((
                said("Tick: stop it, the stay reaches one tick", "24.17 ms >= 4 ms"),
                said(
                    "WFI and the tick is kept: utilised, two states, bins not read",
                    "",
                ),
            )),
            patches: None,
        }),
        differences: Some((95, 46_900)),
        agreement: Some(Agreement {
            governor: "menu-6.1.192",
            choices: (984, 1_000),
            ticks: (991, 1_000),
            strict_choices: (971, 1_000),
            strict_ticks: (902, 1_000),
            misses: (999, 1_000),
        }),
        loops: [None, None],
        timers: Some(TimersKnown {
            exact: 918,
            inferred: 75,
            unknown: 7,
        }),
        url: "https://host/#w=arm64-menu&a=teo-6.5&b=teo-6.5-p123",
    });
    check_invariant(&text);
    let expect = format!(
        r#"idlescope {}  teo-6.5 vs teo-6.5-p123  HZ=250 nohz=idle
sample arm64-menu trace 3f9a02c41be7  qemu virt  4 CPUs  2.500 s  0 lost

idx name           lat us     res us
  0 WFI                 1        100
  1 cpu-retenti~        2        640  res was 200

run          idx name          time%    usage    avg us  deep%  shal%
teo-6.5        0 WFI           99.57    46800     212.8   0.00  61.00
               1 cpu-retenti~   0.43      100     430.0  12.00   0.00
                 TOTAL        100.00    46900     213.2   0.03  60.87
teo-6.5-p123   0 WFI           99.57    46800     212.8   0.00  61.00
               1 cpu-retenti~   0.43      100     430.0  12.00   0.00
                 TOTAL        100.00    46900     213.2   0.03  60.87
deep% = kernel "above" / usage, shal% = kernel "below" / usage
tick kept: 0.2 -> 100.0 % of idle entries
A and B differ in 95 of 46900 decisions (0.2 %)
first difference: cpu2 8.302268 s
  A WFI, tick stopped: Tick: stop it, the stay reaches one tick (24.17
    ms >= 4 ms)
  B WFI, tick kept: WFI and the tick is kept: utilised, two states, bins
    not read
replay of menu-6.1.192 reproduces 98.4 % of the recorded choices
  (strictly 97.1), 99.1 % of the tick decisions (strictly 90.2), 99.9 %
  of the misses; strictly: without inferred keep reasons
next timer: exact 91.8 %, inferred 7.5 %, unknown 0.7 %; open loop:
  arrivals stay as recorded
[1] https://host/#w=arm64-menu&a=teo-6.5&b=teo-6.5-p123
"#,
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(text, expect);
}

#[test]
fn names_that_no_mail_bears_are_tamed() {
    let mut doc = parse("a=teo-6.5&b=teo-6.5-p123&hz.b=1000&lat.a=123.456us&rl=500us")
        .0
        .doc;
    doc.settings.nohz = false;
    let huge = StateUse {
        count: u64::MAX / 4,
        time: Ns::new(i64::MAX / 4),
        too_deep: u64::MAX / 4,
        too_shallow: 1,
        rejected: 0,
    };
    let summary = Summary {
        states: vec![huge, StateUse::default(), StateUse::default()],
        ..Summary::default()
    };
    let long = "kühler\tSchlaf\n".repeat(30);
    let mut clusters = [cluster(&[&long, "C\u{202f}1", ""]), cluster(&["x"])];
    for cluster in &mut clusters {
        cluster.cpus = "0,2,4,6,8,10,12,14".to_owned();
        cluster.disabled = StateMask::from_bits(7);
    }
    let run = Run {
        label: &long,
        summary: &summary,
    };
    let text = table(&Mail {
        doc: &doc,
        workload: &long,
        machine: &long,
        cpus: 4_096,
        span: Ns::MAX,
        lost: Some(u64::MAX),
        clusters: &clusters,
        recorded: Some(run),
        a: Some(run),
        b: None,
        range: Some((Time::ZERO, Time::from_ns(i64::MAX - 1))),
        powers_given: true,
        first: Some(First {
            cpu: CpuId::new(4_000),
            at: Time::from_ns(i64::MAX - 1),
            a: decision(Flags::WAS_STOPPED),
            b: decision(Flags::NONE),
            why: Some((said(&long, &long), None)),
            patches: Some(long.clone()),
        }),
        differences: Some((0, u64::MAX)),
        agreement: None,
        loops: [None, None],
        timers: Some(TimersKnown {
            exact: 0,
            inferred: 0,
            unknown: 0,
        }),
        url: "https://host/#a=teo-6.5",
    });
    check_invariant(&text);
}
