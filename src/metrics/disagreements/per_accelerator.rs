//! Throughput per accelerator.

use super::{Case, Disagreement, Said, Tested};
use crate::model::{Metric, Stat};

/// Throughput per accelerator.
pub(super) struct PerAccelerator;

impl Disagreement for PerAccelerator {
    fn id(&self) -> &'static str {
        "per-accelerator"
    }
    fn title(&self) -> &'static str {
        "Throughput per accelerator"
    }
    fn kind(&self) -> char {
        'N'
    }
    fn formula(&self) -> &'static str {
        "throughput, against throughput ÷ accelerators"
    }
    fn paragraph(&self) -> &'static str {
        "Curves per GPU need the number of GPUs. Where the record lacks it and a script takes 1, throughput per GPU is too high by the number there are, and a frontier of such points is worthless. An unknown number is to be asked for, never assumed."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("duration", "")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let Some(gpus) = case.run.gpus() else {
            return Tested::cannot_tell("the file does not say how many accelerators served it");
        };
        let ruler = case.ruler(|_| {});
        match case.value(Metric::OutputThroughput, Stat::Value, ruler).exact_or_reported() {
            None => Tested::cannot_tell("output throughput is not known"),
            Some(rate) => Tested::of(
                Said::new("output throughput", rate, "tok/s"),
                Said::new(format!("over {gpus} accelerators"), rate / f64::from(gpus), "tok/s"),
                "",
            ),
        }
    }
}
