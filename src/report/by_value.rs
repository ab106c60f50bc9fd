//! Properties of more runs than fit side by side: each value once, before it the runs that have it.

use super::compare::region;
use crate::views::letter;
use maud::{Markup, html};

/// A property and its values, one a run; `None` is "not recorded".
pub(super) type Line<'a> = (&'a str, Vec<Option<&'a str>>);

/// One row a property.
pub(super) fn by_value(name: &str, head: &str, lines: &[Line<'_>]) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label=(region(name, 0, 1)) {
            table.words.values {
                thead { tr { th scope="col" { (head) } th scope="col" { "Runs and their value" } } }
                tbody { @for (name, values) in lines { tr {
                    th scope="row" { (name) }
                    td { (shares(values)) }
                } } }
            }
        }
    }
}

/// The values in the order of the runs that have them first; what was not recorded comes last.
fn shares(values: &[Option<&str>]) -> Markup {
    let mut sets: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        match sets.iter_mut().find(|(known, _)| known == value) {
            Some((_, runs)) => runs.push(at),
            None => sets.push((*value, vec![at])),
        }
    }
    sets.sort_by_key(|(value, _)| value.is_none());
    let alone = sets.len() == 1;
    html! {
        @for (value, runs) in &sets {
            div {
                b { @if alone { "all" } @else { (ranges(runs)) } } " "
                @match value { Some(value) => (value), None => em { "not recorded" } }
            }
        }
    }
}

/// Letters of runs, three and more in a row as a range: "A, C–F".
pub(super) fn ranges(runs: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &run in runs {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == run => *last = run,
            _ => parts.push((run, run)),
        }
    }
    let word = |&(first, last): &(usize, usize)| match last - first {
        0 => letter(first),
        1 => format!("{}, {}", letter(first), letter(last)),
        _ => format!("{}–{}", letter(first), letter(last)),
    };
    parts.iter().map(word).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_a_range() {
        assert_eq!(ranges(&[0, 2, 3, 4, 5, 8, 9]), "A, C–F, I, J");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn a_value_stands_once_and_what_is_missing_stands_last() {
        let html = shares(&[None, Some("chat"), Some("chat"), Some("<b>")]).into_string();
        assert_eq!(
            html,
            "<div><b>B, C</b> chat</div><div><b>D</b> &lt;b&gt;</div><div><b>A</b> <em>not recorded</em></div>"
        );
        assert_eq!(shares(&[Some("x"), Some("x")]).into_string(), "<div><b>all</b> x</div>");
    }
}
