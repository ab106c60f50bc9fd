//! Checks: whether a run is what it seems, before it wins a comparison.
//!
//! Knows runs and their measurement. Must not know file formats, nor how a finding is shown. One check
//! is one file and one line in [`CHECKS`]; lists on screen, the `check` command and the report are read
//! from there.

mod missing_as_zero;

use crate::metrics::{Settings, own};
use crate::model::{Metric, Run};
use crate::notice::Severity;
use serde::{Deserialize, Serialize};

/// One check.
pub trait Check: Sync {
    /// What it is called and what it asks.
    fn about(&self) -> About;
    /// What it says of a run.
    fn examine(&self, subject: &Subject<'_>) -> Verdict;
}

/// What a check is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Stable id of letters and hyphens, such as `missing-as-zero`.
    pub id: &'static str,
    /// What was found, as a heading: “Missing written as zero”.
    pub name: &'static str,
    /// What holds when nothing is found, as a clause: “no zero stands for a missing value”.
    pub passes: &'static str,
    /// Where such a fault was seen in public, or which rule of measurement it is.
    pub source: &'static str,
}

/// A run under examination, under the definitions of the tool that wrote it.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The run.
    pub run: &'a Run,
    /// The ruler under which it was printed.
    pub own: Settings,
}

impl<'a> Subject<'a> {
    /// Prepares `run` for all checks.
    pub fn new(run: &'a Run) -> Self {
        Self { run, own: own(run).settings }
    }
}

/// What a check says of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Nothing is wrong.
    Passed,
    /// The file does not allow the question; the reason is a clause.
    CannotTell(String),
    /// Something is.
    Found(Box<Finding>),
}

/// What a check found in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters: a blocked run wins no comparison and is on no curve until it is let on.
    pub severity: Severity,
    /// What was found, in one or two sentences with numbers.
    pub text: String,
    /// The requests concerned, by their number from 0, ascending. Empty where it is the run as a whole.
    pub rows: Vec<usize>,
    /// Out of how many requests.
    pub of: usize,
    /// The metrics that it falsifies, most telling first.
    pub touches: Vec<Metric>,
    /// What can be done about it here.
    pub advice: Advice,
}

/// What can be done about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advice {
    /// Leave its requests out.
    Exclude,
    /// Measure by another definition.
    Set {
        /// Dimension id.
        dimension: String,
        /// Choice id.
        choice: String,
    },
    /// Look at it, and let the run on.
    LetOn,
    /// Something outside of this program, as a sentence.
    Say(String),
}

/// All checks, in the order in which they are listed.
pub static CHECKS: &[&dyn Check] = &[&missing_as_zero::MissingAsZero];

/// The check with this id.
pub fn find(id: &str) -> Option<&'static dyn Check> {
    CHECKS.iter().copied().find(|check| check.about().id == id)
}

/// Every check's verdict on a run, in the order of [`CHECKS`].
pub fn examine(run: &Run) -> Vec<(About, Verdict)> {
    let subject = Subject::new(run);
    CHECKS.iter().map(|check| (check.about(), check.examine(&subject))).collect()
}

/// The requests that these checks find in a run, ascending and each once. Unknown ids find nothing.
pub fn rows(run: &Run, checks: &[&str]) -> Vec<usize> {
    if checks.is_empty() {
        return Vec::new();
    }
    let subject = Subject::new(run);
    let found = checks.iter().filter_map(|id| find(id)).map(|check| check.examine(&subject));
    let mut rows: Vec<usize> = found
        .filter_map(|verdict| match verdict {
            Verdict::Found(finding) => Some(finding.rows),
            Verdict::Passed | Verdict::CannotTell(_) => None,
        })
        .flatten()
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
