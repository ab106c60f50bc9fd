//! The session inside a link: the file at its least, as letters that an address bears.

use super::{SessionFile, base64, codec};
use crate::model::{Level, ReportPlan, Run};
use crate::notice::{Place, Severity};

/// The letters of a session at its printed aggregates, without what no view needs: the view, which the link
/// itself says, the plan of the report, and values that a tool printed beside its metrics.
///
/// # Errors
/// As [`super::encode`].
pub fn letters(session: SessionFile) -> Result<String, String> {
    let mut session = session.at_level(Level::Aggregates);
    session.decided.view.clear();
    session.decided.report = ReportPlan::default();
    session.runs = session.runs.into_iter().map(without_further).collect();
    codec::encode_small(&session).map(|file| base64::encode_url(&file))
}

/// The bytes of the session file in the letters of a link.
///
/// # Errors
/// What is wrong with the letters, and where.
pub fn of_letters(letters: &str) -> Result<Vec<u8>, (String, String)> {
    base64::decode_url(letters).map_err(|at| {
        let words = if at == letters.len() {
            "The data in the link is cut; expected all of it."
        } else {
            "The data in the link is damaged; expected letters, digits, “-” and “_”."
        };
        (words.to_owned(), format!("letter {} of its data", at + 1))
    })
}

/// The run without values that its tool printed beside the metrics: only its card shows them.
fn without_further(mut run: Run) -> Run {
    let further = std::mem::take(&mut run.reported.further).len();
    if further > 0 {
        // Less than the whole: the file, dropped later, takes its place.
        run.provenance.level = Level::Aggregates;
        let values = if further == 1 { "1 value".to_owned() } else { format!("{further} values") };
        let said =
            format!("Sent in a link, without {values} that the tool printed beside its metrics.");
        run.provenance.notices.add(Severity::Note, "left-out", Place::WholeFile, said);
    }
    run
}
