//! The import worker's entry: it turns files into packs of runs. It answers no questions.

/// Starts listening.
#[cfg(target_arch = "wasm32")]
fn main() {
    sameruler::web::import_worker::listen();
}

/// The worker exists only in a browser.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
