//! The published measurements that the closed-loop model must reproduce, with what comes out here.

use idlescope::page::published::{self, Finding};
use idlescope::units::Ns;

#[track_caller]
fn check(name: &str, findings: Option<Vec<Finding>>) {
    let findings = findings.expect("the presets are there");
    println!("{name}");
    let mut missed = Vec::new();
    for finding in &findings {
        let verdict = if finding.is_met() { "met" } else { "NOT MET" };
        println!(
            "  {:6} {:70} published {:>22}  ours {:9.3}  {verdict}",
            finding.id, finding.what, finding.published, finding.ours
        );
        if !finding.is_met() {
            missed.push(format!("{} {}: {:.3}", finding.id, finding.what, finding.ours));
        }
    }
    assert!(!findings.is_empty());
    assert!(missed.is_empty(), "not met: {missed:#?}");
}

#[test]
fn pipe_test_on_a_sandy_bridge() {
    check("pipe-test, Sandy Bridge", published::sandy_bridge());
}

#[test]
fn poll_or_c1_on_a_haswell() {
    check("poll or C1, Haswell", published::haswell());
}

#[test]
fn the_teo_series_on_a_phone() {
    check("teo series, Pixel 6", published::phone(5, Ns::from_ms(80_000)));
}

#[test]
fn tick_stops_of_a_busy_server() {
    check("busy server", published::busy_server(Ns::from_ms(20_000)));
}
