//! A client’s samples of what a server’s histogram holds, counted as the server counts.

use crate::checks::Table;
use crate::model::GapKind;
use crate::prometheus::Account;
use crate::prometheus::names::Measure;
use crate::units::Seconds;

/// Which side ought to have the larger mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The client’s.
    ClientAbove,
    /// Either.
    Either,
}

/// A client’s samples in seconds, and what is expected of them against the server’s.
pub(super) struct Sampled {
    pub values: Vec<f64>,
    pub expected: &'static str,
    pub sign: Sign,
}

/// The client’s samples of a measure; `None` where its file lacks them.
pub(super) fn sampled(account: &Account, table: Table<'_>, measure: Measure) -> Option<Sampled> {
    let (values, expected, sign) = match measure {
        Measure::Ttft => (
            first_tokens(table),
            "the client adds connection, HTTP and the way back",
            Sign::ClientAbove,
        ),
        Measure::E2e => {
            let finished = table.finished();
            (
                finished.filter_map(|at| table.last_token(at)).collect(),
                "the client adds connection, HTTP and the way back",
                Sign::ClientAbove,
            )
        }
        Measure::Tpot => (
            tpots(account, table),
            "about the same: both ends of it travel the same way",
            Sign::Either,
        ),
        Measure::Itl => gaps(account, table),
        _ => return None,
    };
    (!values.is_empty()).then_some(Sampled { values, expected, sign })
}

/// TTFT of every request that has one, also of those that failed later: the server counts them too.
fn first_tokens(table: Table<'_>) -> Vec<f64> {
    let requests = table.0;
    let all = (0..requests.len()).filter(|at| !requests.is_empty_reply(*at));
    all.filter_map(|at| table.ttft(at)).filter(|ttft| *ttft > 0.0).collect()
}

/// (last − first token) ÷ (n − 1); a reply of one token is 0 where the server counts it so.
fn tpots(account: &Account, table: Table<'_>) -> Vec<f64> {
    let zeros = account.is("vllm");
    let of = |at: usize| {
        let tokens = table.tokens(at)?;
        if tokens < 2.0 {
            return zeros.then_some(0.0);
        }
        Some((table.last_token(at)? - table.ttft(at)?) / (tokens - 1.0))
    };
    table.finished().filter_map(of).filter(|tpot| *tpot >= 0.0).collect()
}

/// The gaps between chunks: a chunk is an engine step unless the server holds steps back.
fn gaps(account: &Account, table: Table<'_>) -> (Vec<f64>, &'static str, Sign) {
    let requests = table.0;
    let spread = account.is("sglang");
    let mut values = Vec::new();
    for at in 0..requests.len() {
        let Some(row) = requests.gaps.row(at) else { continue };
        let secs = row.iter().map(|gap: &Seconds| gap.as_secs());
        match (requests.gap_kind, spread) {
            // SGLang’s client and server both spread a chunk’s gap over its tokens.
            (GapKind::Event, false) | (GapKind::TokenSpread, true) => values.extend(secs),
            _ => {}
        }
    }
    let expected = if spread {
        "the server’s p99 lies below the client’s: it spreads a chunk over its tokens"
    } else {
        "about the same: a chunk of the stream is an engine step unless chunks are held back"
    };
    (values, expected, Sign::Either)
}
