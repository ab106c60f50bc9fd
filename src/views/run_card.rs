//! One run at length: identity, findings, agreement.

use super::compare::{Sign, end, first_token, gap, shown, sign};
use super::detective::{NumberAsk, seek};
use super::explain::{ExplainAsk, Slot, Source, ways};
use super::measure::{Measurement, measure};
use super::numbers::{full, printed};
use super::quality::{self, FindingRow};
use super::{Context, labels};
use crate::metrics::{Agreement, InFlight, Own, hint, little, own, steady};
use crate::model::{Further, Metric, Part, Run, RunId};
use crate::units::{bytes, significant};
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
    /// What the files print beyond that: key, and number with unit.
    pub further: Vec<(String, String)>,
    /// What would have recorded more, each a sentence.
    pub hints: Vec<String>,
    /// What the checks found and the importer noticed, the gravest first.
    pub findings: Vec<FindingRow>,
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
    /// The question whose number it is, where the rows do not give it.
    pub seek: Option<NumberAsk>,
    /// The question that explains it: from the printed number to its rows under the ruler in force.
    pub explain: Option<ExplainAsk>,
}

/// Builds the card of one run.
pub fn run_card(all: &[&Run], context: &Context, id: &RunId) -> RunCardView {
    let Some(run) = all.iter().find(|run| &run.id == id) else { return RunCardView::default() };
    let measured = measure(run, 0, context, None);
    let (equal, of) = measured.reproduced();
    RunCardView {
        id: Some(run.id.clone()),
        name: run.name.clone(),
        lines: identity(run, &measured),
        reproduced: if of == 0 {
            "no printed value can be recomputed from this file".to_owned()
        } else {
            format!("{equal} of {of} printed values reproduced")
        },
        agreement: measured
            .agreements()
            .iter()
            .map(|found| AgreementRow {
                seek: seek(run, found),
                explain: explained(run, context, found),
                ..agreement_row(found)
            })
            .collect(),
        further: run.reported.further.iter().map(further).collect(),
        hints: hints(run, &measured),
        findings: quality::of_run(run, context),
    }
}

/// From a printed value to its rows; the printed value that goes by this metric and statistic.
fn explained(run: &Run, context: &Context, found: &Agreement) -> Option<ExplainAsk> {
    let printed = run.reported.find(found.metric, found.stat)?;
    let slot = Slot {
        run: Some(run.id.clone()),
        metric: found.metric,
        stat: found.stat,
        source: Source::Reported,
    };
    let way = ways(run, context, &slot, None).into_iter().next();
    way.filter(|_| printed.field == found.field).map(|(_, ask)| ask)
}

/// What would have recorded what this run lacks.
fn hints(run: &Run, measured: &Measurement<'_>) -> Vec<String> {
    const ASKED: [Metric; 5] = [
        Metric::Ttft,
        Metric::Itl,
        Metric::RequestThroughput,
        Metric::PeakConcurrency,
        Metric::FirstAnswer,
    ];
    let mut hints: Vec<String> = Vec::new();
    for metric in ASKED {
        let hint = hint(run, metric, &measured.settings).map(str::to_owned);
        hints.extend(hint.filter(|hint| !hints.contains(hint)));
    }
    hints
}

fn further(printed: &Further) -> (String, String) {
    let number = full(printed.value);
    let words = [number.as_str(), printed.unit.as_str()].join(" ");
    (printed.field.clone(), words.trim_end().to_owned())
}

fn identity(run: &Run, measured: &Measurement<'_>) -> Vec<(String, String)> {
    let provenance = &run.provenance;
    let counts = &measured.evaluation.counts;
    let mut lines: Vec<(&str, String)> = Vec::new();
    if run.scripted {
        lines.push((
            "Server",
            "scripted, not a model: its numbers say nothing of any engine".into(),
        ));
    }
    lines.push(("Tool", format!("{} {}", run.tool.name(), labels::version(run))));
    if let Some(because) = &run.version.because {
        lines.push(("Version, because", because.clone()));
    }
    let own = own(run);
    lines.push(("Its own ruler", ruler(&own, run)));
    let by_file: Vec<String> = own.by_file().iter().map(|(d, c)| format!("{d} = {c}")).collect();
    if !by_file.is_empty() {
        lines.push(("In this file besides", by_file.join(", ")));
    }
    lines.push(("File", provenance.file.clone()));
    if provenance.of > 1 {
        lines.push(("Run in the file", format!("{} of {}", provenance.index + 1, provenance.of)));
    }
    for piece in &provenance.joined {
        lines.push(("Joined to it", format!("{}: {}", piece.file, part(piece.part))));
    }
    lines.push(("Format", format!("{}: {}", provenance.format, provenance.because)));
    lines.push(("Size", bytes(provenance.bytes)));
    lines.push(("SHA-256", provenance.sha256.hex().to_owned()));
    let workload = &run.workload;
    for (name, value) in [
        ("Model", &workload.model),
        ("Tokenizer", &workload.tokenizer),
        ("Dataset", &workload.dataset),
        ("Backend word", &workload.backend),
        ("Date, as written", &workload.date),
    ] {
        lines.extend(value.clone().map(|v| (name, v)));
    }
    lines.push(("Load", labels::load(&run.load)));
    lines.push((
        "Requests",
        if counts.recorded {
            format!(
                "{} sent, {} finished, {} failed, {} without a token",
                counts.sent, counts.completed, counts.failed, counts.empty
            )
        } else {
            "not recorded".to_owned()
        },
    ));
    if let Ok(law) = little(run, &measured.settings, &measured.evaluation, measured.excluded()) {
        let in_flight = law.value(InFlight::BusyTime).or(law.value(InFlight::RequestsTimesLatency));
        lines.push(("Little’s law", law.sentence));
        lines.extend(law.reciprocal.map(|r| ("Time per token", r.sentence(in_flight))));
    }
    if run.requests.is_some() {
        lines.push(("Steady state", steady(run, measured.excluded()).sentence()));
    }
    if let Some(requests) = &run.requests {
        lines.push(("First token is", first_token(requests.first_token_rule).to_owned()));
        lines.push(("Its own latency ends at", end(requests.end_rule).to_owned()));
        if !requests.gaps.is_absent() {
            lines.push(("One recorded gap is", gap(requests.gap_kind).to_owned()));
        }
        lines.push(("Output tokens are", requests.token_source.words().to_owned()));
    }
    if let Some(events) = measured.evaluation.events {
        let tokens = significant(events.tokens_per_event(), 3);
        lines.push(("Tokens a stream event", format!("{tokens} on average")));
    }
    lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The ruler under which a run was printed, and why that one: "as vLLM, edition 0.7 to before 0.27 …".
fn ruler(own: &Own, run: &Run) -> String {
    let edition = own.edition.map_or_else(String::new, |e| format!(", edition {}", e.versions()));
    format!("{}{edition}. {}", own.stamp(), own.because(run))
}

/// What a file holds of its run, in words.
fn part(part: Part) -> &'static str {
    match part {
        Part::Whole => "the whole run",
        Part::Events => "every stream event",
        Part::Requests => "every request",
        Part::Summary => "the printed aggregates",
        Part::Stage => "the aggregates of its only stage",
        Part::Timeslices => "aggregates by slices of time",
        Part::Server => "what the server measured of itself",
        Part::Accelerators => "what the accelerators measured of themselves",
    }
}

fn agreement_row(agreement: &Agreement) -> AgreementRow {
    let unit = agreement.metric.unit().symbol();
    let in_unit = |value: f64| shown(agreement.metric, value);
    let recomputed = match (agreement.recomputed, agreement.low, agreement.high) {
        (Some(value), ..) => format!("{} {unit}", full(in_unit(value))),
        (None, Some(low), Some(high)) => {
            format!("{} to {} {unit}", printed(in_unit(low)), printed(in_unit(high)))
        }
        (None, Some(low), None) => format!("≥ {} {unit}", printed(in_unit(low))),
        (None, None, Some(high)) => format!("≤ {} {unit}", printed(in_unit(high))),
        (None, None, None) => "—".to_owned(),
    };
    AgreementRow {
        field: agreement.field.clone(),
        reported: format!("{} {unit}", full(in_unit(agreement.reported))),
        recomputed,
        sign: sign(agreement),
        because: agreement.because.clone().map(|b| format!("{b}.")).unwrap_or_default(),
        seek: None,
        explain: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Verdict;
    use crate::model::{Metric, Stat};

    #[test]
    fn shares_are_shown_in_per_cent_on_both_sides() {
        let row = agreement_row(&Agreement {
            field: "slo_attainment".into(),
            metric: Metric::SloShare,
            stat: Stat::Value,
            reported: 0.5,
            recomputed: None,
            low: None,
            high: Some(0.75),
            verdict: Verdict::Close,
            because: None,
            unexplained: false,
        });
        assert_eq!((row.reported.as_str(), row.recomputed.as_str()), ("50 %", "≤ 75.00 %"));
    }
}
