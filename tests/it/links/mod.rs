//! Links: laws, and old links that must open as they did.

use std::fs;
use std::path::Path;

use idlescope::cpuidle::IdleState;
use idlescope::cpuidle::catalog::Choice;
use idlescope::page::costs::{Cost, Costs};
use idlescope::page::doc::{
    Doc, Edits, LatencyLimit, MachineChoice, Overrides, Presence, SampleId, Settings, StateEdit, TraceId,
    Variant, Workload,
};
use idlescope::page::generated::{Beats, Generated, Kind, Pattern};
use idlescope::page::given::{Given, GivenCluster, GivenState};
use idlescope::page::link::{Extent, Length, Link, parse, write};
use idlescope::page::view::{LaneId, Panel, Selection, Tab, View, Window};
use idlescope::sim::machine::FrequencyRule;
use idlescope::units::{CpuId, Microwatts, Ns, Time};
use proptest::prelude::*;

#[track_caller]
fn check(text: &str, canonical: &str, issues: &[&str]) {
    let (link, found) = parse(text);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, issues, "{text}");
    assert_eq!(write(&link), canonical, "{text}");
}

/// Each link stands at the start of a line; below it, indented, `=` what it is written as now and
/// `!` every issue.
#[test]
fn every_old_link_opens_as_noted() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/links/v1.txt");
    let text = fs::read_to_string(path).expect("the list of links is part of the repository");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("# ")).collect();
    let mut links = 0;
    for (n, line) in lines.iter().enumerate() {
        if line.is_empty() || line.starts_with(' ') {
            continue;
        }
        let notes = lines.iter().skip(n + 1).map_while(|note| note.strip_prefix("  "));
        let (mut canonical, mut issues) = (None, Vec::new());
        for note in notes {
            match note.split_at_checked(2) {
                Some(("= ", text)) => canonical = Some(text),
                Some(("! ", text)) => issues.push(text),
                _ => panic!("{note:?} is neither = nor !"),
            }
        }
        check(line, canonical.expect("every link has its ="), &issues);
        links += 1;
    }
    assert!(links >= 20, "only {links} links in the list");
}

#[test]
fn the_keys_mean_what_design_says() {
    let (link, issues) =
        parse("#w=doorbell&gap=300us&m=snb&a=teo-6.5&b=teo-6.5-p123&hz.b=1000&cpu=2&at=1.234567s");
    assert_eq!(issues, []);
    let Workload::Generated(generated) = &link.doc.workload else {
        panic!("not generated: {:?}", link.doc.workload);
    };
    assert_eq!(generated.pattern(), Pattern::Doorbell);
    assert_eq!(
        link.doc.machine.as_ref().and_then(MachineChoice::preset),
        Some("snb")
    );
    assert_eq!(link.doc.a.governor, "teo-6.5".parse().ok());
    assert_eq!(link.doc.b.over.hz, Some(1000));
    assert_eq!(link.view.cpu, CpuId::new(2));
    assert_eq!(link.view.cursor, Time::from_ns(1_234_567_000));
}

#[test]
fn a_state_may_have_any_name_before_the_added_one() {
    let mut doc = Doc::default();
    doc.edits.add("new1", "terrace", StateEdit::default());
    let link = Link::new(&doc, &View::default(), Extent::Everything);
    assert_eq!(parse(&write(&link)), (link, vec![]));
}

#[test]
fn a_window_that_rounding_makes_longer_than_ten_seconds_is_read_back() {
    let at = |ns| Time::from_ns(ns);
    let view = View {
        window: Some(Window::new(at(22_587_001_000), at(32_587_000_001))),
        ..View::default()
    };
    let link = Link::new(&Doc::default(), &view, Extent::Everything);
    assert_eq!(parse(&write(&link)), (link, vec![]));
}

#[test]
fn order_does_not_matter() {
    let one = parse("w=metronome&gap=10us&m=snb&a=menu-6.6&hz=1000").0;
    let other = parse("hz=1000&a=menu-6.6&gap=10us&m=snb&w=metronome").0;
    assert_eq!(one, other);
}

#[test]
fn common_links_fit_a_trailer() {
    let host = "https://idlescope.example/#";
    for link in [
        "w=arm64-menu&a=teo-6.5&b=teo-6.5-p123&cpu=2&d=17",
        "t=3f9a02c41be7&a=menu-6.6&b=teo-6.12",
    ] {
        let (parsed, issues) = parse(link);
        assert_eq!(issues, []);
        let url = format!("{host}{}", write(&parsed));
        assert_eq!(Length::of(&url), Length::Fits, "{url} has {}", url.len());
    }
}

fn time(max: i64) -> impl Strategy<Value = Ns> {
    prop_oneof![
        (0..=max).prop_map(Ns::new),
        (0..=max / 1_000).prop_map(|us| Ns::new(us * 1_000))
    ]
}

fn generated() -> impl Strategy<Value = Generated> {
    let pattern = prop::sample::select(&Pattern::ALL[..]);
    (
        pattern,
        prop::collection::vec(any::<(prop::sample::Index, u64)>(), 0..5),
        "(i|t)[1-9][0-9]?(us|ms)(x[2-9])?(,(i|t)[1-9][0-9]?(us|ms)){0,3}",
    )
        .prop_map(|(pattern, sets, beats)| {
            let mut generated = Generated::new(pattern);
            generated.set_beats(Beats::parse(&beats).expect("is made of pauses"));
            for (which, value) in sets {
                let spec = &pattern.specs()[which.index(pattern.specs().len())];
                let (min, max) = match spec.kind {
                    Kind::Time { min, max } => (min.as_ns(), max.as_ns()),
                    Kind::Count { min, max } => (min, max),
                    Kind::Switch => (0, 1),
                };
                let span = (max - min + 1).unsigned_abs();
                assert!(generated.set(spec.param, min + (value % span).cast_signed()));
            }
            generated
        })
}

fn workload() -> impl Strategy<Value = Workload> {
    prop_oneof![
        Just(Workload::None),
        any::<[u8; 32]>().prop_map(|digest| Workload::Trace(TraceId::from_sha256(digest))),
        prop::sample::select(&SampleId::ALL[..]).prop_map(Workload::Sample),
        generated().prop_map(Workload::Generated),
    ]
}

fn edits() -> impl Strategy<Value = Edits> {
    let hour = 3_600_000_000_000;
    let edit = (
        proptest::option::of(time(hour)),
        proptest::option::of(time(hour)),
        proptest::option::of((0..=4_000_000_000_u32).prop_map(Microwatts::new)),
        proptest::option::of(any::<bool>()),
        prop_oneof![
            Just(Presence::Own),
            Just(Presence::Removed),
            "\\PC{1,12}".prop_map(|after| Presence::Added { after }),
        ],
    )
        .prop_map(
            |(target_residency, exit_latency, power, on, presence)| StateEdit {
                presence,
                target_residency,
                exit_latency,
                power,
                on,
            },
        );
    prop::collection::vec(("\\PC{1,12}", edit), 0..4).prop_map(|all| {
        let mut edits = Edits::default();
        for (name, edit) in all {
            edits.set(&name, edit);
        }
        edits
    })
}

fn latency() -> impl Strategy<Value = LatencyLimit> {
    prop_oneof![
        Just(LatencyLimit::None),
        time(2_000_000_000_000).prop_map(LatencyLimit::Max)
    ]
}

fn variant() -> impl Strategy<Value = Variant> {
    let tuned = Choice::all().flat_map(|choice| {
        choice
            .knobs()
            .filter_map(move |(knob, ..)| choice.with_knob(knob, knob.spec().max))
    });
    let choices: Vec<Choice> = Choice::all_patched().chain(tuned).collect();
    let over = (
        proptest::option::of(20_u32..=2_000),
        proptest::option::of(any::<bool>()),
        proptest::option::of(time(3_600_000_000_000)),
        proptest::option::of(latency()),
    )
        .prop_map(|(hz, nohz, rate_limit, latency)| Overrides {
            hz,
            nohz,
            rate_limit,
            latency,
        });
    (proptest::option::of(prop::sample::select(choices)), over)
        .prop_map(|(governor, over)| Variant { governor, over })
}

/// A machine that the user gave.
fn given() -> impl Strategy<Value = Given> {
    let state = (
        "\\PC{1,12}",
        0..3_600_000_000_000_i64,
        0..3_600_000_000_000_i64,
        any::<[bool; 3]>(),
    );
    let state = state.prop_map(
        |(name, latency, residency, [off, polling, timer_stop])| GivenState {
            state: IdleState {
                name,
                exit_latency: Ns::new(latency),
                target_residency: Ns::new(residency),
                polling,
                timer_stop,
            },
            off,
        },
    );
    let cpus = proptest::collection::btree_set(0_u16..4_096, 1..9);
    let cluster = (cpus, proptest::collection::vec(state, 1..=10)).prop_map(|(cpus, states)| GivenCluster {
        cpus: cpus.into_iter().collect(),
        states,
    });
    let clusters = proptest::collection::vec(cluster, 1..4);
    ("\\PC{1,70}", clusters)
        .prop_map(|(name, clusters)| Given::new(&name, clusters).expect("tables in range"))
}

fn doc() -> impl Strategy<Value = Doc> {
    let settings = (20_u32..=2_000, any::<bool>(), time(3_600_000_000_000), latency()).prop_map(
        |(hz, nohz, rate_limit, latency)| Settings {
            hz,
            nohz,
            rate_limit,
            latency,
        },
    );
    let preset = prop::sample::select(&["snb", "cap-adl0", "gs101-little"][..])
        .prop_map(|id| MachineChoice::Preset(id.to_owned()));
    let machine = proptest::option::of(prop_oneof![preset, given().prop_map(MachineChoice::Given)]);
    let rules = FrequencyRule::NAMED.map(|(_, rule)| rule);
    let clock = proptest::option::of(1_u32..=100_000);
    let rest = (
        0_u8..=100,
        proptest::option::of(time(1_000_000)),
        proptest::option::of((0_u32..=4_000_000_000).prop_map(Microwatts::new)),
        proptest::option::of(time(10_000_000_000)),
        prop::sample::select(rules.to_vec()),
        clock,
        costs(),
    );
    (workload(), machine, edits(), settings, variant(), variant(), rest).prop_map(
        |(workload, machine, edits, settings, a, b, rest)| {
            let (exit_percent, tick_cost, shared_power, shared_residency, frequency, start_mhz, costs) = rest;
            Doc {
                costs,
                start_mhz,
                frequency,
                workload,
                machine,
                edits,
                settings,
                a,
                b,
                exit_percent,
                tick_cost,
                shared_power,
                shared_residency,
            }
        },
    )
}

/// Some that every closed loop has, some that only a few have.
fn costs() -> impl Strategy<Value = Costs> {
    let key = prop::sample::select(&["entry", "stop", "send", "ipi", "smt", "asleep3", "awake1"][..]);
    proptest::collection::vec((key, 100_u64..=1_000), 0..4).prop_map(|set| {
        let mut costs = Costs::default();
        for (key, value) in set {
            costs.set(Cost::named(key).expect("a cost"), Some(value));
        }
        costs
    })
}

fn instant() -> impl Strategy<Value = Time> {
    time(100_000_000_000).prop_map(|ns| Time::from_ns(ns.as_ns()))
}

fn window() -> impl Strategy<Value = Option<Window>> {
    proptest::option::of((instant(), instant()).prop_map(|(one, other)| Window::new(one, other)))
}

fn view() -> impl Strategy<Value = View> {
    let cpu = || (0_u16..=4_095).prop_map(CpuId::new);
    let lane = || prop::sample::select(&LaneId::ALL[..]);
    let pin = (lane(), cpu(), any::<u32>()).prop_map(|(lane, cpu, n)| Selection { lane, cpu, n });
    let place = (
        cpu(),
        lane(),
        proptest::option::of(any::<u32>()),
        instant(),
        proptest::option::of(pin),
    );
    let seen = (
        window(),
        window(),
        prop::collection::vec(cpu(), 0..4),
        prop::collection::vec(lane(), 0..3),
    );
    let open = (
        prop::sample::select(&Panel::NAMED[..]),
        prop::sample::select(&Tab::NAMED[..]),
        any::<(bool, bool, bool)>(),
    );
    (place, seen, open).prop_map(
        |(
            (cpu, lane, decision, cursor, pin),
            (window, range, open_cpus, hidden),
            ((_, panel), (.., tab), (kernel_names, embed, playing)),
        )| View {
            window,
            range,
            cpu,
            open_cpus,
            cursor,
            lane,
            decision,
            pin,
            panel,
            tab,
            hidden,
            kernel_names,
            embed,
            playing,
            ..View::default()
        },
    )
}

fn is_mail_safe(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._~=&;,-".contains(&b))
}

/// Pieces of links, so that random text reaches the values.
fn nearly_a_link() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(
            &[
                "v=",
                "w=",
                "t=",
                "m=",
                "st=",
                "a=",
                "b=",
                "hz=",
                "hz.a=",
                "lat.b=",
                "at=",
                "d=",
                "win=",
                "pin=",
                "gap=",
                "&",
                "~",
                ",",
                ".",
                "metronome",
                "teo-6.5-p",
                "C6.tr",
                "us",
                "1",
                "-",
                "%2c",
                "%",
                "#"
            ][..]
        )
        .prop_map(ToOwned::to_owned),
        "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_written_is_read_back(doc in doc(), view in view()) {
        let link = Link::new(&doc, &view, Extent::Everything);
        let text = write(&link);
        prop_assert!(is_mail_safe(&text), "{text}");
        let (read, issues) = parse(&text);
        prop_assert_eq!(&issues, &[]);
        prop_assert_eq!(read, link, "{}", text);
    }

    #[test]
    fn writing_after_reading_is_a_fixed_point(text in nearly_a_link()) {
        let written = write(&parse(&text).0);
        prop_assert!(is_mail_safe(&written), "{written}");
        let (again, issues) = parse(&written);
        prop_assert_eq!(&issues, &[], "{}", written);
        prop_assert_eq!(write(&again), written);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let (link, _) = parse(&text);
        prop_assert!(is_mail_safe(&write(&link)));
    }
}
