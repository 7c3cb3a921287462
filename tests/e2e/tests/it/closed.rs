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
