//! `report`: the static report over all runs, as one HTML file.

use super::args::ReportForm;
use super::ruler::Ruler;
use super::session::view;
use super::{Exit, Failure, Streams, args, saved, say};
use crate::engine::protocol::{ReportRequest, SaveRequest};
use crate::engine::{Answer, Query};
use crate::model::{Metric, Stat};
use crate::report::self_check;
use crate::views::curves::{CurveAxes, LoadAxis};
use crate::views::distributions::DistributionsAsk;
use crate::views::explain::ExplainAsk;
use crate::views::{Context, Judged};

/// Percentiles of the comparison where none are asked for.
const PERCENTILES: [f64; 2] = [50.0, 99.0];

/// Runs the subcommand.
pub(super) fn run(args: &args::Report, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let arranged = [&args.sections, &args.without].iter().any(|list| !list.is_empty());
    let worded = !args.heading.is_empty() || !args.note.is_empty();
    if args.format == ReportForm::Markdown && (arranged || worded) {
        return Err(Failure::Use(
            "--sections, --without, --heading and --note are of the HTML report; Markdown is the report in short.".into(),
        ));
    }
    let ruler = Ruler::new(&args.saved.ruler, "common")?.for_views()?;
    let saved::Read { session, names, plan, refused } = saved::read(&args.saved, streams);
    if session.runs().is_empty() {
        say(streams, "No report was written, since no file could be read.");
        return Ok(refused);
    }
    let stats = stats(&args.saved.ruler);
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        baseline: None,
        ruler,
        limits: args.saved.ruler.slo.clone(),
        demand: args.demand,
        stat: stats.first().copied().unwrap_or(Stat::Median),
        judged: Judged::default(),
        compare_anyway: args.compare_anyway,
    };
    let plan = args.plan(plan);
    let tail = stats.last().copied().unwrap_or(Stat::Median);
    let request = ReportRequest {
        plan: plan.clone(),
        date: saved::date(&args.saved, streams),
        axes: CurveAxes {
            y: Metric::Ttft,
            stat: tail,
            x: LoadAxis::Achieved.into(),
            ..CurveAxes::default()
        },
        stats,
        distributions: DistributionsAsk::default(),
        explain: ExplainAsk::default(),
        data: args.data.level().map(|level| SaveRequest {
            level,
            view: view(&context),
            date: saved::date(&args.saved, streams),
            names,
            plan,
        }),
        draft: false,
    };
    let Answer::Report { file, html, markdown, .. } =
        session.answer(&context, &Query::Report(request))
    else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    if args.format == ReportForm::Markdown {
        let file = format!("{}.md", file.trim_end_matches(".html"));
        saved::write(markdown.as_bytes(), file, "summary", &args.saved, streams)?;
        return Ok(refused);
    }
    self_check(&html).map_err(|error| Failure::Other(format!("{error}.")))?;
    saved::write(html.as_bytes(), file, "report", &args.saved, streams)?;
    Ok(refused)
}

/// The statistics of the comparison, the 50th percentile by its name.
fn stats(args: &args::Ruler) -> Vec<Stat> {
    let stat =
        |p: &f64| if p.total_cmp(&50.0).is_eq() { Stat::Median } else { Stat::Percentile(*p) };
    args.percentiles(&PERCENTILES).iter().map(stat).collect()
}
