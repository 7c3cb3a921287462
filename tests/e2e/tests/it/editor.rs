//! The state table itself: more and fewer states, handles at one place, copies for a kernel, messages, menus.

use crate::explorer;
use e2e::{Look, Page, id, with_page};

/// A machine with five states, in the full-page editor.
const EDITOR: &str = "w=doorbell&m=snb&a=teo-6.12&panel=states";

async fn value(page: &Page, testid: &str) -> String {
    let script = format!("return document.querySelector('[data-testid={testid}]').value");
    page.eval(&script).await.as_str().unwrap_or_default().to_string()
}

async fn wait_rows(page: &Page, rows: usize) {
    let script = format!("document.querySelectorAll('[data-testid^=state-on-]').length === {rows}");
    page.wait_true(&script).await;
}

async fn wait_fragment(page: &Page, part: &str) {
    page.wait_true(&format!("location.hash.includes({part:?})")).await;
}

#[test]
fn a_state_is_added_removed_and_copied() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, EDITOR).await;
        wait_rows(&page, 5).await;
        page.click(&id("state-add-1")).await;
        wait_rows(&page, 6).await;
        wait_fragment(&page, "st=new1.afC1,").await;
        explorer::answered(&page).await;

        page.click(&id("copy-states")).await;
        page.click(&id("copy-states-c")).await;
        page.wait_text(&id("toast"), "copied", |text| text.contains("copied"))
            .await;
        let copied = page.clipboard().await;
        assert!(copied.is_ascii(), "{copied}");
        let names = ["C1", "new1", "C1E"].map(|name| copied.find(&format!(".name = \"{name}\"")));
        assert!(names.iter().all(Option::is_some) && names.is_sorted(), "{copied}");
        let exit = value(&page, "state-exit-2").await;
        assert!(
            copied.contains(&format!("\t.name = \"new1\",\n\t.exit_latency = {exit},\n")),
            "{exit} in {copied}"
        );
        page.screenshot("added").await;

        // The link alone brings it back; removing it and another one are steps of their own.
        let fragment = page.fragment().await;
        explorer::open(&page, &fragment).await;
        wait_rows(&page, 6).await;
        page.click(&id("state-remove-2")).await;
        wait_rows(&page, 5).await;
        page.click(&id("state-remove-3")).await;
        wait_rows(&page, 4).await;
        wait_fragment(&page, "st=C3.gone").await;
        explorer::answered(&page).await;
        page.press("Control+z").await;
        page.press("Control+z").await;
        wait_rows(&page, 6).await;
    });
}

#[test]
fn two_rings_at_one_place_go_apart_in_the_direction_of_the_pointer() {
    with_page(Look::DESK, |page| async move {
        let both = format!("{EDITOR}&st=C1E.tr211us");
        for (handle, dx, moved, stayed) in [(2, 60, 3, 2), (3, 60, 3, 2), (2, -60, 2, 3), (3, -60, 2, 3)] {
            explorer::open(&page, &both).await;
            wait_rows(&page, 5).await;
            page.drag(&id(&format!("handle-residency-{handle}")), dx, 0).await;
            let field = format!("state-residency-{moved}");
            page.wait_true(&format!(
                "document.querySelector('[data-testid={field}]').value !== '211'"
            ))
            .await;
            let other = value(&page, &format!("state-residency-{stayed}")).await;
            assert_eq!(other, "211", "handle {handle} by {dx}");
        }
    });
}

#[test]
fn an_exit_latency_above_its_residency_is_told_in_a_line() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, EDITOR).await;
        wait_rows(&page, 5).await;
        page.fill(&id("state-exit-3"), "300").await;
        page.press("Enter").await;
        let told = page
            .wait_text(&id("state-warning-3"), "a warning", |text| !text.is_empty())
            .await;
        assert!(told.contains("above its residency"), "{told}");
        page.click(&id("editor-undo")).await;
        page.wait_gone(&id("state-warning-3")).await;
    });
}

#[test]
fn typing_goes_to_an_entry_of_the_picker_and_its_changes_are_text() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=doorbell&m=snb&a=teo-6.5&b=teo-6.6").await;
        page.click(&id("variant-a")).await;
        page.press("menu 6.6").await;
        let focused = "document.activeElement?.dataset.testid";
        page.wait_true(&format!("{focused} === 'governor-a-menu-6.6'"))
            .await;
        let changes = page.text(&id("changes-a")).await;
        assert!(
            changes.contains("menu 6.6") && changes.contains("intervals"),
            "{changes}"
        );
        page.press("Home").await;
        page.wait_true(&format!("{focused} === 'patch-a-1'")).await;
        page.press("End").await;
        page.wait_true(&format!("{focused} === 'off-a'")).await;
        // A word of its own begins after a pause.
        page.eval_async("await new Promise(done => setTimeout(done, 900));")
            .await;
        page.press("ladder").await;
        page.press("Enter").await;
        page.wait_true("location.hash.includes('a=ladder')").await;
    });
}

#[test]
fn a_version_alone_finds_its_entry() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=doorbell&m=snb&a=teo-6.12&b=menu-6.6").await;
        let focused = "document.activeElement?.dataset.testid";
        for (side, entry) in [("a", "teo-6.5"), ("b", "menu-6.5")] {
            page.click(&id(&format!("variant-{side}"))).await;
            page.press("6.5").await;
            page.wait_true(&format!("{focused} === 'governor-{side}-{entry}'"))
                .await;
            page.press("Escape").await;
        }
    });
}

#[test]
fn a_refused_text_says_range_and_unit_and_a_links_power_out_of_order_is_told() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=doorbell&m=snb&a=teo-6.12&st=C6.mw900,C6.tr400us").await;
        let told = page
            .wait_text("body", "the part that was refused", |text| {
                text.contains("C6.mw900")
            })
            .await;
        assert!(told.contains("below the 600"), "{told}");
        let fragment = page.fragment().await;
        assert!(
            fragment.contains("C6.tr400us") && !fragment.contains("mw900"),
            "{fragment}"
        );
        page.fill(&id("latency-limit"), "1e30").await;
        page.press("Enter").await;
        let error = page.text(".field-error").await;
        assert!(error.contains("in µs") && error.contains("found 1e30"), "{error}");
    });
}
