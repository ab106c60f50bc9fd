//! Saving a text or bytes as a file, and copying it.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// A text as a blob of a media type.
pub fn blob(text: &str, media_type: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options)
}

/// Hands a text to the browser as a file to save.
pub fn save(name: &str, text: &str, media_type: &str) -> Result<(), JsValue> {
    save_blob(name, &blob(text, media_type)?)
}

/// Hands bytes to the browser as a file to save.
pub fn save_bytes(name: &str, bytes: &[u8], media_type: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let parts = Array::of1(&Uint8Array::from(bytes));
    save_blob(name, &Blob::new_with_u8_array_sequence_and_options(&parts, &options)?)
}

fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    save_url(name, &url)?;
    // The download holds its own reference to the blob once the click is handled.
    Url::revoke_object_url(&url)
}

/// Hands what an address of this page's own making holds (`blob:`, `data:`) to the browser to save.
pub fn save_url(name: &str, url: &str) -> Result<(), JsValue> {
    let document =
        web_sys::window().and_then(|w| w.document()).ok_or_else(|| JsValue::from("no document"))?;
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(url);
    link.set_download(name);
    link.click();
    Ok(())
}

/// Puts a text on the clipboard.
pub async fn copy(text: &str) -> Result<(), JsValue> {
    let window = web_sys::window().ok_or_else(|| JsValue::from("no window"))?;
    JsFuture::from(window.navigator().clipboard().write_text(text)).await.map(|_| ())
}

/// Reads text from the clipboard; the browser may ask the reader first, or refuse.
pub async fn paste() -> Result<String, JsValue> {
    let window = web_sys::window().ok_or_else(|| JsValue::from("no window"))?;
    let text = JsFuture::from(window.navigator().clipboard().read_text()).await?;
    text.as_string().ok_or_else(|| JsValue::from("the clipboard holds no text"))
}
