//! One driver, one browser, one fresh profile per test; all gone afterwards, whatever happened.

use crate::{Page, Site, root};
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use thirtyfour::ChromeCapabilities;
use thirtyfour::LoggingPrefsLogLevel::All;
use thirtyfour::prelude::*;

/// How the browser looks at the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Width of the window, in CSS pixels.
    pub width: u32,
    /// Height of the window, in CSS pixels.
    pub height: u32,
    /// Whether the system asks for dark colours.
    pub dark: bool,
}

impl Look {
    /// The desk: 1440 by 900, light.
    pub const DESK: Self = Self {
        width: 1440,
        height: 900,
        dark: false,
    };
    /// The desk at night.
    pub const NIGHT: Self = Self {
        dark: true,
        ..Self::DESK
    };
    /// A phone: 390 by 844, light.
    pub const PHONE: Self = Self {
        width: 390,
        height: 844,
        dark: false,
    };
}

/// What a test may take before it counts as hung.
const LIMIT: Duration = Duration::from_secs(180);

/// A chromedriver on a port of its own choice; killed when dropped.
struct Driver {
    child: Child,
    port: u16,
}

/// How often a driver or a browser is asked to start before the test gives up.
///
/// Tests start theirs side by side: two drivers may choose one port, and the loser ends at once; and on a busy
/// machine a browser may take longer than its driver waits. Neither says anything about the page.
const ATTEMPTS: u32 = 5;

impl Driver {
    fn start() -> Self {
        for attempt in 1..=ATTEMPTS {
            if let Some(driver) = Self::try_start() {
                return driver;
            }
            std::thread::sleep(Duration::from_millis(200) * attempt);
        }
        panic!("chromedriver ended without saying its port, {ATTEMPTS} times");
    }

    /// A driver that said its port; none when it ended before.
    fn try_start() -> Option<Self> {
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let child = Command::new(program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver must be installed; `cargo xtask test e2e` does so where it can");
        let mut driver = Self { child, port: 0 };
        let output = driver.child.stdout.take().expect("its output is piped");
        let mut lines = BufReader::new(output).lines();
        driver.port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.split("started successfully on port ")
                .nth(1)?
                .trim_end_matches('.')
                .parse()
                .ok()
        })?;
        // Keeps the pipe open and empty: a driver that cannot write stops.
        std::thread::spawn(move || lines.for_each(drop));
        Some(driver)
    }

    /// A driver with a browser at `look`.
    async fn with_window(look: Look) -> (Self, WebDriver) {
        let mut refused = None;
        for _ in 0..ATTEMPTS {
            let driver = Self::start();
            match WebDriver::new(format!("http://127.0.0.1:{}", driver.port), wishes(look)).await {
                Ok(window) => return (driver, window),
                Err(error) => refused = Some(error),
            }
        }
        panic!("chromedriver does not start Chromium: {refused:?}");
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Opens a browser with an empty profile at `look`, gives its page to `test`, and closes everything.
///
/// # Panics
/// When `test` does, after a screenshot; when the browser or the page cannot be had; and when a test that
/// passed left an error in the console or asked for a file that is not there.
pub fn with_page<F>(look: Look, test: impl FnOnce(Page) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let dist = root().join("dist");
    assert!(
        dist.join("index.html").is_file(),
        "no page in dist/: run `cargo xtask build` first"
    );
    let name = std::thread::current().name().unwrap_or("page").replace("::", "-");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let site = Site::serve(dist).expect("a free port");
        let (driver, window) = Driver::with_window(look).await;
        let page = Page::new(window.clone(), site.url(), name.clone());
        let done = match page.set_look(look).await {
            Ok(()) => tokio::time::timeout(LIMIT, tokio::spawn(test(page.clone()))).await,
            Err(error) => panic!("the browser refuses its look: {error}"),
        };
        let complaints = match done {
            Ok(Ok(())) => complaints(&page, &site).await,
            _ => {
                page.screenshot(&name).await;
                eprintln!(
                    "address: {}\nconsole: {:#?}",
                    page.address().await,
                    page.console().await
                );
                Vec::new()
            }
        };
        let _ = window.quit().await;
        drop(driver);
        match done {
            Ok(Ok(())) => assert!(complaints.is_empty(), "the test passed, but: {complaints:#?}"),
            Ok(Err(failure)) => match failure.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(failure) => panic!("the test was cancelled: {failure}"),
            },
            Err(_) => panic!("the test did not end within {LIMIT:?}"),
        }
    });
}

fn wishes(look: Look) -> ChromeCapabilities {
    let mut wishes = DesiredCapabilities::chrome();
    let args = [
        "--headless=new",
        // Needed as root, where CI runs; the only page opened is ours.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--force-color-profile=srgb",
        &format!("--window-size={},{}", look.width, look.height),
    ];
    for arg in args {
        wishes.add_arg(arg).expect("a string is a valid argument");
    }
    wishes
        .set_browser_log_level(All)
        .expect("a level is a valid setting");
    wishes
}

async fn complaints(page: &Page, site: &Site) -> Vec<String> {
    let mut complaints: Vec<String> = page
        .console()
        .await
        .into_iter()
        .filter(|line| line.starts_with("SEVERE"))
        .collect();
    complaints.extend(
        site.missing()
            .into_iter()
            .map(|path| format!("asked for {path}, which is not there")),
    );
    complaints.extend(
        page.foreign_requests()
            .await
            .into_iter()
            .map(|url| format!("asked another host: {url}")),
    );
    complaints
}
