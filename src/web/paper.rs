//! A report shown inside the page: its own tree and styles, apart from the page's.
//!
//! A frame would inherit the page's content policy and lose the report's style. A shadow tree with a
//! constructed style sheet keeps both: the policy as strict as it is, and the report as it will look.

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{
    CssStyleSheet, DomParser, Element, ShadowRoot, ShadowRootInit, ShadowRootMode, SupportedType,
};

/// Shows a whole HTML file in an element. A file that can't be shown leaves the element as it is.
pub fn show(host: &Element, html: &str) {
    // Saving does not depend on the preview, so a browser without these parts only lacks the preview.
    let _ = try_show(host, html);
}

fn try_show(host: &Element, html: &str) -> Result<(), JsValue> {
    let root: ShadowRoot = match host.shadow_root() {
        Some(root) => root,
        None => host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open))?,
    };
    let paper = DomParser::new()?.parse_from_string(html, SupportedType::TextHtml)?;
    let mut css = String::new();
    let outside = paper.query_selector_all("style, meta, link, script")?;
    for node in (0..outside.length()).filter_map(|i| outside.item(i)) {
        let element: Element = node.unchecked_into();
        if element.tag_name() == "STYLE" {
            css.push_str(&element.text_content().unwrap_or_default());
        }
        element.remove();
    }
    let sheet = CssStyleSheet::new()?;
    // Nothing in a shadow tree is the document's root.
    sheet.replace_sync(&css.replace(":root", ":host"))?;
    Reflect::set(&root, &"adoptedStyleSheets".into(), &Array::of1(&sheet))?;
    let content = paper.document_element().ok_or_else(|| JsValue::from("an empty report"))?;
    root.replace_children_with_node_1(&content);
    Ok(())
}
