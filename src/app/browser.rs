//! The few things that the page asks of the browser outside its own elements: clipboard,
//! downloads, theme, clock for frames. Each fails quietly into an answer that the page shows.

use gloo::utils::{document, document_element, window};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::page::extras::Extras;
use crate::page::view::Theme;

/// Puts a text on the clipboard; answers whether the browser did.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    // Outside a secure context the object does not exist at all.
    if !clipboard.is_undefined() && JsFuture::from(clipboard.write_text(text)).await.is_ok() {
        return true;
    }
    copy_by_selection(text).unwrap_or(false)
}

/// The way that works without permission: select a hidden field and ask the document.
fn copy_by_selection(text: &str) -> Option<bool> {
    let field: web_sys::HtmlTextAreaElement = document().create_element("textarea").ok()?.dyn_into().ok()?;
    field.set_value(text);
    field.set_class_name("sr");
    let body = document().body()?;
    body.append_child(&field).ok()?;
    field.select();
    let ask = js_sys::Reflect::get(&document(), &JsValue::from_str("execCommand")).ok()?;
    let done = ask
        .dyn_ref::<js_sys::Function>()?
        .call1(&document(), &JsValue::from_str("copy"))
        .is_ok_and(|answer| answer.is_truthy());
    field.remove();
    Some(done)
}

/// Offers bytes as a file; answers whether the browser took them.
pub fn download(name: &str, kind: &str, text: &str) -> bool {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)
        .ok()
        .and_then(|blob| download_blob(name, &blob))
        .is_some()
}

/// Offers a blob as a file; `None` when the browser refused.
pub fn download_blob(name: &str, blob: &web_sys::Blob) -> Option<()> {
    let url = web_sys::Url::create_object_url_with_blob(blob).ok()?;
    let link: web_sys::HtmlAnchorElement = document().create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // Revoking a URL that is gone is no failure.
    let _ = web_sys::Url::revoke_object_url(&url);
    Some(())
}

/// Milliseconds since the page was opened, for frames and progress only.
pub fn now_ms() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// An address beside the page, absolute: relative ones would resolve against the link.
pub fn beside_page(path: &str) -> String {
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    web_sys::Url::new_with_base(path, &base).map_or_else(|_| path.to_owned(), |url| url.href())
}

const THEME_KEY: &str = "idlescope.theme";

const fn theme_attribute(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "",
        Theme::Light => "light",
        Theme::Dark => "dark",
        Theme::Contrast => "contrast",
    }
}

/// All themes with their labels, in the menu's order.
pub const THEMES: [(Theme, &str); 4] = [
    (Theme::System, "As the system"),
    (Theme::Light, "Light"),
    (Theme::Dark, "Dark"),
    (Theme::Contrast, "High contrast"),
];

/// The theme chosen on an earlier visit.
#[must_use]
pub fn stored_theme() -> Theme {
    let stored = window()
        .local_storage()
        .ok()
        .flatten()
        .and_then(|storage| storage.get_item(THEME_KEY).ok().flatten());
    THEMES
        .into_iter()
        .map(|(theme, _)| theme)
        .find(|theme| stored.as_deref() == Some(theme_attribute(*theme)))
        .unwrap_or_default()
}

/// Shows and remembers a theme.
pub fn apply_theme(theme: Theme) {
    let root = document_element();
    // The root element always takes attributes; storage may be forbidden, then the choice
    // lasts for this visit.
    let _ = match theme {
        Theme::System => root.remove_attribute("data-theme"),
        other => root.set_attribute("data-theme", theme_attribute(other)),
    };
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(THEME_KEY, theme_attribute(theme));
    }
}

const EXTRAS_KEY: &str = "idlescope.lanes";

/// The lanes of the lane menu that were shown on an earlier visit.
#[must_use]
pub fn stored_extras() -> Option<Extras> {
    let storage = window().local_storage().ok().flatten()?;
    let text = storage.get_item(EXTRAS_KEY).ok().flatten()?;
    Some(Extras::from_text(&text))
}

/// Remembers them; where storage is forbidden they last for this visit.
pub fn remember_extras(extras: Extras) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(EXTRAS_KEY, &extras.to_text());
    }
}

/// The value of a custom property of the page's style, such as `--ink`.
pub fn style_value(name: &str) -> String {
    window()
        .get_computed_style(&document_element())
        .ok()
        .flatten()
        .and_then(|style| style.get_property_value(name).ok())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// A colour that has a name, as `#rrggbb`; none where the browser does not know it.
pub fn resolved_colour(name: &str) -> Option<String> {
    let canvas = document().create_element("canvas").ok()?;
    let canvas = canvas.dyn_into::<web_sys::HtmlCanvasElement>().ok()?;
    let context = canvas.get_context("2d").ok()??;
    let context = context.dyn_into::<web_sys::CanvasRenderingContext2d>().ok()?;
    context.set_fill_style_str(name);
    context.fill_style().as_string()
}

/// Whether a media query holds.
pub fn matches_media(query: &str) -> bool {
    window()
        .match_media(query)
        .ok()
        .flatten()
        .is_some_and(|list| list.matches())
}

/// Something that is done later, unless this is dropped before.
pub struct Later {
    id: i32,
    _call: Closure<dyn Fn()>,
}

impl Later {
    /// Does it after so many milliseconds; none when the browser has no timers left.
    pub fn new(ms: i32, call: impl Fn() + 'static) -> Option<Self> {
        let call = Closure::<dyn Fn()>::new(call);
        let run = call.as_ref().unchecked_ref();
        let id = window()
            .set_timeout_with_callback_and_timeout_and_arguments_0(run, ms)
            .ok()?;
        Some(Self { id, _call: call })
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        window().clear_timeout_with_handle(self.id);
    }
}

/// Presses the button that end-to-end tests know by this name, where there is one.
pub fn press(testid: &str) {
    let found = gloo::utils::document().query_selector(&format!("[data-testid={testid}]"));
    if let Some(button) = found
        .ok()
        .flatten()
        .and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok())
    {
        button.click();
    }
}

/// Whether the first thing that was dropped is a folder; the browser gives a file for it that cannot be read.
pub fn holds_folder(data: &web_sys::DataTransfer) -> bool {
    let get = |from: &JsValue, key: &str| js_sys::Reflect::get(from, &JsValue::from_str(key)).ok();
    let entry = || {
        let first = get(&get(data, "items")?, "0")?;
        let ask = get(&first, "webkitGetAsEntry")?
            .dyn_into::<js_sys::Function>()
            .ok()?;
        ask.call0(&first).ok()
    };
    entry()
        .and_then(|entry| get(&entry, "isDirectory"))
        .is_some_and(|is| is.is_truthy())
}
