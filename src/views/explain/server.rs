//! From a client’s number to a server’s: the engine’s definitions on the client’s rows, then its buckets,
//! then the way between the two.

use crate::metrics::bridge::{
    Bridge, End, Number, Print, Remainder, Route, Side, Step, Touched, Unmeasured, bridge,
    extended, printed,
};
use crate::metrics::settings::{ClockStart, Percentile};
use crate::metrics::{Settings, Value};
use crate::model::{Metric, ReportedValue, RunId, ServerDump, Stat};
use crate::units::fixed;
use crate::views::server::{ServerNumber, server_number};
use std::sync::Arc;

/// The bridge from `a`, a number of a client’s rows, to a number of the server whose dumps are `ids`.
///
/// # Errors
/// When either of the two can’t be had; the reason is a sentence.
pub fn to_server(
    a: &Number<'_>,
    all: &[&ServerDump],
    ids: &[RunId],
    number: (Metric, Stat),
    route: &Route,
) -> Result<Arc<Bridge>, String> {
    from_print((a, None), all, ids, number, route)
}

/// The same, from what the client’s tool printed where it says so: over its rows.
///
/// # Errors
/// As for [`to_server`].
pub(super) fn from_print(
    (a, print): (&Number<'_>, Option<&ReportedValue>),
    all: &[&ServerDump],
    ids: &[RunId],
    (metric, stat): (Metric, Stat),
    route: &Route,
) -> Result<Arc<Bridge>, String> {
    let server = server_number(a.run, all, ids, (metric, stat))?;
    // What the client’s rows can give of the engine’s ruler: not its clock, and no buckets.
    let settings = Settings {
        clock_start: a.settings.clock_start,
        first_token: a.settings.first_token,
        percentile: Percentile::Linear,
        duration: a.settings.duration,
        ..server.preset.settings
    };
    let rows = Number { run: a.run, metric, stat, settings, ask: a.ask };
    let rows = match print {
        None => bridge(a, &rows, route),
        Some(_) => printed((a, print), (&rows, None), route).map(Arc::new),
    };
    let rows = rows.map_err(|refused| format!("{refused}."))?;
    if rows.stopped.is_some() && rows.unmeasured.is_empty() {
        return Ok(rows);
    }
    let mut rows = Bridge::clone(&rows);
    if let Some(rest) = rows.remainder.take() {
        // Of a bridge from a print to the same number of its rows: here it is one piece among others.
        rows.prints.push(Print { side: Side::A, rest });
    }
    let reached = match (rows.steps.last(), rows.prints.first(), &rows.a.value) {
        (Some(step), ..) => step.after.clone(),
        (None, Some(print), Value::Reported(value)) => Value::Exact(value + print.rest.change),
        _ => rows.a.value.clone(),
    };
    let buckets = server.bucket.as_ref().map(|bucket| buckets(&server, stat, bucket, &reached));
    let before = buckets.as_ref().map_or(&reached, |step| &step.after);
    let rest = before.exact_or_reported().zip(server.value.exact_or_reported());
    let rest = rest.map(|(before, server_value)| between(&server, server_value - before));
    let clock = Unmeasured {
        dimension: "clock-start".into(),
        name: "Clock start".into(),
        from: a.settings.clock_start.id().into(),
        to: ClockStart::ServerArrival.id().into(),
        because: format!(
            "The file of {} holds no arrival stamps of the server. What they would change, connection and HTTP, is inside what is left over.",
            a.run.name
        ),
    };
    let b = End {
        run: server.dump.clone(),
        name: server.name.clone(),
        metric,
        stat,
        settings: server.preset.settings,
        value: server.value.clone(),
    };
    Ok(Arc::new(extended(&rows, buckets.into_iter().collect(), vec![clock], rest, b)))
}

/// The client’s samples in the server’s buckets.
fn buckets(server: &ServerNumber, stat: Stat, bucket: &str, reached: &Value) -> Step {
    let after = server.binned.map_or_else(
        || Value::Missing("the client’s samples have no such quantile in these buckets".into()),
        Value::Exact,
    );
    let change = match (&after, reached.exact_or_reported()) {
        (Value::Exact(after), Some(before)) => Value::Exact(after - before),
        _ => Value::Missing("the rows do not give it exactly".into()),
    };
    let samples = fixed(server.samples as f64, 0);
    Step {
        dimension: "percentile".into(),
        name: "Percentile".into(),
        from: Percentile::Linear.id().into(),
        to: Percentile::BucketLinear.id().into(),
        from_words: "between neighbours".into(),
        to_words: "through the server’s buckets".into(),
        after,
        change,
        touched: Touched::default(),
        because: format!(
            "The same {samples} samples in the server’s own buckets: a dashboard draws a straight line through the bucket. The server’s {} lies in that of {bucket}.",
            stat.name()
        ),
        average: None,
        other_story: false,
    }
}

/// What lies between the client’s samples and the server’s own.
fn between(server: &ServerNumber, change: f64) -> Remainder {
    let counted = if (server.n - server.samples as f64).abs() < 0.5 {
        "both counted the same number".to_owned()
    } else {
        format!(
            "the server counted {}, the client {}, so they are not of the same requests",
            fixed(server.n, 0),
            fixed(server.samples as f64, 0)
        )
    };
    Remainder {
        name: "Between client and server".into(),
        change,
        low: None,
        high: None,
        because: format!(
            "What is left lies between client and server: {}; {counted}. {}",
            server.expected, server.because
        ),
    }
}
