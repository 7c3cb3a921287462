//! What the eye and the finger need: room for what has content, zones that a finger hits, drawings that follow a step.

use crate::explorer;
use e2e::{Look, Page, id, with_page};

/// Two variants that differ on this sample, with the tick that it was recorded with: no message takes room.
const COMPARED: &str = "w=arm64-menu&a=teo-6.5&b=teo-6.5-p123";

/// A small window.
const SMALL: Look = Look {
    width: 900,
    height: 700,
    dark: false,
};

/// The narrowest phone.
const NARROWEST: Look = Look {
    width: 344,
    height: 882,
    dark: false,
};

async fn number(page: &Page, js: &str) -> f64 {
    let found = page.eval(&format!("return {js}")).await;
    found.as_f64().unwrap_or_else(|| panic!("{js} is {found}"))
}

fn height(testid: &str) -> String {
    format!("document.querySelector('[data-testid={testid}]').getBoundingClientRect().height")
}

#[test]
fn the_whole_width_of_the_mail_table_is_seen_on_a_desk() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        explorer::mail(&page).await;
        let mail = "document.querySelector('[data-testid=mail]')";
        page.wait_true(&format!("{mail}.scrollWidth <= {mail}.clientWidth"))
            .await;
        // Only the link may take a second line.
        page.wait_true(&format!(
            "({mail}.scrollHeight - 20) / 17 < {mail}.textContent.split('\\n').length + 3"
        ))
        .await;
        page.screenshot("look-mail").await;
    });
}

#[test]
fn what_the_lanes_do_not_need_is_the_results_until_somebody_moves_the_line() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let wanted = "parseFloat(document.querySelector('.panel-centre').style.getPropertyValue('--lanes'))";
        let timeline = height("timeline-region");
        page.wait_true(&format!("Math.abs({timeline} - {wanted}) < 1"))
            .await;
        let results = height("results");
        assert!(number(&page, &results).await > 320.0);
        // From where it is, not from where it would be.
        let before = number(&page, &results).await;
        page.drag(".results > .splitter", 0, 60).await;
        page.wait_true(&format!("Math.abs({results} - {before} + 60) < 6"))
            .await;
        page.double_click(".results > .splitter").await;
        page.wait_true(&format!("Math.abs({results} - {before}) < 1"))
            .await;
    });
}

#[test]
fn a_small_window_shows_recording_and_both_variants_of_a_cpu() {
    with_page(SMALL, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        page.find(&id("answer")).await;
        // The ruler and one CPU at its densest; page::plot::timeline::geometry has the test of the latter.
        page.wait_true(&format!("{} >= 22 + 151", height("timeline-region")))
            .await;
        page.screenshot("look-small").await;
    });
}

#[test]
fn a_finger_hits_what_is_drawn_small() {
    with_page(SMALL, |page| async move {
        page.touched().await;
        explorer::open(&page, COMPARED).await;
        // Points 20 px off the middle belong to the control, or to the face of another that is drawn there.
        let missed = page
            .eval(
                "const faces = '.btn, .segments > *, .variant-box, .logo';
                 const seen = e => e.checkVisibility() && e.getBoundingClientRect().height > 0;
                 return [...document.querySelectorAll('.lane-bar .btn, .playback .btn, .head .btn')].filter(seen).filter(e => !e.disabled).flatMap(e => {
                   const at = e.getBoundingClientRect();
                   const [x, y] = [at.left + at.width / 2, at.top + at.height / 2];
                   return [[0, -20], [0, 20], [-20, 0], [20, 0]].filter(([dx, dy]) => {
                     const hit = document.elementFromPoint(x + dx, y + dy);
                     return hit && !e.contains(hit) && !hit.closest(faces);
                   }).map(off => `${e.outerHTML.slice(0, 120)} at ${off}`);
                 })",
            )
            .await;
        assert_eq!(missed.as_array().map(Vec::len), Some(0), "{missed:#}");
        let tall = "Math.max(...[...document.querySelectorAll('.lane-bar .btn')].map(e => e.getBoundingClientRect().height))";
        assert!(number(&page, tall).await <= 26.0, "the look stays");
        page.click(&id("rail-states")).await;
        let zone = "document.querySelector('[data-testid=handle-residency-1] .reach')";
        page.wait_true(&format!(
            "getComputedStyle({zone}).pointerEvents === 'all' && {zone}.getBoundingClientRect().width >= 44"
        ))
        .await;
    });
}

#[test]
fn the_narrowest_phone_has_the_lanes_in_a_menu_and_cuts_nothing() {
    with_page(NARROWEST, |page| async move {
        page.open(&format!("{COMPARED}&cpu=3&d=2")).await;
        page.wait_text(&id("decision-place"), "a decision", |text| text.contains("no. "))
            .await;
        page.click(&id("playback-more")).await;
        page.click(&id("more-lane-b")).await;
        page.find(&format!("{}[aria-pressed=false]", id("more-lane-b")))
            .await;
        page.click(&id("more-extra-sleep-length")).await;
        page.find(&format!("{}[aria-pressed=true]", id("more-extra-sleep-length")))
            .await;
        page.screenshot("look-lanes").await;
        page.press("Escape").await;
        page.wait_gone(&id("more-lane-b")).await;
        page.click(&id("phone-decision")).await;
        page.find(&id("card-b")).await;
        // The words of A's card end before B's card begins.
        page.wait_true(
            "[...document.querySelectorAll('[data-testid=card-a] *')].every(e => e.getBoundingClientRect().right \
             <= document.querySelector('[data-testid=card-b]').getBoundingClientRect().left)",
        )
        .await;
        page.open("").await;
        for block in ["record-commands", "own-numbers-line"] {
            page.find(&id(block)).await;
            let block = format!("document.querySelector('[data-testid={block}]')");
            page.wait_true(&format!("{block}.scrollWidth <= {block}.clientWidth"))
                .await;
        }
    });
}

#[test]
fn a_step_lights_up_what_it_speaks_of() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        page.find(&id("split-step")).await;
        let lit = "document.querySelectorAll('.memory .lit').length";
        assert_eq!(number(&page, lit).await, 0.0);
        let step = "document.querySelector('[data-testid=steps] > li[data-about*=state-]')";
        // Again and again, because a drawing that arrives meanwhile comes unlit.
        let focused = format!(
            "(() => {{ {step}.blur(); {step}.focus(); return {lit} > 0 && document.querySelector('.states-table tr.lit') }})()"
        );
        page.wait_true(&focused).await;
        let app = "document.querySelector('.app')";
        page.wait_true(&format!("{app}.scrollHeight <= {app}.clientHeight"))
            .await;
        page.screenshot("look-lit").await;
        page.wait_true(&format!("({step}.blur(), {lit} === 0)")).await;
        // The pointer does what the focus does.
        let pointed = format!(
            "({step}.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }})), {lit} > 0)"
        );
        page.wait_true(&pointed).await;
    });
}

#[test]
fn a_drawing_of_the_decision_is_saved_as_svg_and_as_png() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        page.find(&id("memory-svg")).await;
        page.eval(
            "window.saved = []; const url = URL.createObjectURL; \
             URL.createObjectURL = blob => { window.saved.push(blob); return url.call(URL, blob); }",
        )
        .await;
        page.click(&id("memory-svg")).await;
        page.wait_true("window.saved.some(blob => blob.type === 'image/svg+xml')")
            .await;
        let text = page
            .eval_async("return await window.saved.find(blob => blob.type === 'image/svg+xml').text()")
            .await;
        let text = text.as_str().unwrap_or_default();
        assert!(text.starts_with("<svg") && !text.contains("var(--"), "{text}");
        page.click(&id("memory-png")).await;
        page.wait_true("window.saved.some(blob => blob.type === 'image/png' && blob.size > 2000)")
            .await;
    });
}
