//! The library compiled for the browser and run there gives, bit for bit, what it gives natively.
//!
//! Every test here runs twice, in `cargo test` and in headless Chromium (`cargo xtask test wasm`),
//! and compares with the same committed digest. What could differ is the width of `usize`.
//!
//! The digest is over every decision of every lane, so it changes only with what is simulated.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use idlescope::page::link;
use idlescope::page::session::Session;
use idlescope::page::view::LaneId;
use idlescope::units::{Energy, Microwatts, Ns};
use sha2::{Digest, Sha256};

#[cfg(target_family = "wasm")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// Asks what the link asks, of the trace if there is one; how many decisions there are, and their digest.
#[track_caller]
fn check(fragment: &str, trace: Option<&[u8]>, decisions: usize, digest: &str) {
    let (link, issues) = link::parse(fragment);
    assert!(issues.is_empty(), "{fragment}: {issues:?}");
    let mut session = Session::new();
    if let Some(bytes) = trace {
        session.begin_trace();
        for chunk in bytes.chunks(65_536) {
            session.feed(chunk).expect("the sample is sound");
        }
        session.finish_trace().expect("the sample is sound");
    }
    let issues = session.ask(&link.doc).to_vec();
    assert!(issues.is_empty(), "{fragment}: {issues:?}");
    session.finish();
    let mut hash = Sha256::new();
    let mut rows = 0;
    for lane in LaneId::ALL {
        let Some(record) = session.record(lane) else {
            continue;
        };
        for cpu in session.cpus() {
            for row in record.lane(cpu).iter().flat_map(|lane| lane.rows()) {
                hash.update(format!("{lane:?} {cpu} {row:?}"));
                rows += 1;
            }
        }
    }
    let found: String = hash
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!((rows, found.as_str()), (decisions, digest), "{fragment}");
}

#[test]
fn a_year_at_five_watts_is_exact() {
    let year = Ns::from_ms(365 * 86_400_000);
    assert_eq!(
        Microwatts::new(5_000_000) * year,
        Energy::from_fj(157_680_000_000_000_000_000_000)
    );
}

#[test]
fn a_random_doorbell_rings_alike_everywhere() {
    check(
        "w=doorbell&fix=0&a=teo-6.5&b=menu-6.6",
        None,
        1739,
        "6b8d1c0a156b37d8",
    );
}

#[test]
fn a_recorded_trace_is_answered_alike_everywhere() {
    let trace = include_bytes!("../../static/samples/arm64-menu.txt.gz");
    check(
        "w=arm64-menu&a=teo-6.5&b=teo-6.5-p123",
        Some(trace),
        6312,
        "1ea2f55c6fa52d59",
    );
}
