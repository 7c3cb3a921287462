//! A link restores what its author saw.

use crate::explorer::{self, COMPARED, changed};
use e2e::{Look, id, with_page};
use std::sync::{Arc, Mutex};

#[test]
fn a_copied_link_opens_in_a_fresh_profile_with_the_same_state_and_table() {
    let sent = Arc::new(Mutex::new((String::new(), String::new(), String::new())));
    let kept = Arc::clone(&sent);
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.fill(&id("latency-limit"), "2000").await;
        page.press("Enter").await;
        page.wait_true("location.hash.includes('lat=2ms')").await;
        explorer::answered(&page).await;
        page.click(&id("first")).await;
        page.press("n").await;
        page.wait_text(&id("answer"), "an answer", |text| text.len() > 20)
            .await;
        page.click(&id("copy-link")).await;
        page.find(&id("toast")).await;
        let link = page.clipboard().await;
        let fragment = link
            .split_once('#')
            .map(|(_, fragment)| fragment.to_string())
            .unwrap_or_default();
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._~=&;,-".contains(c);
        assert!(!fragment.is_empty() && fragment.chars().all(allowed), "{link}");
        let answer = page.text(&id("answer")).await;
        let mail = explorer::mail(&page).await;
        *kept.lock().unwrap() = (fragment, mail, answer);
    });
    let (fragment, mail, answer) = sent.lock().unwrap().clone();
    with_page(Look::DESK, move |page| async move {
        explorer::open(&page, &fragment).await;
        page.wait_text(&id("answer"), "what the author read", |text| text == answer)
            .await;
        let numbers = |table: &str| {
            table
                .lines()
                .filter(|line| !line.contains("://"))
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(&explorer::mail(&page).await), numbers(&mail));
    });
}

#[test]
fn the_table_for_mail_is_copied_as_it_is_shown() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let shown = explorer::mail(&page).await;
        page.click(&id("copy-table")).await;
        page.find(&id("toast")).await;
        let copied = page.clipboard().await;
        assert_eq!(copied.trim_end(), shown.trim_end());
        for line in copied.lines().filter(|line| !line.contains("://")) {
            assert!(
                line.is_ascii() && line.len() <= 72,
                "{} columns: {line}",
                line.len()
            );
        }
    });
}

#[test]
fn parts_that_are_not_understood_are_named_and_the_rest_applies() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=teo-6.5&b=teo-99&hz=1000&colour=red").await;
        let issues = page.text(&id("link-issues")).await;
        assert!(issues.contains("teo-99") && issues.contains("colour"), "{issues}");
        assert!(
            page.fragment().await.contains("hz=1000"),
            "{}",
            page.address().await
        );
    });
}

#[test]
fn back_and_forward_lead_from_edit_to_edit_and_stay_on_the_page() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let before = explorer::summary(&page).await;
        let entries = page.eval("return history.length").await;
        page.drag("[data-testid=handle-residency-1]", 60, 0).await;
        page.wait_true("location.hash.includes('st=')").await;
        page.fill(&id("latency-limit"), "2000").await;
        page.press("Enter").await;
        page.wait_true("location.hash.includes('lat=2ms')").await;
        explorer::answered(&page).await;

        page.eval("history.back()").await;
        page.wait_true("!location.hash.includes('lat=') && location.hash.includes('st=')")
            .await;
        page.eval("history.back()").await;
        page.wait_true("!location.hash.includes('st=')").await;
        page.wait_text(&id("summary-table"), "as before the drag", |text| text == before)
            .await;
        page.eval("history.forward()").await;
        page.wait_true("location.hash.includes('st=')").await;
        changed(&page, &id("summary-table"), &before).await;
        page.eval("history.forward()").await;
        page.wait_true("location.hash.includes('lat=2ms')").await;
        page.wait_true(&format!("history.length === {entries} + 2")).await;
    });
}

#[test]
fn a_link_to_a_workload_that_does_not_exist_keeps_its_governors() {
    with_page(Look::DESK, |page| async move {
        page.open("w=arm64-meno&a=teo-6.5&b=teo-6.5-p123&hz=1000").await;
        let said = page.text(&id("link-issues")).await;
        assert!(said.contains("w=arm64-meno: no such workload"), "{said}");
        assert!(said.contains("A teo-6.5 and B teo-6.5-p123 will run"), "{said}");
        page.screenshot("unknown-workload").await;
        page.click(&format!("{} .actions button", id("link-issues")))
            .await;
        explorer::answered(&page).await;
        assert_eq!(page.fragment().await, COMPARED);
        page.wait_gone(&id("link-issues")).await;
    });
}
