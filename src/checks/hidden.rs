//! Tokens that no event showed arriving: how many, and whether they came before the first event.
//!
//! Fewer events than tokens has two causes. Either an event carries several tokens, as with speculative
//! decoding; or some tokens came before the first counted event, as reasoning does where only answers are
//! counted. In the second case TTFT grows by one gap with every hidden token; in the first it does not
//! depend on them.

use super::subject::Table;
use crate::model::GapKind;

/// Fewer requests show no slope.
const FEWEST: usize = 10;
/// TTFT grows by at least this share of a gap a hidden token.
const GROWS: f64 = 0.5;
/// Below this share of a gap it does not grow.
const STAYS: f64 = 0.25;
/// The least correlation of TTFT and hidden tokens.
const CORRELATED: f64 = 0.5;

/// What the streams of a table hide.
#[derive(Debug)]
pub(super) struct Hidden {
    /// Streams with gaps, a TTFT and a count of tokens.
    pub streams: Vec<usize>,
    /// Their tokens.
    pub tokens: f64,
    /// Their events.
    pub events: f64,
    /// How TTFT grows a hidden token, in gaps, with the correlation; where it can be known.
    pub slope: Option<(f64, f64)>,
}

impl Hidden {
    /// Reads the streams of a table.
    ///
    /// # Errors
    /// When there are none with gaps between events and tokens; the reason is a clause.
    pub(super) fn of(table: Table<'_>) -> Result<Self, String> {
        let requests = table.0;
        if requests.gaps.is_absent() || requests.gap_kind != GapKind::Event {
            return Err("the file holds no gaps between events".into());
        }
        let mut points = Vec::new();
        let (mut streams, mut tokens, mut events, mut time, mut gaps) =
            (vec![], 0.0, 0.0, 0.0, 0.0);
        for at in table.finished() {
            let (Some(row), Some(n)) = (table.gaps(at), table.tokens(at)) else { continue };
            if row.is_empty() {
                continue;
            }
            let seen = row.len() as f64 + 1.0;
            streams.push(at);
            tokens += n;
            events += seen;
            gaps += row.len() as f64;
            time += row.iter().map(|gap| gap.as_secs()).sum::<f64>();
            if let Some(ttft) = table.ttft(at) {
                points.push((n - seen, ttft));
            }
        }
        if streams.is_empty() {
            return Err("no request has both gaps and a count of tokens".into());
        }
        let gap = time / gaps;
        let slope = line(&points).filter(|_| gap > 0.0).map(|(slope, r)| (slope / gap, r));
        Ok(Self { streams, tokens, events, slope })
    }

    /// Tokens an event.
    pub(super) fn per_event(&self) -> f64 {
        self.tokens / self.events
    }

    /// Whether the hidden tokens came before the first event.
    pub(super) fn came_first(&self) -> bool {
        self.slope.is_some_and(|(slope, r)| slope >= GROWS && r >= CORRELATED)
    }

    /// Whether TTFT does not depend on them, so that they came with the events.
    pub(super) fn came_with_events(&self) -> bool {
        self.slope.is_some_and(|(slope, _)| slope < STAYS)
    }
}

/// Slope and correlation of the least-squares line; none of few points, or where x does not vary.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if points.len() < FEWEST {
        return None;
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in points {
        xx += (a - x) * (a - x);
        xy += (a - x) * (b - y);
        yy += (b - y) * (b - y);
    }
    // Hidden tokens that vary by less than one on average tell nothing.
    (xx / n >= 1.0 && yy > 0.0).then(|| (xy / xx, xy / (xx * yy).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_is_found_and_a_constant_has_none() {
        let points: Vec<_> = (0..10).map(|x| (f64::from(x), 3.0 + 2.0 * f64::from(x))).collect();
        let (slope, r) = line(&points).unwrap();
        assert!((slope - 2.0).abs() < 1e-12 && (r - 1.0).abs() < 1e-12);
        assert_eq!(line(&[(4.0, 1.0); 12]), None);
        assert_eq!(line(&points[..9]), None);
    }
}
