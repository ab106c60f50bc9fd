//! Gaps of exactly zero.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::model::{GapKind, Metric};
use crate::notice::Severity;

/// From this share of the gaps on they move a percentile.
const SOME: f64 = 0.05;

/// An atom at 0 among the gaps: several tokens share one reading of the clock.
pub(super) struct ZeroGaps;

impl Check for ZeroGaps {
    fn about(&self) -> About {
        About {
            id: "zero-gaps",
            name: "Gaps of exactly zero",
            passes: "hardly any gap is exactly 0",
            rule: "at least 5 % of the gaps between events are 0",
            source: "kubernetes-sigs/inference-perf PR 566",
            covers: &["chunk-zeros"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        if table.0.gaps.is_absent() || table.0.gap_kind != GapKind::Event {
            return Err("the file holds no gaps between events".into());
        }
        let (mut all, mut zeros, mut streams, mut rows) = (0_usize, 0_usize, 0_usize, Vec::new());
        for at in table.finished() {
            let Some(row) = table.gaps(at).filter(|row| !row.is_empty()) else { continue };
            let none = row.iter().filter(|gap| gap.as_secs().abs() <= 0.0).count();
            streams += 1;
            all += row.len();
            zeros += none;
            if none > 0 {
                rows.push(at);
            }
        }
        if all == 0 {
            return Err("no request has a gap".into());
        }
        let share = zeros as f64 / all as f64;
        if share < SOME {
            return Ok(None);
        }
        let text = format!(
            "{} of the gaps are exactly 0: several tokens share one reading of the clock, or a missing \
             time was written as 0. The median ITL is no speed; compare TPOT.",
            percent(share)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .rows(rows, streams)
                .touches(&[Metric::Itl, Metric::ChunkGap])
                .say("Compare TPOT, not the median ITL."),
        ))
    }
}
