//! Numbers that a governor prints about itself, compared with those of one that follows the path.
//!
//! No recording with such lines exists, so they are made here: one of our own governors follows the
//! recorded path of a sample, and what it remembers is printed into a copy of its text.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use idlescope::cpuidle::{Choice, Snapshot, teo};
use idlescope::page::link;
use idlescope::page::recording::dumps::{Compared, compare};
use idlescope::page::recording::follow::{Explain, KeepRule, Path, follow_minds};
use idlescope::page::recording::hidden;
use idlescope::page::session::Session;
use idlescope::page::words::{Style, own};
use idlescope::trace::dump::Key;
use idlescope::trace::{self, Trace};
use idlescope::units::{CpuId, Time};
use idlescope::workload::replay::{Machine, Replay, Tuning};

use super::{recording_machine, root};

/// How many lines a governor prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One, after it has learnt.
    Line,
    /// One per state, and one in `*_reflect`, before it has learnt.
    PerState,
}

fn joined(numbers: impl IntoIterator<Item = u32>) -> String {
    let texts: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    texts.join(",")
}

/// The messages, each with its function.
fn messages(before: &Snapshot, after: &Snapshot, states: usize, form: Form) -> Vec<String> {
    match after {
        Snapshot::Teo(teo::Snapshot::Bins(bins)) => {
            let mut rest = format!(" total={}", bins.total);
            if let Some(recent) = bins.recent {
                // As `%d` prints a counter that went below zero.
                let signed = recent
                    .counts
                    .iter()
                    .take(states)
                    .map(|n| n.cast_signed().to_string());
                let _ = write!(rest, " recent={}", signed.collect::<Vec<_>>().join(","));
            }
            if let Some(tick_hits) = bins.tick_hits {
                let _ = write!(rest, " tick_hits={tick_hits}");
            }
            if let Some(short) = bins.short {
                let (short_idles, ticks) = (short.short_idles, short.tick_intercepts);
                let _ = write!(rest, " short_idles={short_idles} tick_intercepts={ticks}");
                if let Some(ticks) = short.tick_wakeups {
                    let _ = write!(rest, " tick_wakeups={ticks}");
                }
            }
            let [hits, intercepts] = [bins.hits, bins.intercepts].map(|all| all.into_iter().take(states));
            if form == Form::Line {
                let [hits, intercepts] = [hits, intercepts].map(joined);
                return vec![format!("teo_select: hits={hits} intercepts={intercepts}{rest}")];
            }
            let mut lines = Vec::new();
            if let Snapshot::Teo(teo::Snapshot::Bins(before)) = before {
                lines.push(format!("teo_reflect: total={}", before.total));
            }
            lines.extend(hits.zip(intercepts).enumerate().map(|(n, (hits, intercepts))| {
                format!("teo_update: state={n} hits={hits} intercepts={intercepts}")
            }));
            lines
        }
        Snapshot::Teo(teo::Snapshot::EarlyHits(early)) => {
            let [hits, misses, early_hits] =
                [early.hits, early.misses, early.early_hits].map(|all| joined(all.into_iter().take(states)));
            let intervals = joined(early.intervals.map(|us| us.as_us()));
            vec![format!(
                "teo_select: hits={hits} misses={misses} early_hits={early_hits} intervals={intervals}"
            )]
        }
        Snapshot::Menu(menu) => {
            let factors = joined(menu.factors.iter().take(menu.buckets.into()).copied());
            let intervals = joined(menu.intervals.as_slice().iter().map(|us| us.as_us()));
            let (bucket, factor) = (menu.bucket, menu.factors[usize::from(menu.bucket)]);
            vec![format!(
                "menu_select: bucket={bucket} factor={factor} factors={factors} intervals={intervals}"
            )]
        }
        other => panic!("not asked for here: {other:?}"),
    }
}

/// The CPU and the stamp of a line that enters a state.
fn entry(line: &str) -> Option<(CpuId, Time)> {
    let (head, args) = line.split_once(": cpu_idle: state=")?;
    let (state, cpu) = args.split_once(" cpu_id=")?;
    if state == "4294967295" {
        return None;
    }
    let (seconds, us) = head.split_whitespace().next_back()?.split_once('.')?;
    let ns = seconds.parse::<i64>().ok()? * 1_000_000_000 + us.parse::<i64>().ok()? * 1000;
    Some((CpuId::new(cpu.parse().ok()?), Time::from_ns(ns)))
}

/// A copy of an ftrace text in which `governor` prints its numbers in front of each entry.
fn printed(text: &str, governor: Choice, form: Form) -> String {
    let trace = trace::read(text.as_bytes()).expect("the sample is readable");
    let replay = Replay::of(&trace, Tuning::default());
    let machine = recording_machine();
    let path = Path::of(&replay, &machine, governor);
    let due = hidden::fit(&path, replay.span.1).due;
    let mut lines = HashMap::new();
    follow_minds(
        &Path { hidden: due, ..path },
        KeepRule::Inferred,
        Explain::Nothing,
        |followed, minds| {
            let states = machine.table(followed.cpu).len();
            let [before, after] = [minds.before, minds.after].map(|mind| mind.snapshot());
            lines.insert(
                (followed.cpu, followed.select.enter),
                messages(&before, &after, states, form),
            );
        },
    );
    let mut copy = String::new();
    for line in text.lines() {
        if let Some((cpu, time)) = entry(line)
            && let Some(messages) = lines.remove(&(cpu, time))
        {
            let head = line.split(" cpu_idle:").next().unwrap_or_default();
            for message in messages {
                let _ = writeln!(copy, "{head} {message}");
            }
        }
        copy.push_str(line);
        copy.push('\n');
    }
    assert!(lines.is_empty(), "every select has its line");
    copy
}

fn unpacked(file: &str) -> String {
    let packed = fs::read(root().join("tests/data/traces").join(file)).expect("the sample is committed");
    let mut text = String::new();
    MultiGzDecoder::new(packed.as_slice())
        .read_to_string(&mut text)
        .expect("the sample is text");
    text
}

/// Follows the path of the copy itself, as the page does with it.
fn compared(trace: &Trace, machine: &Machine, governor: Choice) -> Compared {
    let replay = Replay::of(trace, Tuning::default());
    let path = Path::of(&replay, machine, governor);
    let due = hidden::fit(&path, replay.span.1).due;
    compare(&Path { hidden: due, ..path }, &trace.dumps)
}

/// The first lines of a sample; 4,000 are enough for every key to take values of its own.
fn part(lines: usize) -> String {
    let text = unpacked("arm64-menu-ftrace.txt.gz");
    text.lines().take(lines).fold(String::new(), |mut part, line| {
        part.push_str(line);
        part.push('\n');
        part
    })
}

#[test]
fn what_our_own_governors_print_is_what_they_remember() {
    let text = part(4_000);
    let machine = recording_machine();
    for (name, form, keys) in [
        ("menu-6.1.192", Form::Line, "bucket factor factors intervals"),
        ("teo-5.1", Form::Line, "hits misses early_hits intervals"),
        ("teo-6.5", Form::Line, "hits intercepts recent total"),
        ("teo-6.6", Form::Line, "hits intercepts recent total tick_hits"),
        ("teo-6.12", Form::Line, "hits intercepts total tick_hits"),
        (
            "teo-6.14",
            Form::Line,
            "hits intercepts total tick_intercepts short_idles",
        ),
        (
            "teo-6.19",
            Form::Line,
            "hits intercepts total tick_intercepts tick_wakeups short_idles",
        ),
        ("teo-6.6", Form::PerState, "hits intercepts total"),
    ] {
        let governor: Choice = name.parse().expect("a governor of the catalogue");
        let copy = printed(&text, governor, form);
        let trace = trace::read(copy.as_bytes()).expect("a trace");
        let plain = trace::read(text.as_bytes()).expect("a trace");
        assert!(trace.events == plain.events, "{name}: the events are the same");
        let found = compared(&trace, &machine, governor);
        assert_eq!(found.all.part, found.all.of, "{name}: {:?}", found.first);
        let compared: Vec<&str> = found.by_key.keys().map(|key| key.name()).collect();
        assert_eq!(compared.join(" "), keys, "{name}");
        assert_eq!((found.unplaced, found.of_others), (0, 0), "{name}");
        assert!(found.not_remembered.is_empty(), "{name}: {found:?}");
        assert!(
            found.warm.of > 300 && found.warm.of < found.all.of,
            "{name}: {found:?}"
        );
    }
}

#[test]
fn another_governor_does_not_remember_the_same() {
    let governor: Choice = "teo-6.6".parse().expect("a governor of the catalogue");
    let copy = printed(&part(4_000), governor, Form::Line);
    let trace = trace::read(copy.as_bytes()).expect("a trace");
    let machine = recording_machine();
    let other: Choice = "teo-7.1".parse().expect("a governor of the catalogue");
    let found = compared(&trace, &machine, other);
    assert!(found.all.of > 0 && found.all.part < found.all.of, "{found:?}");
    assert!(found.first.is_some() && found.first_warm.is_some(), "{found:?}");
    let left_out: Vec<Key> = found.not_remembered.keys().copied().collect();
    assert_eq!(left_out, [Key::Recent, Key::TickHits]);
    let menu: Choice = "menu-6.6".parse().expect("a governor of the catalogue");
    let found = compared(&trace, &machine, menu);
    assert_eq!((found.all.of, found.of_others), (0, trace.dumps.list().len()));
}

fn answered(text: &str, question: &str) -> Session {
    let mut session = Session::new();
    session.begin_trace();
    for bytes in text.as_bytes().chunks(7_001) {
        session.feed(bytes).expect("a trace");
    }
    session.finish_trace().expect("a trace");
    session.ask(&link::parse(question).0.doc);
    session.finish();
    session
}

#[track_caller]
fn check(text: &str, question: &str, sentence: &str, good: bool) {
    let session = answered(text, question);
    let said = own::sentence(&session, Style::Ascii).expect("a governor printed");
    assert_eq!(
        said,
        (sentence.to_owned(), good),
        "{:#?}",
        own::notes(&session, Style::Ascii)
    );
}

/// With one number of the `n`-th dump of CPU 2 higher by 64: the intercepts of its second state.
fn altered(copy: &str, n: usize) -> String {
    let mut seen = 0;
    let mut text = String::new();
    for line in copy.lines() {
        let dump = line.contains(" [002] ") && line.contains(" teo_select: ");
        seen += usize::from(dump);
        if dump && seen == n {
            let (head, tail) = line.split_once(" intercepts=").expect("it was printed");
            let (numbers, rest) = tail.split_once(' ').expect("more was printed");
            let (first, second) = numbers.split_once(',').expect("CPU 2 has two states");
            let second = second.parse::<u32>().expect("a number") + 64;
            let _ = writeln!(text, "{head} intercepts={first},{second} {rest}");
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    assert!(text != copy, "there are {n} dumps of CPU 2");
    text
}

#[test]
fn the_page_says_how_many_numbers_are_equal_and_which_is_the_first_that_is_not() {
    let governor: Choice = "teo-6.6".parse().expect("a governor of the catalogue");
    let copy = printed(&part(4_000), governor, Form::Line);
    const LEAD: &str = "governor's own numbers (trace_printk)";
    let session = answered(&copy, "m=arm64-vm&a=teo-6.6");
    let json = session.to_json();
    let found = &json["recorded"]["own_numbers"];
    let all = found["equal"][1].as_u64().expect("a count");
    check(
        &copy,
        "m=arm64-vm&a=teo-6.6",
        &format!("{LEAD}: {all} of {all} values equal with teo-6.6"),
        true,
    );
    check(
        &copy,
        "m=arm64-vm&a=menu-6.6&b=teo-6.6",
        &format!("{LEAD}: {all} of {all} values equal with teo-6.6"),
        true,
    );
    let other = altered(&copy, 100);
    let json = answered(&other, "m=arm64-vm&a=teo-6.6").to_json();
    let found = &json["recorded"]["own_numbers"];
    assert_eq!(found["equal"], serde_json::json!([all - 1, all]));
    let first = &found["first_difference"];
    assert_eq!(
        (first["cpu"].as_u64(), first["key"].as_str()),
        (Some(2), Some("intercepts"))
    );
    let ours = first["ours"].as_u64().expect("a number");
    let dumped = ours + 64;
    let us = first["time_ns"].as_u64().expect("an instant") / 1000;
    let at = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    check(
        &other,
        "m=arm64-vm&a=teo-6.6",
        &format!(
            "{LEAD}: {} of {all} values equal with teo-6.6, first difference cpu2 {at} s: \
             intercepts of cpu-sleep-0 {dumped}, ours {ours}",
            all - 1
        ),
        false,
    );
    check(
        &copy,
        "m=arm64-vm&a=menu-6.6",
        &format!("{LEAD}: printed by a teo, not compared; choose the teo that ran as A"),
        false,
    );
    check(
        &copy,
        "a=teo-6.6",
        &format!("{LEAD}: not compared; choose the machine that recorded"),
        false,
    );
}

/// The file with which the page itself is tested.
#[test]
fn the_committed_file_is_what_our_teo_prints() {
    let governor: Choice = "teo-6.6".parse().expect("a governor of the catalogue");
    let text = printed(&part(400), governor, Form::Line);
    let path = root().join("tests/data/own-numbers.txt");
    if std::env::var_os("IDLESCOPE_BLESS").is_some() {
        fs::write(&path, &text).expect("the file can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "tests/data/own-numbers.txt: IDLESCOPE_BLESS=1 writes it anew"
    );
    let session = answered(&text, "m=arm64-vm&a=teo-6.6");
    let (_, good) = own::sentence(&session, Style::Ascii).expect("a governor printed");
    assert!(good, "{:?}", own::notes(&session, Style::Ascii));
}
