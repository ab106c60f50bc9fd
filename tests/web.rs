//! What only a browser can show: bytes in a `Blob`, the worker link, the canvas. Run by
//! `scripts/browser-unit.mjs`.
#![cfg(target_arch = "wasm32")]

use sameruler::units::{bytes, significant};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// The same core prints the same text natively (see the tests at the foot of `units.rs`).
#[wasm_bindgen_test]
fn numbers_print_as_they_do_natively() {
    assert_eq!(significant(29.612, 3), "29.6");
    assert_eq!(bytes(1_500_000), "1.50 MB");
}
