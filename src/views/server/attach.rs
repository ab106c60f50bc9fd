//! Which client’s run a server’s account is of.

use super::client::{Compared, compare_measure};
use crate::checks::Table;
use crate::model::{Run, RunId};
use crate::prometheus::Account;
use crate::prometheus::names::Measure;
use crate::prometheus::words::percent;
use serde::{Deserialize, Serialize};

/// Which client’s run stands beside a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beside {
    /// The one whose samples fit the server’s buckets best.
    #[default]
    Found,
    /// None.
    Nobody,
    /// This one.
    Run(RunId),
}

/// A run belongs to a server where no cumulated share of the two is further apart than this. A rule of
/// thumb: one warm-up request of ten makes as much, and another run of the same server mostly more.
const FITS: f64 = 0.1;

/// The run beside a server, and why it or why none, as a sentence.
pub(super) fn attached<'r>(
    account: &Account,
    runs: &[&'r Run],
    beside: &Beside,
) -> (Option<&'r Run>, String) {
    match beside {
        Beside::Nobody => return (None, "Detached by hand.".into()),
        Beside::Run(id) => {
            let run = runs.iter().find(|run| run.id == *id).copied();
            return (run, "Attached by hand.".into());
        }
        Beside::Found => {}
    }
    let apart = runs.iter().filter_map(|run| Some((*run, distance(account, run)?)));
    let best = apart.min_by(|a, b| a.1.total_cmp(&b.1));
    match best {
        None if runs.is_empty() => (None, "No run is loaded.".into()),
        None => (None, "No loaded run holds samples of what the server measures.".into()),
        Some((run, apart)) if apart <= FITS => {
            let said = format!(
                "Attached by itself: its samples and the server’s are at most {} apart in every bucket.",
                percent(apart)
            );
            (Some(run), said)
        }
        Some((run, apart)) => {
            let said = format!(
                "No loaded run fits: the nearest, {}, is {} apart in a bucket. Attach one by hand.",
                run.name,
                percent(apart)
            );
            (None, said)
        }
    }
}

/// The largest distance of the two sides’ cumulated shares over first tokens and whole requests; counts
/// that differ weigh as much.
fn distance(account: &Account, run: &Run) -> Option<f64> {
    let table = Table(run.requests.as_ref()?);
    let rows =
        [Measure::Ttft, Measure::E2e].map(|measure| compare_measure(account, table, measure));
    rows.into_iter().flatten().map(|row| apart(&row)).reduce(f64::max)
}

fn apart(row: &Compared) -> f64 {
    let (server, client) = (row.server_n.max(1.0), row.client_n as f64);
    let shares = row.bins.iter().map(|bin| (bin.server / server - bin.client / client).abs());
    let counts = (server - client).abs() / server.max(client);
    shares.fold(counts, f64::max)
}
