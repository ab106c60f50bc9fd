//! The steps in words: what each touches and why, and the order, which is moved by buttons, keys or hand.

use super::{Asking, View, part};
use crate::charts::waterfall::{BarKind, WaterfallRow};
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::state::use_state;
use crate::views::explain::StepView;
use leptos::prelude::*;
use web_sys::{DragEvent, KeyboardEvent};

/// The steps, folded under the waterfall, whose table they are.
#[component]
pub(super) fn Steps(
    view: View,
    asking: Asking,
    /// Whether they are unfolded.
    open: RwSignal<bool>,
) -> impl IntoView {
    let steps = part(view, |v| v.steps.clone());
    let drawn = part(view, |v| v.waterfall.rows.clone());
    let average = part(view, |v| v.ask.average);
    let dragged = RwSignal::new(None::<usize>);
    let ends = move |kind: BarKind| {
        drawn
            .get()
            .into_iter()
            .filter(|row| row.kind == kind)
            .map(|row| view! { <End row/> })
            .collect_view()
    };
    let rows = move || {
        let all = steps.get();
        let of = all.len();
        all.into_iter()
            .enumerate()
            .map(|(at, step)| {
                view! { <Step step at of average=average.get() steps asking dragged/> }
            })
            .collect_view()
    };
    let summary = move || match steps.with(Vec::len) {
        0 => "The two numbers in words".to_owned(),
        1 => "The step in words".to_owned(),
        n => format!("The {n} steps in words, and their order"),
    };
    view! {
        <details
            class="explain-steps"
            prop:open=move || open.get()
            on:toggle:target=move |event| open.set(event.target().open())
        >
            <summary>{summary}</summary>
            <ol aria-label="From A to B">
                {move || ends(BarKind::A)}
                {rows}
                {move || ends(BarKind::Explained)}
                {move || ends(BarKind::Remainder)}
                {move || ends(BarKind::B)}
            </ol>
        </details>
    }
}

/// A, B, or what is left over.
#[component]
fn End(row: WaterfallRow) -> impl IntoView {
    let class = match row.kind {
        BarKind::A => "step step-a",
        BarKind::B => "step step-b",
        BarKind::Step | BarKind::Explained | BarKind::Remainder => "step step-rest",
    };
    let lettered = matches!(row.kind, BarKind::A | BarKind::B);
    view! {
        <li class=class>
            <span class="step-mark" class:letter=lettered>{row.mark}</span>
            <div class="step-words">
                <p class="step-title">{row.title}</p>
                <p class="caption">{row.under}</p>
            </div>
            <p class="step-change num">{row.label}</p>
        </li>
    }
}

/// One definition.
#[component]
fn Step(
    step: StepView,
    at: usize,
    of: usize,
    average: bool,
    steps: Memo<Vec<StepView>>,
    asking: Asking,
    dragged: RwSignal<Option<usize>>,
) -> impl IntoView {
    let state = use_state();
    let StepView {
        id,
        title,
        touched,
        change,
        average: averaged,
        other_story,
        because,
        bounded,
        ..
    } = step;
    let name = title.split(':').next().unwrap_or_default().to_owned();
    let movable = of > 1;
    let said = name.clone();
    let go = move |from: usize, to: usize| {
        if to >= of || from == to {
            return;
        }
        let ids: Vec<String> =
            steps.with_untracked(|all| all.iter().map(|step| step.id.clone()).collect());
        asking.change(|ask| ask.moved(&ids, from, to));
        if from == at {
            state.toasts.say(format!("{said} is now step {} of {of}", to + 1));
        }
    };
    let (up, down, by_key, dropped) = (go.clone(), go.clone(), go.clone(), go);
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowUp" => by_key(at, at.saturating_sub(1)),
            "ArrowDown" => by_key(at, at + 1),
            _ => return,
        }
        event.prevent_default();
    };
    let shown = if average && !averaged.is_empty() { averaged.clone() } else { change };
    let also = (!averaged.is_empty() && !average && movable)
        .then(|| view! { <small>{format!("average {averaged}")}</small> });
    let moves = movable.then(|| {
        view! {
            <span class="step-moves" on:keydown=on_key>
                <button
                    type="button"
                    id=format!("step-up-{id}")
                    class="icon-button"
                    aria-label=format!("Move “{name}” up")
                    aria-disabled=(at == 0).to_string()
                    title="Earlier (↑)"
                    on:click=move |_| up(at, at.saturating_sub(1))
                >
                    <Icon name=Glyph::Up/>
                </button>
                <button
                    type="button"
                    id=format!("step-down-{id}")
                    class="icon-button"
                    aria-label=format!("Move “{name}” down")
                    aria-disabled=(at + 1 == of).to_string()
                    title="Later (↓)"
                    on:click=move |_| down(at, at + 1)
                >
                    <Icon name=Glyph::Down/>
                </button>
            </span>
        }
    });
    view! {
        <li
            class="step"
            class:bounded=bounded
            class:dragged=move || dragged.get() == Some(at)
            draggable=movable.to_string()
            on:dragstart=move |event: DragEvent| {
                dragged.set(Some(at));
                if let Some(data) = event.data_transfer() {
                    // Some browsers drag only what carries data.
                    let _ = data.set_data("text/plain", &(at + 1).to_string());
                }
            }
            on:dragend=move |_| dragged.set(None)
            on:dragover=move |event: DragEvent| {
                if dragged.get_untracked().is_some() {
                    event.prevent_default();
                }
            }
            on:drop=move |event: DragEvent| {
                if let Some(from) = dragged.get_untracked() {
                    // What is dropped here is a step, no file for the page.
                    event.prevent_default();
                    event.stop_propagation();
                    dragged.set(None);
                    dropped(from, at);
                }
            }
        >
            <span class="step-mark">{at + 1}</span>
            <div class="step-words">
                <p class="step-title">{title}</p>
                <p class="step-because">{because}</p>
                <p class="caption">{touched}</p>
            </div>
            <p class="step-change num" class:other-story=other_story>{shown} {also}</p>
            {moves}
        </li>
    }
}
