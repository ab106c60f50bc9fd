//! Explain: why two numbers disagree, one definition at a time.
//!
//! Two slots, the bridge between them as rows and as a waterfall, one real request under both rulers, the
//! typical disagreements tested on the data, and all of it as text to take away.

mod choices;
mod doubts;
mod headline;
mod library;
mod modes;
mod rulers;
mod seen;
mod server;
mod slots;
mod steps;
mod text;
mod waterfall;
mod ways;

pub use crate::metrics::bridge::Side;
pub use choices::{Chosen, SlotChoices};
pub use doubts::{doubts_between, with_doubts};
pub use headline::{Part, parts};
pub use library::{LibraryEntry, LibraryGroup, groups};
pub use modes::ModeChoice;
pub use seen::{SeenAsk, SeenNumber, SeenView, seen};
pub use server::to_server;
pub use slots::{Slot, SlotView, Source};
pub use steps::StepView;
pub use text::{markdown, plain};
pub use ways::ways;

use super::compare::{ConfigRow, config_of};
use super::measure;
use super::{Context, Ruler, labels};
use crate::charts::{Stream, Waterfall};
use crate::metrics::Ask;
use crate::metrics::bridge::{
    Bridge, Foremost, Mode, Number, Picture, Route, bridge, foremost, named, picture, printed,
};
use crate::metrics::disagreements::{Case, disagreements};
use crate::model::{Dump, Metric, ReportedValue, Run, RunId, ServerDump, Stat};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is asked of two numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplainAsk {
    /// A; the most important disagreement of the session where either slot is empty.
    pub a: Option<Slot>,
    /// B.
    pub b: Option<Slot>,
    /// Dimensions that are changed first, in this order.
    pub order: Vec<String>,
    /// The request to draw, by its place in the table of A; the one that shows most where none is said.
    pub request: Option<usize>,
    /// Whether the waterfall shows each step’s average over all orders, where there is one.
    pub average: bool,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplainView {
    /// What it is the answer to, with the slots that were chosen: what a link holds.
    pub ask: ExplainAsk,
    /// Why there is no bridge, as a sentence.
    pub trouble: Option<String>,
    /// What the bridge is between.
    pub mode: Option<Mode>,
    /// The finding in one sentence.
    pub headline: String,
    /// What stands under it, in sentences.
    pub paragraph: Vec<String>,
    /// The finding cut where it speaks of A and of B.
    pub headline_parts: Vec<Part>,
    /// A and B.
    pub slots: Vec<SlotView>,
    /// What each of them can hold, A’s first.
    pub choices: Vec<SlotChoices>,
    /// Why A and B can’t change places, as a sentence.
    pub fixed: Option<String>,
    /// The three kinds of question.
    pub modes: Vec<ModeChoice>,
    /// The steps in order.
    pub steps: Vec<StepView>,
    /// The same as a drawing: bars between A and B, with what is left over.
    pub waterfall: Waterfall,
    /// “Left over 0.00 ms”, or what is left and its interval.
    pub left_over: String,
    /// “10 other dimensions equal”.
    pub equal: String,
    /// “Order: unit, weighting”.
    pub order: String,
    /// “average over both: −16.996, −0.038”, or why there is none.
    pub average: String,
    /// Whether the waterfall can show the averages over all orders.
    pub has_average: bool,
    /// How the average tells another story than the order, as a sentence.
    pub story: Option<String>,
    /// One request under both rulers.
    pub picture: Option<Picture>,
    /// The same as a drawing; nothing where neither ruler can be laid on a request.
    pub rulers: Option<Stream>,
    /// “request 5 of 60: 28 tokens over 13 chunks, split unknown; close to both numbers”.
    pub picture_words: String,
    /// The typical disagreements by what their tests say.
    pub library: Vec<LibraryGroup>,
    /// What differs in the set-up of two runs.
    pub config: Vec<ConfigRow>,
    /// All of it as plain text for a chat.
    pub text: String,
    /// All of it as Markdown for an issue tracker.
    pub markdown: String,
}

/// What the first screen says of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The most important disagreement in one sentence.
    pub sentence: String,
    /// The question that opens it.
    pub ask: ExplainAsk,
}

/// Finds the most important disagreement of the selected runs, or of all where none is selected.
pub fn suggestion(all: &[&Run], context: &Context) -> Option<Suggestion> {
    let asks = asks(all, context);
    let found = foremost_of(&asks, context)?;
    let (a, b) = slots_of(&found);
    let mut bridge = Bridge::clone(&found.bridge);
    tell_apart(&mut bridge, all);
    let bridge = with_doubts(&bridge, all);
    Some(Suggestion {
        sentence: named(&bridge),
        ask: ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() },
    })
}

/// Each run with what every number of it is asked under.
fn asks<'a>(all: &[&'a Run], context: &Context) -> Vec<(&'a Run, Ask)> {
    let ask = |run: &Run| Ask { percentiles: Vec::new(), ..measure::ask(run, context, None) };
    all.iter().map(|run| (*run, ask(run))).collect()
}

fn foremost_of<'a>(asks: &'a [(&'a Run, Ask)], context: &Context) -> Option<Foremost<'a>> {
    let wanted = |run: &Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let runs: Vec<(&Run, &Ask)> =
        asks.iter().filter(|(run, _)| wanted(run)).map(|(run, ask)| (*run, ask)).collect();
    foremost(&runs)
}

/// Gives the ends of a bridge between two runs of one name the words that tell those apart.
fn tell_apart(bridge: &mut Bridge, all: &[&Run]) {
    if bridge.a.name != bridge.b.name || bridge.a.run == bridge.b.run {
        return;
    }
    let names = labels::distinct_names(all);
    for end in [&mut bridge.a, &mut bridge.b] {
        if let Some((_, name)) = all.iter().zip(&names).find(|(run, _)| run.id == end.run) {
            end.name.clone_from(name);
        }
    }
}

fn slots_of(found: &Foremost<'_>) -> (Slot, Slot) {
    let slot = |number: &Number<'_>| Slot {
        run: Some(number.run.id.clone()),
        metric: number.metric,
        stat: number.stat,
        source: Source::of(number.run, &number.settings),
    };
    (slot(&found.a), slot(&found.b))
}

/// Explains why two numbers disagree. A slot whose run is a server’s dump is a number of that server.
pub fn explain(
    all: &[&Run],
    dumps: &[&ServerDump],
    context: &Context,
    ask: &ExplainAsk,
) -> ExplainView {
    let asks = asks(all, context);
    let mut view = ExplainView { ask: ask.clone(), ..ExplainView::default() };
    if all.is_empty() {
        return view;
    }
    if let (None, _) | (_, None) = (&ask.a, &ask.b) {
        if let Some(found) = foremost_of(&asks, context) {
            let (a, b) = slots_of(&found);
            view.ask.a.get_or_insert(a);
            view.ask.b.get_or_insert(b);
        } else {
            let first = context.runs.first().cloned().or_else(|| Some(all.first()?.id.clone()));
            let slot =
                |metric| Slot { run: first.clone(), metric, stat: Stat::Mean, source: Source::Own };
            view.ask.a.get_or_insert(slot(Metric::Itl));
            view.ask.b.get_or_insert(slot(Metric::Tpot));
        }
    }
    let (Some(a), Some(b)) = (view.ask.a.clone(), view.ask.b.clone()) else { return view };
    view.choices = [Side::A, Side::B]
        .map(|side| choices::choices(all, dumps, context, &view.ask, side))
        .into();
    view.modes = modes::modes(all, context, &view.ask);
    let find = |slot: &Slot| {
        let wanted = slot.run.as_ref().or(context.baseline.as_ref()).or(context.runs.first());
        match wanted {
            Some(id) => asks.iter().find(|(run, _)| &run.id == id),
            None => asks.first(),
        }
    };
    let is_server =
        |slot: &Slot| slot.run.as_ref().is_some_and(|id| dumps.iter().any(|dump| dump.id == *id));
    let route = Route { order: ask.order.clone() };
    if is_server(&a) {
        view.trouble = Some(INTO_B.into());
        return view;
    }
    let Some((run_a, ask_a)) = find(&a) else {
        view.trouble = Some(NOT_LOADED.into());
        return view;
    };
    let first = a.number(run_a, context, ask_a);
    if let Some(id) = b.run.as_ref().filter(|_| is_server(&b)) {
        view.fixed = Some(INTO_B.into());
        let found = as_printed(&first, &a).and_then(|print| {
            let ids = std::slice::from_ref(id);
            server::from_print((&first, print), dumps, ids, (b.metric, b.stat), &route)
        });
        match found {
            Err(trouble) => view.trouble = Some(trouble),
            Ok(bridge) => fill(&mut view, &bridge, (&first, None), all, dumps),
        }
        return view;
    }
    let Some((run_b, ask_b)) = find(&b) else {
        view.trouble = Some(NOT_LOADED.into());
        return view;
    };
    let second = b.number(run_b, context, ask_b);
    match built(&first, &second, (&a, &b), &route) {
        Err(trouble) => view.trouble = Some(trouble),
        Ok(bridge) => fill(&mut view, &bridge, (&first, Some(&second)), all, dumps),
    }
    view
}

const INTO_B: &str = "The server’s number stands in B: the walk goes from the client’s rows to it.";
const NOT_LOADED: &str = "A run of this explanation is not loaded: drop its file first.";

/// The bridge that two slots ask for.
fn built(
    a: &Number<'_>,
    b: &Number<'_>,
    (slot_a, slot_b): (&Slot, &Slot),
    route: &Route,
) -> Result<Arc<Bridge>, String> {
    let (of_a, of_b) = (as_printed(a, slot_a)?, as_printed(b, slot_b)?);
    let found = match (of_a, of_b) {
        (None, None) => bridge(a, b, route),
        (of_a, of_b) => printed((a, of_a), (b, of_b), route).map(Arc::new),
    };
    found.map_err(|refused| format!("{refused}."))
}

/// What the tool printed of a number, where the slot asks for that.
fn as_printed<'a>(number: &Number<'a>, slot: &Slot) -> Result<Option<&'a ReportedValue>, String> {
    if slot.source != Source::Reported {
        return Ok(None);
    }
    let found = number.run.reported.find(number.metric, number.stat);
    found.map(Some).ok_or_else(|| {
        let words = text::number(number.metric, number.stat);
        format!("{} prints no {words}.", number.run.name)
    })
}

fn fill(
    view: &mut ExplainView,
    bridge: &Bridge,
    (a, b): (&Number<'_>, Option<&Number<'_>>),
    all: &[&Run],
    dumps: &[&ServerDump],
) {
    let mut bridge = bridge.clone();
    tell_apart(&mut bridge, all);
    let runs: Vec<&Run> = std::iter::once(a.run).chain(b.map(|b| b.run)).collect();
    let bridge = &with_doubts(&bridge, &runs);
    view.mode = Some(bridge.mode);
    view.headline.clone_from(&bridge.sentence);
    view.headline_parts = parts(&view.headline);
    view.paragraph = paragraph(bridge);
    view.slots = vec![
        SlotView::of(bridge, Side::A, Some(a.run)),
        SlotView::of(bridge, Side::B, b.map(|b| b.run)),
    ];
    view.steps = steps::views(bridge);
    view.has_average = bridge.steps.len() > 1 && bridge.steps.iter().all(|s| s.average.is_some());
    view.ask.average &= view.has_average;
    view.waterfall = waterfall::drawn(bridge, view.ask.average);
    view.left_over = text::left_over(bridge);
    view.equal = text::equal(bridge);
    (view.order, view.average) = text::order_and_average(bridge);
    view.story.clone_from(&bridge.story);
    view.picture = picture(a.run, bridge, a.ask, view.ask.request);
    view.picture_words = view.picture.as_ref().map_or_else(String::new, picture_words);
    view.rulers = view.picture.as_ref().and_then(|p| rulers::drawn(p, bridge, &view.picture_words));
    let other = b.map(|b| b.run).filter(|run| a.run.id != run.id);
    let dumps: Vec<&Dump> = dumps.iter().map(|server| &server.dump).collect();
    let case = Case { run: a.run, other, dumps: &dumps, ask: a.ask };
    view.library = groups(&disagreements(&case, Some(bridge)), bridge);
    if let Some(other) = other {
        view.config = config_of(&[a.run, other]);
    }
    view.text = plain(bridge, &view.library);
    view.markdown = markdown(bridge, &view.library);
}

/// The causes of the largest steps, then what is to be known besides.
fn paragraph(bridge: &Bridge) -> Vec<String> {
    let mut steps: Vec<_> =
        bridge.steps.iter().filter(|s| s.exact().is_none_or(|v| v.abs() > 0.0)).collect();
    steps.sort_by(|x, y| {
        let size = |s: &crate::metrics::bridge::Step| s.exact().map_or(f64::INFINITY, f64::abs);
        size(y).total_cmp(&size(x))
    });
    let causes = steps.iter().take(3).map(|step| step.because.clone());
    // What the orders say stands with the order, under the waterfall.
    let of_orders = |said: &&String| {
        bridge.story.as_ref() == Some(*said)
            || bridge.no_average.as_ref().is_some_and(|reason| said.contains(reason.as_str()))
    };
    causes.chain(bridge.details.iter().filter(|said| !of_orders(said)).cloned()).collect()
}

fn picture_words(picture: &Picture) -> String {
    format!(
        "request {} of {}: {}; {}",
        picture.at + 1,
        picture.of,
        picture.split.trim_end_matches('.'),
        picture.chosen
    )
}

impl Slot {
    /// The number in this slot.
    fn number<'a>(&self, run: &'a Run, context: &Context, ask: &'a Ask) -> Number<'a> {
        let settings = match &self.source {
            Source::Context => measure::settings(run, &context.ruler),
            Source::Own | Source::Reported => measure::settings(run, &Ruler::Own),
            Source::Ruler(ruler) => measure::settings(run, ruler),
        };
        let stat = if self.metric.is_distribution() { self.stat } else { Stat::Value };
        Number { run, metric: self.metric, stat, settings, ask }
    }

    /// The run that it names.
    pub const fn run(&self) -> Option<&RunId> {
        self.run.as_ref()
    }
}

#[cfg(test)]
mod tests;
