//! Refusals told together: a folder or an archive holds many files that are no results, and one
//! sentence says so.

use super::protocol::{Cause, Refusal};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Up to this many files that are no results are named one by one.
pub const FEW: usize = 3;

/// One sentence for all files that are something else than a result, the most frequent kind first;
/// `None` where they are few enough to be named.
pub fn foreign(refused: &[Refusal]) -> Option<String> {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for refusal in refused.iter().filter(|refusal| refusal.kind == Cause::Foreign) {
        *kinds.entry(refusal.what.as_deref().unwrap_or("something else")).or_default() += 1;
    }
    let all: usize = kinds.values().sum();
    if all <= FEW {
        return None;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut text = format!("{all} files are no results: ");
    for (at, (what, count)) in kinds.into_iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
        let _ = write!(text, "{comma}{what}{times}");
    }
    text.push('.');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(what: &str) -> Refusal {
        Refusal {
            file: "x".into(),
            kind: Cause::Foreign,
            what: Some(what.into()),
            mapping: None,
            error: String::new(),
            place: String::new(),
            advice: String::new(),
        }
    }

    #[test]
    fn many_are_told_in_one_sentence() {
        let mut refused = vec![refusal("a log"), refusal("a scrape"), refusal("a scrape")];
        assert_eq!(foreign(&refused), None);
        refused.push(refusal("a scrape"));
        let told = foreign(&refused);
        assert_eq!(told.as_deref(), Some("4 files are no results: a scrape (3 times), a log."));
    }
}
