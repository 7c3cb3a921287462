//! Letting messages in between two pieces of work.
//!
//! `setTimeout` waits at least 4 ms when nested; a message to oneself does not.

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

/// Goes on after everything that is already waiting in the message queue.
pub async fn pause() {
    let Ok(channel) = MessageChannel::new() else {
        return;
    };
    let promise = Promise::new(&mut |resolve, _reject| {
        channel.port1().set_onmessage(Some(&resolve));
        // A port of our own always takes a plain value.
        let _ = channel.port2().post_message(&JsValue::NULL);
    });
    // The promise is only ever resolved.
    let _ = JsFuture::from(promise).await;
    channel.port1().set_onmessage(None);
    channel.port1().close();
}
