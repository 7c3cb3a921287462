//! The page on a phone, used with fingers.

use crate::explorer::{COMPARED, changed};
use e2e::{Look, Page, id, with_page};
use std::time::Duration;

/// The middle of the timeline: a block of the focused CPU.
async fn lane(page: &Page) -> (f64, f64) {
    let middle = page
        .eval("const at = document.getElementById('timeline').getBoundingClientRect(); return at.top + at.height / 2")
        .await;
    (200.0, middle.as_f64().expect("a number"))
}

async fn opened(page: &Page) {
    page.open(&format!("{COMPARED}&cpu=3&d=6")).await;
    page.wait_true("location.hash.includes('win=')").await;
    page.wait_text(&id("decision-place"), "a decision", |text| text.contains("no. 6"))
        .await;
}

#[test]
fn a_swipe_across_the_sheet_turns_to_the_next_decision() {
    with_page(Look::PHONE, |page| async move {
        opened(&page).await;
        let before = page.text(&id("decision-place")).await;
        page.swipe((300.0, 620.0), (-140.0, 8.0)).await;
        let next = changed(&page, &id("decision-place"), &before).await;
        assert!(next.contains("no. 7"), "{next}");
        page.swipe((100.0, 620.0), (140.0, -8.0)).await;
        page.wait_text(&id("decision-place"), "the one before", |text| text == before)
            .await;
        // A finger that scrolls turns nothing.
        page.swipe((200.0, 720.0), (20.0, -120.0)).await;
        assert_eq!(page.text(&id("decision-place")).await, before);
    });
}

#[test]
fn a_finger_that_rests_shows_the_card_and_two_taps_fit() {
    with_page(Look::PHONE, |page| async move {
        opened(&page).await;
        let at = lane(&page).await;
        page.fingers("touchStart", &[at]).await;
        let card = page.text(&id("hover-card")).await;
        page.fingers("touchEnd", &[]).await;
        assert!(card.contains("cpu"), "{card}");
        page.screenshot("phone-card").await;

        page.press("0").await;
        page.wait_true("!location.hash.includes('win=')").await;
        for _ in 0..2 {
            page.fingers("touchStart", &[at]).await;
            page.fingers("touchEnd", &[]).await;
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        page.wait_true("location.hash.includes('win=')").await;
    });
}

#[test]
fn the_narrow_row_has_all_of_playback_in_its_menu() {
    with_page(Look::PHONE, |page| async move {
        opened(&page).await;
        page.click(&id("playback-more")).await;
        let speed = page.text(&id("more-speed")).await;
        page.click(&id("more-faster")).await;
        changed(&page, &id("more-speed"), &speed).await;
        page.click(&id("more-stop")).await;
        page.find(&format!("{}[aria-pressed=true]", id("more-stop")))
            .await;
        page.screenshot("phone-playback").await;
        let before = page.text(&id("decision-place")).await;
        page.click(&id("more-first")).await;
        changed(&page, &id("decision-place"), &before).await;
        page.wait_text(&id("decision-place"), "the first", |text| text.contains("no. 1"))
            .await;
    });
}

#[test]
fn the_keyboard_shows_the_card_of_the_selected_block_too() {
    with_page(Look::DESK, |page| async move {
        opened(&page).await;
        assert_eq!(page.count(&id("hover-card")).await, 0);
        page.eval("document.getElementById('timeline').focus()").await;
        page.press("ArrowRight").await;
        let card = page
            .wait_text(&id("hover-card"), "the next block's", |text| {
                text.contains("cpu3") && text.contains("sleep length")
            })
            .await;
        assert!(card.contains('A'), "{card}");
        page.press("ArrowRight").await;
        changed(&page, &id("hover-card"), &card).await;
        page.screenshot("keyed-card").await;
        page.press("Escape").await;
        page.wait_gone(&id("hover-card")).await;
    });
}

#[test]
fn no_result_tab_is_out_of_sight_on_a_phone() {
    with_page(Look::PHONE, |page| async move {
        opened(&page).await;
        page.click(&id("phone-summary")).await;
        page.find(&id("tab-mail")).await;
        let right = page
            .eval("return Math.max(...[...document.querySelectorAll('.tabs > *')].map(tab => tab.getBoundingClientRect().right))")
            .await;
        assert!(right.as_f64().unwrap_or(f64::MAX) <= 390.0, "{right}");
        page.screenshot("phone-summary").await;
    });
}
