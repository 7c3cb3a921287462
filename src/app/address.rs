//! The link in the address bar: read when the page opens and when somebody goes back, written
//! whenever the question or the place changed.

use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo::utils::window;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::page::Page;
use crate::page::action::Action;
use crate::page::link::{self, Extent};
use crate::page::trail::{Step, Trail};

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
fn visited() -> Action {
    let (link, issues) = link::parse(&fragment());
    Action::LinkVisited(Box::new(link), issues)
}

/// The fragment that says what the page shows.
pub fn fragment_of(page: &Page, extent: Extent) -> String {
    link::fragment(&page.doc, &page.view, extent)
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

/// Shows the fragment in the address bar, in place or as a new entry of the browser's history.
fn show(fragment: &str, new_entry: bool) {
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

/// How long the page must stay the same before the address says so. Browsers take milliseconds
/// for a change of the address, too long for each frame of a drag.
const SETTLED_MS: u32 = 120;

/// Keeps address bar and page alike, in both directions.
#[hook]
pub fn use_address(page: &Page, act: &Callback<Action>) {
    let fragment = fragment_of(page, Extent::Everything);
    let trail = use_mut_ref(Trail::default);
    {
        let (trail, now) = (trail.clone(), page.clone());
        // A released handle changes nothing but the history.
        let question = Rc::clone(page.history.current());
        use_effect_with(
            (fragment, page.view.playing, question),
            move |(fragment, playing, _)| {
                let later = match trail.borrow_mut().follow(&now, fragment) {
                    Step::Push { left } => {
                        show(&left, false);
                        show(fragment, true);
                        None
                    }
                    Step::Replace if *playing => None,
                    Step::Replace => {
                        let (fragment, said) = (fragment.clone(), self::fragment());
                        Some(Timeout::new(SETTLED_MS, move || {
                            // Back or Forward may have led on meanwhile: the page hears of it later than the address.
                            if self::fragment() == said {
                                show(&fragment, false);
                            }
                        }))
                    }
                };
                move || drop(later)
            },
        );
    }
    let act = act.clone();
    use_effect_with((), move |()| {
        let gone = EventListener::new(&window(), "hashchange", move |_| {
            let action = visited();
            if let Action::LinkVisited(link, _) = &action {
                trail.borrow_mut().visited(&link.doc, &self::fragment());
            }
            act.emit(action);
        });
        move || drop(gone)
    });
}
