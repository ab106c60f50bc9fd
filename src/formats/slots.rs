//! The request table of the vLLM family: arrays aligned by slot, failed requests included.
//!
//! Every client of the family keeps a failed request's slot in every array and leaves it out of its
//! statistics; older ones book an empty reply as a success with a time to first token of zero.

use super::record::Arrays;
use crate::model::{Column, Origin, Outcome, Ragged, Requests};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Quantity, Seconds, Tokens, Turn};
use std::fmt::Write as _;

/// What the result says of its requests besides the arrays.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// How many finished.
    pub(super) completed: Option<u64>,
    /// How many failed.
    pub(super) failed: Option<u64>,
}

/// The table behind the arrays; `None` where there are no arrays, or they don't fit together.
pub(super) fn table(arrays: Arrays, counts: Counts, out: &mut Notices) -> Option<Requests> {
    let lengths = arrays.lengths();
    let (_, len) = *lengths.first()?;
    if let Some((name, other)) = lengths.iter().find(|(_, other)| *other != len) {
        let (first, _) = lengths.first()?;
        out.add(
            Severity::Block,
            "arrays-differ",
            Place::JsonPath((*name).to_owned()),
            format!(
                "{name} has {other} entries where {first} has {len}, so the requests can’t be told \
                 apart: only the printed numbers are used."
            ),
        );
        return None;
    }
    if len == 0 {
        return None;
    }
    let mut requests = Requests::absent(len);
    requests.outcome = outcomes(&arrays, len, counts, out);
    let ok: Vec<bool> = requests.outcome.iter().map(|o| *o == Outcome::Ok).collect();
    note_failed(&arrays, &ok, out);

    let Arrays {
        input_lens,
        output_lens,
        ttfts,
        latencies,
        start_times,
        queue_times,
        itls,
        cached_tokens,
        ..
    } = arrays;
    // A list of another length can't be laid to the requests, and nothing else hangs on it.
    if let Some(counts) = cached_tokens.filter(|counts| counts.len() == len) {
        let counts = counts.into_iter().enumerate();
        requests.cached_tokens =
            cached(counts.map(|(at, n)| (is(&ok, at) && n.is_finite()).then_some(n)));
    }
    for (array, values) in [("input_lens", &input_lens), ("output_lens", &output_lens)] {
        let all = values.iter().flatten().enumerate();
        let rows: Vec<usize> = all.filter(|(_, n)| **n < 0.0).map(|(at, _)| at).collect();
        let text = format!("A negative number of tokens in {array} is taken as missing.");
        flag(out, Severity::Warn, "negative-count", &rows, &text);
    }
    requests.input_tokens = column(input_lens, len, |_, n| (n >= 0.0).then_some(n));
    requests.output_tokens =
        column(output_lens, len, |at, n| (n >= 0.0 && is(&ok, at)).then_some(n));
    requests.gaps = gaps(itls, &ok, out);
    let mut bad = Bad::default();
    requests.ttft = column(ttfts, len, |at, t| bad.positive(t, is(&ok, at), at));
    let empty: Vec<usize> = (0..len).filter(|at| requests.is_empty_reply(*at)).collect();
    bad.rows.retain(|at| empty.binary_search(at).is_err());
    bad.note("ttfts", "Time to first token", out);
    let mut bad = Bad::default();
    requests.e2e = column(latencies, len, |at, t| bad.positive(t, is(&ok, at), at));
    bad.note("latencies", "End-to-end latency", out);
    let mut bad = Bad::default();
    requests.queue_wait = column(queue_times, len, |at, t| bad.not_negative(t, at));
    bad.note("queue_times", "Wait inside the client", out);
    // A client without start times writes the same zero everywhere (SGLang's for TensorRT-LLM).
    let started = start_times.filter(|all| len == 1 || all.iter().any(|t| t.abs() > 0.0));
    requests.start = column(started, len, |_, t| Some(t));
    note_not_streamed(&requests, out);
    Some(requests)
}

/// Replies without a token. Asked once it is known who counted the tokens.
pub(super) fn note_empty(requests: &Requests, out: &mut Notices) {
    let empty: Vec<usize> = (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).collect();
    let text = "A reply ended without an error but no token arrived: its latencies are samples only under a \
                ruler that keeps empty replies.";
    flag(out, Severity::Warn, "empty-replies", &empty, text);
}

/// Which turn of its conversation each request is, from 1. Where no conversation goes on, that says nothing.
pub(super) fn turns(turns: impl Iterator<Item = Option<f64>>) -> Column<Turn> {
    let turns: Vec<Option<f64>> = turns.collect();
    if !turns.iter().flatten().any(|turn| *turn > 1.0) {
        return Column::absent(turns.len());
    }
    Column::from_options(Origin::Reported, turns.into_iter().map(|turn| turn.map(Turn::nth)))
}

/// Prompt tokens that a prefix cache held, of the requests whose server says.
pub(super) fn cached(counts: impl Iterator<Item = Option<f64>>) -> Column<Tokens> {
    let counts: Vec<Option<f64>> = counts.map(|n| n.filter(|n| *n >= 0.0)).collect();
    if counts.iter().all(Option::is_none) {
        return Column::absent(counts.len());
    }
    Column::from_options(Origin::Reported, counts.into_iter().map(|n| n.map(Tokens::from_count)))
}

fn is(flags: &[bool], at: usize) -> bool {
    flags.get(at).copied().unwrap_or(false)
}

fn column<T: Quantity>(
    values: Option<Vec<f64>>,
    len: usize,
    mut keep: impl FnMut(usize, f64) -> Option<f64>,
) -> Column<T> {
    let Some(values) = values else { return Column::absent(len) };
    let kept = values.into_iter().enumerate().map(|(at, value)| keep(at, value).map(T::from_raw));
    Column::from_options(Origin::Reported, kept)
}

/// Which slots failed. The error text decides; without one, what only a failed slot can look like,
/// and no more of them than the result counts.
fn outcomes(arrays: &Arrays, len: usize, counts: Counts, out: &mut Notices) -> Vec<Outcome> {
    let mut failed = match &arrays.errors {
        Some(errors) => errors.failed.clone(),
        None => vec![false; len],
    };
    let named = failed.iter().filter(|f| **f).count();
    let expected = counts
        .completed
        .map(|completed| (len as u64).saturating_sub(completed))
        .or(counts.failed)
        .map_or(named, |n| n as usize);
    if expected > named {
        let zero = |list: &Option<Vec<f64>>, at: usize| {
            list.as_ref()
                .is_none_or(|list| list.get(at).is_some_and(|v| v.abs() == 0.0 || v.is_nan()))
        };
        let lost = |at: usize| {
            zero(&arrays.latencies, at)
                && zero(&arrays.ttfts, at)
                && zero(&arrays.output_lens, at)
                && (arrays.latencies.is_some()
                    || arrays.output_lens.is_some()
                    || arrays.ttfts.is_some())
        };
        let suspects: Vec<usize> =
            (0..len).filter(|at| !is(&failed, *at) && lost(*at)).take(expected - named).collect();
        for at in &suspects {
            if let Some(slot) = failed.get_mut(*at) {
                *slot = true;
            }
        }
        let text = if arrays.errors.is_some() {
            "The result counts more failed requests than have an error text; this one holds nothing \
             but zeros and is taken as failed."
        } else {
            "The file has no error texts; this request holds nothing but zeros and is taken as one of \
             those the result counts as failed."
        };
        flag(out, Severity::Note, "failed-without-text", &suspects, text);
    }
    let found = failed.iter().filter(|f| **f).count();
    if counts.completed.is_some_and(|completed| completed != (len - found) as u64) {
        out.add(
            Severity::Warn,
            "completed-differs",
            Place::JsonPath("completed".into()),
            format!(
                "The result counts {} finished requests, its arrays hold {}.",
                counts.completed.unwrap_or_default(),
                len - found
            ),
        );
    }
    failed.into_iter().map(|f| if f { Outcome::Failed } else { Outcome::Ok }).collect()
}

fn note_failed(arrays: &Arrays, ok: &[bool], out: &mut Notices) {
    let failed: Vec<usize> = (0..ok.len()).filter(|at| !is(ok, *at)).collect();
    let Some(first) = failed.first() else { return };
    let partial = arrays.ttfts.as_ref().map_or(0, |ttfts| {
        failed.iter().filter(|at| ttfts.get(**at).is_some_and(|t| *t > 0.0)).count()
    });
    let mut text =
        String::from("Failed requests are counted, and none of their values is a sample");
    if partial > 0 {
        let _ = write!(text, "; {partial} of them failed after their first token");
    }
    if let Some(errors) = arrays.errors.as_ref().filter(|errors| !errors.kinds.is_empty()) {
        let mut kinds: Vec<_> = errors.kinds.iter().collect();
        kinds.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let named: Vec<_> =
            kinds.iter().take(4).map(|(kind, count)| format!("{count} × {kind}")).collect();
        let _ = write!(text, " ({})", named.join(", "));
    }
    text.push('.');
    let place = Place::Record(*first as u64 + 1);
    out.add_many(Severity::Warn, "failed-requests", place, failed.len() as u64, text);
}

/// The gaps of finished requests. The others' rows are not recorded.
fn gaps(
    itls: Option<(Ragged<Seconds>, Vec<usize>)>,
    ok: &[bool],
    out: &mut Notices,
) -> Ragged<Seconds> {
    let Some((rows, unusable)) = itls else { return Ragged::absent(ok.len()) };
    flag(
        out,
        Severity::Warn,
        "unusable-gaps",
        &unusable,
        "The gaps of a request hold a negative or missing value: none of them is used.",
    );
    let partial = |at: usize| !is(ok, at) && rows.row(at).is_some();
    if !(0..rows.len()).any(partial) {
        return rows;
    }
    let mut kept = Ragged::new(rows.origin().clone());
    for (row, ok) in rows.rows().zip(ok) {
        kept.push_row(row.filter(|_| *ok));
    }
    kept
}

/// Rows whose timing can't be one.
#[derive(Default)]
struct Bad {
    rows: Vec<usize>,
}

impl Bad {
    fn positive(&mut self, value: f64, ok: bool, at: usize) -> Option<f64> {
        if ok && !(value > 0.0 && value.is_finite()) {
            self.rows.push(at);
        }
        (ok && value > 0.0).then_some(value)
    }

    fn not_negative(&mut self, value: f64, at: usize) -> Option<f64> {
        if value < 0.0 {
            self.rows.push(at);
        }
        (value >= 0.0).then_some(value)
    }

    fn note(&self, array: &str, what: &str, out: &mut Notices) {
        let text = format!(
            "{what} in {array}: zero, negative or not a number is taken as missing, not as a time."
        );
        flag(out, Severity::Warn, "no-time", &self.rows, &text);
    }
}

/// Requests with several tokens whose whole reply came in one event.
pub(super) fn note_not_streamed(requests: &Requests, out: &mut Notices) {
    let once: Vec<usize> = (0..requests.len())
        .filter(|at| {
            let many = requests.output_tokens.get(*at).is_some_and(|n| n.count() > 1.0);
            let Some(ttft) = requests.ttft.get(*at) else { return false };
            let same = match requests.e2e.get(*at) {
                Some(e2e) => (e2e - ttft).as_secs().abs() <= 1e-6 * e2e.as_secs(),
                // A latency that is missing in this row alone says nothing of its stream.
                None => {
                    requests.e2e.is_absent() && requests.gaps.row(*at).is_some_and(<[_]>::is_empty)
                }
            };
            many && same
        })
        .collect();
    let text = format!(
        "The first token arrived with the last ({} of {} requests): with more than one token this says \
         nothing about the time per token.",
        once.len(),
        requests.count(Outcome::Ok)
    );
    flag(out, Severity::Warn, "not-streamed", &once, &text);
}

/// One notice for many rows, with the first few as places.
pub(super) fn flag(out: &mut Notices, severity: Severity, kind: &str, rows: &[usize], text: &str) {
    for (nth, row) in rows.iter().enumerate() {
        let place = Place::Record(*row as u64 + 1);
        if nth + 1 == Notices::EXAMPLES {
            out.add_many(severity, kind, place, (rows.len() - nth) as u64, text);
            return;
        }
        out.add(severity, kind, place, text);
    }
}

/// Whether a printed mean time per output token follows from the gaps alone, that is, whether the
/// client's latency stops at its last counted event. `None` where the file can't tell.
pub(super) fn ends_at_last_event(requests: &Requests, mean_tpot_ms: f64) -> Option<bool> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for at in 0..requests.len() {
        let (Some(row), Some(tokens)) = (requests.gaps.row(at), requests.output_tokens.get(at))
        else {
            continue;
        };
        let tokens = tokens.count();
        if tokens > 1.0 {
            sum += row.iter().map(|gap| gap.as_secs()).sum::<f64>() / (tokens - 1.0);
            count += 1;
        }
    }
    let mean = sum / f64::from(count) * 1e3;
    (count > 0 && mean > 0.0 && mean_tpot_ms > 0.0)
        .then(|| ((mean_tpot_ms - mean) / mean_tpot_ms).abs() < 1e-4)
}
