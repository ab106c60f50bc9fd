//! The bridge between two numbers, as a table, text, Markdown or JSON of schema `sameruler.explain/1`.

use super::library;
use super::number::definitions;
use super::sides::{Named, one, runs};
use crate::checks::doubts;
use crate::cli::args::{self, ExplainForm};
use crate::cli::input::Loaded;
use crate::cli::metrics::unit_symbol;
use crate::cli::output::{Ordered, write_json};
use crate::cli::{Exit, Failure, Streams, say_refused};
use crate::engine::Refusal;
use crate::metrics::bridge::{
    Bridge, End, Mode, NoBridge, Number, Remainder, Route, Step, Touched, Unmeasured, bridge,
    default_order, foremost, reported,
};
use crate::metrics::{Ask, DIMENSIONS, Value};
use crate::model::{Metric, Run, Stat};
use crate::views::explain;
use serde::Serialize;
use std::sync::Arc;

/// Builds the bridge and prints it.
pub(super) fn run(args: &args::Explain, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    check_order(&args.order)?;
    let loaded = runs(&args.input, streams)?;
    if loaded.runs.is_empty() && !loaded.refused.is_empty() {
        return Ok(say_refused(&loaded.refused, streams));
    }
    let ask = Ask { percentiles: Vec::new(), limits: args.slo.clone(), excluded: Vec::new() };
    if args.library && args.metric.is_none() {
        return library::run(&loaded, &ask, args.format, streams);
    }
    let route = Route { order: args.order.clone() };
    let Some(metric) = args.metric else {
        return first(&loaded, &ask, args.format, streams);
    };
    let named: Vec<Named> = args.input.paths.iter().map(|path| Named::of(path)).collect();
    let stat = |metric: Metric, asked: Option<Stat>| match asked {
        _ if !metric.is_distribution() => Stat::Value,
        Some(stat) => stat,
        None => Stat::Mean,
    };
    let to_metric = args.to_metric.unwrap_or(metric);
    let (stat_a, stat_b) = (stat(metric, args.stat), stat(to_metric, args.to_stat.or(args.stat)));
    let built = match named.as_slice() {
        [only] => {
            let run = one(only, &loaded)?;
            let settings = only.settings(run, args, &args.set_b)?;
            let a = Number {
                run,
                metric,
                stat: stat_a,
                settings: only.settings(run, args, &args.set_a)?,
                ask: &ask,
            };
            let b = Number { run, metric: to_metric, stat: stat_b, settings, ask: &ask };
            match printed(run, metric, stat_a) {
                // One number of one run is held against what its tool printed.
                Some(value)
                    if a.settings == b.settings && (metric, stat_a) == (to_metric, stat_b) =>
                {
                    reported(run, value, &settings, &ask, &route).map(Arc::new)
                }
                None if a.settings == b.settings && (metric, stat_a) == (to_metric, stat_b) => {
                    return Err(Failure::Use(format!(
                        "{} prints no {} {}; give a second number: a file, FILE@PRESET, --to-metric or --set-b.",
                        run.name,
                        stat_a.name(),
                        metric.name()
                    )));
                }
                _ => bridge(&a, &b, &route),
            }
        }
        [first, second] => {
            let (run_a, run_b) = (one(first, &loaded)?, one(second, &loaded)?);
            let a = Number {
                run: run_a,
                metric,
                stat: stat_a,
                settings: first.settings(run_a, args, &args.set_a)?,
                ask: &ask,
            };
            let b = Number {
                run: run_b,
                metric: to_metric,
                stat: stat_b,
                settings: second.settings(run_b, args, &args.set_b)?,
                ask: &ask,
            };
            bridge(&a, &b, &route)
        }
        _ => {
            return Err(Failure::Use(
                "A bridge has two ends: give one or two files, such as explain a.json b.json --metric tpot.".into(),
            ));
        }
    };
    let built = built.map_err(|refused: NoBridge| Failure::Use(format!("{refused}.")))?;
    let built = Arc::new(with_doubts(&built, &loaded));
    if args.library {
        library::between(&loaded, &built, &ask, args.format, streams)?;
        return Ok(say_refused(&loaded.refused, streams));
    }
    said(&built, &loaded, args.format, streams)?;
    if args.average && args.format == ExplainForm::Table {
        averages(&built, streams)?;
    }
    Ok(say_refused(&loaded.refused, streams))
}

/// What the checks say of the two numbers stands among what is to be known besides.
fn with_doubts(built: &Bridge, loaded: &Loaded) -> Bridge {
    let mut bridge = built.clone();
    if bridge.mode == Mode::TwoRuns {
        for end in [&built.a, &built.b] {
            let run = loaded.runs.iter().find(|run| run.id == end.run);
            bridge.details.extend(run.map(|run| doubts(run, end.metric)).unwrap_or_default());
        }
    }
    bridge
}

/// The most important disagreement of what was loaded.
fn first(
    loaded: &Loaded,
    ask: &Ask,
    format: ExplainForm,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let runs: Vec<(&Run, &Ask)> = loaded.runs.iter().map(|run| (run, ask)).collect();
    let Some(found) = foremost(&runs) else {
        return Err(Failure::Use(
            "No definition moves a number of these runs by more than 3 %. Name two numbers, such as explain a.json b.json --metric tpot, or give the number that you saw, such as --number 23.4ms.".into(),
        ));
    };
    if format == ExplainForm::Table {
        writeln!(streams.out, "{}\n", found.sentence)?;
    }
    said(&found.bridge, loaded, format, streams)?;
    Ok(say_refused(&loaded.refused, streams))
}

/// Prints a bridge.
fn said(
    built: &Bridge,
    loaded: &Loaded,
    format: ExplainForm,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    match format {
        ExplainForm::Json => write_json(streams.out, &answer(built, &loaded.refused))?,
        ExplainForm::Markdown => write!(streams.out, "{}", explain::markdown(built))?,
        ExplainForm::Table | ExplainForm::Text => {
            write!(streams.out, "{}", explain::plain(built))?;
        }
    }
    Ok(())
}

/// The value that a tool printed for a number.
fn printed(run: &Run, metric: Metric, stat: Stat) -> Option<&crate::model::ReportedValue> {
    let middle = |stat: Stat| stat == Stat::Median || stat == Stat::Percentile(50.0);
    let same = |other: Stat| other == stat || middle(other) && middle(stat);
    run.reported.values.iter().find(|value| value.metric == metric && same(value.stat))
}

/// A dimension in `--order` that there is not is wrong use.
fn check_order(order: &[String]) -> Result<(), Failure> {
    let known = |id: &str| id == "formula" || default_order().contains(&id);
    match order.iter().find(|id| !known(id)) {
        None => Ok(()),
        Some(id) => Err(Failure::Use(format!(
            "There is no dimension “{id}”; --order knows formula, {}.",
            default_order().join(", ")
        ))),
    }
}

fn averages(bridge: &Bridge, streams: &mut Streams<'_>) -> Result<(), Failure> {
    if let Some(reason) = &bridge.no_average {
        return Ok(writeln!(streams.out, "No average over all orders: {reason}.")?);
    }
    for step in &bridge.steps {
        if let Some(average) = step.average {
            let mark = if step.other_story { "  another story than in this order" } else { "" };
            writeln!(streams.out, "On average over all orders: {} {average}{mark}", step.name)?;
        }
    }
    Ok(())
}

/// The whole answer.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    mode: Mode,
    a: EndEntry<'a>,
    b: EndEntry<'a>,
    steps: Vec<StepEntry<'a>>,
    remainder: Option<RemainderEntry<'a>>,
    sentence: &'a str,
    details: &'a [String],
    unmeasured: &'a [Unmeasured],
    equal: &'a [String],
    story: Option<&'a str>,
    no_average: Option<&'a str>,
    stopped: Option<&'a str>,
    refused: &'a [Refusal],
}

#[derive(Debug, Serialize)]
struct EndEntry<'a> {
    run: &'a str,
    name: &'a str,
    metric: &'static str,
    stat: String,
    definitions: Ordered<&'static str, String>,
    #[serde(flatten)]
    value: ValueEntry<'a>,
    unit: &'static str,
}

/// A value, its bounds, or why there is none.
#[derive(Debug, Default, Serialize)]
struct ValueEntry<'a> {
    value: Option<f64>,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct StepEntry<'a> {
    dimension: &'a str,
    name: &'a str,
    from: &'a str,
    to: &'a str,
    change: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    value_after: Option<f64>,
    touched: Touched,
    because: &'a str,
    order_free_change: Option<f64>,
    other_story: bool,
}

#[derive(Debug, Serialize)]
struct RemainderEntry<'a> {
    change: f64,
    low: Option<f64>,
    high: Option<f64>,
    because: &'a str,
    name: &'a str,
}

fn answer<'a>(bridge: &'a Bridge, refused: &'a [Refusal]) -> Answer<'a> {
    Answer {
        schema: "sameruler.explain/1",
        mode: bridge.mode,
        a: end(&bridge.a),
        b: end(&bridge.b),
        steps: bridge.steps.iter().map(step).collect(),
        remainder: bridge.remainder.as_ref().map(remainder),
        sentence: &bridge.sentence,
        details: &bridge.details,
        unmeasured: &bridge.unmeasured,
        equal: &bridge.equal,
        story: bridge.story.as_deref(),
        no_average: bridge.no_average.as_deref(),
        stopped: bridge.stopped.as_deref(),
        refused,
    }
}

fn end(end: &End) -> EndEntry<'_> {
    let choices = definitions(&end.settings);
    debug_assert_eq!(choices.0.len(), DIMENSIONS.len());
    EndEntry {
        run: end.run.as_str(),
        name: &end.name,
        metric: end.metric.id(),
        stat: end.stat.name(),
        definitions: choices,
        value: value(&end.value),
        unit: unit_symbol(end.metric),
    }
}

fn value(value: &Value) -> ValueEntry<'_> {
    let of = |origin| ValueEntry { origin, ..ValueEntry::default() };
    match value {
        Value::Exact(v) => ValueEntry { value: Some(*v), ..of("recomputed") },
        Value::Reported(v) => ValueEntry { value: Some(*v), ..of("reported") },
        Value::AtLeast(low) => ValueEntry { low: Some(*low), ..of("bounds") },
        Value::AtMost(high) => ValueEntry { high: Some(*high), ..of("bounds") },
        Value::Between(low, high) => {
            ValueEntry { low: Some(*low), high: Some(*high), ..of("bounds") }
        }
        Value::Missing(reason) => ValueEntry { unavailable: Some(reason), ..of("unavailable") },
    }
}

fn step(step: &Step) -> StepEntry<'_> {
    let change = value(&step.change);
    StepEntry {
        dimension: &step.dimension,
        name: &step.name,
        from: &step.from,
        to: &step.to,
        change: change.value,
        low: change.low,
        high: change.high,
        value_after: step.after.exact_or_reported(),
        touched: step.touched,
        because: &step.because,
        order_free_change: step.average,
        other_story: step.other_story,
    }
}

fn remainder(rest: &Remainder) -> RemainderEntry<'_> {
    RemainderEntry {
        change: rest.change,
        low: rest.low,
        high: rest.high,
        because: &rest.because,
        name: &rest.name,
    }
}
