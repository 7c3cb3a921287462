//! State tables and counters: recorded and posted samples against independently made figures.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::{Compression, write::GzEncoder};
use idlescope::page::counters::{self, Counters};
use idlescope::page::sheets::{self, Reading};
use idlescope::page::words::number::Style;
use idlescope::trace::tables::{self, Attr, Form, State, Tables, TablesError};
use idlescope::trace::{self, Limits, Opened, Reader};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const ATTRS: [(&str, Attr); 8] = [
    ("above", Attr::Above),
    ("below", Attr::Below),
    ("disable", Attr::Disable),
    ("latency", Attr::Latency),
    ("rejected", Attr::Rejected),
    ("residency", Attr::Residency),
    ("time", Attr::Time),
    ("usage", Attr::Usage),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces/platform")
}

fn bytes(file: &str) -> Vec<u8> {
    fs::read(folder().join(file)).expect("the sample is committed")
}

fn sample(file: &str) -> Tables {
    tables::read(&bytes(file)).expect("the sample is a table")
}

fn text(input: &str) -> Tables {
    tables::read(input.as_bytes()).expect("the text is a table")
}

/// As the file of expected values has it: only what the text says.
fn object(state: &State) -> Value {
    let mut map = Map::new();
    for (key, attr) in ATTRS {
        map.extend(state.get(attr).map(|number| (key.to_owned(), json!(number))));
    }
    map.extend(state.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    map.extend(state.desc.as_ref().map(|desc| ("desc".to_owned(), json!(desc))));
    let status = |on| json!(if on { "enabled" } else { "disabled" });
    map.extend(
        state
            .default_on
            .map(|on| ("default_status".to_owned(), status(on))),
    );
    Value::Object(map)
}

fn by_cpu(tables: &Tables) -> Value {
    assert_eq!(tables.sheets.len(), 1, "one moment, one sheet");
    let cpus = tables.sheets[0].cpus.iter().map(|(cpu, states)| {
        let states = states.iter().map(|(idx, state)| (idx.to_string(), object(state)));
        let cpu = cpu.expect("every line names its CPU");
        (cpu.to_string(), Value::Object(states.collect()))
    });
    Value::Object(cpus.collect())
}

#[test]
fn every_sysfs_dump_has_the_expected_values_and_no_other() {
    let expected: Map<String, Value> =
        serde_json::from_slice(&bytes("expected-platform.json")).expect("it is JSON");
    assert_eq!(expected.len(), 4);
    for (file, values) in expected {
        let tables = sample(&file);
        assert_eq!(by_cpu(&tables), values, "{file}");
        assert_eq!(tables.unread, 0, "{file}");
    }
}

#[test]
fn tables_that_differ_between_cpus_stay_apart() {
    let tables = sample("arm64-menu-cpuidle-sysfs.txt");
    let groups: Vec<_> = tables.sheets[0]
        .groups()
        .into_iter()
        .map(|(cpus, states)| (cpus, states.len()))
        .collect();
    assert_eq!(groups, [(vec![Some(0), Some(1)], 3), (vec![Some(2), Some(3)], 2)]);
}

#[test]
fn the_devicetree_behind_a_recording_gives_the_latencies_that_its_kernel_showed() {
    let (tree, sysfs) = (
        sample("arm64-menu-idle-states.dts"),
        sample("arm64-menu-cpuidle-sysfs.txt"),
    );
    assert_eq!(tree.sheets[0].form, Form::DeviceTree);
    for (cpu, states) in &sysfs.sheets[0].cpus {
        let nodes = &tree.sheets[0].cpus[cpu];
        assert_eq!(nodes.len() + 1, states.len(), "state 0 stands in no node");
        for (idx, node) in nodes {
            assert_eq!(node.name, states[idx].name);
            for attr in [Attr::Latency, Attr::Residency] {
                assert_eq!(node.get(attr), states[idx].get(attr), "{cpu:?} {idx} {attr:?}");
            }
            assert_eq!(node.get(Attr::Usage), None, "a devicetree counts nothing");
        }
    }
}

#[test]
fn a_devicetree_with_labels_comments_and_a_wakeup_latency_is_read() {
    let tables = text(
        "idle-states { A: a { /* x; } */ entry-latency-us = <55>; exit-latency-us = <140>; // y {\n\
         wakeup-latency-us = <70>; min-residency-us = <780>; idle-state-name = \"core;off\"; };\n\
         b { entry-latency-us = <1>; exit-latency-us = <0x2>; min-residency-us = <9>; phandle = <7>; }; };\n\
         cpu@100 { reg = <0x0 0x100>; cpu-idle-states = <&A>, <7>; };",
    );
    let states = &tables.sheets[0].cpus[&Some(256)];
    let rows: Vec<_> = states
        .iter()
        .map(|(idx, state)| {
            let name = state.name.as_deref();
            (*idx, name, state.get(Attr::Latency), state.get(Attr::Residency))
        })
        .collect();
    assert_eq!(
        rows,
        [
            (1, Some("core;off"), Some(70), Some(780)),
            (2, Some("b"), Some(3), Some(9))
        ]
    );
}

#[test]
fn cpupower_gives_what_it_prints_and_leaves_the_rest_unknown() {
    let tables = sample("client-intel_idle-cpupower-idle-info.txt");
    let sheet = &tables.sheets[0];
    assert_eq!((sheet.form, tables.unread), (Form::IdleInfo, 0));
    assert_eq!(
        (sheet.driver.as_deref(), sheet.governor.as_deref()),
        (Some("intel_idle"), Some("menu"))
    );
    let states = &sheet.cpus[&Some(0)];
    assert_eq!(states.len(), 9);
    let deepest = &states[&8];
    assert_eq!(deepest.name.as_deref(), Some("C10"));
    assert_eq!(deepest.get(Attr::Latency), Some(890));
    assert_eq!(deepest.get(Attr::Usage), Some(511_786_893));
    assert_eq!(deepest.get(Attr::Time), Some(1_546_264_384_800));
    for attr in [Attr::Residency, Attr::Disable, Attr::Rejected, Attr::Above] {
        assert_eq!(deepest.get(attr), None, "{attr:?} is not printed");
    }
    let haltpoll = sample("x86-haltpoll-cpupower-idle-info.txt");
    let second = &haltpoll.sheets[0].cpus[&Some(0)][&1];
    assert_eq!(
        second.name.as_deref(),
        Some("haltpoll idle"),
        "a name may hold a blank"
    );
    assert_eq!(
        sample("arm64-menu-cpupower-idle-info.txt").sheets[0].cpus[&Some(0)].len(),
        3
    );
}

#[test]
fn a_machine_without_driver_is_said_to_have_no_states() {
    assert_eq!(
        tables::read(&bytes("x86-nodriver-cpupower-idle-info.txt")),
        Err(TablesError::NoDriver {
            line: 6,
            driver: "none".to_owned()
        })
    );
}

/// CPU, state, name, and a number of a sheet.
#[track_caller]
fn check(tables: &Tables, cpu: u16, idx: u8, name: &str, attr: Attr, expect: Option<u64>) {
    let state = &tables.sheets[0].cpus[&Some(cpu)][&idx];
    assert_eq!(
        (state.name.as_deref(), state.get(attr)),
        (Some(name), expect),
        "cpu {cpu} {attr:?}"
    );
}

#[test]
fn turbostat_of_both_ages_is_read_by_its_headings() {
    let old = sample("turbostat-17.06-sandybridge.txt");
    assert_eq!((old.sheets.len(), old.unread), (1, 0));
    assert_eq!(old.sheets[0].interval_us, Some(10_001_075));
    assert_eq!(old.sheets[0].cpus.len(), 8, "the row of sums is no CPU");
    check(&old, 0, 3, "C6", Attr::Share, Some(9_998));
    check(&old, 3, 3, "C6", Attr::Share, Some(10_000));
    check(&old, 7, 3, "C6", Attr::Usage, None);
    let new = sample("turbostat-20.09-xeon.txt");
    assert_eq!(new.unread, 0);
    assert_eq!(new.sheets[0].interval_us, Some(5_011_506));
    check(&new, 32, 1, "C1", Attr::Usage, Some(1));
    check(&new, 32, 2, "C1E", Attr::Usage, Some(14));
    check(&new, 32, 3, "C6", Attr::Share, Some(9_926));
}

#[test]
fn plus_of_turbostat_is_too_shallow_and_minus_too_deep() {
    let tables = text("CPU Busy% C1 C1+ C1- C1%\n- 1.0 9 9 9 1.0\n5 2.5 40 30 2 97.5\n");
    check(&tables, 5, 0, "C1", Attr::Below, Some(30));
    check(&tables, 5, 0, "C1", Attr::Above, Some(2));
    check(&tables, 5, 0, "C1", Attr::Share, Some(9_750));
    assert_eq!(tables.sheets[0].interval_us, None, "no interval is printed");
}

#[test]
fn cpupower_monitor_gives_the_group_of_idle_states_alone_in_either_locale() {
    let client = sample("client-cpupower-monitor.txt");
    assert_eq!((client.sheets[0].form, client.unread), (Form::Monitor, 0));
    check(&client, 0, 4, "C6", Attr::Share, Some(1_405));
    check(&client, 2, 8, "C10", Attr::Share, Some(0));
    let cut = sample("arm64-menu-cpupower-monitor.txt");
    check(&cut, 3, 1, "cpu-", Attr::Share, Some(9_925));
    assert_eq!(
        cut.sheets[0].cpus[&Some(0)].len(),
        2,
        "one column is missing in the print"
    );
}

#[test]
fn headed_bare_quoted_and_relative_sysfs_give_the_same() {
    let heads = text(
        "==> /sys/devices/system/cpu/cpu1/cpuidle/state1/name <==\nC1\n\n==> /sys/devices/system/cpu/cpu1/cpuidle/state1/latency <==\n2\n",
    );
    let grep = text("> > cpu1/cpuidle/state1/name:C1\n> > cpu1/cpuidle/state1/latency: 2\n");
    assert_eq!(heads.sheets, grep.sheets);
    let cat = text("1\n2\nenabled\nMWAIT 0x00\n0\n2\nC1\n0\n9\n20\n100\n7\n");
    let named = text(
        "state0/above:1\nstate0/below:2\nstate0/default_status:enabled\nstate0/desc:MWAIT 0x00\n\
        state0/disable:0\nstate0/latency:2\nstate0/name:C1\nstate0/power:0\nstate0/rejected:9\n\
        state0/residency:20\nstate0/time:100\nstate0/usage:7\n",
    );
    assert_eq!(cat.sheets[0].cpus, named.sheets[0].cpus);
    let older = text("1\n2\nenabled\nMWAIT 0x00\n0\n2\nC1\n0\n20\n100\n7\n");
    let state = &older.sheets[0].cpus[&None][&0];
    assert_eq!(
        (state.get(Attr::Rejected), state.get(Attr::Usage)),
        (None, Some(7))
    );
}

#[test]
fn pepc_gives_names_latencies_and_what_is_off() {
    let tables = text(
        " - C1: 'on' for CPUs 0-87\n    - expected latency: 2 us\n - C6: 'off' for CPUs 0-87\n\
         expected latency: 133 us\ntarget residency: 400 us\n",
    );
    let states = &tables.sheets[0].cpus[&None];
    assert_eq!(states[&1].name.as_deref(), Some("C6"));
    let number = |attr| states[&1].get(attr);
    assert_eq!(number(Attr::Latency), Some(133));
    assert_eq!(number(Attr::Residency), Some(400));
    assert_eq!(
        (number(Attr::Disable), states[&0].get(Attr::Disable)),
        (Some(1), Some(0))
    );
}

#[test]
fn a_dump_before_and_one_after_in_one_paste_are_two_sheets() {
    let file = "x86-haltpoll-cpuidle-sysfs.txt";
    let once = sample(file);
    let mut twice = bytes(file);
    twice.extend(bytes(file));
    let both = tables::read(&twice).expect("two dumps");
    assert_eq!(both.sheets.len(), 2);
    assert_eq!(both.sheets[0].cpus, once.sheets[0].cpus);
    assert_eq!(both.sheets[1].cpus, once.sheets[0].cpus);
}

/// Name and value.
type Property = (&'static str, Vec<u8>);

/// A devicetree blob of nodes with properties, by the Devicetree Specification.
fn blob(nodes: &[(&str, &[Property])]) -> Vec<u8> {
    let (mut tree, mut names): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    let word = |out: &mut Vec<u8>, word: usize| out.extend(u32::try_from(word).expect("small").to_be_bytes());
    let padded = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(4), 0);
    };
    word(&mut tree, 1);
    padded(&mut tree, b"\0");
    for (name, properties) in nodes {
        word(&mut tree, 1);
        padded(&mut tree, format!("{name}\0").as_bytes());
        for (property, value) in *properties {
            word(&mut tree, 3);
            word(&mut tree, value.len());
            word(&mut tree, names.len());
            names.extend(format!("{property}\0").as_bytes());
            padded(&mut tree, value);
        }
        word(&mut tree, 4);
        word(&mut tree, 2);
    }
    word(&mut tree, 2);
    word(&mut tree, 9);
    let mut blob = vec![0xd0, 0x0d, 0xfe, 0xed];
    for header in [
        40 + tree.len() + names.len(),
        40,
        40 + tree.len(),
        40,
        17,
        16,
        0,
        names.len(),
        tree.len(),
    ] {
        word(&mut blob, header);
    }
    blob.extend(tree);
    blob.extend(names);
    blob
}

fn cells(cells: &[u32]) -> Vec<u8> {
    cells.iter().flat_map(|cell| cell.to_be_bytes()).collect()
}

fn small_blob() -> Vec<u8> {
    let state: &[Property] = &[
        ("entry-latency-us", cells(&[300])),
        ("exit-latency-us", cells(&[1200])),
        ("min-residency-us", cells(&[2000])),
        ("compatible", b"arm,idle-state\0".to_vec()),
        ("idle-state-name", b"deep one\0".to_vec()),
        ("local-timer-stop", Vec::new()),
        ("phandle", cells(&[9])),
    ];
    let cpu: &[Property] = &[("reg", cells(&[0, 3])), ("cpu-idle-states", cells(&[9]))];
    blob(&[("cpu-sleep-0", state), ("cpu@3", cpu)])
}

#[test]
fn a_devicetree_blob_gives_what_its_source_gives() {
    let source = text(
        "cpu-sleep-0 { entry-latency-us = <300>; exit-latency-us = <1200>; min-residency-us = <2000>; \
         idle-state-name = \"deep one\"; local-timer-stop; phandle = <9>; }; cpu@3 { reg = <0 3>; cpu-idle-states = <9>; };",
    );
    let tables = tables::read(&small_blob()).expect("a blob");
    assert_eq!(tables.sheets, source.sheets);
    let state = &tables.sheets[0].cpus[&Some(3)][&1];
    assert_eq!(
        (state.name.as_deref(), state.timer_stop),
        (Some("deep one"), Some(true))
    );
    assert_eq!(state.get(Attr::Latency), Some(1500));
    let opened = |bytes: &[u8]| {
        let mut reader = Reader::new(Limits::default());
        reader.feed(bytes)?;
        reader.finish_any()
    };
    assert_eq!(opened(&small_blob()), Ok(Opened::Tables(tables)));
    let error = opened(&blob(&[])).expect_err("no idle states").to_string();
    assert!(error.contains("a devicetree blob without idle-states"), "{error}");
    let error = opened(&small_blob()[..90]).expect_err("cut").to_string();
    assert!(
        error.contains("the devicetree blob is damaged: expected"),
        "{error}"
    );
}

#[test]
fn an_energy_model_of_idlestat_gives_powers_by_cluster() {
    let tables = text(
        "# two clusters\nclusters 2\nclusterA: 1 cap states 2 C states\nP-states:\n1200 15200 6997\n\
         C-states:\nWFI 70 0\ncluster-sleep-b 25 1 # deepest\nwakeup 5 6\nclusterB: 0 cap states 1 C states\n\
         C-states:\nWFI 12 3\nWFI many 3\n",
    );
    let rows: Vec<_> = tables
        .sheets
        .iter()
        .flat_map(|sheet| {
            sheet.cpus[&None].values().map(|state| {
                let power = |attr| state.get(attr).unwrap_or_default();
                (
                    sheet.cluster.as_deref().unwrap_or_default(),
                    state.name.as_deref().unwrap_or_default(),
                    power(Attr::ClusterPower),
                    power(Attr::CorePower),
                )
            })
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("A", "WFI", 70, 0),
            ("A", "cluster-sleep-b", 25, 1),
            ("B", "WFI", 12, 3)
        ]
    );
    assert_eq!(
        (tables.unread, tables.first_unread, tables.first_text.as_str()),
        (1, 13, "WFI many 3")
    );
}

#[test]
fn what_mail_did_to_a_table_is_undone() {
    let plain = sample("x86-haltpoll-cpuidle-sysfs.txt");
    let text = String::from_utf8(bytes("x86-haltpoll-cpuidle-sysfs.txt")).expect("text");
    // A reply to a mail of 72 columns.
    let wrapped: String = text
        .lines()
        .map(|line| match line.rsplit_once(' ').filter(|_| line.len() > 72) {
            Some((head, tail)) => format!("> {head}\n> {tail}\n"),
            None => format!("> {line}\n"),
        })
        .collect();
    assert!(
        wrapped.lines().count() > text.lines().count(),
        "something was wrapped"
    );
    let mailed = format!("On Monday, somebody wrote:\n>\n{wrapped}");
    let read = tables::read(mailed.as_bytes()).expect("a table in a mail");
    assert_eq!(
        (&read.sheets, read.unread, read.first_unread),
        (&plain.sheets, 1, 1)
    );
    let printable: String = text
        .lines()
        .map(|line| {
            let (head, tail) = line.split_at(line.len().min(60));
            if tail.is_empty() {
                format!("{head}\r\n")
            } else {
                format!("{head}=\r\n{tail}\r\n")
            }
        })
        .collect();
    let printable = format!("Content-Transfer-Encoding: quoted-printable\n\n{printable}");
    assert_eq!(
        tables::read(printable.as_bytes())
            .expect("quoted-printable")
            .sheets,
        plain.sheets
    );
    let spaced = text
        .replace("idle\n", "idle\u{a0}\n")
        .replace("haltpoll idle", "haltpoll\u{a0}idle");
    assert_eq!(
        tables::read(spaced.as_bytes())
            .expect("non-breaking blanks")
            .sheets,
        plain.sheets
    );
}

#[test]
fn a_turbostat_heading_and_whole_rows_that_mail_wrapped_are_joined() {
    let whole = "CPU Busy% C1 C6 C1% C6%\n0 1.0 5 6 10.00 80.00\n1 2.0 7 8 20.00 70.00\n2 3.0 9\n";
    let cut =
        "> CPU Busy% C1 C6\n> C1% C6%\n> 0 1.0 5 6\n> 10.00 80.00\n> 1 2.0 7 8\n> 20.00 70.00\n> 2 3.0 9\n";
    assert_eq!(text(cut).sheets, text(whole).sheets);
}

#[test]
fn tables_come_packed_and_two_members_of_an_archive_are_two_sheets() {
    let file = bytes("x86-haltpoll-cpuidle-sysfs.txt");
    let opened = |bytes: &[u8]| {
        let mut reader = Reader::new(Limits::default());
        bytes
            .chunks(7)
            .try_for_each(|piece| reader.feed(piece))
            .expect("it is taken");
        match reader.finish_any() {
            Ok(Opened::Tables(tables)) => tables.sheets.len(),
            other => panic!("no tables: {other:?}"),
        }
    };
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(&file).expect("memory");
    assert_eq!(opened(&gz.finish().expect("memory")), 1);
    assert_eq!(opened(&file), 1);
    assert_eq!(
        opened(&super::containers::zip(&[
            ("before", 0, &file),
            ("after", 8, &file)
        ])),
        2
    );
    let error = trace::read(&file).expect_err("it is no trace").to_string();
    assert!(
        error.starts_with("a table of idle states (cpuidle sysfs attributes) is no trace"),
        "{error}"
    );
}

#[test]
fn what_is_no_table_says_what_was_expected_and_unread_lines_are_counted() {
    for input in [
        "",
        "shopping list\n",
        "1\n2\nenabled\n",
        "state1/usage:-1\n",
        "cpu9999/cpuidle/state1/usage:1\n",
        "state77/usage:1\n",
    ] {
        assert_eq!(
            tables::read(input.as_bytes()),
            Err(TablesError::NoState),
            "{input:?}"
        );
    }
    let tables = text("hello\nstate1/usage:1\nstate1/time:many\n");
    assert_eq!((tables.unread, tables.first_unread), (2, 1));
}

#[test]
fn a_text_beyond_the_limits_is_refused_before_it_is_read() {
    let lines = tables::MOST_LINES + 1;
    assert_eq!(
        tables::read(&vec![b'\n'; lines]),
        Err(TablesError::Lines { lines })
    );
    let bytes = tables::MOST_BYTES + 1;
    assert_eq!(tables::read(&vec![b' '; bytes]), Err(TablesError::Long { bytes }));
}

fn samples() -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder is committed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end != "json"))
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| fs::read(path).expect("a sample"))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn cut_shuffled_and_joined_samples_do_no_harm(picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..40)) {
        let lines: Vec<Vec<u8>> = samples().iter().flat_map(|file| file.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()).collect();
        let mut input = Vec::new();
        for (line, cut) in picks {
            let line = line.get(&lines);
            input.extend_from_slice(&line[..cut.index(line.len() + 1)]);
            input.push(b'\n');
        }
        if let Ok(tables) = tables::read(&input) {
            prop_assert!(tables.sheets.iter().all(|sheet| !sheet.cpus.is_empty()));
            let _ = sheets::machine("shuffled", &tables);
            let reading = Reading { name: "shuffled".to_owned(), tables, done: Vec::new() };
            prop_assert!(!sheets::report(&reading, Style::Page).headline.is_empty());
            let text = counters::text(&Counters::of(&[reading]), true);
            prop_assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 72), "{}", text);
        }
    }

    #[test]
    fn a_truncated_sample_gives_a_part_or_an_error(which in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        let files = samples();
        let file = which.get(&files);
        if let Ok(tables) = tables::read(&file[..cut.index(file.len() + 1)]) {
            prop_assert!(tables.unread <= file.iter().filter(|byte| **byte == b'\n').count() as u64 + 1);
        }
    }

    #[test]
    fn a_damaged_blob_is_refused_or_read_in_part(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let mut blob = small_blob();
        let at = at.index(blob.len());
        blob[at] = byte;
        blob.truncate(cut.index(blob.len() + 1));
        let first = tables::read(&blob);
        prop_assert_eq!(first, tables::read(&blob));
    }

    #[test]
    fn random_bytes_do_no_harm(input in prop::collection::vec(any::<u8>(), 0..600)) {
        let first = tables::read(&input);
        prop_assert_eq!(first, tables::read(&input));
    }
}
