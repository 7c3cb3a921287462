//! The published measurements that the closed-loop model must reproduce, with what comes out here.
//!
//! `src/page/published/results.txt` keeps the table that the page shows; `IDLESCOPE_BLESS=1` writes it anew.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use idlescope::page::link;
use idlescope::page::published::{self, Finding};
use idlescope::units::Ns;

/// Experiments whose table is written anew, one after the other.
static BLESSING: Mutex<()> = Mutex::new(());

const NAMES: [&str; 14] = [
    "pipe-test on a Sandy Bridge",
    "poll or C1 on a Haswell",
    "the teo series on a Pixel 6",
    "tick stops of a busy server",
    "wakeups at a fixed distance on a POWER10 guest",
    "a phone that never sleeps deeply",
    "steady timers on SM8250",
    "menu's typical interval",
    "four governors on a Pixel 6",
    "a POWER10 guest of 2024",
    "devices on RK3399",
    "periodic threads on an i5-10600K",
    "an idle desktop under ladder",
    "the deepest state off on a Sandy Bridge",
];

#[track_caller]
fn check(name: &str, findings: Option<Vec<Finding>>) {
    let findings = findings.expect("the presets are there");
    println!("{name}");
    for finding in &findings {
        let verdict = if finding.is_met() { "met" } else { "NOT MET" };
        let ratio = finding
            .ratio()
            .map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        println!(
            "  {:6} {:70} published {:>22}  ours {:9.3}  ratio {ratio:>6}  {verdict} {}",
            finding.id, finding.what, finding.published, finding.ours, finding.reason
        );
    }
    let found = published::lines(name, &findings);
    if std::env::var_os("IDLESCOPE_BLESS").is_some() {
        return bless(name, &found);
    }
    // Met, or known not to be and why; never both.
    let missed: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.is_met() != finding.reason.is_empty())
        .map(|finding| finding.what.as_str())
        .collect();
    assert!(
        !findings.is_empty() && missed.is_empty(),
        "not met without a reason, or met with one: {missed:#?}"
    );
    assert_eq!(found, published::committed(name), "the committed table of {name}");
}

fn bless(name: &str, found: &str) {
    let _one = BLESSING.lock().expect("nobody panics with it");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/published/results.txt");
    let before = fs::read_to_string(&path).expect("is committed");
    let own = |line: &str, name: &str| line.split('\t').next() == Some(name);
    let table: String = NAMES
        .iter()
        .flat_map(|each| {
            let kept: Vec<String> = if *each == name {
                found.lines().map(ToOwned::to_owned).collect()
            } else {
                before
                    .lines()
                    .filter(|line| own(line, each))
                    .map(ToOwned::to_owned)
                    .collect()
            };
            kept
        })
        .map(|line| line + "\n")
        .collect();
    fs::write(&path, table).expect("can be written");
}

#[test]
fn pipe_test_on_a_sandy_bridge() {
    check(NAMES[0], published::sandy_bridge());
}

#[test]
fn poll_or_c1_on_a_haswell() {
    check(NAMES[1], published::haswell());
}

#[test]
fn the_teo_series_on_a_phone() {
    check(NAMES[2], published::phone(5, Ns::from_ms(80_000)));
}

#[test]
fn tick_stops_of_a_busy_server() {
    check(NAMES[3], published::busy_server(Ns::from_ms(20_000)));
}

#[test]
fn wakeups_at_a_fixed_distance_on_a_power10_guest() {
    check(NAMES[4], published::power10());
}

#[test]
fn a_phone_that_never_sleeps_deeply() {
    check(NAMES[5], published::stuck_in_wfi());
}

#[test]
fn steady_timers_on_sm8250() {
    check(NAMES[6], published::steady_timers());
}

#[test]
fn menus_typical_interval() {
    check(NAMES[7], published::typical_intervals());
}

#[test]
fn four_governors_on_a_phone() {
    check(NAMES[8], published::staircase(3, Ns::from_ms(60_000)));
}

#[test]
fn a_power10_guest_of_2024() {
    check(NAMES[9], published::power10_2024());
}

#[test]
fn devices_on_rk3399() {
    check(NAMES[10], published::devices());
}

#[test]
fn periodic_threads_on_comet_lake() {
    check(NAMES[11], published::comet_lake());
}

#[test]
fn an_idle_desktop_under_ladder() {
    check(NAMES[12], published::ladder_idle());
}

#[test]
fn the_deepest_state_off_on_a_sandy_bridge() {
    check(NAMES[13], published::deepest_off());
}

#[test]
fn what_is_not_modelled_is_told_with_its_number_and_why() {
    for (what, why) in published::NOT_MODELLED {
        println!("not modelled: {what}: {why}");
        assert!(
            what.starts_with('P') && !what.ends_with('.') && why.ends_with('.'),
            "{what}"
        );
    }
    // Each of P1 to P19 is either a criterion or on this list.
    let results = published::results();
    for n in 1..=19 {
        let id = format!("P{n}");
        let judged = results
            .iter()
            .flat_map(|one| &one.findings)
            .any(|finding| finding.id == id);
        let named = |what: &str| {
            let head = what.split(':').next().unwrap_or_default();
            head.split(", ").any(|own| own == id)
        };
        let told = published::NOT_MODELLED.iter().any(|(what, _)| named(what));
        assert!(judged || told, "{id}");
    }
}

#[test]
fn every_finding_has_a_link_that_is_understood() {
    let all = published::results();
    assert_eq!(all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), NAMES);
    let findings = all.iter().flat_map(|one| &one.findings);
    for text in findings.flat_map(|finding| finding.link.split(' ')) {
        let (link, issues) = link::parse(text);
        assert!(issues.is_empty(), "{text}: {issues:?}");
        assert!(link.doc.is_runnable(), "{text}");
    }
}
