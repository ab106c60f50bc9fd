//! Throughput × time per token = requests that decode (Little’s law).

use super::{About, Check, Finding, Subject};
use crate::metrics::{Value, decode_per_token};
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
            passes: "no more requests decode than are in flight, and TPOT is not 1 ÷ throughput",
            rule: "a printed mean TPOT is within 2 % of 1 ÷ output throughput with more than 1.5 requests in \
                   flight past their first token, and the rows don’t give it; or output throughput × decode \
                   time per token (Σ (E − T) ÷ Σ n; without rows the mean TPOT, and then only a note) is \
                   more than 1.25 times the requests in flight",
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
        // Requests that wait for their first token are in flight and decode nothing.
        let waiting = subject
            .number(Metric::RequestThroughput, Stat::Value)
            .zip(subject.number(Metric::Ttft, Stat::Mean))
            .map_or(0.0, |(served, ttft)| served * ttft / 1e3);
        // A time per token that the rows give too is no reciprocal, whatever their product is.
        let by_rows = evaluation.value(Metric::Tpot, Stat::Mean).exact();
        let given = by_rows.is_some_and(|t| (t / 1e3 - tpot).abs() <= RECIPROCAL * tpot);
        if (decoding - 1.0).abs() <= RECIPROCAL && flight - waiting > SEVERAL && !given {
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
        // Throughput weighs tokens and a mean TPOT requests: where lengths differ only the rows tell how
        // long all requests together decoded.
        let per_token = decode_per_token(subject.run, &subject.own, &[]);
        let decoding = per_token.map_or(decoding, |millis| rate * millis / 1e3);
        if decoding <= BLUR * flight {
            return Ok(None);
        }
        let (severity, time, because) = match per_token {
            Some(_) => (Severity::Warn, "decode time per token", "one of the three is wrong"),
            None => (
                Severity::Note,
                "TPOT",
                "one of the three is wrong, or short replies with a long time per token raise the mean",
            ),
        };
        let text = format!(
            "Output throughput × {time} = {} requests that decode, but {} were in flight on average: \
             {because}.",
            significant(decoding, 3),
            significant(flight, 3)
        );
        Ok(Some(Finding::new(severity, text).touches(&[
            Metric::OutputThroughput,
            Metric::Tpot,
            Metric::MeanConcurrency,
        ])))
    }
}
