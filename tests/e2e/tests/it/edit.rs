//! Changing what is compared, and seeing everything follow.

use crate::explorer::{self, COMPARED, changed};
use e2e::{Look, id, with_page};

/// The target residency of the second state, on the energy chart.
const HANDLE: &str = "[data-testid=handle-residency-1]";

#[test]
fn a_handle_dragged_with_the_pointer_changes_the_counts() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let before = explorer::summary(&page).await;
        page.drag(HANDLE, 60, 0).await;
        changed(&page, &id("summary-table"), &before).await;
        explorer::answered(&page).await;
        let after = explorer::summary(&page).await;
        assert!(
            page.fragment().await.contains("st="),
            "the edit is not in {}",
            page.address().await
        );
        page.screenshot("dragged").await;

        page.press("Control+z").await;
        changed(&page, &id("summary-table"), &after).await;
        explorer::answered(&page).await;
        assert_eq!(
            explorer::summary(&page).await,
            before,
            "one undo takes the whole drag back"
        );
    });
}

#[test]
fn another_governor_gives_other_counts_and_swapping_exchanges_them() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=arm64-menu&a=teo-6.5&b=menu-6.6").await;
        let before = explorer::summary(&page).await;
        page.click(&id("swap")).await;
        changed(&page, &id("summary-table"), &before).await;
        explorer::answered(&page).await;
        let fragment = page.fragment().await;
        assert!(
            fragment.contains("a=menu-6.6") && fragment.contains("b=teo-6.5"),
            "{fragment}"
        );
    });
}

#[test]
fn a_bad_number_says_what_was_expected_and_changes_nothing() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        let before = explorer::mail(&page).await;
        page.fill(&id("latency-limit"), "many").await;
        page.press("Enter").await;
        page.find("[aria-invalid=true]").await;
        assert_eq!(explorer::mail(&page).await, before);
    });
}
