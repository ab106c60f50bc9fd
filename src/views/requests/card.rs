//! One request at length: when what came, and every value with how it is worked out.

use super::lanes::status;
use super::list::{self, value};
use super::{Shown, Worked};
use crate::metrics::settings::Tpot;
use crate::metrics::{Kept, not_sampled, stamp};
use crate::model::{GapKind, Metric};
use crate::units::{Seconds, fixed, significant};
use crate::views::numbers::count;
use crate::views::slo::{limit_in_words, limit_name};
use serde::{Deserialize, Serialize};

/// One request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RequestCard {
    /// Its number from 0.
    pub request: usize,
    /// “Request 20”.
    pub name: String,
    /// “ok · 70 in, 45 out”.
    pub said: String,
    /// Everything known of it.
    pub lines: Vec<CardLine>,
    /// Whether the reader left it out by itself.
    pub left_out: bool,
    /// From when to when it ran, in seconds after the first send.
    pub span: Option<(f64, f64)>,
    /// Everything as text, to be copied.
    pub text: String,
}

/// A value of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CardLine {
    /// “TTFT”.
    pub name: String,
    /// “48.7 ms”; a dash where there is none.
    pub value: String,
    /// “first text − send”: how it is worked out, or why there is none.
    pub how: String,
    /// Whether it is what went wrong.
    pub alarm: bool,
}

pub(super) fn card(shown: &Shown<'_>, worked: &Worked, at: usize) -> Option<RequestCard> {
    let table = &worked.table;
    let outcome = *table.outcome.get(at)?;
    let tokens = |column: &[Option<f64>]| value(column, at).map(|n| fixed(n, 0));
    let mut said = vec![status(outcome).to_owned()];
    match (tokens(&table.input), tokens(&table.tokens)) {
        (Some(input), Some(output)) => said.push(format!("{input} in, {output} out")),
        (None, Some(output)) => said.push(format!("{output} out")),
        (Some(input), None) => said.push(format!("{input} in")),
        (None, None) => {}
    }
    if table.kept.get(at) == Some(&false) {
        said.push("left out".to_owned());
    } else if table.inside.get(at) == Some(&false) {
        said.push("outside of the window".to_owned());
    }
    let name = format!("Request {}", fixed(at as f64 + 1.0, 0));
    let lines = Lines { shown, worked, at }.all();
    let span = value(&table.start, at).map(|start| {
        let wait = value(&table.wait, at).unwrap_or(0.0).max(0.0);
        (start - wait, start + value(&table.end, at).unwrap_or(0.0).max(0.0))
    });
    let mut text = vec![format!("{name} of {}: {}", shown.own.name, said.join(" · "))];
    text.extend(lines.iter().map(|line| format!("{}\t{}\t{}", line.name, line.value, line.how)));
    Some(RequestCard {
        request: at,
        name,
        said: said.join(" · "),
        left_out: shown.context.judged.requests.contains(&(shown.own.run.id.clone(), at)),
        lines,
        span,
        text: text.join("\n"),
    })
}

struct Lines<'a> {
    shown: &'a Shown<'a>,
    worked: &'a Worked,
    at: usize,
}

fn ms(secs: f64) -> String {
    let millis = secs * 1e3;
    let words = if millis.abs() >= 1000.0 { fixed(millis, 0) } else { significant(millis, 3) };
    format!("{words} ms")
}

fn after(secs: f64) -> String {
    format!("{} s", fixed(secs, 3))
}

fn line(name: &str, value: impl Into<String>, how: impl Into<String>) -> CardLine {
    CardLine { name: name.to_owned(), value: value.into(), how: how.into(), alarm: false }
}

impl Lines<'_> {
    fn of(&self, column: &[Option<f64>]) -> Option<f64> {
        value(column, self.at)
    }

    fn all(&self) -> Vec<CardLine> {
        let table = &self.worked.table;
        let mut lines = Vec::new();
        let start = self.of(&table.start);
        let stamp_of =
            |offset: Option<f64>| start.zip(offset).map(|(start, offset)| start + offset);
        if let Some(wait) = self.of(&table.wait) {
            lines.push(line(
                "due",
                start.map_or("—".into(), |s| after(s - wait)),
                "sent − client wait",
            ));
            lines.push(line("client wait", ms(wait), "due → send"));
        }
        lines.push(match start {
            Some(start) => line("sent", after(start), "after the first send"),
            None => line("sent", "—", "the file holds no send time"),
        });
        if let Some(first) = stamp_of(self.of(&table.first)) {
            lines.push(line("first token", after(first), "after the first send"));
        }
        if let Some(end) = stamp_of(self.of(&table.end)) {
            lines.push(line("end", after(end), "after the first send"));
        }
        lines.push(self.metric("TTFT", Metric::Ttft, &table.ttft, None));
        lines.extend(self.gap());
        lines.push(self.metric("TPOT", Metric::Tpot, &table.tpot, self.tpot()));
        lines.extend(self.without_the_gap());
        lines.push(self.metric("E2E", Metric::E2e, &table.e2e, None));
        lines.push(self.tokens());
        if let Some(turn) = self.of(&table.turn) {
            lines.push(line("turn", fixed(turn, 0), "of its conversation"));
        }
        if let Some(cached) = self.of(&table.cached) {
            let of = self.of(&table.input).map(|input| format!(", of {} in", fixed(input, 0)));
            let how = format!("held by a prefix cache{}", of.unwrap_or_default());
            lines.push(line("cached tokens", fixed(cached, 0), how));
        }
        lines.extend(self.events());
        lines.extend(self.slo());
        lines
    }

    fn metric(
        &self,
        name: &str,
        metric: Metric,
        column: &[Option<f64>],
        formula: Option<String>,
    ) -> CardLine {
        let settings = &self.shown.own.settings;
        if let Some(secs) = self.of(column) {
            return line(name, ms(secs), formula.unwrap_or_else(|| stamp(metric, settings)));
        }
        let why = self.worked.table.why(metric).map(str::to_owned).or_else(|| {
            let run = self.shown.own.run;
            not_sampled(run, settings, self.shown.own.excluded(), (metric, self.at))
        });
        line(name, "—", why.unwrap_or_else(|| "no value".to_owned()))
    }

    /// The formula of TPOT with the numbers of this request.
    fn tpot(&self) -> Option<String> {
        let table = &self.worked.table;
        let millis = |secs: f64| fixed(secs * 1e3, if secs < 0.01 { 2 } else { 0 });
        let (tokens, ttft, e2e) =
            (self.of(&table.tokens)?, self.of(&table.ttft), self.of(&table.e2e));
        let n = fixed(tokens, 0);
        let decode = || Some(format!("({} − {})", millis(e2e?), millis(ttft?)));
        match self.shown.own.settings.tpot {
            Tpot::AfterFirst => Some(format!("{} ÷ ({n} − 1)", decode()?)),
            Tpot::AfterFirstOverN => Some(format!("{} ÷ {n}", decode()?)),
            Tpot::WholeOverN => Some(format!("{} ÷ {n}", millis(e2e?))),
            Tpot::AfterFirstEvent => {
                Some(format!("{} ÷ ({n} − those of the first event)", decode()?))
            }
            Tpot::VisibleGaps => {
                let gaps = self.gaps()?;
                let sum: f64 = gaps.iter().sum();
                Some(format!("{} ÷ {}", millis(sum), count(gaps.len(), "gap")))
            }
        }
    }

    /// The gaps between the events of this request, in seconds.
    fn gaps(&self) -> Option<Vec<f64>> {
        let requests = self.shown.own.run.requests.as_ref()?;
        let row = requests.gaps.row(self.at)?;
        let gaps: Vec<f64> = match requests.gap_kind {
            GapKind::Event => row.iter().map(|gap| gap.as_secs()).collect(),
            GapKind::TokenSpread => row
                .chunk_by(|a, b| a == b)
                .map(|run| run.first().map_or(0.0, |g| g.as_secs()) * run.len() as f64)
                .collect(),
        };
        (!gaps.is_empty()).then_some(gaps)
    }

    /// The longest gap: which it is.
    fn longest(&self) -> Option<(usize, f64)> {
        let gaps = self.gaps()?;
        gaps.into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn paused(&self) -> bool {
        self.worked
            .stalls
            .as_ref()
            .is_ok_and(|stalls| stalls.pauses.iter().any(|pause| pause.row == self.at))
    }

    fn gap(&self) -> Option<CardLine> {
        let Some((before, gap)) = self.longest() else {
            let why = self.worked.table.why(Metric::ChunkGap)?;
            return Some(line("longest gap", "—", why));
        };
        let table = &self.worked.table;
        let gaps = self.gaps()?;
        let start = self
            .of(&table.start)
            .zip(self.of(&table.first))
            .map(|(start, first)| start + first + gaps.iter().take(before).sum::<f64>());
        let requests = self.shown.own.run.requests.as_ref()?;
        // Where every event is a token, tokens are counted; else events are.
        let events = gaps.len() as f64 + 1.0;
        let noun = match self.of(&table.tokens) {
            Some(tokens)
                if (tokens - events).abs() < 0.5 && requests.gap_kind == GapKind::Event =>
            {
                "token"
            }
            _ => "chunk",
        };
        let how = start.map_or_else(
            || format!("the longest of {}", count(gaps.len(), "gap")),
            |from| format!("{} to {} s", fixed(from, 2), fixed(from + gap, 2)),
        );
        let name = format!("gap after {noun} {}", fixed(before as f64 + 1.0, 0));
        Some(CardLine { alarm: self.paused(), ..line(&name, ms(gap), how) })
    }

    /// The mean of the other gaps, where the longest is a pause.
    fn without_the_gap(&self) -> Option<CardLine> {
        let (_, longest) = self.longest().filter(|_| self.paused())?;
        let gaps = self.gaps()?;
        let others = gaps.len().checked_sub(1).filter(|others| *others > 0)?;
        let mean = (gaps.iter().sum::<f64>() - longest) / others as f64;
        Some(line("without the gap", ms(mean), format!("mean of {}", count(others, "other gap"))))
    }

    fn tokens(&self) -> CardLine {
        let table = &self.worked.table;
        let requests = self.shown.own.run.requests.as_ref();
        let Some(tokens) = self.of(&table.tokens) else {
            let why = table.why(Metric::OutputTokens).unwrap_or("no output tokens recorded");
            return line("output tokens", "—", why);
        };
        let how = match self.shown.own.settings.token_count {
            crate::metrics::settings::TokenCount::AsRecorded => {
                requests.map_or_else(String::new, |r| r.token_source.words().to_owned())
            }
            _ => stamp(Metric::OutputTokens, &self.shown.own.settings),
        };
        line("output tokens", fixed(tokens, 0), how)
    }

    fn events(&self) -> Option<CardLine> {
        let gaps = self.gaps()?;
        let sum = Seconds::from_secs(gaps.iter().sum());
        let how = format!("{}, {} in all", count(gaps.len(), "gap"), ms(sum.as_secs()));
        Some(line("stream events", fixed(gaps.len() as f64 + 1.0, 0), how))
    }

    fn slo(&self) -> Vec<CardLine> {
        let limits = &self.shown.context.limits;
        let slo = match &self.worked.table.slo {
            None => return Vec::new(),
            Some(Err(reason)) => return vec![line("SLO", "—", reason.as_str())],
            Some(Ok(_)) => list::kept(&self.worked.table, self.at),
        };
        let one =
            |value: &str, how: String, alarm| vec![CardLine { alarm, ..line("SLO", value, how) }];
        match slo {
            Some(Kept::All) => {
                one("met", limits.iter().map(limit_in_words).collect::<Vec<_>>().join(", "), false)
            }
            Some(Kept::Missed(0)) => one("missed", "no answer, so it meets no limit".into(), true),
            Some(Kept::Missed(bits)) => {
                let missed = limits.iter().zip(0_u32..).filter(|(_, at)| bits & (1 << at) != 0);
                let names: Vec<String> =
                    missed.map(|(limit, _)| limit_name(limit.metric)).collect();
                let noun = if names.len() == 1 { "limit" } else { "limits" };
                let how = match names.split_last() {
                    Some((last, before)) if !before.is_empty() => {
                        format!("{} and {last} {noun}", before.join(", "))
                    }
                    _ => format!("{} {noun}", names.join("")),
                };
                one(&format!("misses {}", names.len()), how, true)
            }
            Some(Kept::Perhaps) => one("open", "its end is known within bounds only".into(), false),
            Some(Kept::NotApplicable) => one("—", "it has no value for a limit".into(), false),
            Some(Kept::Outside) => one("—", "outside of the window".into(), false),
            None => Vec::new(),
        }
    }
}
