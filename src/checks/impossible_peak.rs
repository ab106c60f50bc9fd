//! A peak output rate below the mean rate cannot be.

use super::{About, Check, Finding, Subject};
use crate::metrics::{Events, Value};
use crate::model::{Metric, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// The least that a mean may be above its own floor: rounding of printed numbers.
const ROUNDING: f64 = 0.98;

/// The peak of events against the mean of tokens.
pub(super) struct ImpossiblePeak;

impl Check for ImpossiblePeak {
    fn about(&self) -> About {
        About {
            id: "impossible-peak",
            name: "Peak below the mean",
            passes: "the peak output rate is not below the mean",
            rule: "the peak of one second is below mean × W ÷ (⌊W⌋ + 1) by more than 2 %, W the length of \
                   the run in seconds",
            source: "vllm-project/vllm issue 37666, PR 50677 and PR 35471",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let value = |metric| subject.number(metric, Stat::Value);
        let peak = value(Metric::PeakOutputRate);
        let peak = peak.ok_or("no peak output rate is printed, and none follows from the rows")?;
        let mean = value(Metric::OutputThroughput).ok_or("there is no output throughput")?;
        let length = value(Metric::Duration).filter(|w| *w > 0.0);
        let length = length.ok_or("there is no duration")?;
        let floor = mean * length / (length.floor() + 1.0);
        if peak >= ROUNDING * floor {
            return Ok(None);
        }
        let evaluation = subject.evaluation();
        let per_event = evaluation.events.map(Events::tokens_per_event);
        let because = match per_event {
            Some(n) if n > 1.05 => format!(
                "The peak counts stream events, the mean tokens: {} tokens an event.",
                significant(n, 2)
            ),
            _ => "One second at least must reach the mean.".to_owned(),
        };
        let text = format!(
            "The peak of {} tok/s is below the {} that the mean of {} over {} s asks for, which can’t be. \
             {because}",
            significant(peak, 3),
            significant(floor, 3),
            significant(mean, 3),
            significant(length, 3)
        );
        let mut finding = Finding::new(Severity::Warn, text).touches(&[Metric::PeakOutputRate]);
        if let Some(tokens) = evaluation.peaks.and_then(|peaks| peaks.tokens) {
            // The share of a token within its event is not known: taken as even.
            finding = finding.figure(
                Metric::PeakOutputRate,
                Stat::Value,
                Value::Exact(peak),
                Value::Exact(tokens),
            );
        }
        Ok(Some(finding))
    }
}
