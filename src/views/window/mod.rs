//! A stretch of the runs: whole and windowed side by side, the run over time, and what is offered.

mod chart;
mod choices;
mod offers;
mod words;

use super::labels::{Styles, distinct_names, trimmed};
use super::measure::{is_run_level, settings};
use super::numbers::count;
use super::{Context, Ruler, measure};
use crate::charts::Spec;
use crate::metrics::settings::{Duration, Window, WindowEdge};
use crate::metrics::{
    Dimension, Settings, Stretch, Timeline, Value, evaluate, no_base, stretch, timeline,
};
use crate::model::{Metric, Run, RunId, Stat};
use crate::units::{fixed, significant};
use crate::views::curves::Table;
use serde::{Deserialize, Serialize};

pub use choices::WindowChoice;
pub use offers::Offer;
pub use words::{in_words, ruler_with, short};

/// The window sheet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WindowView {
    /// The window that is shown, as it is spelled: the one in force, or a proposed one.
    pub window: String,
    /// All windows to choose from.
    pub choices: Vec<WindowChoice>,
    /// All rules for requests across an edge.
    pub edges: Vec<WindowChoice>,
    /// Whether the window is a span of time, so that it has edges.
    pub edged: bool,
    /// Its edge rule as it is spelled.
    pub edge: String,
    /// What the edge rule means, and that this window has no edge in time where it has none.
    pub edge_words: String,
    /// What a window means when each run is in its own tool's words.
    pub own_words: Option<String>,
    /// Requests in flight over time; nothing without send times.
    pub flight: Option<Spec>,
    /// Output over time on the same clock.
    pub output: Option<Spec>,
    /// Why there is no picture.
    pub empty: Option<String>,
    /// The picture as a table, some rows of it.
    pub table: Table,
    /// Seconds from the first send to the last end of the longest run.
    pub length: f64,
    /// The window in seconds of the baseline, where it is a span of time or skips the start.
    pub span: Option<(f64, f64)>,
    /// The selected runs, the baseline first.
    pub runs: Vec<WindowRun>,
    /// What can be chosen with one click.
    pub offers: Vec<Offer>,
    /// What to know about the figures.
    pub notes: Vec<String>,
}

/// One run, whole and windowed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WindowRun {
    /// The run.
    pub run: Option<RunId>,
    /// Palette index.
    pub style: usize,
    /// Its name.
    pub name: String,
    /// "4.1 to 21.3 s after the first send, 17.2 s long", or why there is no window.
    pub span: String,
    /// "84 of 100 requests inside, 16 outside."
    pub inside: String,
    /// Whole beside windowed.
    pub rows: Vec<WindowRow>,
}

/// One metric, whole and windowed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WindowRow {
    /// "TTFT p90".
    pub label: String,
    /// "ms".
    pub unit: String,
    /// Of the whole run; a dash where it can't be had.
    pub whole: String,
    /// Inside the window.
    pub windowed: String,
    /// Windowed ÷ whole.
    pub ratio: Option<String>,
    /// Why one of them can't be had.
    pub because: Option<String>,
}

/// The metrics that stand side by side.
const METRICS: [Metric; 7] = [
    Metric::Ttft,
    Metric::Tpot,
    Metric::Itl,
    Metric::E2e,
    Metric::RequestThroughput,
    Metric::OutputThroughput,
    Metric::MeanConcurrency,
];

/// Builds the sheet for the window in force, or for `proposed` where it is one.
pub fn window(all: &[&Run], context: &Context, proposed: Option<&str>) -> WindowView {
    let proposed = proposed.filter(|text| Window::parse(text).is_some());
    let own = context.ruler == Ruler::Own && proposed.is_none();
    let context = &match proposed {
        Some(text) => {
            let ruler = ruler_with(&context.ruler, "window", text);
            Context { ruler, ..context.clone() }
        }
        None => context.clone(),
    };
    let runs = Shown::selected(all, context);
    let first = runs.first();
    let chosen = first.map_or(crate::metrics::COMMON.settings, |shown| shown.windowed);
    let length = runs
        .iter()
        .filter_map(|shown| shown.timeline.as_ref().ok())
        .map(|line| line.length.as_secs())
        .fold(0.0, f64::max);
    let drawn = length > 0.0;
    WindowView {
        window: chosen.window.to_string(),
        choices: choices::windows(&runs, &chosen, length),
        edges: choices::edges(&chosen),
        edged: chosen.window.is_span(),
        edge: chosen.window_edge.id().to_owned(),
        edge_words: edge_words(&chosen),
        own_words: own.then(|| OWN_WORDS.to_owned()),
        flight: drawn.then(|| chart::flight(&runs, length)),
        output: drawn.then(|| chart::output(&runs, length)).flatten(),
        empty: if runs.is_empty() {
            Some("No run is selected. Choose runs in the Library.".to_owned())
        } else if drawn {
            None
        } else {
            Some(no_picture(&runs))
        },
        table: chart::table(&runs, length),
        length,
        span: first.filter(|_| chosen.window != Window::Whole).and_then(Shown::between),
        offers: offers::offers(&runs),
        notes: notes(&runs, &chosen),
        runs: runs.iter().map(|shown| shown.row(context)).collect(),
    }
}

const OWN_WORDS: &str = "Each run is in its own tool’s words: the window is the one that the tool \
    used, mostly the whole run. A window chosen here puts all runs on the common ruler.";

/// One run with all that the sheet is made of.
struct Shown<'a> {
    run: &'a Run,
    name: String,
    style: usize,
    /// The ruler with the window.
    windowed: Settings,
    /// The same ruler over the whole run.
    whole: Settings,
    stretch: Result<Stretch, String>,
    timeline: Result<Timeline, String>,
    excluded: Vec<usize>,
}

impl<'a> Shown<'a> {
    /// The selected runs in order, the baseline first. Runs that are gone are skipped.
    fn selected(all: &[&'a Run], context: &Context) -> Vec<Self> {
        let styles = Styles::of(all);
        let find = |id| all.iter().copied().find(|run| &run.id == id);
        let mut runs: Vec<&'a Run> = context.runs.iter().filter_map(find).collect();
        if let Some(at) = runs.iter().position(|run| Some(&run.id) == context.baseline.as_ref()) {
            let baseline = runs.remove(at);
            runs.insert(0, baseline);
        }
        let names = distinct_names(&runs);
        let show = |(run, name): (&'a Run, String)| Self::of(run, name, &styles, context);
        runs.into_iter().zip(names).map(show).collect()
    }

    fn of(run: &'a Run, name: String, styles: &Styles, context: &Context) -> Self {
        let windowed = over_its_length(settings(run, &context.ruler));
        let excluded = measure::ask(run, context, None).excluded;
        Self {
            run,
            name,
            style: styles.get(&run.id),
            windowed,
            whole: over_the_run(windowed, run),
            stretch: stretch(run, &windowed, &excluded),
            timeline: timeline(run, &windowed, &excluded),
            excluded,
        }
    }

    /// From when to when after the first send.
    fn between(&self) -> Option<(f64, f64)> {
        let (from, to) = self.stretch.as_ref().ok()?.between?;
        Some((from.as_secs(), to.as_secs()))
    }

    fn row(&self, context: &Context) -> WindowRun {
        let Self { run, name, style, .. } = self;
        let ask = measure::ask(run, context, None);
        let whole = evaluate(run, &self.whole, &ask);
        let windowed = evaluate(run, &self.windowed, &ask);
        let mut metrics = METRICS.to_vec();
        if !context.limits.is_empty() {
            metrics.push(Metric::Goodput);
        }
        let row = |metric: Metric| {
            let stat = if is_run_level(metric) { Stat::Value } else { context.stat };
            let (whole, windowed) = (whole.value(metric, stat), windowed.value(metric, stat));
            let row = WindowRow::of(metric, stat, &whole, &windowed);
            // Without a window at all the run says so once.
            if self.stretch.is_err() { WindowRow { because: None, ..row } } else { row }
        };
        WindowRun {
            run: Some(run.id.clone()),
            style: *style,
            name: name.clone(),
            span: self.span_words(),
            inside: match &self.stretch {
                Ok(stretch) => inside_words(stretch),
                Err(_) => String::new(),
            },
            rows: metrics.into_iter().map(row).collect(),
        }
    }

    fn span_words(&self) -> String {
        match &self.stretch {
            Err(reason) => format!("No such window: {reason}."),
            Ok(Stretch { between: Some((from, to)), .. }) => format!(
                "{} to {} s after the first send, {} s long",
                secs(from.as_secs()),
                secs(to.as_secs()),
                secs((*to - *from).as_secs()),
            ),
            Ok(Stretch { length: Err(reason), .. }) => format!("Its length is not known: {reason}"),
            Ok(Stretch { length: Ok(length), .. }) => format!("{} s long", secs(length.as_secs())),
        }
    }
}

impl WindowRow {
    fn of(metric: Metric, stat: Stat, whole: &Value, windowed: &Value) -> Self {
        // Each by itself, so that the whole run's number stands still while a window is brushed.
        let text = |value: &Value| match value {
            Value::Exact(v) | Value::Reported(v) => significant(*v, 3),
            Value::AtLeast(v) => format!("≥ {}", significant(*v, 3)),
            Value::AtMost(v) => format!("≤ {}", significant(*v, 3)),
            Value::Between(a, b) => format!("{} to {}", significant(*a, 3), significant(*b, 3)),
            Value::Missing(_) => "—".to_owned(),
        };
        let known = |value: &Value| match value {
            Value::Exact(v) | Value::Reported(v) => Some(*v),
            _ => None,
        };
        let both = known(windowed).zip(known(whole));
        let no_base = both.and_then(|(_, whole)| no_base(metric, whole));
        let ratio = both.filter(|_| no_base.is_none());
        let missing = [windowed, whole].into_iter().find_map(|value| match value {
            Value::Missing(reason) => Some(reason.clone()),
            _ => None,
        });
        Self {
            label: match stat {
                Stat::Value => metric.name().to_owned(),
                stat => format!("{} {}", metric.name(), stat.name()),
            },
            unit: metric.unit().symbol().to_owned(),
            whole: text(whole),
            windowed: text(windowed),
            ratio: ratio.map(|(windowed, whole)| significant(windowed / whole, 3)),
            because: missing
                .or(no_base.map(|because| format!("no ratio: the whole run’s {because}"))),
        }
    }
}

/// Rates inside a window divide by its length: the printed duration is that of the whole run.
fn over_its_length(mut settings: Settings) -> Settings {
    if settings.window != Window::Whole && settings.duration == Duration::AsReported {
        settings.duration = Duration::Window;
    }
    settings
}

/// The same ruler over the whole run, its rates over the printed duration, else over the time from the
/// first send to the last token.
fn over_the_run(mut settings: Settings, run: &Run) -> Settings {
    settings.window = Window::Whole;
    if matches!(settings.duration, Duration::Window | Duration::AsReported) {
        settings.duration = match run.reported.value(Metric::Duration) {
            Some(printed) if printed > 0.0 => Duration::AsReported,
            _ => Duration::FirstSendToLastToken,
        };
    }
    settings
}

/// Seconds with as many digits as a brush sets.
fn secs(value: f64) -> String {
    trimmed(value)
}

fn inside_words(stretch: &Stretch) -> String {
    let outside = stretch.sent.saturating_sub(stretch.inside);
    let outside = if outside == 0 { "none".to_owned() } else { fixed(outside as f64, 0) };
    let sent = count(stretch.sent, "request");
    format!("{} of {sent} inside, {outside} outside", fixed(stretch.inside as f64, 0))
}

fn edge_words(settings: &Settings) -> String {
    let choice = Dimension::find("window-edge").and_then(|d| d.choice(settings.window_edge.id()));
    if settings.window.is_span() {
        choice.map_or_else(String::new, |choice| choice.meaning.to_owned())
    } else {
        "This window has no edge in time: a request is inside or outside as a whole.".to_owned()
    }
}

fn no_picture(runs: &[Shown<'_>]) -> String {
    let reason = runs.iter().find_map(|shown| shown.timeline.as_ref().err());
    let reason = reason.map_or("the files hold no requests", String::as_str);
    format!(
        "There is no timeline: {reason}. vLLM writes each request with --save-detailed, SGLang with \
         --output-details, AIPerf into profile_export.jsonl."
    )
}

fn notes(runs: &[Shown<'_>], chosen: &Settings) -> Vec<String> {
    let mut notes = Vec::new();
    if runs.len() > 1 {
        notes.push(
            "One window for all runs: its seconds count from each run’s own first send.".to_owned(),
        );
    }
    if chosen.window == Window::UntilStable {
        notes.push(
            "“Until stable” is a heuristic on the running median of TTFT, not a proof that the \
             run was steady."
                .to_owned(),
        );
    }
    if chosen.window != Window::Whole {
        let printed = runs.iter().any(|shown| shown.whole.duration == Duration::AsReported);
        let whole = if printed {
            "the duration that the tool printed"
        } else {
            "the time from the first send to the last token"
        };
        notes.push(format!(
            "Rates: the whole run’s divide by {whole}, the window’s by its own length."
        ));
    }
    if chosen.window_edge != WindowEdge::ByStart && chosen.window.is_span() {
        notes.push("Counts of requests inside follow the same edge rule.".to_owned());
    }
    notes
}
