//! How a message lies between page and worker: `{ head, bulk }`.
//!
//! `head` is a small enum through serde; `bulk` holds buffers and files that are handed over
//! without being copied. gloo-worker would copy every message, because it has no transfer list.

use js_sys::{Array, Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsValue};

/// A message as the browser carries it.
pub struct Parcel {
    /// The whole object.
    pub message: JsValue,
    /// What changes hands with it.
    pub transfer: Array,
}

/// Wraps a message. `None` when the head cannot be written, which its types exclude.
pub fn pack<T: Serialize>(head: &T, bulk: &[JsValue]) -> Option<Parcel> {
    // Instants of a machine that has run for months do not fit the browser's own numbers.
    let writer = Serializer::new().serialize_large_number_types_as_bigints(true);
    let head = head.serialize(&writer).ok()?;
    let message = Object::new();
    let array: Array = bulk.iter().collect();
    Reflect::set(&message, &JsValue::from_str("head"), &head).ok()?;
    Reflect::set(&message, &JsValue::from_str("bulk"), &array).ok()?;
    let transfer = bulk
        .iter()
        .filter(|item| item.is_instance_of::<js_sys::ArrayBuffer>())
        .collect();
    Some(Parcel {
        message: message.into(),
        transfer,
    })
}

/// Opens a message; `None` when it is none of ours.
pub fn unpack<T: DeserializeOwned>(message: &JsValue) -> Option<(T, Array)> {
    let head = Reflect::get(message, &JsValue::from_str("head")).ok()?;
    let bulk = Reflect::get(message, &JsValue::from_str("bulk")).ok()?;
    let head = serde_wasm_bindgen::from_value(head).ok()?;
    Some((head, Array::from(&bulk)))
}
