//! The first sentence of the Server screen: why the two sides’ p99 differ, or what can be said without a
//! client.

use super::client::{ClientServer, Compared, ComparedQuantile};
use crate::prometheus::names::Measure;
use crate::prometheus::words::{counted, time};
use crate::prometheus::{Account, Stretch};

/// Two p99s within this share of each other are called the same: half of what is commonly read off a panel.
const SAME: f64 = 0.05;

/// Headline and subline.
pub(super) fn headline(account: &Account, client: Option<&ClientServer>) -> (String, String) {
    client.and_then(beside).unwrap_or_else(|| alone(account))
}

/// The measure whose p99s differ most, and why.
fn beside(client: &ClientServer) -> Option<(String, String)> {
    let gap = |row: &&Compared| {
        let at = p99(row)?;
        Some((at.server_shown? - at.client).abs() / at.client.max(f64::MIN_POSITIVE))
    };
    let widest = client.rows.iter().filter_map(|row| Some((row, gap(&row)?)));
    let (row, gap) = widest.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let at = p99(row)?;
    let (shown, binned) = (at.server_shown?, at.client_binned?);
    let subline = row.sentence.clone()?;
    let name = &row.name;
    let both = format!("{} on the server, {} at the client", time(shown), time(at.client));
    let (buckets, rest) = ((binned - at.client).abs(), (shown - binned).abs());
    let headline = if gap <= SAME {
        format!("Server and client agree on p99 {name}: {both}")
    } else if buckets > rest {
        format!("The two p99s of {name} differ by the width of a bucket, not by requests: {both}")
    } else {
        format!("The two p99s of {name} differ beyond their buckets: {both}")
    };
    Some((
        headline,
        [Some(subline), extra(row)].into_iter().flatten().collect::<Vec<_>>().join(" "),
    ))
}

fn p99(row: &Compared) -> Option<&ComparedQuantile> {
    row.quantiles.iter().find(|of| of.q > 0.98)
}

/// Requests that one side alone counted.
fn extra(row: &Compared) -> Option<String> {
    let more = row.server_n - row.client_n as f64;
    if more.abs() < 0.5 {
        return None;
    }
    let (side, other) =
        if more > 0.0 { ("server", "client’s file") } else { ("client", "server’s counters") };
    Some(format!(
        "The {side} counted {} that {} not in the {other}.",
        counted(more.abs(), "observation", "observations"),
        if more.abs() < 1.5 { "is" } else { "are" }
    ))
}

/// What can be said without a client.
fn alone(account: &Account) -> (String, String) {
    let e2e = account.server(Measure::E2e).or_else(|| account.server(Measure::Ttft));
    let n = e2e.and_then(|h| h.count).map(|n| counted(n, "request", "requests"));
    let ttft = account.server(Measure::Ttft).and_then(|h| {
        let factor = h.row.seconds()?;
        let bounds = h.histogram()?.bounds(0.99)?;
        let high =
            bounds.high.map_or_else(String::new, |high| format!(" and {}", time(high * factor)));
        let low = time(bounds.low * factor);
        let p99 =
            if high.is_empty() { format!("above {low}") } else { format!("between {low}{high}") };
        Some(format!(
            "Mean TTFT is {}, exactly; its p99 lies {p99}, and no closer.",
            time(h.mean()? * factor)
        ))
    });
    let headline = match (account.span.stretch, n) {
        (Stretch::SinceStart, Some(n)) => format!("One scrape: {n} since the server’s start"),
        (Stretch::SinceStart, None) => "One scrape: totals since the server’s start".to_owned(),
        (_, Some(n)) => format!("{n} between the first scrape and the last"),
        (_, None) => "The scrapes hold no histogram of requests that is known".to_owned(),
    };
    let other = (account.span.stretch == Stretch::SinceStart).then(|| {
        "It includes all other traffic since then: take a second scrape after the run.".to_owned()
    });
    let said: Vec<String> = [ttft, other].into_iter().flatten().collect();
    (headline, said.join(" "))
}
