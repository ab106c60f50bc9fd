//! The bridge between two numbers, as a table, text, Markdown or JSON of schema `sameruler.explain/1`.

use super::library;
use super::number::definitions;
use super::sides::{Named, one, runs};
use crate::cli::args::{self, ExplainForm};
use crate::cli::input::Loaded;
use crate::cli::metrics::unit_symbol;
use crate::cli::output::{Ordered, write_json};
use crate::cli::{Exit, Failure, Streams, say_refused};
use crate::engine::Refusal;
use crate::metrics::bridge::{
    Bridge, Digits, End, Mode, NoBridge, Number, Print, Remainder, Route, Side, Step, Touched,
    Unmeasured, bridge, change_words, default_order, foremost, named, printed,
};
use crate::metrics::{Ask, DIMENSIONS, Value};
use crate::model::{Metric, ReportedValue, Run, RunId, ServerDump, Stat};
use crate::units::Unit;
use crate::views::explain;
use serde::Serialize;
use std::sync::Arc;

/// Said where only servers were named.
const NO_CLIENT: &str = "These are pages of server metrics alone: add the result file of the client, such as explain run.json before.txt after.txt --metric ttft.";

/// Builds the bridge and prints it.
pub(super) fn run(args: &args::Explain, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    check_order(&args.order)?;
    if args.field.is_some() {
        return Err(Failure::Use("--field is the name of a number: give it with --number.".into()));
    }
    let (loaded, named) = runs(&args.input, streams)?;
    let unread = named.len() > 1 && named.iter().any(|named| named.refused(&loaded));
    // With --metric each file is an end, and no other may stand for one that can't be read.
    if (loaded.runs.is_empty() && !loaded.refused.is_empty()) || (unread && args.metric.is_some()) {
        return Ok(say_refused(&loaded.refused, streams));
    }
    if loaded.runs.is_empty() && !loaded.dumps.is_empty() {
        return Err(Failure::Use(NO_CLIENT.into()));
    }
    let ask = Ask { percentiles: Vec::new(), limits: args.slo.clone(), excluded: Vec::new() };
    if args.library && args.metric.is_none() {
        return library::run(&loaded, &ask, args.format, streams);
    }
    let route = Route { order: args.order.clone() };
    let Some(metric) = args.metric else {
        return first(&loaded, &ask, args.format, streams);
    };
    let to_metric = args.to_metric.unwrap_or(metric);
    let of_a = statistic(metric, args.stat, "--stat")?;
    let of_b = match args.to_stat {
        Some(_) => statistic(to_metric, args.to_stat, "--to-stat")?,
        // A's statistic is B's where B has one at all.
        None if to_metric.is_distribution() && metric.is_distribution() => of_a,
        None => statistic(to_metric, None, "--to-stat")?,
    };
    let sides =
        Sides { args, loaded: &loaded, ask: &ask, numbers: [(metric, of_a), (to_metric, of_b)] };
    let (servers, clients): (Vec<&Named>, Vec<&Named>) =
        named.iter().partition(|named| !named.dumps(&loaded).is_empty());
    let built = match (clients.as_slice(), servers.is_empty()) {
        ([only], true) => sides.alone(only, &route)?,
        ([first, second], true) if first.is_rest_of(second, &loaded) => {
            sides.alone(first, &route)?
        }
        ([first, second], true) => sides.between(first, second, &route)?,
        ([only], false) => sides.to_server(only, &servers, &route)?,
        _ => {
            return Err(Failure::Use(
                "A bridge has two ends: give one or two files, such as explain a.json b.json --metric tpot, or a file and pages of server metrics.".into(),
            ));
        }
    };
    let built = Arc::new(with_doubts(&built, &loaded));
    if args.library {
        library::between(&loaded, &built, &ask, args.format, streams)?;
        return Ok(say_refused(&loaded.refused, streams));
    }
    said(&built, &loaded, &ask, args.format, streams)?;
    if args.average && args.format == ExplainForm::Table {
        averages(&built, streams)?;
    }
    Ok(say_refused(&loaded.refused, streams))
}

/// The statistic of a metric: the one asked for, or what is taken without one.
pub(super) fn statistic(metric: Metric, asked: Option<Stat>, flag: &str) -> Result<Stat, Failure> {
    match (asked, metric.is_distribution()) {
        (None | Some(Stat::Value), false) => Ok(Stat::Value),
        (None, true) => Ok(Stat::Mean),
        (Some(Stat::Value), true) => Err(Failure::Use(format!(
            "{} is a distribution over samples and has no single value: give a statistic such as {flag} mean or {flag} p99.",
            metric.name()
        ))),
        (Some(stat), true) => Ok(stat),
        (Some(stat), false) => {
            let others: Vec<&str> = Metric::ALL
                .iter()
                .filter(|other| other.is_distribution())
                .map(|other| other.id())
                .collect();
            Err(Failure::Use(format!(
                "{} is one number for the run, so it has no {}: leave {flag} out. Statistics are had of {}.",
                metric.name(),
                stat.name(),
                others.join(", ")
            )))
        }
    }
}

/// What a bridge is built from.
struct Sides<'a> {
    args: &'a args::Explain,
    loaded: &'a Loaded,
    ask: &'a Ask,
    /// Metric and statistic of A and of B.
    numbers: [(Metric, Stat); 2],
}

impl<'a> Sides<'a> {
    /// The number that a name stands for on one side.
    fn number(&self, named: &Named, side: Side) -> Result<Number<'a>, Failure> {
        let [a, b] = self.numbers;
        let ((metric, stat), more) = match side {
            Side::A => (a, &self.args.set_a),
            Side::B => (b, &self.args.set_b),
        };
        let run = one(named, self.loaded)?;
        let settings = named.settings(run, self.args, more)?;
        Ok(Number { run, metric, stat, settings, ask: self.ask })
    }

    /// What the tool printed of a number, where that is asked for.
    fn print(named: &Named, number: &Number<'a>) -> Result<Option<&'a ReportedValue>, Failure> {
        if !named.printed() {
            return Ok(None);
        }
        let found = number.run.reported.find(number.metric, number.stat);
        found.map(Some).ok_or_else(|| {
            Failure::Use(format!("{} prints no {}.", number.run.name, number_words(number)))
        })
    }

    fn between(
        &self,
        first: &Named,
        second: &Named,
        route: &Route,
    ) -> Result<Arc<Bridge>, Failure> {
        let (a, b) = (self.number(first, Side::A)?, self.number(second, Side::B)?);
        let found = match (Self::print(first, &a)?, Self::print(second, &b)?) {
            (None, None) => bridge(&a, &b, route),
            (of_a, of_b) => printed((&a, of_a), (&b, of_b), route).map(Arc::new),
        };
        found.map_err(refused)
    }

    /// One file: two of its numbers, or one and what its tool printed of it.
    fn alone(&self, only: &Named, route: &Route) -> Result<Arc<Bridge>, Failure> {
        let (a, b) = (self.number(only, Side::A)?, self.number(only, Side::B)?);
        if a.settings != b.settings || self.numbers[0] != self.numbers[1] {
            return self.between(only, only, route);
        }
        let Some(value) = a.run.reported.find(a.metric, a.stat) else {
            return Err(Failure::Use(format!(
                "{} prints no {}; give a second number: a file, FILE@PRESET, --to-metric or --set-b.",
                a.run.name,
                number_words(&a)
            )));
        };
        printed((&a, Some(value)), (&b, None), route).map(Arc::new).map_err(refused)
    }

    /// A client's number and the server's own.
    fn to_server(
        &self,
        client: &Named,
        servers: &[&Named],
        route: &Route,
    ) -> Result<Arc<Bridge>, Failure> {
        let a = self.number(client, Side::A)?;
        let ids: Vec<RunId> = servers.iter().flat_map(|named| named.dumps(self.loaded)).collect();
        let all: Vec<&ServerDump> = self.loaded.dumps.iter().collect();
        explain::to_server(&a, &all, &ids, self.numbers[1], route).map_err(Failure::Use)
    }
}

fn refused(reason: NoBridge) -> Failure {
    Failure::Use(format!("{reason}."))
}

/// “mean TPOT”, “output throughput”.
fn number_words(number: &Number<'_>) -> String {
    match number.stat {
        Stat::Value => number.metric.name().to_owned(),
        stat => format!("{} {}", stat.name(), number.metric.name()),
    }
}

/// With what the checks say of the two numbers, as the screen has it.
fn with_doubts(built: &Bridge, loaded: &Loaded) -> Bridge {
    explain::with_doubts(built, &loaded.runs.iter().collect::<Vec<_>>())
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
    let mut built = with_doubts(&found.bridge, loaded);
    if format == ExplainForm::Table {
        // Nobody named the two numbers: the finding does.
        built.sentence = named(&built);
    }
    said(&built, loaded, ask, format, streams)?;
    Ok(say_refused(&loaded.refused, streams))
}

/// Prints a bridge.
fn said(
    built: &Bridge,
    loaded: &Loaded,
    ask: &Ask,
    format: ExplainForm,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if format == ExplainForm::Json {
        return Ok(write_json(streams.out, &answer(built, &loaded.refused))?);
    }
    let library = library::grouped(loaded, built, ask);
    match format {
        ExplainForm::Markdown => write!(streams.out, "{}", explain::markdown(built, &library))?,
        _ => write!(streams.out, "{}", explain::plain(built, &library))?,
    }
    Ok(())
}

/// A dimension in `--order` that there is not is wrong use.
fn check_order(order: &[String]) -> Result<(), Failure> {
    if let Some((at, id)) =
        order.iter().enumerate().find(|(at, id)| order.iter().take(*at).any(|o| o == *id))
    {
        return Err(Failure::Use(format!(
            "--order names {id} twice, the second time at place {}.",
            at + 1
        )));
    }
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
    // One digit more than the steps have, as in the line of the order.
    let places = Digits::of(bridge).places + 1;
    let unit = match bridge.a.metric.unit() {
        Unit::Share => "%",
        unit => unit.symbol(),
    };
    for step in &bridge.steps {
        if let Some(average) = step.average {
            let average = change_words(&Value::Exact(average), bridge.a.metric, places);
            let mark = if step.other_story { "; another story than in this order" } else { "" };
            writeln!(
                streams.out,
                "On average over all orders: {} {average} {unit}{mark}",
                step.name
            )?;
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
    prints: Vec<PrintEntry<'a>>,
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

/// Between an end as printed and its rows.
#[derive(Debug, Serialize)]
struct PrintEntry<'a> {
    side: Side,
    #[serde(flatten)]
    rest: RemainderEntry<'a>,
}

fn print_entry(print: &Print) -> PrintEntry<'_> {
    PrintEntry { side: print.side, rest: remainder(&print.rest) }
}

fn answer<'a>(bridge: &'a Bridge, refused: &'a [Refusal]) -> Answer<'a> {
    Answer {
        schema: "sameruler.explain/1",
        mode: bridge.mode,
        a: end(&bridge.a),
        b: end(&bridge.b),
        steps: bridge.steps.iter().map(step).collect(),
        remainder: bridge.remainder.as_ref().map(remainder),
        prints: bridge.prints.iter().map(print_entry).collect(),
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
