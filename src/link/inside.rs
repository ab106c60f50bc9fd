//! Data inside a link: one parameter beside the view, which only whoever opens it unpacks.

/// The parameter that holds the session.
const PARAMETER: &str = "data=";

/// The most bytes of a link with data, after its `#`. Browsers take megabytes; chats, trackers and mail cut
/// an address somewhere beyond this.
pub const LONGEST: usize = 16_000;

/// What a text says that is one link and nothing else: the part after the `#` of an address, or that alone.
pub fn fragment(text: &str) -> Option<&str> {
    let text = text.trim();
    let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
    (fragment.starts_with("v1/") && !text.contains(char::is_whitespace)).then_some(fragment)
}

/// The link to the view alone, and the letters of its data where it has any.
pub fn taken_out(fragment: &str) -> (String, Option<&str>) {
    let fragment = fragment.trim_start_matches('#');
    let Some((start, query)) = fragment.split_once('?') else { return (fragment.to_owned(), None) };
    let data = query.split('&').find_map(|part| part.strip_prefix(PARAMETER));
    let rest: Vec<_> = query.split('&').filter(|part| !part.starts_with(PARAMETER)).collect();
    let view =
        if rest.is_empty() { start.to_owned() } else { format!("{start}?{}", rest.join("&")) };
    (view, data)
}

/// The link to a view with the letters of data in it.
pub fn with_data(view: &str, letters: &str) -> String {
    let joint = if view.contains('?') { '&' } else { '?' };
    format!("{view}{joint}{PARAMETER}{letters}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Link, Screen};

    #[test]
    fn data_goes_in_and_comes_out_beside_any_view() {
        for view in ["v1/compare", "v1/curves?x=achieved&def=vllm"] {
            let link = with_data(view, "H4sI_-09");
            assert_eq!(taken_out(&format!("#{link}")), (view.to_owned(), Some("H4sI_-09")));
            assert_eq!(taken_out(view), (view.to_owned(), None));
            // Whatever does not know of data reads the view.
            assert_eq!(Link::decode(&link), Link::decode(view));
        }
        assert_eq!(Link::decode("v1/quality?data=").unwrap().screen, Screen::Quality);
        assert_eq!(taken_out("v1/quality?data=").1, Some(""));
    }

    #[test]
    fn a_text_is_a_link_when_it_is_nothing_else() {
        for text in ["v1/compare", " #v1/compare\n", "https://example.org/a/#v1/compare"] {
            assert_eq!(fragment(text), Some("v1/compare"), "{text}");
        }
        for text in
            ["", "v2/compare", "see https://example.org/#v1/compare", "{\"a\": 1}", "a,b\n#v1/x"]
        {
            assert_eq!(fragment(text), None, "{text}");
        }
    }
}
