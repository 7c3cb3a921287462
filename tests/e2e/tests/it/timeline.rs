//! How one gets to a decision: links, jumps, playback, the table, a range.

use crate::explorer::{self, COMPARED, changed};
use e2e::{Look, id, with_page};

#[test]
fn a_link_with_a_decision_and_no_window_opens_with_that_decision_in_view() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, &format!("{COMPARED}&cpu=3&d=6")).await;
        page.wait_true("location.hash.includes('win=')").await;
        let fragment = page.fragment().await;
        assert!(fragment.contains("cpu=3&d=6"), "{fragment}");
    });
}

#[test]
fn a_place_that_the_workload_lacks_is_told_with_what_there_is() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&cpu=77&d=999999").await;
        let said = page.text(&id("link-misfits")).await;
        assert!(
            said.contains("cpu=77: there are cpu0 to cpu3; cpu0 is shown"),
            "{said}"
        );
        explorer::open(&page, "w=arm64-menu&cpu=2&d=999999").await;
        let said = page.text(&id("link-misfits")).await;
        assert!(said.contains("d=999999: cpu2 has decisions 1 to"), "{said}");
        explorer::open(&page, "w=arm64-menu&at=99s").await;
        let said = page.text(&id("link-misfits")).await;
        assert!(said.contains("at=99s: the record is"), "{said}");
    });
}

#[test]
fn a_link_to_another_trace_leaves_nothing_of_the_old_one() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        changed(&page, &id("decision-place"), "").await;
        page.eval("location.hash = 't=3f9a02c41be7&a=teo-6.5&b=teo-6.6'")
            .await;
        page.find(&id("wanted")).await;
        page.wait_text(&id("results"), "empty", |text| text.contains("No results yet"))
            .await;
        for gone in ["verdict", "answer", "run-state", "import-report"] {
            page.wait_gone(&id(gone)).await;
        }
        for refused in ["next-miss", "next-tick-stop", "next-difference", "play"] {
            let why = page.attribute(&id(refused), "title").await.unwrap_or_default();
            assert!(
                page.attribute(&id(refused), "disabled").await.is_some(),
                "{refused}"
            );
            assert!(why.contains("once a run is complete"), "{refused}: {why}");
        }
    });
}

#[test]
fn playback_stops_at_the_next_difference() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("stop-at-difference")).await;
        for _ in 0..6 {
            page.press("]").await;
        }
        page.click(&id("play")).await;
        let place = page
            .wait_text(&id("decision-place"), "at the first difference", |text| {
                text.contains("difference 1 of")
            })
            .await;
        assert!(place.contains("cpu"), "{place}");
        let now = page.text(&id("now")).await;
        page.click(&id("play")).await;
        page.wait_text(&id("decision-place"), "at the second difference", |text| {
            text.contains("difference 2 of")
        })
        .await;
        assert_ne!(page.text(&id("now")).await, now);
    });
}

#[test]
fn a_search_that_finds_nothing_says_so() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.click(&id("first")).await;
        changed(&page, &id("decision-place"), "").await;
        page.press("Shift+N").await;
        page.wait_text(&id("toast"), "an end", |text| {
            text.contains("No earlier difference between A and B")
        })
        .await;
    });
}

#[test]
fn the_table_lists_decisions_and_leads_to_them() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("v").await;
        page.wait_true("document.querySelectorAll('[data-testid=decisions] tbody tr').length > 10")
            .await;
        let all = page.text(&id("decisions-dialog")).await;
        page.click(&id("only-differences")).await;
        changed(&page, &id("decisions-dialog"), &all).await;
        page.click("[data-testid=decisions] tbody tr:nth-child(2) button")
            .await;
        page.press("Escape").await;
        page.wait_text(&id("decision-place"), "a difference", |text| {
            text.contains("difference")
        })
        .await;
    });
}

#[test]
fn a_range_counts_its_own_differences() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.press("n").await;
        page.wait_text(&id("decision-place"), "the first", |text| {
            text.contains("difference 1 of")
        })
        .await;
        page.press("r").await;
        for n in ["2", "3", "4"] {
            page.press("n").await;
            page.wait_text(&id("decision-place"), "the next", |text| {
                text.contains(&format!("difference {n} of"))
            })
            .await;
        }
        page.press("r").await;
        page.press("Shift+N").await;
        page.wait_text(&id("decision-place"), "counted in the range", |text| {
            text.contains("difference 3 of 3 in the range")
        })
        .await;
        let verdict = page.text(&id("verdict")).await;
        assert!(
            verdict.contains("range") && !verdict.contains("whole record"),
            "{verdict}"
        );
    });
}

#[test]
fn a_double_press_fits_the_decision_under_it() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        page.double_click("[role=application]").await;
        page.wait_true("/[&]d=\\d+/.test(location.hash) && location.hash.includes('win=')")
            .await;
    });
}

#[test]
fn the_overview_speaks_the_traces_own_time() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let axis = page
            .eval("return document.querySelector('[data-testid=overview]').textContent")
            .await;
        let axis = axis.as_str().unwrap_or_default().replace('\u{202f}', " ");
        assert!(axis.contains("69.") && !axis.contains("0 ns"), "{axis}");
    });
}

#[test]
fn lanes_of_the_menu_are_kept_by_the_browser_and_not_by_the_link() {
    with_page(Look::DESK, |page| async move {
        let scenario = "w=doorbell&m=snb&a=teo-6.5&b=menu-6.6";
        explorer::open(&page, scenario).await;
        let fragment = page.fragment().await;
        page.click(&id("lane-menu")).await;
        page.find(&format!("{}[aria-pressed=true]", id("extra-ideal")))
            .await;
        page.click(&id("extra-sleep-length")).await;
        page.click(&id("extra-utilisation")).await;
        page.find(&format!("{}[aria-pressed=true]", id("extra-utilisation")))
            .await;
        page.screenshot("lane-menu").await;
        page.press("Escape").await;
        assert_eq!(page.fragment().await, fragment);

        // A trace has its recording as the reference.
        explorer::open(&page, COMPARED).await;
        page.click(&id("lane-menu")).await;
        page.find(&format!("{}[aria-pressed=true]", id("extra-sleep-length")))
            .await;
        assert_eq!(page.count(&id("extra-ideal")).await, 0);
        page.screenshot("lanes").await;
    });
}
