//! `server --format json`: the object of schema `sameruler.server/1`, whose names are a contract.

use super::metrics_json::{Json, Members, Object};
use super::output::Ordered;
use super::server::Answer;
use crate::model::{Limit, LimitMetric};
use crate::prometheus::{Row, ServerHistogram, ServerSummary};
use crate::stats::{Interval, histogram_fraction};
use crate::views::server::{Kept, kept, measure_of};
use serde_json::Value;

/// The whole answer.
pub(super) fn answer(answer: &Answer) -> Object {
    let account = &answer.account;
    let window = Members::default()
        .with("kind", account.span.stretch.id())
        .with("seconds", account.span.seconds)
        .with("scrapes", account.span.scrapes);
    let engine = match &account.engine {
        None => Members::default()
            .with("name", Value::Null)
            .with("version_guess", Value::Null)
            .with("because", "none of the names is in the table"),
        Some(engine) => Members::default()
            .with("name", engine.exporter.id)
            .with("version_guess", engine.version.clone())
            .with("because", engine.because.clone())
            .some("contradiction", engine.contradiction.clone())
            .with("beside", engine.others.iter().map(|other| other.id).collect::<Vec<_>>()),
    };
    let histograms = account.histograms.iter().map(|h| (h.row.key.clone(), histogram(answer, h)));
    let counters = account.counters.iter().map(|counter| {
        let parts = counter.parts.iter().map(|(which, rise)| (which.clone(), Json::from(*rise)));
        let mut members = Members::default()
            .with("delta", counter.delta)
            .with("rate", counter.rate)
            .with("unit", counter.row.unit())
            .with("meaning", counter.row.meaning())
            .with("resets", counter.row.resets);
        if counter.row.at_least {
            members = members.with("lower_bound", true);
        }
        if !counter.parts.is_empty() {
            members = members.with_json("parts", Json::Object(Ordered(parts.collect())));
        }
        (counter.row.key.clone(), members.json())
    });
    let gauges = account.gauges.iter().map(|gauge| {
        let values = || gauge.readings.iter().map(|reading| reading.2);
        let members = Members::default()
            .with("first", gauge.first())
            .with("last", gauge.last())
            .with("min", values().reduce(f64::min))
            .with("max", values().reduce(f64::max))
            .with("unit", gauge.row.unit())
            .with("meaning", gauge.row.meaning());
        (gauge.row.key.clone(), members.json())
    });
    let mut members = Members::default()
        .with("schema", "sameruler.server/1")
        .with_json("window", window.json())
        .with_json("engine", engine.json())
        .with_json("histograms", Json::Object(Ordered(histograms.collect())))
        .with_json("counters", Json::Object(Ordered(counters.collect())))
        .with_json("gauges", Json::Object(Ordered(gauges.collect())));
    if !account.summaries.is_empty() {
        let summaries = account.summaries.iter().map(|s| (s.row.key.clone(), summary(s)));
        members = members.with_json("summaries", Json::Object(Ordered(summaries.collect())));
    }
    if let Some(kept) = kept(account, &answer.limits) {
        members = members.with_json("limits", limits(&kept));
    }
    match &answer.client {
        None => {}
        Some(Err(reason)) => {
            let unavailable = Members::default().with("unavailable", reason.as_str());
            members = members.with_json("client", unavailable.json());
        }
        Some(Ok(beside)) => {
            // The view’s own names; times in seconds, as in the rest of this object.
            let value = serde_json::to_value(beside).unwrap_or(Value::Null);
            members = members.with("client", value);
        }
    }
    members
        .with_json("identities", Json::List(answer.proofs.iter().map(identity).collect()))
        .with_json("notices", Json::List(notices(answer)))
        .object()
}

fn histogram(answer: &Answer, histogram: &ServerHistogram) -> Json {
    let row = &histogram.row;
    let mut members = Members::default()
        .with("meaning", row.meaning())
        .with("unit", row.unit())
        .some("per", row.name.map(|name| name.per.words()))
        .some("measured", row.name.map(|name| name.what))
        .with("count", histogram.count)
        .with("sum", histogram.sum)
        .with("mean", histogram.mean())
        .with("resets", row.resets);
    if row.at_least {
        members = members.with("lower_bound", true);
    }
    members = match &histogram.buckets {
        Err(reason) => {
            let unavailable = Members::default().with("unavailable", reason.as_str());
            members.with_json("quantiles", unavailable.json())
        }
        Ok(buckets) => {
            let quantiles = answer.percentiles.iter().filter_map(|p| {
                let bounds = buckets.bounds(p / 100.0)?;
                let members = Members::default()
                    .with("promql", buckets.promql(p / 100.0))
                    .with("low", bounds.low)
                    .with("high", bounds.high)
                    .with("above_last_edge", bounds.above_last_edge);
                Some((format!("p{p}"), members.json()))
            });
            let edges = buckets.buckets().into_iter().map(|(edge, count)| {
                let edge = if edge.is_finite() { Value::from(edge) } else { "+Inf".into() };
                Json::List(vec![Json::Plain(edge), Json::from(count)])
            });
            members
                .with_json("quantiles", Json::Object(Ordered(quantiles.collect())))
                .with_json("buckets", Json::List(edges.collect()))
        }
    };
    let shares: Vec<(String, Json)> = answer
        .limits
        .iter()
        .filter_map(|limit| {
            let (promql, share) = share(histogram, limit)?;
            let members = Members::default()
                .with("low", share.low)
                .with("high", share.high)
                .with("promql", promql);
            Some((limit.to_string(), members.json()))
        })
        .collect();
    if !shares.is_empty() {
        members = members.with_json("within", Json::Object(Ordered(shares)));
    }
    members.with("notes", notes(answer, row)).json()
}

/// The share of a histogram’s observations within a limit: what `histogram_fraction` prints, and the bounds.
/// `None` where the limit is not on what it measures.
pub(super) fn share(histogram: &ServerHistogram, limit: &Limit) -> Option<(Option<f64>, Interval)> {
    // A limit on ITL is held against the gaps of one request.
    let of_requests = !matches!(limit.metric, LimitMetric::Itl(_));
    let same = of_requests && histogram.row.name?.measure == measure_of(limit.metric);
    let limit = limit.constant().filter(|_| same)? / 1e3 / histogram.row.seconds()?;
    let buckets = histogram.histogram()?;
    let shown = histogram_fraction(f64::NEG_INFINITY, limit, &buckets.buckets());
    Some((Some(shown).filter(|share| share.is_finite()), buckets.share_within(limit)?))
}

/// Each limit by itself and all together, out of requests.
fn limits(kept: &Kept) -> Json {
    let each = kept.each.iter().map(|(limit, found)| {
        let members = Members::default().with("limit", limit.to_string());
        match found {
            Err(because) => members.with("unavailable", because.as_str()),
            Ok(found) => members
                .with("series", found.series.as_str())
                .with("of", found.of)
                .with("low", found.share.low)
                .with("high", found.share.high)
                .with_json("edges_s", edges(found.edges))
                .with("text", found.sentence()),
        }
        .json()
    });
    let all = match &kept.all {
        Err(because) => Members::default().with("unavailable", because.as_str()),
        Ok((share, of)) => Members::default()
            .with("of", *of)
            .with("low", share.low)
            .with("high", share.high)
            .with("text", kept.sentence()),
    };
    let goodput = kept.per_second.map(|rate| {
        Members::default()
            .with("unit", "req/s")
            .with("low", rate.low)
            .with("high", rate.high)
            .json()
    });
    let members = Members::default()
        .with_json("each", Json::List(each.collect()))
        .with_json("all", all.json());
    match goodput {
        Some(goodput) => members.with_json("goodput", goodput),
        None => members,
    }
    .json()
}

/// The edges around a limit in seconds; null for none above.
fn edges((lower, upper): (f64, Option<f64>)) -> Json {
    Json::List(vec![Json::from(lower), Json::from(upper)])
}

/// What the table and the traps say of a series.
fn notes(answer: &Answer, row: &Row) -> Vec<String> {
    let own = row.name.map(|name| name.note).filter(|note| !note.is_empty());
    let renamed = row.name.and_then(|name| {
        let other = name.instead?;
        let rename = if name.until.is_some() { "came in its place" } else { "was its name before" };
        Some(format!("{other} {rename}."))
    });
    let of = answer.cautions.iter().filter(|caution| caution.keys.contains(&row.key));
    let said = of.map(|caution| caution.text.clone());
    own.map(str::to_owned).into_iter().chain(renamed).chain(said).collect()
}

fn summary(summary: &ServerSummary) -> Json {
    let quantiles =
        summary.quantiles.iter().map(|(q, value)| (format!("p{}", q * 100.0), Json::from(*value)));
    let mean = summary.count.filter(|n| *n > 0.0).zip(summary.sum).map(|(n, sum)| sum / n);
    Members::default()
        .with("meaning", summary.row.meaning())
        .with("unit", summary.row.unit())
        .with("count", summary.count)
        .with("sum", summary.sum)
        .with("mean", mean)
        .with("resets", summary.row.resets)
        .with_json("as_printed", Json::Object(Ordered(quantiles.collect())))
        .json()
}

fn identity(proof: &crate::prometheus::identities::Proof) -> Json {
    let members =
        Members::default().with("id", proof.about.id).with("formula", proof.about.formula);
    match &proof.weighed {
        Err(reason) => members.with("unavailable", reason.as_str()),
        Ok(weighed) => members
            .with("left", weighed.left)
            .with("right", weighed.right)
            .with("difference", weighed.left - weighed.right)
            .with("unit", weighed.unit.symbol())
            .with("outcome", weighed.outcome.id())
            .with("text", weighed.text.as_str())
            .with("broken_means", proof.about.broken),
    }
    .json()
}

/// Traps, then how labels were folded, then what the reading met.
fn notices(answer: &Answer) -> Vec<Json> {
    let traps = answer.cautions.iter().map(|caution| {
        let figures = caution.figures.iter().map(|figure| {
            let members =
                Members::default().with("value", figure.value).with("unit", figure.unit.symbol());
            (figure.id.to_owned(), members.json())
        });
        let mut members = Members::default()
            .with("severity", caution.severity.word())
            .with("kind", caution.trap)
            .with("text", caution.text.as_str())
            .with("series", caution.keys.clone());
        if !caution.figures.is_empty() {
            members = members.with_json("figures", Json::Object(Ordered(figures.collect())));
        }
        members.json()
    });
    let folded = answer.account.folded.iter().map(|folded| {
        Members::default()
            .with("severity", "note")
            .with("kind", "added-up")
            .with("text", folded.sentence())
            .json()
    });
    let met = answer.notices.iter().map(|notice| {
        Members::default()
            .with("severity", notice.severity.word())
            .with("kind", notice.kind.as_str())
            .with("count", notice.count)
            .with("place", notice.places.first().map(ToString::to_string))
            .with("text", notice.text.as_str())
            .json()
    });
    traps.chain(folded).chain(met).collect()
}
