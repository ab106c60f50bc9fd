//! The dialog in which somebody says what the columns of a refused table are.

use crate::engine::protocol::{Field, MappingOffer, Refusal, TimeUnit};
use crate::ui::mapping::{Choice, Draft, alike, of_loads};
use crate::ui::parts::strip::plural;
use crate::ui::state::use_state;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

/// Of which table it is being said, if of any, and what.
#[derive(Clone, Copy, Default)]
pub struct Asking {
    file: RwSignal<Option<String>>,
    draft: RwSignal<Draft>,
    /// Whether the file was refused again with what was said.
    again: RwSignal<bool>,
}

impl Asking {
    /// Opens the dialog for a refused file.
    pub fn ask(self, file: &str, offer: &MappingOffer) {
        self.draft.set(Draft::of(offer));
        self.again.set(false);
        self.file.set(Some(file.to_owned()));
    }

    fn change(self, column: usize, change: impl FnOnce(&mut Choice)) {
        self.draft.update(|draft| {
            if let Some(choice) = draft.columns.get_mut(column) {
                change(choice);
            }
        });
    }
}

/// The dialog.
#[component]
pub fn ColumnsDialog(
    /// What it is about.
    asking: Asking,
) -> impl IntoView {
    let imports = use_state().imports;
    let Asking { file, draft, again } = asking;
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if file.with(Option::is_some) && !dialog.open() {
            // Fails only for a dialog outside the document.
            let _ = dialog.show_modal();
        } else if file.with(Option::is_none) {
            dialog.close();
        }
    });
    let refused = move |list: &[Refusal], file: &str| list.iter().find(|r| r.file == file).cloned();
    Effect::new(move |before: Option<bool>| {
        let now = imports.mapping.get();
        let name = file.get_untracked();
        if let (Some(true), false, Some(name)) = (before, now, name) {
            let stays = imports.refusals.with_untracked(|list| refused(list, &name).is_some());
            again.set(stays);
            if !stays {
                file.set(None);
            }
        }
        now
    });
    let rows = move || {
        let count = if file.with(Option::is_some) { draft.with(|d| d.columns.len()) } else { 0 };
        let name = file.get();
        (0..count).map(move |column| (name.clone(), column)).collect::<Vec<_>>()
    };
    let trouble = move || {
        let refusal = imports.refusals.with(|list| refused(list, &file.get()?))?;
        again.get().then(|| {
            let place = (refusal.place != "whole file").then(|| format!(" ({})", refusal.place));
            view! {
                <div class="notice notice-block" role="alert">
                    <p>"It was not read. " {refusal.error} <span class="caption">{place}</span></p>
                    <p>{refusal.advice}</p>
                </div>
            }
        })
    };
    view! {
        <dialog
            class="dialog columns"
            node_ref=dialog
            aria-labelledby="columns-title"
            on:close=move |_| file.set(None)
        >
            <h2 id="columns-title">"What the columns are"</h2>
            <p class="columns-file"><bdi class="mono">{move || file.get()}</bdi></p>
            <p class="lead">
                "Check the guesses. Units are never guessed from the size of a number: where a heading has none, choose it."
            </p>
            <div class="columns-body">
                // The roles hold where a phone lays the cells out as blocks.
                <table role="table" aria-labelledby="columns-title">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th scope="col" role="columnheader">"Column"</th>
                            <th scope="col" role="columnheader">"First values"</th>
                            <th scope="col" role="columnheader">"What it is"</th>
                            <th scope="col" role="columnheader">"Unit"</th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">
                        <For
                            each=rows
                            key=Clone::clone
                            children=move |(_, column)| row(asking, column)
                        />
                    </tbody>
                </table>
                {trouble}
            </div>
            <Foot asking/>
        </dialog>
    }
}

/// One column of the table: what is in it, what it is said to be.
fn row(asking: Asking, column: usize) -> impl IntoView + use<> {
    let choice = asking.draft.with_untracked(|draft| draft.columns.get(column).cloned())?;
    let guess = choice.guess;
    let now = Memo::new(move |_| asking.draft.with(|draft| draft.columns.get(column).cloned()));
    let because = move || now.with(|now| now.as_ref().map(Choice::because));
    let asks = Memo::new(move |_| now.with(|now| now.as_ref().is_some_and(Choice::asks_unit)));
    let own = move || {
        let time = now.with(|now| now.as_ref().is_some_and(|choice| choice.field.is_time()));
        guess.unit.filter(|_| time).map(|unit| format!("{}, from its name", unit.symbol()))
    };
    let name = guess.column.clone();
    let unit_label = format!("Unit of “{name}”");
    let heading = if name.is_empty() { "(no heading)".to_owned() } else { name.clone() };
    let chosen = choice.field;
    let option = move |field: Field| {
        view! { <option value=field.id() selected=field == chosen>{field.name()}</option> }
    };
    let fields = move |loads: bool| {
        let of = move |field: &Field| *field != Field::Unused && of_loads(*field) == loads;
        Field::ALL.into_iter().filter(of).map(option).collect_view()
    };
    let mut cells = guess.samples;
    cells.dedup();
    let samples = cells.into_iter().map(|cell| view! { <bdi>{cell}</bdi> }).collect_view();
    Some(view! {
        <tr role="row">
            <th scope="row" role="rowheader"><bdi>{heading}</bdi></th>
            <td class="columns-values num" role="cell">{samples}</td>
            <td role="cell">
                <select
                    id=format!("column-{column}")
                    aria-label=format!("What “{name}” is")
                    aria-describedby=format!("column-{column}-because")
                    on:change:target=move |event| {
                        if let Some(field) = Field::from_id(&event.target().value()) {
                            asking.change(column, |choice| choice.field = field);
                        }
                    }
                >
                    {option(Field::Unused)}
                    <optgroup label="Of a request">{fields(false)}</optgroup>
                    <optgroup label="Of a whole load">{fields(true)}</optgroup>
                </select>
                <p class="caption" id=format!("column-{column}-because")>{because}</p>
            </td>
            <td role="cell">
                <Show when=move || asks.get() fallback=move || view! { <span class="caption">{own}</span> }>
                    {unit(asking, column, unit_label.clone())}
                </Show>
            </td>
        </tr>
    })
}

/// The unit of a column whose heading has none. Nothing is chosen until somebody does.
fn unit(asking: Asking, column: usize, label: String) -> impl IntoView {
    let chosen = asking.draft.with_untracked(|d| d.columns.get(column).and_then(|c| c.unit));
    let option = |unit: TimeUnit| {
        let symbol = unit.symbol();
        view! { <option value=symbol selected=chosen == Some(unit)>{format!("{symbol} ({})", word(unit))}</option> }
    };
    view! {
        <select
            id=format!("column-{column}-unit")
            aria-label=label
            required
            on:change:target=move |event| {
                let value = event.target().value();
                let unit = TimeUnit::ALL.into_iter().find(|unit| unit.symbol() == value);
                asking.change(column, |choice| choice.unit = unit);
            }
        >
            <option value="">"Choose a unit"</option>
            {TimeUnit::ALL.map(option).collect_view()}
        </select>
    }
}

const fn word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Secs => "seconds",
        TimeUnit::Millis => "milliseconds",
        TimeUnit::Micros => "microseconds",
        TimeUnit::Nanos => "nanoseconds",
    }
}

/// What is still needed, and the buttons.
#[component]
fn Foot(
    /// What it is about.
    asking: Asking,
) -> impl IntoView {
    let imports = use_state().imports;
    let Asking { file, draft, .. } = asking;
    let needs = Memo::new(move |_| {
        draft.with(Draft::needs).into_iter().map(|need| need.words).collect::<Vec<_>>()
    });
    let files = Memo::new(move |_| {
        let alike = |file: String| imports.refusals.with(|list| alike(list, &file));
        file.get().map(alike).unwrap_or_default()
    });
    let off = move || imports.mapping.get() || needs.with(|needs| !needs.is_empty());
    let status = move || {
        if imports.mapping.get() {
            return "Reading.".to_owned();
        }
        needs.with(|needs| match needs.as_slice() {
            [] => "All that is needed is there.".to_owned(),
            needs => format!("Still needed: {}.", needs.join("; ")),
        })
    };
    let apply = move |all: bool| {
        if imports.mapping.get_untracked() {
            return;
        }
        if let Some(need) = draft.with_untracked(Draft::needs).first() {
            let unit = if need.unit { "-unit" } else { "" };
            focus(&format!("column-{}{unit}", need.column));
            return;
        }
        let count = if all { usize::MAX } else { 1 };
        let files: Vec<_> = files.get_untracked().into_iter().take(count).collect();
        imports.map(&files, &draft.with_untracked(Draft::mapping));
    };
    let many = Memo::new(move |_| files.with(Vec::len) > 1);
    // A button that is off stays in reach: pressed, it leads to what is needed.
    view! {
        <div class="columns-foot">
            <p role="status" class:ready=move || !off()>{status}</p>
            <div class="columns-do">
                <button type="button" class="button" on:click=move |_| file.set(None)>"Cancel"</button>
                <button
                    type="button"
                    class="button"
                    class:button-primary=move || !many.get()
                    aria-disabled=move || off().to_string()
                    on:click=move |_| apply(false)
                >
                    {move || if many.get() { "Apply to this file" } else { "Apply" }}
                </button>
                <Show when=move || many.get()>
                    <button
                        type="button"
                        class="button button-primary"
                        aria-disabled=move || off().to_string()
                        on:click=move |_| apply(true)
                    >
                        {move || format!("Apply to all {} with these columns", plural(files.with(Vec::len), "file"))}
                    </button>
                </Show>
            </div>
        </div>
    }
}

fn focus(id: &str) {
    let element = document().get_element_by_id(id).and_then(|e| e.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        // A list on the screen takes the focus.
        let _ = element.focus();
    }
}
