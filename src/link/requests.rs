//! What the Requests screen shows, in the address: `by=gap&paint=length&only=ok&from=2.1&to=4.5&pick=20`.

use crate::model::RunId;
use crate::views::requests::{Align, Colour, Named, Order, RequestsAsk, Status};
use std::collections::BTreeSet;

/// Writes what departs from the default.
pub(super) fn encode(ask: &RequestsAsk, parts: &mut Vec<(&str, String)>) {
    if let Some(run) = &ask.run {
        parts.push(("run", run.as_str().to_owned()));
    }
    let mut put = |name, id: &str, plain: &str| {
        if id != plain {
            parts.push((name, id.to_owned()));
        }
    };
    put("by", ask.order.id(), Order::default().id());
    put("paint", ask.colour.id(), Colour::default().id());
    put("zero", ask.align.id(), Align::default().id());
    put("only", ask.status.id(), Status::default().id());
    if let Some((from, to)) = ask.time {
        // Microseconds are finer than any picture; more digits only make the address long.
        let short = |time: f64| (time * 1e6).round() / 1e6;
        parts.push(("time", format!("{}..{}", short(from), short(to))));
    }
    if let Some((first, count)) = ask.lanes {
        parts.push(("lanes", format!("{}..{}", first + 1, first.saturating_add(count))));
    }
    if let Some(at) = ask.chosen {
        parts.push(("pick", (at + 1).to_string()));
    }
}

/// Reads one part; says whether it is one of these. What means nothing leaves the default: it only shows
/// another part of the same numbers.
pub(super) fn decode(ask: &mut RequestsAsk, name: &str, value: &str) -> bool {
    fn choice<T: Named>(value: &str) -> T {
        T::of_id(value).unwrap_or_default()
    }
    match name {
        "run" => ask.run = RunId::parse(value),
        "by" => ask.order = choice(value),
        "paint" => ask.colour = choice(value),
        "zero" => ask.align = choice(value),
        "only" => ask.status = choice(value),
        "time" => {
            ask.time =
                stretch::<f64>(value).filter(|(a, b)| a.is_finite() && b.is_finite() && a < b);
        }
        "lanes" => {
            let places = stretch::<usize>(value).filter(|(a, b)| 1 <= *a && a <= b);
            ask.lanes = places.map(|(first, last)| (first - 1, last - first + 1));
        }
        "pick" => ask.chosen = value.parse::<usize>().ok().and_then(|number| number.checked_sub(1)),
        _ => return false,
    }
    true
}

/// Single requests as run and number from 1; what is neither is skipped.
pub(super) fn single(value: &str) -> BTreeSet<(RunId, usize)> {
    let one = |text: &str| {
        let (id, number) = text.split_once('.')?;
        Some((RunId::parse(id)?, number.parse::<usize>().ok()?.checked_sub(1)?))
    };
    value.split(',').filter_map(one).collect()
}

fn stretch<T: std::str::FromStr>(value: &str) -> Option<(T, T)> {
    let (from, to) = value.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parts: &[(&str, String)]) -> RequestsAsk {
        let mut ask = RequestsAsk::default();
        assert!(parts.iter().all(|(name, value)| decode(&mut ask, name, value)));
        ask
    }

    #[test]
    fn what_is_shown_comes_back() {
        let ask = RequestsAsk {
            run: RunId::parse("07b8da36c52a"),
            order: Order::Gap,
            colour: Colour::Length,
            align: Align::Send,
            status: Status::Misses,
            time: Some((2.125, 4.5)),
            lanes: Some((250, 250)),
            chosen: Some(19),
        };
        let mut parts = Vec::new();
        encode(&ask, &mut parts);
        assert_eq!(read(&parts), ask);
        let of = |wanted: &str| parts.iter().find(|part| part.0 == wanted).unwrap().1.clone();
        assert_eq!((of("lanes").as_str(), of("pick").as_str()), ("251..500", "20"));
        let sum = RequestsAsk { time: Some((0.1 + 0.2, 4.0)), ..RequestsAsk::default() };
        let mut rounded = Vec::new();
        encode(&sum, &mut rounded);
        assert_eq!(rounded, [("time", "0.3..4".to_owned())]);
        let mut plain = Vec::new();
        encode(&RequestsAsk::default(), &mut plain);
        assert!(plain.is_empty());
    }

    #[test]
    fn what_means_nothing_leaves_the_default() {
        let parts = [
            ("by", "speed"),
            ("time", "4..2"),
            ("time", "NaN..2"),
            ("lanes", "0..3"),
            ("pick", "0"),
            ("run", "x"),
        ];
        let parts: Vec<_> =
            parts.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        assert_eq!(read(&parts), RequestsAsk::default());
        assert!(!decode(&mut RequestsAsk::default(), "runs", "x"));
    }
}
