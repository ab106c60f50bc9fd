//! One series of several.

use super::{Case, Disagreement, Said, Tested};
use crate::model::{Dump, FamilyKind};
use std::collections::BTreeMap;

/// One series of several.
pub(super) struct SumOverEngines;

impl Disagreement for SumOverEngines {
    fn id(&self) -> &'static str {
        "sum-over-engines"
    }
    fn title(&self) -> &'static str {
        "One series of several"
    }
    fn kind(&self) -> char {
        'L'
    }
    fn formula(&self) -> &'static str {
        "the first series, against the sum over all of its name"
    }
    fn paragraph(&self) -> &'static str {
        "A server with several engines, replicas or worker processes has a series for each. Who reads the first one under-reports, who averages counters does too: counters and buckets are summed over them before rates and quantiles, gauges of one thing seen by several processes are not."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let Some((name, values)) = several(case.dumps) else {
            return if case.dumps.is_empty() {
                Tested::cannot_tell("no metrics of a server are loaded")
            } else {
                Tested::does_not("each counter has one series")
            };
        };
        let first = values.first().copied().unwrap_or_default();
        Tested::of(
            Said::new(format!("{name} of the first series"), first, ""),
            Said::new(format!("the sum of {}", values.len()), values.iter().sum(), ""),
            "",
        )
    }
}

/// A counter with several series, its name and their last values: the one with the most of them.
fn several(dumps: &[&Dump]) -> Option<(String, Vec<f64>)> {
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for dump in dumps {
        for series in &dump.series {
            let family = dump.families.get(series.family as usize);
            let counts = family.is_some_and(|family| family.kind == FamilyKind::Counter);
            let tokens = series.name.contains("tokens") || series.name.contains("request");
            // Labels with a meaning of their own, such as why a request ended, are no engines.
            let meant = series.labels.iter().any(|(name, _)| {
                !matches!(
                    name.as_str(),
                    "engine"
                        | "engine_index"
                        | "model_name"
                        | "pod"
                        | "instance"
                        | "job"
                        | "pid"
                        | "dp_rank"
                        | "tp_rank"
                )
            });
            if let (true, true, false, Some(last)) = (counts, tokens, meant, series.points.last()) {
                found.entry(series.name.clone()).or_default().push(last.value);
            }
        }
    }
    found.into_iter().filter(|(_, values)| values.len() > 1).max_by_key(|(_, values)| values.len())
}
