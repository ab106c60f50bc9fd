//! What the reader can say about the sweeps: how they are called, which are one, which run is of which.

use super::View;
use crate::model::RunId;
use crate::ui::parts::gpus::Gpus;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::marker::Marker;
use crate::ui::parts::menu::Menu;
use crate::ui::state::{State, use_state};
use crate::views::curves::{Regroup, Sweep, SweepRun};
use leptos::prelude::*;

/// The menu over the drawn sweeps.
#[component]
pub(super) fn Sweeps(view: View) -> impl IntoView {
    let open = RwSignal::new(false);
    let sweeps =
        Memo::new(move |_| view.with(|v| v.as_ref().map(|v| v.sweeps.clone()).unwrap_or_default()));
    let button = || {
        view! {
            <Icon name=Glyph::Group/>
            "Sweeps"
        }
        .into_any()
    };
    view! {
        <Show when=move || sweeps.with(|all| !all.is_empty())>
            <Menu class="button" label="Name and rearrange the sweeps" edge="right" open button=button()>
                <Names sweeps/>
                <Members sweeps/>
                <Found sweeps/>
            </Menu>
        </Show>
    }
}

/// A row a sweep, known by its first run: a rename leaves it in place.
#[component]
fn Names(sweeps: Memo<Vec<Sweep>>) -> impl IntoView {
    let rows = move || {
        let first = |sweep: &Sweep| sweep.runs.first().map(|run| run.id.clone());
        sweeps.with(|all| all.iter().filter_map(first).collect::<Vec<_>>())
    };
    view! {
        <div class="arrange-part" role="group" aria-label="Names of the sweeps">
            <For each=rows key=|id| id.as_str().to_owned() let:id>
                <Name sweeps id/>
            </For>
        </div>
    }
}

/// The name of one sweep in a field, and into which other it can be put.
#[component]
fn Name(sweeps: Memo<Vec<Sweep>>, id: RunId) -> impl IntoView {
    let state = use_state();
    let at = Memo::new(move |_| {
        let begins = |sweep: &Sweep| sweep.runs.first().is_some_and(|run| run.id == id);
        sweeps.with(|all| all.iter().position(begins)).unwrap_or(0)
    });
    let of = move || sweeps.with(|all| all.get(at.get()).cloned()).unwrap_or_default();
    let rename = move |name: String| {
        act(state, sweeps, &Regroup::Rename { sweep: at.get_untracked(), name });
    };
    let others = move || {
        let now = at.get();
        let named =
            sweeps.with(|all| all.iter().map(|sweep| sweep.name.clone()).collect::<Vec<_>>());
        named.into_iter().enumerate().filter(|(other, _)| *other != now).collect::<Vec<_>>()
    };
    view! {
        <div class="arrange-line">
            <label class="sweep-name">
                {move || view! { <Marker style=of().style/> }}
                <input
                    class="input"
                    type="text"
                    maxlength="80"
                    autocomplete="off"
                    aria-label=move || format!("Name of {}", of().name)
                    prop:value=move || of().name
                    on:change:target=move |event| {
                        let field = event.target();
                        rename(field.value());
                        if field.value().trim().is_empty() {
                            field.set_value(&untrack(of).name);
                        }
                    }
                />
            </label>
            <Show when=move || sweeps.with(|all| all.len() > 1)>
                <select
                    class="input"
                    aria-label=move || format!("Put {} into", of().name)
                    on:change:target=move |event| {
                        if let Ok(into) = event.target().value().parse() {
                            act(state, sweeps, &Regroup::Merge { sweep: at.get_untracked(), into });
                        }
                    }
                >
                    <option value="">"put into…"</option>
                    {move || {
                        let option = |(at, name): (usize, String)| view! { <option value=at.to_string()>{name}</option> };
                        others().into_iter().map(option).collect_view()
                    }}
                </select>
            </Show>
            <Gpus
                name=Signal::derive(move || of().name)
                filed=Signal::derive(move || of().gpus)
                said=Signal::derive(move || of().said_gpus)
                on_say=Callback::new(move |gpus| {
                    let sweep = untrack(of);
                    state.say_gpus(&sweep.name, sweep.runs.iter().map(|run| &run.id), gpus);
                })
            />
        </div>
    }
}

/// A row a run, in the order in which runs came: a run that goes elsewhere keeps its row and its focus.
#[component]
fn Members(sweeps: Memo<Vec<Sweep>>) -> impl IntoView {
    let rows = move || {
        let mut all: Vec<SweepRun> =
            sweeps.with(|all| all.iter().flat_map(|sweep| sweep.runs.clone()).collect());
        all.sort_by_key(|run| run.place);
        all
    };
    view! {
        <div class="arrange-part" role="group" aria-label="The sweep of each run">
            <For each=rows key=|run| run.id.as_str().to_owned() let:run>
                <Member sweeps run/>
            </For>
        </div>
    }
}

/// One run, and the sweep that it is of.
#[component]
fn Member(sweeps: Memo<Vec<Sweep>>, run: SweepRun) -> impl IntoView {
    /// The choice of none.
    const ALONE: &str = "alone";
    let state = use_state();
    let id = StoredValue::new(run.id);
    let at = Memo::new(move |_| {
        let holds = |sweep: &Sweep| id.with_value(|id| sweep.runs.iter().any(|run| run.id == *id));
        sweeps.with(|all| all.iter().position(holds))
    });
    let single = move || {
        at.get().is_some_and(|at| {
            sweeps.with(|all| all.get(at).is_some_and(|sweep| sweep.runs.len() == 1))
        })
    };
    let names =
        move || sweeps.with(|all| all.iter().map(|sweep| sweep.name.clone()).collect::<Vec<_>>());
    let choose = move |value: &str| {
        let run = id.get_value();
        let change = match value.parse() {
            Ok(into) => Regroup::Move { run, into },
            Err(_) => Regroup::Out { run },
        };
        act(state, sweeps, &change);
    };
    let name = format!("Sweep of {}, {}", run.load, run.file);
    view! {
        <label class="sweep-run">
            <span>{run.load}</span>
            <span class="mono" title=run.file.clone()>{run.file.clone()}</span>
            <select
                class="input"
                aria-label=name
                on:change:target=move |event| choose(&event.target().value())
            >
                {move || {
                    let now = at.get();
                    let option = move |(at, name): (usize, String)| {
                        view! { <option value=at.to_string() prop:selected=now == Some(at)>{name}</option> }
                    };
                    names().into_iter().enumerate().map(option).collect_view()
                }}
                <option value=ALONE hidden=single>"on its own"</option>
            </select>
        </label>
    }
}

/// The way back, where anything was rearranged.
#[component]
fn Found(sweeps: Memo<Vec<Sweep>>) -> impl IntoView {
    let state = use_state();
    let arranged = Memo::new(move |_| sweeps.with(|all| Regroup::Found.of(all).is_some()));
    view! {
        <Show when=move || arranged.get()>
            <div class="arrange-part">
                <button type="button" class="button" on:click=move |_| act(state, sweeps, &Regroup::Found)>
                    "Back to the sweeps that were found"
                </button>
            </div>
        </Show>
    }
}

fn act(state: State, sweeps: Memo<Vec<Sweep>>, change: &Regroup) {
    state.regroup(change, &sweeps.get_untracked());
}
