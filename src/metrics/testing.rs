//! Runs built in code for the tests beside it.

use crate::model::{Column, Digest, Origin, Provenance, Ragged, Requests, Run, TokenSource, Tool};
use crate::units::{Seconds, Tokens};

/// Requests as (TTFT, gaps, output tokens), times in ms.
pub(crate) fn run(rows: &[(f64, &[f64], f64)]) -> Run {
    let provenance = Provenance::new("built.json", 0, Digest::of(b"built"), "built", "");
    let mut run = Run::new(Tool::Vllm, "built", provenance);
    let mut gaps = Ragged::new(Origin::Reported);
    for (_, row, _) in rows {
        let row: Vec<_> = row.iter().map(|gap| Seconds::from_millis(*gap)).collect();
        gaps.push_row(Some(&row));
    }
    let ttft = rows.iter().map(|row| Some(Seconds::from_millis(row.0)));
    let tokens = rows.iter().map(|row| Some(Tokens::from_count(row.2)));
    run.requests = Some(Requests {
        ttft: Column::from_options(Origin::Reported, ttft),
        output_tokens: Column::from_options(Origin::Reported, tokens),
        token_source: TokenSource::Server,
        gaps,
        ..Requests::absent(rows.len())
    });
    run
}
