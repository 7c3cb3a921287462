//! The size of an element, kept up to date.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Width and height of the element in CSS pixels.
#[hook]
pub fn use_size(root: &NodeRef) -> (f64, f64) {
    let size = use_state_eq(|| (0.0_f64, 0.0_f64));
    let (set, root) = (size.setter(), root.clone());
    use_effect_with((), move |()| {
        let measure = {
            let root = root.clone();
            move || {
                if let Some(element) = root.cast::<Element>() {
                    set.set((
                        f64::from(element.client_width()),
                        f64::from(element.client_height()),
                    ));
                }
            }
        };
        measure();
        let changed = Closure::<dyn Fn()>::new(measure);
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, root.cast::<Element>()) {
            observer.observe(&element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(changed);
        }
    });
    *size
}
