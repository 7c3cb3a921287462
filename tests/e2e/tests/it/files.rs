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
