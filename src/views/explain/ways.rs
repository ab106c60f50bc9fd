//! Ways into Explain from a number that stands elsewhere: what it is put beside.

use super::{ExplainAsk, Slot, Source};
use crate::metrics::{differing_for, own};
use crate::model::Run;
use crate::views::measure;
use crate::views::{Context, Ruler};

/// What a number of `run` can be explained against, each with the words of its button, the first one first:
/// what its tool printed, or the tool’s own definition where it printed nothing and measures otherwise; then
/// the same number of the baseline, which goes by the given name.
pub fn ways(
    run: &Run,
    context: &Context,
    slot: &Slot,
    baseline: Option<(&Run, &str)>,
) -> Vec<(String, ExplainAsk)> {
    let with = |source| Slot { source, ..slot.clone() };
    let ask = |a, b| ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() };
    let mut ways = Vec::new();
    if slot.source == Source::Reported {
        if run.requests.is_some() {
            let words = "Explain it against its rows".to_owned();
            ways.push((words, ask(slot.clone(), with(Source::Context))));
        }
    } else if run.reported.find(slot.metric, slot.stat).is_some() {
        let words = "Explain the printed number against this one".to_owned();
        ways.push((words, ask(with(Source::Reported), slot.clone())));
    } else {
        let settings = match &slot.source {
            Source::Context => measure::settings(run, &context.ruler),
            Source::Ruler(ruler) => measure::settings(run, ruler),
            Source::Own | Source::Reported => measure::settings(run, &Ruler::Own),
        };
        let own = own(run);
        if !differing_for(slot.metric, run, &settings, &own.settings).is_empty() {
            let words = format!("Explain it against {}’s own", own.preset.name);
            ways.push((words, ask(slot.clone(), with(Source::Own))));
        }
    }
    if let Some((other, name)) = baseline.filter(|(other, _)| other.id != run.id) {
        let source = match &slot.source {
            Source::Reported => Source::Own,
            source => source.clone(),
        };
        let b = Slot { run: Some(other.id.clone()), source, ..slot.clone() };
        ways.push((format!("Explain it against that of {name}"), ask(slot.clone(), b)));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::{slot, two};
    use super::*;
    use crate::model::Metric;
    use crate::views::explain::explain;

    #[test]
    fn each_way_leads_to_a_bridge_from_the_nearest_number() {
        let (one, other) = two();
        let context = Context::default();
        let words = |slot: &Slot, run: &Run| {
            let ways = ways(run, &context, slot, Some((&other, "the other")));
            for (words, ask) in &ways {
                let view = explain(&[&one, &other], &[], &context, ask);
                assert_eq!(view.trouble, None, "{words}");
                assert_eq!((&view.ask.a, &view.ask.b), (&ask.a, &ask.b));
            }
            ways.into_iter().map(|(words, _)| words).collect::<Vec<_>>()
        };
        let baseline = "Explain it against that of the other";
        assert_eq!(
            words(&slot(&one, Metric::Tpot, Source::Context), &one),
            ["Explain the printed number against this one", baseline]
        );
        assert_eq!(
            words(&slot(&one, Metric::Tpot, Source::Reported), &one),
            ["Explain it against its rows", baseline]
        );
        // The tool of these runs is not known, so its own ruler is the common one.
        let changes = [("tpot".to_owned(), "whole-over-n".to_owned())].into();
        let ruler = Ruler::Same { preset: "common".into(), changes };
        let own = format!("Explain it against {}’s own", own(&other).preset.name);
        assert_eq!(words(&slot(&other, Metric::Tpot, Source::Ruler(ruler)), &other), [own]);
        assert!(words(&slot(&other, Metric::Tpot, Source::Own), &other).is_empty());
    }
}
