//! Everything with the keyboard alone.

use crate::explorer::{self, changed};
use e2e::{Look, Page, id, with_page};

/// Presses Tab until the focus is on the element.
async fn tab_to(page: &Page, selector: &str) {
    for _ in 0..200 {
        page.press("Tab").await;
        if page
            .eval(&format!(
                "return document.activeElement?.matches({selector:?}) ?? false"
            ))
            .await
            == true
        {
            return;
        }
    }
    panic!("Tab never reaches {selector}");
}

#[test]
fn a_sample_is_opened_compared_and_edited_without_a_pointer() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("sample-arm64-menu")).await;
        tab_to(&page, &id("sample-arm64-menu")).await;
        page.press("Enter").await;
        explorer::answered(&page).await;

        // Decision by decision, in the timeline.
        tab_to(&page, "[role=application]").await;
        page.press("Home").await;
        let place = changed(&page, &id("decision-place"), "").await;
        page.press("ArrowRight").await;
        changed(&page, &id("decision-place"), &place).await;

        // A handle of the energy chart is a slider.
        let before = page.text(&id("summary-table")).await;
        tab_to(&page, "[data-testid=handle-residency-1]").await;
        for _ in 0..4 {
            page.press("PageUp").await;
        }
        changed(&page, &id("summary-table"), &before).await;
        explorer::answered(&page).await;
        assert!(page.fragment().await.contains("st="), "{}", page.address().await);

        // The table for mail is a tab of the results.
        tab_to(&page, "[role=tab][aria-selected=true]").await;
        page.press("End").await;
        page.find("[role=tab][aria-selected=true]:last-child").await;
    });
}

#[test]
fn the_focus_is_always_visible() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, "w=metronome").await;
        for _ in 0..60 {
            page.press("Tab").await;
            let seen = page
                .eval(
                    "const e = document.activeElement;
                     if (!e || e === document.body) return 'body';
                     const s = getComputedStyle(e);
                     const clear = colour => colour === 'none' || colour === 'transparent' || colour === 'rgba(0, 0, 0, 0)';
                     const outlined = s.outlineStyle !== 'none' && s.outlineWidth !== '0px' && !clear(s.outlineColor);
                     // A box cannot have a shadow inside a drawing: handles have a ring of their own.
                     const ring = e.querySelector(':scope > .ring');
                     const marked = outlined || s.boxShadow !== 'none' || (ring && !clear(getComputedStyle(ring).stroke));
                     return marked ? 'marked' : e.outerHTML.slice(0, 200);",
                )
                .await;
            assert!(
                seen == "marked" || seen == "body",
                "focus cannot be seen on {seen}"
            );
        }
    });
}
