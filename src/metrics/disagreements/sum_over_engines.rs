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

/// Labels that tell engines, replicas and processes apart. Labels with a meaning of their own, such as why
/// a request ended, are none.
const APART: [&str; 9] =
    ["engine", "engine_index", "model_name", "pod", "instance", "job", "pid", "dp_rank", "tp_rank"];

/// The labels of a series.
type Labels<'a> = &'a [(String, String)];

/// A counter with several series, its name and their last values: the one with the most of them. A page
/// before and one after a run hold the same series twice: its larger value counts once.
fn several(dumps: &[&Dump]) -> Option<(String, Vec<f64>)> {
    let mut found: BTreeMap<&str, BTreeMap<Labels<'_>, f64>> = BTreeMap::new();
    for dump in dumps {
        for series in &dump.series {
            let family = dump.families.get(series.family as usize);
            let counts = family.is_some_and(|family| family.kind == FamilyKind::Counter);
            let tokens = series.name.contains("tokens") || series.name.contains("request");
            let apart = series.labels.iter().all(|(name, _)| APART.contains(&name.as_str()));
            if let (true, true, true, Some(last)) = (counts, tokens, apart, series.points.last()) {
                let of_name = found.entry(series.name.as_str()).or_default();
                let known = of_name.entry(series.labels.as_slice()).or_insert(last.value);
                *known = known.max(last.value);
            }
        }
    }
    let most = found
        .into_iter()
        .filter(|(_, series)| series.len() > 1)
        .max_by_key(|(_, series)| series.len())?;
    Some((most.0.to_owned(), most.1.into_values().collect()))
}
