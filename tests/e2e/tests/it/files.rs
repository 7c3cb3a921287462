//! Files that a person gives: good, broken, too long to wait for.

use crate::explorer::{self, COMPARED};
use e2e::{Look, id, root, with_page};
use std::fs;
use std::path::PathBuf;

/// A file made for one test, below `target/`.
fn made(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = root().join("target/e2e/files");
    fs::create_dir_all(&folder).expect("a folder below target/");
    let file = folder.join(name);
    fs::write(&file, bytes).expect("a file below target/");
    file
}

/// An ftrace text of so many idle periods on one CPU.
fn trace(periods: u64) -> String {
    let mut text = String::from("# tracer: nop\n#\n");
    for n in 0..periods {
        let us = 1_000_000 + n * 400;
        for (us, state) in [(us, 0), (us + 300, 4_294_967_295_u64)] {
            let (seconds, rest) = (us / 1_000_000, us % 1_000_000);
            text += &format!(
                "          <idle>-0     [000] d..1. {seconds:5}.{rest:06}: cpu_idle: state={state} cpu_id=0\n"
            );
        }
    }
    text
}

#[test]
fn a_file_of_ones_own_is_read_and_named_by_its_digest() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.upload(made("own.txt", trace(500).as_bytes())).await;
        explorer::answered(&page).await;
        let fragment = page.fragment().await;
        let name = fragment
            .split('&')
            .find_map(|pair| pair.strip_prefix("t="))
            .unwrap_or_default();
        assert!(
            name.len() == 12 && name.chars().all(|c| c.is_ascii_hexdigit()),
            "{fragment}"
        );
    });
}

#[test]
fn a_broken_file_says_what_is_wrong_and_nothing_is_lost() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let before = explorer::mail(&page).await;
        page.upload(made(
            "broken.bin",
            &[0x7f, b'E', b'L', b'F', 0, 1, 2, 3, 0xff, 0xfe, 0, 0],
        ))
        .await;
        let message = page.text(&id("message")).await;
        assert!(message.to_lowercase().contains("expected"), "{message}");
        assert_eq!(explorer::mail(&page).await, before);
        page.screenshot("broken").await;
    });
}

/// Uploads a file and waits until the message about it says what it is.
async fn says(page: &e2e::Page, name: &str, bytes: &[u8], what: &str) -> String {
    page.upload(made(name, bytes)).await;
    page.wait_text(&id("message"), what, |text| text.contains(what))
        .await
}

#[test]
fn what_is_no_trace_is_named_and_its_bytes_are_escaped() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("record-commands")).await;
        let html = b"<!DOCTYPE html>\n<html><body>\n<p>Shoes</p>\n</body></html>\n";
        says(&page, "shop.html", html, "found an HTML page").await;
        let noise: Vec<u8> = (1..=200_u8).map(|n| n.wrapping_mul(37) | 0x81).collect();
        let told = says(&page, "noise.bin", &noise, "\\xa5\\xcb\\xef").await;
        assert!(told.lines().count() < 8 && told.len() < 500, "{told}");
        let late = trace(3).replace("    1.", " 9300000000.");
        says(&page, "late.txt", late.as_bytes(), "seconds up to 9223372036").await;
        let states = trace(3).replace("state=0", "state=77");
        says(&page, "states.txt", states.as_bytes(), "`state=` from 0 to 9").await;
        page.screenshot("not-a-trace").await;
    });
}

#[test]
fn a_trace_with_more_states_than_any_machine_says_what_to_do() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("record-commands")).await;
        page.upload(made(
            "deep.txt",
            trace(300).replace("state=0", "state=9").as_bytes(),
        ))
        .await;
        let card = id("machine-needed");
        let told = page.text(&card).await;
        assert!(
            told.contains("Its only CPU enters states 0 to 9")
                && told.contains("No machine here has 10 states"),
            "{told}"
        );
        page.click("[data-testid^=offer-]").await;
        let told = page
            .wait_text(&card, "what the machine lacks", |text| {
                text.contains("has only 9 states")
            })
            .await;
        assert!(told.contains("add the missing states"), "{told}");
        page.screenshot("too-few-states").await;
    });
}

#[test]
fn a_load_can_be_cancelled_and_nothing_is_lost() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let before = explorer::mail(&page).await;
        page.upload(made("long.txt", trace(1_500_000).as_bytes())).await;
        page.click(&id("cancel-reading")).await;
        let note = page.text(&id("not-read")).await;
        assert!(note.contains("cancelled"), "{note}");
        assert_eq!(explorer::mail(&page).await, before);
    });
}

/// Pastes a text where no field has the focus.
async fn paste(page: &e2e::Page, text: &str) {
    page.eval(&format!(
        "const data = new DataTransfer(); data.setData('text/plain', {text:?}); \
         document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
    ))
    .await;
}

#[test]
fn a_text_pasted_on_the_start_page_is_read_as_a_trace() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("record-commands")).await;
        paste(&page, "1 2 3").await;
        let said = page.text(&id("message")).await;
        assert!(
            said.contains("No event in 1 line: expected") && said.contains("found at line 1: 1 2 3"),
            "{said}"
        );
        assert!(!said.contains("bpftrace"), "{said}");
        page.screenshot("pasted-rubbish").await;
        let line = |us: u32, state: u32| {
            format!("<idle>-0 [000] d..1. 9.{us:06}: cpu_idle: state={state} cpu_id=0\n")
        };
        let trace: String = (0..200)
            .map(|n| [line(n * 700, n % 3), line(n * 700 + 350, u32::MAX)].concat())
            .collect();
        paste(&page, &trace).await;
        page.find(&id("machine-needed")).await;
        page.wait_gone(&id("message")).await;
    });
}

#[test]
fn a_trace_dat_of_trace_cmd_opens_and_the_report_says_what_it_is() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.upload(root().join("tests/data/traces/arm64-menu-v7-zstd.dat"))
            .await;
        explorer::answered(&page).await;
        page.click(&id("import-report")).await;
        page.wait_text(&id("report-events"), "the events", |text| {
            text.contains("cpu_idle")
        })
        .await;
        let report = page.text("main.report").await;
        assert!(report.contains("trace.dat"), "{report}");
    });
}

#[test]
fn a_clock_that_leaps_by_years_opens_and_what_follows_opens_too() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        let event = |at: &str, state: u32| {
            format!("          <idle>-0     [000] d..1. {at}.123456: cpu_idle: state={state} cpu_id=0\n")
        };
        let leap = [
            ("100", 0),
            ("101", u32::MAX),
            ("1000000000", 0),
            ("1000000001", u32::MAX),
        ];
        let text: String = leap.iter().map(|(at, state)| event(at, *state)).collect();
        page.upload(made("leap.txt", text.as_bytes())).await;
        let before = page
            .wait_text(&id("verdict"), "figures", |text| text.contains("2 idle periods"))
            .await;
        page.upload(made("after.txt", trace(500).as_bytes())).await;
        explorer::changed(&page, &id("verdict"), &before).await;
        assert_eq!(page.count(&id("message")).await, 0);
    });
}
