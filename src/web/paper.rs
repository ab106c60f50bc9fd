//! A report shown inside the page: its own tree and styles, apart from the page's.
//!
//! A frame would inherit the page's content policy and lose the report's style. A shadow tree with a
//! constructed style sheet keeps both: the policy as strict as it is, and the report as it will look.

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{
    CssStyleSheet, DomParser, Element, ShadowRoot, ShadowRootInit, ShadowRootMode, SupportedType,
};

/// What the preview leaves out or does another way: contents fixed to a window, and the sheet's own width.
const FITTED: &str =
    "nav { display: none; } article { width: auto; max-width: 794px; margin: 0 auto; border: 0; }";

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
    let (html, css) = apart(html);
    // The page has a main part already.
    let html = html.replace("<main", "<article").replace("</main>", "</article>");
    let css = css.replace("main {", "article {");
    let paper = DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)?;
    let outside = paper.query_selector_all("meta, link, script")?;
    for node in (0..outside.length()).filter_map(|i| outside.item(i)) {
        node.unchecked_into::<Element>().remove();
    }
    let sheet = CssStyleSheet::new()?;
    // Nothing in a shadow tree is the document's root.
    sheet.replace_sync(&(css.replace(":root", ":host") + FITTED))?;
    Reflect::set(&root, &"adoptedStyleSheets".into(), &Array::of1(&sheet))?;
    let content = paper.document_element().ok_or_else(|| JsValue::from("an empty report"))?;
    root.replace_children_with_node_1(&content);
    Ok(())
}

/// Takes the style sheets out of a file, before the parser could apply them against the page's policy.
fn apart(html: &str) -> (String, String) {
    let (mut page, mut css) = (String::new(), String::new());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("<style>") {
        let (style, after) = after.split_once("</style>").unwrap_or((after, ""));
        page.push_str(before);
        css.push_str(style);
        rest = after;
    }
    page.push_str(rest);
    (page, css)
}
