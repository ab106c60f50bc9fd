//! A series that begins anew loses what came before.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::{Account, Row, Stretch};
use crate::prometheus::words::counted;

/// Restarts, and series that came or went.
pub(super) struct Restarts;

impl Trap for Restarts {
    fn id(&self) -> &'static str {
        "restarts"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        let rows = || {
            let histograms = account.histograms.iter().map(|h| &h.row);
            histograms.chain(account.counters.iter().map(|c| &c.row))
        };
        let keys = |of: &dyn Fn(&&Row) -> bool| -> Vec<String> {
            rows().filter(of).map(|row| row.key.clone()).collect()
        };
        let mut found = Vec::new();
        let reset = keys(&|row| row.resets > 0);
        if !reset.is_empty() {
            let most = rows().map(|row| row.resets).max().unwrap_or(0);
            let series = counted(reset.len() as f64, "series", "series");
            // A row of readings is of one target; two pages can be of anything, and a server that was started
            // later looks as one that began anew.
            let text = if account.span.stretch == Stretch::Range {
                format!(
                    "The server began anew within the window ({series} counted from zero again, up to {}): the \
                     numbers are what was counted since, and at least that; what came between the last reading \
                     and the restart is lost.",
                    counted(most as f64, "time", "times")
                )
            } else if account.says_start {
                format!(
                    "The server began anew between the two pages, or they are of two servers: {series} counted \
                     from zero again. Of one server the numbers are what was counted since, and at least that; of \
                     two they say nothing."
                )
            } else {
                format!(
                    "{series} fell from the first page to the second, and no start time says why: what they \
                     counted is taken from zero. If the server began anew in between, the numbers are at least \
                     that; if the pages are of two servers, they say nothing."
                )
            };
            found.push(Caution { keys: reset, ..Caution::new(Severity::Warn, text) });
        }
        let gone = keys(&|row| row.at_least && row.resets == 0);
        if !gone.is_empty() {
            let text = format!(
                "{} in the last reading: a process ended, and what it counted after its own last reading is lost. \
                 The numbers are lower bounds.",
                counted(gone.len() as f64, "series is not", "series are not")
            );
            found.push(Caution { keys: gone, ..Caution::new(Severity::Warn, text) });
        }
        let came = keys(&|row| row.appeared > 0 && row.resets == 0);
        if !came.is_empty() {
            let text = format!(
                "{} in the first reading and counted from zero: right where the process only began to use them, \
                 and too much where another process came with a past.",
                counted(came.len() as f64, "series is not", "series are not")
            );
            found.push(Caution { keys: came, ..Caution::new(Severity::Note, text) });
        }
        found
    }
}
