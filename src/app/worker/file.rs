//! Reading a file in the worker: chunk by chunk, with progress, until it ends or is cancelled.

use std::cell::{Cell, RefCell};

use js_sys::{Date, Uint8Array, global};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DedicatedWorkerGlobalScope, Response};

use super::pause::pause;
use crate::page::session::Session;
use crate::page::words::opening;
use crate::trace::TraceError;
use crate::trace::tables::Tables;

/// Bytes read at once: large enough to be quick, small enough to be cancelled within 20 ms.
const CHUNK: f64 = 524_288.0;

/// The least time between two reports of progress, ms.
const REPORT_EVERY_MS: f64 = 100.0;

/// Why there is no trace.
pub enum Stop {
    /// The user said so.
    Cancelled,
    /// Nothing was usable.
    Trace(TraceError),
    /// The browser could not deliver the bytes.
    Browser(String),
    /// The user has not given the file yet; the page asks for it.
    Missing,
}

impl Stop {
    /// What to tell: what happened, and what was expected and found; none when nobody needs telling.
    pub fn why(&self, name: &str) -> Option<(String, String)> {
        match self {
            Self::Cancelled | Self::Missing => None,
            Self::Trace(error) => Some(opening::unreadable(name, error)),
            Self::Browser(why) => Some(opening::unloadable(name, why)),
        }
    }
}

/// How far reading is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes in all.
    pub total: u64,
    /// Bytes a second.
    pub rate: u64,
}

/// A number of bytes as the browser counts them.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are whole and not negative"
)]
fn bytes(size: f64) -> u64 {
    size as u64
}

/// Reads `blob` into the session while `current` equals `job`; what the session held stays until
/// the trace is complete. Tables are handed over and change nothing in it.
///
/// # Errors
/// See [`Stop`].
pub async fn read(
    blob: &Blob,
    session: &RefCell<Session>,
    job: u32,
    current: &Cell<u32>,
    progress: impl Fn(Progress),
) -> Result<Option<Tables>, Stop> {
    session.borrow_mut().begin_trace();
    let total = blob.size();
    let begun = Date::now();
    let (mut at, mut reported) = (0.0, 0.0);
    while at < total {
        let end = (at + CHUNK).min(total);
        let slice = blob
            .slice_with_f64_and_f64(at, end)
            .map_err(|error| refused(&error))?;
        let buffer = JsFuture::from(slice.array_buffer())
            .await
            .map_err(|error| refused(&error))?;
        if current.get() != job {
            return Err(Stop::Cancelled);
        }
        session
            .borrow_mut()
            .feed(&Uint8Array::new(&buffer).to_vec())
            .map_err(Stop::Trace)?;
        at = end;
        let now = Date::now();
        if now - reported >= REPORT_EVERY_MS {
            reported = now;
            let seconds = ((now - begun) / 1_000.0).max(0.001);
            progress(Progress {
                bytes: bytes(at),
                total: bytes(total),
                rate: bytes(at / seconds),
            });
            pause().await;
            if current.get() != job {
                return Err(Stop::Cancelled);
            }
        }
    }
    session.borrow_mut().finish_file().map_err(Stop::Trace)
}

/// Fetches a file that lies beside the page.
///
/// # Errors
/// [`Stop::Browser`] when it does not come.
pub async fn fetch(url: &str) -> Result<Blob, Stop> {
    let scope: DedicatedWorkerGlobalScope = global()
        .dyn_into()
        .map_err(|_| Stop::Browser("no worker".to_owned()))?;
    let response: Response = JsFuture::from(scope.fetch_with_str(url))
        .await
        .map_err(|error| refused(&error))?
        .unchecked_into();
    if !response.ok() {
        return Err(Stop::Browser(format!(
            "expected the sample at {url}, found status {}",
            response.status()
        )));
    }
    let blob = response.blob().map_err(|error| refused(&error))?;
    Ok(JsFuture::from(blob)
        .await
        .map_err(|error| refused(&error))?
        .unchecked_into())
}

fn refused(error: &wasm_bindgen::JsValue) -> Stop {
    let text = js_sys::Reflect::get(error, &"message".into())
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| "the browser refused".to_owned());
    Stop::Browser(text)
}
