//! Taking things away as files.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

use super::browser;
use super::findings::Findings;
use super::header::Export;
use crate::page::plot::svg::with_values;

/// Exports something and says what became of it.
pub fn export(what: Export, findings: &Findings, say: &Callback<String>) {
    let done = match what {
        Export::TimelinePng => timeline(),
        Export::EnergySvg => chart(".energy-chart svg", "idlescope-energy.svg"),
        Export::SummaryCsv => findings
            .results
            .as_ref()
            .filter(|results| browser::download("idlescope-summary.csv", "text/csv", &csv(results)))
            .map(|_| ()),
        Export::SummaryJson => findings
            .results
            .as_ref()
            .and_then(|results| serde_json::to_string_pretty(&**results).ok())
            .filter(|text| browser::download("idlescope-summary.json", "application/json", text))
            .map(|_| ()),
    };
    say.emit(
        if done.is_some() {
            "Exported"
        } else {
            "Nothing to export yet"
        }
        .to_owned(),
    );
}

fn timeline() -> Option<()> {
    let canvas = gloo::utils::document()
        .query_selector(".timeline canvas")
        .ok()??;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    save(&canvas, "idlescope-timeline.png")
}

/// What a drawing is saved as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As it was drawn.
    Svg,
    /// In pixels, two to a CSS pixel, on the page's ground.
    Png,
}

/// Saves a drawing that came as text, in the colours of the theme, and says what became of it.
pub fn drawing(kind: Kind, file: &str, svg: &str, say: &Callback<String>) {
    let svg = with_values(svg, |token| browser::style_value(&format!("--{token}")));
    let (file, say) = (file.to_owned(), say.clone());
    let said = |done: bool| {
        let text = if done {
            "Drawing saved"
        } else {
            "The browser refused to save the drawing"
        };
        text.to_owned()
    };
    match kind {
        Kind::Svg => say.emit(said(browser::download(
            &format!("{file}.svg"),
            "image/svg+xml",
            &svg,
        ))),
        Kind::Png => spawn_local(async move {
            let done = png(&format!("{file}.png"), &svg).await.is_some();
            say.emit(said(done));
        }),
    }
}

/// Device pixels to a CSS pixel in a saved picture.
const FINE: f64 = 2.0;

/// Draws the text on a canvas of its own and saves that.
async fn png(file: &str, svg: &str) -> Option<()> {
    let image = web_sys::HtmlImageElement::new().ok()?;
    let text = String::from(js_sys::encode_uri_component(svg));
    image.set_src(&format!("data:image/svg+xml,{text}"));
    JsFuture::from(image.decode()).await.ok()?;
    let canvas = gloo::utils::document().create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    let (width, height) = (f64::from(image.width()) * FINE, f64::from(image.height()) * FINE);
    canvas.set_width(image.width() * 2);
    canvas.set_height(image.height() * 2);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    context.set_fill_style_str(&browser::style_value("--surface"));
    context.fill_rect(0.0, 0.0, width, height);
    context
        .draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)
        .ok()?;
    save(&canvas, file)
}

fn save(canvas: &HtmlCanvasElement, file: &str) -> Option<()> {
    let file = file.to_owned();
    let save = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
        if let Some(blob) = blob {
            // A refused download is visible to whoever asked for it.
            let _ = browser::download_blob(&file, &blob);
        }
    });
    canvas.to_blob(save.unchecked_ref()).ok()
}

fn chart(selector: &str, name: &str) -> Option<()> {
    let svg = gloo::utils::document().query_selector(selector).ok()??;
    let text = with_values(&svg.outer_html(), |token| {
        browser::style_value(&format!("--{token}"))
    });
    let text = text.replacen(
        "<svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"10\"",
        1,
    );
    browser::download(name, "image/svg+xml", &text).then_some(())
}

/// One line per lane and state, ASCII, ns and counts.
fn csv(results: &super::worker::protocol::ResultsView) -> String {
    let mut out = String::from("run,state,periods,time_ns,too_deep,too_shallow\n");
    for lane in &results.lanes {
        for (state, (periods, time, deep, shallow, _)) in lane.states.iter().enumerate() {
            out.push_str(&format!(
                "{},{state},{periods},{},{deep},{shallow}\n",
                lane.name,
                time.as_ns()
            ));
        }
    }
    out
}
