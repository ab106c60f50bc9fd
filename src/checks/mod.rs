//! Checks: whether a run is what it seems, before it wins a comparison.
//!
//! Knows runs and their measurement. Must not know file formats, nor how a finding is shown. One check
//! is one file and one line in [`CHECKS`]; lists on screen, the `check` command and the report are read
//! from there. What an importer noticed is listed with them.

mod between;
mod effects;
mod finding;
mod hidden;
mod imported;
mod subject;
mod words;

mod bursts;
mod client_queue;
mod clock_steps;
mod cold_first_wave;
mod counts_add_up;
mod cut_requests;
mod duplicate_rows;
mod duration_too_short;
mod errors_clustered;
mod falls_behind;
mod first_event_tokens;
mod first_event_without_text;
mod goodput_above;
mod impossible_peak;
mod impossible_speed;
mod impossible_times;
mod latency_identity;
mod lengths_asked;
mod little;
mod missing_as_zero;
mod more_gaps_than_tokens;
mod mostly_failed;
mod not_finite;
mod not_streamed;
mod nothing_generated;
mod one_token_passes;
mod output_as_requested;
mod percentile_support;
mod printed_differs;
mod printed_order;
mod printed_unit;
mod prompt_echoed;
mod reasoning_not_timed;
mod sent_rate;
mod short_as_zero;
mod short_run;
mod token_counts_differ;
mod tokens_per_event;
mod unmeasured;
mod unseen_tokens;
mod waiting_grows;
mod zero_gaps;

pub use between::{Between, QUESTIONS, Question, between};
pub use effects::{effects, effects_of};
pub use finding::{Advice, Effect, Finding, Verdict};
pub use subject::{Subject, Table};

use crate::model::{Metric, Run};
use crate::notice::Severity;
use std::borrow::Cow;

/// One check.
pub trait Check: Sync {
    /// What it is called and what it asks.
    fn about(&self) -> About;
    /// What it finds in a run, if anything.
    ///
    /// # Errors
    /// When the file does not allow the question; the reason is a clause.
    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String>;
    /// Kinds of import notices of what it asks for, where that was taken out of the table: with one of them it
    /// finds nothing in what is left, and has not passed.
    fn taken_out(&self) -> &'static [&'static str] {
        &[]
    }
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
    /// The rule with its thresholds, as a clause: when it finds something.
    pub rule: &'static str,
    /// Where such a fault was seen in public, or which rule of measurement it is.
    pub source: &'static str,
    /// Kinds of import notices that say the same: where the check finds it, they are not listed again.
    pub covers: &'static [&'static str],
    /// Whether it can block a run.
    pub blocks: bool,
}

/// All checks, in the order in which they are listed.
pub static CHECKS: &[&dyn Check] = &[
    &nothing_generated::NothingGenerated,
    &prompt_echoed::PromptEchoed,
    &mostly_failed::MostlyFailed,
    &missing_as_zero::MissingAsZero,
    &first_event_without_text::FirstEventWithoutText,
    &reasoning_not_timed::ReasoningNotTimed,
    &unseen_tokens::UnseenTokens,
    &not_streamed::NotStreamed,
    &impossible_times::ImpossibleTimes,
    &not_finite::NotFinite,
    &impossible_speed::ImpossibleSpeed,
    &unmeasured::Unmeasured,
    &latency_identity::LatencyIdentity,
    &more_gaps_than_tokens::MoreGapsThanTokens,
    &tokens_per_event::TokensPerEvent,
    &first_event_tokens::FirstEventTokens,
    &bursts::Bursts,
    &zero_gaps::ZeroGaps,
    &token_counts_differ::TokenCountsDiffer,
    &output_as_requested::OutputAsRequested,
    &lengths_asked::LengthsAsked,
    &short_as_zero::ShortAsZero,
    &one_token_passes::OneTokenPasses,
    &counts_add_up::CountsAddUp,
    &cut_requests::CutRequests,
    &errors_clustered::ErrorsClustered,
    &duplicate_rows::DuplicateRows,
    &sent_rate::SentRate,
    &client_queue::ClientQueue,
    &falls_behind::FallsBehind,
    &waiting_grows::WaitingGrows,
    &cold_first_wave::ColdFirstWave,
    &short_run::ShortRun,
    &percentile_support::PercentileSupport,
    &clock_steps::ClockSteps,
    &duration_too_short::DurationTooShort,
    &impossible_peak::ImpossiblePeak,
    &little::Little,
    &goodput_above::GoodputAbove,
    &printed_unit::PrintedUnit,
    &printed_differs::PrintedDiffers,
    &printed_order::PrintedOrder,
];

/// The check with this id.
pub fn find(id: &str) -> Option<&'static dyn Check> {
    CHECKS.iter().copied().find(|check| check.about().id == id)
}

/// One check's or the importer's word on a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    /// Id of the check, or kind of the notice.
    pub id: Cow<'static, str>,
    /// What was found, as a heading.
    pub name: Cow<'static, str>,
    /// The check; none for what the importer noticed.
    pub about: Option<About>,
    /// What it says.
    pub verdict: Verdict,
}

/// Every check's verdict on a run, in the order of [`CHECKS`], and after them what the importer noticed
/// and no check found as well.
pub fn examine(run: &Run) -> Vec<Examined> {
    let subject = Subject::new(run);
    let mut all: Vec<Examined> = CHECKS.iter().map(|check| examined(*check, &subject)).collect();
    let found = all.iter().filter(|e| e.verdict.found().is_some()).filter_map(|e| e.about);
    let covered: Vec<&str> = found.flat_map(|about| about.covers.iter().copied()).collect();
    all.extend(imported::findings(run).filter(|e| !covered.contains(&&*e.id)));
    all
}

/// What the checks say of one metric of a run, as sentences: a difference of it is to be read with them.
pub fn doubts(run: &Run, metric: Metric) -> Vec<String> {
    let graver =
        |found: &&Finding| found.severity >= Severity::Warn && found.touches.contains(&metric);
    let all = examine(run);
    let found = all.iter().filter_map(|examined| examined.verdict.found()).filter(graver);
    found.map(|finding| format!("{}: {}", run.name, finding.text)).collect()
}

fn examined(check: &dyn Check, subject: &Subject<'_>) -> Examined {
    let about = check.about();
    let verdict = match check.find(subject) {
        Ok(None) => match taken_out(check, subject.run) {
            Some(heading) => Verdict::CannotTell(format!(
                "what it asks for was met when the file was read: see “{heading}”"
            )),
            None => Verdict::Passed,
        },
        Ok(Some(finding)) => Verdict::Found(Box::new(finding)),
        Err(reason) => Verdict::CannotTell(reason),
    };
    Examined { id: about.id.into(), name: about.name.into(), about: Some(about), verdict }
}

/// The heading of a notice that the importer met what this check asks for, and left nothing of it to find.
fn taken_out(check: &dyn Check, run: &Run) -> Option<String> {
    let kinds = check.taken_out();
    let notices = &run.provenance.notices;
    let met = notices.iter().find(|n| n.severity >= Severity::Warn && kinds.contains(&&*n.kind));
    met.map(|notice| imported::heading(&notice.kind))
}

/// The requests that these checks find in a run, ascending and each once. Unknown ids find nothing.
pub fn rows(run: &Run, checks: &[&str]) -> Vec<usize> {
    if checks.is_empty() {
        return Vec::new();
    }
    let subject = Subject::new(run);
    let found = checks.iter().filter_map(|id| find(id)).filter_map(|c| c.find(&subject).ok()?);
    let mut rows: Vec<usize> = found.flat_map(|finding| finding.rows).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Why a run must not win a comparison, nor stand on a curve, until somebody has looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Id of the check, or kind of the notice.
    pub id: Cow<'static, str>,
    /// What was found, as a heading.
    pub name: Cow<'static, str>,
    /// What was found, in a sentence or two.
    pub text: String,
}

/// Whether a check or the importer blocks a run, and why: the first reason in the order of [`CHECKS`].
/// Whoever asks knows whether the reader has let the run on. Kept with the run: every view asks.
pub fn blocked(run: &Run) -> Option<Blocked> {
    let notices = run.provenance.notices.at_least(Severity::Block);
    run.memory.recall(IsBlocked(notices), || first_reason(run)).as_ref().clone()
}

/// The question under which a run remembers the answer: notices can be added while a run is made.
#[derive(PartialEq)]
struct IsBlocked(usize);

fn first_reason(run: &Run) -> Option<Blocked> {
    blocked_unless(run, |_| false)
}

/// The same without the findings that are repaired: their requests are left out, or another definition
/// holds.
pub fn blocked_unless(run: &Run, repaired: impl Fn(&Examined) -> bool) -> Option<Blocked> {
    let subject = Subject::new(run);
    let blocking = CHECKS.iter().filter(|check| check.about().blocks);
    let checked: Vec<Examined> = blocking.map(|check| examined(*check, &subject)).collect();
    // What a check finds as well is the check's to say, repaired or not.
    let found = checked.iter().filter(|e| e.verdict.found().is_some()).filter_map(|e| e.about);
    let covered: Vec<&str> = found.flat_map(|about| about.covers.iter().copied()).collect();
    let noticed = imported::findings(run).filter(|e| !covered.contains(&&*e.id));
    checked.into_iter().chain(noticed).find_map(|e| {
        let finding = e.verdict.found().filter(|f| f.severity == Severity::Block)?;
        let text = finding.text.clone();
        (!repaired(&e)).then(|| Blocked { id: e.id.clone(), name: e.name.clone(), text })
    })
}
