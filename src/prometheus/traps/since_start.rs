//! One reading holds totals since the server’s start.

use super::{Caution, Trap};
use crate::notice::Severity;
use crate::prometheus::account::{Account, Stretch};

/// One reading is no window.
pub(super) struct SinceStart;

impl Trap for SinceStart {
    fn id(&self) -> &'static str {
        "since-start"
    }

    fn find(&self, account: &Account) -> Vec<Caution> {
        if account.span.stretch != Stretch::SinceStart {
            return Vec::new();
        }
        let text = "One reading: every counter and histogram holds all since the server’s start, warm-up and \
                    other clients included, and there is no rate. Take a second reading after the run, and give \
                    both.";
        vec![Caution::new(Severity::Warn, text)]
    }
}
