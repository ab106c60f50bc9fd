//! The worker's entry.

/// Says that the worker listens; a message sent before this one would be lost.
#[cfg(target_arch = "wasm32")]
fn main() {
    use wasm_bindgen::JsCast as _;
    console_error_panic_hook::set_once();
    let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    // Posting a string fails only when the page is gone.
    let _ = scope.post_message(&"ready".into());
}

/// The worker exists only in a browser.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
