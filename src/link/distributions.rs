//! What an address says of the Distributions screen: `metric=ttft&shape=nines&q=99.9&v=500`.

use super::LinkError;
use crate::model::{Metric, RunId};
use crate::views::distributions::{DistributionsAsk, Shape};

/// The parts that depart from the default.
pub(super) fn encode(ask: &DistributionsAsk, parts: &mut Vec<(&str, String)>) {
    let plain = DistributionsAsk::default();
    parts.extend(ask.metric.map(|metric| ("metric", metric.id().to_owned())));
    if ask.shape != plain.shape {
        parts.push(("shape", ask.shape.id().to_owned()));
    }
    if let Some(log) = ask.log {
        parts.push(("scale", if log { "log" } else { "linear" }.to_owned()));
    }
    if ask.count {
        parts.push(("samples", "count".to_owned()));
    }
    let numbers = [("q", ask.quantile), ("v", ask.value)];
    parts.extend(numbers.into_iter().filter_map(|(name, n)| Some((name, n?.to_string()))));
    if let Some(other) = &ask.other {
        parts.push(("with", other.as_str().to_owned()));
    }
}

/// Takes in one part; says whether it is one of these.
///
/// # Errors
/// When its value means nothing.
pub(super) fn take(ask: &mut DistributionsAsk, name: &str, value: &str) -> Result<bool, LinkError> {
    let wrong = |part| LinkError::Part { part, value: value.to_owned() };
    let number = || value.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    match name {
        "metric" => {
            let offered = |metric: &Metric| DistributionsAsk::METRICS.contains(metric);
            let metric = Metric::from_id(value).filter(offered);
            ask.metric = Some(metric.ok_or_else(|| wrong("metric"))?);
        }
        "shape" => ask.shape = Shape::from_id(value).ok_or_else(|| wrong("shape"))?,
        "scale" => ask.log = Some(value != "linear"),
        "samples" => ask.count = value == "count",
        "q" => {
            let share = number().filter(|q| *q > 0.0 && *q < 100.0);
            ask.quantile = Some(share.ok_or_else(|| wrong("q"))?);
        }
        "v" => ask.value = Some(number().ok_or_else(|| wrong("v"))?),
        "with" => ask.other = RunId::parse(value),
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Link, Screen};

    #[test]
    fn a_link_brings_the_screen_back_as_it_was() {
        let link = Link {
            screen: Screen::Distributions,
            distributions: DistributionsAsk {
                metric: Some(Metric::Ttft),
                shape: Shape::Shift,
                log: Some(false),
                count: true,
                quantile: Some(99.9),
                value: Some(500.0),
                other: RunId::parse("3fa9c1d2e4b0"),
            },
            ..Link::default()
        };
        let text = link.encode();
        assert_eq!(
            text,
            "v1/distributions?metric=ttft&shape=shift&scale=linear&samples=count&q=99.9&v=500&with=3fa9c1d2e4b0"
        );
        assert_eq!(Link::decode(&text).unwrap(), link);
        assert_eq!(
            Link { screen: Screen::Distributions, ..Link::default() }.encode(),
            "v1/distributions"
        );
    }

    #[test]
    fn a_part_that_means_nothing_is_refused() {
        for part in ["metric=goodput", "metric=foo", "shape=pie", "q=100", "q=-1", "v=x"] {
            let refused = Link::decode(&format!("v1/distributions?{part}"));
            assert!(matches!(refused, Err(LinkError::Part { .. })), "{part}: {refused:?}");
        }
    }
}
