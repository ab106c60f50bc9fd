//! A number that somebody saw, looked for in the whole session: which run, metric, statistic and definition
//! give it, so that it can stand in a slot.

use super::{Slot, Source};
use crate::metrics::{Detected, Figure, Inquiry, detect};
use crate::model::{Metric, Run, RunId, ServerDump, Stat};
use crate::views::server::{server_number, servers};
use crate::views::{Context, detective, labels, measure};
use serde::{Deserialize, Serialize};

/// Of more runs than this only the first are searched: each is held against every definition.
const MOST_RUNS: usize = 12;
/// Answers of one run that are told.
const MOST_OF_RUN: usize = 3;
/// Answers that are told.
const MOST: usize = 6;

/// What is asked of a number that somebody saw.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeenAsk {
    /// The number as it was typed, with its unit.
    pub text: String,
    /// The run that is searched first, the one in the slot.
    pub run: Option<RunId>,
    /// Whether a server’s number may be an answer: of two numbers one is a client’s.
    pub servers: bool,
}

/// Whose it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeenView {
    /// Why nothing was looked for, what came closest, or how sure the answers are, in sentences.
    pub said: String,
    /// The numbers that it can be, the likeliest first.
    pub found: Vec<SeenNumber>,
}

/// One number that it can be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeenNumber {
    /// The number.
    pub slot: Slot,
    /// Whether it is a server’s, which comes into B.
    pub server: bool,
    /// “mean ITL, vLLM: 30.60 ms, as printed”.
    pub words: String,
}

/// Looks for a number in the runs that are selected, or in all, and in what servers said of themselves.
pub fn seen(all: &[&Run], dumps: &[&ServerDump], context: &Context, ask: &SeenAsk) -> SeenView {
    if ask.text.trim().is_empty() {
        return SeenView::default();
    }
    let figure: Figure = match ask.text.parse() {
        Ok(figure) => figure,
        Err(error) => return SeenView { said: format!("{error}."), ..SeenView::default() },
    };
    let first = |run: &Run| ask.run.as_ref() == Some(&run.id);
    let wanted = |run: &Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let mut runs: Vec<(&Run, String)> =
        all.iter().copied().zip(labels::distinct_names(all)).collect();
    runs.retain(|(run, _)| first(run) || wanted(run));
    runs.sort_by_key(|(run, _)| !first(run));
    runs.truncate(MOST_RUNS);
    let mut found: Vec<(usize, SeenNumber)> = Vec::new();
    let (mut notes, mut closest): (Vec<String>, Vec<(f64, String)>) = (Vec::new(), Vec::new());
    for (run, name) in &runs {
        let inquiry = Inquiry {
            limits: context.limits.clone(),
            excluded: measure::ask(run, context, None).excluded,
            ..Inquiry::default()
        };
        let detected = detect(run, &figure, &inquiry);
        found.extend(printed(run, name, &detected));
        found.extend(by_definition(run, name, &detected));
        if !detected.candidates.is_empty() && notes.is_empty() {
            notes.extend(detected.notes.first().cloned());
        }
        let near = detected.nearest.first();
        closest.extend(
            near.map(|near| (near.off.abs(), format!("{name}: {}", detective::near(near)))),
        );
    }
    if ask.servers
        && let Some((run, _)) = runs.iter().find(|(run, _)| run.requests.is_some())
    {
        found.extend(of_servers(run, dumps, &figure));
    }
    found.sort_by_key(|(far, _)| *far);
    let more = found.len().saturating_sub(MOST);
    let found: Vec<SeenNumber> = found.into_iter().map(|(_, number)| number).take(MOST).collect();
    if found.is_empty() {
        closest.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        notes = vec![format!("No definition gives {} for these runs.", figure.text)];
        notes.extend(closest.into_iter().next().map(|(_, words)| format!("Closest, {words}")));
    } else if more > 0 {
        notes.push(format!("{more} more are further away."));
    }
    SeenView { said: notes.join(" "), found }
}

/// What the file itself prints so.
fn printed(run: &Run, name: &str, detected: &Detected) -> Vec<(usize, SeenNumber)> {
    let values = run.reported.values.iter();
    let values = values.filter(|value| detected.printed.contains(&value.field));
    values
        .take(MOST_OF_RUN)
        .map(|value| {
            let what = super::text::number(value.metric, value.stat);
            let number = detective::with_unit(value.metric, value.value);
            let words = format!("{what}, {name}: {number}, printed as {}", value.field);
            let slot = of(run, value.metric, value.stat, Source::Reported);
            (0, SeenNumber { slot, server: false, words })
        })
        .collect()
}

/// What its rows give under a definition.
fn by_definition(run: &Run, name: &str, detected: &Detected) -> Vec<(usize, SeenNumber)> {
    let candidates = detected.candidates.iter().take(MOST_OF_RUN);
    candidates
        .map(|one| {
            let number = detective::with_unit(one.metric, one.value);
            let words = format!("{}, {name}: {number}. {}", one.words, one.relation);
            let slot = of(run, one.metric, one.stat, Source::of(run, &one.settings));
            (1 + one.changes.len(), SeenNumber { slot, server: false, words })
        })
        .collect()
}

/// What a dashboard shows of a server.
fn of_servers(run: &Run, dumps: &[&ServerDump], figure: &Figure) -> Vec<(usize, SeenNumber)> {
    const STATS: [Stat; 5] = [
        Stat::Mean,
        Stat::Median,
        Stat::Percentile(90.0),
        Stat::Percentile(95.0),
        Stat::Percentile(99.0),
    ];
    let mut found = Vec::new();
    for dump in servers(dumps) {
        for metric in [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e] {
            for stat in STATS {
                let ids = std::slice::from_ref(&dump.id);
                let Ok(number) = server_number(run, dumps, ids, (metric, stat)) else { continue };
                let Some(value) = number.value.exact_or_reported() else { continue };
                if !figure.is(metric, value) {
                    continue;
                }
                let what = super::text::number(metric, stat);
                let shown = detective::with_unit(metric, value);
                let words = format!("{what}, server, {}: {shown} by its histogram", dump.name);
                let source = Source::Own;
                let slot = Slot { run: Some(dump.id.clone()), metric, stat, source };
                found.push((1, SeenNumber { slot, server: true, words }));
            }
        }
    }
    found
}

fn of(run: &Run, metric: Metric, stat: Stat, source: Source) -> Slot {
    let stat = super::choices::fitting(metric, stat);
    Slot { run: Some(run.id.clone()), metric, stat, source }
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::two;
    use super::super::{Chosen, ExplainAsk, Side, explain};
    use super::*;

    fn look(text: &str, runs: &[&Run]) -> SeenView {
        let ask = SeenAsk { text: text.into(), servers: true, ..SeenAsk::default() };
        seen(runs, &[], &Context::default(), &ask)
    }

    #[test]
    fn a_number_is_found_in_whichever_run_gives_it_and_stands_in_the_slot() {
        let (one, other) = two();
        // (150 − 90) ÷ 4 = 15 ms a token, of the second run alone.
        let view = look("15.00 ms", &[&one, &other]);
        let first = &view.found[0];
        assert_eq!(first.slot.run.as_ref(), Some(&other.id), "{view:#?}");
        assert!(first.words.contains("TPOT") && first.words.contains("15.000 ms"), "{view:#?}");
        let start = ExplainAsk {
            a: Some(super::super::choices::tests::slot(&one, Metric::Tpot, Source::Own)),
            b: Some(super::super::choices::tests::slot(&one, Metric::Itl, Source::Own)),
            ..ExplainAsk::default()
        };
        let put = start.choose(Side::B, Chosen::Number(first.slot.clone()));
        let shown = explain(&[&one, &other], &[], &Context::default(), &put);
        assert_eq!((shown.trouble, shown.slots[1].value.as_str()), (None, "15.00"));
    }

    #[test]
    fn what_the_file_prints_comes_first() {
        let (one, other) = two();
        let view = look("16.0", &[&other, &one]);
        assert_eq!(view.found[0].slot.source, Source::Reported, "{view:#?}");
        assert!(view.found[0].words.ends_with("printed as mean_tpot_ms"), "{view:#?}");
        assert!(view.found.len() <= MOST);
    }

    #[test]
    fn what_nothing_gives_says_what_comes_closest() {
        let (one, other) = two();
        let view = look("16.371 ms", &[&one, &other]);
        assert!(view.found.is_empty(), "{view:#?}");
        assert!(view.said.contains("16.371 ms") && view.said.contains("Closest"), "{}", view.said);
        assert!(look("many", &[&one]).said.ends_with('.'));
        assert_eq!(look(" ", &[&one]), SeenView::default());
    }
}
