//! `report`: the static report over all runs, as one HTML file.

use super::args;
use super::input::{Naming, load};
use super::ruler::Ruler;
use super::session::view;
use super::{Exit, Failure, Streams, say, say_refused};
use crate::engine::protocol::{ReportRequest, SaveRequest};
use crate::engine::{Answer, Query, Session};
use crate::model::{Metric, Stat};
use crate::report::self_check;
use crate::views::curves::{CurveAxes, LoadAxis};
use crate::views::distributions::DistributionsAsk;
use crate::views::explain::ExplainAsk;
use crate::views::{Context, Judged};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Percentiles of the comparison where none are asked for.
const PERCENTILES: [f64; 2] = [50.0, 99.0];

/// Runs the subcommand.
pub(super) fn run(args: &args::Report, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.ruler, "common")?.for_views()?;
    let loaded = load(&args.input, Naming::Shared, streams);
    let refused = say_refused(&loaded.refused, streams);
    let mut session = Session::new();
    session.adopt(loaded.runs);
    for dump in loaded.dumps {
        // The same dump twice is one.
        let _ = session.adopt_dump(dump);
    }
    if session.runs().is_empty() {
        say(streams, "No report was written, since no file could be read.");
        return Ok(refused);
    }
    let stats = stats(&args.ruler);
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        baseline: None,
        ruler,
        limits: args.ruler.slo.clone(),
        demand: args.demand,
        stat: stats.first().copied().unwrap_or(Stat::Median),
        judged: Judged::default(),
        compare_anyway: args.compare_anyway,
    };
    let tail = stats.last().copied().unwrap_or(Stat::Median);
    let request = ReportRequest {
        title: args.title.clone(),
        date: args.date.clone().unwrap_or_else(|| streams.today.clone()),
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
            date: args.date.clone().unwrap_or_else(|| streams.today.clone()),
            names: BTreeMap::new(),
        }),
    };
    let Answer::Report { file, html } = session.answer(&context, &Query::Report(request)) else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    self_check(&html).map_err(|error| Failure::Other(format!("{error}.")))?;
    write(&html, args.output.clone().unwrap_or_else(|| PathBuf::from(file)), args, streams)?;
    Ok(refused)
}

/// The statistics of the comparison, the 50th percentile by its name.
fn stats(args: &args::Ruler) -> Vec<Stat> {
    let stat =
        |p: &f64| if p.total_cmp(&50.0).is_eq() { Stat::Median } else { Stat::Percentile(*p) };
    args.percentiles(&PERCENTILES).iter().map(stat).collect()
}

fn write(
    html: &str,
    path: PathBuf,
    args: &args::Report,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(streams.out.write_all(html.as_bytes())?);
    }
    fs::write(&path, html).map_err(|error| {
        Failure::Other(format!("{}: the report could not be written: {error}.", path.display()))
    })?;
    if !args.input.quiet {
        say(streams, &format!("{}: written.", path.display()));
    }
    Ok(())
}
