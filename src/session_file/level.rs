//! A run with less of its data: what the printed values, the notices and the reasons for what is missing
//! don't need.

use crate::model::{Column, Level, Origin, Ragged, Requests, Run};
use crate::notice::{Place, Severity};
use crate::units::Seconds;

/// The run with no more of its data than `level`. Printed values, notices and names stay; its id is that of
/// the whole run.
#[must_use]
pub fn reduced(mut run: Run, level: Level) -> Run {
    if level >= run.provenance.level {
        return run;
    }
    let Some(requests) = run.requests.take() else {
        // All that the file holds are aggregates: nothing is left out.
        return run;
    };
    let said = match level {
        Level::Aggregates => {
            let rows = requests.len();
            Some(format!(
                "Saved with its printed aggregates only: the timings of {rows} requests were left out."
            ))
        }
        Level::Requests | Level::Events => {
            let events = !requests.gaps.is_absent() || !requests.event_tokens.is_absent();
            run.requests = Some(without_events(requests));
            events.then(|| {
                "Saved without the times of its events: what needs the gaps between them can’t be recomputed."
                    .to_owned()
            })
        }
    };
    if let Some(said) = said {
        run.provenance.level = level;
        run.provenance.notices.add(Severity::Note, "left-out", Place::WholeFile, said);
    }
    run
}

/// The table without what is known of single events. When the last of them came stays: ends are rebuilt from it.
fn without_events(mut requests: Requests) -> Requests {
    let len = requests.len();
    if !requests.gaps.is_absent() {
        let empty: Vec<bool> = (0..len).map(|at| requests.is_empty_reply(at)).collect();
        if requests.last_token.is_absent() && !requests.ttft.is_absent() {
            let first = |at: usize| {
                let zero = || empty.get(at).filter(|empty| **empty).map(|_| Seconds::ZERO);
                requests.ttft.get(at).or_else(zero)
            };
            let end = |at: usize| {
                let gaps: f64 = requests.gaps.row(at)?.iter().map(|gap| gap.as_secs()).sum();
                Some(Seconds::from_secs(first(at)?.as_secs() + gaps))
            };
            let origin = Origin::Derived { how: "ttft + Σ gaps".to_owned() };
            requests.last_token = Column::from_options(origin, (0..len).map(end));
        }
        requests.gaps = Ragged::left_out(len);
        // A count of zero beside events is no empty reply; without the events it would look like one.
        for at in (0..len).filter(|at| empty.get(*at) == Some(&false)) {
            if requests.is_empty_reply(at) {
                requests.output_tokens.set(at, None);
            }
        }
    }
    if !requests.event_tokens.is_absent() {
        requests.event_tokens = Ragged::left_out(len);
    }
    requests
}
