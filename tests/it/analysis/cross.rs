//! Cross-checks of a recording against itself: they add up, and one forged event is found.

use std::fs;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use idlescope::page::link;
use idlescope::page::recording::cross::{Apart, Check, CrossChecks, Verdict};
use idlescope::page::session::Session;
use idlescope::page::words::Style;
use idlescope::page::words::cross::sentences;
use idlescope::units::{CpuId, StateIdx, Time};

use crate::samples::committed;

fn text(file: &str) -> String {
    let packed = fs::read(committed().join(file)).expect("the sample is committed");
    let mut text = String::new();
    MultiGzDecoder::new(packed.as_slice())
        .read_to_string(&mut text)
        .expect("a sound gz file");
    text
}

/// The checks of a text on the machine that recorded it, or on one that nobody knows.
fn checks(text: &str, fragment: &str) -> CrossChecks {
    let mut session = Session::new();
    session.begin_trace();
    session.feed(text.as_bytes()).expect("readable");
    session.finish_trace().expect("readable");
    session.ask(&link::parse(fragment).0.doc);
    session.finish();
    session.cross_checks().expect("a trace has checks")
}

fn adds_up(check: &Check) {
    let apart: u64 = check.differences.iter().map(|one| one.count).sum();
    assert_eq!(check.compared, check.alike + apart);
    assert!(check.alike > apart, "{check:?}");
}

#[test]
fn checks_add_up_and_a_forged_miss_is_found_where_it_is() {
    let sound = text("arm64-menu-ftrace.txt.gz");
    let before = checks(&sound, "m=arm64-vm");
    let misses = before
        .misses
        .expect("the trace has misses, and the table is known");
    adds_up(&misses);
    adds_up(&before.tick_stops.expect("the trace has stopped ticks"));

    // The verdict on a stay of CPU 2 in state 1.
    let line = "69.076743: cpu_idle_miss: cpu_id=2 state=1 type=above";
    let forged = sound.replacen(line, &line.replace("above", "below"), 1);
    assert_ne!(forged, sound);
    let after = checks(&forged, "m=arm64-vm").misses.expect("as before");
    adds_up(&after);
    assert_eq!((after.compared, after.alike), (misses.compared, misses.alike - 1));
    let apart = Apart::Miss {
        kernel: Verdict::TooShallow,
        ours: Verdict::TooDeep,
    };
    let found = after
        .differences
        .iter()
        .find(|one| one.apart == apart)
        .expect("one more");
    assert_eq!(
        (found.first.cpu, found.first.state),
        (CpuId::new(2), StateIdx::new(1))
    );
    assert!(found.first.at < Time::from_ns(69_076_743_000), "{found:?}");

    let told = sentences(
        &CrossChecks {
            misses: Some(after),
            tick_stops: None,
        },
        Style::Page,
    );
    let (whole, good) = &told[0];
    assert!(
        !good && whole.starts_with("cpu_idle_miss: the recorded lane says the same of "),
        "{whole}"
    );
    let said = "too shallow for the kernel, too deep here; the first on cpu2 at ";
    assert!(
        told.iter().any(|(sentence, _)| sentence.contains(said)),
        "{told:?}"
    );
}

#[test]
fn nothing_is_compared_with_a_table_that_nobody_knows() {
    let sound = text("arm64-menu-ftrace.txt.gz");
    assert_eq!(checks(&format!("{sound}\n"), "").misses, None);
    let bare: String = sound
        .lines()
        .filter(|line| !line.contains("tick_stop") && !line.contains("cpu_idle_miss"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(checks(&bare, "m=arm64-vm"), CrossChecks::default());
}
