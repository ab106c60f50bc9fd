//! Gathers what a report prints: the views over the selected runs, and the files behind them.

use super::plain;
use super::protocol::ReportRequest;
use crate::model::{Level, Run, ServerDump, Stat};
use crate::report::{Comparison, ReportInput, SourceFile};
use crate::views::explain::{ExplainAsk, ExplainView, Slot};
use crate::views::goodput::{GoodputAsk, GoodputMaps, GoodputView};
use crate::views::server::ServerAsk;
use crate::views::{self, Context};

/// The report's input for the selected runs, or for all when none is selected.
pub(super) fn gather(
    all: &[&Run],
    dumps: &[&ServerDump],
    context: &Context,
    request: &ReportRequest,
) -> ReportInput {
    let mut context = context.clone();
    if context.runs.is_empty() {
        context.runs = all.iter().map(|run| run.id.clone()).collect();
    }
    let runs: Vec<&Run> =
        context.runs.iter().filter_map(|id| all.iter().find(|r| &r.id == id).copied()).collect();
    let stats: &[Stat] = if request.stats.is_empty() { &[context.stat] } else { &request.stats };
    let mut sources: Vec<SourceFile> = Vec::new();
    for run in &runs {
        let sha256 = run.provenance.sha256.hex();
        if !sources.iter().any(|known| known.sha256 == sha256) {
            sources.push(SourceFile {
                file: run.provenance.file.clone(),
                made_by: format!("{} {}", run.tool.name(), views::version(run)),
                bytes: run.provenance.bytes,
                sha256: sha256.to_owned(),
            });
        }
    }
    for dump in dumps {
        let sha256 = dump.provenance.sha256.hex();
        if !sources.iter().any(|known| known.sha256 == sha256) {
            sources.push(SourceFile {
                file: dump.provenance.file.clone(),
                made_by: "a server’s metrics".to_owned(),
                bytes: dump.provenance.bytes,
                sha256: sha256.to_owned(),
            });
        }
    }
    ReportInput {
        plan: plain::plan(&request.plan),
        date: request.date.clone(),
        ruler: context.ruler.clone(),
        limits: context.limits.clone(),
        library: views::library::library(all, &[], &context),
        comparisons: stats
            .iter()
            .map(|stat| {
                let context = Context { stat: *stat, ..context.clone() };
                Comparison {
                    stat: *stat,
                    view: views::compare::compare(all, &context),
                    repeats: views::repeats::repeats(all, &context),
                }
            })
            .collect(),
        window: Some(views::window::window(all, &context, None))
            .filter(|view| view.window != "whole" && !view.runs.is_empty()),
        curves: views::curves::curves(all, &context, request.axes),
        goodput: goodput(all, &context),
        slo: views::slo::slo(all, &context),
        distributions: views::distributions::distributions(all, &context, &request.distributions),
        explain: explained(&runs, dumps, &context, &request.explain),
        server: views::server::screen(dumps, &runs, &context, &ServerAsk::default()),
        sensitivity: views::sensitivity::sensitivity(all, &context),
        definitions: views::definitions::definitions(all, &context, 0),
        cards: runs.iter().map(|run| views::run_card::run_card(all, &context, &run.id)).collect(),
        quality: views::quality::quality(all, &context),
        sources,
        raw: views::raw::raw_tables(
            all,
            &context,
            request.data.as_ref().is_some_and(|data| data.level >= Level::Requests),
        ),
        data: None,
    }
}

/// Goodput of every sweep of more than one load, under the limits.
fn goodput(all: &[&Run], context: &Context) -> Vec<(GoodputView, GoodputMaps)> {
    if context.limits.is_empty() {
        return Vec::new();
    }
    let sweeps = views::goodput::goodput(all, context, &GoodputAsk::default()).sweeps;
    let of = |run| {
        let ask = GoodputAsk { run: Some(run), ..GoodputAsk::default() };
        let view = views::goodput::goodput(all, context, &ask);
        let maps = views::goodput::goodput_maps(all, context, &ask);
        (view.table.rows.len() > 1).then_some((view, maps))
    };
    sweeps.into_iter().filter_map(|sweep| of(sweep.run)).collect()
}

/// The explanation of the two numbers that were chosen, or of the most important disagreement between two
/// of the runs; none where there is no bridge, or nothing to explain.
fn explained(
    runs: &[&Run],
    dumps: &[&ServerDump],
    context: &Context,
    ask: &ExplainAsk,
) -> Option<ExplainView> {
    let chosen = ask.a.is_some() && ask.b.is_some();
    let view = views::explain::explain(runs, dumps, context, ask);
    let apart = |view: &ExplainView| {
        let run = |slot: Option<&Slot>| slot.and_then(|slot| slot.run.clone());
        run(view.ask.a.as_ref()) != run(view.ask.b.as_ref()) && !view.steps.is_empty()
    };
    Some(view).filter(|view| view.trouble.is_none() && (chosen || apart(view)))
}
