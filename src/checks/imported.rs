//! What the importer noticed, as findings.

use super::Examined;
use super::finding::{Finding, Verdict};
use crate::model::Run;
use crate::notice::Place;

/// The notices of a run as findings, in the order in which they were met. They keep their severity, their
/// text and the first places.
pub(super) fn findings(run: &Run) -> impl Iterator<Item = Examined> + '_ {
    run.provenance.notices.iter().map(|notice| {
        let mut finding = Finding::new(notice.severity, notice.text.clone());
        finding.count = usize::try_from(notice.count).unwrap_or(usize::MAX);
        if notice.places.iter().all(|place| matches!(place, Place::Record(_))) {
            finding.of = run.requests.as_ref().map_or(0, crate::model::Requests::len);
        }
        finding.places = notice.places.iter().map(ToString::to_string).collect();
        Examined {
            id: notice.kind.clone().into(),
            name: heading(&notice.kind).into(),
            about: None,
            verdict: Verdict::Found(Box::new(finding)),
        }
    })
}

/// A kind as a heading: `swapped-e2el` becomes “Swapped e2el”.
pub(super) fn heading(kind: &str) -> String {
    let words = kind.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
