//! The limits behind two goodputs: a printed one stands under those of its tool, which its file may not name.

use super::adapt::INSIDE;
use super::{Number, Unmeasured};
use crate::metrics::measured::Value;
use crate::model::{Limit, Metric};

/// The dimension that limits belong to.
pub(super) const DIMENSION: &str = "goodput-rule";

/// What is said of limits that a file does not name.
const UNNAMED: &str = "not named";

/// That the goodputs of two runs are not known to be under the same limits, if so. `start` is what is known of
/// A’s.
pub(super) fn apart(a: &Number<'_>, start: &Value, b: &Number<'_>) -> Option<Unmeasured> {
    if !matches!(b.metric, Metric::Goodput | Metric::SloShare) {
        return None;
    }
    let of = |number: &Number<'_>, value: &Value| match value {
        Value::Reported(_) => number.run.reported.limits.clone(),
        _ => Some(number.ask.limits.clone()),
    };
    let end = b.value();
    end.exact_or_reported()?;
    let (of_a, of_b) = (of(a, start), of(b, &end));
    let because = match (&of_a, &of_b) {
        (Some(one), Some(other)) if same(one, other) => return None,
        (Some(_), Some(_)) => "The two goodputs are under different limits.".to_owned(),
        (None, None) => "Neither file names the limits behind its printed goodput.".to_owned(),
        (None, Some(_)) => unnamed(a),
        (Some(_), None) => unnamed(b),
    };
    let words = |limits: Option<Vec<Limit>>| {
        let all = limits.map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        all.map_or_else(|| UNNAMED.to_owned(), |all| all.join(" and "))
    };
    Some(Unmeasured {
        dimension: DIMENSION.into(),
        name: "Limits".into(),
        from: words(of_a),
        to: words(of_b),
        because: format!("{because}{INSIDE}"),
    })
}

fn unnamed(number: &Number<'_>) -> String {
    format!("{} does not name the limits behind its printed goodput.", number.run.name)
}

fn same(one: &[Limit], other: &[Limit]) -> bool {
    let within = |a: &[Limit], b: &[Limit]| a.iter().all(|limit| b.contains(limit));
    within(one, other) && within(other, one)
}
