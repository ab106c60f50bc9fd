//! The page's entry.

/// Starts the page.
#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    sameruler::ui::mount();
}

/// The page exists only in a browser.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
