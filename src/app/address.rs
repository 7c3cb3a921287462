//! The link in the address bar: read when the page opens and when somebody goes back, written
//! whenever the question or the place changed.

use gloo::utils::window;
use wasm_bindgen::JsValue;

use crate::page::Page;
use crate::page::action::Action;
use crate::page::doc::Workload;
use crate::page::link::{self, Extent, Link};

/// The text after `#`, empty when there is none.
pub fn fragment() -> String {
    let hash = window().location().hash().unwrap_or_default();
    hash.trim_start_matches('#').to_owned()
}

/// What opening the present address does.
pub fn opened() -> Action {
    let (link, issues) = link::parse(&fragment());
    Action::LinkOpened(Box::new(link), issues)
}

/// What going back, going forward or another link in the same tab does: what was done before can still be taken
/// back.
pub fn visited() -> Action {
    let (link, issues) = link::parse(&fragment());
    Action::LinkVisited(Box::new(link), issues)
}

/// The fragment that says what the page shows.
pub fn fragment_of(page: &Page, extent: Extent) -> String {
    if page.doc.workload == Workload::None {
        return String::new();
    }
    link::write(&Link::new(&page.doc, &page.view, extent))
}

/// The whole address with this fragment.
pub fn address_of(fragment: &str) -> String {
    let location = window().location();
    let here = location.href().unwrap_or_default();
    let base = here.split('#').next().unwrap_or_default();
    if fragment.is_empty() {
        base.to_owned()
    } else {
        format!("{base}#{fragment}")
    }
}

/// Shows the fragment in the address bar. Only another workload makes an entry in the history.
pub fn show(fragment: &str, new_entry: bool) {
    if fragment == self::fragment() {
        return;
    }
    let address = address_of(fragment);
    let Ok(history) = window().history() else { return };
    // Refused only when called too often; the next change writes the newest state anyway.
    let _ = if new_entry {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}
