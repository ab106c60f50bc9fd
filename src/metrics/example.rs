//! A worked example: the formulas of TPOT and ITL with one request's numbers filled in.

use super::dimensions::Dimension;
use super::evaluate::{Ask, Evaluation, evaluate};
use super::measured::Value;
use super::rows::{Rows, Values, pick};
use super::samples::{rebuilt, tpot_of};
use super::settings::{Itl, Settings, Tpot};
use crate::model::{
    Column, GapKind, Memory, Metric, Origin, Outcome, Ragged, Reported, Requests, Run, Stat,
};
use crate::units::{Quantity, Seconds, fixed};
use serde::{Deserialize, Serialize};

/// One request under every choice of TPOT and ITL. Times in milliseconds from the send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The request's number in the file, from 1.
    pub number: usize,
    /// Requests in the file.
    pub of: usize,
    /// TTFT.
    pub ttft: Option<f64>,
    /// The end, where it is known.
    pub end: Option<f64>,
    /// Output tokens by the count in force.
    pub tokens: Option<f64>,
    /// Times of the stream events, the first included.
    pub events: Vec<f64>,
    /// Every choice worked out.
    pub worked: Vec<Worked>,
}

/// One choice worked out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Worked {
    /// The dimension: `tpot` or `itl`.
    pub dimension: String,
    /// The choice.
    pub choice: String,
    /// The formula with the numbers filled in: "(982.84 − 96.97) ÷ (59 − 1) = 15.27 ms".
    pub formula: Option<String>,
    /// What comes out, in milliseconds, or why nothing does.
    pub result: Result<f64, String>,
}

/// Works out request `number` (from 1) of a run, or the next finished one with a token after it.
/// `None` when there is none.
pub fn example(run: &Run, settings: &Settings, number: usize) -> Option<Example> {
    let requests = run.requests.as_ref()?;
    let at = (number.saturating_sub(1)..requests.len()).chain(0..requests.len()).find(|at| {
        requests.outcome.get(*at) == Some(&Outcome::Ok) && !requests.is_empty_reply(*at)
    })?;
    let alone = Run {
        id: run.id.clone(),
        name: run.name.clone(),
        tool: run.tool,
        version: run.version.clone(),
        scripted: run.scripted,
        load: run.load.clone(),
        workload: run.workload.clone(),
        requests: Some(only(requests, at)),
        group: None,
        said_gpus: None,
        said_mark: None,
        // What the tool printed is of the whole run, so it can't stand in for one request.
        reported: Reported::default(),
        provenance: run.provenance.clone(),
        memory: Memory::default(),
    };
    let table = alone.requests.as_ref()?;
    let mut settings = *settings;
    settings.window = super::settings::Window::Whole;
    let rows = Rows::new(table, &settings, &[]).ok()?;
    let facts = Facts::new(&rows);
    let worked = ["tpot", "itl"]
        .iter()
        .filter_map(|id| Dimension::find(id))
        .flat_map(|d| d.choices.iter().map(move |c| (d, c)))
        .filter_map(|(dimension, choice)| {
            let mut other = settings;
            dimension.write(&mut other, choice.id).then_some((dimension, choice, other))
        })
        .map(|(dimension, choice, other)| {
            let (result, formula) = if dimension.id == "tpot" {
                tpot(&rows, &facts, other.tpot)
            } else {
                itl(&alone, &facts, &other)
            };
            Worked { dimension: dimension.id.into(), choice: choice.id.into(), formula, result }
        })
        .collect();
    Some(Example {
        number: at + 1,
        of: requests.len(),
        ttft: facts.ttft.map(millis),
        end: facts.end.map(millis),
        tokens: facts.tokens,
        events: facts.events.iter().copied().map(millis).collect(),
        worked,
    })
}

fn millis(secs: f64) -> f64 {
    secs * 1e3
}

/// The numbers that formulas are filled in with, in seconds.
struct Facts {
    ttft: Option<f64>,
    end: Option<f64>,
    tokens: Option<f64>,
    first_event: Option<f64>,
    gap_sum: Option<f64>,
    gaps: usize,
    events: Vec<f64>,
}

impl Facts {
    fn new(rows: &Rows<'_>) -> Self {
        let requests = rows.requests;
        let ttft = rows.ttft.as_ref().ok().and_then(|t| pick(t, 0));
        let row = requests.gaps.row(0);
        let gaps: Vec<f64> = match (row, requests.gap_kind) {
            (None, _) => Vec::new(),
            (Some(row), GapKind::Event) => row.iter().map(|g| g.as_secs()).collect(),
            (Some(row), GapKind::TokenSpread) => rebuilt(row).map(|(gap, _)| gap).collect(),
        };
        let mut time = requests.ttft.get(0).map(Seconds::as_secs);
        let mut events: Vec<f64> = time.into_iter().collect();
        for gap in &gaps {
            time = time.map(|t| t + gap);
            events.extend(time);
        }
        Self {
            ttft,
            end: rows.ends_of(Metric::Tpot).known().ok().and_then(|e| pick(e, 0)),
            tokens: rows.tokens.as_ref().ok().and_then(|t| pick(t, 0)),
            first_event: rows.first_event_tokens(0),
            gap_sum: pick(&rows.gap_sums, 0),
            gaps: gaps.len(),
            events,
        }
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "?".into(), |v| fixed(millis(v), 2))
}

fn count(value: Option<f64>) -> String {
    value.map_or_else(|| "?".into(), |v| v.to_string())
}

fn equals(formula: String, value: f64) -> String {
    format!("{formula} = {} ms", fixed(value, 2))
}

type Answer = (Result<f64, String>, Option<String>);

fn tpot(rows: &Rows<'_>, facts: &Facts, formula: Tpot) -> Answer {
    let known = match (&rows.tokens, &rows.ttft, rows.ends_of(Metric::Tpot).known()) {
        _ if formula == Tpot::VisibleGaps => Ok(None),
        (Err(reason), _, _) => Err(reason.clone()),
        (_, Err(reason), _) if formula != Tpot::WholeOverN => Err(reason.clone()),
        (_, _, Err(reason)) => Err(reason.to_owned()),
        (_, _, Ok(ends)) => Ok(Some(ends)),
    };
    let none = Values::new();
    let result = known.and_then(|ends| {
        tpot_of(rows, formula, ends.unwrap_or(&none), 0).map(millis).map_err(str::to_owned)
    });
    let (end, ttft, tokens) = (number(facts.end), number(facts.ttft), count(facts.tokens));
    let filled = match formula {
        Tpot::AfterFirst => format!("({end} − {ttft}) ÷ ({tokens} − 1)"),
        Tpot::AfterFirstOverN => format!("({end} − {ttft}) ÷ {tokens}"),
        Tpot::WholeOverN => format!("{end} ÷ {tokens}"),
        Tpot::AfterFirstEvent => {
            format!("({end} − {ttft}) ÷ ({tokens} − {})", count(facts.first_event))
        }
        Tpot::VisibleGaps => format!("{} ÷ {}", number(facts.gap_sum), facts.gaps),
    };
    let formula = result.as_ref().ok().map(|value| equals(filled, *value));
    (result, formula)
}

fn itl(alone: &Run, facts: &Facts, settings: &Settings) -> Answer {
    let evaluation = evaluate(alone, settings, &Ask { percentiles: Vec::new(), ..Ask::default() });
    let stat = |stat| evaluation.value(Metric::Itl, stat);
    match settings.itl {
        Itl::EventGap => {
            let result = exact(stat(Stat::Median));
            let filled = format!("median of {} gaps", facts.gaps);
            let formula = result.as_ref().ok().map(|value| equals(filled, *value));
            (result, formula)
        }
        Itl::TokenSpread | Itl::TokenZeros => {
            // Percentiles need the tokens of each event, and so does this drawing of one request.
            let result = exact(stat(Stat::Median)).and_then(|_| exact(stat(Stat::Mean)));
            let samples = samples(&evaluation);
            let event = if settings.itl == Itl::TokenSpread { " event" } else { "" };
            let filled =
                format!("{} ÷ {samples} tokens after the first{event}", number(facts.gap_sum));
            let formula = result.as_ref().ok().map(|value| equals(filled, *value));
            (result, formula)
        }
        Itl::RequestMean => {
            let result = exact(stat(Stat::Mean));
            let (end, ttft) = (number(facts.end), number(facts.ttft));
            let filled = format!("({end} − {ttft}) ÷ ({} − 1)", count(facts.tokens));
            let formula = result.as_ref().ok().map(|value| equals(filled, *value));
            (result, formula)
        }
        Itl::WholeOverEvents => {
            let result = exact(stat(Stat::Mean));
            let (ttft, gaps) = (number(facts.ttft), number(facts.gap_sum));
            let filled = format!("({ttft} + {gaps}) ÷ {} events", facts.gaps + 1);
            let formula = result.as_ref().ok().map(|value| equals(filled, *value));
            (result, formula)
        }
        Itl::AsRecorded => {
            let result = exact(stat(Stat::Mean));
            let formula = result.as_ref().ok().map(|value| equals("as recorded".into(), *value));
            (result, formula)
        }
    }
}

fn samples(evaluation: &Evaluation) -> usize {
    evaluation.metrics.get(&Metric::Itl).and_then(|m| m.summary()).map_or(0, |s| s.n)
}

fn exact(value: Value) -> Result<f64, String> {
    match value {
        Value::Exact(value) => Ok(value),
        Value::Missing(reason) => Err(reason),
        _ => Err("the file gives a bound only".into()),
    }
}

/// A table of one request.
fn only(requests: &Requests, at: usize) -> Requests {
    Requests {
        outcome: requests.outcome.get(at).copied().into_iter().collect(),
        input_tokens: one(&requests.input_tokens, at),
        output_tokens: one(&requests.output_tokens, at),
        token_source: requests.token_source,
        retokenized: one(&requests.retokenized, at),
        ttft: one(&requests.ttft, at),
        first_token_rule: requests.first_token_rule,
        first_answer: one(&requests.first_answer, at),
        e2e: one(&requests.e2e, at),
        end_rule: requests.end_rule,
        last_token: one(&requests.last_token, at),
        gaps: one_list(&requests.gaps, at),
        gap_kind: requests.gap_kind,
        event_tokens: one_list(&requests.event_tokens, at),
        request_itl: one(&requests.request_itl, at),
        start: one(&requests.start, at),
        queue_wait: one(&requests.queue_wait, at),
        turn: one(&requests.turn, at),
        cached_tokens: one(&requests.cached_tokens, at),
    }
}

fn one<T: Quantity>(column: &Column<T>, at: usize) -> Column<T> {
    if column.is_absent() {
        return Column::absent(1);
    }
    Column::from_options(Origin::clone(column.origin()), [column.get(at)])
}

fn one_list<T: Quantity>(list: &Ragged<T>, at: usize) -> Ragged<T> {
    let mut row = Ragged::new(list.origin().clone());
    row.push_row(list.row(at));
    row
}
