//! The page loads, anywhere, quietly, with every workload it offers.

use crate::explorer::{self, SAMPLES};
use e2e::{Look, id, with_page};

#[test]
fn the_page_loads_without_a_complaint() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        let heading = page.text("h1").await;
        assert!(heading.contains("idle decisions"), "{heading}");
        page.screenshot("start").await;
    });
}

#[test]
fn each_sample_opens_from_the_start_page() {
    for sample in SAMPLES {
        with_page(Look::DESK, move |page| async move {
            page.open("").await;
            page.click(&id(&format!("sample-{sample}"))).await;
            explorer::answered(&page).await;
            let summary = explorer::summary(&page).await;
            assert!(summary.contains("WFI"), "{sample}: {summary}");
            assert!(
                page.fragment().await.contains(&format!("w={sample}")),
                "{}",
                page.address().await
            );
            page.screenshot(&format!("sample-{sample}")).await;
        });
    }
}

#[test]
fn each_generated_workload_opens_from_the_start_page() {
    for pattern in [
        "metronome",
        "doorbell",
        "mixed",
        "burst",
        "knock",
        "pattern",
        "phases",
        "sweep",
        "nightmare",
        "pipe-test",
        "token-ring",
        "tbench",
        "bursts",
        "jetnews",
        "geekbench",
        "server",
        "storage",
        "dm-delay",
        "poisson",
        "video",
        "idle-phone",
        "idle-desktop",
        "threads",
        "load-sweep",
    ] {
        with_page(Look::DESK, move |page| async move {
            page.open("").await;
            page.click(&id(&format!("generated-{pattern}"))).await;
            explorer::answered(&page).await;
            assert!(
                page.fragment().await.contains(&format!("w={pattern}")),
                "{}",
                page.address().await
            );
        });
    }
}

#[test]
fn nothing_scrolls_sideways_on_a_phone() {
    with_page(Look::PHONE, |page| async move {
        for fragment in ["", "w=arm64-menu"] {
            page.open(fragment).await;
            page.find("h1, [data-testid=results], [data-testid^=phone-]")
                .await;
            let wide = page.eval("return document.documentElement.scrollWidth").await;
            assert_eq!(wide, 390, "with #{fragment}");
            page.screenshot(if fragment.is_empty() {
                "phone-start"
            } else {
                "phone"
            })
            .await;
        }
    });
}
