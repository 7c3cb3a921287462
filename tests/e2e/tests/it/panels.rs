//! The panels around the timeline: idle states, their editor, the decision, on every width.

use crate::explorer::{self, COMPARED, changed};
use e2e::{Look, Page, id, root, with_page};
use std::fs;

/// A window in which the left panel has no room.
const NARROW: Look = Look {
    width: 1_100,
    height: 800,
    dark: false,
};

async fn focused(page: &Page) -> String {
    let focused = page.eval("return document.activeElement?.id ?? ''").await;
    focused.as_str().unwrap_or_default().to_string()
}

#[test]
fn the_editor_shows_what_the_whole_range_of_a_number_does() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("e").await;
        page.wait_text(&id("sweep-progress"), "a complete sweep", |text| {
            text.contains(" to ")
        })
        .await;
        let plot = page
            .attribute(&format!("{} svg", id("sweep")), "aria-label")
            .await;
        let plot = plot.unwrap_or_default();
        assert!(plot.contains("A ") && plot.contains("; B "), "{plot}");
        let said = page.text(&id("read-out")).await;
        page.drag("[data-testid=handle-residency-1]", 40, 0).await;
        let said = changed(&page, &id("read-out"), &said).await;
        assert!(said.contains("was 2") && said.contains("idles"), "{said}");
        page.screenshot("editor").await;

        page.press("Control+z").await;
        page.wait_text(&id("read-out"), "the machine's own value", |text| {
            text.contains("own value")
        })
        .await;
        page.press("Escape").await;
        page.wait_gone(&id("state-editor")).await;
        page.find(&id("summary-table")).await;
    });
}

#[test]
fn every_group_of_cpus_shows_its_own_states() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let rows = "[data-testid=states-table] tbody tr";
        assert_eq!(page.count(rows).await, 3);
        page.click(&id("group-1")).await;
        page.wait_true("document.querySelectorAll('[data-testid=states-table] tbody tr').length === 2")
            .await;
    });
}

#[test]
fn where_there_is_no_room_the_states_open_over_the_timeline() {
    with_page(NARROW, |page| async move {
        explorer::open(&page, COMPARED).await;
        let seen = "document.querySelector('[data-testid=states-table]').checkVisibility()";
        page.wait_true(&format!("!{seen}")).await;
        page.click(&id("rail-states")).await;
        page.wait_true(seen).await;
        page.press("Escape").await;
        page.wait_true(&format!("!{seen}")).await;
    });
}

#[test]
fn the_decisive_step_stands_under_the_answer_and_equal_steps_are_folded() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        let step = page.text(&id("decisive")).await;
        assert!(step.chars().any(|c| c.is_ascii_digit()), "{step}");
        let folded = page.text(&id("folded-steps")).await;
        assert!(folded.contains("are the same"), "{folded}");
        let steps = "[data-testid=steps] > li";
        let before = page.count(steps).await;
        page.click(&id("folded-steps")).await;
        page.wait_true(&format!("document.querySelectorAll('{steps}').length > {before}"))
            .await;
        assert!(explorer::mail(&page).await.contains("first difference"));
    });
}

#[test]
fn a_sample_chosen_with_enter_leaves_the_focus_on_the_timeline() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("sample-arm64-menu")).await;
        page.eval("document.querySelector('[data-testid=sample-arm64-menu]').focus()")
            .await;
        page.press("Enter").await;
        explorer::answered(&page).await;
        assert_eq!(focused(&page).await, "timeline");
    });
}

#[test]
fn going_back_in_the_browser_forgets_no_step() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("hz-250")).await;
        page.wait_true("!location.hash.includes('hz=1000')").await;
        page.eval("location.hash = 'w=metronome'").await;
        page.wait_true("location.hash.includes('metronome')").await;
        explorer::answered(&page).await;
        page.eval("history.back()").await;
        page.wait_true("location.hash.includes('arm64-menu')").await;
        explorer::answered(&page).await;
        page.press("Control+z").await;
        page.wait_true("location.hash.includes('hz=1000')").await;
    });
}

/// An ftrace text of one CPU with three states on a machine that nobody knows.
fn unknown() -> String {
    let mut text = String::from("# tracer: nop\n#\n");
    for n in 0..900_u64 {
        for (us, state) in [(n * 700, n % 3), (n * 700 + 300 + n % 90, 4_294_967_295)] {
            let (seconds, rest) = (9 + us / 1_000_000, us % 1_000_000);
            text += &format!(
                "          <idle>-0     [000] d..1. {seconds:5}.{rest:06}: cpu_idle: state={state} cpu_id=0\n"
            );
        }
    }
    text
}

#[test]
fn a_trace_of_an_unknown_machine_asks_for_it_and_runs_then() {
    with_page(Look::DESK, |page| async move {
        let folder = root().join("target/e2e/files");
        fs::create_dir_all(&folder).expect("a folder below target/");
        fs::write(folder.join("unknown.txt"), unknown()).expect("a file below target/");
        page.open("").await;
        page.upload(folder.join("unknown.txt")).await;
        let card = page.text(&id("machine-needed")).await;
        assert!(card.contains("states 0 to 2"), "{card}");
        page.screenshot("unknown-machine").await;
        page.click("[data-testid^=offer-]").await;
        page.wait_gone(&id("machine-needed")).await;
        page.wait_true("location.hash.includes('m=')").await;
        explorer::answered(&page).await;
    });
}

#[test]
fn a_long_text_that_is_pasted_is_taken_as_a_file() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.click(&id("paste-text")).await;
        page.find(&id("paste-field")).await;
        let text = unknown();
        assert!(text.len() > 100_000, "{}", text.len());
        page.eval(&format!(
            "const data = new DataTransfer(); data.setData('text/plain', {text:?}); \
             document.querySelector('[data-testid=paste-field]').dispatchEvent(\
             new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
        ))
        .await;
        page.wait_gone(&id("paste-dialog")).await;
        page.find(&id("machine-needed")).await;
    });
}

#[test]
fn the_sheet_of_a_phone_follows_the_finger() {
    with_page(Look::PHONE, |page| async move {
        page.open(COMPARED).await;
        page.find(&id("sheet-grab")).await;
        let height = "document.querySelector('[data-testid=inspector]').getBoundingClientRect().height";
        let before = page.eval(&format!("return {height}")).await;
        page.drag(&id("sheet-grab"), 0, -120).await;
        page.wait_true(&format!("{height} > {before} + 80")).await;
        page.eval("document.querySelector('[data-testid=sheet-grab]').focus()")
            .await;
        page.press("Home").await;
        page.wait_true(&format!("{height} < {before}")).await;
        page.screenshot("sheet").await;
    });
}
