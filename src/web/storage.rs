//! Preferences kept on this device. Nothing of a file is ever stored.

/// The value kept under `key`, if storage may be read.
pub fn get(key: &str) -> Option<String> {
    web_sys::window()?.local_storage().ok()??.get_item(key).ok()?
}

/// Keeps `value` under `key`; `None` forgets it. Storage that is switched off is no trouble.
pub fn set(key: &str, value: Option<&str>) {
    let Some(Ok(Some(storage))) = web_sys::window().map(|w| w.local_storage()) else { return };
    // A full or forbidden store only means that the preference lasts for this visit.
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}
