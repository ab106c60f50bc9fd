//! One run at length: identity, notices, agreement.

use super::compare::Sign;
use crate::model::RunId;
use crate::notice::Severity;
use serde::{Deserialize, Serialize};

/// Everything known of one run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunCardView {
    /// The run; missing when it is gone.
    pub id: Option<RunId>,
    /// Name.
    pub name: String,
    /// Identity lines: tool, version and its reason, file, digest, format and why, load, counts.
    pub lines: Vec<(String, String)>,
    /// "20 of 20 reported values reproduced".
    pub reproduced: String,
    /// Every printed value.
    pub agreement: Vec<AgreementRow>,
    /// What was met on import and in evaluation.
    pub notices: Vec<NoticeRow>,
}

/// One printed value against its recomputation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgreementRow {
    /// The file's key.
    pub field: String,
    /// As printed.
    pub reported: String,
    /// Recomputed, a bound, or a dash.
    pub recomputed: String,
    /// The sign.
    pub sign: Sign,
    /// Why.
    pub because: String,
}

/// One notice of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeRow {
    /// The run.
    pub run: RunId,
    /// Name of the run.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// How often.
    pub count: u64,
    /// "request 3, request 9, …".
    pub places: String,
    /// The sentence.
    pub text: String,
}
