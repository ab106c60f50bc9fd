//! More gaps between events than there are steps between tokens.

use super::words::{counted, whole};
use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::model::{GapKind, Metric, Stat};
use crate::notice::Severity;

/// A stray chunk in a few streams is no rule of the client.
const SOME: f64 = 0.05;
/// So many gaps too many in a stream are its frame, such as the chunk that names the role.
const FRAME: f64 = 1.5;

/// len(gaps) > n − 1.
pub(super) struct MoreGapsThanTokens;

impl Check for MoreGapsThanTokens {
    fn about(&self) -> About {
        About {
            id: "more-gaps-than-tokens",
            name: "More gaps than tokens",
            passes: "no stream has more gaps than steps between its tokens",
            rule: "at least 5 % of the streams have more gaps than n − 1; a warning where it is more than \
                   one a stream",
            source: "kubernetes-sigs/inference-perf PR 566",
            covers: &["too-many-times"],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.gaps.is_absent() {
            return Err("the file holds no gaps between events".into());
        }
        table.counted()?;
        let (mut streams, mut rows) = (0_usize, Vec::new());
        let (mut gaps, mut steps, mut zeros, mut time) = (0_usize, 0.0, 0_usize, 0.0);
        for at in table.finished() {
            let (Some(row), Some(n)) = (table.gaps(at), table.tokens(at).filter(|n| *n >= 1.0))
            else {
                continue;
            };
            streams += 1;
            if row.len() as f64 > n - 1.0 + 0.5 {
                rows.push(at);
                gaps += row.len();
                steps += n - 1.0;
                zeros += row.iter().filter(|gap| gap.as_secs() <= 0.0).count();
                time += row.iter().map(|gap| gap.as_secs()).sum::<f64>();
            }
        }
        if streams == 0 {
            return Err("no request has both gaps and a count of tokens".into());
        }
        if rows.is_empty() || (rows.len() as f64) < SOME * streams as f64 {
            return Ok(None);
        }
        let excess = gaps as f64 - steps;
        let severity =
            if excess > FRAME * rows.len() as f64 { Severity::Warn } else { Severity::Note };
        let tokens = steps + rows.len() as f64;
        let because = if requests.gap_kind == GapKind::Event && (zeros as f64 - excess).abs() < 0.5
        {
            "Without the gaps of exactly 0 the counts agree: chunks were counted as several tokens."
        } else {
            "Events without a token, such as empty chunks, the role or the end, are counted as gaps."
        };
        let text = format!(
            "Gaps + 1 = {} events, but {} tokens, in {}. {because}",
            gaps + rows.len(),
            whole(tokens),
            counted(rows.len(), "stream", "streams")
        );
        let mut finding = Finding::new(severity, text).rows(rows, streams).touches(&[
            Metric::Itl,
            Metric::ChunkGap,
            Metric::PeakOutputRate,
        ]);
        if steps > 0.0 {
            finding = finding.figure(
                Metric::Itl,
                Stat::Mean,
                Value::Exact(time / gaps as f64 * 1e3),
                Value::Exact(time / steps * 1e3),
            );
        }
        Ok(Some(finding))
    }
}
