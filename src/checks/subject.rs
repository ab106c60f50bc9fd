//! A run under examination, and what several checks read of it.

use crate::metrics::{Agreement, Ask, Evaluation, Settings, agreement, evaluate, own};
use crate::model::{GapKind, Metric, Outcome, Requests, Run, Stat, TokenSource};
use crate::units::{Seconds, Tokens};
use std::cell::OnceCell;

/// A run under examination, under the definitions of the tool that wrote it.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The run.
    pub run: &'a Run,
    /// The ruler under which it was printed.
    pub own: Settings,
    evaluation: OnceCell<Evaluation>,
    agreements: OnceCell<Vec<Agreement>>,
}

impl<'a> Subject<'a> {
    /// Prepares `run` for all checks.
    pub fn new(run: &'a Run) -> Self {
        Self {
            run,
            own: own(run).settings,
            evaluation: OnceCell::new(),
            agreements: OnceCell::new(),
        }
    }

    /// The request table.
    ///
    /// # Errors
    /// When there is none; the reason is a clause.
    pub fn requests(&self) -> Result<Table<'a>, String> {
        let requests = self.run.requests.as_ref();
        requests.map(Table).ok_or_else(|| "the file holds no requests".to_owned())
    }

    /// The run under its own ruler.
    pub fn evaluation(&self) -> &Evaluation {
        self.evaluation.get_or_init(|| evaluate(self.run, &self.own, &Ask::default()))
    }

    /// What the tool printed against its rows.
    pub fn agreements(&self) -> &[Agreement] {
        self.agreements.get_or_init(|| agreement(self.run, &Ask::default()))
    }

    /// A number as the tool printed it, in the metric's unit.
    pub fn printed(&self, metric: Metric, stat: Stat) -> Option<f64> {
        self.run.reported.find(metric, stat).map(|v| v.value)
    }

    /// A number as the tool printed it, or else as its rows give it under its own ruler.
    pub fn number(&self, metric: Metric, stat: Stat) -> Option<f64> {
        self.printed(metric, stat).or_else(|| self.evaluation().value(metric, stat).number())
    }

    /// Mean tokens a finished request, from the rows or else as printed.
    pub fn mean_tokens(&self, metric: Metric) -> Option<f64> {
        let column = self.run.requests.as_ref().and_then(|requests| {
            let column = match metric {
                Metric::InputTokens => &requests.input_tokens,
                _ => &requests.output_tokens,
            };
            mean(Table(requests).finished().filter_map(|at| column.get(at)).map(Tokens::count))
        });
        let total = if metric == Metric::InputTokens {
            Metric::TotalInputTokens
        } else {
            Metric::TotalOutputTokens
        };
        column.or_else(|| self.printed(metric, Stat::Mean)).or_else(|| {
            let finished = self.printed(Metric::Completed, Stat::Value).filter(|n| *n > 0.0)?;
            Some(self.printed(total, Stat::Value)? / finished)
        })
    }

    /// A setting of the run by any of these names, as text.
    pub fn setting(&self, names: &[&str]) -> Option<&'a str> {
        let settings = self.run.workload.settings.iter();
        settings.into_iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, v)| &**v)
    }
}

/// A request table as the checks read it: times in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a>(pub &'a Requests);

impl<'a> Table<'a> {
    /// Whether anybody counted the output tokens.
    ///
    /// # Errors
    /// When they are what was asked for, or stream events; the reason is a clause.
    pub fn counted(self) -> Result<(), String> {
        match self.0.token_source {
            source @ (TokenSource::Events | TokenSource::Requested) => {
                Err(format!("the output tokens are {}", source.words()))
            }
            TokenSource::Server | TokenSource::Retokenized | TokenSource::Unknown => Ok(()),
        }
    }

    /// Requests that finished and brought a token.
    pub fn finished(self) -> impl Iterator<Item = usize> + 'a {
        let requests = self.0;
        let ok = |at: &usize| requests.outcome.get(*at) == Some(&Outcome::Ok);
        (0..requests.len()).filter(ok).filter(|at| !requests.is_empty_reply(*at))
    }

    /// Number of those.
    pub fn finished_count(self) -> usize {
        self.finished().count()
    }

    /// Send to first token.
    pub fn ttft(self, at: usize) -> Option<f64> {
        self.0.ttft.get(at).map(Seconds::as_secs)
    }

    /// Send to end as the tool recorded it.
    pub fn e2e(self, at: usize) -> Option<f64> {
        self.0.e2e.get(at).map(Seconds::as_secs)
    }

    /// Send time on the run's clock.
    pub fn start(self, at: usize) -> Option<f64> {
        self.0.start.get(at).map(Seconds::as_secs)
    }

    /// Output tokens by the main count.
    pub fn tokens(self, at: usize) -> Option<f64> {
        self.0.output_tokens.get(at).map(Tokens::count)
    }

    /// Gaps as recorded.
    pub fn gaps(self, at: usize) -> Option<&'a [Seconds]> {
        self.0.gaps.row(at)
    }

    /// Σ gaps.
    pub fn gap_sum(self, at: usize) -> Option<f64> {
        self.gaps(at).map(|row| row.iter().map(|gap| gap.as_secs()).sum())
    }

    /// Number of stream events, the first included.
    pub fn events(self, at: usize) -> Option<usize> {
        let row = self.gaps(at)?;
        Some(match self.0.gap_kind {
            GapKind::Event => row.len() + 1,
            GapKind::TokenSpread => row.chunk_by(|a, b| a == b).count() + 1,
        })
    }

    /// Send to the last token, as far as the file tells: timed, rebuilt from gaps, or the recorded end.
    pub fn last_token(self, at: usize) -> Option<f64> {
        let timed = self.0.last_token.get(at).map(Seconds::as_secs);
        let rebuilt = || Some(self.ttft(at)? + self.gap_sum(at)?);
        timed.or_else(rebuilt).or_else(|| self.e2e(at))
    }

    /// Send to the recorded end, or else to the last token.
    pub fn end(self, at: usize) -> Option<f64> {
        self.e2e(at).or_else(|| self.last_token(at))
    }

    /// From the first send to the last end, over all requests with both.
    pub fn span(self) -> Option<(f64, f64)> {
        let all = 0..self.0.len();
        let mut spans = all.filter_map(|at| Some((self.start(at)?, self.end(at)?)));
        let (start, length) = spans.next()?;
        Some(spans.fold((start, start + length), |(from, to), (start, length)| {
            (from.min(start), to.max(start + length))
        }))
    }
}

/// The mean of some numbers, of which there may be none.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u64), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// The middle of some numbers by rank, the lower one of two.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = (values.len() - 1) / 2;
    values.select_nth_unstable_by(middle, f64::total_cmp);
    values.get(middle).copied()
}
