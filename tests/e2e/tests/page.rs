//! The page as such: it loads, anywhere, quietly.

use e2e::{Look, with_page};

#[test]
fn the_page_loads_without_a_complaint() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.wait_true("window.wasmBindings").await;
        assert_eq!(page.eval("return document.title").await, "idlescope");
    });
}
