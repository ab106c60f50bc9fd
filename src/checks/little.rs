//! Throughput × time per token = requests that decode (Little’s law).

use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// How near a printed TPOT must come to 1 ÷ throughput to be it.
const RECIPROCAL: f64 = 0.02;
/// In fewer requests the two are the same number.
const SEVERAL: f64 = 1.5;
/// Decoding requests can’t be more than those in flight; mean lengths and rounding blur it by so much.
const BLUR: f64 = 1.25;

/// A printed TPOT that is 1 ÷ throughput, or more decoding requests than were in flight.
pub(super) struct Little;

impl Check for Little {
    fn about(&self) -> About {
        About {
            id: "little",
            name: "Throughput, TPOT and concurrency disagree",
            passes: "throughput × TPOT is no more than the requests in flight, and TPOT is not 1 ÷ throughput",
            rule: "the mean TPOT is within 2 % of 1 ÷ output throughput with more than 1.5 requests in \
                   flight, or output throughput × mean TPOT is more than 1.25 times the requests in flight",
            source: "vllm-project/vllm issue 12845; modelscope/evalscope issue 320",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let evaluation = subject.evaluation();
        let printed = subject.printed(Metric::Tpot, Stat::Mean);
        let tpot = printed.or_else(|| evaluation.value(Metric::Tpot, Stat::Mean).number());
        let tpot = tpot.filter(|t| *t > 0.0).ok_or("there is no mean TPOT")? / 1e3;
        let rate = subject.number(Metric::OutputThroughput, Stat::Value).filter(|r| *r > 0.0);
        let rate = rate.ok_or("there is no output throughput")?;
        let measured = evaluation.value(Metric::MeanConcurrency, Stat::Value).number();
        let aggregate = || {
            let (served, e2e) = (
                subject.printed(Metric::RequestThroughput, Stat::Value)?,
                subject.printed(Metric::E2e, Stat::Mean)?,
            );
            Some(served * e2e / 1e3)
        };
        let asked = || subject.run.load.max_concurrency.map(|n| n as f64);
        let flight = subject
            .printed(Metric::MeanConcurrency, Stat::Value)
            .or(measured)
            .or_else(aggregate)
            .or_else(asked)
            .ok_or("there is no number of requests in flight")?;
        let decoding = rate * tpot;
        if (decoding - 1.0).abs() <= RECIPROCAL && flight > SEVERAL {
            let text = format!(
                "TPOT {} ms looks like 1/throughput: {} tok/s × {} ms = {} requests, but about {} were in \
                 flight. The time per token of a request is about {} ms.",
                significant(tpot * 1e3, 3),
                significant(rate, 3),
                significant(tpot * 1e3, 3),
                significant(decoding, 2),
                significant(flight, 3),
                significant(flight / rate * 1e3, 3)
            );
            return Ok(Some(
                Finding::new(Severity::Warn, text)
                    .touches(&[Metric::Tpot, Metric::UserSpeed])
                    .figure(
                        Metric::Tpot,
                        Stat::Mean,
                        Value::Reported(tpot * 1e3),
                        Value::AtMost(flight / rate * 1e3),
                    ),
            ));
        }
        if decoding <= BLUR * flight {
            return Ok(None);
        }
        let text = format!(
            "Output throughput × TPOT = {} requests that decode, but {} were in flight on average: one of \
             the three is wrong.",
            significant(decoding, 3),
            significant(flight, 3)
        );
        Ok(Some(Finding::new(Severity::Warn, text).touches(&[
            Metric::OutputThroughput,
            Metric::Tpot,
            Metric::MeanConcurrency,
        ])))
    }
}
