//! One finding.

use super::details::DetailsView;
use super::drawing::{Dumbbell, ShareBar};
use super::{Shown, apply, mute, name_id, sign, take_back};
use crate::notice::Severity;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::state::use_state;
use crate::views::quality::{EffectLine, FindingRow, State, Suggestion};
use leptos::prelude::*;

/// A finding of the list.
#[component]
pub(super) fn FindingItem(
    /// Its id.
    id: String,
    /// What is shown and where the tab stop is.
    shown: Shown,
) -> impl IntoView {
    let own = id.clone();
    let row = Memo::new(move |_| shown.row(&own));
    let own = id.clone();
    let current = Memo::new(move |_| shown.current().as_ref() == Some(&own));
    let own = id.clone();
    let open = Memo::new(move |_| shown.open.with(|open| open.contains(&own)));
    let on_focus = move |_| shown.current.set(Some(id.clone()));
    let class = move || {
        let (_, word) = sign(row.with(|r| r.as_ref().map_or(Severity::Note, |r| r.severity)));
        format!("found-row weight-{word}")
    };
    let body = move || row.get().map(|row| view! { <Body row shown current open/> });
    view! {
        <li
            class=class
            class:current=current
            class:settled=move || row.with(|r| r.as_ref().is_some_and(|r| r.state != State::Open))
            on:focusin=on_focus
        >
            {body}
        </li>
    }
}

/// All of a finding but its frame.
#[component]
fn Body(row: FindingRow, shown: Shown, current: Memo<bool>, open: Memo<bool>) -> impl IntoView {
    let (glyph, word) = sign(row.severity);
    let id = row.id.clone();
    let below = format!("details-{id}");
    let toggle = {
        let id = id.clone();
        move |_| shown.toggle(&id)
    };
    let details = row.details.clone();
    let controls = below.clone();
    view! {
        <span class="found-sign">
            <Icon name=glyph/>
            <span class="visually-hidden">{word}": "</span>
        </span>
        <div class="found-words">
            <h2>
                <button
                    type="button"
                    class="found-name"
                    id=name_id(&id)
                    tabindex=move || if current.get() { "0" } else { "-1" }
                    aria-expanded=move || open.get().to_string()
                    aria-controls=controls
                    on:click=toggle
                >
                    {row.name.clone()}
                </button>
                <span class="found-place">{row.place.clone()}</span>
            </h2>
            <p>{row.text.clone()}</p>
        </div>
        <div class="found-share">
            <span>
                {(!row.share.of_these.is_empty()).then(|| view! { <b>{row.share.of_these.clone()}</b> " " })}
                {row.share.of.clone()}
            </span>
            {row.share.part.map(|part| view! { <ShareBar part/> })}
        </div>
        <div class="found-effects">
            {row.effects.clone().into_iter().map(|effect| view! { <Effect effect/> }).collect_view()}
            {(!row.touches.is_empty())
                .then(|| view! { <p class="effect-touches">{format!("Touches {}", row.touches)}</p> })}
        </div>
        <Do row shown current/>
        <div class="found-details" id=below hidden=move || !open.get()>
            {move || open.get().then(|| view! { <DetailsView details=details.clone()/> })}
        </div>
    }
}

/// A number as the file has it and without.
#[component]
fn Effect(effect: EffectLine) -> impl IntoView {
    let EffectLine { name, before, after, unit, marks } = effect;
    view! {
        <p class="effect">
            <span class="effect-name">{name}</span>
            {marks.map(|marks| view! { <Dumbbell marks/> })}
            <span class="effect-numbers" class:wide=marks.is_none()>
                {before}
                <span class="visually-hidden">" as the file has it, without it "</span>
                <span aria-hidden="true">" → "</span>
                <b>{after}</b>
                " " {unit}
            </span>
        </p>
    }
}

/// What can be done, or what was.
#[component]
fn Do(row: FindingRow, shown: Shown, current: Memo<bool>) -> impl IntoView {
    let state = use_state();
    let stop = move || if current.get() { "0" } else { "-1" };
    let row = StoredValue::new(row);
    let get = move || row.get_value();
    let named =
        move |word: &str| row.with_value(|row| format!("{word}: {}, {}", row.name, row.whose));
    let what = get();
    let main = match (what.state, what.suggestion.clone()) {
        (State::Open, Suggestion::Do { label, .. }) => {
            let spoken = named(&label);
            view! {
            <button
                type="button"
                class="button button-small found-act"
                class:button-primary=current
                tabindex=stop
                aria-label=spoken
                on:click=move |_| apply(state, shown, &get())
            >
                {label}
            </button>
            }
            .into_any()
        }
        (State::Open, Suggestion::Say(sentence)) => {
            view! { <span class="found-say">{sentence}</span> }.into_any()
        }
        _ => view! {
            <span class="found-done"><Icon name=Glyph::Check/>{what.done()}</span>
        }
        .into_any(),
    };
    let more = if what.state == State::Open {
        view! {
            <button
                type="button"
                class="link found-more"
                tabindex=stop
                aria-label=named("Mute")
                title="Mute (m)"
                on:click=move |_| mute(state, shown, &get())
            >
                "Mute"
            </button>
        }
        .into_any()
    } else if !what.undoable {
        ().into_any()
    } else {
        view! {
            <button
                type="button"
                class="link found-undo"
                tabindex=stop
                aria-label=named("Undo")
                title="Undo (u)"
                on:click=move |_| take_back(state, &get())
            >
                "Undo"
            </button>
        }
        .into_any()
    };
    view! { <div class="found-do">{main}{more}</div> }
}
