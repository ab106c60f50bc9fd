//! The last look at a report before it is saved: nothing in it may fetch or run anything.

/// What in a page would fetch or run something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the report would not stand alone: {what}. It was not saved; please report this as a fault"
)]
pub struct SelfCheckError {
    /// The tag, attribute or style in question.
    what: String,
}

/// Elements that fetch, run or send.
const ELEMENTS: [&str; 9] =
    ["script", "link", "iframe", "frame", "object", "embed", "base", "form", "applet"];

/// Attributes that hold addresses.
const ADDRESSES: [&str; 10] = [
    "src",
    "href",
    "xlink:href",
    "srcset",
    "action",
    "formaction",
    "poster",
    "data",
    "background",
    "ping",
];

/// Checks that a page has no element that fetches or runs, no handler, and no address outside itself.
///
/// Looks at tags and style sheets only: the same words as text of a model's name are harmless.
///
/// # Errors
/// Names the first thing found.
pub fn self_check(html: &str) -> Result<(), SelfCheckError> {
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start + 1..).unwrap_or_default();
        let Some(end) = tag_end(rest) else { break };
        let (tag, after) = rest.split_at(end);
        rest = after;
        check_tag(tag)?;
        if tag.split_whitespace().next() == Some("style") {
            let sheet = rest.split("</style").next().unwrap_or_default();
            check_style(sheet)?;
            rest = rest.get(sheet.len()..).unwrap_or_default();
        }
    }
    Ok(())
}

/// Where a tag ends: the first `>` outside quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

fn check_tag(tag: &str) -> Result<(), SelfCheckError> {
    let name = tag.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    if ELEMENTS.contains(&name.as_str()) {
        return Err(SelfCheckError { what: format!("an element <{name}>") });
    }
    for (attribute, value) in attributes(tag.get(name.len()..).unwrap_or_default()) {
        let attribute = attribute.to_ascii_lowercase();
        if attribute.starts_with("on") {
            return Err(SelfCheckError { what: format!("a handler {attribute} in <{name}>") });
        }
        if ADDRESSES.contains(&attribute.as_str()) && !stays_inside(value) {
            return Err(SelfCheckError { what: format!("{attribute}=\"{value}\" in <{name}>") });
        }
        if matches!(
            attribute.as_str(),
            "style" | "fill" | "stroke" | "filter" | "clip-path" | "mask"
        ) {
            check_style(value)?;
        }
    }
    Ok(())
}

/// Name and value of each attribute of a tag's inside.
fn attributes(inside: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = inside.trim_start();
    while !rest.is_empty() {
        let name_end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        let after = after.trim_start();
        let Some(after) = after.strip_prefix('=') else {
            found.push((name, ""));
            rest = after;
            continue;
        };
        let after = after.trim_start();
        let (value, after) = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let body = after.get(1..).unwrap_or_default();
                body.split_once(quote).unwrap_or((body, ""))
            }
            _ => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        found.push((name, value));
        rest = after.trim_start();
    }
    found
}

fn check_style(css: &str) -> Result<(), SelfCheckError> {
    let css = css.to_ascii_lowercase();
    if css.contains("@import") {
        return Err(SelfCheckError { what: "an @import in a style".into() });
    }
    for after in css.split("url(").skip(1) {
        let address = after.split(')').next().unwrap_or_default();
        let address = address.trim().trim_matches(['"', '\'']);
        if !stays_inside(address) {
            return Err(SelfCheckError { what: format!("url({address}) in a style") });
        }
    }
    Ok(())
}

/// An address within the file itself.
fn stays_inside(address: &str) -> bool {
    address.starts_with('#') || address.starts_with("data:image/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_would_fetch_or_run_is_refused() {
        for bad in [
            "<p><img src=\"https://example.org/a.png\"></p>",
            "<a href='http://example.org'>x</a>",
            "<a href=//example.org>x</a>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<a HREF = \"https://example.org\">x</a>",
            "<style>@import 'a.css';</style>",
            "<style>b{background:URL( \"http://example.org/a\")}</style>",
            "<b style=\"background:url(https://example.org)\">x</b>",
            "<script>1</script>",
            "<svg><image xlink:href=\"https://example.org/a\"/></svg>",
            "<svg onload=\"x()\"></svg>",
            "<link rel=stylesheet>",
            "<rect fill=\"url(https://example.org/#p)\"/>",
        ] {
            assert!(self_check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn anchors_pictures_inside_and_words_pass() {
        for good in [
            "<a href=\"#runs\">Runs</a>",
            "<img src=\"data:image/png;base64,AA\">",
            "<p>model src=\"http://example.org\" url(http://example.org)</p>",
            "<p title=\"a > b, src=http://example.org\">x</p>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect fill=\"url(#hatch)\"/></svg>",
            "<style>p{fill:url(#hatch)}</style>",
            "",
        ] {
            assert_eq!(self_check(good), Ok(()), "{good}");
        }
    }
}
