//! The engine worker's entry: it keeps the runs and answers questions. It reads no files.

/// Starts listening.
#[cfg(target_arch = "wasm32")]
fn main() {
    sameruler::web::engine_worker::listen();
}

/// The worker exists only in a browser.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
