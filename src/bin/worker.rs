//! The worker's entry. One program, two roles: a throw-away importer, or the engine that keeps runs.

/// Starts listening.
#[cfg(target_arch = "wasm32")]
fn main() {
    sameruler::web::worker::listen();
}

/// The worker exists only in a browser.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
