//! The page's root: state, effects that follow from it, and the choice of a screen.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ClipboardEvent, DragEvent, KeyboardEvent};
use yew::prelude::*;

use super::address;
use super::browser;
use super::control::Toast;
use super::counters::CountersPanel;
use super::explorer::Explorer;
use super::header::StartHead;
use super::keys::{self, KeyList};
use super::notes::Notes;
use super::start::{DropHint, FilePicker, Opening, Start, all, use_file_picker};
use super::store::Store;
use super::validation::Validation;
use crate::page::action::Action;
use crate::page::doc::Workload;
use crate::page::link::Extent;
use crate::page::sheets::Reading;
use crate::page::view::Panel;

/// The page as it opens: from the address, with the theme of the last visit.
fn first() -> Store {
    let store = Rc::new(Store::default());
    let store = store.reduce(address::opened());
    let store = store.reduce(Action::ThemeChosen(browser::stored_theme()));
    let extras = browser::stored_extras().unwrap_or_default();
    (*store.reduce(Action::ExtrasRemembered(extras))).clone()
}

/// The root.
#[component]
pub fn Root() -> Html {
    let store = use_reducer(first);
    let act = {
        let dispatcher = store.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let page = store.page.clone();
    let said = use_state_eq(|| None::<(u32, AttrValue)>);
    let say = {
        let said = said.clone();
        Callback::from(move |text: String| {
            let n = said.as_ref().map_or(0, |(n, _)| n + 1);
            said.set(Some((n, text.into())));
        })
    };
    // While rendering, so that children that read colours read the new ones.
    use_memo(page.view.theme, |theme| browser::apply_theme(*theme));
    address::use_address(&page, &act);
    use_effect_with(page.view.extras, |extras| browser::remember_extras(*extras));
    use_place_for_focus(&page.doc.workload);
    let engine = super::engine::use_engine(&page, &act);
    let over = use_drop(&engine.open);
    use_paste(&engine.open);
    let FilePicker {
        input: picker,
        choose,
        onchange: picked,
    } = use_file_picker(&engine.open);
    let notes = html! {
        <Notes live={Rc::clone(&page.live)} doc={Rc::clone(&page.doc)} act={act.clone()} oncancel={engine.cancel.clone()} onchoose={choose.clone()} />
    };
    let close = act.reform(|()| Action::PanelOpened(Panel::None));
    let copy_link = {
        let (page, say) = (page.clone(), say.clone());
        Callback::from(move |()| {
            let link = address::address_of(&address::fragment_of(&page, Extent::Everything));
            let say = say.clone();
            spawn_local(async move {
                say.emit(if browser::copy(&link).await {
                    format!("Link copied, {} characters", link.chars().count())
                } else {
                    "The browser refused the clipboard; the link is in the address bar".to_owned()
                });
            });
        })
    };
    html! {
        <>
            if page.doc.workload != Workload::None {
            <a class="skip" href="#timeline" onclick={skip("timeline")}>{ "To the timeline" }</a>
            <a class="skip" href="#decision" onclick={skip("decision")}>{ "To the decision" }</a>
            <a class="skip" href="#results" onclick={skip("results")}>{ "To the results" }</a>
            }
            <input ref={picker} type="file" multiple=true hidden=true onchange={picked} />
            if page.doc.workload == Workload::None {
                <StartScreen {notes} panel={page.view.panel} readings={Rc::clone(&page.live.readings)} theme={page.view.theme} act={act.clone()} onopen={engine.open.clone()} onsay={say.clone()} />
            } else {
                <Explorer {page} {notes} act={act.clone()} {engine} onsay={say.clone()} oncopy={copy_link} />
            }
            if store.page.view.panel == Panel::Keys { <KeyList onclose={close} /> }
            if over { <DropHint /> }
            <Toast said={(*said).clone()} />
        </>
    }
}

/// Skip links move the focus themselves: the address after `#` is the page's own.
fn skip(id: &'static str) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        event.prevent_default();
        focus(id);
    })
}

/// Moves the focus to a region.
pub fn focus(id: &str) {
    let element = gloo::utils::document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

#[derive(Properties, PartialEq)]
struct StartScreenProps {
    panel: Panel,
    readings: Rc<Vec<Reading>>,
    theme: crate::page::view::Theme,
    notes: Html,
    act: Callback<Action>,
    onopen: Callback<Opening>,
    onsay: Callback<String>,
}

#[component]
fn StartScreen(props: &StartScreenProps) -> Html {
    {
        let act = props.act.clone();
        use_effect_with((), move |()| {
            let gone = std::cell::Cell::new(f64::MIN);
            let listener = EventListener::new(&window(), "keydown", move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                    return;
                };
                if keys::focus_of(event) != keys::Focus::Page {
                    return;
                }
                let after_go = event.time_stamp() - gone.replace(f64::MIN) < keys::GO_MS;
                match event.key().as_str() {
                    "?" => act.emit(Action::PanelOpened(Panel::Keys)),
                    "g" => gone.set(event.time_stamp()),
                    "v" if after_go => act.emit(Action::PanelOpened(Panel::Validation)),
                    "h" if after_go => act.emit(Action::PanelOpened(Panel::None)),
                    "Escape" => act.emit(Action::PanelOpened(Panel::None)),
                    _ => {}
                }
            });
            move || drop(listener)
        });
    }
    html! {
        <div class="app">
            <StartHead theme={props.theme} act={props.act.clone()} />
            if props.panel == Panel::Validation {
                <Validation onclose={props.act.reform(|()| Action::PanelOpened(Panel::None))} />
            } else if props.panel == Panel::Counters {
                <CountersPanel readings={Rc::clone(&props.readings)} notes={props.notes.clone()} act={props.act.clone()} onsay={props.onsay.clone()}
                    onclose={props.act.reform(|()| Action::PanelOpened(Panel::None))} />
            } else {
                <Start onopen={props.onopen.clone()} onsay={props.onsay.clone()} notes={props.notes.clone()}
                    onvalidation={props.act.reform(|()| Action::PanelOpened(Panel::Validation))} />
            }
            <footer class="status">
                <span>{ concat!("idlescope ", env!("CARGO_PKG_VERSION")) }</span>
                <span>{ "all energy figures are estimates" }</span>
                <span class="space"></span>
                <span><kbd>{ "?" }</kbd>{ " keys" }</span>
            </footer>
        </div>
    }
}

/// A text or files that are pasted where no field takes them are a trace or tables.
#[hook]
fn use_paste(open: &Callback<Opening>) {
    let open = open.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&window(), "paste", options, move |event| {
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let fields = "input, textarea, select, dialog";
            let taken = target.and_then(|target| target.closest(fields).ok().flatten());
            let data = event
                .dyn_ref::<ClipboardEvent>()
                .and_then(ClipboardEvent::clipboard_data);
            let (None, Some(data)) = (taken, data) else { return };
            let files = all(data.files());
            if !files.is_empty() {
                event.prevent_default();
                open.emit(Opening::Files(files));
                return;
            }
            // What is only pictures has no text.
            let text = data.get_data("text/plain").unwrap_or_default();
            if !text.trim().is_empty() {
                event.prevent_default();
                open.emit(Opening::Text(text));
            }
        });
        move || drop(listener)
    });
}

/// Whoever chose a workload has lost what had the focus; it goes to the timeline then.
#[hook]
fn use_place_for_focus(workload: &Workload) {
    let before = use_mut_ref(|| None::<Workload>);
    use_effect_with(workload.clone(), move |workload| {
        let chosen = before.replace(Some(workload.clone())).is_some();
        if !chosen || *workload == Workload::None {
            return;
        }
        spawn_local(async {
            let document = gloo::utils::document();
            let nowhere = document
                .active_element()
                .is_none_or(|element| element.tag_name() == "BODY");
            if nowhere {
                focus("timeline");
            }
        });
    });
}

/// A file may be dropped anywhere; answers whether one hovers over the page.
#[hook]
fn use_drop(open: &Callback<Opening>) -> bool {
    let over = use_state_eq(|| false);
    let (set, open) = (over.setter(), open.clone());
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let enter = {
            let set = set.clone();
            EventListener::new_with_options(&window(), "dragover", options, move |event| {
                event.prevent_default();
                set.set(true);
            })
        };
        let leave = {
            let set = set.clone();
            EventListener::new(&window(), "dragleave", move |event| {
                let outside = event
                    .dyn_ref::<DragEvent>()
                    .is_some_and(|event| event.related_target().is_none());
                if outside {
                    set.set(false);
                }
            })
        };
        let dropped = EventListener::new_with_options(&window(), "drop", options, move |event| {
            event.prevent_default();
            set.set(false);
            let Some(data) = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer) else {
                return;
            };
            let files = all(data.files());
            if let Some(first) = files.first() {
                open.emit(if browser::holds_folder(&data) {
                    Opening::Folder(first.name())
                } else {
                    Opening::Files(files)
                });
            }
        });
        move || drop((enter, leave, dropped))
    });
    *over
}
