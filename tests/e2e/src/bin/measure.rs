//! How fast the built page is in headless Chromium, and how large: one line per figure.
//!
//! `cargo xtask bench browser` builds the page and runs this. The figures are of this machine, at
//! this moment; the aims stand beside them.

use e2e::{Look, Page, id, root, with_page};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::io::Write as _;

/// A million periods and some.
const MILLION: &str = "w=metronome&gap=20us&jit=15us&run=5us&dur=30s&a=teo-6.12&b=menu-6.6";
/// A hundred thousand and some.
const HUNDRED_THOUSAND: &str = "w=metronome&gap=40us&jit=30us&run=5us&dur=5s&a=teo-6.12&b=menu-6.6";

/// Ten seconds of twelve CPUs that serve 200 000 short requests a second: some two million idle times of some 30 µs.
const MICRO_IDLE: &str = "w=poisson&cpus=12&every=5us&run=20us&dur=10s&a=teo-6.12&hz=1000";

/// Loads of the page whose first paint is taken.
const LOADS: usize = 5;

fn main() {
    sizes();
    with_page(Look::DESK, |page| async move {
        first_paint(&page).await;
        answer(&page).await;
        drag(&page).await;
        frames(&page).await;
        micro_idle(&page).await;
    });
}

fn figure(name: &str, value: &str, aim: &str) {
    println!("{name:<46} {value:>22}   {aim}");
}

/// Every wasm and js file of `dist/`, as a host would send it.
fn sizes() {
    let mut files: Vec<_> = std::fs::read_dir(root().join("dist"))
        .expect("the page is built")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|kind| kind == "wasm" || kind == "js")
        })
        .collect();
    files.sort();
    let mut total = 0;
    for file in files {
        let bytes = std::fs::read(&file).expect("a file of dist/");
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&bytes).expect("memory takes it");
        let packed = packed.finish().expect("memory takes it").len();
        total += packed;
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        figure(
            &format!("size {name}"),
            &format!("{} B, {packed} B gz", bytes.len()),
            "",
        );
    }
    figure("size of all wasm and js", &format!("{total} B gz"), "aim 400000");
}

async fn first_paint(page: &Page) {
    let mut paints = Vec::new();
    for _ in 0..LOADS {
        page.open("").await;
        page.find("h1").await;
        let paint = page
            .eval_async(
                "for (;;) {
                   const paint = performance.getEntriesByName('first-contentful-paint')[0];
                   if (paint) return paint.startTime;
                   await new Promise(next => setTimeout(next, 10));
                 }",
            )
            .await;
        paints.push(number(&paint));
    }
    figure(
        "first contentful paint, median of 5",
        &format!("{:.0} ms", quantile(&mut paints, 50)),
        "",
    );
}

async fn answer(page: &Page) {
    page.open(MILLION).await;
    page.wait_text(&id("run-state"), "done", |text| text.contains("took"))
        .await;
    let shown = page.eval("return performance.now()").await;
    figure(
        "a million periods, A and B, from opening",
        &format!("{:.0} ms", number(&shown)),
        "",
    );
    figure("  of which the page says", &page.text(&id("run-state")).await, "");
}

/// From a key that moves a handle until new figures are shown and nothing runs any more.
async fn drag(page: &Page) {
    page.open(HUNDRED_THOUSAND).await;
    page.wait_text(&id("run-state"), "done", |text| text.contains("took"))
        .await;
    page.click(&id("tab-summary")).await;
    page.find(&id("summary-table")).await;
    let times = page
        .eval_async(
            "const table = document.querySelector('[data-testid=summary-table]').closest('[role=tabpanel]');
             const times = [];
             for (let n = 0; n < 20; n++) {
               const handle = document.querySelector('[data-testid=handle-residency-1]');
               const before = table.innerText;
               const said = () => document.querySelector('[data-testid=run-state]')?.textContent ?? '';
               const settled = () => table.innerText !== before && said().includes('took') && !document.querySelector('[aria-busy=true]');
               handle.focus();
               const start = performance.now();
               handle.dispatchEvent(new KeyboardEvent('keydown', { key: n % 2 ? 'PageDown' : 'PageUp', bubbles: true }));
               while (!settled() && performance.now() - start < 2000) await new Promise(requestAnimationFrame);
               if (settled()) times.push(performance.now() - start);
               await new Promise(next => setTimeout(next, 300));
             }
             return times;",
        )
        .await;
    let mut times = numbers(&times);
    let value = if times.is_empty() {
        "no step changed a figure".to_string()
    } else {
        format!(
            "{:.0} ms, {:.0} ms",
            quantile(&mut times, 50),
            quantile(&mut times, 99)
        )
    };
    figure(
        "step of a handle to figures, 100k, p50 and p99",
        &value,
        "aim 100 ms",
    );
}

/// Panning with the wheel over a million periods, a step per frame.
async fn frames(page: &Page) {
    page.open(MILLION).await;
    page.wait_text(&id("run-state"), "done", |text| text.contains("took"))
        .await;
    for (name, zoom) in [("whole", 0), ("zoomed in", 12)] {
        let times = page
            .eval_async(&format!(
                "const canvas = document.querySelector('[role=application]') ?? document.querySelector('canvas');
                 const box = canvas.getBoundingClientRect();
                 const wheel = (dx, dy, ctrlKey) => canvas.dispatchEvent(new WheelEvent('wheel', {{
                   deltaX: dx, deltaY: dy, ctrlKey, shiftKey: false, bubbles: true, cancelable: true,
                   clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }}));
                 const frame = () => new Promise(requestAnimationFrame);
                 for (let n = 0; n < {zoom}; n++) {{ wheel(0, -120, true); await frame(); }}
                 await new Promise(next => setTimeout(next, 500));
                 const times = [];
                 let last = await frame();
                 for (let n = 0; n < 300; n++) {{
                   wheel(n < 150 ? 24 : -24, 0, false);
                   const now = await frame();
                   times.push(now - last);
                   last = now;
                 }}
                 return times;"
            ))
            .await;
        let mut times = numbers(&times);
        let value = format!(
            "{:.1} ms, {:.1} ms",
            quantile(&mut times, 50),
            quantile(&mut times, 99)
        );
        figure(
            &format!("frame panning a million, {name}, p50 and p99"),
            &value,
            "aim 16.8 ms",
        );
    }
}

/// A long closed loop, and whether one sees how far it is.
async fn micro_idle(page: &Page) {
    page.open(MICRO_IDLE).await;
    let seen = page
        .eval_async(
            "const said = () => document.querySelector('[data-testid=run-state]')?.textContent ?? '';
             const shares = new Set();
             while (!said().includes('took') && !said().includes('failed')) {
               const bar = document.querySelector('[data-testid=running]');
               if (bar) shares.add(bar.style.transform);
               await new Promise(requestAnimationFrame);
             }
             return shares.size;",
        )
        .await;
    let said = page.text(&id("run-state")).await;
    let value = format!("{said}, progress {} times", number(&seen));
    figure("10 s of 12 CPUs with micro-idles, A", &value, "aim 10000 ms");
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {value}"))
        .iter()
        .map(number)
        .collect()
}

/// The least value that so many per cent do not exceed.
fn quantile(values: &mut [f64], per_cent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() * per_cent).div_ceil(100).saturating_sub(1);
    values.get(at).copied().unwrap_or(f64::NAN)
}
