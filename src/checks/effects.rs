//! What a finding does to the numbers: each touched metric with and without its remedy.

use super::finding::{Advice, Effect, Finding};
use crate::metrics::{Ask, Evaluation, Settings, evaluate};
use crate::model::{Metric, Run, Stat};

/// The metrics that a finding touches, as they are under the ruler `settings` and as they are once its
/// advice is followed, with those that stay the same left out; before them what the check worked out
/// itself.
///
/// `stat` is the statistic of metrics that have one sample a request. Advice that is followed outside of
/// this program changes no number here.
pub fn effects(
    run: &Run,
    finding: &Finding,
    settings: &Settings,
    ask: &Ask,
    stat: Stat,
) -> Vec<Effect> {
    effects_of(run, finding, settings, ask, stat, &evaluate(run, settings, ask))
}

/// The same with an evaluation of `run` under `settings` and `ask` that is there already.
pub fn effects_of(
    run: &Run,
    finding: &Finding,
    settings: &Settings,
    ask: &Ask,
    stat: Stat,
    before: &Evaluation,
) -> Vec<Effect> {
    let limited = finding.touches.iter().any(|m| matches!(m, Metric::Goodput | Metric::SloShare));
    if let (true, true, Some(limits)) = (limited, ask.limits.is_empty(), &run.reported.limits)
        && !limits.is_empty()
    {
        // Without limits of the reader's a goodput is that under the file's own.
        let ask = Ask { limits: limits.clone(), ..ask.clone() };
        return effects_of(run, finding, settings, &ask, stat, &evaluate(run, settings, &ask));
    }
    // A figure that the fault happens to leave as it is says nothing.
    let mut effects: Vec<Effect> =
        finding.figures.iter().filter(|e| e.before != e.after).cloned().collect();
    let Some(after) = repaired(run, finding, settings, ask) else { return effects };
    for metric in &finding.touches {
        let stat = if metric.is_distribution() { stat } else { Stat::Value };
        let (was, is) = (before.value(*metric, stat), after.value(*metric, stat));
        let told = effects.iter().any(|e| e.metric == *metric && e.stat == stat);
        if was != is && !told {
            effects.push(Effect { metric: *metric, stat, before: was, after: is });
        }
    }
    effects
}

/// The run measured once the advice is followed, where it can be followed here.
fn repaired(run: &Run, finding: &Finding, settings: &Settings, ask: &Ask) -> Option<Evaluation> {
    match &finding.advice {
        Advice::Exclude => {
            let mut ask = ask.clone();
            ask.excluded.extend(&finding.rows);
            ask.excluded.sort_unstable();
            ask.excluded.dedup();
            Some(evaluate(run, settings, &ask))
        }
        Advice::Set { dimension, choice } => {
            let mut settings = *settings;
            settings.set(dimension, choice).ok()?;
            Some(evaluate(run, &settings, ask))
        }
        Advice::Look | Advice::Say(_) => None,
    }
}
