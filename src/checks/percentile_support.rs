//! Percentiles that stand on one request.

use super::words::whole;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::stats::beyond;

/// The metrics with one sample a request: of pooled gaps there are many more.
const PER_REQUEST: [Metric; 3] = [Metric::Ttft, Metric::Tpot, Metric::E2e];
/// So many samples beyond a percentile let it be compared.
const ENOUGH: f64 = 10.0;

/// Tools print a p99.9 of every run, and hardly a reader quotes it: where no request lies beyond it alone, the
/// mark beside it is enough.
const QUOTED: f64 = 99.0;

/// The tool printed a p99 of fewer than 100 requests, which is its slowest one. Every percentile that is
/// shown here has its own mark; this says that the file's own lacks it.
pub(super) struct PercentileSupport;

impl Check for PercentileSupport {
    fn about(&self) -> About {
        About {
            id: "percentile-support",
            name: "Percentile of one request",
            passes: "at least one request lies beyond every printed percentile up to p99",
            rule: "the tool printed a percentile of TTFT, TPOT or E2E beyond which no request lies: a p99 of \
                   fewer than 100 requests, a p90 of fewer than 10; a higher one alone is not told, since tools \
                   print it of every run",
            source: "vllm-project/guidellm issue 243 and PR 1163",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let n = match subject.requests() {
            Ok(table) => table.finished_count() as f64,
            Err(_) => subject
                .printed(Metric::Completed, Stat::Value)
                .ok_or("the file does not count its requests")?,
        };
        // Metrics and upper percentiles as printed; a printed maximum says what it is.
        let mut printed: Vec<(Metric, f64)> = Vec::new();
        for value in &subject.run.reported.values {
            if let Stat::Percentile(p) = value.stat
                && PER_REQUEST.contains(&value.metric)
                && p > 50.0
                && p < 100.0
            {
                printed.push((value.metric, p));
            }
        }
        if printed.is_empty() {
            return Err("the file prints no percentile of a request".into());
        }
        printed.retain(|(_, p)| n >= 1.0 && beyond(n as usize, p / 100.0) == 0);
        let mut ranks: Vec<f64> = printed.iter().map(|(_, p)| *p).collect();
        ranks.sort_unstable_by(f64::total_cmp);
        ranks.dedup();
        let Some(lowest) = ranks.first().filter(|lowest| **lowest <= QUOTED) else {
            return Ok(None);
        };
        let names: Vec<String> = ranks.iter().map(|p| Stat::Percentile(*p).name()).collect();
        let one = 100.0 / (100.0 - lowest);
        let text = format!(
            "n = {}: no request lies beyond the printed {}, so that {} the slowest one. It ranks nothing.",
            whole(n),
            names.join(" and "),
            if names.len() == 1 { "it is" } else { "each is" }
        );
        let mut touched: Vec<Metric> = PER_REQUEST.to_vec();
        touched.retain(|metric| printed.iter().any(|(of, _)| of == metric));
        Ok(Some(Finding::new(Severity::Note, text).touches(&touched).say(format!(
            "Send {} requests or more to read a {}.",
            whole((one * ENOUGH).round()),
            Stat::Percentile(*lowest).name()
        ))))
    }
}
