//! `metrics --format json`: the object of schema `sameruler.metrics/1`, whose names are a contract.

use super::dumps::{self, DumpAnswer};
use super::input::Loaded;
use super::metrics::{Measurement, unit_symbol};
use super::output::Ordered;
use super::repeats_json::{self, RepeatsAnswer};
use super::sweeps::{Sweep, SweepAnswer};
use crate::engine::Refusal;
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Agreement, Ask, DIMENSIONS, Edition, Goodput, GoodputResult, LimitShare, METRICS, Measured,
    Subject, Summary, Value as Known, Verdict, Within, hint, own, stretch,
};
use crate::model::{Load, Metric, Part, RequestRate, Run, Stat};
use crate::notice::Notice;
use crate::views::slo;
use serde::Serialize;
use serde_json::Value;

/// The whole answer.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    schema: &'static str,
    runs: Vec<RunAnswer<'a>>,
    /// The sweeps among the runs, where limits are set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sweeps: Vec<SweepAnswer<'a>>,
    repeats: Vec<RepeatsAnswer<'a>>,
    /// Servers' dumps among the files: no runs, and none of these metrics.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dumps: Vec<DumpAnswer<'a>>,
    refused: &'a [Refusal],
}

#[derive(Debug, Serialize)]
struct RunAnswer<'a> {
    id: &'a str,
    name: &'a str,
    source: Source<'a>,
    load: LoadAnswer,
    definitions: Ordered<String, String>,
    window: WindowAnswer,
    own_ruler: OwnRuler,
    counts: Counts,
    metrics: Ordered<&'static str, Object>,
    theory: Object,
    agreement: Vec<AgreementAnswer<'a>>,
    notices: Vec<NoticeAnswer<'a>>,
    findings: Vec<Object>,
}

/// A JSON object in the order in which it was made.
pub(super) type Object = Ordered<String, Json>;

/// A JSON value whose objects keep their order.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Json {
    /// Anything without an object of ours in it.
    Plain(Value),
    /// Several of either.
    List(Vec<Self>),
    /// An object.
    Object(Object),
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        Self::Plain(value.into())
    }
}

/// The ruler under which a run was printed, and why that edition.
#[derive(Debug, Serialize)]
pub(super) struct OwnRuler {
    preset: &'static str,
    stamp: String,
    edition: Option<EditionAnswer>,
    known_by: &'static str,
    because: String,
    outside_described_versions: bool,
    /// What the file itself says, upon preset and edition.
    by_file: Ordered<&'static str, String>,
}

/// An edition of a preset.
#[derive(Debug, Serialize)]
pub(super) struct EditionAnswer {
    versions: String,
    changes: Ordered<&'static str, &'static str>,
    note: &'static str,
    source: &'static str,
}

impl EditionAnswer {
    /// The edition as JSON tells it.
    pub(super) fn of(edition: &Edition) -> Self {
        Self {
            versions: edition.versions(),
            changes: Ordered(edition.changes.to_vec()),
            note: edition.note,
            source: edition.source,
        }
    }
}

impl OwnRuler {
    /// The ruler of a run.
    pub(super) fn of(run: &Run) -> Self {
        let own = own(run);
        Self {
            preset: own.preset.id,
            stamp: own.stamp(),
            edition: own.edition.map(EditionAnswer::of),
            known_by: own.known_by.id(),
            because: own.because(run),
            outside_described_versions: own.outside.is_some(),
            by_file: Ordered(own.by_file()),
        }
    }
}

/// Where a run comes from.
#[derive(Debug, Serialize)]
pub(super) struct Source<'a> {
    file: &'a str,
    index: usize,
    format: &'a str,
    tool: &'static str,
    tool_version: Option<&'a str>,
    tool_version_guess: Option<&'a str>,
    tool_version_because: Option<&'a str>,
    sha256: &'a str,
    bytes: u64,
    part: Part,
    joined: Vec<PieceAnswer<'a>>,
}

/// Another file of the same run.
#[derive(Debug, Serialize)]
struct PieceAnswer<'a> {
    file: &'a str,
    format: &'a str,
    part: Part,
    sha256: &'a str,
}

impl<'a> Source<'a> {
    /// The source of a run.
    pub(super) fn of(run: &'a Run) -> Self {
        Self {
            file: &run.provenance.file,
            index: run.provenance.index,
            format: &run.provenance.format,
            tool: run.tool.id(),
            tool_version: run.version.exact.as_deref(),
            tool_version_guess: run.version.guess.as_deref(),
            tool_version_because: run.version.because.as_deref(),
            sha256: run.provenance.sha256.hex(),
            bytes: run.provenance.bytes,
            part: run.provenance.part,
            joined: run
                .provenance
                .joined
                .iter()
                .map(|piece| PieceAnswer {
                    file: &piece.file,
                    format: &piece.format,
                    part: piece.part,
                    sha256: piece.sha256.hex(),
                })
                .collect(),
        }
    }
}

/// The load as the file has it. A rate without bound is a fact of its own, not a number.
#[derive(Debug, Serialize)]
pub(super) struct LoadAnswer {
    request_rate: Option<f64>,
    request_rate_is_infinite: bool,
    max_concurrency: Option<u64>,
    gpus: Option<u32>,
}

impl LoadAnswer {
    /// The load of a run.
    pub(super) fn of(load: &Load) -> Self {
        Self {
            request_rate: match load.request_rate {
                Some(RequestRate::PerSecond(rate)) => Some(rate),
                _ => None,
            },
            request_rate_is_infinite: load.request_rate == Some(RequestRate::Unlimited),
            max_concurrency: load.max_concurrency,
            gpus: load.gpus,
        }
    }
}

/// The stretch of the run that counts. Times are counted from the first send; `edge` is null where the
/// window is no span of time.
#[derive(Debug, Serialize)]
struct WindowAnswer {
    choice: String,
    edge: Option<&'static str>,
    from_s: Option<f64>,
    to_s: Option<f64>,
    length_s: Option<f64>,
    inside: Option<usize>,
    sent: Option<usize>,
    unavailable: Option<String>,
}

impl WindowAnswer {
    fn of(measurement: &Measurement<'_>, ask: &Ask) -> Self {
        let settings = &measurement.settings;
        let bare = Self {
            choice: settings.window.to_string(),
            edge: settings.window.is_span().then(|| settings.window_edge.id()),
            from_s: None,
            to_s: None,
            length_s: None,
            inside: None,
            sent: None,
            unavailable: None,
        };
        match stretch(measurement.run, settings, &ask.excluded) {
            Err(reason) => Self { unavailable: Some(reason), ..bare },
            Ok(found) => Self {
                from_s: found.between.map(|(from, _)| from.as_secs()),
                to_s: found.between.map(|(_, to)| to.as_secs()),
                length_s: found.length.as_ref().ok().map(|length| length.as_secs()),
                inside: Some(found.inside),
                sent: Some(found.sent),
                unavailable: found.length.err(),
                ..bare
            },
        }
    }
}

#[derive(Debug, Serialize)]
struct Counts {
    sent: Option<usize>,
    completed: Option<usize>,
    failed: Option<usize>,
    cancelled: Option<usize>,
    unfinished: Option<usize>,
    empty: Option<usize>,
    excluded: Vec<Excluded>,
}

#[derive(Debug, Serialize)]
struct Excluded {
    metric: String,
    reason: String,
    count: usize,
}

/// A printed value against its recomputation.
#[derive(Debug, Serialize)]
struct AgreementAnswer<'a> {
    field: &'a str,
    metric: &'static str,
    stat: String,
    reported: f64,
    recomputed: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    verdict: Verdict,
    because: Option<&'a str>,
}

impl<'a> AgreementAnswer<'a> {
    fn of(agreement: &'a Agreement) -> Self {
        Self {
            field: &agreement.field,
            metric: agreement.metric.id(),
            stat: agreement.stat.name(),
            reported: agreement.reported,
            recomputed: agreement.recomputed,
            low: agreement.low,
            high: agreement.high,
            verdict: agreement.verdict,
            because: agreement.because.as_deref(),
        }
    }
}

/// A notice as JSON and tables tell it.
#[derive(Debug, Serialize)]
pub(super) struct NoticeAnswer<'a> {
    severity: &'static str,
    kind: &'a str,
    count: u64,
    place: String,
    text: &'a str,
}

impl<'a> NoticeAnswer<'a> {
    /// A notice with the first place it was met at.
    pub(super) fn of(notice: &'a Notice) -> Self {
        Self {
            severity: notice.severity.word(),
            kind: &notice.kind,
            count: notice.count,
            place: notice.places.first().map_or_else(String::new, ToString::to_string),
            text: &notice.text,
        }
    }
}

/// The answer over all runs and refused files.
pub(super) fn answer<'a>(
    measured: &'a [Measurement<'_>],
    found: &'a [Sweep<'_>],
    loaded: &'a Loaded,
    ask: &Ask,
) -> Answer<'a> {
    let runs = measured.iter().map(|measurement| run_answer(measurement, ask)).collect();
    let sweeps = found.iter().map(Sweep::answer).collect();
    let repeats = repeats_json::answer(measured, ask);
    let dumps = dumps::answers(&loaded.dumps);
    Answer { schema: "sameruler.metrics/1", runs, repeats, sweeps, dumps, refused: &loaded.refused }
}

fn run_answer<'a>(measurement: &'a Measurement<'_>, ask: &Ask) -> RunAnswer<'a> {
    let run = measurement.run;
    RunAnswer {
        id: run.id.as_str(),
        name: &run.name,
        source: Source::of(run),
        load: LoadAnswer::of(&run.load),
        definitions: definitions(measurement),
        window: WindowAnswer::of(measurement, ask),
        own_ruler: OwnRuler::of(measurement.run),
        counts: counts(measurement),
        metrics: metrics(measurement, ask),
        theory: theory(measurement),
        agreement: measurement.agreement.iter().map(AgreementAnswer::of).collect(),
        notices: run.provenance.notices.iter().map(NoticeAnswer::of).collect(),
        findings: super::check::objects(run),
    }
}

/// The preset, then every dimension's choice by id, in the spelling of the other names.
fn definitions(measurement: &Measurement<'_>) -> Ordered<String, String> {
    let preset = ("preset".to_owned(), measurement.preset.to_owned());
    let choices = DIMENSIONS.iter().map(|dimension| {
        (
            dimension.id.replace('-', "_"),
            measurement.settings.value(dimension.id).unwrap_or_default(),
        )
    });
    Ordered(std::iter::once(preset).chain(choices).collect())
}

/// Little's law and the test for a steady state.
fn theory(measurement: &Measurement<'_>) -> Object {
    let little = match &measurement.little {
        Err(reason) => unavailable(reason),
        Ok(law) => {
            let mut members = Members::default();
            for estimate in &law.estimates {
                let object = Members::default()
                    .with("in_flight", estimate.value)
                    .with("against", estimate.against)
                    .with("agrees", estimate.agrees)
                    .with("sum", estimate.sum.as_str());
                members = members.with_json(&estimate.kind.id().replace('-', "_"), object.json());
            }
            members
                .with("sentence", law.sentence.as_str())
                .with(
                    "looks_like_one_over_throughput",
                    law.reciprocal.as_ref().map(|r| r.field.as_str()),
                )
                .object()
        }
    };
    let steady = &measurement.steady;
    let within = steady.interval;
    let steady = Members::default()
        .with("verdict", steady.verdict.id())
        .with("slope", steady.slope)
        .with("low", within.map(|i| i.low))
        .with("high", within.map(|i| i.high))
        .with("because", steady.because.as_str());
    Members::default()
        .with_json("little", Json::Object(little))
        .with_json("steady", steady.json())
        .object()
}

fn counts(measurement: &Measurement<'_>) -> Counts {
    let counts = measurement.evaluation.counts;
    let recorded = |count| counts.recorded.then_some(count);
    Counts {
        sent: recorded(counts.sent),
        completed: recorded(counts.completed),
        failed: recorded(counts.failed),
        cancelled: recorded(counts.cancelled),
        unfinished: recorded(counts.unfinished),
        empty: recorded(counts.empty),
        excluded: measurement
            .evaluation
            .excluded
            .iter()
            .map(|e| Excluded {
                metric: e.metric.id().to_owned(),
                reason: e.reason.clone(),
                count: e.count,
            })
            .collect(),
    }
}

fn metrics(measurement: &Measurement<'_>, ask: &Ask) -> Ordered<&'static str, Object> {
    let evaluation = &measurement.evaluation;
    let subject = Subject::evaluated(measurement.run, &measurement.settings, ask, evaluation);
    let mut metrics = Vec::new();
    for metric in METRICS {
        if metric == Metric::Goodput {
            metrics.push((metric.id(), goodput(measurement, ask)));
        } else if let Some(measured) = evaluation.metrics.get(&metric) {
            let unit = unit_symbol(metric);
            let object = match measured {
                Measured::Unavailable(reason) => {
                    let hint = hint(measurement.run, metric, &measurement.settings);
                    Members::default()
                        .with("unavailable", reason.as_str())
                        .some("hint", hint)
                        .object()
                }
                measured @ Measured::Summary(summary) => {
                    let mut object = measured_object(unit, measured, ask);
                    object.0.push(("requests".into(), Json::from(summary.requests)));
                    object.0.push(("support".into(), support(&subject, metric, summary)));
                    object
                }
                measured => measured_object(unit, measured, ask),
            };
            metrics.push((metric.id(), object));
        }
    }
    Ordered(metrics)
}

/// Collects the members of an object.
#[derive(Default)]
pub(super) struct Members(Vec<(String, Json)>);

impl Members {
    fn unit(unit: &str) -> Self {
        Self::default().with("unit", unit)
    }

    pub(super) fn with(self, key: &str, value: impl Into<Value>) -> Self {
        self.with_json(key, Json::from(value))
    }

    pub(super) fn with_json(mut self, key: &str, value: Json) -> Self {
        self.0.push((key.to_owned(), value));
        self
    }

    pub(super) fn some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// The statistics of a summary, each under its name; null is what the file does not allow.
    fn summary(self, summary: &Summary, ask: &Ask) -> Self {
        let mut members = self
            .with("n", summary.n)
            .with("mean", summary.mean)
            .with("median", summary.median)
            .with("std", summary.std)
            .with("mad", summary.mad)
            .with("min", summary.min)
            .with("max", summary.max);
        for stat in ask.percentiles.iter().map(|p| Stat::Percentile(*p)) {
            members = members.with(&stat.name(), summary.stat(stat));
        }
        members
    }

    pub(super) fn object(self) -> Object {
        Ordered(self.0)
    }

    pub(super) fn json(self) -> Json {
        Json::Object(self.object())
    }
}

fn measured_object(unit: &str, measured: &Measured, ask: &Ask) -> Object {
    let side = |summary: &Option<Summary>| {
        let members = |s| Members::default().summary(s, ask).json();
        summary.as_ref().map_or(Json::Plain(Value::Null), members)
    };
    match measured {
        Measured::Summary(summary) => Members::unit(unit)
            .summary(summary, ask)
            .with("origin", "recomputed")
            .some("note", summary.note.clone())
            .object(),
        Measured::Scalar(value) => {
            Members::unit(unit).with("value", *value).with("origin", "recomputed").object()
        }
        Measured::Bounds { low, high, because } => Members::unit(unit)
            .with_json("low", side(low))
            .with_json("high", side(high))
            .with("origin", "recomputed")
            .with("because", because.as_str())
            .object(),
        Measured::ScalarBounds { low, high, because } => Members::unit(unit)
            .with("low", *low)
            .with("high", *high)
            .with("origin", "recomputed")
            .with("because", because.as_str())
            .object(),
        Measured::Reported { values, because } => {
            let mut members = Members::unit(unit);
            for value in values {
                members = members.with(&value.stat.name(), value.value);
            }
            // A percentile that was asked for and not printed is null, unless it goes by another name.
            let printed = |stat| values.iter().any(|value| value.stat == stat);
            let one_number = values.iter().any(|value| value.stat == Stat::Value);
            for stat in ask.percentiles.iter().map(|p| Stat::Percentile(*p)) {
                if !one_number && !printed(stat) {
                    let known = match measured.value(stat) {
                        Known::Reported(value) => Some(value),
                        _ => None,
                    };
                    members = members.with(&stat.name(), known);
                }
            }
            members.with("origin", "reported").with("because", because.as_str()).object()
        }
        Measured::Unavailable(reason) => unavailable(reason),
    }
}

/// What each percentile stands on: samples beyond it, the mark, the 95 % interval and how it was found,
/// or why there is none.
fn support(subject: &Subject<'_>, metric: Metric, summary: &Summary) -> Json {
    let each = summary.percentiles.iter().map(|quantile| {
        let stat = Stat::Percentile(quantile.p);
        let members =
            Members::default().with("beyond", quantile.beyond).with("mark", quantile.support.id());
        let members = match subject.uncertainty(metric, stat) {
            Ok((interval, method)) => members
                .with("low", interval.low)
                .with("high", interval.high)
                .with("method", method.id()),
            Err(because) => members.with("no_interval", because),
        };
        let noun = if summary.requests == summary.n { "requests" } else { "samples" };
        (stat.name(), members.some("note", quantile.warning(summary.n, noun)).json())
    });
    Json::Object(Ordered(each.collect()))
}

fn unavailable(reason: &str) -> Object {
    Members::default().with("unavailable", reason).object()
}

/// Goodput: the rate, how many of how many, and the limits. What is only bounded has no point value.
fn goodput(measurement: &Measurement<'_>, ask: &Ask) -> Object {
    let Measurement { run, settings, evaluation, .. } = measurement;
    let goodput = match &evaluation.goodput {
        GoodputResult::NoLimits => return unavailable("no limit set"),
        GoodputResult::Unavailable(reason) => return unavailable(reason),
        GoodputResult::Known(goodput) => goodput,
    };
    let statement = slo::statement(run, &run.name, &ask.limits, settings, evaluation).sentence;
    let slo: Vec<String> = ask.limits.iter().map(ToString::to_string).collect();
    let members = Members::unit("req/s");
    let members = match &goodput.per_second {
        Ok(rate) => match rate.exact() {
            Some(value) => members.with("value", value),
            None => members.with("low", rate.low).with("high", rate.high),
        },
        Err(reason) => members.with("unavailable", reason.as_str()),
    };
    let interval =
        goodput.interval.map(|i| Members::default().with("low", i.low).with("high", i.high).json());
    let members = members
        .with_json("good", within(goodput.good))
        .with("of", goodput.of)
        .with_json("share", within(goodput.share))
        .with_json("token_goodput", token_goodput(goodput))
        .with("slo", slo)
        .with_json("share_of_sent", within(goodput.share_of_sent))
        .with_json("share_of_finished", within(goodput.share_of_finished))
        .with_json("limits", each_limit(goodput))
        .with("slo_statement", statement)
        .with("not_applicable", goodput.not_applicable)
        .with("origin", "recomputed")
        .some("because", goodput.because.clone());
    let members = match interval {
        Some(interval) => members.with_json("share_interval", interval),
        None => members,
    };
    let members = match goodput.per_second_interval {
        Some(i) => members.with_json(
            "interval",
            Members::default().with("low", i.low).with("high", i.high).json(),
        ),
        None => members,
    };
    match settings.goodput_unit {
        GoodputUnit::MaxLoadAtAttainment(wanted) => {
            members.with("attains", goodput.attains(wanted)).object()
        }
        _ => members.object(),
    }
}

/// Each limit by itself, in the order in which they were given.
fn each_limit(goodput: &Goodput) -> Json {
    let one = |(at, each): (usize, &LimitShare)| {
        Members::default()
            .with("limit", each.limit.to_string())
            .with_json("met", within(each.met))
            .with_json("share", within(each.share))
            .with("binds", goodput.binding == Some(at))
            .json()
    };
    Json::List(goodput.each.iter().enumerate().map(one).collect())
}

/// A number, or its bounds.
fn within(value: Within) -> Json {
    value.exact().map_or_else(
        || Members::default().with("low", value.low).with("high", value.high).json(),
        Json::from,
    )
}

fn token_goodput(goodput: &Goodput) -> Json {
    match &goodput.tokens_per_second {
        Ok(rate) => within(*rate),
        Err(reason) => Json::Object(unavailable(reason)),
    }
}
