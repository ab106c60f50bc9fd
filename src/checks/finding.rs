//! What a check says: that nothing is wrong, that it can't tell, or what it found.

use crate::metrics::Value;
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use serde::{Deserialize, Serialize};

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

impl Verdict {
    /// What was found, if anything.
    pub fn found(&self) -> Option<&Finding> {
        match self {
            Self::Found(finding) => Some(finding),
            Self::Passed | Self::CannotTell(_) => None,
        }
    }
}

/// What a check found in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters: a blocked run wins no comparison and is on no curve until it is let on.
    pub severity: Severity,
    /// What was found, in one or two sentences with numbers.
    pub text: String,
    /// The requests concerned, by their number from 0, ascending. Empty where it is the run as a whole,
    /// and where only the importer knew them: then there are `places`.
    pub rows: Vec<usize>,
    /// How many requests are concerned, or how often it was met.
    pub count: usize,
    /// Out of how many requests; 0 where it is the run as a whole.
    pub of: usize,
    /// Where in the file it was met, in words; only of what the importer met.
    pub places: Vec<String>,
    /// The metrics that it falsifies, most telling first.
    pub touches: Vec<Metric>,
    /// Figures that no definition and no exclusion gives, worked out by the check itself.
    pub figures: Vec<Effect>,
    /// What can be done about it here.
    pub advice: Advice,
}

impl Finding {
    /// A finding about the run as a whole, with nothing to be done but to look.
    pub fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self {
            severity,
            text: text.into(),
            rows: Vec::new(),
            count: 0,
            of: 0,
            places: Vec::new(),
            touches: Vec::new(),
            figures: Vec::new(),
            advice: Advice::Look,
        }
    }

    /// It concerns these requests (ascending) out of so many.
    #[must_use]
    pub fn rows(mut self, rows: Vec<usize>, of: usize) -> Self {
        self.count = rows.len();
        self.rows = rows;
        self.of = of;
        self
    }

    /// It falsifies these metrics.
    #[must_use]
    pub fn touches(mut self, metrics: &[Metric]) -> Self {
        self.touches = metrics.to_vec();
        self
    }

    /// A number as the file has it, and what it would be without the fault.
    #[must_use]
    pub fn figure(mut self, metric: Metric, stat: Stat, before: Value, after: Value) -> Self {
        self.figures.push(Effect { metric, stat, before, after });
        self
    }

    /// What can be done about it.
    #[must_use]
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    /// It goes away by another definition.
    #[must_use]
    pub fn set(self, dimension: &str, choice: &str) -> Self {
        self.advise(Advice::Set { dimension: dimension.into(), choice: choice.into() })
    }

    /// What to do outside of this program, as a sentence.
    #[must_use]
    pub fn say(self, sentence: impl Into<String>) -> Self {
        self.advise(Advice::Say(sentence.into()))
    }
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
    /// Look at it, and let the run on where it is blocked. Nothing here repairs it.
    Look,
    /// Something outside of this program, as a sentence.
    Say(String),
}

/// A number with a fault in it, and without.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The metric.
    pub metric: Metric,
    /// Its statistic.
    pub stat: Stat,
    /// As the file has it, in the metric's unit.
    pub before: Value,
    /// Without the fault, in the metric's unit.
    pub after: Value,
}
