//! Counters of dumps and logs, by hand.

use super::*;
use crate::page::words::number::Style;
use crate::trace::tables;

/// Name, usage, time, above, below.
type Row<'a> = (&'a str, u64, u64, u64, u64);

/// A dump of the states of each CPU.
fn dump(cpus: &[&[Row<'_>]]) -> String {
    let mut text = String::new();
    for (cpu, states) in cpus.iter().enumerate() {
        for (n, (name, usage, time, above, below)) in states.iter().enumerate() {
            let at = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{n}");
            text += &format!(
                "{at}/name:{name}\n{at}/usage:{usage}\n{at}/time:{time}\n{at}/above:{above}\n{at}/below:{below}\n"
            );
        }
    }
    text
}

fn reading(name: &str, text: &str) -> Reading {
    Reading {
        name: name.to_owned(),
        tables: tables::read(text.as_bytes()).expect("a table"),
        done: Vec::new(),
    }
}

fn before() -> Reading {
    reading(
        "before",
        &dump(&[
            &[("C1", 100, 1_000, 0, 10), ("C6", 10, 50_000, 5, 0)],
            &[("C1", 7, 700, 0, 1), ("C6", 1, 9_000, 1, 0)],
        ]),
    )
}

fn after() -> Reading {
    reading(
        "after",
        &dump(&[
            &[("C1", 300, 3_000, 0, 60), ("C6", 40, 350_000, 20, 0)],
            &[("C1", 7, 700, 0, 1), ("C6", 11, 109_000, 1, 0)],
        ]),
    )
}

const PAIR: &str = "\
A: before to after, two dumps, 2 CPUs
state usage time s share % mean us   too deep too shallow
C1      200  0.002     0.5    10.0     0   0.0    50  25.0
C6       40  0.400    99.5 10000.0    15  37.5     0   0.0
TOTAL   240  0.402   100.0  1675.0    15   6.3    50  20.8
  unknown: interval, rejected, disabled
";

#[test]
fn two_dumps_are_one_table_whichever_came_first() {
    let printed = |readings: &[Reading]| text(&Counters::of(readings), false);
    let one = printed(&[before(), after()]);
    let squeezed = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(squeezed(&one)[..6], squeezed(PAIR), "{one}");
    let other = printed(&[after(), before()]);
    assert!(
        other.contains("before is the older dump: the two were turned"),
        "{other}"
    );
    assert_eq!(squeezed(&other)[..5], squeezed(PAIR)[..5]);
    // The same two in one paste.
    let sheets = [before(), after()].map(|reading| reading.tables.sheets).concat();
    let mut both = before();
    both.tables.sheets = sheets;
    let Some(joined) = Counters::of(&[both]).sides[0].clone() else {
        panic!("a pair");
    };
    assert_eq!(
        joined.cpus,
        Counters::of(&[before(), after()]).sides[0]
            .clone()
            .expect("a pair")
            .cpus
    );
}

#[test]
fn two_pairs_are_a_against_b_and_every_line_fits_mail() {
    let slower = reading(
        "slower",
        &dump(&[
            &[("C1", 400, 4_000, 0, 60), ("C6", 60, 550_000, 60, 0)],
            &[("C1", 7, 700, 0, 1), ("C6", 11, 109_000, 1, 0)],
        ]),
    );
    let counters = Counters::of(&[before(), after(), after(), slower]);
    let grid = changes(&counters, Style::Ascii).expect("A and B");
    let row = |n: usize| -> Vec<&str> { grid.rows[n].1.iter().map(|cell| cell.text.as_str()).collect() };
    assert_eq!(row(0), ["-50.0", "-50.0", "0.0", "0.0", "0.0", "-25.0"]);
    assert_eq!(row(1), ["-50.0", "-50.0", "0.0", "0.0", "+162.5", "0.0"]);
    assert_eq!(grid.rows[2].0, "TOTAL");
    let printed = text(&counters, true);
    assert!(
        printed.is_ascii() && printed.lines().all(|line| line.len() <= 72),
        "{printed}"
    );
    assert!(
        printed.contains("1 C6") && printed.contains("From A to B"),
        "{printed}"
    );
}

#[test]
fn a_counter_that_goes_backwards_both_ways_makes_no_pair() {
    let odd = reading(
        "odd",
        &dump(&[&[("C1", 90, 9_000, 0, 10), ("C6", 90, 90_000, 5, 0)]]),
    );
    let counters = Counters::of(&[before(), odd]);
    assert_eq!(counters.sides, [None, None]);
    assert!(
        counters.notes[0].contains("C1 of CPU 0 goes backwards"),
        "{:?}",
        counters.notes
    );
    let other = reading("other", &dump(&[&[("C2", 900, 9_000, 0, 10)]]));
    let notes = Counters::of(&[before(), other]).notes;
    assert!(notes[0].contains("no state of any CPU is in both"), "{notes:?}");
}

#[test]
fn one_dump_counts_since_boot_and_a_third_waits() {
    let one = Counters::of(&[before()]);
    let measured = one.sides[0].as_ref().expect("since boot");
    assert_eq!(measured.span, Span::SinceBoot);
    let total = Measurement::total(&measured.states());
    assert_eq!(
        (total.usage, total.time_us, total.rejected),
        (Some(118), Some(60_700), None)
    );
    let three = Counters::of(&[before(), after(), after()]);
    assert!(
        three.sides[1].is_none() && three.notes[0].starts_with("after waits"),
        "{:?}",
        three.notes
    );
    assert!(Counters::of(&[]).is_empty());
}

#[test]
fn a_log_of_turbostat_adds_its_intervals_up_and_its_shares_are_times_where_the_interval_is_known() {
    let heads = "CPU Busy% C1 C6 C1+ C6- C1% C6%\n";
    let known = format!(
        "2.000000 sec\n{heads}0 1.0 10 4 3 1 20.00 70.00\n3.000000 sec\n{heads}0 1.0 10 6 0 0 10.00 80.00\n"
    );
    let log = Counters::of(&[reading("log", &known)]);
    let measured = log.sides[0].as_ref().expect("a log");
    assert_eq!(
        (measured.span, measured.interval_us),
        (Span::Intervals(2), Some(5_000_000))
    );
    let c6 = measured.cpus[&Some(0)][&(1, "C6".to_owned())];
    assert_eq!(
        (c6.usage, c6.time_us, c6.above, c6.below),
        (Some(10), Some(3_800_000), Some(1), None)
    );
    let unknown = known.replace("2.000000 sec\n", "").replace("3.000000 sec\n", "");
    let log = Counters::of(&[reading("log", &unknown)]);
    let measured = log.sides[0].as_ref().expect("a log");
    let c6 = measured.cpus[&Some(0)][&(1, "C6".to_owned())];
    assert_eq!((c6.time_us, c6.share), (None, Some(15_000)));
    assert!(measured.unknown().contains(&"interval") && measured.unknown().contains(&"time"));
}

#[test]
fn names_that_differ_and_numbers_without_end_keep_within_the_width() {
    let long = "cluster-sleep-with-a-very-long-name";
    let huge = reading("x", &dump(&[&[(long, u64::MAX, u64::MAX, u64::MAX, u64::MAX)]]));
    let printed = text(&Counters::of(&[huge]), false);
    assert!(printed.lines().all(|line| line.len() <= 72), "{printed}");
}
