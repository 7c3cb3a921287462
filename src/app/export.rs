//! Taking things away as files.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::browser;
use super::findings::Findings;
use super::header::Export;

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
    let save = Closure::once_into_js(|blob: Option<web_sys::Blob>| {
        if let Some(blob) = blob {
            // A refused download is visible to whoever asked for it.
            let _ = browser::download_blob("idlescope-timeline.png", &blob);
        }
    });
    canvas.to_blob(save.unchecked_ref()).ok()
}

/// The properties that colours in our charts refer to.
const COLOURS: [&str; 16] = [
    "--accent-wash",
    "--ink",
    "--ink-2",
    "--ink-3",
    "--line",
    "--line-strong",
    "--surface",
    "--accent",
    "--var-a",
    "--var-b",
    "--floor",
    "--energy",
    "--recorded",
    "--tick-running",
    "--warn",
    "--font-ui",
];

fn chart(selector: &str, name: &str) -> Option<()> {
    let svg = gloo::utils::document().query_selector(selector).ok()??;
    let mut text = svg.outer_html();
    let depths = (0..10).flat_map(|n| [format!("--depth-{n}"), format!("--on-depth-{n}")]);
    for property in COLOURS.iter().map(|name| (*name).to_owned()).chain(depths) {
        text = text.replace(
            &format!("var({property})"),
            &browser::style_value(&property).replace('"', "'"),
        );
    }
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
