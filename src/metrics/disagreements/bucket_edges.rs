//! Bucket edges.

use super::{Applies, Case, Disagreement, Said, Step, Tested, one_side};
use crate::model::{Dump, FamilyKind};
use crate::stats::Histogram;
use crate::units::fixed;
use std::collections::BTreeMap;

/// Bucket edges.
pub(super) struct BucketEdges;

impl Disagreement for BucketEdges {
    fn id(&self) -> &'static str {
        "bucket-edges"
    }
    fn title(&self) -> &'static str {
        "Bucket edges"
    }
    fn kind(&self) -> char {
        'K'
    }
    fn formula(&self) -> &'static str {
        "the interpolated quantile, against the interval of its bucket"
    }
    fn paragraph(&self) -> &'static str {
        "A histogram knows in which bucket a quantile lies, not where. PromQL draws a straight line through the bucket: with wide buckets that is a guess, in the first bucket it is the share of its edge, and above the last finite edge it is that edge, however slow requests were. Two histograms with other edges can’t be subtracted."
    }
    fn links(&self) -> &'static [(&'static str, &'static str)] {
        &[("percentile", "bucket-linear")]
    }
    fn test(&self, case: &Case<'_>) -> Tested {
        let Some((name, histogram)) = widest(case.dumps) else {
            return Tested::cannot_tell("no histogram of a server is loaded");
        };
        let (Some(drawn), Some(bucket)) = (histogram.promql(0.99), histogram.bucket(0.99)) else {
            return Tested::cannot_tell(format!("{name} holds no sample"));
        };
        let shown = Said::new(format!("p99 of {name} as PromQL draws it"), drawn, "s");
        let Some(high) = bucket.high else {
            let above = histogram.above_last_edge();
            let because = format!(
                "{} is {}, its last edge: {} of {} observations lie above that, however slow they were.",
                shown.words,
                shown.shown(),
                fixed(above, 0),
                fixed(histogram.count(), 0)
            );
            let truth = Said::new("at least", bucket.low, "s");
            return Tested { applies: Applies::Applies, numbers: Some((shown, truth)), because };
        };
        // The end of the bucket that is further away.
        let (end, words) = if drawn - bucket.low > high - drawn {
            (bucket.low, "the lower edge of its bucket")
        } else {
            (high, "the upper edge of its bucket")
        };
        let why = if bucket.low > 0.0 {
            "the truth lies anywhere in the bucket"
        } else {
            "the first bucket holds it, and the line starts at 0: only Σ ÷ n says more"
        };
        Tested::of(shown, Said::new(words, end, "s"), why)
    }
    fn is(&self, step: &Step) -> bool {
        one_side(step, &["percentile"], &["bucket-linear"])
    }
}

/// The largest histogram of times per series set, at its last scrape, all series of it summed up.
fn widest(dumps: &[&Dump]) -> Option<(String, Histogram)> {
    let mut best: Option<(String, Histogram)> = None;
    for dump in dumps {
        for (at, family) in dump.families.iter().enumerate() {
            if family.kind != FamilyKind::Histogram || !family.name.ends_with("_seconds") {
                continue;
            }
            let buckets = buckets(dump, at);
            let Ok(histogram) = Histogram::new(&buckets, None) else { continue };
            if best.as_ref().is_none_or(|(_, known)| known.count() < histogram.count()) {
                best = Some((family.name.clone(), histogram));
            }
        }
    }
    best
}

/// Edges and counts of one family, summed over its series.
fn buckets(dump: &Dump, family: usize) -> Vec<(f64, f64)> {
    let mut counts: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for series in dump.series.iter().filter(|series| series.family as usize == family) {
        let edge = series.label("le").and_then(|le| le.replace("+Inf", "inf").parse::<f64>().ok());
        let (Some(edge), Some(last)) = (edge, series.points.last()) else { continue };
        counts.entry(edge.to_bits()).or_insert((edge, 0.0)).1 += last.value;
    }
    counts.into_values().collect()
}
