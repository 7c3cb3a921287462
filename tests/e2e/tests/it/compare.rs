//! Stepping through decisions and reading why they were taken.

use crate::explorer::{self, COMPARED, changed};
use e2e::{Look, id, with_page};

#[test]
fn stepping_goes_decision_by_decision_and_back() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("first")).await;
        let first = changed(&page, &id("decision-place"), "").await;
        page.click(&id("next")).await;
        let second = changed(&page, &id("decision-place"), &first).await;
        page.click(&id("next")).await;
        changed(&page, &id("decision-place"), &second).await;
        page.click(&id("previous")).await;
        page.wait_text(&id("decision-place"), "the second again", |text| text == second)
            .await;
        page.click(&id("previous")).await;
        page.wait_text(&id("decision-place"), "the first again", |text| text == first)
            .await;
    });
}

#[test]
fn the_first_difference_is_one_key_away_and_explained() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        let answer = page
            .wait_text(&id("answer"), "an answer", |text| text.len() > 20)
            .await;
        page.find(&id("split-step")).await;
        let steps = page.text(&id("steps")).await;
        assert!(
            steps.chars().any(|c| c.is_ascii_digit()),
            "steps without a number: {steps}"
        );
        page.screenshot("difference").await;

        page.press("n").await;
        let place = page.text(&id("decision-place")).await;
        page.press("Shift+n").await;
        changed(&page, &id("decision-place"), &place).await;
        page.wait_text(&id("answer"), "the first answer again", |text| text == answer)
            .await;
    });
}

#[test]
fn misses_and_tick_stops_are_found() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("first")).await;
        let first = changed(&page, &id("decision-place"), "").await;
        page.click(&id("next-miss")).await;
        let miss = changed(&page, &id("decision-place"), &first).await;
        page.click(&id("next-tick-stop")).await;
        changed(&page, &id("decision-place"), &miss).await;
    });
}

#[test]
fn where_b_is_deeper_or_shallower_is_found_by_menu_and_key() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=menu-6.6&b=teo-6.12&hz=1000").await;
        let place = id("decision-place");
        page.click(&id("find")).await;
        page.click(&id("find-deeper")).await;
        let deeper = changed(&page, &place, "").await;
        assert!(deeper.contains("difference"), "{deeper}");
        page.press("k").await;
        let shallower = changed(&page, &place, &deeper).await;
        assert!(shallower.contains("difference"), "{shallower}");
        page.press("J").await;
        let back = changed(&page, &place, &shallower).await;
        assert!(back.contains("difference"), "{back}");
    });
}

#[test]
fn a_variant_that_is_off_is_one_press_away() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=doorbell&m=snb&a=teo-6.12").await;
        page.click("[data-testid=inspector] .empty button").await;
        page.click(&id("governor-b-menu-6.6")).await;
        page.wait_true("location.hash.includes('b=menu-6.6')").await;
    });
}
