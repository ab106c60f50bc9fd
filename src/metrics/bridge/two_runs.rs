//! What is left between two runs once both stand on B's ruler: other requests, or another system.

use super::{Number, Remainder, Unmeasured};
use crate::metrics::difference::{Clear, Subject, comparable, difference_of, interval_of};
use crate::metrics::evaluate::Ask;
use crate::metrics::measured::Value;
use crate::model::{Load, RequestRate, Stat};
use crate::units::{Unit, significant, within_sentence};
use std::fmt::Write as _;

/// What leads from `reached`, B's ruler on A's rows, to `b`.
///
/// What of B's definition A's rows could not give is in there too, and is not laid on the system.
pub(super) fn remainder(
    reached: (&Number<'_>, &Value),
    b: &Number<'_>,
    unmeasured: &[Unmeasured],
) -> Option<Remainder> {
    let (a, reached) = reached;
    let change = b.value().exact_or_reported()? - reached.exact_or_reported()?;
    // Two numbers near the largest double can be further apart than one holds.
    if !change.is_finite() {
        return None;
    }
    let percentiles = match b.stat {
        Stat::Percentile(p) => vec![p],
        Stat::Median => vec![50.0],
        _ => Vec::new(),
    };
    let asked = |ask: &Ask| Ask { percentiles: percentiles.clone(), ..ask.clone() };
    let of_a = Subject::new(a.run, &a.settings, &asked(a.ask));
    let of_b = Subject::new(b.run, &b.settings, &asked(b.ask));
    let found = difference_of(&of_a, &of_b, b.metric, b.stat);
    // Runs that are not to be compared have an interval too: it is how sure the two numbers are.
    let interval = found.interval.or_else(|| interval_of(&of_a, &of_b, b.metric, b.stat));
    let factor = if b.metric.unit() == Unit::Share { 100.0 } else { 1.0 };
    let unit = match b.metric.unit() {
        Unit::Share => "percentage points",
        unit => unit.symbol(),
    };
    let short = |v: f64| significant(v * factor, 3);
    let size = short(change.abs());
    let sure = interval.map(|interval| {
        format!("the 95 % interval is {} to {} {unit}", short(interval.low), short(interval.high))
    });
    let covers_zero = interval.is_some_and(|i| i.low <= 0.0 && i.high >= 0.0);
    let mut because = match (&found.clear, sure) {
        _ if change.abs() <= 1e-9 * reached.exact_or_reported().unwrap_or(1.0).abs() => {
            if matches!(reached, Value::Reported(_)) || matches!(b.value(), Value::Reported(_)) {
                "Nothing is left over: the two are the same number, as far as it is printed."
                    .to_owned()
            } else {
                "Nothing is left over: on one ruler both runs give the same number.".to_owned()
            }
        }
        (_, sure) if !unmeasured.is_empty() => {
            let other = |one: &Unmeasured| match within_sentence(&one.name) {
                name if one.dimension == super::limits::DIMENSION => format!("other {name}"),
                name => format!("another {name}"),
            };
            let names: Vec<String> = unmeasured.iter().map(other).collect();
            let sure = sure.map_or_else(String::new, |sure| format!(" ({sure})"));
            format!(
                "The last {size} {unit} hold what {} would change beside other requests and the system; these rows can’t tell them apart{sure}.",
                names.join(" and ")
            )
        }
        (Clear::TooFew(reason), _) => {
            format!(
                "The last {size} {unit} are different requests or the system: too few data tell which ({reason})."
            )
        }
        (Clear::NotClear(reason), None) => {
            format!("The last {size} {unit} are different requests or the system: {reason}.")
        }
        (_, Some(sure)) if covers_zero => format!(
            "The last {size} {unit} are other requests, and the interval covers zero: {sure}."
        ),
        (_, Some(sure)) => {
            format!(
                "The last {size} {unit} are a clear difference: {sure}. They are in no definition of the two: other requests, the system, or what a client timed without its file saying so."
            )
        }
        (_, None) => format!("The last {size} {unit} are different requests or the system."),
    };
    if let Err(reason) = comparable(&of_a, &of_b, b.metric) {
        let _ = write!(because, " The two are not to be read as one measurement: {reason}.");
    }
    if let Some(loads) = loads(&a.run.load, &b.run.load) {
        let _ = write!(because, " The load differs: {loads}.");
    }
    Some(Remainder {
        name: "Different requests or system".into(),
        change,
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        because,
    })
}

/// In what the loads differ that both files say: “1 request in flight at most against 16”.
fn loads(a: &Load, b: &Load) -> Option<String> {
    let rate = |rate: RequestRate| match rate {
        RequestRate::PerSecond(rate) => format!("{} req/s", significant(rate, 3)),
        RequestRate::Unlimited => "all at once".to_owned(),
        RequestRate::Trace => "a recorded trace".to_owned(),
    };
    let mut said = Vec::new();
    if let (Some(a), Some(b)) = (a.request_rate, b.request_rate)
        && a != b
    {
        said.push(format!("{} asked for against {}", rate(a), rate(b)));
    }
    if let (Some(a), Some(b)) = (a.max_concurrency, b.max_concurrency)
        && a != b
    {
        said.push(format!("at most {a} in flight against {b}"));
    }
    (!said.is_empty()).then(|| said.join(", "))
}
