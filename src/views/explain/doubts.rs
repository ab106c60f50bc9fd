//! What the checks say of the two numbers: among what is to be known besides, and in the headline where that
//! would lay most of the difference on the requests or the system.

use crate::checks::doubts;
use crate::metrics::bridge::{Bridge, End, Mode};
use crate::metrics::settings::Itl;
use crate::model::{Metric, Run};
use crate::units::within_sentence;

/// From this share of the difference on, what no definition explains is worth a doubt in the headline.
const MOST: f64 = 0.5;

/// The bridge with what the checks say of its runs, which are found among `runs`; between two runs only. The
/// screen and the command say it in the same words.
#[must_use]
pub fn with_doubts(bridge: &Bridge, runs: &[&Run]) -> Bridge {
    let mut told = bridge.clone();
    if bridge.mode != Mode::TwoRuns {
        return told;
    }
    let mut headline = None;
    for end in [&bridge.a, &bridge.b] {
        let Some(run) = runs.iter().find(|run| run.id == end.run) else { continue };
        for doubt in doubts_between(bridge, run) {
            // By the name that tells the two apart here.
            let what = doubt.strip_prefix(run.name.as_str()).and_then(|d| d.strip_prefix(": "));
            let what = what.unwrap_or(&doubt);
            headline = headline.or_else(|| in_headline(bridge, &end.name, what));
            told.details.push(format!("{}: {what}", end.name));
        }
    }
    told.sentence.extend(headline);
    told
}

/// “ It need not be them: of vLLM, the count holds tokens that came before the first timed event.”
fn in_headline(bridge: &Bridge, who: &str, doubt: &str) -> Option<String> {
    let rest = bridge.remainder.as_ref()?.change.abs();
    let what = within_sentence(doubt.split(": ").next()?.trim_end_matches('.'));
    (rest > MOST * bridge.difference()?.abs())
        .then(|| format!(" It need not be them: of {who}, {what}."))
}

/// What the checks say of the numbers of a run that a bridge is between. An ITL that is shared among tokens
/// has the doubts of TPOT, too: what was counted and not timed is in it.
pub fn doubts_between(bridge: &Bridge, run: &Run) -> Vec<String> {
    let shared = |end: &End| end.metric == Metric::Itl && end.settings.itl != Itl::EventGap;
    let mut said = doubts(run, bridge.a.metric);
    let mut more = |metric| {
        for doubt in doubts(run, metric) {
            if !said.contains(&doubt) {
                said.push(doubt);
            }
        }
    };
    more(bridge.b.metric);
    if shared(&bridge.a) || shared(&bridge.b) {
        more(Metric::Tpot);
    }
    said
}
