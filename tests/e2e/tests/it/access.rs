//! axe-core finds nothing, in both themes.

use crate::explorer::{self, COMPARED};
use e2e::{Look, id, with_page};

#[track_caller]
fn check(look: Look, name: &'static str, fragment: &'static str, tab: Option<&'static str>) {
    with_page(look, move |page| async move {
        page.open(fragment).await;
        if fragment.is_empty() {
            page.find("h1").await;
        } else {
            explorer::answered(&page).await;
            page.press("n").await;
            page.find(&id("answer")).await;
        }
        if let Some(tab) = tab {
            page.click(&id(&format!("tab-{tab}"))).await;
        }
        page.screenshot(name).await;
        if let Some(violations) = page.axe().await {
            assert!(violations.is_empty(), "{name}: {violations:#?}");
        }
    });
}

#[test]
fn axe_finds_nothing_on_the_start_page() {
    check(Look::DESK, "axe-start-light", "", None);
    check(Look::NIGHT, "axe-start-dark", "", None);
}

#[test]
fn axe_finds_nothing_in_the_explorer() {
    check(Look::DESK, "axe-explorer-light", COMPARED, None);
    check(Look::NIGHT, "axe-explorer-dark", COMPARED, None);
}

#[test]
fn axe_finds_nothing_beside_the_table_for_mail() {
    check(Look::DESK, "axe-mail-light", COMPARED, Some("mail"));
    check(Look::NIGHT, "axe-mail-dark", COMPARED, Some("mail"));
}

#[test]
fn axe_finds_nothing_around_a_closed_loop() {
    let closed = "w=pipe-test&dur=20ms&a=teo-5.1&b=mobile-2019&hz=1000&f=schedutil";
    check(Look::DESK, "axe-closed-light", closed, None);
    check(Look::NIGHT, "axe-closed-dark", closed, None);
}

#[test]
fn axe_finds_nothing_on_the_validation_page() {
    for look in [Look::DESK, Look::NIGHT] {
        with_page(look, |page| async move {
            page.open("panel=validation").await;
            page.find(&id("validation")).await;
            if let Some(violations) = page.axe().await {
                assert!(violations.is_empty(), "validation: {violations:#?}");
            }
        });
    }
}
