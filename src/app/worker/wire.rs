//! How a message lies between page and worker: a list of its head and its bulk.
//!
//! The head is a small enum, as bytes; the bulk are buffers and files. Buffers are handed over
//! without being copied. gloo-worker would copy every message, because it has no transfer list.
//!
//! Both ends are the same build of the same module, so the bytes need no names and no version.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// A message as the browser carries it.
pub struct Parcel {
    /// The whole list.
    pub message: Array,
    /// What changes hands with it.
    pub transfer: Array,
}

/// Wraps a message. `None` when the head cannot be written, which its types exclude.
pub fn pack<T: Serialize>(head: &T, bulk: &[JsValue]) -> Option<Parcel> {
    let head = Uint8Array::from(postcard::to_allocvec(head).ok()?.as_slice()).buffer();
    let mut message = Array::of1(&head);
    message.extend(bulk);
    let transfer = message
        .iter()
        .filter(|item| item.is_instance_of::<ArrayBuffer>())
        .collect();
    Some(Parcel { message, transfer })
}

/// Opens a message; `None` when it is none of ours.
pub fn unpack<T: DeserializeOwned>(message: &JsValue) -> Option<(T, Array)> {
    let message: &Array = message.dyn_ref()?;
    let head: ArrayBuffer = message.get(0).dyn_into().ok()?;
    let head = postcard::from_bytes(&Uint8Array::new(&head).to_vec()).ok()?;
    Some((head, message.slice(1, message.length())))
}
