//! Which requests are shown, and in which order.

use super::Worked;
use super::ask::{Named as _, Order, RequestsAsk, Sort, Status};
use crate::metrics::{Kept, RequestTable};
use crate::model::Outcome;

/// One value of a request.
pub(super) fn value(column: &[Option<f64>], at: usize) -> Option<f64> {
    column.get(at).copied().flatten()
}

/// Whether a request has a status.
pub(super) fn has(worked: &Worked, status: Status, at: usize) -> bool {
    let table = &worked.table;
    let outcome = table.outcome.get(at);
    match status {
        Status::All => true,
        Status::Ok => outcome == Some(&Outcome::Ok),
        Status::Failed => outcome == Some(&Outcome::Failed),
        Status::Cut => matches!(outcome, Some(Outcome::Cancelled | Outcome::Unfinished)),
        Status::Misses => matches!(kept(table, at), Some(Kept::Missed(_))),
        Status::Paused => worked.paused.get(at) == Some(&true),
        Status::Short => length_class(worked, at) == Some(0),
        Status::Long => length_class(worked, at) == Some(3),
        Status::FirstTurn => value(&table.turn, at).is_some_and(|turn| turn < 1.5),
        Status::LaterTurns => value(&table.turn, at).is_some_and(|turn| turn > 1.5),
        Status::Cached => value(&table.cached, at).is_some_and(|cached| cached > 0.0),
        Status::Uncached => value(&table.cached, at).is_some_and(|cached| cached <= 0.0),
        Status::LeftOut => table.kept.get(at) == Some(&false),
    }
}

/// In which fourth of the output lengths a request is, from 0 for the shortest to 3 for the longest. Equal
/// lengths are of one fourth, so that a fourth may be empty.
pub(super) fn length_class(worked: &Worked, at: usize) -> Option<u8> {
    let tokens = value(&worked.table.tokens, at)?;
    Some(worked.fourths?.iter().filter(|edge| tokens > **edge).count() as u8)
}

/// What became of a request under the SLO.
pub(super) fn kept(table: &RequestTable, at: usize) -> Option<Kept> {
    table.slo.as_ref()?.as_ref().ok()?.get(at).copied()
}

/// How many requests have each status, without those that none has unless it is the `chosen` one.
pub(super) fn statuses(worked: &Worked, chosen: Status) -> Vec<(Status, usize)> {
    let counted = Status::ALL.iter().map(|s| (*s, of(worked, *s).count()));
    let all = of(worked, Status::All).count();
    // What all requests have in common parts nothing, such as one length of all replies.
    let parts = |(status, count): &(Status, usize)| match status {
        Status::All => true,
        status if *status == chosen => true,
        Status::Short
        | Status::Long
        | Status::FirstTurn
        | Status::LaterTurns
        | Status::Cached
        | Status::Uncached => (1..all).contains(count),
        _ => *count > 0,
    };
    counted.filter(parts).collect()
}

/// The requests of a status. One that was left out has no other.
fn of(worked: &Worked, status: Status) -> impl Iterator<Item = usize> + '_ {
    let kept = worked.table.kept.iter().enumerate();
    kept.filter(move |(_, kept)| **kept != (status == Status::LeftOut))
        .map(|(at, _)| at)
        .filter(move |at| has(worked, status, *at))
}

/// The requests that are asked for, in the order of the file.
pub(super) fn matching(worked: &Worked, ask: &RequestsAsk) -> Vec<usize> {
    let table = &worked.table;
    let meets = |at: &usize| {
        let Some((from, to)) = ask.time else { return true };
        let Some(start) = value(&table.start, *at) else { return false };
        let end = start + value(&table.end, *at).unwrap_or(0.0).max(0.0);
        start <= to && end >= from
    };
    of(worked, ask.status).filter(meets).collect()
}

/// Requests in the order of the lanes. Those without the value come last, in the order of the file.
pub(super) fn ordered(worked: &Worked, order: Order, rows: Vec<usize>) -> Vec<usize> {
    let table = &worked.table;
    match order {
        Order::Start => by(rows, &table.start, false),
        Order::Ttft => by(rows, &table.ttft, true),
        Order::E2e => by(rows, &table.e2e, true),
        Order::Length => by(rows, &table.tokens, true),
        Order::Gap => by(rows, &table.gap, true),
    }
}

/// Requests in the order of a column of the table.
pub(super) fn sorted(worked: &Worked, sort: Sort, turned: bool, rows: Vec<usize>) -> Vec<usize> {
    let table = &worked.table;
    let largest = sort.largest_first() != turned;
    let computed: Vec<Option<f64>>;
    let column = match sort {
        Sort::Number => {
            computed = (0..table.len()).map(|at| Some(at as f64)).collect();
            &computed
        }
        Sort::Start => &table.start,
        Sort::Ttft => &table.ttft,
        Sort::Tpot => &table.tpot,
        Sort::Gap => &table.gap,
        Sort::E2e => &table.e2e,
        Sort::Tokens => &table.tokens,
        Sort::Turn => &table.turn,
        Sort::Cached => &table.cached,
        // What went wrong stands first.
        Sort::Status => {
            let rank = |outcome: &Outcome| match outcome {
                Outcome::Ok => 0.0,
                Outcome::Unfinished => 1.0,
                Outcome::Cancelled => 2.0,
                Outcome::Failed => 3.0,
            };
            computed = table.outcome.iter().map(|outcome| Some(rank(outcome))).collect();
            &computed
        }
        Sort::Slo => {
            let rank = |kept: Kept| match kept {
                Kept::All => Some(0.0),
                Kept::Perhaps => Some(0.5),
                Kept::Missed(bits) => Some(1.0 + f64::from(bits.count_ones())),
                Kept::NotApplicable | Kept::Outside => None,
            };
            computed = (0..table.len()).map(|at| kept(table, at).and_then(rank)).collect();
            &computed
        }
    };
    by(rows, column, largest)
}

fn by(mut rows: Vec<usize>, column: &[Option<f64>], largest: bool) -> Vec<usize> {
    rows.sort_by(|a, b| match (value(column, *a), value(column, *b)) {
        (Some(a), Some(b)) if largest => b.total_cmp(&a),
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => std::cmp::Ordering::Equal,
    });
    rows
}
