//! What a governor remembered, why states are never chosen, and what changed between A and B.

use crate::explorer::{self, COMPARED, changed};
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

/// Nothing for axe-core to complain about.
async fn accessible(page: &Page, what: &str) {
    if let Some(violations) = page.axe().await {
        assert!(violations.is_empty(), "{what}: {violations:#?}");
    }
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
            page.click(&id("memory-csv")).await;
            let copied = page.clipboard().await;
            assert!(copied.is_ascii() && copied.contains(says), "{copied}");
            accessible(&page, "the table of a memory").await;
            page.click(&id("memory-table")).await;
            page.find(&format!("{} svg", id("memory"))).await;
        });
    }
}

#[test]
fn the_changes_count_the_workload_or_the_marked_range() {
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

#[test]
fn changes_that_overlap_say_so_in_words() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=mobile-2019&b=mobile-2019-p12&tab=changes").await;
        complete(&page, &id("changes-head")).await;
        let shared = page.text(&id("changes-shared")).await;
        assert!(
            shared.contains("whichever one of these is undone alone"),
            "{shared}"
        );
    });
}

#[test]
fn a_constant_that_no_kernel_has_changes_the_counts_and_survives_a_link() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=teo-6.12&b=teo-6.12").await;
        let before = explorer::summary(&page).await;
        page.click(&id("variant-b")).await;
        page.click(&id("knobs-b")).await;
        page.eval("document.querySelector('[data-testid=knob-b-decay]').focus()")
            .await;
        page.press("Home").await;
        explorer::answered(&page).await;
        let box_says = page.text(&id("variant-b")).await;
        assert!(
            box_says.contains("decay 1") && box_says.contains("no kernel"),
            "{box_says}"
        );
        accessible(&page, "the constants").await;
        page.press("Escape").await;
        let turned = changed(&page, &id("summary-table"), &before).await;
        page.wait_true("location.hash.includes('teo-6.12~decay1')").await;
        let fragment = page.fragment().await;

        page.press("Control+z").await;
        page.wait_true("!location.hash.includes('~')").await;
        let undone = changed(&page, &id("summary-table"), &turned).await;
        assert_eq!(undone, before);

        explorer::open(&page, &fragment).await;
        assert_eq!(explorer::summary(&page).await, turned);
        page.click(&id("variant-b")).await;
        page.click(&id("knobs-reset-b")).await;
        page.wait_true("!location.hash.includes('~')").await;
    });
}

#[test]
fn the_fixed_baseline_takes_the_state_that_is_chosen() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=fixed").await;
        page.click(&id("variant-a")).await;
        page.click(&id("fixed-a-0")).await;
        page.wait_true("location.hash.includes('fixed~state0')").await;
        page.press("Escape").await;
        explorer::answered(&page).await;
        let share = page.text(&id("summary-table")).await;
        assert!(share.contains("100.0"), "{share}");
    });
}

#[test]
fn a_kernel_that_people_run_leads_to_its_entry_and_says_how_sure_that_is() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=menu-6.5").await;
        page.click(&id("variant-a")).await;
        page.click(&id("kernels-a")).await;
        page.fill(&id("kernel-search-a"), "ubuntu 6.8").await;
        accessible(&page, "the list of kernels").await;
        let list = page.text(&id("kernel-list-a")).await;
        assert!(
            list.contains("general knowledge") && !list.contains("Debian"),
            "{list}"
        );
        page.click(&id("kernel-a-menu-6.6")).await;
        page.wait_true("location.hash.includes('a=menu-6.6')").await;
    });
}
