//! Ids for elements that name each other.

use std::sync::atomic::{AtomicUsize, Ordering};

/// An id that no other element of the page has.
pub fn unique(prefix: &str) -> String {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    format!("{prefix}-{}", LAST.fetch_add(1, Ordering::Relaxed))
}
