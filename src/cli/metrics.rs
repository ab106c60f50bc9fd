//! `metrics`: each run measured under its definitions, as a table, Markdown, CSV or JSON.

use super::args::{self, Form};
use super::dumps;
use super::input::{Loaded, Naming, load};
use super::metrics_json;
use super::output::{TextTable, write_json};
use super::ruler::Ruler;
use super::sweeps::{Sweep, sweeps};
use super::{Exit, Failure, Streams, say_refused};
use crate::metrics::{
    Agreement, Ask, Counts, Evaluation, InFlight, Little, METRICS, Measured, Quantile, Settings,
    Steadiness, Steady, Summary, Support, Value, Verdict, agreement, evaluate, hint, little,
    long_stamp, stamp, steady,
};
use crate::model::{Metric, Run, Stat};
use crate::units::{Unit, fixed, significant};
use crate::views::slo;
use std::io::{self, Write};

/// Percentiles where none are asked for.
const PERCENTILES: [f64; 4] = [50.0, 90.0, 95.0, 99.0];

/// One run with its definitions and what came out.
pub(super) struct Measurement<'a> {
    /// The run.
    pub(super) run: &'a Run,
    /// Id of the preset that the definitions start from.
    pub(super) preset: &'static str,
    /// The definitions.
    pub(super) settings: Settings,
    /// The metrics.
    pub(super) evaluation: Evaluation,
    /// The printed values against their recomputation under the tool's own definitions.
    pub(super) agreement: Vec<Agreement>,
    /// Little's law, or why it says nothing.
    pub(super) little: Result<Little, String>,
    /// Whether there was a steady state.
    pub(super) steady: Steady,
}

/// Runs the subcommand.
pub(super) fn run(args: &args::Metrics, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.ruler, "own")?;
    let ask = ask(&args.ruler);
    let loaded = load(&args.input, Naming::AsGiven, streams);
    let mut measured = Vec::with_capacity(loaded.runs.len());
    for run in &loaded.runs {
        let (preset, settings) = ruler.of(run)?;
        let evaluation = evaluate(run, &settings, &ask);
        let agreement = agreement(run, &ask);
        let little = little(run, &settings, &evaluation, &ask.excluded);
        let steady = steady(run, &ask.excluded);
        measured.push(Measurement { run, preset, settings, evaluation, agreement, little, steady });
    }
    let found = sweeps(&measured, &ask, args.demand);
    write(args.format, &measured, &found, &loaded, &ask, streams.out)?;
    if args.format == Form::Csv {
        dumps::beside(&loaded.dumps, streams.err)?;
    }
    Ok(say_refused(&loaded.refused, streams))
}

/// Percentiles and limits of the options.
pub(super) fn ask(args: &args::Ruler) -> Ask {
    Ask { percentiles: args.percentiles(&PERCENTILES), limits: args.slo.clone(), ..Ask::default() }
}

fn write(
    form: Form,
    measured: &[Measurement<'_>],
    found: &[Sweep<'_>],
    loaded: &Loaded,
    ask: &Ask,
    out: &mut dyn Write,
) -> io::Result<()> {
    match form {
        Form::Json => write_json(out, &metrics_json::answer(measured, found, loaded, ask)),
        Form::Csv => {
            let mut table = csv(measured, ask);
            for sweep in found {
                table.rows.extend(sweep_rows(sweep));
            }
            table.write_csv(out)
        }
        Form::Markdown => {
            markdown(measured, ask).write_markdown(out)?;
            for sweep in found {
                for line in sweep.lines() {
                    writeln!(out, "\n{}: {line}", sweep.name)?;
                }
            }
            dumps::beside(&loaded.dumps, out)
        }
        Form::Table => {
            for (at, measurement) in measured.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                block(measurement, ask, out)?;
            }
            for sweep in found {
                let lines = sweep.lines();
                if !lines.is_empty() {
                    writeln!(out, "\nsweep: {}", sweep.name)?;
                }
                for line in lines {
                    writeln!(out, "{line}")?;
                }
            }
            if !measured.is_empty() && !loaded.dumps.is_empty() {
                writeln!(out)?;
            }
            dumps::beside(&loaded.dumps, out)
        }
    }
}

/// The statistics of a distribution in the order in which they are shown.
fn stats(ask: &Ask) -> Vec<Stat> {
    let fixed = [Stat::Mean, Stat::Median, Stat::Std, Stat::Min, Stat::Max];
    fixed.into_iter().chain(ask.percentiles.iter().map(|p| Stat::Percentile(*p))).collect()
}

/// The same for people, who know that the 50th percentile is the median.
fn columns(ask: &Ask) -> Vec<Stat> {
    let is_median = |stat: &Stat| matches!(stat, Stat::Percentile(p) if p.total_cmp(&50.0).is_eq());
    stats(ask).into_iter().filter(|stat| !is_median(stat)).collect()
}

/// A value in words: `13.53`, `≥ 13.49`, `7.393 ø`, `–`. Whole counts are written whole.
pub(super) fn shown(metric: Metric, value: &Value) -> String {
    let counted = matches!(metric.unit(), Unit::Requests | Unit::Tokens);
    let digits =
        |v: f64| if counted && v.fract().abs() < 1e-9 { fixed(v, 0) } else { significant(v, 4) };
    // No goodput at all is 0.0: a bare 0 looks like a value that was never set.
    let goodput = matches!(metric, Metric::Goodput | Metric::SloShare);
    match value {
        Value::Exact(v) if goodput && v.abs() <= 0.0 => "0.0".into(),
        Value::Exact(v) => digits(*v),
        Value::AtLeast(v) => format!("≥ {}", digits(*v)),
        Value::AtMost(v) => format!("≤ {}", digits(*v)),
        Value::Between(low, high) => format!("{} to {}", digits(*low), digits(*high)),
        Value::Reported(v) => format!("{} ø", digits(*v)),
        Value::Missing(_) => "–".into(),
    }
}

/// The same with ≈ before a percentile that too few samples lie beyond.
fn supported(metric: Metric, measured: &Measured, stat: Stat) -> String {
    let shown = shown(metric, &measured.value(stat));
    let weak = quantile(measured, stat).is_some_and(|q| q.support != Support::Plain);
    if weak { format!("≈ {shown}") } else { shown }
}

fn quantile(measured: &Measured, stat: Stat) -> Option<&Quantile> {
    let Stat::Percentile(p) = stat else { return None };
    measured.summary()?.quantile(p)
}

/// "TTFT: n = 300 supports p99 poorly: 3 requests lie above it", one a metric: the worst of its
/// percentiles.
fn warnings(metric: Metric, measured: &Measured) -> Option<String> {
    let summary = measured.summary()?;
    let worst = summary.percentiles.iter().min_by_key(|q| q.beyond)?;
    let noun = if summary.requests == summary.n { "requests" } else { "samples" };
    Some(format!("{}: {}", metric.name(), worst.warning(summary.n, noun)?))
}

/// Number of samples, where a metric has some.
fn samples(measured: &Measured) -> String {
    let n = |summary: &Option<Summary>| summary.as_ref().map(|s| s.n.to_string());
    match measured {
        Measured::Summary(summary) => summary.n.to_string(),
        Measured::Bounds { low, high, .. } => n(low).or_else(|| n(high)).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The unit in JSON and CSV, where a share is from 0 to 1 and not in percent.
pub(super) const fn unit_symbol(metric: Metric) -> &'static str {
    match metric.unit() {
        Unit::Share => "share",
        unit => unit.symbol(),
    }
}

fn each<'a>(
    measurement: &'a Measurement<'_>,
    distributions: bool,
) -> impl Iterator<Item = (Metric, &'a Measured)> {
    let all = METRICS.into_iter().filter(move |m| m.is_distribution() == distributions);
    all.filter_map(|metric| Some((metric, measurement.evaluation.metrics.get(&metric)?)))
}

/// One run for a terminal: what it is, its distributions, its single numbers, what is missing.
fn block(measurement: &Measurement<'_>, ask: &Ask, out: &mut dyn Write) -> io::Result<()> {
    let Measurement { run, preset, settings, evaluation, agreement, .. } = measurement;
    let counts = &evaluation.counts;
    writeln!(out, "{}", run.name)?;
    let (file, format) = (&run.provenance.file, &run.provenance.format);
    writeln!(out, "{file} · {format} · definitions {preset} · {}", outcomes(*counts))?;
    writeln!(out)?;
    let stats = columns(ask);
    let names: Vec<String> = stats.iter().map(|stat| stat.name()).collect();
    let head: Vec<&str> = ["metric", "unit", "definition", "n"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let numbers: Vec<usize> = (3..head.len()).collect();
    let mut table = TextTable::new(&head, &numbers);
    let mut missing = Vec::new();
    let mut weak = Vec::new();
    for (metric, measured) in each(measurement, true) {
        if let Some(reason) = measured.because().filter(|_| is_expected(metric, measured)) {
            missing.push(format!("{}: {reason}", metric.name()));
        }
        if matches!(measured, Measured::Unavailable(_)) {
            continue;
        }
        let mut row = vec![
            metric.name().to_owned(),
            metric.unit().symbol().to_owned(),
            stamp(metric, settings),
            samples(measured),
        ];
        row.extend(stats.iter().map(|stat| supported(metric, measured, *stat)));
        table.row(row);
        weak.extend(warnings(metric, measured));
    }
    if !table.rows.is_empty() {
        table.write_aligned(out)?;
        writeln!(out)?;
    }
    let mut table = TextTable::new(&["metric", "unit", "definition", "value"], &[3]);
    for (metric, measured) in each(measurement, false) {
        if let Some(reason) = measured.because().filter(|_| is_expected(metric, measured)) {
            missing.push(format!("{}: {reason}", metric.name()));
        }
        if matches!(measured, Measured::Unavailable(_)) {
            continue;
        }
        table.row([
            metric.name().to_owned(),
            unit_symbol(metric).to_owned(),
            stamp(metric, settings),
            shown(metric, &measured.value(Stat::Value)),
        ]);
    }
    table.write_aligned(out)?;
    writeln!(out)?;
    goodput(measurement, ask, out)?;
    if evaluation.metrics.values().any(|m| matches!(m, Measured::Reported { .. })) {
        writeln!(out, "ø as the tool printed it, not recomputed")?;
    }
    for line in weak {
        writeln!(out, "≈ {line}")?;
    }
    reproduced(agreement, out)?;
    theory(measurement, out)?;
    for exclusion in &evaluation.excluded {
        writeln!(
            out,
            "left out of {}: {}, {}",
            exclusion.metric.name(),
            exclusion.count,
            exclusion.reason
        )?;
    }
    for line in missing {
        writeln!(out, "{line}")?;
    }
    for hint in hints(measurement) {
        writeln!(out, "to have more: {hint}")?;
    }
    for notice in &run.provenance.notices {
        writeln!(out, "{}: {}", notice.severity.word(), notice.text)?;
    }
    Ok(())
}

/// What theory finds wrong with a run: no steady state, or a time per token that is none.
fn theory(measurement: &Measurement<'_>, out: &mut dyn Write) -> io::Result<()> {
    if measurement.steady.verdict == Steadiness::Growing {
        writeln!(out, "{}", measurement.steady.sentence())?;
    }
    if let Ok(Little { reciprocal: Some(found), .. }) = &measurement.little {
        let busy = measurement.little.as_ref().ok().and_then(|l| l.value(InFlight::BusyTime));
        let cap = measurement.run.load.max_concurrency.map(|cap| cap as f64);
        let in_flight = busy.or(cap);
        writeln!(out, "{}", found.sentence(in_flight))?;
    }
    Ok(())
}

/// Goodput in all its units, the joint share first, then each limit by itself, then the SLO written out.
fn goodput(measurement: &Measurement<'_>, ask: &Ask, out: &mut dyn Write) -> io::Result<()> {
    if ask.limits.is_empty() {
        return Ok(());
    }
    let Measurement { run, settings, evaluation, .. } = measurement;
    for (name, text) in slo::goodput_lines(&evaluation.goodput, settings) {
        writeln!(out, "{name}: {text}")?;
    }
    let statement = slo::statement(run, &run.name, &ask.limits, settings, evaluation);
    writeln!(out, "SLO: {}", statement.sentence)?;
    writeln!(out)
}

/// The rows of a sweep in CSV: the highest load that attains the share, and the replicas of the plan.
fn sweep_rows(sweep: &Sweep<'_>) -> Vec<Vec<String>> {
    let number = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    let row = |at: usize, metric: &str, unit: &str, value: [Option<f64>; 3], text: &str| {
        let run = sweep.runs.get(at)?;
        let [point, low, high] = value;
        Some(vec![
            run.id.as_str().to_owned(),
            run.name.clone(),
            run.provenance.file.clone(),
            run.provenance.index.to_string(),
            metric.to_owned(),
            Stat::Value.name(),
            unit.to_owned(),
            number(point),
            number(low),
            number(high),
            "recomputed".to_owned(),
            sweep.name.clone(),
            text.to_owned(),
        ])
    };
    let attained = sweep.highest().and_then(|(at, load, next)| {
        let text = sweep.attained.as_deref().unwrap_or_default();
        row(at, "max_load_at_attainment", sweep.unit(), [Some(load), Some(load), next], text)
    });
    let replicas = sweep.plan().and_then(|(at, plan)| {
        let exact = plan.by_goodput.exact().map(|n| n as f64);
        let range = plan.over_interval.unwrap_or(plan.by_goodput);
        let ends = [exact, Some(range.low as f64), range.high.map(|n| n as f64)];
        let text = sweep.card.as_ref().map_or("", |card| card.title.as_str());
        row(at, "replicas", "replicas", ends, text)
    });
    attained.into_iter().chain(replicas).collect()
}

/// Whether the want of a metric is worth a line: few files hold readings of the accelerators.
const fn is_expected(metric: Metric, measured: &Measured) -> bool {
    !(matches!(metric, Metric::AcceleratorPower | Metric::Energy)
        && matches!(measured, Measured::Unavailable(_)))
}

/// What would have recorded the missing metrics, each said once.
fn hints(measurement: &Measurement<'_>) -> Vec<&'static str> {
    let mut hints: Vec<&'static str> = Vec::new();
    for (metric, measured) in &measurement.evaluation.metrics {
        let wanted = is_expected(*metric, measured)
            && matches!(measured, Measured::Unavailable(_) | Measured::Reported { .. });
        let hint = wanted.then(|| hint(measurement.run, *metric, &measurement.settings)).flatten();
        hints.extend(hint.filter(|hint| !hints.contains(hint)));
    }
    hints
}

/// The requests by what became of them.
fn outcomes(counts: Counts) -> String {
    if !counts.recorded {
        return "number of requests not recorded".to_owned();
    }
    format!(
        "{} sent, {} completed, {} failed, {} cancelled, {} unfinished",
        counts.sent, counts.completed, counts.failed, counts.cancelled, counts.unfinished
    )
}

/// How the printed values compare with their recomputation, and which of them differ.
fn reproduced(agreement: &[Agreement], out: &mut dyn Write) -> io::Result<()> {
    if agreement.is_empty() {
        return Ok(());
    }
    let count = |verdict| agreement.iter().filter(|a| a.verdict == verdict).count();
    writeln!(
        out,
        "{} printed values under the tool’s own definitions: {} equal, {} close, {} differ, {} not recomputable",
        agreement.len(),
        count(Verdict::Equal),
        count(Verdict::Close),
        count(Verdict::Differs),
        count(Verdict::NotRecomputable),
    )?;
    for differing in agreement.iter().filter(|a| a.verdict == Verdict::Differs) {
        let recomputed = differing
            .recomputed
            .map_or_else(String::new, |value| format!(", recomputed {}", significant(value, 6)));
        let because = differing.because.as_ref().map_or_else(String::new, |b| format!(": {b}"));
        let printed = significant(differing.reported, 6);
        writeln!(out, "  {}: printed {printed}{recomputed}{because}", differing.field)?;
    }
    Ok(())
}

/// Every run and metric in one table; a single number stands under "value".
fn markdown(measured: &[Measurement<'_>], ask: &Ask) -> TextTable {
    let mut stats = columns(ask);
    stats.push(Stat::Value);
    let names: Vec<String> = stats.iter().map(|stat| stat.name()).collect();
    let head: Vec<&str> = ["run", "metric", "unit", "definition", "n"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let numbers: Vec<usize> = (4..head.len()).collect();
    let mut table = TextTable::new(&head, &numbers);
    for measurement in measured {
        for distributions in [true, false] {
            for (metric, measured) in each(measurement, distributions) {
                let mut row = vec![
                    measurement.run.name.clone(),
                    metric.name().to_owned(),
                    unit_symbol(metric).to_owned(),
                    stamp(metric, &measurement.settings),
                    samples(measured),
                ];
                let applies = |stat: &Stat| (*stat == Stat::Value) != distributions;
                row.extend(stats.iter().map(|stat| {
                    if applies(stat) { supported(metric, measured, *stat) } else { String::new() }
                }));
                table.row(row);
            }
        }
    }
    table
}

/// One row a run, metric and statistic, with every digit.
fn csv(measured: &[Measurement<'_>], ask: &Ask) -> TextTable {
    let mut table = TextTable::new(
        &[
            "run",
            "name",
            "file",
            "index",
            "metric",
            "stat",
            "unit",
            "value",
            "low",
            "high",
            "origin",
            "definition",
            "reason",
        ],
        &[],
    );
    let distribution = stats(ask);
    for measurement in measured {
        for metric in METRICS {
            let Some(measured) = measurement.evaluation.metrics.get(&metric) else { continue };
            let stats: &[Stat] =
                if metric.is_distribution() { &distribution } else { &[Stat::Value] };
            for stat in stats {
                table.row(csv_row(
                    measurement,
                    metric,
                    *stat,
                    &measured.value(*stat),
                    measured.because(),
                ));
            }
        }
    }
    table
}

fn csv_row(
    measurement: &Measurement<'_>,
    metric: Metric,
    stat: Stat,
    value: &Value,
    reason: Option<&str>,
) -> Vec<String> {
    let run = measurement.run;
    let (point, low, high, origin) = match value {
        Value::Exact(v) => (Some(*v), None, None, "recomputed"),
        Value::Reported(v) => (Some(*v), None, None, "reported"),
        Value::AtLeast(v) => (None, Some(*v), None, "bounds"),
        Value::AtMost(v) => (None, None, Some(*v), "bounds"),
        Value::Between(low, high) => (None, Some(*low), Some(*high), "bounds"),
        Value::Missing(_) => (None, None, None, "unavailable"),
    };
    let number = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    let reason = match value {
        Value::Missing(reason) => reason.as_str(),
        _ => reason.unwrap_or_default(),
    };
    vec![
        run.id.as_str().to_owned(),
        run.name.clone(),
        run.provenance.file.clone(),
        run.provenance.index.to_string(),
        metric.id().to_owned(),
        stat.name(),
        unit_symbol(metric).to_owned(),
        number(point),
        number(low),
        number(high),
        origin.to_owned(),
        long_stamp(metric, &measurement.settings),
        reason.to_owned(),
    ]
}
