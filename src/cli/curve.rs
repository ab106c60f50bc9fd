//! `curve`: the sweeps among the runs as curves, with frontier, knee and both peaks, as a table, JSON, CSV,
//! Markdown or a picture.

use super::args::{self, CurveForm};
use super::curve_json;
use super::curve_table::{csv, markdown, write_table};
use super::input::{Loaded, Naming, load};
use super::metrics::ask;
use super::output::write_json;
use super::ruler::Ruler;
use super::{Exit, Failure, Streams, say, say_refused};
use crate::charts::{Mode, Theme, to_captioned_svg};
use crate::checks::{self, Blocked};
use crate::engine::{Answer, Query, Session};
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Ask, Axis, Curve, CurveAsk, CurvePoint, Evaluation, Settings, Subject, Value, beaten_by, curve,
    evaluate, place,
};
use crate::model::{Metric, Run, Stat};
use crate::views::curves::{Across, CurveAxes, Told, axis_words, told};
use crate::views::groups::{RunGroup, Varied, curve_names, groups, holds_all_stages};
use crate::views::{Context, Judged};
use std::fs;

/// Size of the picture in logical pixels: that of the main chart on screen.
const PICTURE: (u32, u32) = (752, 396);

/// One run with its definitions and its numbers.
pub(super) struct Measured<'a> {
    /// The run.
    pub(super) run: &'a Run,
    /// Its definitions.
    pub(super) settings: Settings,
    /// Its metrics.
    pub(super) evaluation: Evaluation,
}

/// A sweep, or one load alone.
pub(super) struct Series<'a> {
    /// As on the page: the tool of a sweep, or the name of a run.
    pub(super) name: String,
    /// What was varied.
    pub(super) varied: Option<Varied>,
    /// The runs behind the points.
    pub(super) runs: Vec<&'a Measured<'a>>,
    /// The curve.
    pub(super) curve: Curve,
    /// What it says.
    pub(super) said: Vec<String>,
}

impl<'a> Series<'a> {
    /// The run of a point, of repeats the first.
    pub(super) fn measured(&self, at: usize) -> Option<&'a Measured<'a>> {
        let point = self.curve.points.get(at)?;
        self.runs.iter().find(|measured| measured.run.id == point.run).copied()
    }

    /// "12 req/s".
    pub(super) fn load(&self, at: usize) -> String {
        self.measured(at).map_or_else(String::new, |m| words(m.run, self.varied))
    }
}

/// All curves on the axes that were asked for.
pub(super) struct Curves<'a> {
    /// Across.
    pub(super) x: Axis,
    /// Up.
    pub(super) y: Axis,
    /// The question.
    pub(super) ask: Ask,
    /// One a sweep.
    pub(super) series: Vec<Series<'a>>,
    /// Of each point of each series, the series and point that beats it.
    pub(super) beaten: Vec<Vec<Option<(usize, usize)>>>,
    /// Runs that a finding holds back.
    pub(super) held_back: Vec<(&'a Run, Blocked)>,
    /// Runs that are all stages of a sweep together.
    pub(super) all_stages: Vec<&'a Run>,
}

/// Why the rows of all stages together are on no curve.
pub(super) const ALL_STAGES: &str = "it holds all stages of the sweep together and has no load of its own; the stages beside it are the curve";

/// Runs the subcommand.
pub(super) fn run(args: &args::Curve, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let ruler = Ruler::new(&args.ruler, "own")?;
    let x = args.x.unwrap_or(Axis::Metric(Metric::RequestThroughput, Stat::Value));
    let y = args.y.unwrap_or(Axis::Metric(Metric::Ttft, Stat::Percentile(99.0)));
    if args.output.is_some() && args.format != CurveForm::Svg {
        return Err(Failure::Use(
            "--output is where a picture goes: add --format svg. The other forms go to standard output.".into(),
        ));
    }
    let picture = if args.format == CurveForm::Svg { Some(axes(x, y)?) } else { None };
    let mut loaded = load(&args.input, Naming::AsGiven, streams);
    for run in &mut loaded.runs {
        run.said_gpus = args.gpus;
    }
    put_together(&mut loaded.runs, &args.sweep)?;
    let (all_stages, kept): (Vec<Run>, Vec<Run>) = {
        let runs = std::mem::take(&mut loaded.runs);
        let whole: Vec<bool> = runs.iter().map(|run| holds_all_stages(run, &runs)).collect();
        let (of, kept): (Vec<_>, Vec<_>) = runs.into_iter().zip(whole).partition(|(_, is)| *is);
        let only = |runs: Vec<(Run, bool)>| runs.into_iter().map(|(run, _)| run).collect();
        (only(of), only(kept))
    };
    loaded.runs = kept;
    if loaded.runs.is_empty() && matches!(args.format, CurveForm::Table | CurveForm::Markdown) {
        return nothing(&loaded, streams);
    }
    if let Some(axes) = picture {
        for run in &all_stages {
            say(streams, &format!("{}: left off, {ALL_STAGES}.", run.provenance.file));
        }
        let drawn = draw(&args.ruler, &ruler, axes, args.anyway, loaded.runs, streams)?;
        let refused = say_refused(&loaded.refused, streams);
        if let Some(svg) = drawn {
            write_picture(&svg, args, streams)?;
        }
        return Ok(refused);
    }
    let asked = with_axes(ask(&args.ruler), [x, y]);
    let (held_back, runs): (Vec<_>, Vec<_>) = loaded
        .runs
        .iter()
        .map(|run| (run, checks::blocked(run).filter(|_| !args.anyway)))
        .partition(|(_, blocked)| blocked.is_some());
    let measured = runs
        .into_iter()
        .map(|(run, _)| {
            let (_, settings) = ruler.of(run)?;
            let evaluation = evaluate(run, &settings, &asked);
            Ok(Measured { run, settings, evaluation })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let held_back = held_back.into_iter().filter_map(|(run, why)| Some((run, why?))).collect();
    let mut found = curves(&measured, held_back, [x, y], asked);
    found.all_stages = all_stages.iter().collect();
    match args.format {
        CurveForm::Json => {
            write_json(streams.out, &curve_json::answer(&found, &loaded.refused))?;
        }
        CurveForm::Csv => csv(&found).write_csv(streams.out)?,
        CurveForm::Markdown => markdown(&found, streams.out)?,
        _ => write_table(&found, streams.out)?,
    }
    if args.format == CurveForm::Table && !loaded.dumps.is_empty() {
        let files = match loaded.dumps.len() {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        writeln!(streams.out, "\n{files} of server metrics: no runs; see `sameruler server`.")?;
    }
    Ok(say_refused(&loaded.refused, streams))
}

/// Puts runs into the sweeps that were asked for, by the ends of their files' paths or of folders above them.
fn put_together(runs: &mut [Run], sweeps: &[(String, Vec<String>)]) -> Result<(), Failure> {
    let is = |run: &Run, wanted: &str| {
        let file = run.provenance.file.replace('\\', "/");
        format!("/{file}/").contains(&format!("/{}/", wanted.trim_start_matches("./")))
    };
    for (name, files) in sweeps {
        for wanted in files {
            let mut found = false;
            for run in runs.iter_mut().filter(|run| is(run, wanted)) {
                run.group = Some(name.clone());
                found = true;
            }
            if !found {
                return Err(Failure::Use(format!(
                    "--sweep {name}={wanted}: none of the runs is of a file or folder of this name."
                )));
            }
        }
    }
    Ok(())
}

/// Says why there is no curve: what was given holds no run.
fn nothing(loaded: &Loaded, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if loaded.refused.is_empty() {
        return Err(Failure::Use(
            "These are pages of server metrics alone, and a curve is of runs: add the result files of the client. `sameruler server` reads the pages.".into(),
        ));
    }
    Ok(say_refused(&loaded.refused, streams))
}

/// The question with the percentiles of the axes in it.
fn with_axes(mut ask: Ask, axes: [Axis; 2]) -> Ask {
    for axis in axes {
        if let Axis::Metric(_, Stat::Percentile(p)) | Axis::UserSpeed(Stat::Percentile(p)) = axis
            && !ask.percentiles.iter().any(|known| (known - p).abs() < 1e-9)
        {
            ask.percentiles.push(p);
        }
    }
    // The median has an interval as the percentile that it is.
    if !ask.percentiles.iter().any(|known| (known - 50.0).abs() < 1e-9) {
        ask.percentiles.push(50.0);
    }
    ask
}

/// The sweeps among the runs as curves.
pub(super) fn curves<'a>(
    measured: &'a [Measured<'a>],
    held_back: Vec<(&'a Run, Blocked)>,
    [x, y]: [Axis; 2],
    ask: Ask,
) -> Curves<'a> {
    let runs: Vec<&Run> = measured.iter().map(|m| m.run).collect();
    let found = groups(&runs);
    let firsts: Vec<(&RunGroup, &Run)> = found
        .iter()
        .filter_map(|group| Some((group, *runs.get(*group.members.first()?)?)))
        .collect();
    let names = curve_names(&firsts);
    let series: Vec<Series<'a>> = found
        .iter()
        .zip(names)
        .map(|(group, name)| {
            let members = group.members.iter().filter_map(|at| measured.get(*at)).collect();
            one(name, group.varied, members, [x, y], &ask)
        })
        .collect();
    let places: Vec<_> =
        series.iter().flat_map(|s| &s.curve.points).map(|p| place((x, &p.x), (y, &p.y))).collect();
    let at: Vec<(usize, usize)> = series
        .iter()
        .enumerate()
        .flat_map(|(at, s)| (0..s.curve.points.len()).map(move |point| (at, point)))
        .collect();
    let all: Vec<Option<(usize, usize)>> =
        beaten_by(&places).into_iter().map(|by| at.get(by?).copied()).collect();
    let mut rest = all.as_slice();
    let beaten = series
        .iter()
        .map(|s| {
            let (own, after) = rest.split_at_checked(s.curve.points.len()).unwrap_or((rest, &[]));
            rest = after;
            own.to_vec()
        })
        .collect();
    Curves { x, y, ask, series, beaten, held_back, all_stages: Vec::new() }
}

fn one<'a>(
    name: String,
    varied: Option<Varied>,
    runs: Vec<&'a Measured<'a>>,
    [x, y]: [Axis; 2],
    ask: &Ask,
) -> Series<'a> {
    let attain = runs.first().and_then(|m| match m.settings.goodput_unit {
        GoodputUnit::MaxLoadAtAttainment(share) => Some(share),
        _ => None,
    });
    let limits = &ask.limits;
    let wanted = CurveAsk { x, y, limits, attain, limit_stat: Stat::Mean, intervals: true };
    let subjects = runs.iter().map(|m| Subject::evaluated(m.run, &m.settings, ask, &m.evaluation));
    let curve = curve(subjects.collect(), &wanted);
    let mut series = Series { name, varied, runs, curve, said: Vec::new() };
    let load = |at: usize| series.load(at);
    let about = Told { limits, limit_stat: Stat::Mean, bounded: false, load: &load };
    series.said = told(&series.curve, &about);
    series
}

/// The load of a run: what the sweep varied, else its rate, else its cap.
pub(super) fn words(run: &Run, varied: Option<Varied>) -> String {
    if varied.is_none() && run.load.request_rate.is_none() && run.load.max_concurrency.is_none() {
        return "load not recorded".to_owned();
    }
    let finite = Varied::Rate.load(run).is_some_and(f64::is_finite);
    let capped = run.load.max_concurrency.is_some() && !finite;
    varied.unwrap_or(if capped { Varied::Concurrency } else { Varied::Rate }).words(run)
}

/// The axes of a picture.
fn axes(x: Axis, y: Axis) -> Result<CurveAxes, Failure> {
    let across = Across::of(x).ok_or_else(|| {
        Failure::Use(format!("--x {}: no picture has it across.", axis_words(x).id))
    })?;
    let (metric, stat) = match y {
        Axis::Metric(metric, stat) => (metric, stat),
        Axis::UserSpeed(stat) => (Metric::UserSpeed, stat),
        _ => {
            return Err(Failure::Use(format!(
                "--y {}: a picture has a metric upward, such as ttft.p99 or goodput. The other forms take any load.",
                axis_words(y).id
            )));
        }
    };
    Ok(CurveAxes { y: metric, stat, x: across, frontier: true, ..CurveAxes::default() })
}

/// The picture, or nothing where no load has both coordinates: then standard error says why.
fn draw(
    options: &args::Ruler,
    ruler: &Ruler,
    axes: CurveAxes,
    anyway: bool,
    runs: Vec<Run>,
    streams: &mut Streams<'_>,
) -> Result<Option<String>, Failure> {
    let ruler = ruler.for_views()?;
    let mut session = Session::new();
    session.adopt(runs);
    let ids = || session.runs().iter().map(|run| run.id.clone()).collect();
    let let_on = if anyway {
        session.runs().iter().map(|run| run.id.clone()).collect()
    } else {
        Judged::default().let_on
    };
    let context = Context {
        runs: ids(),
        ruler,
        limits: options.slo.clone(),
        judged: Judged { let_on, ..Judged::default() },
        ..Context::default()
    };
    let Answer::Curves(view) = session.answer(&context, &Query::Curves { axes }) else {
        return Err(Failure::Other("The engine answered another question.".into()));
    };
    for held in &view.held_back {
        say(streams, &format!("{}: left off, {}. {}", held.name, held.finding, held.text));
    }
    for sentence in view.left_out.iter().chain(&view.empty) {
        say(streams, sentence);
    }
    let theme = Theme::of(Mode::Light);
    Ok(view.main.map(|spec| to_captioned_svg(&spec, PICTURE.0, PICTURE.1, &theme)))
}

fn write_picture(svg: &str, args: &args::Curve, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let Some(path) = args.output.as_ref().filter(|path| path.as_os_str() != "-") else {
        return Ok(streams.out.write_all(svg.as_bytes())?);
    };
    fs::write(path, svg).map_err(|error| {
        Failure::Other(format!("{}: the picture could not be written: {error}.", path.display()))
    })
}

/// The interval of y, or the bounds within which it is known.
pub(super) fn ends(point: &CurvePoint) -> (Option<f64>, Option<f64>) {
    match point.y {
        Value::AtLeast(low) => (Some(low), None),
        Value::AtMost(high) => (None, Some(high)),
        Value::Between(low, high) => (Some(low), Some(high)),
        _ => point.y_spread.interval.map_or((None, None), |(i, _)| (Some(i.low), Some(i.high))),
    }
}

/// Where a value comes from, as `metrics` says it.
pub(super) const fn origin(value: &Value) -> &'static str {
    match value {
        Value::Exact(_) => "recomputed",
        Value::Reported(_) => "reported",
        Value::AtLeast(_) | Value::AtMost(_) | Value::Between(..) => "bounds",
        Value::Missing(_) => "unavailable",
    }
}
