//! The page's end: starts the worker, waits until it is ready, sends and receives.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use super::wire;

/// A running worker. Messages sent before it is ready wait for it.
pub struct Client {
    worker: Worker,
    waiting: Rc<RefCell<Option<Vec<wire::Parcel>>>>,
    _listeners: [EventListener; 2],
}

impl Client {
    /// Starts the worker. `onreport` gets every message after the first, which only says that
    /// the worker listens; `onbroken` is told whether it ever listened, and what the browser says, when it cannot be
    /// started or ends by an error of its own.
    ///
    /// # Errors
    /// What the browser said when it refused to start a worker.
    pub fn start<T: DeserializeOwned + 'static>(
        onreport: impl Fn(T, Array) + 'static,
        onbroken: impl Fn(bool, String) + 'static,
    ) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&loader_url()?, &options)?;
        // The compiled module itself: nothing is fetched or compiled a second time.
        worker.post_message(&wasm_bindgen::module())?;
        let waiting = Rc::new(RefCell::new(Some(Vec::new())));
        let receive = {
            let (waiting, worker) = (Rc::clone(&waiting), worker.clone());
            EventListener::new(&worker.clone(), "message", move |event| {
                let Some(event) = event.dyn_ref::<MessageEvent>() else {
                    return;
                };
                if let Some(parcels) = waiting.borrow_mut().take() {
                    for parcel in parcels {
                        post(&worker, &parcel);
                    }
                    return;
                }
                if let Some((head, bulk)) = wire::unpack(&event.data()) {
                    onreport(head, bulk);
                }
            })
        };
        let begun = Rc::clone(&waiting);
        let broken = EventListener::new(&worker, "error", move |event| {
            let why = event
                .dyn_ref::<web_sys::ErrorEvent>()
                .map(web_sys::ErrorEvent::message)
                .unwrap_or_default();
            onbroken(begun.borrow().is_none(), why);
        });
        Ok(Self {
            worker,
            waiting,
            _listeners: [receive, broken],
        })
    }

    /// Ends it, whatever it is doing.
    pub fn end(self) {
        self.worker.terminate();
    }

    /// Sends a message; buffers in `bulk` change hands, files are shared.
    pub fn send<T: Serialize>(&self, head: &T, bulk: &[JsValue]) {
        let Some(parcel) = wire::pack(head, bulk) else {
            return;
        };
        match &mut *self.waiting.borrow_mut() {
            Some(parcels) => parcels.push(parcel),
            None => post(&self.worker, &parcel),
        }
    }
}

fn post(worker: &Worker, parcel: &wire::Parcel) {
    // Only values that cannot be cloned are refused, and none is ever sent.
    let _ = worker.post_message_with_transfer(&parcel.message, &parcel.transfer);
}

#[wasm_bindgen]
extern "C" {
    type ImportMeta;
    #[wasm_bindgen(method, getter)]
    fn url(this: &ImportMeta) -> String;
    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static IMPORT_META: ImportMeta;
}

/// The address of a script that starts this very module in the worker it is sent to.
fn loader_url() -> Result<String, JsValue> {
    let module = IMPORT_META.with(ImportMeta::url);
    let script =
        format!("import start from {module:?}; onmessage = sent => start({{ module_or_path: sent.data }});");
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("text/javascript");
    let parts = Array::of1(&JsValue::from_str(&script));
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?;
    web_sys::Url::create_object_url_with_blob(&blob)
}
