//! What the Goodput screen shows in the address: `sweep=3fa9c1d2e4b0&against=…&map=ttft,e2e&count=tokens&of=finished`.

use crate::model::{LimitMetric, RunId};
use crate::views::goodput::{Counted, GoodputAsk, OutOf};

/// The parts that depart from the default.
pub(super) fn encode(ask: &GoodputAsk, parts: &mut Vec<(&str, String)>) {
    let plain = GoodputAsk::default();
    for (part, run) in [("sweep", &ask.run), ("against", &ask.other)] {
        parts.extend(run.as_ref().map(|run| (part, run.as_str().to_owned())));
    }
    if (ask.x, ask.y) != (plain.x, plain.y) {
        parts.push(("map", format!("{},{}", ask.x, ask.y)));
    }
    if ask.counted != plain.counted {
        parts.push(("count", ask.counted.id().to_owned()));
    }
    if ask.out_of != plain.out_of {
        parts.push(("of", ask.out_of.id().to_owned()));
    }
    if ask.per_gpu {
        parts.push(("per", "gpu".to_owned()));
    }
}

/// Takes one part in; what means nothing leaves the default, which draws the same runs.
pub(super) fn take(ask: &mut GoodputAsk, part: &str, value: &str) {
    match part {
        "sweep" => ask.run = RunId::parse(value),
        "against" => ask.other = RunId::parse(value),
        "map" => {
            let pair = value
                .split_once(',')
                .and_then(|(x, y)| Some((LimitMetric::from_id(x)?, LimitMetric::from_id(y)?)));
            if let Some((x, y)) = pair {
                (ask.x, ask.y) = (x, y);
            }
        }
        "per" => ask.per_gpu = value == "gpu",
        "count" => {
            let counted = Counted::ALL.into_iter().find(|counted| counted.id() == value);
            ask.counted = counted.unwrap_or_default();
        }
        "of" => {
            let out_of = OutOf::ALL.into_iter().find(|out_of| out_of.id() == value);
            ask.out_of = out_of.unwrap_or_default();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::link::{Link, Screen};
    use crate::model::{Aggregation, LimitMetric, RunId};
    use crate::views::goodput::{Counted, GoodputAsk, OutOf};

    #[test]
    fn what_is_shown_comes_back() {
        let goodput = GoodputAsk {
            run: RunId::parse("3fa9c1d2e4b0"),
            other: RunId::parse("07b8da36c52a"),
            x: LimitMetric::E2e,
            y: LimitMetric::Itl(Aggregation::Max),
            counted: Counted::Tokens,
            out_of: OutOf::Finished,
            per_gpu: true,
        };
        let link = Link { screen: Screen::Goodput, goodput, ..Link::default() };
        let text = link.encode();
        assert_eq!(
            text,
            "v1/goodput?sweep=3fa9c1d2e4b0&against=07b8da36c52a&map=e2e,itl.max&count=tokens&of=finished&per=gpu"
        );
        assert_eq!(Link::decode(&text).unwrap(), link);
        let odd = Link::decode("v1/goodput?count=apples&map=x&of=all").unwrap();
        assert_eq!(odd.goodput, GoodputAsk::default());
    }
}
