//! What a governor remembered, why states are never chosen, and what changed between A and B.

use crate::explorer::{self, COMPARED};
use e2e::{Look, Page, id, with_page};

/// Waits until a tab that takes long has its complete answer; returns the element's text.
async fn complete(page: &Page, selector: &str) -> String {
    let text = page
        .wait_text(selector, "a complete answer", |text| {
            !text.is_empty() && !text.to_lowercase().contains("counting")
        })
        .await;
    page.wait_gone("[aria-busy=true]").await;
    text
}

/// The first whole number after some words.
fn number_after(text: &str, words: &str) -> u64 {
    let (_, rest) = text
        .split_once(words)
        .unwrap_or_else(|| panic!("no {words:?} in {text:?}"));
    let digits = rest.chars().filter(|c| *c != '\u{202f}');
    let digits: String = digits
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number after {words:?} in {text:?}"))
}

#[test]
fn what_every_family_remembered_is_drawn_and_can_be_read_as_a_table() {
    for (governor, says) in [
        ("ladder-5.5", "threshold"),
        ("haltpoll-6.12", "guest_halt_poll_ns"),
        ("mobile-2019", "mean to a task"),
        ("menu-6.15", "newest interval"),
        ("teo-6.5", "intercepts"),
    ] {
        with_page(Look::DESK, move |page| async move {
            explorer::open(&page, &format!("w=arm64-menu&a={governor}&cpu=2&d=40")).await;
            let answer = page.text(&id("memory-answer")).await;
            let title = format!("document.querySelector('{} svg title').textContent", id("memory"));
            let name = page.eval(&format!("return {title}")).await;
            let name = name.as_str().unwrap_or_default().to_owned();
            assert!(name.starts_with(&answer) && name.len() > answer.len(), "{name}");
            page.click(&id("memory-table")).await;
            let table = page.text(&format!("{} table", id("memory"))).await;
            assert!(table.contains(says), "{governor}: {table}");
            page.click(&id("memory-table")).await;
            page.find(&format!("{} svg", id("memory"))).await;
        });
    }
}

#[test]
fn the_changes_count_the_workload_or_the_marked_range_and_tell_what_overlaps() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("tab-changes")).await;
        let whole = complete(&page, &id("changes-head")).await;
        assert!(whole.contains("all decisions of the workload"), "{whole}");
        let all = number_after(&whole, "teo-6.5-p123:");
        assert!(all > 0);
        let list = page.text(&id("changes")).await;
        assert!(
            list.contains("undone:") && list.contains("patch 2 in B"),
            "{list}"
        );
        let shared = page.text(&id("changes-shared")).await;
        assert!(shared.contains("decisions that differ"), "{shared}");

        page.press("n").await;
        page.press("r").await;
        page.wait_text(&id("decision-place"), "the first", |text| {
            text.contains("difference 1 of")
        })
        .await;
        page.press("n").await;
        page.wait_text(&id("decision-place"), "the next", |text| {
            text.contains("difference 2 of")
        })
        .await;
        page.press("r").await;
        page.wait_text(&id("changes-head"), "the range", |text| {
            text.contains("marked range")
        })
        .await;
        let part = complete(&page, &id("changes-head")).await;
        assert!(number_after(&part, "teo-6.5-p123:") < all, "{part}");
    });
}

#[test]
fn why_states_are_never_chosen_is_counted_for_what_is_seen() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("tab-why")).await;
        let whole = complete(&page, &id("why-caption")).await;
        assert!(whole.contains("whole record"), "{whole}");
        let all = number_after(&whole, "A ");
        let reasons = page.text(&id("why")).await;
        assert!(reasons.contains("chosen"), "{reasons}");

        page.click("#timeline").await;
        page.press("w").await;
        page.press("w").await;
        page.wait_text(&id("why-caption"), "the view", |text| {
            text.contains("visible range")
        })
        .await;
        let seen = complete(&page, &id("why-caption")).await;
        assert!(number_after(&seen, "A ") < all, "{seen}");
    });
}
