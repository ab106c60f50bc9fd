//! One over throughput.

use super::{Case, Disagreement, Said, Tested};
use crate::metrics::measured::Value;
use crate::metrics::settings::{Tpot, Weighting};
use crate::model::{Metric, Stat};
use crate::units::significant;

/// One over throughput.
pub(super) struct OneOverThroughput;

impl Disagreement for OneOverThroughput {
    fn id(&self) -> &'static str {
        "one-over-throughput"
    }
    fn title(&self) -> &'static str {
        "One over throughput"
    }
    fn kind(&self) -> char {
        'G'
    }
    fn formula(&self) -> &'static str {
        "1 ÷ output throughput, against TPOT; their ratio is the mean number in flight"
    }
    fn paragraph(&self) -> &'static str {
        "A server that answers many at once makes a token every millisecond or two, while each reader waits tens of milliseconds for the next: 1 ÷ throughput is TPOT ÷ requests in flight (Little’s law). Both are right and neither is the other: only TPOT is what one user sees."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("tpot", "after-first"), ("duration", "")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let ruler = case.ruler(|s| {
            s.tpot = Tpot::AfterFirst;
            s.weighting = Weighting::PerRequest;
        });
        let throughput = match case.value(Metric::OutputThroughput, Stat::Value, ruler) {
            Value::Exact(v) | Value::Reported(v) if v > 0.0 => v,
            Value::Missing(reason) => return Tested::cannot_tell(reason),
            _ => return Tested::cannot_tell("output throughput is not known exactly"),
        };
        let tpot = match case.value(Metric::Tpot, Stat::Mean, ruler) {
            Value::Exact(v) | Value::Reported(v) if v > 0.0 => v,
            Value::Missing(reason) => return Tested::cannot_tell(reason),
            _ => return Tested::cannot_tell("TPOT is not known exactly"),
        };
        let in_flight = significant(throughput * tpot / 1e3, 3);
        Tested::of(
            Said::new("1 ÷ throughput", 1e3 / throughput, "ms"),
            Said::new("mean TPOT", tpot, "ms"),
            &format!("throughput × TPOT is {in_flight}, about the requests that decode at once"),
        )
    }
}
