//! The selected runs, each evaluated under the ruler that a view is asked under.

use super::labels::{self, Styles};
use super::quality;
use super::{Context, Ruler};
use crate::checks::{self, Blocked};
use crate::metrics::{
    Agreement, Ask, Evaluation, GoodputResult, Measured, Preset, Settings, Subject, Value, Verdict,
    agreement, evaluate, own,
};
use crate::model::{Limit, Metric, Run, Stat};
use std::cell::OnceCell;
use std::sync::Arc;

/// The percentiles that every view can show.
pub(super) const PERCENTILES: [f64; 4] = [50.0, 90.0, 95.0, 99.0];

/// The question that agreement answers.
#[derive(PartialEq)]
struct OwnUnder(Vec<Limit>);

/// One run under one ruler.
pub(super) struct Measurement<'a> {
    pub run: &'a Run,
    /// The run's name, told apart from others of the same name where several stand together.
    pub name: String,
    pub style: usize,
    pub settings: Settings,
    pub own: Settings,
    pub evaluation: Arc<Evaluation>,
    /// Why it is neither compared nor drawn on a curve until the reader lets it on.
    pub blocked: Option<Blocked>,
    ask: Ask,
    agreement: OnceCell<Arc<Vec<Agreement>>>,
}

impl Measurement<'_> {
    /// The same for differences.
    pub(super) fn subject(&self) -> Subject<'_> {
        let reason = self.blocked.as_ref().map(|blocked| blocked.text.clone());
        Subject::evaluated(self.run, &self.settings, &self.ask, &self.evaluation).blocked(reason)
    }

    /// The requests that were left out, by their number from 0, ascending.
    pub(super) fn excluded(&self) -> &[usize] {
        &self.ask.excluded
    }

    /// What the tool printed against the rows, worked out when it is first asked for: it takes an
    /// evaluation of its own, and many parts of the screen do without.
    pub(super) fn agreements(&self) -> &[Agreement] {
        // Of the question only the limits bear on what was printed.
        let key = OwnUnder(self.ask.limits.clone());
        self.agreement
            .get_or_init(|| self.run.memory.recall(key, || agreement(self.run, &self.ask)))
    }

    /// One statistic of one metric. Run-level metrics answer to any statistic.
    pub(super) fn value(&self, metric: Metric, stat: Stat) -> Value {
        let Some(measured) = self.evaluation.metrics.get(&metric) else {
            return Value::Missing("this version does not compute it".into());
        };
        measured.value(if is_run_level(metric) { Stat::Value } else { stat })
    }

    /// Everything known of one metric.
    pub(super) fn measured(&self, metric: Metric) -> Option<&Measured> {
        self.evaluation.metrics.get(&metric)
    }

    /// Goodput, where it is known at all.
    pub(super) fn goodput(&self) -> Result<&crate::metrics::Goodput, String> {
        match &self.evaluation.goodput {
            GoodputResult::Known(goodput) => Ok(goodput),
            GoodputResult::Unavailable(reason) => Err(reason.clone()),
            GoodputResult::NoLimits => Err("no limit is set".into()),
        }
    }

    /// Goodput in requests per second, where it is known exactly.
    pub(super) fn good_per_second(&self) -> Option<f64> {
        self.goodput().ok()?.per_second.as_ref().ok()?.exact()
    }

    /// The agreement of one printed statistic.
    pub(super) fn agreement(&self, metric: Metric, stat: Stat) -> Option<&Agreement> {
        let stat = if is_run_level(metric) { Stat::Value } else { stat };
        let printed = self.run.reported.find(metric, stat)?;
        self.agreements().iter().find(|a| a.field == printed.field)
    }

    /// How many printed values come out, of how many that the rows determine.
    pub(super) fn reproduced(&self) -> (usize, usize) {
        let determined = || {
            let by_rows =
                |a: &&Agreement| a.recomputed.is_some() && a.verdict != Verdict::NotRecomputable;
            self.agreements().iter().filter(by_rows)
        };
        (determined().filter(|a| a.verdict == Verdict::Equal).count(), determined().count())
    }
}

/// Whether a metric is one number for the run rather than one a request.
pub(super) const fn is_run_level(metric: Metric) -> bool {
    !metric.is_distribution()
}

/// The definitions of one run under a ruler. Names that mean nothing (from a link of another
/// version) fall back to the common ruler's.
pub(super) fn settings(run: &Run, ruler: &Ruler) -> Settings {
    match ruler {
        Ruler::Own => own(run).settings,
        Ruler::Same { preset, changes } => {
            let mut settings = base(preset).settings;
            for (dimension, choice) in changes {
                // An unknown name leaves the preset's choice, which the stamp then shows.
                let _ = settings.set(dimension, choice);
            }
            settings
        }
    }
}

/// The preset with this id, the common ruler if there is none.
pub(super) fn base(preset: &str) -> &'static Preset {
    Preset::find(preset).unwrap_or(&crate::metrics::COMMON)
}

/// What every evaluation of `run` asks for.
pub(super) fn ask(run: &Run, context: &Context, stat: Option<Stat>) -> Ask {
    let mut percentiles = PERCENTILES.to_vec();
    for stat in [Some(context.stat), stat].into_iter().flatten() {
        if let Stat::Percentile(p) = stat
            && !percentiles.iter().any(|known| (known - p).abs() < 1e-9)
        {
            percentiles.push(p);
        }
    }
    Ask { percentiles, limits: context.limits.clone(), excluded: left_out_rows(run, context) }
}

/// The requests of `run` that the reader left out, by their number from 0, ascending.
pub(super) fn left_out_rows(run: &Run, context: &Context) -> Vec<usize> {
    let checks = context.judged.excluded.iter().filter(|(id, _)| *id == run.id);
    let checks: Vec<&str> = checks.map(|(_, check)| check.as_str()).collect();
    let mut rows = checks::rows(run, &checks);
    let single = context.judged.requests.iter().filter(|(id, _)| *id == run.id);
    rows.extend(
        single.map(|(_, at)| *at).filter(|at| run.requests.as_ref().is_some_and(|r| *at < r.len())),
    );
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The selected runs in order, the baseline first, each measured. Runs that are gone are skipped.
pub(super) fn selected<'a>(all: &[&'a Run], context: &Context) -> Vec<Measurement<'a>> {
    let styles = Styles::of(all);
    let find = |id| all.iter().copied().find(|run| &run.id == id);
    let mut runs: Vec<&Run> = context.runs.iter().filter_map(find).collect();
    if let Some(at) = runs.iter().position(|run| Some(&run.id) == context.baseline.as_ref()) {
        let baseline = runs.remove(at);
        runs.insert(0, baseline);
    }
    let names = labels::distinct_names(&runs);
    let measure = |(run, name): (&'a Run, String)| Measurement {
        name,
        ..measure(run, styles.get(&run.id), context, None)
    };
    runs.into_iter().zip(names).map(measure).collect()
}

/// One run under the context's ruler.
pub(super) fn measure<'a>(
    run: &'a Run,
    style: usize,
    context: &Context,
    stat: Option<Stat>,
) -> Measurement<'a> {
    let settings = settings(run, &context.ruler);
    let ask = ask(run, context, stat);
    Measurement {
        run,
        name: run.name.clone(),
        style,
        settings,
        own: own(run).settings,
        evaluation: run.memory.recall((settings, ask.clone()), || evaluate(run, &settings, &ask)),
        blocked: quality::blocked(run, context),
        agreement: OnceCell::new(),
        ask,
    }
}
