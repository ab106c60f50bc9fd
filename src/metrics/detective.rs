//! The detective: from a number that somebody saw to the definitions that give it on a run.
//!
//! A number has its printed digits; a set fits that gives it within half a unit of the last one. Sets are
//! tried by how few choices they change in the run's own (none, one, two, three), and the rulers of all
//! tools as they are. Samples depend on a few dimensions only, and percentiles, spread and mean are all
//! read off the same ones, so that no run is evaluated whole.

mod alternatives;
mod figure;
mod search;
mod words;

use super::dimensions::Dimension;
use super::measured::is_median;
use super::own::own;
use super::preset::{COMMON, PRESETS};
use super::settings::Settings;
use crate::model::{Limit, Metric, ReportedValue, Run, Stat};
use crate::units::significant;
use figure::Fit;
pub use figure::{Figure, FigureError, WrittenUnit};
use search::{Hit, Search, changes};
use serde::{Deserialize, Serialize};

/// The most choices that a set may change.
const DEEPEST: usize = 3;
/// How many values the own set, its one-choice neighbours and the tools' rulers may touch …
const BROAD: u64 = 60_000_000;
/// … and how many the sets that change two choices, or three.
const DEEP: u64 = 6_000_000;
/// Where a random number would be met more often than this, sets that change two choices or more prove
/// nothing.
const BY_CHANCE: f64 = 0.1;
/// Where a random number would be met more rarely than this, the tool's own definition is the answer.
const SURE: f64 = 1e-3;
/// Other names of one number that are told.
const MOST_NAMES: usize = 4;
/// Answers that are told.
const MOST: usize = 12;

/// What is known of a number beside its digits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Inquiry {
    /// The metric that it is said to be.
    pub metric: Option<Metric>,
    /// The statistic that it is said to be.
    pub stat: Option<Stat>,
    /// The name it goes by, such as `mean_itl_ms`: among equals, what it says comes first.
    pub name: Option<String>,
    /// Limits for goodput, where the file has none.
    pub limits: Vec<Limit>,
    /// Requests left out, by their number from 0, ascending.
    pub excluded: Vec<usize>,
}

/// One dimension in which a set leaves the tool's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Id of the dimension.
    pub dimension: String,
    /// Id of its choice under the tool's own set.
    pub from: String,
    /// Id of its choice under the found set, with its parameter.
    pub to: String,
}

/// A definition that gives the number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The metric.
    pub metric: Metric,
    /// The statistic.
    pub stat: Stat,
    /// Its value in the metric's unit, with all digits.
    pub value: f64,
    /// The whole set.
    pub settings: Settings,
    /// In what it leaves the tool's own set, as far as that bears on this statistic.
    pub changes: Vec<Change>,
    /// Name of the tool whose ruler this is as a whole, where it is one and not the run's own.
    pub preset: Option<String>,
    /// What the number is, as a sentence without its full stop.
    pub words: String,
    /// How far that is from the tool's own words, as a sentence.
    pub relation: String,
    /// Tools that measure so, where a choice was changed.
    pub used_by: Vec<String>,
    /// Other definitions that come to the same number on this run, in words.
    pub also: Vec<String>,
    /// Whether it is the same number as the first candidate's, so that the digits can't tell them apart.
    pub tied: bool,
}

/// A value that comes close.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Near {
    /// The metric.
    pub metric: Metric,
    /// The statistic.
    pub stat: Stat,
    /// Its value in the metric's unit.
    pub value: f64,
    /// How far it is off, as a share of the number: 0.02 is 2 % above it.
    pub off: f64,
    /// The set that gives it.
    pub settings: Settings,
    /// What it is, as a candidate's.
    pub words: String,
}

/// What the search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detected {
    /// The number.
    pub figure: Figure,
    /// The definitions that give it, the likeliest first; at most twelve.
    pub candidates: Vec<Candidate>,
    /// How many different ones there are.
    pub matches: usize,
    /// How many different numbers were held against it.
    pub tried: usize,
    /// How many of those a random number of this size and these digits would meet.
    pub by_chance: f64,
    /// Keys of the file under which the tool printed this very number.
    pub printed: Vec<String>,
    /// Where nothing gives it: the closest.
    pub nearest: Vec<Near>,
    /// The answer in one sentence.
    pub sentence: String,
    /// What to know about the answer, in sentences: too few digits, a search that was cut.
    pub notes: Vec<String>,
}

/// Finds the definitions under which `run` gives `figure`.
pub fn detect(run: &Run, figure: &Figure, inquiry: &Inquiry) -> Detected {
    let mut detected = Detected {
        figure: figure.clone(),
        candidates: Vec::new(),
        matches: 0,
        tried: 0,
        by_chance: 0.0,
        printed: printed(run, figure),
        nearest: Vec::new(),
        sentence: String::new(),
        notes: Vec::new(),
    };
    let Some(requests) = run.requests.as_ref().filter(|requests| !requests.is_empty()) else {
        detected.sentence = without_rows(&detected);
        return detected;
    };
    let mut search = Search::new(run, requests, figure, inquiry);
    let mut whole = search.level(0, BROAD);
    // Digits enough to be sure: nothing further away could be an answer.
    let sure = search.expected < SURE && search.hits.iter().any(|hit| hit.fit != Fit::Arithmetic);
    if !sure {
        whole &= search.level(1, BROAD) & search.presets(BROAD);
    }
    let mut by_chance = 0;
    for depth in 2..=DEEPEST {
        if search.hits.iter().any(|hit| hit.distance <= depth) || search.expected > BY_CHANCE {
            break;
        }
        whole &= search.level(depth, DEEP);
        if search.expected > BY_CHANCE {
            let before = search.hits.len();
            search.hits.retain(|hit| hit.distance < depth);
            by_chance += before - search.hits.len();
        }
    }
    detected.tried = search.tried;
    detected.by_chance = search.expected;
    let hits = ranked(std::mem::take(&mut search.hits), inquiry);
    detected.matches = hits.len();
    let first = hits.first().map(|hit| hit.hit.value);
    detected.candidates =
        hits.into_iter().take(MOST).map(|hit| candidate(run, hit, first)).collect();
    if detected.candidates.is_empty() {
        detected.nearest = std::mem::take(&mut search.nearest);
        let own = own(run).settings;
        for near in &mut detected.nearest {
            let changed = changes(run, near.metric, near.stat, &near.settings, &own);
            near.words = words::what(near.metric, near.stat, &near.settings, &changed);
        }
    }
    detected.notes = notes(&detected, whole, by_chance);
    detected.sentence = sentence(&detected);
    detected
}

/// The one choice that, changed in the tool's own set, gives what the tool printed: its dimension and what
/// it is then.
pub(super) fn one_choice(
    run: &Run,
    reported: &ReportedValue,
    limits: &[Limit],
) -> Option<(&'static str, String)> {
    let figure = Figure::printed(reported);
    let stat = if is_median(reported.stat) { Stat::Median } else { reported.stat };
    let inquiry = Inquiry {
        metric: Some(reported.metric),
        stat: Some(stat),
        limits: limits.to_vec(),
        ..Inquiry::default()
    };
    let mut search = Search::new(run, run.requests.as_ref()?, &figure, &inquiry);
    // Ways to read off percentiles and spread are tried on the samples of the own set.
    let _ = search.level(0, BROAD) && search.level(1, BROAD);
    let own = own(run).settings;
    let found = ranked(std::mem::take(&mut search.hits), &inquiry);
    found.iter().find_map(|Ranked { hit, .. }| {
        let changed = changes(run, hit.metric, hit.stat, &hit.settings, &own);
        match changed.as_slice() {
            [one] => Some((one.id, one.read(&hit.settings))),
            _ => None,
        }
    })
}

/// The keys under which the file prints the number itself.
fn printed(run: &Run, figure: &Figure) -> Vec<String> {
    let values = run.reported.values.iter().filter(|value| figure.is(value.metric, value.value));
    values.map(|value| value.field.clone()).collect()
}

/// A hit with other names of the same number.
struct Ranked {
    hit: Hit,
    also: Vec<Hit>,
}

/// Hits, the likeliest first, those of one metric and value together.
fn ranked(mut hits: Vec<Hit>, inquiry: &Inquiry) -> Vec<Ranked> {
    let named = inquiry.name.as_deref().map(meant).unwrap_or_default();
    let key = |hit: &Hit| {
        let (metric, stat) = named;
        let other = usize::from(metric.is_some_and(|metric| metric != hit.metric))
            + usize::from(stat.is_some_and(|stat| stat != hit.stat));
        let arithmetic = hit.fit == Fit::Arithmetic;
        // A count that is the number comes before a mean that rounds to it.
        let rounded = hit.fit != Fit::Whole;
        (arithmetic, hit.distance, other, rounded, hit.reading, plainness(hit.stat), hit.metric)
    };
    hits.sort_by_key(key);
    let mut ranked: Vec<Ranked> = Vec::new();
    for hit in hits {
        let same = |other: &&mut Ranked| {
            other.hit.metric == hit.metric && equal(other.hit.value, hit.value)
        };
        match ranked.iter_mut().find(same) {
            Some(first) => first.also.push(hit),
            None => ranked.push(Ranked { hit, also: Vec::new() }),
        }
    }
    // What the digits can't tell from the first stands beside it.
    if let Some(first) = ranked.first().map(|ranked| ranked.hit.value) {
        ranked.sort_by_key(|ranked| !equal(ranked.hit.value, first));
    }
    ranked
}

/// Whether two values are one number but for the last bits of a float.
fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// How plain a statistic is: what tools print first comes first.
fn plainness(stat: Stat) -> usize {
    const PERCENTILES: [f64; 6] = [99.0, 90.0, 95.0, 75.0, 25.0, 99.9];
    match stat {
        Stat::Mean | Stat::Value => 0,
        Stat::Median => 1,
        Stat::Percentile(p) => {
            let at = PERCENTILES.iter().position(|q| (p - q).abs() < 1e-9);
            at.map_or(12, |at| if at < 3 { 2 + at } else { 5 + at })
        }
        Stat::Max => 5,
        Stat::Std => 6,
        Stat::Min => 7,
    }
}

/// The metric and the statistic that a key names, as far as it does: `mean_itl_ms`.
fn meant(name: &str) -> (Option<Metric>, Option<Stat>) {
    const METRICS: [(&str, Metric); 16] = [
        ("ttft", Metric::Ttft),
        ("first_token", Metric::Ttft),
        ("tpot", Metric::Tpot),
        ("per_output_token", Metric::Tpot),
        ("itl", Metric::Itl),
        ("inter_token", Metric::Itl),
        ("icl", Metric::ChunkGap),
        ("inter_chunk", Metric::ChunkGap),
        ("e2e", Metric::E2e),
        ("request_latency", Metric::E2e),
        ("output_throughput", Metric::OutputThroughput),
        ("request_throughput", Metric::RequestThroughput),
        ("goodput", Metric::Goodput),
        ("input_len", Metric::InputTokens),
        ("output_len", Metric::OutputTokens),
        ("concurrency", Metric::MeanConcurrency),
    ];
    let name = name.to_lowercase().replace([' ', '-'], "_");
    let metric = METRICS.iter().find(|(word, _)| name.contains(word)).map(|(_, metric)| *metric);
    let metric = metric.filter(|metric| *metric != Metric::Tpot || !name.contains("normalized"));
    let word = |word: &str| match word {
        "avg" | "average" => Some(Stat::Mean),
        "p50" => Some(Stat::Median),
        word => word.parse().ok().filter(|stat| *stat != Stat::Value),
    };
    (metric, name.split('_').find_map(word))
}

fn candidate(run: &Run, ranked: Ranked, first: Option<f64>) -> Candidate {
    let Ranked { hit, also } = ranked;
    let own = own(run);
    let changed = changes(run, hit.metric, hit.stat, &hit.settings, &own.settings);
    let said = |stat: Stat, settings: &Settings| {
        let changed = changes(run, hit.metric, stat, settings, &own.settings);
        words::what(hit.metric, stat, settings, &changed)
    };
    let words = said(hit.stat, &hit.settings);
    let mut names: Vec<String> = Vec::new();
    let mut further = 0;
    let others = also.iter().map(|other| (other.stat, &other.settings));
    for (stat, settings) in hit.also.iter().map(|settings| (hit.stat, settings)).chain(others) {
        let other = said(stat, settings);
        if other == words || names.contains(&other) {
            continue;
        }
        // What changes more choices to come to the same is counted, not told.
        let far = changes(run, hit.metric, stat, settings, &own.settings).len();
        if far <= changed.len() && names.len() < MOST_NAMES {
            names.push(other);
        } else {
            further += 1;
        }
    }
    if further > 0 {
        let sets = if further == 1 { "one set".to_owned() } else { format!("{further} sets") };
        names.push(format!("{sets} further away"));
    }
    let preset = (!changed.is_empty())
        .then(|| {
            PRESETS.iter().find(|preset| {
                preset.id != own.preset.id
                    && changes(run, hit.metric, hit.stat, &hit.settings, &preset.settings)
                        .is_empty()
            })
        })
        .flatten();
    Candidate {
        metric: hit.metric,
        stat: hit.stat,
        value: hit.value,
        relation: relation(&changed, own.preset.name, preset.map(|preset| preset.name)),
        changes: changed
            .iter()
            .map(|dimension| Change {
                dimension: dimension.id.to_owned(),
                from: dimension.read(&own.settings),
                to: dimension.read(&hit.settings),
            })
            .collect(),
        preset: preset.map(|preset| preset.name.to_owned()),
        used_by: words::used_by(&changed, &hit.settings),
        words,
        also: names,
        tied: first.is_some_and(|first| equal(first, hit.value)),
        settings: hit.settings,
    }
}

/// How far a set is from the tool's own.
fn relation(changed: &[&'static Dimension], own: &str, preset: Option<&str>) -> String {
    let ids: Vec<String> = changed.iter().map(|dimension| dimension.id.to_owned()).collect();
    let whose = preset.map_or_else(String::new, |name| format!("; {name} measures it so"));
    let own = if own == COMMON.name {
        "the common ruler, since no tool is known".to_owned()
    } else {
        format!("{own}’s own definition")
    };
    let ids = words::listed(&ids);
    match changed.len() {
        0 => format!("This is {own}."),
        1 => format!("One choice away from {own}: {ids}{whose}."),
        n => format!("{n} choices away from {own}: {ids}{whose}."),
    }
}

fn sentence(detected: &Detected) -> String {
    let figure = &detected.figure.text;
    let Some(first) = detected.candidates.first() else {
        return format!("None of our definitions gives {figure} for this run.");
    };
    let tied: Vec<String> = detected
        .candidates
        .iter()
        .skip(1)
        .take_while(|candidate| candidate.tied)
        .map(|candidate| candidate.words.clone())
        .collect();
    let tied = if tied.is_empty() {
        String::new()
    } else {
        format!(", which is here the same number as {}", words::listed(&tied))
    };
    format!("{figure} is {}{tied}.", first.words)
}

/// What the search leaves out: no tool prints numbers of such windows, and each would give more of them to
/// meet by chance.
const NOT_TRIED: &str = "Windows that were tried are the whole run, what follows its first completion, its steady span, and all but as many first requests as were in flight; until-stable, spans of your own and other edge rules were not.";

fn notes(detected: &Detected, whole: bool, by_chance: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let digits = detected.figure.digits;
    let figures =
        if digits == 1 { "One digit is".to_owned() } else { format!("{digits} digits are") };
    if !detected.candidates.is_empty() && detected.matches > 1 && detected.by_chance >= 1.0 {
        notes.push(format!(
            "{figures} too few to tell: {} different definitions give it, and a random number of this size would meet about {}. More digits, the metric or the statistic narrow it down.",
            detected.matches,
            significant(detected.by_chance, 2)
        ));
    } else if detected.candidates.first().is_some_and(|first| !first.changes.is_empty())
        && detected.by_chance > BY_CHANCE
    {
        notes.push(format!(
            "It may be chance: of the {} numbers tried, a random one of this size and these digits would meet about {}.",
            detected.tried,
            significant(detected.by_chance, 2)
        ));
    }
    if by_chance > 0 {
        notes.push(format!(
            "{by_chance} sets that change two choices or more give it, which so many sets would by chance: they are no answer."
        ));
    }
    if detected.candidates.is_empty() && detected.tried > 0 {
        notes.push(NOT_TRIED.into());
    }
    if !whole {
        notes.push(
            "The run is large, so not every set that changes two or three choices was tried."
                .into(),
        );
    }
    notes
}

/// The answer for a run of aggregates.
fn without_rows(detected: &Detected) -> String {
    let figure = &detected.figure.text;
    if detected.printed.is_empty() {
        format!(
            "{figure} can’t be looked for: the file holds no requests, and prints no such number."
        )
    } else {
        format!(
            "{figure} is printed by the file itself as {}; without requests no definition can be tried.",
            words::listed(&detected.printed)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_metric_and_statistic() {
        assert_eq!(meant("mean_itl_ms"), (Some(Metric::Itl), Some(Stat::Mean)));
        assert_eq!(meant("p99_ttft_ms"), (Some(Metric::Ttft), Some(Stat::Percentile(99.0))));
        assert_eq!(meant("Request Latency avg"), (Some(Metric::E2e), Some(Stat::Mean)));
        assert_eq!(meant("x"), (None, None));
    }
}
