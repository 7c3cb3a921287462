//! Machines that answer back: from the start page to the clock at the end, what a link carries, the validation page.

use crate::explorer;
use e2e::{Look, id, with_page};

#[test]
fn a_pipe_test_opens_with_its_experiment_and_tells_the_clock_of_a_and_b() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.click(&id("generated-pipe-test")).await;
        explorer::answered(&page).await;
        let fragment = page.fragment().await;
        for part in ["w=pipe-test", "a=teo-5.1", "b=mobile-2019", "f=schedutil"] {
            assert!(fragment.contains(part), "{fragment}");
        }
        let loops = page.text(&id("loops")).await;
        let clock = loops.lines().find(|line| line.starts_with("clock at the end"));
        let clock = clock
            .unwrap_or_else(|| panic!("{loops}"))
            .replace('\u{202f}', " ");
        assert!(
            clock.contains("3.7 GHz") && clock.contains("1.6 GHz of 3.7"),
            "{clock}"
        );
        let mail = explorer::mail(&page).await;
        assert!(mail.contains("clock at the end"), "{mail}");
        page.find(&id("two-latencies")).await;
        let status = page.text("footer.status").await;
        assert!(
            status.contains("closed loop: a slow wakeup delays what follows"),
            "{status}"
        );
        page.screenshot("closed-loop").await;
    });
}

#[test]
fn who_sets_the_clock_is_undone_and_comes_back_with_the_link() {
    let chosen = "document.querySelector('[data-testid=frequency]').value";
    with_page(Look::DESK, move |page| async move {
        explorer::open(&page, "w=pipe-test&dur=20ms&a=teo-5.1&b=mobile-2019&f=ondemand").await;
        page.wait_true(&format!("{chosen} === 'ondemand'")).await;
        page.eval(
            "const select = document.querySelector('[data-testid=frequency]'); select.value = 'powersave'; \
             select.dispatchEvent(new Event('change', { bubbles: true }))",
        )
        .await;
        page.wait_true("location.hash.includes('f=powersave')").await;
        explorer::answered(&page).await;
        let loops = page.text(&id("loops")).await.replace('\u{202f}', " ");
        assert!(loops.contains("1.6 GHz of 3.7"), "{loops}");
        page.click(&id("undo")).await;
        page.wait_true(&format!("{chosen} === 'ondemand'")).await;
        page.wait_true("location.hash.includes('f=ondemand')").await;
        explorer::open(&page, "w=metronome").await;
        assert_eq!(
            page.count(&id("frequency")).await,
            0,
            "an open loop has no clock to set"
        );
    });
}

#[test]
fn published_figures_stand_beside_ours_and_those_of_this_run() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=pipe-test&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil").await;
        let head = "[data-testid=published] thead";
        page.wait_text(head, "a column of this run", |text| text.contains("this run"))
            .await;
        let rows = page.text(&id("published")).await;
        let row = rows
            .lines()
            .position(|line| line.contains("loop time, mobile to teo"));
        let row: String = rows
            .lines()
            .skip(row.unwrap_or_else(|| panic!("{rows}")))
            .take(9)
            .collect();
        for part in ["4.07", "4.045", "×0.99", "met"] {
            assert!(row.contains(part), "{part} in {row}");
        }
        page.click(&id("to-published")).await;
        page.wait_true("document.activeElement?.id === 'published'").await;
        page.screenshot("published").await;
        // Another question than the published one has no figure of its own there.
        explorer::open(&page, "w=pipe-test&dur=20ms&a=teo-6.12&hz=1000").await;
        page.wait_true(&format!(
            "!document.querySelector('{head}').innerText.includes('this run')"
        ))
        .await;
        explorer::open(&page, "w=mixed&dur=20ms&a=teo-6.12").await;
        let none = page.text(&id("published")).await;
        assert!(none.contains("No published figures"), "{none}");
    });
}

#[test]
fn a_cost_that_is_set_goes_into_the_link_and_moves_the_loop() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=pipe-test&dur=20ms&a=teo-5.1&hz=1000").await;
        let before = page.text("[data-testid=loops] table").await;
        page.click("[data-testid=costs] summary").await;
        page.fill(&id("cost-exit"), "6500").await;
        page.press("Enter").await;
        page.wait_true("location.hash.includes('cost=exit.6500')").await;
        explorer::answered(&page).await;
        let slow = explorer::changed(&page, "[data-testid=loops] table", &before).await;
        let mail = explorer::mail(&page).await;
        assert!(mail.contains("leaving idle 6500 (own 650)"), "{mail}");
        // The link brings the cost back, open and changeable.
        let fragment = page.fragment().await;
        page.open("").await;
        explorer::open(&page, &fragment).await;
        page.click(&id("tab-summary")).await;
        assert_eq!(page.text("[data-testid=loops] table").await, slow);
        page.wait_true("document.querySelector('[data-testid=costs]').open")
            .await;
        page.screenshot("costs").await;
        page.click(&id("reset-costs")).await;
        page.wait_true("!location.hash.includes('cost=')").await;
        explorer::changed(&page, "[data-testid=loops] table", &slow).await;
    });
}

#[test]
fn several_seeds_run_with_progress_and_are_given_up_when_asked() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=tbench&n=1&dur=50ms&a=menu-4.6&b=menu-4.5-p1&hz=1000").await;
        page.find(&id("tick-stops")).await;
        page.click(&id("run-seeds")).await;
        page.wait_text(&id("seeds-said"), "all seeds", |text| text == "seeds 1 to 8")
            .await;
        let table = page.text("[data-testid=spread] table").await;
        assert!(
            table.contains("loops a second, one ring") && table.contains(" to "),
            "{table}"
        );
        page.screenshot("seeds").await;
        // Another question has not been asked of several seeds yet.
        page.click(&id("hz-250")).await;
        page.wait_true("location.hash.includes('hz=') === false").await;
        explorer::answered(&page).await;
        page.wait_gone("[data-testid=spread] table").await;
        // Seeds that take long: what is done stays when they are given up.
        explorer::open(&page, "w=pipe-test&dur=3s&a=teo-5.1&hz=1000").await;
        page.click(&id("run-seeds")).await;
        page.click(&id("cancel-seeds")).await;
        page.wait_text(&id("seeds-said"), "given up", |text| text.contains("given up"))
            .await;
        page.find(&id("run-seeds")).await;
    });
}

#[test]
fn the_validation_page_opens_by_key_and_by_link_and_its_links_run() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("validation-link")).await;
        page.press("g").await;
        page.press("v").await;
        page.find(&id("validation")).await;
        assert!(page.count(".findings tbody tr").await >= 40);
        assert!(page.count("[data-testid=not-modelled] dt").await >= 5);
        page.screenshot("validation").await;
        page.open("panel=validation").await;
        page.click(".findings tbody a[href*='w=tbench']").await;
        explorer::answered(&page).await;
        assert!(
            page.fragment().await.contains("w=tbench"),
            "{}",
            page.address().await
        );
        page.find(&id("loops")).await;
    });
}

#[test]
fn the_power_of_what_cpus_share_is_typed_weighed_and_carried_by_the_link() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=idle-desktop&dur=300ms&a=teo-6.12&tab=energy").await;
        let shared = page.text(&id("shared-state")).await;
        assert!(
            shared.contains("package") && !shared.contains("of never"),
            "{shared}"
        );
        page.fill(&id("shared-power"), "250").await;
        page.press("Enter").await;
        page.wait_true("location.hash.includes('sp=250')").await;
        let shared = page
            .wait_text(&id("shared-state"), "its energy", |text| {
                text.contains("of never")
            })
            .await;
        assert!(shared.contains("J"), "{shared}");
        page.fill(&id("shared-power"), "much").await;
        page.press("Enter").await;
        page.find("[data-testid=shared-state] [aria-invalid=true]").await;
        assert!(
            page.fragment().await.contains("sp=250"),
            "a wrong word changes nothing"
        );
    });
}
