//! The two numbers of an explanation in the address: `a=3fa9c1d2e4b0,itl,mean,own`.
//!
//! Run, metric, statistic, and by whose definition: `own`, `printed`, `ctx` for the ruler in force, or a
//! preset with its changes behind it (`common,tpot:whole-over-n`).

use crate::model::{Metric, RunId};
use crate::views::Ruler;
use crate::views::explain::{ExplainAsk, Slot, Source};
use std::collections::BTreeMap;

/// The parts of an explanation that depart from an empty one.
pub(super) fn encode(ask: &ExplainAsk, parts: &mut Vec<(&str, String)>) {
    for (part, slot) in [("a", &ask.a), ("b", &ask.b)] {
        if let Some(slot) = slot {
            parts.push((part, text(slot)));
        }
    }
    if !ask.order.is_empty() {
        parts.push(("order", ask.order.join(",")));
    }
    if let Some(request) = ask.request {
        parts.push(("request", request.to_string()));
    }
    if ask.average {
        parts.push(("average", "1".to_owned()));
    }
}

fn text(slot: &Slot) -> String {
    let run = slot.run.as_ref().map_or("", RunId::as_str);
    let source = match &slot.source {
        Source::Own | Source::Ruler(Ruler::Own) => "own".to_owned(),
        Source::Reported => "printed".to_owned(),
        Source::Context => "ctx".to_owned(),
        Source::Ruler(Ruler::Same { preset, changes }) => {
            let changes = changes.iter().map(|(d, c)| format!("{d}:{c}"));
            std::iter::once(preset.clone()).chain(changes).collect::<Vec<_>>().join(",")
        }
    };
    format!("{run},{},{},{source}", slot.metric.id(), slot.stat.name())
}

/// Reads one slot; `None` where a part of it means nothing.
pub(super) fn slot(text: &str) -> Option<Slot> {
    let mut parts = text.split(',');
    let run = match parts.next()? {
        "" => None,
        id => Some(RunId::parse(id)?),
    };
    let metric = Metric::from_id(parts.next()?)?;
    let stat = parts.next()?.parse().ok()?;
    let source = match parts.next()? {
        "own" => Source::Own,
        "printed" => Source::Reported,
        "ctx" => Source::Context,
        preset => {
            let changes = parts
                .map(|pair| pair.split_once(':').map(|(d, c)| (d.to_owned(), c.to_owned())))
                .collect::<Option<BTreeMap<String, String>>>()?;
            let ruler = Ruler::Same { preset: preset.to_owned(), changes };
            // Numbers under another ruler than the link's would be wrong without a word.
            if ruler.unknown().is_some() {
                return None;
            }
            Source::Ruler(ruler)
        }
    };
    Some(Slot { run, metric, stat, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Stat;

    #[test]
    fn slots_come_back_as_they_were() {
        let run = RunId::parse("3fa9c1d2e4b0");
        let changes = [("window".to_owned(), "skip-first:8".to_owned())].into();
        for source in [
            Source::Own,
            Source::Reported,
            Source::Context,
            Source::Ruler(Ruler::Same { preset: "vllm".into(), changes }),
        ] {
            let stat = Stat::Percentile(99.9);
            let one = Slot { run: run.clone(), metric: Metric::Itl, stat, source };
            assert_eq!(slot(&text(&one)), Some(one.clone()), "{}", text(&one));
        }
        let empty = Slot { run: None, metric: Metric::E2e, stat: Stat::Mean, source: Source::Own };
        assert_eq!(text(&empty), ",e2e,mean,own");
        assert_eq!(slot(",e2e,mean,own"), Some(empty));
        for bad in ["", "x,itl,mean,own", ",speed,mean,own", ",itl,mean,nobody", ",itl,mean"] {
            assert_eq!(slot(bad), None, "{bad}");
        }
    }
}
