//! What the reader can say about the selected runs: that they are one group, or files of one run.

use super::icons::{Glyph, Icon};
use super::menu::Menu;
use super::strip::plural;
use crate::ui::state::{State, use_state};
use crate::views::library::RunRow;
use leptos::html;
use leptos::prelude::*;
use web_sys::SubmitEvent;

/// The menu over the selected runs.
#[component]
pub fn Arrange() -> impl IntoView {
    let state = use_state();
    let open = RwSignal::new(false);
    let button = view! {
        <Icon name=Glyph::Group/>
        "Arrange"
    };
    view! {
        <Menu class="button" label="Arrange the selected runs" edge="right" open button=button.into_any()>
            {move || panel(state, open)}
        </Menu>
    }
}

fn panel(state: State, open: RwSignal<bool>) -> AnyView {
    let selected = state.selected();
    if selected.is_empty() {
        let words = "Select runs first: then they can be put into one group, or joined as files of one run.";
        return view! { <p class="panel-lead">{words}</p> }.into_any();
    }
    let count = plural(selected.len(), "selected run");
    let runs = StoredValue::new(selected);
    let chosen = runs.with_value(|runs| runs.iter().any(|run| run.group.is_some()));
    let found_again = chosen.then(|| {
        let act = move |_| {
            open.set(false);
            state.group(&runs.get_value(), None);
        };
        view! {
            <div class="arrange-part">
                <button type="button" class="button" on:click=act>"Back to the groups that were found"</button>
            </div>
        }
    });
    view! {
        <GroupForm runs open count/>
        {found_again}
        <JoinPart runs open/>
    }
    .into_any()
}

/// A name for the group, and the button that makes it.
#[component]
fn GroupForm(
    /// The selected runs.
    runs: StoredValue<Vec<RunRow>>,
    /// The menu.
    open: RwSignal<bool>,
    /// "3 selected runs".
    count: String,
) -> impl IntoView {
    let state = use_state();
    let field = NodeRef::<html::Input>::new();
    let empty = RwSignal::new(false);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let name = field.get().map(|field| field.value()).unwrap_or_default();
        if name.trim().is_empty() {
            empty.set(true);
            return;
        }
        open.set(false);
        state.group(&runs.get_value(), Some(name.trim()));
    };
    view! {
        <form class="arrange-part" on:submit=submit>
            <label for="group-name">{format!("Put the {count} into one group called")}</label>
            <div class="arrange-line">
                <input id="group-name" class="input" type="text" maxlength="80" autocomplete="off" node_ref=field/>
                <button type="submit" class="button">"Group"</button>
            </div>
            <Show when=move || empty.get()>
                <p class="trouble" role="alert">"A group needs a name."</p>
            </Show>
            <p class="panel-lead">"Loads that differ are drawn as one curve. Nothing is averaged."</p>
        </form>
    }
}

/// Joining, or why it can't be done.
#[component]
fn JoinPart(
    /// The selected runs.
    runs: StoredValue<Vec<RunRow>>,
    /// The menu.
    open: RwSignal<bool>,
) -> impl IntoView {
    let state = use_state();
    let with_rows = runs.with_value(|runs| runs.iter().filter(|run| holds_requests(run)).count());
    let few = runs.with_value(Vec::len) < 2;
    let why = if few {
        "Select the run with the requests and the file with its totals to join them into one run."
    } else if with_rows > 1 {
        "More than one of these holds requests, so they are different runs and can’t be joined."
    } else {
        "The requests come from one file, the printed totals from another."
    };
    let impossible = few || with_rows > 1;
    let act = move |_| {
        open.set(false);
        state.join(&runs.get_value());
    };
    view! {
        <div class="arrange-part">
            <button type="button" class="button" disabled=impossible on:click=act>
                "Join as files of one run"
            </button>
            <p class="panel-lead">{why}</p>
        </div>
    }
}

/// Whether a run has a row a request.
fn holds_requests(run: &RunRow) -> bool {
    run.has.get(1).copied().unwrap_or(false)
}
