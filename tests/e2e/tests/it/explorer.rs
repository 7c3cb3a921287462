//! What several tests do: open a question, wait until it is answered, read the answer.

use e2e::{Page, id};

/// The built-in traces, by their names in links.
pub const SAMPLES: [&str; 3] = ["arm64-menu", "arm64-menu-ns", "arm64-loss"];

/// teo 6.5 without and with the three patches of August 2023.
/// At 250 HZ every decision on this sample is the same; with a shorter tick they differ.
pub const COMPARED: &str = "w=arm64-menu&a=teo-6.5&b=teo-6.5-p123&hz=1000";

/// Opens the link and waits until A and B have run.
pub async fn open(page: &Page, fragment: &str) {
    page.open(fragment).await;
    answered(page).await;
}

/// Waits until the runs that the page asked for are complete and shown.
pub async fn answered(page: &Page) {
    page.wait_text(&id("run-state"), "done", |text| text.contains("took"))
        .await;
    page.wait_gone("[aria-busy=true]").await;
}

/// The summary's figures as text.
pub async fn summary(page: &Page) -> String {
    page.click(&id("tab-summary")).await;
    page.text(&id("summary-table")).await
}

/// The table for mail.
pub async fn mail(page: &Page) -> String {
    page.click(&id("tab-mail")).await;
    page.wait_text(&id("mail"), "a table", |text| text.contains("TOTAL"))
        .await
}

/// Waits until the element's text is another than before; returns the new one.
pub async fn changed(page: &Page, selector: &str, before: &str) -> String {
    page.wait_text(selector, &format!("anything but {before:?}"), |text| {
        text != before && !text.is_empty()
    })
    .await
}
