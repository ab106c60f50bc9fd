//! A link with aggregates inside: how large it is, and the way to the clipboard.

use super::share::copy;
use crate::engine::protocol::{Inside, Query, SaveRequest};
use crate::link::inside::{LONGEST, with_data};
use crate::model::Level;
use crate::ui::address;
use crate::ui::client::Loaded;
use crate::ui::state::State;
use crate::units::bytes;
use crate::views::Context;
use crate::web::clock;
use leptos::prelude::*;

/// The link to the present view with what the selected runs printed, asked for while its place is shown.
#[derive(Clone, Copy)]
pub struct LinkInside {
    state: State,
    inside: Signal<Loaded<Inside>>,
}

impl LinkInside {
    /// Asks for the data of the link.
    pub fn new(state: State) -> Self {
        let runs = Memo::new(move |_| state.context.with(|c| c.runs.clone()));
        let inside = state.client.query_last::<Inside>(move || {
            state.loaded.get().then(|| {
                let request = SaveRequest {
                    level: Level::Aggregates,
                    date: clock::today(),
                    names: state.edits.with(|e| e.now.names.clone()),
                    ..SaveRequest::default()
                };
                (Context { runs: runs.get(), ..Context::default() }, Query::Inside(request))
            })
        });
        Self { state, inside }
    }

    /// What follows the `#`; none while it is not known.
    fn text(self) -> Option<String> {
        let letters =
            self.inside.with(|i| i.value.as_ref().map(|inside| inside.letters.clone()))?;
        Some(with_data(&address::view(self.state), &letters))
    }

    /// Whether there is such a link and it may be copied.
    pub fn fits(self) -> bool {
        self.text().is_some_and(|text| text.len() <= LONGEST)
    }

    /// How large it is, and what it is good for, or what to do instead.
    pub fn words(self) -> String {
        if !self.state.loaded.get() {
            return "Needs at least one run".to_owned();
        }
        let Some(text) = self.text() else { return "Working out its size".to_owned() };
        let [is, most] = [text.len(), LONGEST].map(|length| bytes(length as u64));
        if text.len() > LONGEST {
            format!(
                "It would be {is}, and what is over {most} gets cut on the way: save a report or a session, or select fewer runs"
            )
        } else {
            format!(
                "{is} of {most} at most. It opens without the files, with what the tools printed and no requests"
            )
        }
    }

    /// Puts it on the clipboard.
    pub fn copy(self) {
        if let Some(text) = untrack(|| self.text()).filter(|text| text.len() <= LONGEST) {
            let what = format!("link with aggregates inside, {}", bytes(text.len() as u64));
            copy(self.state, address::of(&text), what);
        }
    }
}
