//! What can be put into the slots, and what a choice in one means for the other.

use super::{ExplainAsk, Slot, Source};
use crate::metrics::bridge::Side;
use crate::metrics::{PRESETS, own};
use crate::model::{Metric, Run, RunId, ServerDump, Stat};
use crate::views::measure::base;
use crate::views::server::servers;
use crate::views::{Context, Ruler, labels};
use serde::{Deserialize, Serialize};

/// Statistics that a slot offers besides the one that it holds.
const STATS: [Stat; 7] = [
    Stat::Mean,
    Stat::Median,
    Stat::Percentile(90.0),
    Stat::Percentile(95.0),
    Stat::Percentile(99.0),
    Stat::Max,
    Stat::Std,
];

/// What a server’s histograms keep beside a client’s numbers.
const SERVED: [Metric; 4] = [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e];

/// What a slot can hold, each with its words. What it holds is among them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SlotChoices {
    /// The loaded runs, then the servers.
    pub runs: Vec<(RunId, String)>,
    /// Which of them are servers: choosing one is [`Chosen::Server`].
    pub servers: Vec<RunId>,
    /// The metrics.
    pub metrics: Vec<(Metric, String)>,
    /// The statistics; empty for a metric that is one number for the run.
    pub stats: Vec<(Stat, String)>,
    /// By whose definition.
    pub sources: Vec<(Source, String)>,
}

/// One choice in a slot.
#[derive(Debug, Clone, PartialEq)]
pub enum Chosen {
    /// Another run.
    Run(RunId),
    /// Another metric.
    Metric(Metric),
    /// Another statistic.
    Stat(Stat),
    /// Another definition.
    Source(Source),
    /// Another number altogether.
    Number(Slot),
    /// The number of a server. It comes into B, whichever slot it was chosen in: the walk goes from a client’s
    /// rows to it.
    Server(Slot),
}

impl ExplainAsk {
    /// The slot of one side.
    pub const fn slot(&self, side: Side) -> Option<&Slot> {
        match side {
            Side::A => self.a.as_ref(),
            Side::B => self.b.as_ref(),
        }
    }

    /// With another choice in one slot. The other follows to a metric of the same unit, since no definition
    /// leads from one unit to another.
    #[must_use]
    pub fn choose(&self, side: Side, chosen: Chosen) -> Self {
        let (Some(a), Some(b)) = (&self.a, &self.b) else { return self.clone() };
        let (mut own, mut other) = match side {
            Side::A => (a.clone(), b.clone()),
            Side::B => (b.clone(), a.clone()),
        };
        let mut side = side;
        match chosen {
            Chosen::Run(run) => {
                own.run = Some(run);
                // What one tool printed another may not have.
                if own.source == Source::Reported {
                    own.source = Source::Own;
                }
            }
            Chosen::Metric(metric) => (own.metric, own.stat) = (metric, fitting(metric, own.stat)),
            Chosen::Stat(stat) => own.stat = stat,
            Chosen::Source(source) => own.source = source,
            Chosen::Number(slot) => own = slot,
            Chosen::Server(slot) => {
                own = Slot { source: Source::Own, ..slot };
                if !SERVED.contains(&own.metric) {
                    own.metric = Metric::E2e;
                }
                own.stat = served(fitting(own.metric, own.stat));
                side = Side::B;
            }
        }
        if other.metric.unit() != own.metric.unit() {
            (other.metric, other.stat) = (own.metric, own.stat);
        }
        let (a, b) = match side {
            Side::A => (own, other),
            Side::B => (other, own),
        };
        // An order names the dimensions that differ, and these are others now; so is the request.
        Self { a: Some(a), b: Some(b), average: self.average, ..Self::default() }
    }

    /// With A and B changed about.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self { a: self.b.clone(), b: self.a.clone(), ..self.clone() }
    }

    /// With the step at `from` in the place of the one at `to`; `steps` are the ids in the order in
    /// force.
    #[must_use]
    pub fn moved(&self, steps: &[String], from: usize, to: usize) -> Self {
        let mut order = steps.to_vec();
        if from < order.len() && to < order.len() {
            let step = order.remove(from);
            order.insert(to, step);
        }
        // Those that are told together are several dimensions.
        let order = order.iter().flat_map(|id| id.split('+')).map(str::to_owned).collect();
        Self { order, ..self.clone() }
    }
}

/// A statistic that a metric has.
pub(super) fn fitting(metric: Metric, stat: Stat) -> Stat {
    match stat {
        _ if !metric.is_distribution() => Stat::Value,
        Stat::Value => Stat::Mean,
        stat => stat,
    }
}

/// A statistic that a histogram has.
const fn served(stat: Stat) -> Stat {
    match stat {
        Stat::Mean | Stat::Median | Stat::Percentile(_) => stat,
        _ => Stat::Mean,
    }
}

/// What the slot of one side can hold.
pub(super) fn choices(
    all: &[&Run],
    dumps: &[&ServerDump],
    context: &Context,
    ask: &ExplainAsk,
    side: Side,
) -> SlotChoices {
    let Some(slot) = ask.slot(side) else { return SlotChoices::default() };
    let run = run_of(all, context, slot);
    let is_server = |slot: &Slot| dumps.iter().any(|dump| slot.run.as_ref() == Some(&dump.id));
    let names = labels::distinct_names(all);
    let mut runs: Vec<(RunId, String)> = all.iter().map(|run| run.id.clone()).zip(names).collect();
    // One server is enough: the other number is a client’s.
    let room = !ask.slot(side.other()).is_some_and(is_server);
    let held = dumps.iter().copied().filter(|dump| slot.run.as_ref() == Some(&dump.id));
    let mut offered: Vec<&ServerDump> = if room { servers(dumps) } else { Vec::new() };
    for dump in held {
        if !offered.iter().any(|other| other.id == dump.id) {
            offered.push(dump);
        }
    }
    let servers: Vec<RunId> = offered.iter().map(|dump| dump.id.clone()).collect();
    runs.extend(offered.iter().map(|dump| (dump.id.clone(), format!("server, {}", dump.name))));
    let served_metrics = is_server(slot);
    let metrics = Metric::ALL
        .into_iter()
        .filter(|metric| !served_metrics || SERVED.contains(metric))
        .map(|metric| (metric, metric.name().to_owned()))
        .collect();
    let mut stats: Vec<Stat> = Vec::new();
    if slot.metric.is_distribution() {
        stats.extend(STATS.into_iter().filter(|stat| !served_metrics || served(*stat) == *stat));
        // What the tool printed of it, and what the slot holds.
        let printed = run.into_iter().flat_map(|run| &run.reported.values);
        let printed = printed.filter(|value| value.metric == slot.metric).map(|value| value.stat);
        for stat in printed.chain([slot.stat]) {
            if !stats.contains(&stat) {
                stats.push(stat);
            }
        }
    }
    let stats = stats.into_iter().map(|stat| (stat, stat_words(stat))).collect();
    if served_metrics {
        let sources = vec![(slot.source.clone(), "by its histogram".to_owned())];
        return SlotChoices { runs, servers, metrics, stats, sources };
    }
    let prints = run.is_some_and(|run| {
        run.reported.find(slot.metric, fitting(slot.metric, slot.stat)).is_some()
    });
    let mut sources = vec![
        (Source::Own, run.map_or_else(|| "its tool’s own".to_owned(), own_words)),
        (Source::Context, format!("ruler in force: {}", ruler_words(&context.ruler))),
    ];
    if prints || slot.source == Source::Reported {
        sources.push((Source::Reported, "as printed".to_owned()));
    }
    sources.extend(PRESETS.iter().map(|preset| {
        let ruler = Ruler::Same { preset: preset.id.to_owned(), changes: [].into() };
        (Source::Ruler(ruler.clone()), format!("as {}", ruler_words(&ruler)))
    }));
    if let Source::Ruler(ruler @ Ruler::Same { changes, .. }) = &slot.source
        && !changes.is_empty()
    {
        sources.push((slot.source.clone(), format!("as {}", ruler_words(ruler))));
    }
    SlotChoices { runs, servers, metrics, stats, sources }
}

/// The run of a slot; the baseline where it names none.
pub(super) fn run_of<'a>(all: &[&'a Run], context: &Context, slot: &Slot) -> Option<&'a Run> {
    let wanted = slot.run.as_ref().or(context.baseline.as_ref()).or(context.runs.first());
    match wanted {
        Some(id) => all.iter().find(|run| &run.id == id).copied(),
        None => all.first().copied(),
    }
}

fn own_words(run: &Run) -> String {
    format!("as {} (own)", own(run).preset.name)
}

/// “common ruler”, “vLLM”, “common ruler, 2 changes”.
fn ruler_words(ruler: &Ruler) -> String {
    let Ruler::Same { preset, changes } = ruler else { return "each tool’s own".to_owned() };
    let base = base(preset);
    let name = if base.id == "common" { "common ruler" } else { base.name };
    match changes.len() {
        0 => name.to_owned(),
        1 => format!("{name}, 1 change"),
        n => format!("{name}, {n} changes"),
    }
}

fn stat_words(stat: Stat) -> String {
    match stat {
        Stat::Max => "largest".to_owned(),
        Stat::Min => "smallest".to_owned(),
        Stat::Std => "standard deviation".to_owned(),
        other => other.name(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::metrics::testing::run;
    use crate::model::{Provenance, ReportedValue};
    use crate::views::explain::explain;

    /// Two runs whose files hold chunks of several tokens; the first prints its TPOT.
    pub(in crate::views::explain) fn two() -> (Run, Run) {
        let mut first = run(&[(100.0, &[40.0, 40.0], 6.0)]);
        first.id = RunId::parse("0123456789ab").unwrap();
        first.reported.values.push(ReportedValue {
            field: "mean_tpot_ms".into(),
            metric: Metric::Tpot,
            stat: Stat::Mean,
            value: 16.0,
            scale: 1.0,
        });
        let mut second = run(&[(90.0, &[30.0, 30.0], 5.0)]);
        second.id = RunId::parse("ba9876543210").unwrap();
        (first, second)
    }

    pub(in crate::views::explain) fn slot(run: &Run, metric: Metric, source: Source) -> Slot {
        Slot { run: Some(run.id.clone()), metric, stat: Stat::Mean, source }
    }

    fn ask(a: Slot, b: Slot) -> ExplainAsk {
        ExplainAsk { a: Some(a), b: Some(b), order: vec!["tpot".into()], ..ExplainAsk::default() }
    }

    #[test]
    fn a_metric_of_another_unit_takes_the_other_slot_along() {
        let (one, _) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&one, Metric::Itl, Source::Own));
        let kept = start.choose(Side::A, Chosen::Metric(Metric::E2e));
        assert_eq!(kept.b.as_ref().map(|b| b.metric), Some(Metric::Itl), "both are in ms");
        assert!(kept.order.is_empty(), "the order was of other steps");
        let moved = start.choose(Side::B, Chosen::Metric(Metric::OutputThroughput));
        for side in [Side::A, Side::B] {
            let slot = moved.slot(side).unwrap();
            assert_eq!((slot.metric, slot.stat), (Metric::OutputThroughput, Stat::Value));
        }
        let back = moved.choose(Side::A, Chosen::Metric(Metric::Ttft));
        assert_eq!(back.b.map(|b| (b.metric, b.stat)), Some((Metric::Ttft, Stat::Mean)));
    }

    #[test]
    fn a_printed_number_is_offered_on_either_side_and_of_two_runs() {
        let (one, other) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&one, Metric::Tpot, Source::Own));
        let all = [&one, &other];
        let offers = |ask: &ExplainAsk, side| {
            let found = choices(&all, &[], &Context::default(), ask, side);
            found.sources.iter().any(|(source, _)| *source == Source::Reported)
        };
        assert!(offers(&start, Side::A) && offers(&start, Side::B));
        let printed = start.choose(Side::B, Chosen::Source(Source::Reported));
        let view = explain(&all, &[], &Context::default(), &printed);
        assert_eq!((view.trouble, view.slots[1].hollow), (None, true));
        // The other run is another one’s print: that has to be chosen anew, and this one stays.
        let apart = printed.choose(Side::A, Chosen::Run(other.id.clone()));
        assert_eq!(apart.b.as_ref().map(|b| b.source.clone()), Some(Source::Reported));
        assert!(!offers(&apart, Side::A), "its file prints no TPOT");
        let back = apart.choose(Side::B, Chosen::Run(other.id.clone()));
        assert_eq!(back.b.map(|b| b.source), Some(Source::Own));
    }

    #[test]
    fn statistics_that_the_tool_printed_are_offered_too() {
        let (mut one, _) = two();
        let odd = ReportedValue {
            field: "p75_tpot_ms".into(),
            metric: Metric::Tpot,
            stat: Stat::Percentile(75.0),
            value: 16.0,
            scale: 1.0,
        };
        one.reported.values.push(odd);
        let ask = ask(slot(&one, Metric::Tpot, Source::Own), slot(&one, Metric::Itl, Source::Own));
        let of = |side| choices(&[&one], &[], &Context::default(), &ask, side).stats;
        let has = |stats: Vec<(Stat, String)>| {
            stats.iter().any(|(stat, _)| *stat == Stat::Percentile(75.0))
        };
        assert!(has(of(Side::A)) && !has(of(Side::B)), "it prints no p75 of ITL");
    }

    #[test]
    fn a_server_comes_into_b_and_holds_what_histograms_hold() {
        let (one, other) = two();
        let page = "# TYPE x histogram\nx_bucket{le=\"+Inf\"} 1\nx_sum 1\nx_count 1\n";
        let dump = crate::prometheus::read(page, &mut crate::notice::Notices::new()).unwrap();
        let digest = crate::model::Digest::of(b"");
        let provenance = Provenance::new("box/a.prom", 120, digest, "prometheus-dump", "x");
        let server = ServerDump::new(dump, provenance);
        let held = Slot { stat: Stat::Max, ..slot(&one, Metric::OutputTokens, Source::Reported) };
        let start = ask(held, slot(&other, Metric::Itl, Source::Own));
        let offered = choices(&[&one, &other], &[&server], &Context::default(), &start, Side::A);
        assert_eq!(offered.servers, std::slice::from_ref(&server.id));
        assert_eq!(offered.runs.last().map(|(_, words)| words.as_str()), Some("server, a.prom"));
        let of_server = Slot { run: Some(server.id.clone()), ..start.a.clone().unwrap() };
        let chosen = start.choose(Side::A, Chosen::Server(of_server));
        let b = chosen.b.clone().unwrap();
        assert_eq!((b.run, b.metric, b.stat), (Some(server.id.clone()), Metric::E2e, Stat::Mean));
        assert_eq!(chosen.a.as_ref().and_then(|a| a.run.clone()), Some(other.id.clone()));
        let all = [&one, &other];
        let beside = choices(&all, &[&server], &Context::default(), &chosen, Side::A);
        assert!(beside.servers.is_empty(), "one server is enough");
        let own = choices(&all, &[&server], &Context::default(), &chosen, Side::B);
        assert_eq!((own.metrics.len(), own.sources.len()), (SERVED.len(), 1));
        assert!(own.stats.iter().all(|(stat, _)| served(*stat) == *stat));
    }

    #[test]
    fn what_a_slot_holds_is_among_its_choices() {
        let (one, other) = two();
        let changes = [("tpot".to_owned(), "whole-over-n".to_owned())].into();
        let ruler = Ruler::Same { preset: "common".into(), changes };
        let held = Slot {
            stat: Stat::Percentile(99.9),
            ..slot(&one, Metric::Tpot, Source::Ruler(ruler.clone()))
        };
        let ask = ask(held.clone(), held.clone());
        let found = choices(&[&one, &other], &[], &Context::default(), &ask, Side::A);
        assert!(found.runs.iter().any(|(id, _)| Some(id) == held.run.as_ref()));
        assert!(found.stats.iter().any(|(stat, words)| *stat == held.stat && words == "p99.9"));
        let words = found.sources.iter().find(|(source, _)| *source == held.source);
        assert_eq!(words.map(|(_, words)| words.as_str()), Some("as common ruler, 1 change"));
    }

    #[test]
    fn swapping_twice_changes_nothing_and_moving_keeps_every_step() {
        let (one, other) = two();
        let start =
            ask(slot(&one, Metric::Tpot, Source::Own), slot(&other, Metric::Itl, Source::Own));
        assert_eq!(start.swapped().swapped(), start);
        let steps =
            ["itl/tpot".to_owned(), "window+window-edge".to_owned(), "weighting".to_owned()];
        let moved = start.moved(&steps, 2, 0);
        assert_eq!(moved.order, ["weighting", "itl/tpot", "window", "window-edge"]);
        assert_eq!(
            start.moved(&steps, 7, 0).order.len(),
            4,
            "a place that is not there moves nothing"
        );
    }
}
