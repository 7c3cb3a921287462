//! A static file server on a free port of this machine.
//!
//! It answers with 404 what is not there, unlike Trunk's, and remembers it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Serves a folder until dropped.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    missing: Arc<Mutex<Vec<String>>>,
    closing: Arc<AtomicBool>,
}

impl Site {
    /// Starts serving `folder` under `/any/path/`: the page must work wherever it is put.
    ///
    /// # Errors
    /// When no port of this machine can be listened on.
    pub fn serve(folder: PathBuf) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let missing = Arc::new(Mutex::new(Vec::new()));
        let closing = Arc::new(AtomicBool::new(false));
        let (log, stop) = (Arc::clone(&missing), Arc::clone(&closing));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let (folder, log) = (folder.clone(), Arc::clone(&log));
                if let Ok(stream) = stream {
                    thread::spawn(move || answer(stream, &folder, &log));
                }
            }
        });
        Ok(Self {
            address,
            missing,
            closing,
        })
    }

    /// The address of the page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PREFIX}", self.address)
    }

    /// Paths that were asked for and are not there.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        self.missing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        // Wakes the accepting thread, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

const PREFIX: &str = "/any/path/";

fn answer(mut stream: TcpStream, folder: &Path, missing: &Mutex<Vec<String>>) -> Option<()> {
    // A connection that the browser only opens ahead of need must not keep its thread for ever.
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).ok()? == 0 {
            return None;
        }
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header).ok()? <= 2 {
                break;
            }
        }
        let path = request.split(' ').nth(1)?.split('?').next()?.to_string();
        let body = path
            .strip_prefix(PREFIX)
            .filter(|name| !name.split('/').any(|part| part == ".."))
            .map(|name| if name.is_empty() { "index.html" } else { name })
            .and_then(|name| Some((kind(name), fs::read(folder.join(name)).ok()?)));
        let (status, kind, body) = match body {
            Some((kind, body)) => ("200 OK", kind, body),
            None => {
                missing.lock().unwrap_or_else(PoisonError::into_inner).push(path);
                ("404 Not Found", "text/plain", b"not found".to_vec())
            }
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\ncache-control: no-store\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(&body).ok()?;
    }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
