//! The page in headless Chromium, used as a person would: the harness of the end-to-end tests.
//!
//! Each test gets a fresh browser profile, its own driver and its own server of `dist/`
//! ([`with_page`]), so tests run side by side and in any order.
//! Elements are found by CSS selector; [`id`] makes the one for a `data-testid`.
//! When a test fails, what the page showed is in `target/e2e/TEST.png`.

mod browser;
mod page;
mod site;

pub use browser::{Look, with_page};
pub use page::{Page, id};
pub use site::Site;

use std::path::{Path, PathBuf};

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
