//! Tokens that arrive in bursts: most gaps are the time of reading a socket.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::model::{GapKind, Metric};
use crate::notice::Severity;
use crate::units::significant;

/// A gap below this is a read of what was there already, in seconds.
const ONE_BURST: f64 = 1e-3;
/// From this share of the gaps on.
const SOME: f64 = 0.1;
/// From this share on the median is one of them.
const MOST: f64 = 0.5;
/// Gaps between bursts are at least this long on average, in seconds: else the server is simply fast.
const PAUSE: f64 = 5e-3;

/// Two modes of gaps: within a burst and between bursts.
pub(super) struct Bursts;

impl Check for Bursts {
    fn about(&self) -> About {
        About {
            id: "bursts",
            name: "Tokens arrive in bursts",
            passes: "gaps have one mode, not one below 1 ms and another",
            rule: "at least 10 % of the gaps are above 0 and below 1 ms, and the others are 5 ms or more \
                   on average; a warning from half of the gaps on",
            source: "kubernetes-sigs/inference-perf PR 295; tenstorrent/tt-inference-server issue 4681",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        if table.0.gaps.is_absent() || table.0.gap_kind != GapKind::Event {
            return Err("the file holds no gaps between events".into());
        }
        let (mut all, mut short, mut long, mut pause) = (0_usize, 0_usize, 0_usize, 0.0);
        let (mut streams, mut rows) = (0_usize, Vec::new());
        for at in table.finished() {
            let Some(row) = table.gaps(at).filter(|row| !row.is_empty()) else { continue };
            streams += 1;
            all += row.len();
            let before = short;
            for gap in row.iter().map(|gap| gap.as_secs()) {
                if gap >= ONE_BURST {
                    long += 1;
                    pause += gap;
                } else if gap > 0.0 {
                    short += 1;
                }
            }
            if short > before {
                rows.push(at);
            }
        }
        if all == 0 {
            return Err("no request has a gap".into());
        }
        let share = short as f64 / all as f64;
        if share < SOME || long == 0 || pause / (long as f64) < PAUSE {
            return Ok(None);
        }
        let severity = if share >= MOST { Severity::Warn } else { Severity::Note };
        let text = format!(
            "{} of gaps are under 1 ms: tokens arrive in bursts of about {}; compare TPOT, not median ITL.",
            percent(share),
            significant((short + long) as f64 / long as f64, 2)
        );
        Ok(Some(
            Finding::new(severity, text)
                .rows(rows, streams)
                .touches(&[Metric::Itl, Metric::ChunkGap])
                .say("Compare TPOT, not the median ITL."),
        ))
    }
}
