//! The strip of values under the charts, one row a run.

use super::DistributionsAsk;
use super::lines::percent_name;
use super::runs::Drawn;
use crate::metrics::{Direction, direction, stamp};
use crate::model::{RunId, Stat};
use crate::units::fixed;
use crate::views::numbers::decimals;
use serde::{Deserialize, Serialize};

/// Values by run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// "Summary, ms".
    pub title: String,
    /// "lower is better"; empty where neither is.
    pub better: String,
    /// Heads of the cells.
    pub head: Vec<String>,
    /// Heads of the cells under the common ruler; none where the other ones are under it.
    pub same_head: Vec<String>,
    /// One row a run.
    pub rows: Vec<SummaryRow>,
}

/// The values of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The run.
    pub run: RunId,
    /// Palette index on this screen.
    pub style: u8,
    /// Its name.
    pub name: String,
    /// What one sample is.
    pub sample: String,
    /// Its values; a dash where one is not known.
    pub cells: Vec<String>,
    /// Its values under the common ruler.
    pub same: Vec<String>,
    /// Whether the values are only as the tool printed them.
    pub printed: bool,
}

/// Builds the strip; `same` are the runs under the common ruler.
pub(super) fn summary(runs: &[&Drawn<'_>], same: &[&Drawn<'_>], ask: &DistributionsAsk) -> Summary {
    let mut percentiles = vec![50.0, 90.0, 99.0];
    percentiles.extend(ask.quantile.filter(|q| percentiles.iter().all(|p| (p - q).abs() > 1e-9)));
    percentiles.sort_by(f64::total_cmp);
    let number = |run: &Drawn<'_>, stat: Stat| match stat {
        Stat::Percentile(p) => run.mark(p).map(|mark| mark.value),
        stat => run.measured.value(ask.metric(), stat).exact_or_reported(),
    };
    let shown: Vec<f64> = runs
        .iter()
        .chain(same)
        .flat_map(|run| [Stat::Mean, Stat::Percentile(50.0)].map(|stat| number(run, stat)))
        .flatten()
        .collect();
    let digits = decimals(&shown).min(3);
    let cell = |run: &Drawn<'_>, stat: Stat| {
        let Some(value) = number(run, stat) else { return "—".to_owned() };
        let text = if value.abs() <= 0.0 { "0".to_owned() } else { fixed(value, digits) };
        let weak = match stat {
            Stat::Percentile(p) => run.samples().is_some() && run.mark(p).is_some_and(|m| m.weak),
            _ => false,
        };
        if weak { format!("≈ {text}") } else { text }
    };
    let stats: Vec<Stat> = std::iter::once(Stat::Mean)
        .chain(percentiles.iter().copied().map(Stat::Percentile))
        .chain([Stat::Max])
        .collect();
    let row = |run: &&Drawn<'_>| {
        let (n, zeros) = match run.samples() {
            Some(samples) => (
                fixed(samples.n as f64, 0),
                if samples.zeros == 0 { "none".to_owned() } else { fixed(samples.zeros as f64, 0) },
            ),
            None => ("—".to_owned(), "—".to_owned()),
        };
        let values = stats.iter().map(|stat| cell(run, *stat));
        let twin = same.iter().find(|twin| twin.measured.run.id == run.measured.run.id);
        SummaryRow {
            run: run.measured.run.id.clone(),
            style: run.style,
            name: run.name().to_owned(),
            sample: stamp(ask.metric(), &run.measured.settings).replace(" · pooled", ""),
            cells: [n, zeros].into_iter().chain(values).collect(),
            same: match (same.is_empty(), twin) {
                (true, _) => Vec::new(),
                (false, Some(twin)) => {
                    [50.0, 99.0].map(|p| cell(twin, Stat::Percentile(p))).to_vec()
                }
                (false, None) => vec!["—".to_owned(); 2],
            },
            printed: run.samples().is_none(),
        }
    };
    let mut head = vec!["n".to_owned(), "zeros".to_owned(), "mean".to_owned()];
    head.extend(percentiles.iter().copied().map(percent_name));
    head.push("max".to_owned());
    Summary {
        title: format!("Summary, {}", ask.metric().unit().symbol()),
        better: match direction(ask.metric()) {
            Some(Direction::Lower) => "lower is better",
            Some(Direction::Higher) => "higher is better",
            None => "",
        }
        .to_owned(),
        head,
        same_head: if same.is_empty() {
            Vec::new()
        } else {
            vec![percent_name(50.0), percent_name(99.0)]
        },
        rows: runs.iter().map(row).collect(),
    }
}
