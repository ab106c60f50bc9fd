//! How much of the runs' data a session file holds, with the size of each choice.

use super::segmented::Segmented;
use crate::model::Level;
use crate::ui::state::use_state;
use crate::units::bytes;
use leptos::prelude::*;

/// Chooses the level of the session that is saved next.
#[component]
pub fn SessionLevel(
    /// Bytes of the file at a level, once they are known.
    size: Callback<Level, Option<u64>>,
) -> impl IntoView {
    let state = use_state();
    let note = move |level| size.run(level).map(bytes).unwrap_or_default();
    view! {
        <Segmented
            label="Data in the session"
            labelled=true
            options=vec![
                (Level::Aggregates, "Printed".to_owned()),
                (Level::Requests, "Requests".to_owned()),
                (Level::Events, "Events".to_owned()),
            ]
            note=Callback::new(note)
            chosen=Signal::derive(move || Some(state.saved.get()))
            on_choose=Callback::new(move |level| state.saved.set(level))
        />
    }
}
