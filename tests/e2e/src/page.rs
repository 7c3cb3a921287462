//! What a person can do with the page, and what they can see on it.

use crate::{Look, root};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use thirtyfour::prelude::*;

/// How long something may take to appear before it counts as missing.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked for.
const GLANCE: Duration = Duration::from_millis(40);

/// The page in the browser. Every method panics, naming what it was about, when the page does not play along.
#[derive(Clone, Debug)]
pub struct Page {
    window: WebDriver,
    base: String,
    test: String,
}

/// The selector of the element that carries this `data-testid`.
#[must_use]
pub fn id(testid: &str) -> String {
    format!("[data-testid=\"{testid}\"]")
}

impl Page {
    pub(crate) fn new(window: WebDriver, base: String, test: String) -> Self {
        Self { window, base, test }
    }

    pub(crate) async fn set_look(&self, look: Look) -> WebDriverResult<()> {
        let cdp = self.window.cdp();
        let scheme = if look.dark { "dark" } else { "light" };
        let size = json!({ "width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 600 });
        cdp.send_raw("Emulation.setDeviceMetricsOverride", size).await?;
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        cdp.send_raw("Emulation.setEmulatedMedia", media).await?;
        Ok(())
    }

    /// Changes size and colour scheme.
    pub async fn look(&self, look: Look) {
        self.set_look(look)
            .await
            .unwrap_or_else(|e| panic!("look {look:?}: {e}"));
    }

    /// From now on the screen is touched, not pointed at.
    pub async fn touched(&self) {
        let fingers = json!({ "enabled": true, "maxTouchPoints": 2 });
        let set = self
            .window
            .cdp()
            .send_raw("Emulation.setTouchEmulationEnabled", fingers)
            .await;
        set.map_or_else(|e| panic!("touch: {e}"), |_| ());
        self.wait_true("matchMedia('(pointer: coarse)').matches").await;
    }

    /// Opens the page anew with this fragment (what stands after `#`; may be empty).
    pub async fn open(&self, fragment: &str) {
        // A change of the fragment alone would not load the page again.
        self.window
            .goto("about:blank")
            .await
            .unwrap_or_else(|e| panic!("leaving the page: {e}"));
        let url = if fragment.is_empty() {
            self.base.clone()
        } else {
            format!("{}#{fragment}", self.base)
        };
        self.window
            .goto(&url)
            .await
            .unwrap_or_else(|e| panic!("opening {url}: {e}"));
    }

    /// The address in the address bar.
    pub async fn address(&self) -> String {
        self.window
            .current_url()
            .await
            .map_or_else(|e| e.to_string(), |url| url.to_string())
    }

    /// What stands after `#` in the address bar.
    pub async fn fragment(&self) -> String {
        self.address()
            .await
            .split_once('#')
            .map(|(_, fragment)| fragment.to_string())
            .unwrap_or_default()
    }

    /// The element, as soon as it is there and visible.
    pub async fn find(&self, selector: &str) -> WebElement {
        let found = self
            .window
            .query(By::Css(selector))
            .wait(PATIENCE, GLANCE)
            .and_displayed()
            .first()
            .await;
        found.unwrap_or_else(|_| panic!("no visible {selector} within {PATIENCE:?}"))
    }

    /// How many elements match now.
    pub async fn count(&self, selector: &str) -> usize {
        self.window
            .find_all(By::Css(selector))
            .await
            .map_or(0, |all| all.len())
    }

    /// The element's text, as a person reads it.
    pub async fn text(&self, selector: &str) -> String {
        let element = self.find(selector).await;
        element
            .text()
            .await
            .unwrap_or_else(|e| panic!("text of {selector}: {e}"))
    }

    /// The element's attribute; `None` when it has none of this name.
    pub async fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let element = self.find(selector).await;
        element
            .attr(name)
            .await
            .unwrap_or_else(|e| panic!("{name} of {selector}: {e}"))
    }

    /// Waits until the element's text satisfies `wanted`, and returns it.
    pub async fn wait_text(&self, selector: &str, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        let mut last = String::from("nothing");
        loop {
            // The element may be replaced between being found and being read.
            if let Ok(element) = self.window.find(By::Css(selector)).await
                && let Ok(text) = element.text().await
            {
                if wanted(&text) {
                    return text;
                }
                last = text;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "{selector} never was {what} within {PATIENCE:?}; last it said {last:?}"
            );
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Waits until this expression is true in the page.
    pub async fn wait_true(&self, js: &str) {
        let start = Instant::now();
        while self.eval(&format!("return Boolean({js})")).await != Value::Bool(true) {
            assert!(
                start.elapsed() < PATIENCE,
                "{js} never was true within {PATIENCE:?}"
            );
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Waits until no element matches.
    pub async fn wait_gone(&self, selector: &str) {
        let start = Instant::now();
        while self.count(selector).await > 0 {
            assert!(
                start.elapsed() < PATIENCE,
                "{selector} never went away within {PATIENCE:?}"
            );
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Clicks the element.
    pub async fn click(&self, selector: &str) {
        let element = self.find(selector).await;
        if element.click().await.is_ok() {
            return;
        }
        // The driver scrolls only what is outside the window: not what the edge of a list cuts.
        let scrolled = element.scroll_into_view().await;
        let clicked = match scrolled {
            Ok(()) => element.click().await,
            failed => failed,
        };
        clicked.unwrap_or_else(|e| panic!("click on {selector}: {e}"));
    }

    /// Clicks the middle of the element twice.
    pub async fn double_click(&self, selector: &str) {
        let element = self.find(selector).await;
        let done = self.window.action_chain().double_click_element(&element);
        done.perform()
            .await
            .unwrap_or_else(|e| panic!("double click on {selector}: {e}"));
    }

    /// Types into the element, in place of what it held.
    pub async fn fill(&self, selector: &str, text: &str) {
        let element = self.find(selector).await;
        let typed = async {
            element.click().await?;
            element.send_keys(Key::Control + "a").await?;
            element.send_keys(text).await
        };
        typed
            .await
            .unwrap_or_else(|e| panic!("typing {text:?} into {selector}: {e}"));
    }

    /// Presses a key, wherever the focus is; `Shift+`, `Control+` and `Alt+` may stand before its name.
    pub async fn press(&self, key: &str) {
        let mut parts: Vec<&str> = key.split('+').collect();
        let last = parts.pop().unwrap_or_default();
        let held: Vec<Key> = parts
            .iter()
            .map(|part| named(part).unwrap_or_else(|| panic!("no key {part}")))
            .collect();
        let mut chain = held.iter().fold(self.window.action_chain(), |chain, key| {
            chain.key_down(key.clone())
        });
        chain = match named(last) {
            Some(key) => chain.key_down(key.clone()).key_up(key),
            None => last.chars().fold(chain, |chain, c| chain.key_down(c).key_up(c)),
        };
        chain = held
            .iter()
            .rev()
            .fold(chain, |chain, key| chain.key_up(key.clone()));
        chain.perform().await.unwrap_or_else(|e| panic!("key {key}: {e}"));
    }

    /// Drags the element with the pointer, by this many CSS pixels, in steps as a hand does.
    pub async fn drag(&self, selector: &str, dx: i64, dy: i64) {
        let element = self.find(selector).await;
        let steps = 8;
        let mut chain = self
            .window
            .action_chain_with_delay(Some(Duration::from_millis(16)), Some(Duration::from_millis(16)));
        chain = chain.move_to_element_center(&element).click_and_hold();
        for n in 1..=steps {
            let part = |total: i64| total * n / steps - total * (n - 1) / steps;
            chain = chain.move_by_offset(part(dx), part(dy));
        }
        chain
            .release()
            .perform()
            .await
            .unwrap_or_else(|e| panic!("dragging {selector}: {e}"));
    }

    /// Puts fingers on the page: `touchStart`, `touchMove` or `touchEnd` with the points that are down then, in CSS
    /// pixels.
    pub async fn fingers(&self, what: &str, points: &[(f64, f64)]) {
        let cdp = self.window.cdp();
        let points: Vec<Value> = points.iter().map(|(x, y)| json!({ "x": x, "y": y })).collect();
        let event = json!({ "type": what, "touchPoints": points });
        let done = async {
            cdp.send_raw("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }))
                .await?;
            cdp.send_raw("Input.dispatchTouchEvent", event).await
        };
        done.await.unwrap_or_else(|e| panic!("{what}: {e}"));
    }

    /// One finger goes down, moves in steps as a hand does, and up.
    pub async fn swipe(&self, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
        self.fingers("touchStart", &[(x, y)]).await;
        for n in 1..=6 {
            let part = f64::from(n) / 6.0;
            self.fingers("touchMove", &[(x + dx * part, y + dy * part)]).await;
        }
        self.fingers("touchEnd", &[]).await;
    }

    /// Gives this file, named from the repository's root, to the page's file chooser.
    pub async fn upload(&self, path: impl AsRef<Path>) {
        let path = root().join(path);
        assert!(path.is_file(), "no file {}", path.display());
        // File inputs are usually hidden behind a button.
        let input = self
            .window
            .query(By::Css("input[type=file]"))
            .wait(PATIENCE, GLANCE)
            .first()
            .await;
        let input = input.unwrap_or_else(|e| panic!("no file chooser: {e}"));
        input
            .send_keys(path.to_string_lossy().as_ref())
            .await
            .unwrap_or_else(|e| panic!("upload: {e}"));
    }

    /// Runs a script in the page and returns what it returns.
    pub async fn eval(&self, script: &str) -> Value {
        let done = self.window.execute(script, Vec::new()).await;
        done.unwrap_or_else(|e| panic!("script {script}: {e}"))
            .json()
            .clone()
    }

    /// Runs the body of an async function in the page and returns what it resolves to.
    pub async fn eval_async(&self, body: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             (async () => {{ {body} }})().then(done, e => done('failed: ' + e))"
        );
        let done = self.window.execute_async(&script, Vec::new()).await;
        done.unwrap_or_else(|e| panic!("script {body}: {e}"))
            .json()
            .clone()
    }

    /// What the page put into the clipboard.
    pub async fn clipboard(&self) -> String {
        let wish = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        let granted = self.window.cdp().send_raw("Browser.grantPermissions", wish).await;
        granted.unwrap_or_else(|e| panic!("clipboard permission: {e}"));
        let text = self
            .eval_async("return await navigator.clipboard.readText()")
            .await;
        text.as_str()
            .map(str::to_string)
            .unwrap_or_else(|| panic!("the clipboard holds {text}"))
    }

    /// Pretends that a new profile opens the page: forgets all that the page may have stored.
    pub async fn forget(&self) {
        let wish = json!({ "origin": self.base, "storageTypes": "all" });
        let done = self
            .window
            .cdp()
            .send_raw("Storage.clearDataForOrigin", wish)
            .await;
        done.unwrap_or_else(|e| panic!("clearing storage: {e}"));
    }

    /// Keeps what the page shows as `target/e2e/NAME.png`.
    pub async fn screenshot(&self, name: &str) {
        let folder = root().join("target/e2e");
        let file = folder.join(format!("{name}.png"));
        let taken = match std::fs::create_dir_all(&folder) {
            Ok(()) => self.window.screenshot(&file).await.map_err(|e| e.to_string()),
            Err(e) => Err(e.to_string()),
        };
        match taken {
            Ok(()) => eprintln!("screenshot: {}", file.display()),
            Err(e) => eprintln!("no screenshot of {}: {e}", self.test),
        }
    }

    /// The console's lines so far, each starting with its level.
    pub async fn console(&self) -> Vec<String> {
        match self.window.browser_log().await {
            Ok(lines) => lines
                .into_iter()
                .map(|line| format!("{}: {}", line.level, line.message))
                .collect(),
            Err(e) => vec![format!("SEVERE: the console cannot be read: {e}")],
        }
    }

    /// Addresses outside this site that the page asked for; there must be none.
    pub async fn foreign_requests(&self) -> Vec<String> {
        let asked = self
            .eval("return performance.getEntriesByType('resource').map(e => e.name)")
            .await;
        let asked = asked.as_array().cloned().unwrap_or_default();
        let ours =
            |url: &str| url.starts_with(&self.base) || url.starts_with("blob:") || url.starts_with("data:");
        asked
            .iter()
            .filter_map(Value::as_str)
            .filter(|url| !ours(url))
            .map(str::to_string)
            .collect()
    }

    /// Violations that axe-core finds on what the page shows now; `None`, after saying so, without axe-core.
    pub async fn axe(&self) -> Option<Vec<String>> {
        let Some(file) = std::env::var_os("IDLESCOPE_AXE") else {
            eprintln!(
                "{}: axe-core is not here (no npm), accessibility is not checked",
                self.test
            );
            return None;
        };
        let axe =
            std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", Path::new(&file).display()));
        self.eval(&axe).await;
        let found = self
            .eval_async(
                "const found = await axe.run(document, { resultTypes: ['violations'] });
                 return found.violations.map(v => `${v.id}: ${v.help}: ` + v.nodes.map(n => n.html.slice(0, 160)).join(' | '))",
            )
            .await;
        let found = found
            .as_array()
            .cloned()
            .unwrap_or_else(|| panic!("axe-core says {found}"));
        Some(
            found
                .iter()
                .map(|line| line.as_str().unwrap_or_default().to_string())
                .collect(),
        )
    }
}

fn named(key: &str) -> Option<Key> {
    Some(match key {
        "Shift" => Key::Shift,
        "Control" => Key::Control,
        "Alt" => Key::Alt,
        "Enter" => Key::Enter,
        "Space" => Key::Space,
        "Tab" => Key::Tab,
        "Escape" => Key::Escape,
        "Home" => Key::Home,
        "End" => Key::End,
        "PageUp" => Key::PageUp,
        "PageDown" => Key::PageDown,
        "ArrowLeft" => Key::Left,
        "ArrowRight" => Key::Right,
        "ArrowUp" => Key::Up,
        "ArrowDown" => Key::Down,
        "Backspace" => Key::Backspace,
        "Delete" => Key::Delete,
        _ => return None,
    })
}
