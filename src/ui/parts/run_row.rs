//! One run of the Library.

use super::icons::{Glyph, Icon};
use super::marker::Marker;
use super::samples::ScriptedBadge;
use super::strip::plural;
use crate::link::Sheet;
use crate::ui::state::use_state;
use crate::views::library::{CONTENT, RunRow};
use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// A row of the table.
#[component]
pub fn RunRowView(
    /// The run.
    row: RunRow,
    /// Whether the row itself says that its server was scripted; else its group does.
    scripted: bool,
) -> impl IntoView {
    let state = use_state();
    let row = StoredValue::new(row);
    let get = move || row.get_value();
    let run = get();
    let renaming = RwSignal::new(false);
    let on = {
        let id = run.id.clone();
        move || state.context.with(|c| c.runs.contains(&id))
    };
    let pick = {
        let on = on.clone();
        move |_| {
            let (run, on) = (get(), on());
            let word = if on { "left out" } else { "added to the comparison" };
            state.select(&[run.id], !on, format!("{} {word}", run.name));
        }
    };
    let base = {
        let id = run.id.clone();
        move || state.baseline().as_ref() == Some(&id)
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "F2" {
            event.prevent_default();
            renaming.set(true);
        }
    };
    let name = move || {
        if renaming.get() {
            view! { <Rename row renaming/> }.into_any()
        } else {
            view! { <span class="name" title=get().name>{get().name}</span> }.into_any()
        }
    };
    let ticks = CONTENT
        .into_iter()
        .zip(run.has)
        .map(|((what, _), has)| {
            let label = format!("{what}: {}", if has { "yes" } else { "no" });
            let mark = if has {
                view! { <span class="tick"><Icon name=Glyph::Check/></span> }.into_any()
            } else {
                view! { <span class="none" aria-hidden="true">"–"</span> }.into_any()
            };
            view! {
                <td class="mid">
                    <span class="visually-hidden">{label}</span>
                    {mark}
                </td>
            }
        })
        .collect_view();
    let details = move || state.sheet.set(Some(Sheet::Run(get().id)));
    let note =
        run.note.clone().or_else(|| (run.warnings > 0).then(|| plural(run.warnings, "finding")));
    let pieces: Vec<String> = run.pieces.iter().map(|piece| piece.file.clone()).collect();
    let more = (!pieces.is_empty()).then(|| {
        let words = format!("+ {}", plural(pieces.len(), "file"));
        view! { <span class="pieces" title=pieces.join("\n")>{words}</span> }
    });
    let split = (!run.pieces.is_empty()).then(|| {
        view! {
            <Act
                glyph=Glyph::Split
                words="Take apart into its files"
                name=run.name.clone()
                act=move || state.take_apart(&get())
            />
        }
    });
    view! {
        <tr class="run" data-run=run.id.as_str().to_owned() on:keydown=on_key>
            <td class="pick">
                <input type="checkbox" aria-label=format!("Select {}", run.name) prop:checked=on on:change=pick/>
            </td>
            <td class="run-cell">
                <div class="run-name">
                    <Marker style=run.style/>
                    {name}
                    <span class="version" title=run.version.clone()>{run.version.clone()}</span>
                    {move || base().then(|| view! { <span class="badge badge-accent">"baseline"</span> })}
                    {scripted.then(|| view! { <ScriptedBadge/> })}
                </div>
                <div class="run-file">
                    <span class="mono" title=run.file.clone()>{run.file.clone()}</span>
                    {more}
                </div>
            </td>
            {ticks}
            <td class="num sent">{run.sent.clone()}</td>
            <td class="load" data-sent=run.sent.clone()>{run.load.clone()}</td>
            <td class="num duration">{run.duration.clone()}</td>
            <td class="num size">{run.size.clone()}</td>
            <td class="run-note">
                {note.map(|note| view! { <button type="button" class="link" on:click=move |_| details()>{note}</button> })}
            </td>
            <td class="hash">
                <span class="mono">{run.hash.clone()}</span>
                <div class="run-do">
                    <Act glyph=Glyph::Flag words="Take as baseline" name=run.name.clone() act=move || state.set_baseline(get().id, &get().name)/>
                    <Act glyph=Glyph::Info words="Details" name=run.name.clone() act=details/>
                    {split}
                    <Act glyph=Glyph::Pencil words="Rename" name=run.name.clone() act=move || renaming.set(true)/>
                    <Act
                        glyph=Glyph::Bin
                        words="Remove"
                        name=run.name.clone()
                        act=move || state.remove(vec![get().id], format!("{} removed", get().name))
                    />
                </div>
            </td>
        </tr>
    }
}

/// One action of a row.
#[component]
fn Act(glyph: Glyph, words: &'static str, name: String, act: impl Fn() + 'static) -> impl IntoView {
    view! {
        <button
            type="button"
            class="icon-button"
            title=words
            aria-label=format!("{words}: {name}")
            on:click=move |_| act()
        >
            <Icon name=glyph/>
        </button>
    }
}

/// The field in which a run gets another name: Enter keeps it, Esc does not.
#[component]
fn Rename(row: StoredValue<RunRow>, renaming: RwSignal<bool>) -> impl IntoView {
    let state = use_state();
    let field = NodeRef::<html::Input>::new();
    field.on_load(move |field| {
        // The name stands in it before it is selected, so that typing takes its place.
        field.set_value(&row.get_value().name);
        // A field that was just put in can take focus and selection.
        let _ = field.focus();
        field.select();
    });
    let keep = move |new: String| {
        if renaming.get_untracked() {
            renaming.set(false);
            let run = row.get_value();
            state.rename(run.id, run.name, new);
        }
    };
    view! {
        <input
            class="input"
            type="text"
            aria-label="New name"
            maxlength="120"
            node_ref=field
            on:blur=move |event| keep(event_target_value(&event))
            on:keydown=move |event: KeyboardEvent| match event.key().as_str() {
                "Enter" => keep(event_target_value(&event)),
                "Escape" => {
                    event.stop_propagation();
                    renaming.set(false);
                }
                _ => {}
            }
        />
    }
}
