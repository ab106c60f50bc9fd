//! The head of a run's column: marker and name, version, how much of its output was reproduced.

use crate::link::Sheet;
use crate::ui::parts::marker::Marker;
use crate::ui::state::use_state;
use crate::views::compare::ColumnHead;
use leptos::prelude::*;

/// Three lines; the name opens the run's card.
#[component]
pub(super) fn Head(head: ColumnHead, cell: String) -> impl IntoView {
    let state = use_state();
    let ColumnHead { id, style, name, sub, reproduced, reproduced_all, baseline, scripted } = head;
    let marked = id.as_str().to_owned();
    let (run, chosen, words) = (id.clone(), id, name.clone());
    let place = if baseline {
        leptos::either::Either::Left(view! { <span class="head-baseline">"baseline"</span> })
    } else {
        leptos::either::Either::Right(view! {
            <button
                type="button"
                class="link head-make"
                tabindex="-1"
                title="Take differences against this run (b)"
                aria-label=format!("Make {words} the baseline")
                on:click=move |_| state.set_baseline(chosen.clone(), &words)
            >
                "make baseline"
            </button>
        })
    };
    view! {
        <th scope="col" class:baseline=baseline id=cell tabindex="-1" data-run=marked>
            <div class="head">
                <div class="head-line">
                {place}
                <button
                    type="button"
                    class="head-name"
                    tabindex="-1"
                    aria-haspopup="dialog"
                    title=format!("{name}: open its run card")
                    on:click=move |_| state.sheet.set(Some(Sheet::Run(run.clone())))
                >
                    <Marker style=style />
                    <span>{name.clone()}</span>
                </button>
                </div>
                <span class="head-sub">{sub} {scripted.then_some(" · scripted")}</span>
                <span class="head-reproduced" class:partly=!reproduced_all>{reproduced}</span>
            </div>
        </th>
    }
}
